"""A command tried as a person: every right and rule with its reason, what would be asked, and the steps that would run.

It runs no step. Whatever rules and conditions do to the database is undone. Objects and values are shown as far as both
the person and the admin who looks may read them, nobody looks through a superuser's eyes who is none, and each look is
in the log (design, section 4).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import router, transaction
from django.db.models import Model, QuerySet
from django.urls import NoReverseMatch
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from read_targets.agent.contract import Refused
from read_targets.agent.log import log_call, told_command
from read_targets.policies import Actor, RowAccess, readable
from read_targets.preferences import as_person, language_of

from ..bindings import Unbound, value_of
from ..codes import Code
from ..commands import read_parameters
from ..context import CommandContext
from ..declaration.soundness import Problem, problems_of
from ..models import AgentCommand, CommandStep, StepBinding
from ..objects import find_object
from ..policies import RUN
from ..questions import Words, asked_words
from ..rules import Check, checks_of, must_ask
from ..runs import TOOL
from ..steps import address_for
from ..words import worded

logger = logging.getLogger(__name__)

Source = StepBinding.Source


class SharedReading(RowAccess):
    """What a person may do, and of what there is to read, what another may read as well."""

    def __init__(self, actor: Actor, viewer: Actor) -> None:
        super().__init__(actor)
        self.viewer = viewer

    def rows(self, queryset: QuerySet[Any], first: int = 0) -> QuerySet[Any]:
        """The rows that both may read."""
        return super().rows(queryset, first).filter(pk__in=readable(self.viewer, queryset.model).values("pk"))


@dataclass(frozen=True)
class TriedStep:
    """A step that would run: what it does, its arguments in words, and the address that it would open."""

    what: str
    arguments: list[tuple[str, str]]
    address: str = ""


@dataclass(frozen=True)
class Trial:
    """What comes of a command for a person. With an `obstacle` nothing was asked, and it says why, with `faults`."""

    person: Any
    object_name: str = ""
    obstacle: str = ""
    faults: list[Any] = field(default_factory=list)
    checks: list[tuple[str, Check]] = field(default_factory=list)
    asks_agent: bool = False
    asks_click: bool = False
    words: Words | None = None
    steps: list[TriedStep] = field(default_factory=list)

    @property
    def language(self) -> str:
        """The person's language, in which reasons and confirmation are."""
        return language_of(self.person)

    @property
    def is_refused(self) -> bool:
        """Whether a right or a rule refuses it."""
        return not all(check.passed for _what, check in self.checks)


def try_out(command: AgentCommand, person: Any, viewer: Any, key: str, parameters: str) -> Trial:
    """Try the command as `person` on the object of that key, and log it; `viewer` must be allowed to.

    `parameters` is the text of a JSON object. Raises for no code of the application's, whatever it does.
    """
    started = time.perf_counter()
    try:
        with transaction.atomic(using=router.db_for_write(AgentCommand)):
            trial, outcome, code = _look(command, person, viewer, key.strip(), parameters)
            transaction.set_rollback(True, using=router.db_for_write(AgentCommand))
    except Exception:  # rules and objects are the application's own code; whatever they do, the admin must see the page
        logger.exception("trying %s failed", command.key)
        failed = _("The application's code failed; the server's log says how.")
        trial, outcome, code = Trial(person, obstacle=failed), "INTERNAL", Code.RUN_FAILED
    log_call(
        actor=Actor(person),
        tool=TOOL,
        outcome=outcome,
        code=code,
        conditions=told_command(command.full_name, command.input_type, key.strip() if trial.object_name else ""),
        milliseconds=round((time.perf_counter() - started) * 1_000),
        previewed_by=viewer,
    )
    return trial


def _look(command: AgentCommand, person: Any, viewer: Any, key: str, parameters: str) -> tuple[Trial, str, str]:
    problems: list[Problem] = problems_of(command)
    if problems:
        wrong = _("The declaration is wrong, so the command is not offered.")
        return Trial(person, obstacle=wrong, faults=problems), "REJECTED", Code.UNLISTED_COMMAND
    actor = Actor(person)
    actor.memo["access"] = SharedReading(actor, Actor(viewer))
    obj, obstacle = _object(command, actor, viewer, key)
    if obstacle:
        return Trial(person, obstacle=obstacle), "REJECTED", Code.OBJECT_UNREADABLE
    try:
        values = read_parameters(command, parameters)
    except Refused as refused:
        faults = [_fault(name, facts) for name, facts in refused.params.items()]
        unread = Trial(person, obstacle=_("The parameters do not fit."), faults=faults)
        return unread, refused.outcome, str(refused.code)
    return _tried(CommandContext(actor, command, None, obj, values))


