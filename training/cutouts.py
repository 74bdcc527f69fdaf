"""What the reader learns from: straightened cards, drawn and photographed, laid anew into very small scenes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np

from cardsight.classify import INKS, KINDS, SIGNS
from cardsight.rectify import CUT_H, CUT_W, IDEAL
from croupier.cards import FACES, WILDS
from training import cards
from training.photometry import Array, Random, glare, lit, shot
from training.photos import LOOSE, Photo
from training.scenes import Texture, clutter, drop, ground, hand, part_of, paste, texture

STRAIGHT_W, STRAIGHT_H = 144, 226
"""Size of a straightened card in px; round it a quarter of its sides more is kept, to be shown now and then."""
AROUND = 0.25
PART_REAL = 0.6
"""Part of the cut-outs that show a photographed card, of the faces that were photographed."""
LEAST_SEEN = 0.5
"""Of a covered card at least so much is left to be seen."""
GRAY = 0.08
"""Part of the cut-outs that come from a camera without colors."""
GROUNDS = 48
"""Pieces of ground at hand at one time, of twice the size of a cut-out, which shows some part of one."""
PRINTS = 8
"""Drawn cards of each face that are at hand at one time; some of them are drawn anew for each batch."""

FACE, BACK, NONE = range(len(KINDS))
IGNORE = -100


@dataclass
class Example:
    """A straightened card: by itself, and, from photographs, with what lies round it."""

    face: str
    alone: Texture
    around: Texture | None = None
    source: str = ""
    """Where the photograph comes from; empty where the card is drawn."""


def straightened(photo: Photo) -> list[Example]:
    """Every card of a photograph whose outline is known, cut out straight."""
    image = photo.picture()
    rows, cols = round(STRAIGHT_H * (1 + 2 * AROUND)), round(STRAIGHT_W * (1 + 2 * AROUND))
    x, y = STRAIGHT_W * AROUND, STRAIGHT_H * AROUND
    inside = np.array([[x, y], [cols - x, y], [cols - x, rows - y], [x, rows - y]], np.float32)
    alpha = cards.mask(STRAIGHT_W)
    alpha = cv2.erode(cv2.resize(alpha, (STRAIGHT_W, STRAIGHT_H)), np.ones((3, 3), np.uint8))
    found = []
    for face, quad in photo.outlines:
        if face not in FACES and face != "back":
            continue
        shrink = np.linalg.norm(quad[1] - quad[2]) / STRAIGHT_H
        soft = cv2.GaussianBlur(image, (0, 0), 0.45 * float(shrink)) if shrink > 1.3 else image
        wide = cv2.warpPerspective(
            soft, cv2.getPerspectiveTransform(quad, inside), (cols, rows), borderMode=cv2.BORDER_REPLICATE
        )
        card = wide[int(y) : int(y) + STRAIGHT_H, int(x) : int(x) + STRAIGHT_W]
        back = face == "back"
        full = np.full(wide.shape[:2], 255, np.uint8)
        found.append(Example(face, texture(card, alpha, back), texture(wide, full, back), photo.source))
    return found


def truth(example: Example | None, gray: bool) -> tuple[int, int, int, int]:
    """Kind, ink, sign and icon of a well placed card (``None``: of a cut-out that holds none)."""
    if example is None:
        return NONE, IGNORE, IGNORE, IGNORE
    if example.face == "back":
        return BACK, IGNORE, IGNORE, IGNORE
    icon = int(example.face.endswith("*"))
    if example.face in WILDS:
        return FACE, INKS.index("black"), SIGNS.index(example.face), icon
    color, symbol = example.face.rstrip("*").split("-")
    return FACE, IGNORE if gray else INKS.index(color), SIGNS.index(symbol), icon


def jittered(rng: Random, strength: float) -> Array:
    """Where the corners of a card lie in a cut-out that was made a little beside it."""
    side = np.array([CUT_W, CUT_H])
    middle = IDEAL.mean(0)
    turn = rng.normal(0, 0.05) * strength
    c, s = np.cos(turn), np.sin(turn)
    quad = (IDEAL - middle) @ np.array([[c, s], [-s, c]]) * rng.normal(1, 0.045 * strength, 2)
    quad = quad @ np.array([[1, rng.normal(0, 0.04 * strength)], [rng.normal(0, 0.04 * strength), 1]])  # seen aslant
    quad += middle + rng.normal(0, 0.03 * strength, 2) * side + rng.normal(0, 0.015 * strength, (4, 2)) * side
    return quad.astype(np.float32)


def displaced(rng: Random) -> Array:
    """Where a card's corners lie in a cut-out that misses it: beside, too large, too small, across."""
    middle, quad = IDEAL.mean(0), IDEAL - IDEAL.mean(0)
    dice = rng.random()
    if dice < 0.4:
        angle, far = rng.uniform(0, 2 * np.pi), rng.uniform(0.33, 0.8)
        middle = middle + np.array([np.cos(angle) * CUT_W, np.sin(angle) * CUT_H]) * far
    elif dice < 0.6:
        quad = quad * (rng.uniform(0.35, 0.62) if rng.random() < 0.5 else rng.uniform(1.5, 2.5))
        middle = middle + rng.normal(0, 0.1, 2) * (CUT_W, CUT_H)
    else:
        turn = rng.uniform(np.pi / 6, np.pi / 2) * rng.choice([-1, 1])
        if dice > 0.8:
            turn = np.pi / 2 + rng.normal(0, 0.1)
        c, s = np.cos(turn), np.sin(turn)
        quad = quad @ np.array([[c, s], [-s, c]]) * rng.uniform(0.85, 1.15)
        middle = middle + rng.normal(0, 0.06, 2) * (CUT_W, CUT_H)
    return (quad + middle).astype(np.float32)


