"""Findings for people in a terminal: what to mend first, first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Final

from croupier.console import Printer
from croupier.doctor.finding import STATES, Finding, State, by_urgency
from croupier.i18n import _, marked

_WORDS: Final[dict[State, tuple[str, str]]] = {
    "wrong": (marked("wrong"), "bold red"),
    "warning": (marked("to look at"), "yellow"),
    "absent": (marked("not there"), "dim"),
    "ok": (marked("all right"), "green"),
}


def word_for(state: State) -> str:
    """What a state is called, in the language of the reader."""
    return _(_WORDS[state][0])


def tell(findings: Sequence[Finding], label: str = "") -> None:
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
