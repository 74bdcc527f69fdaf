"""Standings: a pure fold over the logs of the director and the tables, without a clock.

The director writes::

    {"enroll": KEY, "table": 1, "from_round": 1}
    {"plan": 1, "round": 1, "tables": {"1": ["Ann", "Ben"]}}
    {"timer": 1, "ends": 1790000000}
    {"end": 1, "lines": {KEY: 12}}
    {"player": "Ann", "state": "here", "round": 0}
    {"penalty": 20, "player": "Ann", "round": 1, "why": "late"}
    {"answer": KEY, "line": 7, "settled": false}
    {"invite": "referee", "name": "1", "until": 1790000000}
    {"revoke": "referee", "name": "1", "until": 1790000000}
    {"clock": 1790000000, "to": 1798000000}

The first makes KEY the table from that round on; a table that is replaced gets another key. A plan with a higher
number replaces the one of its round. The last timer of a round says when its time is up, for people alone; nothing
counts by it. The end of a round says how many lines of each table's log belong to it. Of a player's states, and of a
player's penalties for a round, the last counts; a penalty of 0 is none. A ticket (`croupier_hub.tickets`) that expires
no later than ``until`` of its role and name is revoked. The last line says that the director's clock jumped, so that
what was said before lasts as long as it was meant to. A table
writes its results, corrections that name a line of its own log, calls for the director, which are answered by their
line, and the address of its page; all else in it is the game's::

    {"result": {"round": 1, "table": 1, "plan": 1, "seats": ["Ann", "Ben"], "points": [30, 0], "game": HASH}}
    {"result": {…}, "corrects": 7}
    {"call": "director", "player": "Ben"}
    {"page": "http://table-1.local:8000"}
    {"chain": "journal", "game": HASH, "lost": 0}

The last of them begins the present form of the log (`croupier_hub.signed_log`), or tells that lines of games are lost.
``game`` is the hash of the game's line that last changed the points, of which the receipt is the begin.

What does not count is quarantined with the reason. The same lines give the same bytes on every hub.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal, NamedTuple, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from croupier.errors import one_line
from croupier.journal.receipt import code_of
from croupier.names import MOST_CHARACTERS

Number = Annotated[int, Field(ge=0, le=1_000_000)]
Key = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Points = Annotated[int, Field(ge=-1_000_000, le=1_000_000)]
Seats = Annotated[list[str], Field(min_length=2, max_length=10)]
LineNumber = Annotated[int, Field(ge=0, le=1 << 30)]
Why = Annotated[str, StringConstraints(max_length=200)]
State = Literal["expected", "here", "withdrawn"]
"""Of a player: registered, checked in, gone for good."""


@dataclass(frozen=True, slots=True)
class Log:
    """The accepted lines of a log; ``fork``: the first of which there is another one, from which on none counts."""

    lines: tuple[str, ...] = ()
    fork: int | None = None


class _Line(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)


class Enroll(_Line):
    """``enroll`` is the key of ``table`` from a round on."""

    enroll: Key
    table: Number
    from_round: Number


class RoundPlan(_Line):
    """Seating of a round; ``plan``: its version."""

    plan: Number
    round: Number
    tables: dict[Annotated[str, StringConstraints(pattern=r"^(0|[1-9][0-9]{0,6})$")], Seats]


class Timer(_Line):
    """When the time of a round is up: ``ends``, in seconds since 1970."""

    timer: Number
    ends: Annotated[int, Field(ge=0, le=1 << 40)]


class End(_Line):
    """The end of a round; ``lines``: of each table's log that belong to it."""

    end: Number
    lines: dict[Key, Number]


class Attendance(_Line):
    """A player has another state. ``round``: the one that was played then, 0 before the first."""

    player: Annotated[str, StringConstraints(min_length=1, max_length=MOST_CHARACTERS)]
    state: State
    round: Number


class Penalty(_Line):
    """Points that a player loses for a round."""

    penalty: Number
    player: str
    round: Number
    why: Why


class Answer(_Line):
    """The director comes to the table that called in ``line`` of the log ``answer``, or has ``settled`` it."""

    answer: Key
    line: LineNumber
    settled: bool


HelperRole = Literal["referee", "admin", "director"]
Role = Literal["player", "referee", "admin", "director"]
Name = Annotated[str, StringConstraints(max_length=MOST_CHARACTERS)]
Until = Annotated[int, Field(ge=0, le=1 << 40)]


