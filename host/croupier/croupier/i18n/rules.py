"""The rules in words a player understands (``words.toml``): each a question, and each value an answer."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from croupier.i18n import _, ngettext
from croupier_rules.rules.catalogue import Value

WORDS: Final = Path(__file__).parent / "words.toml"
_NOTHING_SAID: Final = "nothing is said"


@dataclass(frozen=True, slots=True)
class Point:
    """A rule point: id, question, and each value in words. ``alike``: values with equal rulings; ``numbers``: what a
    number is, where the values are numbers: ``plain``, or of ``cards``."""

    rule: str
    question: str
    words: Mapping[str, str]
    alike: frozenset[str]
    numbers: str = ""

    def in_words(self, value: Value) -> str:
        """Return a value in words, in English."""
        if isinstance(value, int) and self.numbers:
            return str(value) if self.numbers == "plain" else f"{value} card{'s' if value > 1 else ''}"
        return self.words.get(str(value), _NOTHING_SAID)

    def in_the_language(self, value: Value) -> str:
        """Return a value in words, in the language of the terminal."""
        if isinstance(value, int) and self.numbers == "cards":
            return ngettext("{n} card", "{n} cards", value)
        return _(self.in_words(value))

    def differ(self, a: Value, b: Value) -> bool:
        """True if some ruling differs between the values ``a`` and ``b``."""
        return a != b and not {str(a), str(b)} <= self.alike


def _point(rule: str, words: dict[str, Any]) -> Point:
    question, alike, numbers = words.pop("question"), frozenset(words.pop("alike", ())), words.pop("numbers", "")
    return Point(rule, question, alike=alike, numbers=numbers, words=words)


def _groups() -> dict[str, tuple[Point, ...]]:
    text = WORDS.read_text(encoding="utf-8")
    return {
        group.pop("title"): tuple(_point(rule, words) for rule, words in group.items())
        for group in tomllib.loads(text).values()
    }


GROUPS: Final[Mapping[str, tuple[Point, ...]]] = _groups()
"""Every rule point, by group, in the order of a game."""


POINTS: Final[Mapping[str, Point]] = {point.rule: point for points in GROUPS.values() for point in points}
"""By rule id."""
