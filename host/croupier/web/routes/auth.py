"""Routes for login, login codes, and the language of the page."""

from __future__ import annotations

from typing import Annotated, Final
from urllib.parse import urlsplit

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from croupier.errors import CannotWrite
from croupier.i18n import LANGUAGES, _, known, localize
from croupier.web.accounts import ROLES, Person
from croupier.web.context import SESSION_COOKIE, Client, Context, Who, read_form, require
from croupier.web.forms import Form, OneOf, SeatNumber
from croupier.web.limits import LoginThrottle
from croupier.web.middleware import LANGUAGE_COOKIE

_MONTH_S: Final = 30 * 86400


class _LoginForm(Form):
    code: str = ""


class _LanguageForm(Form):
    language: Annotated[str, OneOf(tuple(LANGUAGES))] | None = None


class _CodeForm(Form):
    role: Annotated[str, OneOf(ROLES)] = ""
    seat: SeatNumber | None = None


def auth_routes(context: Context) -> APIRouter:
    """Routes for login, login codes, and the language of the page."""
    app = APIRouter()
    throttle = LoginThrottle()

    @app.get("/login", response_class=HTMLResponse)
    async def login_page(person: Who) -> Response:
        """The form for a login code."""
        return context.html("login", person, wrong="")

    @app.post("/login", response_class=HTMLResponse, openapi_extra=_LoginForm.openapi())
    async def log_in(request: Request, person: Who, client: Client) -> Response:
        """Log in with a code."""
        form, now = await read_form(request, _LoginForm), context.clock()
        if (wait_s := throttle.wait_s(client, now)) > 0:
            wait = round(wait_s) + 1
            answer = context.html(
                "login", person, 429, wrong=_("Too many wrong codes. Try again in {n} seconds.", n=wait)
            )
            answer.headers["retry-after"] = str(wait)
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
        redirect = RedirectResponse("/", 303)
        redirect.set_cookie(SESSION_COOKIE, token, httponly=True, samesite="strict", max_age=_MONTH_S)
        return redirect

    @app.post("/logout")
    async def log_out(request: Request) -> Response:
        """Become a spectator again."""
        context.accounts.log_out(request.cookies.get(SESSION_COOKIE))
        answer = RedirectResponse("/", 303)
        answer.delete_cookie(SESSION_COOKIE)
        return answer

    @app.post("/language", openapi_extra=_LanguageForm.openapi())
    async def choose_language(request: Request) -> Response:
        """Choose the language of the page for this browser."""
        form = await read_form(request, _LanguageForm)
        if (code := known(form.language or "")) is None:
            raise HTTPException(422, _("Expected one of the languages below."))
        answer = RedirectResponse(_local_path(request.headers.get("referer", "")), 303)
        answer.set_cookie(LANGUAGE_COOKIE, code, httponly=True, samesite="strict", max_age=12 * _MONTH_S)
        return answer

    @app.get("/people", response_class=HTMLResponse)
    async def accounts(person: Who) -> Response:
        """The page on which an admin creates login codes."""
        return context.html("accounts", require(person, "admin"), code="", whose="", seats=context.seat_names())

    @app.post("/people", response_class=HTMLResponse, openapi_extra=_CodeForm.openapi())
    async def new_code(request: Request, person: Who, client: Client) -> Response:
        """Create a login code and show it once."""
        require(person, "admin")
        form, seats = await read_form(request, _CodeForm), context.seat_names()
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
        return context.html("accounts", person, code=code, whose=whose, seats=seats)

    return app


def _local_path(referer: str) -> str:
    """The path of the page that the request comes from; "/" if the address is invalid."""
    try:
        address = urlsplit(referer)
    except ValueError:
        return "/"
    path = "/" + address.path.lstrip("/\\")
    return f"{path}?{address.query}" if address.query else path
