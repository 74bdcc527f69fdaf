"""Addresses for the next game: who plays, by which sheet, and what is agreed on before play."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from fastapi import APIRouter, HTTPException, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from croupier.commands import StartGame
from croupier.errors import BadLog
from croupier.i18n import _, marked
from croupier.referee import Header, parse_header
from croupier.referee.header import FORMAT
from croupier.rules import load, names
from croupier.web.context import Form, GameNumber, Ground, Who, needs, says
from croupier.web.desk import Desk
from croupier.web.story import Story

SCORING: Final = {
    "winner": marked("the winner gets the points of all others"),
    "lowest": marked("each keeps the own points, and the lowest win"),
}
DEAL: Final = {"next": marked("the next seat"), "winner": marked("the winner"), "same": marked("the same seat")}

_FORM: Final = says(
    ruleset=names(), partners=("no", "yes"), dealer=int, target=int, limit=int, last_draws=int, scoring=tuple(SCORING),
    deal=tuple(DEAL), blank_text=str, blank_draw=int, blank_skip=("yes",), blank_again=("yes",),
)  # fmt: skip


def beginning(ground: Ground) -> APIRouter:
    """How another game is begun."""
    app = APIRouter()

    def table(game: int) -> tuple[Desk, Story]:
        desk = ground.played(game)
        if not desk.may_begin:
            raise HTTPException(409, _("A game is being played. Another one begins when it is over."))
        return desk, ground.told(game)

    @app.get("/games/{game}/next", response_class=HTMLResponse)
    async def ask(game: GameNumber, person: Who) -> Response:
        """Who plays the next game, and by which sheet, for a referee."""
        needs(person, "referee")
        _desk, story = table(game)
        return ground.html(
            "next", person, game=game, header=story.header, sheets=_sheets(), scoring=SCORING, deal=DEAL
        )  # fmt: skip

    @app.post("/games/{game}/next", response_class=HTMLResponse, openapi_extra=_FORM)
    async def show(game: GameNumber, form: Form, person: Who) -> Response:
        """What would be played; nothing is done yet."""
        needs(person, "referee")
        _desk, story = table(game)
        header = _header(form, story)
        return ground.html("begin", person, game=game, form=form, header=header, scoring=SCORING, deal=DEAL)

    @app.post("/games/{game}/begin", openapi_extra=_FORM)
    async def begin(game: GameNumber, form: Form, person: Who) -> Response:
        """Begin it."""
        needs(person, "referee")
        desk, story = table(game)
        desk.wish(StartGame(_header(form, story)))
        return RedirectResponse("/", 303)

    return app


def _sheets() -> list[tuple[str, str]]:
    return [(name, load(name).title) for name in names()]


def _header(form: Mapping[str, str], story: Story) -> Header:
    """The game that a form asks for, at as many seats as there are."""
    seats = [form.get(f"name-{i}", "").strip() or name for i, name in enumerate(story.header.seats)]
    options: dict[str, Any] = {}
    for name, field in (("target", "target"), ("limit", "limit"), ("own_penalties", "last_draws")):
        if text := form.get(field, "").strip():
            options[name] = _number(text)
    if "limit" in options:
        options["variant"] = "elimination"
    for name, usual in (("scoring", "winner"), ("deal", "next")):
        if (choice := form.get(name, usual)) != usual:
            options[name] = choice
    if text := form.get("blank_text", "").strip():
        effect: dict[str, Any] = {name: True for name in ("skip", "again") if form.get(f"blank_{name}") == "yes"}
        if draw := form.get("blank_draw", "").strip():
            effect["draw"] = _number(draw)
        options["custom"] = {"text": text} | ({"effect": effect} if effect else {})
    sheet = form.get("ruleset", story.header.ruleset.name)
    dealer = form.get("dealer", "").strip()
    said = {
        "log": FORMAT,
        "ruleset": sheet,
        "seats": seats,
        "dealer": _number(dealer) if dealer else None,
        "teams": _teams(sheet, len(seats)) if form.get("partners") == "yes" else [],
        "options": options,
    }
    try:
        return parse_header(said)
    except BadLog as err:
        raise HTTPException(422, _("That cannot be: {why}.", why=err)) from err


def _teams(sheet: str, seats: int) -> list[list[int]]:
    """Teams of two as the document seats them: across from each other, or side by side."""
    if sheet in names() and load(sheet).value("partners.seating") == "across":
        return [[seat, seat + seats // 2] for seat in range(seats // 2)]
    return [[seat, seat + 1] for seat in range(0, seats - 1, 2)]


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 6):
        raise HTTPException(422, _("Expected a number instead of {what}.", what=text))
    return int(text)
