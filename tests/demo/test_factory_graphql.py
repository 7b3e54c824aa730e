"""The one mutation of the sample company: it renames a project for whoever may change it, and for nobody else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from guardian.shortcuts import assign_perm, remove_perm

from project.demo.factory.models import Project
from read_targets.policies import permitted

pytestmark = pytest.mark.django_db

SignedIn = Callable[[str], Client]

DOCUMENT = "mutation ($id: ID!, $name: String!) { renameProject(id: $id, name: $name) { project { id name } } }"


def rename(client: Client, project: Any, name: str) -> dict[str, Any]:
    body = {"query": DOCUMENT, "variables": {"id": str(project), "name": name}}
    answer: dict[str, Any] = client.post("/graphql", body, "application/json").json()
    return answer


def projects(name: str, permission: str) -> Any:
    return permitted(User.objects.get(username=name), permission, Project.objects.order_by("pk"))


def test_whoever_may_change_a_project_renames_it(signed_in: SignedIn) -> None:
    project = projects("clerk", "factory.change_project").first()
    answer = rename(signed_in("clerk"), project.pk, "  Lager & <b>mehr</b> ")
    assert answer == {"data": {"renameProject": {"project": {"id": str(project.pk), "name": "Lager & <b>mehr</b>"}}}}
    assert Project.objects.get(pk=project.pk).name == "Lager & <b>mehr</b>"


def test_what_may_only_be_viewed_and_what_is_not_there_are_refused_alike(signed_in: SignedIn) -> None:
    viewed = projects("clerk", "factory.view_project").exclude(pk__in=projects("clerk", "factory.change_project"))
    for project in (viewed.first().pk, 2, 9999, "x", "-1", "1 OR 1=1", "²", "9" * 40):
        answer = rename(signed_in("clerk"), project, "Mine now")
        assert answer["errors"][0]["message"] == "There is no such project that you may change."
        assert not (answer.get("data") or {}).get("renameProject")
    assert not Project.objects.filter(name="Mine now").exists()


def test_the_right_is_asked_of_each_person_at_each_call(signed_in: SignedIn) -> None:
    project, guest = projects("clerk", "factory.change_project").first(), User.objects.get(username="guest")
    assert "errors" in rename(signed_in("guest"), project.pk, "Mine now")
    assign_perm("factory.change_project", guest, project)
    assert "errors" not in rename(signed_in("guest"), project.pk, "Mine now")
    remove_perm("factory.change_project", guest, project)
    assert "errors" in rename(signed_in("guest"), project.pk, "Mine again")
    assert Project.objects.get(pk=project.pk).name == "Mine now"


@pytest.mark.parametrize(
    ("name", "said"), [("", "cannot be blank"), ("   ", "cannot be blank"), ("x" * 81, "at most 80 characters")]
)
def test_a_name_that_does_not_fit_is_refused(signed_in: SignedIn, name: str, said: str) -> None:
    project = projects("clerk", "factory.change_project").first()
    answer = rename(signed_in("clerk"), project.pk, name)
    assert said in answer["errors"][0]["message"]
    assert Project.objects.get(pk=project.pk).name == project.name


def test_nothing_is_renamed_by_get_by_strangers_or_by_a_token(signed_in: SignedIn) -> None:
    project = projects("clerk", "factory.change_project").first()
    document = f'mutation {{ renameProject(id: "{project.pk}", name: "Mine now") {{ project {{ id }} }} }}'
    assert signed_in("clerk").get("/graphql", {"query": document}).status_code == 405
    assert Client().post("/graphql", {"query": document}, "application/json").status_code == 401
    headers = {"Authorization": "Bearer rt_x"}
    client = signed_in("clerk")
    assert client.post("/graphql", {"query": document}, "application/json", headers=headers).status_code == 401
    assert Project.objects.get(pk=project.pk).name == project.name
