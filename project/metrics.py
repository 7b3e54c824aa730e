"""`GET /metrics`: what Prometheus collects, for whoever runs the site and nobody else.

It is off until the environment says who may ask: `METRICS_TOKEN`, a bearer token, or `METRICS_FROM`, addresses and
networks. Everybody else is answered as if nothing were there. An address counts only where the request came straight
from it: behind a proxy every caller has the proxy's.
"""

from __future__ import annotations

import ipaddress
import secrets
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from page_commands.live.models import MISSED, PageSession

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

_PROXIED = ("HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_PROTO", "HTTP_X_REAL_IP", "HTTP_FORWARDED", "HTTP_VIA")
"""What proxies say of themselves."""


def are_on() -> bool:
    """Whether anybody may ask for metrics."""
    return bool(settings.METRICS_TOKEN or settings.METRICS_FROM)


def count_calls() -> None:
    """Begin to count, where metrics are on; for a process that answers calls."""
    if are_on():
        from read_targets.agent.metrics import watch

        watch()


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer what every process of this service counted, in the text format of Prometheus."""
    if not _may_ask(request):
        raise Http404
    # An extra: a site that counts nothing does without.
    from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
    from prometheus_client.multiprocess import MultiProcessCollector

    from read_targets.agent.metrics import REGISTRY

    found: Any = CollectorRegistry()
    if settings.METRICS_FOLDER:
        MultiProcessCollector(found, settings.METRICS_FOLDER)
    else:
        found.register(REGISTRY)
    found.register(_OpenPages())
    return HttpResponse(generate_latest(found), content_type=CONTENT_TYPE_LATEST)


class _OpenPages:
    """The pages that people have open now, at whatever process: read from the database when it is asked for."""

    def collect(self) -> Iterator[Metric]:
        """Tell the one number; nothing where the database does not answer."""
        from prometheus_client.core import GaugeMetricFamily

        recent = timezone.now() - MISSED
        try:
            pages = PageSession.objects.filter(ended_at=None, left_at=None, seen_at__gt=recent).count()
        except DatabaseError:
            return
        yield GaugeMetricFamily("read_targets_open_pages", "Pages that people have open.", value=pages)


def _may_ask(request: HttpRequest) -> bool:
    header = request.META.get("HTTP_AUTHORIZATION", "")
    scheme, _, token = header.partition(" ")
    if settings.METRICS_TOKEN and scheme.lower() == "bearer":
        return secrets.compare_digest(token.strip().encode(), settings.METRICS_TOKEN.encode())
    if any(name in request.META for name in _PROXIED):
        return False
    try:
        address = ipaddress.ip_address(request.META.get("REMOTE_ADDR", ""))
    except ValueError:
        return False
    return any(address in ipaddress.ip_network(network, strict=False) for network in settings.METRICS_FROM)
