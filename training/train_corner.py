"""Trains the network that names the symbols in printed corners, on drawn cards and on photographs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from cardsight.classify import SHOWS, SIGNS, normalize_corners, patches, sign_of
from training import cards
from training.cutouts import PRINTS, Example, drawn
from training.grounds import ground, hand, part_of
from training.layouts import CARD_H, CARD_W, PRINTED_CORNER, outline_mm, part_seen, spread
from training.loop import fit_small
from training.nets import Corner
from training.photometry import Array, Random, glare, lit, shot
from training.placing import fanned, heaped
from training.scenes import drop, paste

WIDTHS_PX = (45, 190)
"""Widths of the cards in a scene."""
SIDE = 0.75
"""Side of a scene in widths of its card: it shows no more than a corner."""
LOOKS = 2
"""Patches of one scene, the outline each time as exact as the reader finds it."""
PART_REAL = 0.6
"""Part of the scenes that show a photographed card."""
LEAST_REAL_PX = 55.0
"""A photographed card that is narrower does not show what its corner holds."""
SHOWN, HIDDEN = 0.92, 0.55
"""A corner of which at least the first part is seen shows its symbol, one of which at most the second is seen does not;
what lies between is not learned from."""
ELSEWHERE = 0.16
"""Part of the scenes in which the outline is that of no card, or of one that is turned or moved."""
NOTHING = 0.3
"""How much of what the network is shown is no symbol; all symbols are shown equally often."""
GROUNDS = 64
LARGEST = 2 * round(SIDE * WIDTHS_PX[1])
"""Side of a piece of ground in px."""

NONE = SHOWS.index(None)


class Patches(NamedTuple):
    """Patches (N, PATCH_PX, PATCH_PX, 3), which of `SHOWS` each shows, and its source: empty where drawn."""

    seen: Array
    shown: Array
    sources: Array


class Maker:
    """Makes patches without end: ``real`` cards in `PART_REAL` of them, drawn ones in the rest."""

    def __init__(self, rng: Random, real: Sequence[Example]) -> None:
        self._rng = rng
        self._sources: dict[str, list[Example]] = defaultdict(list)
        self._real: dict[str, list[Example]] = defaultdict(list)
        for example in real:
            if example.width_px >= LEAST_REAL_PX:
                self._real[sign_of(example.face)].append(example)
                self._sources[example.source].append(example)
        self._drawn = [self._draw() for _ in range(PRINTS * len(cards.FACES))]
        self._grounds = [ground(rng, LARGEST, LARGEST) for _ in range(GROUNDS)]

    def __iter__(self) -> Iterator[tuple[Array, int, str]]:
        while True:
            self._grounds[int(self._rng.integers(GROUNDS))] = ground(self._rng, LARGEST, LARGEST)
            for _ in range(12):  # prints change all the time
                self._drawn[int(self._rng.integers(len(self._drawn)))] = self._draw()
            for _ in range(96):
                yield from self._made()

    def _draw(self) -> Example:
        face = "back" if self._rng.random() < 0.06 else cards.FACES[int(self._rng.integers(len(cards.FACES)))]
        return drawn(self._rng, face)

    def _pick(self) -> Example:
        rng = self._rng
        if self._real and rng.random() < PART_REAL:
            signs = list(self._real)
            return self._one(self._real[signs[int(rng.integers(len(signs)))]])
        return self._one(self._drawn)

    def _neighbor(self, source: str) -> Example:
        """A card that may lie beside one of this source."""
        return self._one(self._sources[source] if source and self._rng.random() < 0.7 else self._drawn)

    def _one(self, examples: Sequence[Example]) -> Example:
        return examples[int(self._rng.integers(len(examples)))]

    def _made(self) -> Iterator[tuple[Array, int, str]]:
        """One corner of a card in a scene, unless it is neither shown nor hidden."""
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
        seen, shown = part_seen(cover == 1, place.of(place.corner)), SHOWS.index(sign_of(example.face) or None)
        if example.face == "back" or seen <= HIDDEN:
            shown = NONE
        elif seen < SHOWN:
            return
        if rng.random() < ELSEWHERE:
            quad, shown = place.of(_elsewhere(rng)), NONE
        image = lit(rng, image)
        if rng.random() < 0.15:
            image = glare(rng, image)
        taken = [shot(rng, image)]
        for _ in range(LOOKS):
            yield patches(taken, _beside(rng, quad))[place.which], shown, example.source

    def _lay(self, image: Array, cover: Array, number: int, example: Example, quad: Array) -> None:
        if self._rng.random() < 0.6:
            drop(self._rng, image, quad, self._rng.uniform(0.1, 0.5))
        paste(image, cover, number, example.alone, quad, 1.0)


class _Place:
    """A camera that looks at one of the two printed corners of a card at the origin."""

    def __init__(self, rng: Random) -> None:
        self.which = int(rng.integers(2))
        part = 1 - PRINTED_CORNER if self.which else PRINTED_CORNER
        self.corner = np.asarray((part - 0.5) * (CARD_W, CARD_H), np.float32)
        """Its outline in mm."""
        width, turn = spread(rng, *WIDTHS_PX), rng.uniform(0, 2 * np.pi)
        self.size = (round(SIDE * width),) * 2
        """Height and width of the scene in px."""
        c, s = np.cos(turn), np.sin(turn)
        lean = np.array([[1, rng.normal(0, 0.06)], [rng.normal(0, 0.06), 1]]) * rng.normal(1, 0.06, 2)
        self._matrix = width / CARD_W * np.array([[c, -s], [s, c]]) @ lean
        self._shift = np.array(self.size) / 2 - self._matrix @ (self.corner.mean(0) + rng.normal(0, 3, 2))

    def of(self, outline: Array) -> Array:
        """Where an outline in mm lies in the scene."""
        return (outline @ self._matrix.T + self._shift).astype(np.float32)


def _elsewhere(rng: Random) -> Array:
    """An outline in mm beside that of the card at the origin, or across it."""
    way, far = rng.uniform(0, 2 * np.pi), rng.uniform(14, 40)
    turn = rng.choice([0.0, np.pi / 2, rng.uniform(0.5, np.pi - 0.5)]) * rng.choice([-1, 1])
    return outline_mm(far * np.cos(way), far * np.sin(way), turn)


def _beside(rng: Random, quad: Array) -> Array:
    """The outline as exact as the reader finds that of a covered card."""
    width = float(np.linalg.norm(quad[0] - quad[1]))
    strength = float(rng.choice([0.3, 1.0], p=[0.4, 0.6])) * width
    return (quad + rng.normal(0, 0.025 * strength, (4, 2)) + rng.normal(0, 0.03 * strength, 2)).astype(np.float32)


def pool(real: Sequence[Example], count: int = 60_000, seed: int = 1) -> Patches:
    """Make so many patches."""
    made = list(islice(Maker(np.random.default_rng((seed, 2)), real), count))
    return Patches(*(np.array(part) for part in zip(*made, strict=True)))


def train(known: Patches, sources: Collection[str], steps: int = 3000, seed: int = 1) -> Corner:
    """Train on drawn patches and on those of certain sources."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    may = np.isin(known.sources, ["", *sources])
    places = [np.flatnonzero(may & (known.shown == one)) for one in range(len(SHOWS))]
    shares = np.full(len(SHOWS), (1 - NOTHING) / len(SIGNS))
    shares[NONE] = NOTHING
    shares *= [len(at) > 0 for at in places]  # a trial may know none of some
    shares /= shares.sum()
    net = Corner()

    def batch() -> tuple[Tensor, Tensor]:
        truth = rng.choice(len(SHOWS), 128, p=shares)
        chosen = [places[one][int(rng.integers(len(places[one])))] for one in truth]
        seen = normalize_corners(np.roll(known.seen[chosen], rng.integers(-1, 2, 2), (1, 2)))
        return torch.from_numpy(seen), torch.from_numpy(truth)

    print(f"corners: last loss {fit_small(net, batch, steps=steps, rate=3e-3, smoothing=0.02):.3f}", flush=True)
    return net.eval()
