"""The cards of the game: faces, their text, and what a deck holds.

A face is written as in the table log: ``red-7``, ``blue-skip``, ``wild-draw4``. A number card that carries the
Add-a-Rule icon ends in a star (``red-2*``). Two words are not faces but reports about one: ``back`` (a card seen
face down) and ``?`` (a card that could not be read).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

COLORS: Final = ("red", "yellow", "green", "blue")
NUMBERS: Final = tuple("0123456789")
ACTIONS: Final = ("skip", "reverse", "draw2")
SYMBOLS: Final = NUMBERS + ACTIONS
WILDS: Final = ("wild", "wild-draw4", "wild-shuffle", "wild-blank", "wild-house")

BACK: Final = "back"
UNREAD: Final = "?"

SHAPES: Final = {"red": "circle", "yellow": "star", "green": "triangle", "blue": "square"}
"""The marks that stand for the colors on cards for the color-blind; the page and the panel's keys show them too."""

CARD_MM: Final = (56.0, 88.0)
"""Width and length of a card."""

COLORED: Final = tuple(f"{color}-{symbol}" for color in COLORS for symbol in SYMBOLS)
STARRED: Final = tuple(f"{color}-{number}*" for color in COLORS for number in NUMBERS)
FACES: Final = COLORED + WILDS + STARRED
"""Every face there is, in a fixed order: a face's place here is its kind number."""

KIND: Final[Mapping[str, int]] = MappingProxyType({face: kind for kind, face in enumerate(FACES)})

UNKNOWN: Final = -1
"""Stands for the kind of a card that nobody saw; in the referee also for no seat."""

KIND_SEEN: Final[Mapping[str, int]] = MappingProxyType({**KIND, BACK: UNKNOWN, UNREAD: UNKNOWN})
"""By what a camera may report (a face, ``back`` or ``?``): the kind."""

PLAIN: Final = tuple(KIND[face.rstrip("*")] for face in FACES)
"""By kind: the kind that the deck counts it as. Which number cards carry the icon no document lists, so ``red-2*`` is
one of the two ``red-2``."""


def is_face(text: str) -> bool:
    """Whether ``text`` names a printed face (``back`` and ``?`` do not)."""
    return text in KIND


def _standard() -> dict[str, int]:
    """108 cards: a 0 and two of each other symbol in each color, four of each wild ("108 cards as follows", g7942)."""
    deck = {face: 1 if face.endswith("-0") else 2 for face in COLORED}
    deck["wild"] = deck["wild-draw4"] = 4
    return deck


DECKS: Final[Mapping[str, Mapping[str, int]]] = MappingProxyType(
    {
        "g7942": MappingProxyType(_standard()),
        "classic-hu": MappingProxyType(_standard()),
        "official-el": MappingProxyType(_standard() | {"wild-shuffle": 1, "wild-blank": 3}),
        "house-rules-pl": MappingProxyType(_standard() | {"wild-house": 4}),
    }
)
"""How often each face is in each deck, by the deck's name (as ``croupier audit --deck`` takes it)."""
