"""The games of a journal as stories, kept up with as they grow."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path
from typing import Final

from croupier.journal import Archive, Game
from croupier.web.story import Story

_KEPT: Final = 8
_LOOK_S: Final = 1.0
"""A journal that another process writes is looked at so often."""


class Shelf:
    """All games of the journal ``path``; to be used in one thread, but for `ring`.

    Raises:
        BadJournal: there is none.
    """

    def __init__(self, path: Path) -> None:
        self._archive = Archive(path)
        self._stories: OrderedDict[int, Story] = OrderedDict()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._bell = asyncio.Event()
        self.followers = 0
        """How many pages are open that follow a game as it is played."""

    def games(self) -> list[Game]:
        """The games, the newest first."""
        return self._archive.games()[::-1]

    def story(self, game: int) -> Story:
        """The story of a game as far as it is written.

        Raises:
            BadJournal: there is no such game. BadLog: it is none that can be told.
        """
        story = self._stories.get(game)
        if story is None:
            header, *lines = self._archive.lines(game)
            story = Story(header)
        else:
            lines = self._archive.lines(game, len(story) + 1)
        story.extend(lines)
        self._stories[game] = story
        self._stories.move_to_end(game)
        while len(self._stories) > _KEPT:
            self._stories.popitem(last=False)
        return story

    async def grown(self, game: int, n: int) -> Story:
        """The story, as soon as it is longer than ``n`` observations."""
        self._loop = asyncio.get_running_loop()
        while len(story := self.story(game)) <= n:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._bell.wait(), _LOOK_S)
        return story

    def ring(self) -> None:
        """Something was written: look now. May be called from any thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._rung)

    def _rung(self) -> None:
        self._bell.set()
        self._bell = asyncio.Event()

    def close(self) -> None:
        """Let go of the journal."""
        self._archive.close()
