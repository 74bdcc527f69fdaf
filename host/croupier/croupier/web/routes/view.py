"""Routes for viewers: tables, games, event streams, the camera's picture."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, HTTPException, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse, StreamingResponse

from croupier.game_views.story import Story
from croupier.http_server import busy
from croupier.i18n import _
from croupier.web.camera_cache import CameraCache, poll_interval_ms
from croupier.web.dependencies import (
    Client,
    GameNumber,
    GamesDep,
    Place,
    RendererDep,
    SeatNumber,
    StartPage,
    StreamDep,
    Who,
)
from croupier.web.games import require_seat
from croupier.web.http import provided
from croupier.web.pages import REGION, Kind
from croupier.web.renderer import replay_of

_LISTED_GAMES: Final = 100
_PLACES: Final[dict[Kind, str]] = {"table": "", "board": "/board", "seat": "/seats/{seat}"}
"""Address of each kind of page, below that of the game."""

router = APIRouter()
CameraDep = Annotated[CameraCache, provided(CameraCache)]


@router.get("/", response_class=HTMLResponse)
async def start(person: Who, games: GamesDep, page: Annotated[StartPage, provided(StartPage)]) -> Response:
    """The own seat, else the live table; without one, the list of games; or the `StartPage` of the site. An admin
    first shows the pile to the camera, and says who plays."""
    if page.address:
        return RedirectResponse(page.address, 303)
    state = games.state
    awaits_camera = state is not None and (
        ("camera", "uncalibrated") in state.alarms
        or (("camera", "missing") in state.alarms and not state.has_camera and state.can_set_up_camera)
    )
    if awaits_camera and person.may("admin"):
        return RedirectResponse("/camera", 303)
    if person.may("admin") and games.lacks_names():
        return RedirectResponse(f"/games/{games.live_game}/next", 303)
    return RedirectResponse(games.own_page(person), 303)


@router.get("/games", response_class=HTMLResponse)
async def list_games(person: Who, client: Client, games: GamesDep, render: RendererDep) -> Response:
    """All games of the journal."""
    summaries = await games.with_archive(client, lambda archive: archive.newest(_LISTED_GAMES))
    return render.html("games", person, games=summaries)


@router.get("/games/{game}", response_class=HTMLResponse)
async def table(
    request: Request, game: GameNumber, person: Who, client: Client, render: RendererDep, at: Place = None
) -> Response:
    """The table, its rulings and scores; with ``at`` to go through the game."""
    if at is not None:
        return await render.replay(request, "replay", game, at, person, client)
    return await render.game("table", game, None, person, client)


@router.get("/games/{game}/changes")
async def changes(
    game: GameNumber, client: Client, games: GamesDep, render: RendererDep, at: Place = None, since: Place = None
) -> dict[str, str]:
    """The regions of the page at one place of the game that differ from another, by id; by default all."""

    def compared(story: Story) -> dict[str, str]:
        before, after = (
            dict(REGION.findall(render.pages.render_part(replay_of(game), story, story.at(n).n))) for n in (since, at)
        )
        return {name: html for name, html in after.items() if since is None or before[name] != html}

    return await games.with_story(game, client, compared)


@router.get("/games/{game}/board", response_class=HTMLResponse)
async def board(game: GameNumber, person: Who, client: Client, render: RendererDep, at: Place = None) -> Response:
    """The table for a screen across the room."""
    return await render.game("board", game, at, person, client)


@router.get("/board")
async def big_screen(request: Request, person: Who, games: GamesDep) -> Response:
    """The big screen of the live game, by an address that people type with the remote control of a television. A phone
    is led to the table: it is no screen across the room."""
    is_phone = "Mobi" in request.headers.get("user-agent", "")
    if is_phone or games.live_game is None:
        return RedirectResponse(games.own_page(person), 303)
    return RedirectResponse(f"/games/{games.live_game}/board", 303)


@router.get("/games/{game}/seats/{seat}", response_class=HTMLResponse)
async def one_seat(
    game: GameNumber, seat: SeatNumber, person: Who, client: Client, render: RendererDep, at: Place = None
) -> Response:
    """The table for the phone of one seat."""
    return await render.game("seat", game, at, person, client, seat)


@router.get("/phones", response_class=HTMLResponse)
async def phones(person: Who, render: RendererDep) -> Response:
    """How phones open the page, in each network."""
    return render.html("phones", person)


@router.get("/games/{game}/events")
async def events(
    game: GameNumber, person: Who, client: Client, games: GamesDep, stream: StreamDep, render: RendererDep,
    kind: Kind = "table",
    seat: Annotated[int | None, Query(ge=0, lt=10)] = None, is_own: Annotated[bool, Query(alias="own")] = False,
) -> Response:  # fmt: skip
    """The same of the live game as server-sent events while it changes; their id is the place in the log. The event
    ``over`` has the address of the page to go on with: that of the game that is played now, or of the seat that a
    player has now who followed the ``own`` one."""
    if (kind == "seat") != (seat is not None):
        raise HTTPException(404, _("There is no page at this address."))
    story = games.live_story()
    if seat is not None:
        require_seat(seat, story)
    elsewhere = "" if game == games.live_game else f"/games/{games.live_game}{_PLACES[kind].format(seat=seat)}"
    if is_own and person.seat != seat:
        elsewhere = "/join"  # which leads to the own seat
    if elsewhere:
        return Response(
            f"event: over\ndata: {elsewhere}\n\n",
            media_type="text/event-stream", headers={"cache-control": "no-store"},
        )  # fmt: skip
    if not stream.has_room(client):
        raise busy()
    found = stream.events(render.perspective(kind, game, person, seat), client)
    return StreamingResponse(found, media_type="text/event-stream", headers={"cache-control": "no-store"})


@router.get("/camera.jpg")
async def camera_picture(
    request: Request, person: Who, games: GamesDep, stream: StreamDep, camera: CameraDep
) -> Response:
    """The camera's picture with the readings drawn in; 204 without one, or while it shows a private hand."""
    jpeg = await camera.jpeg() if games.may_see_pile(person) else None
    interval_ms = poll_interval_ms(stream.followers)
    headers = {"cache-control": "private, no-cache", "x-next-ms": str(interval_ms)}
    if jpeg is None:
        return Response(status_code=204, headers=headers)
    headers["etag"] = camera.etag
    if request.headers.get("if-none-match") == camera.etag:
        return Response(status_code=304, headers=headers)
    return Response(jpeg, media_type="image/jpeg", headers=headers)
