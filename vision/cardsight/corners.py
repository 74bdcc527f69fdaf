"""The symbol in a card's printed corners, seen three times as large as the reader network sees it.

Of a card that lies under others often nothing else is left: in its cut-out the corner is ten px wide. So the corners of
cards that are not plain to see are cut out by themselves, from the outline that was read, and named by a small network.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.classify import SIGNS
from cardsight.model import chances
from cardsight.rectify import Image, Quad, close_up, suited
from croupier.cards import CARD_MM, WILDS

Chances = NDArray[np.float64]

PATCH_PX: Final = 32
PATCH_PART: Final = 22.0 / np.array(CARD_MM)
"""Width and height of the patch, as parts of the card's: a square of 22 mm, more than the largest corner symbol takes,
since the outlines of covered cards are off by some millimeters."""
MIDDLE: Final = np.array((10.0, 12.4)) / CARD_MM
"""The middle of the patch from the card's own corner: that of the symbol, in the mean of the prints."""
CERTAIN: Final = 0.9
"""Probability from which a corner names a card by itself."""
SHOWS: Final = (None, *SIGNS)
"""What a corner can show: no symbol in its place, or one of them."""
_ALIKE: Final = [SHOWS.index(wild) for wild in WILDS if wild != "wild-draw4"]
"""These wilds have one and the same sign in their corners: what is seen of it speaks for each of them."""

_LOW: Final = MIDDLE - PATCH_PART / 2
_PLACE: Final = np.array(
    [[PATCH_PART[0] / PATCH_PX, 0, _LOW[0]], [0, PATCH_PART[1] / PATCH_PX, _LOW[1]], [0, 0, 1]]
) @ np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
"""From px of the patch to the card of width and height 1."""


def seen_corners(net: cv2.dnn.Net, levels: list[Image], quads: Sequence[Quad]) -> list[Chances]:
    """For each card what its two printed corners show: the probabilities (2, 19) of `SHOWS`.

    ``levels`` is the picture as a `pyramid`.
    """
    if not quads:
        return []
    shown = chances(net, prepared([corner for quad in quads for corner in patches(levels, quad)]))
    shown[:, _ALIKE] = shown[:, _ALIKE].mean(1, keepdims=True)
    return list(shown.reshape(len(quads), 2, -1))


def named(corners: Chances) -> str | None:
    """The one of `SIGNS` that a corner shows for certain and the other does not contradict, if any."""
    shown = {SHOWS[int(corner.argmax())] for corner in corners if corner.max() >= CERTAIN} - {None}
    return shown.pop() if len(shown) == 1 else None


def patches(levels: list[Image], quad: Quad) -> list[Image]:
    """The two printed corners of a card, upright, (PATCH_PX, PATCH_PX, 3)."""
    level, shrunk = suited(levels, quad, PATCH_PX / float(PATCH_PART[0]))
    return [close_up(level, one, _PLACE, PATCH_PX) for one in (shrunk, shrunk[[2, 3, 0, 1]])]


def prepared(patches: Sequence[Image]) -> NDArray[np.float32]:
    """As the network wants them, (n, 3, PATCH_PX, PATCH_PX): each channel 0…1 between its own extremes, so that the
    lamp's color and strength drop out."""
    planes = np.ascontiguousarray(np.stack(patches).transpose(0, 3, 1, 2), np.float32)
    low, high = planes.min((2, 3), keepdims=True), planes.max((2, 3), keepdims=True)
    return np.ascontiguousarray((planes - low) / np.maximum(high - low, 20.0), np.float32)
