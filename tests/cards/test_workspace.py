"""A workspace page: what was read, as it was read, less what the person may no longer view."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from read_targets.agent.tokens import create_token
from read_targets.cards.models import Card, WorkspaceVersion
from read_targets.cards.sources import Required
from read_targets.models import Preference

from .conftest import Stories, content, row, workspace

VALUES = ("person 1", "person 2", "2.50", "7,654,321.25", "12,345,678,901,234,567.50", "Was im Oktober")
"""What a page that is closed must not hold."""


class Cells(HTMLParser):
    """The text of the cells of a table, row by row."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.open = False

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag == "tr":
            self.rows.append([])
        self.open = self.open or tag in ("td", "th")
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        self.open = self.open and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self.open:
            self.rows[-1][-1] += data


def table(text: str, section: str) -> list[list[str]]:
    """The cells of the table of a section of the page, its head first."""
    part = text.split(f'<section id="{section}"')[1].split("</section>")[0]
    cells = Cells()
    cells.feed(part[part.index("<table") : part.index("</table>")])
    return [[" ".join(cell.split()) for cell in line] for line in cells.rows]


def page(client: Client, facts: Any, query: str = "") -> str:
    response = client.get(facts.url + query)
    assert response.status_code == 200
    text: str = response.content.decode()
    return text


def test_it_shows_what_was_read(desk: Client, clerk: User, stories: Stories) -> None:
    Preference.objects.create(user=clerk, time_zone="Asia/Seoul")
    token, _ = create_token(clerk, "Helper")
    facts = workspace(clerk, token)
    WorkspaceVersion.objects.update(read_at=datetime(2026, 11, 30, 5, 0, tzinfo=UTC))
    text = page(desk, facts)
    assert "<h1>Cash transactions</h1>" in text
    assert "Helper calls it <bdi>“Was im Oktober geschah”</bdi>" in text
    assert "Read Nov. 30, 2026, 2 p.m. (Asia/Seoul)" in text
    assert "as clerk" in text
    assert "through Helper" in text
    assert "From Oct. 1, 2026, midnight until before Nov. 1, 2026, midnight." in text
    assert "Days are those of Asia/Seoul." in text
    assert table(text, "rows") == [
        ["Day", "who", "Amount KRW"],
        ["Oct. 31, 2026", "person 1", "1.50"],
        ["Oct. 31, 2026", "person 2", "2.50"],
        ["Oct. 31, 2026", "person 3", "3.50"],
    ]


def test_figures_are_exact_and_in_the_persons_writing(desk: Client, clerk: User, stories: Stories) -> None:
    facts = workspace(clerk)
    assert "12,345,678,901,234,567.50" in page(desk, facts)
    Preference.objects.create(user=clerk, language="de")
    assert "12.345.678.901.234.567,50" in page(desk, facts)


def test_groups_have_a_chart_and_a_table_with_the_same_figures(desk: Client, clerk: User, stories: Stories) -> None:
    text = page(desk, workspace(clerk))
    assert table(text, "groups") == [
        ["who", "Rows", "Amount KRW"],
        ["person 1", "2", "-7,654,321.25"],
        ["no value", "1", "3.50"],
        ["withheld", "1", "4.25"],
        ["17 other groups", "40", "33.00"],
        ["Total", "3", "12,345,678,901,234,567.50"],
    ]
    drawing = re.search(r'<svg class="[^"]*" width="100%".*</figure>', text, re.DOTALL)
    assert drawing
    for line in ("person 1: -7,654,321.25", "no value: 3.50", "withheld: 4.25", "17 other groups: 33.00"):
        assert f"<title>{line}</title>" in drawing.group()
    assert 'role="img"' in drawing.group()
    assert "<desc" in drawing.group()
    assert "style=" not in text


def test_the_chart_can_count_rows(desk: Client, clerk: User, stories: Stories) -> None:
    text = page(desk, workspace(clerk), "?chart=-rows")
    assert "<title>17 other groups: 40</title>" in text


