"""The outbox of a writer, a table or the director: its key and its lines in one SQLite file, until a hub has them.

A line is on the disk before anybody gets it, and is never changed, so that a restart sends the same bytes. The key is
made once, with the file, which nobody else may read. A file that was restored from a backup would write other lines in
the place of those that hubs have; `croupier_hub.client.deliver` refuses that. The lines of a table's games stay in its
journal (`croupier_hub.table_log`).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final, Self

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from croupier.errors import marked
from croupier_hub.errors import BadOutbox
from croupier_hub.messages import MOST_LETTERS, MOST_LINES
from croupier_hub.signed_log import NOTHING, Head, Sent, chain_line, name_of, sign_head

_SCHEMA: Final = (
    "CREATE TABLE writer (key BLOB NOT NULL, director TEXT NOT NULL DEFAULT '')",
    "CREATE TABLE line (n INTEGER PRIMARY KEY, text TEXT NOT NULL, hash BLOB NOT NULL)",
)

_PRESSES: Final = 1000
"""The newest presses of forms are remembered, far more than anybody sends in `croupier.web.once.KEPT_S`."""


class Outbox:
    """The outbox ``file``, made if it is missing. Used by one thread at a time.

    ``log``: the name of the log, the public key of the writer in hex; ``is_new``: True if it was made now.

    Raises:
        BadOutbox: the file cannot be used; others may read it; or it is not an outbox.
    """

    def __init__(self, file: Path, *, schema: Sequence[str] = ()) -> None:
        self.file = file
        try:
            # Created here, so that the key is never in a file that others may read.
            mode = os.fstat(opened := os.open(file, os.O_RDWR | os.O_CREAT, 0o600)).st_mode
            os.close(opened)
        except OSError as err:
            raise BadOutbox(f"{file}: {err.strerror}") from err
        if mode & 0o077:
            text = marked("{file}: others may read the key in this file: expected chmod 600 {file}")
            raise BadOutbox(text, file=file)
        with self._errors():
            self._connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
            with self.transaction() as connection:
                self.is_new = not connection.execute("SELECT 1 FROM sqlite_master").fetchone()
                if self.is_new:
                    for statement in (*_SCHEMA, *schema):
                        connection.execute(statement)
                    key = Ed25519PrivateKey.generate().private_bytes_raw()
                    connection.execute("INSERT INTO writer (key) VALUES (?)", (key,))
            (key, self._director), *_ = self._rows("SELECT key, director FROM writer")
            self._key = Ed25519PrivateKey.from_private_bytes(key)
        self.log = name_of(self._key)
        self._sent = Head()
        """The head of the last piece."""

    @property
    def director(self) -> str:
        """The key of the director whose tournament this is; "" before the first answer of a hub."""
        return str(self._director)

    @director.setter
    def director(self, key: str) -> None:
        with self.transaction() as connection:
            connection.execute("UPDATE writer SET director = ?", (key,))
        self._director = key

    def __len__(self) -> int:
        """The number of lines."""
        ((n,),) = self._rows("SELECT coalesce(max(n) + 1, 0) FROM line")
        return int(n)

    def lines(self) -> list[str]:
        """All lines."""
        return list(self.texts(0, len(self)))

    def texts(self, start: int, end: int) -> Iterable[str]:
        """The lines from ``start`` up to ``end``, without it."""
        return [text for (text,) in self._rows("SELECT text FROM line WHERE n >= ? AND n < ? ORDER BY n", start, end)]

    def head_at(self, n: int) -> Head:
        """The head of the first ``n`` lines."""
        known = self._sent if self._sent.lines <= n else Head()
        return known.after(self.texts(known.lines, n))

    def append(self, make: Callable[[list[str]], Iterable[str]], press: str = "") -> int:
        """Add what ``make`` makes of the lines so far; nothing for a ``press`` that has added something before. Returns
        how many it was."""
        with self.transaction() as connection:
            if press and self.line_of(press) is not None:
                return 0
            texts = list(make(self.lines()))
            first = self.add(connection, texts)
            if press:
                connection.execute("INSERT INTO press (press, line) VALUES (?, ?)", (press, first))
                connection.execute("DELETE FROM press WHERE n <= (SELECT max(n) FROM press) - ?", (_PRESSES,))
        return len(texts)

    def take_back(self, texts: Sequence[str]) -> int:
        """Add what this file, as a copy of an earlier day, lacks of its own log ``texts``; returns how many lines.

        Raises:
            BadOutbox: it has other lines in their place.
        """
        with self.transaction() as connection:
            have = self.lines()
            if have[: len(texts)] != list(texts[: len(have)]):
                raise BadOutbox(
                    marked("{file}: the season has other lines of this key: take another copy"), file=self.file
                )
            self._write(connection, self.head_at(len(have)), texts[len(have) :])
        return max(len(texts) - len(have), 0)

    def line_of(self, press: str) -> int | None:
        """The number of the first line that was added for a press; None if it is new, or long ago."""
        self._rows("CREATE TABLE IF NOT EXISTS press (n INTEGER PRIMARY KEY, press TEXT UNIQUE, line INT NOT NULL)")
        return next((int(line) for (line,) in self._rows("SELECT line FROM press WHERE press = ?", press)), None)

    def add(self, connection: sqlite3.Connection, texts: Sequence[str]) -> int:
        """Add lines of no game in a `transaction`; returns the number of the first."""
        head = self._begun(connection) if texts else self.head_at(len(self))
        self._write(connection, head, texts)
        return head.lines

    def _begun(self, connection: sqlite3.Connection) -> Head:
        """The head of the log, after the line by which its leaves have the form of now."""
        head = self.head_at(len(self))
        return head if head.is_of_journal else self._write(connection, head, [chain_line(self._hash_of_game())])

    def _hash_of_game(self) -> bytes:
        """The hash of the last line of the game that goes on."""
        return NOTHING

    def _write(self, connection: sqlite3.Connection, head: Head, texts: Sequence[str]) -> Head:
        leaves, _roots, after = head.extend(texts)
        connection.executemany("INSERT INTO line VALUES (?, ?, ?)", zip(count(head.lines), texts, leaves))
        return after

    def accept(self, n: int) -> bool:
        """Take notice that the hub has the first ``n`` lines. False if the log cannot go on there."""
        return 0 <= n <= len(self)

    def piece(self, start: int) -> Sent:
        """The lines from ``start`` on, as many as may be sent at once, signed."""
        texts, letters = list[str](), 0
        for text in self.texts(start, min(len(self), start + MOST_LINES)):
            letters += len(text)
            if texts and letters > MOST_LETTERS:
                break
            texts.append(text)
        self._sent = self.head_at(start).after(texts)
        return sign_head(self._key, self._sent, texts)

    def sign(self, content: bytes) -> bytes:
        """The writer's signature of something that is no log."""
        return self._key.sign(content)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Context of one transaction: at its end all of it is on the disk; after an error, nothing."""
        with self._errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _rows(self, query: str, *values: object) -> list[Any]:
        with self._errors():
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as err:
            code = getattr(err, "sqlite_errorcode", 0) & 0xFF
            if code not in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR):
                raise BadOutbox(f"{self.file}: {err}") from err
            text = marked(
                "{file}: not the outbox of a tournament, or damaged ({why}): move it away, and a new one with a new "
                "key is made, which the director has to enroll"
            )
            raise BadOutbox(text, file=self.file, why=err) from err
