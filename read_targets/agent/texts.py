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
_ON_BASIS = {"rows": "average", "weights": "weightedAverage", "ratio": "ratio"}


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
    behind = answer.get("provenance", {}).get("behindMs", 0)
    old = f"; up to {behind / 1_000:.1f} s old" if behind else ""
    yield f"rows: {analysed}{of}{whole}{missing}{old}"
    bounds = answer["scope"].get("timeRange")
    if bounds:
        yield f"time: {bounds['start'] or '…'} to before {bounds['end'] or '…'} ({answer['scope']['timeZone']})"


def _figures(answer: Mapping[str, Any]) -> Iterator[str]:
    summary, units = answer.get("summary"), answer.get("units", {})
    if summary is None:
        return
    for name, metric in summary["metrics"].items():
        yield f"{_with_unit(name, units)}: {_metric(metric)}"
    for goal in answer.get("goals", []):
        yield f"goal for {goal['metric']}: {_goal(goal)}"
    if "groupBy" not in summary or summary["groupBy"] is None:
        return
    groups, rest = summary.get("groups", []), summary.get("rest")
    cells = list(_group_cells(summary["metrics"]))
    yield f"groups by {summary['groupBy']}:"
    yield _row([summary["groupBy"], "rows", *(f"{figure} {_with_unit(name, units)}" for name, figure in cells)])
    for group in groups:
        key = WITHHELD if group.get("withheld") else shown(group["key"])
        yield _row([key, str(group["rowCount"]), *_group_figures(group, cells)])
    if rest:
        yield f"rest, {rest['groupCount']} groups:"
        yield _row(["", str(rest["rowCount"]), *_group_figures(rest, cells)])


def _metric(metric: Mapping[str, Any]) -> str:
    """A column's figures, the average on its basis with what that stands on first."""
    basis = metric["averageBasis"]
    figures = [f"{name} {shown(metric[name])}" for name in _FIGURES if metric.get(name) is not None]
    if basis == "rows":
        return f"{', '.join(figures) or 'nothing'} (averageBasis rows)"
    if basis == "weights":
        # A mean of the values would be taken for the average, which is weighted.
        figures = [one for one in figures if not one.startswith("average")]
        made = f"by {metric['weightField']}, weightTotal {shown(metric['weightTotal'])}"
        missing = f"{metric['missingWeightCount']} values without a weight" if metric["missingWeightCount"] else ""
    else:
        top, bottom = shown(metric["numeratorTotal"]), shown(metric["denominatorTotal"])
        made = f"of {metric['numeratorField']} {top} to {metric['denominatorField']} {bottom}"
        missing = f"{metric['missingPartCount']} rows without a part" if metric["missingPartCount"] else ""
    figure = _ON_BASIS[basis]
    told = "; ".join(filter(None, (f"averageBasis {basis} {made}", missing)))
    return "; ".join(filter(None, (f"{figure} {shown(metric[figure])} ({told})", ", ".join(figures))))


def _goal(goal: Mapping[str, Any]) -> str:
    met = {True: "met", False: "not met", None: "unknown whether met"}[goal["isMet"]]
    told = [f"{goal['figure']} {shown(goal['actual'])}", f"target {shown(goal['target'])}", goal["direction"]]
    told += [f"delta {shown(goal['delta'])}", met]
    told += [f"{name} {quoted(goal[name])}" for name in ("source", "label") if goal.get(name)]
    return ", ".join(told)


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


def _group_cells(metrics: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What the table of the groups tells: of each column the sum, where it has values, and the average on its basis."""
    for name, metric in metrics.items():
        if "sum" in metric:
            yield name, "sum"
        yield name, _ON_BASIS[metric["averageBasis"]]


def _group_figures(group: Mapping[str, Any], cells: Sequence[tuple[str, str]]) -> list[str]:
    return [shown(group["metrics"].get(name, {}).get(figure)) for name, figure in cells]


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
