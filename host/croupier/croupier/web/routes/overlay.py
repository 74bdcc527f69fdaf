"""Routes of the overlay for a stream, open to everybody."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Response
from fastapi.responses import HTMLResponse, StreamingResponse

from croupier.http_server import busy
from croupier.i18n import LANGUAGES, speaking
from croupier.web.accounts import SPECTATOR
from croupier.web.dependencies import Client, RendererDep, StreamDep
from croupier.web.overlay import PARTS, SIZES, one_of, parse_overlay
from croupier.web.pages import Perspective


async def _perspective(
    parts: Annotated[str, Query(description=f"Some of {', '.join(PARTS)}; with commas between.")] = ", ".join(PARTS),
    delay: Annotated[str, Query(description="Minutes after the table, 0 to 60.")] = "0",
    language: Annotated[str, Query(description=f"One of {', '.join(LANGUAGES)}; by default the browser's.")] = "",
) -> Perspective:
    return parse_overlay(parts, delay, language)


router = APIRouter()
Look = Annotated[Perspective, Depends(_perspective)]


@router.get("/overlay", response_class=HTMLResponse)
async def overlay(
    look: Look, render: RendererDep, stream: StreamDep,
    size: Annotated[str, Query(description=f"Percent: one of {', '.join(SIZES)}.")] = "100",
) -> Response:  # fmt: skip
    """Parts of the live game on a transparent ground, for OBS and other programs that make a stream."""
    chosen = {"parts": ",".join(look.parts), "delay": look.delay_s / 60, "language": look.language}
    with speaking(look.language):
        return render.html(
            "overlay", SPECTATOR, part=render.overlay_part(look), size=one_of("size", size, SIZES),
            address=f"/overlay/events?{urlencode(chosen)}",
        )  # fmt: skip


@router.get("/overlay/events")
async def events(look: Look, client: Client, stream: StreamDep) -> Response:
    """The same as server-sent events while it changes; their id is the place in the log."""
    if not stream.has_room(client):
        raise busy()
    found = stream.events(look, client)
    return StreamingResponse(found, media_type="text/event-stream", headers={"cache-control": "no-store"})
