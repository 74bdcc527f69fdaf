"""The store of a hub: logs of the director and of the tables, in SQLite or PostgreSQL.

It keeps a gapless prefix of each log. The same line counts once, however often it is sent. Another line in its place is
a fork: both stay, and the log counts only up to there. The store has no state of its own in the process, so several
hubs may share one database.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import Any, Final

from alembic import command
from alembic.config import Config
from alembic.util.exc import CommandError
from sqlalchemy import (
    Column,
    Engine,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    event,
    func,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import insert as insert_postgresql
from sqlalchemy.dialects.sqlite import insert as insert_sqlite
from sqlalchemy.exc import SQLAlchemyError

from croupier.errors import BadHub, marked, one_line
from croupier.hub.messages import Answer, Verdict
from croupier.hub.signed_log import NOTHING, Sent, hashes
from croupier.hub.standings import Log, enrolled

_MIGRATIONS: Final = Path(__file__).parent / "migrations"
_INSERT: Final = {"postgresql": insert_postgresql, "sqlite": insert_sqlite}
_SCHEMA: Final = MetaData()
_NOTHING_KNOWN: Final[Mapping[str, int]] = MappingProxyType({})

LOGS: Final = Table(
    "log",
    _SCHEMA,
    Column("name", String(64), primary_key=True),
    Column("lines", Integer, nullable=False),  # accepted
    Column("head", LargeBinary, nullable=False),
    Column("signature", LargeBinary, nullable=False),  # of the head, for whom the log is forwarded to
    Column("fork", Integer),  # the first line of which there is another one
)
LINES: Final = Table(
    "line",
    _SCHEMA,
    Column("log", String(64), primary_key=True),
    Column("n", Integer, primary_key=True),
    Column("hash", LargeBinary, nullable=False),
    Column("text", Text, nullable=False),
)
BRANCHES: Final = Table(
    "branch",
    _SCHEMA,
    Column("log", String(64), primary_key=True),
    Column("n", Integer, primary_key=True),
    Column("hash", LargeBinary, primary_key=True),
    Column("text", Text, nullable=False),
    Column("head", LargeBinary, nullable=False),  # that the writer signed with these lines
    Column("signature", LargeBinary, nullable=False),
)


_Write = tuple[Callable[[Any], Answer], Future[Answer]]


class Commit:
    """Transactions of their own: the database lets several write at a time."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def run(self, write: Callable[[Any], Answer]) -> Answer:
        """Call ``write`` with a connection, in a transaction. On return it is committed."""
        with self._engine.begin() as connection:
            return write(connection)


