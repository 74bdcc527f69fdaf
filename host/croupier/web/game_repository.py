"""The games of a journal: each as a `Story` that grows with the journal, all as a list of summaries."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Final

from croupier.errors import BadJournal, BadLog, CroupierError
from croupier.journal import Archive, Game
from croupier.journal.head import NOTHING
from croupier.web.story import LiveStep, Story

_CACHED_STORIES: Final = 8


class GameRepository:
    """All games of the journal ``path``. Not thread-safe, except for `summaries`.

    Raises:
        BadJournal: there is no journal.
    """

    def __init__(self, path: Path) -> None:
        self._archive = Archive(path)
        self.summaries = GameSummaries(path)
        self._stories: OrderedDict[int, Story] = OrderedDict()
        self._followed: int | None = None
        """The game that grows by `append`; it is read from the journal only to fill a gap."""
        self._has_gap = False

    def began(self, game: int) -> float:
        """The start of a game, in seconds since 1970.

        Raises:
            BadJournal: there is no such game, or it cannot be read.
        """
        return self._archive.game(game).began

    def story(self, game: int) -> Story:
        """The story of a game up to its last line.

        Raises:
            BadJournal: there is no such game.
            BadLog: its log is invalid.
        """
        story = self._stories.get(game)
        if story is None:
            header, *lines = self._archive.lines(game)
            story = Story(header)
            story.extend(lines)
        elif game != self._followed or self._has_gap:
            story.extend(self._archive.lines(game, len(story) + 1))
            self._has_gap = self._has_gap and game != self._followed
        self._stories[game] = story
        self._stories.move_to_end(game)
        while len(self._stories) > _CACHED_STORIES:
            self._stories.popitem(last=False)
        return story

    def append(self, step: LiveStep) -> None:
        """Take over the next step of the live game; the journal holds it already.

        A game that nobody has opened, and lines that were missed, are read from the journal when they are asked for.
        """
        self._followed = step.game
        story = self._stories.get(step.game)
        if story is not None and step.n == len(story) + 1:
            story.append(step)
        elif story is not None and step.n > len(story):
            self._has_gap = True

    def lines(self, game: int) -> list[str]:
        """The lines of a game as written, including secret faces.

        Raises:
            BadJournal: there is no such game.
        """
        return self._archive.lines(game)


@dataclass(frozen=True, slots=True)
class GameSummary:
    """One game in a list: ``points`` by account, in the order of the seats; ``error``: why the game cannot be shown."""

    game: Game
    points: tuple[tuple[str, int], ...] = ()
    ruleset: str = ""
    is_simulation: bool = False
    error: CroupierError | None = None


class GameSummaries:
    """Summaries of the games of the journal ``path``. Thread-safe.

    A summary requires a replay, and a hundred replays take seconds, so each is cached until its game grows.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._cache: dict[Game, GameSummary] = {}
        """A game that has grown has another key: the hash of its last line changes."""
        self._lock = Lock()

    def newest(self, count: int) -> list[GameSummary]:
        """The newest ``count`` games, newest first. Raises `BadJournal` if the journal cannot be read at all."""
        with self._lock, Archive(self._path) as archive:
            newest = list(archive.began().items())[: -count - 1 : -1]
            found = [self._summary(archive, number, began) for number, began in newest]
            self._cache = {summary.game: summary for summary in found}
        return found

    def _summary(self, archive: Archive, number: int, began: float) -> GameSummary:
        try:
            game = archive.game(number)
        except BadJournal as err:
            return GameSummary(Game(number, began, 0, NOTHING), error=err)
        return self._cache.get(game) or _summarize(archive, game)


def _summarize(archive: Archive, game: Game) -> GameSummary:
    try:
        header, *lines = archive.lines(game.number)
        story = Story(header)
        story.extend(lines[: game.lines - 1])
    except (BadLog, BadJournal) as err:
        return GameSummary(game, error=err)
    points = tuple(zip(story.accounts, story.at(None).position["scores"], strict=False))
    return GameSummary(game, points, story.header.ruleset.name, story.is_simulation)
