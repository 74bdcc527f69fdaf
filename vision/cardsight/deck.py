"""What is known of the deck in play, beside what is seen: which faces it has.

A card with another face may lie on the table all the same, from another deck. So such a face is unlikely, not
impossible; where it is the likeliest even so, the card is a question.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cardsight.classify import FACES, SIGNS, sign_of
from croupier.cards import is_face

Chances = NDArray[np.floating]

STRANGE: Final = 0.02
"""How often a card lies on the table that is not of the deck in play: a guess, on the high side."""

HAS_ICON: Final = 0.6
"""Probability from which the Add-a-Rule icon is told where nobody knows the deck: few decks have it. No photographed
card without it reaches half of that, most drawn cards with it show more."""
TOLD_ICON: Final = 0.35
DOUBTED_ICON: Final = 0.07
"""Where the deck has a card with and one without it, the icon is told from the first on; below the second there is
none; between them is no telling. Drawn cards without it do not reach the first; where it is printed very
small, many of those with it do not either."""


class Deck:
    """The ``faces`` that the cards on the table can have; ``None``: all there are.

    Raises `ValueError` where no card can have any of them.
    """

    def __init__(self, faces: Collection[str] | None = None) -> None:
        self._faces = None if faces is None else frozenset(faces)
        self._plain = frozenset(face.removesuffix("*") for face in self._faces or ())
        if faces is not None and self._plain.isdisjoint(FACES):
            raise ValueError(f"no card has one of the faces {sorted(faces)}; expected such as red-7, or None for all")
        self._signs = {sign_of(face) for face in self._faces or ()}

    def holds(self, face: str) -> bool:
        """Whether a card of the deck can show ``face``, be it only with the icon."""
        return self._faces is None or face in self._faces or face in self._plain

    def named(self, face: str) -> str:
        """The face with the icon, where the deck has it only so."""
        return face if self._faces is None or face in self._faces or face not in self._plain else f"{face}*"

    def with_icon(self, face: str, icon: float) -> tuple[str, ...]:
        """What a card that is read as ``face`` may be if it bears the icon with the probability ``icon``: two faces,
        the likelier first, where there is no telling."""
        starred = f"{face}*"
        if not is_face(starred) or not self.holds(starred):
            return (face,)
        told, doubted = (HAS_ICON, HAS_ICON) if self._faces is None else (TOLD_ICON, DOUBTED_ICON)
        if icon >= told or self.named(face) == starred:
            return (starred,)
        return (starred, face) if icon >= doubted else (face,)

    def faces(self, chances: Chances) -> Chances:
        """The probabilities of `FACES`, by what was seen and by what the deck has."""
        return self._expected(chances, FACES, self._plain)

    def signs(self, chances: Chances) -> Chances:
        """The same for `SIGNS`, whatever the color."""
        return self._expected(chances, SIGNS, self._signs)

    def _expected(self, chances: Chances, names: Sequence[str], held: Collection[str]) -> Chances:
        if self._faces is None:
            return chances
        known = chances * np.array([1.0 if name in held else STRANGE for name in names])
        return np.asarray(known / known.sum(), chances.dtype)
