"""The store of a hub: logs of the director and of the tables, in SQLite or PostgreSQL.

It keeps a gapless prefix of each log. The same line counts once, however often it is sent. Another line in its place is
a fork: both stay, and the log counts only up to there. The store has no state of its own in the process, so several
hubs may share one PostgreSQL. A season, as long as a director's log, has rows of its own, in PostgreSQL in a partition.
"""

from __future__ import annotations

import json
import logging
import os
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from itertools import count, groupby
from operator import attrgetter
from threading import Lock
from time import monotonic, time
from types import MappingProxyType
from typing import Any, Final

from alembic.util.exc import CommandError
from sqlalchemy import Engine, Table, bindparam, create_engine, delete, event, func, insert, make_url, select, update
from sqlalchemy import text as sql
from sqlalchemy.dialects.postgresql import insert as insert_postgresql
from sqlalchemy.dialects.sqlite import insert as insert_sqlite
from sqlalchemy.exc import SQLAlchemyError

from croupier.errors import marked, one_line
from croupier.journal.archive import chained
from croupier_hub.checkpoints import Growth
from croupier_hub.errors import BadHub
from croupier_hub.group_commit import GroupCommit
from croupier_hub.merkle import EMPTY, consistency, full_trees, inclusion, node_of, root_of
from croupier_hub.messages import MOST_LETTERS, MOST_LINES, Answer, Verdict
from croupier_hub.schema import check, migrate, season_number
from croupier_hub.signed_log import NOTHING, Head, Sent
from croupier_hub.standings import Log, enrolled, receipt_in, receipt_number
from croupier_hub.tables import BRANCHES, COSIGNATURES, LINES, LOGS

_INSERT: Final = {"postgresql": insert_postgresql, "sqlite": insert_sqlite}
_NOTHING_KNOWN: Final[Mapping[str, int]] = MappingProxyType({})

_HEAD_EACH: Final = 1024
"""Lines between two heads within a log that a process keeps, some 500 bytes each."""

_AT_ONCE: Final = 100
"""Logs that are read in one statement."""

_LINES_AT_ONCE: Final = 10_000
"""Lines that are read in one statement, and held at a time, some 2 MB: a season may have millions."""

_NEW_LINES: Final = {
    "sqlite": sql(
        "SELECT log, n, text FROM json_each(:pieces) AS piece CROSS JOIN line WHERE season = :season "
        "AND log = json_extract(piece.value, '$[0]') AND n >= json_extract(piece.value, '$[1]') "
        "AND n < json_extract(piece.value, '$[2]')"
    ),
    "postgresql": sql(
        "SELECT log, n, text FROM json_array_elements(CAST(:pieces AS json)) AS piece CROSS JOIN LATERAL "
        "(SELECT log, n, text FROM line WHERE season = :season AND log = CAST(piece->>0 AS int) "
        "AND n >= CAST(piece->>1 AS int) AND n < CAST(piece->>2 AS int) OFFSET 0) AS new"
    ),
}
"""The lines of a season of these pieces of logs: the log, the first line, the one behind the last. CROSS JOIN in
SQLite, and OFFSET in PostgreSQL, let each log be looked up in the index: otherwise SQLite reads the whole season."""

_OF_BRANCH: Final = ("season", "log", "n", "hash", "text")
_INSERT_LINES: Final = insert(LINES)
_ADVANCE: Final = (
    update(LOGS).where(LOGS.c.id == bindparam("of")).values(lines=bindparam("end"), head=bindparam("new_head"))
)


_NO_DATABASE: Final = marked("no database: expected an address such as sqlite:///hub.db or "
                             "postgresql+psycopg://user@host/name")  # fmt: skip
_NO_LIBPQ: Final = marked("PostgreSQL needs its library libpq: install Debian’s libpq5, or croupier-hub with its extra "
                          "postgresql")  # fmt: skip
