"""The HTTP of an open page's tab: it opens its session, fetches what is new, says that it is there, clicks and leaves.

All of it is the person's own: their session, never a token. Whatever is not theirs, or has ended, is not there.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.cache import patch_cache_control
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.csrf import csrf_protect
from rest_framework.exceptions import APIException

from read_targets.agent.contract import HTTP_STATUS
from read_targets.agent.views import ArgumentsParser
from read_targets.cards.clicks import nonce_for
from read_targets.policies import is_someone
from read_targets.preferences import as_person

from .clicks import click
from .effects import effects_after, note_fetched
from .models import Effect, PageSession
from .parts import parts_of
from .sessions import access_session, beat, browser_of, end_sessions, leave, open_session
from .tickets import BadTicket, page_of

MOST_TAB = 64
"""Characters of a tab's id."""

_MOVES = {Effect.Kind.STATE, Effect.Kind.CARD}
"""Effects after which the parts of the page may look different."""


class Unreadable(ValueError):
    """What the tab sent does not fit; the text says what would."""


@method_decorator(csrf_protect, name="dispatch")
class TabView(View):
    """What all of them share: whose they are, in which language they answer, and that no cache keeps it."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer as the person, in JSON whatever happens."""
        if "Authorization" in request.headers:
            response: HttpResponse = _refusal("Open pages take the person's own session, never a token.", 403)
        elif not is_someone(request.user):
            # Whoever was signed in here may not be any more: made inactive, say.
            end_sessions(PageSession.objects.filter(browser=browser_of(request)), signed_out=True)
            response = _refusal("Sign in first.", 403)
        else:
            with as_person(request.user):
                response = self._answer(request, *args, **kwargs)
        patch_cache_control(response, private=True, no_store=True)
        return response

    def _answer(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            answer = super().dispatch(request, *args, **kwargs)
        except Http404:
            return _refusal("There is no such open page for you.", 404)
        except Unreadable as unreadable:
            return _refusal(str(unreadable), 400)
        assert isinstance(answer, HttpResponse)  # noqa: S101  # none of ours streams
        return answer


class OpenView(TabView):
    """`POST /pages/sessions`: a tab opens its page, with the ticket that the page carries."""

    http_method_names = ["post"]

    def post(self, request: HttpRequest) -> HttpResponse:
        """Answer the session and all that the tab shows of it."""
        fields = _fields(request)
        tab, title = fields.get("tab"), fields.get("title", "")
        if not isinstance(tab, str) or not 8 <= len(tab) <= MOST_TAB or not tab.isascii() or not tab.isprintable():
            raise Unreadable(f"tab is a text of 8 to {MOST_TAB} plain characters.")
        if not isinstance(title, str):
            raise Unreadable("title is a text.")
        try:
            page, path = page_of(request, fields.get("ticket"))
        except BadTicket:
            return _refusal("The page is too old, or was rendered for somebody else. Load it again.", 403)
        session = open_session(request.user, browser_of(request), page, tab, path, title)
        told = {
            "id": str(session.pk),
            "nonce": nonce_for(request, session.pk),
            "visit": session.visit,
            "seq": session.last_seq,
            "shown": session.shown_seq,
            "version": session.version,
        }
        return JsonResponse({**told, "parts": parts_of(request, session)})


class NewsView(TabView):
    """`GET /pages/sessions/{id}?after=N`: what comes after the effect that the tab saw last."""

    http_method_names = ["get"]

    def get(self, request: HttpRequest, session_id: str) -> HttpResponse:
        """Answer the effects, with the parts of the page where they or the tab ask for it."""
        after = _number(request.GET.get("after", "0"), "after")
        session = access_session(request, session_id)
        effects = effects_after(session, after)
        # Not before: what is shown must be at least as new as the effects that say that it has changed.
        session.refresh_from_db(fields=["channels", "views", "version", "last_seq"])
        answer: dict[str, Any] = {
            "effects": [{"seq": one.seq, "kind": one.kind, "payload": one.payload} for one in effects],
            "seq": session.last_seq,
            "version": session.version,
        }
        if request.GET.get("parts") == "1" or any(effect.kind in _MOVES for effect in effects):
            # The nonce anew too: that of a page which is open for a day is too old.
            answer |= {"parts": parts_of(request, session), "nonce": nonce_for(request, session.pk)}
        if effects:
            note_fetched(session, effects[-1].seq)
        return JsonResponse(answer)


class BeatView(TabView):
    """`POST /pages/sessions/{id}/beat`: the tab is there, and has shown all effects up to `shown`."""

    http_method_names = ["post"]

    def post(self, request: HttpRequest, session_id: str) -> HttpResponse:
        """Note it, and answer the number of the newest effect."""
        shown = _number(_fields(request).get("shown"), "shown")
        # What it has shown it may still say while it goes: a page that it was sent away from, say.
        session: PageSession = access_session(request, session_id, returning=True)
        beat(session, shown)
        return JsonResponse({"seq": session.last_seq})


class LeaveView(TabView):
    """`POST /pages/sessions/{id}/leave`, as a form: the tab leaves the page, perhaps only to load it again."""

    http_method_names = ["post"]

    def post(self, request: HttpRequest, session_id: str) -> HttpResponse:
        """Note it."""
        session = access_session(request, session_id, returning=True)
        leave(session, _number(request.POST.get("visit"), "visit"))
        return HttpResponse(status=204)


class CommandView(TabView):
    """`POST /pages/sessions/{id}/commands/{name}`: the person clicked the button of a command."""

    http_method_names = ["post"]

    def post(self, request: HttpRequest, session_id: str, name: str) -> HttpResponse:
        """Run the command and answer the contract's envelope."""
        fields = _fields(request)
        result = click(request, access_session(request, session_id), name, fields)
        return JsonResponse(result.to_json(), status=HTTP_STATUS[result.outcome])


def _fields(request: HttpRequest) -> Mapping[str, Any]:
    """The JSON object that the tab sent; raises Unreadable."""
    try:
        fields = ArgumentsParser().parse(io.BytesIO(request.body))
    except (APIException, RequestDataTooBig):
        fields = None
    if not isinstance(fields, dict):
        raise Unreadable("Send one JSON object.")
    return fields


def _number(given: Any, name: str) -> int:
    """The number of an effect or a visit; raises Unreadable."""
    text = "" if isinstance(given, bool) else str(given)
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise Unreadable(f"{name} is a whole number from 0.")
    return int(text)


def _refusal(error: str, status: int) -> JsonResponse:
    return JsonResponse({"error": error}, status=status)
