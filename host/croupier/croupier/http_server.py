"""The HTTP server of every page and of a hub, with limits that keep it for everybody: connections, and requests in
time.

uvicorn's own limit (``limit_concurrency``) refuses the last client, and uvicorn waits for a request without end:
half-open requests would keep the readers out. Here a connection that waits gives way to a new one. With TLS a
connection counts from its opening on: asyncio would report it only after the handshake, and silent connections would
use up the descriptors before that. One port may speak both, HTTP and HTTPS: the first byte of a connection shows which.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
import traceback
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from ipaddress import ip_address
from pathlib import Path
from time import monotonic
from typing import Any, Final, Protocol

import h11
import uvicorn
from fastapi import HTTPException
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from croupier.i18n import _
from croupier.networks import EVERY_ADDRESS

MAX_CONNECTIONS: Final = 600
"""Two hundred readers with an event stream and two other connections each; fewer than the usual 1,024 descriptors."""

MAX_CONNECTIONS_PER_ADDRESS: Final = 256
"""Two hundred readers may share the address of one router."""

MAX_TLS_CONNECTIONS: Final = 200
"""The same with TLS, from the opening of the connection on: asyncio keeps a buffer of 256 KB for each, and few phones
film a table."""

ACCEPTED_AT_ONCE: Final = 100
"""Connections beyond `MAX_CONNECTIONS` that have a descriptor for a moment, before another gives way."""

BACKLOG: Final = 1024
"""Pending connections. A connection for which there is no room tries again only after a second."""

REQUEST_S: Final = 10.0
"""Time limit of a request, headers and body, from its first byte or the opening of the connection."""

HANDSHAKE_S: Final = 5.0
"""Time limit of the TLS handshake, from the opening of the connection."""

_TLS_RECORD: Final = 22
"""The first byte of a client that speaks TLS: a record of the handshake (RFC 8446, section 5.1). No method of HTTP
begins with it."""

READ_S: Final = 30.0
"""A reader who takes in nothing of an answer for this time is cut off."""

_TICKS_S: Final = 10
"""Turns of uvicorn's loop in a second."""

_WARN_S: Final = 60.0
_log: Final = logging.getLogger(__name__)

RETRY_S: Final = 5
"""Time after which a refused client may try again."""


def listening_socket(host: str, port: int, *, reuse_port: bool = False) -> socket.socket:
    """A socket that listens; at 0.0.0.0, as at ::, to all addresses of IPv4 and of IPv6. ``port``: 0 for any;
    ``reuse_port``: others may listen there too. Raises `OSError`."""
    is_both = host in EVERY_ADDRESS and socket.has_dualstack_ipv6()
    host = "::" if is_both else host
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server(
        (host, port), family=family, backlog=BACKLOG, reuse_port=reuse_port, dualstack_ipv6=is_both
    )  # connections wait for the server
    # Nagle's algorithm would hold the body of each answer until the client acknowledges its head, some 40 ms later.
    # asyncio turns it off only where a socket names its protocol; connections take it over from their listener.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


