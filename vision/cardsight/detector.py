"""Detector: rough outlines of cards from small copies of the whole picture.

The network returns a grid of ``STRIDE`` px with eight planes: log odds of a card's center in the cell, face up and face
down; offset of that center (cells); log length and log width of the card (over 64 and 40 px); cosine and sine of twice
the angle of its long side, since a card rotated by 180° is the same card.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.geometry import Image, Outline, rectangle
from cardsight.networks import Network

STRIDE: Final = 8
BLOCK: Final = 32
"""Sides of the input are padded to multiples of this: the network halves the picture five times."""
FILL: Final = (114, 114, 114)
LEAST_ODDS: Final = -1.5
"""Log odds from which a cell is a proposal. The reader rejects what is no card."""
PASSES_PX: Final = (96, 192, 384)
"""Longer sides (px) of the detection passes. The last one finds cards from 16 px on; the first two find cards that fill
much of the picture."""
LARGE_PX: Final = 30.0
LARGE_ODDS: Final = 1.0
"""Length (px) and log odds in the first pass from which all cards count as large, and the last pass is skipped."""
BEST_PX: Final = 64.0
"""Length (px) of a card in the small picture at which the detector is most exact."""
CLOSER_PX: Final = 768
"""Longer side (px) of the additional pass for small cards."""
SMALL_PX: Final = 36.0
"""Median length (px) of the cards in the small picture below which that pass is made."""
PADDED_PX: Final = (120, 36)
"""Longer side and padding (px) of the pass that is made when nothing was found: the picture may be the face of one
card."""
SIZED_PX: Final = 88.0
"""Length (px) of a card in the small picture if the length of the cards is known. The outlines are as exact as from two
passes."""
SIZED: Final = (0.6, 1.6)
"""Accepted lengths relative to a known card length."""
REPEAT: Final = 0.15
"""Distance between centers (card lengths) below which two proposals of one size are one free card."""
MOST: Final = 160
"""Maximum number of proposals for one picture: more than a deck."""


@dataclass(frozen=True, eq=False)
class Proposal(Outline):
    """A rough outline in px of the picture, and the log odds that a card lies there."""

    odds: float
    length_px: float
    """Length (px) of its long side in the small picture."""

    @cached_property
    def chance(self) -> float:
        """Probability, 0…1."""
        return 1 / (1 + math.exp(-self.odds))


class DetectorPasses:
    """Cached detection passes over one picture (a `pyramid`), one per size."""

    def __init__(self, detector: Network, levels: list[Image]) -> None:
        self._detector, self._levels = detector, levels
        self._by_side: dict[int, list[Proposal]] = {}
        self.longer = max(levels[0].shape[:2])
        """Longer side of the picture (px)."""

    def at(self, side_px: int) -> list[Proposal]:
        """Return the proposals of the pass with a longer side of ``side_px``."""
        if side_px not in self._by_side:
            self._by_side[side_px] = detect(self._detector, self._levels, side_px)
        return self._by_side[side_px]

    @cached_property
    def padded(self) -> list[Proposal]:
        """Proposals of the pass with padding around the picture."""
        return detect(self._detector, self._levels, *PADDED_PX)


def proposals(passes: DetectorPasses, long_px: float | None = None, *, thorough: bool = False) -> list[Proposal]:
    """Return the likely places of cards, each place once, best first.

    ``long_px``: length of the cards if it is known; a single pass of the best size is made. ``thorough``: make the
    passes of all sizes, for a picture in which a quick search found nothing readable.
    """
    if long_px is not None:
        found = passes.at(_side_px(SIZED_PX / long_px * passes.longer))
        return deduplicated([p for p in found if SIZED[0] < p.long / long_px < SIZED[1]])[:MOST]
    small, medium, large = PASSES_PX
    if not thorough and any(p.length_px >= LARGE_PX and p.odds >= LARGE_ODDS for p in passes.at(small)):
        return deduplicated(passes.at(small) + passes.at(medium))
    found = passes.at(large)
    if found and large < passes.longer and median(p.length_px for p in found) < SMALL_PX:
        found = found + passes.at(CLOSER_PX)
    if thorough:
        found = found + passes.at(small) + passes.at(medium)
    return deduplicated(found or passes.padded)[:MOST]


def _side_px(best: float) -> int:
    """Return the allowed side (px) of a pass that is nearest to ``best``."""
    return BLOCK * round(min(max(best, PASSES_PX[0]), CLOSER_PX) / BLOCK)


def detect(detector: Network, levels: list[Image], side_px: int, edge_px: int = 0) -> list[Proposal]:
    """Return the proposals of a pass with a longer side of ``side_px`` and a gray padding of ``edge_px``."""
    height, width = levels[0].shape[:2]
    scale = side_px / max(height, width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    nearest = next((level for level in reversed(levels) if max(level.shape[:2]) >= side_px), levels[0])
    small = cv2.resize(nearest, size, interpolation=cv2.INTER_LINEAR)  # at most by half, so no pixel is skipped
    small = cv2.copyMakeBorder(small, edge_px, edge_px, edge_px, edge_px, cv2.BORDER_CONSTANT, value=FILL)
    below, right = (-side % BLOCK for side in small.shape[:2])
    small = cv2.copyMakeBorder(small, 0, below, 0, right, cv2.BORDER_CONSTANT, value=FILL)
    return _peaks(detector.run_picture(small), edge_px, width / size[0], height / size[1])


def _peaks(planes: NDArray[np.float32], edge_px: int, kx: float, ky: float) -> list[Proposal]:
    heat = planes[:2].max(0)
    top = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    rows, cols = np.nonzero((heat == top) & (heat > LEAST_ODDS))
    dx, dy, log_length, log_width, cos2, sin2 = planes[2:, rows, cols].astype(np.float64)
    x, y = (cols + dx + 0.5) * STRIDE - edge_px, (rows + dy + 0.5) * STRIDE - edge_px
    long_px, short_px = 64 * np.exp(np.clip(log_length, -3, 3)), 40 * np.exp(np.clip(log_width, -3, 3))
    quads = (rectangle(x, y, long_px, short_px, np.arctan2(sin2, cos2) / 2) * (kx, ky) - 0.5).astype(np.float32)
    return [Proposal(*one) for one in zip(quads, heat[rows, cols].tolist(), long_px.tolist(), strict=True)]


def deduplicated(proposals: list[Proposal], repeat: float = REPEAT) -> list[Proposal]:
    """Return the proposals, best first, without repetitions of a better one: similar size, and a distance between
    centers of less than ``repeat`` card lengths."""
    unique: list[Proposal] = []
    for one in sorted(proposals, key=lambda p: abs(math.log2(p.length_px / BEST_PX)) - p.odds):
        if not any(_repeats(one, better, repeat) for better in unique):
            unique.append(one)
    return unique


def _repeats(one: Proposal, better: Proposal, repeat: float) -> bool:
    return one.distance_to(better) < repeat * better.long and 0.7 < one.long / better.long < 1.4
