"""Routes for players who come with a QR code, and for the admin who lets them in."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from fastapi import APIRouter, Depends, HTTPException, Path, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from croupier.errors import BadForm, BadName
from croupier.http_server import busy
from croupier.i18n import _, localize
from croupier.names import TakenNames, player_name
from croupier.web.accounts import Person
from croupier.web.dependencies import (
    AccountsDep,
    AsAdmin,
    Client,
    GamesDep,
    RendererDep,
    SeatingDep,
    ThrottleDep,
    Token,
    Who,
    keeps_cookies,
    rings,
    set_session,
    try_cookies,
)
from croupier.web.forms import Form, Number, Posted, SeatNumber, TypedName
from croupier.web.http import back

Code = Annotated[str, Path(max_length=64, description="The code of a seat, as its QR code has it.")]


class _NameForm(Form):
    name: TypedName = ""


class _SeatsForm(Form):
    """``who``: the number of a newcomer."""

    do: Literal["let-in", "refuse", "refuse-all", "renew", "free", "confirm", "trust"]
    seat: SeatNumber | None = None
    who: Number | None = None


_NEEDS: Final = {"let-in": "who", "refuse": "who", "renew": "seat", "free": "seat"}


router = APIRouter()


async def _seat_of(code: Code, client: Client, games: GamesDep, seating: SeatingDep, throttle: ThrottleDep) -> int:
    """The seat of a code, or the answer 404 or 429: an invented one counts like a wrong login code."""
    games.require_live()
    if (seat := seating.seat(code)) is not None:
        return seat
    if not seating.has_ended(code):
        throttle.require_attempt(client)
        throttle.begin_attempt(client)
    raise HTTPException(404, _("This code is no longer valid. Scan the one that the screen shows now."))


SeatOfCode = Annotated[int, Depends(_seat_of)]


class _JoinPage:
    """The page for a phone that has no seat yet."""

    def __init__(self, person: Who, games: GamesDep, render: RendererDep) -> None:
        self._person, self._games, self._render = person, games, render

    def own_seat(self) -> Response:
        """Lead to the own seat."""
        return RedirectResponse(self._games.own_page(self._person), 303)

    def html(self, status: int = 200, **variables: object) -> HTMLResponse:
        """The page with these variables; all others say nothing."""
        nothing = {"code": "", "seat": None, "waits": False, "has_left": False, "typed": "", "wrong": ""}
        names = self._games.seat_names()
        return self._render.html("join", self._person, status, names=names, **{**nothing, **variables})


JoinPage = Annotated[_JoinPage, Depends(_JoinPage)]


@router.get("/join", response_class=HTMLResponse)
async def status(person: Who, token: Token, page: JoinPage, games: GamesDep, accounts: AccountsDep) -> Response:
    """Next step of a phone: wait, come back, scan; or its seat."""
    games.require_live()
    if person.seat is not None:
        return page.own_seat()
    newcomer, session = accounts.newcomer(token), accounts.session(token)
    seats = games.seat_names()
    if newcomer is not None and newcomer.seat < len(seats):
        return page.html(seat=newcomer.seat, typed=newcomer.name, waits=True)
    if session is not None and session.has_left and (session.person.seat or 0) < len(seats):
        return page.html(seat=session.person.seat, typed=session.name, has_left=True)
    return page.html()


@router.get("/join/{code}", response_class=HTMLResponse)
async def form(
    code: Code, person: Who, client: Client, page: JoinPage, games: GamesDep, seating: SeatingDep, throttle: ThrottleDep
) -> Response:
    """The form for the name of a new player."""
    if person.seat is not None and seating.seat(code) is None:
        return page.own_seat()  # back to the page with the code that this phone has used
    seat = await _seat_of(code, client, games, seating, throttle)
    return try_cookies(page.html(code=code, seat=seat))


@router.post("/join/{code}", response_class=HTMLResponse, dependencies=[keeps_cookies, rings])
async def join(
    code: Code, seat: SeatOfCode, person: Who, token: Token, client: Client, form: Posted[_NameForm], page: JoinPage,
    games: GamesDep, seating: SeatingDep,
) -> Response:  # fmt: skip
    """Sit down at the seat of the code, or wait until the admin agrees."""
    require_no_referee(person)
    taken = TakenNames(seating.others(seat, token, seating.names(games.seat_names())))
    try:
        name, wrong = player_name(form.name), ""
        if (other := taken.alike(name)) is not None:
            wrong = _("The name {name} is taken: choose another one.", name=other)
    except BadName as err:
        name, wrong = form.name, localize(err)[0]
    if wrong:
        return page.html(422, code=code, seat=seat, typed=name, wrong=wrong)
    if not seating.make_room(client, seat):
        raise busy()
    token = seating.ask(token, seat, name, client)
    return set_session(RedirectResponse("/join", 303), token)


@router.post("/leave", dependencies=[rings])
async def leave(person: Who, token: Token, accounts: AccountsDep) -> Response:
    """Leave the own seat; this phone may come back while it is free."""
    _require_player(person)
    accounts.set_away(token, has_left=True)
    return RedirectResponse("/join", 303)


@router.post("/back", dependencies=[rings])
async def come_back(person: Who, token: Token, accounts: AccountsDep) -> Response:
    """Come back to the seat that this phone has left."""
    session = accounts.session(token)
    if session is None or not session.has_left or session.person.seat is None:
        _require_player(person)
    elif session.person.seat in accounts.players:
        raise HTTPException(409, _("Somebody else sits there now. Scan the QR code of a free seat."))
    accounts.set_away(token, has_left=False)
    return RedirectResponse("/join", 303)


@router.post("/people/seats", dependencies=[rings])
async def decide(
    request: Request, _person: AsAdmin, form: Posted[_SeatsForm], games: GamesDep, seating: SeatingDep,
    accounts: AccountsDep,
) -> Response:  # fmt: skip
    """Let newcomers in, renew the code of a seat, free it; whether newcomers wait."""
    games.require_live()
    if getattr(form, _NEEDS.get(form.do, "do")) is None:
        raise BadForm(_("That cannot be done here."))
    match form.do:
        case "let-in":
            seating.let_in(form.who or 0)
        case "refuse":
            accounts.decide(form.who or 0, lets_in=False)
        case "refuse-all":
            seating.refuse_all()
        case "renew":
            seating.renew(form.seat or 0)
        case "free":
            seating.free(form.seat or 0)
        case _:
            accounts.set_confirms(form.do == "confirm")
    return back(request)


def require_no_referee(person: Person) -> None:
    """The answer 409 for those who may act for every seat anyway."""
    if person.may("referee"):
        raise HTTPException(409, _("Your code opens every seat. Log out first if you want to play here."))


def _require_player(person: Person) -> None:
    """The answer 403 for everybody who has no seat."""
    if person.seat is None:
        raise HTTPException(403, _("You have no seat. Scan the QR code of a free one."))
