"""Pictures of a game for others: the overlay for a stream, and the replay for a frame of another page.

The overlay shows parts of the live game over other pictures, on request some time after the table. What an address says
is checked here. The delay is kept by the server: a page with a delay is never sent anything newer, so nobody finds it
there.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import HTMLResponse, StreamingResponse

from croupier.errors import BadForm, CroupierError
from croupier.game_views.story import Story
from croupier.http_server import busy
from croupier.i18n import LANGUAGES, _, language, speaking
from croupier.web.accounts import SPECTATOR
from croupier.web.dependencies import Client, GameNumber, Place, RendererDep, StreamDep
from croupier.web.games import Games
from croupier.web.middleware import EMBEDDED_HEADERS
from croupier.web.pages import PagePlugin, Pages, Perspective

PLUGIN: Final = "stream"
"""The name of the plug-in."""

PARTS: Final = ("top", "ruling", "seats")
SIZES: Final = ("50", "75", "100", "125", "150", "200")
"""Percent."""

_MAX_DELAY_MIN: Final = 60


def parse_overlay(parts: str, delay: str, code: str) -> Perspective:
    """Parameters of an address: names of `PARTS` with commas between, a delay in minutes, a language ("": that of the
    browser). Raises `BadForm`."""
    names = [name.strip() for name in parts.split(",")]
    if not set(names) <= set(PARTS):
        raise _unexpected("parts", parts, ", ".join(PARTS))
    try:
        minutes = float(delay)
    except ValueError:
        minutes = -1.0
    if not 0 <= minutes <= _MAX_DELAY_MIN:
        raise _unexpected("delay", delay, _("minutes from {least} to {most}", least=0, most=_MAX_DELAY_MIN))
    code = one_of("language", code or language(), LANGUAGES)
    chosen = tuple(part for part in PARTS if part in names)
    return Perspective("overlay", 0, SPECTATOR, language=code, plugin=PLUGIN, parts=chosen, delay_s=round(minutes * 60))


def one_of(name: str, value: str, expected: Collection[str]) -> str:
    """The value of a parameter, if it is expected. Raises `BadForm`."""
    if value not in expected:
        raise _unexpected(name, value, ", ".join(expected))
    return value


def _unexpected(name: str, value: str, expected: str) -> BadForm:
    return BadForm(
        _("The address says {name}={value}. Expected: {expected}.", name=name, value=value, expected=expected)
    )


class Timeline:
    """When each line of the live game came, for those who see it later. ``now`` and ``when``: monotonic seconds.

    Lines that stand there when the page first looks are at least as old as the newest one by the table's clock. They
    count as that old; in a simulation, where that clock may run fast, as new.
    """

    def __init__(self) -> None:
        self._came: list[float] = []
        self._places: list[tuple[int, int]] = []
        """By line: when it came; the game, and the number of its lines by then."""

    def note(self, game: int, story: Story, now: float) -> None:
        """Note the lines of the live game that came since the last call."""
        noted = self._places[-1][1] if self._places and self._places[-1][0] == game else -1
        for moment in story.moments[noted + 1 :]:
            age_s = 0.0 if story.is_simulation else max(0.0, story.moments[-1].t - moment.t)
            self._came.append(max(now - age_s, self._came[-1] if self._came else float("-inf")))
            self._places.append((game, moment.n))
        dropped = max(0, bisect_right(self._came, now - _MAX_DELAY_MIN * 60) - 1)
        del self._came[:dropped], self._places[:dropped]

    def place(self, when: float) -> tuple[int, int] | None:
        """The game that was played at a time, and the number of its lines by then; None if that is not known."""
        count = bisect_right(self._came, when)
        return self._places[count - 1] if count else None


class OverlayView:
    """Views of the live game for overlays, each at its own time. ``clock``: monotonic seconds."""

    def __init__(self, pages: Pages, games: Games, clock: Callable[[], float]) -> None:
        self._pages, self._games, self._clock = pages, games, clock
        self._timeline = Timeline()

    def __call__(self, perspective: Perspective) -> tuple[int, str]:
        """The place in the log, and the part of the page; empty before there is something to show."""
        now, stories = self._clock(), self._games.repository
        if live := self._games.live_game:
            self._timeline.note(live, stories.story(live), now)
        if (place := self._timeline.place(now - perspective.delay_s)) is None:
            return 0, ""
        game, n = place
        return n, self._pages.render_part(replace(perspective, game=game, delay_s=0), stories.story(game), n)


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
    look: Look,
    render: RendererDep,
    stream: StreamDep,
    size: Annotated[str, Query(description=f"Percent: one of {', '.join(SIZES)}.")] = "100",
) -> Response:
    """Parts of the live game on a transparent ground, for OBS and other programs that make a stream."""
    chosen = {"parts": ",".join(look.parts), "delay": look.delay_s / 60, "language": look.language}
    part = ""
    with suppress(CroupierError):
        part = (render.live(look) or (0, ""))[1]
    with speaking(look.language):
        return render.html(
            f"{PLUGIN}/page", SPECTATOR, part=part, size=one_of("size", size, SIZES),
            address=f"/overlay/events?{urlencode(chosen)}",
        )  # fmt: skip


@router.get("/overlay/events")
async def events(look: Look, client: Client, stream: StreamDep) -> Response:
    """The same as server-sent events while it changes; their id is the place in the log."""
    if not stream.has_room(client):
        raise busy()
    found = stream.events(look, client)
    return StreamingResponse(found, media_type="text/event-stream", headers={"cache-control": "no-store"})


@router.get("/games/{game}/embed", response_class=HTMLResponse)
async def embed(request: Request, game: GameNumber, client: Client, render: RendererDep, at: Place = 0) -> Response:
    """The replay for a frame of another page."""
    answer = await render.replay(request, f"{PLUGIN}/embed", game, at or 0, SPECTATOR, client)
    answer.headers.update(EMBEDDED_HEADERS)
    return answer


PLUGIN_PAGE: Final = PagePlugin(router, Path(__file__).parent, shares=("share.html",), view=OverlayView)
