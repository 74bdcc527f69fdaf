"""The sorted deck: an order that people can lay by hand, and from which every slip of the shoe can be told.

Each color goes up twice: 0 to 9, skip, reverse, draw two, and then the same from 1 on. The wilds close it, each sort in
turn. So no two neighbors are alike: a card that came along unseen, or stayed behind, shows at once. Each run is one
batch, dealt to one seat, so that a look at a pile tells whether it is right.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain, zip_longest

from croupier.cards import COLORS, DECKS, SYMBOLS


def sorted_runs(deck: str) -> tuple[tuple[str, ...], ...]:
    """The runs of a deck of `croupier.cards.DECKS`, in the order in which they leave the shoe."""
    left = Counter(DECKS[deck])
    runs = []
    for color in COLORS:
        while run := tuple(face for symbol in SYMBOLS if left[face := f"{color}-{symbol}"] > 0):
            left.subtract(run)
            runs.append(run)
    wilds = [[face] * n for face, n in (+left).items()]
    runs.append(tuple(face for face in chain.from_iterable(zip_longest(*wilds)) if face is not None))
    return tuple(runs)


def in_words(run: tuple[str, ...]) -> str:
    """A run as people read it in any language: ``red-0 … red-draw2``; wilds by their numbers."""
    if run[0].partition("-")[0] in COLORS:
        return f"{run[0]} … {run[-1]}"
    return ", ".join(f"{n} {face}" for face, n in Counter(run).items())
