"""The addresses of signing in: the page on which a person agrees, and what clients ask by themselves."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views import View
from django.views.decorators.clickjacking import xframe_options_deny
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from oauthlib.oauth2 import OAuth2Error

from ...cards.answers import unproven_page
from ...cards.clicks import nonce_for, prove_click
from ...cards.pages import PersonPage
from ...conf import setting
from ...lists import writing
from ..contract import Refused
from ..limits import check_guesses, check_rate, network_of
from ..models import Toolset
from ..registry import Tool
from ..tokens import NotMade, open_tokens
from .agreeing import agree
from .asking import Asked, Unanswerable, Wrong, read_request
from .clients import is_vouched_for, standing_of
from .forms import ConsentForm
from .issuing import METHOD, holder_of, server
from .redirects import host_of, is_own_machine
from .registering import GRANTS, Unfit, register
from .resources import resources_of, site_of
from .scopes import SCOPES

LARGEST_BODY = 16_384
"""Bytes of what a client says of itself."""

REFRESHES_A_MINUTE = 30
"""How often a client may come back for one person: each time leaves a row."""

TAKEN = (
    *("grant_type", "client_id", "client_secret", "scope", "resource"),
    *("code", "code_verifier", "redirect_uri", "refresh_token", "token", "token_type_hint"),
)
"""What a form of a client says. oauthlib would take any other name for one of its own: of the person, say."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@method_decorator(xframe_options_deny, name="dispatch")
class ConsentView(PersonPage):
    """`GET` and `POST /oauth/authorize`: what a client asks for, and what the person says to it.

    Nobody is led on by asking: only by the person's click, in their own page, or by a link that says where to. A page
    leads on, and not an answer to the form: browsers hold a policy of where forms go against whatever they lead to.
    """

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show what the client asks for."""
        asked = self._read(request, request.META.get("QUERY_STRING", ""))
        return self._page(request, asked, self._form(request, asked)) if isinstance(asked, Asked) else asked

    @method_decorator(sensitive_variables("address"))
    def post(self, request: HttpRequest) -> HttpResponse:
        """Do as the person says, and lead them back to the client."""
        query = request.POST.get("request", "")
        try:
            prove_click(request, _click(query), request.POST.get("nonce"))
        except Refused:
            return unproven_page(request)
        asked = self._read(request, query)
        if not isinstance(asked, Asked):
            return asked
        if request.POST.get("decision") != "allow":
            return self._leave(request, asked, asked.answered(error="access_denied"))
        form = self._form(request, asked, request.POST)
        if not form.is_valid():
            return self._page(request, asked, form, 400)
        said = form.cleaned_data
        try:
            address = agree(
                asked,
                request.user,
                days=said["days"],
                toolsets=said["toolsets"],
                may_act=said.get("may_act", False),
            )
        except NotMade:
            why = _("You hold %(most)d open tokens, which is as many as you may. Revoke one first.")
            form.add_error(None, why % {"most": setting("MOST_TOKENS")})
            return self._page(request, asked, form, 400)
        return self._leave(request, asked, address)

    def _read(self, request: HttpRequest, query: str) -> Asked | HttpResponse:
        try:
            return read_request(request, query)
        except Unanswerable as reason:
            return render(request, "read_targets/oauth_refused.html", {"why": str(reason)}, status=400)
        except Refused:
            why = _("Too many agents were looked up for you. Try again in a minute.")
            return render(request, "read_targets/oauth_refused.html", {"why": why}, status=429)
        except Wrong as wrong:
            context = {
                "why": _("The agent asks for something that is not given here, or asks for it wrongly."),
                "said": wrong.said,
                "address": wrong.address,
                "host": host_of(wrong.redirect_uri),
            }
            return render(request, "read_targets/oauth_refused.html", context, status=400)

    def _form(self, request: HttpRequest, asked: Asked, data: Mapping[str, Any] | None = None) -> ConsentForm:
        return ConsentForm(request.user, data, asks_to_act=asked.may_ask_to_act)

    def _page(self, request: HttpRequest, asked: Asked, form: ConsentForm, status: int = 200) -> HttpResponse:
        context = {
            "form": form,
            "name": asked.name,
            "standing": standing_of(asked.client),
            "is_vouched_for": is_vouched_for(asked.client),
            "host": host_of(asked.redirect_uri),
            "is_own_machine": is_own_machine(asked.redirect_uri),
            "reading": _titles([tool for tool in form.tools if not tool.acts]),
            "acting": _titles([tool for tool in form.tools if tool.acts]),
            "asks_to_act": asked.may_ask_to_act,
            "toolsets": _by_toolset(form),
            "before": open_tokens(request.user).filter(client=asked.client.client_id).first(),
            "request_query": asked.query,
            "nonce": nonce_for(request, _click(asked.query)),
        }
        return render(request, "read_targets/oauth_consent.html", context, status=status)

    def _leave(self, request: HttpRequest, asked: Asked, address: str) -> HttpResponse:
        context = {"address": address, "name": asked.name, "host": host_of(asked.redirect_uri)}
        response = render(request, "read_targets/oauth_leaving.html", context)
        # The address has a code in it, which nobody but the client is told.
        response["Referrer-Policy"] = "no-referrer"
        return response


@method_decorator(csrf_exempt, name="dispatch")
class ClientView(View):
    """What a client asks by itself. No cookie is looked at, so none needs to be guarded."""

    http_method_names = ["post", "options"]

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Answer, and let nobody keep the answer."""
        response = super().dispatch(request, *args, **kwargs)
        response["Cache-Control"] = "no-store"
        return response