def widened(quad: Array) -> Array:
    """The outline of a card with what is kept round it."""
    whole = np.array(
        [[-AROUND, -AROUND], [1 + AROUND, -AROUND], [1 + AROUND, 1 + AROUND], [-AROUND, 1 + AROUND]], np.float32
    )
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    return cv2.perspectiveTransform(whole[None], cv2.getPerspectiveTransform(unit, quad.astype(np.float32)))[0]


class Cut(NamedTuple):
    """One cut-out, uint8 BGR, and what is true of it: kind, ink, sign and icon (`IGNORE` where it has none), the
    corners as parts of its sides from `IDEAL`, whether these count, and of which source its photographed cards are."""

    image: Array
    told: tuple[int, int, int, int]
    corners: Array
    exact: bool
    source: str


class Maker:
    """Makes cut-outs without end: ``real`` cards in `PART_REAL` of them, drawn ones in the rest.

    The photographed cards of one cut-out are of one source, as those on one table are, so that a network may learn
    from the cut-outs of some sources only.
    """

    def __init__(self, rng: Random, real: Sequence[Example]) -> None:
        self._rng, self._alpha = rng, cards.mask(STRAIGHT_W)
        self._real: dict[str, list[Example]] = defaultdict(list)
        self._neighbors: dict[str, list[Example]] = defaultdict(list)
        for example in real:
            self._real[example.face].append(example)
            self._neighbors[example.source].append(example)
        self._drawn = {face: [self._draw(face) for _ in range(PRINTS)] for face in (*cards.FACES, "back")}
        self._grounds = [self._ground() for _ in range(GROUNDS)]

    def __iter__(self) -> Iterator[Cut]:
        while True:
            self._grounds[int(self._rng.integers(GROUNDS))] = self._ground()
            for _ in range(6):  # prints change all the time
                face = self._face(0.06)
                self._drawn[face][int(self._rng.integers(PRINTS))] = self._draw(face)
            for _ in range(96):
                yield self._cut()

    def _ground(self) -> Array:
        return ground(self._rng, 2 * CUT_H, 2 * CUT_W)

    def _face(self, backs: float) -> str:
        return "back" if self._rng.random() < backs else cards.FACES[int(self._rng.integers(len(cards.FACES)))]

    def _draw(self, face: str) -> Example:
        if f"{face}*" in FACES and self._rng.random() < 0.25:
            face = f"{face}*"
        return Example(face, texture(cards.drawn(self._rng, face, STRAIGHT_W), self._alpha, face == "back"))

    def _pick(self) -> Example:
        face = self._face(0.08)
        pool = self._real[face] if face in self._real and self._rng.random() < PART_REAL else self._drawn[face]
        return pool[int(self._rng.integers(len(pool)))]

    def _neighbor(self, source: str) -> Example:
        """A card that may lie beside one of this source."""
        pool = self._neighbors[source] if source and self._rng.random() < 0.7 else self._drawn[self._face(0.08)]
        return pool[int(self._rng.integers(len(pool)))]

    def _cut(self) -> Cut:
        rng = self._rng
        dice, gray = rng.random(), rng.random() < GRAY
        well = dice < 0.74
        example = self._pick()
        source = example.source
        image, cover = part_of(rng, self._grounds, CUT_W, CUT_H), np.zeros((CUT_H, CUT_W), np.int32)
        quad = jittered(rng, float(rng.choice([0.4, 1.0, 1.8], p=[0.4, 0.45, 0.15]))) if well else displaced(rng)
        if rng.random() < 0.3:
            clutter(rng, image)
        for _ in range(int(rng.choice([0, 1, 2, 3], p=[0.55, 0.2, 0.15, 0.1]))):  # neighbors, cards below
            paste(image, cover, 0, self._neighbor(source).alone, displaced(rng), 1.0)
        if dice < 0.92:
            if rng.random() < 0.5:
                quad = np.roll(quad, 2, 0)
            if example.around is not None and rng.random() < 0.45:
                paste(image, cover, 1, example.around, widened(quad), 1.0)
            else:
                if rng.random() < 0.6:
                    drop(rng, image, quad, rng.uniform(0.1, 0.6))
                paste(image, cover, 1, example.alone, quad, 1.0)
            if rng.random() < 0.32:
                image = self._covered(image, quad, source)
        image = lit(rng, image)
        if rng.random() < 0.15:
            image = glare(rng, image)
        cut = shot(rng, image)
        if rng.random() < 0.35:  # a card far away
            k = rng.uniform(0.45, 0.9)
            small = cv2.resize(cut, None, fx=k, fy=k, interpolation=cv2.INTER_AREA)
            cut = cv2.resize(small, (CUT_W, CUT_H), interpolation=cv2.INTER_LINEAR)
        if gray:
            cut = cv2.merge([cv2.cvtColor(cut, cv2.COLOR_BGR2GRAY)] * 3)
        if np.linalg.norm(quad[0] - IDEAL[0]) > np.linalg.norm(quad[0] - IDEAL[2]):
            quad = np.roll(quad, 2, 0)
        corners = ((quad - IDEAL) / (CUT_W, CUT_H)).astype(np.float32).ravel()
        return Cut(cut, truth(example if well else None, gray), corners, well and source not in LOOSE, source)

    def _covered(self, image: Array, quad: Array, source: str) -> Array:
        """The card along ``quad`` under another card or a hand; as it was where too little of it would be left."""
        rng, over = self._rng, image.copy()
        cover = np.zeros((CUT_H, CUT_W), np.int32)
        cv2.fillConvexPoly(cover, quad.astype(np.int32), 1)
        whole = int((cover == 1).sum())
        if rng.random() < 0.5:
            paste(over, cover, -1, self._neighbor(source).alone, displaced(rng), 1.0)
        else:
            hand(rng, over, cover, rng.uniform(0, 1, 2) * (CUT_W, CUT_H), CUT_H * rng.uniform(0.4, 0.9))
        return over if (cover == 1).sum() >= LEAST_SEEN * whole else image
