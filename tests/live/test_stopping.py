"""A process that is told to stop ends its open streams, and is gone soon; what it held goes on at another."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import pytest

from tests.mcp.client import Agent, headers_of, request

from .servers import PATIENCE, ROOT, Person, Server, Servers, Stream, Tab, open_tab

SOON = 15.0
"""Seconds after which a process hangs: streams are given two, and a loaded machine is slow."""

AGENT_AND_CONVERSATION = """
from django.contrib.auth.models import User
from read_targets.agent.tokens import create_token
from project.demo.factory.models import Conversation
from read_targets.policies import permitted
open = Conversation.objects.exclude(state=Conversation.State.CLOSED)
clerk = User.objects.get(username="clerk")
print(create_token(clerk, "waits", may_act=True)[1])
print(permitted(clerk, "factory.change_conversation", open).order_by("pk").last().pk)
"""


class Gunicorn(Server):
    """A gunicorn with a worker of uvicorn's."""

    def start(self) -> None:
        """Start the processes, and return when they answer."""
        command = [sys.executable, "-m", "gunicorn", self.application, "--worker-class", "uvicorn_worker.UvicornWorker"]
        command += ["--bind", f"127.0.0.1:{self.port}", "--graceful-timeout", "2", "--no-control-socket"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=log, stderr=log)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            try:
                Person(self).get("/accounts/login/")
            except (OSError, HTTPException):
                time.sleep(0.05)
            else:
                return
        raise AssertionError(f"the server did not come up:\n{self.log.read_text()[-4000:]}")


@pytest.fixture(params=[Server, Gunicorn], ids=["uvicorn", "gunicorn"])
def server(two_servers: Servers, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    """A third server on the same database, for the test alone."""
    server: Server = request.param(two_servers.environment, tmp_path / "third.log")
    server.start()
    yield server
    server.kill()


@pytest.fixture
def tab(server: Server, two_servers: Servers) -> Iterator[Tab]:
    """A tab of the clerk's at the third server."""
    tab = open_tab(Person(server).sign_in("clerk"))
    yield tab
    tab.person.at(two_servers.first).post_form(f"{tab.address}/leave", visit=str(tab.session["visit"]))


def test_it_is_gone_soon_and_its_tabs_and_questions_go_on_elsewhere(
    server: Server, two_servers: Servers, tab: Tab
) -> None:
    secret, conversation = two_servers.run(AGENT_AND_CONVERSATION).split()
    agent = Agent(server, secret)
    asked = agent.rest("runPageCommand", command="archive_conversation", input=conversation, page=tab.id)
    assert asked["outcome"] == "NOT_READY"
    with closing(tab.person.listen()) as stream, closing(waits_for(agent, asked["callId"])) as answer:
        stream.until("ring")
        assert answer.response.getheader("Content-Type", "").startswith("text/event-stream")
        assert server.stop() < SOON
        # Both end with the process, and neither is left hanging.
        for one in (stream, answer):
            drain(one)
    with closing(tab.person.at(two_servers.first).listen()) as stream:
        assert tab.id in stream.until("ring")
    again = agent.at(two_servers.first).call("callAnswer", callId=asked["callId"]).structured_content
    assert (again["outcome"], again["callId"]) == ("NOT_READY", asked["callId"])


def waits_for(agent: Agent, call: str) -> Stream:
    """Ask over MCP how a call stands, willing to wait; return the stream as soon as it has begun."""
    params = {"name": "callAnswer", "arguments": {"callId": call, "wait": 30}}
    connection = HTTPConnection("127.0.0.1", agent.server.port, timeout=PATIENCE)
    headers = {**headers_of("tools/call", params), "Authorization": f"Bearer {agent.token}"}
    body = json.dumps(request("tools/call", params))
    connection.request("POST", "/mcp", body, {**headers, "Content-Type": "application/json"})
    return Stream(connection, connection.getresponse())


def drain(stream: Stream) -> None:
    """Read to the end, which may come in the midst of an event."""
    try:
        while stream.response.readline():
            pass
    except (OSError, HTTPException):
        pass
