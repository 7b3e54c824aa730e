"""The pages of the site that belong to no app: the home, and what is said instead of a page."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control

from read_targets.declaration.naming import kebab
from read_targets.declaration.routes import leads_somewhere
from read_targets.lists import registered_lists
from read_targets.policies import open_doors
from read_targets.preferences import as_person


@cache_control(private=True, no_store=True)
@login_required
def home(request: HttpRequest) -> HttpResponse:
    """List the screens that the person may open, by the app they belong to."""
    lists = registered_lists()
    doors = open_doors(request.user, [one.view_permission for one in lists])
    with as_person(request.user):
        apps: dict[str, list[tuple[str, str]]] = {}
        for one in lists:
            options = one.model._meta
            screen = f"{options.app_label}:{kebab(one.name)}"
            if one.view_permission in doors and leads_somewhere(screen):
                screens = apps.setdefault(str(options.app_config.verbose_name), _start_of(options.app_label))
                screens.append((capfirst(str(options.verbose_name_plural)), reverse(screen)))
        return render(request, "project/home.html", {"apps": apps})


def _start_of(app_label: str) -> list[tuple[str, str]]:
    """The app's own start page, where it has one, to stand before its screens."""
    start = f"{app_label}:start"
    return [(_("Start page"), reverse(start))] if leads_somewhere(start) else []


def unreadable(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Say that the request cannot be read, and read no more of it.

    Django's own page looks for a token of forms in the body, and fails on one that is no form; nor is anything known of
    the person, since what names the site may be what is wrong.
    """
    return HttpResponseBadRequest(render_to_string("project/400.html"))


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Say that the person may not open the page; of what stands there, say nothing."""
    return _instead(request, "project/403.html", status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Say that there is no such page."""
    return _instead(request, "project/404.html", status=404)


def _instead(request: HttpRequest, template: str, status: int) -> HttpResponse:
    """Answer in the person's language, or to a stranger in the browser's."""
    if not request.user.is_authenticated:
        return render(request, template, status=status)
    with as_person(request.user):
        return render(request, template, status=status)
