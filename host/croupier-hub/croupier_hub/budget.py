"""A budget for what everybody may ask of a hub: while it is too much, those who ask most wait.

Lines that are accepted cost nothing, so that a table that was away for long sends all it has. Everything else costs
what it takes of a processor, in units of 3 ms; `croupier bench budget` measures that, and what a hall asks for.

While all together stay within `MOST`, nobody is limited: many readers may share the address of one router. Beyond that,
each network has the same share of `MOST`, and a network that has used it up is refused before the request is read.
Writers who show who they are (`croupier_hub.passes`) have a budget of their own then, of which each key has its share:
strangers behind the same router use up nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from math import exp
from typing import Final

from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from croupier.http_server import busy, network_of
from croupier_hub.metrics import WATCHERS
from croupier_hub.passes import Passes

WINDOW_S: Final = 10.0
"""Time constant of the recorded cost: it decays to 1/e in this time."""

MOST: Final = 1500.0
"""Units of all networks in a window: not half a core, beside the lines of the tables. Measured: 1,341 for a hall behind
one router, with 200 tables, ten with an open call, desk and screens, and 400 spectators who load the page once a
minute."""

_READS: Final = 1.5
"""Measured: 3.6 to 5.3 ms for the director's log, 4.2 to 4.6 ms for calls and the screen, 4.6 to 6.4 ms for the proof
of a log."""

_BYTES: Final = 20_000
"""Of an answer, for a unit beside that. Measured: 67,686 bytes take 12.6 ms, 217,335 take 36.8 ms. The desk takes more,
37.9 ms for 77,099 bytes with 200 tables, but only the director may look at it."""

_REFUSED: Final = 2.0
"""Measured: 2.3 to 4.6 ms for lines that are not accepted, 5.6 ms for a receipt that nobody has."""

_FORGOTTEN: Final = 0.01


class Budget:
    """Recent cost of each network, or of each writer. ``clock``: in seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._costs: dict[str, float] = {}
        self._total = 0.0
        self._at = clock()

    def may_ask(self, network: str) -> bool:
        """True if somebody in ``network`` may ask for something now."""
        self._forget()
        return self._total < MOST or self._costs.get(network, 0.0) < MOST / len(self._costs)

    def spend(self, network: str, cost: float) -> None:
        """Count what somebody in ``network`` has cost."""
        self._costs[network] = self._costs.get(network, 0.0) + cost
        self._total += cost

    def _forget(self) -> None:
        now = self._clock()
        if (past := now - self._at) < WINDOW_S / 100:
            return
        self._at = now
        share = exp(-past / WINDOW_S)
        self._costs = {one: left for one, cost in self._costs.items() if (left := cost * share) > _FORGOTTEN}
        self._total = sum(self._costs.values())


class BudgetMiddleware:
    """Answers 503 to networks whose budget is used up, but not to writers with a pass. ``clock``: monotonic seconds."""

    def __init__(self, app: ASGIApp, clock: Callable[[], float], passes: Passes) -> None:
        self._app, self._passes = app, passes
        self._of_networks, self._of_writers = Budget(clock), Budget(clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request (ASGI)."""
        if scope["type"] != "http" or scope["path"] in WATCHERS:
            await self._app(scope, receive, send)
            return
        client = scope.get("client")
        network = network_of(client[0]) if client else ""
        if self._of_networks.may_ask(network):
            budget, who = self._of_networks, network
        elif (key := await self._writer(network, scope)) is not None and self._of_writers.may_ask(key):
            budget, who = self._of_writers, key
        else:
            refusal = busy()
            headers = {**(refusal.headers or {}), "www-authenticate": self._passes.challenge(network)}
            await PlainTextResponse(refusal.detail, refusal.status_code, headers)(scope, receive, send)
            return
        status, size = int(HTTPStatus.INTERNAL_SERVER_ERROR), 0

        async def noted(message: Message) -> None:
            nonlocal status, size
            status, size = message.get("status", status), size + len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receive, noted)
        finally:
            budget.spend(who, cost(scope["method"], status, size))

    async def _writer(self, network: str, scope: Scope) -> str | None:
        """The key of the writer whose request this is; None without a pass, or while the database is away."""
        if not (text := Headers(scope=scope).get("authorization", "")):
            return None
        try:
            return await run_in_threadpool(self._passes.key, network, text)
        except SQLAlchemyError:
            return None


def cost(method: str, status: int, size: int) -> float:
    """What a request costs that was answered with this ``status`` and ``size`` (bytes)."""
    if status >= HTTPStatus.BAD_REQUEST:
        return _REFUSED + size / _BYTES
    return (0.0 if method == "PUT" else _READS) + size / _BYTES
