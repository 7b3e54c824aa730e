"""Calls that were made to hurt, over REST, MCP, GraphQL and the pages, as many people and as nobody.

None is answered as our fault, none with a byte that its caller may not read, and the process does not grow.
`HOSTILE_CALLS` says how many; `make soak` makes 100,000.
"""

from __future__ import annotations

import logging
import os
import time
from collections import Counter
from datetime import timedelta
from typing import Any

import psutil
import pytest
from django.contrib.auth.models import Permission, User
from django.db import transaction
from django.test import Client
from django.utils import timezone

from read_targets.agent.tokens import create_token, revoke
from read_targets.models import AgentToken, Preference
from tests.conftest import Agent
from tests.live.tabs import open_tab

from .calls import CSRF, Caller, Calls, Things
from .marks import leaked, mark_of, plant
from .site import Answer, Request, Site, site_in_process

CALLS = int(os.environ.get("HOSTILE_CALLS", "400"))
SEED = int(os.environ.get("HOSTILE_SEED", "7"))

BATCH = 200
"""Calls after which what they wrote is rolled back, so that the database stays the same."""

LIMITS = ("CALLS_A_MINUTE_OF_TOKEN", "CALLS_A_MINUTE_OF_PERSON", "POLLS_A_MINUTE", "BAD_TOKENS_A_MINUTE")
WARM = 0.2
"""The part of the calls after which caches are full."""

MOST_GROWTH = 48 * 2**20
"""Bytes that the process may grow by afterwards."""


@pytest.fixture
def people(db: None) -> dict[str, User]:
    """The people of the company, marks in all that they may read, and one more whose agents are stopped."""
    halted = User.objects.create_user("halted", password="x")
    halted.user_permissions.add(
        *Permission.objects.filter(codename__in=("view_cashtransaction", "view_account", "query_readtarget"))
    )
    Preference.objects.create(user=halted, agents_stopped=True)
    people = {user.username: user for user in User.objects.exclude(username="admin")}
    plant(people)
    return people


def browser_of(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def cookie_of(user: User) -> tuple[tuple[str, str], ...]:
    session = browser_of(user).cookies["sessionid"].value
    return (
        ("Cookie", f"sessionid={session}; csrftoken={CSRF}"),
        ("X-CSRFToken", CSRF),
        ("Sec-Fetch-Site", "same-origin"),
    )


def bearer(secret: str) -> tuple[tuple[str, str], ...]:
    return (("Authorization", f"Bearer {secret}"),)


@pytest.fixture
def callers(people: dict[str, User]) -> list[Caller]:
    """Everybody who calls."""
    secrets = {name: create_token(user, mark_of([name]), may_act=True)[1] for name, user in people.items()}
    read_only = create_token(people["clerk"], "reads")[1]
    revoked, expired = (create_token(people["analyst"], name) for name in ("revoked", "expired"))
    revoke(revoked[0])
    AgentToken.objects.filter(pk=expired[0].pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    cookies = {name: cookie_of(user) for name, user in people.items()}
    forged = (secrets["analyst"][:-1] + "x", secrets["analyst"] + "\0", "rt_", "", "é" * 40)
    who = ("clerk", "analyst", "clerk", "analyst", "guest")
    return [
        *(Caller(name, "", bearer(secrets[name])) for name in who),
        Caller("clerk", "", bearer(read_only)),
        *(Caller("", "", bearer(secret)) for secret in (revoked[1], expired[1], secrets["halted"], *forged)),
        *(Caller(name, name, cookies[name]) for name in who),
        # A token of one person in another's browser.
        Caller("guest", "analyst", (*bearer(secrets["guest"]), *cookies["analyst"])),
        Caller("clerk", "guest", (*bearer(secrets["clerk"]), *cookies["guest"])),
        Caller("", "analyst", (*bearer(revoked[1]), *cookies["analyst"])),
        Caller("", "", (("Cookie", "sessionid=nobody"),)),
        Caller("", "", ()),
    ]


@pytest.fixture
def things(callers: list[Caller]) -> Things:
    """What everybody has: workspaces, cards, calls, an open page, and rows."""
    first = {caller.agent: Agent(caller.headers[0][1].removeprefix("Bearer ")) for caller in reversed(callers[:2])}
    things = Things()
    for name, one in first.items():
        things.tools[name] = one.tools().json()["tools"]
        for tool in ("queryLedgerCashTransactions", "queryLedgerAccounts"):
            told = one.answer(tool, show="workspace", name=f"{name} {tool}", title=mark_of([name]))
            assert "zqk" in str(told["sampleRows"])
            things.workspaces.append(told["card"]["workspace"]["name"])
            things.ids += [told["card"]["id"], told["callId"]]
    things.ids.append(open_tab(browser_of(User.objects.get(username="clerk"))).id)
    things.rows = [str(number) for number in range(1, 60)]
    return things


def problem_of(caller: Caller, request: Request, answer: Answer, site: Site) -> str:
    """What is wrong with an answer, empty where nothing is."""
    if answer.status >= 500 or b'"outcome":"INTERNAL"' in answer.body or b"-32603" in answer.body:
        return f"answered {answer.status} {answer.body[:1000]!r}"
    found = leaked(answer.everything(), caller.reads_as(request.path))
    if found:
        return f"leaked {found}"
    return f"logged {errors}" if (errors := [one for one in site.errors.found if "django.security" not in one]) else ""


def test_nothing_hurts_and_nothing_leaks(
    callers: list[Caller], things: Things, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.READ_TARGETS = {**settings.READ_TARGETS, **dict.fromkeys(LIMITS)}
    calls, process = Calls(SEED, callers, things), psutil.Process()
    statuses: Counter[tuple[str, int]] = Counter()
    read: Counter[str] = Counter()
    problems: list[str] = []
    warm, slowest = 0, 0.0
    with site_in_process(monkeypatch) as site:
        logging.getLogger("read_targets").error("heard")
        assert site.errors.found.pop() == "read_targets: heard None"
        for number in range(0, CALLS, BATCH):
            with transaction.atomic():
                for _ in range(min(BATCH, CALLS - number)):
                    caller, request = calls.next()
                    began = time.perf_counter()
                    try:
                        answer = site.send(request)
                    except Exception as raised:  # whatever it is, it is what is looked for
                        answer = Answer(599, (), repr(raised).encode())
                    slowest = max(slowest, time.perf_counter() - began)
                    statuses[calls.kind, int(answer.status)] += 1
                    read[caller.reads_as(request.path)] += b"zqk" in answer.body
                    if (problem := problem_of(caller, request, answer, site)) and len(problems) < 20:
                        problems.append(f"{problem}\n  to {request.told()}")
                    site.errors.found.clear()
                transaction.set_rollback(True)
            if number and number % 1_000 == 0 and CALLS > 10_000:
                print(number, process.memory_info().rss >> 20, "MB", len(problems), "problems", flush=True)
            if number <= CALLS * WARM:
                warm = process.memory_info().rss
    grown = process.memory_info().rss - warm
    print(f"{CALLS} calls: {warm >> 20} MB, and {grown / 2**20:.1f} more at the end; the slowest took {slowest:.2f} s")
    print(sorted(statuses.items()))
    assert not problems, "\n".join(problems)
    assert grown < MOST_GROWTH
    # What was asked reached the rows, or there would have been nothing to leak.
    assert read.total() > CALLS / 200, read
