"""The HTTP server of a page and of a hub, with limits that keep it for everybody: connections, and requests in time.

uvicorn's own limit (``limit_concurrency``) refuses the last client, and uvicorn waits for a request without end:
half-open requests would keep the readers out. Here a connection that waits gives way to a new one.
"""

from __future__ import annotations

import asyncio
import socket
from functools import partial
from ipaddress import ip_address
from typing import Any, Final

import h11
import uvicorn
from fastapi import HTTPException
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from croupier.i18n import _

MAX_CONNECTIONS: Final = 600
"""Two hundred readers with an event stream and two other connections each; fewer than the usual 1,024 descriptors."""

MAX_CONNECTIONS_PER_ADDRESS: Final = 256
"""Two hundred readers may share the address of one router."""

ACCEPTED_AT_ONCE: Final = 100
"""Connections beyond `MAX_CONNECTIONS` that have a descriptor for a moment, before another gives way."""

BACKLOG: Final = 1024
"""Pending connections. A connection for which there is no room tries again only after a second."""

REQUEST_S: Final = 10.0
"""Time limit of a request, headers and body, from its first byte or the opening of the connection."""

READ_S: Final = 30.0
"""A reader who takes in nothing of an answer for this time is cut off."""

RETRY_S: Final = 5
"""Time after which a refused client may try again."""


