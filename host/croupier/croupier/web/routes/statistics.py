"""Routes of the statistics: as a page, and as files for spreadsheets and programs."""

from __future__ import annotations

import json
from typing import Annotated, Final, Literal, NamedTuple

from fastapi import APIRouter, Depends, HTTPException, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from croupier.errors import BadLog, CannotWrite
from croupier.game_views.statistics import LeftOut, Measures, PlayerStatistics, statistics, to_csv
from croupier.i18n import _, localize
from croupier.web.dependencies import Client, GamesDep, RendererDep, Who, provided
from croupier.web.forms import Form, Posted
from croupier.web.game_repository import GameRepository
from croupier.web.http import attached

_MOST_GAMES: Final = 500


class _Counted(NamedTuple):
    """``left_out``: the names of whom no statistics are made."""

    players: list[PlayerStatistics]
    left_out: tuple[str, ...]
    is_simulation: bool


class _OwnForm(Form):
    do: Literal["leave-out", "take-in"]


router = APIRouter()
MeasuresDep = Annotated[Measures, provided(Measures)]
LeftOutDep = Annotated[LeftOut, provided(LeftOut)]


async def _count(client: Client, games: GamesDep, measures: MeasuresDep, left_out: LeftOutDep) -> _Counted:
    """Count the newest games; simulated ones count where all are."""

    def counted(games: GameRepository) -> _Counted:
        figures, names = games.figures(_MOST_GAMES), _names(left_out)
        real = [one for one in figures if not one.is_simulation]
        shown = real or figures
        players = statistics(shown, names, measures, wait=False)
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
async def page(person: Who, counted: Counted, own: OwnName, measures: MeasuresDep, render: RendererDep) -> Response:
    """Statistics of the players over the newest games of the journal."""
    return render.html(
        "statistics", person, players=counted.players, columns=measures.columns(), most=_MOST_GAMES,
        notes=[one.notes() for one in measures.values()],
        simulated=counted.is_simulation, own_name=own, is_left_out=own in counted.left_out,
    )  # fmt: skip


@router.post("/statistics/own")
async def choose(
    own: OwnName, client: Client, form: Posted[_OwnForm], games: GamesDep, left_out: LeftOutDep
) -> Response:
    """A player leaves the own name out of the statistics, or takes it in again."""
    if own is None:
        raise HTTPException(403, _("Only who sits at the table can do that, for the own name."))
    try:
        # The table answers, which may take a moment: not in the loop that serves everybody.
        await games.with_archive(client, lambda _games: left_out.set(own, is_out=form.do == "leave-out"))
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
