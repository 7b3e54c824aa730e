"""What an agent that signed in by itself comes in with: an access token, which stands for its person's token."""

from __future__ import annotations

import hashlib
from urllib.parse import quote

from django.db.models import OuterRef, Subquery
from django.http import HttpRequest
from django.utils import timezone
from oauth2_provider.models import get_access_token_model

from ..models import AgentToken
from ..refusals import scope_missing
from ..tokens import token_of_key
from .issuing import ACCESS_PREFIX
from .resources import described_at, is_for, site_of
from .scopes import ACT, READ, SCOPE_OF_ALL


class OAuthSignIn:
    """How agents sign in by OAuth."""

    prefix = ACCESS_PREFIX

    def token_of(self, request: HttpRequest, secret: str) -> AgentToken | None:
        """Return the token that an access token stands for at this door, None where it does not hold; raises Refused.

        It may act where both the row and what the agent signed in for let it.
        """
        rows = AgentToken.objects.filter(
            user=OuterRef("user"), client=OuterRef("application__client_id"), revoked_at=None
        )
        digest = hashlib.sha256(secret.encode()).hexdigest()
        held = (
            get_access_token_model()
            ._default_manager.filter(token_checksum=digest, expires__gt=timezone.now())
            .values_list("scope", "resource", Subquery(rows.values("pk")[:1]))
            .first()
        )
        if held is None:
            return None
        scope, resources, key = held
        if key is None or not is_for(resources, site_of(request) + quote(request.path)):
            return None
        token = token_of_key(key)
        if token is None:
            return None
        scopes = scope.split()
        if READ not in scopes:
            raise scope_missing()
        token.may_act = token.may_act and ACT in scopes
        return token

    def asked_for(self, request: HttpRequest) -> str:
        """Return where the resource tells of itself, and what to sign in for."""
        return f'resource_metadata="{described_at(request)}", scope="{SCOPE_OF_ALL}"'
