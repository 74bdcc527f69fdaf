"""ASGI middleware: host and origin checks, guessed codes, security headers, and the language of each answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from fastapi import HTTPException
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from croupier.http_server import network_of
from croupier.i18n import _, language, of_browser, speaking
from croupier.web.addresses import asked_at
from croupier.web.limits import LoginThrottle

LANGUAGE_COOKIE: Final = "language"
THEME_COOKIE: Final = "theme"
THEMES: Final = ("auto", "light", "dark")
"""The colors of a page: as the device has them, or always the same."""
SECURITY_HEADERS: Final = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "font-src 'self'; media-src data:; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}

_FOR_HTTPS: Final = ("cross-origin-opener-policy",)
"""Headers that browsers heed by HTTPS alone; elsewhere they complain of them on their consoles."""

EMBEDDED_HEADERS: Final = {
    "content-security-policy": SECURITY_HEADERS["content-security-policy"].replace("ancestors 'none'", "ancestors *"),
    "cross-origin-resource-policy": "cross-origin",
}
"""Of a page that others may show in a frame, since it can change nothing."""

FILE_HEADERS: Final = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
}
"""Of a page in one file, with its style and fonts inside, and without scripts."""

_SAFE_METHODS: Final = ("GET", "HEAD")
_FORM_TYPES: Final = ("application/x-www-form-urlencoded", "multipart/form-data")
_MAX_FORM_BYTES: Final = 200_000
"""The names of all players of a tournament, or a file with all settings, is the longest form."""

_PAGE_S: Final = 0.5

_theme: Final[ContextVar[str | None]] = ContextVar("_theme", default=None)


def own_theme() -> str | None:
    """The colors that the person who asks has chosen for this device; None: those of the table."""
    return _theme.get()


class ChoiceMiddleware:
    """Answers in the language that the person chose, else the browser's, else the table's, and in the chosen colors."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request (ASGI)."""
        request = HTTPConnection(scope)
        accepted = request.headers.get("accept-language", "")
        theme = request.cookies.get(THEME_COOKIE)
        _theme.set(theme if theme in THEMES else None)
        with speaking(of_browser(request.cookies.get(LANGUAGE_COOKIE), accepted, language())):
            await self._app(scope, receive, send)


class GuessMiddleware:
    """Answers with one line of text a client that tries codes too early, for `_PAGE_S` after somebody got a page for
    it.

    A page costs ten times as much, and who guesses by the hundred reads none.

    ``clock``: monotonic seconds. ``is_code``: whether a text is the code of a seat, which is never too early.
    """

    def __init__(
        self, app: ASGIApp, throttle: LoginThrottle, clock: Callable[[], float], is_code: Callable[[str], bool]
    ) -> None:
        self._app, self._throttle, self._clock, self._is_code = app, throttle, clock, is_code
        self._next_page = 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request (ASGI)."""
        app, now = self._app, self._clock()
        path, client = scope["path"], scope.get("client")
        if (path.startswith("/join/") and not self._is_code(path.removeprefix("/join/"))) or (
            path == "/login" and scope["method"] not in _SAFE_METHODS
        ):
            try:
                self._throttle.require_attempt(network_of(client[0]) if client else "")
            except HTTPException as err:
                if now < self._next_page:
                    app = PlainTextResponse(err.detail, err.status_code, err.headers)
                else:
                    self._next_page = now + _PAGE_S
        await app(scope, receive, send)


class OriginMiddleware:
    """Refuses requests to a foreign host name, changes that another site's page asks for, and endless forms.

    A foreign name may have been pointed at this machine by another site (DNS rebinding); a numeric address cannot be.
    ``names``: None for a site that is for everybody, whatever its name.
    """

    def __init__(self, app: ASGIApp, names: Iterable[str] | None) -> None:
        self._app = app
        self._names = None if names is None else frozenset(name.lower() for name in names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request (ASGI)."""
        headers, app = Headers(scope=scope), self._app
        host = _host_of(headers.get("host", ""))
        if not self._is_own_host(host):
            refusal = _("This page goes by another name. Open it at the address that the table shows.")
            app = PlainTextResponse(refusal, 421)
        elif scope.get("method") not in _SAFE_METHODS and not _is_same_origin(headers):
            app = PlainTextResponse(_("This request came from another website. Open this page and try again."), 403)
        if headers.get("content-type", "").startswith(_FORM_TYPES):
            receive = _limited(receive)
        with asked_at(host):
            await app(scope, receive, _with_security_headers(send, is_known_plain=_is_known_plain(scope, host)))

    def _is_own_host(self, host: str) -> bool:
        if self._names is None or host in self._names:
            return True
        try:
            return bool(ip_address(host))
        except ValueError:
            return False


def _is_known_plain(scope: Scope, host: str) -> bool:
    """True if the browser is known to have asked by HTTP over a network: nobody stands between who speaks HTTPS."""
    if scope.get("scheme") == "https":
        return False
    try:
        return not ip_address(host).is_loopback
    except ValueError:
        return host.endswith(".local")


def _host_of(header: str) -> str:
    """Name or address of the header ``Host``, without brackets and port; "" if it has none."""
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""


def _is_same_origin(headers: Mapping[str, str]) -> bool:
    """True if our own page sends the request. Browsers say so; other clients have no cookie that could be misused."""
    if (origin := headers.get("origin")) is not None:
        try:
            return urlsplit(origin).netloc == headers.get("host")
        except ValueError:
            return False
    return headers.get("sec-fetch-site", "none") in ("same-origin", "none")


def _limited(receive: Receive) -> Receive:
    """Receive a body of at most `_MAX_FORM_BYTES`; beyond, the answer 413."""
    received = 0

    async def limited() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > _MAX_FORM_BYTES:
            raise HTTPException(413, _("That is too much."))
        return message

    return limited


def _with_security_headers(send: Send, *, is_known_plain: bool) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                if not (is_known_plain and name in _FOR_HTTPS):
                    headers.setdefault(name, value)
        await send(message)

    return with_headers