def test_newest_and_earlier_versions(desk: Client, clerk: User, stories: Stories) -> None:
    old = workspace(clerk, content=content([row(7)]))
    new = workspace(clerk)
    text = page(desk, old)
    assert "This is an earlier version." in text
    assert table(text, "rows")[1][1] == "person 7"
    assert f'href="{new.url}"' in text
    newest = desk.get("/desk/workspaces/stories")
    assert newest.status_code == 200
    assert "person 7" not in newest.content.decode()
    assert "Version 2 of 2" in newest.content.decode()


def test_words_of_rows_are_text(desk: Client, clerk: User, stories: Stories) -> None:
    hostile = "<script>alert(1)</script>"
    rows = [row(1, who=hostile, day=hostile, amount=hostile)]
    groups = [{"key": hostile, "rowCount": 1, "metrics": {"amount": {"sum": hostile}}}]
    conditions = [{"name": hostile, "label": {"en": hostile}, "value": hostile}]
    columns = [{**one, "unit": hostile} for one in content()["columns"]]
    # A figure is never a text; a page must not trust that.
    groups[0]["metrics"] = {"amount": {"sum": "1"}}
    given = content(rows, groups=groups, conditions=conditions, columns=columns, omissions=[hostile], timeZone=hostile)
    text = page(desk, workspace(clerk, content=given, title=hostile, label={"en": hostile}, time_zone=hostile))
    assert hostile not in text
    assert text.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 8


# Rights, asked again


def test_without_the_door_the_page_holds_no_value(desk: Client, clerk: User, stories: Stories) -> None:
    facts = workspace(clerk)
    stories.required = Required("ledger.view_cashtransaction", "Zahlungen")
    for address in (facts.url, "/desk/workspaces/stories"):
        response = desk.get(address)
        assert response.status_code == 403
        text = response.content.decode()
        assert not [value for value in VALUES if value in text]
        assert "ledger.view_cashtransaction" in text


def test_a_workspace_whose_source_is_gone_is_closed(desk: Client, clerk: User) -> None:
    response = desk.get(workspace(clerk, source="gone").url)
    assert response.status_code == 403
    assert not [value for value in VALUES if value in response.content.decode()]


def test_anothers_workspace_and_none_read_the_same(desk: Client, person: Any, stories: Stories) -> None:
    workspace(person("analyst"), name="theirs")
    answers = [desk.get(f"/desk/workspaces/{path}") for path in ("theirs/1", "theirs", "none/1", "none", "theirs/9")]
    assert {answer.status_code for answer in answers} == {404}
    pages = {re.sub(r'value="[^"]{64}"', "", answer.content.decode()) for answer in answers}
    assert len(pages) == 1


def test_a_version_that_is_no_longer_kept_is_not_there(desk: Client, clerk: User, stories: Stories) -> None:
    facts = workspace(clerk)
    WorkspaceVersion.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert desk.get(facts.url).status_code == 404


def test_rows_that_are_no_longer_permitted_are_left_out_and_counted(
    desk: Client, clerk: User, stories: Stories
) -> None:
    facts = workspace(clerk)
    stories.hidden = {"2"}
    stories.figures_open = False
    text = page(desk, facts)
    assert [line[1] for line in table(text, "rows")[1:]] == ["person 1", "person 3"]
    assert "1 row is withheld: you may no longer view it." in text
    assert "person 2" not in text
    for figure in ("12,345,678", "7,654,321.25", '<svg class="gutter', 'id="groups"', "average"):
        assert figure not in text
    assert "The figures are withheld" in text


def test_figures_go_with_any_row_behind_them_even_one_that_is_not_shown(
    desk: Client, clerk: User, stories: Stories
) -> None:
    facts = workspace(clerk, content=content(total=48211, analysed=48211))
    assert "48,211" in page(desk, facts)
    stories.figures_open = False
    text = page(desk, facts)
    assert "48,211" not in text
    assert "48211" not in text
    assert "The first 3 ·" in text
    assert [line[1] for line in table(text, "rows")[1:]] == ["person 1", "person 2", "person 3"]


