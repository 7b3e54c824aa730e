"""The tools of open pages: two that tell, and two that act (seed 002). They are the same for every page.

What a page offers comes with `pageCommands` and not as tools of its own: the list of tools must not change with what a
person has open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from read_targets.agent import Argument, writing
from read_targets.agent.contract import ReadyResult, ToolResult
from read_targets.agent.kept import keep_answer
from read_targets.agent.labels import text_of
from read_targets.agent.registry import Answered, Call, Condition, Spoken, Tool, register_provider
from read_targets.agent.tokens import renewed
from read_targets.policies import Actor
from read_targets.preferences import as_person

from . import answers
from .choosing import access_page, told_page
from .commands import commands_of, told
from .confirming import revisit
from .live.effects import delivery_of
from .live.models import PageSession
from .live.sessions import open_sessions
from .live.state import state_of, write_channel
from .models import AgentCommand, Channel
from .objects import access_object
from .policies import runs_any
from .refusals import busy, no_page, not_presentable
from .replaying import as_readable
from .running import RECEIPT_SECONDS, Request, run_command
from .runs import busy_page

KEY = "pages"
"""What toolsets name these tools by."""

_PAGE = Argument(
    "page", "string", "id of the open page, from openPages; needed where several are open", is_trimmed=True
)

GUIDANCE = (
    "The person may have pages of this site open. pageCommands tells what one offers; runPageCommand runs a command in "
    "their name, under the rules of their own click. Say that the person sees something only where delivery is SHOWN."
)


@dataclass(frozen=True)
class ParametersArgument(Argument):
    """The parameters of a command: JSON text, since vendors take no open objects; an object itself fits as well."""

    def read(self, raw: Any) -> Any:
        """Return the mapping or the text as it is; the command reads it. Raises Unreadable for anything else."""
        if isinstance(raw, str):
            # Each value in it has its own limit of length, and the body that it came in another.
            return raw
        return dict(raw) if isinstance(raw, Mapping) else super().read(raw)


class PageTools:
    """The tools of open pages, for people who may run at least one command."""

    name = "page_commands"

    def tool_keys(self) -> Iterable[tuple[str, str]]:
        """The one key of them all."""
        return [(KEY, _("Commands of open pages"))]

    def tools(self, actor: Actor) -> Sequence[Tool]:
        """All of them, or none for a person who may run no command."""
        return _TOOLS if runs_any(actor) else ()

    def tool(self, actor: Actor, name: str) -> Tool | None:
        """The tool of that name, if it is one of these and the person may run a command."""
        found = next((tool for tool in _TOOLS if tool.name == name), None)
        return found if found is not None and runs_any(actor) else None

    def spoken(self) -> Iterable[Spoken]:
        """All of them, and the buttons of every command, by the labels that admins gave."""
        about = {"command": Condition(_("command")), "input": Condition(_("object"))}
        titles = {
            "openPages": _("Which pages are open"),
            "pageCommands": _("What a page offers"),
            "runPageCommand": _("Run a command"),
            "present": _("Put an object on a page"),
        }
        own = [Spoken(name, title, about) for name, title in titles.items()]
        buttons = AgentCommand.objects.order_by("pk")
        return own + [Spoken(f"click.{one.name}", text_of(one.label, one.name), about) for one in buttons]


def run_open_pages(call: Call) -> Answered:
    """Tell which pages the person has open."""
    with as_person(call.actor.user):
        pages = [told_page(session) for session in open_sessions(call.actor.user)]
    message = "These pages are open." if pages else "No page is open: ask the person to open one."
    return Answered(_read(call, message, {"pages": pages}))


def run_page_commands(call: Call) -> Answered:
    """Tell what the page holds, and which commands it offers the person."""
    actor = call.actor
    session = access_page(actor, call.arguments.get("page"))
    with as_person(actor.user):
        state = state_of(session, actor)
        channels = [_told_channel(one, state["channels"].get(one.name)) for one in session.page.channels.all()]
        commands = [told(command) for command in commands_of(actor, session.page)]
        page = {**told_page(session), "description": session.page.description}
    message = f"The page offers {len(commands)} command(s); run one with runPageCommand."
    told_state = {"page": page, "channels": channels, "views": state["views"], "commands": commands}
    return Answered(_read(call, message, told_state))


def run_page_command(call: Call) -> Answered:
    """Run a command of the page in the person's name."""
    arguments = call.arguments
    session = access_page(call.actor, arguments.get("page"))
    request = Request(
        actor=call.actor,
        session=session,
        command_name=arguments["command"],
        object_id=arguments.get("input"),
        parameters=arguments.get("parameters"),
        call_id=UUID(call.id),
    )
    return Answered(run_command(request))


