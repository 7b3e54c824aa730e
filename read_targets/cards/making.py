"""Making cards: called in the transaction that writes what an answer leaves behind, after everything is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Max
from django.utils.text import slugify

from ..agent.contract import CardFacts
from ..agent.labels import text_of
from ..agent.models import AgentToken
from ..agent.registry import Call
from ..preferences import language_of
from .addresses import own_address
from .facts import facts_of
from .models import Card, Workspace, WorkspaceVersion
from .words import plain_words, quoted_words

LONGEST_NAME = 80
LONGEST_TITLE = 200


def make_workspace(
    call: Call,
    *,
    source: str,
    tool: str,
    name: str,
    title: str,
    label: dict[str, str],
    content: dict[str, Any],
    arguments: dict[str, Any],
    time_zone: str,
    row_keys: bytes | None,
    unrestricted: bool,
    relations: dict[str, Any],
) -> CardFacts:
    """Put `content` on the person's workspace `name` as its next version, and return the card that opens it.

    The name is whatever the agent chose, made a part of an address; without letters it is the source's. Earlier
    versions stay as they are. Needs an open transaction.
    """
    workspace = _locked(call.actor.user, workspace_name(name, source))
    last = workspace.versions.aggregate(last=Max("number"))["last"] or 0
    version = WorkspaceVersion.objects.create(
        workspace=workspace,
        number=last + 1,
        token=call.actor.token,
        source=source,
        tool=tool,
        arguments=arguments,
        content={**content, "title": plain_words(title, LONGEST_TITLE)},
        row_keys=row_keys,
        unrestricted=unrestricted,
        relations=relations,
        time_zone=time_zone,
    )
    card = _card(
        call,
        source,
        label,
        title,
        kind=Card.Kind.WORKSPACE,
        icon="table_view",
        version=version,
        contents=contents_of(content),
        conditions=content.get("conditions", []),
        expires_at=version.expires_at,
    )
    language = language_of(call.actor.user)
    named, total = text_of(label, source, language), content.get("total")
    shown = card.title or (named if total is None else f"{named} · {total}")
    return facts_of(card, language).model_copy(update={"label": shown})


def make_open_page(
    call: Call,
    *,
    source: str,
    label: dict[str, str],
    title: str,
    href: str,
    applied: Sequence[str],
    not_applied: Sequence[Mapping[str, Any]],
    conditions: Sequence[Mapping[str, Any]] = (),
) -> CardFacts:
    """Offer the person a screen of the application, and return the card that opens it.

    `not_applied` and `conditions` (those that are applied) are objects of a `name` and a `label` in each language,
    `conditions` with their `value`. Raises ForeignAddress where `href` is no address of this site.
    """
    card = _card(
        call,
        source,
        label,
        title,
        kind=Card.Kind.OPEN_PAGE,
        icon="open_in_new",
        href=own_address(href),
        applied=list(applied),
        not_applied=[dict(one) for one in not_applied],
        conditions=[dict(one) for one in conditions],
    )
    return facts_of(card, language_of(call.actor.user))


def make_confirmation(
    *,
    user: Any,
    token: AgentToken | None,
    agent: str,
    call_id: Any,
    source: str,
    label: dict[str, str],
    title: str,
    href: str,
    expires_at: datetime,
) -> Card:
    """Ask the person whether a call may be done, and return the card that waits for their answer until `expires_at`.

    `href` is the page in whose tab it is shown. Raises ForeignAddress where that is no address of this site.
    """
    return Card.objects.create(
        user=user,
        token=token,
        agent=agent,
        call=call_id,
        source=source,
        title=quoted_words(title),
        label=label,
        kind=Card.Kind.CONFIRMATION,
        icon="help",
        href=own_address(href),
        expires_at=expires_at,
    )


def workspace_name(name: str, source: str) -> str:
    """Return the name of a workspace as it stands in an address."""
    wished = slugify(plain_words(name), allow_unicode=True)[:LONGEST_NAME].strip("-_")
    return wished or slugify(source.replace(".", "-"))[:LONGEST_NAME]


def contents_of(content: Mapping[str, Any]) -> dict[str, int]:
    """Return how many tables, charts and metrics a workspace page shows of `content`."""
    charts = 1 if content.get("groups") else 0
    return {"tables": 1 + charts, "charts": charts, "metrics": 1 + len(content.get("metrics", {}))}


def _locked(user: Any, name: str) -> Workspace:
    """The person's workspace of that name, held until the transaction ends, so that numbers are given one by one."""
    workspace, _ = Workspace.objects.get_or_create(user=user, name=name)
    return Workspace.objects.select_for_update().get(pk=workspace.pk)


def _card(call: Call, source: str, label: dict[str, str], title: str, **fields: Any) -> Card:
    return Card.objects.create(
        user=call.actor.user,
        token=call.actor.token,
        agent=call.actor.agent,
        call=call.id,
        source=source,
        title=quoted_words(title),
        label=label,
        **fields,
    )