def test_a_column_that_is_closed_is_withheld_in_every_row(desk: Client, clerk: User, stories: Stories) -> None:
    rows = [row(3, who="c"), row(1, who="a"), row(2, who="b")]
    facts = workspace(clerk, content=content(rows), arguments={"orderBy": "-who"})
    stories.closed_columns = frozenset({"who"})
    stories.figures_open = False
    text = page(desk, facts)
    assert [line[1] for line in table(text, "rows")[1:]] == ["withheld"] * 3
    assert [line[2] for line in table(text, "rows")[1:]] == ["1.50", "2.50", "3.50"], "not in the order of the column"
    sorted_by_it = page(desk, facts, "?sort=who")
    assert table(sorted_by_it, "rows")[1:] == table(text, "rows")[1:]
    assert "You may no longer view the values of who." in text


def test_values_withheld_at_the_reading_are_told_apart_from_null(desk: Client, clerk: User, stories: Stories) -> None:
    rows = [row(1, who=None, withheld=["who"]), row(2, who=None), row(3, who="")]
    text = page(desk, workspace(clerk, content=content(rows)))
    assert [line[1] for line in table(text, "rows")[1:]] == ["withheld", "–no value", ""]


def test_when_every_row_is_withheld_the_table_says_so(desk: Client, clerk: User, stories: Stories) -> None:
    facts = workspace(clerk)
    stories.hidden = {"1", "2", "3"}
    assert "There is no row here that you may view." in page(desk, facts)


# Sorting and paging


def many(count: int = 120) -> list[dict[str, Any]]:
    return [row(place, amount=f"{place * 7919 % 1000}.10" if place % 10 else None) for place in range(count)]


def amounts(text: str) -> list[str]:
    return [line[2] for line in table(text, "rows")[1:]]


def test_complete_rows_sort_exactly_and_page(desk: Client, clerk: User, stories: Stories) -> None:
    facts = workspace(clerk, content=content(many()))
    pages = [amounts(page(desk, facts, f"?sort=-amount&page={number}")) for number in (1, 2, 3)]
    assert [len(one) for one in pages] == [50, 50, 20]
    every = [amount for one in pages for amount in one]
    known = [float(one.replace(",", "")) for one in every if "no value" not in one]
    assert known == sorted(known, reverse=True)
    assert every[-12:] == ["–no value"] * 12
    text = page(desk, facts, "?sort=-amount&page=2")
    assert 'aria-sort="descending"' in text
    assert "51–100 of 120" in text
    assert "?sort=-amount&amp;page=3#rows" in text
    assert "?sort=amount#rows" in text


@pytest.mark.parametrize(
    "query", ["?page=0", "?page=4", "?page=x", "?page=1e9", "?page=²", "?sort=nothing", "?sort=-id", "?chart=who"]
)
def test_what_the_table_does_not_have_is_not_guessed_at(
    desk: Client, clerk: User, stories: Stories, query: str
) -> None:
    facts = workspace(clerk, content=content(many()))
    assert desk.get(facts.url + query).status_code == 404


def test_a_truncated_table_says_so_and_sorts_by_reading_again(desk: Client, clerk: User, stories: Stories) -> None:
    facts = workspace(clerk, content=content(many(60), total=3003, analysed=3003), arguments={"orderBy": "-amount"})
    text = page(desk, facts)
    assert "The first 60 of 3,003" in text
    assert 'form="read-again" name="orderBy" value="amount"' in text
    assert 'aria-sort="descending"' in text
    assert desk.get(f"{facts.url}?sort=amount").status_code == 404


