"""What the apps do to the application that they are installed in: nothing that it did not ask for."""

from __future__ import annotations

import pytest
from django.contrib.sessions.models import Session
from django.db.models.signals import post_delete

from project.demo.ledger.models import CashTransaction
from read_targets.models import AgentDoors, Column, CriterionFilter, ReadTarget


@pytest.mark.parametrize("model", [CashTransaction, Session])
def test_the_hosts_records_are_deleted_the_fast_way_still(model: type) -> None:
    assert not post_delete.has_listeners(model)


@pytest.mark.django_db
@pytest.mark.parametrize("what", ["target", "column", "filters"])
def test_every_deletion_of_a_declaration_is_marked(what: str) -> None:
    ReadTarget.objects.all()[0].save()
    before = AgentDoors.objects.get().declared
    if what == "target":
        ReadTarget.objects.all()[0].delete()
    else:
        (Column if what == "column" else CriterionFilter).objects.all().delete()
    assert AgentDoors.objects.get().declared != before
