"""What a person agrees to: their token for one client, made or renewed, and a code with which the client gets in."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.utils import timezone

from ...conf import setting
from ...lists import writing
from ..models import AgentToken, Toolset
from ..tokens import NotMade, open_tokens, revoke
from .asking import Asked, give_code
from .ending import end_sign_ins
from .scopes import ACT, READ

_LONGEST_NAME = 60


def agree(asked: Asked, user: Any, *, days: int, toolsets: Iterable[Toolset], may_act: bool) -> str:
    """Keep what the person agreed to, and return the address at which the client gets its code; raises NotMade.

    Their token for that client is renewed, so all that it signs in with is for what they agreed to last. One that was
    revoked, or is past its time, stays as it is: what was given out for it ends, and another takes its place.
    """
    chosen = list(toolsets)
    may_act = may_act and ACT in asked.scopes
    with writing():
        # Whoever agrees twice at once waits here with the second.
        get_user_model()._base_manager.select_for_update().get(pk=user.pk)
        token = open_tokens(user).filter(client=asked.client.client_id).first() or _made(asked, user)
        if token.may_act and not may_act:
            # Or what it signed in with before, elsewhere too, would act again as soon as the person lets it once more.
            end_sign_ins(user.pk, asked.client.client_id)
        token.name = asked.name[:_LONGEST_NAME]
        token.expires_at = timezone.now() + timedelta(days=days)
        token.all_toolsets = not chosen
        token.may_act = may_act
        token.save(update_fields=["name", "expires_at", "all_toolsets", "may_act"])
        token.toolsets.set(chosen)
        return give_code(asked, user, [READ, ACT] if may_act else [READ])


def _made(asked: Asked, user: Any) -> AgentToken:
    if open_tokens(user).count() >= setting("MOST_TOKENS"):
        raise NotMade(name_is_taken=False)
    client_id = asked.client.client_id
    for past in AgentToken.objects.filter(user=user, client=client_id, revoked_at=None):
        revoke(past)
    end_sign_ins(user.pk, client_id)
    # No secret has this digest: it is none of a secret.
    return AgentToken.objects.create(user=user, client=client_id, digest=f"client:{uuid.uuid4().hex}", hint="")
