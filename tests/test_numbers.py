"""Whatever is asked of a list of the demo, by whomever: its answer is that of a loop over the objects in Python."""

from __future__ import annotations

import datetime as dt
import itertools
import random
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.db.models import Model
from guardian.utils import get_group_obj_perms_model, get_user_obj_perms_model
from hypothesis import given
from hypothesis import strategies as st

from project.demo.drilling.models import Well
from project.demo.factory.models import Project, Tenant
from project.demo.ledger.models import Account
from read_targets.lists import (
    OPERATORS,
    Answer,
    Condition,
    ListDefinition,
    Order,
    Question,
    ask,
    get_list,
    registered_lists,
)
from read_targets.policies import access_of, view_permission
from tests import oracle

pytestmark = pytest.mark.django_db

PEOPLE = ("admin", "analyst", "clerk", "guest", "patchy", "stranger to relations", "gone")
ZONES = [ZoneInfo(name) for name in ("UTC", "Asia/Seoul", "Asia/Kolkata", "America/New_York", "Australia/Lord_Howe")]
NAMES = [one.name for one in registered_lists()]
WORDS = ["söhne", "SÖHNE", "한", "o'b", "%", "_", "a", "1", "Midland", "grüß", "the", "🥨", "ß", "e"]


class People:
    """The demo's people and some more, each with what they may view by the oracle."""

    def __init__(self) -> None:
        self._patchy()
        self._stranger()
        gone = User.objects.create(username="gone", is_active=False, is_superuser=True)
        gone.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
        self.by_name = {name: User.objects.get(username=name) for name in PEOPLE}
        self.rights = {name: oracle.Rights(user) for name, user in self.by_name.items()}
        self.may_view = {name: rights.remembered() for name, rights in self.rights.items()}
        self.objects: dict[str, list[Any]] = {}
        self.permitted: dict[tuple[str, str], list[Any]] = {}

    def _patchy(self) -> None:
        """Somebody who may view about half of everything, some of it twice."""
        draw = random.Random("patchy")
        patchy, group = User.objects.create(username="patchy"), Group.objects.create(name="patches")
        patchy.groups.add(group)
        for definition in registered_lists():
            keys = list(definition.model._base_manager.values_list("pk", flat=True))
            _grant(patchy, definition.model, [key for key in keys if draw.random() < 0.35])
            _grant(group, definition.model, [key for key in keys if draw.random() < 0.25])

    @staticmethod
    def _stranger() -> None:
        """Somebody who may view every row of every list, and nothing that they refer to but a few."""
        stranger = User.objects.create(username="stranger to relations")
        models = {one.model for one in registered_lists()} - {Account, Well, Tenant, Project}
        for model in models:
            stranger.user_permissions.add(_right(model))
        for model in (Account, Well, Tenant, Project):
            _grant(stranger, model, list(model._base_manager.values_list("pk", flat=True)[:3]))

    def rows(self, definition: ListDefinition, name: str) -> list[Any]:
        """The objects of a list that somebody may view, with what they refer to."""
        if definition.name not in self.objects:
            hops = {hop for path in definition.paths.values() for hop, _ in path.hops}
            self.objects[definition.name] = list(definition.model._base_manager.select_related(*hops))
        key = (definition.name, name)
        if key not in self.permitted:
            self.permitted[key] = [one for one in self.objects[definition.name] if self.may_view[name](one)]
        return self.permitted[key]


def _right(model: type[Model]) -> Permission:
    app_label, _, codename = view_permission(model).partition(".")
    return Permission.objects.get(content_type__app_label=app_label, codename=codename)


def _grant(holder: User | Group, model: type[Model], keys: list[Any]) -> None:
    right, is_person = _right(model), isinstance(holder, User)
    table = (get_user_obj_perms_model if is_person else get_group_obj_perms_model)(model)
    common = {"permission": right, "user" if is_person else "group": holder}
    if table.objects.is_generic():
        made = [table(**common, content_type=right.content_type, object_pk=str(key)) for key in keys]
    else:
        made = [table(**common, content_object_id=key) for key in keys]
    table.objects.bulk_create(made)


@pytest.fixture
def people() -> People:
    """All of them."""
    return People()


def values_of(definition: ListDefinition, path: str) -> list[Any]:
    """Some values that a list really has."""
    lookup = definition.path(path).lookup
    found = definition.model._base_manager.order_by("pk").values_list(lookup, flat=True)[:300:7]
    return [value for value in dict.fromkeys(found) if value is not None]


@st.composite
def conditions(draw: Any, definition: ListDefinition, known: dict[str, list[Any]]) -> tuple[str, str, Any]:
    """A condition on a path of the list: with a value that it has, one near it, or one of far away."""
    path = draw(st.sampled_from(definition.filtered))
    kind = definition.path(path).kind
    operators = [one for one, kinds in OPERATORS.items() if kind in kinds]
    if kind == "string":
        operators = [one for one in operators if one not in ("gt", "gte", "lt", "lte")]  # collations differ
    operator = draw(st.sampled_from(operators))
    if operator == "isnull":
        return path, operator, draw(st.booleans())
    if operator == "in":
        return path, operator, draw(st.lists(_value(kind, "eq", known[path]), max_size=4))
    return path, operator, draw(_value(kind, operator, known[path]))


