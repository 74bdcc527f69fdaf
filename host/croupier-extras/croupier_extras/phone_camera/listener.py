"""The server of the phone's page, in a process of its own: a child of the table, which only takes in its pictures.

It serves one page with its script, lets the phone that scanned the code be the camera, and takes its messages over a
WebSocket. Safari opens no WebSocket to a certificate that it does not know, even if a person has accepted the page;
there the same messages come by POST.
"""

from __future__ import annotations

import json
import os
import socket
import struct
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic
from typing import Final

from fastapi import APIRouter, FastAPI, HTTPException, Request, Response, WebSocket
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles
from starlette.websockets import WebSocketDisconnect

from croupier.child_process import Channel
from croupier.errors import CannotWrite
from croupier.files import put
from croupier.http_server import LimitedServer, RareWarnings
from croupier.i18n import _
from croupier.networks import LOOK_S
from croupier.web.addresses import asked_host
from croupier.web.dependencies import RendererDep, Who
from croupier.web.http import read_body
from croupier.web.middleware import ChoiceMiddleware, OriginMiddleware
from croupier.web.pages import STATIC, PagePlugin, Pages
from croupier_extras.certificate import ServerCertificate, names_of_this_machine
from croupier_extras.phone_camera.feed import MOST_BYTES, PhoneFeed, State

PLUGIN: Final = "phone"
"""The name of the plug-in."""

router: Final = APIRouter()

PLUGIN_PAGE: Final = PagePlugin(router, Path(__file__).parent, regions=("offer.html",), cameras=("invitation.html",))
"""What the table's own page has of it: how a phone becomes the camera, and how a player's phone comes to HTTPS."""


@router.get("/secure", response_class=HTMLResponse)
async def explain_https(request: Request, person: Who, render: RendererDep) -> Response:
    """The way to HTTPS, in pictures. By HTTPS the page leads back to the table from its own address: browsers send no
    cookie with a link from a page by HTTP."""
    addresses = render.pages.addresses
    url = addresses.secure_url(asked_host())
    if not url:
        raise HTTPException(404, _("There is no page at this address."))
    is_there = request.url.scheme == "https"
    return render.html(
        f"{PLUGIN}/secure", person, url=f"{url}secure", fingerprint=addresses.fingerprint, is_there=is_there
    )


COOKIE: Final = "__Host-camera"
"""Only HTTPS on this host gets a cookie with this beginning."""
_COOKIE_S: Final = 30 * 86400
_TOKEN_BYTES: Final = 100
_REFUSED: Final = 4403
_NO_MESSAGE: Final = 1007
"""WebSocket's codes: the phone is no longer the camera; what it sent is no message."""

KEY: Final = "-phone"
"""Suffix of the certificate's name for the file with the hash of the phone's key."""

PICTURE: Final = b"P"
STATUS: Final = b"S"
TIME: Final = struct.Struct("<dd")
"""Message to the table: a picture with time and uncertainty (s, monotonic), or a `Status`; by its first byte."""


@dataclass(frozen=True, slots=True)
class Status:
    """The phone as the process sees it: as in `PhoneFeed`. ``fingerprint``: of the certificate with which it serves."""

    token: str
    state: State
    dropped: int
    fingerprint: str


def create_app(feed: PhoneFeed, size: Sequence[int], fps: float) -> FastAPI:
    """The page for the phone and what it calls."""
    app = FastAPI(title="Croupier", docs_url=None, redoc_url=None, openapi_url=None)
    app.mount(f"/static/{PLUGIN}", StaticFiles(directory=PLUGIN_PAGE.folder / "static"), name=PLUGIN)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    pages, newest = Pages(None), [0]

    @app.get("/")
    async def page() -> Response:
        """The page that films."""
        html = pages.render(f"{PLUGIN}/film", size=size, fps=fps)
        return HTMLResponse(html, headers={"permissions-policy": "camera=(self)", "cache-control": "no-store"})

    @app.post("/join")
    async def join(request: Request) -> Response:
        """Be the camera from now on, with the token of the code."""
        key = feed.join((await read_body(request, _TOKEN_BYTES)).decode(errors="replace"))
        if key is None:
            raise HTTPException(403)
        answer = Response(status_code=204)
        answer.set_cookie(COOKIE, key, httponly=True, secure=True, samesite="strict", max_age=_COOKIE_S)
        return answer

    @app.post("/pictures")
    async def take(request: Request) -> Response:
        """One message, where the browser opens no WebSocket."""
        if not feed.is_camera(request.cookies.get(COOKIE, "")):
            raise HTTPException(403)
        try:
            return Response(feed.take(await read_body(request, MOST_BYTES)), media_type="text/plain")
        except ValueError as err:
            raise HTTPException(400) from err

    @app.websocket("/pictures")
    async def follow(line: WebSocket) -> None:
        """All messages of a phone. Another line of the same phone takes its place."""
        key = line.cookies.get(COOKIE, "")
        if not feed.is_camera(key):
            await line.close()
            return
        await line.accept()
        newest[0] = own = newest[0] + 1
        try:
            async for data in line.iter_bytes():
                if own != newest[0] or not feed.is_camera(key):
                    await line.close(_REFUSED)
                    return
                await line.send_text(feed.take(data))
        except (ValueError, KeyError):  # KeyError: a text
            await line.close(_NO_MESSAGE)
        except WebSocketDisconnect:
            pass
        finally:
            if own == newest[0]:
                feed.leave()

    return app


def serve_phone(channel: Channel, listener: socket.socket, file: Path, size: Sequence[int], fps: float) -> None:
    """The main function of the process: serve at the socket until the table ends.

    ``file``: of the certificate, which is renewed while the server runs. ``size``: of the pictures that are wanted
    (px). ``fps``: how many in a second.
    """
    certificate = ServerCertificate(file)
    certificate.renew()
    key_file = file.with_name(file.name + KEY)
    phone = ""
    with suppress(OSError, ValueError):
        phone = key_file.read_text(encoding="ascii")

    def keep(key: str) -> None:
        with suppress(CannotWrite):  # then the code must be scanned again after the next start
            put(key_file, key.encode(), 0o600)

    def send(kind: bytes, content: bytes) -> None:
        with suppress(OSError):  # the table has ended
            channel.send_bytes(kind + content)

    def tell() -> None:
        send(STATUS, json.dumps(asdict(Status(feed.token, feed.state, feed.dropped, certificate.fingerprint))).encode())

    def renew() -> None:
        try:
            if certificate.renew():
                server.use_certificate(file)
                tell()
        except (CannotWrite, OSError) as err:  # the one that it has goes on; the next look tries again
            log.warn(str(err))

    feed = PhoneFeed(phone, keep, lambda t, u, jpeg: send(PICTURE, TIME.pack(t, u) + jpeg), tell, monotonic)
    tell()
    log = RareWarnings()
    app = ChoiceMiddleware(OriginMiddleware(create_app(feed, size, fps), names_of_this_machine()))
    server = LimitedServer(
        app, 1, certificate=file, every=(LOOK_S, renew), log_level="critical",
        ws="websockets-sansio", ws_max_size=MOST_BYTES, ws_per_message_deflate=False,
    )  # fmt: skip
    channel.on_end(lambda: os._exit(0))
    server.run(sockets=[listener])
