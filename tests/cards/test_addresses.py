"""An open-page card leads to a page of this site and nowhere else."""

from __future__ import annotations

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import override_settings
from django.urls import clear_script_prefix, path, set_script_prefix

from read_targets.cards.addresses import LONGEST_ADDRESS, ForeignAddress, own_address

OWN = "/ledger/cash-transactions/"


@pytest.mark.parametrize(
    "href",
    [
        OWN,
        f"{OWN}?flow=EXPENSE",
        f"{OWN}?search=%EC%A3%BC%EC%8B%9D%ED%9A%8C%EC%82%AC+%28%EC%A3%BC%29",
        f"{OWN}?search=a%5Cb%0A%E2%80%AE&next=https%3A%2F%2Fevil.example",
        f"{OWN}?search=https://evil.example",
        f"{OWN}#rows",
        "/",
        "/%6Cedger/cash-transactions/",
    ],
)
def test_an_address_of_this_site_is_its_own(href: str) -> None:
    assert own_address(href) == href


@pytest.mark.parametrize(
    "href",
    [
        "",
        "https://evil.example/ledger/cash-transactions/",
        "https:/ledger/cash-transactions/",
        "//evil.example/ledger/cash-transactions/",
        "///evil.example",
        "////evil.example",
        "https:\\evil.example",
        "\\\\evil.example",
        "/\\evil.example",
        f"{OWN}\\..",
        "javascript:alert(1)",
        " JavaScript:alert(1)",
        "\tjavascript:alert(1)",
        "data:text/html,x",
        "ledger/cash-transactions/",
        "./ledger/cash-transactions/",
        "?flow=EXPENSE",
        f" {OWN}",
        f"\n{OWN}",
        f"{OWN} ",
        f"{OWN}\x00",
        f"{OWN}?a=b\r\nSet-Cookie:c",
        f"/\t{OWN}",
        f"{OWN}?search=\u202eabc",
        f"{OWN}?search=한빛",
        "/nothing-stands-here/",
        "/ledger/cash-transactionsX/",
    ],
)
def test_what_leads_off_the_site_or_nowhere_is_foreign(href: str) -> None:
    with pytest.raises(ForeignAddress):
        own_address(href)


@pytest.mark.parametrize(
    "href",
    [
        "/%2Fevil.example",
        "/%2F%2Fevil.example",
        "/%5Cevil.example",
        "/%5C%5Cevil.example/",
        "/ledger/%2e%2e/admin/",
        "/ledger/../admin/",
        "/./ledger/cash-transactions/",
        "/ledger/cash-transactions/%00",
        "/ledger/cash-transactions/%0d%0aSet-Cookie:a",
        "/desk/workspaces/%E2%80%AEname/1",
        "/desk/workspaces/%FF/1",
        "/%252Fevil.example",
    ],
)
def test_a_path_that_can_be_read_in_two_ways_is_foreign(href: str) -> None:
    with pytest.raises(ForeignAddress):
        own_address(href)


def test_an_address_that_no_server_reads_is_foreign() -> None:
    fitting = f"{OWN}?search={'x' * (LONGEST_ADDRESS - len(OWN) - 8)}"
    assert len(own_address(fitting)) == LONGEST_ADDRESS
    with pytest.raises(ForeignAddress):
        own_address(f"{fitting}x")


def _page(request: HttpRequest, rest: str) -> HttpResponse:
    return HttpResponse()


urlpatterns = [path("<path:rest>", _page)]


@override_settings(ROOT_URLCONF=__name__)
def test_a_pattern_that_takes_any_path_makes_no_foreign_address_own() -> None:
    assert own_address("/anything/at/all")
    for href in ("//evil.example", "/%2Fevil.example", "/a/../b", "/\\evil.example", "/a%00b"):
        with pytest.raises(ForeignAddress):
            own_address(href)


def test_under_a_prefix_only_what_is_below_it_is_own() -> None:
    set_script_prefix("/company/")
    try:
        assert own_address("/company/ledger/cash-transactions/?flow=EXPENSE")
        for href in (OWN, "/company", "/companyX/ledger/cash-transactions/", "/company//ledger/cash-transactions/"):
            with pytest.raises(ForeignAddress):
                own_address(href)
    finally:
        clear_script_prefix()
