"""For `croupier demo --faults`: a card reader that now and then takes a card for another one like it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Final

import numpy as np

from cardsight.sighting import Reading
from cardsight.track.cards import CardReader
from croupier.cards import is_face
from croupier.devices.protocols import Image

_ALIKE: Final = {"6": "9", "9": "6", "1": "7", "7": "1", "3": "8", "8": "3", "red": "yellow", "blue": "green"}
_OFTEN: Final = 0.03  # of the pictures read
_LASTS: Final = 3  # pictures in a row: one wrong picture alone is noticed anyway


class Misreader:
    """Reads as ``reader`` does, but sometimes wrongly. ``misreads`` counts the spells of wrong reading; there are none
    but where a card was just laid (``is_new``), not when the card below it comes to light again."""

    def __init__(self, reader: CardReader, rng: np.random.Generator, is_new: Callable[[], bool]) -> None:
        self._reader, self._rng, self._is_new = reader, rng, is_new
        self._left = 0
        self.misreads = 0

    def read(
        self, bgr: Image, /, faces: Collection[str] | None = None, *, top_only: bool = False,
        long_px: float | None = None,
    ) -> Reading:  # fmt: skip
        """All cards in the picture, perhaps some wrongly."""
        reading = self._reader.read(bgr, faces, top_only=top_only, long_px=long_px)
        if not self._is_new():
            self._left = 0
        elif self._left == 0 and self._rng.random() < _OFTEN:
            self._left = _LASTS
            self.misreads += 1
        if self._left == 0:
            return reading
        self._left -= 1
        return replace(reading, cards=tuple(replace(card, face=_mistaken(card.face)) for card in reading.cards))


def _mistaken(face: str) -> str:
    color, _, symbol = face.partition("-")
    other = f"{color}-{_ALIKE[symbol]}" if symbol in _ALIKE else f"{_ALIKE.get(color, color)}-{symbol}"
    return other if is_face(other) else face
