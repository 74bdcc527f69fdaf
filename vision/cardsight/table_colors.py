"""The colors of the table on which cards lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.fusion import ramp
from cardsight.geometry import CROP_H, CROP_W, Image, Outline, Quad, level_for

BINS: Final = 12
"""Levels of each channel in the histogram of the table's colors."""
COMMON: Final = 0.002
"""Fraction of the table from which a color is one of the table's."""
FAR: Final = 0.8
"""Distance from the middle of a card (lengths) from which what is seen is the table: cards under it do not reach
there."""
ENOUGH: Final = (0.8, 2.0)
"""Area of the table (squares of a card's length) up to which its colors are unknown, and from which they are known."""


class TableColors:
    """The colors of the table: those of all pixels far from the cards that were read.

    ``levels``: the picture as a `pyramid`. ``known``: the outlines of these cards. ``long``: length of a card (px).
    """

    def __init__(self, levels: list[Image], known: Sequence[Outline], long: float) -> None:
        seen, shrunk = levels[-1], 2 ** (len(levels) - 1)
        free = np.ones(seen.shape[:2], np.uint8)
        for one in known:
            x, y = (round(at / shrunk) for at in one.middle)
            cv2.circle(free, (x, y), round(FAR * long / shrunk), 0, -1)
        counts = cv2.calcHist([seen], [0, 1, 2], free, [BINS] * 3, [0, 256] * 3)
        for axis in range(3):  # a color of the table is also what differs from it by a level
            padded = np.pad(counts, [(1, 1) if axis == n else (0, 0) for n in range(3)])
            counts = np.sum([np.take(padded, range(step, step + BINS), axis) for step in range(3)], axis=0)
        area = float(free.sum())
        self._is_common = counts > COMMON * max(1.0, area)
        self.visible = ramp(area * (shrunk / long) ** 2, *ENOUGH)
        """How well (0…1) the colors of the table are known."""

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


def uncovered(quad: Quad, known: Sequence[Outline], size: tuple[int, int]) -> NDArray[np.uint8]:
    """Return the part of a card that lies in the picture and that no other card covers, as a mask (CROP_H, CROP_W) of 0
    and 1. ``size``: width and height of the picture (px)."""
    mask = np.zeros((CROP_H, CROP_W), np.uint8)
    whole = np.array([[0, 0], [CROP_W, 0], [CROP_W, CROP_H], [0, CROP_H]], np.float32)
    matrix = cv2.getPerspectiveTransform(quad, whole)
    picture = np.array([[0, 0], [size[0], 0], size, [0, size[1]]], np.float32)
    for part, value in ((picture, 1), *((other.quad, 0) for other in known)):
        there = cv2.perspectiveTransform(part[None], matrix)[0]
        cv2.fillConvexPoly(mask, np.rint(np.clip(there, -4000, 4000)).astype(np.int32), value)
    return mask
