"""Strange houses: which networks there are, and who is in which. A machine knows no name server, so none has DNS."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, Playwright

from tests.namespaces import Machine, Network, World
from tests.web import chromium


@dataclass(frozen=True, slots=True)
class Home:
    """A network: the table's ``interface``, the addresses of the table and of a phone there, and that of the router,
    which is the way to elsewhere."""

    interface: str
    table: tuple[str, ...]
    phone: tuple[str, ...]
    router: str = ""


HOTSPOT: Final = Home("wlan0", ("10.42.0.1/24",), ("10.42.0.7/24",))
"""A Pi that is the hotspot itself: nobody else is there, so it has no default route."""
HOUSE: Final = Home("eth0", ("192.168.1.5/24",), ("192.168.1.7/24",), "192.168.1.1/24")
"""A network as most houses have it."""
ULA: Final = Home("wlan0", ("fd00:42::1/64",), ("fd00:42::7/64",))

HOUSES: Final[dict[str, tuple[Home, ...]]] = {
    "home": (HOUSE,),
    "hotspot": (HOTSPOT,),
    "ipv6-only": (Home("eth0", ("fd00:46::5/64",), ("fd00:46::7/64",), "fd00:46::1/64"),),
    "two-networks": (HOUSE, HOTSPOT),
}
"""The networks of each house, the one of the camera first."""


@dataclass(frozen=True, slots=True)
class Place:
    """A network that the table has joined, with a ``phone`` in it. ``router``: None without one."""

    network: Network
    phone: Machine
    router: Machine | None


def joined(world: World, table: Machine, home: Home) -> Place:
    """Make a network that the table joins."""
    network, phone, router, gateway = world.network(), world.machine("phone"), None, home.router.partition("/")[0]
    if home.router:
        router = world.machine("router")
        network.join(router, "lan", home.router)
    network.join(phone, "wlan0", *home.phone, gateway=gateway)
    network.join(table, home.interface, *home.table, gateway=gateway)
    return Place(network, phone, router)


LENS_PORT: Final = 8080


class House:
    """The machines of an evening. ``table``: where `croupier host` runs; ``places``: where the guests are. The app of a
    phone that is the camera runs in the first."""

    def __init__(self, world: World, homes: Sequence[Home]) -> None:
        self.table = world.machine("table")
        self.places = tuple(joined(world, self.table, home) for home in homes)
        self._lens = homes[0].phone[0].partition("/")[0]

    @property
    def camera_url(self) -> str:
        """The address of the camera in the network, as people type it."""
        return f"http://{f'[{self._lens}]' if ':' in self._lens else self._lens}:{LENS_PORT}/video"


@contextmanager
def browser_on(machine: Machine, playwright: Playwright, folder: Path) -> Iterator[Browser]:
    """A browser on a machine."""
    script = folder / f"browser-{machine.pid}"
    command = " ".join(f"'{word}'" for word in machine.command(chromium.CHROMIUM or ""))
    script.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    script.chmod(0o755)
    with chromium.started(playwright, program=str(script)) as browser:
        yield browser
