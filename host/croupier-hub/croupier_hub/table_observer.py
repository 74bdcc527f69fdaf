"""A table of a tournament: its journal's lines and its results, signed, for a hub.

Everything comes from the journal, in a thread of its own: the table never waits, and what is missing after a crash or
an outage is copied later. The points of a game are the result of the first round of the plan that has its seats; a
game that goes on, or is corrected, corrects its result.
"""

from __future__ import annotations

import json
from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Final

from croupier.errors import BadJournal, BadOutbox
from croupier.events import SequencedEvent
from croupier.i18n import _, localize
from croupier.journal.archive import Archive
from croupier.log_replay import LogReader
from croupier.plugins import ObservedTable
from croupier.supervisor import Supervisor
from croupier_hub.checkpoints import Checkpoint
from croupier_hub.client import DirectorsLog, HubClient, deliver
from croupier_hub.cosigning import look
from croupier_hub.outbox import Outbox
from croupier_hub.signed_log import NOTHING, hashes
from croupier_hub.standings import Call, Directed, PageAddress, Result, TableLine, directed
from croupier_hub.table import CALL, AtTournament, CallState, Tournament
from croupier_rules.referee import Header, parse_header
from croupier_rules.referee.position import OVER_PHASES, Position
from croupier_rules.referee.rulings import Ruling

_GATHER_S: Final = 0.2
"""Lines of this time go together."""

_ASK_S: Final = 10.0
_ASK_FOR_ANSWER_S: Final = 2.0
"""The director's log is asked for so often, and so often while a call is open."""

_LOOKS_AFTER: Final = 2
_HEADS_S: Final = 300.0
"""So many other tables, and so often."""

_SCHEMA: Final = (
    "CREATE TABLE score (id INTEGER PRIMARY KEY, seats TEXT NOT NULL, points TEXT, game TEXT, line INT, result TEXT)",
    "CREATE TABLE kept (log TEXT PRIMARY KEY, note TEXT NOT NULL)",  # heads of others
    # Lines of this game that are in the log, and the hash of the last; NULL: none of the game is meant for it.
    "CREATE TABLE copied (game INTEGER NOT NULL, lines INTEGER, hash BLOB NOT NULL, score INTEGER NOT NULL)",
)
_CALL: Final = "CREATE TABLE IF NOT EXISTS call (line INTEGER PRIMARY KEY, state TEXT NOT NULL)"
"""What has become of calls, as far as a hub has told it. Older outboxes are without it."""


class TableLog(Outbox):
    """The outbox ``file`` of a table: games that were begun after it was made."""

    def __init__(self, file: Path, journal: Path) -> None:
        last = 0
        if journal.exists() and not file.exists():
            with Archive(journal) as archive:
                last = archive.last() or 0
        super().__init__(file, schema=(*_SCHEMA, f"INSERT INTO copied VALUES ({last}, NULL, x'', 0)"))
        with self.transaction() as connection:
            connection.execute(_CALL)
        self._game: LogReader | None = None
        """The reader of the game that is being copied."""
        self._settled: tuple[object, Directed] | None = None

    def copy(self, journal: Archive) -> None:
        """Copy what is new in the journal, with the points of its games."""
        while (at := self._next(journal)) is not None:
            game, texts, before, score = at
            reader, self._game = self._game, None  # after an error it is read again
            if reader is None:
                reader = LogReader(parse_header(texts[0]))
            chain, scored, scores = hashes(texts, before), None, reader.position["scores"]
            for text, hash_ in list(zip(texts, chain, strict=True))[not before :]:
                before_line, scores = scores, reader.read(json.loads(text)).position["scores"]
                if scores != before_line and reader.position["phase"] in OVER_PHASES:
                    scored = hash_.hex()
            with self.transaction() as connection:
                self.add(connection, texts)
                if not before:
                    seats = json.dumps(reader.header.seats, ensure_ascii=False)
                    score = connection.execute("INSERT INTO score (seats) VALUES (?)", (seats,)).lastrowid or 0
                if (points := _points(reader.header, scores)) is not None:
                    connection.execute(
                        "UPDATE score SET points = ? WHERE id = ? AND (points IS NOT NULL OR ?)",
                        (json.dumps(points), score, any(points) or reader.position["phase"] == "game_over"),
                    )
                if scored is not None:
                    connection.execute("UPDATE score SET game = ? WHERE id = ?", (scored, score))
                lines = len(texts) + (self._copied()[1] or 0 if before else 0)
                connection.execute("UPDATE copied SET game = ?, lines = ?, hash = ?, score = ?",
                                   (game, lines, chain[-1], score))  # fmt: skip
            self._game = reader

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
            line = len(self)
            self.add(connection, [TableLine(result=result, corrects=corrects).model_dump_json()])
            values = (line, result.model_dump_json(), row)
            connection.execute("UPDATE score SET line = ?, result = ? WHERE id = ?", values)

    def call(self, player: str) -> int:
        """Add a call for the director; returns its line."""
        with self.transaction() as connection:
            line = len(self)
            self.add(connection, [Call(call="director", player=player[:60]).model_dump_json()])
        return line

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

    def _next(self, journal: Archive) -> tuple[int, list[str], bytes, int] | None:
        """A game, its lines that are not copied, the hash before them, and the row of its points."""
        game, lines, hash_, score = self._copied()
        if lines is not None:
            if self._game is None and not self._resume(journal, game, lines, hash_):
                return journal.last() or 0, journal.lines(journal.last() or 0), NOTHING, 0
            if texts := journal.lines(game, lines):
                return game, texts, hash_, score
        self._game = None
        later = next((number for number in journal.began() if number > game), None)
        return None if later is None else (later, journal.lines(later), NOTHING, 0)

    def _resume(self, journal: Archive, game: int, lines: int, hash_: bytes) -> bool:
        """Read what is copied of a game; False if the journal is another one."""
        try:
            texts = journal.lines(game)[:lines]
        except BadJournal:
            return False
        if hashes(texts)[-1] != hash_:
            return False
        self._game = LogReader(parse_header(texts[0]))
        for text in texts[1:]:
            self._game.read(json.loads(text))
        return True

    def _copied(self) -> tuple[int, int | None, bytes, int]:
        ((game, lines, hash_, score),) = self._rows("SELECT game, lines, hash, score FROM copied")
        return game, lines, hash_, score


