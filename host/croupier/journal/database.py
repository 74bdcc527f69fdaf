"""The journal's SQLite file: how it is opened for writing and for reading, and what its faults mean to people.

Write-ahead log with ``synchronous=FULL``: when a transaction is through, its pages are on the disk, and a power cut at
any moment leaves the state before or after it. Pages are small, since one line is some 120 bytes and each commit writes
the page that it stands on; and the write-ahead log is kept at its size, so that a commit changes no directory.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

from croupier.errors import BadJournal, CannotWrite, CroupierError, marked

_APPLICATION: Final = 0x43525550  # "CRUP", in the head of the file
_FORM: Final = 2
_READABLE: Final = (1, 2)
"""Form 1 has no table of feed jobs."""
_WRITE: Final = "mode=rwc"
_PAGE: Final = 1024
_HEAD: Final = 100
_CHECKPOINT: Final = 512  # pages; the write-ahead log stays at half a megabyte
_PATIENCE_S: Final = 5.0  # a reader that copies the file out is never so long

GAME: Final = 1 << 32
"""What the ids of the lines of a game are apart from those of the next."""

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

_SCHEMA: Final = (
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {_FORM}",
    """CREATE TABLE game (
        id INTEGER PRIMARY KEY,
        began REAL NOT NULL     -- seconds since 1970 by the clock of this machine: for people, nothing rests on it
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

_REMEDY: Final = {
    sqlite3.SQLITE_FULL: marked(
        "{file}: the disk is full: make room on the disk; nothing was lost, the line is written when there is room"
    ),
    sqlite3.SQLITE_READONLY: marked(
        "{file}: it cannot be written: expected a file and a folder that this user may write, on a disk that is not "
        "read-only"
    ),
    sqlite3.SQLITE_CANTOPEN: marked(
        "{file}: it cannot be opened: expected a file in a folder that is there and may be written"
    ),
    sqlite3.SQLITE_PERM: marked("{file}: it cannot be opened: expected a file that this user may read and write"),
    sqlite3.SQLITE_BUSY: marked("{file}: another program holds it: expected one writer; end the other croupier"),
    sqlite3.SQLITE_IOERR: marked(
        "{file}: the disk reports a fault: copy the file elsewhere and replace the card or disk"
    ),
}
_NO_JOURNAL: Final = marked("{file}: no journal: expected a file that croupier made")
_DAMAGE: Final = {
    sqlite3.SQLITE_NOTADB: _NO_JOURNAL,
    sqlite3.SQLITE_CORRUPT: marked(
        "{file}: damaged: croupier journal verify tells which games are whole, export saves them; move the file away, "
        "and a new one is begun"
    ),
}


def open_to_write(path: Path) -> sqlite3.Connection:
    """A connection that may write; the file is made where it is not there.

    Raises:
        CannotWrite: the place cannot be written.
        BadJournal: there is a file that is no journal of ours.
    """
    _look_at_size(path)
    with translate_errors(path):
        connection = _connect(path)
        try:
            if _is_new(connection):
                connection.execute(f"PRAGMA page_size = {_PAGE}")
                connection.execute("PRAGMA journal_mode = WAL")
                with transaction(connection):
                    for statement in _SCHEMA:
                        connection.execute(statement)
            _look_at_form(connection, path)
            _bring_up_to_date(connection)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT}")
        except BaseException:
            connection.close()
            raise
    return connection


def open_to_read(path: Path) -> sqlite3.Connection:
    """A connection that only reads, beside whoever writes.

    Raises:
        BadJournal: there is no journal, or none that can be read.
    """
    if not path.is_file():
        is_folder = marked("{file}: this is a folder: expected a journal, as croupier run begins one")
        is_missing = marked("{file}: no such file: expected a journal, as croupier run begins one")
        raise BadJournal(is_folder if path.is_dir() else is_missing, file=path)
    with translate_errors(path):
        try:
            return _opened(path, "mode=ro")
        except sqlite3.OperationalError as err:
            # Where nothing may be written beside it, a journal that was closed in order can be read all the same.
            if err.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CANTOPEN or Path(f"{path}-wal").exists():
                raise
            return _opened(path, "mode=ro&immutable=1")


def _opened(path: Path, how: str) -> sqlite3.Connection:
    connection = _connect(path, how)
    try:
        _look_at_form(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """What is written inside is on the disk at the end, all of it; or, where an error gets out, nothing of it."""
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
    """Faults of the file as one line for people."""
    try:
        yield
    except (sqlite3.ProgrammingError, sqlite3.IntegrityError):
        raise  # ours, and loud
    except sqlite3.Error as err:
        raise _for_people(path, err) from err


def _for_people(path: Path, err: sqlite3.Error) -> CroupierError:
    code = getattr(err, "sqlite_errorcode", 0) & 0xFF  # without what is particular to one system
    if code in _DAMAGE:
        return BadJournal(_DAMAGE[code], file=path)
    return CannotWrite(_REMEDY[code], file=path) if code in _REMEDY else CannotWrite(f"{path}: {err}")


def _connect(path: Path, how: str = _WRITE) -> sqlite3.Connection:
    # Transactions are ours to begin and to end. Who only reads may be handed from one thread to another.
    return sqlite3.connect(
        f"file:{quote(str(path))}?{how}", _PATIENCE_S, isolation_level=None, check_same_thread=how == _WRITE, uri=True
    )


def _is_new(connection: sqlite3.Connection) -> bool:
    """Whether there is nothing in the file yet: it was just made, or a power cut came while it was."""
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    return bool(tables == application == 0)


def _look_at_size(path: Path) -> None:
    # SQLite takes a file shorter than its own head for an empty one, and would write over it.
    if path.is_file() and 0 < path.stat().st_size < _HEAD:
        raise BadJournal(_NO_JOURNAL, file=path)


def _look_at_form(connection: sqlite3.Connection, path: Path) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (form,) = connection.execute("PRAGMA user_version").fetchone()
    if application != _APPLICATION:
        raise BadJournal(_NO_JOURNAL, file=path)
    if form not in _READABLE:
        other = marked("{file}: a journal of form {form}: expected {ours}; use the croupier that wrote it")
        raise BadJournal(other, file=path, form=form, ours=_FORM)


def _bring_up_to_date(connection: sqlite3.Connection) -> None:
    """Add to a journal of form 1 what form 2 has more."""
    (form,) = connection.execute("PRAGMA user_version").fetchone()
    if form < _FORM:
        with transaction(connection):
            connection.execute(_JOB_TABLE)
            connection.execute(f"PRAGMA user_version = {_FORM}")
