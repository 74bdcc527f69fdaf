"""The marks for the color-blind: a small white shape at the middle of both short edges.

Measured on a print that has them: the middle of the mark lies on the line between border and panel, 5 % of the
length from the edge; it is 7 to 10 % of the card's width across, so it can be told only on a card that is seen large.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.model import chances
from cardsight.rectify import Image, Quad, close_up
from croupier.cards import SHAPES

MARKS: Final = tuple(SHAPES.values())
"""Printed on red, yellow, green and blue cards."""
PATCH_PX: Final = 24
PATCH_PART: Final = (0.2, 0.127)
"""Width and height of the patch, as parts of the card's: a square of 11 mm."""
LEAST_WIDTH_PX: Final = 100.0
"""A narrower card shows its mark on less than 8 px: too few to tell the shapes apart."""
SIZE: Final = 0.073
"""How many of the card's widths a mark is across."""
SURE: Final = 0.9
"""Probability from which a mark is told."""


class Mark(NamedTuple):
    """What both short edges of a card show: the probabilities (0…1) of no mark and of each of `MARKS`, and how many px
    of the picture a mark of this card is across."""

    chances: NDArray[np.float64]
    size_px: float

    @property
    def told(self) -> str | None:
        """One of `MARKS`, or ``None`` where none is printed or none is sure."""
        best = int(self.chances.argmax())
        return MARKS[best - 1] if best > 0 and self.chances[best] >= SURE else None


def seen_marks(net: cv2.dnn.Net, image: Image, quads: Sequence[Quad]) -> list[Mark | None]:
    """The mark at the short edges of each card; ``None`` where the card is too small to see one."""
    widths = [min(math.dist(*q[:2].tolist()), math.dist(*q[2:].tolist())) for q in quads]
    large = [n for n, width in enumerate(widths) if width >= LEAST_WIDTH_PX]
    marks: list[Mark | None] = [None] * len(quads)
    if large:
        edges = [quad for n in large for quad in (quads[n], quads[n][[2, 3, 0, 1]])]
        seen = chances(net, _patches([close_up(image, quad, _PLACE, PATCH_PX) for quad in edges]))
        for n, both in zip(large, seen.reshape(len(large), 2, -1).mean(1), strict=True):
            marks[n] = Mark(both, SIZE * widths[n])
    return marks


_W, _H = PATCH_PART
_PLACE: Final = np.array([[_W / (PATCH_PX - 1), 0, 0.5 - _W / 2], [0, _H / (PATCH_PX - 1), 0.05 - _H / 2], [0, 0, 1]])
"""From px of the patch to the card of width and height 1."""


def patch(image: Image, quad: Quad) -> NDArray[np.float32]:
    """The place of the mark at the first short edge, upright, (1, PATCH_PX, PATCH_PX), 0…1 between its own extremes."""
    return np.asarray(_patches([close_up(image, quad, _PLACE, PATCH_PX)])[0], np.float32)


def _patches(seen: Sequence[Image]) -> NDArray[np.float32]:
    """As the network wants them, (n, 1, PATCH_PX, PATCH_PX)."""
    gray = cv2.cvtColor(np.concatenate(seen), cv2.COLOR_BGR2GRAY).reshape(-1, 1, PATCH_PX, PATCH_PX).astype(np.float32)
    low, high = gray.min((1, 2, 3), keepdims=True), gray.max((1, 2, 3), keepdims=True)
    return np.asarray((gray - low) / np.maximum(high - low, 20.0), np.float32)
