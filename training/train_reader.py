"""Trains the reader: straightened cards, drawn and photographed, laid anew into scenes of one cut-out's size."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional
from torch.utils.data import IterableDataset, get_worker_info

from cardsight.classify import FACES, INKS, KINDS, OUTPUTS, SIGNS, prepared
from cardsight.rectify import CUT_H, CUT_W, IDEAL
from training import cards
from training.loop import fit
from training.nets import Reader
from training.photometry import Array, Random, glare, lit, shot
from training.photos import LOOSE, Photo
from training.scenes import Texture, clutter, drop, ground, hand, paste, texture

STRAIGHT_W, STRAIGHT_H = 144, 226
"""Size of a straightened card in px; round it a quarter of its sides more is kept, to be shown now and then."""
AROUND = 0.25
PART_REAL = 0.6
"""Part of the cut-outs that show a photographed card, of the faces that were photographed."""

FACE, BACK, NONE = range(len(KINDS))
IGNORE = -100


@dataclass
class Example:
    """A straightened card: by itself, and, from photographs, with what lies round it."""

    face: str
    alone: Texture
    around: Texture | None = None
    tight: bool = True


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
        found.append(Example(face, texture(card, alpha, back), texture(wide, full, back), photo.source not in LOOSE))
    return found


def jittered(rng: Random, strength: float) -> Array:
    """Where the corners of a card lie in a cut-out that was made a little beside it."""
    side = np.array([CUT_W, CUT_H])
    middle = IDEAL.mean(0)
    turn = rng.normal(0, 0.05) * strength
    c, s = np.cos(turn), np.sin(turn)
    quad = (IDEAL - middle) @ np.array([[c, s], [-s, c]]) * rng.normal(1, 0.045 * strength, 2)
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


class Cuts(IterableDataset):  # type: ignore[type-arg]
    """Batches of cut-outs without end: ``real`` cards in ``PART_REAL`` of them, drawn ones in the rest."""

    def __init__(self, real: Sequence[Example], seed: int, batch: int) -> None:
        self.real, self.seed, self.batch = real, seed, batch

    def __iter__(self) -> Iterator[tuple[Tensor, ...]]:
        info = get_worker_info()
        rng = np.random.default_rng((self.seed, info.id if info else 0))
        by_face: dict[str, list[Example]] = defaultdict(list)
        for example in self.real:
            by_face[example.face].append(example)
        alpha = cards.mask(STRAIGHT_W)
        bank = {
            face: [Example(face, texture(cards.drawn(rng, face, STRAIGHT_W), alpha, face == "back")) for _ in range(8)]
            for face in (*FACES, "back")
        }
        while True:
            for _ in range(self.batch // 16):  # prints change all the time
                face = "back" if rng.random() < 0.06 else FACES[int(rng.integers(len(FACES)))]
                bank[face][int(rng.integers(8))] = Example(
                    face, texture(cards.drawn(rng, face, STRAIGHT_W), alpha, face == "back")
                )
            yield tuple(
                torch.from_numpy(np.stack(part))
                for part in zip(*(self._one(rng, by_face, bank) for _ in range(self.batch)), strict=True)
            )

    def _pick(self, rng: Random, real: dict[str, list[Example]], bank: dict[str, list[Example]]) -> Example:
        face = "back" if rng.random() < 0.08 else FACES[int(rng.integers(len(FACES)))]
        pool = real[face] if face in real and rng.random() < PART_REAL else bank[face]
        return pool[int(rng.integers(len(pool)))]

    def _one(self, rng: Random, real: dict[str, list[Example]], bank: dict[str, list[Example]]) -> tuple[Array, ...]:
        """One cut-out, and what is true of it: kind, ink, sign, corners as parts of its sides, whether these count."""
        dice = rng.random()
        example = self._pick(rng, real, bank) if dice < 0.92 else None
        well = dice < 0.74
        image, cover = ground(rng, CUT_H, CUT_W), np.zeros((CUT_H, CUT_W), np.int32)
        quad = jittered(rng, float(rng.choice([0.4, 1.0, 1.8], p=[0.4, 0.45, 0.15]))) if well else displaced(rng)
        if rng.random() < 0.3:
            clutter(rng, image)
        for _ in range(int(rng.choice([0, 1, 2, 3], p=[0.55, 0.2, 0.15, 0.1]))):  # neighbors, cards below
            other = self._pick(rng, real, bank)
            paste(image, cover, 0, other.alone, displaced(rng), 1.0)
        if example is not None:
            if rng.random() < 0.5:
                quad = np.roll(quad, 2, 0)
            if example.around is not None and rng.random() < 0.45:
                paste(image, cover, 1, example.around, widened(quad), 1.0)
            else:
                if rng.random() < 0.6:
                    drop(rng, image, quad, rng.uniform(0.1, 0.6))
                paste(image, cover, 1, example.alone, quad, 1.0)
            cover[:] = 0
            cv2.fillConvexPoly(cover, quad.astype(np.int32), 1)
            whole = max(1, int((cover == 1).sum()))
            if rng.random() < 0.22:
                before = image.copy()
                if rng.random() < 0.5:
                    paste(image, cover, -1, self._pick(rng, real, bank).alone, displaced(rng), 1.0)
                else:
                    hand(rng, image, cover, rng.uniform(0, 1, 2) * (CUT_W, CUT_H), CUT_H * rng.uniform(0.4, 0.9))
                if (cover == 1).sum() < 0.62 * whole:
                    image = before
        image = lit(rng, image)
        if rng.random() < 0.15:
            image = glare(rng, image)
        cut = shot(rng, image)
        if rng.random() < 0.35:  # a card far away
            k = rng.uniform(0.45, 0.9)
            small = cv2.resize(cut, None, fx=k, fy=k, interpolation=cv2.INTER_AREA)
            cut = cv2.resize(small, (CUT_W, CUT_H), interpolation=cv2.INTER_LINEAR)
        kind, ink, sign = NONE, IGNORE, IGNORE
        if example is not None and well:
            kind = BACK if example.face == "back" else FACE
            if kind == FACE:
                color, _, symbol = example.face.partition("-")
                wild = color == "wild"
                ink, sign = INKS.index("black" if wild else color), SIGNS.index(example.face if wild else symbol)
        if abs(np.linalg.norm(quad[0] - IDEAL[0])) > np.linalg.norm(quad[0] - IDEAL[2]):
            quad = np.roll(quad, 2, 0)
        corners = ((quad - IDEAL) / (CUT_W, CUT_H)).astype(np.float32).ravel()
        counts = np.float32(kind != NONE and example is not None and example.tight)
        return prepared(cut)[0], np.int64(kind), np.int64(ink), np.int64(sign), corners, counts


def losses(out: Tensor, truth: list[Tensor]) -> dict[str, Tensor]:
    """Cross entropies of kind, ink and sign, and how far the corners are off (parts of a side)."""
    kind, ink, sign, corners, counts = truth
    kinds, inks, signs, places = out.split([len(KINDS), len(INKS), len(SIGNS), 8], 1)
    apart = functional.smooth_l1_loss(places, corners, reduction="none", beta=0.02).mean(1)
    return {
        "kind": functional.cross_entropy(kinds, kind),
        "ink": functional.cross_entropy(inks, ink, ignore_index=IGNORE, label_smoothing=0.02),
        "sign": functional.cross_entropy(signs, sign, ignore_index=IGNORE, label_smoothing=0.02),
        "corners": 20 * (apart * counts).sum() / counts.sum().clamp(min=1),
    }


def train(
    to: Path,
    steps: int,
    real: Sequence[Example] = (),
    *,
    rate: float,
    start: Path | None = None,
    seed: int = 1,
    workers: int = 1,
) -> None:
    """Train the reader on drawn cards and the ``real`` ones, and leave its weights in ``to``."""
    torch.manual_seed(seed)
    fit(
        Reader(OUTPUTS), Cuts(real, seed, batch=96), losses, steps=steps, rate=rate, to=to, start=start, workers=workers
    )
