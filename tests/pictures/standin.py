"""A reader that stands in for cardsight's: it knows what lies in each picture by the picture's width."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import cv2
import numpy as np

from cardsight.sighting import Corners, Reading, Sighting
from cardsight.sources import Picture


def sighting(face: str, place: int = 0) -> Sighting:
    """A card at its own place; ``?`` is either of two faces."""
    return card_at(10.0 + 30 * place, 10.0, face)


def card_at(x: float, y: float, face: str) -> Sighting:
    """A card of 20 by 30 pixels whose top-left corner lies there."""
    corners: Corners = ((x, y), (x + 20, y), (x + 20, y + 30), (x, y + 30))
    if face == "?":
        return Sighting("?", 0.61, corners, None, (("red-6", 0.61), ("red-9", 0.37)))
    return Sighting(face, 0.998, corners, "circle" if face.startswith("red") else None)


class Standin:
    """Writes pictures that hold the cards given, and reads them back as `cardsight.reader.Reader.read` would."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._faces: dict[int, Sequence[str]] = {}
        self.told: list[int | None] = []
        """The number of cards that was told with each picture."""
        self.overlaps = False
        """True if the cards lie on each other."""

    def lay(self, name: str, faces: Sequence[str]) -> str:
        """A picture file of that name in which ``faces`` lie (``back`` and ``?`` among them)."""
        width = 200 + len(self._faces)
        self._faces[width] = faces
        path = self._folder / name
        cv2.imwrite(str(path), np.full((100, width, 3), 128, np.uint8))
        return str(path)

    def read(self, picture: Picture, number: int | None = None) -> Reading:
        """The cards that were laid there. ``number``: what people told, for `told`."""
        self.told.append(number)
        cards = [sighting(face, place) for place, face in enumerate(self._faces[picture.shape[1]])]
        up, down = (tuple(c for c in cards if (c.face == "back") is back) for back in (False, True))
        may_hide = self.overlaps and number is None
        return Reading((picture.shape[1], picture.shape[0]), up, down, ms=21.44, may_hide=may_hide)


def whole(deck: Mapping[str, int]) -> list[str]:
    """Every card of a deck, one by one."""
    return [face for face, n in deck.items() for _ in range(n)]
