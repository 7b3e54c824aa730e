"""Where the bars of a chart stand. Drawing is the template's; every number told is text and exact.

Places and widths are percentages of the drawing's width and plain pixels of its height, so that bars stretch with the
page while words keep their size. They are strings: a template would write a number in the person's language.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from .values import exact_number, shown_value
from .words import plain_words

MOST_BARS = 15
"""Bars of groups that are told by name; the others are one bar."""

MOST_MONTHS = 60
"""Months of a time line, the latest."""

LONGEST_LABEL = 60

ROW_HEIGHT, BAR_TOP = 40, 22
PLOT_TOP, PLOT_HEIGHT = 12, 280
WIDEST_COLUMN = 7.0

_MONTH = re.compile(r"\d{4}-\d{2}")
_SCALES = (
    (12, lambda: _("trillions")),
    (9, lambda: _("billions")),
    (6, lambda: _("millions")),
    (3, lambda: _("thousands")),
)


@dataclass(frozen=True)
class Measured:
    """A group to draw: what it is called, its size (None: it has none), and the size as text."""

    label: str
    size: Decimal | None
    text: str
    key: Any = None
    style: str = ""


@dataclass(frozen=True)
class Bar:
    """A bar: its words, and where it stands."""

    label: str
    text: str
    style: str
    x: str
    y: str
    width: str
    height: str
    label_y: str = ""
    zero_y: str = ""
    tick: str = ""
    tick_x: str = ""
    is_minor: bool = False


@dataclass(frozen=True)
class Tick:
    """A line of the scale."""

    label: str
    y: str


@dataclass(frozen=True)
class Chart:
    """A drawing: bars in rows or in columns, the line of zero, and what is said of all of it."""

    shape: str
    bars: list[Bar]
    height: str
    zero: str
    has_negative: bool
    ticks: list[Tick] = field(default_factory=list)
    gutter: str = ""
    scaled: str = ""
    note: str = ""


def chart_of(groups: Sequence[Mapping[str, Any]], rest: Mapping[str, Any] | None, kind: str, measure: str) -> Chart:
    """Return the chart of stored groups of a column of `kind`; `measure` names what is drawn, as `size_of` takes it.

    Months stand in columns along the time line, other groups in rows, the largest first.
    """
    measured = [_measured(group, kind, measure) for group in groups]
    months = [one for one in measured if isinstance(one.key, str) and _MONTH.fullmatch(one.key)]
    if kind == "date" and months:
        earlier = int(rest["groupCount"]) if rest else 0
        return _columns(months, [one for one in measured if one not in months], earlier)
    return _rows(measured, rest, measure)


def size_of(group: Mapping[str, Any], measure: str) -> Any:
    """Return a figure of a group or of the rest, exact as it is stored; None where it has none.

    `measure` is a column, whose sum is meant, or a column and the average of its basis, `feet-ratio`; empty: the rows.
    """
    if not measure:
        return group.get("rowCount")
    name, _dash, figure = measure.partition("-")
    return group.get("metrics", {}).get(name, {}).get(figure or "sum")


def called(group: Mapping[str, Any], kind: str) -> str:
    """Return what a group is called."""
    if group.get("withheld"):
        return _("withheld")
    if group.get("key") is None:
        return _("no value")
    return shown_value(group["key"], kind) or _("empty text")


def _measured(group: Mapping[str, Any], kind: str, measure: str) -> Measured:
    size = size_of(group, measure)
    style = "is-withheld" if group.get("withheld") else "is-null" if group.get("key") is None else ""
    key = None if style else group["key"]
    return Measured(called(group, kind), _decimal(size), exact_number(size) if size is not None else "", key, style)


def _decimal(size: Any) -> Decimal | None:
    return None if size is None else Decimal(str(size))


def _rows(measured: list[Measured], rest: Mapping[str, Any] | None, measure: str) -> Chart:
    ordered = sorted(measured, key=lambda one: (one.size is None, -abs(one.size or Decimal(0))))
    # One bar for a single group left over would only hide its name.
    most = MOST_BARS if len(ordered) > MOST_BARS + 1 or rest else len(ordered)
    drawn, others = ordered[:most], ordered[most:]
    count = len(others) + (int(rest["groupCount"]) if rest else 0)
    if count and "-" in measure:
        # Averages do not add up: those of the others together are not to be had from them.
        note = ngettext("%(count)s other group is not drawn.", "%(count)s other groups are not drawn.", count)
        return _bars(drawn, note % {"count": exact_number(count)})
    if count:
        sizes = [one.size for one in others] + ([_decimal(size_of(rest, measure))] if rest else [])
        total = sum((size for size in sizes if size is not None), Decimal(0))
        label = ngettext("%(count)s other group", "%(count)s other groups", count) % {"count": exact_number(count)}
        drawn.append(Measured(label, total, exact_number(f"{total:f}"), style="is-rest"))
    return _bars(drawn)


def _bars(drawn: list[Measured], note: str = "") -> Chart:
    line = _Line([one.size for one in drawn])
    bars = [_row(one, place, line) for place, one in enumerate(drawn)]
    height = str(len(bars) * ROW_HEIGHT)
    return Chart("rows", bars, height, _percent(line.at(Decimal(0))), line.low < 0, note=note)


def _row(one: Measured, place: int, line: _Line) -> Bar:
    start, length = line.span(one.size)
    top = place * ROW_HEIGHT
    return Bar(
        label=plain_words(one.label, LONGEST_LABEL),
        text=one.text or _("no value"),
        style=_style(one),
        x=_percent(start),
        y=str(top + BAR_TOP),
        width=_percent(length),
        height="9",
        label_y=str(top + BAR_TOP - 7),
        zero_y=str(top + BAR_TOP - 3),
    )


def _columns(months: list[Measured], others: list[Measured], earlier: int) -> Chart:
    last = _month_number(months[-1].key)
    first = max(_month_number(months[0].key), last - MOST_MONTHS + 1)
    drawn = [one for one in months if _month_number(one.key) >= first]
    line = _Line([one.size for one in drawn])
    ticks, scale, scaled = _ticks(line)
    line = _Line([*(one.size for one in drawn), ticks[0], ticks[-1]])
    slots = last - first + 1
    every = max(1, -(-slots // 6))
    bars = [_column(one, _month_number(one.key) - first, slots, every, line) for one in drawn]
    labels = [exact_number(_plain(tick.scaleb(-scale))) for tick in ticks]
    return Chart(
        "columns",
        bars,
        str(PLOT_TOP + PLOT_HEIGHT + 26),
        _pixels(line.at(Decimal(0))),
        line.low < 0,
        [Tick(label, _pixels(line.at(tick))) for label, tick in zip(labels, ticks, strict=True)],
        _gutter(labels),
        scaled,
        _missing(len(months) - len(drawn) + earlier, others),
    )


def _column(one: Measured, slot: int, slots: int, every: int, line: _Line) -> Bar:
    room = 100 / slots
    width = min(room * 0.7, WIDEST_COLUMN)
    middle = (slot + 0.5) * room
    start, length = line.span(one.size)
    top = PLOT_TOP + (1 - start - length) * PLOT_HEIGHT
    return Bar(
        label=one.label,
        text=one.text or _("no value"),
        style=_style(one),
        x=f"{middle - width / 2:.3f}%",
        y=f"{top:.2f}",
        width=f"{width:.3f}%",
        height=f"{length * PLOT_HEIGHT:.2f}",
        tick=one.key if slot % every == 0 else "",
        tick_x=f"{middle:.3f}%",
        is_minor=slot // every % 2 == 1,
    )


def _missing(cut: int, others: list[Measured]) -> str:
    said = []
    if cut:
        said.append(
            ngettext(
                "%(count)s earlier month is in the table only.", "%(count)s earlier months are in the table only.", cut
            )
            % {"count": exact_number(cut)}
        )
    said += [_("%(label)s: %(size)s, not on the time line.") % {"label": one.label, "size": one.text} for one in others]
    return " ".join(said)


def _style(one: Measured) -> str:
    negative = "is-negative" if one.size is not None and one.size < 0 else ""
    return " ".join(part for part in (one.style, negative) if part)


def _month_number(key: str) -> int:
    day = dt.date.fromisoformat(f"{key}-01")
    return day.year * 12 + day.month - 1


class _Line:
    """A number line on which zero always is; places on it are parts of its length."""

    def __init__(self, sizes: Sequence[Decimal | None]) -> None:
        known = [size for size in sizes if size is not None]
        self.low = min([Decimal(0), *known])
        self.high = max([Decimal(0), *known])

    def at(self, size: Decimal) -> float:
        """Where `size` is, from 0 to 1."""
        length = self.high - self.low
        return float((size - self.low) / length) if length else 0.0

    def span(self, size: Decimal | None) -> tuple[float, float]:
        """Where a bar from zero to `size` begins, and how long it is; a bar that is not zero is never unseen."""
        if not size:
            return self.at(Decimal(0)), 0.0
        ends = sorted((self.at(Decimal(0)), self.at(size)))
        length = max(ends[1] - ends[0], 0.004)
        return (max(ends[1] - length, 0.0) if size < 0 else min(ends[0], 1 - length)), length


def _ticks(line: _Line) -> tuple[list[Decimal], int, str]:
    """Round numbers that take in the whole line, the power of ten they are told in, and its name."""
    span = line.high - line.low or Decimal(1)
    rough = span / 4
    power = Decimal(1).scaleb(rough.adjusted())
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
    first = int((line.low / step).to_integral_value(ROUND_FLOOR))
    last = int((line.high / step).to_integral_value(ROUND_CEILING))
    ticks = [step * place for place in range(first, max(last, first + 1) + 1)]
    largest = max(abs(tick) for tick in ticks)
    scale, name = next(((power, name) for power, name in _SCALES if largest >= Decimal(1).scaleb(power + 1)), (0, None))
    return ticks, scale, name() if name else ""


def _gutter(labels: Sequence[str]) -> str:
    longest = max(map(len, labels))
    return "gutter-s" if longest <= 5 else "gutter-m" if longest <= 8 else "gutter-l"


def _plain(number: Decimal) -> str:
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _percent(part: float) -> str:
    return f"{part * 100:.3f}%"


def _pixels(part: float) -> str:
    return f"{PLOT_TOP + (1 - part) * PLOT_HEIGHT:.2f}"
