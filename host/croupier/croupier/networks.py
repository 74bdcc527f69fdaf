"""The networks that this machine is in, and its addresses there.

A machine has no one address. A Raspberry Pi may be a hotspot with a way to nowhere, have IPv6 only, or be in the
house's network by cable and in one of its own by radio. Each interface stands for a network. Which one the phones are
in is known to the people who hold them, so all are listed, the likeliest first.

No browser opens a link-local address of IPv6, which needs the name of an interface behind it (RFC 6874 was never taken
up); temporary addresses (RFC 8981) end within a day. Neither is listed.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import Final, Literal, get_args

from croupier.i18n import _

Address = IPv4Address | IPv6Address
Kind = Literal["wlan", "cable", ""]
Doubt = Literal["", "tunnel", "self-assigned", "internal", "down", "link-local"]
"""Why hardly any phone is in a network, the likeliest first. ``tunnel``: devices in it are elsewhere;
``self-assigned``: no router gave an address (RFC 3927); ``internal``: for containers and virtual machines of this
machine; ``down``: without a cable or a radio link; ``link-local``: without any other address."""

LOOK_S: Final = 5.0
"""Period in which a running program looks for other addresses: about as long as it takes to join a network."""

EVERY_ADDRESS: Final = ("0.0.0.0", "::", "")
"""Where a server listens that is open to all networks of its machine."""

_NOWHERE: Final = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))
"""Addresses for documentation (RFC 5737, RFC 3849): a route there tells our own address, and nothing is sent."""

_DEVICES: Final = Path("/sys/class/net")
_ADDRESSES_6: Final = Path("/proc/self/net/if_inet6")
_UNSTEADY: Final = 0x01 | 0x08 | 0x20 | 0x40
"""Flags of an address that is temporary, a duplicate, deprecated or still tentative (linux/if_addr.h)."""
_NO_LINK_LAYER: Final = "65534"
"""The type of an interface without a link layer (ARPHRD_NONE): a tunnel."""
_UNCONNECTED: Final = ("down", "lowerlayerdown", "notpresent", "dormant")


@dataclass(frozen=True, slots=True)
class Network:
    """A network, named by the ``interface`` of this machine; "" for an address of which none is known. ``addresses``:
    of this machine, the best first."""

    interface: str
    addresses: tuple[str, ...]
    kind: Kind = ""
    doubt: Doubt = ""

    @property
    def title(self) -> str:
        """The name of the network, in the present language."""
        match self.kind:
            case "wlan":
                return _("Wi-Fi ({interface})", interface=self.interface)
            case "cable":
                return _("cable ({interface})", interface=self.interface)
            case _:
                return self.interface

    @property
    def why_not(self) -> str:
        """Why hardly any phone is there, in the present language; "" where phones may be."""
        match self.doubt:
            case "tunnel":
                return _("a tunnel to elsewhere")
            case "self-assigned":
                return _("no router has given an address")
            case "internal":
                return _("only for containers and virtual machines on this machine")
            case "down":
                return _("not connected")
            case "link-local":
                return _("only a link-local address, which browsers do not open")
            case _:
                return ""

    @property
    def is_likely(self) -> bool:
        """True if a phone may be there."""
        return self.doubt in ("", "tunnel", "self-assigned") and bool(self.addresses)


def own_networks() -> tuple[Network, ...]:
    """The networks that this machine is in, those first where phones are most likely."""
    import ifaddr

    routed, unsteady = set(_routed()), set(_unsteady())
    found: list[tuple[tuple[object, ...], Network]] = []
    for adapter in ifaddr.get_adapters():
        every = [ip_address(ip.ip if isinstance(ip.ip, str) else ip.ip[0].partition("%")[0]) for ip in adapter.ips]
        if not every or any(one.is_loopback for one in every):
            continue
        kind, doubt = _device(str(adapter.name).partition(":")[0])
        steady = sorted((one for one in every if one not in unsteady and not _needs_zone(one)), key=_order)
        if not steady:
            doubt = doubt or "link-local"
        elif steady[0].is_link_local:
            doubt = doubt or "self-assigned"
        network = Network(adapter.nice_name, tuple(map(str, steady)), kind, doubt)
        rank = (get_args(Doubt).index(doubt), routed.isdisjoint(every), kind != "wlan", network.interface)
        found.append((rank, network))
    return tuple(network for _rank, network in sorted(found, key=lambda one: one[0]))


def networks_at(host: str) -> tuple[Network, ...]:
    """The networks from which a socket can be reached that listens at ``host``, an address; none if only this machine
    can connect to it."""
    host = host.partition("%")[0]
    if host in EVERY_ADDRESS:
        return own_networks()
    address = ip_address(host)
    if address.is_loopback or _needs_zone(address):
        return ()
    for network in own_networks():
        if host in network.addresses:
            return (replace(network, addresses=(host,)),)
    return (Network("", (host,)),)


class NetworkWatch:
    """Networks that are looked for again while a program runs, at most every `LOOK_S`. ``find``: returns them."""

    def __init__(self, find: Callable[[], tuple[Network, ...]] = own_networks) -> None:
        self._find, self._next = find, float("-inf")
        self.networks: tuple[Network, ...] = ()

    def is_due(self, now: float) -> bool:
        """True if it is time to look at them. ``now``: monotonic seconds."""
        return now >= self._next

    def look(self, now: float) -> bool:
        """Look at them, if it is time; whether they have changed. ``now``: monotonic seconds."""
        if not self.is_due(now):
            return False
        before, self.networks, self._next = self.networks, self._find(), now + LOOK_S
        return before != self.networks


def own_addresses() -> tuple[str, ...]:
    """All addresses of this machine by which others may reach it, the best first."""
    return tuple(dict.fromkeys(address for network in own_networks() for address in network.addresses))


def in_url(host: str) -> str:
    """A host as it stands in a URL: an address of IPv6 in brackets."""
    return f"[{host}]" if ":" in host else host


def _order(address: Address) -> tuple[bool, bool, bool, int]:
    """IPv4 first, which everything knows, then what the network keeps when the provider gives it another prefix."""
    return address.is_link_local, address.version == 6, not address.is_private, int(address)


def _needs_zone(address: Address) -> bool:
    return address.version == 6 and address.is_link_local


def _routed() -> Iterator[Address]:
    """The own addresses from which the ways into the rest of the world begin."""
    for family, nowhere in _NOWHERE:
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((nowhere, 9))
            yield ip_address(probe.getsockname()[0].partition("%")[0])


def _unsteady() -> Iterator[Address]:
    """The addresses of IPv6 that come and go, where the system tells."""
    for line in _text(_ADDRESSES_6).splitlines():
        digits, _index, _prefix, _scope, flags, *_name = line.split()
        if int(flags, 16) & _UNSTEADY:
            yield IPv6Address(int(digits, 16))


def _device(name: str) -> tuple[Kind, Doubt]:
    """What an interface is, where the system tells."""
    device = _DEVICES / name
    doubt: Doubt = ""
    if (device / "bridge").is_dir() and not any(device.glob("lower_*/device")):
        doubt = "internal"
    elif _text(device / "operstate") in _UNCONNECTED:
        doubt = "down"
    elif _text(device / "type") == _NO_LINK_LAYER:
        doubt = "tunnel"
    kind: Kind = "wlan" if (device / "phy80211").exists() else "cable" if (device / "device").exists() else ""
    return kind, doubt


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii").strip()
    except OSError:
        return ""
