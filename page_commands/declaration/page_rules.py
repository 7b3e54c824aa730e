"""The rules for a page itself: its key, the types of its channels, and the code of its views."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from ..code import registered_code
from ..models import Channel, Page, PageView
from ..objects import model_of
from .declared import found_code
from .object_rules import type_labels
from .problem import Problem, Row, listed, there_are

KEY = re.compile(r"[a-z0-9-]+\.[a-z0-9-]+")


def of_key(page: Page) -> Iterator[Problem]:
    """What is wrong with the key that templates name the page by."""
    if not KEY.fullmatch(page.key):
        hint = _("A key is <app>.<page>, in small letters, digits and hyphens, like factory.start.")
        yield Problem("key", _("“%(key)s” is no key.") % {"key": page.key}, hint)


def of_channels(channels: Sequence[Channel]) -> Iterator[Problem]:
    """What is wrong with the channels."""
    names = Counter(channel.name for channel in channels)
    for number, channel in enumerate(channels):
        row = Row("channels", number, channel.name)
        yield from _of_name(row, names)
        if model_of(channel.type) is None:
            message = _("The site has no model “%(name)s”.") % {"name": channel.type}
            yield row.problem("type", message, there_are(type_labels(), channel.type))


def of_views(views: Sequence[PageView], channels: Sequence[Channel]) -> Iterator[Problem]:
    """What is wrong with the views."""
    names = Counter(view.name for view in views)
    for number, view in enumerate(views):
        row = Row("views", number, view.name)
        yield from _of_name(row, names)
        code = found_code("view", view.code)
        if code is None:
            message = _("The application has no view “%(name)s”.") % {"name": view.code}
            yield row.problem("code", message, there_are((one.name for one in registered_code("view")), view.code))
        if view.channel:
            yield from _of_view_channel(row, view, channels)


def _of_view_channel(row: Row, view: PageView, channels: Sequence[Channel]) -> Iterator[Problem]:
    channel = next((one for one in channels if one.name == view.channel), None)
    said = {"name": view.channel}
    if channel is None:
        names = [one.name for one in channels]
        yield row.problem("channel", _("The page has no channel “%(name)s”.") % said, there_are(names, view.channel))
        return
    code, model = found_code("view", view.code), model_of(channel.type)
    if code is None or code.accepts is None or model is None or issubclass(model, code.accepts):
        return
    accepts = code.accepts._meta.label_lower
    fitting = [one.name for one in channels if (held := model_of(one.type)) and issubclass(held, code.accepts)]
    message = _("The view shows %(accepts)s, and the channel “%(name)s” holds %(held)s.")
    hint = _("Choose one of %(names)s.") % {"names": listed(fitting)} if fitting else _("Leave it empty.")
    yield row.problem("channel", message % {**said, "accepts": accepts, "held": channel.type}, hint)


def _of_name(row: Row, names: Counter[str]) -> Iterator[Problem]:
    if names[row.name] > 1:
        hint = _("Each needs a name of its own.")
        yield row.problem("name", _("The name “%(name)s” is used twice.") % {"name": row.name}, hint)
