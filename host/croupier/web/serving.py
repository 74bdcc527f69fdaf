"""The site on a port, beside whatever else the program does."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Final

import uvicorn

from croupier.errors import CannotServe
from croupier.web.desk import Desk
from croupier.web.guard import Guard
from croupier.web.people import People
from croupier.web.shelf import Shelf
from croupier.web.site import site

PORT: Final = 8300
_TRIED: Final = 20
_END_S: Final = 1


@dataclass(frozen=True, slots=True)
class Served:
    """A site that is up: its address for a browser on this machine, and the bell for when something was written."""

    address: str
    shelf: Shelf
    thread: Thread


@contextmanager
def served(
    journal: Path, people: People, desk: Desk | None = None, *, host: str = "127.0.0.1", port: int | None = None
) -> Iterator[Served]:  # fmt: skip
    """Serve the site of ``journal``, from a thread of its own, until the end of the block.

    ``port``: that one and no other; ``None``: the first free one from `PORT` on; 0: any.

    Raises:
        CannotServe: the port is taken, or there is no such address here.
        BadJournal: there is no journal.
    """
    listening = _listening(host, port)
    shelf = Shelf(journal)
    names = ("localhost", socket.gethostname().lower(), f"{socket.gethostname().lower()}.local")
    app = Guard(site(shelf, people, desk), names)
    server = uvicorn.Server(
        uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=_END_S, server_header=False, access_log=False)
    )
    # Ends with the program, whatever the page's readers do.
    thread = Thread(target=server.run, kwargs={"sockets": [listening]}, name="page", daemon=True)
    thread.start()
    shown = "127.0.0.1" if host in ("", "0.0.0.0") else f"[{host}]" if ":" in host else host
    try:
        yield Served(f"http://{shown}:{listening.getsockname()[1]}/", shelf, thread)
    finally:
        server.should_exit = True
        shelf.ring()
        thread.join(_END_S + 2)
        listening.close()


def _listening(host: str, port: int | None) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    ports = range(PORT, PORT + _TRIED) if port is None else [port]
    error: OSError | None = None
    for one in ports:
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, one))
        except OSError as err:
            listening.close()
            error = err
        else:
            return listening
    taken = f"port {ports[0]}" if len(ports) == 1 else f"ports {ports[0]} to {ports[-1]}"
    raise CannotServe(f"the page cannot listen at {host or 'any address'}, {taken}: {error and error.strerror}")
