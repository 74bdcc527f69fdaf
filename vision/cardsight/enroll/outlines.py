"""Outlines of cards by edges, for prints that the detector was not trained on.

This needs a background of one color or clear edges, and cards that do not touch. It returns everything of the shape of
a card; the caller decides by the print whether it is one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.geometry import Image, Quad, overlap

SIDE_PX: Final = 720
"""Longer side (px) of the copy that is searched; a card is at least `LEAST_PX` long there."""
LEAST_PX: Final = 40.0
EDGES: Final = (20, 60)
"""Lower Canny thresholds for faint and for clear edges, in levels of lightness or color."""
SLIMMEST: Final = 2.0
STOUTEST: Final = 1.2
"""Limits of length over width: 1.57 on the card, less or more in an oblique view."""
FILLED: Final = 0.9
"""Minimum area of a card as a fraction of its outline: only the round corners are missing."""
SOLID: Final = 0.8
"""Minimum area of a region as a fraction of its convex hull; the grain of wood joins into ragged regions."""
ROUND: Final = 0.12
NEAR: Final = 0.05
"""Fraction of a side taken by each round corner, and the largest distance of its edge from the rough one (side
lengths)."""
REACH: Final = 0.035
SAMPLES: Final = 24
"""An edge is searched up to REACH (card widths; less than the border) on both sides, at SAMPLES places."""
SAME: Final = 0.7
"""Overlap from which the smaller of two outlines is a part of the larger one: a picture on a card."""
LEAST_OF_GROUND: Final = 0.04
"""Area, as a fraction of a card's, below which an outline on it is no card: the signs in the corners."""


def outlines(image: Image, *, by_edges: bool = True) -> list[Quad]:
    """Return all outlines of the shape of a card, largest first, in px, short edge first.

    ``by_edges``: also search by edges, not only for what differs from the background. The background between four cards
    can have the shape of a card, too.
    """
    scale = min(1.0, SIDE_PX / max(image.shape[:2]))
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else image
    found: list[Quad] = []
    for mask in _masks(np.asarray(small, np.uint8), by_edges):
        contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
        found += [quad for contour in contours for quad in _quads(contour)]
    found.sort(key=lambda quad: -cv2.contourArea(quad))
    kept: list[Quad] = []
    for quad in found:
        if not _is_ground(quad, found) and all(overlap(quad, other) < SAME for other in kept):
            kept.append(quad)
    return [np.asarray((quad + 0.5) / scale - 0.5, np.float32) for quad in kept]


def is_same(one: Quad, other: Quad) -> bool:
    """True if two outlines are of one card: each shares most of the other."""
    smaller, larger = sorted(float(cv2.contourArea(quad)) for quad in (one, other))
    return overlap(one, other) > SAME and smaller > SAME * larger


