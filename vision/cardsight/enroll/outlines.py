"""Outlines of cards by their edges alone, for prints that the finder has never seen the like of.

It needs what the finder does not: a ground of one color, or clear edges, and cards that do not touch. What it finds is
whatever has the shape of a card; whether it is one, the caller decides by its look.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.geometry import Image, Quad, overlap

SIDE_PX: Final = 720
"""Longer side of the copy that is searched; a card is at least `LEAST_PX` long there."""
LEAST_PX: Final = 40.0
EDGES: Final = (20, 60)
"""Thresholds of the edges that are followed, faint and clear ones, in levels of lightness or color."""
SLIMMEST: Final = 2.0
STOUTEST: Final = 1.2
"""Length over width: 1.57 on the card, less or more where it is seen aslant."""
FILLED: Final = 0.9
"""A card fills this part of its outline's rectangle: only its corners are round."""
ROUND: Final = 0.12
NEAR: Final = 0.05
"""Parts of a side's length: what belongs to the round corners, and how far its edge may be from the rough one."""
REACH: Final = 0.035
SAMPLES: Final = 24
"""An edge is sought so far to both sides (parts of the card's width: less than its border), at so many places."""
SAME: Final = 0.7
"""Of two outlines that share this part of the smaller one, that is part of the other: a picture on a card."""
LEAST_OF_GROUND: Final = 0.04
"""What lies on a card and is smaller than this part of it is no card on a table: the signs in the corners."""


def outlines(image: Image, *, by_edges: bool = True) -> list[Quad]:
    """The outlines of all that is shaped like a card, largest first, in px of the picture, short edge first.

    Without ``by_edges`` only of what stands out from the ground: between four cards the ground may have that shape too.
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
    """Whether two outlines are of one card: each shares most of the other."""
    smaller, larger = sorted(float(cv2.contourArea(quad)) for quad in (one, other))
    return overlap(one, other) > SAME and smaller > SAME * larger


def sharpened(image: Image, quad: Quad) -> Quad:
    """The same outline moved to the clearest edge near each of its sides: exact to a part of a px on plain ground."""
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
    """Whether two cards lie apart from each other inside the outline: it is a sheet or a table."""
    least = LEAST_OF_GROUND * cv2.contourArea(quad)
    inside = [o for o in others if least < cv2.contourArea(o) < 0.5 * cv2.contourArea(quad) and overlap(o, quad) > SAME]
    return any(overlap(one, other) < 0.05 for one in inside for other in inside)


def _masks(small: Image, by_edges: bool) -> Iterator[NDArray[np.uint8]]:
    """What may be cards: what differs from the ground along the picture's edge, and what lies between edges."""
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
    quad = _fitted(contour[:, 0].astype(np.float32), _corners(hull, cv2.boxPoints(rectangle)))
    if cv2.isContourConvex(quad) and cv2.contourArea(hull) > FILLED * cv2.contourArea(quad):
        yield quad


def _corners(hull: cv2.typing.MatLike, box: cv2.typing.MatLike) -> Quad:
    """The corners of the hull nearest to those of its rectangle, where they are four: a card seen aslant."""
    polygon = cv2.approxPolyDP(hull, 0.02 * cv2.arcLength(hull, True), True)[:, 0]
    nearest = {int(np.linalg.norm(polygon - corner, axis=1).argmin()): None for corner in box}
    return np.asarray(polygon[list(nearest)] if len(nearest) == 4 else box, np.float32)


def _fitted(edge: NDArray[np.float32], rough: Quad) -> Quad:
    """The lines along the straight parts of the four sides, brought to meet: as exact as all points together."""
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
    """The line through the points, few of which may be far off, in homogeneous coordinates."""
    dx, dy, x, y = (float(n) for n in cv2.fitLine(points, cv2.DIST_HUBER, 0, 0.01, 0.01).ravel())
    return np.cross((x, y, 1.0), (x + dx, y + dy, 1.0))


def _met(lines: list[NDArray[np.float64]]) -> Quad:
    """Where each of four lines meets the one before it; 0, 0 where they do not."""
    meets = [np.cross(lines[n - 1], lines[n]) for n in range(4)]
    return np.array([meet[:2] / meet[2] if abs(meet[2]) > 1e-9 else (0, 0) for meet in meets], np.float32)
