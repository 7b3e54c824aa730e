"""The doors of exports: who may begin one, see it, end it and open the file; to all others nothing is there."""

from __future__ import annotations

import io
import re
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.handlers.asgi import ASGIRequest
from django.test import Client
from django.utils import timezone
from guardian.shortcuts import remove_perm

from project.demo.ledger.models import Account, CashTransaction
from read_targets.agent.tokens import create_token
from read_targets.cards.exports.files import storage
from read_targets.cards.exports.pages import _sent
from read_targets.cards.exports.running import run_export
from read_targets.models import Export, Preference, ReadTarget, WorkspaceVersion
from tests.flows.test_matrix import FIVE, KINDS, MARK, VIEW, browser_of, make, marked

from .conftest import Exported, content_of, rows_of, version_of

__all__ = ["marked"]  # a fixture

pytestmark = pytest.mark.django_db
OPENED = [kind for kind, rows in KINDS.items() if rows is not None]
CLOSED = [kind for kind, rows in KINDS.items() if rows is None]


def begin(client: Client, version: WorkspaceVersion, form: str = "csv") -> Any:
    """Press the button."""
    return client.post(f"{version.get_absolute_url()}/export.{form}")


def text_of(response: Any) -> str:
    """All that an answer holds."""
    body = b"".join(response.streaming_content) if response.streaming else response.content
    return str(body.decode("utf-8-sig"))


def without_proof(response: Any) -> str:
    """An answer without the proofs in its forms, which are others each time."""
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", response.content.decode())


@pytest.fixture
def clerk(db: None) -> User:
    return User.objects.get(username="clerk")


# Who


@pytest.mark.parametrize("form", ["csv", "xlsx"])
@pytest.mark.parametrize("kind", OPENED)
def test_each_person_has_what_is_theirs_exported(marked: list[CashTransaction], kind: str, form: str) -> None:
    user = make(kind, marked)
    version, browser = version_of(user), browser_of(user)
    response = begin(browser, version, form)
    export = Export.objects.get()
    assert (response.status_code, response["Location"]) == (303, f"/desk/exports/{export.pk}")
    run_export(str(export.pk))
    export.refresh_from_db()
    expected = 5 if KINDS[kind] == FIVE else CashTransaction.objects.count()
    assert (export.state, export.rows_written) == ("done", expected)
    answer = browser.get(f"/desk/exports/{export.pk}/file")
    assert answer.status_code == 200
    assert answer["Content-Disposition"].endswith(f'.{form}"')
    body = b"".join(answer.streaming_content)
    assert body == content_of(export)
    if form == "csv":
        assert body.decode().count(MARK) == 2 * expected


@pytest.mark.parametrize("kind", CLOSED)
def test_who_may_not_read_the_list_begins_nothing_and_opens_nothing(marked: list[CashTransaction], kind: str) -> None:
    user = make(kind, marked)
    # A workspace that is left from when they could.
    version = version_of(User.objects.get(username="analyst"))
    version.workspace.user = user
    version.workspace.save()
    export = Export.objects.create(user=user, version=version, source=version.source, form="csv", state="done")
    browser = browser_of(user)
    for response in (
        begin(browser, version),
        browser.get(f"/desk/exports/{export.pk}/file"),
        browser.get(f"{version.get_absolute_url()}/rows"),
    ):
        assert response.status_code in (302, 403)
        assert MARK not in text_of(response)
    assert list(Export.objects.all()) == [export]


@pytest.mark.parametrize("kind", ["superuser", "model", "none"])
def test_to_anybody_else_nothing_is_there(
    marked: list[CashTransaction], exported: Exported, kind: str, clerk: User
) -> None:
    export = exported(clerk)
    browser = browser_of(make(kind, marked))
    version = export.version.get_absolute_url()
    missing = browser.get(f"/desk/exports/{uuid.uuid4()}")
    assert missing.status_code == 404
    for response in (
        browser.get(f"/desk/exports/{export.pk}"),
        browser.get(f"/desk/exports/{export.pk}", headers={"HX-Request": "true"}),
        browser.get(f"/desk/exports/{export.pk}/file"),
        browser.post(f"/desk/exports/{export.pk}/end"),
        browser.get(f"{version}/export.csv"),
        browser.post(f"{version}/export.csv"),
        browser.get(f"{version}/rows"),
    ):
        assert (response.status_code, without_proof(response)) == (404, without_proof(missing))
    assert Export.objects.get().state == "done"


