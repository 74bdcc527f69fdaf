"""The web application, and its server in a thread of this process.

A table's own loop must not wait for two hundred viewers, so a table serves its page in a process of its own
(`worker_process`).
"""

from __future__ import annotations

import json
import os
import socket
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from http import HTTPStatus
from pathlib import Path
from threading import Thread
from time import monotonic
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from fastapi import Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse
from starlette.exceptions import HTTPException

from croupier.console import Printer
from croupier.errors import BadForm, CannotServe, CannotWrite, NoAnswer
from croupier.http_server import LimitedServer, fingerprint, listening_socket
from croupier.i18n import _
from croupier.journal import text_of
from croupier.networks import LOOK_S
from croupier.table_api.live_table import LiveLine, LiveTable
from croupier.web.accounts import Accounts, Person
from croupier.web.addresses import AddressReport, PageAddresses, local_url, mdns_names
from croupier.web.camera_cache import CameraCache
from croupier.web.dependencies import SESSION_COOKIE, StartPage, require_journal
from croupier.web.event_stream import EventStream
from croupier.web.forms import request_error
from croupier.web.games import Games
from croupier.web.http import wants_page
from croupier.web.limits import LoginThrottle
from croupier.web.middleware import ChoiceMiddleware, GuessMiddleware, OriginMiddleware
from croupier.web.once import OnceMiddleware
from croupier.web.pages import STATIC, Pages, keep_for_plugin, page_plugins
from croupier.web.picture_reader import PictureReader
from croupier.web.renderer import Renderer
from croupier.web.routes import (
    actions,
    auth,
    camera,
    documents,
    hand_pictures,
    joining,
    new_game,
    settings,
    setup,
    view,
)
from croupier.web.routes.setup import Setup
from croupier.web.seating import Seating
from croupier.web.static_files import PageFiles

if TYPE_CHECKING:
    from croupier.log_replay import Record

PORT: Final = 8300
_TRIED_PORTS: Final = 20

_SHUTDOWN_S: Final = 1

_TABLE_ROUTERS: Final = (
    view.router, camera.router, actions.router, new_game.router, joining.router, auth.router,
    settings.router,
)  # fmt: skip
"""The routes that wait for the journal of a table."""


def site(
    journal: Path, accounts: Accounts, live_table: LiveTable | None = None, addresses: PageAddresses | None = None,
    clock: Callable[[], float] = monotonic, *, setup: Setup | None = None,
    own: Mapping[type, Any] = MappingProxyType({}), keep: Callable[[str, str], None] | None = None,
    on_count: Callable[[int], None] = lambda n: None, beside: Path | None = None,
) -> dict[type, Any]:  # fmt: skip
    """The objects that the routes of `create_app` take, by class.

    ``live_table``: the table that is played at now, if any; ``addresses``: how other machines reach the site;
    ``clock``: monotonic seconds; ``setup``: the table is set up on this site; ``own``: in place of the objects of their
    classes; ``keep``: has a plug-in keep a text (`pages.keep_for_plugin`, which is the default);
    ``on_count``: called with the number of followers when it changes; ``beside``: the file beside which plug-ins keep
    theirs, by default the journal.

    Raises:
        BadJournal: there is no journal.
    """
    games, beside = Games(journal, live_table, beside), beside or journal
    keep = keep or partial(keep_for_plugin, beside)
    plugin_parts = [
        plugin.part(beside, partial(keep, name)) for name, plugin in page_plugins().items() if plugin.part is not None
    ]
    seating = Seating(accounts, games.sit_down)
    addresses = addresses or PageAddresses(PORT)
    pages = Pages(live_table, addresses, has_setup=setup is not None, parts=plugin_parts)
    renderer = Renderer(pages, games, seating, addresses, clock)
    return {
        Accounts: accounts,
        CameraCache: CameraCache(live_table, clock),
        EventStream: EventStream(games.repository, renderer.live, on_count),
        Games: games,
        LoginThrottle: LoginThrottle(clock),
        Renderer: renderer,
        PictureReader: PictureReader(),
        Seating: seating,
        Setup: setup,
        StartPage: StartPage(),
        **{type(one): one for one in plugin_parts},
        **own,
    }


