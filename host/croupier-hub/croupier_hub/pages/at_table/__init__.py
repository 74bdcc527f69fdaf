"""The part of a table's page that belongs to a tournament: badges with which players sit down, and the call for the
director."""

from __future__ import annotations

from pathlib import Path as FilePath
from time import time
from typing import Annotated, Final

from fastapi import APIRouter, HTTPException, Path, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from croupier.commands import PluginOrder
from croupier.i18n import _
from croupier.web.accounts import Person
from croupier.web.context import Context, Token, Who, back, set_session, wants_page
from croupier.web.forms import Form, Posted, SeatNumber
from croupier.web.pages import PagePlugin
from croupier.web.routes.joining import require_no_referee
from croupier_hub.table import CALL, PLUGIN, AtTournament
from croupier_hub.tickets import read_ticket

Badge = Annotated[str, Path(max_length=600, description="A player’s ticket, as the QR code of the badge has it.")]


class _CallForm(Form):
    seat: SeatNumber | None = None


def _routes(router: APIRouter, context: Context) -> None:

    def badge_of(ticket: str) -> tuple[int, str]:
        """The seat of a player of the tournament who has a badge, and the name; or the answer 404 or 409."""
        tournament: AtTournament | None = context.require_live()[1].plugin(PLUGIN)
        name = "" if tournament is None else badge_name(ticket, tournament)
        if not name:
            raise HTTPException(404, _("This badge is not one of the tournament that is played here."))
        if name not in (names := context.live_story().at(None).names):
            raise HTTPException(409, _("{name} does not play at this table now.", name=name))
        return names.index(name), name

    @router.get("/badge/{ticket}", response_class=HTMLResponse)
    async def show_badge(ticket: Badge, person: Who) -> Response:
        """The button with which a player with a badge sits down."""
        seat = badge_of(ticket)[0]
        return context.html(f"{PLUGIN}/badge", person, player=context.seat_names()[seat], badge=ticket)

    @router.post("/badge/{ticket}")
    async def sit_down(ticket: Badge, person: Who, token: Token) -> Response:
        """Sit down at the seat that the plan of the tournament gives."""
        seat, name = badge_of(ticket)
        require_no_referee(person)
        return set_session(RedirectResponse("/join", 303), context.seating.sit(token, seat, name))

    @router.post("/actions/call", status_code=204)
    async def call(request: Request, person: Who, form: Posted[_CallForm]) -> Response:
        """Call for the director of the tournament."""
        table, state = context.require_live()
        if state.plugin(PLUGIN) is None or not _may_call(person, form.seat):
            raise HTTPException(403, _("You are not allowed to do that. Log in with your code first."))
        table.submit(PluginOrder(PLUGIN, CALL, form.seat))
        return back(request) if wants_page(request) else Response(status_code=204)


def _may_call(person: Person, seat: int | None) -> bool:
    return person.may("referee") or (person.role == "player" and person.seat == seat)


def badge_name(ticket: str, tournament: AtTournament) -> str:
    """The name on a badge; "" if the director did not sign it or has revoked it, or it has expired."""
    who = read_ticket(ticket, tournament.director, time())
    is_revoked = any(who.name == name and who.until <= until for name, until in tournament.revoked)
    return "" if who.role != "player" or is_revoked else who.name


PLUGIN_PAGE: Final = PagePlugin(_routes, FilePath(__file__).parent, regions=("call.html",))
