"""`python -m project.demo.serve`: serve the sample company; show a tool's answer to two people, and a page command."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from http.client import HTTPConnection
from typing import Any

import django

HOST, PORT = "127.0.0.1", int(os.environ.get("PORT", "8000"))
SITE = f"http://{HOST}:{PORT}"
TOOL = "queryLedgerCashTransactions"
ARGUMENTS = {"from": "2026-11-01", "to": "2026-11-30", "flow": "EXPENSE", "rows": 0}
ASKED = ("analyst", "clerk")
"""Who calls the tool: they may view different rows, so they are told different totals."""

ACTS = "clerk"
"""Whose token may also act: the one with rights on the factory's page commands."""

COMMAND = "factory.open_connection_form"

WORKER = ("manage.py", "db_worker", "--no-reload", "--verbosity", "0")
"""What writes exports. It looks every second for one, and so takes SQLite's lock for a moment each second."""

WORDS_APART = 1.0
"""Seconds between two words to the worker that it shall end."""

AGENT = "make run"
PATIENCE = 30.0
"""Seconds that the server may take to answer for the first time."""


def main() -> int:
    """Serve until we are told to stop; return the server's exit code, 0 where a signal ended it."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, PORT))
        except OSError as error:
            print(f"{SITE} cannot be served: {error.strerror}. Choose another port, as in: make run PORT=8001")
            return 1
    command = [sys.executable, "-m", "uvicorn", "project.asgi:application", "--host", HOST, "--port", str(PORT)]
    # An open stream must not hold up the end.
    command += ["--timeout-graceful-shutdown", "2", "--log-level", "warning"]
    # In groups of their own, so that each meets Ctrl+C once and not twice: the second would cut it off.
    server = subprocess.Popen(command, process_group=0)  # noqa: S603  # constants, and a port that is a number
    worker = subprocess.Popen([sys.executable, *WORKER], process_group=0)  # noqa: S603  # constants
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda caught, _frame: server.send_signal(caught))
    try:
        if answers(server):
            show()
        return max(server.wait(), 0)
    finally:
        server.terminate()
        end(worker)


def end(worker: subprocess.Popen[bytes]) -> None:
    """End the worker of exports: at once where it rests, and where it writes by a second word, which it notes."""
    for _word in range(2):
        worker.terminate()
        try:
            worker.wait(WORDS_APART)
        except subprocess.TimeoutExpired:
            continue
        return
    try:
        worker.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        worker.kill()


def answers(server: subprocess.Popen[bytes]) -> bool:
    """Wait until the server answers; return whether it does."""
    end = time.monotonic() + PATIENCE
    while server.poll() is None and time.monotonic() < end:
        connection = HTTPConnection(HOST, PORT, timeout=PATIENCE)
        try:
            connection.request("GET", "/accounts/login/")
            connection.getresponse()
            return True
        except OSError:
            time.sleep(0.1)
        finally:
            connection.close()
    return False


def show() -> None:
    """Print the people, the tool's real answer to two of them, and how to try a command on an open page."""
    # Here and below: models can be imported only once Django is set up.
    from project.demo import people

    print(f"\n{SITE}/ — sign in as one of {', '.join(people.NAMES)}; the password of each is their name.\n")
    for name in ASKED:
        token = token_of(name)
        acts = ", which may also act" if name == ACTS else ""
        print(f"As {name}, who has lent an agent this token for a day{acts}:\n")
        print(f"  curl {SITE}/agent/tools/{TOOL} \\")
        print(f"    -H 'Authorization: Bearer {token}' -H 'Content-Type: application/json' \\")
        print(f"    -d '{json.dumps(ARGUMENTS)}'\n")
        print(told(call(token)), end="\n\n", flush=True)
        if name == ACTS:
            show_command(token)
    print("Stop with Ctrl+C.", flush=True)


def show_command(token: str) -> None:
    """Print how the agent with `token` opens a form in the person's own tab, for a tenant that they may view."""
    from django.contrib.auth.models import User

    from project.demo.factory.models import Tenant
    from read_targets.policies import permitted

    person = User.objects.get(username=ACTS)
    tenant = permitted(person, "factory.view_tenant", Tenant.objects.filter(archived=False).order_by("pk")).first()
    if tenant is None:
        return
    print(f"A command on an open page: sign in as {ACTS} and open {SITE}/factory/start/. Then call, as that agent:\n")
    arguments = {"command": COMMAND, "input": str(tenant.pk)}
    print(f"  curl {SITE}/agent/tools/runPageCommand -H 'Authorization: Bearer {token}' \\")
    print(f"    -H 'Content-Type: application/json' -d '{json.dumps(arguments)}'\n")
    print(f"The form of a new git connection for {tenant} opens in that tab.\n", flush=True)


def token_of(name: str) -> str:
    """Return a new token of that person for the agent shown here; the one of the last run is closed."""
    from django.contrib.auth.models import User

    from read_targets.agent.tokens import create_token, revoke

    person = User.objects.get(username=name)
    for old in person.agent_tokens.filter(name=AGENT, revoked_at=None):
        revoke(old)
    return create_token(person, AGENT, days=1, may_act=name == ACTS)[1]


def call(token: str) -> dict[str, Any]:
    """Call the tool over HTTP, as the agent with `token`; return its answer, also where that is a refusal."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection = HTTPConnection(HOST, PORT, timeout=PATIENCE)
    try:
        connection.request("POST", f"/agent/tools/{TOOL}", json.dumps(ARGUMENTS), headers)
        answer: dict[str, Any] = json.load(connection.getresponse())
        return answer
    finally:
        connection.close()


def told(answer: dict[str, Any]) -> str:
    """Return what of an answer fits a terminal."""
    parts = ("outcome", "code", "message", "scope", "coverage", "units", "summary")
    shown = {part: answer[part] for part in parts if part in answer}
    return "\n".join("  " + line for line in json.dumps(shown, ensure_ascii=False, indent=2).splitlines())


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.demo.settings")
    django.setup()
    sys.exit(main())