class Invite(_Line):
    """A helper has a ticket: its role, its ``name`` (a number), when it expires in seconds since 1970."""

    invite: HelperRole
    name: Name
    until: Until


class Revoke(_Line):
    """The tickets of this role and name that expire at ``until`` or before are not good any more."""

    revoke: Role
    name: Name
    until: Until


class ClockJump(_Line):
    """The director's clock showed ``clock`` and then, at the same moment, ``to``; in seconds since 1970."""

    clock: Until
    to: Until


class Result(_Line):
    """The points of a table in a round, by seat."""

    round: Number
    table: Number
    plan: Number
    seats: Seats
    points: list[Points]
    game: Key | None = None

    @property
    def receipt(self) -> str | None:
        """The code on the score sheet of the game."""
        return _code(self.game)


class TableLine(_Line):
    """A result of a table; ``corrects``: the line in whose place it stands."""

    result: Result
    corrects: Number | None = None


class Call(_Line):
    """A table calls for the director; ``player``: who called, "" for a referee."""

    call: Literal["director"]
    player: Annotated[str, StringConstraints(max_length=MOST_CHARACTERS), AfterValidator(one_line)] = ""


class PageAddress(_Line):
    """Address of the table's page."""

    page: Annotated[str, StringConstraints(pattern=r"^https?://[^\s\"<>]{1,200}$")]


class Chain(_Line):
    """From here on, the leaves of a game's lines are their hashes in the journal. ``game``: the hash of the last line
    of the game that goes on, "" if there is none; ``lost``: lines of games that the log lacks here."""

    chain: Literal["journal"]
    game: Key | Literal[""] = ""
    lost: Number = 0


@dataclass(slots=True)
class Directed:
    """Lines of the director so far."""

    keys: dict[int, dict[int, str]] = field(default_factory=dict)
    """By table, by first round."""
    plans: dict[int, RoundPlan] = field(default_factory=dict)
    ends: dict[int, End] = field(default_factory=dict)
    timers: dict[int, Timer] = field(default_factory=dict)
    players: dict[str, list[Attendance]] = field(default_factory=dict)
    """By name, in the order of registration: all states that the player had."""
    penalties: dict[tuple[int, str], Penalty] = field(default_factory=dict)
    """By round and player."""
    answers: dict[tuple[str, int], Answer] = field(default_factory=dict)
    """By log and line of the call."""
    invited: dict[tuple[str, str], int] = field(default_factory=dict)
    revoked: dict[tuple[str, str], int] = field(default_factory=dict)
    """By role and name, until when tickets were made, and up to which they are revoked."""
    jumps: list[ClockJump] = field(default_factory=list)

    def expires(self, until: int, lifetime_s: int) -> int:
        """When something expires that was made to be good for ``lifetime_s`` until ``until``, by the clock as it was
        then, which has gone forward since: in seconds since 1970 by the clock of now."""
        for jump in self.jumps:
            if until <= jump.clock + lifetime_s:  # it was made before
                until += max(0, jump.to - jump.clock)
        return until

    def is_revoked(self, role: str, name: str, until: int) -> bool:
        """True if the ticket of this role and name that expires then is not good any more."""
        return until <= self.revoked.get((role, name), -1)

    @property
    def round(self) -> int:
        """The round that is played: the first that has not ended, else the last; 0 before any is published."""
        return min(self.plans.keys() - self.ends.keys(), default=max(self.plans, default=0))

    @property
    def names(self) -> list[str]:
        """All players, registered or seated, by alphabet."""
        seated = {name for plan in self.plans.values() for seats in plan.tables.values() for name in seats}
        return sorted(seated | self.players.keys(), key=str.casefold)

    def state(self, player: str) -> State | None:
        """True if a player is here; None for one who was never registered."""
        return self.players[player][-1].state if player in self.players else None

    def count(self, state: State) -> int:
        """The number of players in this state."""
        return sum(states[-1].state == state for states in self.players.values())

    def since(self, player: str) -> int:
        """The round in which a player came late or left; 0 for one who came before the second and is there."""
        states = self.players.get(player, [])
        if states and states[-1].state == "withdrawn":
            return states[-1].round
        came = next((one.round for one in states if one.state == "here"), 0)
        return came if came > 1 else 0

    def key(self, table: int, round_: int) -> str | None:
        """The key that speaks for a table in a round."""
        first = max((one for one in self.keys.get(table, ()) if one <= round_), default=None)
        return None if first is None else self.keys[table][first]

    def tables(self, key: str, round_: int) -> list[int]:
        """The tables for which ``key`` speaks in a round."""
        return [table for table in self.keys if self.key(table, round_) == key]


