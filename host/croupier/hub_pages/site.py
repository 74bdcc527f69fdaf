"""The site of a hub: what tables and other hubs send, and the pages for people."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, HTTPException, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException as AnyHTTPException

from croupier.errors import BadForm
from croupier.hub.service import create_hub
from croupier.hub.store import LogStore, why
from croupier.hub_pages.render import HUB_STATIC, Renderer
from croupier.hub_pages.tournament import SCENES, Watch, slide_at
from croupier.i18n import LANGUAGES, _
from croupier.web.context import back, read_form
from croupier.web.forms import Form, OneOf
from croupier.web.middleware import LANGUAGE_COOKIE, THEME_COOKIE, THEMES, ChoiceMiddleware, OriginMiddleware
from croupier.web.pages import STATIC

Show = Annotated[list[str], Query()]


class _ChoiceForm(Form):
    language: Annotated[str, OneOf(tuple(LANGUAGES))] | None = None
    theme: Annotated[str, OneOf(THEMES)] | None = None


def create_site(store: LogStore, clock: Callable[[], float] = time.time) -> FastAPI:
    """The application of a hub over a store. ``clock``: seconds since 1970."""
    watch = Watch(store, clock)
    app = create_hub(store, watch.newest)
    app.mount("/", _create_pages(watch))
    return app


def _create_pages(watch: Watch) -> FastAPI:
    pages, render = FastAPI(docs_url=None, redoc_url=None), Renderer()
    pages.mount("/static", StaticFiles(directory=STATIC))
    pages.mount("/hub", StaticFiles(directory=HUB_STATIC))
    _public_routes(pages.router, watch, render)
    pages.add_middleware(ChoiceMiddleware)
    pages.add_middleware(OriginMiddleware, names=None)

    @pages.exception_handler(AnyHTTPException)
    async def show_error(request: Request, error: AnyHTTPException) -> Response:
        return render.html("error", error.status_code, why=error.detail)

    @pages.exception_handler(BadForm)
    async def show_bad_form(request: Request, error: BadForm) -> Response:
        return render.html("error", 422, why=str(error))

    @pages.exception_handler(RequestValidationError)
    async def show_bad_address(request: Request, error: RequestValidationError) -> Response:
        return render.html("error", 422, why=_("There is no page at this address."))

    @pages.exception_handler(SQLAlchemyError)
    async def show_failure(request: Request, error: SQLAlchemyError) -> Response:
        return render.html("error", 503, why=_("The database does not answer: {why}", why=why(error)))

    return pages


def _public_routes(router: APIRouter, watch: Watch, render: Renderer) -> None:
    @router.get("/", response_class=HTMLResponse)
    def home() -> Response:
        """Who sits where, the standings, all results."""
        now = watch.now()
        return render.html("tournament", tournament=now, left_s=now.left_s(watch.clock()))

    @router.get("/screen", response_class=HTMLResponse)
    def screen(show: Show = list(SCENES)) -> Response:  # noqa: B006  # FastAPI copies it
        """The public screen, which rotates through what is to be shown."""
        return render.html("screen", **slide(show))

    @router.get("/screen/slide", response_class=HTMLResponse)
    def screen_slide(show: Show = list(SCENES)) -> Response:  # noqa: B006
        """What the public screen shows now."""
        return render.html("parts/slide", **slide(show))

    @router.post("/choice", openapi_extra=_ChoiceForm.openapi())
    async def choose(request: Request) -> Response:
        """Choose language or colors for this browser."""
        form = await read_form(request, _ChoiceForm)
        choices = {LANGUAGE_COOKIE: form.language, THEME_COOKIE: form.theme}
        return back(request, {cookie: value for cookie, value in choices.items() if value is not None})

    def slide(show: list[str]) -> dict[str, Any]:
        if not set(show) <= set(SCENES):
            raise HTTPException(422, _("There is no page at this address."))
        now, t = watch.now(), watch.clock()
        shown = slide_at(now, show, t)
        games = {row["table"]: watch.game(now, row["table"]) for row in shown.rows} if shown.scene == "tables" else {}
        return {"tournament": now, "slide": shown, "games": games, "left_s": now.left_s(t), "show": show}
