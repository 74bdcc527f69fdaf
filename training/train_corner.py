"""Training of the corner network on drawn cards and photographs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from cardsight.classify import INKS, SIGNS, sign_of
from cardsight.corners import (
    CORNER_CLASSES,
    CORNER_MIDDLE,
    CORNER_MM,
    CORNER_PX,
    corner_patches,
    normalize_corners,
)
from training import cards
from training.backgrounds import background, hand, part_of
from training.classifiers import Corner
from training.crops import GRAY, IGNORE, PRINTS, REAL_FRACTION, Example, drawn, labels_of
from training.layouts import CARD_H, CARD_W, outline_mm, part_seen, spread
from training.loop import fit_small
from training.photometry import Array, Random, glare, lit, shot
from training.placement import fanned, heaped
from training.scenes import drop, paste

WIDTHS_PX = (45, 190)
"""Range of the card's width in a scene."""
SIDE = 0.9
"""Side of a scene in card widths: it shows no more than a corner."""
APART = (6.0, 45.0)
"""Limits of the distance (mm) between two cards of a fan: in a close one little more than the symbol is visible."""
SYMBOL: Array = np.array([[5.0, 6.0], [14.5, 6.0], [14.5, 19.0], [5.0, 19.0]], np.float32) / (CARD_W, CARD_H)
"""Area of the symbol in most prints, as fractions of the card's sides."""
PATCHES_PER_SCENE = 2
"""Number of patches of one scene, each with an outline error."""
ROUGH = 0.5
ROUGH_MM, ROUGH_ANGLE = 5.5, 0.25
"""Fraction of the patches that are displaced and turned as a place is that is only guessed (`cardsight.indices`), and
how far; the others have the outline error of the reader."""
LEAST_REAL_PX = 55.0
"""Minimum width of a photographed card: the corner of a narrower one is not readable."""
SHOWN, HIDDEN = 0.92, 0.5
"""Visible fraction of a symbol from which it counts as visible, and up to which it counts as hidden. Symbols between
them are not used."""
MISPLACED = 0.16
"""Fraction of the scenes whose outline is that of no card, or of a rotated or displaced one."""
EMPTY = 0.3
"""Fraction of the patches without a symbol; all symbols are equally frequent."""
GROUNDS = 64
LARGEST = 2 * round(SIDE * WIDTHS_PX[1])
"""Side of a background in px."""

NONE = CORNER_CLASSES.index(None)


class Patches(NamedTuple):
    """Patches (N, CORNER_PX, CORNER_PX, 3), and of each the index in `CORNER_CLASSES`, that in `INKS` (or `IGNORE`),
    the place and direction of the symbol (patch sides, patch sides, rad), and the source: empty if drawn."""

    seen: Array
    shown: Array
    inks: Array
    places: Array
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

    def __iter__(self) -> Iterator[tuple[Array, int, int, Array, str]]:
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

    def _made(self) -> Iterator[tuple[Array, int, int, Array, str]]:
        """Yield the patches of one corner of a card in a scene, unless it is neither visible nor hidden."""
        rng, example = self._rng, self._pick()
        place = _Place(rng)
        image, cover = part_of(rng, self._grounds, *place.size), np.zeros(place.size, np.int32)
        lower, upper = fanned(rng, APART) if rng.random() < 0.5 else (heaped(rng), heaped(rng))
        for outline in lower if rng.random() < 0.6 else ():
            self._lay(image, cover, -1, self._neighbor(example.source), place.of(outline))
        quad = place.of(outline_mm(0, 0, 0))
        self._lay(image, cover, 1, example, quad)
        for outline in upper if rng.random() < 0.65 else ():
            self._lay(image, cover, -1, self._neighbor(example.source), place.of(outline))
        if rng.random() < 0.08:
            hand(rng, image, cover, rng.uniform(0, 1, 2) * place.size, place.size[0] * rng.uniform(0.6, 1.3))
        seen, shown = part_seen(cover == 1, place.of(place.symbol)), CORNER_CLASSES.index(sign_of(example.face) or None)
        if example.face == "back" or seen <= HIDDEN:
            shown = NONE
        elif seen < SHOWN:
            return
        outline = quad
        if rng.random() < MISPLACED:
            outline, shown = place.of(_elsewhere(rng)), NONE
        image = lit(rng, image)
        if rng.random() < 0.15:
            image = glare(rng, image)
        taken = shot(rng, image)
        if is_gray := rng.random() < GRAY:
            taken = cv2.merge([cv2.cvtColor(taken, cv2.COLOR_BGR2GRAY)] * 3)
        ink = labels_of(example, is_gray)[1] if shown != NONE else IGNORE
        for _ in range(PATCHES_PER_SCENE):
            guess = _guessed(rng, outline, place.which) if rng.random() < ROUGH else _with_error(rng, outline)
            patch = corner_patches([taken], guess)[place.which]
            yield patch, shown, ink, _symbol_in(guess, quad, place.which), example.source

    def _lay(self, image: Array, cover: Array, number: int, example: Example, quad: Array) -> None:
        if self._rng.random() < 0.6:
            drop(self._rng, image, quad, self._rng.uniform(0.1, 0.5))
        paste(image, cover, number, example.alone, quad, 1.0)


