"""The journal's SQLite file: schema, connections, the writer's lock, and SQLite's errors as text for people.

Write-ahead log with ``synchronous=FULL``: at the end of a transaction its pages are on the disk, and a power cut at any
moment leaves the state before or after it. Pages are small: a line has some 120 bytes, and each commit writes the page
with the line. The write-ahead log keeps its size, so a commit changes no directory.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

from croupier.errors import BadJournal, CannotWrite, CroupierError, DiskFull, marked

_APPLICATION: Final = 0x43525550  # "CRUP", in the header of the file
_FORM: Final = 3
"""Form 1 has no table of feed jobs, form 2 no heads of games."""
_WRITE: Final = "mode=rwc"
PAGE_SIZE: Final = 1024
_HEADER_SIZE: Final = 100
_CHECKPOINT: Final = 512  # pages; the write-ahead log stays at half a megabyte
_TIMEOUT_S: Final = 5.0  # longer than any reader takes to copy the file

_ATTEMPTS: Final = 100  # to read what the writer changes meanwhile
_CHANGING: Final = (sqlite3.SQLITE_READONLY_RECOVERY, sqlite3.SQLITE_READONLY_CANTINIT)

GAME: Final = 1 << 32
"""The distance between the ids of the lines of two games."""

_JOB_TABLE: Final = """CREATE TABLE job (
        game INTEGER NOT NULL,
        job INTEGER NOT NULL,       -- as the planner numbers it
        number INTEGER NOT NULL,    -- as the shoe was told it
        seat INTEGER NOT NULL,
        n INTEGER NOT NULL,         -- cards that were asked for
        fed INTEGER,                -- cards that were fed, also 0; NULL while nobody knows
        hash BLOB NOT NULL,         -- over all of this row
        PRIMARY KEY (game, job)
    ) STRICT, WITHOUT ROWID"""

SEALED_TABLE: Final = """CREATE TABLE IF NOT EXISTS sealed (
        game INTEGER NOT NULL,
        line INTEGER NOT NULL,      -- that reports these cards, from 1
        box BLOB NOT NULL,          -- their faces, sealed
        key BLOB,                   -- that opens the box; NULL until the round is over
        PRIMARY KEY (game, line)
    ) STRICT, WITHOUT ROWID"""

_HEAD_COLUMNS: Final = (
    "lines INTEGER NOT NULL DEFAULT 0",  # head of the game before, at the begin of this game
    "records INTEGER NOT NULL DEFAULT 0",
    "head BLOB NOT NULL DEFAULT x''",
    "hash BLOB NOT NULL DEFAULT x''",  # over the hash of the game before and the whole row
)

_SCHEMA: Final = (
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {_FORM}",
    f"""CREATE TABLE game (
        id INTEGER PRIMARY KEY,
        began REAL NOT NULL,    -- seconds since 1970 by the clock of this machine: for people, nothing rests on it
        {", ".join(_HEAD_COLUMNS)}
    ) STRICT""",
    """CREATE TABLE line (
        id INTEGER PRIMARY KEY, -- game * 2^32 + n, where line 0 is the header: each line is written behind the last
        text TEXT NOT NULL,     -- as it stands in a table log
        hash BLOB NOT NULL      -- over this line and all of the game before it
    ) STRICT""",
    _JOB_TABLE,
    "CREATE TRIGGER lines_stay BEFORE DELETE ON line BEGIN SELECT raise(ABORT, 'lines of a journal stay'); END",
    "CREATE TRIGGER lines_stay_so BEFORE UPDATE ON line BEGIN SELECT raise(ABORT, 'lines of a journal stay'); END",
)

_ADVICE: Final = {
    sqlite3.SQLITE_FULL: marked(
        "{file}: the disk is full: free some space; nothing was lost, and the line is written as soon as there is room"
    ),
    sqlite3.SQLITE_READONLY: marked(
        "{file}: cannot be written: expected a file and a folder that this user can write to, on a disk "
        "that is not read-only"
    ),
    sqlite3.SQLITE_CANTOPEN: marked(
        "{file}: cannot be opened: expected a file in an existing folder that this user can write to"
    ),
    sqlite3.SQLITE_PERM: marked("{file}: cannot be opened: expected a file that this user can read and write"),
    sqlite3.SQLITE_BUSY: marked(
        "{file}: another program has it open for writing: expected a single writer; stop the other croupier"
    ),
    sqlite3.SQLITE_IOERR: marked(
        "{file}: the disk reports an error: copy the file elsewhere and replace the card or disk"
    ),
}
_NO_JOURNAL: Final = marked("{file}: not a journal: expected a file made by croupier")
DAMAGED: Final = marked(
    "{file}: damaged: croupier journal verify lists the intact games, export saves them; move the file "
    "away, and a new one is started"
)
_DAMAGE: Final = {
    sqlite3.SQLITE_NOTADB: _NO_JOURNAL,
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_ERROR: DAMAGED,  # the statements here are correct, so the file's schema is damaged
}

_locked: set[tuple[int, int]] = set()
"""Device and inode of each journal that this process writes. A process that closes a file loses its POSIX locks on it,
those of SQLite among them, so a second writer in one process must be rejected before the file is opened."""


class WriterLock:
    """The lock for writing the journal ``path``, held by one process at most; the file is created if it is missing.

    It is an ``flock`` on the database file itself, independent of other files, and the kernel releases it when the
    process ends. It does not interact with SQLite's own locks, which are POSIX locks.

    Raises:
        CannotWrite: the place cannot be written, or another process writes there.
    """

    def __init__(self, path: Path) -> None:
        taken = marked("{file}: another croupier is writing this journal: expected a single writer; stop the other one")
        with suppress(OSError):
            if _inode(os.stat(path)) in _locked:
                raise CannotWrite(taken, file=path)
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as err:
            no_folder = marked("{file}: {why}: expected an existing folder that this user can write to")
            raise CannotWrite(no_folder, file=path, why=err.strerror) from err
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as err:
            os.close(self._file)
            raise CannotWrite(taken, file=path) from err
        self._inode = _inode(os.fstat(self._file))
        _locked.add(self._inode)

    def close(self) -> None:
        """Release the lock; no connection of this process may be open any more."""
        _locked.discard(self._inode)
        os.close(self._file)


def _inode(stat: os.stat_result) -> tuple[int, int]:
    return stat.st_dev, stat.st_ino


def open_to_write(path: Path) -> sqlite3.Connection:
    """Open a connection that may write, to a file of this form; the caller has the `WriterLock`.

    Raises:
        CannotWrite: the place cannot be written.
        BadJournal: the file is not a journal.
    """
    _check_size(path)
    with translate_errors(path):
        connection = _connect(path)
        try:
            if _is_new(connection):
                # A rollback journal is needed once, before there is a write-ahead log; its name must be gone durably.
                connection.execute("PRAGMA synchronous = EXTRA")
                connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
                connection.execute("PRAGMA journal_mode = WAL")
                with transaction(connection):
                    for statement in _SCHEMA:
                        connection.execute(statement)
            _upgrade(connection, check_form(connection, path))
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT}")
        except BaseException:
            connection.close()
            raise
    return connection


def open_to_read(path: Path) -> sqlite3.Connection:
    """Open a connection that only reads, beside the writer if there is one.

    Raises:
        BadJournal: there is no journal, or it cannot be read.
    """
    if not path.is_file():
        is_folder = marked("{file}: this is a folder: expected a journal; croupier run starts one")
        is_missing = marked("{file}: no such file: expected a journal; croupier run starts one")
        raise BadJournal(is_folder if path.is_dir() else is_missing, file=path)
    with translate_errors(path):
        try:
            return _opened(path, "mode=ro")
        except sqlite3.OperationalError as err:
            # In a read-only folder, a journal that was closed in order can still be read.
            if err.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CANTOPEN or Path(f"{path}-wal").exists():
                raise
            return _opened(path, "mode=ro&immutable=1")


def read_rows(connection: sqlite3.Connection, query: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
    """Execute a query that reads. Raises sqlite3.Error.

    A connection that may write nothing beside the journal cannot repair the index of the log: where it meets the
    writer in the midst of a change, SQLite gives up at once, and the next attempt succeeds.
    """
    for _ in range(_ATTEMPTS):
        try:
            return connection.execute(query, values)
        except sqlite3.OperationalError as err:
            if err.sqlite_errorcode not in _CHANGING:
                raise
    return connection.execute(query, values)


def _opened(path: Path, how: str) -> sqlite3.Connection:
    connection = _connect(path, how)
    try:
        check_form(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Context of one transaction: at its end all of it is on the disk; after an error, nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Context that turns SQLite's errors about the file ``path`` into errors for people."""
    try:
        yield
    except (sqlite3.ProgrammingError, sqlite3.IntegrityError):
        raise  # a bug of ours
    except sqlite3.Error as err:
        raise _for_people(path, err) from err
    except UnicodeDecodeError as err:  # the text of SQLite's error itself, if it quotes a damaged page
        raise BadJournal(DAMAGED, file=path) from err


