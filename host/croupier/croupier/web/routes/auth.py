"""Routes for login, login codes, and the language and colors of the page."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from croupier.errors import CannotWrite
from croupier.i18n import LANGUAGES, _, known, localize
from croupier.web.accounts import ROLES, Person
from croupier.web.context import SESSION_COOKIE, Client, Context, Who, back, require, set_session
from croupier.web.forms import Form, OneOf, Posted, SeatNumber
from croupier.web.middleware import LANGUAGE_COOKIE, THEME_COOKIE, THEMES


class _LoginForm(Form):
    code: str = ""


class _LanguageForm(Form):
    language: Annotated[str, OneOf(tuple(LANGUAGES))] | None = None


class _ThemeForm(Form):
    theme: Annotated[str, OneOf(THEMES)]


class _CodeForm(Form):
    role: Annotated[str, OneOf(ROLES)] = ""
    seat: SeatNumber | None = None


def auth_routes(router: APIRouter, context: Context) -> None:
    """Routes for login, login codes, and the language and colors of the page."""
    throttle = context.throttle

    @router.get("/login", response_class=HTMLResponse)
    async def login_page(person: Who) -> Response:
        """The form for a login code."""
        return context.html("login", person, wrong="")

    @router.post("/login", response_class=HTMLResponse)
    async def log_in(request: Request, person: Who, client: Client, form: Posted[_LoginForm]) -> Response:
        """Log in with a code."""
        now = context.clock()
        try:
            context.require_attempt(client)
        except HTTPException as err:
            answer = context.html("login", person, err.status_code, wrong=err.detail)
            answer.headers.update(err.headers or {})
            return answer
        throttle.begin_attempt(client, now)
        try:
            token = await context.login_thread.run(client, lambda: context.accounts.log_in(form.code))
        except HTTPException:
            throttle.take_back(client, now)
            raise
        if token is None:
            return context.html("login", person, 403, wrong=_("Unknown code."))
        throttle.take_back(client, now)
        return set_session(RedirectResponse("/", 303), token)

    @router.post("/logout")
    async def log_out(request: Request) -> Response:
        """Become a spectator again."""
        context.accounts.log_out(request.cookies.get(SESSION_COOKIE))
        context.stream.ring()
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

    def accounts_page(person: Person, code: str = "", whose: str = "") -> Response:
        table, names = context.live_table, context.seat_names()
        return context.html(
            "accounts", person, code=code, whose=whose, names=names,
            seats=None if table is None else context.seating.seats(len(names)),
        )  # fmt: skip

    @router.get("/people", response_class=HTMLResponse)
    async def accounts(person: Who) -> Response:
        """The page on which an admin creates login codes."""
        return accounts_page(require(person, "admin"))

    @router.post("/people", response_class=HTMLResponse)
    async def new_code(request: Request, person: Who, client: Client, form: Posted[_CodeForm]) -> Response:
        """Create a login code and show it once."""
        require(person, "admin")
        seats = context.seat_names()
        has_seat = form.seat is not None and form.seat < len(seats)
        if form.role not in ROLES[1:] or (form.role == "player") != has_seat:
            raise HTTPException(422, _("Expected a player with a seat, a referee or an admin."))
        try:
            code = await context.login_thread.run(
                client, lambda: context.accounts.new_code(Person(form.role, form.seat))
            )
        except CannotWrite as err:
            raise HTTPException(507, localize(err)[0]) from err
        whose = form.role if form.seat is None else seats[form.seat]
        return accounts_page(person, code, whose)
