"""Pages that follow a game as it is played.

Whoever looks in the same way (`Look`) is shown the same, so each way is drawn once, however many follow, and what is
sent to them are the same bytes. Templates mark their regions with ``<!--[id]-->…<!--/-->``, each one element with that
id: who has what was shown before is sent the regions that changed, everybody else the whole.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from croupier.errors import CroupierError
from croupier.web.game_repository import Shelf
from croupier.web.pages import Look
from croupier.web.story import Story

_LOOK_S: Final = 1.0
"""A journal that another process writes is looked at so often."""

_log: Final = logging.getLogger("uvicorn.error")

_PING_S: Final = 15.0
_PING: Final = b": \n\n"
REGION: Final = re.compile(r"<!--\[([\w-]+)\]-->(.*?)<!--/-->", re.DOTALL)
"""A region of a page that is drawn: its id, and its one element."""


@dataclass(slots=True)
class _Shown:
    """What one way of looking shows, as events: ``whole``, and ``change`` for those who have ``version`` - 1."""

    followers: int = 0
    n: int = -1
    html: str = ""
    version: int = 0
    whole: bytes = b""
    change: bytes = b""
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def show(self, n: int, html: str) -> None:
        """Show this from now on; ``n``: the place in the log, which is told also where nothing else is new."""
        if (n, html) == (self.n, self.html):
            return
        self.whole = _event(n, html)
        self.change = _event(n, _changed(self.html, html))
        self.n = n
        self.html = html
        self.version += 1
        self.news.set()
        self.news = asyncio.Event()


class Following:
    """Who follows which game. ``draw`` draws a story as it is now; to be used in one loop, but for `ring`."""

    def __init__(self, shelf: Shelf, draw: Callable[[Look, Story], str]) -> None:
        self._shelf, self._draw = shelf, draw
        self._shown: dict[Look, _Shown] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._bell = asyncio.Event()
        self._watch: asyncio.Task[None] | None = None
        self._is_closed = False
        self.count: Callable[[int], None] = lambda n: None
        """Told how many follow, whenever that changes."""

    @property
    def followers(self) -> int:
        """How many pages are open that follow a game."""
        return sum(shown.followers for shown in list(self._shown.values()))

    async def events(self, look: Look) -> AsyncIterator[bytes]:
        """Server-sent events with what is seen in this way: first as it is now, then as it changes."""
        self._loop = asyncio.get_running_loop()
        shown = self._shown.setdefault(look, _Shown())
        shown.followers += 1
        self.count(self.followers)
        has = 0
        try:
            self._redraw(look, shown)
            if self._watch is None or self._watch.done():
                self._watch = asyncio.create_task(self._look_on())
            while not self._is_closed:
                news = shown.news
                if shown.version != has:
                    has, event = shown.version, shown.change if shown.version == has + 1 else shown.whole
                    yield event
                    continue
                try:
                    await asyncio.wait_for(news.wait(), _PING_S)
                except TimeoutError:
                    yield _PING
        finally:
            shown.followers -= 1
            if not shown.followers:
                self._shown.pop(look, None)
            self.count(self.followers)

    def ring(self) -> None:
        """Something was written, or the table tells something else: look now. May be called from any thread."""
        self._in_loop(self._rung)

    def close(self) -> None:
        """All streams end. May be called from any thread."""
        self._is_closed = True
        self._in_loop(self._all_told)

    def _in_loop(self, call: Callable[[], None]) -> None:
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended, and so has everybody who followed
                self._loop.call_soon_threadsafe(call)

    def _rung(self) -> None:
        self._bell.set()
        self._bell = asyncio.Event()

    def _all_told(self) -> None:
        self._rung()
        for shown in self._shown.values():
            shown.news.set()

    async def _look_on(self) -> None:
        while self._shown and not self._is_closed:
            bell = self._bell
            for look, shown in list(self._shown.items()):
                try:
                    self._redraw(look, shown)
                except Exception:  # what cannot be drawn for one must not end it for all
                    _log.exception("cannot draw %s", look)
            with suppress(TimeoutError):
                await asyncio.wait_for(bell.wait(), _LOOK_S)

    def _redraw(self, look: Look, shown: _Shown) -> None:
        # A journal that cannot be read just now is looked at again; what was shown stays.
        with suppress(CroupierError):
            story = self._shelf.story(look.game)
            shown.show(len(story), self._draw(look, story))


def _event(n: int, html: str) -> bytes:
    lines = "".join(f"data: {line}\n" for line in html.splitlines())
    return f"id: {n}\n{lines}\n".encode("utf-8", "replace")


def _changed(before: str, after: str) -> str:
    """The regions of ``after`` that are not as ``before``; all of it where it differs in more than regions."""
    if REGION.sub("", before) != REGION.sub("", after):
        return after
    old = dict(REGION.findall(before))
    return "".join(
        f'<hx-partial hx-target="#{name}" hx-swap="outerMorph">{region}</hx-partial>'
        for name, region in REGION.findall(after)
        if old.get(name) != region
    )
