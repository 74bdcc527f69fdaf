"""Routes for login, login codes, and the language and colors of the page."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from croupier.errors import CannotWrite
from croupier.i18n import LANGUAGES, _, known, localize
from croupier.web.accounts import ROLES, Person
from croupier.web.dependencies import (
    SESSION_COOKIE,
    AccountsDep,
    AsAdmin,
    Client,
    GamesDep,
    RendererDep,
    SeatingDep,
    StreamDep,
    ThrottleDep,
    Token,
    Who,
    keeps_cookies,
    rings,
    set_session,
    thread,
    try_cookies,
)
from croupier.web.forms import Form, OneOf, Posted, SeatNumber
from croupier.web.games import Games
from croupier.web.http import back
from croupier.web.limits import BoundedExecutor
from croupier.web.middleware import LANGUAGE_COOKIE, THEME_COOKIE, THEMES
from croupier.web.renderer import Renderer
from croupier.web.seating import Seating


class _LoginForm(Form):
    code: str = ""


class _LanguageForm(Form):
    language: Annotated[str, OneOf(tuple(LANGUAGES))] | None = None


class _ThemeForm(Form):
    theme: Annotated[str, OneOf(THEMES)]


class _CodeForm(Form):
    role: Annotated[str, OneOf(ROLES)] = ""
    seat: SeatNumber | None = None


router = APIRouter()
LoginThread = Annotated[BoundedExecutor, thread("login", 4, 2)]
"""A code takes 20 MB and a tenth of a second."""


@router.get("/login", response_class=HTMLResponse)
async def login_page(person: Who, render: RendererDep) -> Response:
    """The form for a login code."""
    return try_cookies(render.html("login", person, wrong=""))


@router.post("/login", response_class=HTMLResponse, dependencies=[keeps_cookies])
async def log_in(
    person: Who, client: Client, before: Token, form: Posted[_LoginForm], render: RendererDep, accounts: AccountsDep,
    throttle: ThrottleDep, login_thread: LoginThread,
) -> Response:  # fmt: skip
    """Log in with a code. A session that this browser has of the same person ends."""
    try:
        throttle.require_attempt(client)
    except HTTPException as err:
        answer = render.html("login", person, err.status_code, wrong=err.detail)
        answer.headers.update(err.headers or {})
        return answer
    throttle.begin_attempt(client)
    try:
        token = await login_thread.run(client, lambda: accounts.log_in(form.code))
    except HTTPException:
        throttle.take_back(client)
        raise
    if token is None:
        return render.html("login", person, 403, wrong=_("Unknown code."))
    throttle.take_back(client)
    if accounts.person(token) == person:
        accounts.log_out(before)
    return set_session(RedirectResponse("/", 303), token)


@router.post("/logout", dependencies=[rings])
async def log_out(token: Token, accounts: AccountsDep) -> Response:
    """Become a spectator again."""
    accounts.log_out(token)
    answer = RedirectResponse("/", 303)
    answer.delete_cookie(SESSION_COOKIE)
    return answer


@router.post("/language")
async def choose_language(request: Request, form: Posted[_LanguageForm]) -> Response:
    """Choose the language of the page for this browser."""
    if (code := known(form.language or "")) is None:
        raise HTTPException(422, _("Expected one of the languages below."))
    return back(request, {LANGUAGE_COOKIE: code})


@router.post("/theme")
async def choose_theme(request: Request, form: Posted[_ThemeForm]) -> Response:
    """Choose the colors of the page for this browser."""
    return back(request, {THEME_COOKIE: form.theme})


def _accounts_page(
    person: Person, games: Games, render: Renderer, seating: Seating, code: str = "", whose: str = ""
) -> Response:
    table, names = games.live_table, games.seat_names()
    return render.html(
        "accounts", person, code=code, whose=whose, names=names,
        seats=None if table is None else seating.seats(len(names)),
    )  # fmt: skip


@router.get("/people", response_class=HTMLResponse)
async def accounts(person: AsAdmin, games: GamesDep, render: RendererDep, seating: SeatingDep) -> Response:
    """The page on which an admin creates login codes."""
    return _accounts_page(person, games, render, seating)


@router.post("/people", response_class=HTMLResponse)
async def new_code(
    person: AsAdmin, client: Client, form: Posted[_CodeForm], games: GamesDep, render: RendererDep,
    seating: SeatingDep, accounts: AccountsDep, stream: StreamDep, login_thread: LoginThread,
) -> Response:  # fmt: skip
    """Create a login code and show it once."""
    seats = games.seat_names()
    has_seat = form.seat is not None and form.seat < len(seats)
    if form.role not in ROLES[1:] or (form.role == "player") != has_seat:
        raise HTTPException(422, _("Expected a player with a seat, a screen, a referee or an admin."))
    try:
        code = await login_thread.run(client, lambda: accounts.new_code(Person(form.role, form.seat)))
    except CannotWrite as err:
        raise HTTPException(507, localize(err)[0]) from err
    stream.end_streams(of_all=False)
    whose = form.role if form.seat is None else seats[form.seat]
    return _accounts_page(person, games, render, seating, code, whose)
