"""Where cards may lie: the finder network looks at the whole picture, small, and proposes rough outlines.

It answers on a grid of ``STRIDE`` px with eight planes: how likely a card's middle lies in the cell, face up and face
down (log odds); from the cell to that middle (cells); log length and width of the card (over 64 and 40 px); and the
direction of its long side as the cosine and sine of the double angle, since a card turned by half is the same card.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.geometry import Image, Outline, rectangle

SIZES: Final = 12
"""Detectors that are kept prepared: enough for the passes over a camera's whole frames and over some parts of them."""
STRIDE: Final = 8
BLOCK: Final = 32
"""The network halves the picture five times, so its sides are filled up to multiples of this."""
FILL: Final = (114, 114, 114)
LEAST_ODDS: Final = -1.5
"""Log odds from which a cell is a proposal; the reader throws out what is no card."""
LOOKS_PX: Final = (96, 192, 384)
"""Longer sides of the small pictures the finder sees. In the last it finds cards from 16 px on, in the first two those
that fill much of the picture, or all of it."""
LARGE_PX: Final = 30.0
LARGE_ODDS: Final = 1.0
"""Where the first look shows a card of this length as certain as that, all cards are large and the last is spared."""
BEST_PX: Final = 64.0
"""Length of a card in the small picture at which the finder is most exact."""
CLOSER_PX: Final = 768
"""Where cards are so small that they may have been missed, the finder looks again at this size."""
SMALL_PX: Final = 36.0
"""Length of a card in the small picture, below which the finder looks closer."""
FARTHER_PX: Final = (120, 36)
"""Where nothing was found, the picture is looked at in the first size, with so much empty ground round it as the second
says: it may be one card's face."""
SIZED_PX: Final = 88.0
"""Length of a card in the small picture, where that can be chosen because it is known how long cards are: outlines are
as exact as from two looks."""
SIZED: Final = (0.6, 1.6)
"""Where it is known how long cards are, what is shorter or longer than these parts of that is none."""
REPEAT: Final = 0.15
"""Proposals of one size whose middles are nearer than this part of the length are one, among cards that lie free."""
MOST: Final = 160
"""Proposals for one picture: more than a deck."""


def load_network(onnx: bytes) -> cv2.dnn.Net:
    """Load an ONNX network into OpenCV."""
    net = cv2.dnn.readNetFromONNX(np.frombuffer(onnx, np.uint8))
    net.setPreferableBackend(cv2.dnn.DNN_BACKEND_OPENCV)
    return net


class Detectors:
    """The detector network, one instance per input size.

    OpenCV prepares a network anew whenever its input size changes, which takes longer than the pass itself.
    """

    def __init__(self, onnx: bytes) -> None:
        self._onnx = onnx
        self._by_size: dict[tuple[int, int], cv2.dnn.Net] = {}

    def __getitem__(self, size: tuple[int, int]) -> cv2.dnn.Net:
        """Return the network for pictures of this height and width in px. The latest `SIZES` are kept."""
        net = self._by_size.pop(size, None) or load_network(self._onnx)
        self._by_size[size] = net
        if len(self._by_size) > SIZES:
            del self._by_size[next(iter(self._by_size))]
        return net


@dataclass(frozen=True, eq=False)
class Proposal(Outline):
    """A rough outline in px of the picture, and the log odds that a card lies there."""

    odds: float
    length_px: float
    """Its long side in the small picture that the network saw."""

    @cached_property
    def chance(self) -> float:
        """The probability, 0…1."""
        return 1 / (1 + math.exp(-self.odds))


class DetectorPasses:
    """What the finder proposes in one picture (as a `pyramid`) at each size, each looked at once."""

    def __init__(self, detectors: Detectors, levels: list[Image]) -> None:
        self._detectors, self._levels = detectors, levels
        self._seen: dict[int, list[Proposal]] = {}
        self.longer = max(levels[0].shape[:2])
        """The longer side of the picture in px."""

    def at(self, side_px: int) -> list[Proposal]:
        """What one look proposes, with the picture's longer side at ``side_px``."""
        if side_px not in self._seen:
            self._seen[side_px] = _located(self._detectors, self._levels, side_px)
        return self._seen[side_px]

    @cached_property
    def farther(self) -> list[Proposal]:
        """What is proposed when the picture has some empty ground round it."""
        return _located(self._detectors, self._levels, *FARTHER_PX)


