"""The statistics on the page, and as files for spreadsheets and programs.

The process of the page writes nothing: the table keeps the names of players who want no statistics (`keep`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple

from fastapi import APIRouter, Depends, HTTPException, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from croupier.errors import BadJournal, BadLog, BadMessage, CannotWrite
from croupier.game_views.story import Story
from croupier.i18n import _, localize
from croupier.names import find_name
from croupier.web.dependencies import Client, GamesDep, RendererDep, Who, provided
from croupier.web.forms import Form, Posted
from croupier.web.game_repository import GameRepository
from croupier.web.http import attached
from croupier.web.pages import PagePlugin, SitePart
from croupier_extras.statistics.figures import (
    COLUMNS,
    LUCK,
    GameFigures,
    LeftOut,
    PlayerStatistics,
    statistics,
    to_csv,
)
from croupier_extras.statistics.luck import Luck

PLUGIN: Final = "statistics"
"""The name of the plug-in."""

_MOST_GAMES: Final = 500
_LONGEST_NAME: Final = 200


class Statistics(SitePart):
    """State of a site for its statistics."""

    def __init__(self, journal: Path, keep: Callable[[str], None]) -> None:
        self.luck = Luck()
        self.left_out = LeftOut(journal, lambda name, is_out: keep(json.dumps([name, is_out])))
        self._figures: dict[Hashable, GameFigures] = {}
        """Of each game that was asked for last. A game that has grown has another key."""

    def figures(self, games: GameRepository) -> list[GameFigures]:
        """The figures of the newest games, the oldest first, without games that cannot be shown."""
        every: list[tuple[float, Hashable, Callable[[], Story]]] = [
            *((game.began, game, partial(games.whole, game)) for game in games.games(_MOST_GAMES)),
            *((game.began, game.key, game.load) for game in games.kept()),
        ]
        found: dict[Hashable, GameFigures] = {}
        for _began, key, load in sorted(every, key=lambda one: one[0])[-_MOST_GAMES:]:
            with suppress(BadLog, BadJournal):
                found[key] = self._figures.get(key) or GameFigures.of(load())
        self._figures = found
        return [figures for figures in found.values() if figures.players]


def keep(journal: Path, text: str) -> None:
    """Leave the player out whom the page names, or take the player in again; at the table.

    Raises:
        BadMessage: it is not what `Statistics` sends. CannotWrite: it cannot be kept.
    """
    try:
        name, is_out = json.loads(text)
    except (RecursionError, TypeError, ValueError) as err:
        raise BadMessage from err
    if not isinstance(name, str) or len(name) > _LONGEST_NAME or not isinstance(is_out, bool):
        raise BadMessage
    try:
        LeftOut(journal).set(name, is_out=is_out)
    except BadLog as err:
        raise CannotWrite(localize(err)[0]) from err


class _Counted(NamedTuple):
    """``left_out``: the names of whom no statistics are made."""

    players: list[PlayerStatistics]
    left_out: tuple[str, ...]
    is_simulation: bool


class _OwnForm(Form):
    do: Literal["leave-out", "take-in"]


router = APIRouter()
StatisticsDep = Annotated[Statistics, provided(Statistics)]


async def _count(client: Client, games: GamesDep, part: StatisticsDep) -> _Counted:
    """Count the newest games; simulated ones count where all are."""

    def counted(games: GameRepository) -> _Counted:
        figures, names = part.figures(games), _names(part.left_out)
        real = [one for one in figures if not one.is_simulation]
        shown = real or figures
        players = statistics(shown, names, part.luck, wait=False)
        return _Counted(players, names, bool(figures and not real))

    return await games.with_archive(client, counted)


Counted = Annotated[_Counted, Depends(_count)]


def _names(left_out: LeftOut) -> tuple[str, ...]:
    try:
        return left_out.names()
    except BadLog as err:
        raise HTTPException(503, localize(err)[0]) from err


async def _own_name(person: Who, games: GamesDep) -> str | None:
    """The name of the seat of ``person`` at the live table."""
    return None if person.seat is None else dict(enumerate(games.seat_names())).get(person.seat)


OwnName = Annotated[str | None, Depends(_own_name)]


@router.get("/statistics", response_class=HTMLResponse)
async def page(person: Who, counted: Counted, own: OwnName, part: StatisticsDep, render: RendererDep) -> Response:
    """Statistics of the players over the newest games of the journal."""
    is_left_out = own is not None and find_name(own, counted.left_out) is not None
    return render.html(
        f"{PLUGIN}/statistics", person, players=counted.players, columns=(*COLUMNS, LUCK), most=_MOST_GAMES,
        notes=[part.luck.notes()],
        simulated=counted.is_simulation, own_name=own, is_left_out=is_left_out,
    )  # fmt: skip


@router.post("/statistics/own")
async def choose(
    own: OwnName, client: Client, form: Posted[_OwnForm], games: GamesDep, part: StatisticsDep
) -> Response:
    """A player leaves the own name out of the statistics, or takes it in again."""
    if own is None:
        raise HTTPException(403, _("Only who sits at the table can do that, for the own name."))
    try:
        # The table answers, which may take a moment: not in the loop that serves everybody.
        await games.with_archive(client, lambda _games: part.left_out.set(own, is_out=form.do == "leave-out"))
    except (BadLog, CannotWrite) as err:
        raise HTTPException(507, localize(err)[0]) from err
    return RedirectResponse("/statistics", 303)


@router.get("/statistics.csv")
async def spreadsheet(counted: Counted) -> Response:
    """The same for a spreadsheet."""
    return attached(to_csv(counted.players), "text/csv; charset=utf-8", "statistics.csv")


@router.get("/statistics.json")
async def data(counted: Counted) -> Response:
    """The same for programs."""
    players = [player.to_json() for player in counted.players]
    return Response(json.dumps(players), media_type="application/json", headers={"cache-control": "no-store"})


PLUGIN_PAGE: Final = PagePlugin(router, Path(__file__).parent, menu=("menu.html",), part=Statistics, keep=keep)
