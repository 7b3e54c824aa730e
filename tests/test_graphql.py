"""The application's own GraphQL: the same rows and figures, over HTTP, for signed-in people alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import graphene
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.http import HttpRequest
from django.middleware.csrf import CsrfViewMiddleware
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext

from project.demo.factory.models import Conversation
from project.demo.ledger.models import Account, CashTransaction
from read_targets.agent.tokens import create_token
from read_targets.graphql import graphql_door
from read_targets.lists import registered_lists
from read_targets.models import Preference
from tests import oracle

pytestmark = pytest.mark.django_db

SignedIn = Callable[[str], Client]
SECRETS = ("주식회사", "Söhne", "Betrieb", "급여", "invoice", "Midland")


def post(
    client: Client, query: str, variables: dict[str, Any] | None = None, path: str = "/graphql", **options: Any
) -> Any:
    """Send a document and return the response."""
    return client.post(path, {"query": query, "variables": variables}, "application/json", **options)


def data(client: Client, query: str, variables: dict[str, Any] | None = None) -> dict[str, Any]:
    """Send a document that is answered without an error, and return its data."""
    answer = post(client, query, variables).json()
    assert "errors" not in answer, answer
    found: dict[str, Any] = answer["data"]
    return found


def cash(client: Client, selection: str, **arguments: Any) -> dict[str, Any]:
    """Ask the list of cash transactions."""
    query = (
        "query ($filters: [Filter!], $pagination: Pagination, $sortings: [Sorting!], $search: String) "
        "{ cashTransactions(filters: $filters, pagination: $pagination, sortings: $sortings, search: $search) "
        f"{{ {selection} }} }}"
    )
    found: dict[str, Any] = data(client, query, arguments)["cashTransactions"]
    return found


def error(client: Client, query: str, variables: dict[str, Any] | None = None) -> str:
    """Send a document that is refused, and return why; it says no value of any row."""
    response = post(client, query, variables)
    answer = response.json()
    assert response.status_code in (200, 400)
    assert not any((answer.get("data") or {}).values()), answer
    message: str = answer["errors"][0]["message"]
    return message


class TestAnAnswer:
    """The seed's shape, and beyond it."""

    def test_items_and_total_are_the_seeds_shape(self, signed_in: SignedIn) -> None:
        found = cash(
            signed_in("admin"),
            "total items { id date account { name } counterparty flow amount status memo }",
            pagination={"limit": 3},
        )
        assert found["total"] == CashTransaction.objects.count()
        expected = CashTransaction.objects.select_related("account").order_by("-date", "-pk")[:3]
        assert found["items"] == [
            {
                "id": str(one.pk),
                "date": one.date.isoformat(),
                "account": {"name": one.account.name},
                "counterparty": one.counterparty,
                "flow": one.flow,
                "amount": str(one.amount),
                "status": one.status,
                "memo": one.memo,
            }
            for one in expected
        ]

    def test_sums_groups_and_rows_are_scalars_of_exact_values(self, signed_in: SignedIn) -> None:
        found = cash(signed_in("admin"), 'total sums groups(by: "flow") rows', pagination={"limit": 1_000})
        amounts = [Decimal(row["amount"]) for row in found["rows"]]
        assert found["sums"] == {"amount": str(sum(amounts))}
        assert sum(group["count"] for group in found["groups"]) == found["total"] == len(amounts)
        assert sum(Decimal(group["sums"]["amount"]) for group in found["groups"]) == sum(amounts)
        assert set(found["rows"][0]) == {
            "id",
            "date",
            "account.name",
            "counterparty",
            "flow",
            "amount",
            "status",
            "memo",
        }

    def test_what_is_not_asked_for_is_not_computed(self, signed_in: SignedIn) -> None:
        client = signed_in("admin")
        for selection, statements in (("total", 1), ("items { id }", 1), ("sums total", 1), ("total rows", 2)):
            with CaptureQueriesContext(connection) as captured:
                cash(client, selection)
            assert len([one for one in captured if 'FROM "ledger_cashtransaction"' in one["sql"]]) == statements, (
                selection
            )

    def test_each_list_answers(self, signed_in: SignedIn) -> None:
        client = signed_in("admin")
        for definition in registered_lists():
            path = (definition.grouped or ())[0]
            selection = f'total sums rows groups(by: "{path}") items {{ id }}'
            query = f"{{ {definition.name}(pagination: {{limit: 2}}) {{ {selection} }} }}"
            found = data(client, query)[definition.name]
            assert (
                found["total"] == definition.model._base_manager.count() == sum(one["count"] for one in found["groups"])
            )
            assert [one["id"] for one in found["items"]] == [one["id"] for one in found["rows"]]
            assert set(found["rows"][0]) == {"id", *(definition.shown or ())}

    def test_everybody_is_told_what_they_may_view(self, signed_in: SignedIn, person: Callable[[str], User]) -> None:
        for name in ("admin", "analyst", "clerk"):
            rights = oracle.Rights(person(name))
            told = oracle.tell(
                oracle.viewed(CashTransaction.objects.select_related("account"), rights),
                rights.may_view,
                order=[("date", True)],
                shown=["account.name"],
                figures=["amount"],
            )
            found = cash(signed_in(name), 'total sums rows groups(by: "account.name")', pagination={"limit": 1_000})
            assert [int(row["id"]) for row in found["rows"]] == told.keys
            assert Decimal(found["sums"]["amount"]) == told.sums["amount"].sum
            names = [oracle.WITHHELD if "withheld" in row else row["account.name"] for row in found["rows"]]
            assert names == [one["account.name"] for one in told.values]
            hidden = [one for one in found["groups"] if one.get("withheld")]
            assert sum(one["count"] for one in hidden) == names.count(oracle.WITHHELD)
            assert bool(hidden) == (name == "clerk")

    def test_what_is_withheld_is_said_of_a_row(self, signed_in: SignedIn) -> None:
        found = cash(signed_in("clerk"), "rows items { account { name } }", pagination={"limit": 1_000})
        closed = [row for row in found["rows"] if "withheld" in row]
        assert closed
        assert all(row["withheld"] == ["account.name"] and row["account.name"] is None for row in closed)
        assert [one["account"]["name"] for one in found["items"]] == [row["account.name"] for row in found["rows"]]

    def test_months_are_those_of_the_person(self, signed_in: SignedIn, person: Callable[[str], User]) -> None:
        Conversation.objects.update(started_at="2026-01-31T20:00:00Z")
        query = '{ conversations { groups(by: "started_at") rows } }'
        assert [one["key"] for one in data(signed_in("admin"), query)["conversations"]["groups"]] == ["2026-01"]
        Preference.objects.create(user=person("admin"), time_zone="Asia/Seoul")
        found = data(signed_in("admin"), query)["conversations"]
        assert [one["key"] for one in found["groups"]] == ["2026-02"]
        assert found["rows"][0]["started_at"] == "2026-02-01T05:00:00+09:00"

    def test_groups_beyond_the_limit_are_in_a_rest(self, signed_in: SignedIn, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("read_targets.lists.engine.MOST_GROUPS", 2)
        found = cash(signed_in("admin"), 'total sums groups(by: "account.name")')
        assert [one.get("rest") for one in found["groups"]] == [None, None, 4]
        assert sum(one["count"] for one in found["groups"]) == found["total"]
        assert sum(Decimal(one["sums"]["amount"]) for one in found["groups"]) == Decimal(found["sums"]["amount"])


class TestAQuestion:
    """Filters, words, order and pages, on declared paths alone."""

    def test_filters_hold_together(self, signed_in: SignedIn) -> None:
        filters = [
            {"name": "amount", "operator": "gte", "value": "-500000.005"},
            {"name": "date", "operator": "year", "value": 2026},
            {"name": "flow", "operator": "eq", "value": "EXPENSE"},
            {"name": "status", "operator": "in", "value": ["BOOKED", "DRAFT"]},
            {"name": "memo", "operator": "isnull", "value": False},
        ]
        found = cash(signed_in("admin"), "total rows", filters=filters)
        expected = [
            one.pk
            for one in CashTransaction.objects.order_by("pk")
            if one.amount >= Decimal("-500000.005") and one.date.year == 2026 and one.flow == "EXPENSE"
            and one.status in ("BOOKED", "DRAFT") and one.memo is not None
        ]  # fmt: skip
        assert sorted(int(row["id"]) for row in found["rows"]) == expected
        assert found["total"] == len(expected) > 0

    @pytest.mark.parametrize(
        ("literal", "least"),
        [
            ("100.005", "100.005"),
            ("3000000000", "3000000000"),
            ('"100.00"', "100"),
            ("-9223372036854775809", "-9223372036854775809"),
        ],
    )
    def test_a_number_in_the_document_keeps_its_digits(self, signed_in: SignedIn, literal: str, least: str) -> None:
        query = f'{{ cashTransactions(filters: [{{name: "amount", operator: "gte", value: {literal}}}]) {{ total }} }}'
        expected = sum(one.amount >= Decimal(least) for one in CashTransaction.objects.all())
        assert data(signed_in("admin"), query)["cashTransactions"]["total"] == expected

    def test_variables_go_anywhere(self, signed_in: SignedIn) -> None:
        query = """
            query ($name: String!, $least: FilterValue, $flow: FilterValue, $limit: Int, $by: String!) {
              cashTransactions(
                filters: [
                  {name: $name, operator: "gte", value: $least}, {name: "flow", operator: "in", value: [$flow, "x" ]}
                ]
                pagination: {limit: $limit}
              ) { total rows groups(by: $by) }
            }
        """
        variables = {"name": "amount", "least": 0, "flow": "INCOME", "limit": 2, "by": "status"}
        assert "not_one_of" in error(signed_in("admin"), query, variables)
        found = data(signed_in("admin"), query.replace('"x"', '"EXPENSE"'), variables)["cashTransactions"]
        assert found["total"] == sum(one.amount >= 0 for one in CashTransaction.objects.all())
        assert len(found["rows"]) == 2
        assert sum(one["count"] for one in found["groups"]) == found["total"]

    def test_sortings_and_pages_put_together_are_the_list(self, signed_in: SignedIn) -> None:
        client = signed_in("clerk")
        sortings = [{"name": "account.name"}, {"name": "amount", "desc": True}]
        whole = cash(client, "rows", sortings=sortings, pagination={"limit": 1_000})["rows"]
        pages = [
            row
            for page in range(1, len(whole) // 5 + 2)
            for row in cash(client, "rows", sortings=sortings, pagination={"page": page, "limit": 5})["rows"]
        ]
        assert pages == whole

    def test_a_page_has_two_hundred_rows_unless_it_says_otherwise(self, signed_in: SignedIn) -> None:
        client = signed_in("admin")
        assert len(cash(client, "rows")["rows"]) == 200
        assert len(cash(client, "rows", pagination={"page": 3})["rows"]) == 200
        assert cash(client, "rows", pagination={"page": 4})["rows"] == []
        assert len(cash(client, "rows", pagination={"page": None, "limit": None})["rows"]) == 200

    @pytest.mark.parametrize(
        "search", ["söhne", " SÖHNE  o'brien ", "한빛", "100%", "%", "Robert'); DROP TABLE", "nobody"]
    )
    def test_words_are_searched(self, signed_in: SignedIn, search: str) -> None:
        expected = [
            one.pk
            for one in CashTransaction.objects.select_related("account")
            if oracle.found([one.counterparty, one.memo, one.account.name], search)
        ]
        assert cash(signed_in("admin"), "total", search=search)["total"] == len(expected)

    @pytest.mark.parametrize("search", [None, "", "   "])
    def test_no_words_search_nothing(self, signed_in: SignedIn, search: str | None) -> None:
        assert cash(signed_in("admin"), "total", search=search)["total"] == CashTransaction.objects.count()

    def test_empty_lists_ask_for_nothing(self, signed_in: SignedIn) -> None:
        assert cash(signed_in("admin"), "total", filters=[], sortings=[])["total"] == CashTransaction.objects.count()


class TestADocument:
    """However the selection is spelt, each part is answered with its own."""

    def test_aliases_are_answered_each_with_its_own(self, signed_in: SignedIn) -> None:
        found = cash(
            signed_in("admin"),
            'n: total byFlow: groups(by: "flow") byStatus: groups(by: "status") again: groups(by: "flow") s: sums',
        )
        assert {one["key"] for one in found["byFlow"]} == {"INCOME", "EXPENSE"}
        assert {one["key"] for one in found["byStatus"]} == {"BOOKED", "DRAFT", "CANCELLED"}
        assert found["again"] == found["byFlow"]
        assert found["n"] == sum(one["count"] for one in found["byStatus"])

    def test_one_list_under_two_names_is_two_questions(self, signed_in: SignedIn) -> None:
        query = """{
          income: cashTransactions(filters: [{name: "flow", operator: "eq", value: "INCOME"}]) { total }
          expense: cashTransactions(filters: [{name: "flow", operator: "eq", value: "EXPENSE"}]) { total }
        }"""
        found = data(signed_in("admin"), query)
        assert found["income"]["total"] + found["expense"]["total"] == CashTransaction.objects.count()
        assert found["income"] != found["expense"]

    def test_fragments_are_opened(self, signed_in: SignedIn) -> None:
        query = """
          query { cashTransactions(pagination: {limit: 2}) { ...figures ...shown } }
          fragment shown on CashTransactionsList { ... on CashTransactionsList { items { ...row } } }
          fragment figures on CashTransactionsList { total ...grouped }
          fragment grouped on CashTransactionsList { groups(by: "flow") }
          fragment row on CashTransactionsItem { id account { name } }
        """
        found = data(signed_in("admin"), query)["cashTransactions"]
        assert (found["total"], len(found["items"]), len(found["groups"])) == (CashTransaction.objects.count(), 2, 2)

    def test_a_list_selected_twice_is_put_together(self, signed_in: SignedIn) -> None:
        query = '{ cashTransactions { total } cashTransactions { items { id } groups(by: "flow") } ...more } '
        query += "fragment more on Query { cashTransactions { sums } }"
        found = data(signed_in("admin"), query)["cashTransactions"]
        assert len(found["items"]) == 200
        assert len(found["groups"]) == 2
        assert (found["total"], set(found["sums"])) == (CashTransaction.objects.count(), {"amount"})

    def test_what_a_directive_leaves_out_is_not_asked(self, signed_in: SignedIn) -> None:
        left_out = 'rows @include(if: $no) groups(by: "nothing") @skip(if: true)'
        query = f"query ($no: Boolean!) {{ cashTransactions {{ total {left_out} }} }}"
        assert data(signed_in("admin"), query, {"no": False})["cashTransactions"] == {
            "total": CashTransaction.objects.count()
        }

    def test_type_names_are_answered(self, signed_in: SignedIn) -> None:
        query = (
            "{ cashTransactions(pagination: {limit: 1}) { __typename items { __typename account { __typename } } } }"
        )
        found = data(signed_in("admin"), query)["cashTransactions"]
        assert found["__typename"] == "CashTransactionsList"
        assert found["items"][0]["account"]["__typename"] == "CashTransactionsItemAccount"

    def test_several_lists_may_be_read_at_once(self, signed_in: SignedIn) -> None:
        found = data(signed_in("clerk"), "{ me accounts { total } wells { total } }")
        assert found["me"] == "clerk"
        assert 0 < found["accounts"]["total"] < Account.objects.count()


class TestRefused:
    """What does not fit is refused with what would, and no row is told."""

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            ('filters: [{name: "nothing", operator: "eq", value: 1}]', "filters take one of: date, account.name"),
            ('filters: [{name: "account", operator: "eq", value: 1}]', "filters take one of"),
            ('filters: [{name: "account.currency", operator: "eq", value: "KRW"}]', "filters take one of"),
            ('filters: [{name: "account__name", operator: "eq", value: "Main"}]', "filters take one of"),
            ('filters: [{name: "booked_at", operator: "isnull", value: true}]', "filters take one of"),
            ('filters: [{name: "id", operator: "eq", value: 1}]', "filters take one of"),
            ('filters: [{name: "amount", operator: "contains", value: 1}]', "takes one of the operators: eq, ne"),
            ('filters: [{name: "amount", operator: "regex", value: ".*"}]', "amount takes one of the operators"),
            ('filters: [{name: "amount", operator: "eq", value: "banana"}]', "not_a_number"),
            ('filters: [{name: "amount", operator: "eq", value: true}]', "not_a_number"),
            ('filters: [{name: "amount", operator: "eq", value: 1e400}]', "too_large"),
            ('filters: [{name: "amount", operator: "eq", value: "NaN"}]', "not_a_number"),
            ('filters: [{name: "amount", operator: "eq", value: {a: 1}}]', "needs a value"),
            ('filters: [{name: "amount", operator: "eq", value: [1]}]', "not_a_number"),
            ('filters: [{name: "amount", operator: "eq", value: null}]', "needs a value"),
            ('filters: [{name: "amount", operator: "eq"}]', "needs a value"),
            ('filters: [{name: "amount", operator: "in", value: 1}]', "takes a list"),
            ('filters: [{name: "amount", operator: "in", value: [1, null]}]', "needs a value"),
            ('filters: [{name: "date", operator: "gte", value: "2026-02-30"}]', "not_a_date"),
            ('filters: [{name: "date", operator: "gte", value: 20260230}]', "not_a_date"),
            ('filters: [{name: "date", operator: "year", value: "banana"}]', "not_an_integer"),
            ('filters: [{name: "date", operator: "period", value: "2026-13"}]', "pattern_mismatch"),
            ('filters: [{name: "date", operator: "period", value: "banana"}]', "pattern_mismatch"),
            ('filters: [{name: "flow", operator: "eq", value: "expense"}]', "not_one_of"),
            ('filters: [{name: "memo", operator: "eq", value: 5}]', "not_a_string"),
            ('filters: [{name: "memo", operator: "isnull", value: "maybe"}]', "not_a_boolean"),
            ('filters: [{name: "memo", operator: "eq", value: "a\\u0000"}]', "not_text"),
            ('sortings: [{name: "nothing"}]', "sortings take one of: date"),
            ('sortings: [{name: "-date"}]', "sortings take one of"),
            ('sortings: [{name: "?"}]', "sortings take one of"),
            ("pagination: {limit: 1001}", "from 1 to 1000"),
            ("pagination: {limit: 0}", "from 1 to 1000"),
            ("pagination: {limit: -1}", "from 1 to 1000"),
            ("pagination: {page: 0}", "a page from 1"),
            ("pagination: {page: -1}", "a page from 1"),
            ("pagination: {page: 2000000000}", "a page from 1"),
            ('search: "a\\u0000b"', "not_text"),
            (f'search: "{"x" * 1_001}"', "too_long"),
            ('nothing: "x"', "Unknown argument"),
            ('filters: [{name: "amount", operator: "eq", value: 1, more: 2}]', "more"),
        ],
    )  # fmt: skip
    def test_an_argument_that_does_not_fit(self, signed_in: SignedIn, arguments: str, said: str) -> None:
        message = error(signed_in("admin"), f"{{ cashTransactions({arguments}) {{ total rows }} }}")
        assert said in message
        assert not any(secret in message for secret in SECRETS)

    @pytest.mark.parametrize("by", ["nothing", "account", "id", "account__name", "booked_at", ""])
    def test_a_group_that_is_not_declared(self, signed_in: SignedIn, by: str) -> None:
        message = error(signed_in("admin"), f'{{ cashTransactions {{ total groups(by: "{by}") }} }}')
        assert "groups(by:) takes one of: date, account.name" in message
        variable = 'query ($by: String!) { cashTransactions { ok: groups(by: "flow") groups(by: $by) } }'
        assert "takes one of" in error(signed_in("admin"), variable, {"by": by})

    @pytest.mark.parametrize(
        "selection", ["items { booked_at }", "items { bookedAt }", "items { account { currency } }", "nothing"]
    )
    def test_a_column_that_is_not_declared(self, signed_in: SignedIn, selection: str) -> None:
        assert "Cannot query field" in error(signed_in("admin"), f"{{ cashTransactions {{ {selection} }} }}")

    def test_more_filters_or_values_than_anybody_writes(self, signed_in: SignedIn) -> None:
        one = {"name": "amount", "operator": "ne", "value": 1}
        query = "query ($filters: [Filter!]) { cashTransactions(filters: $filters) { total } }"
        assert data(signed_in("admin"), query, {"filters": [one] * 100})["cashTransactions"]["total"]
        assert "up to 100" in error(signed_in("admin"), query, {"filters": [one] * 101})
        many = {"name": "amount", "operator": "in", "value": list(range(1_000))}
        assert data(signed_in("admin"), query, {"filters": [many]})["cashTransactions"]["total"] is not None
        many["value"] = list(range(1_001))
        assert "up to 1000" in error(signed_in("admin"), query, {"filters": [many]})

    @pytest.mark.parametrize("value", ["\ud800", "a\0", "x" * 10_000])
    def test_text_that_no_database_takes(self, signed_in: SignedIn, value: str) -> None:
        query = "query ($f: [Filter!], $s: String) { cashTransactions(search: $s, filters: $f) { total } }"
        for operator in ("eq", "contains", "startswith", "gt"):
            filters = [{"name": "memo", "operator": operator, "value": value}]
            assert "memo" in error(signed_in("admin"), query, {"f": filters})
        assert "search" in error(signed_in("admin"), query, {"s": value})


