"""Server-sent events for pages that follow a live game.

All viewers with the same `Perspective` see the same, so each perspective is rendered once and all of them
receive the same bytes. Templates mark regions with ``<!--[id]-->…<!--/-->``, each around one element with that id: a
viewer who has the previous version is sent only the regions that changed, everybody else the whole page part.

The items of a list may be regions with nothing between them: a new one is put before the next one that was there
before, so that the last one has to stay.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from croupier.errors import CroupierError
from croupier.table_api.live_table import LiveLine
from croupier.web.game_repository import GameRepository
from croupier.web.pages import REGION, Perspective

MAX_STREAMS: Final = 300
"""Two hundred people, with room for some who come again before their old stream has ended."""

_POLL_S: Final = 1.0
"""Period in which the journal is read without a notification; another process may write it."""

_PING_S: Final = 15.0
_PING: Final = b"event: ping\ndata:\n\n"
"""An event and no comment, because only of events the page's script hears."""

_log: Final = logging.getLogger("uvicorn.error")


@dataclass(slots=True, eq=False)
class _Follower:
    """An open stream for a client in ``network``."""

    network: str
    news: asyncio.Event = field(default_factory=asyncio.Event)
    is_over: bool = False

    def end(self) -> None:
        self.is_over = True
        self.news.set()


@dataclass(slots=True)
class _Channel:
    """The state of one perspective: the event ``whole``, and ``change`` for viewers who have ``version`` - 1."""

    followers: list[_Follower] = field(default_factory=list)
    n: int = -1
    html: str = ""
    version: int = 0
    whole: bytes = b""
    change: bytes = b""

    def update(self, n: int, html: str) -> None:
        """Show ``html`` from now on. The place in the log, ``n``, is sent even if nothing else changed."""
        if (n, html) == (self.n, self.html):
            return
        self.whole = _event(n, html)
        self.change = _event(n, _changed_regions(self.html, html))
        self.n = n
        self.html = html
        self.version += 1
        for follower in self.followers:
            follower.news.set()

    def end(self) -> None:
        """End all streams."""
        for follower in self.followers:
            follower.end()


class EventStream:
    """All followers of the live game. ``render``: what a perspective shows now, with the place in the log; None if its
    game is not live any more, which ends its streams. ``on_count``: called with the number of followers whenever it
    changes. Everything runs in one event loop; only `append`, `ring` and
    `close` are thread-safe."""

    def __init__(
        self, games: GameRepository, render: Callable[[Perspective], tuple[int, str] | None],
        on_count: Callable[[int], None] = lambda n: None,
    ) -> None:  # fmt: skip
        self._games, self._render, self._on_count = games, render, on_count
        self._channels: dict[Perspective, _Channel] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._bell = asyncio.Event()
        self._updater: asyncio.Task[None] | None = None
        self._is_closed = False

    @property
    def followers(self) -> int:
        """The number of open pages that follow a game."""
        return sum(len(channel.followers) for channel in list(self._channels.values()))

    def has_room(self, network: str) -> bool:
        """Make room for a stream to ``network``; False if there is none. One of the network with most streams ends,
        unless ``network`` would then have as many."""
        followers = [follower for channel in self._channels.values() for follower in channel.followers]
        counts = Counter(follower.network for follower in followers if not follower.is_over)
        if counts.total() < MAX_STREAMS:
            return True
        ((crowded, most),) = counts.most_common(1)
        if most <= counts[network] + 1:
            return False
        next(one for one in followers if one.network == crowded and not one.is_over).end()
        return True

    async def events(self, perspective: Perspective, network: str) -> AsyncIterator[bytes]:
        """Server-sent events of a perspective: first the present state, then each change."""
        self._loop = asyncio.get_running_loop()
        channel, follower = self._channels.setdefault(perspective, _Channel()), _Follower(network)
        channel.followers.append(follower)
        self._on_count(self.followers)
        seen = 0
        try:
            self._update(perspective, channel)
            if self._updater is None or self._updater.done():
                self._updater = asyncio.create_task(self._keep_updated())
            while not (self._is_closed or follower.is_over):
                follower.news.clear()
                if channel.version != seen:
                    seen, event = channel.version, channel.change if channel.version == seen + 1 else channel.whole
                    yield event
                    continue
                try:
                    await asyncio.wait_for(follower.news.wait(), _PING_S)
                except TimeoutError:
                    yield _PING
        finally:
            channel.followers.remove(follower)
            if not channel.followers:
                self._channels.pop(perspective, None)
            self._on_count(self.followers)

    def append(self, line: LiveLine) -> None:
        """Take over the next line of the live game, and render again."""
        self._call_in_loop(lambda: self._games.append(line))
        self.ring()

    def ring(self) -> None:
        """Render again: the journal or the state of the live table changed."""
        self._call_in_loop(self._bell.set)

    def end_streams(self, *, of_all: bool) -> None:
        """End all streams, or only those of persons with a code or a seat. They come again at once, as the person, with
        the seat and in the language of now."""

        def end() -> None:
            for perspective, channel in self._channels.items():
                if of_all or perspective.person.role != "spectator":
                    channel.end()

        self._call_in_loop(end)

    def close(self) -> None:
        """End all streams."""
        self._is_closed = True
        self._call_in_loop(self._wake_all)

    def _call_in_loop(self, call: Callable[[], None]) -> None:
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended, and all followers with it
                self._loop.call_soon_threadsafe(call)

    def _wake_all(self) -> None:
        self._bell.set()
        for channel in self._channels.values():
            channel.end()

    async def _keep_updated(self) -> None:
        while self._channels and not self._is_closed:
            self._bell.clear()
            begun = monotonic()
            for perspective, channel in list(self._channels.items()):
                try:
                    self._update(perspective, channel)
                except Exception:  # an error in one perspective must not end the others
                    _log.exception("cannot render %s", perspective)
                await asyncio.sleep(0)  # other requests wait for one perspective, not for all
            await asyncio.sleep(monotonic() - begun)  # at most half of the time goes into drawing
            with suppress(TimeoutError):
                await asyncio.wait_for(self._bell.wait(), _POLL_S)

    def _update(self, perspective: Perspective, channel: _Channel) -> None:
        # If the journal cannot be read now, the old state stays and the next round tries again.
        with suppress(CroupierError):
            if (rendered := self._render(perspective)) is None:
                channel.end()
            else:
                channel.update(*rendered)


def _event(n: int, html: str) -> bytes:
    lines = "".join(f"data: {line}\n" for line in html.splitlines())
    return f"id: {n}\n{lines}\n".encode("utf-8", "replace")


def _changed_regions(before: str, after: str) -> str:
    """The regions of ``after`` that differ from ``before``, are new or are gone; all of ``after`` if more differs."""
    if REGION.sub("", before) != REGION.sub("", after):
        return after
    old, new = dict(REGION.findall(before)), dict(REGION.findall(after))
    names, changed = list(new), list[str]()
    for i, (name, region) in enumerate(new.items()):
        if name in old:
            changed += [_partial(name, "outerMorph", region)] if old[name] != region else []
        elif (later := next((one for one in names[i:] if one in old), None)) is not None:
            changed.append(_partial(later, "beforebegin", f"<!--[{name}]-->{region}<!--/-->"))
        else:
            return after
    return "".join((*changed, *(_partial(name, "delete") for name in old if name not in new)))


def _partial(target: str, swap: str, html: str = "") -> str:
    return f'<hx-partial hx-target="#{target}" hx-swap="{swap}">{html}</hx-partial>'