def test_an_anonymous_person_is_asked_to_sign_in(client: Client, exported: Exported) -> None:
    export = exported("clerk")
    version = export.version.get_absolute_url()
    for response in (
        client.get(f"/desk/exports/{export.pk}"),
        client.get(f"/desk/exports/{export.pk}/file"),
        client.post(f"/desk/exports/{export.pk}/end"),
        client.post(f"{version}/export.csv"),
        client.get(f"{version}/rows"),
    ):
        assert response.status_code == 302
        assert response["Location"].startswith("/accounts/login/")


def test_no_token_opens_one_and_with_a_token_no_session_does(exported: Exported, clerk: User) -> None:
    export = exported(clerk)
    secret = create_token(clerk, "agent", may_act=True)[1]
    for browser in (Client(), browser_of(clerk)):
        for address in (f"/desk/exports/{export.pk}", f"/desk/exports/{export.pk}/file"):
            response = browser.get(address, headers={"Authorization": f"Bearer {secret}"})
            assert response.status_code == 404
        url = f"{export.version.get_absolute_url()}/export.xlsx"
        assert browser.post(url, headers={"Authorization": f"Bearer {secret}"}).status_code == 404
    assert Export.objects.count() == 1


def test_a_page_elsewhere_begins_nothing(clerk: User) -> None:
    version = version_of(clerk)
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(clerk, backend="django.contrib.auth.backends.ModelBackend")
    assert begin(browser, version).status_code == 403
    assert not Export.objects.exists()


# What is stored does not outlive the right to it


def lose_rows(user: User, rows: list[CashTransaction]) -> None:
    remove_perm(VIEW, user, rows[0])


def lose_target(user: User, rows: list[CashTransaction]) -> None:
    ReadTarget.objects.update(enabled=False)


def lose_account(user: User, rows: list[CashTransaction]) -> None:
    User.objects.filter(pk=user.pk).update(is_active=False)


@pytest.mark.parametrize("lose", [lose_rows, lose_target, lose_account])
def test_a_right_that_is_gone_closes_the_file(
    marked: list[CashTransaction], exported: Exported, lose: Callable[[User, list[CashTransaction]], None]
) -> None:
    user = make("object", marked)
    export, browser = exported(user), browser_of(user)
    lose(user, marked)
    response = browser.get(f"/desk/exports/{export.pk}/file")
    assert response.status_code in (302, 303, 403)
    assert MARK not in text_of(response)
    assert Export.objects.filter(pk=export.pk).exists() == (lose is not lose_rows)


def test_a_model_level_grant_that_is_gone_closes_the_file(marked: list[CashTransaction], exported: Exported) -> None:
    user = make("model and object", marked)
    export = exported(user)
    user.user_permissions.remove(*user.user_permissions.filter(codename="view_cashtransaction"))
    assert browser_of(user).get(f"/desk/exports/{export.pk}/file").status_code == 303
    assert not Export.objects.exists()


def test_a_related_object_that_is_closed_closes_the_file(exported: Exported, clerk: User) -> None:
    export, browser = exported(clerk), browser_of(clerk)
    account = Account.objects.get(name="Main")
    assert "Main" in content_of(export).decode()
    assert browser.get(f"/desk/exports/{export.pk}/file").status_code == 200
    for holder in (clerk, *clerk.groups.all()):
        remove_perm("ledger.view_account", holder, account)
    assert browser.get(f"/desk/exports/{export.pk}/file").status_code == 303
    assert not Export.objects.exists()


def test_rows_that_are_deleted_close_nothing(marked: list[CashTransaction], exported: Exported) -> None:
    user = make("object", marked)
    export = exported(user)
    marked[0].delete()
    assert browser_of(user).get(f"/desk/exports/{export.pk}/file").status_code == 200


