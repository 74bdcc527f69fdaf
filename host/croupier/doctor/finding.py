"""What a check found, in English for programs and distant helpers, and in the reader's language in the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final, Literal

from croupier.console import Printer
from croupier.i18n import _, marked

State = Literal["ok", "warning", "wrong", "absent"]
"""``absent``: not there, and so not checked; a table without a shoe is no broken table."""

STATES: Final[tuple[State, ...]] = ("wrong", "warning", "ok", "absent")
"""What to mend first stands first."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The answer of one check.

    ``id`` never changes, so that a program or a bug report can name it. ``text``: what was found, in a sentence;
    ``advice``: what to do, "" where there is nothing to do. Both are English, and what differs is named in braces:
    ``measured`` fills it in, the figures behind it, with units in their names.
    """

    id: str
    state: State
    text: str
    advice: str = ""
    measured: Mapping[str, Any] = field(default_factory=dict)

    @property
    def message(self) -> str:
        """What was found, in English."""
        return self.text.format(**self.measured)

    @property
    def remedy(self) -> str:
        """What to do, in English."""
        return self.advice.format(**self.measured)

    def in_words(self) -> tuple[str, str]:
        """What was found and what to do, in the language of the reader."""
        return _(self.text).format(**self.measured), _(self.advice).format(**self.measured) if self.advice else ""

    def to_json(self) -> dict[str, Any]:
        """As `croupier doctor --json` tells it, in English."""
        return {
            "id": self.id, "state": self.state, "told": self.message, "remedy": self.remedy,
            "measured": {**self.measured},
        }  # fmt: skip


def plain(text: str) -> str:
    """A text that is said as it is, whatever stands in it."""
    return text.replace("{", "{{").replace("}", "}}")


def graded(
    name: str, text: str, remedy: str, /, *, wrong: bool = False, warning: bool = False, **measured: Any
) -> Finding:  # fmt: skip
    """A finding that is wrong, a warning, or ok (and then needs no remedy), with what was measured."""
    state: State = "wrong" if wrong else "warning" if warning else "ok"
    return Finding(name, state, text, remedy if state != "ok" else "", measured)


def ok(text: str, /, **measured: Any) -> Finding:
    """All is well; the id is given by who asked."""
    return Finding("", "ok", text, "", measured)


def warning(text: str, advice: str, /, **measured: Any) -> Finding:
    """Something to be looked at."""
    return Finding("", "warning", text, advice, measured)


def wrong(text: str, advice: str, /, **measured: Any) -> Finding:
    """Something that does not work."""
    return Finding("", "wrong", text, advice, measured)


def absent(text: str, /, **measured: Any) -> Finding:
    """Not there, or not looked at."""
    return Finding("", "absent", text, "", measured)


def by_urgency(findings: Iterable[Finding]) -> list[Finding]:
    """What to mend first, first; else in the order in which they were checked: a cause before what follows from it."""
    return sorted(findings, key=lambda one: STATES.index(one.state))


def exit_status(findings: Iterable[Finding]) -> int:
    """0: all is well; 1: something is to be looked at; 2: something is wrong."""
    states = {one.state for one in findings}
    return 2 if "wrong" in states else 1 if "warning" in states else 0


_WORDS: Final[dict[State, tuple[str, str]]] = {
    "wrong": (marked("wrong"), "bold red"),
    "warning": (marked("to look at"), "yellow"),
    "absent": (marked("not there"), "dim"),
    "ok": (marked("all right"), "green"),
}


def word_for(state: State) -> str:
    """What a state is called, in the language of the reader."""
    return _(_WORDS[state][0])


def print_findings(findings: Sequence[Finding], label: str = "") -> None:
    """A line for each, its remedy below it, and how many there are of each sort. ``label`` stands over all."""
    printer = Printer()
    if label:
        printer.print(label, style="bold magenta")
    words = {state: word_for(state) for state in STATES}
    width = max(map(len, words.values())) + 2
    for (state, (told, remedy)), alike in groupby(by_urgency(findings), lambda one: (one.state, one.in_words())):
        ids = ", ".join(one.id for one in alike)
        printer.print(f"{words[state]:<{width}}{ids}: {told}", hanging=width, style=_WORDS[state][1])
        if remedy:
            printer.print(f"→ {remedy}", width)
    sorts = Counter(one.state for one in findings)
    printer.print(", ".join(f"{words[state]}: {sorts[state]}" for state in STATES if sorts[state]), style="bold")
