"""The colors of the table around cards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.geometry import CROP_H, CROP_W, Image, Outline, Quad, level_for

BINS: Final = 12
"""Levels of each channel in the histogram of the table's colors."""
COMMON: Final = 0.002
"""Fraction of the table around a card from which a color is one of the table's."""
GROUND_PX: Final = 96
"""Side of the copy of the square in which the table's colors are counted."""


class Ground:
    """The colors of a table: those of the pixels of ``seen`` where ``free`` is not 0."""

    def __init__(self, seen: Image, free: NDArray[np.uint8]) -> None:
        counts = cv2.calcHist([seen], [0, 1, 2], free, [BINS] * 3, [0, 256] * 3)
        for axis in range(3):  # a color of the table is also what differs from it by a level
            padded = np.pad(counts, [(1, 1) if axis == n else (0, 0) for n in range(3)])
            counts = np.sum([np.take(padded, range(step, step + BINS), axis) for step in range(3)], axis=0)
        self._is_common = counts > COMMON * max(1.0, float(free.sum()))

    @classmethod
    def around(cls, levels: list[Image], middle: Sequence[float], side: float, known: Sequence[Outline]) -> Ground:
        """Return the colors in a square of ``side`` px around ``middle`` (x, y), without those of ``known`` cards."""
        x, y = middle
        square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32) * (side / 2) + np.array((x, y), np.float32)
        level, shrunk = level_for(levels, square, GROUND_PX)
        to = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32) * GROUND_PX
        seen = cv2.warpPerspective(level, cv2.getPerspectiveTransform(shrunk, to), (GROUND_PX, GROUND_PX))
        free = np.ones((GROUND_PX, GROUND_PX), np.uint8)
        matrix = cv2.getPerspectiveTransform(square, to)
        for one in known:
            grown = one.quad + (one.quad - np.array(one.middle, np.float32)) * np.float32(0.35)
            covered = cv2.perspectiveTransform(grown[None], matrix)[0]
            cv2.fillConvexPoly(free, np.rint(np.clip(covered, -4000, 4000)).astype(np.int32), 0)
        return cls(np.asarray(seen, np.uint8), free)

    def strange(self, levels: list[Image], quad: Quad, mask: NDArray[np.uint8]) -> float:
        """Return the fraction (0…1) of the shown part of an outline whose colors the table does not have."""
        level, shrunk = level_for(levels, quad, CROP_W)
        whole = np.array([[0, 0], [CROP_W, 0], [CROP_W, CROP_H], [0, CROP_H]], np.float32)
        seen = cv2.warpPerspective(level, cv2.getPerspectiveTransform(shrunk, whole), (CROP_W, CROP_H))
        strange = self.strangeness(np.asarray(seen, np.uint8))[mask > 0]
        return float(strange.mean()) if len(strange) else 0.0

    def strangeness(self, seen: Image) -> NDArray[np.float32]:
        """Return 1 for each pixel whose color the table does not have, else 0."""
        b, g, r = (cv2.split(seen)[n].astype(np.int32) * BINS // 256 for n in range(3))
        return np.asarray(~self._is_common[b, g, r], np.float32)
