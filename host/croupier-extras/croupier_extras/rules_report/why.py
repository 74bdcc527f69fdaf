"""Explains one line of a table log: the observation, the rulings on it, and the sentences behind them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from croupier.console import Printer
from croupier.errors import BadLog
from croupier.i18n import chosen
from croupier.log_replay import Record, place, replay
from croupier_rules.referee import Explainer, Header, Referee
from croupier_rules.referee.fields import PositionFields
from croupier_rules.referee.observations import to_json
from croupier_rules.referee.rulings import Ruling


@dataclass(frozen=True, slots=True)
class Moment:
    """A ``step`` of a game, its ``header``, and the position ``before`` the step."""

    header: Header
    before: PositionFields
    step: Record


def moment(log: str, line: int) -> Moment:
    """Return the step on line ``line`` of the table log ``log`` (``-``: standard input); line 1 is the header.

    Raises:
        BadLog: the input is not a table log up to that line, or the line has no observation.
    """
    steps = replay(log)
    header = next(steps)
    assert isinstance(header, Header)
    before = Referee(header).position()
    last = 1
    for step in steps:
        assert isinstance(step, Record)
        if step.line == line:
            return Moment(header, before, step)
        last = step.line
        if last > line:
            break
        before = step.fields
    where = f"{place(log)}, line {line}"
    if line == 1:
        raise BadLog(f"{where}: the header, on which nothing is ruled: expected a line from 2 on")
    if last > line:
        raise BadLog(f"{where}: empty: expected the line of a report, such as {last}")
    if last == 1:
        raise BadLog(f"{where}: the log is a header alone: expected one with reports, each explained by its line")
    raise BadLog(f"{where}: the log ends with line {last}: expected a line from 2 to {last}")


def to_line(found: Moment) -> dict[str, Any]:
    """Return a moment for JSON: position before, observation, and each ruling with its words and its source."""
    explainer = Explainer(found.header, chosen())
    return {
        "line": found.step.line,
        "ruleset": found.header.ruleset.name,
        "position": found.before,
        "observation": to_json(found.step.observation),
        "seen": explainer.seen(found.step.observation, found.step.on_turn),
        "rulings": [_ruling(ruling, explainer) for ruling in found.step.rulings],
    }


def _ruling(ruling: Ruling, explainer: Explainer) -> dict[str, Any]:
    basis, words = ruling.basis, explainer.explain(ruling)
    source = {"quote": basis.quote, "quoted_from": basis.quoted_from, "proposed": basis.proposed}
    return {
        **ruling.to_json(),
        "text": words.text,
        **{name: text for name, text in source.items() if text},
        **{name: True for name in ("restored", "chosen") if getattr(basis, name)},
    }


def print_moment(found: Moment, printer: Printer) -> None:
    """Print a moment."""
    explainer, step = Explainer(found.header, chosen()), found.step
    printer.print(found.header.ruleset.title, 11, "dim")
    printer.print(explainer.standing(found.before), 11)
    printer.print_step(step, explainer)
