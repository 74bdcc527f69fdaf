"""What a face does when it is laid (``card.*``), as a table by kind."""

from __future__ import annotations

from typing import Final

from croupier.cards import FACES

EFFECTS: Final = range(6)
NOTHING, SKIP, REVERSE, DRAW2, WILD, WILD_DRAW4 = EFFECTS

_BY_SYMBOL: Final = {"skip": SKIP, "reverse": REVERSE, "draw2": DRAW2}
_BY_WILD: Final = {"wild": WILD, "wild-draw4": WILD_DRAW4, "wild-shuffle": WILD, "wild-blank": WILD, "wild-house": WILD}

EFFECT_OF: Final = bytes(_BY_WILD.get(face) or _BY_SYMBOL.get(face.partition("-")[2], NOTHING) for face in FACES)
"""By kind: its effect."""

CARDS_OF: Final = {DRAW2: 2, WILD_DRAW4: 4}
"""How many cards an effect makes the next seat draw."""

START_RULE: Final = {
    SKIP: "start.skip",
    REVERSE: "start.reverse",
    DRAW2: "start.draw2",
    WILD: "start.wild.who_names_color",
    WILD_DRAW4: "start.wd4",
}
"""The rule that says what an effect does when the card is turned up first."""
