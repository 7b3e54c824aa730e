"""The sample company as a whole: built once, the same for the same number of transactions."""

from django.db import transaction
from guardian.shortcuts import assign_perm
from guardian.utils import get_group_obj_perms_model, get_user_obj_perms_model

from read_targets.declaration.proposal import create_target
from read_targets.models import ReadTarget

from . import people
from .drilling import data as drilling
from .factory import data as factory
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


@transaction.atomic
def build(rows: int) -> bool:
    """Build the company with `rows` transactions; return False, changing nothing, where it stands there already.

    A company of another size gives up its records, with what anybody changed in them, and the grants on them. Its
    people and its read targets stay as they are.
    """
    if Company.objects.filter(rows=rows).exists():
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
            assign_perm("read_targets.query_readtarget", staff["clerk"], target)
            if key.startswith("ledger."):
                assign_perm("read_targets.query_readtarget", staff["analyst"], target)
    settle(MODELS)
    Company.objects.create(rows=rows)
    return True


def _clear() -> None:
    empty(MODELS)
    Company.objects.all().delete()
    for grants in (get_user_obj_perms_model(), get_group_obj_perms_model()):
        grants.objects.filter(content_type__app_label__in={model._meta.app_label for model in MODELS}).delete()
