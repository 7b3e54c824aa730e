"""What the tests of page commands share: their code, their page, its people, and how these speak to the site."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from project.demo.factory.models import Conversation
from read_targets.agent.tokens import create_token
from read_targets.models import AgentToken

from .acting import code
from .desk import RIGHTS, Desk, conversation, declare_desk, hire, permission
from .office import Office, office_in
from .tab import Agent, Browser, Tab
from .wires import InProcess


@pytest.fixture
def acting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Register the code of the tests, and wait for no receipt: no tab looks while the one process answers."""
    monkeypatch.setenv(code.FOLDER, str(tmp_path))
    monkeypatch.setattr("page_commands.running.RECEIPT_SECONDS", 0.0)
    monkeypatch.setattr("page_commands.tools.RECEIPT_SECONDS", 0.0)
    code.seen.clear()
    code.given.clear()
    code.register()
    yield
    code.take_back()


@dataclass
class Person:
    """A person of the tests, their browsers and their agents, all within this process."""

    user: User

    def browser(self) -> Browser:
        """A browser in which they are signed in; each is another sign-in."""
        return Browser(InProcess().sign_in(self.user), self.user.pk)

    def open(self, page: str = "tests.desk") -> Tab:
        """The page, open in a browser of its own."""
        return self.browser().open(page)

    def agent(self, name: str = "Robot", *, may_act: bool = True) -> Agent:
        """An agent with a token of theirs."""
        return Agent(InProcess(), create_token(self.user, name, may_act=may_act)[1])

    def token(self) -> AgentToken:
        """Their newest token."""
        return AgentToken.objects.filter(user=self.user).latest("pk")

    def loses(self, right: str) -> None:
        """Take a right away that they hold everywhere."""
        self.user.user_permissions.remove(permission(right))

    def gains(self, right: str) -> None:
        """Give them a right everywhere."""
        self.user.user_permissions.add(permission(right))


@pytest.fixture
def desk(db: None, acting: None) -> Desk:
    """The page of the tests, without commands."""
    return declare_desk()


@pytest.fixture
def mina(desk: Desk) -> Person:
    """A person who may run every command, and view and change every conversation and project."""
    return Person(hire("mina", *RIGHTS))


@pytest.fixture
def other(desk: Desk) -> Person:
    """Another person, with the same rights."""
    return Person(hire("other", *RIGHTS))


@pytest.fixture
def tab(mina: Person) -> Tab:
    """The page, open in a tab of Mina's."""
    return mina.open()


@pytest.fixture
def robot(mina: Person) -> Agent:
    """Mina's agent, which may act."""
    return mina.agent()


@pytest.fixture
def talk(db: None) -> Conversation:
    """A conversation."""
    return conversation()


@pytest.fixture
def german(desk: Desk) -> Person:
    """A person who reads German."""
    return Person(hire("greta", *RIGHTS, language="de"))


@pytest.fixture
def korean(desk: Desk) -> Person:
    """A person who reads Korean."""
    return Person(hire("kim", *RIGHTS, language="ko"))


@pytest.fixture(scope="session")
def two_offices(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    """Two real servers with the page of the tests, for all tests that need them."""
    with office_in(tmp_path_factory.mktemp("office")) as office:
        yield office


@pytest.fixture
def office(two_offices: Office) -> Office:
    """Two real servers, of which nothing was asked yet."""
    two_offices.clean()
    return two_offices
