"""The site of a hub: what tables and other hubs send, and the pages for people."""

from __future__ import annotations

import time
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, Final

from fastapi import APIRouter, FastAPI, HTTPException, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException as AnyHTTPException

from croupier.clocks import elapsed
from croupier.errors import CroupierError
from croupier.i18n import LANGUAGES, _, localize
from croupier.names import find_name
from croupier.web.forms import Form, OneOf, Posted, request_error
from croupier.web.http import back
from croupier.web.middleware import LANGUAGE_COOKIE, THEME_COOKIE, THEMES, ChoiceMiddleware, OriginMiddleware
from croupier.web.once import OnceMiddleware
from croupier.web.pages import STATIC
from croupier.web.static_files import PageFiles
from croupier_hub.log_lines import FORMS, log_as
from croupier_hub.pages.desk import TICKET_COOKIE, Desk, DeskDep, Presence, RendererDep, Who
from croupier_hub.pages.desk import router as desk_router
from croupier_hub.pages.receipts import router as receipt_router
from croupier_hub.pages.render import HUB_STATIC, Renderer
from croupier_hub.pages.tournament import SCENES, Watch, slide_at
from croupier_hub.service import create_hub
from croupier_hub.store import LogStore

router: Final = APIRouter()
"""The pages for everybody."""

Show = Annotated[list[str], Query()]


class _ChoiceForm(Form):
    language: Annotated[str, OneOf(tuple(LANGUAGES))] | None = None
    theme: Annotated[str, OneOf(THEMES)] | None = None


def open_site(
    database: str, director: str, director_file: Path | None, look: Callable[[], Presence] | None = None,
    cosign_for: Path | None = None, log: str = FORMS[0],
) -> FastAPI:  # fmt: skip
    """The application of a hub over this database, in a process that has no other. ``look``: begins to look at the
    broker; ``log``: the form of its log, one of `FORMS`."""
    log_as(log)
    presence = None if look is None else look()
    return create_site(LogStore(database, director), director_file=director_file, presence=presence,
                       cosign_for=cosign_for)  # fmt: skip


def create_site(
    store: LogStore, clock: Callable[[], float] = time.time, director_file: Path | None = None,
    presence: Presence | None = None, cosign_for: Path | None = None, elapsed: Callable[[], float] = elapsed,
) -> FastAPI:  # fmt: skip
    """The application of a hub over a store. ``clock``: seconds since 1970; ``elapsed``: of a clock that nobody sets.
    ``director_file``: with the director's key;
    without it the pages only show. ``presence``: which tables are on, if there is a broker that knows it.
    ``cosign_for``: as in `croupier_hub.cosigning.Cosigner`."""
    watch = Watch(store, clock, elapsed)
    app = create_hub(store, watch.newest, clock, cosign_for)
    app.mount("/", _create_pages(Desk(store, watch, director_file, presence)))
    return app


def _create_pages(desk: Desk) -> FastAPI:
    render = Renderer()
    pages = FastAPI(docs_url=None, redoc_url=None)
    pages.state.provided = {Desk: desk, Renderer: render}
    pages.mount("/static", PageFiles(STATIC))
    pages.mount("/hub", PageFiles(HUB_STATIC))
    for each in (router, desk_router, receipt_router):
        pages.include_router(each)
    pages.add_middleware(OnceMiddleware)
    pages.add_middleware(ChoiceMiddleware)
    pages.add_middleware(OriginMiddleware, names=None)

    def error(request: Request, status: int, why: str) -> Response:
        return render.html("error", desk.ticket(request), status, why=why)

    @pages.exception_handler(AnyHTTPException)
    async def show_error(request: Request, err: AnyHTTPException) -> Response:
        is_plain = err.detail == HTTPStatus.NOT_FOUND.phrase
        return error(request, err.status_code, _("There is no page at this address.") if is_plain else err.detail)

    @pages.exception_handler(CroupierError)
    async def show_mistake(request: Request, err: CroupierError) -> Response:
        return error(request, 422, localize(err)[0])

    @pages.exception_handler(RequestValidationError)
    async def show_bad_request(request: Request, err: RequestValidationError) -> Response:
        return error(request, 422, request_error(err))

    @pages.exception_handler(SQLAlchemyError)
    async def show_failure(request: Request, err: SQLAlchemyError) -> Response:
        desk.watch.newest.store.failures.report(err)
        return error(request, 503, _("The database does not answer; the log of the hub says why."))

    return pages


@router.get("/", response_class=HTMLResponse)
def home(who: Who, desk: DeskDep, render: RendererDep) -> Response:
    """Seating, standings, all results."""
    now = desk.watch.now()
    return render.html("tournament", who, tournament=now, left_s=now.left_s(desk.watch.clock()))


@router.get("/players", response_class=HTMLResponse)
def player(
    request: Request, who: Who, name: Annotated[str, Query(max_length=1000)], desk: DeskDep, render: RendererDep
) -> Response:
    """Seats and scores of one player."""
    now = desk.watch.now()
    if (place := find_name(name, names := now.directed.names)) is None:
        raise HTTPException(404, _("No player of this name takes part."))
    name = names[place]
    badge = request.cookies[TICKET_COOKIE] if (who.role, who.name) == ("player", name) else ""
    return render.html("player", who, tournament=now, player=name, badge=badge, left_s=now.left_s(desk.watch.clock()))


@router.get("/screen", response_class=HTMLResponse)
def screen(  # FastAPI copies the default
    who: Who,
    desk: DeskDep,
    render: RendererDep,
    show: Show = list(SCENES),  # noqa: B006
) -> Response:
    """The public screen, which rotates through its views."""
    return render.html("screen", who, **_slide(desk.watch, show))


@router.get("/screen/slide", response_class=HTMLResponse)
def screen_slide(desk: DeskDep, render: RendererDep, show: Show = list(SCENES)) -> Response:  # noqa: B006
    """Present view of the public screen."""
    return render.html("parts/slide", **_slide(desk.watch, show))


@router.post("/choice")
async def choose(request: Request, form: Posted[_ChoiceForm]) -> Response:
    """Choose language or colors for this browser."""
    choices = {LANGUAGE_COOKIE: form.language, THEME_COOKIE: form.theme}
    return back(request, {cookie: value for cookie, value in choices.items() if value is not None})


def _slide(watch: Watch, show: list[str]) -> dict[str, Any]:
    if not set(show) <= set(SCENES):
        raise HTTPException(422, _("There is no page at this address."))
    now, t = watch.now(), watch.clock()
    shown = slide_at(now, show, t)
    games = {row["table"]: watch.game(now, row["table"]) for row in shown.rows} if shown.scene == "tables" else {}
    return {"tournament": now, "slide": shown, "games": games, "left_s": now.left_s(t), "show": show}
