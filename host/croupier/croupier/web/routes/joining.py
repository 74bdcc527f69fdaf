"""Routes for players who come with a QR code, and for the admin who lets them in."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Final, Literal

from fastapi import APIRouter, HTTPException, Path, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import Field

from croupier.errors import BadForm, BadLog, CannotCorrect
from croupier.http_server import busy
from croupier.i18n import _
from croupier.web.accounts import MAX_NAME, Person
from croupier.web.context import Client, Context, Token, Who, back, require, set_session
from croupier.web.forms import Form, Number, Posted, SeatNumber
from croupier_rules.referee.corrections import ChangePlayers

Code = Annotated[str, Path(max_length=64, description="The code of a seat, as its QR code has it.")]


class _NameForm(Form):
    name: Annotated[str, Field(max_length=MAX_NAME)] = ""


class _SeatsForm(Form):
    """``who``: the number of a newcomer."""

    do: Literal["let-in", "refuse", "renew", "free", "confirm", "trust"]
    seat: SeatNumber | None = None
    who: Number | None = None


_NEEDS: Final = {"let-in": "who", "refuse": "who", "renew": "seat", "free": "seat"}


def joining_routes(router: APIRouter, context: Context) -> None:
    """Routes for players who come with a QR code, and for the admin who lets them in."""
    seating = context.seating

    def seat_of(code: str, client: str) -> int:
        """The seat of a code, or the answer 404 or 429: a wrong one counts like a wrong login code."""
        context.require_live()
        context.require_attempt(client)
        if (seat := seating.seat(code)) is None:
            context.throttle.begin_attempt(client, context.clock())
            raise HTTPException(404, _("This code is no longer valid. Scan the one that the screen shows now."))
        return seat

    def join_game(seat: int, name: str) -> None:
        """Whoever sits down where a player has left the game plays from now on (*I play again* remains for later);
        elsewhere the seat goes by the typed name."""
        table, story = context.require_live()[0], context.live_story()
        wanted = [ChangePlayers("join", seat, name=name)]
        if story.header.seats[seat] != name:
            wanted.append(ChangePlayers("rename", seat, name=name))
        for command in wanted:
            with suppress(BadLog, CannotCorrect):
                story.preview(command)
                table.submit(command)
                break

    seating.on_sit = join_game

    def own_seat(person: Person) -> Response:
        return RedirectResponse(context.own_page(person), 303)

    def shown(person: Person, status: int = 200, **variables: object) -> HTMLResponse:
        nothing = {"code": "", "seat": None, "waits": False, "has_left": False, "typed": "", "wrong": ""}
        return context.html("join", person, status, names=context.seat_names(), **{**nothing, **variables})

    @router.get("/join", response_class=HTMLResponse)
    async def status(person: Who, token: Token) -> Response:
        """What a phone has to do next: wait, come back, scan; or its seat."""
        context.require_live()
        if person.seat is not None:
            return own_seat(person)
        newcomer, session = context.accounts.newcomer(token), context.accounts.session(token)
        seats = context.seat_names()
        if newcomer is not None and newcomer.seat < len(seats):
            return shown(person, seat=newcomer.seat, typed=newcomer.name, waits=True)
        if session is not None and session.has_left and (session.person.seat or 0) < len(seats):
            return shown(person, seat=session.person.seat, typed=session.name, has_left=True)
        return shown(person)

    @router.get("/join/{code}", response_class=HTMLResponse)
    async def form(code: Code, person: Who, client: Client) -> Response:
        """The form for the name of a new player."""
        if person.seat is not None and seating.seat(code) is None:
            return own_seat(person)  # back to the page with the code that this phone has used
        return shown(person, code=code, seat=seat_of(code, client))

    @router.post("/join/{code}", response_class=HTMLResponse)
    async def join(
        request: Request, code: Code, person: Who, token: Token, client: Client, form: Posted[_NameForm]
    ) -> Response:
        """Sit down at the seat of the code, or wait until the admin agrees."""
        seat = seat_of(code, client)
        require_no_referee(person)
        name = "".join(letter for letter in form.name if letter.isprintable()).strip()
        if not name or not seating.is_name_free(name, seat, token, context.next_names()):
            wrong = _("The name {name} is taken: choose another one.", name=name) if name else _("Type a name.")
            return shown(person, 422, code=code, seat=seat, typed=name, wrong=wrong)
        if not seating.has_room(client):
            raise busy()
        token = seating.ask(token, seat, name, client)
        return set_session(RedirectResponse("/join", 303), token)

    @router.post("/leave")
    async def leave(person: Who, token: Token) -> Response:
        """Leave the own seat; this phone may come back while it is free."""
        _require_player(person)
        seating.set_away(token, has_left=True)
        return RedirectResponse("/join", 303)

    @router.post("/back")
    async def come_back(person: Who, token: Token) -> Response:
        """Come back to the seat that this phone has left."""
        session = context.accounts.session(token)
        if session is None or not session.has_left or session.person.seat is None:
            _require_player(person)
        elif session.person.seat in context.accounts.players:
            raise HTTPException(409, _("Somebody else sits there now. Scan the QR code of a free seat."))
        seating.set_away(token, has_left=False)
        return RedirectResponse("/join", 303)

    @router.post("/people/seats")
    async def decide(request: Request, person: Who, form: Posted[_SeatsForm]) -> Response:
        """Let newcomers in, renew the code of a seat, free it; whether newcomers wait."""
        require(person, "admin")
        context.require_live()
        if getattr(form, _NEEDS.get(form.do, "do")) is None:
            raise BadForm(_("That cannot be done here."))
        match form.do:
            case "let-in":
                seating.let_in(form.who or 0)
            case "refuse":
                seating.refuse(form.who or 0)
            case "renew":
                seating.renew(form.seat or 0)
            case "free":
                seating.free(form.seat or 0)
            case _:
                seating.set_confirms(form.do == "confirm")
        return back(request)


def require_no_referee(person: Person) -> None:
    """The answer 409 for those who may act for every seat anyway."""
    if person.may("referee"):
        raise HTTPException(409, _("Your code opens every seat. Log out first if you want to play here."))


def _require_player(person: Person) -> None:
    """The answer 403 for everybody who has no seat."""
    if person.seat is None:
        raise HTTPException(403, _("You have no seat. Scan the QR code of a free one."))
