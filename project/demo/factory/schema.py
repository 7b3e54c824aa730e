"""What can be changed in the factory through GraphQL: the name of a project."""

import graphene
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from graphql import GraphQLError

from read_targets.lists import writing
from read_targets.policies import permits

from .models import Project

CHANGE = "factory.change_project"


class RenamedProject(graphene.ObjectType):
    """A project as it is called now."""

    id = graphene.ID(required=True)
    name = graphene.String(required=True)


class RenameProject(graphene.Mutation):
    """Give a project another name."""

    class Arguments:
        """Which project, and its new name."""

        id = graphene.ID(required=True)
        name = graphene.String(required=True)

    project = graphene.Field(RenamedProject, required=True)

    @staticmethod
    def mutate(_root: None, info: graphene.ResolveInfo, id: str, name: str) -> "RenameProject":
        """Rename it as the person who is signed in; raises GraphQLError where they may not or the name does not fit."""
        with writing():
            project = Project.objects.select_for_update().filter(pk=id).first() if id.isdecimal() else None
            # One answer for what is not there and what is not theirs.
            if project is None or not permits(info.context.user, CHANGE, project):
                raise GraphQLError(_("There is no such project that you may change."))
            project.name = name.strip()
            try:
                project.clean_fields(exclude=["tenant", "started", "budget"])
            except ValidationError as wrong:
                raise GraphQLError(" ".join(wrong.messages)) from None
            project.save(update_fields=["name"])
        return RenameProject(project=RenamedProject(id=project.pk, name=project.name))


class FactoryMutation(graphene.ObjectType):
    """The factory's mutations."""

    rename_project = RenameProject.Field()
