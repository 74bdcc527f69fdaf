"""How people in the same network reach the page: its address, and the same as a picture for phones."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import segno

_ALL: Final = ("0.0.0.0", "::", "")
_NOWHERE: Final = ("192.0.2.1", 9)
"""An address for documents (RFC 5737): asking the way there tells our own address, and nothing is sent."""


_HALVES: Final = {(True, True): "█", (True, False): "▀", (False, True): "▄", (False, False): " "}

MOST: Final = 9
"""So many tables of one name find their own in a network."""


@dataclass(frozen=True)
class Reach:
    """``address`` as others in the network use it."""

    address: str

    @cached_property
    def svg(self) -> str:
        """The address as a QR code, dark on light whatever is round it."""
        return str(_code(self.address).svg_inline(border=4, dark="#000", light="#fff", omitsize=True))

    def lines(self) -> tuple[str, ...]:
        """The same for a terminal, two rows of the code in a line. What is light is drawn: print it light on dark."""
        rows = [[not dark for dark in row] for row in _code(self.address).matrix_iter(border=2)]
        if len(rows) % 2:
            rows.append([False] * len(rows[0]))
        return tuple(
            "".join(_HALVES[upper, lower] for upper, lower in zip(above, below, strict=True))
            for above, below in zip(rows[::2], rows[1::2], strict=True)
        )


def reach(door: socket.socket) -> Reach | None:
    """How to reach what listens at ``door``; None where only this machine can."""
    host, port = door.getsockname()[:2]
    if host in _ALL:
        host = own_address()
    if not host or host.startswith("127.") or host == "::1":
        return None
    shown = f"[{host}]" if ":" in host else host
    return Reach(f"http://{shown}:{port}/")


def spellings(name: str) -> tuple[str, ...]:
    """The names that a table called ``name`` may be announced by: another one may have the first."""
    return tuple(name if n == 1 else f"{name}-{n}" for n in range(1, MOST + 1)) if name else ()


def own_address() -> str:
    """This machine's address in its network; "" where it is in none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        try:
            way.connect(_NOWHERE)
        except OSError:
            return ""
        return str(way.getsockname()[0])


def _code(address: str) -> segno.QRCode:
    return segno.make_qr(address, error="m")