def test_a_bounded_reading_never_calls_its_sums_the_total(desk: Client, clerk: User, stories: Stories) -> None:
    facts = workspace(clerk, content=content(total=5000, analysed=3, isComplete=False, omissions=["rows 4 to 5000"]))
    text = page(desk, facts)
    assert "Only 3 rows were read. The figures are of those, not of the whole list." in text
    assert table(text, "groups")[-1][0] == "All rows read"
    assert "Total" not in text
    assert "rows 4 to 5000" in text


def test_opening_a_page_costs_a_fixed_number_of_statements(
    desk: Client, clerk: User, stories: Stories, django_assert_max_num_queries: Any
) -> None:
    for _ in range(10):
        facts = workspace(clerk, content=content(many()))
    with django_assert_max_num_queries(7):
        page(desk, facts)


# Read again, with a real list


@pytest.fixture
def kept(agent: Any) -> dict[str, Any]:
    """A workspace of the ledger that the clerk's agent made."""
    arguments = {"flow": "EXPENSE", "show": "workspace", "name": "costs", "title": "Costs", "groupBy": "status"}
    card: dict[str, Any] = agent("clerk").answer("queryLedgerCashTransactions", **arguments)["card"]
    return card


def test_reading_again_makes_the_next_version_with_the_same_conditions(
    desk: Client, clerk: User, kept: dict[str, Any]
) -> None:
    response = desk.post(f"{kept['url']}/read-again")
    assert (response.status_code, response["Location"]) == (303, "/desk/workspaces/costs/2")
    first, second = WorkspaceVersion.objects.order_by("number")
    assert second.arguments == first.arguments == {"flow": "EXPENSE", "groupBy": "status"}
    assert second.content["rows"] == first.content["rows"]
    assert (first.token is None, second.token) == (False, None)
    assert second.content["title"] == "Costs"
    assert Card.objects.get(version=second).verdict == Card.Verdict.ACCEPTED
    assert desk.get(response["Location"]).status_code == 200


def test_reading_again_in_another_order(desk: Client, clerk: User, kept: dict[str, Any]) -> None:
    address = desk.post(f"{kept['url']}/read-again/", {"orderBy": "-amount"})["Location"]
    version = WorkspaceVersion.objects.get(number=2)
    assert version.arguments["orderBy"] == "-amount"
    read = [float(one["amount"]) for one in version.content["rows"]]
    assert read == sorted(read, reverse=True)
    assert desk.get(address).status_code == 200


def test_what_cannot_be_read_again_is_said_in_the_persons_words(
    desk: Client, clerk: User, kept: dict[str, Any]
) -> None:
    for change, said in (
        ({"arguments": {"flow": "SIDEWAYS"}}, "no longer takes these conditions"),
        ({"tool": "queryNothing"}, "closed to you"),
    ):
        WorkspaceVersion.objects.update(**change)
        response = desk.post(f"{kept['url']}/read-again", follow=True)
        assert response.redirect_chain == [(kept["url"], 303)]
        assert said in response.content.decode()
    assert WorkspaceVersion.objects.count() == 1


def test_anothers_workspace_is_not_read_again(signed_in: Any, kept: dict[str, Any]) -> None:
    assert signed_in("analyst").post(f"{kept['url']}/read-again").status_code == 404
    assert WorkspaceVersion.objects.count() == 1


def test_the_workspace_of_a_real_list_shows_what_the_agent_was_told(
    desk: Client, agent: Any, kept: dict[str, Any]
) -> None:
    told = agent("clerk").answer("queryLedgerCashTransactions", flow="EXPENSE", groupBy="status")["summary"]
    text = desk.get(kept["url"]).content.decode()
    lines = {line[0]: line[1:] for line in table(text, "groups")[1:]}
    for group in told["groups"]:
        assert lines[group["key"]] == [str(group["rowCount"]), f"{group['metrics']['amount']['sum']}"] or [
            value.replace(",", "") for value in lines[group["key"]]
        ] == [str(group["rowCount"]), group["metrics"]["amount"]["sum"]]
    assert lines["Total"][1].replace(",", "") == told["metrics"]["amount"]["sum"]
