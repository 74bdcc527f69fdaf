"""What a face does when it is laid (``card.*``), as a table by kind."""

from __future__ import annotations

from typing import Final

from croupier.cards import FACES, NUMBERS

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
