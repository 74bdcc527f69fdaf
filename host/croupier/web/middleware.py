"""What every request goes through: whom it is addressed to, where it comes from, what a browser may do with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from croupier.i18n import _

HEADERS: Final = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}

_READING: Final = ("GET", "HEAD")


class Guard:
    """Lets through what is addressed to one of ``names`` or to a plain address, and changes only what our page asks.

    A name that is not ours may have been pointed here by somebody else's page (DNS rebinding); a plain address cannot.
    """

    def __init__(self, app: ASGIApp, names: Iterable[str]) -> None:
        self._app = app
        self._names = frozenset(name.lower() for name in names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI wants."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        if not self._is_ours(headers.get("host", "")):
            await _refuse(
                send, 421, _("This page is not known by that name. Open it by the address that the table tells.")
            )
        elif scope["method"] not in _READING and not _is_from_here(headers):
            await _refuse(send, 403, _("This came from another page. Open this one, and do it there."))
        else:
            await self._app(scope, receive, _with_headers(send))

    def _is_ours(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if name in self._names:
            return True
        try:
            ip_address(name)
        except ValueError:
            return False
        return True


def _is_from_here(headers: Mapping[str, str]) -> bool:
    """Whether the page that asks is ours: browsers say so, and who is no browser has no cookie to be misused."""
    if (origin := headers.get("origin")) is not None:
        try:
            return urlsplit(origin).netloc == headers.get("host")
        except ValueError:
            return False
    return headers.get("sec-fetch-site", "none") in ("same-origin", "none")


def _with_headers(send: Send) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            said = {name for name, _ in message["headers"]}
            message["headers"] = [
                *message["headers"],
                *((k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in said),
            ]
        await send(message)

    return with_headers


async def _refuse(send: Send, status: int, text: str) -> None:
    body = text.encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await _with_headers(send)({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
