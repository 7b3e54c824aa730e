"""Answers that hold no data: where to go on, and what a person sees instead of a page that is not theirs."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from .sources import Required


def missing_page(request: HttpRequest) -> HttpResponse:
    """Answer that nothing stands here; the same for what is somebody else's."""
    return render(request, "read_targets/missing.html", status=404)


def closed_page(request: HttpRequest, required: Required) -> HttpResponse:
    """Answer that the door is closed, and what would open it."""
    return render(request, "read_targets/closed.html", {"required": required}, status=403)


def unproven_page(request: HttpRequest) -> HttpResponse:
    """Answer that the click could not be told from somebody else's."""
    return render(request, "read_targets/unproven.html", status=403)


def see_other(address: str) -> HttpResponseRedirect:
    """Lead the browser on with a GET, whatever it came with."""
    response = HttpResponseRedirect(address)
    response.status_code = 303
    return response
