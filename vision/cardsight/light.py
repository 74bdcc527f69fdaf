"""What a picture's light tells: whether there is any color in it.

A gray camera, or a lamp of one color (a sodium lamp, a red stage light), leaves pixels of a single color in various
strengths. Light of several colors, however warm or blue, does not: cards have a white border and a colored panel.

What white looks like under the table's lamp, and a picture with that taken out.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.errors import NotCalibrated
from cardsight.geometry import CROP_H, CROP_W, IDEAL, Image, Quad, pyramid, warp_crop
from cardsight.sighting import Reading
from cardsight.track.cards import CardReader

GRAIN_PX: Final = 96
"""Longer side of the copy in which a color is looked for: so small that the camera's grain averages out."""
TRACE: Final = 0.12
"""A pixel has a color of its own when it lies this far (part of its strength) beside the picture's one color."""
DARK: Final = 40.0
"""Pixels that are weaker than this are too noisy to ask."""
SOMEWHERE: Final = 0.001
"""A picture in which at most this part of the pixels has a color of its own is one without color."""


def colorfulness(cuts: Image) -> list[float]:
    """How much color each of n straightened cards (n, H, W, 3) shows, 0…1: the second singular value of its pixels over
    the first."""
    pixels = np.asarray(cuts[:, ::4, ::4], np.float32).reshape(len(cuts), -1, 3)
    _, second, most = np.sqrt(np.maximum(np.linalg.eigvalsh(pixels.transpose(0, 2, 1) @ pixels), 0.0)).T
    parts: list[float] = np.divide(second, most, out=np.zeros_like(most), where=most > 0).tolist()
    return parts


def one_color(image: Image) -> NDArray[np.float32] | None:
    """The only color (BGR, of length 1) of a picture, or ``None`` where there are several."""
    height, width = image.shape[:2]
    scale = min(1.0, GRAIN_PX / max(height, width))
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    pixels = _pixels(cv2.resize(image, size, interpolation=cv2.INTER_AREA))
    color = np.linalg.eigh(pixels.T @ pixels)[1][:, -1]
    color = np.abs(color).astype(np.float32)
    strength = pixels @ color
    beside = np.einsum("ij,ij->i", pixels, pixels) - strength**2  # squared
    colored = (beside > (TRACE * strength) ** 2) & (strength > DARK)
    return color if colored.mean() <= SOMEWHERE else None


def as_gray(image: Image, color: NDArray[np.float32]) -> Image:
    """The strength of every pixel along the picture's one ``color``, as a gray picture of three equal channels."""
    return cv2.transform(image, np.tile(color * color.max(), (3, 1))).astype(np.uint8)


def _pixels(image: NDArray[np.generic]) -> NDArray[np.float32]:
    return np.asarray(image, np.float32).reshape(-1, 3)


White = tuple[float, float, float]
"""Blue, green, red, 0…255."""

BORDER: Final = 0.03
"""How far inside its edge, in parts of a card's sides, its border is white."""
DARKEST: Final = 40.0
BRIGHTEST: Final = 250.0
"""White that is darker holds too little color to measure, and what is seen brighter was cut off by the camera."""

MOST_GAIN: Final = 4.0
"""Light with less of a color than that shows none of it: made brighter, only the camera's noise would be seen."""


def white_from_patch(image: Image, patch_px: Quad, reflects: float) -> White:
    """White, by a patch in the picture that reflects this part (0…1) of what white does, in the picture's own numbers.

    Raises `NotCalibrated`: too dark, or too bright.
    """
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.rint(patch_px).astype(np.int32), 1)
    return _checked(np.median(image[mask > 0], axis=0) if mask.any() else np.zeros(3), reflects)


def white_from_cards(image: Image, quads: Sequence[Quad]) -> White:
    """White, by the borders of these cards; cards without a white border mislead it.

    Raises `NotCalibrated`: no cards, or their borders are too dark or too bright.
    """
    if not quads:
        raise NotCalibrated("no cards seen; expected some with a white border, or the sheet")
    levels = pyramid(image)
    (left, top), (right, bottom) = IDEAL[0], IDEAL[2]
    dx, dy = BORDER * CROP_W, BORDER * CROP_H
    rim = np.zeros((CROP_H, CROP_W), np.uint8)
    cv2.rectangle(rim, (round(left + dx), round(top + dy)), (round(right - dx), round(bottom - dy)), 1, 1)
    borders = [np.percentile(warp_crop(levels, quad)[rim > 0], 60, axis=0) for quad in quads]
    return _checked(np.median(borders, axis=0))


def balanced(image: Image, white: White) -> Image:
    """The picture as it would be in white light of the same strength."""
    gains = np.minimum(max(white) / np.array(white), MOST_GAIN)
    levels = np.clip(np.arange(256)[:, None] * gains, 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(image, levels[None]), np.uint8)


class WhiteBalancedReader:
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
