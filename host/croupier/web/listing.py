"""The games of a journal, each in one line: who played by which sheet, and for how many points.

A game has to be replayed to be told in a line, so each is told once and kept until it grows; and beside the loop that
serves those who look on, since a hundred games take seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from croupier.errors import BadJournal, BadLog, CroupierError
from croupier.journal import Archive, Game
from croupier.journal.journal import NOTHING
from croupier.web.story import Story


@dataclass(frozen=True, slots=True)
class Listed:
    """One game: ``points`` by whose they are, in the order of the seats; ``cannot``: why it cannot be told."""

    game: Game
    points: tuple[tuple[str, int], ...] = ()
    ruleset: str = ""
    is_simulation: bool = False
    cannot: CroupierError | None = None


class Listing:
    """The list of the games of the journal ``path``. May be asked from any thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._told: dict[Game, Listed] = {}
        """A game that has grown is another one: its last line has another hash."""
        self._telling = Lock()

    def newest(self, count: int) -> list[Listed]:
        """So many games, the newest first. Raises `BadJournal` where the journal cannot be read at all."""
        with self._telling, Archive(self._path) as archive:
            newest = list(archive.began().items())[: -count - 1 : -1]
            found = [self._listed(archive, number, began) for number, began in newest]
            self._told = {listed.game: listed for listed in found}
        return found

    def _listed(self, archive: Archive, number: int, began: float) -> Listed:
        try:
            game = archive.game(number)
        except BadJournal as err:
            return Listed(Game(number, began, 0, NOTHING), cannot=err)
        return self._told.get(game) or _told(archive, game)


def _told(archive: Archive, game: Game) -> Listed:
    try:
        header, *lines = archive.lines(game.number)
        story = Story(header)
        story.extend(lines[: game.lines - 1])
    except (BadLog, BadJournal) as err:
        return Listed(game, cannot=err)
    points = tuple(zip(story.accounts, story.at(None).position["scores"], strict=False))
    return Listed(game, points, story.header.ruleset.name, story.is_simulation)