class TestDoors:
    """Who is let in, and how."""

    QUERY = '{ cashTransactions { total sums rows groups(by: "account.name") items { id memo account { name } } } }'

    def test_without_the_door_of_a_list_there_is_no_row_and_no_number(self, signed_in: SignedIn) -> None:
        response = post(signed_in("guest"), self.QUERY)
        assert response.json() == {
            "errors": [
                {
                    "message": "You may not view this list.",
                    "locations": [{"line": 1, "column": 3}],
                    "path": ["cashTransactions"],
                }
            ],
            "data": {"cashTransactions": None},
        }  # fmt: skip

    @pytest.mark.parametrize(
        "arguments", ['filters: [{name: "nothing", operator: "eq"}]', "pagination: {limit: 0}", 'search: "\\u0000"']
    )
    def test_without_the_door_nothing_else_is_told_either(self, signed_in: SignedIn, arguments: str) -> None:
        assert (
            error(signed_in("guest"), f"{{ cashTransactions({arguments}) {{ total }} }}")
            == "You may not view this list."
        )

    def test_one_closed_list_closes_no_other(self, signed_in: SignedIn) -> None:
        answer = post(signed_in("analyst"), "{ cashTransactions { total } wells { total } }").json()
        assert answer["data"]["cashTransactions"]["total"] == CashTransaction.objects.count()
        assert answer["data"]["wells"] is None
        assert [one["path"] for one in answer["errors"]] == [["wells"]]

    @pytest.mark.parametrize("path", ["/graphql", "/graphql/"])
    def test_it_answers_with_and_without_its_slash(self, signed_in: SignedIn, path: str) -> None:
        assert post(signed_in("admin"), "{ me }", path=path).json() == {"data": {"me": "admin"}}
        assert signed_in("admin").get(path, {"query": "{ me }"}).json() == {"data": {"me": "admin"}}

    @pytest.mark.parametrize("path", ["/graphql", "/graphql/"])
    @pytest.mark.parametrize(
        "query", ["{ cashTransactions { total } }", "{ __schema { types { name } } }", "{ broken", ""]
    )
    def test_nobody_is_let_in(self, path: str, query: str) -> None:
        for response in (post(Client(), query, path=path), Client().get(path, {"query": query})):
            assert response.status_code == 401
            assert set(response.json()) == {"errors"}
            assert "Query" not in response.content.decode()

    @pytest.mark.parametrize("name", ["admin", "clerk"])
    def test_an_inactive_person_is_nobody(self, signed_in: SignedIn, name: str) -> None:
        client = signed_in(name)
        User.objects.filter(username=name).update(is_active=False)
        assert post(client, self.QUERY).status_code == 401

    @pytest.mark.parametrize("scheme", ["Bearer", "Token", "Basic", "bearer"])
    def test_a_token_opens_nothing_and_a_session_beside_it_neither(
        self, signed_in: SignedIn, person: Callable[[str], User], scheme: str
    ) -> None:
        _, secret = create_token(person("admin"), "agent")
        for client in (Client(), signed_in("admin")):
            response = post(client, "{ me }", headers={"Authorization": f"{scheme} {secret}"})
            assert response.status_code == 401
            assert "admin" not in response.content.decode()

    def test_the_answer_is_for_this_person_alone(self, signed_in: SignedIn) -> None:
        assert post(signed_in("admin"), "{ me }")["Cache-Control"] == "private, no-store"

    def test_a_post_needs_its_csrf_token(self, person: Callable[[str], User]) -> None:
        client = Client(enforce_csrf_checks=True)
        client.force_login(person("admin"), backend="django.contrib.auth.backends.ModelBackend")
        assert post(client, "{ me }").status_code == 403
        client.get("/graphql", {"query": "{ me }"})
        token = client.cookies["csrftoken"].value
        assert post(client, "{ me }", headers={"X-CSRFToken": token}).json() == {"data": {"me": "admin"}}
        assert post(client, "{ me }", headers={"X-CSRFToken": "x" * len(token)}).status_code == 403

    @pytest.mark.parametrize("method", ["put", "delete", "patch"])
    def test_other_methods_are_refused(self, signed_in: SignedIn, method: str) -> None:
        assert getattr(signed_in("admin"), method)("/graphql").status_code == 405

    @pytest.mark.parametrize(
        "body", ["", "[]", "null", "5", "{", '{"query": 5}', '{"query": ""}', '{"query": "{ me", "variables": "x"}']
    )
    def test_a_body_that_is_no_question_is_refused(self, signed_in: SignedIn, body: str) -> None:
        response = signed_in("admin").post("/graphql", body, "application/json")
        assert response.status_code == 400
        assert response.json()["errors"]

    def test_a_console_is_not_offered(self, signed_in: SignedIn) -> None:
        response = signed_in("admin").get("/graphql", headers={"Accept": "text/html"})
        assert response.status_code == 400
        assert "html" not in response["Content-Type"]


