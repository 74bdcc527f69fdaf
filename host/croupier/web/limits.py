"""Limits that keep the page for everybody: connections, requests in time, long work, and login attempts.

uvicorn's own limit (``limit_concurrency``) refuses whoever comes last, and uvicorn waits for a request without end:
half-open requests would keep the readers out. Here a connection that waits gives way to a new one.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from ipaddress import ip_address
from itertools import count
from threading import Lock
from typing import Final, TypeVar

import h11
from fastapi import HTTPException
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

_FREE_ATTEMPTS: Final = 5
_FIRST_WAIT_S: Final = 30.0
_MAX_DOUBLINGS: Final = 6
_FORGET_S: Final = 3600.0
"""Time after the last wait of an address from which its wrong codes are forgotten."""

_MAX_ATTEMPTS: Final = 30
_ATTEMPT_S: Final = 2.0
"""All addresses together may send thirty wrong codes at once, and then one every two seconds."""

T = TypeVar("T")


def network_of(host: str) -> str:
    """The network that counts as one client: an IPv4 address, or the /64 in which an IPv6 host chooses addresses."""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if address.version == 4:
        return host
    return str(address.ipv4_mapped or int(address) >> 64)


class LimitedProtocol(H11Protocol):
    """A connection of uvicorn within the limits of this module."""

    _numbers: Final = count()
    number: int
    network: str
    """The place in the order of all connections; the network of the client, as of `network_of`."""

    _request_timer: asyncio.TimerHandle | None = None
    _read_timer: asyncio.TimerHandle | None = None
    _is_websocket = False

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
        others = [other for other in self.connections if isinstance(other, LimitedProtocol)]  # no WebSockets
        super().connection_made(transport)
        self.number, self.network = next(self._numbers), network_of(self.client[0]) if self.client else ""
        neighbors = [other for other in others if other.network == self.network]
        for crowd, most in ((neighbors, MAX_CONNECTIONS_PER_ADDRESS), (others, MAX_CONNECTIONS)):
            if len(crowd) >= most and not self._displace(crowd, len(neighbors)):
                self._refuse()
                return
        self._time_request()

    def data_received(self, data: bytes) -> None:
        """Take in a part of a request."""
        super().data_received(data)
        self._time_request()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hand the connection over: a WebSocket is no request that has to end."""
        self._is_websocket = True
        super().handle_websocket_upgrade(event)

    def pause_writing(self) -> None:
        """Wait until the reader has taken in something."""
        super().pause_writing()
        self._read_timer = self.loop.call_later(READ_S, self._drop)

    def resume_writing(self) -> None:
        """Go on, because the reader has taken in something."""
        super().resume_writing()
        _cancel(self._read_timer)

    def connection_lost(self, exc: Exception | None) -> None:
        """End the request that is being answered."""
        super().connection_lost(exc)
        _cancel(self._request_timer)
        _cancel(self._read_timer)

    def _time_request(self) -> None:
        if not self._is_request_open:
            _cancel(self._request_timer)
            self._request_timer = None
        elif self._request_timer is None:
            self._request_timer = self.loop.call_later(REQUEST_S, self._drop)

    def _displace(self, crowd: Collection[LimitedProtocol], neighbors: int) -> bool:
        """Close a connection of the network with most connections in ``crowd``: the oldest one of those that wait; if
        none waits, the newest one, unless the new connection's network would then have as many."""
        waiting = [other for other in crowd if other.is_waiting]
        ((network, most),) = Counter(other.network for other in waiting or crowd).most_common(1)
        if not waiting and most <= neighbors + 1:
            return False
        of_network = [other for other in waiting or crowd if other.network == network]
        (min if waiting else max)(of_network, key=lambda other: other.number)._drop()
        return True

    def _refuse(self) -> None:
        body = busy().detail.encode()
        head = (
            f"HTTP/1.1 503 Service Unavailable\r\nRetry-After: {RETRY_S}\r\nConnection: close\r\n"
            f"Content-Type: text/plain; charset=utf-8\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        self.connections.discard(self)
        self.transport.write(head.encode() + body)
        self.transport.close()

    def _drop(self) -> None:
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


class BoundedExecutor:
    """One thread with a short queue, for work during which the other readers must not wait.

    ``most``: calls that run or wait; ``most_per_network``: of these, calls for one network.
    """

    def __init__(self, name: str, most: int, most_per_network: int) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._most, self._most_per_network = most, most_per_network
        self._pending = Counter[str]()
        self._lock = Lock()

    async def run(self, network: str, call: Callable[[], T]) -> T:
        """The result of ``call`` in the thread, for a client in ``network``, in the language of the caller.

        Raises:
            HTTPException: 503, because too many calls run or wait already.
        """
        with self._lock:
            if self._pending.total() >= self._most or self._pending[network] >= self._most_per_network:
                raise busy()
            self._pending[network] += 1
        future = self._executor.submit(copy_context().run, call)
        future.add_done_callback(lambda _future: self._end(network))
        return await asyncio.wrap_future(future)

    def _end(self, network: str) -> None:
        with self._lock:
            self._pending -= Counter({network: 1})  # drops the networks without calls


class LoginThrottle:
    """Delays login attempts: after `_FREE_ATTEMPTS` wrong codes from one network for `_FIRST_WAIT_S`, doubled with each
    further one; and those from everywhere, if there are too many.

    A right code takes back its own attempt and nothing else, so that nobody tries codes between logins with an own one.
    ``now`` is in seconds of a monotonic clock.
    """

    def __init__(self) -> None:
        self._wrong: dict[str, tuple[int, float]] = {}
        """By network: the number of wrong codes, and the end of the wait (s)."""
        self._all_until = 0.0
        """When the attempts of all networks would be worked off, at one in `_ATTEMPT_S` (s)."""

    def wait_s(self, network: str, now: float) -> float:
        """Seconds until somebody in ``network`` may try; 0: now."""
        all_s = self._all_until - now - (_MAX_ATTEMPTS - 1) * _ATTEMPT_S
        return max(0.0, self._wrong.get(network, (0, 0.0))[1] - now, all_s)

    def begin_attempt(self, network: str, now: float) -> None:
        """Count an attempt as wrong, before the code is checked: attempts at the same time do not get past."""
        self._all_until = max(self._all_until, now) + _ATTEMPT_S
        # No more than the attempts of an hour are kept, which the limit for all networks bounds.
        self._wrong = {one: wrong for one, wrong in self._wrong.items() if wrong[1] + _FORGET_S > now}
        number = self._wrong.get(network, (0, 0.0))[0] + 1
        doublings = min(number - _FREE_ATTEMPTS, _MAX_DOUBLINGS)
        self._wrong[network] = (number, now + (_FIRST_WAIT_S * 2**doublings if doublings >= 0 else 0.0))

    def take_back(self, network: str, now: float) -> None:
        """Do not count an attempt of ``network`` that was not wrong."""
        self._all_until -= _ATTEMPT_S
        number = self._wrong.get(network, (0, 0.0))[0] - 1
        self._wrong[network] = (max(0, number), now)
