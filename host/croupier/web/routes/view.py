"""Addresses for whoever looks: tables, games, streams, pictures, papers."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Final

from fastapi import APIRouter, HTTPException, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse, StreamingResponse
from starlette.concurrency import run_in_threadpool

from croupier.errors import CannotWrite
from croupier.i18n import _, language
from croupier.log_replay import redacted_lines
from croupier.web.camera import Shutter, next_ms
from croupier.web.context import GameNumber, Ground, Place, SeatNumber, Who
from croupier.web.pages import Kind, Look
from croupier.web.score_pdf import score_sheet

_LISTED: Final = 100
"""Of so many games, the newest, one line each is shown."""


def looking(ground: Ground) -> APIRouter:
    """What everybody may see."""
    app = APIRouter()

    @app.get("/", response_class=HTMLResponse)
    async def start(person: Who) -> Response:
        """The table that is played at; else the games."""
        return RedirectResponse("/games" if ground.desk is None else f"/games/{ground.desk.game}", 303)

    @app.get("/games", response_class=HTMLResponse)
    async def games(person: Who) -> Response:
        """All games of the journal."""
        listed = await run_in_threadpool(ground.shelf.listing.newest, _LISTED)
        return ground.html("games", person, games=listed)

    @app.get("/games/{game}", response_class=HTMLResponse)
    async def table(game: GameNumber, person: Who, at: Place = None) -> Response:
        """The table, its rulings and scores."""
        return ground.moment("table", game, at, person)

    @app.get("/games/{game}/board", response_class=HTMLResponse)
    async def board(game: GameNumber, person: Who, at: Place = None) -> Response:
        """The table for a screen across the room."""
        return ground.moment("board", game, at, person)

    @app.get("/games/{game}/seats/{seat}", response_class=HTMLResponse)
    async def one_seat(game: GameNumber, seat: SeatNumber, person: Who, at: Place = None) -> Response:
        """The table for the phone of one seat."""
        return ground.moment("seat", game, at, person, seat)

    @app.get("/games/{game}/score.pdf")
    async def paper(game: GameNumber, person: Who) -> Response:
        """The score sheet for printing."""
        story = ground.told(game)
        began = datetime.fromtimestamp(ground.shelf.began(game), UTC).astimezone()
        try:
            # It takes a while, and others look on.
            made = await run_in_threadpool(score_sheet, story, began)
        except CannotWrite as err:
            raise HTTPException(501, str(err)) from err
        name = f"inline; filename=score-{game}.pdf"
        return Response(made, media_type="application/pdf", headers={"content-disposition": name})

    @app.get("/games/{game}/part", response_class=HTMLResponse)
    async def part(game: GameNumber, person: Who, at: Place = None) -> Response:
        """What changes on the page of the table, at any place of the game."""
        return HTMLResponse(
            ground.pages.moment(Look("table", game, person, language=language()), ground.told(game), at)
        )

    @app.get("/games/{game}/events")
    async def events(
        game: GameNumber,
        person: Who,
        kind: Kind = "table",
        seat: Annotated[int | None, Query(ge=0, lt=10)] = None,
    ) -> Response:
        """The same as it changes, as server-sent events; their id is the place in the log."""
        if (kind == "seat") != (seat is not None) or (seat or 0) >= len(ground.told(game).header.seats):
            raise HTTPException(404, _("There is no such seat."))
        headers = {"cache-control": "no-store"}
        stream = ground.following.events(Look(kind, game, person, seat, language()))
        return StreamingResponse(stream, media_type="text/event-stream", headers=headers)

    shutter = None if ground.desk is None else Shutter(ground.desk, ground.clock)

    @app.get("/camera.jpg")
    async def camera(request: Request, person: Who) -> Response:
        """What the camera sees, with what was read drawn in; nothing (204) where there is no picture."""
        is_private = ground.desk is not None and ground.told(ground.desk.game).has_private_hand
        may_see = person.may("referee") or not is_private
        picture = await shutter.picture() if shutter is not None and may_see else None
        headers = {"cache-control": "private, no-cache", "x-next-ms": str(next_ms(ground.following.followers))}
        if picture is None or shutter is None:
            return Response(status_code=204, headers=headers)
        headers["etag"] = shutter.tag
        if request.headers.get("if-none-match") == shutter.tag:
            return Response(status_code=304, headers=headers)
        return Response(picture, media_type="image/jpeg", headers=headers)

    @app.get("/games/{game}/log.jsonl")
    async def log(game: GameNumber, person: Who) -> Response:
        """The table log, without the faces of hidden hands while their round is played."""
        ground.told(game)
        lines = ground.shelf.lines(game)
        # The whole game is gone through, and others look on.
        text = await run_in_threadpool(lambda: "".join(f"{line}\n" for line in redacted_lines(lines)))
        headers = {"content-disposition": f"attachment; filename=game-{game}.jsonl", "cache-control": "no-store"}
        return Response(text.encode("utf-8", "replace"), media_type="application/jsonl", headers=headers)

    return app
