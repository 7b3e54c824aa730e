"""System checks of the lists themselves: what their database cannot hold exactly, or cannot search fast."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.checks import CheckMessage, Tags, Warning, register
from django.db import DatabaseError, connections, models, router, transaction

from .lists import ListDefinition, registered_lists
from .lists.exact import FLOAT_DIGITS
from .lists.search_index import index_of

SMALL_TABLE = 2**20
"""Bytes of a table that is read whole in a few milliseconds, so that an index on it would be of no use."""


@register()
def check_wide_decimals(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """W007: every decimal that a list uses keeps its digits; on SQLite none has more than 15."""
    wide = {
        path.field: definition.name
        for definition in reversed(registered_lists())
        for path in definition.paths.values()
        if isinstance(path.field, models.DecimalField)
        and (path.field.max_digits or 0) > FLOAT_DIGITS
        and _connection(definition).vendor == "sqlite"
    }
    return [
        Warning(
            f"{field.model._meta.label}.{field.name} has {field.max_digits} digits, of which SQLite keeps "
            f"{FLOAT_DIGITS}: the list {name} may show and sum it wrongly.",
            hint=f"Set max_digits={FLOAT_DIGITS} or less and migrate, or keep the data in PostgreSQL.",
            obj=field,
            id="read_targets.W007",
        )
        for field, name in sorted(wide.items(), key=lambda one: str(one[0]))
    ]


@register(Tags.database)
def check_search_indexes(
    app_configs: Any, databases: Iterable[str] | None = None, **options: Any
) -> list[CheckMessage]:
    """W009: on PostgreSQL a list that searches texts of its own in a table of some size has an index for it.

    Looks at the database, so it is asked by `migrate` and `check --database default`. Silent where that does not
    answer or the table is not there yet.
    """
    found: list[CheckMessage] = []
    for definition in registered_lists():
        names = [path for path in definition.searched if "." not in path]
        connection = _connection(definition)
        if not names or connection.vendor != "postgresql" or connection.alias not in (databases or ()):
            continue
        if index_of(definition.model, names) is None and _size(connection, definition.model) > SMALL_TABLE:
            label = definition.model._meta
            message = f"The list {definition.name} searches {', '.join(names)} of {label.label} by reading every row."
            line = f'SearchIndex(fields={names!r}, name="{label.app_label[:10]}_{str(label.model_name)[:12]}_search")'
            hint = f"Add read_targets.lists.{line} to Meta.indexes of the model, makemigrations and migrate."
            found.append(Warning(message, hint=hint, obj=definition.model, id="read_targets.W009"))
    return found


def _connection(definition: ListDefinition) -> Any:
    return connections[router.db_for_read(definition.model)]


def _size(connection: Any, model: type[models.Model]) -> int:
    """The bytes of the model's table; none where there is no such table."""
    try:
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            cursor.execute("SELECT pg_table_size(to_regclass(%s))", [connection.ops.quote_name(model._meta.db_table)])
            return int(cursor.fetchone()[0] or 0)
    except DatabaseError:
        return 0
