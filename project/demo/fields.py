"""The conditions that a list screen takes in its address, derived from the list's own types."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from django.utils.text import capfirst
from django.utils.translation import gettext as _

from read_targets.declaration.naming import label_of
from read_targets.lists import Argument, Condition, ListDefinition, ListPath


@dataclass(frozen=True)
class Field:
    """A field of the screen's form: a query argument and the condition it sets; `minAmount` is `amount gte`."""

    argument: Argument
    label: str
    path: str
    operator: str
    choices: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """The name of the query argument."""
        return self.argument.name

    def condition(self, text: str) -> Condition:
        """Return the condition that `text`, which is not empty, sets; raises Unreadable where it does not fit."""
        return Condition(self.path, self.operator, self.argument.read(text))


def fields_of(definition: ListDefinition) -> dict[str, Field]:
    """Return the fields of the list's screen by name, labelled in the language that is active.

    They are the range, year and month of its first date, the range of its first number (one with a fraction goes
    before one without), and each filtered path.
    """
    paths = [definition.path(path) for path in definition.filtered or ()]
    labels = {path.path: label_of(definition, path) for path in paths}
    every = (*_of_dates(paths), *_of_numbers(paths, labels), *(_of_value(path, labels) for path in paths))
    return {field.name: field for field in every}


def _of_dates(paths: Iterable[ListPath]) -> Iterator[Field]:
    path = next((one.path for one in paths if one.kind == "date"), None)
    if path:
        one, last_year, last_month = Decimal(1), Decimal(9999), Decimal(12)
        yield Field(Argument("from", "date"), _("From"), path, "gte")
        yield Field(Argument("to", "date"), _("To"), path, "lte")
        yield Field(Argument("year", "integer", minimum=one, maximum=last_year), _("Year"), path, "year")
        yield Field(Argument("month", "integer", minimum=one, maximum=last_month), _("Month"), path, "month")


def _of_numbers(paths: Iterable[ListPath], labels: Mapping[str, str]) -> Iterator[Field]:
    numbers = sorted((one for one in paths if one.kind in ("number", "integer")), key=lambda one: one.kind == "integer")
    for path in numbers[:1]:
        name, said = path.path[0].upper() + path.path[1:], {"name": labels[path.path]}
        yield Field(Argument(f"min{name}", path.kind), _("Least %(name)s") % said, path.path, "gte")
        yield Field(Argument(f"max{name}", path.kind), _("Most %(name)s") % said, path.path, "lte")


def _of_value(path: ListPath, labels: Mapping[str, str]) -> Field:
    choices: tuple[tuple[str, str], ...] = ()
    if path.kind == "enum":
        choices = tuple((str(value), str(label)) for value, label in path.field.flatchoices)
    elif path.kind == "boolean":
        choices = (("true", _("Yes")), ("false", _("No")))
    argument = Argument(path.path, path.kind, values=path.values)
    return Field(argument, capfirst(labels[path.path]), path.path, "eq", choices)
