"""Tables by card kind: effect, number, color, points, and which card may be laid on which.

All documents agree on matching (``match.basic``, ``match.action_on``): the same color, the same number or symbol, or
any wild; an action card on its color or its like. The active color belongs to the table, not to the card: after a wild
it is the color that was named.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from croupier.cards import COLORS, FACES, NUMBERS, PLAIN, SYMBOLS, WILDS

EFFECTS: Final = range(8)
NOTHING, SKIP, REVERSE, DRAW2, WILD, WILD_DRAW4, SHUFFLE_HANDS, AS_WRITTEN = EFFECTS

_BY_SYMBOL: Final = {"skip": SKIP, "reverse": REVERSE, "draw2": DRAW2}
_BY_WILD: Final = {
    "wild": WILD,
    "wild-draw4": WILD_DRAW4,
    "wild-shuffle": SHUFFLE_HANDS,
    "wild-blank": AS_WRITTEN,
    "wild-house": WILD,
}

EFFECT_OF: Final = tuple(_BY_WILD.get(face) or _BY_SYMBOL.get(face.partition("-")[2], NOTHING) for face in FACES)
"""By kind: its effect."""

NO_NUMBER: Final = -1


def _number(face: str) -> int:
    symbol = face.rstrip("*").partition("-")[2]
    return int(symbol) if symbol in NUMBERS else NO_NUMBER


NUMBER_OF: Final = tuple(map(_number, FACES))
"""By kind: the number on it, or `NO_NUMBER`."""

MAY_RULE: Final = bytes(face.endswith("*") or face == "wild-house" for face in FACES)
"""By kind: whether who lays it may make, or change, a house rule."""

CARDS_OF: Final = {DRAW2: 2, WILD_DRAW4: 4}
"""How many cards an effect makes the next seat draw."""

START_RULE: Final = {
    SKIP: "start.skip",
    REVERSE: "start.reverse",
    DRAW2: "start.draw2",
    WILD: "start.wild.who_names_color",
    SHUFFLE_HANDS: "start.wild.who_names_color",
    AS_WRITTEN: "start.wild.who_names_color",
    WILD_DRAW4: "start.wd4",
}
"""The rule that says what an effect does when the card is turned up first."""


NO_COLOR: Final = len(COLORS)
"""The color of a wild, and of the table before a color is set."""


def _color(face: str) -> int:
    color = face.partition("-")[0]
    return COLORS.index(color) if color in COLORS else NO_COLOR


def _symbol(face: str) -> int:
    symbol = face.rstrip("*").partition("-")[2]
    return len(SYMBOLS) if face in WILDS else SYMBOLS.index(symbol)


COLOR_OF: Final = tuple(map(_color, FACES))
"""By kind: its color (an index of `COLORS`), or `NO_COLOR` for a wild."""

SYMBOL_OF: Final = tuple(map(_symbol, FACES))
"""By kind: its symbol (an index of `SYMBOLS`), or ``len(SYMBOLS)`` for a wild."""

IS_WILD: Final = tuple(face in WILDS for face in FACES)
IS_ACTION: Final = tuple(face.endswith(("skip", "reverse", "draw2")) and face not in WILDS for face in FACES)
ANY: Final = (True,) * len(FACES) + (False,)
"""Anything may be laid; but the last place is for a card that could not be read (kind -1), of which nobody knows."""


def _playable(symbol: int, color: int) -> tuple[bool, ...]:
    if color == NO_COLOR:
        return ANY
    fits = [IS_WILD[kind] or COLOR_OF[kind] == color or SYMBOL_OF[kind] == symbol for kind in range(len(FACES))]
    return (*fits, False)


@dataclass(frozen=True, slots=True, eq=False)
class UpCard:
    """The card on top of the discard pile, with the color to match and what may be laid on it.

    ``kind`` (-1: not known), ``plain`` and ``effect`` are those of the card. ``playable[kind]``: whether a card of that
    kind may be laid; never for a card that could not be read (kind -1). Where no color is known yet, anything may be.
    ``laid[kind]``: the up-card that it becomes, ``None`` where it may not be laid or could not be read (kind -1).
    """

    kind: int
    plain: int
    effect: int
    color: int
    playable: tuple[bool, ...]
    laid: Sequence[UpCard | None]


_TABLES: Final = tuple(
    tuple(_playable(symbol, color) for color in range(NO_COLOR + 1)) for symbol in range(len(SYMBOLS) + 1)
)
# Up-cards lead to up-cards: these are filled when there are any.
_LAID: Final[Mapping[tuple[bool, ...], list[UpCard | None]]] = {
    playable: [] for by_color in _TABLES for playable in by_color
}


def _up_card(kind: int, color: int) -> UpCard:
    playable = _TABLES[SYMBOL_OF[kind]][color]
    return UpCard(kind, PLAIN[kind], EFFECT_OF[kind], color, playable, _LAID[playable])


NO_UP_CARD: Final = UpCard(-1, -1, NOTHING, NO_COLOR, ANY, _LAID[ANY])
"""Before the first card is turned up."""

UP_CARDS: Final = tuple(tuple(_up_card(kind, color) for color in range(NO_COLOR + 1)) for kind in range(len(FACES)))
"""By kind and active color: the up-card."""

LAID: Final = tuple(UP_CARDS[kind][COLOR_OF[kind]] for kind in range(len(FACES)))
"""By kind: the up-card as it was laid; a wild has no color until one is named."""

for _fits, _laid in _LAID.items():
    _laid += [*(up if fits else None for up, fits in zip(LAID, _fits, strict=False)), None]


def with_color(up: UpCard, color: int) -> UpCard:
    """The same up-card, with this color to match; where the card is not known, any card may be laid on it."""
    return UP_CARDS[up.kind][color] if up.kind >= 0 else replace(up, color=color)


def _points(face: str) -> int:
    symbol = face.rstrip("*").partition("-")[2]
    if face in WILDS:
        return 50
    return int(symbol) if symbol in NUMBERS else 20


POINTS_OF: Final = tuple(map(_points, FACES))
"""By kind: what it counts in a hand."""


def points(*hands: Iterable[int]) -> int:
    """What the cards (kinds) of these hands count together."""
    return sum([POINTS_OF[kind] for hand in hands for kind in hand])
