"""Standings: a pure fold over the logs of the director and the tables, without a clock.

The director writes::

    {"enroll": KEY, "table": 1, "from_round": 1}
    {"plan": 1, "round": 1, "tables": {"1": ["Ann", "Ben"]}}
    {"timer": 1, "ends": 1790000000}
    {"end": 1, "lines": {KEY: 12}}

The first makes KEY the table from that round on; a table that is replaced gets another key. A plan with a higher
number replaces the one of its round. The last timer of a round says when its time is up, for people alone; nothing
counts by it. The end of a round says how many lines of each table's log belong to it. A table
writes its results, and corrections that name a line of its own log; all else in it is the game's::

    {"result": {"round": 1, "table": 1, "plan": 1, "seats": ["Ann", "Ben"], "points": [30, 0]}}
    {"result": {…}, "corrects": 7}

What does not count is quarantined with the reason. The same lines give the same bytes on every hub.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

Number = Annotated[int, Field(ge=0, le=1_000_000)]
Key = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Points = Annotated[int, Field(ge=-1_000_000, le=1_000_000)]
Seats = Annotated[list[str], Field(min_length=2, max_length=10)]


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
    """Who sits where in a round; ``plan``: its version."""

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


class Result(_Line):
    """The points of a table in a round, by seat."""

    round: Number
    table: Number
    plan: Number
    seats: Seats
    points: list[Points]


class TableLine(_Line):
    """A result of a table; ``corrects``: the line in whose place it stands."""

    result: Result
    corrects: Number | None = None


@dataclass(slots=True)
class Directed:
    """What the director has written so far."""

    keys: dict[int, dict[int, str]] = field(default_factory=dict)
    """By table, by first round."""
    plans: dict[int, RoundPlan] = field(default_factory=dict)
    ends: dict[int, End] = field(default_factory=dict)
    timers: dict[int, Timer] = field(default_factory=dict)

    def key(self, table: int, round_: int) -> str | None:
        """The key that speaks for a table in a round."""
        first = max((one for one in self.keys.get(table, ()) if one <= round_), default=None)
        return None if first is None else self.keys[table][first]

    def tables(self, key: str, round_: int) -> list[int]:
        """The tables for which ``key`` speaks in a round."""
        return [table for table in self.keys if self.key(table, round_) == key]


_DIRECTOR: Final = (Enroll, RoundPlan, Timer, End)


@dataclass(slots=True)
class _Counted:
    """What is known of a log; ``told``: its lines of this tournament, with their numbers."""

    lines: int = 0
    fork: int | None = None
    told: list[tuple[int, Any]] = field(default_factory=list)

    @property
    def counting(self) -> int:
        """The number of lines that count."""
        return self.lines if self.fork is None else min(self.fork, self.lines)


@dataclass(slots=True)
class _Table:
    """What counts of a table's log: by round and table, the result and its line; and what does not."""

    results: dict[tuple[int, int], tuple[int, Result]]
    quarantined: list[dict[str, Any]]


