"""Tokens: made once, shown once, stored only as a digest (SHA-512 of a random secret, as knox does)."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from datetime import timedelta
from functools import cache
from typing import Any

from django.contrib.auth import get_user_model
from django.db import router
from django.db.models import Model, Q, QuerySet
from django.dispatch import Signal
from django.urls import NoReverseMatch, reverse
from django.utils import timezone

from ..conf import setting
from ..lists import writing
from ..lists.statement import Statement
from ..policies import Actor
from ..preferences import Preference
from .models import AgentToken, Toolset
from .refusals import agents_stopped

PREFIX = "rt_"
MOST_DAYS = 3_650
"""Days that a token may be good for; longer than any agent lives."""

token_revoked = Signal()
"""Sent with the `token` that was closed for good; what an agent signed in with goes with it."""

_USE_NOTED_EVERY = timedelta(minutes=1)


def digest_of(secret: str) -> str:
    """Return what is stored of a token."""
    return hashlib.sha512(secret.encode()).hexdigest()


def create_token(
    user: Any,
    name: str,
    *,
    days: int | None = None,
    toolsets: Iterable[Toolset] = (),
    may_act: bool = False,
) -> tuple[AgentToken, str]:
    """Make a token for one agent of `user` and return it with its secret, which is never seen again.

    It is good for `days` (default: the setting `TOKEN_DAYS`) and reaches `toolsets`; without any, all of the person's.
    """
    secret = PREFIX + secrets.token_urlsafe(32)
    chosen = list(toolsets)
    token = AgentToken.objects.create(
        user=user,
        name=name,
        digest=digest_of(secret),
        hint=secret[: len(PREFIX) + 5],
        expires_at=timezone.now() + timedelta(days=days if days is not None else setting("TOKEN_DAYS")),
        all_toolsets=not chosen,
        may_act=may_act,
    )
    token.toolsets.set(chosen)
    return token, secret


class NotMade(Exception):
    """A person's token was not made: they hold as many as they may, or one of that name (`name_is_taken`)."""

    def __init__(self, *, name_is_taken: bool) -> None:
        super().__init__()
        self.name_is_taken = name_is_taken


def create_own_token(
    user: Any, name: str, *, days: int, toolsets: Iterable[Toolset], may_act: bool
) -> tuple[AgentToken, str]:
    """Make a token as `create_token` does, where the person may hold one more and none of that name is open.

    So the form that was sent twice makes one token, and its secret is told once. Raises NotMade.
    """
    with writing():
        # Whoever sends two forms at once waits here with the second.
        get_user_model()._base_manager.select_for_update().get(pk=user.pk)
        names = open_tokens(user).values_list("name", flat=True)
        if name in names:
            raise NotMade(name_is_taken=True)
        if len(names) >= setting("MOST_TOKENS"):
            raise NotMade(name_is_taken=False)
        return create_token(user, name, days=days, toolsets=toolsets, may_act=may_act)


def open_tokens(user: Any) -> QuerySet[AgentToken]:
    """Return the person's tokens that open anything now, newest first."""
    lasting = Q(expires_at=None) | Q(expires_at__gt=timezone.now())
    return AgentToken.objects.filter(lasting, user=user, revoked_at=None)


def ended_tokens(user: Any) -> QuerySet[AgentToken]:
    """Return the person's tokens that open nothing any more, newest first."""
    return AgentToken.objects.filter(user=user).exclude(pk__in=open_tokens(user).values("pk"))


def who_gives_tokens() -> str:
    """Return where a token comes from, as part of an English sentence."""
    try:
        address = reverse("read_targets_desk:tokens")
    except NoReverseMatch:  # a site may do without the person's pages
        return "whoever runs this site gives one out."
    return f"the person makes one at {address}, signed in on this site."


def token_of(secret: str) -> AgentToken | None:
    """Return the valid token of an active person that `secret` belongs to, or None."""
    if not secret.startswith(PREFIX) or not secret.isascii():
        return None
    token = _found(_by("digest").rows(digest=digest_of(secret)))
    return token if token is not None and token.is_valid and token.user.is_active else None


@cache
def _by(name: str) -> Statement:
    """The statement that gives the token of a value of the field `name`, with its person and what that set."""

    def build(**which: Any) -> QuerySet[Any, Any]:
        tokens = AgentToken._base_manager.order_by().filter(**which)
        return tokens.values_list(*(f"{prefix}{name}" for prefix, _, names in _parts() for name in names))

    which: Any = AgentToken._meta.get_field(name)
    return Statement(build, **{name: which})


@cache
def _parts() -> tuple[tuple[str, type[Model], list[str]], ...]:
    """The records that a token is read with: how they are reached, and the names of their columns."""
    parts = (("", AgentToken), ("user__", get_user_model()), ("user__read_targets_preference__", Preference))
    return tuple((prefix, model, [one.attname for one in model._meta.concrete_fields]) for prefix, model in parts)


def _found(rows: list[tuple[Any, ...]]) -> AgentToken | None:
    """Return the token of the first row, with its person and what that set."""
    if not rows:
        return None
    using, values = router.db_for_read(AgentToken), list(rows[0])
    found: list[Any] = []
    for _, model, names in _parts():
        own, values = dict(zip(names, values, strict=False)), values[len(names) :]
        key = own[model._meta.pk.attname]
        found.append(None if key is None else model.from_db(using, names, list(own.values())))
    token: AgentToken = found[0]
    token.user, preference = found[1:]
    token.user._state.fields_cache["read_targets_preference"] = preference
    return token


def renewed(actor: Actor) -> Actor:
    """Return the same caller with the rights that they hold now: nothing that was looked up before is remembered.

    Raises Refused where their token no longer holds.
    """
    if actor.token is None:
        user = get_user_model()._base_manager.filter(pk=actor.user.pk).first()
        return Actor(user or actor.user)
    token = token_of_key(actor.token.pk)
    if token is None:
        raise agents_stopped()
    # What a call came with is never widened: an agent may have signed in for less than its token lets it.
    token.may_act = token.may_act and actor.token.may_act
    return Actor(token.user, token)


def token_of_key(key: int) -> AgentToken | None:
    """Return the valid token of an active person that has the key, or None."""
    token = _found(_by("id").rows(id=key))
    return token if token is not None and token.is_valid and token.user.is_active else None


def note_use(token: AgentToken) -> None:
    """Keep when the token was last used, to the minute."""
    now = timezone.now()
    if token.last_used_at is None or now - token.last_used_at > _USE_NOTED_EVERY:
        AgentToken.objects.filter(pk=token.pk).update(last_used_at=now)


def revoke(token: AgentToken) -> None:
    """Close the token for good."""
    if AgentToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
        token_revoked.send(AgentToken, token=token)
