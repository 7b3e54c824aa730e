"""Clients that publish a document of themselves: what is read, what is not, and that nobody is asked on this side."""

from __future__ import annotations

import datetime as dt
import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from django.test import Client
from django.utils import timezone
from oauth2_provider.models import Application

from read_targets.agent.oauth import clients, fetching
from read_targets.agent.oauth.fetching import Unfetched, fetch, is_document_address, is_public

from .conftest import BACK, TOKEN, Stranger, allow, code_in, form, page_of

ADDRESS = "https://host.example/agent.json"
DOCUMENT = {"client_id": ADDRESS, "client_name": "Reader", "redirect_uris": [BACK]}


@pytest.mark.parametrize("address", [ADDRESS, "https://host.example:443/a", "https://host.example/a?b=c"])
def test_a_document_may_be_there(address: str) -> None:
    assert is_document_address(address)


@pytest.mark.parametrize(
    "address",
    [
        "http://host.example/a",
        "ftp://host.example/a",
        "file:///etc/passwd",
        "HTTPS://host.example/a",
        "https://host.example",
        "https://host.example/",
        "https://host.example:8443/a",
        "https://host.example:99999/a",
        "https://user@host.example/a",
        "https://@host.example/a",
        "https://host.example/a#b",
        "https://host.example/a/../b",
        "https://host.example/./b",
        "https://host.example/a b",
        "https://host.example\\@other.example/a",
        "https://höst.example/a",
        "https:///a",
        "https://host.example/" + "a" * 255,
        "nobody",
        "",
    ],
)
def test_no_document_is_there(address: str) -> None:
    assert not is_document_address(address)


@pytest.mark.parametrize("address", ["93.184.215.14", "1.1.1.1", "2606:4700::1111", "2a00:1450:4001:830::200e"])
def test_an_address_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.255.255.254", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254"),  # noqa: S104
        *("100.64.0.1", "198.18.0.1", "203.0.113.1", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255"),
        *("::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::169.254.169.254"),
        *("64:ff9b:1::7f00:1", "2002:7f00:1::", "2001::7f00:1", "fe80::1", "fe80::1%lo", "fc00::1", "fd00:ec2::254"),
        *("fec0::1", "ff02::1", "2001:db8::1", "host.example", "1", "0x7f.1", ""),
    ],
)
def test_an_address_is_not_public(address: str) -> None:
    assert not is_public(address)


def resolving(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> list[Any]:
    """Let every host have these addresses, and keep what is connected to; nothing is."""
    tried: list[Any] = []

    def connect(address: Any, *_args: Any, **_kwargs: Any) -> None:
        tried.append(address)
        raise ConnectionRefusedError

    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, 443)) for one in addresses]
    monkeypatch.setattr(fetching.socket, "getaddrinfo", lambda *_args, **_kwargs: found)
    monkeypatch.setattr(fetching.socket, "create_connection", connect)
    return tried


