"""The web application, and its server in a thread of this process.

A table's own loop must not wait for two hundred viewers, so a table serves its page in a process of its own
(`worker_process`).
"""

from __future__ import annotations

import os
import socket
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware

from croupier.errors import BadForm, CannotServe, CannotWrite, NoAnswer
from croupier.game_views.statistics import LeftOut
from croupier.game_views.story import LiveStep
from croupier.http_server import LimitedServer, listening_socket
from croupier.i18n import _
from croupier.table_api.live_table import LiveTable
from croupier.web.accounts import Accounts
from croupier.web.addresses import NetworkAddress, mdns_names, network_address
from croupier.web.context import Context, session_person, wants_page
from croupier.web.forms import request_error
from croupier.web.middleware import ChoiceMiddleware, GuessMiddleware, OriginMiddleware
from croupier.web.pages import STATIC, page_plugins
from croupier.web.routes.actions import action_routes, correction_routes
from croupier.web.routes.auth import auth_routes
from croupier.web.routes.camera import camera_routes
from croupier.web.routes.clip import clip_routes
from croupier.web.routes.joining import joining_routes
from croupier.web.routes.new_game import new_game_routes
from croupier.web.routes.overlay import overlay_routes
from croupier.web.routes.replay import replay_routes
from croupier.web.routes.score import score_routes
from croupier.web.routes.settings import settings_routes
from croupier.web.routes.setup import Setup, setup_routes
from croupier.web.routes.statistics import statistics_routes
from croupier.web.routes.view import view_routes
from croupier.web.score_sheets import ScoreSheets
from croupier.web.static_files import PageFiles
from croupier_rules.referee.observations import Overrule, PlayerChange

if TYPE_CHECKING:
    from croupier.events import RefereedStep

PORT: Final = 8300
_TRIED_PORTS: Final = 20

_SHUTDOWN_S: Final = 1

_LEAST_GZIP_BYTES: Final = 1000


def create_app(context: Context, setup: Setup | None = None) -> FastAPI:
    """The web application; with a ``setup`` the table is set up there."""
    app = FastAPI(title="Croupier", docs_url=None, redoc_url=None)
    app.state.accounts = context.accounts
    # Only these files, and replays (`Context.replay_html`): where an answer has a secret beside what somebody else
    # sent, its compressed size tells of it.
    for name, plugin in page_plugins().items():
        if (static := plugin.folder / "static").is_dir():
            app.mount(f"/static/{name}", GZipMiddleware(PageFiles(static), _LEAST_GZIP_BYTES))
    app.mount("/static", GZipMiddleware(PageFiles(STATIC), _LEAST_GZIP_BYTES), name="static")
    if setup is not None:
        setup_routes(app.router, context, setup)  # first: it has the start page
    at_a_table = APIRouter(dependencies=[Depends(context.require_journal)])
    every_route = (
        view_routes, statistics_routes, camera_routes, action_routes, correction_routes, new_game_routes,
        joining_routes, auth_routes, settings_routes, overlay_routes, replay_routes, clip_routes,
    )  # fmt: skip
    for add_routes in (*every_route, *(plugin.routes for plugin in page_plugins().values())):
        add_routes(at_a_table, context)
    app.router.routes.extend(
        at_a_table.routes
    )  # `include_router` would take each route apart again at its first request
    score_routes(app.router, context)

    @app.get("/sw.js")
    async def service_worker() -> Response:
        """The script that answers for the table where it cannot be reached; at the root, since it is for all pages."""
        return FileResponse(STATIC / "sw.js", headers={"cache-control": "no-cache"})

    @app.get("/favicon.ico")
    async def icon() -> Response:
        """The icon, where browsers look for it that open a page without one of its own, or no page at all."""
        return FileResponse(STATIC / "icon-192.png")

    @app.get("/away", response_class=HTMLResponse)
    async def away() -> Response:
        """The page that browsers keep, and show where the table cannot be reached."""
        return HTMLResponse(context.pages.render("away"))

    @app.exception_handler(HTTPException)
    async def show_error(request: Request, error: HTTPException) -> Response:
        if error.status_code == 400:  # whose text comes from a library
            error.detail = _("Expected the fields of a form.")
        # Scripts show the text in the page; browsers need a page.
        is_for_scripts = request.url.path.startswith(("/actions", "/camera")) and not wants_page(request)
        if is_for_scripts or "hx-request" in request.headers:
            return Response(str(error.detail), error.status_code, error.headers, "text/plain; charset=utf-8")
        answer = context.html("error", await session_person(request), error.status_code, why=error.detail)
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(BadForm)
    async def show_bad_form(request: Request, error: BadForm) -> Response:
        return await show_error(request, HTTPException(422, str(error)))

    @app.exception_handler(NoAnswer)
    async def show_no_answer(request: Request, error: NoAnswer) -> Response:
        return await show_error(request, HTTPException(503, str(error)))

    @app.exception_handler(RequestValidationError)
    async def show_bad_request(request: Request, error: RequestValidationError) -> Response:
        return await show_error(request, HTTPException(422, request_error(error)))

    return app


