"""The page in the networks of strange houses: hotspot, IPv6 only, several networks, ones that come and go. The program
runs on one machine; phones are others, each in one network; nobody has DNS."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from threading import Thread

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import Playwright

from tests.first_evening.guests import scanned
from tests.first_evening.house import HOTSPOT, HOUSE, ULA, Home, browser_on, joined
from tests.longer import few
from tests.namespaces import Machine, World, add_address
from tests.patience import PATIENCE_S
from tests.web.chromium import needs_chromium

pytestmark = pytest.mark.long


GLOBAL = Home("wlan0", ("2001:db8:42::1/64",), ("2001:db8:42::7/64",))
BOTH = Home("wlan0", (*HOTSPOT.table, *ULA.table, *GLOBAL.table), (*HOTSPOT.phone, *ULA.phone, *GLOBAL.phone))
SITUATIONS = {
    "hotspot": (HOTSPOT,),
    "IPv6-own-prefix": (ULA,),
    "both-families": (BOTH,),
    "house-and-hotspot": (HOUSE, HOTSPOT),
    "IPv6-global": (GLOBAL,),
    "house-and-IPv6": (HOUSE, ULA),
}


class Table:
    """`croupier host` on a machine. ``url``: of the page there."""

    def __init__(self, machine: Machine, program: subprocess.Popen[str]) -> None:
        self.machine, self._program = machine, program
        self.said: list[str] = []
        self._lines = Queue[str]()
        Thread(target=self._listen, daemon=True).start()
        self.url = self.until(r"The page is at (\S+)")

    def _listen(self) -> None:
        assert self._program.stdout is not None
        for line in self._program.stdout:
            self._lines.put(line)

    def until(self, pattern: str) -> str:
        """Read until a line has this pattern; its first group."""
        while not (found := re.search(pattern, line := self._lines.get(timeout=PATIENCE_S))):
            self.said.append(line)
        self.said.append(line)
        return found[found.re.groups and 1]


@contextmanager
def hosted(machine: Machine, folder: Path, *options: str, config: str = "") -> Iterator[Table]:
    """A table on a machine. ``config``: lines for its file."""
    file = folder / "croupier.toml"
    file.write_text(f'{config}\n[page]\naddress = "0.0.0.0"\n' if "[page]" not in config else config)
    words = (sys.executable, "-m", "croupier", "host", "Ann", "Ben", "--no-browser", "--config", str(file), *options)
    environment = {**os.environ, "LANG": "C", "PYTHONUNBUFFERED": "1"}
    with machine.start(*words, env=environment, stderr=subprocess.STDOUT) as program:
        table = Table(machine, program)
        try:
            yield table
        finally:
            program.send_signal(signal.SIGTERM)
            program.wait(PATIENCE_S)


def logged_in(tab: Tab, up: Table) -> str:
    """The admin's cookie, after a login with the code that the first start has printed."""
    (code,) = re.findall(r"shown only this once: (\S+)", "\n".join(up.said))
    tab.goto(f"{up.url}login")
    tab.locator("[name=code]").fill(code)
    tab.locator("[name=code]").press("Enter")
    tab.wait_for_url("**/games/1")
    (session,) = [one for one in tab.context.cookies() if one.get("name") == "croupier"]
    return f"croupier={session.get('value')}"


@needs_chromium
@pytest.mark.parametrize("homes", few([pytest.param(homes, id=name) for name, homes in SITUATIONS.items()], 3))
def test_the_code_of_each_network_is_reached_by_a_phone_there(
    homes: tuple[Home, ...], world: World, playwright: Playwright, tmp_path: Path
) -> None:
    table = world.machine("table")
    phones = [joined(world, table, home).phone for home in homes]
    with hosted(table, tmp_path, "--camera", "none") as up, browser_on(table, playwright, tmp_path) as browser:
        tab = browser.new_page(viewport={"width": 1920, "height": 1080})
        told = [up.until(r"it is at (\S+)") for _home in homes]
        tab.goto(f"{up.url}phones")
        *codes, screen = [scanned(code) for code in tab.locator(".qr").all()]
        assert codes == told
        assert screen == f"{told[0]}board"
        assert phones[0].fetch(screen).status == 200
        admin = logged_in(tab, up)
        for home, phone, code in zip(homes, phones, codes, strict=True):
            assert any(address.partition("/")[0] in code for address in home.table)
            assert "Croupier" in phone.fetch(code).text
            # The big screen, opened there by an admin, has codes that work there.
            assert "/join/" not in phone.fetch(f"{code}games/1/board").text
            board = phone.fetch(f"{code}games/1/board", cookie=admin).text
            seats = sorted(set(re.findall(r'href="([^"]*/join/[^"]*)"', board)))
            assert len(seats) == 2
            assert all(seat.startswith(code) for seat in seats)
            assert 'name="name"' in phone.fetch(seats[0]).text
        # Each other address that is listed, too.
        for address in homes[0].table:
            host = address.partition("/")[0]
            assert phones[0].fetch(f"http://{f'[{host}]' if ':' in host else host}:8300/").status == 200
        # On the screen of the table itself, the likeliest one.
        tab.context.clear_cookies()
        tab.goto(f"{up.url}games/1/board")
        tab.wait_for_selector("body.is-still")  # without the menu above the code
        assert scanned(tab.locator("#reach [role=img]")) == told[0]


