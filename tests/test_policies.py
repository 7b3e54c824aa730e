"""*May X do this to Z* and *which Zs* have one answer, for every kind of person, model and grant."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Model
from django.test.utils import CaptureQueriesContext
from guardian.shortcuts import assign_perm
from guardian.utils import get_group_obj_perms_model, get_user_obj_perms_model

from project.demo.drilling.models import Well
from project.demo.factory.models import Conversation, Tenant
from project.demo.ledger.models import Account, CashTransaction
from read_targets.doors import queryable
from read_targets.lists import ListDefinition, Question, ask, get_list
from read_targets.models import ReadTarget
from read_targets.policies import (
    GRANT,
    PREVIEW,
    QUERY,
    Actor,
    RowAccess,
    SharedAccess,
    access_of,
    forget_rights,
    holds_everywhere,
    is_someone,
    open_doors,
    permits,
    permitted,
    right_of,
    shapes,
    view_permission,
)
from read_targets.policies.eyes import may_look_as
from read_targets.policies.grants import holders
from tests import oracle

pytestmark = pytest.mark.django_db

GENERIC, DIRECT, BY_UUID, TARGETS = (
    "ledger.view_account",
    "ledger.view_cashtransaction",
    "factory.view_conversation",
    QUERY,
)
MODELS: dict[str, type[Model]] = {
    GENERIC: Account,
    DIRECT: CashTransaction,
    BY_UUID: Conversation,
    TARGETS: ReadTarget,
}
"""A right in guardian's generic tables, in tables of its own, on objects whose key is no number, and on targets."""

EVERY, NONE, FIRST, SECOND, TWO = "every", "none", "first", "second", "first and second"


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    """Rights that a test makes are undone with it, and their keys given to others."""
    yield
    forget_rights()


class Cast:
    """People with every kind of grant of one permission; `sees` says on which of the objects each holds it."""

    def __init__(self, permission: str) -> None:
        self.permission = permission
        self.model = MODELS[permission]
        self.objects = list(self.model._default_manager.order_by("pk")[:4])
        self.first, self.second, *_ = self.objects
        app_label, _, codename = permission.partition(".")
        self.right = Permission.objects.get(content_type__app_label=app_label, codename=codename)
        self.sees: dict[str, tuple[Any, str]] = {"nobody at all": (None, NONE), "anonymous": (AnonymousUser(), NONE)}
        self._add("no grant", NONE)
        self._add("superuser", EVERY, is_superuser=True)
        self._everywhere(self._add("inactive", NONE, is_active=False))
        self._grant(self.sees["inactive"][0], self.first)
        self._grant(self._add("inactive superuser", NONE, is_active=False, is_superuser=True), self.first)
        self._everywhere(self._add("model-level", EVERY))
        self._add("model-level by group", EVERY).groups.add(self._group(everywhere=True))
        self._grant(self._add("on an object", FIRST), self.first)
        self._add("on an object by group", SECOND).groups.add(self._group(self.second))
        both = self._add("twice on one object", FIRST)
        self._grant(both, self.first)
        both.groups.add(self._group(self.first), self._group(self.first))
        apart = self._add("on one in person and another by group", TWO)
        self._grant(apart, self.first)
        apart.groups.add(self._group(self.second))
        everything = self._add("model-level and on an object", EVERY)
        self._everywhere(everything)
        self._grant(everything, self.first)
        everything.groups.add(self._group(self.second))
        self._add("in a group that holds nothing", NONE).groups.add(Group.objects.create(name="empty"))
        self._add("staff", NONE, is_staff=True)
        other = self._add("another right", NONE)
        assign_perm(f"{app_label}.delete_{self.model._meta.model_name}", other)
        assign_perm(f"{app_label}.change_{self.model._meta.model_name}", other, self.first)
        elsewhere = self._add("on the same key of another model", NONE)
        assign_perm("drilling.view_well", elsewhere, Well.objects.get(pk=1))
        assign_perm("factory.view_tenant", elsewhere, Tenant.objects.get(pk=1))

    def _add(self, name: str, sees: str, **options: Any) -> User:
        user = User.objects.create(username=name, **options)
        self.sees[name] = (user, sees)
        return user

    def _everywhere(self, holder: User) -> None:
        holder.user_permissions.add(self.right)

    def _grant(self, holder: User | Group, obj: Model) -> None:
        assign_perm(self.permission, holder, obj)

    def _group(self, obj: Model | None = None, *, everywhere: bool = False) -> Group:
        group = Group.objects.create(name=uuid.uuid4().hex)
        if everywhere:
            group.permissions.add(self.right)
        if obj is not None:
            self._grant(group, obj)
        return group

    def expected(self, sees: str) -> set[Any]:
        """The keys of the objects that are seen."""
        if sees == EVERY:
            return set(self.model._default_manager.values_list("pk", flat=True))
        chosen: dict[str, set[Any]] = {FIRST: {self.first.pk}, SECOND: {self.second.pk}}
        chosen[TWO] = chosen[FIRST] | chosen[SECOND]
        return chosen.get(sees, set())

    def person(self, name: str) -> Any:
        """The person, as a request brings them: with nothing remembered."""
        user = self.sees[name][0]
        return User.objects.get(pk=user.pk) if isinstance(user, User) else user


