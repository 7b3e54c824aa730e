"""The person's pages: their desk, a workspace, their settings.

Each view parses, calls and renders. Everything is said in the person's language and time zone, and kept by no cache.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.paginator import InvalidPage, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views import View

from ..heavy import one_call
from ..lists import Stopped, snapshot
from ..policies import Actor
from ..preferences import Preference, as_person, preference_of, zone_of
from .again import read_again
from .answers import closed_page, missing_page, see_other
from .clicks import nonce_for
from .desk import CARDS_A_PAGE, cards_of, laid_out, state_of, stop_agents
from .forms import PreferenceForm
from .models import WorkspaceVersion
from .showing import Shown
from .sources import door_of, review_of
from .stopping import stopped_page
from .tables import NoSuchPage


class PersonPage(View):
    """A page of a signed-in person."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Answer in the person's language and zone; lead others to sign in."""
        if not request.user.is_authenticated:
            return self.sign_in(request)
        with as_person(request.user):
            response = super().dispatch(request, *args, **kwargs)
        patch_cache_control(response, private=True, no_store=True)
        return response

    def sign_in(self, request: HttpRequest) -> HttpResponse:
        """Lead to the page of signing in, and from there back."""
        here = request.get_full_path() if request.method == "GET" else reverse("read_targets_desk:desk")
        return redirect_to_login(here)


class DeskView(PersonPage):
    """`GET /desk/`: the cards, newest first."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show the desk, or with `show=put-away` the cards that were dismissed."""
        put_away = request.GET.get("show") == "put-away"
        cards = _cards(request, put_away=put_away)
        try:
            page = Paginator(cards, CARDS_A_PAGE).page(request.GET.get("page", 1))
        except InvalidPage:
            return missing_page(request)
        shown = list(page.object_list)
        context = {
            "page": page,
            "put_away": put_away,
            "is_live": not put_away and page.number == 1,
            "stopped": preference_of(request.user).agents_stopped,
            "zone": zone_of(request.user),
            "today": timezone.localdate(),
            "cards": laid_out(request.user, shown, partial(nonce_for, request)),
            "state": state_of(shown),
        }
        return render(request, "read_targets/desk.html", context)


class NewsView(PersonPage):
    """`GET /desk/news?state=…`: the cards again where they changed since that state, and nothing where not."""

    def sign_in(self, request: HttpRequest) -> HttpResponse:
        """Let the desk that asks go to the page of signing in as a whole."""
        desk = redirect_to_login(reverse("read_targets_desk:desk"))
        return HttpResponse(status=401, headers={"HX-Redirect": desk.url})

    def get(self, request: HttpRequest) -> HttpResponse:
        """Answer the list of cards, or 204."""
        seen = request.GET.get("state", "")
        cards = list(_cards(request, put_away=False)[:CARDS_A_PAGE])
        state = state_of(cards)
        if state == seen:
            return HttpResponse(status=204)
        laid = laid_out(request.user, cards, partial(nonce_for, request), seen)
        new = sum(one.is_new for one in laid)
        said = ngettext("%(count)s new card", "%(count)s new cards", new) % {"count": new} if new else ""
        context = {"cards": laid, "state": state, "today": timezone.localdate(), "said": said}
        return render(request, "read_targets/_news.html", context)


def _cards(request: HttpRequest, *, put_away: bool) -> Any:
    return cards_of(Actor(request.user)).filter(dismissed_at__isnull=not put_away)


class AgentsView(PersonPage):
    """`POST /desk/agents`: *stop my agents* with `stopped=yes`, *let them again* with `stopped=no`."""

    def post(self, request: HttpRequest) -> HttpResponse:
        """Turn the switch and go back to the desk."""
        asked = request.POST.get("stopped")
        if asked not in ("yes", "no"):
            return HttpResponse(_("Say “yes” or “no” in “stopped”."), status=400, content_type="text/plain")
        stop_agents(request.user, stopped=asked == "yes")
        said = _("Your agents are stopped.") if asked == "yes" else _("Your agents are answered again.")
        messages.success(request, said)
        return see_other(reverse("read_targets_desk:desk"))


class WorkspaceView(PersonPage):
    """`GET /desk/workspaces/{name}/{number}`, or without the number the newest version."""

    def get(self, request: HttpRequest, name: str, number: str | None = None) -> HttpResponse:
        """Show a version as the person may see it now."""
        try:
            return self._shown(request, name, number)
        except Stopped as reason:
            return stopped_page(request, reason)

    def _shown(self, request: HttpRequest, name: str, number: str | None) -> HttpResponse:
        with one_call(request.user), snapshot():
            versions = kept_versions(request.user, name)
            version = versions.filter(number=number).first() if number else versions.first()
            if version is None:
                return missing_page(request)
            required = door_of(request.user, version.source)
            if required is not None:
                return closed_page(request, required)
            review = review_of(request.user, version)
            others = list(versions.defer("content", "row_keys", "relations"))
        shown = Shown(version, review, request.GET.dict())
        try:
            asked = {"page": shown.page, "chart": shown.chart}
        except NoSuchPage:
            return missing_page(request)
        context = {"shown": shown, "version": version, "versions": others, **asked}
        return render(request, "read_targets/workspace.html", context)


class ReadAgainView(PersonPage):
    """`POST /desk/workspaces/{name}/{number}/read-again`: the same conditions as a new version, read now."""

    def post(self, request: HttpRequest, name: str, number: str) -> HttpResponse:
        """Read, and go to the new version; where that is refused, stay and say why."""
        version = kept_versions(request.user, name).filter(number=number).first()
        if version is None:
            return missing_page(request)
        address, refusal = read_again(request.user, version, request.POST.get("orderBy", ""))
        if refusal:
            messages.error(request, refusal)
        return see_other(address)


def kept_versions(user: Any, name: str) -> QuerySet[WorkspaceVersion]:
    """Return the person's versions of that name that are still kept, newest first."""
    versions = WorkspaceVersion.objects.filter(
        workspace__user=user, workspace__name=name, expires_at__gt=timezone.now()
    )
    return versions.select_related("workspace", "workspace__user", "token").order_by("-number")


class SettingsView(PersonPage):
    """`GET` and `POST /desk/settings`: the person's time zone and language."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show what is set."""
        return self._form(request, PreferenceForm(instance=preference_of(request.user)))

    def post(self, request: HttpRequest) -> HttpResponse:
        """Keep what is set, or say what does not fit."""
        # Not the row that this request is answered by: what does not fit must not reach that.
        key: Any = request.user.pk
        form = PreferenceForm(request.POST, instance=Preference(user_id=key))
        if not form.is_valid():
            return self._form(request, form, 400)
        # In the language just chosen, which the person of this request does not know of yet.
        with as_person(form.save().user):
            messages.success(request, _("Your settings are kept."))
        return see_other(reverse("read_targets_desk:settings"))

    def _form(self, request: HttpRequest, form: PreferenceForm, status: int = 200) -> HttpResponse:
        context = {"form": form, "zone": zone_of(request.user), "now": timezone.now()}
        return render(request, "read_targets/settings.html", context, status=status)
