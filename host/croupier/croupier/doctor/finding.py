"""Findings of checks: in English for programs and remote helpers, in the reader's language in the terminal."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final, Literal

from croupier.console import Printer
from croupier.i18n import _, marked

State = Literal["ok", "warning", "wrong", "absent"]
"""``absent``: the device is not part of the table, or the check did not run."""

STATES: Final[tuple[State, ...]] = ("wrong", "warning", "ok", "absent")
"""The most urgent first."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check.

    ``id``: stable name for programs and bug reports. ``text``: one English sentence; ``advice``: what to do, or "".
    ``measured``: figures with units in their names; they fill the placeholders of both.
    """

    id: str
    state: State
    text: str
    advice: str = ""
    measured: Mapping[str, Any] = field(default_factory=dict)

    @property
    def message(self) -> str:
        """The text, in English."""
        return self.text.format(**self.measured)

    @property
    def remedy(self) -> str:
        """The advice, in English."""
        return self.advice.format(**self.measured)

    def in_words(self) -> tuple[str, str]:
        """Text and advice in the language of the reader."""
        return _(self.text).format(**self.measured), _(self.advice).format(**self.measured) if self.advice else ""

    def to_json(self) -> dict[str, Any]:
        """The JSON object of `croupier doctor --json`, in English."""
        return {
            "id": self.id, "state": self.state, "text": self.message, "remedy": self.remedy,
            "measured": {**self.measured},
        }  # fmt: skip


def plain(text: str) -> str:
    """Escape braces in a text that has no placeholders."""
    return text.replace("{", "{{").replace("}", "}}")


def graded(
    name: str, text: str, remedy: str, /, *, wrong: bool = False, warning: bool = False, **measured: Any
) -> Finding:  # fmt: skip
    """Make a finding that is wrong, a warning, or ok without advice."""
    state: State = "wrong" if wrong else "warning" if warning else "ok"
    return Finding(name, state, text, remedy if state != "ok" else "", measured)


def ok(text: str, /, **measured: Any) -> Finding:
    """Make a finding that all is well; `check.ask` sets the id."""
    return Finding("", "ok", text, "", measured)


def warning(text: str, advice: str, /, **measured: Any) -> Finding:
    """Make a finding that needs attention."""
    return Finding("", "warning", text, advice, measured)


def wrong(text: str, advice: str, /, **measured: Any) -> Finding:
    """Make a finding that something does not work."""
    return Finding("", "wrong", text, advice, measured)


def absent(text: str, /, **measured: Any) -> Finding:
    """Make a finding that there is nothing to check."""
    return Finding("", "absent", text, "", measured)


def by_urgency(findings: Iterable[Finding]) -> list[Finding]:
    """Sort findings, the most urgent first; a cause stays before its effects."""
    return sorted(findings, key=lambda one: STATES.index(one.state))


def exit_status(findings: Iterable[Finding]) -> int:
    """Return 0 if all is well, 1 for a warning, 2 if something is wrong."""
    states = {one.state for one in findings}
    return 2 if "wrong" in states else 1 if "warning" in states else 0


_WORDS: Final[dict[State, tuple[str, str]]] = {
    "wrong": (marked("wrong"), "bold red"),
    "warning": (marked("check"), "yellow"),
    "absent": (marked("not there"), "dim"),
    "ok": (marked("OK"), "green"),
}


def word_for(state: State) -> str:
    """Return the word for a state in the language of the reader."""
    return _(_WORDS[state][0])


def publish(findings: Sequence[Finding], world: str, *, as_json: bool) -> int:
    """Print the findings of a ``world``, hardware or a simulation, or dump them as JSON. Return the exit status."""
    if as_json:
        print(json.dumps({"world": world, "findings": [finding.to_json() for finding in findings]}))
    else:
        print_findings(findings, "" if world == "hardware" else world)
    return exit_status(findings)


def print_findings(findings: Sequence[Finding], label: str = "") -> None:
    """Print each finding with its advice, and the number in each state, below ``label``."""
    printer = Printer()
    if label:
        printer.print(label, style="bold magenta")
    words = {state: word_for(state) for state in STATES}
    width = max(map(len, words.values())) + 2
    for (state, (text, advice)), alike in groupby(by_urgency(findings), lambda one: (one.state, one.in_words())):
        ids = ", ".join(one.id for one in alike)
        printer.print(f"{words[state]:<{width}}{ids}: {text}", hanging=width, style=_WORDS[state][1])
        if advice:
            printer.print(f"→ {advice}", width)
    sorts = Counter(one.state for one in findings)
    printer.print(", ".join(f"{words[state]}: {sorts[state]}" for state in STATES if sorts[state]), style="bold")
