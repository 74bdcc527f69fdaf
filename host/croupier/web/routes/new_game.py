"""Routes for the next game: players, ruleset and options, previewed before the game is started."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import Field

from croupier.commands import StartGame
from croupier.errors import BadLog
from croupier.i18n import _, marked
from croupier.referee import Header, parse_header
from croupier.referee.header import FORMAT
from croupier.rules import load, names
from croupier.web.accounts import Person
from croupier.web.context import Context, GameNumber, Who, read_form, require
from croupier.web.forms import Number, OneOf, OpenForm, Text
from croupier.web.live_table import LiveTable
from croupier.web.story import Story

SCORING: Final = {
    "winner": marked("the winner gets the points of all the others"),
    "lowest": marked("all keep their own points, and the lowest total wins"),
}
DEAL: Final = {"next": marked("the next seat"), "winner": marked("the winner"), "same": marked("the same seat")}

_Amount = Annotated[Number, Field(le=99999)]


class NewGameForm(OpenForm):
    """The next game. ``last_draws``: how many cards the last to follow a house rule draws; ``blank_…``: the effect of
    blank wilds. Extra fields: ``name-…``, by seat."""

    ruleset: Annotated[str, OneOf(names())] | None = None
    partners: Literal["no", "yes"] = "no"
    dealer: _Amount | None = None
    target: _Amount | None = None
    limit: _Amount | None = None
    last_draws: _Amount | None = None
    scoring: Annotated[str, OneOf(tuple(SCORING))] = "winner"
    deal: Annotated[str, OneOf(tuple(DEAL))] = "next"
    blank_text: Text | None = None
    blank_draw: _Amount | None = None
    blank_skip: Literal["yes"] | None = None
    blank_again: Literal["yes"] | None = None

    def header(self, story: Story) -> Header:
        """The header of the game, with as many seats as ``story`` has.

        Raises:
            BadLog: the ruleset forbids it.
        """
        given = {"target": self.target, "limit": self.limit, "own_penalties": self.last_draws}
        options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        if self.limit is not None:
            options["variant"] = "elimination"
        options |= {"scoring": self.scoring} if self.scoring != "winner" else {}
        options |= {"deal": self.deal} if self.deal != "next" else {}
        if self.blank_text:
            effect: dict[str, Any] = {"skip": True} if self.blank_skip else {}
            effect |= {"again": True} if self.blank_again else {}
            effect |= {"draw": self.blank_draw} if self.blank_draw is not None else {}
            options["custom"] = {"text": self.blank_text} | ({"effect": effect} if effect else {})
        names_by_seat = [self.extra().get(f"name-{i}", name) for i, name in enumerate(story.header.seats)]
        ruleset = self.ruleset or story.header.ruleset.name
        return parse_header(
            {
                "log": FORMAT,
                "ruleset": ruleset,
                "seats": names_by_seat,
                "dealer": self.dealer,
                "teams": _teams(ruleset, len(names_by_seat)) if self.partners == "yes" else [],
                "options": options,
            }
        )


def new_game_routes(context: Context) -> APIRouter:
    """Routes for the next game."""
    app = APIRouter()

    def require_free(game: int, person: Person) -> tuple[LiveTable, Story]:
        require(person, "referee")
        table, state = context.require_live(game)
        if not state.may_start_game:
            raise HTTPException(409, _("A game is in progress. A new one can begin when it is over."))
        return table, context.live_story()

    async def read_header(request: Request, story: Story) -> tuple[NewGameForm, Header]:
        form = await read_form(request, NewGameForm)
        try:
            return form, form.header(story)
        except BadLog as err:
            raise HTTPException(422, _("That is not possible: {why}.", why=err)) from err

    @app.get("/games/{game}/next", response_class=HTMLResponse)
    async def ask(game: GameNumber, person: Who) -> Response:
        """The form for the next game, for a referee."""
        _table, story = require_free(game, person)
        rulesets = [(name, load(name).title) for name in names()]
        return context.html(
            "next", person, game=game, header=story.header, rulesets=rulesets, scoring=SCORING, deal=DEAL
        )  # fmt: skip

    @app.post("/games/{game}/next", response_class=HTMLResponse, openapi_extra=NewGameForm.openapi())
    async def preview(request: Request, game: GameNumber, person: Who) -> Response:
        """Show the game before it is started."""
        _table, story = require_free(game, person)
        form, header = await read_header(request, story)
        return context.html("begin", person, game=game, form=form.fields(), header=header, scoring=SCORING, deal=DEAL)

    @app.post("/games/{game}/begin", openapi_extra=NewGameForm.openapi())
    async def start(request: Request, game: GameNumber, person: Who) -> Response:
        """Start the game."""
        table, story = require_free(game, person)
        _form, header = await read_header(request, story)
        table.submit(StartGame(header))
        return RedirectResponse("/", 303)

    return app


def _teams(sheet: str, seats: int) -> list[list[int]]:
    """Teams of two as the document seats them: across from each other, or side by side."""
    if sheet in names() and load(sheet).value("partners.seating") == "across":
        return [[seat, seat + seats // 2] for seat in range(seats // 2)]
    return [[seat, seat + 1] for seat in range(0, seats - 1, 2)]
