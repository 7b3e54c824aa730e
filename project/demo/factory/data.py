"""The records of the factory: always the same."""

import random
import uuid
from collections.abc import Iterator
from decimal import Decimal

from project.demo.loading import day_at, insert, moment_at

from .models import Conversation, GitConnection, Project, Tenant

MODELS = (Conversation, GitConnection, Project, Tenant)

NAMES = ("Hanbit", "Söhne", "Brezel", "Nordlicht", "한강", "Kiefer", "Lotus", "Bluebonnet")
PARTS = ("shop", "portal", "billing", "warehouse", "앱", "Lager")
TALKS = ("Add a login page", "Fix the tax rounding", "결제 오류 수정", "Übersetzung prüfen", "Speed up the <search>")

TENANTS = 32
PROJECTS = 120
CONNECTIONS = 80
CONVERSATIONS = 1_200


def load() -> None:
    """Insert the records of the factory into their empty tables."""
    insert(_tenants())
    insert(_projects())
    insert(_connections())
    insert(_conversations())


def _tenants() -> Iterator[Tenant]:
    draw = random.Random("tenants")
    for position in range(TENANTS):
        yield Tenant(
            id=position + 1,
            name=f"{NAMES[position % len(NAMES)]} {position // len(NAMES) + 1}",
            archived=position % 9 == 8,
            status=draw.choice(Tenant.Status.values),
        )


def _projects() -> Iterator[Project]:
    draw = random.Random("projects")
    for position in range(PROJECTS):
        yield Project(
            id=position + 1,
            tenant_id=draw.randrange(TENANTS) + 1,
            name=f"{draw.choice(PARTS)} {position + 1}",
            started=day_at(position, PROJECTS),
            budget=Decimal(draw.randrange(100_000, 90_000_000)).scaleb(-2) if draw.random() < 0.8 else None,
        )


def _connections() -> Iterator[GitConnection]:
    draw = random.Random("git connections")
    for position in range(CONNECTIONS):
        yield GitConnection(
            id=position + 1,
            tenant_id=draw.randrange(TENANTS) + 1,
            url=f"https://git.example/{draw.choice(PARTS)}-{position + 1}.git",
            created_at=moment_at(day_at(position, CONNECTIONS), draw.randrange(24 * 60)),
        )


def _conversations() -> Iterator[Conversation]:
    draw = random.Random("conversations")
    for position in range(CONVERSATIONS):
        yield Conversation(
            id=uuid.UUID(int=draw.getrandbits(128), version=4),
            project_id=draw.randrange(PROJECTS) + 1 if draw.random() < 0.9 else None,
            title=draw.choice(TALKS),
            state=draw.choice(Conversation.State.values),
            started_at=moment_at(day_at(position, CONVERSATIONS), draw.randrange(24 * 60)),
            messages=draw.randrange(1, 80),
        )
