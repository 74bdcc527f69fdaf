"""The journal: many games in one SQLite file. `Archive` reads it, `Journal` also writes it.

Each line is on the disk before anything acts on it; one process writes, any number read. Each line of a game is chained
by a hash to all lines before it, so the last hash stands for the whole game: whoever noted it can tell later whether
any line was changed, left out, added or moved. The hash covers the text as in an exported file, without line ends::

    hash = b""
    for line in open("game.jsonl", "rb"):
        hash = sha256(hash + line.rstrip(b"\\n")).digest()

Example::

    with Journal(Path("croupier.journal")) as journal:
        game = journal.begin(header.to_json(), began=time())
        journal.append(game, to_json(observation))
"""

from __future__ import annotations

import fcntl
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType, TracebackType
from typing import IO, Any, Final, Self

from croupier.errors import BadJournal, CannotWrite, CroupierError, marked
from croupier.journal.database import GAME, open_to_read, open_to_write, transaction, translate_errors
from croupier.journal.log_file import text_of

NOTHING = b""
"""What the first line of a game is chained to."""


def chained(before: bytes, text: str) -> bytes:
    """The hash of a line with this ``text``, after a line with the hash ``before`` (32 bytes, SHA-256)."""
    return sha256(before + text.encode("utf-8")).digest()


def _hash_of_job(*fields: int | None) -> bytes:
    return sha256(" ".join(map(str, fields)).encode()).digest()


_NO_JOBS: Final[Mapping[int, int]] = MappingProxyType({})
_JOB_FIELDS: Final = "job, number, seat, n, fed"
_JOBS_DAMAGED: Final = marked("{file}: game {game}: the record of the shoe's jobs was changed after it was written")
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
class FeedJob:
    """A job of the shoe, written before the shoe is told of it.

    ``job``: its number in the game; ``number``: its number on the line to the shoe; ``n``: the cards that ``seat`` is
    to get. ``fed``: the cards that were fed, also 0; None while nobody knows."""

    job: int
    number: int
    seat: int
    n: int
    fed: int | None = None


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
            lines, damage = self.whole_lines(game)
            if damage is not None:
                yield damage
            try:
                self.feed_jobs(game)
            except CroupierError:
                yield Damage(game, len(lines), marked("the record of the shoe's jobs was changed after it was written"))

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

    def feed_jobs(self, game: int) -> list[FeedJob]:
        """Return all jobs of the shoe in ``game``, in the order of their numbers.

        Raises:
            BadJournal: a job is not as it was written.
        """
        jobs: list[FeedJob] = []
        if not self._has_jobs():
            return jobs
        for *fields, said in self._rows(f"SELECT {_JOB_FIELDS}, hash FROM job WHERE game = ? ORDER BY job", game):
            if said != _hash_of_job(game, *fields):
                raise BadJournal(_JOBS_DAMAGED, file=self.path, game=game)
            jobs.append(FeedJob(*fields))
        return jobs

    def last_job(self, game: int) -> int:
        """Return the highest number of a feed job in ``game``, also where jobs are damaged; 0 where there is none."""
        if not self._has_jobs():
            return 0
        (number,) = next(self._rows("SELECT max(job) FROM job WHERE game = ?", game))
        return int(number or 0)

    def _has_jobs(self) -> bool:
        """Return False for a journal of form 1."""
        return bool(list(self._rows("SELECT 1 FROM sqlite_master WHERE name = 'job'")))

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
        with translate_errors(self.path):
            yield from self._connection.execute(query, values)


