"""The rule points as questions, and their values in words (``words.toml``)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final

from croupier.rules.catalogue import Value

_NOT_SAID: Final = "nothing is said"


@dataclass(frozen=True, slots=True)
class Point:
    """A rule id, its question, and what each value means; ``alike``: values under which all rulings are the same."""

    rule: str
    question: str
    words: Mapping[str, str]
    alike: frozenset[str]

    def said(self, value: Value) -> str:
        """A value in words."""
        return self.words.get(str(value), _NOT_SAID)

    def differ(self, a: Value, b: Value) -> bool:
        """Whether some ruling is another under ``a`` than under ``b``."""
        return a != b and not {str(a), str(b)} <= self.alike


def _point(rule: str, words: dict[str, Any]) -> Point:
    return Point(rule, words.pop("question"), alike=frozenset(words.pop("alike", ())), words=words)


def _groups() -> dict[str, tuple[Point, ...]]:
    text = (resources.files(__package__) / "words.toml").read_text(encoding="utf-8")
    return {
        group.pop("title"): tuple(_point(rule, words) for rule, words in group.items())
        for group in tomllib.loads(text).values()
    }


GROUPS: Final[Mapping[str, tuple[Point, ...]]] = _groups()
"""Every rule point, by group, in the order of a game."""
