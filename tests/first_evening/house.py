"""Strange houses: which networks there are, and who is in which."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.namespaces import Machine, World

LENS_PORT: Final = 8080


@dataclass(frozen=True)
class House:
    """The machines of an evening.

    ``table``: where `croupier host` runs; ``phones``: where the browsers are, and the app that is the camera;
    ``lens``: address of the ``phones``, at which the table finds the camera; ``router``: their gateway, if there is
    one; ``others``: more machines, each in another network.
    """

    table: Machine
    phones: Machine
    lens: str
    router: Machine | None = None
    others: tuple[Machine, ...] = ()

    @property
    def camera_url(self) -> str:
        """The address of the camera, as people type it."""
        return f"http://{f'[{self.lens}]' if ':' in self.lens else self.lens}:{LENS_PORT}/video"

    def browser(self, folder: Path, program: str) -> str:
        """A browser on the ``phones``: the path of a program that starts it there."""
        script = folder / "browser"
        command = " ".join(f"'{word}'" for word in self.phones.command(program))
        script.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        script.chmod(0o755)
        return str(script)


def _home(world: World) -> House:
    """A network as most houses have it."""
    table, phones, router = world.machine("table"), world.machine("phones"), world.machine("router")
    home = world.network()
    home.join(router, "lan", "192.168.1.1/24")
    home.join(table, "eth0", "192.168.1.5/24", gateway="192.168.1.1")
    home.join(phones, "wlan0", "192.168.1.7/24", gateway="192.168.1.1")
    return House(table, phones, "192.168.1.7", router)


def _hotspot(world: World) -> House:
    """A Pi that is the hotspot itself: nobody else is there, so it has no default route."""
    table, phones = world.machine("table"), world.machine("phones")
    hotspot = world.network()
    hotspot.join(table, "wlan0", "10.42.0.1/24")
    hotspot.join(phones, "wlan0", "10.42.0.7/24")
    return House(table, phones, "10.42.0.7")


def _ipv6_only(world: World) -> House:
    """A network without any address of IPv4."""
    table, phones, router = world.machine("table"), world.machine("phones"), world.machine("router")
    home = world.network()
    home.join(router, "lan", "fd00:46::1/64")
    home.join(table, "eth0", "fd00:46::5/64", gateway="fd00:46::1")
    home.join(phones, "wlan0", "fd00:46::7/64", gateway="fd00:46::1")
    return House(table, phones, "fd00:46::7", router)


def _two_networks(world: World) -> House:
    """The default route leads through the one network, and the guests are in the other."""
    table, phones = world.machine("table"), world.machine("phones")
    router, laptop = world.machine("router"), world.machine("laptop")
    home, guests = world.network(), world.network()
    home.join(router, "lan", "192.168.1.1/24")
    home.join(table, "eth0", "192.168.1.5/24", gateway="192.168.1.1")
    home.join(laptop, "wlan0", "192.168.1.9/24", gateway="192.168.1.1")
    guests.join(table, "wlan0", "10.42.0.1/24")
    guests.join(phones, "wlan0", "10.42.0.7/24")
    return House(table, phones, "10.42.0.7", router, (laptop,))


HOUSES: Final[dict[str, Callable[[World], House]]] = {
    "home": _home, "hotspot": _hotspot, "ipv6-only": _ipv6_only, "two-networks": _two_networks,
}  # fmt: skip
"""The houses by name. A machine knows no name server, so none of them has DNS."""
