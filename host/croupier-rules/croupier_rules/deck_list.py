"""Deck lists: the faces of a deck, how many cards of each, and what each counts in a hand (docs/decks.md).

A deck list is read from a deck file: one that ships, or that of a person's own edition, whose faces may have names
that no rule sheet knows (``orange-3``, ``pink-skip-all``, ``flip``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice
from types import MappingProxyType
from typing import Any, Final

from croupier_rules.cards import (
    BACK,
    CARDS,
    COLORS,
    DECKS,
    FILES,
    counted,
    described,
    is_face,
    is_name,
    is_wild,
    points_of,
    side_counts,
    symbol_of,
    symbols_in,
    with_icons,
)
from croupier_rules.errors import BadDeck, marked, nearest_names

MOST_CARDS: Final = 99
"""Of a face."""
MOST_FACES: Final = 500
MOST_POINTS: Final = 1000

_SIDE: Final = ("colors", "colored", "wilds")
_DECK: Final = ("like", "icons", *_SIDE, "side", "card")
_CARD: Final = ("points", "effect", "sign", "drawing", "names")

_UNKNOWN: Final = marked("{key}: unknown; expected one of {names}")
_NEAREST: Final = marked("{key}: unknown; did you mean {names}?")
_WRONG: Final = marked("{key} = {value}: expected such as {example}")
_NAME: Final = marked("{key}: a name has small letters, digits and hyphens between them, such as {example}")
_RANGE: Final = marked("{key}: expected a range such as 1-9")
_NO_CARDS: Final = marked("no cards; expected such as {example}")
_TOO_MANY: Final = marked("{n} faces; expected at most {most}")
_NO_POINTS: Final = marked("{key}: missing; expected what this card counts in a hand, such as {example}")
_NO_SUCH_CARD: Final = marked("{key}: the deck has no such card; name it in {names}, or delete this table")


@dataclass(frozen=True, slots=True)
class DeckList:
    """What a deck holds.

    ``name``: that of the deck that ships, or of the file. ``sides``: the number of cards of each face; of a deck whose
    cards have two faces, for each side. ``points``: of each face. ``icons``: number cards may carry the Add-a-Rule
    icon.
    """

    name: str
    sides: tuple[Mapping[str, int], ...]
    points: Mapping[str, int]
    icons: bool = False

    @property
    def cards(self) -> Mapping[str, int]:
        """The number of cards of each face, of all sides."""
        return _added(self.sides)

    @property
    def shown(self) -> Mapping[str, int]:
        """What the cards may show, and at most how many: as `croupier_rules.cards.shown_by`."""
        return with_icons(self.cards) if self.icons else self.cards

    @property
    def own(self) -> tuple[str, ...]:
        """The faces that no rule sheet knows, so that no referee can judge them."""
        return tuple(face for face in self.cards if not is_face(face))

    def names(self, face: str) -> bool:
        """True if a card may be called ``face``, or ``back``. Of a deck of common faces alone, all of these are known,
        since cards of other decks may lie among its own."""
        return face == BACK or face in self.shown or (not self.own and is_face(face))

    def seen(self, faces: Collection[str]) -> Mapping[str, int]:
        """The number of cards of each face, of those sides that show any of these ``faces``; of all if none does."""
        return _added([side for side in self.sides if not side.keys().isdisjoint(faces)] or self.sides)

    @classmethod
    def shipped(cls, name: str, *, icons: bool = False) -> DeckList:
        """The deck of this name in `DECKS`. ``icons``: as in `croupier_rules.cards.shown_by`."""
        file = FILES[name]
        sides = side_counts(file)
        points = _points({face: symbol_of(face) for side in sides for face in side}, file)
        return cls(name, sides, points, icons or file.get("icons", False))

    @classmethod
    def parse(cls, file: Mapping[str, Any], name: str) -> DeckList:
        """The deck of a parsed deck file of this ``name``. Raises `BadDeck`, which names the key."""
        _check_keys("", file, _DECK)
        if "like" in file and (not isinstance(file["like"], str) or file["like"] not in DECKS):
            raise BadDeck(_UNKNOWN, key=f"like = {_short(file['like'])}", names=", ".join(DECKS))
        if not isinstance(file.get("icons", False), bool):
            raise BadDeck(_WRONG, key="icons", value=_short(file["icons"]), example="icons = true")
        cards, others = _table(file, "card"), _table(file, "side")
        _check_side("", file)
        for other in others:
            where = f"[side.{other}] "
            _check_keys(where, side := _table(others, other, "side."), _SIDE)
            _check_side(where, side)
        sides = tuple(
            MappingProxyType({face: n for face, n in counted(side).items() if n}) for side in (file, *others.values())
        )
        sides = tuple(side for side in sides if side)
        if not sides:
            raise BadDeck(_NO_CARDS, example="colored = { 0-9 = 2, skip = 2 }")
        if (faces := len(_added(sides))) > MOST_FACES:
            raise BadDeck(_TOO_MANY, n=faces, most=MOST_FACES)
        own = set(_counted(cards))
        symbols = {face: symbol for side in (file, *others.values()) for face, symbol in _symbols(side)}
        if without := own - set(symbols.values()):
            raise BadDeck(_NO_SUCH_CARD, key=f"[card.{min(without)}]", names="colored / wilds")
        held = _added(sides)
        points = _points({face: symbol for face, symbol in symbols.items() if face in held}, file)
        return cls(name, sides, points, file.get("icons", False))


def _added(sides: Collection[Mapping[str, int]]) -> Mapping[str, int]:
    added = dict[str, int]()
    for side in sides:
        for face, n in side.items():
            added[face] = added.get(face, 0) + n
    return MappingProxyType(added)


def _symbols(file: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each face of a deck file or of a side of one, and the symbol that describes it in ``card``: a colored face
    without its color, any other itself."""
    if "like" in file:
        yield from ((face, symbol_of(face)) for face in DECKS[file["like"]])
    for symbols in file.get("colored", {}):
        for symbol in symbols_in(symbols):
            yield from ((f"{color}-{symbol}", symbol) for color in file.get("colors", COLORS))
    yield from ((face, face) for face in file.get("wilds", {}))


