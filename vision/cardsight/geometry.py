"""Straight crops of cards, and the small geometry of their outlines.

An outline ("quad") is a float32 array of shape (4, 2): px of the picture, in order round the card, clockwise as seen,
its first edge a short one. Cards look the same when turned by half, so two of the four corners may come first.

An outline, with what is often asked of it worked out once: of a picture's outlines each meets all the others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.sighting import Corners

Image = NDArray[np.uint8]
Quad = NDArray[np.float32]
Number = float | NDArray[np.float64]

CROP_W: Final = 72
CROP_H: Final = 96
MARGIN: Final = 1 / 12
"""A crop shows the card and, all round it, a margin of this part of the crop's width and height."""

IDEAL: Final[Quad] = np.array(
    [
        [CROP_W * MARGIN, CROP_H * MARGIN],
        [CROP_W * (1 - MARGIN), CROP_H * MARGIN],
        [CROP_W * (1 - MARGIN), CROP_H * (1 - MARGIN)],
        [CROP_W * MARGIN, CROP_H * (1 - MARGIN)],
    ],
    np.float32,
)
"""Where the corners of a card lie in its crop."""
_UNIT: Final[Quad] = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
FLAT_PX: Final = 0.05
"""An outline whose opposite sides are as parallel as this, as the finder's all are, is cut out in half the time."""


def warp_crop(levels: list[Image], quad: Quad) -> Image:
    """The card inside ``quad`` straightened to ``CROP_W`` x ``CROP_H`` px, from the level of ``pyramid`` that suits."""
    level, shrunk = suited(levels, quad, CROP_W * 0.8)
    a, b, c, d = quad.tolist()
    if max(abs(a[0] - b[0] + c[0] - d[0]), abs(a[1] - b[1] + c[1] - d[1])) < FLAT_PX:
        matrix = cv2.getAffineTransform(shrunk[:3], IDEAL[:3])
        seen = cv2.warpAffine(level, matrix, (CROP_W, CROP_H), borderMode=cv2.BORDER_REPLICATE)
    else:
        matrix = cv2.getPerspectiveTransform(shrunk, IDEAL)
        seen = cv2.warpPerspective(level, matrix, (CROP_W, CROP_H), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(seen, np.uint8)


def suited(levels: list[Image], quad: Quad, width_px: float) -> tuple[Image, Quad]:
    """The level of a `pyramid` in which the card inside ``quad`` is as wide as ``width_px`` or up to twice that, if the
    picture shows it so large; and the outline there."""
    a, b, c, d = quad.tolist()
    widest = max(math.dist(a, b), math.dist(c, d), 1.0)
    number = min(len(levels) - 1, max(0, int(math.log2(widest / width_px))))
    return levels[number], (quad + np.float32(0.5)) / np.float32(2**number) - np.float32(0.5)


def close_up(image: Image, quad: Quad, place: NDArray[np.float64], side_px: int) -> Image:
    """A square part of the card inside ``quad``, upright, of ``side_px`` px; ``place`` is the matrix (3, 3) from these
    to the card of width and height 1."""
    matrix = cv2.getPerspectiveTransform(_UNIT, quad.astype(np.float32)) @ place
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    seen = cv2.warpPerspective(image, matrix, (side_px, side_px), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(seen, np.uint8)


def pyramid(image: Image, least: int = 200) -> list[Image]:
    """The picture and its halves, down to ``least`` px: a large card is cut from a small picture, without aliasing."""
    levels = [image]
    while min(levels[-1].shape[:2]) >= 2 * least:
        height, width = levels[-1].shape[:2]
        half = cv2.resize(levels[-1], (width // 2, height // 2), interpolation=cv2.INTER_AREA)
        levels.append(np.asarray(half, np.uint8))
    return levels


def moved(quad: Quad, corners: Quad) -> Quad:
    """The outline in the picture of a card whose ``corners`` were found in the crop made with ``quad``."""
    matrix = cv2.getPerspectiveTransform(IDEAL, quad.astype(np.float32))
    found = cv2.perspectiveTransform(corners[None].astype(np.float32), matrix)
    return np.asarray(found[0], np.float32)


def rectangle(x: Number, y: Number, length: Number, width: Number, angle: Number) -> Quad:
    """The outline of a card seen straight from above: its middle, its two sides, the direction of the long one.

    Of arrays (n,) the outlines, (n, 4, 2).
    """
    cos, sin = np.cos(angle), np.sin(angle)
    along = np.stack([cos * length, sin * length], -1) / 2
    across = np.stack([sin * width, -cos * width], -1) / 2
    middle = np.stack([x, y], -1)
    corners = [middle - along - across, middle - along + across, middle + along + across, middle + along - across]
    return np.stack(corners, -2).astype(np.float32)


def turned(quad: Quad) -> Quad:
    """The same four corners read a quarter further: for an outline whose short side was taken for the long one."""
    return np.roll(quad, 1, axis=0)


def length(quad: Quad) -> float:
    """The mean of the two long sides, in px."""
    a, b, c, d = quad.tolist()
    return (math.dist(b, c) + math.dist(d, a)) / 2


def width(quad: Quad) -> float:
    """The mean of the two short sides, in px."""
    return length(turned(quad))


def quad_of(corners: Corners) -> Quad:
    """The outline of a card that was seen."""
    return np.array(corners, np.float32)


def corners_of(quad: Quad) -> Corners:
    """An outline as it is told of a card that was seen: to a tenth of a px."""
    a, b, c, d = ((round(x, 1), round(y, 1)) for x, y in quad.tolist())
    return (a, b, c, d)


def overlap(one: Quad, other: Quad) -> float:
    """Common area of two convex outlines over the smaller of their areas, 0…1."""
    shared, _ = cv2.intersectConvexConvex(one, other)
    least = min(cv2.contourArea(one), cv2.contourArea(other))
    return float(shared / least) if least > 0 else 0.0


@dataclass(frozen=True, eq=False)
class Outline:
    """Four corners in px of the picture, as `cardsight.geometry` orders them."""

    quad: Quad

    @cached_property
    def middle(self) -> list[float]:
        """The mean of the corners."""
        xs, ys = zip(*self.quad.tolist(), strict=True)
        return [sum(xs) / 4, sum(ys) / 4]

    @cached_property
    def long(self) -> float:
        """The mean of the two long sides, in px."""
        return length(self.quad)

    @cached_property
    def area(self) -> float:
        """Its area, in px²."""
        return cv2.contourArea(self.quad)

    @cached_property
    def reach(self) -> float:
        """How far the farthest corner is from the middle, in px."""
        return max(math.dist(corner, self.middle) for corner in self.quad.tolist())

    def distance_to(self, other: Outline) -> float:
        """How far the middles are from each other, in px."""
        return math.dist(self.middle, other.middle)

    def shared(self, other: Outline) -> float:
        """The common area of two convex outlines, in px²."""
        if self.distance_to(other) >= self.reach + other.reach:
            return 0.0
        return cv2.intersectConvexConvex(self.quad, other.quad)[0]

    def iou(self, other: Outline) -> float:
        """Their common area over all that they cover together, 0…1: 1 where they are one and the same."""
        shared = self.shared(other)
        whole = self.area + other.area - shared
        return shared / whole if whole > 0 else 0.0

    def overlap(self, other: Outline) -> float:
        """Their common area over the smaller of their areas, 0…1."""
        least = min(self.area, other.area)
        return self.shared(other) / least if least > 0 else 0.0
