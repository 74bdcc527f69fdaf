"""Training of the corner network on drawn cards and photographs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from cardsight.classify import CORNER_CLASSES, SIGNS, corner_patches, normalize_corners, sign_of
from training import cards
from training.backgrounds import background, hand, part_of
from training.classifiers import Corner
from training.crops import PRINTS, REAL_FRACTION, Example, drawn
from training.layouts import CARD_H, CARD_W, PRINTED_CORNER, outline_mm, part_seen, spread
from training.loop import fit_small
from training.photometry import Array, Random, glare, lit, shot
from training.placement import fanned, heaped
from training.scenes import drop, paste

WIDTHS_PX = (45, 190)
"""Range of the card's width in a scene."""
SIDE = 0.75
"""Side of a scene in card widths: it shows no more than a corner."""
PATCHES_PER_SCENE = 2
"""Number of patches of one scene, each with the outline error of the reader."""
LEAST_REAL_PX = 55.0
"""Minimum width of a photographed card: the corner of a narrower one is not readable."""
SHOWN, HIDDEN = 0.92, 0.55
"""Visible fraction of a corner from which its symbol counts as visible, and up to which it counts as hidden. Corners
between them are not used."""
MISPLACED = 0.16
"""Fraction of the scenes whose outline is that of no card, or of a rotated or displaced one."""
EMPTY = 0.3
"""Fraction of the patches without a symbol; all symbols are equally frequent."""
GROUNDS = 64
LARGEST = 2 * round(SIDE * WIDTHS_PX[1])
"""Side of a background in px."""

NONE = CORNER_CLASSES.index(None)


class Patches(NamedTuple):
    """Patches (N, CORNER_PX, CORNER_PX, 3), the index in `CORNER_CLASSES` of each, and its source: empty if drawn."""

    seen: Array
    shown: Array
    sources: Array


class Maker:
    """Generates patches without end: ``real`` cards in `crops.REAL_FRACTION` of them, drawn ones in the rest."""

    def __init__(self, rng: Random, real: Sequence[Example]) -> None:
        self._rng = rng
        self._sources: dict[str, list[Example]] = defaultdict(list)
        self._real: dict[str, list[Example]] = defaultdict(list)
        for example in real:
            if example.width_px >= LEAST_REAL_PX:
                self._real[sign_of(example.face)].append(example)
                self._sources[example.source].append(example)
        self._drawn = [self._draw() for _ in range(PRINTS * len(cards.FACES))]
        self._grounds = [background(rng, LARGEST, LARGEST) for _ in range(GROUNDS)]

    def __iter__(self) -> Iterator[tuple[Array, int, str]]:
        while True:
            self._grounds[int(self._rng.integers(GROUNDS))] = background(self._rng, LARGEST, LARGEST)
            for _ in range(12):  # prints change all the time
                self._drawn[int(self._rng.integers(len(self._drawn)))] = self._draw()
            for _ in range(96):
                yield from self._made()

    def _draw(self) -> Example:
        face = "back" if self._rng.random() < 0.06 else cards.FACES[int(self._rng.integers(len(cards.FACES)))]
        return drawn(self._rng, face)

    def _pick(self) -> Example:
        rng = self._rng
        if self._real and rng.random() < REAL_FRACTION:
            signs = list(self._real)
            return self._choose(self._real[signs[int(rng.integers(len(signs)))]])
        return self._choose(self._drawn)

    def _neighbor(self, source: str) -> Example:
        """Return a card that may lie beside one of this source."""
        return self._choose(self._sources[source] if source and self._rng.random() < 0.7 else self._drawn)

    def _choose(self, examples: Sequence[Example]) -> Example:
        return examples[int(self._rng.integers(len(examples)))]

    def _made(self) -> Iterator[tuple[Array, int, str]]:
        """Yield the patches of one corner of a card in a scene, unless it is neither visible nor hidden."""
        rng, example = self._rng, self._pick()
        place = _Place(rng)
        image, cover = part_of(rng, self._grounds, *place.size), np.zeros(place.size, np.int32)
        lower, upper = fanned(rng) if rng.random() < 0.4 else (heaped(rng), heaped(rng))
        for outline in lower if rng.random() < 0.6 else ():
            self._lay(image, cover, -1, self._neighbor(example.source), place.of(outline))
        quad = place.of(outline_mm(0, 0, 0))
        self._lay(image, cover, 1, example, quad)
        for outline in upper if rng.random() < 0.65 else ():
            self._lay(image, cover, -1, self._neighbor(example.source), place.of(outline))
        if rng.random() < 0.08:
            hand(rng, image, cover, rng.uniform(0, 1, 2) * place.size, place.size[0] * rng.uniform(0.6, 1.3))
        seen, shown = part_seen(cover == 1, place.of(place.corner)), CORNER_CLASSES.index(sign_of(example.face) or None)
        if example.face == "back" or seen <= HIDDEN:
            shown = NONE
        elif seen < SHOWN:
            return
        if rng.random() < MISPLACED:
            quad, shown = place.of(_elsewhere(rng)), NONE
        image = lit(rng, image)
        if rng.random() < 0.15:
            image = glare(rng, image)
        taken = [shot(rng, image)]
        for _ in range(PATCHES_PER_SCENE):
            yield corner_patches(taken, _with_error(rng, quad))[place.which], shown, example.source

    def _lay(self, image: Array, cover: Array, number: int, example: Example, quad: Array) -> None:
        if self._rng.random() < 0.6:
            drop(self._rng, image, quad, self._rng.uniform(0.1, 0.5))
        paste(image, cover, number, example.alone, quad, 1.0)


