"""The marks for the color-blind: a small white shape at the middle of both short edges.

Measured on a print that has them: the middle of the mark lies on the line between border and panel, 5 % of the
length from the edge; it is 7 to 10 % of the card's width across, so it can be told only on a card that is seen large.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.rectify import Image, Quad

MARKS: Final = ("circle", "star", "triangle", "square")
"""Printed on red, yellow, green and blue cards."""
PATCH_PX: Final = 24
PATCH_PART: Final = (0.2, 0.127)
"""Width and height of the patch, as parts of the card's: a square of 11 mm."""
LEAST_WIDTH_PX: Final = 100.0
"""A narrower card shows its mark on less than 8 px: too few to tell the shapes apart."""
SURE: Final = 0.9


def read_mark(net: cv2.dnn.Net, image: Image, quad: Quad) -> str | None:
    """The mark that both short edges of the card show, or ``None`` where there is none or it cannot be told."""
    width = min(float(np.linalg.norm(quad[0] - quad[1])), float(np.linalg.norm(quad[2] - quad[3])))
    if width < LEAST_WIDTH_PX:
        return None
    patches = np.stack([patch(image, quad), patch(image, np.roll(quad, 2, axis=0))])
    net.setInput(patches)
    odds = net.forward()
    chances = np.exp(odds - odds.max(1, keepdims=True))
    chances = chances / chances.sum(1, keepdims=True)
    both = chances.mean(0)
    best = int(both.argmax())
    return MARKS[best - 1] if best > 0 and both[best] >= SURE else None


def patch(image: Image, quad: Quad) -> NDArray[np.float32]:
    """The place of the mark at the first short edge, upright, (1, PATCH_PX, PATCH_PX), 0…1 between its own extremes."""
    w, h = PATCH_PART
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    place = np.array(
        [
            [0.5 - w / 2, 0.05 - h / 2],
            [0.5 + w / 2, 0.05 - h / 2],
            [0.5 + w / 2, 0.05 + h / 2],
            [0.5 - w / 2, 0.05 + h / 2],
        ],
        np.float32,
    )
    area = cv2.perspectiveTransform(place[None], cv2.getPerspectiveTransform(unit, quad.astype(np.float32)))[0]
    side = PATCH_PX - 1
    target = np.array([[0, 0], [side, 0], [side, side], [0, side]], np.float32)
    matrix = cv2.getPerspectiveTransform(area, target)
    seen = cv2.warpPerspective(image, matrix, (PATCH_PX, PATCH_PX), borderMode=cv2.BORDER_REPLICATE)
    gray = cv2.cvtColor(seen, cv2.COLOR_BGR2GRAY).astype(np.float32)
    low, high = float(gray.min()), float(gray.max())
    return ((gray - low) / max(high - low, 20.0))[None]
