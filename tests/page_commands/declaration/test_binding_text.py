"""The bindings of a step as they are written: read back as they were, and refused with what would fit."""

from __future__ import annotations

import pytest

from page_commands.declaration.binding_text import Unwritten, read_bindings, written
from page_commands.models import StepBinding

Said = tuple[str, str, str]


def said(bindings: list[StepBinding]) -> list[Said]:
    """Bindings as plain values."""
    return [(one.argument, one.source, one.value) for one in bindings]


ROUND_TRIPS: list[Said] = [
    ("object", "input", ""),
    ("title", "input", "name"),
    ("title", "input", "project.tenant.name"),
    ("url", "parameter", "url"),
    ("tenant", "channel", "tenant"),
    ("number", "step", "1"),
    ("number", "step", "1.number"),
    ("note", "constant", "hello"),
    ("note", "constant", "  with blanks  "),
    ("note", "constant", 'a "quoted" word \\ and a backslash'),
    ("note", "constant", "two\nlines\tand a tab"),
    ("note", "constant", "한글 – ”"),
    ("note", "constant", '"'),
    ("note", "constant", "17"),
    ("note", "constant", "= input"),
]


@pytest.mark.parametrize("one", ROUND_TRIPS)
def test_what_is_written_reads_back(one: Said) -> None:
    argument, source, value = one
    text = written([StepBinding(argument=argument, source=source, value=value)])
    assert "\n" not in text
    assert said(read_bindings(text)) == [one]


def test_all_lines_read_back_in_their_order() -> None:
    bindings = [
        StepBinding(argument=f"a{number}", source=source, value=value)
        for number, (_a, source, value) in enumerate(ROUND_TRIPS)
    ]
    assert said(read_bindings(written(bindings))) == said(bindings)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("\n  \n", []),
        ("object=input", [("object", "input", "")]),
        ("  object  =  input  ", [("object", "input", "")]),
        ("object = INPUT", [("object", "input", "")]),
        ("note = constant plain words", [("note", "constant", "plain words")]),
        ("note = constant  17 ", [("note", "constant", "17")]),
        ("a = input\r\n\r\nb = parameter url", [("a", "input", ""), ("b", "parameter", "url")]),
    ],
)
def test_writing_is_easy_going(text: str, expected: list[Said]) -> None:
    assert said(read_bindings(text)) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("object", "Line 1: “object” is no binding. Write it like: object = input"),
        ("object <- input", "Line 1: “object <- input” is no binding."),
        ("1x = input", "is no binding"),
        ("object =", "is no binding"),
        ("object = inptu", "Line 1: “inptu” is no source. Did you mean input? A value comes from input, parameter"),
        ("object = zzz", "“zzz” is no source. A value comes from input, parameter, channel, step, constant."),
        ("a = input\nurl = parameter", "Line 2: Say which parameter: parameter name"),
        ("a = channel", "Say which channel: channel name"),
        ("a = step", "Say which step by its number"),
        ("a = constant", 'Say the value itself: constant "hello"'),
        ('a = constant "open', "A value in quotation marks ends with one"),
        ('a = constant "one" two', "A value in quotation marks ends with one"),
        ("a = constant " + "x" * 201, "has over 200 characters"),
        ("a" * 61 + " = input", "has over 60 characters"),
    ],
)
def test_what_cannot_be_read_says_what_would_fit(text: str, message: str) -> None:
    with pytest.raises(Unwritten) as raised:
        read_bindings(text)
    assert message in str(raised.value)


def test_every_line_that_is_wrong_is_said() -> None:
    with pytest.raises(Unwritten) as raised:
        read_bindings("a = nothing\nb = input\nc")
    assert [fault.partition(":")[0] for fault in raised.value.faults] == ["Line 1", "Line 3"]
