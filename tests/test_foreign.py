"""A list of another shape is read page by page as the person, and never says more than was read."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import graphene
import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from graphene.types.generic import GenericScalar
from hypothesis import given
from hypothesis import strategies as st

from project.demo.drilling.models import RigEvent, Well
from read_targets.criteria import arguments_of
from read_targets.digest import Digest, Wish
from read_targets.foreign import ListUnreadable, _groups, ids_of, read_foreign, root_field_of
from read_targets.lists import Order, plain
from read_targets.models import Column, Criterion, CriterionFilter, ReadTarget
from read_targets.policies import SharedAccess, access_of
from read_targets.reading import read
from tests import oracle

UTC = ZoneInfo("UTC")
DOCUMENT = """
query ($filters: [ForeignFilter!], $pagination: ForeignPagination, $sortings: [ForeignSorting!], $search: String) {
  rigEvents(filters: $filters, pagination: $pagination, sortings: $sortings, search: $search) {
    page { events { id at kind minutes rig { name } } }
    count
  }
}
"""


def rig_target(**changes: Any) -> ReadTarget:
    """A target over the demo's list of another shape."""
    target = ReadTarget.objects.create(
        **{
            "key": "test.rig-events",
            "label": {"en": "Rig events"},
            "list_query": "rigEvents",
            "document": DOCUMENT,
            "rows_path": "rigEvents.page.events",
            "total_path": "rigEvents.count",
            "door_permission": "drilling.view_rigevent",
            "search_hint": "the kind and the rig",
            "order": "-at",
            **changes,
        }
    )
    columns = {"at": ("date", ""), "rig": ("string", "rig.name"), "kind": ("string", ""), "minutes": ("number", "")}
    for position, (name, (kind, path)) in enumerate(columns.items()):
        Column.objects.create(
            target=target, position=position, name=name, path=path, kind=kind, label={}, total=name == "minutes"
        )
    conditions = {
        "from": ("date", "at", "gte"),
        "to": ("date", "at", "lte"),
        "year": ("integer", "at", "year"),
        "month": ("integer", "at", "month"),
        "period": ("string", "at", "period"),
        "kind": ("string", "kind", "eq"),
        "minMinutes": ("number", "minutes", "gte"),
        "rig": ("string", "rig.name", "contains"),
    }
    for position, (name, (kind, field, operator)) in enumerate(conditions.items()):
        criterion = Criterion.objects.create(target=target, position=position, name=name, kind=kind, label={})
        CriterionFilter.objects.create(criterion=criterion, field=field, operator=operator)
    return target


Reader = Callable[..., Digest]


@pytest.fixture
def rigs(person: Callable[[str], User]) -> Reader:
    """Read the rig events as somebody, with raw arguments."""
    target = rig_target()
    by_name = {one.name: one for one in arguments_of(target)}

    def reader(name: str = "clerk", wish: Wish | None = None, zone: ZoneInfo = UTC, **arguments: Any) -> Digest:
        values = {key: by_name[key].read(raw) for key, raw in arguments.items()}
        values = {key: value for key, value in values.items() if value is not None}
        return read(target, values, access_of(person(name)), zone, wish)

    return reader


