"""The network between programs in virtual time: requests that are late, lost, doubled and out of order, and cables.

A client is the real one down to its transport, which hands whole requests to a host here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import httpx

from croupier_hub.client import TIMEOUT_S
from tests.simulation.tournament.threads import Threads
from tests.simulation.world import World

_CLIENT: Final = httpx.Client
_USUAL_S: Final = (0.0005, 0.02)


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it is on the wire, from ``source``; ``headers``: those that count."""

    source: str
    method: str
    path: str
    body: bytes = b""
    headers: tuple[tuple[bytes, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer; ``challenge``: of a hub that is busy."""

    status: int
    kind: str
    body: bytes
    challenge: str = ""


@dataclass(eq=False)
class Exchange:
    """A request that is on its way, and who waits for its answer."""

    request: Request
    on_end: Callable[[Reply | Exception], None]
    is_over: bool = False
    on_leave: Callable[[], None] = field(default=lambda: None)
    """Called when nobody waits any more."""


class Host(Protocol):
    """A program that answers."""

    is_running: bool

    def receive(self, exchange: Exchange) -> None:
        """A request arrives."""


class Network:
    """``cut``: addresses that nothing comes from or goes to, and whether that is silent; ``lag_s``: all takes so much
    longer, by chance; ``doubles``, ``losses``: the chance that a request comes twice, that something is lost;
    ``posing``: who answers in place of a host."""

    def __init__(self, world: World, threads: Threads) -> None:
        self._world, self._threads, self._chance = world, threads, world.chance("network")
        self.hosts: dict[str, Host] = {}
        self.posing: dict[str, Host] = {}
        self.cut: dict[str, bool] = {}
        self.lag_s = self.doubles = self.losses = 0.0
        self.requests = 0

    def client(self, **_options: Any) -> httpx.Client:
        """In place of `httpx.Client`."""
        return _CLIENT(transport=_Transport(self))

    def ask(self, host: str, request: Request) -> Reply:
        """Send a request for the thread that runs now, and wait for the answer. Raises httpx's errors."""
        silent = [self.cut[end] for end in (request.source, host) if end in self.cut]
        if silent:
            self._threads.sleep(TIMEOUT_S if any(silent) else self._chance.uniform(*_USUAL_S))
            if any(silent):
                raise httpx.ConnectTimeout("timed out")
            raise httpx.ConnectError("Connection refused")
        done = self._threads.Event()
        ends: list[Reply | Exception] = []

        def end(how: Reply | Exception) -> None:
            ends.append(how)
            done.set()

        exchange = self.send(host, request, end)
        done.wait(TIMEOUT_S)
        exchange.is_over = True
        if not ends:
            self._world.after(self._delay(), exchange.on_leave)
            raise httpx.ReadTimeout("timed out")
        if isinstance(ends[0], Exception):
            raise ends[0]
        return ends[0]

    def send(
        self, host: str, request: Request, on_end: Callable[[Reply | Exception], None] = lambda _: None
    ) -> Exchange:
        """Send a request for whoever does not wait."""
        exchange = Exchange(request, on_end)
        self._world.after(self._delay(), self._arrive, host, exchange)
        if self._chance.random() < self.doubles:
            again = Exchange(request, lambda _: None)
            self._world.after(self._delay() + self._chance.choice((0.0, 0.1, 5.0, 40.0)), self._arrive, host, again)
        return exchange

    def answer(self, host: str, exchange: Exchange, how: Reply | Exception) -> None:
        """A host answers, or its connection breaks off."""
        self._world.after(self._delay(), self._bring, host, exchange, how)

    def _arrive(self, host: str, exchange: Exchange) -> None:
        if self._is_lost(host, exchange):
            return
        self.requests += 1
        to = self.posing.get(host) or self.hosts[host]
        if to.is_running:
            to.receive(exchange)
        else:
            self.answer(host, exchange, httpx.ConnectError("Connection refused"))

    def _bring(self, host: str, exchange: Exchange, how: Reply | Exception) -> None:
        if not exchange.is_over and not self._is_lost(host, exchange):
            exchange.is_over = True
            exchange.on_end(how)

    def _is_lost(self, host: str, exchange: Exchange) -> bool:
        return (bool(self.cut) and (host in self.cut or exchange.request.source in self.cut)) or (
            self.losses > 0 and self._chance.random() < self.losses
        )  # fmt: skip

    def _delay(self) -> float:
        return self._chance.uniform(*_USUAL_S) + (self._chance.uniform(0.0, self.lag_s) if self.lag_s else 0.0)


class _Body(httpx.SyncByteStream):
    def __init__(self, content: bytes) -> None:
        self._content = content

    def __iter__(self) -> Iterator[bytes]:
        yield self._content


class _Transport(httpx.BaseTransport):
    """Of the program that runs now."""

    def __init__(self, network: Network) -> None:
        self._network = network

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """As `httpx.BaseTransport`."""
        source = self._network._threads.program.address
        headers = tuple((name, value) for name, value in request.headers.raw if name.lower() == b"authorization")
        sent = Request(source, request.method, request.url.raw_path.decode(), request.read(), headers)
        reply = self._network.ask(request.url.host, sent)
        told = {"content-type": reply.kind, "www-authenticate": reply.challenge}
        return httpx.Response(reply.status, headers=told, stream=_Body(reply.body))
