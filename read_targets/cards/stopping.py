"""What a person is told where what they asked for was not read to its end."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from ..agent.codes import Code
from ..agent.refusals import stopped
from ..agent.views import status_of
from ..lists import Stopped


def why_stopped(code: str) -> str:
    """Return why a reading was stopped, in the active language; empty for a code that says something else."""
    if code == Code.TOO_SLOW:
        return _("Reading it took longer than it may. Ask for less of it, or for a shorter time.")
    if code == Code.TOO_MANY_READS:
        return _("As much is being read for you at the moment as may be. Try again in a few seconds.")
    return ""


def stopped_page(request: HttpRequest, reason: Stopped) -> HttpResponse:
    """Answer that what the page would show was not read, and why."""
    refused = stopped(reason)
    context = {"why": why_stopped(refused.code)}
    return render(request, "read_targets/stopped.html", context, status=status_of(refused.outcome, refused.code))