@pytest.mark.django_db
class TestRigEvents:
    """The demo's list: 1,250 events, of which a thousand are read."""

    def test_what_was_not_read_is_said_and_its_sums_are_no_total(self, rigs: Reader) -> None:
        digest = rigs(wish=Wish(group_by="kind"))
        assert (digest.total, digest.analysed, digest.is_complete) == (1_250, 1_000, False)
        assert digest.omissions == ["1000 of 1250 rows were read"]
        assert digest.figures["minutes"].count == 1_000
        assert sum(group.count for group in digest.groups or ()) == 1_000
        assert digest.rest is None
        latest = RigEvent.objects.order_by("-at", "pk").values_list("minutes", flat=True)[:1_000]
        assert digest.figures["minutes"].total == sum(latest)

    def test_what_was_read_whole_is_complete(self, rigs: Reader) -> None:
        digest = rigs(kind="KICK")
        kicks = list(RigEvent.objects.filter(kind="KICK"))
        assert (digest.total, digest.analysed, digest.is_complete, digest.omissions) == (
            len(kicks),
            len(kicks),
            True,
            [],
        )
        told = oracle.tell(kicks, lambda obj: True, figures=["minutes"])
        figure = digest.figures["minutes"]
        assert (figure.total, figure.minimum, figure.maximum) == (
            told.sums["minutes"].sum, told.sums["minutes"].minimum, told.sums["minutes"].maximum,
        )  # fmt: skip
        assert figure.average == told.sums["minutes"].average(2)
        assert plain(figure.total) == str(sum(one.minutes for one in kicks))

    @pytest.mark.parametrize(
        ("limit", "keep", "many"), [(0, "never", 0), (3, "never", 3), (20, "long", 1_000), (20, "never", 20)]
    )
    def test_as_many_rows_are_shown_as_are_wished(self, rigs: Reader, limit: int, keep: Any, many: int) -> None:
        digest = rigs(wish=Wish(limit=limit, keep=keep))
        assert len(digest.rows) == many
        assert digest.analysed == 1_000

    def test_a_row_has_its_id_its_columns_and_exact_numbers(self, rigs: Reader) -> None:
        event = RigEvent.objects.select_related("well").order_by("pk")[7]
        (row,) = rigs("admin", id=str(event.pk)).rows
        assert row == {
            "id": str(event.pk),
            "at": event.at.isoformat(),
            "rig": event.well.name,
            "kind": event.kind,
            "minutes": str(event.minutes),
        }

    def test_an_unknown_id_is_no_row(self, rigs: Reader) -> None:
        assert (rigs(id="999999").total, rigs(id="999999").rows) == (0, [])

    @pytest.mark.parametrize("blank", ["", "  ", "\u00a0"])
    def test_blank_words_are_not_set(self, rigs: Reader, blank: str) -> None:
        assert rigs(text=blank, id=blank).total == 1_250

    def test_words_are_searched_by_the_list_itself(self, rigs: Reader) -> None:
        assert rigs(text=" KICK ").total == RigEvent.objects.filter(kind="KICK").count()

    def test_the_order_is_the_declared_one_or_the_one_that_is_wished(self, rigs: Reader) -> None:
        moments = [row["at"] for row in rigs(kind="KICK", wish=Wish(limit=20)).rows]
        assert moments == sorted(moments, reverse=True)
        shortest = [Decimal(row["minutes"]) for row in rigs(kind="KICK", wish=Wish(order=(Order("minutes"),))).rows]
        assert shortest == sorted(shortest)

    @pytest.mark.parametrize(
        ("arguments", "first", "last"),
        [
            ({"from": "2026-02-01", "to": "2026-02-28"}, dt.date(2026, 2, 1), dt.date(2026, 2, 28)),
            ({"period": "2026-02"}, dt.date(2026, 2, 1), dt.date(2026, 2, 28)),
            ({"year": 2026, "month": 2}, dt.date(2026, 2, 1), dt.date(2026, 2, 28)),
            ({"year": 2025}, dt.date(2025, 1, 1), dt.date(2025, 12, 31)),
        ],
    )
    def test_a_year_a_month_or_a_period_becomes_its_days(
        self, rigs: Reader, arguments: dict[str, Any], first: dt.date, last: dt.date
    ) -> None:
        days = [one.at.date() for one in RigEvent.objects.all()]
        assert rigs(**arguments).total == sum(first <= day <= last for day in days)

    def test_dates_are_grouped_by_the_month_of_the_person(self, rigs: Reader) -> None:
        kicks = list(RigEvent.objects.filter(kind="KICK"))
        for zone in (UTC, ZoneInfo("Asia/Seoul"), ZoneInfo("America/New_York")):
            digest = rigs(kind="KICK", zone=zone, wish=Wish(group_by="at"))
            told = oracle.tell(kicks, lambda obj: True, group_by="at", figures=["minutes"], zone=zone)
            assert [(group.key, group.count) for group in digest.groups or ()] == sorted(
                (key, count) for key, (count, _) in told.groups.items()
            )
            for group in digest.groups or ():
                assert group.figures["minutes"].total == told.groups[group.key][1]["minutes"]

    def test_the_largest_groups_come_first(self, rigs: Reader) -> None:
        groups = rigs(wish=Wish(group_by="rig")).groups or []
        sizes = [group.figures["minutes"].total for group in groups]
        assert sizes == sorted(sizes, reverse=True)
        assert None in {group.key for group in groups}

    def test_it_is_read_as_the_person(self, rigs: Reader, person: Callable[[str], User]) -> None:
        clerk, rights = person("clerk"), oracle.Rights(person("clerk"))
        seen = {well.name for well in Well.objects.all() if rights.may_view(well)}
        for name, rigs_named in (("admin", {well.name for well in Well.objects.all()}), ("clerk", seen | {None})):
            digest = rigs(name, wish=Wish(limit=20, keep="always"))
            assert {row["rig"] for row in digest.rows} == rigs_named
        with pytest.raises(ListUnreadable):
            rigs("guest")
        clerk.user_permissions.remove(Permission.objects.get(codename="view_rigevent"))
        with pytest.raises(ListUnreadable):
            rigs("clerk")

    def test_a_condition_that_the_list_does_not_take_is_unreadable(self, rigs: Reader) -> None:
        with pytest.raises(ListUnreadable):
            rigs(month=2)

    def test_it_takes_a_page_of_two_hundred_at_a_time(self, rigs: Reader) -> None:
        with CaptureQueriesContext(connection) as captured:
            rigs()
        pages = [one["sql"] for one in captured if "LIMIT 200" in one["sql"]]
        assert len(pages) == 5

    def test_a_preview_shows_what_both_may_view(self, rigs: Reader, person: Callable[[str], User]) -> None:
        target = ReadTarget.objects.get(key="test.rig-events")
        kicks = RigEvent.objects.filter(kind="KICK").count()
        both = SharedAccess(access_of(person("clerk")), access_of(person("admin")))
        digest = read(target, {"kind": "KICK"}, both, UTC)
        assert (digest.total, digest.analysed) == (kicks, kicks)
        assert read(target, {}, both, UTC).total is None
        with pytest.raises(ListUnreadable):
            read(target, {}, SharedAccess(access_of(person("clerk")), access_of(person("guest"))), UTC)

    def test_the_ids_of_what_is_read_now(self, person: Callable[[str], User]) -> None:
        target = rig_target(key="test.more-events")
        kicks = {str(pk) for pk in RigEvent.objects.filter(kind="KICK").values_list("pk", flat=True)}
        assert ids_of(target, {"kind": "KICK"}, person("clerk")) == kicks
        assert len(ids_of(target, {}, person("clerk"))) == 1_000


