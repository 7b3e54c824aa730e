"""A mutation of the application's GraphQL schema runs as the person, refuses in its own words, and tells no fault."""

from __future__ import annotations

from typing import Any

import graphene
import pytest
from django.utils.translation import override
from graphql import GraphQLError

from page_commands.codes import Code
from project.demo.factory.models import Project

from .acting import code
from .conftest import Person
from .desk import Desk, step, tenant
from .tab import Agent, Tab


class Renamed(graphene.ObjectType):
    """What a mutation of the tests answers."""

    name = graphene.String()
    length = graphene.Int()
    who = graphene.String()
    secret_of = graphene.String(key=graphene.String(required=True))


class Rename(graphene.Mutation):
    """Renames a project, as whoever is signed in."""

    class Arguments:
        """The project and its name."""

        id = graphene.ID(required=True)
        name = graphene.String(required=True)

    Output = Renamed

    @staticmethod
    def mutate(_root: None, info: graphene.ResolveInfo, id: str, name: str) -> Renamed:
        """Rename it, refuse, or break."""
        Project.objects.filter(pk=id).update(name=name)
        if name == "refused":
            raise GraphQLError("Diesen Namen gibt es schon.")
        if name == "broken":
            raise RuntimeError(code.SECRET)
        if name == "nothing":
            return None  # type: ignore[return-value]  # which the schema does not allow for
        return Renamed(name=name, length=len(name), who=info.context.user.get_username())


class Mutations(graphene.ObjectType):
    """The mutations of the tests."""

    rename = graphene.Field(Renamed, required=True, id=graphene.ID(required=True), name=graphene.String(required=True))
    count = graphene.Int()

    @staticmethod
    def resolve_rename(root: None, info: graphene.ResolveInfo, id: str, name: str) -> Renamed:
        """Rename it."""
        return Rename.mutate(root, info, id, name)

    @staticmethod
    def resolve_count(_root: None, info: graphene.ResolveInfo) -> int:
        """Count."""
        code.done("mutation")
        return 7


class Queries(graphene.ObjectType):
    """A schema needs one."""

    nothing = graphene.String()


schema = graphene.Schema(query=Queries, mutation=Mutations)


@pytest.fixture
def project(desk: Desk, settings: Any) -> Project:
    """A project, and commands that rename it through the schema of the tests."""
    settings.READ_TARGETS = {"SCHEMA": f"{__name__}.schema"}
    desk.command(
        "rename",
        step("mutation rename", id="input", name="parameter name"),
        step("handler acting.everything", whole="step 1", name="step 1.name", who="step 1.who"),
        step("show_view plain"),
        takes="factory.project",
        parameters=({"name": "name", "kind": "string", "required": True},),
    )
    return Project.objects.create(tenant=tenant(), name="shop", started="2026-01-01")


def test_a_mutation_runs_as_the_person_and_later_steps_read_what_it_answers(
    project: Project, tab: Tab, robot: Agent
) -> None:
    answer = robot.run("rename", project.pk, name="“lamp” {x} $y").json()
    assert answer["outcome"] == "READY"
    name = "“lamp” {x} $y"
    # Fields that need arguments of their own are not asked for.
    whole = {"name": name, "length": len(name), "who": "mina"}
    assert code.given == [{"whole": whole, "name": name, "who": "mina"}]
    assert answer["changed"]["object"] == {"name": name}


def test_a_mutation_of_a_plain_value_gives_it_as_its_result(
    project: Project, desk: Desk, tab: Tab, robot: Agent
) -> None:
    desk.command("tally", step("mutation count"), step("handler acting.everything", n="step 1.result"), takes="")
    assert robot.run("tally").json()["outcome"] == "READY"
    assert code.given == [{"n": 7}]


def test_its_refusal_is_the_applications_own_words(project: Project, tab: Tab, robot: Agent) -> None:
    for reply in (robot.run("rename", project.pk, name="refused"), tab.click("rename", project.pk, name="refused")):
        answer = reply.json()
        assert (answer["code"], reply.status) == (Code.REFUSED_BY_RULES, 403)
        assert answer["reasons"] == ["Diesen Namen gibt es schon."]
    project.refresh_from_db()
    assert project.name == "shop"
    assert tab.pull() == []


@pytest.mark.parametrize("name", ["broken", "nothing"])
def test_of_a_resolver_that_breaks_nothing_is_told(project: Project, tab: Tab, robot: Agent, name: str) -> None:
    for reply in (robot.run("rename", project.pk, name=name), tab.click("rename", project.pk, name=name)):
        # Nobody knows what it did outside of the database before it broke.
        assert (reply.json()["code"], reply.status) == (Code.OUTCOME_UNKNOWN, 503)
        assert code.SECRET not in reply.text
        assert "null" not in reply.text
        assert "resolve" not in reply.text
    project.refresh_from_db()
    assert project.name == "shop"
    assert code.given == []
    assert tab.pull() == []


@pytest.mark.parametrize(("language", "who"), [("en", "mina"), ("de", "german"), ("ko", "korean")])
def test_the_companys_own_mutation_refuses_in_the_persons_language(
    desk: Desk, request: pytest.FixtureRequest, language: str, who: str
) -> None:
    from django.utils.translation import gettext

    person: Person = request.getfixturevalue(who)
    desk.command(
        "rename",
        step("mutation renameProject", id="input", name="parameter name"),
        takes="factory.project",
        input_permission="factory.view_project",
        parameters=({"name": "name", "kind": "string", "required": True},),
    )
    one = Project.objects.create(tenant=tenant(), name="shop", started="2026-01-01")
    person.open()
    agent = person.agent()
    assert agent.run("rename", one.pk, name="lamp").json()["changed"] == {"object": {"name": "lamp"}}
    person.loses("factory.change_project")
    answer = agent.run("rename", one.pk, name="other").json()
    with override(language):
        assert answer["reasons"] == [gettext("There is no such project that you may change.")]
    assert answer["language"] == language
    one.refresh_from_db()
    assert one.name == "lamp"
