"""In which language each reader of the page reads it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

from starlette.requests import HTTPConnection

from croupier.languages import language, speaking
from croupier.languages.choice import of_browser

LANGUAGE_COOKIE: Final = "language"

_Scope = MutableMapping[str, Any]
_Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
_Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
_App = Callable[[_Scope, _Receive, _Send], Awaitable[None]]


class InTheirLanguage:
    """Answers in what the person chose, else in what the browser asks for, else in the table's language."""

    def __init__(self, app: _App) -> None:
        self._app = app

    async def __call__(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        """As ASGI wants."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        asked = HTTPConnection(scope)
        code = of_browser(asked.cookies.get(LANGUAGE_COOKIE), asked.headers.get("accept-language", ""), language())
        with speaking(code):
            await self._app(scope, receive, send)
