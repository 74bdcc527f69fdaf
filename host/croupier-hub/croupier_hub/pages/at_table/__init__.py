"""The part of a table's page that belongs to a tournament: badges with which players sit down, and the call for the
director."""

from __future__ import annotations

from pathlib import Path as FilePath
from time import time
from typing import Annotated, Final

from fastapi import APIRouter, Depends, HTTPException, Path, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from croupier.commands import PluginOrder
from croupier.i18n import _
from croupier.names import find_name
from croupier.web.accounts import Person
from croupier.web.dependencies import GamesDep, RendererDep, SeatingDep, Token, Who, not_allowed, rings, set_session
from croupier.web.forms import Form, Posted, SeatNumber
from croupier.web.http import back, wants_page
from croupier.web.pages import PagePlugin
from croupier.web.routes.joining import require_no_referee
from croupier_hub.table import CALL, PLUGIN, AtTournament
from croupier_hub.tickets import read_ticket

Badge = Annotated[str, Path(max_length=1500, description="A player’s ticket, as the QR code of the badge has it.")]


class _CallForm(Form):
    seat: SeatNumber | None = None


router = APIRouter()


async def _badge_of(ticket: Badge, games: GamesDep) -> tuple[int, str]:
    """The seat of a player of the tournament who has a badge, and the name; or the answer 404 or 409."""
    tournament: AtTournament | None = games.require_live()[1].plugin(PLUGIN)
    name = "" if tournament is None else badge_name(ticket, tournament)
    if not name:
        raise HTTPException(404, _("This badge is not one of the tournament that is played here."))
    if (seat := find_name(name, games.live_story().at(None).names)) is None:
        raise HTTPException(409, _("{name} does not play at this table now.", name=name))
    return seat, name


BadgeOwner = Annotated[tuple[int, str], Depends(_badge_of)]


@router.get("/badge/{ticket}", response_class=HTMLResponse)
async def show_badge(ticket: Badge, owner: BadgeOwner, person: Who, games: GamesDep, render: RendererDep) -> Response:
    """The button with which a player with a badge sits down."""
    return render.html(f"{PLUGIN}/badge", person, player=games.seat_names()[owner[0]], badge=ticket)


@router.post("/badge/{ticket}", dependencies=[rings])
async def sit_down(owner: BadgeOwner, person: Who, token: Token, seating: SeatingDep) -> Response:
    """Sit down at the seat that the plan of the tournament gives."""
    require_no_referee(person)
    return set_session(RedirectResponse("/join", 303), seating.sit(token, *owner))


@router.post("/actions/call", status_code=204)
async def call(request: Request, person: Who, form: Posted[_CallForm], games: GamesDep) -> Response:
    """Call for the director of the tournament."""
    table, state = games.require_live()
    if state.plugin(PLUGIN) is None or not _may_call(person, form.seat):
        raise not_allowed()
    table.submit(PluginOrder(PLUGIN, CALL, form.seat))
    return back(request) if wants_page(request) else Response(status_code=204)


def _may_call(person: Person, seat: int | None) -> bool:
    return person.may("referee") or (person.role == "player" and person.seat == seat)


def badge_name(ticket: str, tournament: AtTournament) -> str:
    """The name on a badge; "" if the director did not sign it or has revoked it, or it has expired."""
    who = read_ticket(ticket, tournament.director, time())
    is_revoked = any(who.name == name and who.until <= until for name, until in tournament.revoked)
    return "" if who.role != "player" or is_revoked else who.name


PLUGIN_PAGE: Final = PagePlugin(router, FilePath(__file__).parent, regions=("call.html",), state=AtTournament)
