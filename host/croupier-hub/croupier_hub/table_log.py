"""The log of a table: the lines of its journal's games, and between them lines of its own in the outbox.

The outbox has no copy of a game. A `span` names the game and the line in the journal that a line of the log is, and
the next ones with it, up to the next span or line of the outbox's own. A kept `head` lets the log go on where the
journal is not there any more: those since what the hub has, so each that it may have got.

A journal that is not the one of before, as after a restored backup or on a new card, begins a new part of the log. If
the hub lacks lines of the part before, they are lost: `TableLog.accept` goes on where the hub ends, under a `Chain`
line that says so, and writes results and calls again.
"""

from __future__ import annotations

import json
import os
import sqlite3
from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import reduce
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from croupier.errors import BadJournal, marked
from croupier.journal.archive import Archive, chained
from croupier.log_replay import LogReader
from croupier.names import find_name, name_key
from croupier_hub.checkpoints import Checkpoint
from croupier_hub.client import HubClient
from croupier_hub.cosigning import look
from croupier_hub.outbox import Outbox
from croupier_hub.signed_log import CHAIN, NOTHING, Head, Sent, chain_line
from croupier_hub.standings import Call, Directed, PageAddress, Result, TableLine
from croupier_hub.table import CallState
from croupier_rules.errors import json_object
from croupier_rules.referee import Header, parse_header
from croupier_rules.referee.position import OVER_PHASES

_LOOKS_AFTER: Final = 2
"""So many other tables."""

_SCHEMA: Final = (
    "CREATE TABLE score (id INTEGER PRIMARY KEY, seats TEXT NOT NULL, points TEXT, game TEXT, line INT, result TEXT)",
    "CREATE TABLE kept (log TEXT PRIMARY KEY, note TEXT NOT NULL)",  # heads of others
    # Lines of this game that are in the log, and the hash of the last; NULL: none of the game is meant for it.
    "CREATE TABLE copied (game INTEGER NOT NULL, lines INTEGER, hash BLOB NOT NULL, score INTEGER NOT NULL)",
)
_LATER: Final = (
    # What has become of calls, as far as a hub has told it.
    "CREATE TABLE IF NOT EXISTS call (line INTEGER PRIMARY KEY, state TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS span (n INTEGER PRIMARY KEY, game INTEGER NOT NULL, line INTEGER NOT NULL)",
    "CREATE TABLE IF NOT EXISTS head (lines INTEGER PRIMARY KEY, data BLOB NOT NULL)",
    # The file beside the outbox; where its part of the log begins; its last game and the last score before that.
    "CREATE TABLE IF NOT EXISTS journal (file TEXT NOT NULL, base INT NOT NULL, game INT NOT NULL, score INT NOT NULL)",
)
"""Older outboxes are without them, and have the lines of games of before among their own."""

_NOT_IN_JOURNAL: Final = marked("{file}: game {game}: lines are missing that the tournament’s log has")


