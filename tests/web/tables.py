"""A table for the page that only notes what is wished, and a site on a real port to go with it."""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar, cast

import httpx
import pytest
from argon2 import PasswordHasher

from croupier.commands import Command
from croupier.journal import Journal
from croupier.networks import Network
from croupier.table_api.live_table import (
    AppealRequest,
    CameraOrder,
    CameraRequest,
    CameraView,
    ChangeSettings,
    ClipRequest,
    LiveTableState,
    OpenHands,
    PileClip,
    PileVerdict,
    Request,
    Settings,
    SettingsAnswer,
    TableOffers,
    done,
)
from croupier.web import addresses, worker_process
from croupier.web.accounts import Accounts, Person
from croupier.web.picture_reader import PictureReader
from croupier.web.serving import WebServer, serve_in_thread
from tests.patience import PATIENCE_S
from tests.vision.network_cameras import gray_jpeg

T = TypeVar("T")

PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For clients of plain HTTP, which otherwise read the certificates of all authorities: longer than a request takes."""

QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
"""So weak a hash is for tests alone."""


_PILE = ((100.0, 80.0), (140.0, 80.0), (140.0, 120.0), (100.0, 120.0))
CAMERA_VIEW = CameraView(
    jpeg=gray_jpeg(90), size=(320, 240), cards=(("red 7", _PILE),), pile=_PILE,
    seats=(("Ann", (160.0, 220.0)), ("Ben", (20.0, 120.0))), cameras=(("usb:0", "Webcam <1>"), ("none", "")),
    source="usb:0", notes=("On the pile: red 7.",), is_saved=False,
)  # fmt: skip
"""The page Camera of this table: its picture is gray."""


@dataclass
class RecordingTable:
    """A `LiveTable`."""

    game: int = 1
    is_simulation: bool = True
    candidates: tuple[str, ...] = ()
    sightings: tuple[tuple[float, tuple[str, ...]], ...] = ()
    faults: tuple[str, ...] = ("jam",)
    alarms: tuple[tuple[str, str], ...] = ()
    seen: tuple[str, ...] = ()
    has_camera: bool = True
    has_shoe: bool = True
    may_start_game: bool = False
    can_set_up_camera: bool = False
    language: str = "en"
    theme: str = "auto"
    no_call: str = "at-once"
    settings: Settings | None = None
    receipts: str | None = None
    offers: TableOffers | None = None
    plugins: tuple[tuple[str, Any], ...] = ()
    open_hands: OpenHands | None = None
    picture: bytes | None = b"\xff\xd8 a picture"
    commands: list[Command] = field(default_factory=list)
    orders: list[CameraOrder] = field(default_factory=list)
    clip: PileClip | None = None
    clips: list[tuple[float, float]] = field(default_factory=list)
    verdict: PileVerdict | None = None
    appeals: list[float] = field(default_factory=list)
    view: CameraView | None = CAMERA_VIEW
    changes: list[ChangeSettings] = field(default_factory=list)
    answer: SettingsAnswer | None = field(default_factory=SettingsAnswer)
    writes: bool = True
    unwritten: list[Future[None]] = field(default_factory=list)

    @property
    def state(self) -> LiveTableState:
        return LiveTableState(*(getattr(self, one.name) for one in fields(LiveTableState)))

    def ask(self, request: Request[T]) -> T | None:
        return cast("T | None", self._answer(request))

    def _answer(self, request: Request[Any]) -> object:
        match request:
            case CameraRequest():
                return self.picture
            case ClipRequest(t=t, until=until):
                self.clips.append((t, until))
                return self.clip
            case AppealRequest(t=t):
                self.appeals.append(t)
                return self.verdict
            case CameraOrder():
                self.orders.append(request)
                return self.view
            case ChangeSettings():
                self.changes.append(request)
                return self.answer
            case _:
                raise AssertionError(request)

    def submit(self, command: Command) -> Future[None]:
        self.commands.append(command)
        if self.writes:
            return done()
        self.unwritten.append(Future())
        return self.unwritten[-1]


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
        client = httpx.Client(base_url=self.server.url, timeout=PATIENCE_S, verify=PLAIN)
        self.clients.append(client)
        if person is not None:
            answer = client.post("login", data={"code": self.accounts.new_code(person)})
            assert answer.status_code == 303
        return client

    def code(self, seat: int) -> str:
        """The code of a seat, as the admin's page shows it; for pages that are `reached`."""
        return str(re.findall(r"/join/([\w-]+)", self.host().get("people").text)[seat])

    def host(self) -> httpx.Client:
        """An admin's browser that came in before: codes stay as they are."""
        self.accounts.open("host", Person("admin"))
        client = self.client()
        client.cookies.set("croupier", "host")
        return client

    def last_line(self, game: int = 1) -> int:
        """The number of the newest line of a game, which its page shows; its header is line 0."""
        return len(list(self.journal.lines(game))) - 1

    def write(self, *lines: str) -> None:
        """Go on with the game that is played."""
        self.journal.append(self.table.game, *map(json.loads, lines))
        self.server.ring()


@contextmanager
def reached() -> Iterator[None]:
    """Sites that are started meanwhile have an address for phones: the one that this machine has for itself."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (addresses, worker_process):
            patch.setattr(module, "networks_at", lambda _host: (Network("lo", ("127.0.0.1",)),))
        yield


@contextmanager
def page(folder: Path, *games: tuple[str, ...], live: int = 1) -> Iterator[Page]:
    """A site of these games; the one with the number ``live`` is played at."""
    path = folder / "croupier.journal"
    table, accounts = RecordingTable(live), Accounts(hasher=QUICK)
    with Journal(path) as journal:
        for lines in games:
            journal.add(lines, began=1.7e9)
        reader = PictureReader()
        with serve_in_thread(path, accounts, table, port=0, own={PictureReader: reader}) as up:
            made = Page(up, table, accounts, journal)
            yield made
            for client in made.clients:
                client.close()
            reader.close()
