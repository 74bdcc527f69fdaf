"""One line of a table log: where the table was, what was reported, what was ruled on it, and by which sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from croupier.console import Printer
from croupier.errors import BadLog
from croupier.i18n import chosen
from croupier.log_replay import Step, place, replay
from croupier.referee import Explainer, Header, Referee
from croupier.referee.observations import to_json
from croupier.referee.rulings import Ruling


@dataclass(frozen=True, slots=True)
class Moment:
    """A ``step`` of the game of ``header``, and the position ``before`` it."""

    header: Header
    before: dict[str, Any]
    step: Step


def moment(log: str, line: int) -> Moment:
    """What line ``line`` of the table log ``log`` (``-``: standard input) reports; line 1 is the header.

    Raises:
        BadLog: the input is no table log up to there, or nothing is reported on that line.
    """
    steps = replay(log)
    header = next(steps)
    assert isinstance(header, Header)
    before, last = Referee(header).position(), 1
    for step in steps:
        assert isinstance(step, Step)
        if step.line == line:
            return Moment(header, before, step)
        last = step.line
        if last > line:
            break
        before = step.referee.position()
    where = f"{place(log)}, line {line}"
    if line == 1:
        raise BadLog(f"{where}: the header, on which nothing is ruled: expected a line from 2 on")
    if last > line:
        raise BadLog(f"{where}: empty: expected the line of a report, such as {last}")
    if last == 1:
        raise BadLog(f"{where}: the log is a header alone: expected one with reports, each explained by its line")
    raise BadLog(f"{where}: the log ends with line {last}: expected a line from 2 to {last}")


def to_line(found: Moment) -> dict[str, Any]:
    """A moment for JSON: the position before, the report, and each ruling with its words and its source."""
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
    basis, told = ruling.basis, explainer.said(ruling)
    source = {"quote": basis.quote, "quoted_from": basis.quoted_from, "proposed": basis.proposed}
    return {
        **ruling.to_json(),
        "text": told.text,
        **{name: text for name, text in source.items() if text},
        **({"chosen": True} if basis.chosen else {}),
    }


def print_moment(found: Moment, printer: Printer) -> None:
    """A moment for people, in the language of the ruleset."""
    explainer, step = Explainer(found.header, chosen()), found.step
    printer.print(found.header.ruleset.title, 11, "dim")
    printer.print(explainer.standing(found.before), 11)
    printer.print(f"{step.observation.t:9.2f}  {explainer.seen(step.observation, step.on_turn)}")
    printer.print_rulings(step.rulings, explainer)
