"""How people find the page: its address in the network, a code that phones read, a name that is announced."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from types import SimpleNamespace
from typing import Any, cast

import cv2
import httpx
import numpy as np
import pytest
from zeroconf import IPVersion, ServiceBrowser, Zeroconf

from croupier.config import read
from croupier.journal import Journal
from croupier.runtime.page import invitation
from croupier.web import addresses as reaching
from croupier.web.accounts import Accounts
from croupier.web.addresses import (
    SERVICE,
    NetworkAddress,
    mdns_announcement,
    mdns_names,
    network_address,
    service_label,
)
from croupier.web.middleware import OriginMiddleware
from croupier.web.serving import WebServer, create_app, site
from tests.journal.games import game_lines
from tests.longer import some
from tests.patience import PATIENCE_S
from tests.web.tables import QUICK, RecordingTable

ADDRESS = "http://192.0.2.7:8300/"
HERE = "127.0.0.1"


def got(app: Any, path: str, host: str = "localhost") -> httpx.Response:
    """What a site without a port answers."""

    async def ask() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=f"http://{host}") as client:
            return await client.get(path)

    return asyncio.run(ask())


@contextmanager
def listening(host: str) -> Iterator[socket.socket]:
    with socket.socket() as door:
        door.bind((host, 0))
        yield door


def test_what_listens_for_this_machine_alone_is_reached_by_nobody_else() -> None:
    with listening(HERE) as door:
        assert network_address(door) is None


def test_what_listens_for_everybody_is_reached_at_this_machines_own_address(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening("0.0.0.0") as door:
        port = door.getsockname()[1]
        monkeypatch.setattr(reaching, "own_address", lambda: "192.168.1.5")
        assert network_address(door) == NetworkAddress(f"http://192.168.1.5:{port}/")
        monkeypatch.setattr(reaching, "own_address", lambda: "")
        assert network_address(door) is None


def test_a_phone_reads_the_code_of_the_terminal() -> None:
    upper, lower = {"█": 1, "▀": 1, "▄": 0, " ": 0}, {"█": 1, "▀": 0, "▄": 1, " ": 0}
    rows = [[half[one] for one in line] for line in NetworkAddress(ADDRESS).qr_lines() for half in (upper, lower)]
    image = np.kron(np.array(rows, np.uint8) * 255, np.ones((8, 8), np.uint8))
    told, *_ = cv2.QRCodeDetector().detectAndDecode(image)
    assert told == ADDRESS


def test_the_big_screen_shows_address_and_code_where_phones_can_come(tmp_path: Any) -> None:
    path = tmp_path / "croupier.journal"
    with Journal(path) as journal:
        journal.add(game_lines(), began=0.0)

    def board(known: NetworkAddress | None) -> str:
        return got(
            create_app(site(path, Accounts(hasher=QUICK), RecordingTable(), known)),
            "/games/1/board",
        ).text

    assert "192.0.2.7:8300" in board(NetworkAddress(ADDRESS))
    assert NetworkAddress(ADDRESS).svg in board(NetworkAddress(ADDRESS))
    assert 'class="reach"' not in board(None)


@pytest.mark.parametrize(
    ("host", "status"), [("croupier.local:8300", 200), ("croupier-2.local", 200), ("x.local", 421)]
)
def test_the_page_answers_to_its_name_and_to_no_other(host: str, status: int) -> None:
    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    names = [f"{name}.local" for name in mdns_names("croupier")]
    assert got(OriginMiddleware(app, names), "/", host).status_code == status


# -- the name in the network, by a real browser of it ----------------------------------------------------------------


class Neighbor:
    """Another machine in the network, which looks what services there are."""

    def __init__(self) -> None:
        self.network = Zeroconf(interfaces=[HERE], ip_version=IPVersion.V4Only)
        self.came, self.went = Event(), Event()
        self.name = ""
        self._browser = ServiceBrowser(self.network, SERVICE, cast(Any, self))

    def add_service(self, _network: Zeroconf, _kind: str, name: str) -> None:
        if name.startswith("Adler"):
            self.name = name
            self.came.set()

    def remove_service(self, _network: Zeroconf, _kind: str, name: str) -> None:
        if name.startswith("Adler"):
            self.went.set()

    def update_service(self, _network: Zeroconf, _kind: str, _name: str) -> None: ...


@pytest.fixture
def neighbor() -> Iterator[Neighbor]:
    made = Neighbor()
    yield made
    made.network.close()


@pytest.mark.long
def test_the_name_is_announced_and_taken_back(neighbor: Neighbor) -> None:
    with mdns_announcement("croupier-of-a-test", 8300, "Adler", (HERE,), interfaces=(HERE,)) as announced:
        assert neighbor.came.wait(PATIENCE_S)
        info = neighbor.network.get_service_info(SERVICE, neighbor.name, timeout=int(PATIENCE_S * 1000))
        assert info is not None
        assert (info.server, info.port, info.parsed_addresses()) == ("croupier-of-a-test.local.", 8300, [HERE])
        assert announced == "croupier-of-a-test"
        # Another table of that name, with another address, takes the next one.
        with mdns_announcement("croupier-of-a-test", 8301, "Adler", ("127.0.0.2",), interfaces=(HERE,)) as other:
            assert other == "croupier-of-a-test-2"
    assert neighbor.went.wait(PATIENCE_S)


@pytest.mark.parametrize(
    "name", some(["Ω" * 47, "x" * 100, "a.b", "🂡" * 30], 4), ids=["Greek", "long", "dots", "4 bytes"]
)
def test_a_table_of_any_name_is_announced(name: str) -> None:
    """A label holds 63 bytes: 47 Greek letters took the page down."""
    assert len(service_label(name).encode()) <= 60
    with mdns_announcement("croupier-of-a-test", 8300, name, (HERE,), interfaces=(HERE,)) as announced:
        assert announced == "croupier-of-a-test"


# -- what a running table tells ----------------------------------------------------------------------------------


def invited(text: str, reach: NetworkAddress | None, *, with_code: bool = False) -> list[str]:
    told: list[str] = []
    up = cast(WebServer, SimpleNamespace(url="http://127.0.0.1:8300/", network_address=reach))
    with invitation(read(text), up, lambda line, _style: told.append(line), with_code=with_code):
        return told


def test_a_table_tells_where_its_page_is() -> None:
    assert invited("", None) == ["The page is at http://127.0.0.1:8300/"]
    assert invited("", NetworkAddress(ADDRESS))[1:] == [f"On your network it is at {ADDRESS}"]
    assert invited("", NetworkAddress(ADDRESS), with_code=True)[2:] == list(NetworkAddress(ADDRESS).qr_lines())


def test_a_name_that_cannot_be_announced_holds_up_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_network(*_: object) -> None:
        raise OSError("no such network")

    monkeypatch.setattr("zeroconf.Zeroconf", no_network)
    monkeypatch.setattr("croupier.web.addresses.mdns_announcement", no_network)
    told = invited('[page]\nname = "croupier"\n', NetworkAddress(ADDRESS))
    assert told[-1] == "The name croupier.local could not be announced: no such network"
