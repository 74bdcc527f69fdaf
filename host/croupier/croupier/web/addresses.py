"""The addresses at which phones open a page: a URL and its QR code for each network."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache, partial
from time import monotonic
from typing import Final

import segno

from croupier.i18n import _
from croupier.networks import EVERY_ADDRESS, Network, NetworkWatch, in_url, networks_at

LIGHT_ON_DARK: Final = "white on black"
"""Colors in which phones can read a QR code, independent of the colors of the terminal."""

MOST_TABLES: Final = 9
"""Number of tables with the same name that can be announced in one network."""

_HALF_BLOCKS: Final = {(True, True): "█", (True, False): "▀", (False, True): "▄", (False, False): " "}

_asked: Final[ContextVar[str]] = ContextVar("_asked", default="")


@contextmanager
def asked_at(host: str) -> Iterator[None]:
    """Context in which somebody asks for a page at this ``host``, as the request says."""
    token = _asked.set(host)
    try:
        yield
    finally:
        _asked.reset(token)


def asked_host() -> str:
    """The host at which somebody asks for a page now; "" for nobody."""
    return _asked.get()


@dataclass(frozen=True, slots=True)
class NetworkAddress:
    """The page's ``url`` as other machines in the network use it."""

    url: str

    @property
    def svg(self) -> str:
        """The URL as a QR code, dark on light on any background."""
        return _svg(self.url)

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


def mdns_names(name: str) -> tuple[str, ...]:
    """The host names, without ``.local``, under which a table called ``name`` may be announced, in order."""
    return tuple(name if n == 1 else f"{name}-{n}" for n in range(1, MOST_TABLES + 1)) if name else ()


def is_own_machine(host: str | None) -> bool:
    """True for a host at which only this machine itself can be reached."""
    return host in ("localhost", "127.0.0.1", "::1")


class PageAddresses:
    """How other machines open a page, in each network of this machine. Thread-safe.

    ``find``: returns the networks, which are then looked for again while the program runs (`NetworkWatch`), by the
    ``clock`` (monotonic seconds); None where somebody else says which they are.
    """

    def __init__(
        self, port: int, networks: tuple[Network, ...] = (), *, scheme: str = "http",
        find: Callable[[], tuple[Network, ...]] | None = None, clock: Callable[[], float] = monotonic,
    ) -> None:  # fmt: skip
        self.port, self._scheme = port, scheme
        self._told, self._clock = networks, clock
        self._watch = None if find is None else NetworkWatch(find)
        self.fingerprint = ""
        """Of the certificate with which the page is served by HTTPS at the same port (SHA-256); "" without one."""

    @classmethod
    def of(cls, listener: socket.socket, *, scheme: str = "http") -> PageAddresses:
        """The addresses of a listening socket."""
        host, port = listener.getsockname()[:2]
        return cls(port, scheme=scheme, find=partial(networks_at, host))

    @property
    def networks(self) -> tuple[Network, ...]:
        """The networks, those first where phones are most likely."""
        if self._watch is None:
            return self._told
        self._watch.look(self._clock())
        return self._watch.networks

    @networks.setter
    def networks(self, networks: tuple[Network, ...]) -> None:
        self._told = networks

    def url(self, host: str) -> str:
        """The URL of the page at an address of this machine."""
        return f"{self._scheme}://{in_url(host)}:{self.port}/"

    def secure_url(self, host: str) -> str:
        """The URL of the page by HTTPS at a ``host``; "" where it is not served so."""
        return f"https://{in_url(host)}:{self.port}/" if self.fingerprint and host else ""

    def network_of(self, address: NetworkAddress | None) -> Network | None:
        """The network of an address."""
        if address is None:
            return None
        return next((one for one in self.networks if address.url in map(self.url, one.addresses)), None)

    @property
    def best(self) -> NetworkAddress | None:
        """The address where phones are most likely; None if they can hardly connect."""
        return next((NetworkAddress(self.url(one.addresses[0])) for one in self.networks if one.is_likely), None)

    def own_host(self, host: str) -> str:
        """``host``, if it is an address of this machine; else ""."""
        return host if any(host in one.addresses for one in self.networks) else ""

    def in_network_of(self, host: str) -> NetworkAddress | None:
        """The address for phones in the network of somebody who has opened the page at ``host``; the best one for all
        others."""
        return NetworkAddress(self.url(host)) if self.own_host(host) else self.best


class AddressReport:
    """Reports in a terminal how phones open a page: a QR code for each network, the likeliest first; and, when it is
    called again, what has changed since.

    ``line``: prints a line in a style. ``with_code``: also print QR codes.
    """

    def __init__(self, addresses: PageAddresses, line: Callable[[str, str], None], *, with_code: bool) -> None:
        self._addresses, self._line, self._with_code = addresses, line, with_code
        self._told: tuple[Network, ...] | None = None

    def print_new(self) -> None:
        """Report what is new."""
        before, self._told = self._told, self._addresses.networks
        known = [one for one in self._told if one.is_likely]
        for network in known:
            if network not in (before or ()):
                self._tell_of(network, is_only=len(known) == 1 and before is None)
        likely = {one.interface for one in known}
        for gone in before or ():
            if gone.is_likely and gone.interface not in likely:
                self._line(_("{network}: the page can no longer be opened there", network=gone.title), "yellow")
        others = [_("{network}: {why}", network=one.title, why=one.why_not) for one in self._told if not one.is_likely]
        if others and not known:
            self._line(_("No phone can open the page now: {why}", why="; ".join(others)), "yellow")
        elif others and before is None:
            self._line(_("Hardly for phones: {networks}", networks="; ".join(others)), "dim")

    def _tell_of(self, network: Network, *, is_only: bool) -> None:
        best, *more = (NetworkAddress(self._addresses.url(host)) for host in network.addresses)
        if is_only:
            self._line(_("On your network it is at {address}", address=best.url), "")
        else:
            self._line(_("In the network {network} it is at {address}", network=network.title, address=best.url), "")
        if more:
            self._line(_("or at {addresses}", addresses=", ".join(one.url for one in more)), "dim")
        for row in best.qr_lines() if self._with_code else ():
            self._line(row, LIGHT_ON_DARK)


@lru_cache(maxsize=128)
def _svg(url: str) -> str:
    return str(_qr_code(url).svg_inline(border=4, dark="#000", light="#fff", omitsize=True))


def _qr_code(url: str) -> segno.QRCode:
    return segno.make_qr(url, error="m")


def local_url(listener: socket.socket) -> str:
    """The URL of a listening socket for a browser on this machine."""
    host, port = listener.getsockname()[:2]
    return f"http://{'127.0.0.1' if host in EVERY_ADDRESS else in_url(host)}:{port}/"


def receipt_address(hub: str, receipt: str) -> NetworkAddress:
    """Return the address at which receipts are checked, at the hub with this address."""
    return NetworkAddress(f"{hub.rstrip('/')}/receipts/{receipt}")