def check_free(call: Call) -> None:
    """Raises Refused where another command runs on the page just now."""
    if access_page(call.actor, call.arguments.get("page")).is_busy:
        raise busy()


def run_present(call: Call) -> Answered:
    """Put an object on a channel of the page that takes one from agents."""
    actor, name = call.actor, call.arguments["channel"]
    chosen = access_page(actor, call.arguments.get("page"))
    channel = _presentable(chosen, name)
    with busy_page(chosen, UUID(call.id)), writing(), as_person(actor.user):
        session = PageSession.objects.select_for_update(of=("self",)).select_related("page").get(pk=chosen.pk)
        if not session.is_open or not session.page.enabled:
            raise no_page()
        # While the page was waited for, rights may have gone.
        actor = renewed(actor)
        obj = access_object(actor, channel.type, call.arguments["input"])
        before = state_of(session, actor)["channels"]
        is_changed = write_channel(session, channel, obj, UUID(call.id))
        state = state_of(session, actor)
        changed = {"channels": {name: state["channels"][name]}} if state["channels"] != before else {}
        about = {"input": {"type": channel.type, "id": str(obj.pk)}}
        result = answers.ran(call.tool_name, call.id, about, changed, state, is_changed)
        keep_answer(UUID(call.id), result)
    if is_changed:
        result = answers.delivered(result, delivery_of(session.pk, session.last_seq, RECEIPT_SECONDS))
        keep_answer(UUID(call.id), result)
    return Answered(result)


def revisit_present(call: Call, kept: ToolResult | None) -> ToolResult | None:
    """Return the kept answer where the person may still read what was presented; raises Refused."""
    shown = getattr(kept, "input", None)
    if shown:
        access_object(call.actor, shown["type"], shown["id"])
    return kept if kept is None else as_readable(call.actor, kept)


def _presentable(session: PageSession, name: str) -> Channel:
    channels = [channel for channel in session.page.channels.all() if channel.may_present]
    found = next((channel for channel in channels if channel.name == name), None)
    if found is None:
        raise not_presentable([channel.name for channel in channels])
    return found


def _told_channel(channel: Channel, held: Any) -> dict[str, Any]:
    return {"name": channel.name, "type": channel.type, "mayPresent": channel.may_present, "holds": held}


def _read(call: Call, message: str, state: dict[str, Any]) -> ReadyResult:
    return ReadyResult(
        success=True, outcome="READY", tool_name=call.tool_name, call_id=call.id, message=message, state=state
    )


_TOOLS = (
    Tool(
        key=KEY,
        name="openPages",
        title="Open pages",
        description="Tell which pages of this site the person has open in their browser, with the id of each tab.",
        short_description="Which pages are open.",
        tool_class="SNAPSHOT_READ",
        arguments=(),
        run=run_open_pages,
        guidance=GUIDANCE,
    ),
    Tool(
        key=KEY,
        name="pageCommands",
        title="Commands of a page",
        description=(
            "Tell what the person's open page holds and which commands it offers them: what each does, whether it "
            "takes an object, and its parameters."
        ),
        short_description="What an open page offers.",
        tool_class="SNAPSHOT_READ",
        arguments=(_PAGE,),
        run=run_page_commands,
        guidance=GUIDANCE,
    ),
    Tool(
        key=KEY,
        name="runPageCommand",
        title="Run a command of a page",
        description=(
            "Run a command of the person's open page, under the rights and rules of their own click. It may have to be "
            "confirmed by the person: then ask for the answer by its callId. Answers what changed and the state after."
        ),
        short_description="Run a command on an open page.",
        tool_class="UI_COMMAND",
        arguments=(
            Argument("command", "string", "its name, from pageCommands", is_trimmed=True, required=True),
            Argument("input", "string", "id of the object, for a command that takes one", is_trimmed=True),
            ParametersArgument("parameters", "string", "the command's parameters, as the text of one JSON object"),
            _PAGE,
        ),
        run=run_page_command,
        acts=True,
        guidance=GUIDANCE,
        revisit=revisit,
        before=check_free,
    ),
    Tool(
        key=KEY,
        name="present",
        title="Present an object",
        description="Put an object before the person: on a channel of their open page that takes one from an agent.",
        short_description="Put an object on an open page.",
        tool_class="UI_COMMAND",
        arguments=(
            Argument("channel", "string", "its name, from pageCommands", is_trimmed=True, required=True),
            Argument("input", "string", "id of the object", is_trimmed=True, required=True),
            _PAGE,
        ),
        run=run_present,
        acts=True,
        guidance=GUIDANCE,
        revisit=revisit_present,
        before=check_free,
    ),
)

register_provider(PageTools())
