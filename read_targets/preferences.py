"""A person's time zone and language: which day is *today* for them, and in which words they read.

The host's hook (`READ_TARGETS["PREFERENCES"]`) comes first, then what the person set on the desk, then the site's.
"""

from __future__ import annotations

import zoneinfo
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils import timezone, translation
from django.utils.translation import gettext_lazy as _

from .conf import imported


def validate_zone(name: str) -> None:
    """Raises ValidationError where `name` is no IANA time zone."""
    if name not in zoneinfo.available_timezones():
        raise ValidationError(_("%(zone)s is no time zone; one is Asia/Seoul, for example."), params={"zone": name})


class Preference(models.Model):
    """What a person set on their desk, and what an admin set for them; empty means the site's own."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="read_targets_preference", verbose_name=_("person")
    )
    time_zone = models.CharField(_("time zone"), max_length=64, blank=True, validators=[validate_zone])
    language = models.CharField(_("language"), max_length=16, blank=True)
    agents_stopped = models.BooleanField(
        _("agents stopped"), default=False, help_text=_("While this is set, no token of this person is answered.")
    )
    calls_a_minute = models.PositiveIntegerField(
        _("calls a minute"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(1_000_000)],
        help_text=_("How often they and all their tokens may call; empty: as often as every person."),
    )

    class Meta:
        verbose_name = _("preference")
        verbose_name_plural = _("preferences")

    def __str__(self) -> str:
        return str(self.user)


def preference_of(user: Any) -> Preference:
    """Return what the person set, unsaved where they set nothing; remembered on the user for the request."""
    if not user.is_authenticated:
        return Preference()
    try:
        preference: Preference = user.read_targets_preference
    except Preference.DoesNotExist:
        preference = Preference(user=user)  # which the user remembers from now on
    return preference


def zone_of(user: Any) -> zoneinfo.ZoneInfo:
    """Return the person's time zone."""
    name = _hooked(user)[0] or preference_of(user).time_zone or settings.TIME_ZONE
    return zoneinfo.ZoneInfo(name)


def language_of(user: Any) -> str:
    """Return the code of the person's language, one of `settings.LANGUAGES`."""
    code = _hooked(user)[1] or preference_of(user).language
    return code if code in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE


def _hooked(user: Any) -> tuple[str | None, str | None]:
    hook = imported("PREFERENCES")
    return hook(user) if hook else (None, None)


@contextmanager
def as_person(user: Any) -> Iterator[None]:
    """Say everything inside in the person's language and time zone."""
    with translation.override(language_of(user)), timezone.override(zone_of(user)):
        yield
