"""The games of a journal as stories, kept up with as they grow."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import Final

from croupier.journal import Archive
from croupier.web.listing import Listing
from croupier.web.story import Story

_KEPT: Final = 8


class Shelf:
    """All games of the journal ``path``; to be used in one thread.

    Raises:
        BadJournal: there is none.
    """

    def __init__(self, path: Path) -> None:
        self._archive = Archive(path)
        self.listing = Listing(path)
        self._stories: OrderedDict[int, Story] = OrderedDict()

    def began(self, game: int) -> float:
        """When a game was begun, in seconds since 1970.

        Raises:
            BadJournal: there is no such game, or it cannot be read.
        """
        return self._archive.game(game).began

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

    def lines(self, game: int) -> list[str]:
        """The lines of a game as they are written, with faces that nobody may see yet.

        Raises:
            BadJournal: there is no such game.
        """
        return self._archive.lines(game)

    def close(self) -> None:
        """Let go of the journal."""
        self._archive.close()
