"""Whether this process lives, and whether it can answer: for whatever starts it and sends it calls.

Both are open to everybody and say no more than that.
"""

from __future__ import annotations

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from read_targets.conf import setting


class _Known:
    """Whether this process has seen that every migration is applied: none is taken back under a running site."""

    is_migrated = False


@require_safe
@never_cache
def alive(request: HttpRequest) -> JsonResponse:
    """`GET /healthz`: 200 as long as the process answers at all."""
    return JsonResponse({"status": "alive"})


@require_safe
@never_cache
def ready(request: HttpRequest) -> JsonResponse:
    """`GET /readyz`: 200 where every database answers and all migrations are applied, else 503."""
    is_ready = _databases_answer() and _is_migrated()
    return JsonResponse({"status": "ready" if is_ready else "not ready"}, status=200 if is_ready else 503)


def _databases_answer() -> bool:
    try:
        for connection in connections.all():
            # Without its replica a site reads the database itself.
            if connection.alias == setting("REPLICA"):
                continue
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True


def _is_migrated() -> bool:
    if not _Known.is_migrated:
        executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
        _Known.is_migrated = not executor.migration_plan(executor.loader.graph.leaf_nodes())
    return _Known.is_migrated