_log: Final = logging.getLogger(__name__)
_AGAIN_S: Final = 60.0

_CONNECT_S: Final = 10
_STATEMENT_S: Final = 60
_IDLE_S: Final = 60
"""The longest that PostgreSQL works on a statement of a hub, and keeps a transaction in which a hub asks nothing: a hub
that hangs, or that the network has lost, holds no locks for longer."""


def open_engine(url: str, *, is_limited: bool = True) -> Engine:
    """The connections with the database ``url``; ``is_limited``: as of a hub, whose statements are short.

    Raises:
        BadHub: that is not the address of a database, or what speaks with it is not installed.
    """
    try:
        options: dict[str, Any] = {}
        if make_url(url).get_backend_name() == "postgresql":
            options = {"application_name": "croupier-hub", "connect_timeout": _CONNECT_S}
            if is_limited:
                limits = (("statement_timeout", _STATEMENT_S), ("idle_in_transaction_session_timeout", _IDLE_S))
                options["options"] = " ".join(f"-c {name}={seconds}s" for name, seconds in limits)
            options = {name: value for name, value in options.items() if name not in make_url(url).query}
        # A database that was restarted is found again.
        return create_engine(url, pool_pre_ping=True, connect_args=options)
    except ImportError as err:
        raise BadHub(_NO_LIBPQ if "psycopg" in url else _NO_DATABASE) from err
    except SQLAlchemyError as err:
        raise BadHub(_NO_DATABASE) from err


_UNUSABLE: Final = marked("the hub’s database {url} cannot be used: {why}; mend it, or restore its backup: tables send "
                          "again what is missing")  # fmt: skip


def migrate_database(url: str, season: str = "", role: str = "") -> str:
    """As `schema.migrate`; returns the address, without its password.

    Raises:
        BadHub: that is not the address of a database, or it cannot be used.
    """
    engine = open_engine(url, is_limited=False)
    try:
        if engine.dialect.name == "sqlite":
            _open_sqlite(engine)
        migrate(engine, season, role)
    except (SQLAlchemyError, CommandError, OSError) as err:
        raise BadHub(_UNUSABLE, url=engine.url, why=why(err)) from err
    finally:
        engine.dispose()
    return str(engine.url)


