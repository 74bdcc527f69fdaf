"""The games of a journal: each as a `Story` that grows with the journal, all as a list of summaries."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from croupier import plugins
from croupier.errors import BadJournal, BadLog, CroupierError
from croupier.game_views.story import Story
from croupier.journal import Archive, Game
from croupier.journal.head import NOTHING
from croupier.plugins import GameFile
from croupier.table_api.live_table import LiveLine

_CACHED_STORIES: Final = 8


@dataclass(frozen=True, slots=True)
class GameSummary:
    """One game in a list: ``points`` by account, in the order of the seats; ``error``: why the game cannot be shown;
    ``address``: of its page, where it is kept beside the journal."""

    game: Game
    points: tuple[tuple[str, int], ...] = ()
    ruleset: str = ""
    is_simulation: bool = False
    error: CroupierError | None = None
    address: str = ""


class GameRepository:
    """All games of the journal ``path``, for one thread.

    ``beside``: the file beside which plug-ins keep games, by default the journal. ``is_awaited``: the journal may still
    be missing or unreadable, while a table waits for room on a full disk.

    Raises:
        BadJournal: there is no journal.
    """

    def __init__(self, path: Path, *, beside: Path | None = None, is_awaited: bool = False) -> None:
        self._path, self._beside = path, beside or path
        if not is_awaited:
            self._archive  # noqa: B018  # opens it
        self._stories: OrderedDict[int, Story] = OrderedDict()
        self._summaries: dict[Hashable, GameSummary] = {}
        """A summary requires a replay. A game that has grown has another key: the hash of its last line changes."""
        self._followed: int | None = None
        """The game that grows by `append`; it is read from the journal only to fill a gap."""
        self._has_gap = False

    @cached_property
    def _archive(self) -> Archive:
        return Archive(self._path)

    @property
    def last(self) -> int | None:
        """The number of the newest game, if there is one and it can be read."""
        try:
            return self._archive.last()
        except BadJournal:
            return None

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
            story = Story(*self.lines(game))
        elif game != self._followed or self._has_gap:
            story.extend(self._archive.lines(game, len(story) + 1))
            self._has_gap = self._has_gap and game != self._followed
        self._stories[game] = story
        self._stories.move_to_end(game)
        while len(self._stories) > _CACHED_STORIES:
            self._stories.popitem(last=False)
        return story

    def append(self, line: LiveLine) -> None:
        """Take over the next line of the live game; the journal holds it already.

        A game that nobody has opened, and lines that were missed, are read from the journal when they are asked for.
        """
        self._followed = line.game
        story = self._stories.get(line.game)
        if story is not None and line.n == len(story) + 1:
            story.extend([line.text])
        elif story is not None and line.n > len(story):
            self._has_gap = True

    def lines(self, game: int) -> list[str]:
        """The lines of a game as written, including secret faces.

        Raises:
            BadJournal: there is no such game.
        """
        return self._archive.lines(game)

    def newest(self, count: int) -> list[GameSummary]:
        """Summaries of the newest ``count`` games, newest first. Raises `BadJournal` if the journal cannot be read."""
        newest = list(self._archive.began().items())[: -count - 1 : -1]
        stored = self.files()[: -count - 1 : -1]
        listed: list[tuple[Hashable, GameSummary]] = [
            *((one.game, one) for one in (self._summary(number, began) for number, began in newest)),
            *((one.key, self._summary_of_file(one)) for one in stored),
        ]
        self._summaries = dict(listed)
        return sorted(self._summaries.values(), key=lambda one: one.game.began, reverse=True)[:count]

    def files(self) -> list[GameFile]:
        """The games that plug-ins keep beside the journal, the oldest first."""
        return plugins.game_files(self._beside)

    def games(self, count: int) -> list[Game]:
        """The newest ``count`` games that can be read, the oldest first. Raises `BadJournal` if the journal cannot."""
        found = []
        for number in list(self._archive.began())[-count:]:
            with suppress(BadJournal):
                found.append(self._archive.game(number))
        return found

    def whole(self, game: Game) -> Story:
        """The story of a game of `games`, which is not kept. Raises `BadLog` if its log is invalid, or `BadJournal`."""
        return Story(*self.lines(game.number)[: game.lines])

    def _summary(self, number: int, began: float) -> GameSummary:
        game = Game(number, began, 0, NOTHING)
        try:
            game = self._archive.game(number)
            if (known := self._summaries.get(game)) is not None:
                return known
            return _summarized(game, self.whole(game))
        except (BadLog, BadJournal) as err:
            return GameSummary(game, error=err)

    def _summary_of_file(self, file: GameFile) -> GameSummary:
        game = Game(0, file.began, 0, NOTHING)
        if (known := self._summaries.get(file.key)) is not None:
            return known
        try:
            return _summarized(game, file.load(), file.address)
        except BadLog as err:
            return GameSummary(game, error=err, address=file.address)


def _summarized(game: Game, story: Story, address: str = "") -> GameSummary:
    points = tuple(zip(story.accounts, story.at(None).position["scores"], strict=False))
    return GameSummary(game, points, story.header.ruleset.name, story.is_simulation, address=address)
