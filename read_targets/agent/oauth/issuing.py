"""What codes and tokens are given out for, and to whom: the toolkit's rules, and those that are ours.

The toolkit's own settings may be looser for what else a site does with it; what is here does not depend on them. There
are codes with a proof by SHA-256 and refresh tokens that are good once; nothing else is given out. Tokens are kept as
digests alone. Each is given out only while the person's token for that client holds, whose row is locked meanwhile:
whoever revokes that waits, and then takes away what was given out.
"""

from __future__ import annotations

import hashlib
import secrets
import uuid
from functools import cache
from typing import Any

from oauth2_provider.models import get_grant_model, get_refresh_token_model
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauth2_provider.settings import oauth2_settings
from oauthlib.oauth2 import WebApplicationServer
from oauthlib.oauth2.rfc6749.errors import CustomOAuth2Error

from ..tokens import open_tokens
from .clients import stored_client
from .redirects import fits
from .resources import NotOurs, doors_left
from .scopes import READ, SCOPES

ACCESS_PREFIX = "rto_"
"""What access tokens begin with, so that a door knows them from those made by hand."""

REFRESH_PREFIX = "rtr_"
METHOD = "S256"


def holder_of(refresh_token: str) -> str:
    """Return whom a refresh token was given out for, as a name of the person and the client; empty for none."""
    digest = hashlib.sha256(refresh_token.encode(errors="replace")).hexdigest()
    given = get_refresh_token_model()._default_manager.filter(token_checksum=digest)
    return ":".join(map(str, given.values_list("user", "application").first() or ()))


class Validator(OAuth2Validator):
    """The rules by which codes and tokens are given out."""

    def _load_application(self, client_id: str, request: Any) -> Any:
        """Return the client as it is stored. The toolkit would read its document for whoever asks."""
        if request.client is None or request.client.client_id != client_id:
            request.client = stored_client(client_id) if client_id else None
        return request.client

    def validate_redirect_uri(self, client_id: str, redirect_uri: str, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Whether the client may be answered there."""
        return fits(redirect_uri, request.client.redirect_uris.split())

    def get_default_redirect_uri(self, client_id: str, request: Any, *args: Any, **kwargs: Any) -> str | None:
        """None: a request says where it is answered."""
        return None

    def validate_response_type(
        self, client_id: str, response_type: str, client: Any, request: Any, *args: Any, **kwargs: Any
    ) -> bool:
        """Only a code is given out."""
        return response_type == "code"

    def is_pkce_required(self, client_id: str, request: Any) -> bool:
        """Always."""
        return True

    def validate_scopes(
        self, client_id: str, scopes: Any, client: Any, request: Any, *args: Any, **kwargs: Any
    ) -> bool:
        """Whether each scope is one of ours."""
        return set(scopes) <= set(SCOPES)

    def get_default_scopes(self, client_id: str, request: Any, *args: Any, **kwargs: Any) -> list[str]:
        """To read, where nothing is said."""
        return [READ]

    def validate_code(self, client_id: str, code: str, client: Any, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Whether the code is this client's, still good, one that we gave out, and its person's token holds."""
        codes = get_grant_model()._default_manager.select_for_update(of=("self",)).select_related("user")
        given = codes.filter(code=code, application=client).first()
        if given is not None and given.nonce:
            get_refresh_token_model().revoke_family(uuid.UUID(given.nonce))
            return False
        if given is None or given.code_challenge_method != METHOD or not given.resource:
            return False
        if not _is_held(given.user, client):
            return False
        return bool(super().validate_code(client_id, code, client, request, *args, **kwargs))

    def invalidate_authorization_code(self, client_id: str, code: str, request: Any, *args: Any, **kwargs: Any) -> None:
        """Let the code be good no more, and remember what came of it: whoever brings it again ends that."""
        codes = get_grant_model()._default_manager.filter(code=code, application=request.client)
        codes.update(nonce=str(request.family))

    def _create_refresh_token(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        made = super()._create_refresh_token(request, *args, **kwargs)
        request.family = made.token_family
        return made

    def validate_refresh_token(self, refresh_token: str, client: Any, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Whether the token is this client's and was never used; one that was ends all that came of it."""
        model = get_refresh_token_model()
        digest = hashlib.sha256(refresh_token.encode()).hexdigest()
        rows = model._default_manager.select_for_update(of=("self",)).select_related("user")
        given = rows.filter(token_checksum=digest, application=client).first()
        if given is None or not refresh_token.startswith(REFRESH_PREFIX) or not given.resource:
            return False
        if given.revoked is not None:
            model.revoke_family(given.token_family)
            return False
        if not _is_held(given.user, client):
            return False
        return bool(super().validate_refresh_token(refresh_token, client, request, *args, **kwargs))

    def rotate_refresh_token(self, request: Any) -> bool:
        """Always."""
        return True

    def _set_token_value(self, token_instance: Any, raw_token: str) -> None:
        """Keep the digest alone, which the toolkit makes of the raw token as it saves the row."""
        token_instance._raw_token = raw_token
        token_instance.token = ""

    def _check_and_set_request_resource(self, request: Any) -> None:
        """Let a token be for what its code or its predecessor is for, or for a part of that."""
        asked = [value for name, value in request.decoded_body or () if name == "resource"]
        held = self._held(request)
        try:
            request.resource = doors_left(asked, held)
        except NotOurs:
            said = "The token may be only for what the person agreed to."
            raise CustomOAuth2Error(error="invalid_target", description=said, request=request) from None

    def _held(self, request: Any) -> list[str]:
        if request.grant_type == "refresh_token":
            return list(request.refresh_token_instance.resource)
        codes = get_grant_model()._default_manager.filter(code=request.code, application=request.client)
        return list(codes.values_list("resource", flat=True).get())


def _is_held(user: Any, client: Any) -> bool:
    """Whether the person is active and their token for the client open, which it stays until this is written."""
    tokens = open_tokens(user).filter(client=client.client_id).select_for_update()
    return user.is_active and tokens.first() is not None


@cache
def server() -> WebApplicationServer:
    """Return what answers requests for codes and tokens: it knows of no other grant."""
    return WebApplicationServer(
        Validator(),
        token_generator=lambda request, refresh_token=False: ACCESS_PREFIX + secrets.token_urlsafe(32),
        refresh_token_generator=lambda request, refresh_token=False: REFRESH_PREFIX + secrets.token_urlsafe(32),
        token_expires_in=lambda request: oauth2_settings.ACCESS_TOKEN_EXPIRE_SECONDS,
    )
