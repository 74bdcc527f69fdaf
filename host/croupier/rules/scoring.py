"""What cards count (``score.values``): numbers their face, colored action cards 20, wilds 50."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from croupier.cards import FACES, NUMBERS, WILDS


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
