"""In which language each reader of the page reads it."""

from __future__ import annotations

from typing import Final

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from croupier.i18n import language, speaking
from croupier.i18n.choice import of_browser

LANGUAGE_COOKIE: Final = "language"


class InTheirLanguage:
    """Answers in what the person chose, else in what the browser asks for, else in the table's language."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI wants."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        asked = HTTPConnection(scope)
        code = of_browser(asked.cookies.get(LANGUAGE_COOKIE), asked.headers.get("accept-language", ""), language())
        with speaking(code):
            await self._app(scope, receive, send)
