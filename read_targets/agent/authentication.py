"""Who calls over HTTP: an agent by its token, or a person by their session.

With an `Authorization` header the session is ignored: a token that does not hold is 401, never a fall-through to
whoever happens to be signed in (design, section 4).

A token was made by hand (`tokens`), or it is what an agent signed in with by itself; that kind is registered here by
the extra `oauth`, of which nothing is known otherwise.
"""

from __future__ import annotations

from typing import Any, Protocol

from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from ..policies import Actor
from .codes import Code
from .models import AgentToken
from .tokens import token_of

REALM = 'realm="agent"'


class SignIn(Protocol):
    """How agents sign in by themselves."""

    prefix: str
    """What their credentials begin with."""

    def token_of(self, request: HttpRequest, secret: str) -> AgentToken | None:
        """Return the token that a credential stands for at the address of `request`, None where it does not hold.

        The token may say less than its row: nothing of it is saved. Raises Refused (`scope_missing`) where the
        credential was given for less than any call takes.
        """

    def asked_for(self, request: HttpRequest) -> str:
        """Return what a challenge adds, so that an agent finds out where to sign in, and for what."""


_sign_in: SignIn | None = None


def register_sign_in(sign_in: SignIn) -> None:
    """Let agents sign in by themselves; raises ImproperlyConfigured where they do so in another way already."""
    global _sign_in
    if _sign_in is not None and type(_sign_in) is not type(sign_in):
        raise ImproperlyConfigured(f"Agents sign in by {type(_sign_in).__name__} already.")
    _sign_in = sign_in


def token_in(request: HttpRequest) -> AgentToken | None:
    """Return the token that the header `Authorization` brings, None where it does not hold; raises Refused."""
    scheme, _, rest = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    secret = rest.strip()
    if scheme.lower() != "bearer":
        return None
    if _sign_in is not None and secret.startswith(_sign_in.prefix):
        return _sign_in.token_of(request, secret)
    return token_of(secret)


def challenge(request: HttpRequest, error: str = "") -> str:
    """Return what `WWW-Authenticate` says: what is wrong (RFC 6750), and where agents sign in (RFC 9728)."""
    parts = [REALM]
    if error:
        parts.append(f'error="{error}"')
    if _sign_in is not None:
        parts.append(_sign_in.asked_for(request))
    return f"Bearer {', '.join(parts)}"


def lacks_scope(code: str, request: Request) -> bool:
    """Whether the code of a refusal says that an agent did not sign in for what it asked for."""
    if code == Code.TOKEN_MAY_NOT_ACT:
        token = actor_of(request).token
        return token is not None and token.client != ""
    return code == Code.SCOPE_MISSING


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer <token>`."""

    def authenticate(self, request: Request) -> tuple[Any, AgentToken] | None:
        """Return the token's person and the token, or None where the request has no such header."""
        if "HTTP_AUTHORIZATION" not in request.META:
            return None
        token = token_in(request._request)
        if token is None:
            raise AuthenticationFailed("The token does not hold: unknown, expired or revoked.")
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        """What a 401 asks for."""
        return challenge(request._request, "invalid_token" if "HTTP_AUTHORIZATION" in request.META else "")


class PersonAuthentication(SessionAuthentication):
    """The person's own session, with CSRF; not even looked at where a token was sent."""


def actor_of(request: Request) -> Actor:
    """Return who is calling: one for the whole request, so that what it looked up is not looked up again."""
    token = request.auth if isinstance(request.auth, AgentToken) else None
    actor: Actor = request.__dict__.setdefault("_actor", Actor(request.user, token))
    return actor