def create_app(provided: Mapping[type, Any]) -> FastAPI:
    """The web application of a `site`; with a setup the table is set up there."""
    app = FastAPI(title="Croupier", docs_url=None, redoc_url=None)
    app.state.provided, app.state.threads = provided, {}
    app.add_middleware(OnceMiddleware)
    renderer: Renderer = provided[Renderer]
    # Only these files are compressed, and replays (`Renderer.replay`): where an answer has a secret beside what
    # somebody else sent, its compressed size tells of it.
    for name, plugin in page_plugins().items():
        if (folder := plugin.folder / "static").is_dir():
            app.mount(f"/static/{name}", PageFiles(folder))
    app.mount("/static", PageFiles(STATIC), name="static")
    if provided[Setup] is not None:
        app.include_router(setup.router)  # first: it has the start page
    app.include_router(hand_pictures.router)
    waits: list[Any] = [Depends(require_journal)]
    for router in _TABLE_ROUTERS:
        app.include_router(router, dependencies=waits)
    for plugin in page_plugins().values():
        app.include_router(plugin.router, dependencies=waits if plugin.needs_journal else [])
    app.include_router(documents.router, dependencies=waits)

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
        return HTMLResponse(renderer.pages.render("away"))

    @app.exception_handler(HTTPException)
    async def show_error(request: Request, error: HTTPException) -> Response:
        if error.status_code == 400:  # whose text comes from a library
            error.detail = _("Expected the fields of a form.")
        elif error.status_code == 404 and error.detail == HTTPStatus.NOT_FOUND.phrase:
            error.detail = _("There is no page at this address.")
        # Scripts show the text in the page; browsers need a page.
        is_for_scripts = request.url.path.startswith(("/actions", "/camera")) and not wants_page(request)
        if is_for_scripts or "hx-request" in request.headers:
            return Response(str(error.detail), error.status_code, error.headers, "text/plain; charset=utf-8")
        answer = renderer.html("error", _person(request), error.status_code, why=error.detail)
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

    def _person(request: Request) -> Person:
        accounts: Accounts = provided[Accounts]
        return accounts.person(request.cookies.get(SESSION_COOKIE))

    return app


