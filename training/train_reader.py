"""Training of the reader on crops of drawn and photographed cards."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional
from torch.utils.data import IterableDataset

from cardsight.classify import INKS, KINDS, SIGNS, normalize_crops
from cardsight.geometry import CROP_H, CROP_W
from training.classifiers import Reader
from training.crops import IGNORE, Crop, Example, Maker
from training.loop import Batches, fit
from training.photometry import Array

BATCH = 96
BASE_RATE, RATE = 3e-3, 2e-3
"""Learning rates: on drawn cards, and then on photographed ones too."""


def batch(crops: Sequence[Crop]) -> tuple[Tensor, ...]:
    """Return the inputs and labels of a batch: kind, ink, sign, icon, corners, weight of the corners."""
    labels = np.array([crop.labels for crop in crops], np.int64)
    corners, exact = np.stack([crop.corners for crop in crops]), np.array([crop.exact for crop in crops], np.float32)
    seen = np.concatenate([normalize_crops(crop.image) for crop in crops])
    return tuple(torch.from_numpy(part) for part in (seen, *np.ascontiguousarray(labels.T), corners, exact))


class Drawn(IterableDataset):  # type: ignore[type-arg]
    """Batches of new crops of drawn cards without end; different for each stretch."""

    def __init__(self, seed: int, stretch: int) -> None:
        self.seed = (seed, stretch)

    def __iter__(self) -> Iterator[tuple[Tensor, ...]]:
        crops = iter(Maker(np.random.default_rng(self.seed), []))
        while True:
            yield batch(list(islice(crops, BATCH)))


class Pool(NamedTuple):
    """Crops that several networks share; each is trained on those of some sources."""

    images: Array
    labels: Array
    corners: Array
    exact: Array
    sources: Array


def pool(real: Sequence[Example], count: int, seed: int) -> Pool:
    """Make a number of crops."""
    images = np.empty((count, CROP_H, CROP_W, 3), np.uint8)
    rest = []
    for place, crop in enumerate(islice(Maker(np.random.default_rng((seed, 1)), real), count)):
        images[place] = crop.image
        rest.append(crop[1:])
    labels, corners, exact, sources = (np.array(part) for part in zip(*rest, strict=True))
    return Pool(images, labels, corners, exact, sources)


class Pooled(IterableDataset):  # type: ignore[type-arg]
    """Batches of the drawn crops of a pool and of those of certain sources, without end, in random order."""

    def __init__(self, pool: Pool, sources: Collection[str], seed: int, stretch: int) -> None:
        self.pool, self.seed = pool, (seed, stretch)
        known = np.flatnonzero(np.isin(pool.sources, ["", *sources]))
        self.places = np.resize(known, max(len(known), BATCH))  # a trial's pool may be smaller than a batch

    def __iter__(self) -> Iterator[tuple[Tensor, ...]]:
        rng = np.random.default_rng(self.seed)
        while True:
            order = rng.permutation(self.places)
            for start in range(0, len(order) - BATCH + 1, BATCH):
                chosen = order[start : start + BATCH]
                yield batch([Crop(*(part[place] for part in self.pool)) for place in chosen])


def losses(out: tuple[Tensor, Tensor], truth: list[Tensor]) -> dict[str, Tensor]:
    """Cross entropies of kind, ink, sign and icon, and smooth L1 loss of the corners (fractions of a side)."""
    kind, ink, sign, icon, corners, counts = truth
    kinds, inks, signs, icons, places = out[0].split([len(KINDS), len(INKS), len(SIGNS), 1, 8], 1)
    seen = icon != IGNORE
    apart = functional.smooth_l1_loss(places, corners, reduction="none", beta=0.02).mean(1)
    return {
        "kind": functional.cross_entropy(kinds, kind),
        "ink": functional.cross_entropy(inks, ink, ignore_index=IGNORE, label_smoothing=0.02),
        "sign": functional.cross_entropy(signs, sign, ignore_index=IGNORE, label_smoothing=0.02),
        "icon": 0.3 * functional.binary_cross_entropy_with_logits(icons[seen, 0], icon[seen].float()),
        "corners": 20 * (apart * counts).sum() / counts.sum().clamp(min=1),
    }


def train(
    to: Path,
    crops: Batches,
    steps: int,
    *,
    rate: float,
    start: Path | None = None,
    seed: int = 1,
) -> None:
    """Train the reader on batches of crops, from the weights in ``start`` if given; write the weights to ``to``."""
    torch.manual_seed(seed)
    fit(Reader(), crops, losses, steps=steps, rate=rate, to=to, start=start)
