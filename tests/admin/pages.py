"""Pages of the admin as a browser reads them: the fields of a form with what stands in them."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from django.http import HttpResponse

CHANGE = "/admin/read_targets/readtarget/{}/change/"
ADD = "/admin/read_targets/readtarget/add/"
LIST = "/admin/read_targets/readtarget/"


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.forms: list[dict[str, Any]] = []
        self._open: dict[str, Any] | None = None
        self._select: str | None = None
        self._area: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "form":
            self._open = {}
            self.forms.append({"action": given.get("action", ""), "id": given.get("id", ""), "fields": self._open})
        if self._open is None or "disabled" in given:
            return
        name = given.get("name") or ""
        if tag == "input" and name and given.get("type") not in ("submit", "button"):
            if given.get("type") in ("checkbox", "radio") and "checked" not in given:
                return
            self._open[name] = given.get("value") or ("on" if given.get("type") == "checkbox" else "")
        elif tag == "select":
            self._select = name
            self._open.setdefault(name, "")
        elif tag == "option" and self._select and "selected" in given:
            self._open[self._select] = given.get("value") or ""
        elif tag == "textarea":
            self._area = name
            self._open[name] = ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._open = None
        elif tag == "select":
            self._select = None
        elif tag == "textarea":
            self._area = None

    def handle_data(self, data: str) -> None:
        if self._area and self._open is not None:
            # The line break behind the opening tag is none of the text's.
            self._open[self._area] += (
                data.removeprefix("\r\n").removeprefix("\n") if not self._open[self._area] else data
            )


def fields_of(response: HttpResponse, form_id: str = "readtarget_form") -> dict[str, Any]:
    """Return the fields of the form with that id, with what stands in them, ready to be sent back."""
    parser = _Forms()
    parser.feed(response.content.decode())
    fields: dict[str, Any] = next(form["fields"] for form in parser.forms if form["id"] == form_id)
    # The empty row that the page's script copies is no row.
    return {name: value for name, value in fields.items() if "__prefix__" not in name}


def text_of_page(response: HttpResponse) -> str:
    """Return the page as text."""
    return response.content.decode()


def row_of(fields: dict[str, Any], prefix: str, name: str, value: str) -> str:
    """Return the prefix of the row whose field `name` says `value`: `criteria-3`."""
    for key, said in fields.items():
        if key.startswith(f"{prefix}-") and key.endswith(f"-{name}") and said == value:
            return key.removesuffix(f"-{name}")
    raise AssertionError(f"no row of {prefix} says {value!r}")


def new_row(fields: dict[str, Any], prefix: str, **said: str) -> dict[str, Any]:
    """Return the fields with one more row."""
    number = int(fields[f"{prefix}-TOTAL_FORMS"])
    row = {f"{prefix}-{number}-{name}": value for name, value in said.items()}
    return {**fields, **row, f"{prefix}-TOTAL_FORMS": str(number + 1)}
