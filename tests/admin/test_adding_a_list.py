"""*Add list*: a list and a key are all that is asked for; the rest is proposed and can be edited."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from read_targets.declaration.proposal import create_target
from read_targets.declaration.soundness import problems_of
from read_targets.models import ReadTarget

from .pages import ADD, CHANGE, LIST, fields_of, text_of_page

SignedIn = Callable[[str], Client]

EXCHANGE_RATES = {"list_query": "exchangeRates", "key": "ledger.exchange-rates"}


def test_the_short_form_asks_for_a_list_and_a_key_alone(signed_in: SignedIn) -> None:
    response = signed_in("admin").get(ADD)
    fields = fields_of(response)
    assert {name for name in fields if name != "csrfmiddlewaretoken"} == {"list_query", "key"}
    for name in ("cashTransactions", "exchangeRates", "wells", "conversations"):
        assert f'value="{name}"' in text_of_page(response)


def test_it_proposes_everything_and_lands_on_the_page_of_the_target(signed_in: SignedIn) -> None:
    response = signed_in("admin").post(ADD, EXCHANGE_RATES)
    target = ReadTarget.objects.get(key="ledger.exchange-rates")
    assert response.status_code == 302
    assert response["Location"] == CHANGE.format(target.pk)
    assert [column.name for column in target.columns.all()] == ["day", "currency", "rate"]
    names = [criterion.name for criterion in target.criteria.all()]
    assert names == ["from", "to", "year", "month", "period", "minRate", "maxRate", "currency"]
    assert target.screen == "ledger:exchange-rates"
    assert problems_of(target) == []


def test_nobody_reads_a_new_list_before_it_is_granted(signed_in: SignedIn, agent: Callable[..., object]) -> None:
    signed_in("admin").post(ADD, EXCHANGE_RATES)
    tools = agent("analyst").tools().json()
    assert "queryLedgerExchangeRates" not in str(tools)


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("Ledger.Rates", "&lt;app&gt;.&lt;record&gt;"),
        ("rates", "&lt;app&gt;.&lt;record&gt;"),
        ("ledger.accounts", "already exists"),
        ("ledger.account-s", "queryLedgerAccountS"),
        ("ledger." + "x" * 45, "48"),
        ("", "required"),
    ],
)
def test_a_key_that_cannot_be_is_refused_with_a_reason(signed_in: SignedIn, key: str, said: str) -> None:
    before = ReadTarget.objects.count()
    response = signed_in("admin").post(ADD, {"list_query": "exchangeRates", "key": key})
    if key == "ledger.account-s":
        # Its tools would be queryLedgerAccountS: nobody else's, so it is a good key.
        assert response.status_code == 302
        return
    assert response.status_code == 200
    assert said in text_of_page(response)
    assert ReadTarget.objects.count() == before


def test_a_key_whose_tools_have_the_names_of_another_target_is_refused(signed_in: SignedIn) -> None:
    client = signed_in("admin")
    client.post(ADD, {"list_query": "exchangeRates", "key": "ledger.exchange-rates"})
    response = client.post(ADD, {"list_query": "exchangeRates", "key": "ledger.exchange--rates"})
    assert "Its tools would have the names of those of ledger.exchange-rates." in text_of_page(response)
    assert not ReadTarget.objects.filter(key="ledger.exchange--rates").exists()


def test_a_list_that_is_not_there_is_refused(signed_in: SignedIn) -> None:
    response = signed_in("admin").post(ADD, {"list_query": "unicorns", "key": "ledger.unicorns"})
    assert "not one of the available choices" in text_of_page(response)
    assert not ReadTarget.objects.filter(key="ledger.unicorns").exists()


def test_another_shape_leads_to_the_whole_form(signed_in: SignedIn) -> None:
    client = signed_in("admin")
    response = client.post(ADD, {"list_query": "*", "key": "drilling.rig-events"})
    assert response.status_code == 302
    fields = fields_of(client.get(response["Location"]))
    assert fields["key"] == "drilling.rig-events"
    assert {"document", "rows_path", "total_path", "door_permission", "columns-TOTAL_FORMS"} <= set(fields)


def test_the_list_of_targets_says_of_each_whether_it_works(signed_in: SignedIn) -> None:
    ReadTarget.objects.filter(key="ledger.accounts").update(list_query="gone")
    ReadTarget.objects.filter(key="drilling.wells").update(enabled=False)
    page = text_of_page(signed_in("admin").get(LIST))
    assert "The application has no list “gone”." in page
    assert "switched off" in page
    assert "works" in page


def test_the_list_of_targets_is_searched(signed_in: SignedIn) -> None:
    page = text_of_page(signed_in("admin").get(LIST, {"q": "connection"}))
    assert "drilling.connection-runs" in page
    assert "factory.git-connections" in page
    assert "ledger.accounts" not in page


def test_the_list_of_targets_costs_the_same_for_many(signed_in: SignedIn) -> None:
    client = signed_in("admin")
    client.get(LIST)
    with CaptureQueriesContext(connection) as few:
        client.get(LIST)
    for number in range(5):
        create_target(f"ledger.rates-{number}", "exchangeRates")
    with CaptureQueriesContext(connection) as many:
        client.get(LIST)
    assert len(many) == len(few)


@pytest.mark.parametrize("name", ["analyst", "clerk", "guest"])
def test_only_admins_come_in(signed_in: SignedIn, name: str) -> None:
    client = signed_in(name)
    assert client.get(ADD).status_code == 302
    assert client.post(ADD, EXCHANGE_RATES).status_code == 302
    assert not ReadTarget.objects.filter(key="ledger.exchange-rates").exists()
