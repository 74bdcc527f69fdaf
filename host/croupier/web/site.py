"""The site, put together."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException as AnyHTTPException

from croupier.i18n import _
from croupier.web.accounts import People
from croupier.web.addresses import Reach
from croupier.web.context import Ground, who
from croupier.web.desk import Desk
from croupier.web.event_stream import Following
from croupier.web.game_repository import Shelf
from croupier.web.pages import STATIC, Pages
from croupier.web.routes.actions import wishing
from croupier.web.routes.auth import door
from croupier.web.routes.corrections import recording
from croupier.web.routes.new_game import beginning
from croupier.web.routes.view import looking
from croupier.web.setting_up import setting_up
from croupier.web.steps import Setup


def ground_of(
    shelf: Shelf,
    people: People,
    desk: Desk | None = None,
    reach: Reach | None = None,
    clock: Callable[[], float] = monotonic,
    *,
    is_set_up: bool = False,
) -> Ground:
    """What the site of a journal stands on; with a ``desk`` also that of the table that is played at now.
    ``reach``: how others in the network reach it; ``is_set_up``: the table is set up there."""
    pages = Pages(desk, reach, is_set_up=is_set_up)
    following = Following(shelf, lambda look, story: pages.moment(look, story, None))
    return Ground(shelf, people, desk, pages, following, clock)


def site(ground: Ground, setup: Setup | None = None) -> FastAPI:
    """The site; with a ``setup`` the table is set up there."""
    app = FastAPI(title="Croupier", docs_url=None, redoc_url=None)
    app.state.people = ground.people
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    if setup is not None:
        app.include_router(setting_up(ground, setup))  # first: it has the start page
    for router in (looking(ground), wishing(ground), recording(ground), beginning(ground), door(ground)):
        app.include_router(router)

    @app.exception_handler(AnyHTTPException)
    async def sorry(request: Request, error: AnyHTTPException) -> Response:
        # Whoever is asked by a script shows the words, not a page of their own.
        if request.url.path.startswith(("/wishes", "/camera")) or "hx-request" in request.headers:
            return Response(str(error.detail), error.status_code, media_type="text/plain; charset=utf-8")
        return ground.html("sorry", who(request), error.status_code, why=error.detail)

    @app.exception_handler(RequestValidationError)
    async def nothing_there(request: Request, error: RequestValidationError) -> Response:
        return ground.html("sorry", who(request), 422, why=_("There is nothing at this address."))

    return app
