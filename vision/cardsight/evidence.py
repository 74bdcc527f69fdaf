"""Evidence network: for each place of a picture, whether it shows a card, and which part of a card.

It looks once at a small copy of the picture in which the cards are `CARD_PX` long, and returns for each cell of
``STRIDE`` px `OUTPUTS` values: log odds of table, card face up and card face down; the way to the center of the card
(over `UNIT_PX`), and cosine and sine of twice the angle of its long side; log odds that a card ends there; log odds of
the middle of a printed index, and cosine and sine of its direction; log odds that a card ends there upon another card;
cosine and sine of the way from an edge into the card whose edge it is; logarithm of the expected error of the center
(over `UNIT_PX`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.classify import softmax
from cardsight.detector import BLOCK, FILL
from cardsight.geometry import Image
from cardsight.networks import Network

STRIDE: Final = 4
UNIT_PX: Final = 64.0
OUTPUTS: Final = 15
CARD_PX: Final = 80.0
"""Length (px) of a card in the small copy."""
MOST_PX: Final = 1024
"""Longest side (px) of the small copy: it bounds the time in a picture with very small cards."""
LIKELY_INDEX: Final = -1.0
"""Log odds from which a cell may be the middle of an index; the corner network decides."""

Plane = NDArray[np.float32]


class Peak(NamedTuple):
    """The likely middle of an index (px of the picture), its direction (rad, clockwise; 0 is upright), its log odds."""

    place: NDArray[np.float64]
    angle: float
    odds: float


@dataclass(frozen=True)
class Evidence:
    """Content of the cells of a picture, as planes (h, w).

    ``none``, ``face`` and ``back``: probabilities of no card, of a card face up, and of one face down. ``places`` and
    ``centers`` (h, w, 2): the middle of the cell, and that of the card it shows. ``angles``: of the long side of this
    card (rad, 0…π). ``edges``: probability that a card ends there. ``seams``: probability that it ends upon another
    card. ``inward``: from an edge into the card whose edge it is, the upper one (rad, clockwise from the right).
    ``errors``: expected error of ``centers``. ``cell``: side of a cell. All in px of the picture.
    """

    none: Plane
    face: Plane
    back: Plane
    places: Plane
    centers: Plane
    angles: Plane
    edges: Plane
    seams: Plane
    inward: Plane
    errors: Plane
    cell: float
    _index: Plane
    _index_angles: Plane

    def indices(self) -> Iterator[Peak]:
        """Yield the likely indices, the surest first."""
        top = cv2.dilate(self._index, np.ones((3, 3), np.uint8))
        rows, cols = np.nonzero((self._index == top) & (self._index > LIKELY_INDEX))
        for n in np.argsort(-self._index[rows, cols], kind="stable").tolist():
            at = rows[n], cols[n]
            yield Peak(self.places[at].astype(np.float64), float(self._index_angles[at]), float(self._index[at]))


def gather(network: Network, levels: list[Image], long_px: float) -> Evidence:
    """Return what a picture (a `pyramid`) shows whose cards are ``long_px`` long."""
    height, width = levels[0].shape[:2]
    scale = min(CARD_PX / long_px, MOST_PX / max(height, width))
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    number = max(0, min(len(levels) - 1, int(-math.log2(scale)) if scale < 1 else 0))
    small = cv2.resize(levels[number], size, interpolation=cv2.INTER_LINEAR if scale < 1 else cv2.INTER_CUBIC)
    below, right = (-side % BLOCK for side in small.shape[:2])
    small = cv2.copyMakeBorder(small, 0, below, 0, right, cv2.BORDER_CONSTANT, value=FILL)
    rows, cols = (-(-side // STRIDE) for side in size[::-1])
    seen = network.run_picture(small)[:, :rows, :cols]
    none, face, back = softmax(seen[:3].reshape(3, -1).T).T.reshape(3, rows, cols).astype(np.float32)
    k = np.array([width / size[0], height / size[1]], np.float32)
    xs, ys = np.meshgrid((np.arange(cols) + 0.5) * STRIDE, (np.arange(rows) + 0.5) * STRIDE)
    places = np.stack([xs, ys], -1).astype(np.float32)
    centers = (places + seen[3:5].transpose(1, 2, 0) * np.float32(UNIT_PX)) * k - np.float32(0.5)
    angles = np.arctan2(seen[6], seen[5]) / 2 % np.pi
    edges, seams = (1 / (1 + np.exp(-np.clip(seen[plane], -30, 30))) for plane in (7, 11))
    ways, inward = np.arctan2(seen[10], seen[9]), np.arctan2(seen[13], seen[12])
    errors = np.exp(np.clip(seen[14], -6, 3)) * np.float32(UNIT_PX / scale)
    places = (places * k - 0.5).astype(np.float32)
    return Evidence(
        none, face, back, places, centers, angles, edges, seams, inward, errors, STRIDE / scale, seen[8].copy(), ways
    )  # fmt: skip
