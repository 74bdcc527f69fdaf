"""The site on a port, beside whatever else the program does: in a thread, or in a process of its own.

A table's own loop must not wait for two hundred who look on, so whoever runs a table serves its page `apart`.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Final, Protocol

import uvicorn

from croupier.errors import CannotServe
from croupier.i18n import _
from croupier.web.accounts import People
from croupier.web.addresses import Reach, reach, spellings
from croupier.web.desk import Desk
from croupier.web.game_repository import Shelf
from croupier.web.language import InTheirLanguage
from croupier.web.middleware import Guard
from croupier.web.site import ground_of, site
from croupier.web.steps import Setup

PORT: Final = 8300
_TRIED: Final = 20
_WAITING: Final = 512
"""Connections that wait to be taken: two hundred people open the page when somebody says its address."""

_END_S: Final = 1


class Served(Protocol):
    """A site that is up."""

    @property
    def address(self) -> str:
        """Its address for a browser on this machine."""

    @property
    def reach(self) -> Reach | None:
        """How others in the network reach it; None where they cannot."""

    @property
    def followers(self) -> int:
        """How many pages are open that follow a game as it is played."""

    @property
    def pid(self) -> int:
        """The process that serves it."""

    def ring(self) -> None:
        """Something was written, or the desk tells something else: look now. Returns at once, in any thread."""

    def wait(self) -> None:
        """Until the site ends."""


class InThread:
    """A site that a thread of this process serves at ``door``; ``count`` is told how many follow it; ``name``: what it
    is called in the network, without ``.local``."""

    def __init__(
        self,
        door: socket.socket,
        journal: Path,
        people: People,
        desk: Desk | None,
        count: Callable[[int], None] = lambda n: None,
        *,
        name: str = "",
        setup: Setup | None = None,
    ) -> None:
        self.address, self.reach, self.pid = address_of(door), reach(door), os.getpid()
        names = (socket.gethostname(), *spellings(name))
        ground = ground_of(Shelf(journal), people, desk, self.reach, is_set_up=setup is not None)
        ground.following.count = count
        self._following = ground.following
        guarded = Guard(site(ground, setup), ("localhost", *names, *(f"{one}.local" for one in names)))
        self._server = uvicorn.Server(
            uvicorn.Config(
                InTheirLanguage(guarded), log_level="error", timeout_graceful_shutdown=_END_S, server_header=False,
                access_log=False, backlog=_WAITING,
            )
        )  # fmt: skip
        # Ends with the program, whatever the page's readers do.
        self._thread = Thread(target=self._server.run, kwargs={"sockets": [door]}, name="page", daemon=True)
        self._thread.start()

    @property
    def followers(self) -> int:
        """As `Served` has it."""
        return self._following.followers

    def ring(self) -> None:
        """As `Served` has it."""
        self._following.ring()

    def wait(self) -> None:
        """As `Served` has it."""
        self._thread.join()

    def end(self) -> None:
        """Stop serving."""
        self._server.should_exit = True
        self._following.close()
        self._thread.join(_END_S + 2)


@contextmanager
def served(
    journal: Path,
    people: People,
    desk: Desk | None = None,
    setup: Setup | None = None,
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
) -> Iterator[Served]:
    """Serve the site of ``journal``, from a thread of its own, until the end of the block; with a ``setup`` the table
    is set up there.

    ``port``: that one and no other; ``None``: the first free one from `PORT` on; 0: any.

    Raises:
        CannotServe: the port is taken, or there is no such address here.
        BadJournal: there is no journal.
    """
    with listening(host, port) as door:
        up = InThread(door, journal, people, desk, setup=setup)
        try:
            yield up
        finally:
            up.end()


def address_of(door: socket.socket) -> str:
    """The address of what listens at this socket, for a browser on this machine."""
    host, port = door.getsockname()[:2]
    here = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}
    return f"http://{here.get(host) or (f'[{host}]' if ':' in host else host)}:{port}/"


def listening(host: str, port: int | None) -> socket.socket:
    """A socket that listens at ``port`` of ``host``, as `served` has them."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    ports = range(PORT, PORT + _TRIED) if port is None else [port]
    error: OSError | None = None
    for one in ports:
        door = socket.socket(family, socket.SOCK_STREAM)
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind((host, one))
            door.listen(_WAITING)  # who comes before the site is up waits
        except OSError as err:
            door.close()
            error = err
        else:
            return door
    tried = str(ports[0]) if len(ports) == 1 else f"{ports[0]}…{ports[-1]}"
    why = error.strerror if error is not None else ""
    raise CannotServe(
        _("the page cannot listen at {address}, port {ports}: {why}", address=host or "*", ports=tried, why=why)
    )
