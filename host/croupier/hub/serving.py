"""The process of a hub: its socket and its server."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import uvicorn
from fastapi import FastAPI

from croupier.errors import BadHub, marked

_SHUTDOWN_S: Final = 5


def serve(app: FastAPI, host: str, port: int, on_start: Callable[[str], None]) -> None:
    """Serve until Ctrl-C or SIGTERM. ``port``: 0 for any; ``on_start``: called with the address.

    Raises:
        BadHub: the port is taken, or this machine does not have the address ``host``.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family)
    except OSError as err:
        text = marked("the hub cannot listen on {address}, port {port}: {why}; choose others with --host and --port")
        reason = os.strerror(err.errno) if err.errno is not None else str(err)
        raise BadHub(text, address=host, port=port, why=reason) from err
    with listener, suppress(KeyboardInterrupt):
        config = uvicorn.Config(
            app, log_level="error", access_log=False, lifespan="off", ws="none", server_header=False,
            timeout_graceful_shutdown=_SHUTDOWN_S,
        )  # fmt: skip
        name = f"[{host}]" if ":" in host else host
        on_start(f"http://{name}:{listener.getsockname()[1]}")
        uvicorn.Server(config).run(sockets=[listener])
