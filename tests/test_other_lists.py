"""Lists that the demo has none of: a relation by another key than the primary one, and one that groups by nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps.registry import Apps
from django.db import connection, models

from read_targets.agent.schemas import described
from read_targets.lists import Condition, ListDefinition, Question, ask
from read_targets.lists.engine import keys_of
from read_targets.models import Column, ReadTarget
from read_targets.tools import query_tool
from tests.lists.doubles import Only

apps = Apps()


class Branch(models.Model):
    """What is referred to by its number."""

    number = models.IntegerField(unique=True)
    name = models.CharField(max_length=20)

    class Meta:
        apps = apps
        app_label = "review"

    def __str__(self) -> str:
        return self.name


class Visit(models.Model):
    """What refers to a branch by its number."""

    branch = models.ForeignKey(Branch, models.CASCADE, to_field="number")

    class Meta:
        apps = apps
        app_label = "review"

    def __str__(self) -> str:
        return str(self.pk)


VISITS = ListDefinition("visits", Visit, shown="branch.name")


@pytest.fixture
def tables(transactional_db: None) -> Iterator[None]:
    with connection.schema_editor() as editor:
        for model in (Branch, Visit):
            editor.create_model(model)
    yield
    with connection.schema_editor() as editor:
        for model in (Visit, Branch):
            editor.delete_model(model)


def test_a_right_on_the_related_object_is_asked_by_its_own_key(tables: None) -> None:
    seen = Branch.objects.create(pk=1, number=2, name="seen")
    hidden = Branch.objects.create(pk=2, number=1, name="hidden")
    for branch in (seen, hidden):
        Visit.objects.create(branch=branch)
    access: Any = Only({Branch: [seen.pk]})
    answer = ask(VISITS, Question(limit=10, group_by="branch.name"), access)
    assert [row.values["branch.name"] for row in answer.rows] == ["seen", None]
    assert [(group.key, group.withheld) for group in answer.groups or ()] == [("seen", False), (None, True)]
    found = ask(VISITS, Question(conditions=(Condition("branch.name", "eq", "hidden"),)), access)
    assert found.total == 0
    assert keys_of(VISITS, Question(), access, "branch") == [seen.pk]


@pytest.mark.django_db
def test_a_list_that_groups_by_nothing_offers_no_grouping(monkeypatch: pytest.MonkeyPatch) -> None:
    from project.demo.ledger.models import Account
    from read_targets import tools

    bare = ListDefinition("accounts", Account, shown="name currency", grouped=(), sorted="name")
    monkeypatch.setattr(tools, "get_list", lambda name: bare)
    target = ReadTarget.objects.get(key="ledger.accounts")
    Column.objects.filter(target=target).exclude(name__in=["name", "currency"]).delete()
    properties = described(query_tool(target))["parameters"]["properties"]
    assert "groupBy" not in properties
    assert "currency" not in properties["orderBy"]["description"]
    assert all(one["enum"] for one in properties.values() if "enum" in one)
