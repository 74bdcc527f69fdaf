"""Addresses for coming in: codes, roles, and in which language one reads."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.concurrency import run_in_threadpool

from croupier.errors import CannotWrite
from croupier.i18n import LANGUAGES, _, known, localize
from croupier.web.accounts import ROLES, Patience, Person
from croupier.web.context import COOKIE, Form, Ground, Who, needs, says
from croupier.web.language import LANGUAGE_COOKIE

_MONTH_S: Final = 30 * 86400


def door(ground: Ground) -> APIRouter:
    """Where one comes in."""
    app = APIRouter()
    patience = Patience()

    @app.get("/enter", response_class=HTMLResponse)
    async def at_the_door(person: Who) -> Response:
        """Where one comes in with a code."""
        return ground.html("enter", person, wrong="")

    @app.post("/enter", response_class=HTMLResponse, openapi_extra=says(code=str))
    async def enter(request: Request, form: Form, person: Who) -> Response:
        """Come in with a code."""
        place, now = request.client.host if request.client else "", ground.clock()
        if (rest := patience.rest_s(place, now)) > 0:
            wrong = _("Too many wrong codes. Try again in {n} seconds.", n=round(rest) + 1)
            return ground.html("enter", person, 429, wrong=wrong)
        # Counted before it is known, so that many at once are no way round.
        patience.wrong(place, now)
        token = await run_in_threadpool(ground.people.enter, form.get("code", ""))
        if token is None:
            return ground.html("enter", person, 403, wrong=_("This code is not known."))
        patience.right(place)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(COOKIE, token, httponly=True, samesite="strict", max_age=_MONTH_S)
        return answer

    @app.post("/leave")
    async def leave(request: Request) -> Response:
        """Be a spectator again."""
        ground.people.leave(request.cookies.get(COOKIE))
        answer = RedirectResponse("/", 303)
        answer.delete_cookie(COOKIE)
        return answer

    @app.post("/language", openapi_extra=says(language=tuple(LANGUAGES)))
    async def choose_language(request: Request, form: Form) -> Response:
        """Read the page in another language, from now on, with this browser."""
        if (code := known(form.get("language", ""))) is None:
            raise HTTPException(422, _("Expected one of the languages below."))
        answer = RedirectResponse(_back(request.headers.get("referer", "")), 303)
        answer.set_cookie(LANGUAGE_COOKIE, code, httponly=True, samesite="strict", max_age=12 * _MONTH_S)
        return answer

    @app.get("/people", response_class=HTMLResponse)
    async def codes(person: Who) -> Response:
        """Where an admin makes codes."""
        return ground.html("people", needs(person, "admin"), code="", whose="", seats=_names(ground))

    @app.post("/people", response_class=HTMLResponse, openapi_extra=says(role=ROLES, seat=int))
    async def new_code(form: Form, person: Who) -> Response:
        """Make a code; it is shown once."""
        needs(person, "admin")
        seats = _names(ground)
        role, seat = form.get("role", ""), form.get("seat", "")
        if role not in ROLES[1:] or (role == "player") != (seat in map(str, range(len(seats)))):
            raise HTTPException(422, _("Expected a player with a seat, a referee or an admin."))
        new = Person(role, int(seat) if role == "player" else None)
        try:
            code = await run_in_threadpool(ground.people.new_code, new)
        except CannotWrite as err:
            raise HTTPException(507, localize(err)[0]) from err
        return ground.html(
            "people", person, code=code, whose=role if new.seat is None else seats[new.seat], seats=seats
        )

    return app


def _names(ground: Ground) -> tuple[str, ...]:
    return ground.told(ground.desk.game).header.seats if ground.desk is not None else ()


def _back(referer: str) -> str:
    """Where on our page somebody came from; the start where that is no address."""
    try:
        came = urlsplit(referer)
    except ValueError:
        return "/"
    path = "/" + came.path.lstrip("/\\")
    return f"{path}?{came.query}" if came.query else path
