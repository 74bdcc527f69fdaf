"""What a hub has done, for Prometheus: `GET /metrics` in its text format.

The names of requests are few and fixed, whatever strangers ask for: a series is kept for each. Several processes count
in files of one folder, which the parent names by Prometheus's own environment variable; each answers for all of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from importlib.metadata import PackageNotFoundError, version
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Final

from fastapi.concurrency import run_in_threadpool
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from croupier_hub.health import PATHS as HEALTH
from croupier_hub.messages import Verdict

METRICS: Final = "/metrics"

_FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
_FRESH_S: Final = 1.0
"""However many ask, it is counted up at most so often."""

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT"})
_NAMES: Final = frozenset({"add-checkpoint", "checkpoints", "director", "logs", "receipts", "results", "standings"})
WATCHERS: Final = frozenset({*HEALTH, METRICS})
"""What is asked by what watches over the hub: answered however much is asked of it otherwise, and cheaply."""
_SECONDS: Final = (0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Limits of the times of answers: a result is in the standings within half a second where a hub keeps up."""

disable_created_metrics()  # type: ignore[no-untyped-call]


def request_name(path: str) -> str:
    """What a request is counted as: one of the protocol by its first word, all pages as ``page``."""
    word = path.split("/", 2)[1] if path.startswith("/") else ""
    if path in WATCHERS:
        return word
    return word if word in _NAMES else "page"


class Metrics:
    """Of one hub. ``clock``: monotonic seconds; ``is_ready``: whether the database can be used, at `GET /metrics`."""

    def __init__(self, clock: Callable[[], float], is_ready: Callable[[], bool]) -> None:
        self._clock, self._lock = clock, Lock()
        self._counted, self._now = CollectorRegistry(), CollectorRegistry()
        self._requests = Counter(
            "croupier_hub_requests", "Requests, by their first word, and by what was answered.",
            ("request", "method", "status"), registry=self._counted,
        )  # fmt: skip
        self._seconds = Histogram(
            "croupier_hub_request_seconds", "Time until an answer was sent whole.",
            ("request",), registry=self._counted, buckets=_SECONDS,
        )  # fmt: skip
        self._lines = Counter(
            "croupier_hub_lines", "Lines of logs that came in, by what became of them; again is again.",
            ("verdict",), registry=self._counted,
        )  # fmt: skip
        self._now.register(_Present(is_ready))
        if not os.environ.get(_FOLDER):
            ProcessCollector(registry=self._now)
        self._until, self._text = float("-inf"), b""

    @property
    def route(self) -> Route:
        """For the application of the hub."""
        return Route(METRICS, self._show)

    def count_lines(self, verdict: Verdict, lines: int) -> None:
        """Count lines that came in one piece."""
        self._lines.labels(verdict.value).inc(lines)

    def count_request(self, path: str, method: str, status: int, began: float) -> None:
        """Count a request that was answered now. ``began``: by the clock."""
        name = request_name(path)
        self._requests.labels(name, method if method in _METHODS else "other", str(status)).inc()
        self._seconds.labels(name).observe(self._clock() - began)

    async def _show(self, _request: Request) -> Response:
        return Response(await run_in_threadpool(self._generate), media_type=CONTENT_TYPE_LATEST)

    def _generate(self) -> bytes:
        with self._lock:
            if self._clock() >= self._until:
                counted = self._counted
                if folder := os.environ.get(_FOLDER):
                    counted = CollectorRegistry()
                    MultiProcessCollector(counted, folder)  # type: ignore[no-untyped-call]
                self._text = generate_latest(self._now) + generate_latest(counted)
                self._until = self._clock() + _FRESH_S
            return self._text


class _Present(Collector):
    """What is so at the moment."""

    def __init__(self, is_ready: Callable[[], bool]) -> None:
        self._is_ready = is_ready
        try:
            self._version = version("croupier-hub")
        except PackageNotFoundError:
            self._version = "unknown"

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """The present values (Prometheus)."""
        ready = GaugeMetricFamily(
            "croupier_hub_ready", "1 while the database answers and has the right schema, else 0."
        )
        ready.add_metric([], float(self._is_ready()))
        yield ready
        build = GaugeMetricFamily("croupier_hub_build_info", "The version of the program.", labels=["version"])
        build.add_metric([self._version], 1.0)
        yield build


class MetricsMiddleware:
    """Counts requests, and what was answered to them. ``clock``: monotonic seconds."""

    def __init__(self, app: ASGIApp, metrics: Metrics, clock: Callable[[], float]) -> None:
        self._app, self._metrics, self._clock = app, metrics, clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request (ASGI)."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = self._clock(), int(HTTPStatus.INTERNAL_SERVER_ERROR)

        async def noted(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self._app(scope, receive, noted)
        finally:
            self._metrics.count_request(scope["path"], scope["method"], status, began)


@contextmanager
def counted_together() -> Iterator[None]:
    """Context in which the processes that are started count together. It comes before anything is counted here."""
    with TemporaryDirectory(prefix="croupier-hub-") as folder:
        before = os.environ.get(_FOLDER)
        os.environ[_FOLDER] = folder
        try:
            yield
        finally:
            os.environ.pop(_FOLDER)
            if before is not None:
                os.environ[_FOLDER] = before
