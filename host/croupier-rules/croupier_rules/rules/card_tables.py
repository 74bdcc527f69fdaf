"""Tables by card kind: effect, number, color, points, and which card may be laid on which.

All documents agree on matching (``match.basic``, ``match.action_on``): the same color, the same number or symbol, or
any wild; an action card on its color or its like. The active color belongs to the table, not to the card: after a wild
it is the color that was named.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from croupier_rules.cards import CARDS, COLORS, FACES, NUMBERS, OWN_SYMBOLS, PLAIN, SYMBOLS, is_wild, symbol_of
from croupier_rules.errors import BadRuleSet

NOTHING, SKIP, REVERSE, DRAW2, WILD, WILD_DRAW4, SHUFFLE_HANDS, AS_WRITTEN = range(8)

_NAMED: Final = {
    "skip": SKIP, "reverse": REVERSE, "draw2": DRAW2, "wild": WILD, "wild-draw4": WILD_DRAW4,
    "wild-shuffle": SHUFFLE_HANDS, "wild-blank": AS_WRITTEN, "wild-house": WILD,
}  # fmt: skip
"""By symbol: the effects that the rules of the printed sheets are about."""


@dataclass(frozen=True, slots=True)
class Effect:
    """Effect of a card in its deck file (docs/decks.md): ``symbol`` is that of the card, ``wild`` whether it
    is a wild; ``skips``: how many seats miss their turn, ``skips_all``: all others. The next seat ``draw``s so many
    cards, or turns up cards until one of the color that it names comes (``until_color``); the seat that laid the card
    lays the rest of its color (``discards``)."""

    symbol: str
    wild: bool = False
    draw: int = 0
    reverse: bool = False
    skips: int = 0
    skips_all: bool = False
    until_color: bool = False
    discards: bool = False


_KEYS: Final = frozenset({"draw", "reverse", "skip", "until", "discard", "shuffle", "written"})


def _effect(symbol: str) -> Effect:
    said: Mapping[str, Any] = CARDS[symbol]["effect"]
    if unknown := said.keys() - _KEYS:
        raise BadRuleSet(f"deck file: {symbol}: effect {min(unknown)}: expected {', '.join(sorted(_KEYS))}")
    skip = said.get("skip", 0)
    return Effect(
        symbol,
        is_wild(symbol),
        draw=said.get("draw", 0),
        reverse=said.get("reverse", False),
        skips=0 if skip == "all" else skip,
        skips_all=skip == "all",
        until_color=said.get("until") == "color",
        discards=said.get("discard") == "color",
    )


EFFECT: Final = (
    Effect(""), *map(_effect, ("skip", "reverse", "draw2", "wild", "wild-draw4", "wild-shuffle", "wild-blank")),
    *map(_effect, OWN_SYMBOLS),
)  # fmt: skip
"""By number of an effect: what it does. After `AS_WRITTEN` come those that only a deck file knows, one for each symbol:
the rule ``card.own`` has their sentences."""

EFFECTS: Final = range(len(EFFECT))

_BY_SYMBOL: Final = _NAMED | {symbol: AS_WRITTEN + 1 + place for place, symbol in enumerate(OWN_SYMBOLS)}

EFFECT_OF: Final = tuple(_BY_SYMBOL.get(symbol_of(face), NOTHING) for face in FACES)
"""By kind: its effect."""

NO_NUMBER: Final = -1


def _number(face: str) -> int:
    symbol = symbol_of(face)
    return int(symbol) if symbol in NUMBERS else NO_NUMBER


NUMBER_OF: Final = tuple(map(_number, FACES))
"""By kind: the number on it, or `NO_NUMBER`."""

MAY_RULE: Final = bytes(face.endswith("*") or face == "wild-house" for face in FACES)
"""By kind: whether who lays it may make, or change, a house rule."""

CARDS_OF: Final = {number: effect.draw for number, effect in enumerate(EFFECT) if effect.draw}
"""By effect: how many cards it makes the next seat draw."""

WHY: Final = {number: EFFECT[number].symbol for number in CARDS_OF}
"""By effect: the reason for these cards, as the table log writes it."""

START_RULE: Final = {
    SKIP: "start.skip",
    REVERSE: "start.reverse",
    DRAW2: "start.draw2",
    WILD: "start.wild.who_names_color",
    SHUFFLE_HANDS: "start.wild.who_names_color",
    AS_WRITTEN: "start.wild.who_names_color",
    WILD_DRAW4: "start.wd4",
    **dict.fromkeys(EFFECTS[AS_WRITTEN + 1 :], "start.own"),
}
"""The rule for an effect whose card is turned up first."""


NO_COLOR: Final = len(COLORS)
"""The color of a wild, and of the table before a color is set."""


def _color(face: str) -> int:
    color = face.partition("-")[0]
    return COLORS.index(color) if color in COLORS else NO_COLOR


_SYMBOLS: Final = (*SYMBOLS, *(symbol for symbol in OWN_SYMBOLS if not is_wild(symbol)))

COLOR_OF: Final = tuple(map(_color, FACES))
"""By kind: its color (an index of `COLORS`), or `NO_COLOR` for a wild."""

IS_WILD: Final = tuple(map(is_wild, FACES))

SYMBOL_OF: Final = tuple(len(_SYMBOLS) if is_wild(face) else _SYMBOLS.index(symbol_of(face)) for face in FACES)
"""By kind: the number of its symbol: those of `SYMBOLS` first, the same for all wilds."""

IS_ACTION: Final = tuple(not is_wild(face) and symbol_of(face) not in NUMBERS for face in FACES)
ANY: Final = (True,) * len(FACES) + (False,)
"""Anything may be laid; but the last place is for a card that could not be read (kind -1), of which nobody knows."""


def _playable(symbol: int, color: int) -> tuple[bool, ...]:
    if color == NO_COLOR:
        return ANY
    fits = [IS_WILD[kind] or COLOR_OF[kind] == color or SYMBOL_OF[kind] == symbol for kind in range(len(FACES))]
    return (*fits, False)


@dataclass(frozen=True, slots=True, eq=False)
class UpCard:
    """The card on top of the discard pile, the color to match, and the kinds that may be laid on it.

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
    tuple(_playable(symbol, color) for color in range(NO_COLOR + 1)) for symbol in range(len(_SYMBOLS) + 1)
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
    symbol = symbol_of(face)
    return int(symbol) if symbol in NUMBERS else int(CARDS[symbol]["points"])


POINTS_OF: Final = tuple(map(_points, FACES))
"""By kind: what it counts in a hand."""


def points(*hands: Iterable[int]) -> int:
    """The points of a card or of many: the sum over the cards (kinds) of these hands."""
    return sum([POINTS_OF[kind] for hand in hands for kind in hand])
