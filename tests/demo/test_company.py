"""The sample company is the same for the same number of rows, quickly built, and never rebuilt over people's heads."""

import hashlib
from collections import Counter
from datetime import date
from io import StringIO

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from guardian.models import GroupObjectPermission, UserObjectPermission

from project.demo.company import MODELS, TARGETS, build
from project.demo.ledger.models import (
    Account,
    CashTransaction,
    CashTransactionGroupGrant,
    CashTransactionUserGrant,
    ExchangeRate,
)
from project.demo.models import Company
from read_targets.models import ReadTarget
from tests.conftest import ROWS

pytestmark = pytest.mark.django_db


def digest() -> str:
    """Everything that the records and the grants on them hold."""
    seen = hashlib.sha256()
    for model in MODELS:
        names = [field.attname for field in model._meta.concrete_fields]
        for row in model._default_manager.order_by("pk").values_list(*names):
            seen.update(repr((model.__name__, row)).encode())
    for grants in (UserObjectPermission, GroupObjectPermission):
        for row in grants.objects.order_by("object_pk", "permission").values_list("object_pk", "permission__codename"):
            seen.update(repr((grants.__name__, row)).encode())
    return seen.hexdigest()


def run(rows: int) -> str:
    out = StringIO()
    call_command("demo", rows=rows, stdout=out)
    return out.getvalue()


def test_it_is_the_same_for_the_same_number_of_rows() -> None:
    first = digest()
    assert "Built" in run(ROWS + 50)
    assert digest() != first
    assert "Built" in run(ROWS)
    assert digest() == first


def test_built_again_it_is_already_there_and_nothing_is_changed() -> None:
    CashTransaction.objects.filter(pk=1).update(memo="somebody's note")
    CashTransaction.objects.get(pk=2).delete()
    with CaptureQueriesContext(connection) as queries:
        said = run(ROWS)
    assert "already there" in said
    assert CashTransaction.objects.get(pk=1).memo == "somebody's note"
    assert CashTransaction.objects.count() == ROWS - 1
    assert not [query for query in queries if query["sql"].startswith(("INSERT", "UPDATE", "DELETE"))]


def test_built_with_other_rows_it_keeps_people_targets_and_new_keys_apart() -> None:
    people = dict(User.objects.values_list("username", "pk"))
    targets = set(ReadTarget.objects.values_list("key", "pk"))
    run(ROWS - 10)
    assert Company.objects.get().rows == CashTransaction.objects.count() == ROWS - 10
    assert dict(User.objects.values_list("username", "pk")) == people
    assert set(ReadTarget.objects.values_list("key", "pk")) == targets
    account = Account.objects.create(name="Another", currency="EUR", opened=date(2026, 1, 1))
    assert account.pk == Account.objects.exclude(pk=account.pk).count() + 1


def test_more_rows_take_few_more_statements() -> None:
    taken = []
    for rows in (1_000, 3_000):
        with CaptureQueriesContext(connection) as queries:
            build(rows)
        taken.append(len(queries))
    # SQLite takes at most 999 parameters a statement: about 110 rows.
    assert taken[1] - taken[0] <= 2_000 // 100 + 5


def test_the_ledger_holds_what_is_hard_to_hold() -> None:
    names = Counter(CashTransaction.objects.values_list("counterparty", flat=True))
    expected = {"주식회사 (주)한빛", "O'Brien & Söhne", "Bäckerei Grüß 🥨", "Robert'); DROP TABLE", "", None}
    assert expected <= set(names)
    memos = set(CashTransaction.objects.values_list("memo", flat=True))
    assert {'=HYPERLINK("http://x","y")', "<b>paid</b><script>alert(1)</script>", None} <= memos
    assert ExchangeRate.objects.filter(rate__gt=1000).exists()
    assert ExchangeRate.objects.filter(rate__lt=10).exists()


def test_the_ledger_covers_three_years_up_to_a_fixed_day() -> None:
    days = CashTransaction.objects.order_by("date", "pk").values_list("date", flat=True)
    assert days.first() == date(2023, 12, 1)
    assert date(2026, 11, 25) <= days[ROWS - 1] <= date(2026, 11, 30)
    assert {day.year for day in days} == {2023, 2024, 2025, 2026}


def test_expenses_are_negative_and_only_what_is_booked_has_a_moment_of_booking() -> None:
    for one in CashTransaction.objects.all():
        assert (one.amount < 0) == (one.flow == "EXPENSE")
        assert (one.booked_at is not None) == (one.status == "BOOKED")


def test_the_clerk_has_grants_in_person_and_by_group_and_some_both_ways() -> None:
    clerk, clerks = User.objects.get(username="clerk"), Group.objects.get(name="ledger-clerks")
    own = set(CashTransactionUserGrant.objects.filter(user=clerk).values_list("content_object", flat=True))
    theirs = set(CashTransactionGroupGrant.objects.filter(group=clerks).values_list("content_object", flat=True))
    assert own == set(range(1, ROWS + 1, 100))
    assert theirs == set(range(1, ROWS + 1, 30))
    assert own & theirs
    assert own - theirs
    assert clerk.groups.get() == clerks
    accounts = UserObjectPermission.objects.filter(user=clerk, permission__codename="view_account")
    assert 0 < accounts.count() < Account.objects.count()


def test_the_guest_has_nothing_at_all() -> None:
    guest = User.objects.get(username="guest")
    assert guest.is_active
    assert not guest.is_staff
    assert not guest.get_all_permissions()
    assert not guest.groups.exists()
    assert not UserObjectPermission.objects.filter(user=guest).exists()


def test_every_password_is_the_name() -> None:
    for person in User.objects.all():
        assert person.check_password(person.username)


def test_every_target_is_declared_whole() -> None:
    targets = ReadTarget.objects.in_bulk(field_name="key")
    assert set(targets) == set(TARGETS)
    for target in targets.values():
        assert target.columns.exists()
        assert target.criteria.exists()
        assert target.screen


@pytest.mark.parametrize("rows", ["0", "-1", "many", "1.5", "²"])
def test_a_number_of_rows_that_is_none_is_refused(rows: str) -> None:
    with pytest.raises(CommandError, match="is no number of rows; 50000 would be one"):
        call_command("demo", f"--rows={rows}")