@pytest.fixture(params=list(MODELS))
def people(request: pytest.FixtureRequest) -> Cast:
    """People around each of the permissions."""
    return Cast(request.param)


def test_which_objects_and_whether_on_each_agree(people: Cast) -> None:
    for name, (_, sees) in people.sees.items():
        person, expected = people.person(name), people.expected(sees)
        for caller in (person, Actor(person)):
            found = permitted(caller, people.permission, people.model._base_manager.all())
            keys = [str(key) for key in found.values_list("pk", flat=True)]
            assert sorted(keys) == sorted(map(str, expected)), name  # each once, too
        for obj in people.objects:
            assert permits(person, people.permission, obj) == (obj.pk in expected), name
        assert holds_everywhere(person, people.permission) == (sees == EVERY), name


@pytest.mark.parametrize("first", [0, 20])
def test_people_of_one_shape_are_asked_for_by_one_statement(people: Cast, first: int) -> None:
    asked: dict[Any, str] = {}
    for name in people.sees:
        access = access_of(people.person(name))
        shape = access.shape(people.model, first)
        assert shape is not None
        try:
            statement = str(access.rows(people.model._base_manager.all(), first).query)
        except EmptyResultSet:
            statement = ""
        assert asked.setdefault(shape, statement) == statement, name
        assert (access.viewable(people.model) is None) == (shape == "every"), name
    # What may be queried is another right than what may be viewed.
    assert len(set(asked.values())) == len(asked) >= (2 if people.permission == TARGETS else 5)


def test_whoever_narrows_rights_down_has_no_shape(people: Cast) -> None:
    class Narrowed(RowAccess):
        """Rights of which a class of the application takes away."""

    assert Narrowed(Actor(people.person("superuser"))).shape(people.model) is None


def test_who_holds_it_agrees(people: Cast) -> None:
    for obj in people.objects:
        told = list(holders(people.permission, obj))
        assert len(told) == len(set(told))
        for name, (user, sees) in people.sees.items():
            assert (user in told) == (obj.pk in people.expected(sees)), name


def test_which_doors_are_open_agrees(people: Cast) -> None:
    for name, (_, sees) in people.sees.items():
        doors = open_doors(people.person(name), [people.permission, "ledger.view_exchangerate", "no.such_right"])
        is_superuser = name == "superuser"
        assert (people.permission in doors) == (sees != NONE), name
        assert ("no.such_right" in doors) == is_superuser, name
        assert open_doors(people.person(name), []) == frozenset()