class TableLog(Outbox):
    """The outbox ``file`` of a table: games of its ``journal`` that were begun after it was made.

    ``lost``: how many lines of games are lost since it was opened.
    """

    def __init__(self, file: Path, journal: Path) -> None:
        last = 0
        if journal.exists() and not file.exists():
            with Archive(journal) as archive:
                last = archive.last() or 0
        super().__init__(file, schema=(*_SCHEMA, f"INSERT INTO copied VALUES ({last}, NULL, x'', 0)"))
        with self.transaction() as connection:
            for statement in _LATER:
                connection.execute(statement)
            if not connection.execute("SELECT 1 FROM journal").fetchone():
                connection.execute("INSERT INTO journal VALUES ('', 0, ?, 0)", (last,))
                head = Head().after(text for (text,) in connection.execute("SELECT text FROM line ORDER BY n"))
                connection.execute("INSERT INTO head VALUES (?, ?)", (head.lines, head.data))
            connection.execute("UPDATE journal SET file = ?", (os.path.relpath(journal, file.parent),))
        self.lost = 0
        self._journal: Archive | None = None
        self._game: LogReader | None = None
        """The reader of the game that is being copied."""
        self._accepted = Head()
        self._settled: tuple[object, Directed] | None = None

    def __len__(self) -> int:
        """The number of lines."""
        ((n,),) = self._rows("SELECT max(lines) FROM head")
        return int(n)

    def texts(self, start: int, end: int) -> Iterator[str]:
        """The lines from ``start`` up to ``end``, without it. Raises BadJournal: the journal is not here."""
        for _n, text, _hash in rows_of(self._rows, self._journal, start, end):
            yield text

    def head_at(self, n: int) -> Head:
        """The head of the first ``n`` lines."""
        query = "SELECT lines, data FROM head WHERE lines <= ? AND lines >= (SELECT base FROM journal) ORDER BY lines"
        kept = [Head.of(*row) for row in self._rows(f"{query} DESC LIMIT 1", n)]
        known = max([Head(), *kept, *[self._sent] * (self._sent.lines <= n)], key=lambda head: head.lines)
        return known.after(self.texts(known.lines, n))

    def copy(self, journal: Archive) -> None:
        """Take what is new in the journal into the log, with the points of its games."""
        self._journal = journal
        while (at := self._next(journal)) is not None:
            game, first, texts, hash_, score = at
            reader, self._game = self._game, None  # after an error it is read again
            if reader is None:
                reader = LogReader(parse_header(texts[0]))
            scored, scores = None, reader.position["scores"]
            for n, text in enumerate(texts, start=first):
                hash_ = chained(hash_, text)
                if n:
                    before_line, scores = scores, reader.read(json_object(text)).fields["scores"]
                    if scores != before_line and reader.position["phase"] in OVER_PHASES:
                        scored = hash_.hex()
            with self.transaction() as connection:
                self._add_span(connection, game, first, texts)
                if not first:
                    seats = json.dumps(reader.header.seats, ensure_ascii=False)
                    score = connection.execute("INSERT INTO score (seats) VALUES (?)", (seats,)).lastrowid or 0
                if (points := _points(reader.header, scores)) is not None:
                    connection.execute(
                        "UPDATE score SET points = ? WHERE id = ? AND (points IS NOT NULL OR ?)",
                        (json.dumps(points), score, any(points) or reader.position["phase"] == "game_over"),
                    )
                if scored is not None:
                    connection.execute("UPDATE score SET game = ? WHERE id = ?", (scored, score))
                connection.execute("UPDATE copied SET game = ?, lines = ?, hash = ?, score = ?",
                                   (game, first + len(texts), hash_, score))  # fmt: skip
            self._game = reader

    def _add_span(self, connection: sqlite3.Connection, game: int, first: int, texts: Sequence[str]) -> None:
        """Add lines of a game, from its line ``first`` on."""
        head = self._begun(connection)
        newest = connection.execute(
            "SELECT game, line - n FROM span WHERE n > (SELECT coalesce(max(n), -1) FROM line) ORDER BY n DESC LIMIT 1"
        ).fetchone()
        if newest != (game, first - head.lines):
            connection.execute("INSERT INTO span VALUES (?, ?, ?)", (head.lines, game, first))
        self._keep_head(connection, head.after(texts))

    def piece(self, start: int) -> Sent:
        """The lines from ``start`` on, as many as may be sent at once, signed."""
        sent = super().piece(start)
        if sent.end < len(self):
            with self.transaction() as connection:
                self._keep_head(connection, self._sent)
        return sent

    def accept(self, n: int) -> bool:
        """Take notice that the hub has the first ``n`` lines. If it lacks some that were lost with a journal, the log
        goes on there, without them. False if it cannot: its head there is not known, or it is shorter."""
        ((base,),) = self._rows("SELECT base FROM journal")
        if base <= n <= len(self):
            self._accepted = self.head_at(n)
            return True
        kept = self._rows("SELECT lines, data FROM head WHERE lines = ?", n) if n else [(0, b"")]
        if n > base or not kept:
            return False
        self._accepted = Head.of(*kept[0])
        self._go_on_without(self._accepted, base)
        if self._journal is not None:
            self.copy(self._journal)
        return True

    def _go_on_without(self, head: Head, base: int) -> None:
        """Let the log go on at ``head``, without the lines from there to ``base``, where the present journal begins."""
        self._sent, self._game = Head(), None
        with self.transaction() as connection:
            own = connection.execute("SELECT n, text FROM line WHERE n >= ? ORDER BY n", (head.lines,)).fetchall()
            (game, score), *_ = connection.execute("SELECT game, score FROM journal")
            settled = {line for (line,) in connection.execute("SELECT line FROM call WHERE state = ''")}
            for table, column in (("line", "n"), ("span", "n"), ("call", "line"), ("head", "lines - 1")):
                connection.execute(f"DELETE FROM {table} WHERE {column} >= ?", (head.lines,))
            connection.execute("DELETE FROM score WHERE id > ?", (score,))
            connection.execute("UPDATE copied SET game = ?, lines = NULL, hash = x'', score = 0", (game,))
            connection.execute("UPDATE journal SET base = ?", (head.lines,))
            lost = base - head.lines - sum(n < base for n, _ in own)
            again = [text for n, text in own if n not in settled and not text.startswith(('{"result"', CHAIN))]
            self._write(connection, head, [chain_line(lost=lost), *again])
            stand = {(one.round, one.table): (n, one) for n, one in self._results(connection)}
            rows = connection.execute("SELECT id, result FROM score WHERE line >= ?", (head.lines,)).fetchall()
            for row, text in rows:
                gone = Result.model_validate_json(text)
                n, one = stand.get((gone.round, gone.table), (None, None))
                values = (n, one and one.model_dump_json(), row)
                connection.execute("UPDATE score SET line = ?, result = ? WHERE id = ?", values)
        self._settled, self.lost = None, self.lost + lost

    def write_results(self, known: Directed) -> None:
        """Add the results that are not in the log as they are now, as far as the plan ``known`` has their seats."""
        rows = self._rows("SELECT * FROM score WHERE points IS NOT NULL ORDER BY id")
        if self._settled is not None and self._settled[0] == rows and self._settled[1] is known:
            return
        written = {row: Result.model_validate_json(result) for row, *_, result in rows if result}
        taken = {(result.round, result.table) for result in written.values()}
        for row, seats, points, game, line, _result in rows:
            before = written.get(row)
            places = _places(known, self.log, json.loads(seats), json.loads(points), game)
            for result in places:
                at = (result.round, result.table)
                is_same = before is not None and at == (before.round, before.table)
                if not is_same and (at in taken or result.round in known.ends):
                    continue
                if result != before:
                    taken.add(at)
                    self._write_result(row, result, line if is_same and before and before.plan == result.plan else None)
                break
        self._settled = rows, known

    def _write_result(self, row: int, result: Result, corrects: int | None) -> None:
        with self.transaction() as connection:
            line = self.add(connection, [TableLine(result=result, corrects=corrects).model_dump_json()])
            values = (line, result.model_dump_json(), row)
            connection.execute("UPDATE score SET line = ?, result = ? WHERE id = ?", values)

    def call(self, player: str) -> int:
        """Add a call for the director; returns its line."""
        with self.transaction() as connection:
            return self.add(connection, [Call(call="director", player=player[:60]).model_dump_json()])

    def last_call(self) -> tuple[int | None, CallState]:
        """The line of the newest call, and what has become of it; None and "" before the first."""
        for line, _text in self._newest("call"):
            ((state,),) = self._rows("SELECT coalesce(max(state), 'on its way') FROM call WHERE line = ?", line)
            return line, state
        return None, ""

    def keep_call(self, line: int, state: CallState) -> None:
        """Keep what has become of a call, for the time after a restart."""
        with self.transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO call VALUES (?, ?)", (line, state))

    def write_page(self, address: str) -> None:
        """Add the address of the table's page, unless it is known."""
        line = PageAddress(page=address).model_dump_json()
        if [text for _, text in self._newest("page")] != [line]:
            self.append(lambda _: [line])

    def _newest(self, word: str) -> list[tuple[int, str]]:
        return self._rows("SELECT n, text FROM line WHERE text LIKE ? ORDER BY n DESC LIMIT 1", f'{{"{word}"%')

    def keep_heads(self, client: HubClient, known: Directed, report: Callable[[str], None]) -> None:
        """Keep the newest heads of the director's log and of two other tables; report those that were changed or cut.
        Each table looks after the two whose keys come after its own. Raises `HubUnavailable`."""
        kept = dict(self._rows("SELECT log, note FROM kept"))
        keys = sorted({key for of_table in known.keys.values() for key in of_table.values()} - {self.log})
        at = bisect(keys, self.log)
        for log in (self.director, *dict.fromkeys((keys[at:] + keys[:at])[:_LOOKS_AFTER])):
            before = Checkpoint.parse(kept[log]) if log in kept else None
            if (note := look(client, log, before, report)) is not None and note != kept.get(log):
                with self.transaction() as connection:
                    connection.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", (log, note))

    @staticmethod
    def _results(connection: sqlite3.Connection) -> Iterator[tuple[int, Result]]:
        """The results in the log, with their lines."""
        for n, text in connection.execute("SELECT n, text FROM line WHERE text LIKE '{\"result\"%' ORDER BY n"):
            yield n, TableLine.model_validate_json(text).result

    def _next(self, journal: Archive) -> tuple[int, int, list[str], bytes, int] | None:
        """A game, its first line that is not in the log, the lines from there on, the hash before them, and the row of
        its points."""
        game, lines, hash_, score = self._copied()
        if lines is not None:
            if self._game is None and not self._resume(journal, game, lines, hash_):
                return self._begin_journal(journal)
            if texts := journal.lines(game, lines):
                return game, lines, texts, hash_, score
        self._game = None
        later = next((number for number in journal.began() if number > game), None)
        return None if later is None else (later, 0, journal.lines(later), NOTHING, 0)

    def _resume(self, journal: Archive, game: int, lines: int, hash_: bytes) -> bool:
        """Read what is in the log of a game; False if the journal is another one."""
        try:
            texts = journal.lines(game)[:lines]
        except BadJournal:
            return False
        if reduce(chained, texts, NOTHING) != hash_:
            return False
        self._game = LogReader(parse_header(texts[0]))
        for text in texts[1:]:
            self._game.read(json_object(text))
        return True

    def _begin_journal(self, journal: Archive) -> tuple[int, int, list[str], bytes, int]:
        """Go on with the last game of another journal: all of it comes behind what is in the log."""
        game = journal.last() or 0
        texts = journal.lines(game)
        with self.transaction() as connection:
            connection.execute(
                "UPDATE journal SET base = (SELECT max(lines) FROM head), game = ?, "
                "score = (SELECT coalesce(max(id), 0) FROM score)",
                (game - 1,),
            )
            connection.execute("UPDATE copied SET game = ?, lines = NULL, hash = x'', score = 0", (game - 1,))
        return game, 0, texts, NOTHING, 0

    def _copied(self) -> tuple[int, int | None, bytes, int]:
        ((game, lines, hash_, score),) = self._rows("SELECT game, lines, hash, score FROM copied")
        return game, lines, hash_, score

    def _hash_of_game(self) -> bytes:
        return self._copied()[2]

    def _write(self, connection: sqlite3.Connection, head: Head, texts: Sequence[str]) -> Head:
        after = super()._write(connection, head, texts)
        self._keep_head(connection, after)
        return after

    def _keep_head(self, connection: sqlite3.Connection, head: Head) -> None:
        """Keep a head until it is sent, and the heads that the hub may have."""
        rows = [(one.lines, one.data) for one in (head, self._accepted)]
        connection.executemany("INSERT OR IGNORE INTO head VALUES (?, ?)", rows)
        connection.execute(
            "DELETE FROM head WHERE lines < ? AND lines <> (SELECT base FROM journal)", (self._accepted.lines,)
        )


