"""The text twin of an answer: what a model needs of it, in fewer bytes than its JSON.

Every line is ours but for the values in it. A value that somebody else wrote stays on its line: with anything in it
that could end a cell or a line, or that is not seen, it stands in quotes, escaped as JSON escapes. Lines of a table
begin with `|`, so that no value can pass for a line of ours.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import orjson

WITHHELD = "withheld"

_WORDS = frozenset({"null", "true", "false", WITHHELD})
_PLAIN = re.compile(r"[^\s|\"\\](?:[^|\"\\\n\r]*[^\s|\"\\])?")
_JOINERS = frozenset("\u200c\u200d")
_FIGURES = ("sum", "average", "min", "max", "count")


def text_twin(answer: Mapping[str, Any], site: str = "", ask_again: str = "") -> str:
    """Return the answer, an envelope as JSON values, as text.

    `site` is the scheme and host that make an address of ours absolute; `ask_again` names the tool by which a call that
    waits is asked for again.
    """
    return "\n".join(_lines(answer, site, ask_again))


def shown(value: Any) -> str:
    """Return a value as it may stand anywhere in a line."""
    if isinstance(value, str):
        is_plain = _PLAIN.fullmatch(value) and value not in _WORDS and not any(map(_is_unseen, value))
        return value if is_plain else quoted(value)
    if value is None or isinstance(value, (bool, int, float)):
        return json.dumps(value)
    return "".join(_escaped(letter) for letter in orjson.dumps(value, default=str).decode())


def quoted(text: str) -> str:
    """Return somebody's words in quotes, on one line, with nothing in them that is not seen."""
    return "".join(_escaped(letter) for letter in json.dumps(text, ensure_ascii=False))


def _lines(answer: Mapping[str, Any], site: str, ask_again: str) -> Iterator[str]:
    code = f" {answer['code']}" if answer.get("code") else ""
    yield f"{answer['outcome']}{code}: {answer['message']}"
    if answer["outcome"] in ("NOT_READY", "INTERNAL"):
        yield f"callId: {answer['callId']}"
    yield from _refusal(answer)
    yield from _coverage(answer)
    yield from _figures(answer)
    yield from _rows(answer)
    yield from _page(answer)
    yield from _next(answer, site, ask_again)


def _refusal(answer: Mapping[str, Any]) -> Iterator[str]:
    for name, facts in answer.get("params", {}).items():
        told = facts if isinstance(facts, Mapping) else {"is": facts}
        yield f"| {shown(name)}: " + "; ".join(f"{key} {_listed(value)}" for key, value in told.items())
    if answer.get("reasons"):
        language = answer.get("language", "")
        yield f"reasons{f' ({language})' if language else ''}: " + " ".join(map(quoted, answer["reasons"]))
    for page in answer.get("pages", []):
        yield f"| {_pairs(page)}"
    if "executed" in answer:
        yield f"executed: {shown(answer['executed'])}"


def _coverage(answer: Mapping[str, Any]) -> Iterator[str]:
    coverage = answer.get("coverage")
    if coverage is None:
        return
    asked, analysed = coverage["requestedRows"], coverage["analysedRows"]
    of = "" if asked == analysed else f" of {'unknown' if asked is None else asked}"
    whole = "" if coverage["isComplete"] else "; isComplete: false"
    missing = f"; missing: {', '.join(map(shown, coverage['omissions']))}" if coverage.get("omissions") else ""
    yield f"rows: {analysed}{of}{whole}{missing}"
    bounds = answer["scope"].get("timeRange")
    if bounds:
        yield f"time: {bounds['start'] or '…'} to before {bounds['end'] or '…'} ({answer['scope']['timeZone']})"


