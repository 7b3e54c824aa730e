"""The person's time zone and language."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client, override_settings

from read_targets.models import Preference


def test_zone_and_language_are_kept_and_used_at_once(desk: Client, clerk: User) -> None:
    response = desk.post("/desk/settings", {"time_zone": "Asia/Seoul", "language": "ko"})
    assert (response.status_code, response["Location"]) == (303, "/desk/settings")
    held = Preference.objects.get(user=clerk)
    assert (held.time_zone, held.language) == ("Asia/Seoul", "ko")
    text = desk.get("/desk/settings/").content.decode()
    assert '<html lang="ko"' in text
    assert 'value="Asia/Seoul"' in text


def test_empty_is_the_sites_own(desk: Client, clerk: User) -> None:
    Preference.objects.create(user=clerk, time_zone="Asia/Seoul", language="ko", agents_stopped=True)
    desk.post("/desk/settings", {"time_zone": "", "language": ""})
    held = Preference.objects.get(user=clerk)
    assert (held.time_zone, held.language, held.agents_stopped) == ("", "", True)


@pytest.mark.parametrize("fields", [{"time_zone": "Seoul"}, {"time_zone": "../etc/passwd"}, {"language": "xx"}])
def test_what_is_no_zone_or_language_is_refused_with_what_would_fit(
    desk: Client, clerk: User, fields: dict[str, str]
) -> None:
    response = desk.post("/desk/settings", fields)
    assert response.status_code == 400
    assert 'class="wrong"' in response.content.decode()
    assert not Preference.objects.exists()


def set_by_host(user: Any) -> tuple[str | None, str | None]:
    """A host's hook: everybody is in Berlin."""
    return "Europe/Berlin", None


@override_settings(READ_TARGETS={"PREFERENCES": f"{__name__}.set_by_host"})
def test_what_the_host_sets_is_shown_and_not_changed(desk: Client, clerk: User) -> None:
    text = desk.get("/desk/settings").content.decode()
    assert 'value="Europe/Berlin"' in text
    assert "Set for you by this site." in text
    desk.post("/desk/settings", {"time_zone": "Asia/Seoul", "language": "de"})
    held = Preference.objects.get(user=clerk)
    assert (held.time_zone, held.language) == ("", "de")