def rows_of(
    select: Callable[..., list[Any]], journal: Archive | None, start: int, end: int
) -> Iterator[tuple[int, str, bytes]]:
    """The lines of a table's log from ``start`` up to ``end``: number, text, and hash as it was written.

    ``select``: returns the rows of a query of the outbox.

    Raises:
        BadJournal: lines of games are not in the journal.
    """
    marks = select(
        "SELECT n, text, hash, NULL, NULL FROM line WHERE n >= ? AND n < ? UNION ALL SELECT n, NULL, NULL, game, line "
        "FROM span WHERE n < ? AND n >= (SELECT coalesce(max(n), 0) FROM span WHERE n <= ?) ORDER BY n",
        start, end, end, start,
    )  # fmt: skip
    for (n, text, hash_, game, line), (stop, *_) in pairwise([*marks, (end,)]):
        if text is not None:
            yield n, text, hash_
        elif stop > (at := max(n, start)):
            assert journal is not None
            found = list(journal.hashed_lines(game, line + at - n, line + stop - n))
            if len(found) != stop - at:
                raise BadJournal(_NOT_IN_JOURNAL, file=journal.path, game=game)
            for place, (_, text_of_game, hash_of_line) in enumerate(found, start=at):
                yield place, text_of_game, hash_of_line


