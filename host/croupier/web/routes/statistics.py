"""Routes of the statistics: as a page, and as files for spreadsheets and programs."""

from __future__ import annotations

import json
from typing import Final

from fastapi import APIRouter, Response
from fastapi.responses import HTMLResponse

from croupier.web.context import Client, Context, Who
from croupier.web.game_repository import GameRepository
from croupier.web.statistics import COLUMNS, PlayerStatistics, statistics, to_csv

_MOST_GAMES: Final = 500


def statistics_routes(context: Context) -> APIRouter:
    """Routes that are open to everybody."""
    app = APIRouter()

    async def count(client: str) -> tuple[list[PlayerStatistics], bool]:
        """The players of the newest games, and whether these are simulated: such games count where all are."""

        def counted(games: GameRepository) -> tuple[list[PlayerStatistics], bool]:
            figures = games.figures(_MOST_GAMES)
            real = [one for one in figures if not one.is_simulation]
            return statistics(real or figures, context.left_out.names()), bool(figures and not real)

        return await context.with_archive(client, counted)

    @app.get("/statistics", response_class=HTMLResponse)
    async def page(person: Who, client: Client) -> Response:
        """Statistics of the players over the newest games of the journal."""
        players, is_simulation = await count(client)
        return context.html(
            "statistics", person, players=players, columns=COLUMNS, most=_MOST_GAMES, simulated=is_simulation
        )

    @app.get("/statistics.csv")
    async def spreadsheet(client: Client) -> Response:
        """The same for a spreadsheet."""
        headers = {"content-disposition": "attachment; filename=statistics.csv", "cache-control": "no-store"}
        return Response(to_csv((await count(client))[0]), media_type="text/csv; charset=utf-8", headers=headers)

    @app.get("/statistics.json")
    async def data(client: Client) -> Response:
        """The same for programs."""
        players = [player.to_json() for player in (await count(client))[0]]
        return Response(json.dumps(players), media_type="application/json", headers={"cache-control": "no-store"})

    return app
