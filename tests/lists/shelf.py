"""Models of the tests' own, with a field of every kind; they stand in a registry of theirs, unknown to the site.

Every field may be null, texts too, and nobody ever reads them as text.
"""

# ruff: noqa: DJ001, DJ008

from __future__ import annotations

import uuid
from typing import Any

from django.apps.registry import Apps
from django.db import connection, models

from read_targets.lists import ListDefinition

apps = Apps()


class Box(models.Model):
    """What things lie in; a person may see some boxes and not others."""

    label = models.CharField(max_length=60)
    weight = models.DecimalField(max_digits=12, decimal_places=2, null=True)
    places = models.PositiveIntegerField(null=True)
    serial = models.BigIntegerField(null=True)
    made = models.DateField(null=True)
    sealed_at = models.DateTimeField(null=True)
    fragile = models.BooleanField(null=True)
    code = models.UUIDField(null=True)
    colour = models.CharField(max_length=10, null=True, choices=[("RED", "Red"), ("BLUE", "Blue")])
    outer = models.ForeignKey("self", models.CASCADE, null=True)

    class Meta:
        apps = apps
        app_label = "shelf"


class Thing(models.Model):
    """A thing with a value of each kind, each of which may be null."""

    class Colour(models.TextChoices):
        """What it looks like."""

        RED = "RED", "Red"
        BLUE = "BLUE", "Blue"

    box = models.ForeignKey(Box, models.CASCADE, null=True)
    words = models.TextField(null=True)
    colour = models.CharField(max_length=10, choices=Colour, null=True)
    price = models.DecimalField(max_digits=12, decimal_places=2, null=True)
    wide = models.DecimalField(max_digits=15, decimal_places=2, null=True)
    fine = models.DecimalField(max_digits=15, decimal_places=10, null=True)
    huge = models.DecimalField(max_digits=40, decimal_places=10, null=True)
    round = models.DecimalField(max_digits=9, decimal_places=0, null=True)
    rough = models.FloatField(null=True)
    count = models.IntegerField(null=True)
    places = models.PositiveSmallIntegerField(null=True)
    big = models.BigIntegerField(null=True)
    done = models.BooleanField(null=True)
    day = models.DateField(null=True)
    at = models.DateTimeField(null=True)
    code = models.UUIDField(null=True)
    address = models.GenericIPAddressField(null=True)

    class Meta:
        apps = apps
        app_label = "shelf"


class Token(models.Model):
    """A record whose key is no number."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    name = models.CharField(max_length=20)

    class Meta:
        apps = apps
        app_label = "shelf"


class Word(models.Model):
    """A record whose key is a text."""

    word = models.CharField(max_length=20, primary_key=True)
    times = models.IntegerField(default=1)

    class Meta:
        apps = apps
        app_label = "shelf"


THINGS = ListDefinition("things", Thing, searched="words")
"""One line: every plain field is shown, filtered, sorted and grouped."""

ACROSS = ListDefinition(
    "thingsInBoxes",
    Thing,
    shown=(
        "words price box.label box.weight box.places box.serial box.made box.sealed_at box.fragile box.code box.colour "
        "box.outer.label box.outer.weight"
    ),
    searched="words box.label box.outer.label",
)
"""Values across one relation, and across two."""


def build_tables() -> None:
    """Make the tables, once for a test database."""
    with connection.schema_editor() as editor:
        for model in (Box, Thing, Token, Word):
            editor.create_model(model)


def things(**columns: list[Any]) -> list[Thing]:
    """Store one thing for each position of the columns given, and return them."""
    many = max(len(values) for values in columns.values())
    made = [Thing(**{name: values[position] for name, values in columns.items()}) for position in range(many)]
    return Thing.objects.bulk_create(made)
