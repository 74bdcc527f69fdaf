"""What a check found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal

State = Literal["ok", "warning", "wrong", "absent"]
"""``absent``: not there, and so not checked; a table without a shoe is no broken table."""

STATES: Final[tuple[State, ...]] = ("wrong", "warning", "ok", "absent")
"""What to mend first stands first."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The answer of one check.

    ``id`` never changes, so that a program or a bug report can name it. ``told``: what was found, in a sentence.
    ``remedy``: what to do; "" where there is nothing to do. ``measured``: the figures behind it, units in their names.
    """

    id: str
    state: State
    told: str
    remedy: str = ""
    measured: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """As `croupier doctor --json` tells it."""
        return asdict(self)


def graded(
    name: str, text: str, remedy: str, /, *, wrong: bool = False, warning: bool = False, **measured: Any
) -> Finding:  # fmt: skip
    """A finding that is wrong, a warning, or ok (and then needs no remedy), with what was measured."""
    state: State = "wrong" if wrong else "warning" if warning else "ok"
    return Finding(name, state, text, remedy if state != "ok" else "", measured)


def ok(told: str, **measured: Any) -> Finding:
    """All is well; the id is given by who asked."""
    return Finding("", "ok", told, "", measured)


def warning(told: str, remedy: str, **measured: Any) -> Finding:
    """Something to be looked at."""
    return Finding("", "warning", told, remedy, measured)


def wrong(told: str, remedy: str, **measured: Any) -> Finding:
    """Something that does not work."""
    return Finding("", "wrong", told, remedy, measured)


def absent(told: str, remedy: str = "") -> Finding:
    """Not there, or not looked at."""
    return Finding("", "absent", told, remedy)


def by_urgency(findings: Iterable[Finding]) -> list[Finding]:
    """What to mend first, first; else in the order in which they were checked: a cause before what follows from it."""
    return sorted(findings, key=lambda one: STATES.index(one.state))


def exit_status(findings: Iterable[Finding]) -> int:
    """0: all is well; 1: something is to be looked at; 2: something is wrong."""
    states = {one.state for one in findings}
    return 2 if "wrong" in states else 1 if "warning" in states else 0
