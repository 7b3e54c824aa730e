"""Who calls over HTTP: an agent by its token, or a person by their session.

With an `Authorization` header the session is ignored: a token that does not hold is 401, never a fall-through to
whoever happens to be signed in (design, section 4).
"""

from __future__ import annotations

from typing import Any

from rest_framework.authentication import BaseAuthentication, SessionAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from ..policies import Actor
from .models import AgentToken
from .tokens import token_of


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer <token>`."""

    def authenticate(self, request: Request) -> tuple[Any, AgentToken] | None:
        """Return the token's person and the token, or None where the request has no such header."""
        if "HTTP_AUTHORIZATION" not in request.META:
            return None
        header = get_authorization_header(request)
        scheme, _, secret = header.partition(b" ")
        token = token_of(secret.strip().decode("latin-1")) if scheme.lower() == b"bearer" else None
        if token is None:
            raise AuthenticationFailed("The token does not hold: unknown, expired or revoked.")
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        """What a 401 asks for."""
        return 'Bearer realm="agent"'


class PersonAuthentication(SessionAuthentication):
    """The person's own session, with CSRF; not even looked at where a token was sent."""


def actor_of(request: Request) -> Actor:
    """Return who is calling."""
    return Actor(request.user, request.auth if isinstance(request.auth, AgentToken) else None)
