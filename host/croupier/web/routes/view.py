"""Routes for viewers: tables, games, event streams, the camera's picture, downloads."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Final

from fastapi import APIRouter, HTTPException, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse, StreamingResponse
from starlette.concurrency import run_in_threadpool

from croupier.errors import CannotWrite
from croupier.i18n import _, language
from croupier.log_replay import redacted_lines
from croupier.web.context import Context, GameNumber, Place, SeatNumber, Who
from croupier.web.live_table import CameraCache, poll_interval_ms
from croupier.web.pages import Kind, Perspective
from croupier.web.score_pdf import score_sheet

_LISTED_GAMES: Final = 100


def view_routes(context: Context) -> APIRouter:
    """Routes that are open to everybody."""
    app = APIRouter()

    @app.get("/", response_class=HTMLResponse)
    async def start(person: Who) -> Response:
        """The live table; without one, the list of games."""
        table = context.live_table
        return RedirectResponse("/games" if table is None else f"/games/{table.game}", 303)

    @app.get("/games", response_class=HTMLResponse)
    async def games(person: Who) -> Response:
        """All games of the journal."""
        summaries = await run_in_threadpool(context.games.summaries.newest, _LISTED_GAMES)
        return context.html("games", person, games=summaries)

    @app.get("/games/{game}", response_class=HTMLResponse)
    async def table(game: GameNumber, person: Who, at: Place = None) -> Response:
        """The table, its rulings and scores."""
        return context.game_html("table", game, at, person)

    @app.get("/games/{game}/board", response_class=HTMLResponse)
    async def board(game: GameNumber, person: Who, at: Place = None) -> Response:
        """The table for a screen across the room."""
        return context.game_html("board", game, at, person)

    @app.get("/games/{game}/seats/{seat}", response_class=HTMLResponse)
    async def one_seat(game: GameNumber, seat: SeatNumber, person: Who, at: Place = None) -> Response:
        """The table for the phone of one seat."""
        return context.game_html("seat", game, at, person, seat)

    @app.get("/games/{game}/score.pdf")
    async def score_pdf(game: GameNumber, person: Who) -> Response:
        """The score sheet for printing."""
        story = context.story(game)
        began = datetime.fromtimestamp(context.games.began(game), UTC).astimezone()
        try:
            # Takes long; other viewers must not wait.
            pdf = await run_in_threadpool(score_sheet, story, began)
        except CannotWrite as err:
            raise HTTPException(501, str(err)) from err
        name = f"inline; filename=score-{game}.pdf"
        return Response(pdf, media_type="application/pdf", headers={"content-disposition": name})

    @app.get("/games/{game}/part", response_class=HTMLResponse)
    async def part(game: GameNumber, person: Who, at: Place = None) -> Response:
        """The part of the table's page that changes, at any place of the game."""
        perspective = Perspective("table", game, person, language=language())
        return HTMLResponse(context.pages.render_part(perspective, context.story(game), at))

    @app.get("/games/{game}/events")
    async def events(
        game: GameNumber,
        person: Who,
        kind: Kind = "table",
        seat: Annotated[int | None, Query(ge=0, lt=10)] = None,
    ) -> Response:
        """The same as server-sent events while it changes; their id is the place in the log."""
        story = context.story(game)
        if (kind == "seat") != (seat is not None):
            raise HTTPException(404, _("There is nothing at this address."))
        if seat is not None:
            context.require_seat(seat, story)
        stream = context.stream.events(Perspective(kind, game, person, seat, language()))
        return StreamingResponse(stream, media_type="text/event-stream", headers={"cache-control": "no-store"})

    camera = None if context.live_table is None else CameraCache(context.live_table, context.clock)

    @app.get("/camera.jpg")
    async def camera_picture(request: Request, person: Who) -> Response:
        """The camera's picture with the readings drawn in; 204 without one, or while it shows a private hand."""
        table = context.live_table
        is_private = table is not None and context.story(table.game).has_private_hand
        may_see = person.may("referee") or not is_private
        jpeg = await camera.jpeg() if camera is not None and may_see else None
        interval_ms = poll_interval_ms(context.stream.followers)
        headers = {"cache-control": "private, no-cache", "x-next-ms": str(interval_ms)}
        if jpeg is None or camera is None:
            return Response(status_code=204, headers=headers)
        headers["etag"] = camera.etag
        if request.headers.get("if-none-match") == camera.etag:
            return Response(status_code=304, headers=headers)
        return Response(jpeg, media_type="image/jpeg", headers=headers)

    @app.get("/games/{game}/log.jsonl")
    async def log(game: GameNumber, person: Who) -> Response:
        """The table log, without the faces of hidden hands while their round is played."""
        context.story(game)
        lines = context.games.lines(game)
        # A replay of the whole game; other viewers must not wait.
        text = await run_in_threadpool(lambda: "".join(f"{line}\n" for line in redacted_lines(lines)))
        headers = {"content-disposition": f"attachment; filename=game-{game}.jsonl", "cache-control": "no-store"}
        return Response(text.encode("utf-8", "replace"), media_type="application/jsonl", headers=headers)

    return app
