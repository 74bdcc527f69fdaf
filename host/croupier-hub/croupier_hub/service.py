"""The hub over HTTP: tables and other hubs send their logs, anybody reads the standings.

`PUT /logs/{log}/{start}` takes ``{"lines": [TEXT, …], "head": HEX, "signature": HEX}`` and answers
``{"verdict", "accepted_to", "head"}`` after the commit. A club sends the same to a federation. `GET /director/{start}`
answers the director's log in this form; tables' logs have hidden cards. `GET /standings`, `GET /results` and
`GET /checkpoints/{log}`, the newest head of a log, signed (`croupier_hub.checkpoints`), are for everybody; with
``?old=N`` it comes with the proof for a witness; `POST /add-checkpoint` is this hub as a witness. For everybody is also
`GET /receipts/{code}`, the result with the receipt of a score sheet, and the proof that it is in the log;
`croupier_hub.health` and `croupier_hub.metrics` for whatever watches over the hub. While it is too much for a network,
the answer is 503, with a nonce for writers (`croupier_hub.passes`).
"""

from __future__ import annotations

import re
import time
from asyncio import FIRST_COMPLETED, ensure_future, get_running_loop, wait
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from http import HTTPStatus
from pathlib import Path as FilePath
from threading import Lock
from typing import Annotated, Any, Final

from fastapi import FastAPI, Path, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic import ValidationError
from sqlalchemy.exc import SQLAlchemyError
from starlette.routing import Route

from croupier.journal.receipt import read_code
from croupier_hub.budget import BudgetMiddleware
from croupier_hub.checkpoints import MOST_BYTES as MOST_NOTE
from croupier_hub.checkpoints import Growth
from croupier_hub.cosigning import Cosigner
from croupier_hub.fold import Fold
from croupier_hub.group_commit import FEW
from croupier_hub.health import Health
from croupier_hub.messages import Body, Verdict
from croupier_hub.metrics import Metrics, MetricsMiddleware
from croupier_hub.passes import Passes
from croupier_hub.signed_log import Sent
from croupier_hub.standings import Log
from croupier_hub.store import LogStore

MOST_BYTES: Final = 1_000_000
"""Of one request; a longer log is sent in pieces."""

_LOG: Final = re.compile("[0-9a-f]{64}")
_NUMBER: Final = re.compile("[0-9]{1,10}")
_MOST_LINES: Final = 1 << 30
_STATUS: Final = {
    Verdict.ACCEPTED: HTTPStatus.OK,
    Verdict.FORK: HTTPStatus.CONFLICT,
    Verdict.GAP: HTTPStatus.CONFLICT,
    Verdict.CHAIN: HTTPStatus.CONFLICT,
    Verdict.SIGNATURE: HTTPStatus.FORBIDDEN,
    Verdict.UNKNOWN: HTTPStatus.FORBIDDEN,
}


class Newest:
    """The tournament as the store has it now; only what is new is read. Called, it is a context with the fold, of all
    lines that were in the store before the call. Callers who wait for each other share one look at the store.
    Thread-safe.

    ``follow``: gets what is new of each log, too.
    """

    def __init__(self, store: LogStore, follow: Callable[[str, Log], None] = lambda _name, _log: None) -> None:
        self.store, self._follow = store, follow
        self._fold, self._folding = Fold(store.director, store), Lock()
        self._begun = self._done = 0
        """The number of looks at the store that have begun, and that of the last one that succeeded."""

    @contextmanager
    def __call__(self) -> Iterator[Fold]:
        """The fold of all lines in the store."""
        begun_before = self._begun
        with self._folding:
            if self._done <= begun_before:
                self._begun = look = self._begun + 1
                for name, log in self.store.news(self._fold.known):
                    self._fold.add(name, log)
                    self._follow(name, log)
                self._done = look
            yield self._fold


