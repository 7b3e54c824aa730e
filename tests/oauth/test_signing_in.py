"""An agent signs in by itself: from the refusal that says where, to a call as the person, to the end of its token."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from oauth2_provider.models import AccessToken, Grant, RefreshToken

from read_targets.agent.tokens import create_token, revoke
from read_targets.models import AgentToken, Preference, ToolCall, Toolset, ToolsetEntry

from .conftest import BACK, MCP, REVOKE, SITE, Stranger, allow, answered, code_in, form, leads_to, register

pytestmark = pytest.mark.django_db
QUERY = "queryLedgerCashTransactions"


class TestFinding:
    def test_a_refusal_says_where_to_sign_in(self) -> None:
        told = Client().get("/agent/tools")
        assert told.status_code == 401
        assert told["WWW-Authenticate"] == (
            f'Bearer realm="agent", resource_metadata="{SITE}/.well-known/oauth-protected-resource", scope="read act"'
        )

    def test_a_token_that_does_not_hold_is_named(self) -> None:
        told = Client().get("/agent/tools", headers={"Authorization": "Bearer rto_x"})
        assert told.status_code == 401
        assert 'error="invalid_token", resource_metadata=' in told["WWW-Authenticate"]

    @pytest.mark.parametrize(("path", "resource"), [("", SITE), ("/mcp", MCP), ("/mcp/", MCP)])
    def test_a_resource_tells_who_gives_tokens_out(self, path: str, resource: str) -> None:
        told = Client().get(f"/.well-known/oauth-protected-resource{path}")
        assert told.json() == {
            "resource": resource,
            "authorization_servers": [SITE],
            "scopes_supported": ["read", "act"],
            "bearer_methods_supported": ["header"],
        }

    def test_of_nothing_else_is_told(self) -> None:
        assert Client().get("/.well-known/oauth-protected-resource/desk").status_code == 404

    def test_the_server_tells_what_it_takes(self) -> None:
        told = Client().get("/.well-known/oauth-authorization-server").json()
        assert told == {
            "issuer": SITE,
            "authorization_endpoint": f"{SITE}/oauth/authorize",
            "token_endpoint": f"{SITE}/oauth/token",
            "token_endpoint_auth_methods_supported": ["none"],
            "revocation_endpoint": f"{SITE}/oauth/revoke",
            "revocation_endpoint_auth_methods_supported": ["none"],
            "registration_endpoint": f"{SITE}/oauth/register",
            "scopes_supported": ["read", "act"],
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
            "client_id_metadata_document_supported": True,
        }


class TestComingIn:
    def test_the_answer_says_what_was_given_and_by_whom(self, stranger: Stranger, clerk: Client) -> None:
        address = leads_to(allow(clerk, stranger.query()))
        assert address.startswith(f"{BACK}?code=")
        told = answered(address)
        assert (told["state"], told["iss"]) == ("s t&a=te", SITE)
        tokens = stranger.redeem(told["code"]).json()
        assert (tokens["token_type"], tokens["scope"], tokens["expires_in"]) == ("Bearer", "read", 3600)

    def test_an_agent_calls_as_the_person(self, stranger: Stranger, clerk: Client, agent: Any) -> None:
        by_hand = agent("clerk").answer(QUERY, rows=3, show="answer")
        by_itself = stranger.signed_in(clerk).call(QUERY, rows=3, show="answer").json()
        assert by_itself["sampleRows"] == by_hand["sampleRows"]
        assert by_itself["summary"] == by_hand["summary"]
        assert 0 < by_hand["coverage"]["analysedRows"] < agent("admin").answer(QUERY)["coverage"]["analysedRows"]

    def test_one_consent_is_one_token(self, stranger: Stranger, clerk: Client, person: Any) -> None:
        stranger.signed_in(clerk, agreed={"days": "7"})
        token = AgentToken.objects.get(client=stranger.client_id)
        assert (token.user, token.name, token.hint) == (person("clerk"), "Helper", "")
        assert token.all_toolsets
        assert not token.may_act
        assert token.expires_at is not None
        assert timedelta(days=6) < token.expires_at - timezone.now() <= timedelta(days=7)

    def test_the_log_names_the_agent(self, stranger: Stranger, clerk: Client) -> None:
        stranger.signed_in(clerk).call(QUERY, rows=0)
        call = ToolCall.objects.get(token__client=stranger.client_id)
        assert (call.agent, call.user.username, call.outcome) == ("Helper", "clerk", "READY")
        assert call.token.last_used_at is not None

    def test_nothing_that_opens_anything_is_stored(self, stranger: Stranger, clerk: Client) -> None:
        stranger.signed_in(clerk)
        assert not AccessToken.objects.exclude(token="").exists()
        assert not RefreshToken.objects.exclude(token="").exists()

    def test_agreeing_again_renews_the_same_token(self, stranger: Stranger, clerk: Client) -> None:
        stranger.signed_in(clerk)
        first = stranger.tokens
        stranger.signed_in(clerk, agreed={"may_act": "on"})
        token = AgentToken.objects.get(client=stranger.client_id)
        assert token.may_act
        stranger.tokens = first
        assert stranger.get("/agent/tools").status_code == 200

    def test_the_rows_of_two_people_are_apart(
        self, stranger: Stranger, clerk: Client, signed_in: Callable[[str], Client]
    ) -> None:
        stranger.signed_in(clerk)
        of_clerk = stranger.tokens
        stranger.signed_in(signed_in("guest"))
        assert stranger.call(QUERY).status_code == 403
        stranger.tokens = of_clerk
        assert stranger.call(QUERY).status_code == 200

    @pytest.mark.parametrize("path", ["/agent/nothing", "/agent/tools/a%3Fb", "/agent/tools/a%23b"])
    def test_what_is_not_there_is_not_there(self, stranger: Stranger, clerk: Client, path: str) -> None:
        assert stranger.signed_in(clerk).get(path).status_code in (404, 405)

    def test_the_port_on_the_persons_machine_is_free(self, stranger: Stranger, clerk: Client) -> None:
        stranger.redirect_uri = "http://127.0.0.1:50999/callback"
        stranger.signed_in(clerk)
        assert stranger.get("/agent/tools").status_code == 200


class TestLimitedAsAnyToken:
    def test_to_the_toolsets_that_were_chosen(self, stranger: Stranger, clerk: Client) -> None:
        chosen = Toolset.objects.create(key="cash")
        ToolsetEntry.objects.create(toolset=chosen, tool_key="ledger.cash-transactions")
        stranger.signed_in(clerk, agreed={"reach": "some", "toolsets": [str(chosen.pk)]})
        names = {tool["name"] for tool in stranger.get("/agent/tools").json()["tools"]}
        assert names == {QUERY, "openLedgerCashTransactionsScreen"}

    def test_by_the_persons_switch(self, stranger: Stranger, clerk: Client, person: Any) -> None:
        stranger.signed_in(clerk)
        Preference.objects.update_or_create(user=person("clerk"), defaults={"agents_stopped": True})
        assert stranger.call(QUERY).json()["code"] == "read_targets.agents_stopped"

    def test_by_an_admins_calls_a_minute(self, stranger: Stranger, clerk: Client) -> None:
        stranger.signed_in(clerk)
        AgentToken.objects.filter(client=stranger.client_id).update(calls_a_minute=1)
        assert [stranger.call(QUERY, rows=0).status_code for _ in range(2)] == [200, 429]

    def test_to_the_cards_that_it_made(self, stranger: Stranger, clerk: Client, agent: Any) -> None:
        agent("clerk").call(QUERY, show="workspace")
        stranger.signed_in(clerk)
        assert stranger.get("/agent/cards").json()["cards"] == []
        made = stranger.call(QUERY, show="workspace").json()["card"]["id"]
        assert [card["id"] for card in stranger.get("/agent/cards").json()["cards"]] == [made]

    def test_not_to_the_persons_session(self, stranger: Stranger, clerk: Client) -> None:
        stranger.signed_in(clerk)
        assert stranger.get("/desk/").status_code == 302
        assert stranger.get("/admin/").status_code == 302


class TestScopes:
    def test_who_signed_in_to_read_is_told_what_acting_takes(self, stranger: Stranger, clerk: Client) -> None:
        stranger.signed_in(clerk, agreed={"may_act": "on"}, scope="read")
        told = stranger.call("runPageCommand", command="x")
        assert (told.status_code, told.json()["code"]) == (403, "read_targets.token_may_not_act")
        assert told["WWW-Authenticate"].startswith(
            'Bearer realm="agent", error="insufficient_scope", resource_metadata='
        )
        assert told["WWW-Authenticate"].endswith('scope="read act"')

    def test_a_scope_does_not_act_where_the_person_did_not_agree(self, stranger: Stranger, clerk: Client) -> None:
        stranger.signed_in(clerk)
        AccessToken.objects.update(scope="read act")
        assert stranger.call("runPageCommand", command="x").json()["code"] == "read_targets.token_may_not_act"

    def test_both_together_act(self, stranger: Stranger, clerk: Client) -> None:
        stranger.signed_in(clerk, agreed={"may_act": "on"})
        assert stranger.tokens["scope"] == "read act"
        assert stranger.call("runPageCommand", command="x").json()["code"] == "page_commands.no_page"

    def test_less_than_reading_opens_nothing(self, stranger: Stranger, clerk: Client) -> None:
        stranger.signed_in(clerk, agreed={"may_act": "on"})
        stranger.tokens = stranger.refresh(scope="act").json()
        told = stranger.get("/agent/tools")
        assert (told.status_code, told.json()["code"]) == (403, "read_targets.scope_missing")
        assert 'error="insufficient_scope"' in told["WWW-Authenticate"]

    def test_a_token_by_hand_is_told_nothing_of_scopes(self, agent: Any) -> None:
        told = agent("clerk").call("runPageCommand", command="x")
        assert told.status_code == 403
        assert "WWW-Authenticate" not in told


class TestRefreshing:
    def test_a_refresh_token_is_good_once(self, stranger: Stranger, clerk: Client) -> None:
        stranger.signed_in(clerk)
        before = stranger.tokens
        stranger.tokens = stranger.refresh().json()
        assert stranger.tokens["refresh_token"] != before["refresh_token"]
        assert stranger.get("/agent/tools").status_code == 200
        after, stranger.tokens = stranger.tokens, before
        assert stranger.get("/agent/tools").status_code == 401
        assert stranger.refresh().json() == {"error": "invalid_grant"}
        stranger.tokens = after
        assert stranger.get("/agent/tools").status_code == 401
        assert stranger.refresh().json() == {"error": "invalid_grant"}

    def test_it_is_never_for_more(self, stranger: Stranger, clerk: Client) -> None:
        stranger.signed_in(clerk)
        assert stranger.refresh(scope="read act").json()["error"] == "invalid_scope"

    def test_it_is_its_clients_alone(self, stranger: Stranger, clerk: Client) -> None:
        stranger.signed_in(clerk)
        other = Stranger().registered()
        assert other.refresh(stranger.tokens["refresh_token"]).json() == {"error": "invalid_grant"}
        assert stranger.refresh().status_code == 200

    def test_it_stays_for_the_same_resource(self, stranger: Stranger, clerk: Client) -> None:
        stranger.signed_in(clerk, resource=MCP)
        assert stranger.refresh(resource=SITE).json()["error"] == "invalid_target"
        assert stranger.refresh(resource=f"{MCP}/").status_code == 200
        assert set(map(tuple, RefreshToken.objects.values_list("resource", flat=True))) == {(MCP,)}

    def test_it_may_be_for_less_from_then_on(self, stranger: Stranger, clerk: Client) -> None:
        stranger.signed_in(clerk)
        stranger.tokens = stranger.refresh(resource=MCP).json()
        assert stranger.get("/agent/tools").status_code == 401
        assert stranger.refresh(resource=SITE).json()["error"] == "invalid_target"

    def test_an_access_token_is_no_refresh_token(self, stranger: Stranger, clerk: Client) -> None:
        stranger.signed_in(clerk)
        assert stranger.refresh(stranger.tokens["access_token"]).json() == {"error": "invalid_grant"}
        stranger.tokens["access_token"] = stranger.tokens["refresh_token"]
        assert stranger.get("/agent/tools").status_code == 401


class TestEnding:
    def test_the_person_ends_it_at_once(self, stranger: Stranger, clerk: Client) -> None:
        stranger.signed_in(clerk)
        page = clerk.get("/desk/tokens").content.decode()
        assert "signed in by itself" in page
        token = AgentToken.objects.get(client=stranger.client_id)
        nonce = page.split(f"/desk/tokens/{token.pk}/revoke")[1].split('name="nonce" value="')[1].split('"')[0]
        clerk.post(f"/desk/tokens/{token.pk}/revoke", {"nonce": nonce}, HTTP_SEC_FETCH_SITE="same-origin")
        assert stranger.get("/agent/tools").status_code == 401
        assert stranger.refresh().json() == {"error": "invalid_grant"}
        assert not AccessToken.objects.exists()
        assert not RefreshToken.objects.exists()

    def test_an_admin_ends_it_at_once(self, stranger: Stranger, clerk: Client, signed_in: Any) -> None:
        stranger.signed_in(clerk)
        token = AgentToken.objects.get(client=stranger.client_id)
        admin = signed_in("admin")
        assert stranger.client_id in admin.get(f"/admin/read_targets/agenttoken/{token.pk}/change/").content.decode()
        chosen = {"action": "revoke_tokens", "_selected_action": [str(token.pk)]}
        admin.post("/admin/read_targets/agenttoken/", chosen)
        assert stranger.get("/agent/tools").status_code == 401
        assert not RefreshToken.objects.exists()

    def test_a_row_that_is_revoked_by_whatever_way_opens_nothing(self, stranger: Stranger, clerk: Client) -> None:
        stranger.signed_in(clerk)
        AgentToken.objects.update(revoked_at=timezone.now())
        assert stranger.get("/agent/tools").status_code == 401
        assert stranger.refresh().json() == {"error": "invalid_grant"}

    def test_what_ended_does_not_come_back_with_a_new_consent(self, stranger: Stranger, clerk: Client) -> None:
        stranger.signed_in(clerk)
        old = stranger.tokens
        AgentToken.objects.update(revoked_at=timezone.now())
        stranger.signed_in(clerk)
        assert AgentToken.objects.filter(client=stranger.client_id).count() == 2
        stranger.tokens = old
        assert stranger.get("/agent/tools").status_code == 401
        assert stranger.refresh().json() == {"error": "invalid_grant"}

    def test_a_code_is_worth_nothing_once_the_token_is_revoked(self, stranger: Stranger, clerk: Client) -> None:
        code = code_in(allow(clerk, stranger.query()))
        revoke(AgentToken.objects.get(client=stranger.client_id))
        assert stranger.redeem(code).json() == {"error": "invalid_grant"}

    def test_the_tokens_own_end_is_theirs(self, stranger: Stranger, clerk: Client) -> None:
        stranger.signed_in(clerk)
        AgentToken.objects.update(expires_at=timezone.now())
        assert stranger.get("/agent/tools").status_code == 401
        assert stranger.refresh().json() == {"error": "invalid_grant"}
        assert stranger.signed_in(clerk).get("/agent/tools").status_code == 200

    def test_an_access_token_ends_by_itself(self, stranger: Stranger, clerk: Client) -> None:
        stranger.signed_in(clerk)
        AccessToken.objects.update(expires=timezone.now())
        assert stranger.get("/agent/tools").status_code == 401
        stranger.tokens = stranger.refresh().json()
        assert stranger.get("/agent/tools").status_code == 200

    def test_an_inactive_person_lets_nobody_in(self, stranger: Stranger, clerk: Client) -> None:
        code = code_in(allow(clerk, stranger.query()))
        stranger.signed_in(clerk)
        User.objects.filter(username="clerk").update(is_active=False)
        assert stranger.get("/agent/tools").status_code == 401
        assert stranger.refresh().json() == {"error": "invalid_grant"}
        assert stranger.redeem(code).json() == {"error": "invalid_grant"}

    def test_a_client_gives_its_token_back(self, stranger: Stranger, clerk: Client) -> None:
        stranger.signed_in(clerk)
        given = {"token": stranger.tokens["refresh_token"], "client_id": stranger.client_id}
        assert form(REVOKE, given | {"client_id": Stranger().registered().client_id}).status_code == 200
        assert stranger.get("/agent/tools").status_code == 200
        assert form(REVOKE, given).status_code == 200
        assert stranger.get("/agent/tools").status_code == 401

    def test_what_is_past_its_time_is_forgotten(self, stranger: Stranger, clerk: Client) -> None:
        from oauth2_provider.models import Application

        from read_targets.agent.oauth.ending import forget_sign_ins

        long_ago = timezone.now() - timedelta(days=40)
        stranger.signed_in(clerk)
        unused = register(client_name="Nobody's", redirect_uris=[BACK]).json()["client_id"]
        Application.objects.update(created=long_ago)
        Grant.objects.update(expires=long_ago)
        forget_sign_ins()
        assert list(Application.objects.values_list("client_id", flat=True)) == [stranger.client_id]
        assert unused != stranger.client_id
        assert stranger.get("/agent/tools").status_code == 200
        AgentToken.objects.update(expires_at=long_ago)
        AccessToken.objects.update(expires=long_ago)
        forget_sign_ins()
        assert not RefreshToken.objects.exists()


def test_a_token_by_hand_is_looked_up_as_before(db: None, person: Any, django_assert_num_queries: Any) -> None:
    from read_targets.agent.tokens import token_of

    _token, secret = create_token(person("clerk"), "by hand")
    with django_assert_num_queries(1):
        assert token_of(secret) is not None