@pytest.mark.parametrize("people", [GENERIC, DIRECT, BY_UUID], indirect=True)
def test_the_oracle_agrees(people: Cast) -> None:
    """The independent look at the tables that other tests go by."""
    for name, (_, sees) in people.sees.items():
        if isinstance(people.person(name), User):
            rights = oracle.Rights(people.person(name))
            seen = {one.pk for one in oracle.viewed(people.model._base_manager.all(), rights)}
            assert seen == people.expected(sees), name
            assert rights.has_door(people.model) == (sees != NONE), name


@pytest.mark.parametrize("sparse", [shapes.SPARSE, 0], ids=["few-grants", "many-grants"])
@pytest.mark.parametrize("people", [GENERIC, DIRECT, BY_UUID], indirect=True)
def test_a_list_and_its_door_agree(people: Cast, sparse: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shapes, "SPARSE", sparse)
    definition = ListDefinition("asked", people.model)
    for name, (_, sees) in people.sees.items():
        access = access_of(people.person(name))
        answer = ask(definition, Question(limit=1_000_000, shown=(definition.shown or ())[:1]), access)
        assert {row.id for row in answer.rows} == people.expected(sees), name
        assert answer.total == len(answer.rows), name
        assert access.has_door(definition) == (sees != NONE), name
        viewable = access.viewable(people.model)
        assert (viewable is None) == (sees == EVERY), name
        if viewable is not None:
            assert {one.pk for one in viewable} == people.expected(sees), name


def test_a_right_that_is_taken_away_is_gone_at_once(people: Cast) -> None:
    user = people.person("on one in person and another by group")
    assert len(permitted(user, people.permission, people.model._base_manager.all())) == 2
    user.groups.clear()
    assert [one.pk for one in permitted(user, people.permission, people.model._base_manager.all())] == [people.first.pk]
    User.objects.filter(pk=user.pk).update(is_active=False)
    user = User.objects.get(pk=user.pk)
    assert not permitted(user, people.permission, people.model._base_manager.all()).exists()
    assert open_doors(user, [people.permission]) == frozenset()


@pytest.mark.parametrize(
    "name", ["no grant", "on an object", "twice on one object", "on one in person and another by group"]
)
def test_statements_are_as_many_however_many_rows_and_grants(people: Cast, name: str) -> None:
    def statements() -> tuple[int, int, int]:
        """How many a list of permitted objects, a check, and a look at the doors take, for a fresh person."""
        counted = []
        for ask_for in (
            lambda user: list(permitted(user, people.permission, people.model._base_manager.all())),
            lambda user: permits(user, people.permission, people.first),
            lambda user: open_doors(user, [people.permission]),
        ):
            user = people.person(name)
            with CaptureQueriesContext(connection) as captured:
                ask_for(user)
            counted.append(len(captured))
        return counted[0], counted[1], counted[2]

    right_of(people.permission)
    before = statements()
    user, group = people.person(name), Group.objects.create(name="more")
    user.groups.add(group, Group.objects.create(name="and more"))
    for obj in people.model._default_manager.all()[:20]:
        assign_perm(people.permission, user, obj)
        assign_perm(people.permission, group, obj)
    assert statements() == before
    assert max(before) <= 4


def test_all_doors_are_asked_for_in_one_statement(person: Callable[[str], User]) -> None:
    every = [
        f"{one.content_type.app_label}.{one.codename}" for one in Permission.objects.select_related("content_type")
    ]
    open_doors(person("clerk"), every)  # content types are remembered by the process
    counted = []
    for asked in (every[:1], every):
        user = person("clerk")
        with CaptureQueriesContext(connection) as captured:
            open_doors(user, asked)
        counted.append(len(captured))
    assert counted[1] <= 2  # what the person holds everywhere, with their groups, and the single grants