def create_hub(
    store: LogStore, newest: Newest | None = None, clock: Callable[[], float] = time.time,
    cosign_for: FilePath | None = None,
) -> FastAPI:  # fmt: skip
    """The application over a store. ``clock``: seconds since 1970. ``cosign_for``: as in `Cosigner`."""
    newest, cosigner = newest or Newest(store), Cosigner(store, cosign_for)

    async def put_lines(request: Request) -> Response:
        log, digits = request.path_params["log"], request.path_params["start"]
        if not _LOG.fullmatch(log) or not _NUMBER.fullmatch(digits) or (start := int(digits)) > _MOST_LINES:
            return _refused(HTTPStatus.UNPROCESSABLE_ENTITY, f"expected /logs/KEY/LINE, a line up to {_MOST_LINES}")
        if (content := await _content(request, MOST_BYTES)) is None:
            return _refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"expected at most {MOST_BYTES} bytes")
        try:
            body = Body.model_validate_json(content)
        except ValidationError as err:
            first = err.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"]))
            return _refused(HTTPStatus.UNPROCESSABLE_ENTITY, f"{where}: {first['msg']}")
        sent = Sent(log, start, tuple(body.lines), bytes.fromhex(body.head), bytes.fromhex(body.signature))
        committed = store.submit(sent)
        if not await _is_awaited(request if len(sent.lines) > FEW else None, committed):
            return Response(status_code=HTTPStatus.REQUEST_TIMEOUT)
        answer = committed.result()
        metrics.count_lines(answer.verdict, len(sent.lines))
        data: dict[str, Any] = {"verdict": answer.verdict, "accepted_to": answer.accepted_to, "head": answer.head.hex()}
        return JSONResponse(data, _STATUS[answer.verdict])

    # As a route of Starlette: what FastAPI does for a request takes as long as all the rest.
    lines = Route("/logs/{log}/{start}", put_lines, methods=["PUT"])
    health = Health(store, time.monotonic)
    metrics = Metrics(time.monotonic, health.is_ready)
    app = FastAPI(title="Croupier hub", docs_url=None, redoc_url=None, routes=[lines, *health.routes, metrics.route])
    passes = Passes(cosigner.secret("passes"), clock, store.has)
    app.add_middleware(BudgetMiddleware, clock=time.monotonic, passes=passes)
    app.add_middleware(MetricsMiddleware, metrics=metrics, clock=time.monotonic)

    @app.get("/director/{start}")
    def get_director(start: Annotated[int, Path(ge=0, le=_MOST_LINES)]) -> Response:
        sent = store.sent(store.director, start)
        return JSONResponse({"log": sent.log} | Body.of(sent).model_dump())

    @app.get("/checkpoints/{log}")
    def get_checkpoint(
        log: Annotated[str, Path(pattern=f"^{_LOG.pattern}$")],
        old: Annotated[int | None, Query(ge=0, le=_MOST_LINES)] = None,
    ) -> Response:
        note = store.checkpoint(log) if old is None else store.growth(log, old)[1]
        return _refused(HTTPStatus.NOT_FOUND, "no lines of this log") if note is None else PlainTextResponse(note)

    @app.post("/add-checkpoint")
    async def add_checkpoint(request: Request) -> Response:
        if (content := await _content(request, MOST_NOTE)) is None:
            return _refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"expected at most {MOST_NOTE} bytes")
        try:
            growth = Growth.parse(content.decode())
        except ValueError as err:  # also BadCheckpoint
            return _refused(HTTPStatus.BAD_REQUEST, str(err))
        status, text = await run_in_threadpool(cosigner.add, growth, int(clock()))
        kind = "text/x.tlog.size" if status == HTTPStatus.CONFLICT else "text/plain; charset=utf-8"
        return Response(text, status, media_type=kind)

    @app.get("/receipts/{code}.json")
    def get_receipt(code: str) -> Response:
        if (found := find_receipt(newest, code)) is None:
            return _refused(HTTPStatus.NOT_FOUND, "no result with this receipt")
        return JSONResponse(found)

    @app.get("/standings")
    def get_standings() -> Response:
        with newest() as now:
            return Response(now.standings(), media_type="application/json")

    @app.get("/results")
    def get_results() -> Response:
        with newest() as now:
            return JSONResponse(now.results())

    @app.exception_handler(SQLAlchemyError)
    async def show_failure(_request: Request, err: SQLAlchemyError) -> Response:
        store.failures.report(err)
        return _refused(HTTPStatus.SERVICE_UNAVAILABLE, "the database does not answer; the hub's log says why")

    return app


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _is_awaited(request: Request | None, answer: Future[Any]) -> bool:
    """Wait for the ``answer``. For a ``request`` whose body is read, False if its sender has gone before: what nobody
    waits for is not committed, since it is sent again.

    The future of the event loop only says that the answer is there: a failure that nobody reads, as after the end of
    the request, must not get into the log.
    """
    loop = get_running_loop()
    there = loop.create_future()

    def wake() -> None:
        if not there.done():
            there.set_result(None)

    def ring(_answer: Future[Any]) -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(wake)

    answer.add_done_callback(ring)
    gone = None if request is None else ensure_future(_disconnected(request))
    try:
        await wait({there} if gone is None else {there, gone}, return_when=FIRST_COMPLETED)
        if not answer.done() and not answer.cancel():  # it is being committed
            await there
    finally:
        answer.cancel()  # if the request was ended while it waits
        if gone is not None:
            gone.cancel()
    return not answer.cancelled()


def find_receipt(newest: Newest, text: str) -> dict[str, Any] | None:
    """The result whose score sheet has this receipt, what became of it, and its proof; None if there is none."""
    with newest() as now:
        found = None if (code := read_code(text)) is None else now.receipt(code)
    if found is None:
        return None
    told = {"receipt": found.code, "state": found.state, "log": found.log, "line": found.n}
    later = None if found.now is None else found.now.model_dump()
    return told | {"result": found.result.model_dump(), "now": later} | newest.store.proof(found.log, found.n)


async def _content(request: Request, most: int) -> bytes | None:
    """The body of a request; None if it has more than ``most`` bytes."""
    content = b""
    async for chunk in request.stream():
        content += chunk
        if len(content) > most:
            return None
    return content


def _refused(status: HTTPStatus, why: str) -> Response:
    return JSONResponse({"error": why}, status)
