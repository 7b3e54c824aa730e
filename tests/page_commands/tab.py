"""A person's browser with its tabs, and their agents, as they speak HTTP; tests tell their stories with these."""

from __future__ import annotations

import html
import json
import re
import uuid
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

from page_commands.live.clicks import bound
from page_commands.live.tickets import ticket_for
from read_targets.cards.clicks import nonce_for

from .wires import FORM, JSON, Reply, Wire

OURS = {"Sec-Fetch-Site": "same-origin"}
"""What a browser says of a request that a script of this origin's page sends."""

PATH = "/factory/start/"
"""Where our tabs have the page open."""

_CARD = re.compile(r'<li class="live-card" id="live-card-(?P<id>[^"]+)".*?</li>', re.DOTALL)
_BUTTON = re.compile(r'<(?:button|summary)[^>]* id="live-(?:run|ask)-([a-z0-9_]+)"')


@dataclass(frozen=True)
class Card:
    """A confirmation as a tab shows it."""

    id: str
    html: str

    @property
    def text(self) -> str:
        """What the person reads: no tags, each blank once."""
        return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", self.html)).split())

    @property
    def title(self) -> str:
        """Its title."""
        return self._first(r"<h3[^>]*>(.*?)</h3>")

    @property
    def message(self) -> str:
        """Its message, empty without one."""
        return self._first(r"</h3>\s*<p>(.*?)</p>")

    @property
    def facts(self) -> dict[str, str]:
        """What it says will run: command, object and parameters, by their labels."""
        pairs = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", self.html, re.DOTALL)
        return {_words(label): _words(value) for label, value in pairs}

    @property
    def button(self) -> str:
        """The words on the button that agrees."""
        return self._first(r'value="approve"[^>]*>(.*?)</button>')

    @property
    def address(self) -> str:
        """Where its answer is sent."""
        return f"/agent/cards/{self.id}/decide"

    @property
    def nonce(self) -> str:
        """The nonce that was rendered into it."""
        return self._first(r'name="nonce" value="([^"]+)"')

    @property
    def session(self) -> str:
        """The session that was rendered into it."""
        return self._first(r'name="session" value="([^"]+)"')

    def _first(self, pattern: str) -> str:
        found = re.search(pattern, self.html, re.DOTALL)
        return _words(found[1]) if found else ""


