"""The server of a hub, in this thread, in one of its own, or in several processes behind one address.

Each process has a socket of its own at the same port, among which the system shares connections out. They have nothing
in common but the database. A process that has ended is started again; what waits at its socket waits for it.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from threading import Thread
from typing import Final

from fastapi import FastAPI

from croupier.child_process import Channel, ChildProcess, python
from croupier.errors import marked
from croupier.http_server import LimitedServer, listening_socket
from croupier.retry import RETRY, Backoff
from croupier.web.addresses import PageAddresses, local_url
from croupier_hub.errors import BadHub

_SHUTDOWN_S: Final = 5


def serve(
    make: Callable[[], FastAPI], host: str, port: int, on_start: Callable[[str, PageAddresses], None],
    processes: int = 1,
) -> None:  # fmt: skip
    """Serve what ``make`` makes until Ctrl-C or SIGTERM. ``port``: 0 for any; ``on_start``: called with the address for
    this machine, and those for others; ``processes``: if several, ``make`` is called in each.

    Raises:
        BadHub: the port is taken, or this machine does not have the address ``host``.
    """
    with ExitStack() as stack:
        stack.enter_context(suppress(KeyboardInterrupt))
        first = stack.enter_context(_listen(host, port))
        greet = partial(on_start, _address(first), PageAddresses.of(first))
        if processes == 1:
            greet()
            LimitedServer(make(), _SHUTDOWN_S, log_config=None).run(sockets=[first])
            return
        port = first.getsockname()[1]
        first.close()  # it has shown that nobody else is there
        shared = [stack.enter_context(_listen(host, port, reuse_port=True)) for _ in range(processes)]
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        _keep_serving(make, shared, greet)


def _keep_serving(
    make: Callable[[], FastAPI], listeners: Sequence[socket.socket], on_start: Callable[[], None]
) -> None:
    def start(listener: socket.socket) -> ChildProcess:
        return ChildProcess.start(python("croupier_hub.serving:serve_in_child"), make, sockets=[listener])

    children, backoff = [start(listener) for listener in listeners], Backoff(RETRY)
    try:
        for child in children:
            child.channel.poll(None)  # until it serves, or has ended
        on_start()
        while True:
            ready, _writable, _failed = select.select([child.channel for child in children], [], [])
            for n, child in enumerate(children):
                if child.channel not in ready:
                    continue
                try:
                    child.receive()  # one that was started again serves now
                    backoff.reset()
                except (EOFError, OSError):
                    child.close()
                    time.sleep(backoff.fail())
                    children[n] = start(listeners[n])
    finally:
        for child in children:
            child.channel.finish()  # all of them end at the same time
        for child in children:
            child.end(_SHUTDOWN_S + 1)
            child.close()


def serve_in_child(channel: Channel, listener: socket.socket, make: Callable[[], FastAPI]) -> None:
    """The main function of a child: serve what ``make`` makes, until the parent ends."""
    channel.on_end(lambda: os.kill(os.getpid(), signal.SIGTERM))
    app = make()
    channel.send_bytes(b"up")
    with suppress(KeyboardInterrupt):
        LimitedServer(app, _SHUTDOWN_S, log_config=None).run(sockets=[listener])


@contextmanager
def serving(app: FastAPI) -> Iterator[str]:
    """Context in which a thread serves this machine; the address."""
    with _listen("127.0.0.1", 0) as listener:
        server = LimitedServer(app, _SHUTDOWN_S, log_config=None)
        thread = Thread(target=server.run, kwargs={"sockets": [listener]}, name="hub", daemon=True)
        thread.start()
        try:
            yield _address(listener)
        finally:
            server.should_exit = True
            thread.join(_SHUTDOWN_S + 1)


def _listen(host: str, port: int, *, reuse_port: bool = False) -> socket.socket:
    try:
        return listening_socket(host, port, reuse_port=reuse_port)
    except OSError as err:
        text = marked("the hub cannot listen on {address}, port {port}: {why}; choose others with --host and --port")
        reason = os.strerror(err.errno) if err.errno is not None else str(err)
        raise BadHub(text, address=host, port=port, why=reason) from err


def _address(listener: socket.socket) -> str:
    return local_url(listener).rstrip("/")
