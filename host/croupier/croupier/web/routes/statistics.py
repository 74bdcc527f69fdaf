"""Routes of the statistics: as a page, and as files for spreadsheets and programs."""

from __future__ import annotations

import json
from typing import Final, Literal, NamedTuple

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from croupier.errors import BadLog, CannotWrite
from croupier.game_views.luck import REPLAYS
from croupier.game_views.statistics import COLUMNS, PlayerStatistics, statistics, to_csv
from croupier.i18n import _, localize
from croupier.web.accounts import Person
from croupier.web.context import Client, Context, Who
from croupier.web.forms import Form, Posted
from croupier.web.game_repository import GameRepository

_MOST_GAMES: Final = 500


class _Counted(NamedTuple):
    """``left_out``: the names of whom no statistics are made; ``replaying``: the rounds whose luck is not known yet."""

    players: list[PlayerStatistics]
    left_out: tuple[str, ...]
    is_simulation: bool
    replaying: int


class _OwnForm(Form):
    do: Literal["leave-out", "take-in"]


def statistics_routes(router: APIRouter, context: Context) -> None:
    """Routes that are open to everybody."""

    async def count(client: str) -> _Counted:
        """Count the newest games; simulated ones count where all are."""

        def counted(games: GameRepository) -> _Counted:
            figures, names = games.figures(_MOST_GAMES), left_out()
            real = [one for one in figures if not one.is_simulation]
            shown = real or figures
            replaying = context.lucks.ask(deal for one in shown for _names, deal in one.deals if deal is not None)
            players = statistics(shown, names, context.lucks.get)
            return _Counted(players, names, bool(figures and not real), replaying)

        return await context.with_archive(client, counted)

    @router.get("/statistics", response_class=HTMLResponse)
    async def page(person: Who, client: Client) -> Response:
        """Statistics of the players over the newest games of the journal."""
        counted, own = await count(client), own_name(person)
        return context.html(
            "statistics", person, players=counted.players, columns=COLUMNS, most=_MOST_GAMES,
            replays=REPLAYS, replaying=counted.replaying,
            simulated=counted.is_simulation, own_name=own, is_left_out=own in counted.left_out,
        )  # fmt: skip

    @router.post("/statistics/own")
    async def choose(request: Request, person: Who, client: Client, form: Posted[_OwnForm]) -> Response:
        """A player leaves the own name out of the statistics, or takes it in again."""
        if (own := own_name(person)) is None:
            raise HTTPException(403, _("Only who sits at the table can do that, for the own name."))
        try:
            # The table answers, which may take a moment: not in the loop that serves everybody.
            await context.with_archive(client, lambda _games: context.left_out.set(own, is_out=form.do == "leave-out"))
        except (BadLog, CannotWrite) as err:
            raise HTTPException(507, localize(err)[0]) from err
        return RedirectResponse("/statistics", 303)

    def left_out() -> tuple[str, ...]:
        try:
            return context.left_out.names()
        except BadLog as err:
            raise HTTPException(503, localize(err)[0]) from err

    def own_name(person: Person) -> str | None:
        """The name of the seat of ``person`` at the live table."""
        return None if person.seat is None else dict(enumerate(context.seat_names())).get(person.seat)

    @router.get("/statistics.csv")
    async def spreadsheet(client: Client) -> Response:
        """The same for a spreadsheet."""
        headers = {"content-disposition": "attachment; filename=statistics.csv", "cache-control": "no-store"}
        return Response(to_csv((await count(client)).players), media_type="text/csv; charset=utf-8", headers=headers)

    @router.get("/statistics.json")
    async def data(client: Client) -> Response:
        """The same for programs."""
        players = [player.to_json() for player in (await count(client)).players]
        return Response(json.dumps(players), media_type="application/json", headers={"cache-control": "no-store"})