class Fold:
    """The tournament of ``director`` as far as its logs are known. Lines are added as they come, log by log; what
    results is the same as from all lines at once. Not thread-safe."""

    def __init__(self, director: str) -> None:
        self.director = director
        self._logs: dict[str, _Counted] = {director: _Counted()}
        self._directed = Directed()
        self._tables: dict[str, _Table] = {}

    @property
    def directed(self) -> Directed:
        """What the director has written."""
        return self._directed

    @property
    def known(self) -> dict[str, int]:
        """The number of known lines of each log."""
        return {name: log.lines for name, log in self._logs.items()}

    def add(self, name: str, log: Log) -> None:
        """Add the lines of a log after those that are known; its ``fork``, if there is one now."""
        known = self._logs.setdefault(name, _Counted())
        before = known.counting
        forms = _DIRECTOR if name == self.director else (TableLine,)
        for n, text in enumerate(log.lines, start=known.lines):
            if (line := _read(text, *forms)) is not None:
                known.told.append((n, line))
        known.lines, known.fork = known.lines + len(log.lines), log.fork
        if known.counting != before:
            self._tables.pop(name, None)
            if name == self.director:
                self._directed = _directed(line for n, line in known.told if n < known.counting)
                self._tables.clear()

    def standings(self) -> bytes:
        """The standings as JSON: totals, the best first; rounds that ended; lines that are missing; forks;
        quarantine."""
        return json.dumps(self._summary(), sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()

    def results(self) -> dict[str, Any]:
        """All results by round and table, also those that are awaited, with the standings: `results.Results`."""
        counted = {
            at: {"log": name, "line": n, "points": result.points}
            for name in self._names()
            for at, (n, result) in self._table(name).results.items()
        }
        awaited = {"log": None, "line": None, "points": None}
        rounds = [
            {"round": number, "plan": plan.plan, "ended": number in self._directed.ends, "tables": [
                {"table": table, "seats": plan.tables[str(table)]} | counted.get((number, table), awaited)
                for table in sorted(map(int, plan.tables))
            ]}
            for number, plan in sorted(self._directed.plans.items())
        ]  # fmt: skip
        form = {"results": "croupier-results/1", "director": self.director}
        return form | {"rounds": rounds} | self._summary()

    def _summary(self) -> dict[str, Any]:
        totals: Counter[str] = Counter()
        quarantined = []
        for name in self._names():
            table = self._table(name)
            quarantined += table.quarantined
            for _, result in table.results.values():
                for player, points in zip(result.seats, result.points, strict=True):
                    totals[player] += points
        ranked = sorted(totals.items(), key=lambda one: (-one[1], one[0]))
        places = {points: place for place, (_, points) in reversed(list(enumerate(ranked, start=1)))}
        return {
            "standings": [{"place": places[points], "player": name, "points": points} for name, points in ranked],
            "ended": sorted(self._directed.ends),
            "missing": {
                key: lines
                for end in self._directed.ends.values()
                for key, lines in sorted(end.lines.items(), key=lambda one: one[1])
                if self._logs.get(key, _Counted()).counting < lines
            },
            "forks": {name: log.fork for name, log in self._logs.items() if log.fork is not None},
            "quarantined": quarantined,
        }

    def _names(self) -> list[str]:
        """The logs of the tables."""
        return sorted(self._logs.keys() - {self.director})

    def _table(self, name: str) -> _Table:
        if name not in self._tables:
            self._tables[name] = _fold_table(self._directed, name, self._logs[name])
        return self._tables[name]


def enrolled(lines: Iterable[str]) -> list[str]:
    """The keys that lines of the director enroll."""
    return [line.enroll for text in lines if isinstance(line := _read(text, *_DIRECTOR), Enroll)]


def standings(director: str, logs: Mapping[str, Log]) -> bytes:
    """The standings of all logs at once, as `Fold.standings`."""
    fold = Fold(director)
    for name, log in logs.items():
        fold.add(name, log)
    return fold.standings()


def _fold_table(directed: Directed, name: str, log: _Counted) -> _Table:
    counted: dict[tuple[int, int], tuple[int, Result]] = {}
    quarantined = []
    for n, line in log.told:
        if n >= log.counting:
            break
        at = (line.result.round, line.result.table)
        reason = _reason(directed, name, n, line.result)
        if reason is None and line.corrects is None and at in counted:
            reason = "second"
        if reason is None and line.corrects is not None and (at not in counted or line.corrects != counted[at][0]):
            reason = "corrects"
        if reason is None:
            counted[at] = (n, line.result)
        else:
            quarantined.append({"log": name, "line": n, "reason": reason})
    return _Table(counted, quarantined)


def _reason(directed: Directed, log: str, n: int, result: Result) -> str | None:
    """Why a result does not count; None if it does."""
    end = directed.ends.get(result.round)
    plan = directed.plans.get(result.round)
    if directed.key(result.table, result.round) != log:
        return "key"
    if plan is None or result.plan != plan.plan:
        return "plan"
    if result.seats != plan.tables.get(str(result.table)) or len(result.points) != len(result.seats):
        return "seats"
    return "late" if end is not None and n >= end.lines.get(log, 0) else None


def _directed(lines: Iterable[_Line]) -> Directed:
    """What counts of the director's log: the first end of a round, and the highest plan before it."""
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
            case _:
                pass
    return directed


def directed(lines: Iterable[str]) -> Directed:
    """What the director has written in these lines."""
    return _directed(line for text in lines if (line := _read(text, *_DIRECTOR)) is not None)


def _read(text: str, *forms: type[_Line]) -> Any:
    """The line in the first form that fits; None for any other line, as most of a table are."""
    if forms == (TableLine,) and '"result"' not in text:
        return None
    for form in forms:
        try:
            return form.model_validate_json(text)
        except ValidationError:
            continue
    return None
