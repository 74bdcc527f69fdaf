"""Standings: a pure fold over the logs of the director and the tables, without a clock.

The director writes::

    {"enroll": KEY, "table": 1, "from_round": 1}
    {"plan": 1, "round": 1, "tables": {"1": ["Ann", "Ben"]}}
    {"end": 1, "lines": {KEY: 12}}

The first makes KEY the table from that round on; a table that is replaced gets another key. A plan with a higher
number replaces the one of its round. The end of a round says how many lines of each table's log belong to it. A table
writes its results, and corrections that name a line of its own log; all else in it is the game's::

    {"result": {"round": 1, "table": 1, "plan": 1, "seats": ["Ann", "Ben"], "points": [30, 0]}}
    {"result": {…}, "corrects": 7}

What does not count is quarantined with the reason. The same lines give the same bytes on every hub.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

Number = Annotated[int, Field(ge=0, le=1_000_000)]
Key = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
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
    tables: dict[str, Seats]


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
    points: list[Annotated[int, Field(ge=-1_000_000, le=1_000_000)]]


class TableLine(_Line):
    """A result of a table; ``corrects``: the line in whose place it stands."""

    result: Result
    corrects: Number | None = None


@dataclass(slots=True)
class _Directed:
    """What the director has written so far."""

    keys: dict[int, dict[int, str]] = field(default_factory=dict)
    """By table, by first round."""
    plans: dict[int, RoundPlan] = field(default_factory=dict)
    ends: dict[int, End] = field(default_factory=dict)

    def key(self, table: int, round_: int) -> str | None:
        """The key that speaks for a table in a round."""
        first = max((one for one in self.keys.get(table, ()) if one <= round_), default=None)
        return None if first is None else self.keys[table][first]

    def seats(self, result: Result) -> list[str] | None:
        plan = self.plans.get(result.round)
        return plan.tables.get(str(result.table)) if plan is not None else None


_DIRECTOR: Final = (Enroll, RoundPlan, End)


def enrolled(lines: Iterable[str]) -> list[str]:
    """The keys that lines of the director enroll."""
    return [line.enroll for text in lines if isinstance(line := _read(text, *_DIRECTOR), Enroll)]


def standings(director: str, logs: Mapping[str, Log]) -> bytes:
    """The standings as JSON: totals, the best first; rounds that ended; lines that are missing; forks; quarantine."""
    directed = _directed(logs.get(director, Log()))
    totals: Counter[str] = Counter()
    quarantined = []
    for name in sorted(logs.keys() - {director}):
        counted: dict[tuple[int, int], tuple[int, Result]] = {}
        for n, line in _results(logs[name]):
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
        for _, result in counted.values():
            for player, points in zip(result.seats, result.points, strict=True):
                totals[player] += points
    ranked = sorted(totals.items(), key=lambda one: (-one[1], one[0]))
    places = {points: place for place, (_, points) in reversed(list(enumerate(ranked, start=1)))}
    data = {
        "standings": [{"place": places[points], "player": name, "points": points} for name, points in ranked],
        "ended": sorted(directed.ends),
        "missing": {
            key: lines
            for end in directed.ends.values()
            for key, lines in sorted(end.lines.items(), key=lambda one: one[1])
            if _counting(logs.get(key, Log())) < lines
        },
        "forks": {name: log.fork for name, log in logs.items() if log.fork is not None},
        "quarantined": quarantined,
    }
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _reason(directed: _Directed, log: str, n: int, result: Result) -> str | None:
    """Why a result does not count; None if it does."""
    end = directed.ends.get(result.round)
    plan = directed.plans.get(result.round)
    if directed.key(result.table, result.round) != log:
        return "key"
    if plan is None or result.plan != plan.plan:
        return "plan"
    if result.seats != directed.seats(result) or len(result.points) != len(result.seats):
        return "seats"
    return "late" if end is not None and n >= end.lines.get(log, 0) else None


def _directed(log: Log) -> _Directed:
    """What counts of the director's log: the first end of a round, and the highest plan before it."""
    directed = _Directed()
    for text in log.lines[: _counting(log)]:
        match _read(text, *_DIRECTOR):
            case Enroll(enroll=key, table=table, from_round=first):
                directed.keys.setdefault(table, {})[first] = key
            case RoundPlan(plan=version, round=number) as plan if number not in directed.ends:
                known = directed.plans.get(number)
                if known is None or known.plan < version:
                    directed.plans[number] = plan
            case End(end=number) as end:
                directed.ends.setdefault(number, end)
            case _:
                pass
    return directed


def _counting(log: Log) -> int:
    return len(log.lines) if log.fork is None else min(log.fork, len(log.lines))


def _results(log: Log) -> Iterator[tuple[int, TableLine]]:
    for n, text in enumerate(log.lines[: _counting(log)]):
        if isinstance(line := _read(text, TableLine), TableLine):
            yield n, line


def _read(text: str, *forms: type[_Line]) -> Any:
    """The line in the first form that fits; None for any other line."""
    for form in forms:
        try:
            return form.model_validate_json(text)
        except ValidationError:
            continue
    return None
