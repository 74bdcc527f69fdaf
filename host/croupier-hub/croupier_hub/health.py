"""Is a hub alive, and ready? For whatever watches over it, as a proxy, systemd or Kubernetes.

`GET /healthz`: the process answers. `GET /readyz`: the database answers, too, and has the schema of this version;
otherwise 503, and the hub's log says why. Both are answered however much is asked of the hub otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from threading import Lock
from typing import Final

from fastapi.concurrency import run_in_threadpool
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from croupier_hub.errors import BadHub
from croupier_hub.schema import check
from croupier_hub.store import LogStore
from croupier_hub.tables import LOGS

ALIVE: Final = "/healthz"
READY: Final = "/readyz"
PATHS: Final = (ALIVE, READY)

_FRESH_S: Final = 1.0
"""However many ask, the database is asked at most so often."""


class Health:
    """Of a hub with this store. ``clock``: monotonic seconds."""

    def __init__(self, store: LogStore, clock: Callable[[], float]) -> None:
        self._store, self._clock, self._lock = store, clock, Lock()
        self._until, self._is_ready = float("-inf"), False

    @property
    def routes(self) -> list[Route]:
        """For the application of the hub."""
        return [Route(ALIVE, self._alive), Route(READY, self._ready)]

    async def _alive(self, _request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def _ready(self, _request: Request) -> Response:
        if await run_in_threadpool(self.is_ready):
            return JSONResponse({"status": "ok"})
        return JSONResponse({"status": "the database is not ready"}, HTTPStatus.SERVICE_UNAVAILABLE)

    def is_ready(self) -> bool:
        """Whether the database can be used, as it was within the last second."""
        with self._lock:
            if self._clock() >= self._until:
                self._is_ready = self._answers()
                self._until = self._clock() + _FRESH_S
            return self._is_ready

    def _answers(self) -> bool:
        try:
            if self._store.engine.dialect.name == "postgresql":
                check(self._store.engine)
            with self._store.engine.connect() as connection:
                connection.execute(select(LOGS.c.name).limit(1)).all()
        except (SQLAlchemyError, BadHub) as err:
            self._store.failures.report(err)
            return False
        return True
