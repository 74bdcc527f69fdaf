"""Reads and checks the games of a journal.

Each line of a game is chained by a hash to all lines before it, so the last hash identifies the whole game. A
person who noted that hash can detect later whether any line was changed, left out, added or moved. The hash covers the
text as in an exported file, without line ends::

    hash = b""
    for line in open("game.jsonl", "rb"):
        hash = sha256(hash + line.rstrip(b"\\n")).digest()

The row of a game has its date and the head of the game before, chained to the row of that game. The head of the newest
game is in a file of its own (`croupier.journal.head`). A game without its end, and a missing game, are therefore
detected.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Self

from croupier.errors import BadJournal, CroupierError, marked
from croupier.journal.database import DAMAGED, GAME, check_form, open_to_read, read_rows, translate_errors
from croupier.journal.head import NOTHING, Head, read_head

JOB_FIELDS: Final = "job, number, seat, n, fed"
_LAST_GAME: Final = (1 << 63) // GAME - 2  # the largest id of an SQLite row
_NO_GAME: Final = marked("{file}: no game {game}: croupier journal list shows the games")

_UNREADABLE: Final = marked("the file cannot be read from here on")
_MISSING_GAME: Final = marked("the game is missing")
_MISSING_LINE: Final = marked("the line is missing")
_CHANGED_LINE: Final = marked("the line was changed after it was written")
_CHANGED_ROW: Final = marked("the date of the game is not as it was written")
_CHANGED_JOBS: Final = marked("the record of the shoe's jobs was changed after it was written")
_NO_LINES: Final = marked("the game has no lines")
_NO_HEAD: Final = marked("whether lines are missing after this one is unknown: the file -head is missing or damaged")
_MISSING_JOBS: Final = marked("jobs of the shoe are missing from the record")


def chained(before: bytes, text: str) -> bytes:
    """The hash of a line with this ``text``, after a line with the hash ``before`` (32 bytes, SHA-256)."""
    return sha256(before + text.encode("utf-8")).digest()


def hash_of_job(*fields: int | None) -> bytes:
    """The hash of a job's row: of its game and its `JOB_FIELDS`."""
    return sha256(" ".join(map(str, fields)).encode()).digest()


def hash_of_game(before: bytes, number: int, began: float, head: Head) -> bytes:
    """The hash of a game's row, after the row of a game with the hash ``before``; ``head``: of that game."""
    fields = f"{number} {began!r} {head.game} {head.lines} {head.records} "
    return sha256(before + fields.encode() + head.hash).digest()


@dataclass(frozen=True, slots=True)
class Game:
    """One game of a journal.

    ``number`` from 1, in the order in which games were begun; ``began``: seconds since 1970, by the clock that the
    machine had then; ``lines`` with the header; ``head``: the hash of the last line.
    """

    number: int
    began: float
    lines: int
    head: bytes


@dataclass(frozen=True, slots=True)
class FeedJob:
    """A job of the shoe, written before the shoe gets it.

    ``job``: its number in the game; ``number``: its number on the line to the shoe; ``n``: the cards that ``seat`` is
    to get. ``fed``: the cards that were fed, also 0; None while unknown. 0, too, for a job
    whose record was damaged, after people have counted the hands.
    """

    job: int
    number: int
    seat: int
    n: int
    fed: int | None = None


@dataclass(frozen=True, slots=True)
class Damage:
    """A damaged game: ``what`` is wrong (marked), from ``line`` on (from 1, the header)."""

    game: int
    line: int
    what: str


