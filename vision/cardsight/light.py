"""What a picture's light tells: whether there is any color in it.

A gray camera, or a lamp of one color (a sodium lamp, a red stage light), leaves pixels of a single color in various
strengths. Light of several colors, however warm or blue, does not: cards have a white border and a colored panel.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.rectify import Image

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
