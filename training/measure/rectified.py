"""Cards and tables extracted from photographs: the material of synthetic measurement sets.

They come from sources that the measured model was not trained on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from cardsight.classify import FACES
from training import cards
from training.layouts import PRINTED_CORNER
from training.photometry import Array, Random
from training.photos import CLOSE, DRAWN_ON, Photo
from training.scenes import Texture, drop, paste, texture

WIDTH, HEIGHT = 1280, 720
"""Size of a synthetic picture (px)."""
RECTIFIED_W, RECTIFIED_H = 240, 377
TRIM = 0.012
"""Width trimmed on all sides, as a fraction of the card's: the outlines are a little too wide."""
LEAST_WIDTH_PX = 70.0
"""Minimum width of a card in its photograph: no camera sees what an enlarged smaller one would look like."""
CUT = 0.1
"""Part of a card that the edge of its photograph may cut off, as a fraction of its width: only of its white border,
which is continued."""


@dataclass(frozen=True)
class RectifiedCard:
    """A rectified card of a photograph."""

    face: str
    texture: Texture


def rectified_cards(photos: Sequence[Photo]) -> list[RectifiedCard]:
    """Extract every card face up whose outline is known."""
    alpha = cv2.resize(cards.mask(RECTIFIED_W), (RECTIFIED_W, RECTIFIED_H))
    alpha = cv2.erode(alpha, np.ones((3, 3), np.uint8))
    trim = TRIM * RECTIFIED_W
    right, bottom = RECTIFIED_W + trim, RECTIFIED_H + trim
    inside = np.array([[-trim, -trim], [right, -trim], [right, bottom], [-trim, bottom]], np.float32) - 0.5
    found = []
    for photo in photos:
        image = photo.picture()
        for face, quad in photo.outlines:
            width = float(np.linalg.norm(quad[0] - quad[1]))
            beyond = max(-quad.min(), *(quad.max(0) - image.shape[1::-1]))
            if face not in FACES or width < LEAST_WIDTH_PX or beyond > CUT * width:
                continue
            soft = cv2.GaussianBlur(image, (0, 0), 0.4 * width / RECTIFIED_W) if width > 1.3 * RECTIFIED_W else image
            straight = cv2.warpPerspective(
                soft,
                cv2.getPerspectiveTransform(quad, inside),
                (RECTIFIED_W, RECTIFIED_H),
                borderMode=cv2.BORDER_REPLICATE,
            )
            found.append(RectifiedCard(face, texture(straight, alpha, False)))
    return found


def emptied_tables(photos: Sequence[Photo], rng: Random, count: int) -> list[Array]:
    """Return tables of photographs with their cards inpainted, float32 BGR 0…1."""
    usable = [
        p for p in photos if p.outlines and p.source not in (*CLOSE, *DRAWN_ON) and len(p.outlines) >= len(p.faces)
    ]
    chosen = [usable[int(i)] for i in rng.permutation(len(usable))[:count]]
    return [_without_cards(photo) for photo in chosen]


def _without_cards(photo: Photo) -> Array:
    image = photo.picture()
    scale = max(WIDTH / image.shape[1], HEIGHT / image.shape[0])
    small = cv2.resize(image, None, fx=scale / 4, fy=scale / 4, interpolation=cv2.INTER_AREA)
    hole = np.zeros(small.shape[:2], np.uint8)
    for _, quad in photo.outlines:
        middle = quad.mean(0)
        cv2.fillConvexPoly(hole, ((middle + (quad - middle) * 1.25) * scale / 4).astype(np.int32), 255)
    filled = cv2.inpaint(small, hole, 5, cv2.INPAINT_TELEA)
    full = cv2.resize(image, (small.shape[1] * 4, small.shape[0] * 4), interpolation=cv2.INTER_AREA)
    large = cv2.resize(filled, (full.shape[1], full.shape[0]), interpolation=cv2.INTER_CUBIC)
    soft = cv2.GaussianBlur(cv2.resize(hole, (full.shape[1], full.shape[0])), (0, 0), 6).astype(np.float32)[..., None]
    table = full + np.minimum(1.0, soft / 128) * (large.astype(np.float32) - full)
    top, left = (table.shape[0] - HEIGHT) // 2, (table.shape[1] - WIDTH) // 2
    cropped = table[max(0, top) : max(0, top) + HEIGHT, max(0, left) : max(0, left) + WIDTH]
    return np.ascontiguousarray(np.clip(cv2.resize(cropped, (WIDTH, HEIGHT)) / 255, 0, 1), np.float32)


def outline(x: float, y: float, width: float, turn: float) -> Array:
    """Return the outline (px) of a card straight below the camera, from its top-left corner, clockwise."""
    box = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (width / 2, width * 88 / 56 / 2)
    c, s = np.cos(turn), np.sin(turn)
    return (box @ np.array([[c, s], [-s, c]]) + (x, y)).astype(np.float32)


class Table:
    """A table on which cards are laid on top of each other; tracks the visible part of each."""

    def __init__(self, background: Array, rng: Random) -> None:
        self.image = background.copy()
        self.cover = np.zeros(background.shape[:2], np.int32)
        self.laid: list[tuple[RectifiedCard, Array]] = []
        self._rng, self._shadow = rng, float(rng.uniform(0.15, 0.45))

    def lay(self, card: RectifiedCard, quad: Array) -> None:
        """Lay a card along an outline, on top of all others."""
        drop(self._rng, self.image, quad, self._shadow)
        self.laid.append((card, quad))
        paste(self.image, self.cover, len(self.laid), card.texture, quad, 1.0)

    def seen(self, number: int) -> float:
        """Return the fraction (0…1) of a card (counted from 0) that is uncovered and inside the picture."""
        return self._part(number, np.array([[0, 0], [1, 0], [1, 1], [0, 1]]))

    def corner(self, number: int) -> bool:
        """True if one of the two printed corners of a card is uncovered."""
        return max(self._part(number, corner) for corner in (PRINTED_CORNER, 1 - PRINTED_CORNER)) > 0.95

    def picture(self) -> Array:
        """Return the picture of the table."""
        return (np.clip(self.image, 0, 1) * 255).astype(np.uint8)

    def _part(self, number: int, area: Array) -> float:
        unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
        matrix = cv2.getPerspectiveTransform(unit, self.laid[number][1].astype(np.float32))
        there = cv2.perspectiveTransform(area[None].astype(np.float32), matrix)[0]
        mask = np.zeros(self.cover.shape, np.uint8)
        cv2.fillConvexPoly(mask, there.astype(np.int32), 1)
        whole = abs(cv2.contourArea(there))
        return min(1.0, float(((self.cover == number + 1) & (mask > 0)).sum()) / max(1.0, whole))