def _for_people(path: Path, err: sqlite3.Error) -> CroupierError:
    code = getattr(err, "sqlite_errorcode", 0) & 0xFF  # without the system-dependent part
    if code in _DAMAGE:
        return BadJournal(_DAMAGE[code], file=path)
    if code == sqlite3.SQLITE_FULL or getattr(err, "sqlite_errorcode", 0) == sqlite3.SQLITE_IOERR_SHMSIZE:
        return DiskFull(_ADVICE[sqlite3.SQLITE_FULL], file=path)
    return CannotWrite(_ADVICE[code], file=path) if code in _ADVICE else CannotWrite(f"{path}: {err}")


def _connect(path: Path, how: str = _WRITE) -> sqlite3.Connection:
    # Transactions begin and end here. A read-only connection may move to another thread.
    return sqlite3.connect(
        f"file:{quote(str(path))}?{how}",
        timeout=_TIMEOUT_S,
        isolation_level=None,
        check_same_thread=how == _WRITE,
        uri=True,
    )


def _is_new(connection: sqlite3.Connection) -> bool:
    """True if the file is empty: it was just created, or a power cut came meanwhile."""
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    return bool(tables == application == 0)


def is_empty(path: Path) -> bool:
    """True for a file without bytes, or a database in which nothing was ever made: what is left of a journal that lost
    all but its first page."""
    if not path.stat().st_size:
        return True
    try:
        with closing(_connect(path, "mode=ro")) as connection:
            return _is_new(connection)
    except (sqlite3.Error, UnicodeDecodeError):
        return False


