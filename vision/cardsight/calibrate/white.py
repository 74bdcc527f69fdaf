"""What white looks like under the table's lamp, and a picture with that taken out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from cardsight.errors import NotCalibrated
from cardsight.rectify import CUT_H, CUT_W, IDEAL, Image, Quad, cut, pyramid

if TYPE_CHECKING:
    from cardsight.sighting import Reading
    from cardsight.track.cards import CardReader

White = tuple[float, float, float]
"""Blue, green, red, 0…255."""

BORDER: Final = 0.03
"""How far inside its edge, in parts of a card's sides, its border is white."""
DARKEST: Final = 40.0
BRIGHTEST: Final = 250.0
"""White that is darker holds too little color to measure, and what is seen brighter was cut off by the camera."""

MOST_GAIN: Final = 4.0
"""Light with less of a color than that shows none of it: made brighter, only the camera's noise would be seen."""


def white_of_patch(image: Image, patch_px: Quad, reflects: float) -> White:
    """White, by a patch in the picture that reflects this part (0…1) of what white does, in the picture's own numbers.

    Raises `NotCalibrated`: too dark, or too bright.
    """
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.rint(patch_px).astype(np.int32), 1)
    return _checked(np.median(image[mask > 0], axis=0) if mask.any() else np.zeros(3), reflects)


def white_of_cards(image: Image, quads: Sequence[Quad]) -> White:
    """White, by the borders of these cards; cards without a white border mislead it.

    Raises `NotCalibrated`: no cards, or their borders are too dark or too bright.
    """
    if not quads:
        raise NotCalibrated("no cards seen; expected some with a white border, or the sheet")
    levels = pyramid(image)
    (left, top), (right, bottom) = IDEAL[0], IDEAL[2]
    dx, dy = BORDER * CUT_W, BORDER * CUT_H
    rim = np.zeros((CUT_H, CUT_W), np.uint8)
    cv2.rectangle(rim, (round(left + dx), round(top + dy)), (round(right - dx), round(bottom - dy)), 1, 1)
    borders = [np.percentile(cut(levels, quad)[rim > 0], 60, axis=0) for quad in quads]
    return _checked(np.median(borders, axis=0))


def balanced(image: Image, white: White) -> Image:
    """The picture as it would be in white light of the same strength."""
    gains = np.minimum(max(white) / np.array(white), MOST_GAIN)
    levels = np.clip(np.arange(256)[:, None] * gains, 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(image, levels[None]), np.uint8)


class InWhiteLight:
    """A card reader under a lamp in which ``white`` looks so: it reads what ``reader`` would read in white light."""

    def __init__(self, reader: CardReader, white: White) -> None:
        self._reader, self._white = reader, white

    def read(
        self, bgr: Image, /, faces: Collection[str] | None = None, *, top_only: bool = False,
        long_px: float | None = None,
    ) -> Reading:  # fmt: skip
        """As `CardReader.read`."""
        return self._reader.read(balanced(bgr, self._white), faces, top_only=top_only, long_px=long_px)


def _checked(seen: object, reflects: float = 1.0) -> White:
    """White, where what reflects this part of what it does is seen so. A single channel that was cut off by the camera
    would pass for a color of the lamp."""
    levels = np.asarray(seen, np.float64)
    white = levels / reflects
    if white.max() < DARKEST or white.min() < 1:
        raise NotCalibrated("white is nearly black in the picture; switch on a light or let the camera expose longer")
    if levels.max() > BRIGHTEST:
        raise NotCalibrated("white is too bright to tell its color; take away some light or let the camera expose less")
    b, g, r = (float(channel) for channel in white * min(1.0, 255 / white.max()))
    return b, g, r