class GroupCommit(Commit):
    """All writes that wait while another one is committed share the next transaction, since SQLite lets only one write
    at a time, and a commit waits for the disk."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._turn = Lock()
        self._waiting = deque[_Write]()

    def run(self, write: Callable[[Any], Answer]) -> Answer:
        """As in `Commit`."""
        answer = Future[Answer]()
        self._waiting.append((write, answer))
        with self._turn:
            if not answer.done():
                self._commit([self._waiting.popleft() for _ in range(len(self._waiting))])
        return answer.result()

    def _commit(self, group: Sequence[_Write]) -> None:
        try:
            with self._engine.begin() as connection:
                answers = [write(connection) for write, _ in group]
        except Exception as err:
            if len(group) == 1:
                group[0][1].set_exception(err)
            else:  # one that fails does not fail the others
                for one in group:
                    self._commit([one])
        else:
            for (_, answer), found in zip(group, answers, strict=True):
                answer.set_result(found)


class LogStore:
    """The logs in the database ``url`` (SQLAlchemy's form) of the tournament of ``director``; made if missing.

    Raises:
        BadHub: there is no such database, it cannot be used, or it is damaged.
    """

    def __init__(self, url: str, director: str) -> None:
        self.director = director
        try:
            self._engine = create_engine(url)
            dialect = self._engine.dialect.name
            self._insert = _INSERT[dialect]
        except (SQLAlchemyError, ImportError, KeyError) as err:
            text = marked("no database: expected an address such as sqlite:///hub.db or "
                          "postgresql+psycopg://user@host/name")  # fmt: skip
            raise BadHub(text) from err
        self._commits = GroupCommit(self._engine) if dialect == "sqlite" else Commit(self._engine)
        self._reading = {"reads": True} if dialect == "sqlite" else {"isolation_level": "REPEATABLE READ"}
        if dialect == "sqlite":
            event.listen(self._engine, "connect", _set_up_sqlite)
            event.listen(self._engine, "begin", _begin_sqlite)
        try:
            if dialect == "sqlite":
                _keep_private(self._engine.url.database or "")
            migrate(self._engine)
            with self._engine.begin() as connection:
                self._enroll(connection, [director])
        except (SQLAlchemyError, CommandError, OSError) as err:
            text = marked("the hub’s database {url} cannot be used: {why}; mend it, or restore its backup: tables send "
                          "again what is missing")  # fmt: skip
            raise BadHub(text, url=self._engine.url, why=why(err)) from err

    def put(self, sent: Sent) -> Answer:
        """Add lines durably: on return they are on the disk."""
        if not sent.is_signed:
            return Answer(Verdict.SIGNATURE)
        return self._commits.run(lambda connection: self._add(connection, sent))

    def logs(self, known: Mapping[str, int] = _NOTHING_KNOWN) -> dict[str, Log]:
        """The lines of all logs by name, as one moment has them; without the first ones that are ``known``."""
        with self._engine.connect().execution_options(**self._reading) as connection:
            heads = connection.execute(select(LOGS.c.name, LOGS.c.lines, LOGS.c.fork)).all()
            return {
                name: Log(self._texts(connection, name, first) if (first := known.get(name, 0)) < lines else (), fork)
                for name, lines, fork in heads
            }

    def sent(self, log: str, start: int) -> Sent:
        """A log from a line on, as its writer signed it, for whom it is forwarded to. It may be empty."""
        with self._engine.connect().execution_options(**self._reading) as connection:
            row = connection.execute(select(LOGS.c.head, LOGS.c.signature).where(LOGS.c.name == log)).one()
            return Sent(log, start, self._texts(connection, log, start), row.head, row.signature)

    def branches(self) -> int:
        """The number of lines that are kept beside others in their place."""
        with self._engine.connect().execution_options(**self._reading) as connection:
            return int(connection.execute(select(func.count()).select_from(BRANCHES)).scalar_one())

    def close(self) -> None:
        """Close the database."""
        self._engine.dispose()

    def _add(self, connection: Any, sent: Sent) -> Answer:
        row = connection.execute(select(LOGS).where(LOGS.c.name == sent.log).with_for_update()).first()
        if row is None:
            return Answer(Verdict.UNKNOWN)
        if sent.start > row.lines:
            return Answer(Verdict.GAP, row.lines, row.head)
        known = self._rows(connection, sent.log, sent.start - 1, sent.end)
        before = known.pop(sent.start - 1, NOTHING)
        chain = hashes(sent.lines, before)
        if (chain[-1] if chain else before) != sent.head:
            return Answer(Verdict.CHAIN, row.lines, row.head)
        rows: list[dict[str, Any]] = [
            {"log": sent.log, "n": n, "hash": hash_, "text": text}
            for n, (hash_, text) in enumerate(zip(chain, sent.lines, strict=True), start=sent.start)
        ]
        others = [one for one in rows if known.get(one["n"], one["hash"]) != one["hash"]]
        if others:
            fork = others[0]["n"]
            kept = [one | {"head": sent.head, "signature": sent.signature} for one in rows if one["n"] >= fork]
            connection.execute(self._insert(BRANCHES).on_conflict_do_nothing(), kept)
            first = fork if row.fork is None else min(fork, row.fork)
            connection.execute(update(LOGS).where(LOGS.c.name == sent.log).values(fork=first))
            return Answer(Verdict.FORK, row.lines, row.head)
        if sent.end <= row.lines:
            return Answer(Verdict.ACCEPTED, row.lines, row.head)
        new = rows[row.lines - sent.start :]
        connection.execute(self._insert(LINES), new)
        values = {"lines": sent.end, "head": sent.head, "signature": sent.signature}
        connection.execute(update(LOGS).where(LOGS.c.name == sent.log).values(values))
        if sent.log == self.director:
            self._enroll(connection, enrolled(one["text"] for one in new))
        return Answer(Verdict.ACCEPTED, sent.end, sent.head)

    def _enroll(self, connection: Any, names: Sequence[str]) -> None:
        for name in names:
            row = {"name": name, "lines": 0, "head": NOTHING, "signature": b""}
            connection.execute(self._insert(LOGS).values(row).on_conflict_do_nothing())

    def _texts(self, connection: Any, log: str, first: int) -> tuple[str, ...]:
        query = select(LINES.c.text).where(LINES.c.log == log, LINES.c.n >= first).order_by(LINES.c.n)
        return tuple(connection.execute(query).scalars())

    def _rows(self, connection: Any, log: str, first: int, end: int) -> dict[int, bytes]:
        """The hashes of lines that are here."""
        query = select(LINES.c.n, LINES.c.hash).where(LINES.c.log == log, LINES.c.n >= first, LINES.c.n < end)
        return dict(connection.execute(query).all())


def why(err: Exception) -> str:
    """The own words of the database or the system for an error, in one line."""
    if isinstance(err, OSError) and err.strerror:
        return err.strerror
    return one_line(" ".join(str(getattr(err, "orig", None) or err).split()))


def migrate(engine: Engine) -> None:
    """Bring the tables of a database to the newest form."""
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _keep_private(file: str) -> None:
    """Let only the owner read the file of a database: it has hidden cards and names. SQLite makes those beside it
    alike."""
    if not file or file.startswith((":", "file:")):
        return
    os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    for one in (file, f"{file}-wal", f"{file}-shm"):
        if os.path.exists(one):
            os.chmod(one, 0o600)


def _set_up_sqlite(connection: Any, _: object) -> None:
    connection.isolation_level = None  # SQLAlchemy begins, with the words of `_begin_sqlite`
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")


def _begin_sqlite(connection: Any) -> None:
    reads = connection.get_execution_options().get("reads", False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")