def test_past_its_time_nothing_is_there(exported: Exported, clerk: User) -> None:
    export = exported(clerk)
    Export.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    for address in (f"/desk/exports/{export.pk}", f"/desk/exports/{export.pk}/file"):
        assert browser_of(clerk).get(address).status_code == 404


# How far it is


def test_a_file_that_is_not_there_yet_is_explained(exported: Exported, clerk: User) -> None:
    version, browser = version_of(clerk), browser_of(clerk)
    response = browser.get(f"{version.get_absolute_url()}/export.csv", follow=True)
    assert response.redirect_chain[0] == (f"{version.get_absolute_url()}#whole", 303)
    assert "There is no such file yet." in response.content.decode()
    export = exported(clerk, version=version)
    assert browser.get(f"{version.get_absolute_url()}/export.csv")["Location"] == f"/desk/exports/{export.pk}"


def test_progress_stands_on_its_page_and_on_the_workspace(clerk: User) -> None:
    version, browser = version_of(clerk), browser_of(clerk)
    begin(browser, version)
    export = Export.objects.get()
    part = {"HX-Request": "true"}
    waiting = browser.get(f"/desk/exports/{export.pk}", headers=part).content.decode()
    assert "waits for its turn" in waiting
    assert f'hx-get="/desk/exports/{export.pk}" hx-trigger="every 1s"' in waiting
    Export.objects.update(state="running", rows_total=2_000, rows_written=500)
    for address in (f"/desk/exports/{export.pk}", version.get_absolute_url()):
        text = browser.get(address).content.decode()
        assert "500 of 2,000 rows are written" in text
        assert '<progress max="100" value="25"' in text
    Export.objects.update(state="done", rows_written=2_000, size=1_234)
    done = browser.get(f"/desk/exports/{export.pk}", headers=part).content.decode()
    assert f'href="/desk/exports/{export.pk}/file"' in done
    assert "hx-trigger" not in done
    assert "<html" not in done


def test_a_failure_is_said_in_the_persons_language(clerk: User) -> None:
    Preference.objects.create(user=clerk, language="de")
    version = version_of(clerk)
    Export.objects.create(
        user=clerk, version=version, source=version.source, form="csv", state="failed", reason="interrupted"
    )
    text = browser_of(clerk).get(version.get_absolute_url()).content.decode()
    assert "wurde nicht geschrieben: Das Schreiben wurde unterbrochen." in text


def test_one_on_its_way_is_cancelled_and_one_that_is_over_deleted(exported: Exported, clerk: User) -> None:
    done, browser = exported(clerk), browser_of(clerk)
    begin(browser, done.version)
    running = Export.objects.get(state="waiting")
    for export in (running, done):
        response = browser.post(f"/desk/exports/{export.pk}/end")
        assert response["Location"] == done.version.get_absolute_url()
    assert [one.state for one in Export.objects.all()] == ["cancelled"]
    assert browser.get(f"/desk/exports/{done.pk}/file").status_code == 404


def test_a_second_click_says_that_one_is_on_its_way(clerk: User) -> None:
    version, browser = version_of(clerk), browser_of(clerk)
    begin(browser, version)
    response = begin(browser, version, "xlsx")
    assert response["Location"] == version.get_absolute_url()
    assert "is on its way already" in browser.get(version.get_absolute_url()).content.decode()
    assert Export.objects.count() == 1


def test_without_a_storage_there_are_no_buttons_and_no_doors(clerk: User, settings: Any) -> None:
    settings.READ_TARGETS = {}
    version, browser = version_of(clerk), browser_of(clerk)
    assert "export.csv" not in browser.get(version.get_absolute_url()).content.decode()
    assert begin(browser, version).status_code == 404


def test_a_file_is_sent_in_parts_by_either_server(exported: Exported, clerk: User) -> None:
    export = exported(clerk)
    _head, rows, _note = rows_of(export)
    assert len(rows) == export.rows_written
    request = ASGIRequest({"type": "http", "method": "GET", "path": "/", "headers": []}, io.BytesIO())
    assert _sent(request, export, storage().open(export.file)).is_async
