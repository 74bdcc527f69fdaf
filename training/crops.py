"""Training crops of the reader: drawn and photographed cards, pasted into very small scenes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import cv2
import numpy as np

from cardsight.classify import INKS, KINDS, SIGNS, sign_of
from cardsight.geometry import CROP_H, CROP_W, IDEAL, width
from croupier_rules.cards import LEARNED, STARRED, WILDS
from training import cards
from training.backgrounds import background, clutter, hand, part_of
from training.photometry import Array, Random, glare, lit, shot
from training.photos import LOOSE, Photo
from training.placement import AROUND, displaced, fanned, heaped, is_legible, jittered, laid, widened
from training.scenes import Texture, drop, paste, texture

RECTIFIED_W, RECTIFIED_H = 144, 226
"""Size of a rectified card (px)."""
REAL_FRACTION = 1 / 6
"""Fraction of the crops that show a photographed card, of the faces that were photographed: two of each face."""
FANNED, COVERED = 0.2, 0.4
"""Fraction of the crops of a card in a fan or row; among the others, fraction of occluded cards."""
STRENGTHS, STRENGTH_SHARES = (0.4, 1.0, 1.8, 2.6), (0.36, 0.4, 0.16, 0.08)
"""Strength of the crop's displacement from the card (see `jittered`), and the probability of each."""
GRAY = 0.08
"""Fraction of the crops from a camera without colors."""
GROUNDS = 48
"""Number of backgrounds in use, each of twice the size of a crop, which shows a part of one."""
PRINTS = 8
"""Number of drawn cards in use per face; some are redrawn for each batch."""

FACE, BACK, NONE = range(len(KINDS))
IGNORE = -100


@dataclass
class Example:
    """A rectified card: ``alone``, and, from photographs, ``around`` it as well."""

    face: str
    alone: Texture
    around: Texture | None = None
    source: str = ""
    """The photograph's source; empty for a drawn card."""
    width_px: float = RECTIFIED_W
    """Width of the card in its picture."""


def rectify_all(photo: Photo) -> list[Example]:
    """Rectify every card of a photograph whose outline is known."""
    image = photo.picture()
    rows, cols = round(RECTIFIED_H * (1 + 2 * AROUND)), round(RECTIFIED_W * (1 + 2 * AROUND))
    x, y = RECTIFIED_W * AROUND, RECTIFIED_H * AROUND
    inside = np.array([[x, y], [cols - x, y], [cols - x, rows - y], [x, rows - y]], np.float32)
    alpha = cards.mask(RECTIFIED_W)
    alpha = cv2.erode(cv2.resize(alpha, (RECTIFIED_W, RECTIFIED_H)), np.ones((3, 3), np.uint8))
    found = []
    for face, quad in photo.outlines:
        if face not in LEARNED + STARRED and face != "back":
            continue
        shrink = np.linalg.norm(quad[1] - quad[2]) / RECTIFIED_H
        soft = cv2.GaussianBlur(image, (0, 0), 0.45 * float(shrink)) if shrink > 1.3 else image
        wide = cv2.warpPerspective(
            soft, cv2.getPerspectiveTransform(quad, inside), (cols, rows), borderMode=cv2.BORDER_REPLICATE
        )
        card = wide[int(y) : int(y) + RECTIFIED_H, int(x) : int(x) + RECTIFIED_W]
        back = face == "back"
        full = np.full(wide.shape[:2], 255, np.uint8)
        found.append(Example(face, texture(card, alpha, back), texture(wide, full, back), photo.source, width(quad)))
    return found


def drawn(rng: Random, face: str) -> Example:
    """Draw a card, face up or ``back``, in a random print."""
    return Example(face, texture(cards.drawn(rng, face, RECTIFIED_W), _alpha(), face == "back"))


@cache
def _alpha() -> Array:
    return cards.mask(RECTIFIED_W)


def labels_of(example: Example | None, gray: bool) -> tuple[int, int, int, int]:
    """Return kind, ink, sign and icon of a well placed card; ``None`` stands for a crop without one."""
    if example is None:
        return NONE, IGNORE, IGNORE, IGNORE
    if example.face == "back":
        return BACK, IGNORE, IGNORE, IGNORE
    color = "black" if example.face in WILDS else example.face.split("-")[0]
    ink = IGNORE if gray and color != "black" else INKS.index(color)
    return FACE, ink, SIGNS.index(sign_of(example.face)), int(example.face.endswith("*"))


class Crop(NamedTuple):
    """A training crop, uint8 BGR, with its labels: kind, ink, sign and icon (`IGNORE` if it has none); the corner
    offsets from `IDEAL`, as fractions of its sides; whether these are exact; and the source of its photographed
    cards."""

    image: Array
    labels: tuple[int, int, int, int]
    corners: Array
    exact: bool
    source: str