def _points(symbols: Mapping[str, str], file: Mapping[str, Any]) -> Mapping[str, int]:
    """What each face of a deck file counts: as the file itself or the deck in its ``like`` says, else its number, else
    as the decks that ship. ``symbols``: by face. Raises `BadDeck` if none of them says it."""
    said, points = described(file), dict[str, int]()
    for face, symbol in symbols.items():
        counts = points_of(symbol, said)
        if counts is None and (counts := points_of(symbol, CARDS)) is None:
            raise BadDeck(_NO_POINTS, key=f"[card.{symbol}] points", example="points = 20")
        points[face] = counts
    return with_icons(points)


def _counted(cards: Mapping[str, Any]) -> Iterator[str]:
    """Yield the symbols of which the file itself says what they count."""
    for symbol in cards:
        _check_keys(f"[card.{symbol}] ", card := _table(cards, symbol, "card."), _CARD)
        if "points" not in card:
            if symbol not in CARDS and not symbol.isdigit():
                raise BadDeck(_NO_POINTS, key=f"[card.{symbol}] points", example="points = 20")
            continue
        if not _is_number(card["points"], MOST_POINTS):
            raise BadDeck(_WRONG, key=f"[card.{symbol}] points", value=_short(card["points"]), example="points = 20")
        yield symbol


def _check_side(where: str, side: Mapping[str, Any]) -> None:
    colors = side.get("colors", COLORS)
    if not isinstance(colors, list | tuple) or not colors or not all(isinstance(one, str) for one in colors):
        raise BadDeck(_WRONG, key=f"{where}colors", value=_short(colors), example='colors = ["orange", "pink"]')
    for color in colors:
        if not is_name(color) or "-" in color or is_wild(color):
            raise BadDeck(_NAME, key=f"{where}colors: {_short(color)}", example="orange")
    for table, example in (("colored", "skip-all"), ("wilds", "wild-draw2")):
        for symbols, n in _table(side, table, where).items():
            key = f"{where}{table}.{symbols}"
            if not is_name(symbols) or symbols == BACK:
                raise BadDeck(_NAME, key=key, example=example)
            if table == "colored" and not 0 < len(list(islice(symbols_in(symbols), MOST_FACES + 1))) <= MOST_FACES:
                raise BadDeck(_RANGE, key=key)
            if not _is_number(n, MOST_CARDS):
                raise BadDeck(_WRONG, key=key, value=_short(n), example=f"{symbols} = 2")


def _check_keys(where: str, table: Mapping[str, Any], known: Collection[str]) -> None:
    for key in table:
        if key not in known:
            near = nearest_names(key, known)
            text, names = (_NEAREST, " / ".join(near)) if near else (_UNKNOWN, ", ".join(known))
            raise BadDeck(text, key=f"{where}{key[:60]}", names=names)


def _table(file: Mapping[str, Any], key: str, where: str = "") -> Mapping[str, Any]:
    table = file.get(key, {})
    if not isinstance(table, Mapping):
        example = {"colored": "colored = { 1-9 = 2 }", "wilds": "wilds = { wild = 4 }"}.get(key, f"[{where}{key}]")
        raise BadDeck(_WRONG, key=f"{where}{key}", value=_short(table), example=example)
    return table


def _is_number(value: object, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def _short(value: object) -> str:
    return repr(value)[:60]


@cache
def shipped_points() -> Mapping[str, int]:
    """What each face counts in the first of the decks that ship which has it."""
    points = dict[str, int]()
    for name in DECKS:
        points = {**DeckList.shipped(name).points, **points}
    return points
