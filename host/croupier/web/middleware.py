"""ASGI middleware for HTTP: host and origin checks, security headers, and the language of each answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from croupier.i18n import _, language, of_browser, speaking

LANGUAGE_COOKIE: Final = "language"
SECURITY_HEADERS: Final = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}

_SAFE_METHODS: Final = ("GET", "HEAD")


class LanguageMiddleware:
    """Answers in the language that the person chose, else the browser's, else the table's."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request (ASGI)."""
        request = HTTPConnection(scope)
        accepted = request.headers.get("accept-language", "")
        with speaking(of_browser(request.cookies.get(LANGUAGE_COOKIE), accepted, language())):
            await self._app(scope, receive, send)


class OriginMiddleware:
    """Refuses requests to a foreign host name, and changes that another site's page asks for.

    A foreign name may have been pointed at this machine by another site (DNS rebinding); a numeric address cannot be.
    """

    def __init__(self, app: ASGIApp, names: Iterable[str]) -> None:
        self._app = app
        self._names = frozenset(name.lower() for name in names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request (ASGI)."""
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        if not self._is_own_host(headers.get("host", "")):
            await _refuse(send, 421, _("This page has another name. Open it at the address that the table shows."))
        elif scope["method"] not in _SAFE_METHODS and not _is_same_origin(headers):
            await _refuse(send, 403, _("This request came from another website. Open this page and try again."))
        else:
            await self._app(scope, receive, _with_security_headers(send))

    def _is_own_host(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
            return name in self._names or bool(ip_address(name))
        except ValueError:
            return False


def _is_same_origin(headers: Mapping[str, str]) -> bool:
    """Whether our own page sends the request. Browsers say so; other clients have no cookie that could be misused."""
    if (origin := headers.get("origin")) is not None:
        try:
            return urlsplit(origin).netloc == headers.get("host")
        except ValueError:
            return False
    return headers.get("sec-fetch-site", "none") in ("same-origin", "none")


def _with_security_headers(send: Send) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name for name, _ in message["headers"]}
            missing = ((k.encode(), v.encode()) for k, v in SECURITY_HEADERS.items() if k.encode() not in present)
            message["headers"] = [*message["headers"], *missing]
        await send(message)

    return with_headers


async def _refuse(send: Send, status: int, text: str) -> None:
    body = text.encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await _with_security_headers(send)({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
