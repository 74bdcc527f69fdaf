"""Where cards may lie: the finder network looks at the whole picture, small, and proposes rough outlines.

It answers on a grid of ``STRIDE`` px with eight planes: how likely a card's middle lies in the cell, face up and face
down (log odds); from the cell to that middle (cells); log length and width of the card (over 64 and 40 px); and the
direction of its long side as the cosine and sine of the double angle, since a card turned by half is the same card.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.rectify import Image, Quad, rectangle

STRIDE: Final = 8
BLOCK: Final = 64
"""The network halves the picture six times, so its sides are filled up to multiples of this."""
FILL: Final = (114, 114, 114)
LEAST_ODDS: Final = -2.0
"""Log odds from which a cell is a proposal; the reader throws out what is no card."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A rough outline in px of the picture, the log odds that a card lies there, and whether it seems to be a back."""

    quad: Quad
    odds: float
    back: bool
    length_px: float
    """Its long side in the small picture that the network saw."""


def locate(net: cv2.dnn.Net, levels: list[Image], side_px: int) -> list[Proposal]:
    """Proposals for the picture (as a `pyramid`) looked at with its longer side at ``side_px``, likeliest first."""
    height, width = levels[0].shape[:2]
    scale = side_px / max(height, width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    nearest = next((level for level in reversed(levels) if max(level.shape[:2]) >= side_px), levels[0])
    small = cv2.resize(nearest, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    right, below = -size[0] % BLOCK, -size[1] % BLOCK
    small = cv2.copyMakeBorder(small, 0, below, 0, right, cv2.BORDER_CONSTANT, value=FILL)
    net.setInput(cv2.dnn.blobFromImage(small, 1 / 255))
    planes = net.forward()[0]
    return list(_peaks(planes, width / size[0], height / size[1]))


def _peaks(planes: NDArray[np.float32], kx: float, ky: float) -> list[Proposal]:
    heat = planes[:2].max(0)
    top = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    rows, cols = np.nonzero((heat == top) & (heat > LEAST_ODDS))
    found = []
    for row, col in zip(rows, cols, strict=True):
        odds = float(heat[row, col])
        dx, dy, length, width, cos2, sin2 = (float(v) for v in planes[2:, row, col])
        x, y = (col + dx + 0.5) * STRIDE, (row + dy + 0.5) * STRIDE
        long_px, short_px = 64 * np.exp(np.clip(length, -3, 3)), 40 * np.exp(np.clip(width, -3, 3))
        quad = rectangle(x, y, long_px, short_px, np.arctan2(sin2, cos2) / 2)
        quad = ((quad * (kx, ky)) - 0.5).astype(np.float32)
        found.append(Proposal(quad, odds, bool(planes[1, row, col] > planes[0, row, col]), float(long_px)))
    return sorted(found, key=lambda p: -p.odds)
