"""What a page holds and shows: objects on its channels, and views in the order in which they were shown."""

from __future__ import annotations

from functools import cache
from typing import Any
from uuid import UUID

from django.db.models import Model

from read_targets.policies import Actor

from ..code import UnknownCode, code_of
from ..models import Channel, Page, PageView
from ..objects import find_object, told
from .effects import add_effect
from .models import Effect, PageSession


def write_channel(session: PageSession, channel: Channel, obj: Model | None, call: UUID | None = None) -> bool:
    """Put an object on a channel, or take it off, and return whether that changed anything.

    The caller holds the lock of the session's row. A change is a new version of the page, and the tab is told.
    """
    key = None if obj is None else str(obj.pk)
    if session.channels.get(channel.name) == key:
        return False
    others = {name: held for name, held in session.channels.items() if name != channel.name}
    session.channels = others if key is None else {**others, channel.name: key}
    _keep(session)
    add_effect(session, Effect.Kind.STATE, {}, call)
    return True


def show_view(session: PageSession, view: PageView, obj: Model | None, call: UUID | None = None) -> bool:
    """Show a view last of all, bound to an object, and return whether that changed anything.

    The caller holds the lock of the session's row. The tab brings the view before the person in any case. A view with a
    channel shows what that holds, whatever is bound here.
    """
    key = None if obj is None or view.channel else str(obj.pk)
    views = [one for one in session.views if one["name"] != view.name] + [{"name": view.name, "object": key}]
    is_changed = views != session.views
    if is_changed:
        session.views = views
        _keep(session)
    add_effect(session, Effect.Kind.STATE, {"show": view.name}, call)
    return is_changed


def _keep(session: PageSession) -> None:
    session.version += 1
    session.save(update_fields=["channels", "views", "version"])


def shown_views(session: PageSession, page: Page) -> list[tuple[PageView, str | None]]:
    """Return the views that the page shows, in order, each with the key of its object (None: it has none).

    Views that only their channel shows come first, in the order of the page; then those that commands showed.
    """
    views = {view.name: view for view in page.views.all()}
    by_command = {one["name"]: one["object"] for one in session.views if one["name"] in views}
    names = [name for name, view in views.items() if view.channel and name not in by_command] + list(by_command)
    shown: list[tuple[PageView, str | None]] = []
    for name in names:
        view = views[name]
        key = session.channels.get(view.channel) if view.channel else by_command[name]
        if key is not None or not view.channel:
            shown.append((view, key))
    return shown


def type_of(view: PageView, page: Page) -> str:
    """Return the type of the object that a view shows, as `app.model`; empty where it shows none."""
    if view.channel:
        return next((channel.type for channel in page.channels.all() if channel.name == view.channel), "")
    try:
        accepts = code_of("view", view.code).accepts
    except UnknownCode:
        return ""
    return accepts._meta.label_lower if accepts else ""


def state_of(session: PageSession, actor: Actor) -> dict[str, Any]:
    """Return what the page holds and shows, as the person may read it now.

    An object that the person may not read any more, or that is gone, is `{"withheld": True}`.
    """
    page = session.page

    @cache  # a view of a channel shows the channel's object
    def held(type_label: str, key: str | None) -> dict[str, Any] | None:
        if key is None:
            return None
        found = find_object(actor, type_label, key)
        return {"withheld": True} if found is None else dict(told(found))

    channels = {channel.name: held(channel.type, session.channels.get(channel.name)) for channel in page.channels.all()}
    views = [{"name": view.name, "object": held(type_of(view, page), key)} for view, key in shown_views(session, page)]
    return {"page": page.key, "version": session.version, "channels": channels, "views": views}