class WebServer(ABC):
    """A server of the page. Thread-safe.

    ``url``: for a browser on this machine; ``addresses``: for other machines.
    """

    url: str = ""
    addresses: PageAddresses

    @property
    @abstractmethod
    def followers(self) -> int:
        """The number of open pages that follow the live game."""

    @abstractmethod
    def append(self, line: LiveLine) -> None:
        """Take over the next line of the live game. Returns at once."""

    @abstractmethod
    def ring(self) -> None:
        """Render again: the journal or the state of the live table changed. Returns at once."""

    @abstractmethod
    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until the server ends; whether it has ended within this time."""

    @abstractmethod
    def stop(self) -> None:
        """Stop serving."""

    def report(self) -> AddressReport:
        """Return what tells in the terminal how phones open the page, and later what has changed."""
        printer = Printer()

        def line(text: str, style: str) -> None:
            printer.print(text, style=style)
            sys.stdout.flush()

        return AddressReport(self.addresses, line, with_code=sys.stdout.isatty())

    def run_until_interrupted(self) -> None:
        """Print in the terminal how phones open the page, now and when that changes, until Ctrl-C or the end of the
        server."""
        report = self.report()
        with suppress(KeyboardInterrupt):
            report.print_new()
            while not self.wait(LOOK_S):
                report.print_new()

    def publish(self, game: int, step: Record) -> None:
        """`append` the line of a step of the table: a `StepObserver`."""
        self.append(LiveLine(game, step.n, text_of(step.data), step.position.phase))


class ServerThread(WebServer):
    """A server in a thread of this process. ``on_count``: called with the number of followers when it changes;
    ``name``: the host name in the network, without ``.local``; ``addresses``: how other machines reach it;
    ``certificate``: a file with one and its key, with which the port speaks HTTPS, too."""

    def __init__(
        self, listener: socket.socket, journal: Path, accounts: Accounts, live_table: LiveTable | None,
        on_count: Callable[[int], None] = lambda n: None, *, name: str = "", setup: Setup | None = None,
        addresses: PageAddresses | None = None, own: Mapping[type, Any] = MappingProxyType({}),
        keep: Callable[[str, str], None] | None = None, beside: Path | None = None, certificate: Path | None = None,
    ) -> None:  # fmt: skip
        self.url, self.addresses = local_url(listener), addresses or PageAddresses.of(listener)
        hosts = (socket.gethostname(), *mdns_names(name))
        parts = site(
            journal, accounts, live_table, self.addresses, setup=setup, own=own, keep=keep, on_count=on_count,
            beside=beside,
        )  # fmt: skip
        self._accounts = accounts
        self._stream: EventStream = parts[EventStream]
        self._pages: Pages = parts[Renderer].pages
        names = ("localhost", *hosts, *(f"{host}.local" for host in hosts))
        app = OriginMiddleware(
            GuessMiddleware(create_app(parts), parts[LoginThrottle], monotonic, parts[Seating].is_code), names
        )
        self._certificate = certificate
        self._server = LimitedServer(ChoiceMiddleware(app), _SHUTDOWN_S, certificate=certificate, and_http=True)
        if certificate is not None:
            self.addresses.fingerprint = fingerprint(certificate)
        # A daemon: open connections must not keep the program alive.
        self._thread = Thread(target=self._server.run, kwargs={"sockets": [listener]}, name="page", daemon=True)
        self._thread.start()

    @property
    def followers(self) -> int:
        """As in `WebServer`."""
        return self._stream.followers

    def append(self, line: LiveLine) -> None:
        """As in `WebServer`."""
        match json.loads(line.text).get("player"):
            case {"does": "swap", "seat": int(seat), "with": int(other)}:
                Thread(target=self._swap_seats, args=(seat, other), daemon=True).start()  # to keep codes takes a while
            case {"does": "rename", "seat": int(seat), "name": str(name)}:
                self._accounts.rename(seat, name)
            case _:
                pass
        for one in self._pages.parts:
            one.append(line)
        self._stream.append(line)

    def use_certificate(self) -> None:
        """Serve with the certificate that is in the file now, if there is one. Raises OSError."""
        if self._certificate is not None:
            self._server.use_certificate(self._certificate)
            self.addresses.fingerprint = fingerprint(self._certificate)

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

    def wait(self, timeout_s: float | None = None) -> bool:
        """As in `WebServer`."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def stop(self) -> None:
        """As in `WebServer`."""
        self._server.should_exit = True
        self._stream.close()
        self._thread.join(_SHUTDOWN_S + 2)


@contextmanager
def serve_in_thread(
    journal: Path, accounts: Accounts, live_table: LiveTable | None = None, setup: Setup | None = None, *,
    host: str = "127.0.0.1", port: int | None = None, own: Mapping[type, Any] = MappingProxyType({}),
    beside: Path | None = None,
) -> Iterator[WebServer]:  # fmt: skip
    """Serve the site of ``journal`` from a thread while the context manager is open; with a ``setup`` the table is set
    up there.

    ``own``, ``beside``: as of `site`. ``port``: exactly this one; ``None``: the
    first free one from `PORT` on; 0: any.

    Raises:
        CannotServe: the port is taken, or this machine does not have the address ``host``.
        BadJournal: there is no journal.
    """
    with listen(host, port) as listener:
        server = ServerThread(listener, journal, accounts, live_table, setup=setup, own=own, beside=beside)
        try:
            yield server
        finally:
            server.stop()


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
