"""The HTTP server of a page and of a hub, with limits that keep it for everybody: connections, and requests in time.

uvicorn's own limit (``limit_concurrency``) refuses whoever comes last, and uvicorn waits for a request without end:
half-open requests would keep the readers out. Here a connection that waits gives way to a new one.
"""

from __future__ import annotations

import asyncio
import socket
from collections import defaultdict
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
        protocol: Any = partial(LimitedProtocol, Connections())
        super().__init__(
            uvicorn.Config(
                app, http=protocol, log_level="error", access_log=False, lifespan="off", ws="none",
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


class Connections:
    """The open connections of a server, by the networks of their clients.

    Each new connection asks it, so that it looks at the connections of a few networks, never at all.
    """

    def __init__(self) -> None:
        self._of_network = defaultdict[str, dict[LimitedProtocol, None]](dict)
        """The oldest connection of each network first."""
        self._size = 0

    def add(self, connection: LimitedProtocol) -> None:
        """Take in a new connection."""
        self._of_network[connection.network][connection] = None
        self._size += 1

    def discard(self, connection: LimitedProtocol) -> None:
        """Forget a connection that has ended, or will."""
        of_network = self._of_network.get(connection.network, {})
        if connection in of_network:
            del of_network[connection]
            self._size -= 1
        if not of_network:
            self._of_network.pop(connection.network, None)

    def make_room(self, network: str) -> bool:
        """Close a connection if there are too many for one more from ``network``. Returns False if none gives way."""
        neighbors = self._of_network.get(network, {})
        if len(neighbors) >= MAX_CONNECTIONS_PER_ADDRESS:
            other = next((one for one in neighbors if one.is_waiting), None)
        elif self._size >= MAX_CONNECTIONS:
            other = self._least_needed(len(neighbors))
        else:
            return True
        if other is not None:
            other.drop()
        return other is not None

    def _least_needed(self, neighbors: int) -> LimitedProtocol | None:
        """The oldest connection that waits, of the network where most do; if none waits, the newest one of the largest
        network, unless the one with ``neighbors`` would be as large with one more."""
        largest = sorted(self._of_network.values(), key=len, reverse=True)
        longest = list[LimitedProtocol]()
        for connections in largest:
            if len(connections) <= len(longest):
                break
            waiting = [one for one in connections if one.is_waiting]
            longest = max(longest, waiting, key=len)
        if longest:
            return longest[0]
        return next(reversed(largest[0])) if largest and len(largest[0]) > neighbors + 1 else None


class LimitedProtocol(H11Protocol):
    """A connection of uvicorn within the limits of this module.

    ``network``: that of the client, as of `network_of`.
    """

    network: str

    _request_timer: asyncio.TimerHandle | None = None
    _read_timer: asyncio.TimerHandle | None = None
    _is_websocket = False

    def __init__(self, open_: Connections, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._open = open_

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
        if not self._open.make_room(self.network):
            self._refuse()
            return
        self._open.add(self)
        self._time_request()

    def data_received(self, data: bytes) -> None:
        """Take in a part of a request."""
        super().data_received(data)
        self._time_request()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hand the connection over: a WebSocket is no request that has to end."""
        self._is_websocket = True
        self._open.discard(self)
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
        self._open.discard(self)
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
        self._open.discard(self)
        self.connections.discard(self)
        self.transport.abort()


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


def busy() -> HTTPException:
    """The answer 503 to somebody for whom there is no room now."""
    return HTTPException(
        503, _("The page is busy. Try again in {n} seconds.", n=RETRY_S), {"retry-after": str(RETRY_S)}
    )
