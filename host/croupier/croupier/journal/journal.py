"""The journal: many games in one SQLite file. `Archive` reads it, `Journal` also writes it.

Each line is on the disk before anything acts on it. One process writes, any number read.

Example::

    with Journal(Path("croupier.journal")) as journal:
        game = journal.begin(header.to_json(), began=time())
        journal.append(game, to_json(observation))
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any, Final

from croupier.errors import BadJournal, CannotWrite, CroupierError, marked
from croupier.journal.archive import JOB_FIELDS, Archive, FeedJob, chained, hash_of_game, hash_of_job
from croupier.journal.database import (
    GAME,
    SEALED_TABLE,
    WriterLock,
    open_to_read,
    open_to_write,
    transaction,
    translate_errors,
)
from croupier.journal.head import HEAD_SIZE, NOTHING, Head, HeadFile, head_file, read_head
from croupier.journal.log_file import text_of
from croupier.journal.recovery import Recovery, recover

_NO_JOBS: Final[Mapping[int, int]] = MappingProxyType({})


class Journal(Archive):
    """The journal ``path``, open for writing by this process and no other; created if it is missing.

    A line is written whole or not at all, and earlier lines stay: after an error the same call may be repeated.
    ``recovery``: the repair of damaged files when the journal was opened; None without damage.

    Raises:
        CannotWrite: the place cannot be written, or another process writes there.
        BadJournal: the file is not a journal, or is damaged.
    """

    def __init__(self, path: Path) -> None:
        with suppress(OSError):
            if not path.exists():
                head_file(path).unlink()  # of a journal that was moved away
        with ExitStack() as opened:
            opened.callback((lock := WriterLock(path)).close)
            self.recovery: Recovery | None = recover(path)
            is_new = not path.stat().st_size
            opened.callback((written := HeadFile(path)).close)
            if is_new:
                written.reset(Head())
            super().__init__(path, open_to_write)
            opened.callback(super().close)
            if read_head(path) is None or self.recovery is not None:
                written.reset(self.head())
            self._lock, self._head_file = lock, written
            self._is_head_due = True  # the program may have ended between a transaction and its head
            opened.pop_all()

    def begin(self, header: Mapping[str, Any], *, began: float) -> int:
        """Begin a game; ``began``: now, in seconds since 1970. Returns its number.

        Raises:
            CannotWrite: nothing was written.
        """
        return self.add([text_of(header)], began=began)

    def add(self, lines: Iterable[str], *, began: float) -> int:
        """Add a whole game, given as the lines of a table log, all at once. Returns its number.

        Raises:
            CannotWrite: nothing was written.
        """
        with self._transaction():
            before = self.head()
            (row_before,) = next(self._rows("SELECT hash FROM game WHERE id = ?", before.game), (NOTHING,))
            game = before.game + 1
            row = (game, began, before.lines, before.records, before.hash)
            hash_ = hash_of_game(row_before, game, began, before)
            self._connection.execute("INSERT INTO game VALUES (?, ?, ?, ?, ?, ?)", (*row, hash_))
            self._write(game, 0, NOTHING, lines)
        return game

    def append(self, game: int, *lines: Mapping[str, Any], fed: Mapping[int, int] = _NO_JOBS) -> tuple[bytes, ...]:
        """Write observations durably: on return all of them are on the disk, after an error none.

        One call takes what belongs together: a correction with the observations that replace others, or the outcomes of
        feed jobs (``fed``: the cards by job, also 0) with the line that reports the cards. Returns the hash of each
        line.

        Raises:
            CannotWrite: nothing was written.
        """
        texts = [text_of(line) for line in lines]
        with self._transaction():
            # Read again each time: after an error, only the disk has the true number.
            head = self.head(game)
            if not head.lines:
                raise BadJournal(f"{self.path}: no game {game}: begin it first")
            hashes = self._write(game, head.lines, head.hash, texts)
            for job, cards in fed.items():
                self._end_job(game, job, cards)
        return hashes

    def record_job(self, game: int, job: FeedJob) -> None:
        """Write a job of the shoe durably; afterwards it may be sent to the shoe.

        A job that was written before keeps its outcome.

        Raises:
            CannotWrite: nothing was written, and the job must not be sent.
        """
        fields = (job.job, job.number, job.seat, job.n, job.fed)
        with self._transaction():
            self._connection.execute(
                f"INSERT OR IGNORE INTO job (game, {JOB_FIELDS}, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (game, *fields, hash_of_job(game, *fields)),
            )

    def seal(self, game: int, line: int, box: bytes) -> None:
        """Write the box of what the shoe dealt by a line of ``game`` (`croupier_extras.sealed`). Raises CannotWrite."""
        with self._transaction():
            self._connection.execute(SEALED_TABLE)  # only tables with a camera at the card exit have it
            self._connection.execute("INSERT OR IGNORE INTO sealed VALUES (?, ?, ?, NULL)", (game, line, box))

    def publish_key(self, game: int, key: bytes) -> None:
        """Write the key of the round that is over beside its boxes. Raises CannotWrite."""
        with self._transaction():
            self._connection.execute("UPDATE sealed SET key = ? WHERE game = ? AND key IS NULL", (key, game))

    def last_job(self, game: int) -> int:
        """Return the highest number of a feed job in ``game``, also where jobs are damaged; 0 if there is none."""
        (number,) = next(self._rows("SELECT max(job) FROM job WHERE game = ?", game))
        return int(number or 0)

    def resumed(self, game: int) -> list[str]:
        """The lines of ``game``, checked, to continue it.

        Raises:
            BadJournal: there is no such game; or a line was changed, which a continued game would hide.
        """
        self.lines(game)
        lines, damage = self.whole_lines(game)
        if damage is not None:
            changed = marked(
                "{file}: game {game} is damaged from line {line} on; croupier journal export saves the "
                "lines before it; move the file away, and a new one is started"
            )
            raise BadJournal(changed, file=self.path, game=game, line=damage.line)
        return lines

    def checkpoint(self) -> None:
        """Copy the write-ahead log into the database file, so that damage to the log costs little. It never waits for
        readers; the rest is copied later."""
        with suppress(CroupierError), translate_errors(self.path):
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def close(self) -> None:
        """Close the file; everything is on the disk already."""
        # The next opening tidies up what is left now.
        with suppress(CannotWrite), translate_errors(self.path):
            super().close()
        self._head_file.close()
        self._lock.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Context of one transaction, and of the head after it.

        A head that could not be written is written before the next transaction, which otherwise fails.
        """
        self._write_head()
        with translate_errors(self.path), transaction(self._connection):
            yield
        self._is_head_due = True
        with suppress(CannotWrite):
            self._write_head()

    def _write_head(self) -> None:
        if self._is_head_due:
            self._head_file.write(self.head())
            self._is_head_due = False

    def _end_job(self, game: int, job: int, fed: int) -> None:
        """Write the outcome of a job. Cards that people dealt belong to no job."""
        where = (game, job)
        row = self._connection.execute("SELECT number, seat, n FROM job WHERE game = ? AND job = ?", where).fetchone()
        if row is not None:
            values = (fed, hash_of_job(game, job, *row, fed), *where)
            self._connection.execute("UPDATE job SET fed = ?, hash = ? WHERE game = ? AND job = ?", values)

    def _write(self, game: int, n: int, hash_: bytes, texts: Iterable[str]) -> tuple[bytes, ...]:
        hashes = []
        for place, text in enumerate(texts, start=n):
            hashes.append(hash_ := chained(hash_, text))
            row = (game * GAME + place, text, hash_)
            self._connection.execute("INSERT INTO line (id, text, hash) VALUES (?, ?, ?)", row)
        return tuple(hashes)


def bytes_written(lines: Iterable[str]) -> int:
    """Bytes written to the disk while a game of these ``lines`` is played, one line at a time.

    It plays the game into a temporary journal and counts the write-ahead log, its copies into the file, and heads.
    """
    first, *more = lines
    with TemporaryDirectory(prefix="croupier-") as folder:
        path = Path(folder) / "journal"
        with Journal(path) as journal:
            game = journal.add([first], began=0.0)
            with closing(open_to_read(path)) as reader:
                # While somebody reads, the write-ahead log is never restarted: its size is all that was written to it.
                reader.execute("BEGIN")
                reader.execute("SELECT * FROM game").fetchone()
                for line in more:
                    journal.append(game, json.loads(line))
                logged = Path(f"{path}-wal").stat().st_size
        return logged + path.stat().st_size + len(more) * HEAD_SIZE