class LimitedServer(uvicorn.Server):
    """A server of ``app`` within the limits of this module. ``shutdown_s``: time for open requests at the end;
    ``certificate``: a file with certificate and key, for HTTPS; ``and_http``: HTTP is spoken at the same port, too;
    ``every``: what is done every so many seconds while it serves, in its event loop; ``options``: more of
    `uvicorn.Config`.

    Raises:
        OSError: the certificate cannot be used.
    """

    def __init__(
        self, app: ASGIApp, shutdown_s: int, *, certificate: Path | None = None, and_http: bool = False,
        every: tuple[float, Callable[[], None]] | None = None, **options: Any,
    ) -> None:  # fmt: skip
        self._log, self._every = RareWarnings(), every
        self._context = None if certificate is None else ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        if certificate is not None:
            self.use_certificate(certificate)
        options = {"ws": "none", "log_level": "error"} | options
        super().__init__(
            uvicorn.Config(
                app, http=_limited_protocol(self._context, self._log, and_http=and_http), access_log=False,
                lifespan="off", backlog=ACCEPTED_AT_ONCE, timeout_graceful_shutdown=shutdown_s, server_header=False,
                proxy_headers=False, **options,
            )
        )  # fmt: skip

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve (uvicorn)."""
        asyncio.get_running_loop().set_exception_handler(self._handle)
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(BACKLOG)  # asyncio has set its own: what it accepts at once

    def use_certificate(self, certificate: Path) -> None:
        """Serve the connections that come from now on with this certificate; the others go on. Raises OSError."""
        assert self._context is not None
        self._context.load_cert_chain(certificate)

    async def on_tick(self, counter: int) -> bool:
        """Ten times a second (uvicorn); whether the server is to end."""
        if self._every is not None and counter % round(self._every[0] * _TICKS_S) == 0:
            self._every[1]()
        return await super().on_tick(counter)

    def _handle(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """An error that nobody caught. asyncio reports one of the network, as where descriptors are used up, a
        hundred times a second, with a traceback each."""
        if isinstance(err := context.get("exception"), OSError):
            self._log.warn(f"{context['message']}: {err.strerror or err}")
        else:
            loop.default_exception_handler(context)


def fingerprint(certificate: Path) -> str:
    """The SHA-256 of the certificate in a file (PEM), with or without its key, as browsers show it. Raises OSError."""
    _key, begin, rest = certificate.read_text(encoding="ascii").partition("-----BEGIN CERTIFICATE-----")
    return sha256(ssl.PEM_cert_to_DER_cert(begin + rest)).digest().hex(":").upper()


class RareWarnings:
    """Warnings in the log, one line a minute at most, however often somebody causes them. ``clock``: in seconds."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._next, self._left_out = float("-inf"), 0

    def warn(self, text: str) -> None:
        """Log ``text``, with the number of those that were left out since the last."""
        if (now := self._clock()) < self._next:
            self._left_out += 1
            return
        more = f" ({self._left_out} more since the last warning)" if self._left_out else ""
        _log.warning("%s%s", text, more)
        self._next, self._left_out = now + _WARN_S, 0


def network_of(host: str) -> str:
    """The network that counts as one client: an IPv4 address, or the /64 in which an IPv6 host chooses addresses."""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if address.version == 4:
        return host
    return str(address.ipv4_mapped or int(address) >> 64)


class Connection(Protocol):
    """What gives way to others. ``network``: that of the client, as of `network_of`."""

    network: str

    @property
    def is_waiting(self) -> bool:
        """True unless a complete request is being answered."""

    def drop(self) -> None:
        """Close the connection without an answer."""


class _ByNetwork(dict[str, dict[Connection, None]]):
    """Connections by the networks of their clients, those of each network in the order in which they were added."""

    def add(self, connection: Connection) -> None:
        self.setdefault(connection.network, {})[connection] = None

    def discard(self, connection: Connection) -> None:
        of_network = self.get(connection.network, {})
        of_network.pop(connection, None)
        if not of_network:
            self.pop(connection.network, None)

    def of_largest(self) -> dict[Connection, None]:
        """The connections of the network that has most."""
        return max(self.values(), key=len, default={})


class Connections:
    """The open connections of a server, and which of them wait, by network. A full server compares the networks for a
    new connection, but not each connection. ``has_tls``: each has the buffer of TLS."""

    def __init__(self, log: RareWarnings, *, has_tls: bool = False) -> None:
        self._log, self._has_tls = log, has_tls
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
        elif self._number < (min(MAX_CONNECTIONS, MAX_TLS_CONNECTIONS) if self._has_tls else MAX_CONNECTIONS):
            return True
        elif self._waiting:
            other = next(iter(self._waiting.of_largest()))
        else:
            largest = self._open.of_largest()
            other = next(reversed(largest)) if len(largest) > len(neighbors) + 1 else None
        self._log.warn(f"{self._number} connections, {len(neighbors)} of them from {network or 'an unknown network'}: "
                       "those that wait give way to others")  # fmt: skip
        if other is not None:
            other.drop()
        return other is not None

    def add(self, connection: Connection) -> None:
        """Take in a new connection, which waits."""
        self._open.add(connection)
        self._waiting.add(connection)
        self._number += 1

    def note(self, connection: Connection) -> None:
        """Take in whether a connection waits now."""
        if connection not in self._open.get(connection.network, {}):
            return
        if connection.is_waiting:
            self._waiting.add(connection)
        else:
            self._waiting.discard(connection)

    def discard(self, connection: Connection) -> None:
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