DirectorLine = Enroll | RoundPlan | Timer | End | Attendance | Penalty | Answer | Invite | Revoke | ClockJump
_DIRECTOR: Final[tuple[type[_Line], ...]] = get_args(DirectorLine)
_TABLE: Final = (TableLine, Call, PageAddress, Chain)
_WORDS: Final = ('"result"', '"call"', '"page"', '"chain"')
"""Of which each line of a table has one that is no line of the game."""


class _Told(NamedTuple):
    """A result in line ``n`` of a log, as small as can be: a season may have millions."""

    n: int
    corrects: int | None
    round: int
    table: int
    plan: int
    seats: tuple[str, ...]
    points: tuple[int, ...]
    game: str | None

    @property
    def result(self) -> Result:
        """As the table has written it."""
        return Result(round=self.round, table=self.table, plan=self.plan, seats=list(self.seats),
                      points=list(self.points), game=self.game)  # fmt: skip


@dataclass(slots=True)
class _Counted:
    """Knowledge of a log; ``told``: its lines of this tournament, with their numbers."""

    lines: int = 0
    fork: int | None = None
    told: list[_Told | tuple[int, Any]] = field(default_factory=list)

    @property
    def counting(self) -> int:
        """The number of lines that count."""
        return self.lines if self.fork is None else min(self.fork, self.lines)


@dataclass(slots=True)
class _Table:
    """Valid content of a table's log: by round and table, the result and its line; what does not; calls by line;
    lines that are ``lost``. ``read``: how many of its lines of this tournament that comes from."""

    results: dict[tuple[int, int], _Told] = field(default_factory=dict)
    quarantined: list[dict[str, Any]] = field(default_factory=list)
    calls: list[tuple[int, Call]] = field(default_factory=list)
    page: str = ""
    lost: int = 0
    read: int = 0


@dataclass(frozen=True, slots=True)
class Receipt:
    """The result in line ``n`` of ``log``, whose score sheet has this ``code``. ``state``: ``counts``, ``corrected``,
    ``fork``, or the reason of its quarantine. ``now``: the result that counts in its place."""

    code: str
    log: str
    n: int
    result: Result
    state: str
    now: Result | None


