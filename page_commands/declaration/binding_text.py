"""The bindings of a step as an admin writes them: one a line, `argument = source value`.

::

    object = input
    title  = input name
    url    = parameter url
    tenant = channel tenant
    number = step 1.number
    note   = constant "hello"
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from difflib import get_close_matches

from django.utils.translation import gettext as _

from ..models import StepBinding
from .problem import listed

Source = StepBinding.Source

LINE = re.compile(r"(?P<argument>[A-Za-z]\w*)\s*=\s*(?P<source>\w+)(?:\s+(?P<value>.*))?", re.ASCII)

NEEDS_VALUE = (Source.PARAMETER, Source.CHANNEL, Source.STEP, Source.CONSTANT)


class Unwritten(ValueError):
    """Bindings that cannot be read; `faults` say each line with what would fit, in the active language."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__(" ".join(faults))
        self.faults = faults


def written(bindings: Iterable[StepBinding]) -> str:
    """Return bindings as they are written, one a line."""
    return "\n".join(
        f"{one.argument} = {one.source} {_worded(one)}".rstrip() if one.value else f"{one.argument} = {one.source}"
        for one in bindings
    )


def read_bindings(text: str) -> list[StepBinding]:
    """Return the bindings that a text says, not stored; raises Unwritten. What they lead to is judged elsewhere."""
    found, faults = [], []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            found.append(_read(line.strip()))
        except Unwritten as unwritten:
            faults += [_("Line %(number)d: %(fault)s") % {"number": number, "fault": one} for one in unwritten.faults]
    if faults:
        raise Unwritten(faults)
    return found


def _worded(binding: StepBinding) -> str:
    if binding.source == Source.CONSTANT:
        return json.dumps(binding.value, ensure_ascii=False)
    return binding.value


def _read(line: str) -> StepBinding:
    match = LINE.fullmatch(line)
    if match is None:
        raise Unwritten([_("“%(line)s” is no binding. Write it like: object = input") % {"line": line[:60]}])
    argument, source, value = match["argument"], match["source"].lower(), (match["value"] or "").strip()
    if source not in Source.values:
        raise Unwritten([_unknown_source(source)])
    if source in NEEDS_VALUE and not value:
        raise Unwritten([_missing_value(source)])
    if source == Source.CONSTANT:
        value = _constant(value)
    for text, field in ((argument, "argument"), (value, "value")):
        most = getattr(StepBinding._meta.get_field(field), "max_length", None) or 0
        if len(text) > most:
            raise Unwritten([_("“%(text)s…” has over %(most)d characters.") % {"text": text[:20], "most": most}])
    return StepBinding(argument=argument, source=source, value=value)


def _unknown_source(source: str) -> str:
    near = get_close_matches(source, Source.values, 1, 0.5)
    hint = _("Did you mean %(name)s?") % {"name": near[0]} if near else ""
    known = _("A value comes from %(names)s.") % {"names": listed(Source.values)}
    return " ".join(part for part in (_("“%(name)s” is no source.") % {"name": source[:40]}, hint, known) if part)


def _missing_value(source: str) -> str:
    return {
        Source.PARAMETER: _("Say which parameter: parameter name"),
        Source.CHANNEL: _("Say which channel: channel name"),
        Source.STEP: _("Say which step by its number, counted from 1: step 1, or step 1.name for a part of its result"),
        Source.CONSTANT: _('Say the value itself: constant "hello"'),
    }[Source(source)]


def _constant(value: str) -> str:
    if not value.startswith('"'):
        return value
    try:
        said = json.loads(value)
    except ValueError:
        hint = _('A value in quotation marks ends with one; a quotation mark within it is written \\".')
        raise Unwritten([hint]) from None
    return str(said)
