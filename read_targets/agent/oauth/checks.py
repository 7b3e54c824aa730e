"""System checks of signing in: what it needs, and what of the toolkit would undo what it promises."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register
from django.urls import NoReverseMatch, Resolver404, resolve, reverse

TOOLKIT = "oauth2_provider"
LINE = 'path("", include("read_targets.agent.oauth.urls"))'
LONGEST_ACCESS = timedelta(hours=24)

NEEDED: dict[str, Any] = {
    "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
    "COMPLIANT_BCP_RFC9700_ACCESS_TOKEN_TRANSPORT": True,
    "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
    "COMPLIANT_BCP_RFC9700_TOKEN_STORAGE": True,
    "COMPLIANT_BCP_RFC9700_REFRESH_TOKEN": True,
    "COMPLIANT_BCP_RFC9700_REDIRECT_URI_MATCHING": True,
    "COMPLIANT_BCP_RFC9700_PKCE_REQUIRED": True,
    "PKCE_REQUIRED": True,
    "ALLOW_URI_WILDCARDS": False,
    "ROTATE_REFRESH_TOKEN": True,
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": 0,
}
"""What the toolkit must be set to, so that its own admin, commands and views keep what ours promise."""


def toolkit_is_installed() -> bool:
    """Whether the toolkit is among the installed apps."""
    return apps.is_installed(TOOLKIT)


@register()
def check_toolkit(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """E010 and E011: the toolkit is installed, and set to nothing that is unsafe."""
    if not toolkit_is_installed():
        hint = f"Add {TOOLKIT!r} to INSTALLED_APPS, or take 'read_targets.agent.oauth' out."
        return [Error("Agents cannot sign in: the toolkit is not installed.", hint=hint, id="read_targets.E010")]
    from oauth2_provider.settings import oauth2_settings

    found: list[CheckMessage] = [
        Error(
            f"OAUTH2_PROVIDER[{name!r}] is {getattr(oauth2_settings, name)!r}, which is not safe.",
            hint=f"Set it to {value!r}; docs/developer.md has all of them.",
            id="read_targets.E011",
        )
        for name, value in NEEDED.items()
        if getattr(oauth2_settings, name) != value
    ]
    seconds = oauth2_settings.ACCESS_TOKEN_EXPIRE_SECONDS
    if not 0 < seconds <= LONGEST_ACCESS.total_seconds():
        found.append(
            Error(
                f"OAUTH2_PROVIDER['ACCESS_TOKEN_EXPIRE_SECONDS'] is {seconds}.",
                hint="Let an access token be good for a day at most; an agent gets the next by itself.",
                id="read_targets.E011",
            )
        )
    return found


@register()
def check_addresses(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """E012: the addresses of signing in are there, and those that are well known at the root."""
    try:
        reverse("read_targets_oauth:authorize")
        resolve("/.well-known/oauth-protected-resource")
    except (NoReverseMatch, Resolver404):
        hint = f"Add {LINE} to the root URLconf."
        return [Error("Agents find nowhere to sign in.", hint=hint, id="read_targets.E012")]
    return []


@register()
def check_hosts(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """E013: the site knows its own names, since it is by these that tokens are for it and not for another."""
    if "*" not in settings.ALLOWED_HOSTS:
        return []
    return [
        Error(
            "With '*' in ALLOWED_HOSTS whoever asks says for which site a token is.",
            hint="Name the hosts of the site.",
            id="read_targets.E013",
        )
    ]


@register()
def check_toolkit_views(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """W010: the toolkit's own page of consent is not beside ours, where a person is told less."""
    try:
        address = reverse("oauth2_provider:authorize")
    except NoReverseMatch:
        return []
    return [
        Warning(
            f"The toolkit's own page of consent is at {address}; clients that registered with agents can use it too.",
            hint="Take oauth2_provider.urls out, unless other applications of yours need them.",
            id="read_targets.W010",
        )
    ]
