"""What a client asks for, read the same when the person is shown it and when they have agreed to it.

It is the query of the address that the client sent the person's browser to. oauthlib reads it; beyond that an answer
goes into the query of the address alone, the proof is by SHA-256, and the token is for what is ours.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext as _
from oauth2_provider.models import AbstractApplication
from oauthlib.oauth2 import FatalClientError, OAuth2Error

from .clients import known_client, name_of
from .issuing import METHOD, server
from .redirects import answer_at
from .resources import NotOurs, doors_asked, site_of
from .scopes import ACT, READ

LONGEST = 8_000
"""Characters of a request."""

_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
_TAKEN = (*("response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method"),)
_UNTAKEN = ("request", "request_uri")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class Unanswerable(Exception):
    """A request that nobody is led back from: who asks, or where they are answered, does not hold. Says why."""


class Wrong(Exception):
    """A request that does not fit; whoever asked may be told, at `address`."""

    def __init__(self, asked: Asked, error: str, said: str) -> None:
        super().__init__(said)
        self.client = asked.client
        self.redirect_uri = asked.redirect_uri
        self.said = said
        self.address = asked.answered(error=error, error_description=said)


@dataclass(frozen=True)
class Asked:
    """A request of a client: who asks, where they are answered, what for."""

    query: str
    site: str
    client: AbstractApplication
    redirect_uri: str
    state: str
    scopes: tuple[str, ...] = (READ,)
    doors: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What the client calls itself: a stranger's words, fit to be quoted."""
        return name_of(self.client, self.redirect_uri)

    @property
    def may_ask_to_act(self) -> bool:
        """Whether it asks to act too."""
        return ACT in self.scopes

    def answered(self, **said: str) -> str:
        """Return the address at which the client gets this answer (RFC 6749, and its issuer by RFC 9207)."""
        state = {"state": self.state} if self.state else {}
        return answer_at(self.redirect_uri, **said, **state, iss=self.site)


def read_request(request: HttpRequest, query: str) -> Asked:
    """Return what is asked for in a query, of the signed-in person; raises Unanswerable, Wrong, or Refused."""
    given = QueryDict(query if len(query) <= LONGEST else "")
    if not given or any(_CONTROL.search(value) for _name, values in given.lists() for value in values):
        raise Unanswerable(_("The request of the agent cannot be read."))
    client = known_client(request.user, given.get("client_id", ""))
    if client is None:
        raise Unanswerable(
            _("No such agent is known here. Remove this site in the agent's application, and add it anew.")
        )
    try:
        scopes, facts = server().validate_authorization_request(_address(given))
    except FatalClientError:
        raise Unanswerable(_("The agent asks to be answered where it did not say it would be.")) from None
    except OAuth2Error as error:
        # Where it is answered was checked first, or the error would have been of the other kind.
        asked = _asked(request, query, client, given)
        raise Wrong(asked, error.error, error.description or "") from None
    except ValueError:
        raise Unanswerable(_("The request of the agent cannot be read.")) from None
    asked = _asked(request, query, client, given)
    wrong = _wrong(given, facts)
    if wrong:
        raise Wrong(asked, "invalid_request", wrong)
    try:
        doors = doors_asked(given.getlist("resource"), asked.site)
    except NotOurs:
        raise Wrong(asked, "invalid_target", "The token would be for something else than this site.") from None
    wanted = tuple(scope for scope in (READ, ACT) if scope == READ or scope in scopes)
    return Asked(query, asked.site, client, asked.redirect_uri, asked.state, wanted, tuple(doors))


def give_code(asked: Asked, user: Any, scopes: list[str]) -> str:
    """Return the address at which the client gets a code for what the person agreed to."""
    credentials = {"user": user, "resource": list(asked.doors)}
    given = QueryDict(asked.query, mutable=True)
    given["scope"] = " ".join(scopes)
    headers, _body, _status = server().create_authorization_response(
        _address(given), scopes=scopes, credentials=credentials
    )
    return f"{headers['Location']}&{urlencode({'iss': asked.site})}"


def _address(given: QueryDict) -> str:
    """The request as oauthlib reads it: letters as they are encoded here, and no name that it has for itself."""
    return f"/?{urlencode([(name, value) for name in _TAKEN for value in given.getlist(name)])}"


def _asked(request: HttpRequest, query: str, client: AbstractApplication, given: QueryDict) -> Asked:
    return Asked(query, site_of(request), client, str(given["redirect_uri"]), given.get("state", ""))


def _wrong(given: QueryDict, facts: Mapping[str, Any]) -> str:
    """Return what of a request does not fit that oauthlib would take; empty where all does."""
    if any(name in given for name in _UNTAKEN):
        return "A request is taken by its own parameters alone."
    if given.get("response_mode", "query") != "query":
        return "The answer is in the query of the address alone."
    if given.get("code_challenge_method") != METHOD:
        return f"code_challenge_method must be {METHOD}."
    if len(given.getlist("code_challenge")) != 1 or not _CHALLENGE.fullmatch(facts.get("code_challenge", "")):
        return "code_challenge must be the SHA-256 of the verifier, in 43 letters of base64url."
    return ""
