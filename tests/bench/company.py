"""The sample company with people whose rights are made up in different ways."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.demo.settings")
os.environ.setdefault("LOG_LEVEL", "ERROR")  # a line for each call would be what is measured
django.setup()

from django.contrib.auth.models import Group, User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from guardian.shortcuts import assign_perm  # noqa: E402

from read_targets.agent.dispatch import call_tool  # noqa: E402
from read_targets.agent.tokens import create_token, token_of  # noqa: E402
from read_targets.models import ReadTarget  # noqa: E402
from read_targets.policies import Actor, right_of  # noqa: E402

ROWS = int(os.environ.get("BENCH_ROWS", "50000"))
TURNS = int(os.environ.get("BENCH_TURNS", "7"))
TOOL = "queryLedgerCashTransactions"
VIEW = "ledger.view_cashtransaction"
TABLE = "ledger_cashtransaction"
PEOPLE, GROUPS = "ledger_cashtransactionusergrant", "ledger_cashtransactiongroupgrant"


@dataclass(frozen=True)
class Case:
    """A person: which rows they are granted in person, and by each of their groups, as conditions on a row's id."""

    name: str
    own: str = ""
    groups: tuple[str, ...] = ()

    @property
    def username(self) -> str:
        """The name that the person signs in with."""
        return f"bench-{self.name.replace(' ', '-')}"

    @property
    def person(self) -> User:
        """The person, with nothing remembered."""
        return User.objects.get(username=self.username)


CASES = (
    Case("all rows"),
    Case("20 grants", f"id % {max(ROWS // 20, 1)} = 7"),
    Case("1 %", "id % 100 = 3"),
    Case("10 %", "id % 10 = 3"),
    Case("50 %", "id % 2 = 1"),
    Case("50 % by group", "", ("id % 2 = 1",)),
    Case("mixed", "id % 2 = 1", ("id % 4 = 0", "id % 3 = 0")),
)


def build() -> None:
    """Build the company, and a person for each case; each of them may view every account."""
    call_command("migrate", verbosity=0)
    call_command("demo", rows=ROWS, verbosity=0)
    target = ReadTarget.objects.get(key="ledger.cash-transactions")
    right = right_of(VIEW)
    with connection.cursor() as cursor:
        for case in CASES:
            person, is_new = User.objects.get_or_create(username=case.username)
            if not is_new:
                continue
            assign_perm("read_targets.query_readtarget", person, target)
            assign_perm("ledger.view_account", person)
            if not case.own and not case.groups:
                assign_perm(VIEW, person)
            for number, condition in enumerate(case.groups):
                group = Group.objects.create(name=f"{case.username}-{number}")
                person.groups.add(group)
                cursor.execute(_granting(GROUPS, "group_id", condition), [group.pk, right])
            if case.own:
                cursor.execute(_granting(PEOPLE, "user_id", case.own), [person.pk, right])
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")


def secret_of(person: User) -> str:
    """Return a new token of the person's."""
    return create_token(person, f"bench-{os.urandom(8).hex()}")[1]


def call(secret: str, **arguments: Any) -> None:
    """Make one call, from the token to the JSON, as the REST door makes it."""
    token = token_of(secret)
    assert token is not None
    answer = call_tool(Actor(token.user, token), TOOL, arguments).to_json()
    assert answer["success"], answer


def _granting(table: str, holder: str, condition: str) -> str:
    given = f"SELECT id, %s, %s FROM {TABLE} WHERE {condition.replace('%', '%%')}"  # noqa: S608  # constants of ours
    return f"INSERT INTO {table} (content_object_id, {holder}, permission_id) {given}"
