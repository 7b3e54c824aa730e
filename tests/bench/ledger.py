"""A query of the 50,000-row ledger against the same SQL by hand, through the same driver and in the same process.

Each ratio is of medians of interleaved runs. The hand-written statements give the same figures under the same rights:
count, sum, least and largest by month and of everything, and the first 20 rows with the account's name.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.demo.settings")
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from read_targets.agent.dispatch import call_tool  # noqa: E402
from read_targets.agent.tokens import create_token, token_of  # noqa: E402
from read_targets.digest import Wish  # noqa: E402
from read_targets.doors import current  # noqa: E402
from read_targets.policies import Actor, access_of  # noqa: E402
from read_targets.preferences import zone_of  # noqa: E402
from read_targets.reading import read  # noqa: E402

ROWS = int(os.environ.get("BENCH_ROWS", "50000"))
RUNS = 25
TOOL = "queryLedgerCashTransactions"

_SUMS = {
    "sqlite": "SUM(CAST(ROUND(t.amount * 100) AS INTEGER))",
    "postgresql": "SUM(t.amount)",
}
_MONTH = {"sqlite": "substr(t.date, 1, 7)", "postgresql": "to_char(t.date, 'YYYY-MM')"}
_COLUMNS = (
    "SELECT t.id, t.date, a.name, t.counterparty, t.flow, t.amount, t.status, t.memo "
    "FROM ledger_cashtransaction t JOIN ledger_account a ON a.id = t.account_id"
)
_OWN = "SELECT content_object_id FROM {table} WHERE {holder} = %s AND permission_id = %s"


def main() -> None:
    """Build the company and print what was measured."""
    call_command("migrate", verbosity=0)
    call_command("demo", rows=ROWS, verbosity=0)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
    print(f"\n{connection.vendor}, {ROWS} transactions, medians of {RUNS} interleaved runs")
    for name in ("analyst", "clerk"):
        secret = create_token(User.objects.get(username=name), "bench")[1]
        ours, by_hand = interleaved(partial(call, secret, show="answer"), partial(hand_written, name))
        say(f"query by months, {name}", f"{ours / by_hand:.2f} x", f"{ms(ours)} against {ms(by_hand)} by hand")
    secret = create_token(User.objects.get(username="analyst"), "bench")[1]
    kept, not_kept = interleaved(partial(call, secret, show="workspace"), partial(call, secret, show="answer"))
    say("storing a workspace of 1,000 rows", ms(kept - not_kept), "on top of the query")
    token = token_of(secret)
    assert token is not None
    actor = Actor(token.user, token)
    asking, reading = partial(call, secret, show="answer", id="1"), partial(read_one, actor)
    one, alone = interleaved(asking, reading, clock=time.process_time, runs=200)
    say(
        "dispatch: all but reading the list",
        f"{ms(one - alone)} CPU",
        f"a call of {ms(one)} CPU, its reading {ms(alone)}",
    )


def call(secret: str, **arguments: Any) -> None:
    """One call, from the token to the JSON, as the REST door makes it."""
    token = token_of(secret)
    assert token is not None
    if "id" not in arguments:
        arguments["groupBy"] = "date"
    answer = call_tool(Actor(token.user, token), TOOL, arguments).to_json()
    assert answer["success"], answer


def read_one(actor: Actor) -> None:
    """What `call` reads of the list for one record, and nothing else: whose rights are known is given."""
    target = next(one for one in current(actor) if one.query_tool_name == TOOL)
    read(target, {"id": "1"}, access_of(actor), zone_of(actor.user), Wish())


def hand_written(name: str) -> None:
    """The same figures and rows, in the best statements known by hand for the person's rights."""
    where, parameters = rights(name)
    figures = f"COUNT(*), {_SUMS[connection.vendor]}, MIN(t.amount), MAX(t.amount)"
    month = _MONTH[connection.vendor]
    with connection.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute(
            f"SELECT {month}, {figures} FROM ledger_cashtransaction t {where} GROUP BY 1",  # noqa: S608  # constants
            parameters,
        )
        cursor.fetchall()
        cursor.execute(
            f"{_COLUMNS} {where} ORDER BY t.date DESC, t.id DESC LIMIT 20",
            parameters,
        )
        cursor.fetchall()
        cursor.execute("COMMIT")


def rights(name: str) -> tuple[str, list[int]]:
    """The person's rights as a condition: none for the analyst, who may view every row."""
    if name == "analyst":
        return "", []
    if name not in _rights:
        clerk = User.objects.get(username=name)
        from guardian.utils import get_group_obj_perms_model, get_user_obj_perms_model

        from project.demo.ledger.models import CashTransaction

        own = get_user_obj_perms_model(CashTransaction)
        groups = get_group_obj_perms_model(CashTransaction)
        grant = own._default_manager.filter(user=clerk).values_list("permission_id", flat=True)[0]
        union = " UNION ".join(
            (
                _OWN.format(table=own._meta.db_table, holder="user_id"),
                _OWN.format(table=groups._meta.db_table, holder="group_id"),
            )
        )
        _rights[name] = (f"WHERE t.id IN ({union})", [clerk.pk, grant, clerk.groups.get().pk, grant])
    return _rights[name]


_rights: dict[str, tuple[str, list[int]]] = {}


def interleaved(
    one: Callable[[], None],
    two: Callable[[], None],
    *,
    clock: Callable[[], float] = time.perf_counter,
    runs: int = RUNS,
) -> tuple[float, float]:
    """Return the median seconds of each, measured in turns so that both meet the same machine."""
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(runs + 3):
        for measured, run in zip(times, (one, two), strict=True):
            start = clock()
            run()
            if turn >= 3:  # the first are warming up
                measured.append(clock() - start)
    return median(times[0]), median(times[1])


def ms(seconds: float) -> str:
    """Seconds as milliseconds."""
    return f"{seconds * 1000:.1f} ms"


def say(what: str, figure: str, because: str) -> None:
    """Print one line of the table."""
    print(f"  {what:<40} {figure:>12}   {because}")


if __name__ == "__main__":
    main()
