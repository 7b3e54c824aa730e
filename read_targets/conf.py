"""The settings of both apps: one dictionary, `READ_TARGETS`, read when asked and never at import."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string
from graphene_django.settings import graphene_settings
from graphene_django.views import instantiate_middleware

DEFAULTS: dict[str, Any] = {
    # Dotted path of the GraphQL schema for lists of another shape and for mutations; default: graphene's own setting.
    "SCHEMA": None,
    # Dotted path of a function user -> (time zone name | None, language code | None) that comes before a person's own.
    "PREFERENCES": None,
    # Days that a workspace and its cards are kept.
    "KEEP_DAYS": 90,
    # Largest body of a tool call, in bytes.
    "MAX_BODY_BYTES": 1_000_000,
    # Days that a new token is good for, unless it says otherwise.
    "TOKEN_DAYS": 90,
    # Tokens that a person may hold open at once, made on their own page.
    "MOST_TOKENS": 20,
    # Calls a minute with one token, unless an admin set another limit; None: as many as it likes.
    "CALLS_A_MINUTE_OF_TOKEN": 600,
    # Calls a minute of one person, by all their tokens and their own session together, unless an admin set another.
    "CALLS_A_MINUTE_OF_PERSON": 1_200,
    # Times a minute that one token, or one person's session, asks how its calls stand.
    "POLLS_A_MINUTE": 1_200,
    # The extra `oauth`: where the MCP door is mounted.
    "MCP_PATH": "/mcp",
    # The extra `oauth`: whether agents may register themselves as clients.
    "CLIENTS_REGISTER": True,
    # The extra `oauth`: whether a client may be named by the address of a document that it publishes of itself.
    "CLIENT_DOCUMENTS": True,
    # The extra `oauth`: clients that register themselves, a minute from one address.
    "REGISTRATIONS_A_MINUTE": 10,
    # Tokens that do not hold, a minute from one address, that are answered 401 and not 429.
    "BAD_TOKENS_A_MINUTE": 60,
    # The alias, in STORAGES, of where the files of exports lie; None: lists are not exported.
    "EXPORT_STORAGE": None,
    # Hours that the file of an export is kept.
    "EXPORT_HOURS": 24,
    # Exports that a person may hold at once, those being written among them.
    "MOST_EXPORTS": 10,
    # Seconds that the reading of one call may take in all; None: as long as it takes.
    "READ_SECONDS": 20,
    # Long readings of one person at once; None: as many as they like.
    "READS_AT_ONCE": 4,
    # Milliseconds after which a reading is a long one.
    "HEAVY_AFTER_MS": 500,
    # How deep the fields of a document stand within each other that a person sends to the GraphQL door.
    "GRAPHQL_MOST_DEPTH": 20,
    # Fields of such a document, those of its fragments counted wherever they are spread.
    "GRAPHQL_MOST_FIELDS": 500,
    # The alias, in DATABASES, of a replica that lists are read from; None: they are read where all else is.
    "REPLICA": None,
    # Seconds that the replica may be behind; where it is more, the database itself is read.
    "REPLICA_MOST_SECONDS": 10,
}


def setting(name: str) -> Any:
    """Return the value of `READ_TARGETS[name]`, or its default; raises ImproperlyConfigured for an unknown entry."""
    given: dict[str, Any] = getattr(settings, "READ_TARGETS", {})
    unknown = sorted(set(given) - set(DEFAULTS))
    if unknown:
        raise ImproperlyConfigured(f"READ_TARGETS has no setting {', '.join(unknown)}; it has {', '.join(DEFAULTS)}.")
    return given.get(name, DEFAULTS[name])


def imported(name: str) -> Any:
    """Return the object that the setting names by its dotted path, or None where it names none."""
    path = setting(name)
    return import_string(path) if path else None


def graphql_schema() -> Any:
    """Return the application's GraphQL schema: that of the setting `SCHEMA`, else graphene's own."""
    return imported("SCHEMA") or graphene_settings.SCHEMA


def graphql_middleware() -> list[Any]:
    """Return the middleware that graphene's settings name: what guards the application's GraphQL guards it here too."""
    return list(instantiate_middleware(graphene_settings.MIDDLEWARE or ()))