@method_decorator(sensitive_post_parameters(), name="dispatch")
class TokenView(ClientView):
    """`POST /oauth/token`: tokens for a code, or for a refresh token."""

    def post(self, request: HttpRequest) -> HttpResponse:
        """Give tokens out, or say in the words of RFC 6749 why not."""
        holder = holder_of(request.POST.get("refresh_token", ""))
        try:
            # What does not hold is counted by where it comes from, below.
            check_rate(f"refreshes:{holder}", REFRESHES_A_MINUTE if holder else None, "Too many refreshes.")
        except Refused as refused:
            return _too_many(refused)
        answer = _by_oauthlib(request, server().create_token_response)
        return answer if answer.status_code == 200 else _counted(request, answer)


@method_decorator(sensitive_post_parameters(), name="dispatch")
class RevokeView(ClientView):
    """`POST /oauth/revoke`: the end of a token that its client has (RFC 7009)."""

    def post(self, request: HttpRequest) -> HttpResponse:
        """End it; of one that is not known the same is said."""
        return _by_oauthlib(request, server().create_revocation_response)


class RegisterView(ClientView):
    """`POST /oauth/register`: a client makes itself known (RFC 7591)."""

    def post(self, request: HttpRequest) -> HttpResponse:
        """Keep what the client says of itself, and tell it what is kept."""
        if not setting("CLIENTS_REGISTER"):
            raise Http404
        try:
            network = network_of(request.META.get("REMOTE_ADDR", ""))
            check_rate(f"clients:{network}", setting("REGISTRATIONS_A_MINUTE"), "Too many clients.")
        except Refused as refused:
            return _too_many(refused)
        try:
            client = register(_object(request))
        except Unfit as unfit:
            return JsonResponse({"error": unfit.error, "error_description": unfit.said}, status=400)
        told = {
            "client_id": client.client_id,
            "client_id_issued_at": math.floor(client.created.timestamp()),
            "client_name": client.name,
            "redirect_uris": client.redirect_uris.split(),
            "grant_types": list(GRANTS),
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        }
        return JsonResponse(told, status=201)


class ServerView(View):
    """`GET /.well-known/oauth-authorization-server`: how a client signs in (RFC 8414)."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Tell the addresses, and what is taken there."""
        site = site_of(request)
        told: dict[str, Any] = {
            "issuer": site,
            "authorization_endpoint": site + reverse("read_targets_oauth:authorize"),
            "token_endpoint": site + reverse("read_targets_oauth:token"),
            "token_endpoint_auth_methods_supported": ["none"],
            "revocation_endpoint": site + reverse("read_targets_oauth:revoke"),
            "revocation_endpoint_auth_methods_supported": ["none"],
            "scopes_supported": list(SCOPES),
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": list(GRANTS),
            "code_challenge_methods_supported": [METHOD],
            "authorization_response_iss_parameter_supported": True,
            "client_id_metadata_document_supported": bool(setting("CLIENT_DOCUMENTS")),
        }
        if setting("CLIENTS_REGISTER"):
            told["registration_endpoint"] = site + reverse("read_targets_oauth:register")
        return _public(told)


