"""A list is declared in one line, and a wrong declaration is refused with what would fit."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.db.models import Model

from project.demo.factory.models import Conversation, Project
from project.demo.ledger.models import CashTransaction
from read_targets.lists import ListDefinition, UnknownList, get_list, register_list, registered_lists
from read_targets.lists import registry as registry_module

from .shelf import ACROSS, THINGS, Box, Thing, Token


def test_one_line_declares_every_plain_field_for_every_use() -> None:
    plain = tuple(
        "words colour price wide fine huge round rough count places big done day at code address".split()  # noqa: SIM905
    )
    assert THINGS.shown == THINGS.filtered == THINGS.sorted == THINGS.grouped == plain
    assert (THINGS.searched, THINGS.order) == (("words",), ())


def test_keys_relations_and_passwords_are_not_shown_by_themselves() -> None:
    users = ListDefinition("users", User)
    assert not {"password", "id", "groups"} & set(users.shown or ())
    assert "username" in (users.shown or ())
    assert "tenant" not in (ListDefinition("projects", Project).shown or ())
    assert ListDefinition("tokens", Token).shown == ("name",)
    assert ListDefinition("tokens", Token, shown="id name").path("id").kind == "string"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("words", "string"), ("colour", "enum"), ("price", "number"), ("rough", "number"), ("count", "integer"),
        ("places", "integer"), ("big", "integer"), ("done", "boolean"), ("day", "date"), ("at", "date"),
        ("code", "string"), ("address", "string"), ("round", "number"),
    ],
)  # fmt: skip
def test_each_field_has_a_kind(path: str, kind: str) -> None:
    assert THINGS.path(path).kind == kind


def test_a_path_knows_its_field() -> None:
    assert THINGS.path("at").is_moment
    assert not THINGS.path("day").is_moment
    assert THINGS.path("colour").values == ("RED", "BLUE")
    assert THINGS.path("words").values == ()
    scales = [THINGS.path(path).scale for path in ("price", "fine", "round", "count", "rough", "words")]
    assert scales == [2, 10, 0, 0, None, None]
    outer = ACROSS.path("box.outer.label")
    assert (outer.lookup, outer.hops, outer.nullable) == (
        "box__outer__label",
        (("box", Box), ("box__outer", Box)),
        True,
    )
    tenant = get_list("conversations").path("project.tenant.name")
    assert (tenant.nullable, tenant.label) == (True, "tenant name")
    assert not get_list("cashTransactions").path("account.name").nullable


def test_paths_may_be_a_text_or_several() -> None:
    for given in ("words price", ("words", "price"), ["words", "price"], iter(["words", "price"])):
        definition = ListDefinition("things", Thing, shown=given)
        assert definition.shown == definition.grouped == ("words", "price")
    assert ListDefinition("things", Thing, shown="words", grouped="").grouped == ()


def test_each_use_has_an_allow_list_of_its_own() -> None:
    definition = ListDefinition(
        "t", Thing, shown="words", filtered="price", sorted="count", grouped="day", searched="words", order="-big"
    )
    assert definition.every_path == ("words", "price", "count", "day", "big")
    assert set(definition.paths) == set(definition.every_path)
    with pytest.raises(KeyError):
        definition.path("at")


@pytest.mark.parametrize(
    ("model", "options", "said"),
    [
        (Thing, {"shown": "nothing"}, "'nothing'"),
        (Thing, {"shown": "words", "filtered": "nothing"}, "'nothing'"),
        (Thing, {"shown": "words", "sorted": "nothing"}, "'nothing'"),
        (Thing, {"shown": "words", "grouped": "nothing"}, "'nothing'"),
        (Thing, {"searched": "nothing"}, "'nothing'"),
        (Thing, {"order": "-nothing"}, "'nothing'"),
        (Thing, {"shown": "box"}, "'box' is a ForeignKey"),
        (Thing, {"shown": "box.nothing"}, "shelf.Box does not have"),
        (Thing, {"shown": "words.length"}, "no to-one relation"),
        (Thing, {"shown": "words__length"}, "'words__length'"),
        (Thing, {"shown": "box__label"}, "'box__label'"),
        (Thing, {"shown": "pk"}, "'pk'"),
        (Thing, {"shown": "box..label"}, "''"),
        (Thing, {"searched": "price"}, "no text"),
        (Thing, {"searched": "at"}, "no text"),
        (User, {"shown": "groups.name"}, "no to-one relation"),
        (User, {"shown": "logentry.object_repr"}, "no to-one relation"),
        (Project, {"shown": "conversation.title"}, "no to-one relation"),
        (CashTransaction, {"shown": "account.cashtransaction.memo"}, "no to-one relation"),
    ],
)
def test_a_path_that_does_not_fit_is_refused_by_name(model: type[Model], options: dict[str, Any], said: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="wrong") as refused:
        ListDefinition("wrong", model, **options)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    "name", ["", "two words", "with-hyphen", "1st", "ledger.cash", "überweisungen", "__type", "목록", "a\n"]
)
def test_a_name_that_is_no_graphql_field_is_refused(name: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="GraphQL field name"):
        ListDefinition(name, Thing)


class TestRegistry:
    """Lists by name."""

    @pytest.fixture(autouse=True)
    def _own(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(registry_module, "_lists", dict(registry_module._lists))

    def test_a_registered_list_is_found_by_its_name(self) -> None:
        definition = ListDefinition("shelfThings", Thing)
        assert register_list(definition) is definition
        assert get_list("shelfThings") is definition
        assert definition in registered_lists()

    def test_a_second_list_of_that_name_is_refused_and_the_holder_named(self) -> None:
        register_list(ListDefinition("shelfThings", Thing))
        for second in (
            ListDefinition("shelfThings", Conversation),
            ListDefinition("shelfThings", Thing, shown="words"),
            ListDefinition("shelfThings", Thing, queryset=lambda actor: Thing.objects.none()),
            ListDefinition("shelfThings", Thing),
        ):
            with pytest.raises(ImproperlyConfigured, match=r"shelfThings.*shelf\.Thing"):
                register_list(second)
        assert get_list("shelfThings").queryset is None

    def test_the_same_list_may_be_registered_again(self) -> None:
        definition = register_list(ListDefinition("shelfThings", Thing))
        assert register_list(definition) is definition

    def test_a_list_that_is_not_registered_is_unknown(self) -> None:
        for name in ("nothing", "", "CashTransactions", "cashTransactions "):
            with pytest.raises(UnknownList):
                get_list(name)

    def test_the_lists_of_every_app_are_found_in_order_of_their_names(self) -> None:
        names = [one.name for one in registered_lists()]
        assert names == sorted(names)
        assert {"cashTransactions", "wells", "connectionRuns", "tenants", "conversations"} <= set(names)

    def test_the_door_of_a_list_is_the_right_to_view_its_model(self) -> None:
        assert get_list("cashTransactions").view_permission == "ledger.view_cashtransaction"
