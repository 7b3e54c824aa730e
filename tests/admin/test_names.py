"""A name that no database takes is nobody's, in the admin as everywhere."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from read_targets.models import ReadTarget


@pytest.mark.parametrize(
    ("page", "fields"),
    [
        ("preview", {"person": "a\0b"}),
        ("grants", {"action": "grant", "kind": "person", "name": "a\0b"}),
        ("grants", {"action": "grant", "kind": "group", "name": "a\0b"}),
    ],
)
def test_a_name_with_a_nul_is_nobody(signed_in: Callable[[str], Client], page: str, fields: dict[str, str]) -> None:
    target = ReadTarget.objects.get(key="ledger.accounts")
    response = signed_in("admin").post(reverse(f"admin:read_targets_readtarget_{page}", args=[target.pk]), fields)
    assert response.status_code in (200, 302, 403)
