"""The sample company as a whole: built once, the same for the same number of transactions."""

from django.contrib.auth.models import User
from django.db import transaction
from guardian.shortcuts import assign_perm
from guardian.utils import get_group_obj_perms_model, get_user_obj_perms_model

from page_commands.models import Page
from read_targets.declaration.proposal import create_target
from read_targets.models import ReadTarget

from . import people
from .drilling import data as drilling
from .drilling import figures
from .factory import data as factory
from .factory.pages import DECLARED
from .ledger import data as ledger
from .loading import empty, settle
from .models import Company

MODELS = (*ledger.MODELS, *drilling.MODELS, *factory.MODELS)

TARGETS = {
    "ledger.cash-transactions": "cashTransactions",
    "ledger.accounts": "accounts",
    "drilling.wells": "wells",
    "drilling.connection-runs": "connectionRuns",
    "factory.tenants": "tenants",
    "factory.projects": "projects",
    "factory.git-connections": "gitConnections",
    "factory.conversations": "conversations",
}
"""The read targets of the company: key and list query."""

FINISHED = {"drilling.connection-runs": figures.declare}
"""What only people know of a target, and so is added to what is proposed of it."""


@transaction.atomic
def build(rows: int) -> bool:
    """Build the company with `rows` transactions; return False where it stands there already, and keep its records.

    A company of another size gives up its records, with what anybody changed in them, and the grants on them. Its
    people, its read targets and its pages stay as they are. Pages that are missing are declared in any case, since a
    company that was built before there were pages has none.
    """
    if Company.objects.filter(rows=rows).exists():
        if _missing_pages():
            _declare_pages(people.hire())
        return False
    _clear()
    ledger.load(rows)
    drilling.load()
    factory.load()
    staff = people.hire()
    people.entitle(staff)
    for key, list_query in TARGETS.items():
        if not ReadTarget.objects.filter(key=key).exists():
            target = create_target(key, list_query)
            if key in FINISHED:
                FINISHED[key](target)
            assign_perm("read_targets.query_readtarget", staff["clerk"], target)
            if key.startswith("ledger."):
                assign_perm("read_targets.query_readtarget", staff["analyst"], target)
    _declare_pages(staff)
    settle(MODELS)
    Company.objects.create(rows=rows)
    return True


def _missing_pages() -> list[str]:
    there = set(Page.objects.values_list("key", flat=True))
    return [key for key in DECLARED if key not in there]


def _declare_pages(staff: dict[str, User]) -> None:
    """Declare those pages that are not there, and let the clerk run their commands, with what these need."""
    for key in _missing_pages():
        for command in DECLARED[key]().commands.all():
            assign_perm("page_commands.run_agentcommand", staff["clerk"], command)
    people.empower(staff)


def _clear() -> None:
    empty(MODELS)
    Company.objects.all().delete()
    for grants in (get_user_obj_perms_model(), get_group_obj_perms_model()):
        grants.objects.filter(content_type__app_label__in={model._meta.app_label for model in MODELS}).delete()
