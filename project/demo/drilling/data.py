"""The records of drilling: always the same."""

import random
from collections.abc import Iterator
from decimal import Decimal

from project.demo.loading import day_at, insert, moment_at

from .models import ConnectionRun, RigEvent, Well

MODELS = (RigEvent, ConnectionRun, Well)

FIELDS = ("Midland", "Delaware", "Celle", "동해 가스전")
WELLS = 24
RUNS = 1_500
EVENTS = 1_250

CREWS = ("Day", "Night", "Relief")


def load() -> None:
    """Insert the records of drilling into their empty tables."""
    insert(_wells())
    insert(_runs())
    insert(_events())


def _wells() -> Iterator[Well]:
    draw = random.Random("wells")
    for position in range(WELLS):
        field = FIELDS[position % len(FIELDS)]
        yield Well(
            id=position + 1,
            name=f"{field} {position // len(FIELDS) + 1}H",
            field=field,
            spud_date=day_at(position, WELLS),
            # A well that was only just begun has no depth yet.
            depth_ft=Decimal(draw.randrange(80_000, 230_000)).scaleb(-1) if position < WELLS - 2 else None,
        )


def _runs() -> Iterator[ConnectionRun]:
    draw, reported = random.Random("connection runs"), random.Random("what the rigs reported")
    for position in range(RUNS):
        connections = draw.randrange(0, 25)
        yield ConnectionRun(
            id=position + 1,
            well_id=draw.randrange(WELLS) + 1,
            started_at=moment_at(day_at(position, RUNS), draw.randrange(24 * 60)),
            connections=connections,
            minutes=Decimal(sum(draw.randrange(180, 900) for _ in range(connections))).scaleb(-2),
            feet=Decimal(connections * draw.randrange(880, 960)).scaleb(-1) if connections else None,
            crew=draw.choice(CREWS),
            **_report(reported, connections),
        )


def _report(draw: random.Random, connections: int) -> dict[str, Decimal | None]:
    """What the rig said of the shift; each of it is missing now and then, whatever was drilled."""
    hours = Decimal(connections * draw.randrange(45, 110)).scaleb(-2)
    weight = Decimal(draw.randrange(120, 420)).scaleb(-1)
    return {
        "hours": hours if connections and draw.randrange(20) else None,
        "weight_on_bit": weight if draw.randrange(25) else None,
    }


def _events() -> Iterator[RigEvent]:
    draw = random.Random("rig events")
    for position in range(EVENTS):
        yield RigEvent(
            id=position + 1,
            well_id=draw.randrange(WELLS) + 1,
            at=moment_at(day_at(position, EVENTS), draw.randrange(24 * 60)),
            kind=draw.choice(RigEvent.Kind.values),
            minutes=Decimal(draw.randrange(50, 60_000)).scaleb(-2),
        )
