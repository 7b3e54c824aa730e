"""What the target of connection runs says of its figures: an average on each basis, and goals for them."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from read_targets.declaration.naming import in_every_language
from read_targets.models import Basis, Column, Goal, ReadTarget

UNITS = {"minutes": "min", "feet": "ft", "hours": "h", "weightOnBit": "klbf"}

RATIOS: dict[str, tuple[Callable[[], str], str, str, str]] = {
    "minutesPerConnection": (lambda: _("minutes per connection"), "min/connection", "minutes", "connections"),
    "feetPerHour": (lambda: _("feet per hour"), "ft/h", "feet", "hours"),
}
"""By name: what people call it, its unit, its numerator and its denominator."""

GOALS: tuple[dict[str, Any], ...] = (
    {"column": "minutesPerConnection", "value": Decimal(5), "direction": Goal.Direction.LOWER, "source": "company"},
    {"column": "feetPerHour", "value": Decimal(110), "direction": Goal.Direction.HIGHER, "source": "company"},
    {"column": "weightOnBit", "value": Decimal("30.5"), "direction": Goal.Direction.LOWER, "source": "rig"},
)


def declare(target: ReadTarget) -> None:
    """Add units, averages and goals to the target of connection runs, whose columns are as they were proposed."""
    for name, unit in UNITS.items():
        target.columns.filter(name=name).update(unit=unit)
    # The mean of a shift says nothing of its length: it counts as often as the feet that were drilled under it.
    target.columns.filter(name="weightOnBit").update(total=False, basis=Basis.WEIGHTS, weight="feet")
    last = target.columns.count() * 10
    for at, (name, (say, unit, numerator, denominator)) in enumerate(RATIOS.items(), 1):
        Column.objects.create(
            target=target,
            position=last + at * 10,
            name=name,
            kind="number",
            label=in_every_language(say),
            unit=unit,
            basis=Basis.RATIO,
            numerator=numerator,
            denominator=denominator,
        )
    Goal.objects.bulk_create(Goal(target=target, position=at * 10, **goal) for at, goal in enumerate(GOALS, 1))
