"""The fold of a tournament: which results count, by the lines of the director and of the tables.

A season may have millions of results. What a fold keeps grows with rounds, tables and calls alone: of each table in a
round the result that counts, and the lines that do not count. Where the director changes what counts, or a log has a
fork, the results of that log are read again from where its lines are.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Protocol

from croupier_hub.standings import (
    Call,
    Chain,
    Directed,
    DirectorLine,
    Log,
    PageAddress,
    Result,
    TableLine,
    directed_by,
    director_line,
    receipt_code,
    table_line,
)

At = tuple[int, int]
"""A round, and a table."""

_ENDLESS: Final = 1 << 62


class Lines(Protocol):
    """Where the lines of all logs are."""

    def results(self, log: str, end: int) -> Iterable[tuple[int, str]]:
        """The lines of a log before ``end`` that may be results, with their numbers, in order."""

    def with_receipt(self, code: str) -> Iterable[tuple[str, int, str]]:
        """The lines that may have this receipt: log, number and text, in order."""


class LinesInMemory:
    """Lines in memory, as of a few logs."""

    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {}

    def add(self, log: str, texts: Iterable[str]) -> None:
        """Add lines behind those of the log."""
        self._texts.setdefault(log, []).extend(texts)

    def results(self, log: str, end: int) -> Iterable[tuple[int, str]]:
        """As `Lines.results`."""
        return enumerate(self._texts[log][:end])

    def with_receipt(self, code: str) -> Iterable[tuple[str, int, str]]:
        """As `Lines.with_receipt`."""
        del code
        return ((log, n, text) for log, texts in sorted(self._texts.items()) for n, text in enumerate(texts))


class _Told(NamedTuple):
    """A result in line ``n`` of a log, as small as can be."""

    n: int
    corrects: int | None
    plan: int
    seats: tuple[str, ...]
    points: tuple[int, ...]
    game: str | None

    @classmethod
    def of(cls, n: int, line: TableLine) -> _Told:
        """The result of a line."""
        one = line.result
        return cls(n, line.corrects, one.plan, tuple(one.seats), tuple(one.points), one.game)

    def result(self, at: At) -> Result:
        """As the table has written it."""
        return Result(round=at[0], table=at[1], plan=self.plan, seats=list(self.seats), points=list(self.points),
                      game=self.game)  # fmt: skip


class _Rule(NamedTuple):
    """What the director says to a log about a table in a round: whether it speaks for the table; the version of the
    plan, and its seats; ``end``: the number of lines of the log that belong to the round, if it has ended."""

    speaks: bool
    plan: int | None
    seats: tuple[str, ...] | None
    end: int | None

    @classmethod
    def of(cls, directed: Directed, log: str, at: At) -> _Rule:
        """The rule by what the director has written."""
        plan, end = directed.plans.get(at[0]), directed.ends.get(at[0])
        seats = None if plan is None else plan.tables.get(str(at[1]))
        return cls(
            directed.key(at[1], at[0]) == log,
            None if plan is None else plan.plan,
            None if seats is None else tuple(seats),
            None if end is None else end.lines.get(log, 0),
        )

    def reason(self, told: _Told) -> str | None:
        """Why a result does not count; None if it may."""
        if not self.speaks:
            return "key"
        if self.plan is None or told.plan != self.plan:
            return "plan"
        if told.seats != self.seats or len(told.points) != len(told.seats):
            return "seats"
        return "late" if self.end is not None and told.n >= self.end else None

    def judges_alike(self, other: _Rule | None, last: int) -> bool:
        """True if by another rule the same results count, of which ``last`` is the last line."""
        if other is None or self[:3] != other[:3]:
            return False
        return self.end == other.end or min(_end(self), _end(other)) > last


def _end(rule: _Rule) -> int:
    return _ENDLESS if rule.end is None else rule.end


@dataclass(slots=True)
class _Cell:
    """A table in a round, as a log has it: the result that counts; the reasons why others do not, by line. ``last``:
    the last line about it; ``rule``: None if the lines have to be read again."""

    rule: _Rule | None
    last: int = -1
    counts: _Told | None = None
    refused: dict[int, str] = field(default_factory=dict)

    def take(self, told: _Told) -> None:
        """Judge the next result."""
        assert self.rule is not None
        reason, stands = self.rule.reason(told), None if self.counts is None else self.counts.n
        if reason is None and told.corrects != stands:
            reason = "second" if told.corrects is None else "corrects"
        if reason is None:
            self.counts = told
        else:
            self.refused[told.n] = reason


@dataclass(slots=True)
class _Known:
    """What is known of a table's log. ``calls``, ``pages`` and ``lost``: by line, also of lines that do not count."""

    lines: int = 0
    fork: int | None = None
    cells: dict[At, _Cell] = field(default_factory=dict)
    calls: list[tuple[int, str]] = field(default_factory=list)
    pages: list[tuple[int, str]] = field(default_factory=list)
    lost: list[tuple[int, int]] = field(default_factory=list)

    @property
    def counting(self) -> int:
        """The number of lines that count."""
        return self.lines if self.fork is None else min(self.fork, self.lines)


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
    results is the same as from all lines at once. ``lines``: where they are; None to keep them here. Not thread-safe.
    """

    def __init__(self, director: str, lines: Lines | None = None) -> None:
        self.director = director
        own = LinesInMemory()
        self._lines: Lines = own if lines is None else lines
        self._in_memory = own if lines is None else None
        self._directors, self._orders = _Known(), list[tuple[int, DirectorLine]]()
        """The director's log, and what stands in it, by line."""
        self._tables: dict[str, _Known] = {}
        self._directed = Directed()
        self._standings: bytes | None = None
        """The standings until something changes them: most lines are of games."""

    @property
    def directed(self) -> Directed:
        """Content of the director's log."""
        return self._directed

    @property
    def known(self) -> dict[str, int]:
        """The number of known lines of each log."""
        return {name: log.lines for name, log in self._logs().items()}

    def add(self, name: str, log: Log) -> None:
        """Add the lines of a log after those that are known; its ``fork``, if there is one now."""
        if self._in_memory is not None:
            self._in_memory.add(name, log.lines)
        before = self._directors if name == self.director else self._tables.get(name, _Known())
        ends = self._directed.ends.values()
        if before.fork != log.fork or any(before.counting < end.lines.get(name, 0) for end in ends):
            self._standings = None
        if name == self.director:
            self._add_orders(log)
        else:
            self._add_lines(name, log)

    def standings(self) -> bytes:
        """The standings as JSON: totals, the best first; rounds that ended; lines that are missing; forks;
        quarantine."""
        if self._standings is None:
            summary = json.dumps(self._summary(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            self._standings = summary.encode()
        return self._standings

    def results(self) -> dict[str, Any]:
        """All results by round and table, also those that are awaited, with the standings: `results.Results`."""
        self._read_again()
        counted = {
            at: {"log": name, "line": told.n, "points": list(told.points), "receipt": receipt_code(told.game)}
            for name, log in self._tables.items()
            for at, cell in log.cells.items()
            if (told := cell.counts) is not None
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
            (name, n, player)
            for name, log in sorted(self._tables.items())
            for n, player in log.calls
            if n < log.counting and ((name, n) not in answers or not answers[name, n].settled)
        ]
        return sorted(found, key=lambda call: call[:2] in answers)

    def pages(self) -> dict[str, str]:
        """The addresses of the tables' pages, by log."""
        pages = {}
        for name, log in sorted(self._tables.items()):
            if told := [page for n, page in log.pages if n < log.counting]:
                pages[name] = told[-1]
        return pages

    def receipt(self, code: str) -> Receipt | None:
        """The result with this receipt, if possible one that counts; None if no log has it."""
        found = [
            self._receipt(code, name, n, line)
            for name, n, text in self._lines.with_receipt(code)
            if name in self._tables and n < self._tables[name].lines
            and isinstance(line := table_line(text), TableLine) and line.result.receipt == code
        ]  # fmt: skip
        return next((one for one in found if one.state == "counts"), found[-1] if found else None)

    def _logs(self) -> dict[str, _Known]:
        return {self.director: self._directors} | self._tables

    def _add_orders(self, log: Log) -> None:
        known, before = self._directors, self._directors.counting
        new = [(n, line) for n, text in enumerate(log.lines, known.lines) if (line := director_line(text)) is not None]
        self._orders += new
        known.lines, known.fork = known.lines + len(log.lines), log.fork
        if new:
            self._standings = None
        if known.counting == before:
            return
        was = self._directed
        now = self._directed = directed_by(line for n, line in self._orders if n < known.counting)
        if (was.keys, was.plans, was.ends) == (now.keys, now.plans, now.ends):
            return
        for name, of_table in self._tables.items():
            for at, cell in of_table.cells.items():
                rule = _Rule.of(now, name, at)
                cell.rule = rule if rule.judges_alike(cell.rule, cell.last) else None

    def _add_lines(self, name: str, log: Log) -> None:
        known = self._tables.setdefault(name, _Known())
        first = known.lines
        if known.fork != log.fork:
            of_fork = min(_ENDLESS if one is None else one for one in (known.fork, log.fork))
            for cell in known.cells.values():
                if cell.last >= of_fork:
                    cell.rule = None
        known.lines, known.fork = first + len(log.lines), log.fork
        for n, text in enumerate(log.lines, start=first):
            if (line := table_line(text)) is None:
                continue
            self._standings = None
            match line:
                case TableLine(result=result):
                    at = (result.round, result.table)
                    if at not in known.cells:
                        known.cells[at] = _Cell(_Rule.of(self._directed, name, at))
                    about = known.cells[at]
                    about.last = n
                    if n < known.counting and about.rule is not None:
                        about.take(_Told.of(n, line))
                case Call(player=player):
                    known.calls.append((n, player))
                case PageAddress(page=page):
                    known.pages.append((n, page))
                case Chain(lost=lost) if lost:
                    known.lost.append((n, lost))
                case _:
                    pass

    def _read_again(self) -> None:
        """Judge again the results of tables in rounds about which something has changed."""
        for name, log in self._tables.items():
            again = {
                at: _Cell(_Rule.of(self._directed, name, at), cell.last)
                for at, cell in log.cells.items()
                if cell.rule is None
            }
            if not again:
                continue
            end = min(log.counting, 1 + max(cell.last for cell in again.values()))
            for n, text in self._lines.results(name, end):
                if isinstance(line := table_line(text), TableLine):
                    at = (line.result.round, line.result.table)
                    if at in again:
                        again[at].take(_Told.of(n, line))
            log.cells |= again

    def _receipt(self, code: str, name: str, n: int, line: TableLine) -> Receipt:
        log, result = self._tables[name], line.result
        if n >= log.counting:
            return Receipt(code, name, n, result, "fork", None)
        self._read_again()
        at = (result.round, result.table)
        cell = log.cells[at]
        now = None if cell.counts is None else cell.counts.result(at)
        state = "counts" if cell.counts is not None and cell.counts.n == n else cell.refused.get(n, "corrected")
        return Receipt(code, name, n, result, state, now)

    def _summary(self) -> dict[str, Any]:
        self._read_again()
        totals: Counter[str] = Counter()
        quarantined = []
        for name, log in sorted(self._tables.items()):
            refused = sorted((n, reason) for cell in log.cells.values() for n, reason in cell.refused.items())
            quarantined += [{"log": name, "line": n, "reason": reason} for n, reason in refused]
            for counts in (cell.counts for cell in log.cells.values() if cell.counts is not None):
                for player, points in zip(counts.seats, counts.points, strict=True):
                    totals[player] += points
        penalties = [one for _, one in sorted(self._directed.penalties.items()) if one.penalty]
        for one in penalties:
            totals[one.player] -= one.penalty
        ranked = sorted(totals.items(), key=lambda one: (-one[1], one[0]))
        places = {points: place for place, (_, points) in reversed(list(enumerate(ranked, start=1)))}
        logs = self._logs()
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
                if logs.get(key, _Known()).counting < lines
            },
            "forks": {name: log.fork for name, log in logs.items() if log.fork is not None},
            "lost": dict(_lost(self._tables)),
            "quarantined": quarantined,
        }


def _lost(tables: Mapping[str, _Known]) -> Iterator[tuple[str, int]]:
    """The lines of games that logs lack, by log."""
    for name, log in sorted(tables.items()):
        if lost := sum(lines for n, lines in log.lost if n < log.counting):
            yield name, lost


def standings(director: str, logs: Mapping[str, Log]) -> bytes:
    """The standings of all logs at once, as `Fold.standings`."""
    fold = Fold(director)
    for name, log in logs.items():
        fold.add(name, log)
    return fold.standings()
