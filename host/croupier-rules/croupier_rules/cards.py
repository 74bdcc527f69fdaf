"""The cards of the game: faces, their text, and what a deck holds.

A face is written as in the table log: ``red-7``, ``blue-skip``, ``wild-draw4``. A number card that carries the
Add-a-Rule icon ends in a star (``red-2*``). Two words are not faces but reports about one: ``back`` (a card seen
face down) and ``?`` (a card that could not be read).

Which cards there are is data: a deck is a file in ``decks/`` (docs/decks.md).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from importlib import resources
from types import MappingProxyType
from typing import Any, Final

BACK: Final = "back"
UNREAD: Final = "?"

CARD_MM: Final = (56.0, 88.0)
"""Width and length of a card."""

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


FIRST_DECK: Final = "g7942"
"""The deck whose colors and cards the other files need not describe again."""


def _files() -> dict[str, dict[str, Any]]:
    """The deck files by name."""
    folder = resources.files(__package__) / "decks"
    names = sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml"))
    names.sort(key=lambda name: name != FIRST_DECK)
    return {name: tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8")) for name in names}


FILES: Final = _files()
"""The deck files that ship, by name."""

COLORS: Final[tuple[str, ...]] = tuple(FILES[FIRST_DECK]["colors"])
NUMBERS: Final = tuple("0123456789")
ACTIONS: Final = ("skip", "reverse", "draw2")
SYMBOLS: Final = NUMBERS + ACTIONS
WILDS: Final = ("wild", "wild-draw4", "wild-shuffle", "wild-blank", "wild-house")
COLORED: Final = tuple(f"{color}-{symbol}" for color in COLORS for symbol in SYMBOLS)
STARRED: Final = tuple(f"{color}-{number}*" for color in COLORS for number in NUMBERS)
LEARNED: Final = COLORED + WILDS
"""The faces that the card reader knows as it is shipped; every other has to be enrolled."""

SHAPES: Final = {"red": "circle", "yellow": "star", "green": "triangle", "blue": "square"}
"""The marks that stand for the colors on cards for the color-blind; the page and the panel's keys show them too."""


def _united(table: str) -> Mapping[str, Mapping[str, Any]]:
    """The entries of a table of all deck files; of those with one name, that of the first file."""
    entries = dict[str, Mapping[str, Any]]()
    for file in FILES.values():
        for name, entry in file.get(table, {}).items():
            entries.setdefault(name, entry)
    return MappingProxyType(entries)


CARDS: Final = _united("card")
"""By symbol (as `symbol_of`): what the first of the deck files that describe it says. What a card does and counts in
one deck, `described` says."""


COLOR_SIGNS: Final = _united("color")
"""By color, those of the first deck excepted: what the deck files say of it."""


def symbol_name(symbol: str, language: str) -> str:
    """The name of a symbol of a deck file in a language; a number is its own name."""
    return str(CARDS.get(symbol, {}).get("names", {}).get(language, symbol))


MARKS: Final = SHAPES | {color: said["shape"] for color, said in COLOR_SIGNS.items()}
"""The marks of the colors of all decks, as `SHAPES`: suits have their own."""

KEYS: Final = {color: color for color in COLORS} | {color: said["key"] for color, said in COLOR_SIGNS.items()}
"""By color: the first deck's color whose key names it at a seat, and whose light shows it on the ring."""


def colors_of(file: Mapping[str, Any]) -> tuple[str, ...]:
    """The colors of the cards of a deck file, those of further sides last."""
    like = colors_of(FILES[file["like"]]) if "like" in file else ()
    own = [color for side in _sides(file) for color in side.get("colors", () if like else COLORS)]
    return tuple(dict.fromkeys((*like, *own)))


