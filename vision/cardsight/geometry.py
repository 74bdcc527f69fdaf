"""Geometry of card outlines, and perspective crops of cards.

An outline ("quad") is a float32 array (4, 2) in px of the picture, clockwise as seen; its first edge is a short one. A
card rotated by 180° looks the same, so either of two corners may come first.
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
"""Margin around the card in a crop, as a fraction of the crop's width and height."""

IDEAL: Final[Quad] = np.array(
    [
        [CROP_W * MARGIN, CROP_H * MARGIN],
        [CROP_W * (1 - MARGIN), CROP_H * MARGIN],
        [CROP_W * (1 - MARGIN), CROP_H * (1 - MARGIN)],
        [CROP_W * MARGIN, CROP_H * (1 - MARGIN)],
    ],
    np.float32,
)
"""Corners of the card in its crop (px)."""
_UNIT: Final[Quad] = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
FLAT_PX: Final = 0.05
"""Parallel tolerance (px): an outline within it is cropped by an affine warp, in half the time."""


def warp_crop(levels: list[Image], quad: Quad) -> Image:
    """Warp the card inside ``quad`` to ``CROP_W`` x ``CROP_H`` px. ``levels``: the `pyramid` of the picture."""
    level, shrunk = level_for(levels, quad, CROP_W * 0.8)
    a, b, c, d = quad.tolist()
    if max(abs(a[0] - b[0] + c[0] - d[0]), abs(a[1] - b[1] + c[1] - d[1])) < FLAT_PX:
        matrix = cv2.getAffineTransform(shrunk[:3], IDEAL[:3])
        seen = cv2.warpAffine(level, matrix, (CROP_W, CROP_H), borderMode=cv2.BORDER_REPLICATE)
    else:
        matrix = cv2.getPerspectiveTransform(shrunk, IDEAL)
        seen = cv2.warpPerspective(level, matrix, (CROP_W, CROP_H), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(seen, np.uint8)


def level_for(levels: list[Image], quad: Quad, width_px: float) -> tuple[Image, Quad]:
    """Return the coarsest level of a `pyramid` in which the card is at least ``width_px`` wide, and the outline in px
    of that level. A card that is smaller in the picture is returned at full resolution."""
    a, b, c, d = quad.tolist()
    widest = max(math.dist(a, b), math.dist(c, d), 1.0)
    number = min(len(levels) - 1, max(0, int(math.log2(widest / width_px))))
    return levels[number], (quad + np.float32(0.5)) / np.float32(2**number) - np.float32(0.5)


def warp_patch(image: Image, quad: Quad, place: NDArray[np.float64], side_px: int) -> Image:
    """Warp a square part of the card inside ``quad`` to ``side_px`` x ``side_px`` px, upright. ``place``: matrix (3, 3)
    from these px to a card of width and height 1."""
    matrix = cv2.getPerspectiveTransform(_UNIT, quad.astype(np.float32)) @ place
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    seen = cv2.warpPerspective(image, matrix, (side_px, side_px), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(seen, np.uint8)


def pyramid(image: Image, least: int = 200) -> list[Image]:
    """Return the picture and its successive halves, down to ``least`` px. A large card is cropped from a small level,
    which avoids aliasing."""
    levels = [image]
    while min(levels[-1].shape[:2]) >= 2 * least:
        height, width = levels[-1].shape[:2]
        half = cv2.resize(levels[-1], (width // 2, height // 2), interpolation=cv2.INTER_AREA)
        levels.append(np.asarray(half, np.uint8))
    return levels


def moved(quad: Quad, corners: Quad) -> Quad:
    """Map ``corners`` of the crop made with ``quad`` back to the picture."""
    matrix = cv2.getPerspectiveTransform(IDEAL, quad.astype(np.float32))
    found = cv2.perspectiveTransform(corners[None].astype(np.float32), matrix)
    return np.asarray(found[0], np.float32)


def rectangle(x: Number, y: Number, length: Number, width: Number, angle: Number) -> Quad:
    """Return the outline of a card seen from above: its center, side lengths, and direction of the long side (rad).

    Arrays (n,) give outlines (n, 4, 2).
    """
    cos, sin = np.cos(angle), np.sin(angle)
    along = np.stack([cos * length, sin * length], -1) / 2
    across = np.stack([sin * width, -cos * width], -1) / 2
    middle = np.stack([x, y], -1)
    corners = [middle - along - across, middle - along + across, middle + along + across, middle + along - across]
    return np.stack(corners, -2).astype(np.float32)


def turned(quad: Quad) -> Quad:
    """Return the outline with its short and long sides exchanged: the same corners, starting one later."""
    return np.roll(quad, 1, axis=0)


def rotated(quad: Quad, degrees: float) -> Quad:
    """Return the outline rotated around its middle, clockwise."""
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    middle = quad.mean(0)
    return np.asarray((quad - middle) @ np.array([(cos, sin), (-sin, cos)], np.float32) + middle, np.float32)


def length(quad: Quad) -> float:
    """Return the mean of the two long sides (px)."""
    a, b, c, d = quad.tolist()
    return (math.dist(b, c) + math.dist(d, a)) / 2


def width(quad: Quad) -> float:
    """Return the mean of the two short sides (px)."""
    return length(turned(quad))


def quad_of(corners: Corners) -> Quad:
    """Convert the corners of a sighting to an outline."""
    return np.array(corners, np.float32)


def corners_of(quad: Quad) -> Corners:
    """Convert an outline to the corners of a sighting, rounded to 0.1 px."""
    a, b, c, d = ((round(x, 1), round(y, 1)) for x, y in quad.tolist())
    return (a, b, c, d)


def overlap(one: Quad, other: Quad) -> float:
    """Return the common area of two convex outlines as a fraction (0…1) of the smaller one."""
    shared, _ = cv2.intersectConvexConvex(one, other)
    least = min(cv2.contourArea(one), cv2.contourArea(other))
    return float(shared / least) if least > 0 else 0.0


@dataclass(frozen=True, eq=False)
class Outline:
    """A quad with cached derived values: every outline of a picture is compared with all others."""

    quad: Quad

    @cached_property
    def middle(self) -> list[float]:
        """Mean of the corners (px)."""
        xs, ys = zip(*self.quad.tolist(), strict=True)
        return [sum(xs) / 4, sum(ys) / 4]

    @cached_property
    def long(self) -> float:
        """Mean of the two long sides (px)."""
        return length(self.quad)

    @cached_property
    def area(self) -> float:
        """Area (px²)."""
        return cv2.contourArea(self.quad)

    @cached_property
    def reach(self) -> float:
        """Distance of the farthest corner from the center (px)."""
        return max(math.dist(corner, self.middle) for corner in self.quad.tolist())

    def distance_to(self, other: Outline) -> float:
        """Distance between the centers (px)."""
        return math.dist(self.middle, other.middle)

    def shared(self, other: Outline) -> float:
        """Common area of two convex outlines (px²)."""
        if self.distance_to(other) >= self.reach + other.reach:
            return 0.0
        return cv2.intersectConvexConvex(self.quad, other.quad)[0]

    def iou(self, other: Outline) -> float:
        """Intersection over union, 0…1."""
        shared = self.shared(other)
        whole = self.area + other.area - shared
        return shared / whole if whole > 0 else 0.0

    def overlap(self, other: Outline) -> float:
        """Common area as a fraction (0…1) of the smaller outline."""
        least = min(self.area, other.area)
        return self.shared(other) / least if least > 0 else 0.0