def proposals(looks: DetectorPasses, long_px: float | None = None, *, thorough: bool = False) -> list[Proposal]:
    """Where cards may lie in the picture, each place once, best first.

    ``long_px``: how long they are, where that is known; then one look is enough, in the size that tells most.
    ``thorough`` else looks at every size, and farther, for when nothing was read in what a quick look proposed.
    """
    if long_px is not None:
        found = looks.at(_side_px(SIZED_PX / long_px * looks.longer))
        return once([p for p in found if SIZED[0] < p.long / long_px < SIZED[1]])[:MOST]
    small, medium, large = LOOKS_PX
    if not thorough and any(p.length_px >= LARGE_PX and p.odds >= LARGE_ODDS for p in looks.at(small)):
        return once(looks.at(small) + looks.at(medium))
    found = looks.at(large)
    if found and large < looks.longer and float(np.median([p.length_px for p in found])) < SMALL_PX:
        found = found + looks.at(CLOSER_PX)
    if thorough:
        found = found + looks.at(small) + looks.at(medium)
    return once(found or looks.farther)[:MOST]


def _side_px(best: float) -> int:
    """The side of a look that is nearest to the best one."""
    return BLOCK * round(min(max(best, LOOKS_PX[0]), CLOSER_PX) / BLOCK)


def _located(detectors: Detectors, levels: list[Image], side_px: int, edge_px: int = 0) -> list[Proposal]:
    """What is proposed in the picture with its longer side at ``side_px`` and ``edge_px`` of empty ground round it."""
    height, width = levels[0].shape[:2]
    scale = side_px / max(height, width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    nearest = next((level for level in reversed(levels) if max(level.shape[:2]) >= side_px), levels[0])
    small = cv2.resize(nearest, size, interpolation=cv2.INTER_LINEAR)  # at most by half, so nothing is skipped
    right, below = (edge_px + -(side + 2 * edge_px) % BLOCK for side in size)
    small = cv2.copyMakeBorder(small, edge_px, below, edge_px, right, cv2.BORDER_CONSTANT, value=FILL)
    net = detectors[(small.shape[0], small.shape[1])]
    net.setInput(cv2.dnn.blobFromImage(small, 1 / 255))
    return _peaks(net.forward()[0], edge_px, width / size[0], height / size[1])


def _peaks(planes: NDArray[np.float32], edge_px: int, kx: float, ky: float) -> list[Proposal]:
    heat = planes[:2].max(0)
    top = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    rows, cols = np.nonzero((heat == top) & (heat > LEAST_ODDS))
    dx, dy, log_length, log_width, cos2, sin2 = planes[2:, rows, cols].astype(np.float64)
    x, y = (cols + dx + 0.5) * STRIDE - edge_px, (rows + dy + 0.5) * STRIDE - edge_px
    long_px, short_px = 64 * np.exp(np.clip(log_length, -3, 3)), 40 * np.exp(np.clip(log_width, -3, 3))
    quads = (rectangle(x, y, long_px, short_px, np.arctan2(sin2, cos2) / 2) * (kx, ky) - 0.5).astype(np.float32)
    return [Proposal(*one) for one in zip(quads, heat[rows, cols].tolist(), long_px.tolist(), strict=True)]


def once(proposals: list[Proposal], repeat: float = REPEAT) -> list[Proposal]:
    """The proposals, best first, without those that repeat a better one of about the same place and size: their middles
    are nearer than the part ``repeat`` of its length."""
    kept: list[Proposal] = []
    for one in sorted(proposals, key=lambda p: abs(math.log2(p.length_px / BEST_PX)) - p.odds):
        if not any(_repeats(one, better, repeat) for better in kept):
            kept.append(one)
    return kept


def _repeats(one: Proposal, better: Proposal, repeat: float) -> bool:
    return one.distance_to(better) < repeat * better.long and 0.7 < one.long / better.long < 1.4
