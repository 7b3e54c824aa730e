"""Whether a command may run on its object: each permission and rule, passed or refused, with the reason.

Asked alike for a click, for a tool call, once more inside of the transaction, and by an admin who tries a command.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Literal

from django.utils.translation import gettext as _

from read_targets.agent.labels import text_of
from read_targets.policies import permits
from read_targets.preferences import language_of

from .code import UnknownCode, code_of
from .codes import Code
from .context import CommandContext
from .models import AgentCommand, CommandRule
from .policies import RUN, may_run
from .refusals import refused_by
from .words import filled

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Check:
    """One thing that must hold: what it is, whether it does, and what is said where it does not."""

    kind: Literal["command", "input", "rule"]
    what: str
    passed: bool
    reason: str


def checks_of(context: CommandContext) -> list[Check]:
    """Return every check of the command in its order, in the active language; changes nothing.

    A rule that breaks refuses: what cannot be told is not allowed.
    """
    return [_permission(context), *_of_object(context)]


def enforce(context: CommandContext) -> None:
    """Raises Refused where the command's object or rules refuse, with every reason in the person's language.

    That the person may run the command at all is asked where it is fetched (`access_command`).
    """
    failed = [check for check in _of_object(context) if not check.passed]
    if not failed:
        return
    language = language_of(context.user)
    if failed[0].kind == "input":
        raise refused_by([failed[0].reason], language, Code.INPUT_NOT_PERMITTED)
    raise refused_by([check.reason for check in failed], language)


def must_ask(context: CommandContext, *, by_click: bool) -> bool:
    """Whether the person must agree before the command runs. An error in the condition means that they must."""
    command = context.command
    if by_click and not command.confirm_clicks:
        return False
    if command.confirmation != AgentCommand.Confirmation.CONDITIONAL:
        return command.confirmation == AgentCommand.Confirmation.REQUIRED
    try:
        return bool(code_of("condition", command.confirmation_condition).function(context))
    except Exception:  # whatever breaks in the application's condition, the person is asked
        logger.exception("the condition %s broke, so the person is asked", command.confirmation_condition)
        return True


def _of_object(context: CommandContext) -> list[Check]:
    permission = [_input_permission(context)] if context.command.input_type else []
    return [*permission, *(_rule(context, rule) for rule in context.command.rules.all())]


def _permission(context: CommandContext) -> Check:
    what = _("The person may run the command (%(permission)s).") % {"permission": RUN}
    label = text_of(context.command.label, context.command.name)
    reason = _("You may not run “%(command)s”.") % {"command": label}
    return Check("command", what, may_run(context.actor, context.command), reason)


def _input_permission(context: CommandContext) -> Check:
    permission = context.command.input_permission
    what = _("The person holds %(permission)s on the object.") % {"permission": permission or "–"}
    # No permission named is no permission given.
    held = bool(permission) and context.object is not None and permits(context.actor, permission, context.object)
    return Check("input", what, held, _("You lack the permission %(permission)s on it.") % {"permission": permission})


def _rule(context: CommandContext, rule: CommandRule) -> Check:
    try:
        code = code_of("rule", rule.code)
        what, passed = code.label or rule.code, bool(code.function(context))
    except UnknownCode:
        what, passed = rule.code, False
    except Exception:  # whatever breaks in the application's rule, the command is refused
        logger.exception("the rule %s broke, so it refuses", rule.code)
        what, passed = rule.code, False
    fallback = _("The rule %(rule)s refuses.") % {"rule": rule.code}
    return Check("rule", what, passed, filled(rule.reason, fallback, context.actor, context.object, context.parameters))