def _value(kind: str, operator: str, known: list[Any]) -> st.SearchStrategy[Any]:
    held = st.sampled_from(known) if known else st.nothing()
    days = st.dates(dt.date(2023, 11, 1), dt.date(2026, 12, 31))
    match kind, operator:
        case "date", "year":
            return st.sampled_from([2022, 2023, 2024, 2025, 2026])
        case "date", "month":
            return st.integers(1, 12)
        case "date", "period":
            return days.map(lambda day: f"{day:%Y-%m}")
        case "date", _:
            return days | held.map(lambda value: value.date() if isinstance(value, dt.datetime) else value)
        case "number", _:
            near = st.sampled_from([Decimal(0), Decimal("0.001"), Decimal("-0.0049"), Decimal("0.01"), Decimal(1000)])
            return st.builds(lambda value, step: value + step, held, near) | st.sampled_from(
                [Decimal(0), Decimal("1e30")]
            )
        case "integer", _:
            return held | st.integers(-5, 100) | st.sampled_from([2**40, -(2**70)])
        case "boolean", _:
            return st.booleans()
        case "string", "contains" | "startswith":
            return st.sampled_from(WORDS) | held.filter(bool).map(lambda text: text[:5])
        case _:
            return held


@st.composite
def questions(draw: Any, definition: ListDefinition, known: dict[str, list[Any]]) -> dict[str, Any]:
    """Anything that may be asked of the list, as the oracle takes it."""
    numbers = [path for path in definition.shown or () if definition.path(path).kind in ("number", "integer")]
    texts = [path for path in definition.shown or () if definition.path(path).kind in ("string", "enum")]
    sortable = [path for path in definition.sorted or () if path not in texts]  # collations differ
    terms = st.tuples(st.sampled_from(sortable), st.booleans())
    return {
        "conditions": draw(st.lists(conditions(definition, known), max_size=2)),
        "text": draw(st.sampled_from(["", "", *WORDS, "a 1", "o'b söhne"])),
        "order": draw(st.lists(terms, max_size=2, unique_by=lambda one: one[0])),
        "figures": draw(st.lists(st.sampled_from(numbers), max_size=2, unique=True)) if numbers else [],
        "group_by": draw(st.none() | st.sampled_from(definition.grouped)),
        "zone": draw(st.sampled_from(ZONES)),
    }  # fmt: skip


def question_of(asked: dict[str, Any], definition: ListDefinition, **more: Any) -> Question:
    """The same, as a list takes it."""
    return Question(
        conditions=tuple(Condition(*one) for one in asked["conditions"]),
        text=asked["text"] if definition.searched else "",
        order=tuple(Order(*one) for one in asked["order"]),
        figures=tuple(asked["figures"]),
        group_by=asked["group_by"],
        zone=asked["zone"],
        **more,
    )


def check(answer: Answer, told: oracle.Told, definition: ListDefinition, asked: dict[str, Any]) -> None:
    """Compare an answer with all its rows with what the oracle tells."""
    assert answer.total == told.total == len(answer.rows)
    keys = [row.id for row in answer.rows]
    assert keys == told.keys if asked["order"] else set(keys) == set(told.keys)
    values = dict(zip(told.keys, told.values, strict=True))
    for row in answer.rows:
        expected = values[row.id]
        assert row.withheld == {path for path, value in expected.items() if value is oracle.WITHHELD}
        assert row.values == {path: None if value is oracle.WITHHELD else value for path, value in expected.items()}
    for path in asked["figures"]:
        figure, total = answer.figures[path], told.sums[path]
        assert (figure.count, Fraction(figure.total), figure.withheld) == (total.count, total.sum, total.withheld)
        assert (figure.minimum, figure.maximum) == (total.minimum, total.maximum)
        assert figure.average == total.average(oracle.scale_of(definition.model, path))
    if asked["group_by"] is None:
        assert answer.groups is None
        return
    groups = answer.groups or []
    found = {
        oracle.WITHHELD if group.withheld else group.key: (
            group.count, {path: Fraction(figure.total) for path, figure in group.figures.items()},
        )
        for group in groups
    }  # fmt: skip
    if answer.rest is None:
        assert found == told.groups
    else:
        assert found.items() <= told.groups.items()
        assert answer.rest.group_count == len(told.groups) - len(groups)
    counted = sum(group.count for group in groups) + (answer.rest.count if answer.rest else 0)
    assert counted == answer.total
    for path in asked["figures"]:
        summed = sum(group.figures[path].total for group in groups)
        assert summed + (answer.rest.figures[path].total if answer.rest else 0) == answer.figures[path].total