def _object(command: AgentCommand, actor: Actor, viewer: Any, key: str) -> tuple[Model | None, str]:
    """The object, else why the command cannot be tried on it; of what the admin may not read nothing is told."""
    if not command.input_type:
        return None, _("The command takes no object: leave it out.") if key else ""
    if not key:
        return None, _("The command takes an object: say which by its id.")
    said = {"type": command.input_type, "person": actor.user.get_username()}
    if find_object(Actor(viewer), command.input_type, key) is None:
        return None, _("There is no %(type)s of that id that you may view.") % said
    if find_object(Actor(actor.user), command.input_type, key) is None:
        return None, _("%(person)s may not view it: their agent is told that there is no such object.") % said
    return find_object(actor, command.input_type, key), ""


def _fault(name: str, facts: Mapping[str, Any]) -> str:
    fits = ", ".join(f"{one} {value}" for one, value in facts.items() if one != "code" and value not in (None, "", []))
    return f"{name}: {facts.get('code', '')}" + (f" ({fits})" if fits else "")


def _tried(context: CommandContext) -> tuple[Trial, str, str]:
    person, obj = context.user, context.object
    with as_person(person):
        checks = checks_of(context)
    named = [(_what(check, context.command), check) for check in checks]
    trial = Trial(person, "" if obj is None else worded(obj), checks=named)
    if trial.is_refused:
        return trial, "REJECTED", _REFUSED[next(check.kind for check in checks if not check.passed)]
    with as_person(person):
        asks_agent, asks_click = must_ask(context, by_click=False), must_ask(context, by_click=True)
        words = asked_words(context) if asks_agent or asks_click else None
    trial = Trial(
        person,
        trial.object_name,
        checks=named,
        asks_agent=asks_agent,
        asks_click=asks_click,
        words=words,
        steps=[_step(step, context) for step in context.command.steps.all()],
    )
    return (trial, "NOT_READY", Code.WAITING_FOR_PERSON) if asks_agent else (trial, "READY", "")


_REFUSED = {
    "command": Code.UNLISTED_COMMAND,
    "input": Code.INPUT_NOT_PERMITTED,
    "rule": Code.REFUSED_BY_RULES,
}


def _what(check: Check, command: AgentCommand) -> str:
    """What is checked, in the language of the admin; a rule says it in its own words."""
    if check.kind == "command":
        return _("They may run the command: %(permission)s") % {"permission": RUN}
    if check.kind == "input":
        return _("They hold the permission on the object: %(permission)s") % {"permission": command.input_permission}
    return check.what


def _step(step: CommandStep, context: CommandContext) -> TriedStep:
    values: dict[str, Any] = {}
    arguments = []
    is_known = True
    for binding in step.bindings.all():
        if binding.source in (Source.CHANNEL, Source.STEP):
            is_known = False
            arguments.append((binding.argument, _later(binding)))
            continue
        try:
            value = value_of(binding, context)
        except Unbound:
            is_known = False
            arguments.append((binding.argument, _("withheld from you or from them")))
            continue
        if value is not None:
            values[binding.argument] = value
        arguments.append((binding.argument, _("left out") if value is None else worded(value)))
    what = f"{capfirst(step.get_kind_display())}: {step.target}"
    return TriedStep(what, arguments, _address(step, values) if is_known else "")


def _later(binding: StepBinding) -> str:
    if binding.source == Source.CHANNEL:
        return _("what the channel %(name)s holds then") % {"name": binding.value}
    return _("what step %(name)s returns") % {"name": binding.value}


def _address(step: CommandStep, values: Mapping[str, Any]) -> str:
    if step.kind != CommandStep.Kind.OPEN_PAGE:
        return ""
    try:
        return address_for(step.target, values)
    except NoReverseMatch:
        return _("no address fits")
