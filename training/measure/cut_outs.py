"""Cards and tables cut out of photographs, to be laid anew: what made measurement sets are made of.

Cards and table always come from sources that the model to be measured has not seen.
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
"""Size in px of a made picture."""
CROP_W, CROP_H = 240, 377
TRIM = 0.012
"""Part of a card's width that is cut off all round, since outlines are a little generous."""
LEAST_CUT_PX = 70.0
"""Cards that are narrower in the photograph are not used: enlarged they would be no card any camera sees."""


@dataclass(frozen=True)
class CutOut:
    """A straightened card of a photograph."""

    face: str
    texture: Texture


def cut_outs(photos: Sequence[Photo]) -> list[CutOut]:
    """Every card face up whose outline is known, one source after the other."""
    alpha = cv2.resize(cards.mask(CROP_W), (CROP_W, CROP_H))
    alpha = cv2.erode(alpha, np.ones((3, 3), np.uint8))
    x, y = TRIM * CROP_W, TRIM * CROP_W
    inside = np.array([[-x, -y], [CROP_W + x, -y], [CROP_W + x, CROP_H + y], [-x, CROP_H + y]], np.float32) - 0.5
    found = []
    for photo in photos:
        image = photo.picture()
        for face, quad in photo.outlines:
            width = float(np.linalg.norm(quad[0] - quad[1]))
            if face not in FACES or width < LEAST_CUT_PX:
                continue
            soft = cv2.GaussianBlur(image, (0, 0), 0.4 * width / CROP_W) if width > 1.3 * CROP_W else image
            straight = cv2.warpPerspective(soft, cv2.getPerspectiveTransform(quad, inside), (CROP_W, CROP_H))
            found.append(CutOut(face, texture(straight, alpha, False)))
    return found


def grounds(photos: Sequence[Photo], rng: Random, count: int) -> list[Array]:
    """Tables of the photographs with their cards painted out, float32 BGR 0…1."""
    usable = [
        p for p in photos if p.outlines and p.source not in (*CLOSE, *DRAWN_ON) and len(p.outlines) >= len(p.faces)
    ]
    chosen = [usable[int(i)] for i in rng.permutation(len(usable))[:count]]
    return [_emptied(photo) for photo in chosen]


def _emptied(photo: Photo) -> Array:
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
    """The outline in px of a card that lies straight below the camera, from its top-left corner, clockwise."""
    box = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (width / 2, width * 88 / 56 / 2)
    c, s = np.cos(turn), np.sin(turn)
    return (box @ np.array([[c, s], [-s, c]]) + (x, y)).astype(np.float32)


class Table:
    """A table on which cards are laid, one on the other; knows what of each is still to be seen."""

    def __init__(self, ground: Array, rng: Random) -> None:
        self.image = ground.copy()
        self.cover = np.zeros(ground.shape[:2], np.int32)
        self.laid: list[tuple[CutOut, Array]] = []
        self._rng, self._shadow = rng, float(rng.uniform(0.15, 0.45))

    def lay(self, card: CutOut, quad: Array) -> None:
        """Lay a card along an outline, on top of what lies there."""
        drop(self._rng, self.image, quad, self._shadow)
        self.laid.append((card, quad))
        paste(self.image, self.cover, len(self.laid), card.texture, quad, 1.0)

    def seen(self, number: int) -> float:
        """The part of a card (counted from 0) that nothing covers and that lies in the picture, 0…1."""
        return self._part(number, np.array([[0, 0], [1, 0], [1, 1], [0, 1]]))

    def corner(self, number: int) -> bool:
        """Whether one of the two printed corners of a card is uncovered."""
        return max(self._part(number, corner) for corner in (PRINTED_CORNER, 1 - PRINTED_CORNER)) > 0.95

    def picture(self) -> Array:
        """What the camera takes."""
        return (np.clip(self.image, 0, 1) * 255).astype(np.uint8)

    def _part(self, number: int, area: Array) -> float:
        unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
        matrix = cv2.getPerspectiveTransform(unit, self.laid[number][1].astype(np.float32))
        there = cv2.perspectiveTransform(area[None].astype(np.float32), matrix)[0]
        mask = np.zeros(self.cover.shape, np.uint8)
        cv2.fillConvexPoly(mask, there.astype(np.int32), 1)
        whole = abs(cv2.contourArea(there))
        return min(1.0, float(((self.cover == number + 1) & (mask > 0)).sum()) / max(1.0, whole))