class _Newcomer(asyncio.BaseProtocol):
    """A connection that waits like others until a protocol of HTTP takes it over."""

    network = ""
    is_waiting = True

    def __init__(self, others: Connections) -> None:
        self._others = others

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take in a connection, in place of another if there are too many, or close it."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        peer = transport.get_extra_info("peername")
        self.network = network_of(peer[0]) if peer else ""
        if not self._others.make_room(self.network):
            transport.abort()
            return
        self._others.add(self)
        self._begin()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone."""
        self._leave()

    def drop(self) -> None:
        """Close the connection without an answer."""
        self._leave()
        self._transport.abort()

    def _begin(self) -> None:
        """Wait for what the client sends, once there is room for it."""

    def _leave(self) -> None:
        self._others.discard(self)


class TlsHandshake(_Newcomer, asyncio.Protocol):
    """A connection before its handshake; then the protocol of ``make`` takes it over. ``begun``: what the client has
    sent of the handshake and was read before."""

    def __init__(
        self, others: Connections, context: ssl.SSLContext, make: Callable[[], LimitedProtocol], begun: bytes = b""
    ) -> None:
        super().__init__(others)
        self._context, self._make, self._begun = context, make, begun
        self._early, self._is_lost = b"", False

    def _begin(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._shake_hands())

    def data_received(self, data: bytes) -> None:
        """Keep what came with the end of the handshake."""
        self._early += data

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone."""
        super().connection_lost(exc)
        self._is_lost = True

    async def _shake_hands(self) -> None:
        loop = asyncio.get_running_loop()
        start = loop.start_tls(
            self._transport, self, self._context, server_side=True, ssl_handshake_timeout=HANDSHAKE_S
        )
        try:
            secure = await (self._replayed(loop.create_task(start)) if self._begun else start)
        except OSError as err:  # also what is no TLS, and the end of the time
            traceback.clear_frames(err.__traceback__)  # they hold each other, and asyncio's buffer of 256 KB
            self.drop()
            return
        self._others.discard(self)
        if secure is None or self._is_lost:
            return
        protocol = self._make()
        secure.set_protocol(protocol)
        protocol.connection_made(secure)
        if self._early:
            protocol.data_received(self._early)

    async def _replayed(self, start: asyncio.Task[asyncio.Transport | None]) -> asyncio.Transport | None:
        """Give TLS the bytes that were read before, once it has taken over and before it reads."""
        await asyncio.sleep(0)
        tls = self._transport.get_protocol()
        assert isinstance(tls, asyncio.BufferedProtocol)
        memoryview(tls.get_buffer(len(self._begun)))[: len(self._begun)] = self._begun
        tls.buffer_updated(len(self._begun))
        return await start


class FirstByte(_Newcomer, asyncio.BufferedProtocol):
    """A connection of which one byte is read, which tells whether ``secure`` or ``plain`` takes it over."""

    _timer: asyncio.TimerHandle | None = None

    def __init__(
        self, others: Connections, plain: Callable[[], LimitedProtocol], secure: Callable[[bytes], TlsHandshake]
    ) -> None:
        super().__init__(others)
        self._plain, self._secure = plain, secure
        self._byte = bytearray(1)

    def _begin(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(REQUEST_S, self.drop)

    def get_buffer(self, _sizehint: int) -> bytearray:
        """Where the byte is put."""
        return self._byte

    def buffer_updated(self, _nbytes: int) -> None:
        """Hand the connection over."""
        self._leave()
        first = bytes(self._byte)
        protocol = self._secure(first) if first[0] == _TLS_RECORD else self._plain()
        if isinstance(protocol, TlsHandshake):
            self._transport.pause_reading()
        self._transport.set_protocol(protocol)
        protocol.connection_made(self._transport)
        if isinstance(protocol, LimitedProtocol) and not self._transport.is_closing():
            protocol.data_received(first)

    def _leave(self) -> None:
        super()._leave()
        _cancel(self._timer)


def _limited_protocol(context: ssl.SSLContext | None, log: RareWarnings, *, and_http: bool) -> Any:
    """Connections within the limits of this module, for the ``http`` of one server."""
    plain = Connections(log)
    if context is None:
        return partial(LimitedProtocol, plain)
    secure = Connections(log, has_tls=True)

    def handshake(begun: bytes, options: dict[str, Any]) -> TlsHandshake:
        return TlsHandshake(secure, context, partial(LimitedProtocol, secure, **options), begun)

    if not and_http:
        return lambda **options: handshake(b"", options)
    return lambda **options: FirstByte(
        plain, partial(LimitedProtocol, plain, **options), partial(handshake, options=options)
    )


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


def busy() -> HTTPException:
    """The answer 503 to somebody for whom there is no room now."""
    return HTTPException(
        503, _("The page is busy. Try again in {n} seconds.", n=RETRY_S), {"retry-after": str(RETRY_S)}
    )