def _check_size(path: Path) -> None:
    # SQLite takes a file that is shorter than its header for an empty one, and would overwrite it.
    if path.is_file() and 0 < path.stat().st_size < _HEADER_SIZE:
        raise BadJournal(_NO_JOURNAL, file=path)


def check_form(connection: sqlite3.Connection, path: Path) -> int:
    """Return the form of the journal.

    Raises:
        BadJournal: the file is not a journal, or has a form that this program does not know.
    """
    (application,) = read_rows(connection, "PRAGMA application_id").fetchone()
    (form,) = read_rows(connection, "PRAGMA user_version").fetchone()
    if application != _APPLICATION:
        raise BadJournal(_NO_JOURNAL, file=path)
    if not 1 <= form <= _FORM:
        other = marked("{file}: journal format {form}: expected {ours}; use the version of croupier that wrote it")
        raise BadJournal(other, file=path, form=form, ours=_FORM)
    return int(form)


def _upgrade(connection: sqlite3.Connection, form: int) -> None:
    """Add the columns and tables of the present form. Games from before keep an empty hash: their dates are not
    sealed."""
    if form == _FORM:
        return
    with transaction(connection):
        if form == 1:
            connection.execute(_JOB_TABLE)
        for column in _HEAD_COLUMNS:
            connection.execute(f"ALTER TABLE game ADD COLUMN {column}")
        connection.execute(f"PRAGMA user_version = {_FORM}")
