"""Two hundred people who open the page and follow the game: real sockets, in a process of their own.

    python -m croupier_bench.spectators HOST PORT GAME PEOPLE

They arrive within a few seconds and follow until standard input ends. Then one line of JSON tells how long each
page took to load, and when each person had which place of the log, on this machine's monotonic clock.
"""

from __future__ import annotations

import json
import re
import selectors
import socket
import sys
from dataclasses import dataclass, field
from time import monotonic, sleep
from typing import Final

ARRIVE_S: Final = 3.0
"""Time (s) within which all arrive."""

_ID: Final = re.compile(rb"^id: (\d+)\r?$", re.MULTILINE)
_MOST: Final = 1 << 18


@dataclass
class Spectator:
    """One spectator. ``had``: the time at which each place of the log had arrived."""

    stream: socket.socket
    kept: bytes = b""
    had: list[tuple[int, float]] = field(default_factory=list)

    def read(self) -> bool:
        """Process what has arrived; returns True if there will be more."""
        try:
            new = self.stream.recv(_MOST)
        except BlockingIOError:
            return True
        *events, self.kept = (self.kept + new).split(b"\n\n")
        now = monotonic()
        self.had.extend((int(said[1]), now) for event in events if (said := _ID.search(event)))
        return bool(new)


def opened(address: tuple[str, int], path: str) -> socket.socket:
    """Open a connection and request ``path``."""
    stream = socket.create_connection(address, timeout=30)
    stream.sendall(f"GET {path} HTTP/1.1\r\nHost: {address[0]}\r\nConnection: close\r\n\r\n".encode())
    return stream


def loaded_s(address: tuple[str, int], path: str) -> float:
    """Return the time (s) until the whole page has arrived."""
    begun = monotonic()
    with opened(address, path) as stream:
        while stream.recv(_MOST):
            pass
    return monotonic() - begun


def main(host: str, port: int, game: int, people: int) -> None:
    """Arrive, follow until standard input ends, and print the record."""
    address, selector, loads = (host, port), selectors.DefaultSelector(), list[float]()
    spectators = []
    for _ in range(people):
        loads.append(loaded_s(address, f"/games/{game}"))
        one = Spectator(opened(address, f"/games/{game}/events"))
        one.stream.setblocking(False)
        spectators.append(one)
        selector.register(one.stream, selectors.EVENT_READ, one)
        sleep(ARRIVE_S / people)
    print("all here", flush=True)
    selector.register(sys.stdin, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            if not isinstance(key.data, Spectator):
                print(json.dumps({"loads": loads, "had": [one.had for one in spectators]}), flush=True)
                return
            if not key.data.read():
                selector.unregister(key.fileobj)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:5]))