class Maker:
    """Generates crops without end: ``real`` cards in `REAL_FRACTION` of them, drawn ones in the rest.

    All photographed cards of a crop come from one source, so that a network can be trained on the crops of some sources
    only.
    """

    def __init__(self, rng: Random, real: Sequence[Example]) -> None:
        self._rng = rng
        self._real: dict[str, list[Example]] = defaultdict(list)
        self._neighbors: dict[str, list[Example]] = defaultdict(list)
        for example in real:
            self._real[example.face].append(example)
            self._neighbors[example.source].append(example)
        self._drawn = {face: [self._draw(face) for _ in range(PRINTS)] for face in (*cards.FACES, "back")}
        self._grounds = [self._ground() for _ in range(GROUNDS)]

    def __iter__(self) -> Iterator[Crop]:
        while True:
            self._grounds[int(self._rng.integers(GROUNDS))] = self._ground()
            for _ in range(6):  # prints change all the time
                face = self._face(0.06)
                self._drawn[face][int(self._rng.integers(PRINTS))] = self._draw(face)
            for _ in range(96):
                yield self._crop()

    def _ground(self) -> Array:
        return background(self._rng, 2 * CROP_H, 2 * CROP_W)

    def _face(self, backs: float) -> str:
        return "back" if self._rng.random() < backs else cards.FACES[int(self._rng.integers(len(cards.FACES)))]

    def _draw(self, face: str) -> Example:
        if f"{face}*" in STARRED and self._rng.random() < 0.25:
            face = f"{face}*"
        return drawn(self._rng, face)

    def _pick(self) -> Example:
        face = self._face(0.08)
        pool = self._real[face] if face in self._real and self._rng.random() < REAL_FRACTION else self._drawn[face]
        return pool[int(self._rng.integers(len(pool)))]

    def _neighbor(self, source: str) -> Example:
        """Return a card that may lie beside one of this source."""
        pool = self._neighbors[source] if source and self._rng.random() < 0.7 else self._drawn[self._face(0.08)]
        return pool[int(self._rng.integers(len(pool)))]

    def _crop(self) -> Crop:
        rng = self._rng
        dice, gray = rng.random(), rng.random() < GRAY
        well = dice < 0.74
        example = self._pick()
        source = example.source
        image, cover = part_of(rng, self._grounds, CROP_W, CROP_H), np.zeros((CROP_H, CROP_W), np.int32)
        quad = jittered(rng, float(rng.choice(STRENGTHS, p=STRENGTH_SHARES))) if well else displaced(rng)
        if rng.random() < 0.3:
            clutter(rng, image)
        for _ in range(int(rng.choice([0, 1, 2, 3], p=[0.55, 0.2, 0.15, 0.1]))):  # neighbors, cards below
            self._paste(image, cover, source, displaced(rng), 0)
        if dice < 0.92:
            if rng.random() < 0.5:
                quad = np.roll(quad, 2, 0)
            lower, upper = fanned(rng) if rng.random() < FANNED else ([], None)
            for other in laid(quad, lower):
                self._paste(image, cover, source, other, 0)
            if example.around is not None and rng.random() < 0.45:
                paste(image, cover, 1, example.around, widened(quad), 1.0)
            else:
                if rng.random() < 0.6:
                    drop(rng, image, quad, rng.uniform(0.1, 0.6))
                paste(image, cover, 1, example.alone, quad, 1.0)
            if upper is not None or rng.random() < COVERED:
                image = self._covered(image, quad, source, upper)
        image = lit(rng, image)
        if rng.random() < 0.15:
            image = glare(rng, image)
        crop = shot(rng, image)
        if rng.random() < 0.35:  # a card far away
            k = rng.uniform(0.45, 0.9)
            small = cv2.resize(crop, None, fx=k, fy=k, interpolation=cv2.INTER_AREA)
            crop = cv2.resize(small, (CROP_W, CROP_H), interpolation=cv2.INTER_LINEAR)
        if gray:
            crop = cv2.merge([cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY)] * 3)
        if np.linalg.norm(quad[0] - IDEAL[0]) > np.linalg.norm(quad[0] - IDEAL[2]):
            quad = np.roll(quad, 2, 0)
        corners = ((quad - IDEAL) / (CROP_W, CROP_H)).astype(np.float32).ravel()
        return Crop(crop, labels_of(example if well else None, gray), corners, well and source not in LOOSE, source)

    def _paste(self, image: Array, cover: Array, source: str, quad: Array, number: int) -> None:
        if self._rng.random() < 0.6:
            drop(self._rng, image, quad, self._rng.uniform(0.1, 0.5))
        paste(image, cover, number, self._neighbor(source).alone, quad, 1.0)

    def _covered(self, image: Array, quad: Array, source: str, upper: list[Array] | None) -> Array:
        """Cover the card along ``quad`` with the ``upper`` cards of its fan, with other cards, or with a hand. Returns
        the image unchanged if too little of the card would be visible."""
        rng, over = self._rng, image.copy()
        cover = np.zeros((CROP_H, CROP_W), np.int32)
        cv2.fillConvexPoly(cover, quad.astype(np.int32), 1)
        dice = rng.random()
        if upper is not None or dice < 0.4:
            others = laid(quad, heaped(rng) if upper is None else upper)
        else:
            others = [displaced(rng)] if dice < 0.6 else []
        for other in others:
            self._paste(over, cover, source, other, -1)
        if (not others and upper is None) or rng.random() < 0.1:
            hand(rng, over, cover, rng.uniform(0, 1, 2) * (CROP_W, CROP_H), CROP_H * rng.uniform(0.4, 0.9))
        return over if is_legible(cover, quad) else image
