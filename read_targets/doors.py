"""Which targets a person may query: the right on the target, and the list's own door."""

from __future__ import annotations

from django.db.models import Prefetch, QuerySet

from .agent.models import doors_of
from .declaration.soundness import is_sound
from .lists import UnknownList, get_list
from .models import Criterion, ReadTarget
from .policies import QUERY, Actor, access_of, open_doors


class _Remembered:
    """What this process knows of the declarations, and the mark under which it read them."""

    known: tuple[object, tuple[ReadTarget, ...]] = (None, ())


def declared() -> QuerySet[ReadTarget]:
    """Return the targets with everything that is declared of them, in a fixed number of statements."""
    criteria = Criterion.objects.prefetch_related("filters")
    return ReadTarget.objects.prefetch_related("columns", "goals", Prefetch("criteria", criteria), "screen_parameters")


def current(actor: Actor) -> tuple[ReadTarget, ...]:
    """Return every target as it is declared now, read again only where something was declared since.

    They are shared by every call of the process: nobody may change them.
    """
    mark = doors_of(actor).declared
    if mark is None:
        return tuple(declared())
    known = _Remembered.known
    if known[0] != mark:
        # In one step, or two threads could leave one's targets under the other's mark.
        known = _Remembered.known = mark, tuple(declared())
    return known[1]


def door_of(target: ReadTarget) -> str:
    """Return the right that opens the target's list (`app.codename`), empty where its list is gone."""
    if target.is_foreign:
        return target.door_permission
    try:
        return get_list(target.list_query).view_permission
    except UnknownList:
        return ""


def queryable(actor: Actor, tool_name: str = "") -> list[ReadTarget]:
    """Return the sound, enabled targets that the person may query and whose list's door is open to them.

    With `tool_name`, only the target whose tool it is. Rights, and whether a target is enabled, are asked every time.
    """
    named = [
        target
        for target in current(actor)
        if not tool_name or tool_name in (target.query_tool_name, target.screen_tool_name)
    ]
    if not named:
        return []
    held = access_of(actor).keys(QUERY, _enabled)
    doors = {target.pk: door_of(target) for target in named if target.pk in held}
    opened = open_doors(actor, {door for door in doors.values() if door})
    return [target for target in named if doors.get(target.pk) in opened and is_sound(target)]


def _enabled() -> QuerySet[ReadTarget]:
    return ReadTarget._base_manager.filter(enabled=True)
