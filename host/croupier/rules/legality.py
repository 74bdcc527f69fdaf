"""What may be laid on what (``match.basic``, ``match.action_on``), as tables by kind.

All documents agree: the same color, the same number or symbol, or any wild; an action card on its color or on its like.
The color to match belongs to the table, not to the card: after a wild it is the color that was named.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from croupier.cards import COLORS, FACES, SYMBOLS, WILDS

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


_TABLES: Final = tuple(
    tuple(_playable(symbol, color) for color in range(NO_COLOR + 1)) for symbol in range(len(SYMBOLS) + 1)
)


@dataclass(frozen=True, slots=True)
class UpCard:
    """The card on top of the discard pile, with the color to match and what may be laid on it.

    ``playable[kind]``: whether a card of that kind may be laid; never for a card that could not be read (kind -1).
    Where no color is known yet, anything may be.
    """

    kind: int
    color: int
    playable: tuple[bool, ...]


NO_UP_CARD: Final = UpCard(-1, NO_COLOR, ANY)
"""Before the first card is turned up."""

UP_CARDS: Final = tuple(
    tuple(UpCard(kind, color, _TABLES[SYMBOL_OF[kind]][color]) for color in range(NO_COLOR + 1))
    for kind in range(len(FACES))
)
"""By kind and active color: the up-card."""

LAID: Final = tuple(UP_CARDS[kind][COLOR_OF[kind]] for kind in range(len(FACES)))
"""By kind: the up-card as it was laid; a wild has no color until one is named."""


def with_color(up: UpCard, color: int) -> UpCard:
    """The same up-card, with this color to match; where the card is not known, any card may be laid on it."""
    return UP_CARDS[up.kind][color] if up.kind >= 0 else UpCard(up.kind, color, ANY)
