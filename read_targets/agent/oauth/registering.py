"""What a client says of itself, when it registers (RFC 7591) or in the document that it publishes of itself.

Clients are public: none is given a secret. What they ask for beyond that is answered by what they get, as the rule
lets a server do; what cannot be given them at all is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib.auth.hashers import make_password
from django.db import IntegrityError, transaction
from django.utils import timezone
from oauth2_provider.generators import generate_client_id
from oauth2_provider.models import AbstractApplication, get_application_model

from ...cards.words import plain_words
from .redirects import MOST, is_permitted

LONGEST_NAME = 80
LONGEST_ADDRESSES = 4_000
"""Characters of all addresses of a client: anybody may have one kept."""

GRANTS = ("authorization_code", "refresh_token")

DOCUMENT_KEPT = timedelta(hours=1)
"""How long what a client published of itself is taken as it was read."""


class Unfit(Exception):
    """What a client said of itself cannot be taken: the error of RFC 7591, and what would fit."""

    def __init__(self, error: str, said: str) -> None:
        super().__init__(said)
        self.error = error
        self.said = said


@dataclass(frozen=True)
class Told:
    """What a client said of itself: what it calls itself, a stranger's words, and where it is answered."""

    name: str
    redirect_uris: tuple[str, ...]


def read_metadata(given: Mapping[str, Any]) -> Told:
    """Return what is kept of what a client said; raises Unfit."""
    uris = given.get("redirect_uris")
    if not isinstance(uris, list) or not 0 < len(uris) <= MOST or not all(isinstance(one, str) for one in uris):
        raise Unfit("invalid_redirect_uri", f"redirect_uris must be an array of 1 to {MOST} addresses.")
    if sum(map(len, uris)) > LONGEST_ADDRESSES:
        said = f"redirect_uris must have {LONGEST_ADDRESSES} characters at most, all together."
        raise Unfit("invalid_redirect_uri", said)
    if not all(map(is_permitted, uris)):
        said = "Each of redirect_uris must be https, or http at 127.0.0.1, [::1] or localhost, without a fragment."
        raise Unfit("invalid_redirect_uri", said)
    _includes(given, "grant_types", "authorization_code")
    _includes(given, "response_types", "code")
    name = given.get("client_name", "")
    if not isinstance(name, str):
        raise Unfit("invalid_client_metadata", "client_name must be a string.")
    return Told(plain_words(name, LONGEST_NAME), tuple(dict.fromkeys(uris)))


def register(given: Mapping[str, Any]) -> AbstractApplication:
    """Keep a client that registered itself, and return it; raises Unfit."""
    model = get_application_model()
    client = model(client_id=generate_client_id(), registration_source=model.RegistrationSource.DCR)
    return _kept(client, read_metadata(given))


def keep_document(client_id: str, document: Mapping[str, Any]) -> AbstractApplication:
    """Keep a client as the document at `client_id` tells it now, and return it; raises Unfit."""
    if document.get("client_id") != client_id:
        raise Unfit("invalid_client_metadata", "The document is not that of its address.")
    if "client_secret" in document or document.get("token_endpoint_auth_method", "none") != "none":
        raise Unfit("invalid_client_metadata", "The client is not a public one.")
    told = read_metadata(document)
    model = get_application_model()
    client = model._default_manager.filter(client_id=client_id).first()
    if client is None:
        client = model(client_id=client_id)
    elif client.registration_source != model.RegistrationSource.CIMD:
        raise Unfit("invalid_client_metadata", "Another client has that id.")
    client.registration_source = model.RegistrationSource.CIMD
    client.cimd_expires_at = timezone.now() + DOCUMENT_KEPT
    try:
        with transaction.atomic():
            return _kept(client, told)
    except IntegrityError:  # somebody else has kept the same document just now
        return model._default_manager.get(client_id=client_id)


def _kept(client: AbstractApplication, told: Told) -> AbstractApplication:
    client.name = told.name
    client.redirect_uris = " ".join(told.redirect_uris)
    client.client_type = client.CLIENT_PUBLIC
    client.authorization_grant_type = client.GRANT_AUTHORIZATION_CODE
    # No secret fits this one. The toolkit would make one up, and hash it for a tenth of a second.
    client.hash_client_secret = False
    client.client_secret = make_password(None)
    client.save()
    return client


def _includes(given: Mapping[str, Any], field: str, needed: str) -> None:
    values = given.get(field, [needed])
    if not isinstance(values, list) or needed not in values:
        raise Unfit("invalid_client_metadata", f"{field} must include {needed}.")