class Archive:
    """The games of the journal ``path``.

    Raises:
        BadJournal: there is no journal, or it cannot be read.
    """

    def __init__(self, path: Path, opened: Callable[[Path], sqlite3.Connection] = open_to_read) -> None:
        self.path = path
        self._connection = opened(path)
        self._form = check_form(self._connection, path)
        self.has_heads = self._form >= 3
        """False for a journal of an old form without head files and heads in the rows of games."""

    def began(self) -> dict[int, float]:
        """The numbers of all games, the oldest first, and the begin of each in seconds since 1970; also of games whose
        lines cannot be read."""
        return dict(self._rows("SELECT id, began FROM game ORDER BY id"))

    def game(self, number: int) -> Game:
        """One game, independent of the others.

        Raises:
            BadJournal: there is no such game, or the file is damaged.
        """
        head = self.head(number)
        for (began,) in self._rows("SELECT began FROM game WHERE id = ?", number) if head.lines else ():
            return Game(number, began, head.lines, head.hash)
        raise BadJournal(_NO_GAME, file=self.path, game=number)

    def last(self) -> int | None:
        """Return the number of the newest game, the one to resume; None without a game."""
        (number,) = next(self._rows("SELECT max(id) FROM game"))
        return None if number is None else int(number)

    def lines(self, game: int, start: int = 0) -> list[str]:
        """The lines of ``game`` from ``start`` on, as they stand in a table log; line 0 is the header.

        Raises:
            BadJournal: there is no such game, or the file is damaged.
        """
        lines = [text for _, text, _ in self.hashed_lines(game, start)]
        if not lines and not start:
            raise BadJournal(_NO_GAME, file=self.path, game=game)
        return lines

    def head(self, game: int | None = None) -> Head:
        """The head of ``game`` (default: the newest)."""
        number = self.last() if game is None else game
        if number is None or not 0 < number <= _LAST_GAME:
            return Head()
        query = f"SELECT id % {GAME} + 1, hash FROM line WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT 1"
        lines, hash_ = next(self._rows(query, number * GAME, (number + 1) * GAME), (0, NOTHING))
        records = 0
        if self._form > 1:
            (records,) = next(self._rows("SELECT count(*) + count(fed) FROM job WHERE game = ?", number))
        return Head(number, lines, records, hash_)

    def damages(self) -> Iterator[Damage]:
        """Yield the first damage of each damaged game."""
        newest = read_head(self.path)
        before = 0
        for game in self.began():
            if game > before + 1:
                yield Damage(before + 1, 1, _MISSING_GAME)
            before = game
            if (damage := self.damage(game)) is not None:
                yield damage
        if newest is not None and newest.game > before:
            yield Damage(newest.game, 1, _MISSING_GAME)

    def damage(self, game: int) -> Damage | None:
        """The first damage of a game, in its lines, its feed jobs or its date; None if it has none."""
        end = self._written_head(game)
        lines, damage = self.whole_lines(game)
        if damage is not None:
            return damage
        try:
            self.feed_jobs(game)
            if self.head(game).records < (end.records if end is not None else 0):
                return Damage(game, len(lines), _MISSING_JOBS)
            if not self._is_row_as_written(game):
                return Damage(game, 1, _CHANGED_ROW)
        except CroupierError:
            return Damage(game, len(lines), _CHANGED_JOBS)
        return Damage(game, len(lines), _NO_HEAD) if end is None and self.has_heads else None

    def whole_lines(self, game: int) -> tuple[list[str], Damage | None]:
        """The lines of a game up to the first damage, and that damage, if any."""
        lines: list[str] = []
        hash_ = NOTHING
        try:
            end = self._written_head(game) or Head()
            for n, text, written in self.hashed_lines(game):
                if n != len(lines):
                    return lines, Damage(game, len(lines) + 1, _MISSING_LINE)
                hash_ = chained(hash_, text)
                if hash_ != written or (n + 1 == end.lines and hash_ != end.hash):
                    return lines, Damage(game, n + 1, _CHANGED_LINE)
                lines.append(text)
        except (CroupierError, UnicodeError):
            return lines, Damage(game, len(lines) + 1, _UNREADABLE)
        if not lines:
            return lines, Damage(game, 1, _NO_LINES)
        return lines, Damage(game, len(lines) + 1, _MISSING_LINE) if len(lines) < end.lines else None

    def feed_jobs(self, game: int) -> list[FeedJob]:
        """Return all feed jobs of ``game``, in the order of their numbers.

        Raises:
            BadJournal: a job was changed after it was written.
        """
        jobs: list[FeedJob] = []
        if self._form == 1:
            return jobs
        for *fields, written in self._rows(f"SELECT {JOB_FIELDS}, hash FROM job WHERE game = ? ORDER BY job", game):
            if written != hash_of_job(game, *fields):
                changed = marked("{file}: game {game}: the record of the shoe's jobs was changed after it was written")
                raise BadJournal(changed, file=self.path, game=game)
            jobs.append(FeedJob(*fields))
        return jobs

    def unsettled_jobs(self, game: int) -> list[int]:
        """The numbers of the feed jobs of ``game`` that have no outcome, or whose record is damaged."""
        rows = self._rows(f"SELECT {JOB_FIELDS}, hash FROM job WHERE game = ? ORDER BY job", game)
        return [fields[0] for *fields, written in rows if fields[-1] is None or written != hash_of_job(game, *fields)]

    def sealed(self, game: int) -> Iterator[tuple[int, bytes, bytes | None]]:
        """The boxes of what the shoe dealt (`croupier_extras.sealed`): number of the line, box, and the key that
        opens it once its round is over."""
        if next(self._rows("SELECT count(*) FROM sqlite_master WHERE name = 'sealed'")) != (0,):
            yield from self._rows("SELECT line, box, key FROM sealed WHERE game = ? ORDER BY line", game)

    def check_structure(self) -> None:
        """Let SQLite check its pages. Raises `BadJournal` if one is damaged."""
        (answer,) = next(self._rows("PRAGMA quick_check(1)"))
        if answer != "ok":
            raise BadJournal(DAMAGED, file=self.path)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _written_head(self, game: int) -> Head | None:
        """The noted head of ``game``, from the row of the next game or the head file; None if there is none."""
        if not 0 < game <= _LAST_GAME:
            return None
        if self.has_heads and self._is_row_as_written(game + 1):
            for row in self._rows("SELECT lines, records, head FROM game WHERE id = ?", game + 1):
                return Head(game, *row)
        newest = read_head(self.path)
        return newest if newest is None or newest.game == game else Head(game)

    def _is_row_as_written(self, game: int) -> bool:
        """False if there is no such game, or its date or the head of the game before it was changed."""
        if not self.has_heads:
            return True
        rows = self._rows("SELECT id, began, lines, records, head, hash FROM game WHERE id IN (?, ?)", game - 1, game)
        found = {number: (began, Head(number - 1, *head), hash_) for number, began, *head, hash_ in rows}
        if game not in found:
            return False
        began, head, hash_ = found[game]
        if not hash_ or (game > 1 and game - 1 not in found):
            return True
        before = found[game - 1][2] if game > 1 else NOTHING
        return bool(hash_ == hash_of_game(before, game, began, head))

    def hashed_lines(self, game: int, start: int = 0, end: int = GAME) -> Iterator[tuple[int, str, bytes]]:
        """Yield the lines of ``game`` from ``start`` up to ``end``: number, text, and the hash that was written with
        it."""
        if not 0 < game <= _LAST_GAME:
            return
        query = f"SELECT id % {GAME}, text, hash FROM line WHERE id >= ? AND id < ? ORDER BY id"
        for n, text, hash_ in self._rows(query, game * GAME + start, game * GAME + end):
            yield n, str(text), hash_  # in a damaged page the text may be a number

    def _rows(self, query: str, *values: object) -> Iterator[Any]:
        with translate_errors(self.path):
            yield from read_rows(self._connection, query, values)