class Fold:
    """The tournament of ``director`` as far as its logs are known. Lines are added as they come, log by log; what
    results is the same as from all lines at once. Not thread-safe."""

    def __init__(self, director: str) -> None:
        self.director = director
        self._logs: dict[str, _Counted] = {director: _Counted()}
        self._directed = Directed()
        self._tables: dict[str, _Table] = {}
        self._receipts: dict[str, list[tuple[str, _Told]]] = {}
        """By code, log and result of each line that names it."""
        self._seats: dict[tuple[str, ...], tuple[str, ...]] = {}
        """Those of all results, each once."""
        self._standings: bytes | None = None
        """The standings until something changes them: most lines are of games."""

    @property
    def directed(self) -> Directed:
        """Content of the director's log."""
        return self._directed

    @property
    def known(self) -> dict[str, int]:
        """The number of known lines of each log."""
        return {name: log.lines for name, log in self._logs.items()}

    def add(self, name: str, log: Log) -> None:
        """Add the lines of a log after those that are known; its ``fork``, if there is one now."""
        known = self._logs.setdefault(name, _Counted())
        before, told_before, fork_before = known.counting, len(known.told), known.fork
        forms = _DIRECTOR if name == self.director else _TABLE
        for n, text in enumerate(log.lines, start=known.lines):
            if (line := _read(text, *forms)) is not None:
                told = self._pack(n, line) if isinstance(line, TableLine) else (n, line)
                known.told.append(told)
                if isinstance(told, _Told) and (code := _code(told.game)) is not None:
                    self._receipts.setdefault(code, []).append((name, told))
        known.lines, known.fork = known.lines + len(log.lines), log.fork
        is_awaited = any(before < end.lines.get(name, 0) for end in self._directed.ends.values())
        if is_awaited or (len(known.told), known.fork) != (told_before, fork_before):
            self._standings = None
        if known.counting < before:  # a fork
            self._tables.pop(name, None)
        if name == self.director and known.counting != before:
            was = self._directed
            self._directed = _directed(line for n, line in known.told if n < known.counting)  # type: ignore[misc]
            now = self._directed
            if (was.keys, was.plans, was.ends) != (now.keys, now.plans, now.ends):
                self._tables.clear()

    def standings(self) -> bytes:
        """The standings as JSON: totals, the best first; rounds that ended; lines that are missing; forks;
        quarantine."""
        if self._standings is None:
            summary = json.dumps(self._summary(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            self._standings = summary.encode()
        return self._standings

    def results(self) -> dict[str, Any]:
        """All results by round and table, also those that are awaited, with the standings: `results.Results`."""
        counted = {
            at: {"log": name, "line": told.n, "points": list(told.points), "receipt": _code(told.game)}
            for name in self._names()
            for at, told in self._table(name).results.items()
        }
        awaited = {"log": None, "line": None, "points": None, "receipt": None}
        rounds = [
            {"round": number, "plan": plan.plan, "ended": number in self._directed.ends, "tables": [
                {"table": table, "seats": plan.tables[str(table)]} | counted.get((number, table), awaited)
                for table in sorted(map(int, plan.tables))
            ]}
            for number, plan in sorted(self._directed.plans.items())
        ]  # fmt: skip
        form = {"results": "croupier-results/1", "director": self.director}
        return form | {"rounds": rounds} | self._summary()

    def calls(self) -> list[tuple[str, int, str]]:
        """The calls for the director that are not settled: log, line, player. Those that nobody answered come first."""
        answers = self._directed.answers
        found = [
            (name, n, call.player)
            for name in self._names()
            for n, call in self._table(name).calls
            if (name, n) not in answers or not answers[name, n].settled
        ]
        return sorted(found, key=lambda call: call[:2] in answers)

    def pages(self) -> dict[str, str]:
        """The addresses of the tables' pages, by log."""
        return {name: page for name in self._names() if (page := self._table(name).page)}

    def receipt(self, code: str) -> Receipt | None:
        """The result with this receipt, if possible one that counts; None if no log has it."""
        found = [self._receipt(code, *one) for one in self._receipts.get(code, ())]
        return next((one for one in found if one.state == "counts"), found[-1] if found else None)

    def _pack(self, n: int, line: TableLine) -> _Told:
        result, seats = line.result, tuple(line.result.seats)
        return _Told(n, line.corrects, result.round, result.table, result.plan, self._seats.setdefault(seats, seats),
                     tuple(result.points), result.game)  # fmt: skip

    def _receipt(self, code: str, name: str, told: _Told) -> Receipt:
        if told.n >= self._logs[name].counting:
            return Receipt(code, name, told.n, told.result, "fork", None)
        table = self._table(name)
        now = table.results.get((told.round, told.table))
        reasons = (one["reason"] for one in table.quarantined if one["line"] == told.n)
        state = "counts" if now is told else next(reasons, "corrected")
        return Receipt(code, name, told.n, told.result, state, None if now is None else now.result)

    def _summary(self) -> dict[str, Any]:
        totals: Counter[str] = Counter()
        quarantined = []
        for name in self._names():
            table = self._table(name)
            quarantined += table.quarantined
            for result in table.results.values():
                for player, points in zip(result.seats, result.points, strict=True):
                    totals[player] += points
        penalties = [one for _, one in sorted(self._directed.penalties.items()) if one.penalty]
        for one in penalties:
            totals[one.player] -= one.penalty
        ranked = sorted(totals.items(), key=lambda one: (-one[1], one[0]))
        places = {points: place for place, (_, points) in reversed(list(enumerate(ranked, start=1)))}
        return {
            "standings": [{"place": places[points], "player": name, "points": points} for name, points in ranked],
            "penalties": [
                {"round": one.round, "player": one.player, "points": one.penalty, "why": one.why} for one in penalties
            ],
            "ended": sorted(self._directed.ends),
            "missing": {
                key: lines
                for end in self._directed.ends.values()
                for key, lines in sorted(end.lines.items(), key=lambda one: one[1])
                if self._logs.get(key, _Counted()).counting < lines
            },
            "forks": {name: log.fork for name, log in self._logs.items() if log.fork is not None},
            "lost": {name: table.lost for name in self._names() if (table := self._table(name)).lost},
            "quarantined": quarantined,
        }

    def _names(self) -> list[str]:
        """The logs of the tables."""
        return sorted(self._logs.keys() - {self.director})

    def _table(self, name: str) -> _Table:
        table = self._tables.setdefault(name, _Table())
        _fold_table(table, self._directed, name, self._logs[name])
        return table


def _code(game: str | None) -> str | None:
    """The receipt of a game with this hash."""
    return None if game is None else code_of(bytes.fromhex(game))


def enrolled(lines: Iterable[str]) -> list[str]:
    """The keys that lines of the director enroll."""
    return [line.enroll for text in lines if isinstance(line := _read(text, *_DIRECTOR), Enroll)]


def standings(director: str, logs: Mapping[str, Log]) -> bytes:
    """The standings of all logs at once, as `Fold.standings`."""
    fold = Fold(director)
    for name, log in logs.items():
        fold.add(name, log)
    return fold.standings()


def _fold_table(table: _Table, directed: Directed, name: str, log: _Counted) -> None:
    """Add what is new in a log to what counts of it."""
    counted = table.results
    for told in log.told[table.read :]:
        if (n := told[0]) >= log.counting:
            break
        table.read += 1
        if not isinstance(told, _Told):
            if isinstance(told[1], Call):
                table.calls.append((n, told[1]))
            if isinstance(told[1], PageAddress):
                table.page = told[1].page
            if isinstance(told[1], Chain):
                table.lost += told[1].lost
            continue
        at = (told.round, told.table)
        reason = _reason(directed, name, told)
        if reason is None and told.corrects is None and at in counted:
            reason = "second"
        if reason is None and told.corrects is not None and (at not in counted or told.corrects != counted[at].n):
            reason = "corrects"
        if reason is None:
            counted[at] = told
        else:
            table.quarantined.append({"log": name, "line": n, "reason": reason})


def _reason(directed: Directed, log: str, result: _Told) -> str | None:
    """Why a result does not count; None if it does."""
    end = directed.ends.get(result.round)
    plan = directed.plans.get(result.round)
    if directed.key(result.table, result.round) != log:
        return "key"
    if plan is None or result.plan != plan.plan:
        return "plan"
    if list(result.seats) != plan.tables.get(str(result.table)) or len(result.points) != len(result.seats):
        return "seats"
    return "late" if end is not None and result.n >= end.lines.get(log, 0) else None


def _directed(lines: Iterable[_Line]) -> Directed:
    """Valid content of the director's log: the first end of a round, and the highest plan before it."""
    directed = Directed()
    for line in lines:
        match line:
            case Enroll(enroll=key, table=table, from_round=first):
                directed.keys.setdefault(table, {})[first] = key
            case RoundPlan(plan=version, round=number) as plan if number not in directed.ends:
                known = directed.plans.get(number)
                if known is None or known.plan < version:
                    directed.plans[number] = plan
            case Timer(timer=number) as timer:
                directed.timers[number] = timer
            case End(end=number) as end:
                directed.ends.setdefault(number, end)
            case Attendance(player=player) as attendance:
                directed.players.setdefault(player, []).append(attendance)
            case Penalty(player=player, round=number) as penalty:
                directed.penalties[number, player] = penalty
            case Answer(answer=key, line=n) as answer:
                directed.answers[key, n] = answer
            case Invite(invite=role, name=name, until=until):
                directed.invited[role, name] = until
            case Revoke(revoke=role, name=name, until=until):
                directed.revoked[role, name] = until
            case ClockJump(clock=before, to=after) as jump:
                directed.jumps.append(jump)
                directed.timers = {
                    number: timer.model_copy(update={"ends": max(0, timer.ends + after - before)})
                    for number, timer in directed.timers.items()
                }
            case _:
                pass
    return directed


def directed(lines: Iterable[str]) -> Directed:
    """Return the content of these lines of the director."""
    return _directed(line for text in lines if (line := _read(text, *_DIRECTOR)) is not None)


def _read(text: str, *forms: type[_Line]) -> Any:
    """The line in the first form that fits; None for any other line, as most of a table are."""
    if forms is _TABLE and not any(word in text for word in _WORDS):
        return None
    for form in forms:
        try:
            return form.model_validate_json(text)
        except ValidationError:
            continue
    return None