@contextmanager
def contents(connection: sqlite3.Connection, folder: Path) -> Iterator[tuple[Head, Iterator[tuple[Any, ...]]]]:
    """Context with what is here of a table's log, to check it: the head before it; number, text, hash, root (None but
    for the last line) and signature (None) of each line. ``folder``: of the outbox.

    Raises:
        BadJournal: the journal is not where it was, or lacks lines.
    """
    ((file, base),) = connection.execute("SELECT file, base FROM journal")
    heads = dict(connection.execute("SELECT lines, data FROM head"))
    end = max(heads)
    root = Head.of(end, heads[end]).root

    def select(query: str, *values: object) -> list[Any]:
        return connection.execute(query, values).fetchall()

    has_games = connection.execute("SELECT 1 FROM span WHERE n >= ?", (base,)).fetchone()
    with Archive(folder / file) if has_games else nullcontext() as journal:
        rows = rows_of(select, journal, base, end)
        yield Head.of(base, heads.get(base, b"")), ((*row, root if row[0] == end - 1 else None, None) for row in rows)


def _points(header: Header, scores: Sequence[int]) -> list[int] | None:
    """The points by seat, partners each those of their team; None where people came or left."""
    if header.teams:
        team = {seat: n for n, seats in enumerate(header.teams) for seat in seats}
        return [scores[team[seat]] for seat in range(len(header.seats))]
    return list(scores) if len(scores) == len(header.seats) else None


def _places(
    known: Directed, key: str, seats: Sequence[str], points: Sequence[int], game: str | None
) -> Iterator[Result]:
    """The result for each round of the plan with these seats, in whatever order they are named."""
    for number, plan in sorted(known.plans.items()):
        for table in known.tables(key, number):
            planned = plan.tables.get(str(table), [])
            first = find_name(planned[0], seats) or 0 if planned else 0
            if [*map(name_key, seats[first:]), *map(name_key, seats[:first])] == [*map(name_key, planned)]:
                by_plan = [*points[first:], *points[:first]]
                yield Result(round=number, table=table, plan=plan.plan, seats=planned, points=by_plan, game=game)
