"""A GraphQL document is read once, and one that is too deep or too wide is refused before anything is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import graphene
import pytest
from django.test import Client
from django.test.utils import CaptureQueriesContext
from graphql import DocumentNode, get_introspection_query
from graphql.validation import NoSchemaIntrospectionCustomRule, specified_rules

from project.schema import schema as site_schema
from read_targets import documents
from read_targets.documents import Rules, Unfit, document

SCHEMA = site_schema.graphql_schema
SMALL = Rules(depth=3, fields=6)
COUNTED = '{ cashTransactions { total groups(by: "flow") } }'


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    documents._kept.cache_clear()
    yield
    documents._kept.cache_clear()


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The documents that were parsed."""
    found: list[str] = []
    parse = documents.parse

    def noting(text: str, **options: Any) -> DocumentNode:
        found.append(text)
        return parse(text, **options)

    monkeypatch.setattr(documents, "parse", noting)
    return found


def why(text: str, rules: Rules = SMALL, schema: Any = SCHEMA) -> str:
    """Why a document is refused; empty where it is not."""
    try:
        document(schema, text, rules)
    except Unfit as unfit:
        return str(unfit.errors[0].message)
    return ""


class TestKeeping:
    """One that fits is parsed and held against the schema once; nothing else is kept."""

    def test_the_same_text_is_the_same_document(self, parsed: list[str]) -> None:
        assert document(SCHEMA, "{ me }") is document(SCHEMA, "{ me }")
        assert parsed == ["{ me }"]

    @pytest.mark.parametrize("text", ["{ broken", "{ nowhere }"])
    def test_an_error_is_told_each_time_and_never_kept(self, parsed: list[str], text: str) -> None:
        assert why(text) == why(text) != ""
        assert parsed == [text, text]

    def test_each_schema_judges_for_itself(self) -> None:
        class Query(graphene.ObjectType):
            other = graphene.String()

        other = graphene.Schema(query=Query).graphql_schema
        assert why("{ me }") == ""
        assert why("{ me }", schema=other) != ""
        assert why("{ other }", schema=other) == ""

    def test_each_set_of_rules_judges_for_itself(self) -> None:
        closed = Rules(validation=(*specified_rules, NoSchemaIntrospectionCustomRule))
        text = "{ __schema { queryType { name } } }"
        assert why(text) == ""
        assert "introspection" in why(text, closed)

    def test_only_so_many_are_kept_and_none_that_is_long(self, parsed: list[str]) -> None:
        for number in range(documents.MOST_KEPT + 1):
            document(SCHEMA, f"{{ a{number}: me }}")
        assert documents._kept.cache_info().currsize == documents.MOST_KEPT
        long = "{ me } #" + "x" * documents.LONGEST_KEPT
        assert document(SCHEMA, long) is not document(SCHEMA, long)

    @pytest.mark.django_db
    def test_the_door_reads_a_document_once_for_all_who_send_it(
        self, signed_in: Callable[[str], Client], parsed: list[str]
    ) -> None:
        for name in ("admin", "clerk", "admin"):
            answer = signed_in(name).post("/graphql", {"query": "{ me }"}, "application/json").json()
            assert answer == {"data": {"me": name}}
        assert parsed == ["{ me }"]