class Failures:
    """What the database refuses, for who runs the hub: in the log, at most once a minute. Answers to others name no
    addresses, and no files. ``clock``: monotonic seconds. Thread-safe."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock, self._next, self._lock = clock, float("-inf"), Lock()

    def report(self, err: Exception) -> None:
        """Log an error, unless another one was logged just now."""
        with self._lock:
            if (now := self._clock()) < self._next:
                return
            self._next = now + _AGAIN_S
        _log.warning("the database does not answer: %s", why(err))


class LogStore:
    """The logs in the database ``url`` (SQLAlchemy's form) of the tournament of ``director``. The tables are made if
    missing in SQLite, and by ``croupier hub migrate`` in PostgreSQL.

    ``engine``, and ``insert`` of its dialect: for what is kept beside the logs. ``failures``: for who answers others.
    ``clock``: seconds since 1970, when lines arrive; None if that is not known.

    Raises:
        BadHub: there is no such database, it cannot be used, or it is damaged.
    """

    def __init__(self, url: str, director: str, clock: Callable[[], float | None] = time) -> None:
        self.director, self.failures, self._clock = director, Failures(), clock
        try:
            self.engine = open_engine(url)
            dialect = self.engine.dialect.name
            self.insert, self._new_lines = _INSERT[dialect], _NEW_LINES[dialect]
        except KeyError as err:
            raise BadHub(_NO_DATABASE) from err
        self._commits = GroupCommit(self.engine, self._add_all)
        self._heads_within: dict[str, list[Head]] = {}
        self._reading = {"reads": True} if dialect == "sqlite" else {"isolation_level": "REPEATABLE READ"}
        try:
            if dialect == "sqlite":
                _open_sqlite(self.engine)
                migrate(self.engine)
            else:
                check(self.engine)
            with self.engine.begin() as connection:
                self._season = season_number(connection, self.insert, director)
                self._enroll(connection, [director])
        except (SQLAlchemyError, CommandError, OSError) as err:
            raise BadHub(_UNUSABLE, url=self.engine.url, why=why(err)) from err

    def put(self, sent: Sent) -> Answer:
        """Add lines durably: on return they are on the disk."""
        return self.submit(sent).result()

    def submit(self, sent: Sent) -> Future[Answer]:
        """As `put`, for a caller that waits for many at a time."""
        if sent.is_signed:
            return self._commits.submit(sent)
        refused = Future[Answer]()
        refused.set_result(Answer(Verdict.SIGNATURE))
        return refused

    def logs(self) -> dict[str, Log]:
        """The lines of all logs by name, as one moment has them; `news` is for seasons that have many."""
        texts, forks = dict[str, list[str]](), dict[str, int | None]()
        for name, log in self.news():
            texts.setdefault(name, []).extend(log.lines)
            forks[name] = log.fork
        return {name: Log(tuple(texts[name]), fork) for name, fork in forks.items()}

    def news(self, known: Mapping[str, int] = _NOTHING_KNOWN) -> Iterator[tuple[str, Log]]:
        """The lines of all logs by name, as one moment has them, in pieces, the director's first; without the first
        ones that are ``known``. A log without any is there once."""
        with self._read() as connection:
            logs = connection.execute(select(LOGS).where(LOGS.c.season == self._season)).all()
            pieces, room = list[tuple[Any, int, int]](), _LINES_AT_ONCE
            for row in sorted(logs, key=lambda row: (row.name.hex() != self.director, row.name)):
                first = known.get(row.name.hex(), 0)
                if first >= row.lines:
                    yield row.name.hex(), Log((), row.fork)
                while first < row.lines:
                    end = min(row.lines, first + room)
                    pieces.append((row, first, end))
                    first, room = end, room - (end - first)
                    if not room or len(pieces) == _AT_ONCE:
                        yield from self._read_pieces(connection, pieces)
                        pieces, room = [], _LINES_AT_ONCE
            yield from self._read_pieces(connection, pieces)

    def results(self, log: str, end: int) -> Iterator[tuple[int, str]]:
        """The lines of a log before ``end`` that may be results, with their numbers, in order."""
        may_be = self._here(LINES, log) & LINES.c.text.like('%"result"%')
        query = select(LINES.c.n, LINES.c.text).where(may_be).order_by(LINES.c.n)
        with self._read() as connection:
            for first in range(0, end, _LINES_AT_ONCE):
                piece = query.where(LINES.c.n >= first, LINES.c.n < min(end, first + _LINES_AT_ONCE))
                yield from connection.execute(piece)

    def with_receipt(self, code: str) -> list[tuple[str, int, str]]:
        """The lines that may have a receipt: log, number and text, in order."""
        query = select(LOGS.c.name, LINES.c.n, LINES.c.text).join(LOGS, LOGS.c.id == LINES.c.log)
        query = query.where(LINES.c.season == self._season, LINES.c.receipt == receipt_number(code))
        with self._read() as connection:
            return [
                (name.hex(), n, text) for name, n, text in connection.execute(query.order_by(LOGS.c.name, LINES.c.n))
            ]

    def has(self, log: str) -> bool:
        """True for a log that the director has enrolled, and for the director's."""
        with self._read() as connection:
            return connection.execute(select(LOGS.c.id).where(self._is(log))).first() is not None

    def heads(self) -> dict[str, tuple[int, int | None]]:
        """The number of lines of each log, and its first line of which there is another one."""
        with self._read() as connection:
            return self._heads(connection)

    def sent(self, log: str, start: int) -> Sent:
        """A log from a line on, as its writer signed it, for the hub that it is forwarded to: as much as one request
        takes."""
        here = self._here(LINES, log)
        query = select(LINES.c.n, LINES.c.root, LINES.c.text, LINES.c.signature).where(here, LINES.c.n >= start - 1)
        signed = select(func.min(LINES.c.n)).where(here, LINES.c.n >= start, LINES.c.signature.is_not(None))
        with self._read() as connection:
            first = connection.execute(signed).scalar()
            last = max(start + MOST_LINES - 1, -1 if first is None else first)
            rows = connection.execute(query.where(LINES.c.n <= last).order_by(LINES.c.n)).all()
        texts, letters = list[str](), 0
        found = Sent(log, start, (), EMPTY, b"")
        for row in rows:
            if row.n >= start:
                texts.append(row.text)
                letters += len(row.text)
            if found.lines and letters > MOST_LETTERS:
                break
            if row.signature is not None:
                found = Sent(log, start, tuple(texts), row.root, row.signature)
        return found

    def checkpoint(self, log: str) -> str | None:
        """The newest head of a log as its writer signed it, for those who keep heads; None for a log without lines."""
        with self._read() as connection:
            return self._note(connection, log)

    def proof(self, log: str, n: int) -> dict[str, Any]:
        """Proof that line ``n`` of a log is in its signed head: the hash ``before`` it to which it is chained
        ("" if to none), its ``text``, the ``proof`` that its hash is in the tree of the ``checkpoint``; ``arrived``:
        when it came to this hub, in seconds since 1970, None if that is not known."""
        with self._read() as connection:
            note = self._note(connection, log) or ""
            query = select(LINES.c.hash, LINES.c.text).where(self._here(LINES, log), LINES.c.n.in_((n - 1, n)))
            *previous, (leaf, text) = connection.execute(query.order_by(LINES.c.n)).all()
            path = self._roots(connection, log, inclusion(n, _size(note)))
            ends = select(LINES.c.arrived).where(self._here(LINES, log), LINES.c.n >= n, LINES.c.root.is_not(None))
            arrived = connection.execute(ends.order_by(LINES.c.n).limit(1)).scalar()
        before = NOTHING if chained(NOTHING, text) == leaf else previous[0].hash
        proof = [b64encode(one).decode() for one in path]
        return {"text": text, "before": before.hex(), "proof": proof, "checkpoint": note, "arrived": arrived}

    def growth(self, log: str, old: int) -> tuple[int, str | None]:
        """The newest signed head of a log, with the proof that it goes on after its first ``old`` lines, in the form
        for a witness; before it, the number of its lines. 0 and None for a log without lines."""
        with self._read() as connection:
            if (note := self._note(connection, log)) is None:
                return 0, None
            size = _size(note)
            return size, Growth.text(old, self._roots(connection, log, consistency(old, size)), note)

    def pieces(self, log: str) -> Iterator[tuple[Sent, int | None]]:
        """A log as its writer signed it, piece by piece, with the time when each came here, if that is known."""
        query = select(LINES.c.n, LINES.c.text, LINES.c.root, LINES.c.signature, LINES.c.arrived)
        query, texts = query.where(self._here(LINES, log)).order_by(LINES.c.n), list[str]()
        for first in count(0, _LINES_AT_ONCE):
            with self._read() as connection:
                rows = connection.execute(query.where(LINES.c.n >= first, LINES.c.n < first + _LINES_AT_ONCE)).all()
            for row in rows:
                texts.append(row.text)
                if row.signature is not None:
                    yield Sent(log, row.n + 1 - len(texts), tuple(texts), row.root, row.signature), row.arrived
                    texts = []
            if len(rows) < _LINES_AT_ONCE:
                return

    def branches(self, log: str) -> list[Sent]:
        """The lines that are kept beside others in their place, as the log's writer signed them."""
        query = select(BRANCHES).where(self._here(BRANCHES, log)).order_by(BRANCHES.c.head, BRANCHES.c.n)
        with self._read() as connection:
            rows = connection.execute(query).all()
        pieces = (list(piece) for _, piece in groupby(rows, key=attrgetter("head")))
        return [
            Sent(log, piece[0].n, tuple(row.text for row in piece), piece[0].head, piece[0].signature)
            for piece in pieces
        ]

    def keep_cosignatures(self, log: str, size: int, texts: Iterable[str]) -> None:
        """Keep what witnesses have signed over the first ``size`` lines of a log, in place of those over fewer."""
        with self.engine.begin() as connection:
            here = self._here(COSIGNATURES, log)
            connection.execute(delete(COSIGNATURES).where(here, COSIGNATURES.c.size < size))
            number = connection.execute(select(LOGS.c.id).where(self._is(log))).scalar()
            row = {"season": self._season, "log": number, "size": size}
            if number is not None and (rows := [row | {"text": text} for text in texts]):
                connection.execute(self.insert(COSIGNATURES).on_conflict_do_nothing(), rows)

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Context in which an error of the database is `BadHub`, for who has no better words for it."""
        try:
            yield
        except SQLAlchemyError as err:
            raise BadHub(f"{self.engine.url}: {why(err)}") from err

    def close(self) -> None:
        """Close the database."""
        self._commits.close()
        self.engine.dispose()

    def _add_all(self, connection: Any, group: Sequence[Sent]) -> list[Answer]:
        """Add pieces of logs. Those that go on where their log ends, as nearly all do, share statements."""
        names = {bytes.fromhex(sent.log) for sent in group}
        # All rows are locked in the same order, so that no two hubs wait for each other.
        query = select(LOGS).where(LOGS.c.season == self._season, LOGS.c.name.in_(names)).order_by(LOGS.c.name)
        logs = {row.name.hex(): row for row in connection.execute(query.with_for_update())}
        for name, row in logs.items():  # a transaction that failed may have left heads of lines that are not here
            del self._heads_within.get(name, [])[row.lines // _HEAD_EACH + 1 :]
        answers = dict[int, Answer]()
        lines, ends = list[dict[str, Any]](), list[dict[str, Any]]()
        for place, sent in enumerate(group):
            row = logs.get(sent.log)
            if row is None or sent.log == self.director or not sent.lines or sent.start != row.lines:
                continue
            leaves, roots, after = Head.of(row.lines, row.head).extend(sent.lines)
            if after.root == sent.head:
                del logs[sent.log]  # another piece of it comes after these lines
                lines += self._lines(sent, row.id, leaves, roots)
                lines[-1] |= {"root": sent.head, "signature": sent.signature, "arrived": self._now()}
                ends.append({"of": row.id, "end": sent.end, "new_head": after.data})
                answers[place] = Answer(Verdict.ACCEPTED, sent.end, sent.head)
        if lines:
            connection.execute(_INSERT_LINES, lines)
            connection.execute(_ADVANCE, ends)
        return [answers.get(place) or self._add(connection, sent) for place, sent in enumerate(group)]

    def _lines(self, sent: Sent, number: int, leaves: Iterable[bytes], roots: Iterable[bytes]) -> list[dict[str, Any]]:
        """The rows of lines with these leaves, which complete trees with these roots; ``number``: of their log."""
        log = {"season": self._season, "log": number, "root": None, "signature": None, "arrived": None}
        return [
            log | {"n": n, "hash": hash_, "text": text, "roots": completed or None, "receipt": receipt_in(text)}
            for n, (hash_, text, completed) in enumerate(zip(leaves, sent.lines, roots, strict=True), start=sent.start)
        ]

    def _add(self, connection: Any, sent: Sent) -> Answer:
        row = connection.execute(select(LOGS).where(self._is(sent.log)).with_for_update()).first()
        if row is None:
            return Answer(Verdict.UNKNOWN)
        now = Head.of(row.lines, row.head)
        if sent.start > row.lines:
            return Answer(Verdict.GAP, row.lines, now.root)
        known = self._texts(connection, sent.log, sent.start, sent.end)
        if sent.end <= row.lines and self._signed_root(connection, sent.log, sent.end) == sent.head:
            # Anybody can read this head and its signature: nothing else of the log is read or hashed for them.
            has_it = list(known.values()) == list(sent.lines)
            return Answer(Verdict.ACCEPTED if has_it else Verdict.CHAIN, row.lines, now.root)
        before = now if sent.start == row.lines else self._head_at(connection, sent.log, sent.start)
        leaves, roots, after = before.extend(sent.lines)
        if after.root != sent.head:
            return Answer(Verdict.CHAIN, row.lines, now.root)
        rows, this = self._lines(sent, row.id, leaves, roots), LOGS.c.id == row.id
        others = [one for one in rows if known.get(one["n"], one["text"]) != one["text"]]
        if others:
            fork = others[0]["n"]
            more = {"head": sent.head, "signature": sent.signature}
            kept = [{name: one[name] for name in _OF_BRANCH} | more for one in rows if one["n"] >= fork]
            connection.execute(self.insert(BRANCHES).on_conflict_do_nothing(), kept)
            first = fork if row.fork is None else min(fork, row.fork)
            connection.execute(update(LOGS).where(this).values(fork=first))
            return Answer(Verdict.FORK, row.lines, now.root)
        if sent.end <= row.lines:
            return Answer(Verdict.ACCEPTED, row.lines, now.root)
        new = rows[row.lines - sent.start :]
        new[-1] |= {"root": sent.head, "signature": sent.signature, "arrived": self._now()}
        connection.execute(_INSERT_LINES, new)
        connection.execute(update(LOGS).where(this).values(lines=sent.end, head=after.data))
        if sent.log == self.director:
            self._enroll(connection, enrolled(one["text"] for one in new))
        return Answer(Verdict.ACCEPTED, sent.end, sent.head)

    def _enroll(self, connection: Any, names: Sequence[str]) -> None:
        for name in names:
            row = {"season": self._season, "name": bytes.fromhex(name), "lines": 0, "head": NOTHING}
            connection.execute(self.insert(LOGS).values(row).on_conflict_do_nothing())

    def _heads(self, connection: Any) -> dict[str, tuple[int, int | None]]:
        query = select(LOGS.c.name, LOGS.c.lines, LOGS.c.fork).where(LOGS.c.season == self._season)
        return {name.hex(): (lines, fork) for name, lines, fork in connection.execute(query)}

    def _read_pieces(self, connection: Any, pieces: Sequence[tuple[Any, int, int]]) -> Iterator[tuple[str, Log]]:
        """The lines of logs (rows) from a first one to another, without that; of each log one piece."""
        if not pieces:
            return
        found = {"season": self._season, "pieces": json.dumps([(row.id, first, end) for row, first, end in pieces])}
        texts: dict[int, list[str]] = {row.id: [] for row, _first, _end in pieces}
        for log, _n, text in sorted(connection.execute(self._new_lines, found)):
            texts[log].append(text)
        for row, _first, _end in pieces:
            yield row.name.hex(), Log(tuple(texts.pop(row.id)), row.fork)

    def _texts(self, connection: Any, log: str, start: int, end: int) -> dict[int, str]:
        """The lines that are here from ``start`` up to ``end``, without it."""
        query = select(LINES.c.n, LINES.c.text).where(self._here(LINES, log), LINES.c.n >= start, LINES.c.n < end)
        return dict(connection.execute(query.order_by(LINES.c.n)).all())

    def _signed_root(self, connection: Any, log: str, lines: int) -> bytes | None:
        """The root of the first ``lines`` as the writer signed it; None if no piece ended there."""
        query = select(LINES.c.root).where(self._here(LINES, log), LINES.c.n == lines - 1)
        root: bytes | None = connection.execute(query).scalar()
        return root

    def _head_at(self, connection: Any, log: str, lines: int) -> Head:
        """The head of the first ``lines``. A head in every `_HEAD_EACH` lines is kept: a holder of signed heads of
        somebody else's log lets the whole of it be read at most once."""
        kept = self._heads_within.setdefault(log, [Head()])
        while len(kept) <= lines // _HEAD_EACH:
            start = kept[-1].lines
            kept.append(kept[-1].after(self._texts(connection, log, start, start + _HEAD_EACH).values()))
        head = kept[lines // _HEAD_EACH]
        return head.after(self._texts(connection, log, head.lines, lines).values())

    def _note(self, connection: Any, log: str) -> str | None:
        """As `checkpoint`, with the cosignatures of witnesses."""
        at = (LINES.c.season == self._season) & (LINES.c.log == LOGS.c.id) & (LINES.c.n == LOGS.c.lines - 1)
        query = select(LOGS.c.lines, LINES.c.root, LINES.c.signature).join(LINES, at)
        row = connection.execute(query.where(self._is(log))).first()
        if row is None:
            return None
        query = select(COSIGNATURES.c.text).where(self._here(COSIGNATURES, log), COSIGNATURES.c.size == row.lines)
        lines = connection.execute(query.order_by(COSIGNATURES.c.text)).scalars()
        return Sent(log, row.lines, (), row.root, row.signature).note + "".join(lines)

    def _roots(self, connection: Any, log: str, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        """The roots over ranges of the leaves of a log, of stored roots of full trees."""
        trees = [full_trees(start, end) for start, end in ranges]
        ends = {end for of_range in trees for end, _level in of_range}
        query = select(LINES.c.n, LINES.c.hash, LINES.c.roots).where(self._here(LINES, log), LINES.c.n.in_(ends))
        rows = {row.n: node_of(row.hash) + (row.roots or b"") for row in connection.execute(query)}
        size = len(EMPTY)
        return [root_of([rows[end][level * size : (level + 1) * size] for end, level in one]) for one in trees]

    def _here(self, table: Table, log: str) -> Any:
        number = select(LOGS.c.id).where(self._is(log)).scalar_subquery()
        return (table.c.season == self._season) & (table.c.log == number)

    def _is(self, log: str) -> Any:
        """What is true of the row of a log."""
        return (LOGS.c.season == self._season) & (LOGS.c.name == bytes.fromhex(log))

    def _now(self) -> int | None:
        now = self._clock()
        return None if now is None else int(now)

    def _read(self) -> Any:
        """A connection that sees the database as one moment has it."""
        return self.engine.connect().execution_options(**self._reading)


def _size(note: str) -> int:
    """The number of lines that a checkpoint is over."""
    return int(note.split("\n", 2)[1])


def why(err: Exception) -> str:
    """The own words of the database or the system for an error, in one line."""
    if isinstance(err, OSError) and err.strerror:
        return err.strerror
    return one_line(" ".join(str(getattr(err, "orig", None) or err).split()))


def _keep_private(file: str) -> None:
    """Let only the owner read the file of a database: it has hidden cards and names. SQLite makes those beside it
    alike."""
    if not file or file.startswith((":", "file:")):
        return
    os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    for one in (file, f"{file}-wal", f"{file}-shm"):
        if os.path.exists(one):
            os.chmod(one, 0o600)


def _open_sqlite(engine: Engine) -> None:
    event.listen(engine, "connect", _set_up_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    _keep_private(engine.url.database or "")


def _set_up_sqlite(connection: Any, _: object) -> None:
    connection.isolation_level = None  # SQLAlchemy begins, with the words of `_begin_sqlite`
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")


def _begin_sqlite(connection: Any) -> None:
    reads = connection.get_execution_options().get("reads", False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")
