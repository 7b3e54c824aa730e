"""The rules for a command's parameters, its own rules with their reasons, and its confirmation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.db.models import Model
from django.utils.translation import gettext as _

from read_targets.agent.declared import Kind

from ..code import Code, Sort, registered_code
from ..models import AgentCommand, CommandParameter
from .declared import Declared, found_code
from .placeholders import strange_placeholders
from .problem import Problem, Row, listed, there_are

Confirmation = AgentCommand.Confirmation

NUMBERS = (Kind.NUMBER, Kind.INTEGER)

RESERVED = ("object",)
"""What texts name the command's object by, so that no parameter can be named like it."""


def of_parameters(whole: Declared) -> Iterator[Problem]:
    """What is wrong with the parameters."""
    names = Counter(parameter.name for parameter in whole.parameters)
    for number, parameter in enumerate(whole.parameters):
        row = Row("parameters", number, parameter.name)
        if parameter.name in RESERVED:
            hint = _("Reserved are %(names)s; choose another name.") % {"names": listed(RESERVED)}
            yield row.problem("name", _("The name “%(name)s” is reserved.") % {"name": parameter.name}, hint)
        if names[parameter.name] > 1:
            message = _("The name “%(name)s” is used twice.") % {"name": parameter.name}
            yield row.problem("name", message, _("Each needs a name of its own."))
        if parameter.kind not in Kind.values:
            message = _("“%(name)s” is no type of a parameter.") % {"name": parameter.kind}
            yield row.problem("kind", message, there_are(Kind.values))
        yield from _of_limits(row, parameter)
        yield from _of_pattern(row, parameter)
        yield from _of_values(row, parameter)


def _of_limits(row: Row, parameter: CommandParameter) -> Iterator[Problem]:
    least, most = parameter.minimum, parameter.maximum
    if parameter.kind not in NUMBERS:
        for field, limit in (("minimum", least), ("maximum", most)):
            if limit is not None:
                yield row.problem(field, _("Only a number has a least and a most."), _("Leave it empty."))
    elif least is not None and most is not None and least > most:
        yield row.problem("minimum", _("The least is more than the most, so nothing fits."), _("Exchange the two."))


def _of_pattern(row: Row, parameter: CommandParameter) -> Iterator[Problem]:
    if not parameter.pattern:
        return
    if parameter.kind != Kind.STRING:
        yield row.problem("pattern", _("Only a text has a pattern."), _("Leave it empty."))
    try:
        re.compile(parameter.pattern)
    except re.error as error:
        hint = _("Write one like [A-Z]{3}, or leave it empty.")
        yield row.problem("pattern", _("This is no regular expression: %(said)s.") % {"said": error}, hint)


def _of_values(row: Row, parameter: CommandParameter) -> Iterator[Problem]:
    given = parameter.value_list
    if parameter.kind != Kind.ENUM:
        if given:
            hint = _("Leave them empty, or choose the type “one of some values”.")
            yield row.problem("values", _("Only one of some values has a list of them."), hint)
    elif not given:
        yield row.problem("values", _("The parameter lists no values."), _("Write one a line."))
    elif len(given) != len(set(given)):
        yield row.problem("values", _("A value is there twice."), _("Write each once."))


def of_rules(whole: Declared) -> Iterator[Problem]:
    """What is wrong with the rules and with the reasons that they give."""
    for number, rule in enumerate(whole.rules):
        row = Row("rules", number, rule.code)
        fault = code_fault("rule", rule.code, whole.model)
        if fault is not None:
            yield row.problem("code", *fault)
        for message, hint in _text_faults(rule.reason, whole):
            yield row.problem("reason", message, hint)


def of_confirmation(whole: Declared) -> Iterator[Problem]:
    """What is wrong with the confirmation: its condition and its words."""
    command = whole.command
    if command.confirmation not in Confirmation.values:
        message = _("“%(name)s” does not say when to ask.") % {"name": command.confirmation}
        yield Problem("confirmation", message, there_are(Confirmation.values))
        return
    if bool(command.confirmation_condition) != (command.confirmation == Confirmation.CONDITIONAL):
        message = _("A condition goes with the confirmation “when a condition holds”, and only with it.")
        hint = _("Leave it empty.")
        if not command.confirmation_condition:
            hint = there_are(fitting_codes("condition", whole.model))
        yield Problem("confirmation_condition", message, hint)
    elif command.confirmation_condition:
        fault = code_fault("condition", command.confirmation_condition, whole.model)
        if fault is not None:
            yield Problem("confirmation_condition", *fault)
    if command.confirmation == Confirmation.NEVER:
        if command.confirm_clicks:
            hint = _("Leave it off, or choose when it is asked.")
            yield Problem("confirm_clicks", _("Nothing is ever asked, so a click asks nothing either."), hint)
        return
    for field in ("confirmation_title", "confirmation_message", "confirmation_button"):
        for message, hint in _text_faults(getattr(command, field), whole):
            yield Problem(field, message, hint)


def _text_faults(texts: Any, whole: Declared) -> Iterator[tuple[str, str]]:
    code = settings.LANGUAGE_CODE
    if not any((texts or {}).get(one) for one in (code, code.partition("-")[0])):
        name = dict(settings.LANGUAGES).get(code, dict(settings.LANGUAGES).get(code.partition("-")[0], code))
        hint = _("Write it in %(language)s at least: it stands in for every language without one.") % {"language": name}
        yield _("There is no text."), hint
    yield from strange_placeholders(texts, whole.model, whole.by_parameter)


def code_fault(sort: Sort, name: str, model: type[Model] | None) -> tuple[str, str] | None:
    """Return what is wrong with code of that name for a command whose object is of `model`, and what would fit."""
    code = found_code(sort, name)
    said = {"name": name, "model": model._meta.label_lower if model else ""}
    if code is None:
        message = {
            "rule": _("The application has no rule “%(name)s”."),
            "condition": _("The application has no condition “%(name)s”."),
            "handler": _("The application has no handler “%(name)s”."),
            "view": _("The application has no view “%(name)s”."),
        }[sort]
    elif fits(code, model):
        return None
    else:
        said["accepts"] = code.accepts._meta.label_lower if code.accepts else ""
        message = _("“%(name)s” works on %(accepts)s, and the command takes %(model)s.")
        if model is None:
            message = _("“%(name)s” works on %(accepts)s, and the command takes no object.")
    return message % said, there_are(fitting_codes(sort, model), name)


def fits(code: Code, model: type[Model] | None) -> bool:
    """Whether the code works with an object of `model` (None: without an object)."""
    return code.accepts is None or (model is not None and issubclass(model, code.accepts))


def fitting_codes(sort: Sort, model: type[Model] | None) -> list[str]:
    """Return the names of the registered code that fits a command with such an object."""
    return [code.name for code in registered_code(sort) if fits(code, model)]
