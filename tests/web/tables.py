"""A table for the page that only notes what is wished, and a site on a real port to go with it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path

import httpx
from argon2 import PasswordHasher

from croupier.commands import Command, Loudness
from croupier.journal import Journal
from croupier.web.accounts import Accounts, Person
from croupier.web.live_table import LiveTableState
from croupier.web.serving import WebServer, serve_in_thread
from tests.patience import PATIENCE_S

QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
"""So weak a hash is for tests alone."""


@dataclass
class RecordingTable:
    """A `LiveTable`."""

    game: int = 1
    is_simulation: bool = True
    candidates: tuple[str, ...] = ()
    faults: tuple[str, ...] = ("jam",)
    loudness: Loudness | None = None
    alarms: tuple[tuple[str, str], ...] = ()
    has_camera: bool = True
    has_shoe: bool = True
    may_start_game: bool = False
    picture: bytes | None = b"\xff\xd8 a picture"
    commands: list[Command] = field(default_factory=list)

    @property
    def state(self) -> LiveTableState:
        return LiveTableState(*(getattr(self, one.name) for one in fields(LiveTableState)))

    def camera_jpeg(self) -> bytes | None:
        return self.picture

    def submit(self, command: Command) -> None:
        self.commands.append(command)


@dataclass
class Page:
    """A site that is up, its table, and its journal to write into."""

    server: WebServer
    table: RecordingTable
    accounts: Accounts
    journal: Journal
    clients: list[httpx.Client] = field(default_factory=list)

    def client(self, person: Person | None = None) -> httpx.Client:
        """A browser without a screen; ``person`` has come in with a code."""
        client = httpx.Client(base_url=self.server.url, timeout=PATIENCE_S)
        self.clients.append(client)
        if person is not None:
            answer = client.post("login", data={"code": self.accounts.new_code(person)})
            assert answer.status_code == 303
        return client

    def write(self, *lines: str) -> None:
        """Go on with the game that is played."""
        self.journal.append(self.table.game, *map(json.loads, lines))
        self.server.ring()


@contextmanager
def page(folder: Path, *games: tuple[str, ...], live: int = 1) -> Iterator[Page]:
    """A site of these games; the one with the number ``live`` is played at."""
    path = folder / "croupier.journal"
    table, accounts = RecordingTable(live), Accounts(hasher=QUICK)
    with Journal(path) as journal:
        for lines in games:
            journal.add(lines, began=1.7e9)
        with serve_in_thread(path, accounts, table, port=0) as up:
            made = Page(up, table, accounts, journal)
            yield made
            for client in made.clients:
                client.close()
