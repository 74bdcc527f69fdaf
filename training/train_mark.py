"""Training of the network for the marks for the color-blind, on drawn cards and photographs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from cardsight.classify import LEAST_WIDTH_PX, MARKS, mark_patch
from croupier_rules.cards import COLORED
from croupier_sim.drawing import draw_face
from training import cards
from training.classifiers import Mark
from training.loop import fit_small
from training.photometry import Array, Random, lit, shot
from training.photos import Photo

MARK_OF = dict(zip(("red", "yellow", "green", "blue"), range(1, len(MARKS) + 1), strict=True))

SHARES = [0.4, 0.15, 0.15, 0.15, 0.15]
"""Fractions of the patches without a mark, and with each of `MARKS`."""


def _drawn(rng: Random) -> tuple[Array, int]:
    """Return a patch of a drawn card and its label."""
    face, marks = str(rng.choice(COLORED)), bool(rng.random() < 0.6)
    width = int(rng.uniform(LEAST_WIDTH_PX, 300))
    margin = 40
    card = draw_face(face, replace(cards.style(rng), marks=marks), width_px=width)
    scene = np.empty((card.shape[0] + 2 * margin, width + 2 * margin, 3), np.uint8)
    scene[:] = rng.integers(0, 256, 3)
    scene[margin:-margin, margin:-margin] = card
    height, wide = scene.shape[:2]
    image = shot(rng, lit(rng, scene.astype(np.float32) / 255))
    quad = np.array(
        [[margin, margin], [wide - margin, margin], [wide - margin, height - margin], [margin, height - margin]],
        np.float32,
    )
    return mark_patch(image, _with_error(rng, quad)), MARK_OF[face.split("-")[0]] if marks else 0


def _with_error(rng: Random, quad: Array) -> Array:
    """Return the outline with the error of the reader."""
    width = np.linalg.norm(quad[0] - quad[1])
    return (quad + rng.normal(0, 0.008 * width, (4, 2)) + rng.normal(0, 0.01 * width, 2)).astype(np.float32)


class Patches(NamedTuple):
    """Patches (N, 1, MARK_PX, MARK_PX), the label of each (0: none), and its source: empty if drawn."""

    seen: Array
    marks: Array
    sources: Array


def pool(photos: Sequence[Photo], drawn: int = 2400, seed: int = 1) -> Patches:
    """Make a number of drawn patches, and several of each photographed card that is large enough."""
    rng = np.random.default_rng(seed)
    made = [(*_drawn(rng), "") for _ in range(drawn)]
    for photo in photos:
        image = photo.picture()
        for face, quad in photo.outlines:
            color = face.split("-")[0]
            if color not in MARK_OF or np.linalg.norm(quad[0] - quad[1]) < LEAST_WIDTH_PX:
                continue
            printed = MARK_OF[color] if photo.design == "modern-symbols" else 0
            made += [
                (mark_patch(image, _with_error(rng, np.roll(quad, turn, 0))), printed, photo.source)
                for turn in (0, 2)
                for _ in range(4)
            ]
    return Patches(*(np.array(part) for part in zip(*made, strict=True)))


def train(patches: Patches, sources: Collection[str], steps: int, seed: int = 1) -> Mark:
    """Train on drawn patches and on those of certain sources."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    known = np.isin(patches.sources, ["", *sources])
    places = [np.flatnonzero(known & (patches.marks == mark)) for mark in range(len(MARKS) + 1)]
    net = Mark()

    def batch() -> tuple[Tensor, Tensor]:
        shown, truth = [], rng.choice(len(SHARES), 64, p=SHARES)
        for mark in truth:
            seen = patches.seen[places[mark][int(rng.integers(len(places[mark])))]]
            seen = seen * rng.uniform(0.8, 1.2) + rng.normal(0, 0.05)
            shown.append(np.roll(seen[:, :, ::-1] if rng.random() < 0.5 else seen, rng.integers(-1, 2, 2), (1, 2)))
        return torch.from_numpy(np.stack(shown).astype(np.float32)), torch.from_numpy(truth)

    loss = partial(functional.cross_entropy, label_smoothing=0.01)
    print(f"marks: last loss {fit_small(net, batch, loss, steps=steps, rate=2e-3):.3f}", flush=True)
    return net.eval()
