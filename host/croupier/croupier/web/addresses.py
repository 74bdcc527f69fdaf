"""The page's addresses in the local network: URL, QR code, and a host name by multicast DNS (RFC 6762).

With multicast DNS this machine answers queries for ``croupier.local`` with its address and is listed among the
network's services. If another machine has the name already, a number is appended.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import segno

_ANY: Final = ("0.0.0.0", "::", "")
_NOWHERE: Final = ("192.0.2.1", 9)
"""An address reserved for documentation (RFC 5737): a route to it tells our own address, and nothing is sent."""

_HALF_BLOCKS: Final = {(True, True): "█", (True, False): "▀", (False, True): "▄", (False, False): " "}

_MAX_TABLES: Final = 9
"""Number of tables with the same name that can be announced in one network."""

SERVICE: Final = "_http._tcp.local."

_LABEL_BYTES: Final = 63
"""The longest label of a domain name, in bytes of UTF-8 (RFC 6763, 4.1.1)."""

QUERY_MS: Final = 1500
"""Twice the time that RFC 6762 waits for an answer, because a table that reads cards may answer late."""


@dataclass(frozen=True)
class NetworkAddress:
    """The page's ``url`` as other machines in the network use it."""

    url: str

    @cached_property
    def svg(self) -> str:
        """The URL as a QR code, dark on light on any background."""
        return str(_qr_code(self.url).svg_inline(border=4, dark="#000", light="#fff", omitsize=True))

    @property
    def rows(self) -> list[list[bool]]:
        """The QR code by rows, True for dark, without a border."""
        return [[bool(dark) for dark in row] for row in _qr_code(self.url).matrix]

    def qr_lines(self) -> tuple[str, ...]:
        """The QR code for a terminal, two rows in a line. Light modules are drawn: print it light on dark."""
        rows = [[not dark for dark in row] for row in _qr_code(self.url).matrix_iter(border=2)]
        if len(rows) % 2:
            rows.append([False] * len(rows[0]))
        return tuple(
            "".join(_HALF_BLOCKS[halves] for halves in zip(above, below, strict=True))
            for above, below in zip(rows[::2], rows[1::2], strict=True)
        )


def network_address(listener: socket.socket) -> NetworkAddress | None:
    """The address of a listening socket in the network; None if only this machine can connect to it."""
    host, port = listener.getsockname()[:2]
    if host in _ANY:
        host = own_address()
    if not host or host.startswith("127.") or host == "::1":
        return None
    return NetworkAddress(f"http://{f'[{host}]' if ':' in host else host}:{port}/")


def own_address() -> str:
    """This machine's address in its network; "" without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_NOWHERE)
        except OSError:
            return ""
        return str(probe.getsockname()[0])


def _qr_code(url: str) -> segno.QRCode:
    return segno.make_qr(url, error="m")


def receipt_address(hub: str, receipt: str) -> NetworkAddress:
    """Return the address at which receipts are checked, at the hub with this address."""
    return NetworkAddress(f"{hub.rstrip('/')}/receipts/{receipt}")


def mdns_names(name: str) -> tuple[str, ...]:
    """The host names, without ``.local``, under which a table called ``name`` may be announced, in order."""
    return tuple(name if n == 1 else f"{name}-{n}" for n in range(1, _MAX_TABLES + 1)) if name else ()


def service_label(table: str) -> str:
    """The name of a table as one label of a service name: without dots, cut at `_LABEL_BYTES` between letters."""
    room = _LABEL_BYTES - len("-99")  # a number is appended where two tables have the same name
    return table.replace(".", " ").encode()[:room].decode(errors="ignore")


@contextmanager
def mdns_announcement(
    name: str, port: int, table: str, addresses: tuple[str, ...], interfaces: tuple[str, ...] = ()
) -> Iterator[str]:
    """Announce the page at ``port`` as ``name``.local while the context manager is open; yields the name that was free.

    ``table``: the name in lists of services. ``addresses``: this machine's. ``interfaces``: where to announce, by
    default everywhere.

    Raises:
        OSError: there is no network, or every variant of the name is taken.
        ModuleNotFoundError: zeroconf is not installed.
    """
    from zeroconf import (  # type: ignore[attr-defined]  # the resolver is not in its `__all__`
        AddressResolverIPv4,
        InterfaceChoice,
        IPVersion,
        NonUniqueNameException,
        ServiceInfo,
        Zeroconf,
    )

    network = Zeroconf(list(interfaces) if interfaces else InterfaceChoice.All, ip_version=IPVersion.V4Only)

    def is_free(one: str) -> bool:
        query = AddressResolverIPv4(f"{one}.local.")
        return not query.request(network, QUERY_MS) or set(query.parsed_addresses()) <= set(addresses)

    with closing(network):
        if not (free := next(filter(is_free, mdns_names(name)), "")):
            raise OSError("the name and its numbers are all taken in this network")
        service = ServiceInfo(
            SERVICE,
            f"{service_label(table)}.{SERVICE}",
            port=port,
            addresses=[socket.inet_aton(address) for address in addresses],
            server=f"{free}.local.",
            properties={"path": "/"},
        )
        try:
            network.register_service(service, allow_name_change=True)
        except NonUniqueNameException as err:
            raise OSError("too many services are called so in this network") from err
        try:
            yield free
        finally:
            network.unregister_all_services()
