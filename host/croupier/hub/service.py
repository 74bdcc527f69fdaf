"""The hub over HTTP: tables and other hubs send their logs, anybody reads the standings.

`PUT /logs/{log}/{start}` takes ``{"lines": [TEXT, …], "head": HEX, "signature": HEX}`` and answers
``{"verdict", "accepted_to", "head"}`` after the commit. A club sends the same to the federation.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any, Final

from fastapi import FastAPI, Path, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse
from pydantic import BaseModel, StringConstraints, ValidationError

from croupier.hub.signed_log import Sent
from croupier.hub.standings import standings
from croupier.hub.store import LogStore, Verdict

MOST_BYTES: Final = 4_000_000
"""Of one request; a longer log is sent in pieces."""

_MOST_LINES: Final = 1 << 30
_STATUS: Final = {
    Verdict.ACCEPTED: HTTPStatus.OK,
    Verdict.FORK: HTTPStatus.CONFLICT,
    Verdict.GAP: HTTPStatus.CONFLICT,
    Verdict.CHAIN: HTTPStatus.CONFLICT,
    Verdict.SIGNATURE: HTTPStatus.FORBIDDEN,
    Verdict.UNKNOWN: HTTPStatus.FORBIDDEN,
}


class Body(BaseModel):
    """Lines in one request: without line ends, as the writer's log has them."""

    lines: list[Annotated[str, StringConstraints(pattern=r"^[^\x00\r\n]*$")]]
    head: Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{64})?$")]
    signature: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{128}$")]

    @classmethod
    def of(cls, sent: Sent) -> Body:
        """What a writer sends."""
        return cls(lines=list(sent.lines), head=sent.head.hex(), signature=sent.signature.hex())


def create_hub(store: LogStore) -> FastAPI:
    """The application over a store."""
    app = FastAPI(title="Croupier hub", docs_url=None, redoc_url=None)

    @app.put("/logs/{log}/{start}")
    async def put_lines(
        request: Request,
        log: Annotated[str, Path(pattern=r"^[0-9a-f]{64}$")],
        start: Annotated[int, Path(ge=0, le=_MOST_LINES)],
    ) -> Response:
        content = b""
        async for chunk in request.stream():
            content += chunk
            if len(content) > MOST_BYTES:
                return _refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"expected at most {MOST_BYTES} bytes")
        try:
            body = Body.model_validate_json(content)
        except ValidationError as err:
            first = err.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"]))
            return _refused(HTTPStatus.UNPROCESSABLE_ENTITY, f"{where}: {first['msg']}")
        sent = Sent(log, start, tuple(body.lines), bytes.fromhex(body.head), bytes.fromhex(body.signature))
        answer = await run_in_threadpool(store.put, sent)
        data: dict[str, Any] = {"verdict": answer.verdict, "accepted_to": answer.accepted_to, "head": answer.head.hex()}
        return JSONResponse(data, _STATUS[answer.verdict])

    @app.get("/standings")
    def get_standings() -> Response:
        return Response(standings(store.director, store.logs()), media_type="application/json")

    return app


def _refused(status: HTTPStatus, why: str) -> Response:
    return JSONResponse({"error": why}, status)