class WebServer(ABC):
    """A server of the page. Thread-safe.

    ``url``: for a browser on this machine; ``network_address``: for other machines; None if they cannot connect.
    """

    url: str = ""
    network_address: NetworkAddress | None = None

    @property
    @abstractmethod
    def followers(self) -> int:
        """The number of open pages that follow the live game."""

    @abstractmethod
    def append(self, step: LiveStep) -> None:
        """Take over a step of the live game, so that the page does not referee the line itself. Returns at once."""

    @abstractmethod
    def ring(self) -> None:
        """Render again: the journal or the state of the live table changed. Returns at once."""

    @abstractmethod
    def wait(self) -> None:
        """Wait until the server ends."""

    @abstractmethod
    def stop(self) -> None:
        """Stop serving."""

    def publish(self, game: int, step: RefereedStep) -> None:
        """`append` a step of the table: a `StepObserver`."""
        self.append(LiveStep.of(game, step))


class ServerThread(WebServer):
    """A server in a thread of this process. ``on_count``: called with the number of followers when it changes;
    ``name``: the host name in the network, without ``.local``; ``address``: how other machines reach it."""

    def __init__(
        self,
        listener: socket.socket,
        journal: Path,
        accounts: Accounts,
        live_table: LiveTable | None,
        on_count: Callable[[int], None] = lambda n: None,
        *,
        name: str = "",
        setup: Setup | None = None,
        address: NetworkAddress | None = None,
        sheets: ScoreSheets | None = None,
        left_out: LeftOut | None = None,
    ) -> None:
        self.url, self.network_address = local_url(listener), address
        hosts = (socket.gethostname(), *mdns_names(name))
        context = Context(
            journal, accounts, live_table, address, has_setup=setup is not None, sheets=sheets, left_out=left_out
        )
        self._stream, self._accounts, self._saved_clips = context.stream, accounts, context.saved_clips
        self._stream.on_count = on_count
        names = ("localhost", *hosts, *(f"{host}.local" for host in hosts))
        app = OriginMiddleware(GuessMiddleware(create_app(context, setup), context.throttle, context.clock), names)
        self._server = LimitedServer(ChoiceMiddleware(app), _SHUTDOWN_S)
        # A daemon: open connections must not keep the program alive.
        self._thread = Thread(target=self._server.run, kwargs={"sockets": [listener]}, name="page", daemon=True)
        self._thread.start()

    @property
    def followers(self) -> int:
        """As in `WebServer`."""
        return self._stream.followers

    def append(self, step: LiveStep) -> None:
        """As in `WebServer`."""
        match step.observation:
            case Overrule(player=PlayerChange(does="swap", seat=seat, with_=int(other))):
                Thread(target=self._swap_seats, args=(seat, other), daemon=True).start()  # to keep codes takes a while
            case Overrule(player=PlayerChange(does="rename", seat=seat, name=str(name))):
                self._accounts.rename(seat, name)
            case _:
                pass
        if step.position["phase"] in ("deal", "upcard"):
            self._saved_clips.drop_asked()
        self._stream.append(step)

    def _swap_seats(self, seat: int, other: int) -> None:
        with suppress(CannotWrite):
            self._accounts.swap_seats(seat, other)
        self.end_streams(of_all=False)

    def ring(self) -> None:
        """As in `WebServer`."""
        self._stream.ring()

    def end_streams(self, *, of_all: bool = True) -> None:
        """End the streams of all pages, or only of players; they come again at once."""
        self._stream.end_streams(of_all=of_all)

    def wait(self) -> None:
        """As in `WebServer`."""
        self._thread.join()

    def stop(self) -> None:
        """As in `WebServer`."""
        self._server.should_exit = True
        self._stream.close()
        self._thread.join(_SHUTDOWN_S + 2)


@contextmanager
def serve_in_thread(
    journal: Path,
    accounts: Accounts,
    live_table: LiveTable | None = None,
    setup: Setup | None = None,
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    sheets: ScoreSheets | None = None,
) -> Iterator[WebServer]:
    """Serve the site of ``journal`` from a thread while the context manager is open; with a ``setup`` the table is set
    up there.

    ``sheets``: by default those beside the journal, which nobody may change. ``port``: exactly this one; ``None``: the
    first free one from `PORT` on; 0: any.

    Raises:
        CannotServe: the port is taken, or this machine does not have the address ``host``.
        BadJournal: there is no journal.
    """
    with listen(host, port) as listener:
        server = ServerThread(
            listener, journal, accounts, live_table, setup=setup, address=network_address(listener), sheets=sheets
        )
        try:
            yield server
        finally:
            server.stop()


def local_url(listener: socket.socket) -> str:
    """The URL of a listening socket for a browser on this machine."""
    host, port = listener.getsockname()[:2]
    local = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}
    return f"http://{local.get(host) or (f'[{host}]' if ':' in host else host)}:{port}/"


def listen(host: str, port: int | None, *, first: int = PORT) -> socket.socket:
    """A listening socket; ``port`` as in `serve_in_thread`, with ``first`` in place of `PORT`. Raises `CannotServe`."""
    ports = range(first, first + _TRIED_PORTS) if port is None else [port]
    why = ""
    for one in ports:
        try:
            return listening_socket(host, one)
        except OSError as err:
            why = os.strerror(err.errno) if err.errno is not None else str(err)
    tried = str(ports[0]) if len(ports) == 1 else f"{ports[0]}…{ports[-1]}"
    raise CannotServe(
        _("the page cannot listen on {address}, port {ports}: {why}", address=host or "*", ports=tried, why=why)
    )