class _Place:
    """A view of one of the two printed corners of a card at the origin."""

    def __init__(self, rng: Random) -> None:
        self.which = int(rng.integers(2))
        part = 1 - SYMBOL if self.which else SYMBOL
        self.symbol = np.asarray((part - 0.5) * (CARD_W, CARD_H), np.float32)
        """Outline of the symbol in mm."""
        width, turn = spread(rng, *WIDTHS_PX), rng.uniform(0, 2 * np.pi)
        self.size = (round(SIDE * width),) * 2
        """Height and width of the scene in px."""
        c, s = np.cos(turn), np.sin(turn)
        lean = np.array([[1, rng.normal(0, 0.06)], [rng.normal(0, 0.06), 1]]) * rng.normal(1, 0.06, 2)
        self._matrix = width / CARD_W * np.array([[c, -s], [s, c]]) @ lean
        self._shift = np.array(self.size) / 2 - self._matrix @ (self.symbol.mean(0) + rng.normal(0, 3, 2))

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


def _guessed(rng: Random, quad: Array, which: int) -> Array:
    """Return the outline displaced by up to `ROUGH_MM` and turned by up to `ROUGH_ANGLE` around one of its symbols."""
    far, way, turn = rng.uniform(0, ROUGH_MM), rng.uniform(0, 2 * np.pi), rng.uniform(-ROUGH_ANGLE, ROUGH_ANGLE)
    px_per_mm = float(np.linalg.norm(quad[0] - quad[1])) / CARD_W
    c, s = np.cos(turn), np.sin(turn)
    first, across, down = np.roll(quad, 2 * which, 0)[[0, 1, 3]]
    end = first + CORNER_MIDDLE[0] * (across - first) + CORNER_MIDDLE[1] * (down - first)
    shift = px_per_mm * far * np.array([np.cos(way), np.sin(way)])
    return ((quad - end) @ np.array([[c, s], [-s, c]]) + end + shift).astype(np.float32)


def _symbol_in(guess: Array, quad: Array, which: int) -> Array:
    """Return where the symbol of the card along ``quad`` lies in the patch along ``guess``: from its middle, in patch
    sides, and its direction (rad, clockwise)."""
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    to, back = (np.roll(one, 2 * which, 0).astype(np.float32) for one in (quad, guess))
    points = np.array([CORNER_MIDDLE, CORNER_MIDDLE + (0.1, 0)], np.float32)
    seen = cv2.perspectiveTransform(points[None], cv2.getPerspectiveTransform(unit, to))
    (x, y), beside = cv2.perspectiveTransform(seen, cv2.getPerspectiveTransform(back, unit))[0] * (CARD_W, CARD_H)
    place = ((x, y) - CORNER_MIDDLE * (CARD_W, CARD_H)) / CORNER_MM
    return np.array([*place, np.arctan2(beside[1] - y, beside[0] - x)], np.float32)


def pool(real: Sequence[Example], count: int, seed: int = 1) -> Patches:
    """Make a number of patches."""
    made = list(islice(Maker(np.random.default_rng((seed, 2)), real), count))
    return Patches(*(np.array(part) for part in zip(*made, strict=True)))


def train(known: Patches, sources: Collection[str], steps: int, seed: int = 1) -> Corner:
    """Train on drawn patches and on those of certain sources."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    may = np.isin(known.sources, ["", *sources])
    at = [np.flatnonzero(may & (known.shown == one)) for one in range(len(CORNER_CLASSES))]
    shares = np.full(len(CORNER_CLASSES), (1 - EMPTY) / len(SIGNS))
    shares[NONE] = EMPTY
    shares *= [len(there) > 0 for there in at]  # a trial may have no patch of some classes
    shares /= shares.sum()
    net = Corner()

    def batch() -> tuple[Tensor, list[Tensor]]:
        truth = rng.choice(len(CORNER_CLASSES), 128, p=shares)
        chosen = [at[one][int(rng.integers(len(at[one])))] for one in truth]
        down, across = rng.integers(-1, 2, 2)
        seen = normalize_corners(np.roll(known.seen[chosen], (down, across), (1, 2)))
        places = known.places[chosen] + np.array([across, down, 0], np.float32) / CORNER_PX
        return torch.from_numpy(seen), [torch.from_numpy(part) for part in (truth, known.inks[chosen], places)]

    print(f"corners: last loss {fit_small(net, batch, loss, steps=steps, rate=3e-3):.3f}", flush=True)
    return net.eval()


def loss(out: Tensor, truth: list[Tensor]) -> Tensor:
    """Return the cross entropies of symbol and ink, and the smooth L1 loss of the symbol's place.

    The symbol is by far the hardest: with larger weights of the others the network does not learn it.
    """
    shown, ink, places = truth
    signs, inks, at = out.split([len(CORNER_CLASSES), len(INKS), 3], 1)
    apart = functional.smooth_l1_loss(at, places, reduction="none", beta=0.1).mean(1)
    is_shown = (shown != NONE).float()
    return (
        functional.cross_entropy(signs, shown, label_smoothing=0.02)
        + 0.2 * functional.cross_entropy(inks, ink, ignore_index=IGNORE, label_smoothing=0.02)
        + 0.3 * (apart * is_shown).sum() / is_shown.sum().clamp(min=1)
    )