def listening_socket(host: str, port: int, *, reuse_port: bool = False) -> socket.socket:
    """A socket that listens. ``port``: 0 for any; ``reuse_port``: others may listen there too. Raises `OSError`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server(
        (host, port), family=family, backlog=BACKLOG, reuse_port=reuse_port
    )  # connections wait for the server
    # Nagle's algorithm would hold the body of each answer until the client acknowledges its head, some 40 ms later.
    # asyncio turns it off only where a socket names its protocol; connections take it over from their listener.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


class LimitedServer(uvicorn.Server):
    """A server of ``app`` within the limits of this module. ``shutdown_s``: time for open requests at the end."""

    def __init__(self, app: ASGIApp, shutdown_s: int) -> None:
        super().__init__(
            uvicorn.Config(
                app, http=limited_protocol(), log_level="error", access_log=False, lifespan="off", ws="none",
                backlog=ACCEPTED_AT_ONCE, timeout_graceful_shutdown=shutdown_s, server_header=False,
                proxy_headers=False,
            )
        )  # fmt: skip

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve (uvicorn)."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(BACKLOG)  # asyncio has set its own: what it accepts at once


def network_of(host: str) -> str:
    """The network that counts as one client: an IPv4 address, or the /64 in which an IPv6 host chooses addresses."""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if address.version == 4:
        return host
    return str(address.ipv4_mapped or int(address) >> 64)


class _ByNetwork(dict[str, dict["LimitedProtocol", None]]):
    """Connections by the networks of their clients, those of each network in the order in which they were added."""

    def add(self, connection: LimitedProtocol) -> None:
        self.setdefault(connection.network, {})[connection] = None

    def discard(self, connection: LimitedProtocol) -> None:
        of_network = self.get(connection.network, {})
        of_network.pop(connection, None)
        if not of_network:
            self.pop(connection.network, None)

    def of_largest(self) -> dict[LimitedProtocol, None]:
        """The connections of the network that has most."""
        return max(self.values(), key=len, default={})


class Connections:
    """The open connections of a server, and which of them wait, by network. A full server compares the networks for a
    new connection, but not each connection."""

    def __init__(self) -> None:
        self._open, self._waiting = _ByNetwork(), _ByNetwork()
        self._number = 0

    def make_room(self, network: str) -> bool:
        """Close a connection if there are too many for one more from ``network``. Returns False if none gives way.

        The one that has waited longest gives way, of the network where most wait; if none waits, the newest one of the
        largest network, unless the new connection's network would then be as large.
        """
        neighbors = self._open.get(network, {})
        if len(neighbors) >= MAX_CONNECTIONS_PER_ADDRESS:
            other = next(iter(self._waiting.get(network, {})), None)
        elif self._number < MAX_CONNECTIONS:
            return True
        elif self._waiting:
            other = next(iter(self._waiting.of_largest()))
        else:
            largest = self._open.of_largest()
            other = next(reversed(largest)) if len(largest) > len(neighbors) + 1 else None
        if other is not None:
            other.drop()
        return other is not None

    def add(self, connection: LimitedProtocol) -> None:
        """Take in a new connection, which waits."""
        self._open.add(connection)
        self._waiting.add(connection)
        self._number += 1

    def note(self, connection: LimitedProtocol) -> None:
        """Take in whether a connection waits now."""
        if connection not in self._open.get(connection.network, {}):
            return
        if connection.is_waiting:
            self._waiting.add(connection)
        else:
            self._waiting.discard(connection)

    def discard(self, connection: LimitedProtocol) -> None:
        """Forget a connection that has ended, or will."""
        if connection in self._open.get(connection.network, {}):
            self._open.discard(connection)
            self._waiting.discard(connection)
            self._number -= 1


class LimitedProtocol(H11Protocol):
    """A connection of uvicorn within the limits of this module.

    ``network``: that of the client, as of `network_of`.
    """

    network: str

    _request_timer: asyncio.TimerHandle | None = None
    _read_timer: asyncio.TimerHandle | None = None
    _is_websocket = False

    def __init__(self, others: Connections, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._others = others

    @property
    def is_waiting(self) -> bool:
        """True unless a complete request is being answered."""
        has_request = self.cycle is not None and not self.cycle.response_complete
        return not has_request or self._is_request_open

    @property
    def _is_request_open(self) -> bool:
        return not self._is_websocket and self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Take in a connection, in place of another if there are too many, or refuse it."""
        super().connection_made(transport)
        self.network = network_of(self.client[0]) if self.client else ""
        if not self._others.make_room(self.network):
            self._refuse()
            return
        self._others.add(self)
        self._time_request()

    def data_received(self, data: bytes) -> None:
        """Take in a part of a request."""
        super().data_received(data)
        self._others.note(self)
        self._time_request()

    def on_response_complete(self) -> None:
        """Wait for the next request, or begin with one that has come already."""
        super().on_response_complete()
        self._others.note(self)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hand the connection over: a WebSocket is no request that has to end."""
        self._is_websocket = True
        self._others.discard(self)
        super().handle_websocket_upgrade(event)

    def pause_writing(self) -> None:
        """Wait until the reader has taken in something."""
        super().pause_writing()
        self._read_timer = self.loop.call_later(READ_S, self.drop)

    def resume_writing(self) -> None:
        """Go on, because the reader has taken in something."""
        super().resume_writing()
        _cancel(self._read_timer)

    def connection_lost(self, exc: Exception | None) -> None:
        """End the request that is being answered."""
        super().connection_lost(exc)
        self._others.discard(self)
        _cancel(self._request_timer)
        _cancel(self._read_timer)

    def _time_request(self) -> None:
        if not self._is_request_open:
            _cancel(self._request_timer)
            self._request_timer = None
        elif self._request_timer is None:
            self._request_timer = self.loop.call_later(REQUEST_S, self.drop)

    def _refuse(self) -> None:
        body = busy().detail.encode()
        head = (
            f"HTTP/1.1 503 Service Unavailable\r\nRetry-After: {RETRY_S}\r\nConnection: close\r\n"
            f"Content-Type: text/plain; charset=utf-8\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        self.connections.discard(self)
        self.transport.write(head.encode() + body)
        self.transport.close()

    def drop(self) -> None:
        """Close the connection without an answer."""
        self._others.discard(self)
        self.connections.discard(self)
        self.transport.abort()


def limited_protocol() -> Any:
    """Connections within the limits of this module, for the ``http`` of one server."""
    return partial(LimitedProtocol, Connections())


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


def busy() -> HTTPException:
    """The answer 503 to somebody for whom there is no room now."""
    return HTTPException(
        503, _("The page is busy. Try again in {n} seconds.", n=RETRY_S), {"retry-after": str(RETRY_S)}
    )