class Journal(Archive):
    """The journal ``path``, open for writing by this process and no other. It is made where it is not there.

    Whatever fails, a line is written whole or not at all, and what was written before stays: after an error the same
    call may simply be made again.

    Raises:
        CannotWrite: the place cannot be written, or another process writes there.
        BadJournal: there is a file that is no journal, or a damaged one.
    """

    def __init__(self, path: Path) -> None:
        # Ended with the process that holds it, however that ends.
        self._lock = _locked(Path(f"{path}-writer"))
        try:
            super().__init__(path, open_to_write)
        except BaseException:
            self._lock.close()
            raise

    def begin(self, header: Mapping[str, Any], *, began: float) -> int:
        """Begin a game; ``began``: now, in seconds since 1970. Returns its number.

        Raises:
            CannotWrite: nothing was written.
        """
        return self.add([text_of(header)], began=began)

    def add(self, lines: Iterable[str], *, began: float) -> int:
        """Take in a whole game, line by line as it stands in a table log, all at once. Returns its number.

        Raises:
            CannotWrite: nothing was written.
        """
        with translate_errors(self.path), transaction(self._connection):
            game = (self.last() or 0) + 1
            self._connection.execute("INSERT INTO game (id, began) VALUES (?, ?)", (game, began))
            self._write(game, 0, NOTHING, lines)
        return game

    def append(self, game: int, *lines: Mapping[str, Any], fed: Mapping[int, int] = _NO_JOBS) -> int:
        """Write what was observed; when this returns, it is on the disk, all of it or (after an error) nothing.

        What belongs together, such as a correction with what it tells anew, goes into one call; so do the outcomes of
        feed jobs (``fed``: the cards by job, also 0) with the line that reports the cards.
        Returns how many lines the game has now.

        Raises:
            CannotWrite: nothing was written.
        """
        texts = [text_of(line) for line in lines]
        with translate_errors(self.path), transaction(self._connection):
            # Read anew each time: after an error it is the disk that knows how far it came.
            last = self._connection.execute(
                f"SELECT id % {GAME}, hash FROM line WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT 1",
                (game * GAME, (game + 1) * GAME),
            ).fetchone()
            if last is None:
                raise BadJournal(f"{self.path}: no game {game}: begin it first")
            n, hash_ = last
            self._write(game, n + 1, hash_, texts)
            for job, cards in fed.items():
                self._end_job(game, job, cards)
        return int(n) + 1 + len(texts)

    def record_job(self, game: int, job: FeedJob) -> None:
        """Write a job of the shoe; when this returns, it is on the disk, and the shoe may be told of it.

        A job that was written before keeps its outcome; the shoe is only told of it again.

        Raises:
            CannotWrite: nothing was written, and the shoe must not be told.
        """
        fields = (job.job, job.number, job.seat, job.n, job.fed)
        with translate_errors(self.path), transaction(self._connection):
            self._connection.execute(
                f"INSERT OR IGNORE INTO job (game, {_JOB_FIELDS}, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (game, *fields, _hash_of_job(game, *fields)),
            )

    def _end_job(self, game: int, job: int, fed: int) -> None:
        """Write the outcome of a job. Cards that people dealt by hand belong to no job."""
        where = (game, job)
        row = self._connection.execute("SELECT number, seat, n FROM job WHERE game = ? AND job = ?", where).fetchone()
        if row is not None:
            values = (fed, _hash_of_job(game, job, *row, fed), *where)
            self._connection.execute("UPDATE job SET fed = ?, hash = ? WHERE game = ? AND job = ?", values)

    def resumed(self, game: int) -> list[str]:
        """The lines of ``game``, to go on from: as `lines`, but looked at.

        Raises:
            BadJournal: there is no such game; or a line is not as it was written, and going on would hide that.
        """
        self.lines(game)
        lines, damage = self.whole_lines(game)
        if damage is not None:
            changed = marked(
                "{file}: game {game} is not as it was written from line {line} on; croupier journal export saves what "
                "stands before it: move the file away, and a new one is begun"
            )
            raise BadJournal(changed, file=self.path, game=game, line=damage.line)
        return lines

    def close(self) -> None:
        """Close the file; everything is on the disk already."""
        # What cannot be tidied up now, the next opening does.
        with suppress(CannotWrite), translate_errors(self.path):
            super().close()
        self._lock.close()

    def _write(self, game: int, n: int, hash_: bytes, texts: Iterable[str]) -> None:
        for place, text in enumerate(texts, start=n):
            hash_ = chained(hash_, text)
            row = (game * GAME + place, text, hash_)
            self._connection.execute("INSERT INTO line (id, text, hash) VALUES (?, ?, ?)", row)


def _locked(path: Path) -> IO[bytes]:
    try:
        file = path.open("ab")
    except OSError as err:
        no_folder = marked("{file}: {why}: expected a folder that is there and may be written")
        raise CannotWrite(no_folder, file=path, why=err.strerror) from err
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as err:
        file.close()
        taken = marked("{file}: another croupier writes this journal: expected one writer; end the other")
        raise CannotWrite(taken, file=path) from err
    return file


def bytes_written(lines: Iterable[str]) -> int:
    """How many bytes are written to the disk in all while a game of these ``lines`` is played, one at a time.

    Plays it into a journal of its own: what went into the write-ahead log, and from there into the file.
    """
    first, *more = lines
    with TemporaryDirectory(prefix="croupier-") as folder:
        path = Path(folder) / "journal"
        with Journal(path) as journal:
            game = journal.add([first], began=0.0)
            with closing(open_to_read(path)) as reader:
                # While somebody reads, the write-ahead log is never begun anew: its size is all that went into it.
                reader.execute("BEGIN")
                reader.execute("SELECT * FROM game").fetchone()
                for line in more:
                    journal.append(game, json.loads(line))
                logged = Path(f"{path}-wal").stat().st_size
        return logged + path.stat().st_size
