"""The server of a hub, in this thread or in one of its own."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from typing import Final

from fastapi import FastAPI

from croupier.errors import BadHub, marked
from croupier.http_server import LimitedServer, listening_socket

_SHUTDOWN_S: Final = 5


def serve(app: FastAPI, host: str, port: int, on_start: Callable[[str], None]) -> None:
    """Serve until Ctrl-C or SIGTERM. ``port``: 0 for any; ``on_start``: called with the address.

    Raises:
        BadHub: the port is taken, or this machine does not have the address ``host``.
    """
    with _listen(host, port) as listener, suppress(KeyboardInterrupt):
        on_start(_address(listener))
        LimitedServer(app, _SHUTDOWN_S).run(sockets=[listener])


@contextmanager
def serving(app: FastAPI) -> Iterator[str]:
    """Context in which a thread serves this machine; the address."""
    with _listen("127.0.0.1", 0) as listener:
        server = LimitedServer(app, _SHUTDOWN_S)
        thread = Thread(target=server.run, kwargs={"sockets": [listener]}, name="hub", daemon=True)
        thread.start()
        try:
            yield _address(listener)
        finally:
            server.should_exit = True
            thread.join(_SHUTDOWN_S + 1)


def _listen(host: str, port: int) -> socket.socket:
    try:
        return listening_socket(host, port)
    except OSError as err:
        text = marked("the hub cannot listen on {address}, port {port}: {why}; choose others with --host and --port")
        reason = os.strerror(err.errno) if err.errno is not None else str(err)
        raise BadHub(text, address=host, port=port, why=reason) from err


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