def sharpened(image: Image, quad: Quad) -> Quad:
    """Return the outline moved to the strongest edge near each side: exact to a fraction of a px on a plain
    background."""
    width = float(np.linalg.norm(quad[0] - quad[1]))
    reach = np.arange(-REACH * width, REACH * width + 0.5, 0.5).astype(np.float32)
    along = np.linspace(ROUND, 1 - ROUND, SAMPLES, dtype=np.float32)[:, None]
    lines = []
    for start, end in zip(quad, np.roll(quad, -1, axis=0), strict=True):
        way = (end - start) / np.linalg.norm(end - start)
        out = np.array([way[1], -way[0]], np.float32)
        across = (start + (end - start) * along)[:, None] + reach[:, None] * out
        x, y = np.moveaxis(across.astype(np.float32), 2, 0)
        seen = cv2.remap(image, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        soft = cv2.GaussianBlur(seen.astype(np.float32), (5, 1), 1.0)
        steep = np.abs(np.diff(soft, axis=1)).sum(axis=2)
        edge = across[np.arange(SAMPLES), steep.argmax(axis=1)] + out * 0.25
        lines.append(_line(edge.astype(np.float32)))
    moved = _met(lines)
    return moved if is_same(moved, quad) else quad


def _is_ground(quad: Quad, others: list[Quad]) -> bool:
    """True if two separate cards lie inside the outline: it is a sheet of paper or a table."""
    least = LEAST_OF_GROUND * cv2.contourArea(quad)
    inside = [o for o in others if least < cv2.contourArea(o) < 0.5 * cv2.contourArea(quad) and overlap(o, quad) > SAME]
    return any(overlap(one, other) < 0.05 for one in inside for other in inside)


def _masks(small: Image, by_edges: bool) -> Iterator[NDArray[np.uint8]]:
    """Yield masks of possible cards: what differs from the background at the picture's border, and the regions between
    edges."""
    lab = cv2.cvtColor(cv2.GaussianBlur(small, (0, 0), 1.0), cv2.COLOR_BGR2LAB)
    rim = np.concatenate([lab[0], lab[-1], lab[:, 0], lab[:, -1]]).astype(np.float32)
    away = np.linalg.norm(lab.astype(np.float32) - np.median(rim, axis=0), axis=2)
    far = np.clip(away * 2, 0, 255).astype(np.uint8)
    _, mask = cv2.threshold(far, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    yield np.asarray(mask, np.uint8)
    for low in EDGES if by_edges else ():
        edges = np.max([cv2.Canny(np.ascontiguousarray(lab[..., n]), low, 3 * low) for n in range(3)], axis=0)
        yield np.asarray(cv2.dilate(edges, np.ones((3, 3), np.uint8)), np.uint8)


def _quads(contour: cv2.typing.MatLike) -> Iterator[Quad]:
    hull = cv2.convexHull(contour)
    (_, sides, _) = rectangle = cv2.minAreaRect(hull)
    if min(sides) < LEAST_PX / 2 or max(sides) < LEAST_PX:
        return
    if not STOUTEST < max(sides) / min(sides) < SLIMMEST or cv2.contourArea(hull) < 0.8 * sides[0] * sides[1]:
        return
    if cv2.contourArea(contour) < SOLID * cv2.contourArea(hull):
        return
    quad = _fitted(contour[:, 0].astype(np.float32), _corners(hull, cv2.boxPoints(rectangle)))
    if cv2.isContourConvex(quad) and cv2.contourArea(hull) > FILLED * cv2.contourArea(quad):
        yield quad


def _corners(hull: cv2.typing.MatLike, box: cv2.typing.MatLike) -> Quad:
    """Return the hull's corners nearest to those of its rectangle, if they are four: a card in an oblique view."""
    polygon = cv2.approxPolyDP(hull, 0.02 * cv2.arcLength(hull, True), True)[:, 0]
    nearest = {int(np.linalg.norm(polygon - corner, axis=1).argmin()): None for corner in box}
    return np.asarray(polygon[list(nearest)] if len(nearest) == 4 else box, np.float32)


def _fitted(edge: NDArray[np.float32], rough: Quad) -> Quad:
    """Fit lines to the straight parts of the four sides and intersect them."""
    lines = []
    for start, end in zip(rough, np.roll(rough, -1, axis=0), strict=True):
        length = float(np.linalg.norm(end - start)) + 1e-6
        along = (end - start) / length
        way, apart = (edge - start) @ along, (edge - start) @ np.array([-along[1], along[0]])
        straight = edge[(way > ROUND * length) & (way < (1 - ROUND) * length) & (np.abs(apart) < NEAR * length)]
        lines.append(_line(straight if len(straight) > 2 else np.array([start, end], np.float32)))
    quad = _met(lines)
    if cv2.contourArea(quad, True) < 0:
        quad = quad[::-1]
    sides = np.linalg.norm(quad - np.roll(quad, -1, axis=0), axis=1)
    return np.ascontiguousarray(np.roll(quad, -1, axis=0) if sides[0] + sides[2] > sides[1] + sides[3] else quad)


def _line(points: NDArray[np.float32]) -> NDArray[np.float64]:
    """Fit a line to the points, robust to outliers; in homogeneous coordinates."""
    dx, dy, x, y = (float(n) for n in cv2.fitLine(points, cv2.DIST_HUBER, 0, 0.01, 0.01).ravel())
    return np.cross((x, y, 1.0), (x + dx, y + dy, 1.0))


def _met(lines: list[NDArray[np.float64]]) -> Quad:
    """Intersect each of four lines with the one before it; (0, 0) for parallel lines."""
    meets = [np.cross(lines[n - 1], lines[n]) for n in range(4)]
    return np.array([meet[:2] / meet[2] if abs(meet[2]) > 1e-9 else (0, 0) for meet in meets], np.float32)
