"""Ports for servers that tests stop and start again."""

from __future__ import annotations

import socket
from typing import Final

_HELD: Final[list[socket.socket]] = []


def own_port() -> int:
    """A port of 127.0.0.1 that no other test gets, even while nobody listens there.

    It is bound until the tests end. Linux lets a server listen there all the same, since both allow it (SO_REUSEADDR,
    socket(7)); and it gives the port to nobody who asks for any.
    """
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    _HELD.append(held)
    return int(held.getsockname()[1])
