"""The page of the tests, its commands declared as rows, and the people and objects that they are about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.contrib.auth.models import Permission, User
from django.utils import timezone

from page_commands.models import AgentCommand, CommandStep, Page
from project.demo.factory.models import Conversation, Tenant

KEY = "tests.desk"

RIGHTS = (
    "page_commands.run_agentcommand",
    "factory.view_conversation",
    "factory.change_conversation",
    "factory.view_tenant",
    "factory.view_project",
    "factory.change_project",
)
"""What a person of the tests holds everywhere, unless the test says otherwise."""


@dataclass(frozen=True)
class Step:
    """A step as it is declared: `handler acting.note`, and where its arguments come from."""

    does: str
    binds: dict[str, str]


def step(does: str, **binds: str) -> Step:
    """A step: `step("write_channel talk", object="input")`; a source may be `input title`, or `step 1.word`."""
    return Step(does, binds)


@dataclass(frozen=True)
class Desk:
    """The page, to which a test adds the commands that its story needs."""

    page: Page

    def command(
        self,
        name: str,
        *steps: Step,
        takes: str = "factory.conversation",
        described: bool = True,
        rules: tuple[str, ...] = (),
        parameters: tuple[dict[str, Any], ...] = (),
        **fields: Any,
    ) -> AgentCommand:
        """Declare a command. It takes a conversation from the agent, and asks for the right to change it."""
        of_input = {}
        if takes:
            app_label, model = takes.split(".")
            of_input = {
                "input_type": takes,
                "input_description": "What it is for." if described else "",
                "input_permission": f"{app_label}.{'view' if model == 'tenant' else 'change'}_{model}",
            }
        if "confirmation" in fields:
            fields = {"confirmation_title": {"en": f"Do {name}?"}, **_ASKED, **fields}
        command = self.page.commands.create(
            name=name,
            position=self.page.commands.count() + 1,
            label={"en": name.capitalize(), "ko": f"{name} (ko)", "de": f"{name} (de)"},
            description="A command of the tests.",
            **{**of_input, **fields},
        )
        for number, code in enumerate(rules, 1):
            reason = {language: f"{language}: {code} refuses {{object}}." for language in ("en", "ko", "de")}
            if not takes:
                reason = {language: f"{language}: {code} refuses." for language in ("en", "ko", "de")}
            command.rules.create(position=number, code=f"acting.{code}", reason=reason)
        for number, facts in enumerate(parameters, 1):
            label = {"en": facts["name"].capitalize(), "de": f"{facts['name']} (de)"}
            command.parameters.create(position=number, **{"label": label, **facts})
        for number, one in enumerate(steps, 1):
            _declare(command, number, one)
        return command

    def count(self, name: str = "count", **fields: Any) -> AgentCommand:
        """A command without an object, which counts how often it ran and shows nothing."""
        return self.command(name, step("handler acting.count"), takes="", **fields)

    def note(self, name: str = "note", **fields: Any) -> AgentCommand:
        """A command that notes something about a conversation, and shows nothing."""
        return self.command(name, step("handler acting.note", conversation="input"), **fields)

    def show(self, name: str = "show", **fields: Any) -> AgentCommand:
        """A command that puts a conversation on the channel `talk`, whose view shows it."""
        return self.command(name, step("write_channel talk", object="input"), **fields)

    def asks(self, name: str = "note", **fields: Any) -> AgentCommand:
        """A command that notes something about a conversation, once the person has agreed."""
        return self.note(name, **{"confirmation": "REQUIRED", **fields})


_ASKED: dict[str, Any] = {
    "confirmation_message": {"en": "It is about the conversation."},
    "confirmation_button": {"en": "Do it"},
}


def _declare(command: AgentCommand, number: int, one: Step) -> CommandStep:
    kind, _, target = one.does.partition(" ")
    row: CommandStep = command.steps.create(position=number, kind=kind, target=target)
    for argument, source in one.binds.items():
        origin, _, value = source.partition(" ")
        row.bindings.create(argument=argument, source=origin, value=value)
    return row


def declare_desk(key: str = KEY) -> Desk:
    """Declare the page, with channels and views and without commands."""
    page = Page.objects.create(key=key, label={"en": "Desk", "ko": "책상", "de": "Tisch"}, description="A desk.")
    channels = [
        ("talk", "factory.conversation", True),
        ("tenant", "factory.tenant", True),
        ("quiet", "factory.conversation", False),
    ]
    for position, (name, of_type, may_present) in enumerate(channels, 1):
        label = {"en": name.capitalize(), "de": f"{name} (de)"}
        page.channels.create(position=position, name=name, type=of_type, may_present=may_present, label=label)
    views = [
        ("talk_view", "talk", "talk"),
        ("talk_form", "talk", ""),
        ("tenant_form", "customer", ""),
        ("plain", "plain", ""),
    ]
    for position, (name, code, channel) in enumerate(views, 1):
        page.views.create(position=position, name=name, code=f"acting.{code}", channel=channel, label={"en": name})
    return Desk(page)


def permission(dotted: str) -> Permission:
    """The permission of that name."""
    app_label, codename = dotted.split(".")
    return Permission.objects.get(content_type__app_label=app_label, codename=codename)


def hire(name: str, *rights: str, language: str = "", **fields: Any) -> User:
    """A person who holds the rights everywhere; their password is their name."""
    user = User.objects.create_user(name, password=name, **fields)
    user.user_permissions.add(*map(permission, rights))
    if language:
        preferences = apps.get_model("read_targets", "Preference")
        preferences.objects.create(user=user, language=language)
    return user


def conversation(title: str = "Add a login page", **fields: Any) -> Conversation:
    """A conversation that is open, of ten messages."""
    facts = {"state": "OPEN", "messages": 10, "started_at": timezone.now(), **fields}
    return Conversation.objects.create(title=title, **facts)


def tenant(name: str = "Kiefer & Söhne", **fields: Any) -> Tenant:
    """A tenant."""
    return Tenant.objects.create(name=name, **{"status": "ACTIVE", **fields})
