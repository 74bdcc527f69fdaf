"""Training of the detector, on drawn scenes only: photographs remain for measurement."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional
from torch.utils.data import IterableDataset

from training.backgrounds import background, part_of
from training.cards import FACES, drawn, mask
from training.loop import fit
from training.nets import FINDER_STRIDE, Finder
from training.photometry import Array, Random
from training.scenes import Placed, Texture, compose, texture

SIZES = ((384, 288), (384, 224), (288, 384), (320, 320), (192, 128), (192, 160), (160, 192), (192, 192))
"""Widths and heights (px) of the training pictures, for both sizes of a detection pass."""

BATCH = 8

GROUNDS, GROUND_PX = 32, 448
"""Number of backgrounds in use, and their sides; each picture shows a part of one."""

SEEN_ENOUGH, SEEN_HARDLY = 0.25, 0.08
"""Visible fraction from which a card must be found, and the same if a printed corner is visible. Between them, both
results count as right."""


def outline_code(quad: Array) -> Array:
    """Encode a quad (first edge short): center x, y, length, width (px), and cos 2a, sin 2a of the long side's
    angle."""
    head, foot = (quad[0] + quad[1]) / 2, (quad[2] + quad[3]) / 2
    left, right = (quad[0] + quad[3]) / 2, (quad[1] + quad[2]) / 2
    axis = foot - head
    angle = 2 * np.arctan2(axis[1], axis[0])
    length, width = np.linalg.norm(axis), np.linalg.norm(right - left)
    return np.array([*quad.mean(0), length, width, np.cos(angle), np.sin(angle)], np.float32)


def targets(cards: list[Placed], width: int, height: int) -> tuple[Array, Array, Array, Array]:
    """Return heat (2, h, w) 0…1, its weight (h, w), regression (6, h, w) and the weight of that (h, w)."""
    w, h = width // FINDER_STRIDE, height // FINDER_STRIDE
    heat, weight = np.zeros((2, h, w), np.float32), np.ones((h, w), np.float32)
    regress, counts = np.zeros((6, h, w), np.float32), np.zeros((h, w), np.float32)
    ys, xs = np.mgrid[0:h, 0:w].astype(np.float32)
    for card in cards:
        code = outline_code(card.quad)
        cx, cy = code[0] / FINDER_STRIDE - 0.5, code[1] / FINDER_STRIDE - 0.5
        if not (-0.5 <= cx < w - 0.5 and -0.5 <= cy < h - 0.5) or code[2] < 12:
            continue
        sigma = max(0.6, 0.11 * code[3] / FINDER_STRIDE)
        blob = np.exp(-((xs - cx) ** 2 + (ys - cy) ** 2) / (2 * sigma**2))
        if card.seen < (SEEN_HARDLY if card.corner else SEEN_ENOUGH):
            if card.seen > SEEN_HARDLY:
                weight[blob > 0.1] = 0.0
            continue
        col, row = round(float(cx)), round(float(cy))
        blob[row, col] = 1.0
        heat[int(card.back)] = np.maximum(heat[int(card.back)], blob)
        weight[row, col] = 1.0
        near = (np.abs(xs - col) <= 1) & (np.abs(ys - row) <= 1) & (blob > 0.35)
        values = np.stack(
            [
                cx - xs,
                cy - ys,
                *(np.full_like(xs, v) for v in (np.log(code[2] / 64), np.log(code[3] / 40), code[4], code[5])),
            ]
        )
        regress[:, near] = values[:, near]
        counts[near] = blob[near]
    return heat, weight, regress, counts


class Scenes(IterableDataset):  # type: ignore[type-arg]
    """Batches of scenes without end, each of one size; different for each stretch."""

    def __init__(self, seed: int, batch: int, stretch: int) -> None:
        self.seed, self.batch = (seed, stretch), batch

    def __iter__(self) -> Iterator[tuple[Tensor, ...]]:
        rng = np.random.default_rng(self.seed)
        alpha = mask()
        bank = [texture(drawn(rng, face), alpha, back=False) for _ in range(6) for face in FACES]
        bank += [texture(drawn(rng, "back"), alpha, back=True) for _ in range(40)]
        backgrounds = [background(rng, GROUND_PX, GROUND_PX) for _ in range(GROUNDS)]
        while True:
            backgrounds[int(rng.integers(GROUNDS))] = background(rng, GROUND_PX, GROUND_PX)
            for _ in range(2):  # cards are redrawn now and then, so that no print is memorized
                place = int(rng.integers(len(bank)))
                face = "back" if bank[place].back else FACES[int(rng.integers(len(FACES)))]
                bank[place] = texture(drawn(rng, face), alpha, bank[place].back)
            size = SIZES[int(rng.integers(len(SIZES)))]
            yield tuple(
                torch.from_numpy(np.stack(part))
                for part in zip(
                    *(self._one(rng, bank, part_of(rng, backgrounds, *size)) for _ in range(self.batch)), strict=True
                )
            )

    def _one(self, rng: Random, bank: list[Texture], bare: Array) -> tuple[Array, ...]:
        image, cards = compose(rng, bank, bare)
        return (np.ascontiguousarray(image.transpose(2, 0, 1)), *targets(cards, bare.shape[1], bare.shape[0]))


def losses(out: Tensor, truth: list[Tensor]) -> dict[str, Tensor]:
    """Focal loss of the heat (Law and Deng, CornerNet, 2018) and smooth L1 loss of the outline, per card."""
    heat, weight, regress, counts = truth
    logits = out[:, :2]
    p = torch.sigmoid(logits)
    hit = heat.eq(1).float()
    gain = hit * (1 - p) ** 2 * functional.logsigmoid(logits)
    miss = (1 - hit) * (1 - heat) ** 4 * p**2 * functional.logsigmoid(-logits)
    focal = -((gain + miss) * weight[:, None]).sum() / hit.sum().clamp(min=1)
    apart = functional.smooth_l1_loss(out[:, 2:], regress, reduction="none", beta=0.1).sum(1)
    return {"heat": focal, "outline": 2 * (apart * counts).sum() / counts.sum().clamp(min=1)}


def train(to: Path, steps: int, *, seed: int = 1) -> None:
    """Train the detector and write its weights to ``to``."""
    torch.manual_seed(seed)
    fit(Finder(), partial(Scenes, seed, BATCH), losses, steps=steps, rate=2.5e-3, to=to)
