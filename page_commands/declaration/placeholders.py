"""The placeholders of a text for people: {object}, a field of it as {object.name}, and a parameter by its name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from django.db.models import Model
from django.utils.translation import gettext as _

from .kinds import brought_by, paths_of
from .problem import listed

BRACES = re.compile(r"\{([^{}]*)\}")
"""Whatever stands in braces: what is no placeholder there is one that was mistyped."""


def strange_placeholders(
    texts: Any, model: type[Model] | None, parameters: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Say each placeholder that nothing stands for, and what would fit; `model` is that of the command's object."""
    for name in dict.fromkeys(name for text in (texts or {}).values() for name in BRACES.findall(text)):
        root, _dot, path = name.partition(".")
        if root == "object" and model is not None:
            if brought_by(model, path) is None or name.endswith("."):
                label = model._meta.label_lower
                message = _("{%(name)s}: %(model)s has no such field.") % {"name": name, "model": label}
                yield message, _("It has %(names)s.") % {"names": listed(paths_of(model), path)}
        elif name not in parameters:
            real = ["{object}", "{object.field}"] if model is not None else []
            real += [f"{{{parameter}}}" for parameter in parameters]
            hint = _("There are %(names)s.") % {"names": listed(real)} if real else _("Leave it out: there is none.")
            yield _("Nothing stands for {%(name)s}.") % {"name": name}, hint
