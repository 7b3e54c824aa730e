"""The roots of the site's GraphQL: who is signed in, and whatever the installed companies bring."""

from typing import Any

import graphene
from django.apps import apps


class Base(graphene.ObjectType):
    """What every site has, so that the schema is one even where no company is installed."""

    me = graphene.String(description="The name of the person who is signed in.")

    @staticmethod
    def resolve_me(_root: None, info: graphene.ResolveInfo) -> str | None:
        """Return the person's user name; None for nobody."""
        user = info.context.user
        return user.get_username() if user.is_authenticated else None


def _roots() -> tuple[Any, ...]:
    if not apps.is_installed("project.demo"):
        return (Base,)
    from project.demo.schema import Query

    return (Query, Base)


def _mutation() -> Any:
    if not apps.is_installed("project.demo"):
        return None
    from project.demo.schema import Mutation

    return Mutation


schema = graphene.Schema(
    query=type("Query", _roots(), {"__doc__": "What can be read."}),
    mutation=_mutation(),
)