def _points(header: Header, scores: Sequence[int]) -> list[int] | None:
    """The points by seat, partners each those of their team; None where people came or left."""
    if header.teams:
        team = {seat: n for n, seats in enumerate(header.teams) for seat in seats}
        return [scores[team[seat]] for seat in range(len(header.seats))]
    return list(scores) if len(scores) == len(header.seats) else None


def _places(
    known: Directed, key: str, seats: Sequence[str], points: Sequence[int], game: str | None
) -> Iterator[Result]:
    """The result for each round of the plan with these seats, whoever of them is called the first."""
    for number, plan in sorted(known.plans.items()):
        for table in known.tables(key, number):
            planned = plan.tables.get(str(table), [])
            first = seats.index(planned[0]) if planned and planned[0] in seats else 0
            if [*seats[first:], *seats[:first]] == planned:
                by_plan = [*points[first:], *points[:first]]
                yield Result(round=number, table=table, plan=plan.plan, seats=planned, points=by_plan, game=game)


class TournamentTable:
    """An observer that sends the table's log to the hub ``url``, as soon as that can be reached.

    ``report``: takes one line when that fails, and when it works again, from another thread. ``page``: the address of
    the table's page, "" if nobody else can open it.
    """

    def __init__(self, url: str, file: Path, journal: Path, report: Callable[[str], None], page: str = "") -> None:
        self._log, self._journal, self._report, self._page = TableLog(file, journal), journal, report, page
        self.hub = url
        self._on_change: Callable[[], None] = lambda: None
        self._call, self._call_state = self._log.last_call()
        self._calling: Thread | None = None
        self._ask_at = 0.0
        self._client = HubClient(url)
        self._directors, self._known = DirectorsLog(self._log.director), Directed()
        self._accepted: int | None = None
        self._looks_at = 0.0
        self._failure = ""
        self._news, self._is_running = Event(), False
        self._supervisor = Supervisor("tournament", self._open, self._set_failure, stay=self._follow)

    @property
    def key(self) -> str:
        """The table's key, as the director enrolls it."""
        return self._log.log

    @property
    def director(self) -> str:
        """The key of the director, in hex; "" before the first answer of a hub."""
        return self._log.director

    @property
    def call_state(self) -> CallState:
        """What became of the last call for the director."""
        return self._call_state

    @property
    def revoked_badges(self) -> tuple[tuple[str, int], ...]:
        """Names of players, each with the time (s since 1970): badges that expire up to then are revoked."""
        return tuple((name, until) for (role, name), until in self._known.revoked.items() if role == "player")

    def call(self, player: str) -> None:
        """Call for the director, unless a call is open. Thread-safe. ``player``: who calls, "" for a referee."""
        if not self._call_state:
            self._call_state, self._call = "on its way", None
            self._calling = Thread(target=self._keep_call, args=(player,), name="call")
            self._calling.start()
            self._on_change()

    def _keep_call(self, player: str) -> None:
        """Write a call at once, so that it outlasts a restart while the hub is away; the table waits for no disk."""
        try:
            with TableLog(self._log.file, self._journal) as log:
                self._call = log.call(player)
        except BadOutbox as err:
            self._call_state = ""
            self._report(localize(err)[0])
            self._on_change()
        self._news.set()

    @property
    def state(self) -> AtTournament:
        """What the page shows of the tournament."""
        return AtTournament(self.director, self.call_state, self.revoked_badges)

    @property
    def receipts(self) -> str:
        """The hub, where people check receipts."""
        return self.hub

    def order(self, order: str, player: str) -> None:
        """Carry out an order of the page: `CALL`, a call for the director."""
        if order == CALL:
            self.call(player)

    def begin(self, on_change: Callable[[], None] = lambda: None) -> None:
        """Start or resume a game, which is in the journal. ``on_change``: called from another thread when `state` is
        another one."""
        self._on_change = on_change
        if not self._is_running:
            self._is_running = True
            self._supervisor.start()
        self._news.set()

    def __call__(self, event: SequencedEvent, rulings: Sequence[Ruling], position: Position) -> None:
        """Something happened."""
        self._news.set()

    def close(self) -> None:
        """End. What the hub does not have yet is sent next time."""
        self._supervisor.stop()
        self._news.set()
        self._supervisor.close()
        if self._calling is not None:
            self._calling.join()
        self._client.close()

    def _open(self) -> Archive:
        self._update()
        if self._log.director != self._directors.director:
            self._log.director = self._directors.director
        if self._page:
            self._log.write_page(self._page)
        self._accepted = None
        journal = Archive(self._journal)
        try:
            self._send(journal)
        except BaseException:
            journal.close()
            raise
        return journal

    def _follow(self, journal: Archive, is_closing: Event) -> str:
        self._set_failure("")
        while not is_closing.is_set():
            self._news.wait(_ASK_FOR_ANSWER_S if self._call_state else _ASK_S)
            self._news.clear()
            if monotonic() >= self._ask_at:
                self._update()
            if monotonic() >= self._looks_at:
                self._looks_at = monotonic() + _HEADS_S
                self._log.keep_heads(self._client, self._known, self._report)
            self._send(journal)
            is_closing.wait(_GATHER_S)
        self._send(journal)  # who ends the program after the last card has told it
        return ""

    def _update(self) -> None:
        if self._directors.update(self._client):
            revoked, self._known = self.revoked_badges, directed(self._directors.lines)
            if self.revoked_badges != revoked:
                self._on_change()
        self._ask_at = monotonic() + (_ASK_FOR_ANSWER_S if self._call_state else _ASK_S)

    def _send(self, journal: Archive) -> None:
        self._log.copy(journal)
        self._log.write_results(self._known)
        if self._accepted != len(self._log):
            self._accepted = deliver(self._client, self._log, self._accepted)
        self._see_call()

    def _see_call(self) -> None:
        """Say what became of the call, if the hub has it."""
        if self._call is None or self._accepted is None or self._call >= self._accepted:
            return
        answer = self._known.answers.get((self._log.log, self._call))
        state: CallState = "heard" if answer is None else "" if answer.settled else "answered"
        if state != self._call_state:
            self._log.keep_call(self._call, state)
            self._call_state = state
            self._on_change()

    def _set_failure(self, reason: str) -> None:
        before, self._failure = self._failure, reason
        if reason and reason != before:
            self._report(_("Tournament: {why}; the table goes on, and its results wait here.", why=reason))
        elif before and not reason:
            self._report(_("Tournament: the hub has what has waited."))


def open_observer(section: Tournament, table: ObservedTable) -> TournamentTable | None:
    """Return the observer that the section asks for; None without a hub.

    Raises:
        BadHub: the address is outside the own network, and not encrypted.
        BadOutbox: the file cannot be used.
    """
    if section.hub is None:
        return None
    return TournamentTable(section.hub, section.file, table.journal, table.report, table.page)
