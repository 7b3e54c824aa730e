"""The Django app that lets agents sign in by themselves. It has no models of its own."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class OAuthConfig(AppConfig):
    """Registers how agents sign in, what ends it, and what is checked and forgotten of it."""

    name = "read_targets.agent.oauth"
    label = "read_targets_oauth"
    verbose_name = _("Sign-in of agents")

    def ready(self) -> None:
        from . import checks  # importing registers them

        if not checks.toolkit_is_installed():
            return
        from ...cards.forgetting import register_forgetting
        from ..authentication import register_sign_in
        from ..tokens import token_revoked
        from .ending import end_with_token, forget_sign_ins
        from .signing_in import OAuthSignIn

        register_sign_in(OAuthSignIn())
        token_revoked.connect(end_with_token, dispatch_uid="read_targets.oauth")
        register_forgetting("sign-ins", forget_sign_ins)