class TestAsking:
    @pytest.mark.parametrize(
        "addresses",
        [["127.0.0.1"], ["169.254.169.254"], ["93.184.215.14", "10.0.0.1"], ["::ffff:10.0.0.1"]],
        ids=lambda addresses: "+".join(addresses),
    )
    def test_nobody_on_this_side_is_asked(self, monkeypatch: pytest.MonkeyPatch, addresses: list[str]) -> None:
        tried = resolving(monkeypatch, *addresses)
        with pytest.raises(Unfetched, match="not public"):
            fetch(ADDRESS)
        assert tried == []

    def test_whoever_was_looked_up_is_asked_and_nobody_else(self, monkeypatch: pytest.MonkeyPatch) -> None:
        tried = resolving(monkeypatch, "93.184.215.14", "93.184.215.15")
        with pytest.raises(Unfetched, match="ConnectionRefusedError"):
            fetch(ADDRESS)
        assert tried == [("93.184.215.14", 443), ("93.184.215.15", 443)]

    def test_a_host_that_nobody_knows(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def unknown(*_args: Any, **_kwargs: Any) -> None:
            raise socket.gaierror("unknown")

        monkeypatch.setattr(fetching.socket, "getaddrinfo", unknown)
        with pytest.raises(Unfetched, match="not known"):
            fetch(ADDRESS)

    def test_a_look_up_that_never_ends_is_given_up(self, monkeypatch: pytest.MonkeyPatch) -> None:
        ended = threading.Event()
        monkeypatch.setattr(fetching, "SECONDS", 0.05)
        monkeypatch.setattr(fetching.socket, "getaddrinfo", lambda *_args, **_kwargs: ended.wait(60))
        try:
            with pytest.raises(Unfetched, match="not known"):
                fetch(ADDRESS)
        finally:
            ended.set()


class Publisher(BaseHTTPRequestHandler):
    """A host of documents; what it answers is told by the path."""

    done: threading.Event
    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        answer = getattr(self, f"_{self.path.strip('/').partition('.')[0]}")
        answer()

    def _agent(self) -> None:
        self._say(json.dumps(DOCUMENT).encode())

    def _moved(self) -> None:
        self.send_response(302)
        self.send_header("Location", "/agent.json")
        self.end_headers()

    def _page(self) -> None:
        self._say(json.dumps(DOCUMENT).encode(), "text/html")

    def _packed(self) -> None:
        self._say(b"\x1f\x8b", encoding="gzip")

    def _large(self) -> None:
        self._say(b" " * 20_000)

    def _list(self) -> None:
        self._say(b"[]")

    def _broken(self) -> None:
        self._say(b'{"client_id": ')

    def _slow(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        # A byte now and then, so that no single wait is long.
        while not self.done.wait(0.02):
            try:
                self.wfile.write(b" ")
            except OSError:
                return

    def _say(self, body: bytes, kind: str = "application/json", encoding: str = "") -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if encoding:
            self.send_header("Content-Encoding", encoding)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of the host, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "host.example")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("host.example")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("certificate") / "host.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM) + private)
    return path


@pytest.fixture
def publisher(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A host of documents at a port of this machine, which stands for a public one; gives what it was asked."""
    Publisher.done, Publisher.asked = threading.Event(), []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Publisher)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    port = server.server_address[1]
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]
    connect = socket.create_connection
    monkeypatch.setattr(fetching.socket, "getaddrinfo", lambda *_args, **_kwargs: found)
    monkeypatch.setattr(fetching.socket, "create_connection", lambda at, time: connect((at[0], port), time))
    monkeypatch.setattr(fetching, "is_public", lambda address: True)
    monkeypatch.setattr(fetching, "_context", lambda: ssl.create_default_context(cafile=certificate))
    try:
        yield Publisher.asked
    finally:
        Publisher.done.set()
        server.shutdown()
        thread.join()
        server.server_close()


class TestReading:
    def test_a_document_is_read(self, publisher: list[str]) -> None:
        assert fetch(ADDRESS) == DOCUMENT

    @pytest.mark.parametrize(
        ("path", "said"),
        [
            ("moved", "302"),
            ("page", "text/html"),
            ("packed", "packed"),
            ("large", "too large"),
            ("list", "no JSON object"),
            ("broken", "no JSON"),
        ],
    )
    def test_what_is_no_document_is_not(self, publisher: list[str], path: str, said: str) -> None:
        with pytest.raises(Unfetched, match=said):
            fetch(f"https://host.example/{path}")
        assert publisher == [f"/{path}"]

    def test_one_that_never_ends_is_given_up(self, publisher: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(fetching, "SECONDS", 0.4)
        # What comes after that much would be too large, and come much later.
        monkeypatch.setattr(fetching, "MOST_BYTES", 200)
        with pytest.raises(Unfetched, match="no JSON"):
            fetch("https://host.example/slow")

    def test_one_of_somebody_else_is_not_taken(self, publisher: list[str]) -> None:
        with pytest.raises(Unfetched, match="SSLCertVerificationError"):
            fetch("https://other.example/agent")
        assert publisher == []


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is published at the address, one answer a reading."""
    answers: list[Any] = []

    def read(client_id: str) -> Any:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(clients, "fetch", read)
    return answers


@pytest.mark.django_db
class TestSigningIn:
    stranger = Stranger(client_id=ADDRESS)

    def test_a_client_comes_in_by_its_document(self, clerk: Client, published: list[Any]) -> None:
        published.append(DOCUMENT)
        stranger = Stranger(client_id=ADDRESS).signed_in(clerk)
        assert stranger.get("/agent/tools").status_code == 200
        stranger.tokens = stranger.refresh().json()
        assert stranger.get("/agent/tools").status_code == 200

    def test_the_page_says_where_it_describes_itself(self, clerk: Client, published: list[Any]) -> None:
        published.append(DOCUMENT)
        text = page_of(clerk, self.stranger.query()).content.decode()
        assert "“Reader”" in text
        assert "It describes itself at host.example." in text

    @pytest.mark.parametrize(
        "document",
        [
            Unfetched("gone"),
            DOCUMENT | {"client_id": "https://other.example/agent.json"},
            {name: value for name, value in DOCUMENT.items() if name != "client_id"},
            DOCUMENT | {"client_secret": "x"},
            DOCUMENT | {"token_endpoint_auth_method": "client_secret_basic"},
            DOCUMENT | {"redirect_uris": ["http://evil.example/"]},
            DOCUMENT | {"grant_types": ["implicit"]},
        ],
        ids=["gone", "another's", "nobody's", "secret", "not public", "redirect", "grant"],
    )
    def test_a_document_that_does_not_fit_is_nobody(self, clerk: Client, published: list[Any], document: Any) -> None:
        published.append(document)
        assert page_of(clerk, self.stranger.query()).status_code == 400
        assert not Application.objects.exists()

    def test_nothing_is_read_for_whoever_is_not_signed_in(self, db: None, published: list[Any]) -> None:
        assert page_of(Client(), self.stranger.query()).status_code == 302
        given = {"grant_type": "authorization_code", "code": "x", "client_id": ADDRESS, "code_verifier": "v" * 64}
        assert form(TOKEN, given).status_code == 401
        assert form("/oauth/revoke", {"token": "x", "client_id": ADDRESS}).status_code == 401

    def test_it_is_read_anew_in_an_hour(self, clerk: Client, published: list[Any]) -> None:
        published.append(DOCUMENT)
        for _ in range(2):
            assert page_of(clerk, self.stranger.query()).status_code == 200
        Application.objects.update(cimd_expires_at=timezone.now())
        published.append(DOCUMENT | {"redirect_uris": ["https://host.example/cb"]})
        assert page_of(clerk, self.stranger.query()).status_code == 400
        Application.objects.update(cimd_expires_at=timezone.now())
        published.append(Unfetched("gone"))
        assert page_of(clerk, self.stranger.query(redirect_uri="https://host.example/cb")).status_code == 400

    def test_what_came_in_stays_in_while_the_document_is_gone(self, clerk: Client, published: list[Any]) -> None:
        published.append(DOCUMENT)
        stranger = Stranger(client_id=ADDRESS).signed_in(clerk)
        Application.objects.update(cimd_expires_at=timezone.now())
        assert stranger.get("/agent/tools").status_code == 200
        assert stranger.refresh().status_code == 200

    def test_no_document_takes_the_place_of_another_client(self, clerk: Client, published: list[Any]) -> None:
        code = self._known_by_hand(clerk)
        published.append(DOCUMENT)
        assert code
        assert Application.objects.get().name == "By hand"
        assert published == [DOCUMENT]

    def _known_by_hand(self, clerk: Client) -> str:
        Application.objects.create(
            client_id=ADDRESS,
            name="By hand",
            redirect_uris=BACK,
            client_type="public",
            authorization_grant_type="authorization-code",
        )
        return code_in(allow(clerk, self.stranger.query()))

    def test_there_are_so_many_a_minute(self, clerk: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[str] = []

        def read(client_id: str) -> Any:
            asked.append(client_id)
            raise Unfetched("gone")

        monkeypatch.setattr(clients, "fetch", read)
        monkeypatch.setattr(clients, "DOCUMENTS_A_MINUTE", 2)
        addresses = [f"https://host.example/{number}" for number in range(3)]
        told = [page_of(clerk, self.stranger.query(client_id=address)).status_code for address in addresses]
        assert told == [400, 400, 429]
        assert asked == addresses[:2]

    def test_a_site_may_read_none(self, clerk: Client, published: list[Any], settings: Any) -> None:
        settings.READ_TARGETS = settings.READ_TARGETS | {"CLIENT_DOCUMENTS": False}
        assert page_of(clerk, self.stranger.query()).status_code == 400
        told: Callable[[], Any] = lambda: Client().get("/.well-known/oauth-authorization-server").json()  # noqa: E731
        assert told()["client_id_metadata_document_supported"] is False
