"""What does not get in, and where nobody is led: each refusal of a client, of a request, of a click."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from oauth2_provider.models import AccessToken, Application, Grant, RefreshToken
from oauth2_provider.oauth2_backends import get_oauthlib_core

from read_targets.agent.oauth.redirects import fits, is_permitted
from read_targets.models import AgentToken

from .conftest import (
    AUTHORIZE,
    BACK,
    MCP,
    OURS,
    REGISTER,
    REVOKE,
    SITE,
    TOKEN,
    Stranger,
    allow,
    answer,
    answered,
    code_in,
    fields_of,
    leads_to,
    link_back,
    page_of,
    register,
)

pytestmark = pytest.mark.django_db
GRANTED = {"error": "invalid_grant"}


def refused(browser: Client, query: str) -> dict[str, str]:
    """What the client would be told; the browser is led nowhere by itself."""
    page = page_of(browser, query)
    assert page.status_code == 400
    assert leads_to(page) == ""
    assert not Grant.objects.exists()
    back = link_back(page)
    assert not back or back.startswith(f"{BACK}?")
    return answered(back)


class TestCodes:
    @pytest.fixture
    def code(self, stranger: Stranger, clerk: Client) -> str:
        return code_in(allow(clerk, stranger.query()))

    @pytest.mark.parametrize(
        "changes",
        [
            {"code_verifier": "w" * 64},
            {"code_verifier": None},
            {"redirect_uri": "http://127.0.0.1:1/callback"},
            {"redirect_uri": None},
            {"code": "guessed"},
            {"client_id": "nobody"},
            {"client_id": None},
            {"resource": "https://elsewhere.example"},
            {"grant_type": "password", "username": "clerk", "password": "clerk"},
            {"grant_type": "client_credentials"},
            {"grant_type": "implicit"},
            {"grant_type": None},
            {"code": "a\0b"},
        ],
        ids=lambda changes: "-".join(f"{name}={value}" for name, value in changes.items())[:40].replace("\0", "NUL"),
    )
    def test_a_code_is_not_redeemed_otherwise(self, stranger: Stranger, code: str, changes: dict[str, Any]) -> None:
        told = stranger.redeem(**({"code": code} | changes))
        assert told.status_code in (400, 401)
        assert "access_token" not in told.json()
        assert told["Cache-Control"] == "no-store"
        assert not AccessToken.objects.exists()

    @pytest.mark.parametrize(
        "name", ["client", "user", "scopes", "extra_credentials", "refresh_token_instance", "claims", "request", "x"]
    )
    def test_what_nobody_asked_for_is_not_heard(self, stranger: Stranger, clerk: Client, name: str) -> None:
        more = {} if name == "request" else {name: "act"}
        code = code_in(allow(clerk, stranger.query(**more)))
        told = stranger.redeem(code, **{name: "act"})
        assert (told.status_code, told.json()["scope"]) == (200, "read"), told.content
        assert AccessToken.objects.get().user.username == "clerk"

    def test_a_code_is_good_once(self, stranger: Stranger, code: str) -> None:
        stranger.tokens = stranger.redeem(code).json()
        assert stranger.get("/agent/tools").status_code == 200
        assert stranger.redeem(code).json() == GRANTED
        # Somebody has a code that is not theirs: what came of it is no longer trusted.
        assert stranger.get("/agent/tools").status_code == 401
        assert stranger.refresh().json() == GRANTED

    def test_a_wrong_proof_does_not_use_it_up(self, stranger: Stranger, code: str) -> None:
        stranger.redeem(code, code_verifier="w" * 64)
        assert stranger.redeem(code).status_code == 200

    def test_a_code_is_one_clients(self, code: str) -> None:
        assert Stranger().registered().redeem(code).json() == GRANTED

    def test_a_code_is_soon_past(self, stranger: Stranger, code: str) -> None:
        Grant.objects.update(expires=timezone.now() - timedelta(seconds=1))
        assert stranger.redeem(code).json() == GRANTED

    @pytest.mark.parametrize("made", [{"code_challenge_method": "plain"}, {"code_challenge": ""}, {"resource": []}])
    def test_a_code_that_is_not_of_our_making(self, stranger: Stranger, code: str, made: dict[str, Any]) -> None:
        Grant.objects.update(**made)
        assert stranger.redeem(code, code_verifier=stranger.challenge).status_code == 400

    def test_guessing_is_slowed_down(self, stranger: Stranger, settings: Any) -> None:
        settings.READ_TARGETS = settings.READ_TARGETS | {"BAD_TOKENS_A_MINUTE": 2}
        told = [stranger.redeem("guessed") for _ in range(3)]
        assert [one.status_code for one in told] == [400, 400, 429]
        assert int(told[-1]["Retry-After"]) > 0

    @pytest.mark.parametrize("path", [TOKEN, REVOKE, REGISTER])
    def test_clients_post(self, path: str) -> None:
        assert Client().get(path).status_code == 405


class TestAudience:
    def test_a_token_for_the_mcp_door_opens_no_other(self, stranger: Stranger, clerk: Client) -> None:
        stranger.signed_in(clerk, resource=MCP)
        told = stranger.get("/agent/tools")
        assert (told.status_code, told.json()["code"]) == (401, "read_targets.bad_credential")

    @pytest.mark.parametrize(
        "resource", [["https://elsewhere.example"], [f"{SITE}.evil.example"], [], [f"{SITE}/desk"]]
    )
    def test_a_token_for_elsewhere_opens_nothing(self, stranger: Stranger, clerk: Client, resource: list[str]) -> None:
        stranger.signed_in(clerk)
        AccessToken.objects.update(resource=resource)
        assert stranger.get("/agent/tools").status_code == 401

    def test_a_token_of_one_host_is_not_for_another(self, stranger: Stranger, clerk: Client) -> None:
        stranger.signed_in(clerk)
        header = {"Authorization": f"Bearer {stranger.tokens['access_token']}"}
        assert Client(SERVER_NAME="localhost").get("/agent/tools", headers=header).status_code == 401

    def test_a_token_of_the_toolkits_own_is_none_of_ours(self, stranger: Stranger, clerk: Client) -> None:
        stranger.signed_in(clerk)
        held = AccessToken.objects.get()
        AccessToken.objects.create(
            user=held.user,
            application=held.application,
            scope="read act",
            resource=[SITE],
            token="by-another-way",
            expires=held.expires,
        )
        stranger.tokens["access_token"] = "by-another-way"
        assert stranger.get("/agent/tools").status_code == 401

    @pytest.mark.parametrize(
        ("resource", "held"),
        [
            (None, [MCP, f"{SITE}/agent"]),
            (f"{SITE}/", [MCP, f"{SITE}/agent"]),
            ("HTTP://TestServer:80/mcp/", [MCP]),
            ([MCP, MCP], [MCP]),
            ([MCP, SITE], [MCP, f"{SITE}/agent"]),
        ],
        ids=["none", "slash", "spelled otherwise", "twice", "both"],
    )
    def test_ours_is_known_however_it_is_spelled(
        self, stranger: Stranger, clerk: Client, resource: Any, held: list[str]
    ) -> None:
        stranger.signed_in(clerk, resource=resource)
        assert AccessToken.objects.get().resource == held

    @pytest.mark.parametrize(
        ("path", "does"), [("/desk/", False), ("/", False), ("/agents", False), ("/agent/x", True)]
    )
    def test_what_else_the_toolkit_guards_does_not_take_it(
        self, stranger: Stranger, clerk: Client, rf: Any, path: str, does: bool
    ) -> None:
        stranger.signed_in(clerk)
        request = rf.get(path, headers={"Authorization": f"Bearer {stranger.tokens['access_token']}"})
        valid, _asked = get_oauthlib_core().verify_request(request, scopes=["read"])
        assert valid is does


class TestRequests:
    @pytest.mark.parametrize(
        ("changes", "error"),
        [
            ({"code_challenge": None}, "invalid_request"),
            ({"code_challenge": "short"}, "invalid_request"),
            ({"code_challenge_method": "plain"}, "invalid_request"),
            ({"code_challenge_method": None}, "invalid_request"),
            ({"code_challenge_method": "S512"}, "invalid_request"),
            ({"response_type": "token"}, "unsupported_response_type"),
            ({"response_type": "id_token"}, "unsupported_response_type"),
            ({"response_type": "code token"}, "unauthorized_client"),
            ({"response_type": None}, "invalid_request"),
            ({"response_mode": "fragment"}, "invalid_request"),
            ({"request": "e30"}, "invalid_request"),
            ({"request_uri": "https://evil.example/r"}, "invalid_request"),
            ({"scope": "read admin"}, "invalid_scope"),
            ({"scope": "openid"}, "invalid_scope"),
            ({"resource": "https://elsewhere.example"}, "invalid_target"),
            ({"resource": [SITE, "https://elsewhere.example"]}, "invalid_target"),
            ({"resource": f"{SITE}/mcp#x"}, "invalid_target"),
            ({"resource": "urn:x"}, "invalid_target"),
        ],
        ids=lambda given: (
            "-".join(f"{name}={value}" for name, value in given.items()) if isinstance(given, dict) else ""
        ),
    )
    def test_a_request_that_does_not_fit_is_told_on_a_click(
        self, stranger: Stranger, clerk: Client, changes: dict[str, Any], error: str
    ) -> None:
        told = refused(clerk, stranger.query(**changes))
        assert (told["error"], told["state"], told["iss"]) == (error, "s t&a=te", SITE)

    @pytest.mark.parametrize(
        "changes",
        [
            {"client_id": "nobody"},
            {"client_id": None},
            {"redirect_uri": "https://evil.example/callback"},
            {"redirect_uri": "http://127.0.0.1:33418/other"},
            {"redirect_uri": "http://127.0.0.1:33418/callback?x=1"},
            {"redirect_uri": "http://localhost:33418/callback"},
            {"redirect_uri": "https://127.0.0.1:33418/callback"},
            {"redirect_uri": "http://127.0.0.1:33418@evil.example/callback"},
            {"redirect_uri": "//evil.example/callback"},
            {"redirect_uri": "javascript:alert(1)"},
            {"redirect_uri": None},
            {"redirect_uri": [BACK, "https://evil.example/"]},
            {"client_id": ["nobody", "nobody"]},
            {"state": "a\0b"},
            {"state": "x" * 9_000},
            dict.fromkeys(("response_type", "client_id", "redirect_uri", "state", "scope", "resource")),
        ],
        ids=lambda changes: "-".join(f"{name}={value}" for name, value in changes.items())[:60].replace("\0", "NUL"),
    )
    def test_where_nobody_is_known_nobody_is_led(
        self, stranger: Stranger, clerk: Client, changes: dict[str, Any]
    ) -> None:
        assert refused(clerk, stranger.query(**changes)) == {}

    def test_whoever_is_not_signed_in_signs_in_first(self, stranger: Stranger) -> None:
        query = stranger.query(redirect_uri="https://evil.example/")
        told = Client().get(f"{AUTHORIZE}?{query}")
        assert told.status_code == 302
        assert told["Location"] == f"/accounts/login/?{urlencode({'next': f'{AUTHORIZE}?{query}'}, safe='/')}"

    def test_a_token_is_nobody_who_agrees(self, stranger: Stranger, agent: Any) -> None:
        told = Client().get(f"{AUTHORIZE}?{stranger.query()}", headers=agent("clerk").headers)
        assert told.status_code == 302


class TestClicks:
    def test_declining_leaves_nothing_behind(self, stranger: Stranger, clerk: Client) -> None:
        told = answered(leads_to(answer(clerk, stranger.query(), "decline")))
        assert told == {"error": "access_denied", "state": "s t&a=te", "iss": SITE}
        assert not Grant.objects.exists()
        assert not AgentToken.objects.exists()

    def test_declining_takes_nothing_away(self, stranger: Stranger, clerk: Client) -> None:
        stranger.signed_in(clerk)
        answer(clerk, stranger.query(), "decline")
        assert stranger.get("/agent/tools").status_code == 200

    @pytest.mark.parametrize("decision", ["", "Allow", "yes"])
    def test_only_allowing_allows(self, stranger: Stranger, clerk: Client, decision: str) -> None:
        assert answered(leads_to(answer(clerk, stranger.query(), decision, reach="all", days="3")))["error"]
        assert not Grant.objects.exists()

    def agreed(self, browser: Client, page: Any, /, **changes: Any) -> Any:
        given = fields_of(page) | {"decision": "allow", "reach": "all", "days": "30"}
        return browser.post(AUTHORIZE, given | {k: v for k, v in changes.items() if k.islower()}, **OURS)

    def test_nobody_clicks_for_another(self, stranger: Stranger, clerk: Client, signed_in: Any) -> None:
        told = self.agreed(signed_in("admin"), page_of(clerk, stranger.query()))
        assert told.status_code == 403
        assert not Grant.objects.exists()

    def test_a_page_is_good_in_its_own_session(self, stranger: Stranger, clerk: Client, signed_in: Any) -> None:
        told = self.agreed(signed_in("clerk"), page_of(clerk, stranger.query()))
        assert told.status_code == 403

    def test_another_request_than_was_shown_is_not_agreed_to(self, stranger: Stranger, clerk: Client) -> None:
        told = self.agreed(clerk, page_of(clerk, stranger.query(scope="read")), request=stranger.query())
        assert told.status_code == 403

    def test_a_forged_form_is_not_taken(self, stranger: Stranger, person: Any) -> None:
        browser = Client(enforce_csrf_checks=True)
        browser.force_login(person("clerk"), backend="django.contrib.auth.backends.ModelBackend")
        fields = fields_of(page_of(browser, stranger.query())) | {"decision": "allow", "reach": "all", "days": "3"}
        without = {name: value for name, value in fields.items() if name != "csrfmiddlewaretoken"}
        assert browser.post(AUTHORIZE, without, **OURS).status_code == 403
        assert browser.post(AUTHORIZE, fields, HTTP_SEC_FETCH_SITE="cross-site").status_code == 403
        assert not Grant.objects.exists()
        assert leads_to(browser.post(AUTHORIZE, fields, **OURS))

    def test_a_token_does_not_click(self, stranger: Stranger, clerk: Client, agent: Any) -> None:
        given = fields_of(page_of(clerk, stranger.query())) | {"decision": "allow", "reach": "all", "days": "3"}
        assert clerk.post(AUTHORIZE, given, headers=agent("clerk").headers, **OURS).status_code == 403

    def test_a_person_who_left_does_not_agree(self, stranger: Stranger, clerk: Client) -> None:
        page = page_of(clerk, stranger.query())
        User.objects.filter(username="clerk").update(is_active=False)
        assert self.agreed(clerk, page).status_code == 302
        assert not Grant.objects.exists()

    @pytest.mark.parametrize(
        "said", [{"reach": ""}, {"reach": "some"}, {"days": "0"}, {"days": "99999"}], ids=lambda said: str(said)
    )
    def test_what_is_not_said_is_asked_again(self, stranger: Stranger, clerk: Client, said: dict[str, str]) -> None:
        told = allow(clerk, stranger.query(), **said)
        assert told.status_code == 400
        assert 'role="alert"' in told.content.decode()
        assert not Grant.objects.exists()

    def test_nobody_holds_more_tokens_than_they_may(self, stranger: Stranger, clerk: Client, settings: Any) -> None:
        settings.READ_TARGETS = settings.READ_TARGETS | {"MOST_TOKENS": 1}
        stranger.signed_in(clerk)
        told = allow(clerk, Stranger().registered().query())
        assert told.status_code == 400
        assert "You hold 1 open tokens" in told.content.decode()
        stranger.signed_in(clerk)


class TestPage:
    def test_it_says_who_asks_for_what_and_where_it_leads(self, stranger: Stranger, clerk: Client) -> None:
        text = page_of(clerk, stranger.query()).content.decode()
        assert "“Helper”" in text
        assert "<strong><bdi>127.0.0.1:33418</bdi></strong>" in text
        assert "It registered itself, and its name is its own claim." in text
        assert "<li>Cash transactions</li>" in text

    def test_it_lists_no_tool_that_the_person_may_not_use(self, stranger: Stranger, signed_in: Any) -> None:
        text = page_of(signed_in("guest"), stranger.query()).content.decode()
        assert "<li>Cash transactions</li>" not in text
        assert "Nothing at the moment" in text

    def test_acting_is_never_ticked_for_the_person(self, stranger: Stranger, clerk: Client) -> None:
        stranger.signed_in(clerk, agreed={"may_act": "on"})
        box = re.search(
            r'<input type="checkbox" name="may_act"[^>]*>', page_of(clerk, stranger.query()).content.decode()
        )
        assert box is not None
        assert "checked" not in box[0]

    def test_acting_is_not_offered_where_nobody_asked(self, stranger: Stranger, clerk: Client) -> None:
        assert "may_act" not in page_of(clerk, stranger.query(scope="read")).content.decode()
        stranger.signed_in(clerk, agreed={"may_act": "on"}, scope="read")
        assert not AgentToken.objects.get(client=stranger.client_id).may_act

    def test_a_clients_name_is_a_strangers_word(self, clerk: Client) -> None:
        name = "<script>alert(1)</script>” says \u202eyour bank\u2066\nBank"
        stranger = Stranger().registered(client_name=name)
        text = page_of(clerk, stranger.query()).content.decode()
        assert "“&lt;script&gt;alert(1)&lt;/script&gt;&#x27; says your bank Bank”" in text
        stranger.signed_in(clerk)
        assert not set("\u202e\u2066\n") & set(AgentToken.objects.get(client=stranger.client_id).name)

    def test_a_long_name_is_cut_and_an_empty_one_is_where_it_leads(self, clerk: Client) -> None:
        long = Stranger().registered(client_name="n" * 5_000)
        assert f"“{'n' * 79}…”" in page_of(clerk, long.query()).content.decode()
        long.signed_in(clerk)
        nameless = Stranger().registered(client_name=" \u200b ")
        assert "“127.0.0.1:33418”" in page_of(clerk, nameless.query()).content.decode()

    def test_a_client_of_the_sites_own_is_told_apart(self, stranger: Stranger, clerk: Client) -> None:
        Application.objects.update(registration_source=Application.RegistrationSource.MANUAL)
        assert "An administrator of this site has registered it." in page_of(clerk, stranger.query()).content.decode()

    def test_a_client_that_needs_no_asking_is_asked_about_here(self, stranger: Stranger, clerk: Client) -> None:
        Application.objects.update(skip_authorization=True)
        page = page_of(clerk, stranger.query() + "&approval_prompt=auto&prompt=none")
        assert leads_to(page) == ""
        assert "decision" in page.content.decode()

    @pytest.mark.parametrize("step", ["asking", "leaving", "refused"])
    def test_nobody_frames_or_keeps_a_page(self, stranger: Stranger, clerk: Client, step: str) -> None:
        pages: dict[str, Callable[[], Any]] = {
            "asking": lambda: page_of(clerk, stranger.query()),
            "leaving": lambda: allow(clerk, stranger.query()),
            "refused": lambda: page_of(clerk, stranger.query(scope="x")),
        }
        page = pages[step]()
        assert page["X-Frame-Options"] == "DENY"
        assert "frame-ancestors 'none'" in page["Content-Security-Policy"]
        assert "form-action 'self'" in page["Content-Security-Policy"]
        assert "no-store" in page["Cache-Control"]

    def test_the_code_is_told_to_no_other_site(self, stranger: Stranger, clerk: Client) -> None:
        page = allow(clerk, stranger.query())
        assert page["Referrer-Policy"] == "no-referrer"
        assert link_back(page) == leads_to(page)

    @pytest.mark.parametrize(
        ("language", "said"), [("de", "Ein Agent möchte sich anmelden"), ("ko", "에이전트가 로그인하려고 합니다")]
    )
    def test_it_speaks_the_persons_language(
        self, stranger: Stranger, clerk: Client, person: Any, language: str, said: str
    ) -> None:
        from read_targets.models import Preference

        Preference.objects.update_or_create(user=person("clerk"), defaults={"language": language})
        assert said in page_of(clerk, stranger.query()).content.decode()


class TestRegistering:
    def test_a_client_is_told_what_it_is(self) -> None:
        told = register(client_name="Host", redirect_uris=[BACK], token_endpoint_auth_method="client_secret_post")
        assert told.status_code == 201
        body = told.json()
        assert body.pop("client_id")
        assert body.pop("client_id_issued_at")
        assert body == {
            "client_name": "Host",
            "redirect_uris": [BACK],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        }

    @pytest.mark.parametrize(
        ("metadata", "error"),
        [
            ({}, "invalid_redirect_uri"),
            ({"redirect_uris": []}, "invalid_redirect_uri"),
            ({"redirect_uris": BACK}, "invalid_redirect_uri"),
            ({"redirect_uris": [1]}, "invalid_redirect_uri"),
            ({"redirect_uris": [BACK] * 21}, "invalid_redirect_uri"),
            ({"redirect_uris": [BACK, "http://evil.example/"]}, "invalid_redirect_uri"),
            ({"redirect_uris": [BACK], "grant_types": ["implicit"]}, "invalid_client_metadata"),
            ({"redirect_uris": [BACK], "grant_types": "authorization_code"}, "invalid_client_metadata"),
            ({"redirect_uris": [BACK], "response_types": ["token"]}, "invalid_client_metadata"),
            ({"redirect_uris": [BACK], "client_name": 7}, "invalid_client_metadata"),
        ],
    )
    def test_what_cannot_be_given_is_refused(self, metadata: dict[str, Any], error: str) -> None:
        told = register(**metadata)
        assert (told.status_code, told.json()["error"]) == (400, error)
        assert not Application.objects.exists()

    @pytest.mark.parametrize("body", ["", "[]", "{", "[" * 5_000, '"' + "x" * 20_000 + '"'], ids=range(5))
    def test_no_object_is_no_client(self, body: str) -> None:
        told = Client().post(REGISTER, body, "application/json")
        assert (told.status_code, told.json()["error"]) == (400, "invalid_client_metadata")

    def test_there_are_so_many_a_minute(self, settings: Any) -> None:
        settings.READ_TARGETS = settings.READ_TARGETS | {"REGISTRATIONS_A_MINUTE": 2}
        told = [register(redirect_uris=[BACK]) for _ in range(3)]
        assert [one.status_code for one in told] == [201, 201, 429]
        assert int(told[-1]["Retry-After"]) > 0

    def test_a_site_may_know_its_clients_alone(self, settings: Any) -> None:
        settings.READ_TARGETS = settings.READ_TARGETS | {"CLIENTS_REGISTER": False}
        assert register(redirect_uris=[BACK]).status_code == 404
        assert "registration_endpoint" not in Client().get("/.well-known/oauth-authorization-server").json()

    def test_no_secret_is_a_clients(self, stranger: Stranger, clerk: Client) -> None:
        code = code_in(allow(clerk, stranger.query()))
        assert stranger.redeem(code, client_secret="x").status_code == 401
        assert stranger.redeem(code, client_secret=Application.objects.get().client_secret[:-1]).status_code == 401
        assert not RefreshToken.objects.exists()


@pytest.mark.parametrize(
    "uri",
    [
        "https://host.example/cb",
        "https://host.example:8443/cb?a=b",
        "http://127.0.0.1/cb",
        "http://127.0.0.1:9/",
        "http://[::1]:9/cb",
        "http://localhost:9/cb",
    ],
)
def test_a_client_may_be_answered_there(uri: str) -> None:
    assert is_permitted(uri)
    assert fits(uri, [uri])


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "https://",
        "https:///cb",
        "https:/host.example",
        "http://host.example/cb",
        "http://127.0.0.1.evil.example/",
        "http://localhost.evil.example/",
        "http://127.1/cb",
        "http://0.0.0.0/cb",
        "http://[::ffff:127.0.0.1]/",
        "javascript:alert(1)",
        "javascript://127.0.0.1/%0aalert(1)",
        "data:text/html,x",
        "cursor://anysphere/cb",
        "com.example.app:/cb",
        "//host.example/cb",
        "https://user@host.example/cb",
        "https://host.example@evil.example/cb",
        "https://host.example\\@evil.example/cb",
        "https://host.example/cb#",
        "https://host.example/cb#x",
        "https://host.example/c b",
        "https://host.example/cb\n",
        "https://host.example/\u202ecb",
        "https://höst.example/cb",
        "https://host.example:0/",
        "https://host.example:99999/",
        "https://host.example:/",
        "https://*.example/cb",
        "https://host.example/cb?code=1",
        "https://host.example/cb?iss=x",
        "https://host.example/" + "a" * 1_000,
        " https://host.example/",
        "HTTP://evil.example/",
    ],
    ids=lambda uri: ascii(uri)[:50],
)
def test_no_client_may_be_answered_there(uri: str) -> None:
    assert not is_permitted(uri)
    assert not fits(uri, [uri])


@pytest.mark.parametrize(
    ("uri", "registered", "does"),
    [
        ("http://127.0.0.1:5/cb", "http://127.0.0.1/cb", True),
        ("http://[::1]:5/cb", "http://[::1]:6/cb", True),
        ("http://localhost:5/cb", "http://localhost:6/cb", True),
        ("http://localhost:5/cb", "http://127.0.0.1:5/cb", False),
        ("http://127.0.0.1:5/other", "http://127.0.0.1/cb", False),
        ("http://127.0.0.1:5/cb?", "http://127.0.0.1/cb", False),
        ("http://127.0.0.1:5/cb?a=1", "http://127.0.0.1/cb?a=2", False),
        ("https://127.0.0.1:5/cb", "https://127.0.0.1/cb", False),
        ("https://host.example:5/cb", "https://host.example/cb", False),
        ("https://host.example/cb/", "https://host.example/cb", False),
        ("https://HOST.example/cb", "https://host.example/cb", False),
        ("https://sub.host.example/cb", "https://*.host.example/cb", False),
    ],
)
def test_an_address_is_the_registered_one_but_for_a_port_at_home(uri: str, registered: str, does: bool) -> None:
    assert fits(uri, [registered]) is does