class Made:
    """A schema with one list of rows made up by a test."""

    def __init__(self, rows: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, **options: Any) -> None:
        self.rows = rows
        self.total: Any = options["total"] if "total" in options else len(rows)
        self.most = options.get("most", 10_000)
        self.ignores_pages = options.get("ignores_pages", False)
        self.asked: list[dict[str, Any]] = []
        made = self

        class Query(graphene.ObjectType):
            things = graphene.Field(
                GenericScalar,
                filters=GenericScalar(),
                pagination=GenericScalar(),
                sortings=GenericScalar(),
                search=graphene.String(),
            )

            @staticmethod
            def resolve_things(root: None, info: Any, **asked: Any) -> Any:
                return made.answer(asked)

        monkeypatch.setattr("read_targets.foreign.graphql_schema", lambda: graphene.Schema(query=Query))

    def answer(self, asked: dict[str, Any]) -> Any:
        """Answer one page."""
        self.asked.append(asked)
        page = asked.get("pagination") or {"page": 1, "limit": len(self.rows)}
        if self.ignores_pages:
            return {"items": self.rows, "total": self.total}
        size = min(page["limit"], self.most)
        return {"items": self.rows[(page["page"] - 1) * page["limit"] :][:size], "total": self.total}


PAGED = "query ($filters: GenericScalar, $pagination: GenericScalar, $sortings: GenericScalar, $search: String) "
PAGED += "{ things(filters: $filters, pagination: $pagination, sortings: $sortings, search: $search) }"


def made_target(document: str = PAGED, total_path: str = "things.total", **kinds: str) -> ReadTarget:
    """A target over it; each column with its kind, numbers with a total."""
    target = ReadTarget.objects.create(
        key="made.things", label={}, list_query="things", document=document, rows_path="things.items",
        total_path=total_path, door_permission="drilling.view_well",
    )  # fmt: skip
    for name, kind in kinds.items():
        Column.objects.create(target=target, name=name, kind=kind, label={}, total=kind in ("number", "integer"))
    return target