class _Place:
    """A view of one of the two printed corners of a card at the origin."""

    def __init__(self, rng: Random) -> None:
        self.which = int(rng.integers(2))
        part = 1 - PRINTED_CORNER if self.which else PRINTED_CORNER
        self.corner = np.asarray((part - 0.5) * (CARD_W, CARD_H), np.float32)
        """Outline of the corner in mm."""
        width, turn = spread(rng, *WIDTHS_PX), rng.uniform(0, 2 * np.pi)
        self.size = (round(SIDE * width),) * 2
        """Height and width of the scene in px."""
        c, s = np.cos(turn), np.sin(turn)
        lean = np.array([[1, rng.normal(0, 0.06)], [rng.normal(0, 0.06), 1]]) * rng.normal(1, 0.06, 2)
        self._matrix = width / CARD_W * np.array([[c, -s], [s, c]]) @ lean
        self._shift = np.array(self.size) / 2 - self._matrix @ (self.corner.mean(0) + rng.normal(0, 3, 2))

    def of(self, outline: Array) -> Array:
        """Map an outline in mm to the scene."""
        return (outline @ self._matrix.T + self._shift).astype(np.float32)


def _elsewhere(rng: Random) -> Array:
    """Return an outline in mm beside or across that of the card at the origin."""
    way, far = rng.uniform(0, 2 * np.pi), rng.uniform(14, 40)
    turn = rng.choice([0.0, np.pi / 2, rng.uniform(0.5, np.pi - 0.5)]) * rng.choice([-1, 1])
    return outline_mm(far * np.cos(way), far * np.sin(way), turn)


def _with_error(rng: Random, quad: Array) -> Array:
    """Return the outline with the error of the reader for an occluded card."""
    width = float(np.linalg.norm(quad[0] - quad[1]))
    strength = float(rng.choice([0.3, 1.0], p=[0.4, 0.6])) * width
    return (quad + rng.normal(0, 0.025 * strength, (4, 2)) + rng.normal(0, 0.03 * strength, 2)).astype(np.float32)


def pool(real: Sequence[Example], count: int, seed: int = 1) -> Patches:
    """Make a number of patches."""
    made = list(islice(Maker(np.random.default_rng((seed, 2)), real), count))
    return Patches(*(np.array(part) for part in zip(*made, strict=True)))


def train(known: Patches, sources: Collection[str], steps: int, seed: int = 1) -> Corner:
    """Train on drawn patches and on those of certain sources."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    may = np.isin(known.sources, ["", *sources])
    places = [np.flatnonzero(may & (known.shown == one)) for one in range(len(CORNER_CLASSES))]
    shares = np.full(len(CORNER_CLASSES), (1 - EMPTY) / len(SIGNS))
    shares[NONE] = EMPTY
    shares *= [len(at) > 0 for at in places]  # a trial may have no patch of some classes
    shares /= shares.sum()
    net = Corner()

    def batch() -> tuple[Tensor, Tensor]:
        truth = rng.choice(len(CORNER_CLASSES), 128, p=shares)
        chosen = [places[one][int(rng.integers(len(places[one])))] for one in truth]
        seen = normalize_corners(np.roll(known.seen[chosen], rng.integers(-1, 2, 2), (1, 2)))
        return torch.from_numpy(seen), torch.from_numpy(truth)

    print(f"corners: last loss {fit_small(net, batch, steps=steps, rate=3e-3, smoothing=0.02):.3f}", flush=True)
    return net.eval()
