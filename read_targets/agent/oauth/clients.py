"""The clients that agents sign in with: those that admins made, that registered themselves, that publish a document."""

from __future__ import annotations

import logging
from typing import Any
from urllib.parse import urlsplit

from django.utils import timezone
from django.utils.translation import gettext as _
from oauth2_provider.models import AbstractApplication, get_application_model

from ...cards.words import quoted_words
from ...conf import setting
from ..limits import check_rate
from .fetching import Unfetched, fetch, is_document_address
from .redirects import host_of
from .registering import Unfit, keep_document

logger = logging.getLogger(__name__)

DOCUMENTS_A_MINUTE = 10
"""Documents of clients that are read for one person."""

_MARKS = str.maketrans('"“”„«»', "''''''")


def stored_client(client_id: str) -> AbstractApplication | None:
    """Return the client of that id as it is stored, if it may sign in at all."""
    if not client_id.isprintable():  # PostgreSQL holds no text with a NUL in it, and is asked for none
        return None
    model = get_application_model()
    client = model._default_manager.filter(client_id=client_id).first()
    return client if client is not None and client.allows_grant_type(client.GRANT_AUTHORIZATION_CODE) else None


def known_client(person: Any, client_id: str) -> AbstractApplication | None:
    """Return the client of that id, its document read anew where that is due, for a signed-in person; or None.

    Nobody who is not signed in makes the site read anything. Raises Refused where too much was read for the person.
    """
    client = stored_client(client_id)
    if client is not None and client.registration_source != client.RegistrationSource.CIMD:
        return client
    if not setting("CLIENT_DOCUMENTS") or not is_document_address(client_id):
        return None
    if client is not None and client.cimd_expires_at is not None and client.cimd_expires_at > timezone.now():
        return client
    check_rate(f"documents:{person.pk}", DOCUMENTS_A_MINUTE, "Too many clients were looked up.")
    try:
        return keep_document(client_id, fetch(client_id))
    except (Unfetched, Unfit) as reason:
        logger.info("the document of a client could not be taken: %s", reason)
        return None


def name_of(client: AbstractApplication, redirect_uri: str) -> str:
    """Return what the client calls itself, a stranger's words made fit to be quoted; else where it is answered."""
    return quoted_words(client.name).translate(_MARKS) or host_of(redirect_uri)


def is_vouched_for(client: AbstractApplication) -> bool:
    """Whether somebody of this site made the client known."""
    return bool(client.registration_source == client.RegistrationSource.MANUAL)


def standing_of(client: AbstractApplication) -> str:
    """Return how the client came to be known, in the active language."""
    if is_vouched_for(client):
        return _("An administrator of this site has registered it.")
    if client.registration_source == client.RegistrationSource.CIMD:
        said = _("It describes itself at %(host)s. Nobody of this site has checked it.")
        return said % {"host": urlsplit(client.client_id).hostname}
    return _("It registered itself, and its name is its own claim. Nobody of this site has checked it.")