def test_statements_are_as_many_however_many_targets(person: Callable[[str], User]) -> None:
    def statements() -> int:
        actor = Actor(person("clerk"))
        with CaptureQueriesContext(connection) as captured:
            queryable(actor)
        return len(captured)

    queryable(Actor(person("clerk")))
    ReadTarget.objects.exclude(key="ledger.cash-transactions").update(enabled=False)
    before = statements()
    ReadTarget.objects.update(enabled=True)
    assert statements() == before


class TestShapes:
    """A row is permitted or not, however the database is asked."""

    @pytest.mark.parametrize("model", [Account, CashTransaction, Conversation])
    def test_many_grants_are_asked_row_by_row_and_few_come_first(
        self, model: type[Model], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        user = User.objects.create(username="some")
        group = Group.objects.create(name="some")
        user.groups.add(group)
        objects = list(model._default_manager.order_by("pk")[:5])
        for obj in objects[:3]:
            assign_perm(view_permission(model), user, obj)
        for obj in objects[2:4]:
            assign_perm(view_permission(model), group, obj)
        found = {}
        for sparse in (shapes.SPARSE, 0):
            monkeypatch.setattr(shapes, "SPARSE", sparse)
            rows = access_of(user).rows(model._default_manager.order_by("pk"), first=20)
            found[str(rows.query)] = list(rows)
        assert len(found) == 2
        assert list(found.values()) == [objects[:4]] * 2

    def test_grants_are_counted_once_in_a_call_and_no_further_than_needed(self, person: Callable[[str], User]) -> None:
        access = access_of(person("clerk"))
        with CaptureQueriesContext(connection) as captured:
            access.has_door(get_list("cashTransactions"))
            access.rows(CashTransaction.objects.all())
            access.rows(CashTransaction.objects.all(), first=20)
        counting = [one["sql"] for one in captured if "COUNT(*)" in one["sql"]]
        assert len(counting) == 1
        assert f"LIMIT {int(shapes.SPARSE * 20**0.5) + 1}" in counting[0]


class TestObjectsThatGo:
    """A new object of the same key inherits no grant."""

    @pytest.mark.parametrize("model", [Account, CashTransaction, Conversation, Well, ReadTarget])
    @pytest.mark.parametrize("how", ["one", "many"])
    def test_grants_go_with_their_object(self, model: type[Model], how: str) -> None:
        obj = model._default_manager.order_by("pk").last()
        assert obj is not None
        user, group = User.objects.create(username="kept"), Group.objects.create(name="kept")
        user.groups.add(group)
        permission = view_permission(model)
        assign_perm(permission, user, obj)
        assign_perm(permission, group, obj)
        assert permits(User.objects.get(pk=user.pk), permission, obj)
        key = obj.pk
        if how == "one":
            obj.delete()
        else:
            model._default_manager.filter(pk=key).delete()
        assert not get_user_obj_perms_model(model)._base_manager.filter(user=user).exists()
        assert not get_group_obj_perms_model(model)._base_manager.filter(group=group).exists()


class TestKeysOfSeveralKinds:
    """Guardian's generic tables hold keys of every model as text, one beside the other."""

    @pytest.fixture
    def mixed(self) -> User:
        """Somebody without groups, with grants on objects with numbers and with identifiers as keys."""
        user = User.objects.create(username="mixed")
        for account in Account.objects.all()[:2]:
            assign_perm("ledger.view_account", user, account)
        for tenant in Tenant.objects.all()[:5]:
            assign_perm("factory.view_tenant", user, tenant)
        for conversation in Conversation.objects.order_by("pk")[:7]:
            assign_perm("factory.view_conversation", user, conversation)
        return user

    @pytest.mark.parametrize("in_group", [False, True])
    def test_each_model_finds_its_own(self, mixed: User, in_group: bool) -> None:
        if in_group:
            mixed.groups.add(Group.objects.create(name="one"))
        mixed = User.objects.get(pk=mixed.pk)
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute("ANALYZE guardian_userobjectpermission")
        for model, many in ((Account, 2), (Tenant, 5), (Conversation, 7)):
            assert access_of(mixed).rows(model._default_manager.all()).count() == many
            assert len(list(access_of(mixed).rows(model._default_manager.all()))) == many

    def test_across_relations_too(self, mixed: User) -> None:
        definition = ListDefinition("talks", Conversation, shown="title project.tenant.name")
        rights = oracle.Rights(mixed)
        told = oracle.tell(
            oracle.viewed(Conversation.objects.all(), rights), rights.may_view, shown=["title", "project.tenant.name"]
        )
        answer = ask(definition, Question(limit=100), access_of(mixed))
        assert [row.id for row in answer.rows] == told.keys
        hidden = [one["project.tenant.name"] is oracle.WITHHELD for one in told.values]
        assert ["project.tenant.name" in row.withheld for row in answer.rows] == hidden

    def test_a_right_of_the_same_name_on_another_model_is_another(self) -> None:
        tenants = ContentType.objects.get_for_model(Tenant)
        namesake = Permission.objects.create(content_type=tenants, codename="view_account", name="A namesake")
        user = User.objects.create(username="namesake")
        user.user_permissions.add(namesake)
        assign_perm(namesake, user, Tenant.objects.get(pk=1))
        user = User.objects.get(pk=user.pk)
        assert not permitted(user, "ledger.view_account", Account.objects.all()).exists()
        assert open_doors(user, ["ledger.view_account", "factory.view_account"]) == {"factory.view_account"}
        assert user not in holders("ledger.view_account", Account.objects.get(pk=1))

    def test_a_right_that_there_is_none_is_nobodys(self, person: Callable[[str], User]) -> None:
        assert right_of("ledger.see_account") is None
        assert not permitted(person("analyst"), "ledger.see_account", Account.objects.all()).exists()
        assert list(holders("ledger.see_account", Account.objects.get(pk=1))) == [person("admin")]

    def test_a_right_that_is_made_later_is_found(self) -> None:
        user, account = User.objects.create(username="later"), Account.objects.get(pk=1)
        assert not permits(user, "ledger.audit_account", account)
        Permission.objects.create(
            content_type=ContentType.objects.get_for_model(Account), codename="audit_account", name="Audit"
        )
        assign_perm("ledger.audit_account", user, account)
        assert permits(User.objects.get(pk=user.pk), "ledger.audit_account", account)
        Permission.objects.get(codename="audit_account").delete()
        assert not permits(User.objects.get(pk=user.pk), "ledger.audit_account", account)

    @pytest.mark.parametrize("codename", ["audit", "audit_the_books", "close_account"])
    def test_a_right_opens_its_door_whatever_it_is_called(self, codename: str) -> None:
        for model in (Account, CashTransaction):
            user = User.objects.create(username=model.__name__)
            kind = ContentType.objects.get_for_model(model)
            name = f"{codename}_{model.__name__}"
            right = Permission.objects.create(content_type=kind, codename=name, name="Audit")
            obj = model._default_manager.first()
            assert obj is not None
            assign_perm(right.codename, user, obj)
            user = User.objects.get(pk=user.pk)
            assert permits(user, f"ledger.{name}", obj)
            assert open_doors(user, [f"ledger.{name}"]) == {f"ledger.{name}"}


class TestSharedAccess:
    """What two people may both view: a preview shows no more than either may."""

    @pytest.mark.parametrize(
        ("viewer", "rows", "names"),
        [("admin", "clerk", "clerk"), ("clerk", "clerk", "clerk"), ("analyst", "clerk", "clerk"), ("guest", "", "")],
    )
    def test_rows_and_values_are_those_of_both(
        self, person: Callable[[str], User], viewer: str, rows: str, names: str
    ) -> None:
        definition = get_list("cashTransactions")
        question = Question(limit=1_000, group_by="account.name", figures=("amount",))
        shared = SharedAccess(access_of(person("clerk")), access_of(person(viewer)))
        answer = ask(definition, question, shared)
        if rows:
            assert answer == ask(definition, question, access_of(person(rows)))
        else:
            assert (answer.total, answer.rows, answer.groups) == (0, [], [])
        assert shared.has_door(definition) == bool(rows)
        assert shared.actor.user.username == "clerk"
        assert names == rows

    def test_each_narrows_the_other_down(self, person: Callable[[str], User]) -> None:
        one, two = (User.objects.create(username=name) for name in ("one", "two"))
        accounts = list(Account.objects.order_by("pk"))
        for account in accounts[:3]:
            assign_perm("ledger.view_account", one, account)
        for account in accounts[2:]:
            assign_perm("ledger.view_account", two, account)
        for mine, theirs in ((one, two), (two, one)):
            shared = SharedAccess(access_of(mine), access_of(theirs))
            assert list(shared.rows(Account.objects.all())) == [accounts[2]]
            viewable = shared.viewable(Account)
            assert viewable is not None
            assert list(viewable) == [accounts[2]]
        admin = person("admin")
        for pair in ((one, admin), (admin, one)):
            viewable = SharedAccess(*map(access_of, pair)).viewable(Account)
            assert viewable is not None
            assert set(viewable) == set(accounts[:3])
        assert SharedAccess(access_of(admin), access_of(admin)).viewable(Account) is None


class TestPreview:
    """Who may look through whose eyes."""

    @pytest.fixture
    def cast(self) -> dict[str, User]:
        """People who may preview, and people who may be previewed as."""
        made = {
            "may": User.objects.create(username="may", is_staff=True),
            "may not": User.objects.create(username="may not", is_staff=True),
            "super": User.objects.create(username="super", is_superuser=True),
            "plain": User.objects.create(username="plain"),
            "gone": User.objects.create(username="gone", is_active=False),
            "gone super": User.objects.create(username="gone super", is_active=False, is_superuser=True),
        }
        for name in ("may", "gone"):
            assign_perm(PREVIEW, made[name])
        return {name: User.objects.get(pk=user.pk) for name, user in made.items()}

    def test_only_with_the_right_and_never_through_a_superuser_unless_one(self, cast: dict[str, User]) -> None:
        able = {
            (viewer, person) for viewer in cast for person in cast if may_look_as(cast[viewer], cast[person], PREVIEW)
        }
        active = {"may", "may not", "plain"}
        assert able == {("may", person) for person in active} | {("super", person) for person in active | {"super"}}

    def test_nobody_previews_and_nobody_is_previewed_as(self, cast: dict[str, User]) -> None:
        for nobody in (None, AnonymousUser()):
            assert not may_look_as(nobody, cast["plain"], PREVIEW)
            assert not may_look_as(cast["super"], nobody, PREVIEW)


def test_who_is_someone(person: Callable[[str], User]) -> None:
    assert is_someone(person("guest"))
    assert not is_someone(User(username="x", is_active=False))
    assert not is_someone(AnonymousUser())
    assert not is_someone(None)


def test_the_names_of_rights() -> None:
    assert view_permission(CashTransaction) == "ledger.view_cashtransaction"
    held = {f"read_targets.{codename}" for codename in Permission.objects.values_list("codename", flat=True)}
    assert {QUERY, GRANT, PREVIEW} <= held


def test_an_actor_remembers_what_was_looked_up_for_one_call(person: Callable[[str], User]) -> None:
    actor = Actor(person("clerk"))
    assert access_of(actor) is access_of(actor)
    assert access_of(Actor(person("clerk"))) is not access_of(actor)
    assert access_of(person("clerk")) is not access_of(person("clerk"))
    access_of(actor).viewable(Account)
    with CaptureQueriesContext(connection) as captured:
        access_of(actor).viewable(Account)
    assert len(captured) == 0
    assert (actor.agent, actor.token) == ("", None)
