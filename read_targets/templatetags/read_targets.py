"""What the templates of the person's pages share: exact numbers, moments, icons and charts."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django import template
from django.utils import formats, timezone

from ..cards.charts import Chart
from ..cards.exports.showing import whole_of
from ..cards.values import exact_number as written_exactly

register = template.Library()


@register.filter
def exact_number(value: Any) -> str:
    """Write a number, or a string of one, with its digits grouped and every one of them kept."""
    return written_exactly(value)


@register.filter
def moment(at: dt.datetime) -> str:
    """Write a moment shortly: of today only the time, of other days only the day."""
    local = timezone.localtime(at)
    if local.date() == timezone.localdate():
        return formats.time_format(local, "TIME_FORMAT")
    return formats.date_format(local, "DATE_FORMAT")


@register.inclusion_tag("read_targets/_whole.html", takes_context=True)
def whole_list(context: Any, version: Any, is_truncated: bool) -> dict[str, Any]:
    """Offer the whole list behind a workspace version: its rows, where not all are on the page, and its exports."""
    user = context["request"].user
    return {"version": version, "is_truncated": is_truncated, "whole": whole_of(user, version)}


@register.inclusion_tag("read_targets/_icon.html")
def icon(name: str) -> dict[str, str]:
    """Draw a small picture by its name; it says nothing to those who do not see it."""
    return {"name": name}


@register.inclusion_tag("read_targets/_chart.html")
def bar_chart(chart: Chart, title: str, unit: str = "") -> dict[str, Any]:
    """Draw a chart; its words are the title, the unit, and that a table with the same figures follows."""
    return {"chart": chart, "title": title, "unit": unit}
