"""An outline, with what is often asked of it worked out once: of a picture's outlines each meets all the others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import cv2

from cardsight.rectify import Quad, length


@dataclass(frozen=True, eq=False)
class Outline:
    """Four corners in px of the picture, as `cardsight.rectify` orders them."""

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

    def apart(self, other: Outline) -> float:
        """How far the middles are from each other, in px."""
        return math.dist(self.middle, other.middle)

    def shared(self, other: Outline) -> float:
        """The common area of two convex outlines, in px²."""
        if self.apart(other) >= self.reach + other.reach:
            return 0.0
        return cv2.intersectConvexConvex(self.quad, other.quad)[0]

    def likeness(self, other: Outline) -> float:
        """Their common area over all that they cover together, 0…1: 1 where they are one and the same."""
        shared = self.shared(other)
        whole = self.area + other.area - shared
        return shared / whole if whole > 0 else 0.0

    def overlap(self, other: Outline) -> float:
        """Their common area over the smaller of their areas, 0…1."""
        least = min(self.area, other.area)
        return self.shared(other) / least if least > 0 else 0.0
