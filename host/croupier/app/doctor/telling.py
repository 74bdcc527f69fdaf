"""Findings for people in a terminal: what to mend first, first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Final

from croupier.app.doctor.finding import STATES, Finding, State, by_urgency
from croupier.app.telling import Teller

_WORDS: Final[dict[State, tuple[str, str]]] = {
    "wrong": ("wrong", "bold red"),
    "warning": ("look", "yellow"),
    "absent": ("not there", "dim"),
    "ok": ("ok", "green"),
}
_WIDTH: Final = 11


def tell(findings: Sequence[Finding], label: str = "") -> None:
    """A line for each, its remedy below it, and how many there are of each sort. ``label`` stands over all."""
    teller = Teller()
    if label:
        teller.say(label, style="bold magenta")
    for (state, told, remedy), alike in groupby(by_urgency(findings), lambda one: (one.state, one.told, one.remedy)):
        word, style = _WORDS[state]
        ids = ", ".join(one.id for one in alike)
        teller.say(f"{word:<{_WIDTH - 1}} {ids}: {told}", hanging=_WIDTH, style=style)
        if remedy:
            teller.say(f"→ {remedy}", _WIDTH)
    sorts = Counter(one.state for one in findings)
    teller.say(", ".join(f"{sorts[state]} {_WORDS[state][0]}" for state in STATES if sorts[state]), style="bold")
