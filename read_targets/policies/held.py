"""What a person holds everywhere, and their groups: what Django asks in two statements, and we in a third, in one.

The answer is given to Django's own back end where that keeps it, so `user.has_perm` stays the question that is asked,
and whatever other back ends a site has are asked as well.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import Group, Permission
from django.db.models import CharField, F, IntegerField, QuerySet, Value
from django.utils.module_loading import import_string

from ..lists.statement import Statement

_OWN, _BY_GROUP, _GROUP = 0, 1, 2
_KEPT_BY_DJANGO = {_OWN: "_user_perm_cache", _BY_GROUP: "_group_perm_cache"}


def groups_of(user: Any) -> list[Any]:
    """Return the keys of the person's groups; from then on Django knows what rights the person holds everywhere."""
    found = _held().rows(user=user.pk)
    if _is_djangos_own():
        for kind, name in _KEPT_BY_DJANGO.items():
            if not hasattr(user, name):
                setattr(user, name, {f"{app}.{codename}" for one, _, app, codename in found if one == kind})
    return [key for kind, key, _, _ in found if kind == _GROUP]


@cache
def _held() -> Statement:
    return Statement(_holdings, user=get_user_model()._meta.pk)


def _holdings(user: Any) -> QuerySet[Any, Any]:
    fields: Any = get_user_model()._meta.get_field
    own, through = fields("user_permissions"), fields("groups")
    nothing = Value("", output_field=CharField())
    groups = Group._base_manager.order_by().filter(**{through.related_query_name(): user})
    rights = Permission._base_manager.order_by()
    by_group = f"group__{through.related_query_name()}"
    named = (F("pk"), "content_type__app_label", "codename")
    return groups.values_list(Value(_GROUP, IntegerField()), F("pk"), nothing, nothing).union(
        rights.filter(**{own.related_query_name(): user}).values_list(Value(_OWN), *named),
        rights.filter(**{by_group: user}).values_list(Value(_BY_GROUP), *named),
        all=True,
    )


@cache
def _is_djangos_own() -> bool:
    """Whether Django's own back end asks for rights here in its own way."""
    ends = [end for end in map(import_string, settings.AUTHENTICATION_BACKENDS) if issubclass(end, ModelBackend)]
    ways = ("_get_permissions", "_get_user_permissions", "_get_group_permissions")
    return bool(ends) and all(getattr(end, way) is getattr(ModelBackend, way) for end in ends for way in ways)
