"""The games of a journal, each in one line: who played by which sheet, and for how many points.

A game has to be replayed to be told in a line, so each is told once and kept until it grows; and beside the loop that
serves those who look on, since a hundred games take seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from croupier.errors import BadJournal, BadLog
from croupier.journal import Archive, Game
from croupier.web.story import Story


@dataclass(frozen=True, slots=True)
class Listed:
    """One game: ``points`` by whose they are, in the order of the seats; ``cannot``: why it cannot be told, or
    nothing."""

    game: Game
    points: tuple[tuple[str, int], ...] = ()
    ruleset: str = ""
    is_simulation: bool = False
    cannot: str = ""


class Listing:
    """The list of the games of the journal ``path``. May be asked from any thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._told: dict[Game, Listed] = {}
        """A game that has grown is another one: its last line has another hash."""
        self._telling = Lock()

    def of(self, games: Sequence[Game]) -> list[Listed]:
        """These games, in this order. Raises `BadJournal` where the journal cannot be read at all."""
        with self._telling, Archive(self._path) as archive:
            self._told = {game: self._told.get(game) or _listed(archive, game) for game in games}
            return list(self._told.values())


def _listed(archive: Archive, game: Game) -> Listed:
    try:
        header, *lines = archive.lines(game.number)
        story = Story(header)
        story.extend(lines[: game.lines - 1])
    except (BadLog, BadJournal) as err:
        return Listed(game, cannot=str(err))
    points = tuple(zip(story.accounts, story.at(None).position["scores"], strict=False))
    return Listed(game, points, story.header.ruleset.name, story.is_simulation)
