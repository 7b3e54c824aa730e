"""The rules for a list of another shape: its document, the paths of its rows and total, and the right that opens it."""

from __future__ import annotations

from collections.abc import Iterator

from django.contrib.auth.models import Permission
from django.utils.translation import gettext as _

from ..models import ReadTarget
from .document import VARIABLES, Document, NoSchema, document_of
from .problem import Problem, listed


def of_document(target: ReadTarget, *, in_database: bool) -> Iterator[Problem]:
    """What is wrong with the document and what is said of it; asks the database for the permission alone."""
    try:
        document = document_of(target.document)
    except NoSchema:
        hint = _("Set READ_TARGETS['SCHEMA'] or GRAPHENE['SCHEMA'] to the dotted path of one.")
        yield Problem("document", _("The site names no GraphQL schema."), hint)
        return
    hint = _("A list is read by one query with the variables %(names)s.") % {"names": _dollars(VARIABLES)}
    for fault in document.faults:
        yield Problem("document", fault, hint)
    if not document.faults:
        yield from _of_variables(target, document)
        yield from _of_root(target, document)
        yield from _of_rows(target, document)
        yield from _of_total(target, document)
    yield from _of_door(target, in_database)


def _dollars(names: tuple[str, ...]) -> str:
    return listed(f"${name}" for name in names)


def _of_variables(target: ReadTarget, document: Document) -> Iterator[Problem]:
    declared = document.variables
    hint = _("It can be given %(names)s.") % {"names": _dollars(VARIABLES)}
    strange = [name for name in declared if name not in VARIABLES]
    if strange:
        yield Problem("document", _("Nobody fills in %(names)s.") % {"names": _dollars(tuple(strange))}, hint)
    # Every target takes an id, which is a filter; without it, one record could not be asked for.
    needed = {"filters": True, "sortings": bool(target.order), "search": bool(target.search_hint)}
    for name in (name for name, is_needed in needed.items() if is_needed and name not in declared):
        message = _("It does not declare $%(name)s, through which it is asked.") % {"name": name}
        yield Problem("document", message, _("Declare $%(name)s and pass it on to the list.") % {"name": name})
    always = ("filters", "pagination", *(["sortings"] if target.order else []))
    for name in (name for name, is_demanded in declared.items() if is_demanded and name in VARIABLES):
        if name not in always:
            message = _("It demands $%(name)s, which is not always given.") % {"name": name}
            yield Problem("document", message, _("Declare it without the exclamation mark."))


def _of_root(target: ReadTarget, document: Document) -> Iterator[Problem]:
    roots = document.roots
    if len(roots) != 1:
        hint = _("A target reads one list.")
        yield Problem("document", _("It reads %(names)s.") % {"names": listed(roots)}, hint)


def _of_rows(target: ReadTarget, document: Document) -> Iterator[Problem]:
    rows = document.at(target.rows_path) if target.rows_path else None
    lists = document.lists()
    hint = _("It selects no list.")
    if lists:
        hint = _("Lists are at %(paths)s.") % {"paths": listed(lists, target.rows_path)}
    if rows is None:
        yield Problem("rows_path", _("The document selects nothing at “%(path)s”.") % {"path": target.rows_path}, hint)
    elif not rows.is_list:
        yield Problem("rows_path", _("At “%(path)s” there is no list.") % {"path": target.rows_path}, hint)
    elif document.at_row(target.rows_path, "id") is None:
        hint = _("Select id: by it rights are checked again when a stored result is opened.")
        yield Problem("document", _("The rows say no id."), hint)


def _of_total(target: ReadTarget, document: Document) -> Iterator[Problem]:
    if not target.total_path:
        return
    total = document.at(target.total_path)
    hint = _("Give the path of a whole number, or leave it empty for a list that does not say.")
    if total is None:
        message = _("The document selects nothing at “%(path)s”.")
    elif not total.is_integer:
        message = _("At “%(path)s” there is no whole number.")
    else:
        return
    yield Problem("total_path", message % {"path": target.total_path}, hint)


def _of_door(target: ReadTarget, in_database: bool) -> Iterator[Problem]:
    hint = _("Name the right to view these records, like ledger.view_account.")
    if not target.door_permission:
        message = _("A list of another shape names the permission that opens it.")
        yield Problem("door_permission", message, hint)
        return
    app_label, _dot, codename = target.door_permission.partition(".")
    known = _codenames(app_label) if in_database else [codename]
    if not codename or codename not in known:
        if in_database and known:
            names = listed((f"{app_label}.{one}" for one in known), target.door_permission)
            hint = _("There are %(names)s.") % {"names": names}
        message = _("There is no permission “%(name)s”.") % {"name": target.door_permission}
        yield Problem("door_permission", message, hint)


def _codenames(app_label: str) -> list[str]:
    return list(Permission.objects.filter(content_type__app_label=app_label).values_list("codename", flat=True))