@pytest.mark.django_db
class TestAnyList:
    """What lists out there do."""

    @pytest.fixture
    def digest(self, monkeypatch: pytest.MonkeyPatch, person: Callable[[str], User]) -> Callable[..., Digest]:
        """Read a made-up list."""

        def reader(
            rows: list[dict[str, Any]], wish: Wish | None = None, kinds: dict[str, str] | None = None, **options: Any
        ) -> Digest:
            document, total_path = options.pop("document", PAGED), options.pop("total_path", "things.total")
            self.made = Made(rows, monkeypatch, **options)
            target = made_target(document, total_path, **(kinds or {"value": "number", "name": "string"}))
            return read_foreign(target, {}, access_of(person("admin")), UTC, wish or Wish())

        return reader

    @pytest.mark.parametrize("many", [0, 1, 199, 200, 201, 999, 1_000])
    def test_up_to_a_thousand_rows_are_whole(self, digest: Callable[..., Digest], many: int) -> None:
        told = digest([{"id": at, "value": 1} for at in range(many)])
        assert (told.total, told.analysed, told.is_complete) == (many, many, True)
        assert told.figures["value"].total == many
        assert all(one["pagination"]["limit"] == 200 for one in self.made.asked)

    @pytest.mark.parametrize("many", [1_001, 5_000])
    def test_more_are_not(self, digest: Callable[..., Digest], many: int) -> None:
        told = digest([{"id": at, "value": 1} for at in range(many)])
        assert (told.total, told.analysed, told.is_complete) == (many, 1_000, False)
        assert len(self.made.asked) == 5

    @pytest.mark.parametrize(("many", "total"), [(3, 3), (200, 200), (999, 999), (1_000, None), (1_500, None)])
    def test_a_list_that_says_no_total_is_whole_where_it_ends(
        self, digest: Callable[..., Digest], many: int, total: int | None
    ) -> None:
        told = digest([{"id": at} for at in range(many)], total_path="")
        assert (told.total, told.analysed) == (total, min(many, 1_000))
        assert told.is_complete == (total is not None)

    @pytest.mark.parametrize("total", [None, "many", True, -1, 3.5])
    def test_a_total_that_is_no_number_is_unknown(self, digest: Callable[..., Digest], total: Any) -> None:
        told = digest([{"id": 1}], total=total)
        assert not told.is_complete

    @pytest.mark.parametrize(("many", "total"), [(200, 200), (250, 250), (400, 400), (1_500, None)])
    @pytest.mark.parametrize("says", [True, False])
    def test_a_list_that_takes_no_pages_counts_no_row_twice(
        self, digest: Callable[..., Digest], many: int, total: int | None, says: bool
    ) -> None:
        rows = [{"id": at, "value": 1} for at in range(many)]
        told = digest(rows, ignores_pages=True, total_path="things.total" if says else "")
        assert told.analysed == min(many, 1_000)
        assert told.figures["value"].total == min(many, 1_000)
        assert told.total == (many if says else total)

    def test_pages_that_overlap_count_no_row_twice_and_say_that_some_are_missing(
        self, digest: Callable[..., Digest]
    ) -> None:
        rows = [{"id": at, "value": 1} for at in [*range(200), *range(100, 290)]]
        told = digest(rows)
        assert (told.analysed, told.total, told.is_complete) == (290, 390, False)

    def test_a_list_with_pages_of_its_own_size_says_that_it_was_not_read_whole(
        self, digest: Callable[..., Digest]
    ) -> None:
        told = digest([{"id": at} for at in range(500)], most=50)
        assert (told.analysed, told.total, told.is_complete) == (50, 500, False)

    def test_a_document_without_pages_is_asked_once(self, digest: Callable[..., Digest]) -> None:
        told = digest([{"id": at} for at in range(300)], document="{ things }")
        assert (told.analysed, told.total, len(self.made.asked)) == (300, 300, 1)
        assert self.made.asked == [{}]

    @pytest.mark.parametrize("rows", [None, {}, "text", 5, [None], [1, 2], [[]]])
    def test_what_is_no_list_of_rows_is_unreadable(self, digest: Callable[..., Digest], rows: Any) -> None:
        with pytest.raises(ListUnreadable):
            digest(rows, total=0, ignores_pages=True)

    def test_an_error_in_the_list_is_unreadable_and_says_nothing(
        self, digest: Callable[..., Digest], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(Made, "answer", lambda self, asked: 1 / 0)
        with pytest.raises(ListUnreadable) as raised:
            digest([])
        assert "division" not in str(raised.value)

    def test_values_are_read_as_the_columns_say(self, digest: Callable[..., Digest]) -> None:
        rows = [
            {"id": 7, "value": "12.50", "name": "a", "count": "3"},
            {"id": "x", "value": 0.1, "name": 5, "count": 4},
            {"id": 2, "value": "banana", "name": "", "count": None},
            {"id": 3, "value": "NaN", "name": None},
            {"value": -0.0, "name": True, "count": 2**60},
        ]
        told = digest(rows, kinds={"value": "number", "name": "string", "count": "integer"}, total=5)
        assert told.rows == [
            {"id": "7", "value": "12.50", "name": "a", "count": 3},
            {"id": "x", "value": "0.1", "name": "5", "count": 4},
            {"id": "2", "value": None, "name": None, "count": None},
            {"id": "3", "value": None, "name": None, "count": None},
            {"value": "0.0", "name": True, "count": str(2**60)},
        ]
        value, count = told.figures["value"], told.figures["count"]
        assert (value.count, plain(value.total), plain(value.average)) == (3, "12.60", "4.200000")
        assert (count.count, count.total) == (3, 2**60 + 7)

    def test_sums_keep_every_digit(self, digest: Callable[..., Digest]) -> None:
        values = ["99999999999999999999999999999999.99", "0.01", "0.001"]
        told = digest([{"id": at, "value": value} for at, value in enumerate(values)], Wish(group_by="name"))
        assert plain(told.figures["value"].total) == "100000000000000000000000000000000.001"
        assert [plain(group.figures["value"].total) for group in told.groups or ()] == [
            "100000000000000000000000000000000.001"
        ]

    @pytest.mark.parametrize("kind", ["number", "integer"])
    @pytest.mark.parametrize("rows", [[], [{"id": 1, "value": None}]])
    def test_no_value_has_a_zero_and_no_average(
        self, digest: Callable[..., Digest], kind: str, rows: list[Any]
    ) -> None:
        figure = digest(rows, kinds={"value": kind}).figures["value"]
        assert (figure.count, figure.average) == (0, None)
        assert plain(figure.total) == (0 if kind == "integer" else "0")

    @pytest.mark.parametrize(
        ("zone", "months"),
        [("UTC", ["2026-01", "2026-02"]), ("Asia/Seoul", ["2026-02"]), ("America/New_York", ["2026-01"])],
    )
    def test_moments_fall_into_the_month_of_the_person(
        self, monkeypatch: pytest.MonkeyPatch, person: Callable[[str], User], zone: str, months: list[str]
    ) -> None:
        Made([{"id": 1, "at": "2026-01-31T23:30:00Z"}, {"id": 2, "at": "2026-02-01T04:30:00+00:00"}], monkeypatch)
        told = read_foreign(made_target(at="date"), {}, access_of(person("admin")), ZoneInfo(zone), Wish(group_by="at"))
        assert [group.key for group in told.groups or ()] == months

    @pytest.mark.parametrize(
        ("text", "month"),
        [("2026-01-31", "2026-01"), ("2026-01-31T23:30:00", "2026-01"), ("2026-01", "2026-01"), ("banana", "banana"),
         ("9999-12-31T23:59:59Z", "9999-12"), ("0001-01-01", "0001-01")],
    )  # fmt: skip
    def test_what_names_no_zone_is_taken_as_it_stands(
        self, monkeypatch: pytest.MonkeyPatch, person: Callable[[str], User], text: str, month: str
    ) -> None:
        Made([{"id": 1, "at": text}], monkeypatch)
        told = read_foreign(
            made_target(at="date"), {}, access_of(person("admin")), ZoneInfo("Asia/Seoul"), Wish(group_by="at")
        )
        assert [group.key for group in told.groups or ()] == [month]

    def test_null_is_a_group(self, digest: Callable[..., Digest]) -> None:
        rows = [
            {"id": 1, "name": "a", "value": 1},
            {"id": 2, "name": None, "value": 5},
            {"id": 3, "name": "", "value": 2},
        ]
        told = digest(rows, Wish(group_by="name"))
        assert [(group.key, group.count) for group in told.groups or ()] == [(None, 2), ("a", 1)]

    @oracle.steadily(30)
    @given(values=st.lists(st.none() | st.decimals(-(10**12), 10**12, places=3), max_size=20))
    def test_groups_and_rest_are_the_whole(self, values: list[Decimal | None]) -> None:
        columns = (Column(name="value", kind="number", total=True), Column(name="name", kind="string"))
        rows = [{"value": value, "name": f"{at % 4}"} for at, value in enumerate(values)]
        groups, rest = _groups(columns, rows, Wish(group_by="name"), UTC)
        assert rest is None
        assert sum(group.figures["value"].total for group in groups or ()) == sum(value or 0 for value in values)
        assert sum(group.count for group in groups or ()) == len(values)


@pytest.mark.parametrize(
    ("document", "root"),
    [("{ things { id } }", "things"), (DOCUMENT, "rigEvents"), ("query A { aliased: things { id } }", "things")],
)
def test_the_root_field_of_a_document(document: str, root: str) -> None:
    assert root_field_of(document) == root


@pytest.mark.parametrize("document", ["{ a b }", "query A { a } query B { b }"])
def test_a_document_of_several_lists_has_none(document: str) -> None:
    with pytest.raises(ValueError, match="one list"):
        root_field_of(document)