def _words(markup: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", markup)).split())


@dataclass
class Browser:
    """A browser in which a person is signed in."""

    wire: Wire
    user_id: Any

    def at(self, wire: Wire) -> Browser:
        """The same sign-in, over another wire."""
        return Browser(wire, self.user_id)

    def get(self, path: str, **headers: str) -> Reply:
        """Get an address."""
        return self.wire.send("GET", path, **headers)

    def post(self, path: str, body: Any, **headers: str) -> Reply:
        """Post JSON as a script of our page does; a header given as empty is left out."""
        told = {**OURS, "Content-Type": JSON, "X-CSRFToken": self.wire.cookies.get("csrftoken", ""), **headers}
        sent = {name: value for name, value in told.items() if value}
        return self.wire.send("POST", path, json.dumps(body).encode(), **sent)

    def ticket(self, page: str, path: str = PATH) -> str:
        """The ticket that the page carries when it is rendered for this browser."""
        return ticket_for(self._request(path), SimpleNamespace(key=page))

    def nonce(self, stands_for: str) -> str:
        """The nonce that a page rendered for this browser carries for what is named."""
        return nonce_for(self._request(), stands_for)

    def _request(self, path: str = PATH) -> Any:
        return SimpleNamespace(
            user=SimpleNamespace(pk=self.user_id),
            session=SimpleNamespace(session_key=self.wire.cookies.get("sessionid")),
            get_full_path=lambda: path,
        )

    def open(self, page: str = "tests.desk", *, path: str = PATH, title: str = "Desk", tab: str = "") -> Tab:
        """Open a page in a new tab, or in the tab of that id."""
        tab = tab or uuid.uuid4().hex
        reply = self.post("/pages/sessions", {"ticket": self.ticket(page, path), "tab": tab, "title": title})
        assert reply.status == 200, reply.text[:2000]
        return Tab(self, tab, page, path, reply.json())


@dataclass
class Tab:
    """A tab on a live page, behaving as its script does: it applies each effect once, in order, and says so."""

    browser: Browser
    tab: str
    page: str
    path: str
    told: dict[str, Any]
    seen: int = 0
    applied: list[dict[str, Any]] = field(default_factory=list)
    parts: dict[str, Any] = field(default_factory=dict)
    version: int = 0

    def __post_init__(self) -> None:
        self.seen = max(self.seen, self.told["shown"])
        self.parts, self.version = self.told["parts"], self.told["version"]

    @property
    def id(self) -> str:
        """The id of its session."""
        return str(self.told["id"])

    @property
    def address(self) -> str:
        """Where its session is spoken to."""
        return f"/pages/sessions/{self.id}"

    def look(self, *, whole: bool = True) -> Reply:
        """Ask for what is new, and for all that is shown; read nothing of it."""
        return self.browser.get(f"{self.address}?after={self.seen}{'&parts=1' if whole else ''}")

    def pull(self, *, whole: bool = True) -> list[dict[str, Any]]:
        """Fetch what is new, show it, and return the effects that were new."""
        return self.take(self.look(whole=whole))

    def take(self, reply: Reply) -> list[dict[str, Any]]:
        """Show what is new in a reply, and return the effects that were new."""
        assert reply.status == 200, reply.text[:2000]
        news = reply.json()
        self.parts, self.version = news.get("parts", self.parts), news["version"]
        fresh = [effect for effect in news["effects"] if effect["seq"] > self.seen]
        for effect in fresh:
            assert effect["seq"] == self.seen + 1, f"{effect['seq']} came after {self.seen}"
            self.seen = effect["seq"]
            self.applied.append(effect)
        return fresh

    def beat(self, shown: int | None = None) -> Reply:
        """Say that the tab is there, and what it has shown."""
        return self.browser.post(f"{self.address}/beat", {"shown": self.seen if shown is None else shown})

    def leave(self) -> Reply:
        """Leave the page, as a tab does that is closed, goes on, or is reloaded."""
        token = self.browser.wire.cookies.get("csrftoken", "")
        body = urlencode({"csrfmiddlewaretoken": token, "visit": str(self.told["visit"])}).encode()
        return self.browser.wire.send("POST", f"{self.address}/leave", body, **{**OURS, "Content-Type": FORM})

    def reload(self) -> Tab:
        """Load the page again; what was seen is remembered by the tab."""
        assert self.leave().status == 204
        again = self.browser.open(self.page, path=self.path, tab=self.tab)
        if again.id == self.id:
            again.seen, again.applied = max(again.seen, self.seen), self.applied
        return again

    def go_to(self, page: str = "tests.desk", path: str = "/factory/projects/") -> Tab:
        """Go to another page in this tab."""
        assert self.leave().status == 204
        return self.browser.open(page, path=path, tab=self.tab)

    def is_open(self) -> bool:
        """Whether its session is still spoken to."""
        return self.look().status == 200

    # What it shows

    def cards(self) -> list[Card]:
        """The confirmations that wait, as they are shown now."""
        self.pull()
        return [Card(match["id"], match[0]) for match in _CARD.finditer(self.parts["cards"])]

    def card(self) -> Card:
        """The one confirmation that waits."""
        cards = self.cards()
        assert len(cards) == 1, [card.text for card in cards]
        return cards[0]

    def views(self) -> dict[str, str]:
        """The HTML of each view that is shown, by its name."""
        self.pull()
        return {view["name"]: view["html"] for view in self.parts["views"]}

    def buttons(self) -> list[str]:
        """The names of the commands whose buttons can be clicked, in order."""
        self.pull()
        return _BUTTON.findall(self.parts["commands"])

    # What the person does

    def click(self, command: str, object: Any = None, nonce: str | None = None, **parameters: Any) -> Reply:
        """Click the button of a command, on the page as the tab shows it; with `object`, that of a row."""
        key = None if object is None else str(object)
        rendered = self.told["nonce"] if key is None else self.browser.nonce(bound(self.page, command, key))
        fields = {"nonce": rendered if nonce is None else nonce, "version": self.version, "parameters": parameters}
        if key is not None:
            fields["object"] = key
        return self.browser.post(f"{self.address}/commands/{command}", fields)

    def decide(
        self, card: Card, decision: str = "approve", headers: dict[str, str] | None = None, **fields: Any
    ) -> Reply:
        """Click one of a card's buttons; `fields` and `headers` say what is otherwise (None: left out)."""
        sent = {"decision": decision, "nonce": card.nonce, "session": card.session, **fields}
        told = {name: value for name, value in sent.items() if value is not None}
        return self.browser.post(card.address, told, **(headers or {}))

    def approve(self, **fields: Any) -> Reply:
        """Agree to the one confirmation that waits."""
        return self.decide(self.card(), "approve", **fields)

    def decline(self) -> Reply:
        """Decline the one confirmation that waits."""
        return self.decide(self.card(), "decline")


@dataclass
class Agent:
    """An agent with a person's token."""

    wire: Wire
    secret: str

    def at(self, wire: Wire) -> Agent:
        """The same agent, over another wire."""
        return Agent(wire, self.secret)

    @property
    def headers(self) -> dict[str, str]:
        """Who it is."""
        return {"Authorization": f"Bearer {self.secret}", "Content-Type": JSON}

    def call(self, tool: str, arguments: dict[str, Any], key: str = "", wait: int = 0) -> Reply:
        """Call a tool, with an Idempotency-Key, and willing to wait for a person so many seconds."""
        more = {"Idempotency-Key": key, "Prefer": f"wait={wait}" if wait else ""}
        headers = {**self.headers, **{name: value for name, value in more.items() if value}}
        return self.wire.send("POST", f"/agent/tools/{tool}", json.dumps(arguments).encode(), **headers)

    def run(
        self,
        command: str,
        input: Any = None,
        page: Tab | str | None = None,
        key: str = "",
        wait: int = 0,
        **parameters: Any,
    ) -> Reply:
        """Run a command of an open page for an object."""
        arguments = _without_none(
            command=command,
            input=None if input is None else str(input),
            page=page.id if isinstance(page, Tab) else page,
            parameters=parameters or None,
        )
        return self.call("runPageCommand", arguments, key, wait)

    def present(self, channel: str, input: Any, page: Tab | None = None, key: str = "") -> Reply:
        """Put an object on a channel."""
        arguments = _without_none(channel=channel, input=str(input), page=page.id if page else None)
        return self.call("present", arguments, key)

    def pages(self) -> list[dict[str, Any]]:
        """The pages that are open, as it is told."""
        pages: list[dict[str, Any]] = self.call("openPages", {}).json()["state"]["pages"]
        return pages

    def commands(self, page: Tab | None = None) -> Reply:
        """Ask what a page offers."""
        return self.call("pageCommands", _without_none(page=page.id if page else None))

    def poll(self, call: Reply | str, wait: int = 0) -> Reply:
        """Ask for a call by its id."""
        call_id = call if isinstance(call, str) else call.json()["callId"]
        headers = {**self.headers, **({"Prefer": f"wait={wait}"} if wait else {})}
        return self.wire.send("GET", f"/agent/calls/{call_id}", **headers)


def _without_none(**arguments: Any) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value is not None}