@pytest.mark.parametrize("name", NAMES)
@oracle.steadily(40)
@given(data=st.data())
def test_an_answer_is_what_python_tells(name: str, people: People, data: st.DataObject) -> None:
    definition = get_list(name)
    known = {path: values_of(definition, path) for path in definition.filtered or ()}
    asked = data.draw(questions(definition, known))
    somebody = data.draw(st.sampled_from(PEOPLE))
    objects, may_view = people.rows(definition, somebody), people.may_view[somebody]
    told = oracle.tell(
        objects,
        may_view,
        **{**asked, "text": asked["text"] if definition.searched else ""},
        searched=definition.searched,
        shown=definition.shown or (),
    )
    answer = ask(definition, question_of(asked, definition, limit=10_000), access_of(people.by_name[somebody]))
    check(answer, told, definition, asked)


@oracle.steadily(50)
@given(data=st.data())
def test_pages_neither_repeat_nor_lose_a_row(people: People, data: st.DataObject) -> None:
    definition = get_list(data.draw(st.sampled_from(NAMES)))
    terms = data.draw(st.lists(st.tuples(st.sampled_from(definition.sorted), st.booleans()), max_size=2))
    somebody = data.draw(st.sampled_from(["admin", "clerk", "patchy", "stranger to relations"]))
    access = access_of(people.by_name[somebody])
    many = len(people.rows(definition, somebody))
    size = max(1, many // data.draw(st.integers(1, 5)))
    question = {"order": tuple(Order(*term) for term in terms), "shown": (definition.shown or ())[:1], "count": False}
    read = [
        row.id
        for offset in range(0, many + size, size)
        for row in ask(definition, Question(**question, offset=offset, limit=size), access).rows
    ]
    assert len(read) == len(set(read)) == many
    assert read == [row.id for row in ask(definition, Question(**question, limit=many + 1), access).rows]


def test_everybody_sees_as_many_rows_as_they_may(people: People) -> None:
    for definition, (somebody, user) in itertools.product(registered_lists(), people.by_name.items()):
        access = access_of(user)
        many = len(people.rows(definition, somebody))
        assert ask(definition, Question(), access).total == many, (definition.name, somebody)
        assert access.has_door(definition) == people.rights[somebody].has_door(definition.model), (
            definition.name,
            somebody,
        )


def test_the_people_differ(people: People) -> None:
    """Or the tests above would show little."""
    ledger = {name: len(people.rows(get_list("cashTransactions"), name)) for name in PEOPLE}
    assert (
        ledger["admin"] == ledger["analyst"] == ledger["stranger to relations"] > ledger["patchy"] > ledger["clerk"] > 0
    )
    assert ledger["guest"] == ledger["gone"] == 0


RELATED: list[tuple[str, type[Model], dict[str, Any]]] = [
    ("cashTransactions", Account, {"name": "zzz changed", "currency": "XXX"}),
    ("connectionRuns", Well, {"name": "zzz changed", "field": "nowhere", "depth_ft": Decimal("1.0")}),
    ("projects", Tenant, {"name": "zzz changed"}),
    ("gitConnections", Tenant, {"name": "zzz changed"}),
    ("conversations", Project, {"name": "zzz changed", "budget": None}),
    ("conversations", Tenant, {"name": "zzz changed"}),
]


@pytest.mark.parametrize(("name", "model", "values"), RELATED, ids=[f"{one[0]}-{one[1].__name__}" for one in RELATED])
def test_what_is_withheld_is_no_oracle(people: People, name: str, model: type[Model], values: dict[str, Any]) -> None:
    for somebody in ("clerk", "patchy"):
        definition, user = get_list(name), people.by_name[somebody]
        hidden = [one for one in model._base_manager.all() if not people.may_view[somebody](one)]
        asked = list(questions_across(definition, str(getattr(hidden[0], "name", ""))))
        before = [ask(definition, question, access_of(user)) for question in asked]
        for position, one in enumerate(hidden):
            changed = {
                key: f"{value} {somebody} {position}" if key == "name" else value for key, value in values.items()
            }
            model._base_manager.filter(pk=one.pk).update(**changed)
        for question, answer in zip(asked, before, strict=True):
            assert ask(definition, question, access_of(user)) == answer, (somebody, question)
        admin, across = access_of(people.by_name["admin"]), [path for path in definition.shown or () if "." in path]
        conditions = [Condition(path, "contains", f"changed {somebody}") for path in across]
        assert any(ask(definition, Question(conditions=(one,)), admin).total for one in conditions)


def questions_across(definition: ListDefinition, name: str) -> Iterator[Question]:
    """Every use of what lies across a relation: the old name, and the one that it is going to have."""
    numbers = tuple(path for path in definition.shown or () if definition.path(path).kind in ("number", "integer"))
    yield Question(figures=numbers, limit=50)
    yield Question(text="changed")
    yield Question(text="a", limit=50)
    for path in (path for path in definition.shown or () if "." in path):
        yield Question(group_by=path, figures=numbers)
        yield Question(order=(Order(path, descending=True),), limit=50)
        for wanted in ("zzz changed", name):
            yield Question(conditions=(Condition(path, "in", [wanted]),))
            for operator in ("eq", "ne", "contains"):
                yield Question(conditions=(Condition(path, operator, wanted),))
