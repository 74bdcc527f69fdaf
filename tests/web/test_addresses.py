"""How people find the page: its address in the network, a code that phones read, a name that is announced."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import cv2
import httpx
import numpy as np
import pytest

from croupier import installer, plugins
from croupier.config import read
from croupier.journal import Journal
from croupier.networks import LOOK_S, Network, NetworkWatch, networks_at
from croupier.runtime.page import Invitation
from croupier.web.accounts import Accounts
from croupier.web.addresses import AddressReport, NetworkAddress, PageAddresses, mdns_names
from croupier.web.middleware import OriginMiddleware
from croupier.web.serving import WebServer, create_app, site
from tests.journal.games import game_lines
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


WLAN = Network("wlan0", ("192.0.2.7", "fd00::7"), "wlan")
HOTSPOT = Network("wlan1", ("10.42.0.1",), "wlan")
DOCKER = Network("docker0", ("172.17.0.1",), doubt="internal")
UNPLUGGED = Network("eth0", ("192.168.1.5",), "cable", "down")
FOR_PHONES = PageAddresses(8300, (WLAN,))


def test_what_listens_for_this_machine_alone_is_reached_by_nobody_else() -> None:
    with listening(HERE) as door:
        assert PageAddresses.of(door).best is None


def test_what_listens_for_everybody_is_reached_in_each_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("croupier.networks.own_networks", lambda: (WLAN, HOTSPOT, DOCKER))
    with listening("0.0.0.0") as door:
        addresses, port = PageAddresses.of(door), door.getsockname()[1]
    assert addresses.best == NetworkAddress(f"http://192.0.2.7:{port}/")
    assert addresses.in_network_of("10.42.0.1") == NetworkAddress(f"http://10.42.0.1:{port}/")
    assert addresses.in_network_of("fd00::7") == NetworkAddress(f"http://[fd00::7]:{port}/")
    assert addresses.in_network_of("203.0.113.9") == addresses.best  # an address that somebody made up
    monkeypatch.setattr("croupier.networks.own_networks", lambda: (DOCKER, UNPLUGGED))
    with listening("0.0.0.0") as door:
        assert PageAddresses.of(door).best is None


def test_what_listens_at_one_address_is_reached_there_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("croupier.networks.own_networks", lambda: (WLAN, HOTSPOT))
    assert networks_at("fd00::7") == (replace(WLAN, addresses=("fd00::7",)),)
    assert networks_at("192.0.2.99") == (Network("", ("192.0.2.99",)),)
    assert networks_at("fe80::1%wlan0") == networks_at("::1") == ()


def test_networks_are_looked_for_again_when_it_is_time() -> None:
    found = [(WLAN,), (WLAN,), (WLAN, HOTSPOT)]
    watch = NetworkWatch(lambda: found.pop(0))
    assert watch.look(100.0)
    assert not watch.look(100.0 + LOOK_S - 0.1)
    assert len(found) == 2  # it was not time
    assert not watch.look(100.0 + LOOK_S)
    assert watch.look(100.0 + 2 * LOOK_S)
    assert watch.networks == (WLAN, HOTSPOT)


def told(addresses: PageAddresses, *later: tuple[Network, ...], with_code: bool = False) -> list[str]:
    """What the terminal tells, first and after each change of the networks."""
    lines: list[str] = []
    report = AddressReport(addresses, lambda text, _style: lines.append(text), with_code=with_code)
    report.print_new()
    for networks in later:
        addresses.networks = networks
        report.print_new()
    return lines


def test_the_terminal_tells_all_networks_and_which_are_hardly_for_phones() -> None:
    both = PageAddresses(8300, (WLAN, HOTSPOT, DOCKER, UNPLUGGED))
    assert told(both, with_code=True) == [
        "In the network Wi-Fi (wlan0) it is at http://192.0.2.7:8300/",
        "or at http://[fd00::7]:8300/",
        *NetworkAddress("http://192.0.2.7:8300/").qr_lines(),
        "In the network Wi-Fi (wlan1) it is at http://10.42.0.1:8300/",
        *NetworkAddress("http://10.42.0.1:8300/").qr_lines(),
        f"Hardly for phones: docker0: {DOCKER.why_not}; cable (eth0): not connected",
    ]


def test_the_terminal_tells_when_a_network_comes_or_goes() -> None:
    assert told(PageAddresses(8300), (HOTSPOT,), (HOTSPOT,), (UNPLUGGED,)) == [
        "In the network Wi-Fi (wlan1) it is at http://10.42.0.1:8300/",
        "Wi-Fi (wlan1): the page can no longer be opened there",
        "No phone can open the page now: cable (eth0): not connected",
    ]


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

    def board(known: PageAddresses | None, host: str = "localhost") -> str:
        return got(
            OriginMiddleware(create_app(site(path, Accounts(hasher=QUICK), RecordingTable(), known)), ["localhost"]),
            "/games/1/board",
            host,
        ).text

    assert "192.0.2.7:8300" in board(FOR_PHONES)
    assert NetworkAddress(ADDRESS).svg in board(FOR_PHONES)
    assert "/phones" not in board(FOR_PHONES)
    assert 'class="reach"' not in board(None)
    # Whoever opens it in one of several networks sees the codes of that network, and that there are others.
    both, here = PageAddresses(8300, (WLAN, HOTSPOT)), NetworkAddress("http://10.42.0.1:8300/")
    assert NetworkAddress(ADDRESS).svg in board(both)
    assert here.svg in board(both, "10.42.0.1:8300")
    assert '<a href="/phones">Wi-Fi (wlan1)</a>' in board(both, "10.42.0.1:8300")


def test_a_page_has_the_code_of_each_network(tmp_path: Any) -> None:
    path = tmp_path / "croupier.journal"
    Journal(path).close()

    def page(*networks: Network) -> str:
        known = PageAddresses(8300, networks)
        table = RecordingTable(is_simulation=False)
        return got(create_app(site(path, Accounts(hasher=QUICK), table, known)), "/phones").text

    shown = page(WLAN, HOTSPOT, DOCKER)
    for url in (ADDRESS, "http://10.42.0.1:8300/"):
        assert NetworkAddress(url).svg in shown
    assert "http://[fd00::7]:8300/" in shown
    assert "docker0: only for containers and virtual machines on this machine – http://172.17.0.1:8300/" in shown
    assert "in no network" in page(UNPLUGGED)
    assert "0.0.0.0" in page()


@pytest.mark.parametrize(
    ("host", "status"), [("croupier.local:8300", 200), ("croupier-2.local", 200), ("x.local", 421)]
)
def test_the_page_answers_to_its_name_and_to_no_other(host: str, status: int) -> None:
    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    names = [f"{name}.local" for name in mdns_names("croupier")]
    assert got(OriginMiddleware(app, names), "/", host).status_code == status


# -- what a running table tells ----------------------------------------------------------------------------------


def invited(text: str, reach: PageAddresses, *, with_code: bool = False) -> list[str]:
    lines: list[str] = []
    up = cast(WebServer, SimpleNamespace(url="http://127.0.0.1:8300/", addresses=reach))
    invite = Invitation(read(text), up, lambda line, _style: lines.append(line), with_code=with_code)
    invite()
    invite.close()
    return lines


def test_a_table_tells_where_its_page_is() -> None:
    only = PageAddresses(8300, (Network("wlan0", ("192.0.2.7",), "wlan"),))
    assert invited("", PageAddresses(8300)) == ["The page is at http://127.0.0.1:8300/"]
    assert invited("", only)[1:] == [f"On your network it is at {ADDRESS}"]
    assert invited("", only, with_code=True)[2:] == list(NetworkAddress(ADDRESS).qr_lines())


def test_a_name_that_cannot_be_announced_holds_up_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_network(*_: object) -> None:
        raise OSError("no such network")

    monkeypatch.setattr("croupier_extras.mdns.announcement", no_network)
    lines = invited('[page]\nname = "croupier"\n', PageAddresses(8300, (WLAN, HOTSPOT)))
    assert lines.count("The name croupier.local could not be announced: no such network") == 1


def test_a_table_without_what_announces_its_name_tells_its_addresses_and_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(plugins, "_entries", lambda group: {})
    monkeypatch.setattr(installer, "_way", lambda prefix: ("pip", ""))
    lines = invited('[page]\nname = "croupier"\n', PageAddresses(8300, (WLAN,)), with_code=True)
    why = "mdns is not installed here: pip install 'croupier[table]'"
    assert f"The name croupier.local could not be announced: {why}" in lines
    assert f"On your network it is at {ADDRESS}" in lines
    assert lines[-len(code := NetworkAddress(ADDRESS).qr_lines()) :] == list(code)