class ResourceView(View):
    """`GET /.well-known/oauth-protected-resource`, and the same with `/mcp` (RFC 9728)."""

    def get(self, request: HttpRequest, path: str = "") -> HttpResponse:
        """Tell who gives out tokens for the resource."""
        site = site_of(request)
        resource = site + path.rstrip("/")
        if resource not in resources_of(site):
            raise Http404
        told = {
            "resource": resource,
            "authorization_servers": [site],
            "scopes_supported": list(SCOPES),
            "bearer_methods_supported": ["header"],
        }
        return _public(told)


def _click(query: str) -> str:
    """What the click that answers a request is proven for: this very request."""
    return f"oauth:{hashlib.sha256(query.encode()).hexdigest()}"


def _titles(tools: list[Tool]) -> list[str]:
    return list(dict.fromkeys(tool.title for tool in tools))


def _by_toolset(form: ConsentForm) -> list[tuple[Any, list[str]]]:
    """Each set that may be chosen, as the form shows it, with what it holds for this person."""
    sets: Any = form.fields["toolsets"]
    offered: list[Toolset] = list(sets.queryset.prefetch_related("entries"))
    held = {str(one.pk): {entry.tool_key for entry in one.entries.all()} for one in offered}
    return [
        (box, _titles([tool for tool in form.tools if tool.key in held[str(box.data["value"])]]))
        for box in form["toolsets"]
    ]


def _by_oauthlib(request: HttpRequest, answer: Any) -> HttpResponse:
    """Return what oauthlib answers to a form of a client. What it writes, it writes whole or not at all."""
    pairs = [(name, value) for name in TAKEN for value in request.POST.getlist(name)]
    if any(_CONTROL.search(value) for _name, value in pairs):
        return JsonResponse({"error": "invalid_request"}, status=400)
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    if "HTTP_AUTHORIZATION" in request.META:
        # oauthlib knows it by the one name, and the toolkit by the other.
        headers |= dict.fromkeys(("Authorization", "HTTP_AUTHORIZATION"), request.META["HTTP_AUTHORIZATION"])
    try:
        with writing():
            told, body, status = answer(request.path, "POST", urlencode(pairs), headers)
    except OAuth2Error as error:
        told, body, status = error.headers, error.json, error.status_code
    return HttpResponse(body or "", status=status, headers={"Content-Type": "application/json", **told})


def _counted(request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    """Return an answer that gave out nothing, or that there were too many of those."""
    try:
        check_guesses(request.META.get("REMOTE_ADDR", ""))
    except Refused as refused:
        return _too_many(refused)
    return answer


def _too_many(refused: Refused) -> HttpResponse:
    seconds = math.ceil((refused.next_action.delay_ms or 0) / 1_000)
    told = {"error": "temporarily_unavailable", "error_description": refused.error}
    return JsonResponse(told, status=429, headers={"Retry-After": str(seconds)})


def _object(request: HttpRequest) -> dict[str, Any]:
    """Return the JSON object that the body is; raises Unfit."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    # A body in chunks says no length.
    if not (length.isascii() and length.isdigit()) or max(int(length[:20]), len(request.body)) > LARGEST_BODY:
        raise Unfit("invalid_client_metadata", f"The body must have {LARGEST_BODY} bytes at most.")
    try:
        given = json.loads(request.body)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise Unfit("invalid_client_metadata", "The body must be one JSON object.")
    return given


def _public(told: dict[str, Any]) -> HttpResponse:
    """Return what anybody may know, the pages of others too."""
    return JsonResponse(told, headers={"Access-Control-Allow-Origin": "*", "Vary": "Host"})
