"""The end of what agents signed in with: with the token that it stands for, and after its time."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from oauth2_provider.models import (
    get_access_token_model,
    get_application_model,
    get_grant_model,
    get_refresh_token_model,
)

from ..models import AgentToken

UNUSED_KEPT = timedelta(days=1)
"""How long a client is kept that registered itself, or was read, and with which nobody has signed in."""

REVOKED_KEPT = timedelta(days=30)
"""How long a refresh token is known after its end, so that whoever brings it once more is found out."""


def end_sign_ins(user_key: Any, client_id: str) -> None:
    """Take away everything with which the client could come in, or come back, for that person."""
    for model in (get_grant_model(), get_access_token_model(), get_refresh_token_model()):
        model._default_manager.filter(user_id=user_key, application__client_id=client_id).delete()


def end_with_token(token: AgentToken, **_sent: Any) -> None:
    """End what stands for a token that was revoked."""
    if token.client:
        end_sign_ins(token.user_id, token.client)


def forget_sign_ins() -> int:
    """Delete codes and tokens that are past their time, and clients that nobody uses; return how much went."""
    now = timezone.now()
    codes, access, refresh = (get_grant_model(), get_access_token_model(), get_refresh_token_model())
    clients = get_application_model()
    ours = access._default_manager.filter(expires__lt=now - timedelta(days=1), refresh_token=None)
    gone = codes._default_manager.filter(expires__lt=now, application__in=_not_made_here(clients)).delete()[0]
    gone += ours.filter(application__in=_not_made_here(clients)).delete()[0]
    old = Q(revoked__lt=now - REVOKED_KEPT) | ~Exists(_open_for(OuterRef("user"), OuterRef("application__client_id")))
    gone += refresh._default_manager.filter(old, application__in=_not_made_here(clients)).delete()[0]
    # Whoever was let in once is kept: its host would not know to register anew.
    used = AgentToken.objects.filter(client=OuterRef("client_id"))
    unused = _not_made_here(clients).filter(~Exists(used), created__lt=now - UNUSED_KEPT)
    return int(gone + unused.delete()[0])


def _open_for(user: Any, client: Any) -> Any:
    lasting = Q(expires_at=None) | Q(expires_at__gt=timezone.now())
    return AgentToken.objects.filter(lasting, user=user, client=client, revoked_at=None)


def _not_made_here(clients: Any) -> Any:
    """The clients that made themselves known: those of administrators may serve other purposes too."""
    return clients._default_manager.exclude(registration_source=clients.RegistrationSource.MANUAL)