class TestMutations:
    """Whatever a host adds that changes something goes by POST alone."""

    @pytest.fixture
    def door(self, person: Callable[[str], User]) -> Callable[..., Any]:
        """The door of a schema with a mutation that notes that it ran."""
        self.ran: list[str] = []
        ran = self.ran

        class Query(graphene.ObjectType):
            ok = graphene.Boolean()

        class Note(graphene.Mutation):
            ok = graphene.Boolean()

            @staticmethod
            def mutate(root: None, info: Any) -> Any:
                ran.append(info.context.user.username)
                return Note(ok=True)

        class Mutation(graphene.ObjectType):
            note = Note.Field()

        view = graphql_door(graphene.Schema(query=Query, mutation=Mutation))

        def ask(request: HttpRequest) -> Any:
            request.user = person("admin")
            refused = CsrfViewMiddleware(lambda request: None).process_view(request, view, (), {})  # type: ignore[arg-type, return-value]
            return refused or view(request)

        return ask

    def test_by_get_it_does_not_run(self, door: Callable[..., Any]) -> None:
        for query in ("mutation { note { ok } }", "query A { ok } mutation B { note { ok } }"):
            request = RequestFactory().get("/graphql", {"query": query, "operationName": "B"})
            assert door(request).status_code in (400, 405)
        assert self.ran == []

    def test_by_post_it_runs(self, door: Callable[..., Any]) -> None:
        body = json.dumps({"query": "mutation { note { ok } }"})
        request = RequestFactory().post("/graphql", body, "application/json")
        request._dont_enforce_csrf_checks = True  # type: ignore[attr-defined]
        assert json.loads(door(request).content) == {"data": {"note": {"ok": True}}}
        assert self.ran == ["admin"]

    def test_by_post_without_a_csrf_token_it_does_not(self, door: Callable[..., Any]) -> None:
        body = json.dumps({"query": "mutation { note { ok } }"})
        request = RequestFactory(enforce_csrf_checks=True).post("/graphql", body, "application/json")
        assert door(request).status_code == 403
        assert self.ran == []


def test_the_days_of_a_filter_are_days(signed_in: SignedIn) -> None:
    day = CashTransaction.objects.order_by("pk")[300].date
    found = cash(signed_in("admin"), "rows", filters=[{"name": "date", "operator": "eq", "value": day.isoformat()}])
    assert {date.fromisoformat(row["date"]) for row in found["rows"]} == {day}
