"""Runs the suite: each case once for an engine, and what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from croupier_bench.conformance.cases import Case, cases, differences, log_lines, rulesets_of
from croupier_bench.conformance.script import SHEET, CannotAsk, Engine, script

PASSED: Final = "passed"
FAILED: Final = "failed"
NOT_ASKED: Final = "cannot be asked"


class Result(NamedTuple):
    """What came of a case: one of `PASSED`, `FAILED` and `NOT_ASKED`, and why."""

    case: Case
    outcome: str
    why: str = ""


def run(engine: Engine, chosen: Sequence[Case] | None = None) -> Iterator[Result]:
    """Ask an engine every case of the classic English sheet, or the chosen ones."""
    for case in cases() if chosen is None else chosen:
        if SHEET not in rulesets_of(case):
            yield Result(case, NOT_ASKED, "another sheet, or rules of a table's own")
            continue
        try:
            layout, asked = script(case, engine)
        except CannotAsk as err:
            yield Result(case, NOT_ASKED, str(err))
            continue
        engine.lay_out(layout)
        yield Result(case, *_judged(engine, asked))


def _judged(engine: Engine, asked: Iterable[Any]) -> tuple[str, str]:
    for n, one in enumerate(asked):
        is_done = engine.do(one.move)
        if is_done == one.is_refused:
            said = "taken, though it is not allowed" if one.is_refused else "refused, though it is allowed"
            return FAILED, f"move {n + 1}, {' '.join(filter(None, (one.move.kind, one.move.card)))}: {said}"
        look = engine.look()
        for name, want in one.want.items():
            if look[name] != want:
                return FAILED, f"move {n + 1}, {one.move.kind}: {name} {want} expected, is {look[name]}"
    return PASSED, ""


Rule = Callable[[list[str]], list[dict[str, Any]]]
"""A referee of table logs: the lines of a log, and for each observation its ``rulings`` and the ``position``."""


def run_log(rule: Rule, chosen: Iterable[tuple[Case, str]]) -> Iterator[Result]:
    """Ask a referee that reads table logs, case by case with the ruleset."""
    for case, ruleset in chosen:
        found = differences(case, rule(log_lines(case, ruleset)))
        yield Result(case, FAILED if found else PASSED, "; ".join(found))


def counted(results: Iterable[Result]) -> dict[str, int]:
    """How many of each outcome."""
    counts = Counter(one.outcome for one in results)
    return {outcome: counts[outcome] for outcome in (PASSED, FAILED, NOT_ASKED)}
