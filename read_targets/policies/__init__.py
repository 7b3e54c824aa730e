"""Rights: *may X do this to Z*, and *which Zs*, answered by one rule so that the two agree.

A right is held everywhere (a superuser's, or one granted on the model) or on single objects (django-guardian's grants
to the person or to a group). An inactive or anonymous person holds none. guardian's own shortcuts disagree with each
other on inactive people and model-level grants, so nothing outside this module asks them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import Permission
from django.db.models import Exists, Model, Q, QuerySet

from ..lists import ListDefinition, registered_lists
from .held import groups_of
from .shapes import Granted, arms_of, by_name, keys_statement

if TYPE_CHECKING:
    from ..agent.models import AgentToken

QUERY = "read_targets.query_readtarget"
GRANT = "read_targets.grant_readtarget"
PREVIEW = "read_targets.preview_as_person"


@dataclass(frozen=True)
class Actor:
    """Who is calling: the person, and the token of the agent that calls for them (None: the person's own session).

    `memo` keeps what was looked up for this one call.
    """

    user: Any
    token: AgentToken | None = None
    memo: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def agent(self) -> str:
        """The agent's name, empty for the person's own call."""
        return self.token.name if self.token else ""


def is_someone(user: Any) -> bool:
    """Whether `user` is a person who may hold any right at all: signed in and active."""
    return bool(user is not None and user.is_authenticated and user.is_active)


def holds_everywhere(person: Any, permission: str) -> bool:
    """Whether the person (a user or an Actor) holds `permission` (`app.codename`) on every object of its model."""
    return access_of(person).holds_everywhere(permission)


def permitted(person: Any, permission: str, queryset: QuerySet[Any]) -> QuerySet[Any]:
    """Return the objects of `queryset` on which the person (a user or an Actor) holds `permission`."""
    return access_of(person).permitted(permission, queryset)


def permits(person: Any, permission: str, obj: Model) -> bool:
    """Whether the person holds `permission` on `obj`."""
    return permitted(person, permission, type(obj)._base_manager.filter(pk=obj.pk)).exists()


def open_doors(person: Any, permissions: Iterable[str]) -> frozenset[str]:
    """Return those of `permissions` that the person (a user or an Actor) holds everywhere or on one object at least.

    Costs one statement however many permissions are asked about.
    """
    return access_of(person).open_doors(permissions)


@dataclass
class RowAccess:
    """What one person may view, for the list engine; remembers what it looked up, so make one for each call."""

    actor: Actor
    _viewable: dict[type[Model], QuerySet[Any] | None] = field(default_factory=dict)
    _grants: dict[tuple[type[Model], int], Granted] = field(default_factory=dict)
    _everywhere: dict[str, bool] = field(default_factory=dict)

    def rows(self, queryset: QuerySet[Any], first: int = 0) -> QuerySet[Any]:
        """The rows of `queryset` that the person may view, to be read all, or only the `first` so many in an order."""
        held = self._held(view_permission(queryset.model), queryset.model)
        if isinstance(held, Granted):
            return held.among(queryset, first)
        return queryset if held else queryset.none()

    def viewable(self, model: type[Model]) -> QuerySet[Any] | None:
        """The objects of `model` that the person may view, or None where that is all of them."""
        if model not in self._viewable:
            everywhere = self.holds_everywhere(view_permission(model))
            self._viewable[model] = None if everywhere else self.rows(model._base_manager.all())
        return self._viewable[model]

    def shape(self, model: type[Model], first: int = 0) -> Hashable | None:
        """What decides which rows of `model` the person may view; a class that changes what these are tells none."""
        if type(self) is not RowAccess:
            return None
        held = self._held(view_permission(model), model)
        if isinstance(held, Granted):
            return held.shape(first) or "none"
        return "every" if held else "none"

    def has_door(self, definition: ListDefinition) -> bool:
        """Whether the person may open the list at all."""
        return definition.view_permission in self.open_doors([definition.view_permission])

    def open_doors(self, permissions: Iterable[str]) -> frozenset[str]:
        """Return those of `permissions` that the person holds everywhere or on one object at least."""
        if not is_someone(self.actor.user):
            return frozenset()
        asked = set(permissions)
        held = {permission for permission in asked if self.holds_everywhere(permission)}
        rights = rights_of(asked - held)
        models = {right.key: right.model for right in rights.values() if right.model is not None}
        if len(models) == 1:  # what a call asks; the grants that are counted here are those of its rows
            found = {key for key, model in models.items() if self._granted(model, key)}
        else:
            some = Q()
            for key, model in models.items():
                for arm in arms_of(self.actor.user.pk, self._groups, model, key):
                    some |= Q(pk=key) & Q(Exists(arm.grants))
            found = set(Permission.objects.filter(some).values_list("pk", flat=True)) if some else set()
        return frozenset(held | {permission for permission, right in rights.items() if right.key in found})

    def permitted(self, permission: str, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The objects of `queryset` on which the person holds `permission`."""
        held = self._held(permission, queryset.model)
        if isinstance(held, Granted):
            return held.by_key(queryset)
        return queryset if held else queryset.none()

    def keys(self, permission: str, objects: Callable[[], QuerySet[Any]]) -> frozenset[Any]:
        """The keys of those of `objects`, a function of a module, on which the person holds `permission`.

        For what is asked about on every call and is few, as declarations are: Django compiles the statement once.
        """
        if not is_someone(self.actor.user):
            return frozenset()
        if self.holds_everywhere(permission):
            found = keys_statement(objects, None, 0).rows()
        elif (right := right_of(permission)) is None:
            return frozenset()
        else:
            statement = keys_statement(objects, right, len(self._groups))
            found = statement.rows(user=self.actor.user.pk, **by_name(self._groups))
        return frozenset(key for (key,) in found)

    def holds_everywhere(self, permission: str) -> bool:
        """Whether the person holds `permission` on every object of its model."""
        if permission not in self._everywhere:
            user = self.actor.user
            if is_someone(user) and not user.is_superuser:
                self._groups  # noqa: B018  # once these are known, Django knows what the person holds
            self._everywhere[permission] = is_someone(user) and bool(user.has_perm(permission))
        return self._everywhere[permission]

    def _held(self, permission: str, model: type[Model]) -> bool | Granted:
        """Whether the person holds `permission` on every object of `model` or on none, or the single grants of it."""
        if not is_someone(self.actor.user):
            return False
        if self.holds_everywhere(permission):
            return True
        right = right_of(permission)
        return False if right is None else self._granted(model, right)

    def _granted(self, model: Any, right: int) -> Granted:
        if (model, right) not in self._grants:
            self._grants[model, right] = Granted(self.actor.user.pk, self._groups, model, right)
        return self._grants[model, right]

    @cached_property
    def _groups(self) -> list[Any]:
        return groups_of(self.actor.user)


def readable(person: Any, model: type[Model]) -> QuerySet[Any]:
    """Return the objects of `model` that the person (a user or an Actor) may read, one by one as well as in lists.

    Those they may view, within the application's own scope: where lists of the model are registered, what one of them
    holds for this person.
    """
    access = access_of(person)
    scopes = [one.queryset for one in registered_lists() if one.model is model]
    objects = model._base_manager.all()
    if scopes and None not in scopes:
        within = Q()
        for scope in filter(None, scopes):
            within |= Q(pk__in=scope(access.actor).order_by().values("pk"))
        objects = objects.filter(within)
    return access.rows(objects)


def shown_fields(model: type[Model]) -> frozenset[str]:
    """Return the own fields of `model` that the application shows in its registered lists, and so may be told.

    The others, a digest or a note of the house, are nobody's to read of an object, though they may view it.
    """
    lists = [one for one in registered_lists() if one.model is model]
    return frozenset(path for one in lists for path in one.shown or () if "." not in path)


@dataclass
class SharedAccess:
    """What two people may both view: for a preview, the person previewed as and the admin who looks."""

    person: RowAccess
    viewer: RowAccess

    @property
    def actor(self) -> Actor:
        """The person previewed as."""
        return self.person.actor

    def rows(self, queryset: QuerySet[Any], first: int = 0) -> QuerySet[Any]:
        """The rows that both may view."""
        return self.viewer.rows(self.person.rows(queryset, first), first)

    def viewable(self, model: type[Model]) -> QuerySet[Any] | None:
        """The objects that both may view, or None where that is all of them."""
        mine, theirs = self.viewer.viewable(model), self.person.viewable(model)
        if mine is None or theirs is None:
            return theirs if mine is None else mine
        return theirs.filter(pk__in=mine.values("pk"))

    def shape(self, model: type[Model], first: int = 0) -> None:
        """A preview is rare, and its statements are built anew."""

    def has_door(self, definition: ListDefinition) -> bool:
        """Whether both may open the list."""
        return self.person.has_door(definition) and self.viewer.has_door(definition)


@dataclass(frozen=True)
class Right:
    """A permission as it is stored: its key, and the model that it is about (None: one that is no longer there)."""

    key: int
    model: type[Model] | None


_rights: dict[str, Right] = {}


def rights_of(permissions: Iterable[str]) -> dict[str, Right]:
    """Return those of the permissions (`app.codename`) that there are; remembered by the process."""
    asked = set(permissions)
    wanted = Q()
    for permission in asked - set(_rights):
        app_label, _, codename = permission.partition(".")
        wanted |= Q(content_type__app_label=app_label, codename=codename)
    if wanted:
        for one in Permission.objects.filter(wanted).select_related("content_type"):
            name = f"{one.content_type.app_label}.{one.codename}"
            _rights.setdefault(name, Right(one.pk, one.content_type.model_class()))
    return {permission: _rights[permission] for permission in asked if permission in _rights}


def right_of(permission: str) -> int | None:
    """Return the key of a permission (`app.codename`), None where there is none; remembered by the process."""
    found = _rights.get(permission) or rights_of([permission]).get(permission)
    return found.key if found else None


def forget_rights(**kwargs: Any) -> None:
    """Forget the keys of permissions: one has gone, or all were made anew."""
    _rights.clear()


def view_permission(model: type[Model]) -> str:
    """The right to view an object of `model`, as Django names it."""
    return f"{model._meta.app_label}.view_{model._meta.model_name}"


def access_of(person: Any) -> RowAccess:
    """Return what a person (a user or an Actor) may view; for an Actor, the same for the whole call."""
    if not isinstance(person, Actor):
        return RowAccess(Actor(person))
    access: RowAccess = person.memo.setdefault("access", RowAccess(person))
    return access
