"""Each form is answered once: a second press, a page that is loaded again, and a retry after a lost answer get the
first answer, and nothing is done twice.

A form of a page has a key of its own, its first field, which `KeyedForms` puts there. The same key with the same
fields, from the same browser, is the same press; with other fields it is another one, as after the browser's *Back*.
The forms of live parts, which everybody shares and which are drawn again with each card, have the line of the log
instead: there the same fields are a double press for a moment only.

An error is not remembered: the same press tries again.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from time import monotonic
from typing import Final

from fastapi import HTTPException
from jinja2 import Environment
from jinja2.ext import Extension
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

KEY: Final = "once"
"""The name of the field."""

PRESS: Final = "press"
"""In the scope of a request with a key: what is the same for the same press, for a site of several processes, which
remember nothing in common."""

KEPT_S: Final = 600.0
"""Time for which an answer is remembered: somebody whose answer was lost has tried again by then."""
DOUBLE_S: Final = 1.0
"""Time for which that of a form without a key is."""
MOST_BYTES: Final = 4_000_000
"""Of all answers that are remembered; the oldest give way."""
_OVERHEAD_BYTES: Final = 1000
"""Of each, beside its text."""

FRAMES: Final = ("base.html", "frame.html")
"""Of all pages: to log out or to choose a language twice is the same as once."""

_PREFIX: Final = f"{KEY}=".encode()
_FORM: Final = "application/x-www-form-urlencoded"
_POST_FORM: Final = re.compile(r'<form\b[^>]*\bmethod="post"[^>]*>')


class KeyedForms(Extension):
    """Gives each form that changes something a key, in all templates but those of live parts and `FRAMES`."""

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        environment.globals["form_key"] = lambda: secrets.token_urlsafe(12)

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """As of Jinja."""
        if name is None or "parts/" in name or name in FRAMES:
            return source
        return _POST_FORM.sub(rf'\g<0><input type="hidden" name="{KEY}" value="{{{{ form_key() }}}}">', source)


@dataclass(slots=True)
class _Answer:
    """``messages``: the answer, None if it is not to be given again; ``until``: when it is forgotten."""

    until: float
    messages: asyncio.Future[Sequence[Message] | None] = field(default_factory=asyncio.Future)
    size: int = _OVERHEAD_BYTES


class OnceMiddleware:
    """Answers the same press with the same answer. ``clock``: monotonic seconds."""

    def __init__(self, app: ASGIApp, clock: Callable[[], float] = monotonic) -> None:
        self._app, self._clock = app, clock
        self._answers: OrderedDict[bytes, _Answer] = OrderedDict()
        """The newest last."""
        self._size = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request (ASGI)."""
        headers = Headers(scope=scope) if scope["type"] == "http" else Headers()
        if scope.get("method") != "POST" or not headers.get("content-type", "").startswith(_FORM):
            await self._app(scope, receive, send)
            return
        received = await _receive_all(receive)
        body = b"".join(message.get("body", b"") for message in received if isinstance(message, dict))
        has_key = body.startswith(_PREFIX)
        is_whole = isinstance(received[-1], dict) and received[-1]["type"] == "http.request"
        fields = body.partition(b"&")[2] if has_key else body
        if has_key and is_whole:
            scope = _with_length(scope, len(fields))
            received = [{"type": "http.request", "body": fields, "more_body": False}]
        app_receive = _replay(received, receive)
        if not is_whole or not (has_key or "hx-request" in headers):
            await self._app(scope, app_receive, send)
            return
        press = sha256(b"\0".join((
            scope["path"].encode(), scope.get("query_string", b""), headers.get("cookie", "").encode(), body
        ))).digest()  # fmt: skip
        if has_key:
            scope = dict(scope, **{PRESS: press.hex()})
        while (known := self._known(press)) is not None:
            if (messages := await asyncio.shield(known.messages)) is not None:
                for message in messages:
                    await send(message)
                return
        await self._answer(press, KEPT_S if has_key else DOUBLE_S, scope, app_receive, send)

    def _known(self, press: bytes) -> _Answer | None:
        one = self._answers.get(press)
        if one is not None and one.messages.done() and one.until <= self._clock():
            self._forget(press)
            return None
        return one

    def _make_room(self) -> None:
        now = self._clock()
        for press, one in [*self._answers.items()]:
            if one.messages.done() and (one.until <= now or self._size > MOST_BYTES):
                self._forget(press)
            elif self._size <= MOST_BYTES:
                break

    def _forget(self, press: bytes) -> None:
        if (one := self._answers.pop(press, None)) is not None:
            self._size -= one.size

    async def _answer(self, press: bytes, kept_s: float, scope: Scope, receive: Receive, send: Send) -> None:
        self._make_room()
        answer = self._answers[press] = _Answer(self._clock() + kept_s)
        self._size += answer.size
        messages = list[Message]()

        async def record(message: Message) -> None:
            messages.append(message)
            await send(message)

        is_kept = False
        try:
            await self._app(scope, receive, record)
            is_kept = bool(messages) and messages[0].get("status", 500) < 400 and not messages[-1].get("more_body")
        finally:
            if is_kept:
                size = sum(len(message.get("body", b"")) for message in messages)
                answer.size += size
                self._size += size
                answer.until = self._clock() + kept_s
                answer.messages.set_result(messages)
            else:
                self._forget(press)
                answer.messages.set_result(None)


async def _receive_all(receive: Receive) -> list[Message | HTTPException]:
    """The messages of a request's body, up to its end, its break-off, or an error in its place."""
    received = list[Message | HTTPException]()
    while True:
        try:
            message = await receive()
        except HTTPException as err:  # it is too long
            return [*received, err]
        received.append(message)
        if message["type"] != "http.request" or not message.get("more_body", False):
            return received


def _replay(received: Sequence[Message | HTTPException], receive: Receive) -> Receive:
    """Receive these messages, and then what else comes."""
    waiting = iter(received)

    async def replayed() -> Message:
        message = next(waiting, None)
        if isinstance(message, HTTPException):
            raise message
        return await receive() if message is None else message

    return replayed


def _with_length(scope: Scope, length: int) -> Scope:
    changed = dict(scope, headers=[*scope["headers"]])
    MutableHeaders(scope=changed)["content-length"] = str(length)
    return changed
