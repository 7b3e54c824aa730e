"""A bare DRF view that runs the statements of a query tool and answers what they give, and settings to serve it."""

from __future__ import annotations

import os
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.bench.bare_settings")

from django.db import connection
from django.urls import include, path
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from read_targets.agent.views import ExactJSONRenderer

FIGURES = (
    "SELECT COUNT(*), {sum}, MIN(t.amount), MAX(t.amount) FROM ledger_cashtransaction t "
    "WHERE t.date >= '2026-10-01' AND t.date <= '2026-10-31'"
)
SUM = {"sqlite": "SUM(CAST(ROUND(t.amount * 100) AS INTEGER))", "postgresql": "SUM(t.amount)"}
ROWS = (
    "SELECT t.id, t.date, a.name, t.counterparty, t.flow, t.amount, t.status, t.memo FROM ledger_cashtransaction t "
    "JOIN ledger_account a ON a.id = t.account_id WHERE t.date >= '2026-10-01' AND t.date <= '2026-10-31' "
    "ORDER BY t.date DESC, t.id DESC LIMIT 20"
)


class BareView(APIView):
    """`POST /bare/`: the same SQL, without rights, contract or log."""

    authentication_classes = ()
    permission_classes = ()
    renderer_classes = (ExactJSONRenderer,)

    def post(self, request: Request) -> Response:
        """Answer what the two statements give."""
        told: list[Any] = [request.data]
        with connection.cursor() as cursor:
            for statement in (FIGURES.format(sum=SUM[connection.vendor]), ROWS):
                cursor.execute(statement)
                told.append([[str(value) for value in row] for row in cursor.fetchall()])
        return Response(told)


urlpatterns = [path("bare/", BareView.as_view()), path("", include("project.urls"))]