def _figures(answer: Mapping[str, Any]) -> Iterator[str]:
    summary, units = answer.get("summary"), answer.get("units", {})
    if summary is None:
        return
    for name, metric in summary["metrics"].items():
        figures = ", ".join(
            f"{figure} {shown(metric[figure])}" for figure in _FIGURES if metric.get(figure) is not None
        )
        yield f"{_with_unit(name, units)}: {figures or 'nothing'} (averageBasis {metric['averageBasis']})"
    if "groupBy" not in summary or summary["groupBy"] is None:
        return
    groups, rest = summary.get("groups", []), summary.get("rest")
    names = list(summary["metrics"])
    yield f"groups by {summary['groupBy']}:"
    yield _row([summary["groupBy"], "rows", *(f"sum {_with_unit(name, units)}" for name in names)])
    for group in groups:
        key = WITHHELD if group.get("withheld") else shown(group["key"])
        yield _row([key, str(group["rowCount"]), *_sums(group, names)])
    if rest:
        yield f"rest, {rest['groupCount']} groups:"
        yield _row(["", str(rest["rowCount"]), *_sums(rest, names)])


def _rows(answer: Mapping[str, Any]) -> Iterator[str]:
    units = answer.get("units", {})
    if answer.get("record"):
        yield f"record: {_pairs(answer['record'], units)}"
    sample = answer.get("sampleRows")
    if sample and sample["items"]:
        items = sample["items"]
        names = list(dict.fromkeys(name for item in items for name in item if name != WITHHELD))
        yield f"{sample['returned']} rows of {sample['totalAnalysed']}:"
        yield _row(_with_unit(name, units) for name in names)
        for item in items:
            yield _row(_cell(item, name) for name in names)
    if answer.get("goals"):
        yield f"goals: {shown(answer['goals'])}"


def _page(answer: Mapping[str, Any]) -> Iterator[str]:
    for name in ("command", "input", "state", "changed", "resultingState", "delivery"):
        if name in answer and answer[name] not in ("", {}):
            yield f"{name}: {shown(answer[name])}"


def _next(answer: Mapping[str, Any], site: str, ask_again: str) -> Iterator[str]:
    card = answer.get("card")
    if card:
        link = f"{site}{card['url']}"
        kind = f"{card['kind']} {shown(card['workspace']['name'])}" if "workspace" in card else card["kind"]
        yield f"card ({kind}): {quoted(card['label'])} {link}"
        if card.get("notApplied"):
            yield f"not applied by the screen: {', '.join(map(shown, card['notApplied']))}"
    action = answer.get("nextAction")
    if action and action["type"] != "NONE":
        told = [f"{name} {_listed(value)}" for name, value in action.items() if name != "type" and value]
        yield f"next: {action['type']}{': ' if told else ''}{'; '.join(told)}"
    if answer["outcome"] == "NOT_READY" and ask_again:
        yield f"Ask for the answer with {ask_again}."


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)}"


def _sums(group: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    return [shown(group["metrics"].get(name, {}).get("sum")) for name in names]


def _cell(item: Mapping[str, Any], name: str) -> str:
    return WITHHELD if name in item.get(WITHHELD, ()) else shown(item.get(name))


def _pairs(values: Mapping[str, Any], units: Mapping[str, str] | None = None) -> str:
    names = [name for name in values if name != WITHHELD]
    return " | ".join(f"{_with_unit(name, units or {})}: {_cell(values, name)}" for name in names)


def _with_unit(name: str, units: Mapping[str, str]) -> str:
    return f"{name} {units[name]}" if name in units else name


def _listed(value: Any) -> str:
    return ", ".join(map(shown, value)) if isinstance(value, list) else shown(value)


def _escaped(letter: str) -> str:
    return "".join(f"\\u{unit:04x}" for unit in _units(letter)) if _is_unseen(letter) else letter


def _is_unseen(letter: str) -> bool:
    """Whether a letter ends a line, turns the direction of others, or is not seen at all."""
    return unicodedata.category(letter) in ("Cc", "Cf", "Zl", "Zp", "Cs", "Cn") and letter not in _JOINERS


def _units(letter: str) -> Iterator[int]:
    raw = letter.encode("utf-16-be", "surrogatepass")
    return (int.from_bytes(raw[at : at + 2], "big") for at in range(0, len(raw), 2))
