"""What a page holds and shows: its version changes with what the person sees, and is told under their rights."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from guardian.shortcuts import remove_perm

from page_commands.live.models import PageSession
from page_commands.live.state import show_view, state_of, write_channel
from page_commands.models import Page
from project.demo.factory.models import Conversation, Tenant
from read_targets.policies import Actor

from .tabs import Tab


def locked(tab: Tab) -> PageSession:
    return PageSession.objects.select_for_update().get(pk=tab.id)


def effects(tab: Tab) -> list[tuple[str, Any]]:
    return [(one.kind, one.payload) for one in tab.session.effects.order_by("seq")]


def write(tab: Tab, name: str, obj: Any) -> bool:
    with transaction.atomic():
        session = locked(tab)
        return write_channel(session, session.page.channels.get(name=name), obj)


def show(tab: Tab, name: str, obj: Any) -> bool:
    with transaction.atomic():
        session = locked(tab)
        return show_view(session, session.page.views.get(name=name), obj, None)


def test_a_channel_holds_what_was_written_last(tab: Tab, tenant: Tenant) -> None:
    assert write(tab, "tenant", tenant) is True
    assert (tab.session.channels, tab.session.version) == ({"tenant": str(tenant.pk)}, 2)
    assert write(tab, "tenant", tenant) is False
    assert tab.session.version == 2
    assert write(tab, "tenant", None) is True
    assert (tab.session.channels, tab.session.version) == ({}, 3)
    assert write(tab, "tenant", None) is False
    assert effects(tab) == [("state", {})] * 2


def test_a_view_is_shown_last_and_bound_anew(tab: Tab, tenant: Tenant, clerk: User) -> None:
    other = Tenant.objects.exclude(pk=tenant.pk).first()
    form = {"name": "connection_form", "object": str(tenant.pk)}
    assert show(tab, "connection_form", tenant) is True
    assert show(tab, "connection_form", tenant) is False
    assert (tab.session.views, tab.session.version) == ([form], 2)
    assert show(tab, "project_facts", None) is True
    assert show(tab, "connection_form", other) is True
    names = [view["name"] for view in tab.session.views]
    assert names == ["project_facts", "connection_form"]
    assert tab.session.views[1]["object"] == str(other.pk)
    assert tab.session.version == 4
    # What is shown once more is brought before the person once more.
    assert effects(tab) == [
        ("state", {"show": "connection_form"}),
        ("state", {"show": "connection_form"}),
        ("state", {"show": "project_facts"}),
        ("state", {"show": "connection_form"}),
    ]


def test_state_names_each_channel_and_what_is_shown(
    tab: Tab, tenant: Tenant, conversation: Conversation, clerk: User
) -> None:
    write(tab, "tenant", tenant)
    show(tab, "connection_form", tenant)
    shown = {"type": "factory.tenant", "id": str(tenant.pk), "name": tenant.name}
    assert state_of(tab.session, Actor(clerk)) == {
        "page": "factory.start",
        "version": 3,
        "channels": {"tenant": shown, "conversation": None, "project": None},
        "views": [{"name": "tenant_facts", "object": shown}, {"name": "connection_form", "object": shown}],
    }
    write(tab, "conversation", conversation)
    held = state_of(tab.session, Actor(clerk))["channels"]["conversation"]
    assert held == {"type": "factory.conversation", "id": str(conversation.pk), "name": str(conversation)}


def test_a_view_with_a_channel_shows_what_that_holds_whatever_is_bound(tab: Tab, tenant: Tenant, clerk: User) -> None:
    other = Tenant.objects.exclude(pk=tenant.pk).first()
    show(tab, "tenant_facts", other)
    assert state_of(tab.session, Actor(clerk))["views"] == []
    write(tab, "tenant", tenant)
    [view] = state_of(tab.session, Actor(clerk))["views"]
    assert (view["name"], view["object"]["id"]) == ("tenant_facts", str(tenant.pk))


def test_what_may_not_be_read_any_more_or_is_gone_is_withheld(tab: Tab, tenant: Tenant, clerk: User) -> None:
    write(tab, "tenant", tenant)
    show(tab, "connection_form", tenant)
    remove_perm("factory.view_tenant", clerk, tenant)
    state = state_of(tab.session, Actor(clerk))
    assert state["channels"]["tenant"] == {"withheld": True}
    assert [view["object"] for view in state["views"]] == [{"withheld": True}] * 2
    assert tenant.name not in str(state)
    Tenant.objects.filter(pk=tenant.pk).delete()
    assert state_of(tab.session, Actor(clerk)) == state


@pytest.mark.parametrize("gone", ["views", "channels"])
def test_what_is_no_longer_declared_is_not_shown(tab: Tab, tenant: Tenant, clerk: User, start: Page, gone: str) -> None:
    write(tab, "tenant", tenant)
    show(tab, "connection_form", tenant)
    getattr(start, gone).all().delete()
    state = state_of(tab.session, Actor(clerk))
    if gone == "views":
        assert state["views"] == []
    else:
        assert state["channels"] == {}
    assert tab.news(0).status_code == 200