def test_a_network_that_comes_or_goes_is_told_and_reached(world: World, tmp_path: Path) -> None:
    table = world.machine("table")
    with hosted(table, tmp_path, "--camera", "none") as up:
        hotspot = joined(world, table, HOTSPOT)  # a hotspot that starts after the program
        code = up.until(r"it is at (\S+)")
        assert code == "http://10.42.0.1:8300/"
        assert hotspot.phone.fetch(code).status == 200
        assert code in table.fetch(f"{up.url}phones").text
        hotspot.network.unplug(table, "wlan0")
        up.until("wlan0: the page can no longer be opened there")
        up.until("No phone can open the page now: wlan0: not connected")
        assert "in no network in which a phone" in table.fetch(f"{up.url}phones").text
        hotspot.network.plug(table, "wlan0")
        assert up.until(r"it is at (\S+)") == code
        assert hotspot.phone.fetch(code).status == 200


def test_addresses_that_a_browser_cannot_open_or_that_end_soon_are_not_told(world: World) -> None:
    table, house = world.machine("table"), world.network()
    house.join(table, "eth0", "169.254.7.7/16", "fd00::5/64")
    table.run("ip", "address", "add", "fd00::99/64", "dev", "eth0", "nodad", "preferred_lft", "0", "valid_lft", "3600")
    house.join(table, "eth1", "169.254.8.8/16")
    house.join(table, "eth2", "192.168.1.9/24")
    house.unplug(table, "eth2")
    found = table.run(sys.executable, "-c", "from croupier.networks import own_networks\nfor one in own_networks(): "
                      "print(one.interface, *one.addresses, one.doubt)").splitlines()  # fmt: skip
    assert [line.strip() for line in found] == [
        "eth0 fd00::5 169.254.7.7", "eth1 169.254.8.8 self-assigned", "eth2 192.168.1.9 down",
    ]  # fmt: skip


def test_networks_without_phones_are_told_with_the_reason(world: World, tmp_path: Path) -> None:
    table, house = world.machine("table"), world.network()
    table.run("ip", "link", "add", "docker0", "type", "bridge")
    table.run("ip", "link", "set", "docker0", "up")
    add_address(table, "docker0", "172.17.0.1/16")
    house.join(table, "eth0")  # which has a link-local address of IPv6 alone
    table.run("ip", "link", "set", "eth0", "addrgenmode", "none")
    add_address(table, "eth0", "fe80::5/64")
    with hosted(table, tmp_path, "--camera", "none") as up:
        up.until("No phone can open the page now: docker0: only for containers and virtual machines on this machine; "
                 "eth0: only a link-local address, which browsers do not open")  # fmt: skip


_RESOLVE = """
import sys
from zeroconf import AddressResolver, IPVersion, Zeroconf

network = Zeroconf(ip_version=IPVersion.All)
query = AddressResolver("croupier.local.")
query.request(network, 20000)
print(*sorted(query.parsed_addresses()))
network.close()
"""


@pytest.mark.parametrize("homes", [(HOUSE, HOTSPOT), (ULA,), (BOTH,)], ids=["two-networks", "IPv6", "both-families"])
def test_the_name_is_answered_in_each_network_with_the_addresses_there(
    homes: tuple[Home, ...], world: World, tmp_path: Path
) -> None:
    table = world.machine("table")
    phones = [joined(world, table, home).phone for home in homes]
    config = '[page]\naddress = "0.0.0.0"\nname = "croupier"\n'
    with hosted(table, tmp_path, "--camera", "none", config=config) as up:
        assert up.until(r"and at (\S+)") == "http://croupier.local:8300/"
        for home, phone in zip(homes, phones, strict=True):
            known = phone.run(sys.executable, "-c", _RESOLVE).split()
            assert known == sorted(address.partition("/")[0] for address in home.table)
            host = known[-1]
            url = f"http://{f'[{host}]' if ':' in host else host}:8300/"
            assert phone.fetch(url, Host="croupier.local:8300").status == 200


@pytest.mark.parametrize("first", [HOTSPOT, ULA], ids=["IPv4", "IPv6"])
def test_the_certificate_of_the_phones_camera_holds_for_an_address_that_comes_later(
    first: Home, world: World, tmp_path: Path
) -> None:
    table = world.machine("table")
    phone = joined(world, table, first).phone
    certificate = tmp_path / "own.pem"
    config = f'[camera]\ncertificate = "{certificate}"\n'
    with hosted(table, tmp_path, "--camera", "phone", config=config) as up:
        before = first.table[0].partition("/")[0]
        url = f"https://{f'[{before}]' if ':' in before else before}:8443/"
        assert "camera" in phone.fetch(url, ca=str(certificate)).text
        old = certificate.read_bytes()
        add_address(table, first.interface, "192.168.7.5/24")
        add_address(phone, "wlan0", "192.168.7.7/24")
        up.until(r"192\.168\.7\.5")
        while certificate.read_bytes() == old:
            phone.fetch(url)  # takes its time
        # The page may have renewed it: the camera's process has it at its next look.
        while (told := phone.fetch("https://192.168.7.5:8443/", ca=str(certificate))).status != 200:
            assert "CERTIFICATE_VERIFY_FAILED" in told.error
        assert phone.fetch(url, ca=str(certificate)).status == 200
