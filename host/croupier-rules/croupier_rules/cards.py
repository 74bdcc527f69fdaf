"""The cards of the game: faces, their text, and what a deck holds.

A face is written as in the table log: ``red-7``, ``blue-skip``, ``wild-draw4``. A number card that carries the
Add-a-Rule icon ends in a star (``red-2*``). Two words are not faces but reports about one: ``back`` (a card seen
face down) and ``?`` (a card that could not be read).

Which cards there are is data: a deck is a file in ``decks/`` (docs/decks.md).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from importlib import resources
from types import MappingProxyType
from typing import Any, Final

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
LEARNED: Final = COLORED + WILDS
"""The faces that the card reader knows as it is shipped; every other has to be enrolled."""

UNKNOWN: Final = -1
"""Stands for the kind of a card that nobody saw; in the referee also for no seat."""


def is_wild(face: str) -> bool:
    """True if the face or symbol belongs to a wild card."""
    return face.startswith("wild")


def symbol_of(face: str) -> str:
    """The number or action of a colored face (``skip``); of a wild its own name."""
    return face if is_wild(face) else face.rstrip("*").partition("-")[2]


def color_of(face: str) -> str | None:
    """The color printed on a face; None for a wild."""
    return None if is_wild(face) else face.partition("-")[0]


def _files() -> dict[str, dict[str, Any]]:
    """The deck files by name."""
    folder = resources.files(__package__) / "decks"
    names = sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml"))
    names.sort(key=lambda name: name != "g7942")
    return {name: tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8")) for name in names}


_FILES: Final = _files()

CARDS: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {symbol: card for file in _FILES.values() for symbol, card in file.get("card", {}).items()}
)
"""By symbol (as `symbol_of`): what the deck files say of it, numbers excepted."""

OWN_SYMBOLS: Final = tuple(symbol for symbol in CARDS if symbol not in (*SYMBOLS, *WILDS))
"""The symbols that only the deck files know."""

_OWN: Final = tuple(
    face
    for symbol in OWN_SYMBOLS
    for face in ((symbol,) if is_wild(symbol) else tuple(f"{color}-{symbol}" for color in COLORS))
)

FACES: Final = LEARNED + STARRED + _OWN
"""Every face there is, in a fixed order: a face's place here is its kind number."""

KIND: Final[Mapping[str, int]] = MappingProxyType({face: kind for kind, face in enumerate(FACES)})

KIND_SEEN: Final[Mapping[str, int]] = MappingProxyType({**KIND, BACK: UNKNOWN, UNREAD: UNKNOWN})
"""By what a camera may report (a face, ``back`` or ``?``): the kind."""

PLAIN: Final = tuple(KIND[face.rstrip("*")] for face in FACES)
"""By kind: the kind that the deck counts it as. No document lists which number cards carry the icon, so ``red-2*`` is
one of the two ``red-2``."""


def is_face(text: str) -> bool:
    """True if ``text`` names a printed face (``back`` and ``?`` do not)."""
    return text in KIND


def _counted(file: Mapping[str, Any]) -> Mapping[str, int]:
    """Return the number of cards of each face in a deck: the cards of the deck in ``like``, and its own cards."""
    deck = dict(_counted(_FILES[file["like"]])) if "like" in file else {}
    colored = [(symbol, n) for symbols, n in file.get("colored", {}).items() for symbol in _symbols(symbols)]
    deck |= {f"{color}-{symbol}": n for color in COLORS for symbol, n in colored}
    return MappingProxyType(deck | file.get("wilds", {}))


def _symbols(text: str) -> Iterator[str]:
    """The symbols that ``text`` stands for: ``1-9`` for nine numbers, else itself."""
    first, _, last = text.partition("-")
    return iter(NUMBERS[int(first) : int(last) + 1] if first.isdigit() and last else (text,))


DECKS: Final[Mapping[str, Mapping[str, int]]] = MappingProxyType(
    {name: _counted(file) for name, file in _FILES.items()}
)
"""Number of cards of each face, by the deck's name (as in ``croupier audit --deck``)."""


def shown_by(deck: str, *, icons: bool = False) -> Mapping[str, int]:
    """The faces of the cards of ``deck``, and the greatest number of cards with each face. Number cards may carry the
    Add-a-Rule icon if
    ``icons``, or if the deck file says so: ``red-2*`` is one of the two ``red-2``."""
    held = DECKS[deck]
    if not (icons or _FILES[deck].get("icons", False)):
        return held
    return MappingProxyType({**held, **{face: held[face.rstrip("*")] for face in STARRED if face.rstrip("*") in held}})
