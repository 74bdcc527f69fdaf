"""A journal, read: which games it holds, their lines, and whether they are as they were written.

Reads beside whoever writes, and writes nothing, so that anybody may look at a table's journal while it is played.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from croupier.errors import BadJournal, CroupierError, marked
from croupier.journal.chain import NOTHING, chained
from croupier.journal.database import GAME, open_to_read, told

_LAST_GAME: Final = (1 << 63) // GAME - 2  # as far as the ids of a database go
_NO_GAME: Final = marked("{file}: no game {game}: croupier journal list tells which there are")
UNREADABLE: Final = marked("the file cannot be read from here on")


@dataclass(frozen=True, slots=True)
class Game:
    """One game of a journal.

    ``number`` from 1, in the order in which they were begun; ``began``: seconds since 1970, by the clock that the
    machine had then; ``lines`` with the header; ``head``: the hash of the last line.
    """

    number: int
    began: float
    lines: int
    head: bytes


@dataclass(frozen=True, slots=True)
class Damage:
    """A game that is not as it was written: ``what`` says it, marked, ``line`` from where on (counted from 1; the
    header)."""

    game: int
    line: int
    what: str


class Archive:
    """The games of the journal ``path``.

    Raises:
        BadJournal: there is no journal, or none that can be read.
    """

    def __init__(self, path: Path, opened: Callable[[Path], sqlite3.Connection] = open_to_read) -> None:
        self.path = path
        self._connection = opened(path)

    def began(self) -> dict[int, float]:
        """The numbers of all games, the oldest first, and when each was begun, in seconds since 1970; also of games
        whose lines cannot be read."""
        return dict(self._rows("SELECT id, began FROM game ORDER BY id"))

    def game(self, number: int) -> Game:
        """One game, whatever became of the others.

        Raises:
            BadJournal: there is no such game, or the file is damaged.
        """
        rows = self._rows(
            f"SELECT game.id, began, line.id + 1 - game.id * {GAME}, hash FROM game JOIN line"
            f" ON line.id >= game.id * {GAME} AND line.id < (game.id + 1) * {GAME}"
            " WHERE game.id = ? ORDER BY line.id DESC LIMIT 1",
            number,
        )
        for row in rows:
            return Game(*row)
        raise BadJournal(_NO_GAME, file=self.path, game=number)

    def last(self) -> int | None:
        """The number of the newest game, which is the one to go on with; ``None`` where there is none."""
        (number,) = next(self._rows("SELECT max(id) FROM game"))
        return None if number is None else int(number)

    def lines(self, game: int, start: int = 0) -> list[str]:
        """The lines of ``game`` from ``start`` on, as they stand in a table log; line 0 is the header.

        Raises:
            BadJournal: there is no such game, or the file is damaged.
        """
        lines = [text for _, text, _ in self._lines(game, start)]
        if not lines and not start:
            raise BadJournal(_NO_GAME, file=self.path, game=game)
        return lines

    def damages(self) -> Iterator[Damage]:
        """Each game that is not as it was written, at its first fault; none where all is well."""
        before = 0
        for game in self.began():
            for missing in range(before + 1, game):
                yield Damage(missing, 1, marked("the game is missing"))
            before = game
            _, damage = self.whole_lines(game)
            if damage is not None:
                yield damage

    def whole_lines(self, game: int) -> tuple[list[str], Damage | None]:
        """The lines of a game that can be read and are as they were written, up to the first fault if there is one."""
        lines: list[str] = []
        hash_ = NOTHING
        try:
            for n, text, said in self._lines(game):
                if n != len(lines):
                    return lines, Damage(game, len(lines) + 1, marked("the line is missing"))
                hash_ = chained(hash_, text)
                if hash_ != said:
                    return lines, Damage(game, n + 1, marked("the line is not as it was written"))
                lines.append(text)
        except CroupierError:
            return lines, Damage(game, len(lines) + 1, UNREADABLE)
        return lines, None if lines else Damage(game, 1, marked("the game has no lines"))

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _lines(self, game: int, start: int = 0) -> Iterator[tuple[int, str, bytes]]:
        if not 0 < game <= _LAST_GAME:
            return
        query = f"SELECT id % {GAME}, text, hash FROM line WHERE id >= ? AND id < ? ORDER BY id"
        yield from self._rows(query, game * GAME + start, (game + 1) * GAME)

    def _rows(self, query: str, *values: object) -> Iterator[Any]:
        with told(self.path):
            yield from self._connection.execute(query, values)