class TestMeasures:
    """Depth and fields are counted where they are spread, before the document is held against the schema."""

    FRAGMENTS = "fragment a on Query { me ...b ...b } fragment b on Query { me }"

    @pytest.mark.parametrize(
        "text",
        [
            "{ me }",
            "{ cashTransactions { items { id } } }",
            "{ a: me b: me c: me d: me e: me f: me }",
            f"{{ ...a ...a }} {FRAGMENTS}",
            "{ ... { ... { ... { ... { me } } } } }",
        ],
        ids=["one", "as deep", "as many", "as many in fragments", "inline"],
    )
    def test_what_is_within_them_is_taken(self, text: str) -> None:
        assert why(text) == ""

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("{ cashTransactions { items { account { name } } } }", "Fields stand at most 3 deep"),
            ("{ cashTransactions { ...a } } fragment a on X { items { account { name } } }", "Fields stand at most 3"),
            ("{ ...a } fragment a on X { a { b { c { d } } } }", "Fields stand at most 3 deep"),
            ("{ a: me b: me c: me d: me e: me f: me g: me }", "takes at most 6 fields"),
            (f"{{ ...a ...a me }} {FRAGMENTS}", "takes at most 6 fields"),
            ("query A { me } query B { a { b { c { d } } } }", "Fields stand at most 3 deep"),
            ("{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }", "A fragment spreads itself."),
            ("{" + " ".join(f"a{number}: me" for number in range(150)) + "}", "has at most 1200 characters"),
            ("{ me } " + "#\n" * 100, "more than 60 tokens"),
        ],
        ids=["deep", "deep in a fragment", "deep as a fragment", "wide", "wide in fragments", "any operation", "circle",
             "long", "comments"],
    )  # fmt: skip
    def test_what_is_beyond_them_is_refused(self, text: str, said: str) -> None:
        assert said in why(text)

    @pytest.mark.parametrize("rules", [Rules(), Rules(20, 2_000)], ids=["no limits", "limits"])
    def test_what_has_no_bottom_is_refused(self, rules: Rules) -> None:
        assert why("{" + "a{" * 8_000 + "a" + "}" * 8_001, rules) != ""

    def test_fragments_that_double_each_other_are_counted_and_not_followed(self) -> None:
        doubling = " ".join(
            f"fragment f{number} on Query {{ ...f{number + 1} ...f{number + 1} }}" for number in range(60)
        )
        text = f"{{ ...f0 }} {doubling} fragment f60 on Query {{ me }}"
        assert "at most 500 fields" in why(text, Rules(20, 500))

    def test_what_is_refused_is_not_held_against_the_schema(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(documents, "validate", lambda *given: pytest.fail("it was"))
        assert why("{ a: me b: me c: me d: me e: me f: me g: me }") != ""

    def test_without_limits_anything_is_taken(self) -> None:
        assert why("{" + " ".join(f"a{number}: me" for number in range(2_000)) + "}", Rules()) == ""


@pytest.mark.django_db
class TestTheDoor:
    """What the settings let it be."""

    def test_tools_may_ask_for_the_whole_schema(self, signed_in: Callable[[str], Client]) -> None:
        answer = signed_in("clerk").post("/graphql", {"query": get_introspection_query()}, "application/json").json()
        assert answer["data"]["__schema"]["queryType"]["name"] == "Query"

    @pytest.mark.parametrize("setting", [{"GRAPHQL_MOST_FIELDS": 2}, {"GRAPHQL_MOST_DEPTH": 1}])
    def test_what_is_too_much_is_an_error_and_reads_nothing(
        self, signed_in: Callable[[str], Client], settings: Any, setting: dict[str, int]
    ) -> None:
        from django.db import connection

        settings.READ_TARGETS = setting
        client = signed_in("admin")
        with CaptureQueriesContext(connection) as sent:
            response = client.post("/graphql", {"query": COUNTED}, "application/json")
        assert response.status_code == 400
        assert "at most" in response.json()["errors"][0]["message"]
        assert not [one for one in sent.captured_queries if "ledger_cashtransaction" in one["sql"]]
        settings.READ_TARGETS = dict.fromkeys(setting)
        assert "errors" not in client.post("/graphql", {"query": COUNTED}, "application/json").json()

    def test_the_limits_hold_for_a_mutation_too(self, signed_in: Callable[[str], Client], settings: Any) -> None:
        settings.READ_TARGETS = {"GRAPHQL_MOST_FIELDS": 1}
        text = "mutation { a: __typename b: __typename }"
        answer = signed_in("admin").post("/graphql", {"query": text}, "application/json").json()
        assert "at most 1 field" in answer["errors"][0]["message"]

    @pytest.mark.parametrize("sent", ["token", "nothing"])
    def test_whoever_is_refused_without_csrf_reads_json(
        self, signed_in: Callable[[str], Client], agent: Any, sent: str
    ) -> None:
        client = Client(enforce_csrf_checks=True)
        client.cookies = signed_in("admin").cookies
        headers = agent("admin").headers if sent == "token" else {}
        response = client.post("/graphql", {"query": "{ me }"}, "application/json", headers=headers)
        assert response.status_code == (401 if sent == "token" else 403)
        assert set(response.json()) == {"errors"}