def described(file: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    """By symbol: what a deck file says of its cards, else what the deck in its ``like`` or the first deck says."""
    known = described(FILES[file["like"]]) if "like" in file else FILES[FIRST_DECK]["card"]
    own = {symbol: {**known.get(symbol, {}), **card} for symbol, card in file.get("card", {}).items()}
    return MappingProxyType({**known, **own})


def points_of(symbol: str, said: Mapping[str, Mapping[str, Any]]) -> int | None:
    """What a card counts in a hand: as ``said`` of its deck (`described`), else the number on it; None where neither
    says it."""
    points = said.get(symbol, {}).get("points", symbol if symbol.isdigit() else None)
    return None if points is None else int(points)


def _sides(file: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    return file, *file.get("side", {}).values()


def side_counts(file: Mapping[str, Any]) -> tuple[Mapping[str, int], ...]:
    """The number of cards of each face, for each side of the cards of a deck file."""
    return tuple(map(counted, _sides(file)))


def counted(file: Mapping[str, Any]) -> Mapping[str, int]:
    """Return the number of cards of each face in a deck, or on a side of one: the cards of the deck in ``like``, and
    its own cards."""
    deck = dict(counted(FILES[file["like"]])) if "like" in file else {}
    own = [(symbol, n) for symbols, n in file.get("colored", {}).items() for symbol in symbols_in(symbols)]
    deck |= {f"{color}-{symbol}": n for color in file.get("colors", COLORS) for symbol, n in own}
    return MappingProxyType(deck | file.get("wilds", {}))


def symbols_in(text: str) -> Iterator[str]:
    """The symbols that ``text`` of a deck file stands for: ``1-9`` for nine numbers, else itself."""
    first, _, last = text.partition("-")
    is_range = first.isdigit() and last.isdigit()
    return map(str, range(int(first), int(last) + 1)) if is_range else iter((text,))


DECK_COLORS: Final = tuple(dict.fromkeys(color for file in FILES.values() for color in colors_of(file)))
"""The colors of all decks that ship."""

_OWN: Final = tuple(
    dict.fromkeys(face for file in FILES.values() for side in side_counts(file) for face in side if face not in LEARNED)
)

OWN_SYMBOLS: Final = tuple(
    dict.fromkeys(symbol for face in _OWN if not (symbol := symbol_of(face)).isdigit() and symbol not in SYMBOLS)
)
"""The symbols that only the deck files know, numbers excepted."""

FACES: Final = LEARNED + STARRED + _OWN
"""Every face there is, in a fixed order: a face's place here is its kind number."""

KIND: Final[Mapping[str, int]] = MappingProxyType({face: kind for kind, face in enumerate(FACES)})

KIND_SEEN: Final[Mapping[str, int]] = MappingProxyType({**KIND, BACK: UNKNOWN, UNREAD: UNKNOWN})
"""By what a camera may report (a face, ``back`` or ``?``): the kind."""

PLAIN: Final = tuple(KIND[face.rstrip("*")] for face in FACES)
"""By kind: the kind that the deck counts it as. No document lists which number cards carry the icon, so ``red-2*`` is
one of the two ``red-2``."""


_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\*?")
_MOST_LETTERS: Final = 40


def is_name(text: str) -> bool:
    """Whether ``text`` has the form of the name of a face, also of one that only a person's own deck file knows."""
    return len(text) <= _MOST_LETTERS and _NAME.fullmatch(text) is not None


def is_face(text: str) -> bool:
    """True if ``text`` names a printed face (``back`` and ``?`` do not)."""
    return text in KIND


DECKS: Final[Mapping[str, Mapping[str, int]]] = MappingProxyType({name: counted(file) for name, file in FILES.items()})
"""Number of cards of each face, by the deck's name (as in ``croupier audit --deck``); of cards with two faces, those of
the first side."""


def shown_by(deck: str, *, icons: bool = False) -> Mapping[str, int]:
    """The faces of the cards of ``deck``, and the greatest number of cards with each face. Number cards may carry the
    Add-a-Rule icon if ``icons``, or if the deck file says so: ``red-2*`` is one of the two ``red-2``."""
    held = DECKS[deck]
    return with_icons(held) if icons or FILES[deck].get("icons", False) else held


def with_icons(by_face: Mapping[str, int]) -> Mapping[str, int]:
    """The same numbers, and those of the number cards also for the cards with the icon."""
    starred = {face: by_face[face.rstrip("*")] for face in STARRED if face.rstrip("*") in by_face}
    return MappingProxyType({**by_face, **starred})
