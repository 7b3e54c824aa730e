"""The rules for steps, by their kind: what each acts on is there, and its arguments are bound to what fits them."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from django.db.models import Model
from django.utils.translation import gettext as _

from ..code import Code
from ..models import CommandStep
from ..mutations import mutation_names, required_arguments
from ..objects import model_of
from . import mutation_rules
from .binding_rules import Found, followed, offered
from .declared import Declared, found_code
from .kinds import Brought, spelled
from .problem import Problem, Row, listed, there_are
from .routes import page_names, routes_of
from .rules import code_fault

Kind = CommandStep.Kind

OBJECT = "object"
"""The one argument of a step that writes a channel or shows a view."""


class StepRules:
    """One step of a command, and what is wrong with it."""

    def __init__(self, whole: Declared, number: int) -> None:
        self.whole = whole
        self.number = number
        self.step, bindings = whole.steps[number]
        self.found = followed(whole, number, bindings)
        self.brought: Mapping[str, Brought] = {one.binding.argument: one.brought for one in self.found}

    def problems(self) -> Iterator[Problem]:
        """Everything that is wrong with the step and its bindings."""
        counts = Counter(one.binding.argument for one in self.found)
        for argument, count in counts.items():
            if count > 1:
                yield self._binding(_("“%(name)s” is bound twice."), argument, _("Bind it once."))
        for one in self.found:
            if one.fault is not None:
                yield self._faulty(one)
        check = _CHECKS.get(self.step.kind)
        if check is not None:
            yield from check(self)
        else:
            message = _("“%(name)s” is no kind of step.") % {"name": self.step.kind}
            yield Row("steps", self.number, str(self.number + 1)).problem("kind", message, there_are(Kind.values))

    # Arguments

    def _binding(self, message: str, argument: str, hint: str, **said: Any) -> Problem:
        row = Row("bindings", self.number, str(self.number + 1))
        return row.problem("bindings", message % {"name": argument, **said}, hint)

    def _target(self, message: str, hint: str) -> Problem:
        return Row("steps", self.number, str(self.number + 1)).problem(
            "target", message % {"name": self.step.target}, hint
        )

    def _faulty(self, one: Found) -> Problem:
        message, hint = one.fault or ("", "")
        row = Row("bindings", self.number, str(self.number + 1))
        return row.problem("bindings", f"{one.binding.argument}: {message}", hint)

    def _unknown(self, known: Iterable[str]) -> Iterator[Problem]:
        names = list(known)
        for argument in self.brought:
            if argument not in names:
                hint = _("It takes %(names)s.") % {"names": listed(names, argument)} if names else _("It takes none.")
                yield self._binding(_("The step takes no argument “%(name)s”."), argument, hint)

    def _missing(self, argument: str, fits: Callable[[Brought], bool]) -> Problem:
        return self._binding(_("The argument “%(name)s” is not bound."), argument, self._offers(fits))

    def _offers(self, fits: Callable[[Brought], bool]) -> str:
        fitting = [said for said, brought in offered(self.whole, self.number) if fits(brought)]
        if not fitting:
            return _('Nothing here fits it yet; a fixed value is written: constant "…".')
        return _("What fits it: %(names)s.") % {"names": listed(fitting)}

    def _of_one(
        self, argument: str, wanted: str, fits: Callable[[Brought], bool], must_be_set: bool
    ) -> Iterator[Problem]:
        """What is wrong with what is bound to an argument that takes `wanted`."""
        brought = self.brought[argument]
        said = {"wanted": wanted, "brought": brought}
        if not fits(brought):
            message = _("The argument “%(name)s” takes %(wanted)s, and %(brought)s is bound to it.")
            yield self._binding(message, argument, self._offers(fits), **said)
        elif must_be_set and brought.may_be_unset:
            message = _("The argument “%(name)s” is needed, and the parameter bound to it may be left out.")
            yield self._binding(message, argument, _("Make the parameter required."), **said)

    def _object(self, model: type[Model]) -> Iterator[Problem]:
        if OBJECT in self.brought:
            fits = _is_object_of(model)
            yield from self._of_one(OBJECT, model._meta.label_lower, fits, must_be_set=False)

    # Kinds

    def of_channel(self) -> Iterator[Problem]:
        """A channel takes an object of its type; without one it is emptied."""
        channel = self.whole.channel(self.step.target)
        if channel is None:
            names = [one.name for one in self.whole.channels]
            yield self._target(_("The page has no channel “%(name)s”."), there_are(names, self.step.target))
            return
        yield from self._unknown([OBJECT])
        model = model_of(channel.type)
        if model is not None:
            yield from self._object(model)

    def of_view(self) -> Iterator[Problem]:
        """A view takes an object of the model that its code accepts; one with a channel shows what that holds."""
        view = self.whole.view(self.step.target)
        if view is None:
            names = [one.name for one in self.whole.views]
            yield self._target(_("The page has no view “%(name)s”."), there_are(names, self.step.target))
            return
        code = found_code("view", view.code)
        if code is None:
            message = _("The view “%(name)s” is rendered by code that is not registered.")
            yield self._target(message, _("Choose what renders it on the page's own form."))
        elif view.channel:
            if self.brought:
                hint = _("Leave it out; a step that writes its channel changes what it shows.")
                message = _("The view shows what its channel holds, whatever is bound here.")
                yield self._binding(message, OBJECT, hint)
        elif code.accepts is None:
            yield from self._unknown(())
        else:
            yield from self._unknown([OBJECT])
            yield from self._object(code.accepts)
            if OBJECT not in self.brought:
                yield self._missing(OBJECT, _is_object_of(code.accepts))

    def of_page(self) -> Iterator[Problem]:
        """An address takes the arguments of its path; whatever else is bound goes to its query."""
        routes = routes_of(self.step.target)
        if not routes:
            message = _("No page of the application has the URL name “%(name)s”.")
            yield self._target(message, there_are(page_names(), self.step.target))
            return
        missing = min((sorted(route.arguments - set(self.brought)) for route in routes), key=len)
        for argument in missing:
            yield self._missing(argument, lambda brought: True)
        for argument in frozenset.intersection(*(route.arguments for route in routes)) & set(self.brought):
            yield from self._of_one(argument, _("a value"), lambda brought: True, must_be_set=True)

    def of_handler(self) -> Iterator[Problem]:
        """A handler takes the arguments of its function, each by its annotation."""
        fault = code_fault("handler", self.step.target, self.whole.model)
        code = found_code("handler", self.step.target)
        if fault is not None:
            yield self._target(*fault)
        if code is None:
            return
        try:
            arguments = arguments_of(code)
        except NameError as error:
            hint = _("Import what its arguments are annotated with when the site runs, too.")
            message = _("The arguments of “%(name)s” cannot be read: %(error)s.")
            yield self._target(message.replace("%(error)s", str(error).replace("%", "%%")), hint)
            return
        if not any(one.kind is inspect.Parameter.VAR_KEYWORD for one in arguments.values()):
            yield from self._unknown(arguments)
        for name, argument in arguments.items():
            is_needed = argument.kind is not inspect.Parameter.VAR_KEYWORD and argument.default is argument.empty
            fits = _fits(argument.annotation)
            if name in self.brought:
                yield from self._of_one(name, spelled(argument.annotation), fits, must_be_set=is_needed)
            elif is_needed:
                yield self._missing(name, fits)

    def of_mutation(self) -> Iterator[Problem]:
        """A mutation takes the arguments of its field, each by its GraphQL type."""
        field = mutation_rules.found_mutation(self.step.target)
        if field is None:
            message = _("The GraphQL schema has no mutation “%(name)s”.")
            yield self._target(message, there_are(mutation_names(), self.step.target))
            return
        yield from self._unknown(field.args)
        needed = required_arguments(field)
        for name, argument in field.args.items():
            if name not in self.brought and name not in needed:
                continue
            if not mutation_rules.can_bind(argument.type):
                hint = _("Choose a mutation whose arguments are single values.")
                yield self._binding(_("The argument “%(name)s” takes an object of several values."), name, hint)
            elif name in self.brought:
                yield from self._of_one(name, str(argument.type), _taken_by(argument.type), must_be_set=name in needed)
            else:
                yield self._missing(name, _taken_by(argument.type))


_CHECKS: dict[str, Callable[[StepRules], Iterator[Problem]]] = {
    Kind.WRITE_CHANNEL: StepRules.of_channel,
    Kind.SHOW_VIEW: StepRules.of_view,
    Kind.OPEN_PAGE: StepRules.of_page,
    Kind.HANDLER: StepRules.of_handler,
    Kind.MUTATION: StepRules.of_mutation,
}


def of_steps(whole: Declared) -> Iterator[Problem]:
    """What is wrong with the steps."""
    if not whole.steps:
        yield Problem("", _("The command does nothing."), _("Add at least one step."), "steps")
    for number in range(len(whole.steps)):
        yield from StepRules(whole, number).problems()


def arguments_of(code: Code) -> Mapping[str, inspect.Parameter]:
    """Return the arguments of a handler that can be bound by their names."""
    positional = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.POSITIONAL_ONLY)
    return {name: one for name, one in code.arguments.items() if one.kind not in positional}


def _is_object_of(model: type[Model]) -> Callable[[Brought], bool]:
    return lambda brought: brought.is_object_of(model)


def _fits(annotation: Any) -> Callable[[Brought], bool]:
    return lambda brought: brought.fits(annotation)


def _taken_by(graphql_type: Any) -> Callable[[Brought], bool]:
    return lambda brought: mutation_rules.takes(graphql_type, brought)
