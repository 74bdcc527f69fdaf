"""Light: pictures without color, and white balance.

A gray camera or a lamp of one color (a sodium lamp, a red stage light) gives pixels of one color in various strengths.
Light of several colors, however warm or blue, does not: cards have a white border and a colored panel.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.card_reader import CardReader
from cardsight.errors import NotCalibrated
from cardsight.geometry import CROP_H, CROP_W, IDEAL, Image, Quad, pyramid, warp_crop
from cardsight.sighting import Reading

GRAIN_PX: Final = 96
"""Longer side (px) of the copy in which a color is searched: the noise of the camera averages out."""
TRACE: Final = 0.12
"""Distance of a pixel from the dominant color, as a fraction of its strength, from which it has a color of its own."""
DARK: Final = 40.0
"""Strength below which a pixel is too noisy to count."""
COLORED: Final = 12.0
"""Distance from gray, in the plane of CIELAB's a and b, from which a hue can be told."""
SOMEWHERE: Final = 0.001
"""Fraction of colored pixels up to which a picture counts as one without color."""


def colorfulness(cuts: Image) -> list[float]:
    """Return the colorfulness (0…1) of each of n crops (n, H, W, 3): the ratio of the second to the first singular
    value of its pixels."""
    pixels = np.asarray(cuts[:, ::4, ::4], np.float32).reshape(len(cuts), -1, 3)
    _, second, most = np.sqrt(np.maximum(np.linalg.eigvalsh(pixels.transpose(0, 2, 1) @ pixels), 0.0)).T
    parts: list[float] = np.divide(second, most, out=np.zeros_like(most), where=most > 0).tolist()
    return parts


def chroma(pixels: NDArray[np.floating]) -> NDArray[np.complex64]:
    """Return the color of each pixel (BGR, 0…1) without its lightness: CIELAB's a as the real and b as the imaginary
    part, so that its angle is the hue."""
    lab = cv2.cvtColor(np.asarray(pixels, np.float32), cv2.COLOR_BGR2LAB)
    return np.asarray(lab[..., 1] + 1j * lab[..., 2], np.complex64)


_STRONG: Final = 0.95
"""Fraction of a card that is less white than its white, and less colorful than its color."""
_LEAST_PANEL: Final = 0.1
_ONE_HUE: Final = 0.9
"""Least fraction of a card that its panel takes, and least length of the mean of its pixels' colors, relative to their
mean length: in drawn prints 0.2 to 0.7, and 0.97 or more; of wilds, whose color is of several hues, at most 0.85."""


def panel_color(crop: Image) -> complex | None:
    """Return the color of a card's panel, as of `chroma`, relative to the card's own white, so that the lamp hardly
    matters; None if it has no panel of one color. ``crop``: of `geometry.warp_crop`, of which only the card counts."""
    return panel_colors(crop[None])[0]


def panel_colors(crops: Image) -> list[complex | None]:
    """Return the `panel_color` of each of n cards (n, H, W, 3)."""
    inner = crops[:, CROP_H // 10 : -(CROP_H // 10) : 2, CROP_W // 10 : -(CROP_W // 10) : 2].astype(np.float32)
    white = np.maximum(np.quantile(inner.reshape(len(inner), -1, 3), _STRONG, axis=1), 1.0)
    relative = inner / white[:, None, None]
    colors = chroma(relative.reshape(-1, *relative.shape[2:])).reshape(len(inner), -1)
    strength = np.abs(colors)
    least = np.maximum(COLORED, np.quantile(strength, _STRONG, axis=1) / 2)
    return [
        _of_one_hue(own[strong > limit], own.size) for own, strong, limit in zip(colors, strength, least, strict=True)
    ]


def _of_one_hue(panel: NDArray[np.complex64], size: int) -> complex | None:
    """Return the mean color of the colored ones of ``size`` pixels, if they are enough and of one hue."""
    if panel.size < _LEAST_PANEL * size or abs(panel.mean()) < _ONE_HUE * np.abs(panel).mean():
        return None
    return complex(panel.mean())


def hue_difference(hue: float, other: float) -> float:
    """Return the difference (0…180 degrees) of two hues in degrees."""
    return abs((hue - other + 180) % 360 - 180)


def degrees_between(one: complex, other: complex) -> float:
    """Return the difference (0…180 degrees) of the hues of two colors, as of `chroma`."""
    return hue_difference(*np.angle([one, other], deg=True).tolist())


def one_color(image: Image) -> NDArray[np.float32] | None:
    """Return the only color (BGR, of length 1) of a picture; ``None`` if it has several."""
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
    """Project each pixel onto the picture's only ``color``. Returns a gray picture of three equal channels."""
    return cv2.transform(image, np.tile(color * color.max(), (3, 1))).astype(np.uint8)


def _pixels(image: NDArray[np.generic]) -> NDArray[np.float32]:
    return np.asarray(image, np.float32).reshape(-1, 3)


White = tuple[float, float, float]
"""Blue, green, red, 0…255."""

BORDER: Final = 0.03
"""Distance (fraction of a card's sides) from the edge at which the border is sampled."""
DARKEST: Final = 40.0
BRIGHTEST: Final = 250.0
"""Range in which white is measured: darker white holds too little color, brighter white is clipped by the camera."""

MOST_GAIN: Final = 4.0
"""Maximum gain of a channel. More would only amplify noise."""


def white_from_patch(image: Image, patch_px: Quad, reflects: float) -> White:
    """Measure white by a patch that reflects a fraction ``reflects`` (0…1) of the light, in the picture's own values.

    Raises `NotCalibrated` if the patch is too dark or too bright.
    """
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.rint(patch_px).astype(np.int32), 1)
    return _checked(np.median(image[mask > 0], axis=0) if mask.any() else np.zeros(3), reflects)


def white_from_cards(image: Image, quads: Sequence[Quad]) -> White:
    """Measure white by the borders of these cards. Cards without a white border give a wrong result.

    Raises `NotCalibrated` if there are no cards, or their borders are too dark or too bright.
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
    """Return the picture as it would look in white light of the same strength."""
    gains = np.minimum(max(white) / np.array(white), MOST_GAIN)
    levels = np.clip(np.arange(256)[:, None] * gains, 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(image, levels[None]), np.uint8)


class WhiteBalancedReader:
    """A card reader with white balance for a lamp under which white looks like ``white``."""

    def __init__(self, reader: CardReader, white: White) -> None:
        self._reader, self._white = reader, white

    def read(
        self, bgr: Image, /, faces: Collection[str] | None = None, *, top_only: bool = False,
        long_px: float | None = None,
    ) -> Reading:  # fmt: skip
        """See `CardReader.read`."""
        return self._reader.read(balanced(bgr, self._white), faces, top_only=top_only, long_px=long_px)


def _checked(seen: object, reflects: float = 1.0) -> White:
    """Return white, scaled to at most 255, if it can be measured. A single clipped channel would pass for a color of
    the lamp."""
    levels = np.asarray(seen, np.float64)
    white = levels / reflects
    if white.max() < DARKEST or white.min() < 1:
        raise NotCalibrated("white is nearly black in the picture; switch on a light or let the camera expose longer")
    if levels.max() > BRIGHTEST:
        raise NotCalibrated("white is too bright to tell its color; take away some light or let the camera expose less")
    b, g, r = (float(channel) for channel in white * min(1.0, 255 / white.max()))
    return b, g, r
