"""Synthetic scenes for training the detector: cards at known places on drawn tables."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from training.backgrounds import clutter, hand
from training.layouts import WHOLE, corner_seen, layout, outline_mm, seen_through
from training.photometry import Array, Random, glare, lit, shot

HELD = 0.3
"""Fraction of the layouts for one hand that are held."""


@dataclass
class Texture:
    """A rectified card, float32 BGR 0…1, with the alpha of its rounded outline, in decreasing sizes."""

    levels: list[tuple[Array, Array]]
    back: bool


@dataclass
class Placed:
    """A card in a scene: its outline in px (first edge short), whether it is face down, its visible fraction, and
    whether a printed corner is visible."""

    quad: Array
    back: bool
    seen: float = 1.0
    corner: bool = True


def texture(image: Array, alpha: Array, back: bool) -> Texture:
    """Make a texture of a rectified card, uint8 BGR, and its alpha, 0…255."""
    levels = []
    image, alpha = image.astype(np.float32) / 255, alpha.astype(np.float32) / 255
    while image.shape[1] >= 12:
        levels.append((image, alpha))
        size = (image.shape[1] // 2, image.shape[0] // 2)
        image, alpha = (
            cv2.resize(image, size, interpolation=cv2.INTER_AREA),
            cv2.resize(alpha, size, interpolation=cv2.INTER_AREA),
        )
    return Texture(levels, back)


def drop(rng: Random, image: Array, quad: Array, shadow: float) -> None:
    """Draw the thin soft shadow of a card's edge."""
    height, width = image.shape[:2]
    reach = float(np.linalg.norm(quad[0] - quad[1])) * 0.03 + 0.5
    moved = quad + rng.normal(0, reach, 2)
    x0, y0 = np.maximum(np.floor(moved.min(0) - 2 * reach), 0).astype(int)
    x1, y1 = np.minimum(np.ceil(moved.max(0) + 2 * reach), (width, height)).astype(int)
    if x1 <= x0 or y1 <= y0:
        return
    soft = np.zeros((y1 - y0, x1 - x0), np.float32)
    cv2.fillConvexPoly(soft, (moved - (x0, y0)).astype(np.int32), shadow, cv2.LINE_AA)
    size = int(reach * 2) | 1
    image[y0:y1, x0:x1] *= (1 - cv2.blur(soft, (size, size)))[..., None]


def paste(image: Array, cover: Array, number: int, card: Texture, quad: Array, dim: float) -> None:
    """Paste a card along ``quad`` and mark its pixels in ``cover`` with its number."""
    height, width = image.shape[:2]
    low = np.floor(quad.min(0)).astype(int) - 2
    high = np.ceil(quad.max(0)).astype(int) + 3
    x0, y0, x1, y1 = max(low[0], 0), max(low[1], 0), min(high[0], width), min(high[1], height)
    if x1 <= x0 or y1 <= y0:
        return
    edge = (np.linalg.norm(quad[0] - quad[1]) + np.linalg.norm(quad[2] - quad[3])) / 2
    level = next((lv for lv in reversed(card.levels) if lv[0].shape[1] >= edge), card.levels[0])
    h, w = level[1].shape
    source = np.float32([[0, 0], [w, 0], [w, h], [0, h]]) - 0.5
    matrix = cv2.getPerspectiveTransform(source, (quad - (x0, y0)).astype(np.float32))
    size = (x1 - x0, y1 - y0)
    alpha = cv2.warpPerspective(level[1], matrix, size)[..., None]
    face = cv2.warpPerspective(level[0], matrix, size, borderMode=cv2.BORDER_REPLICATE)
    part = image[y0:y1, x0:x1]
    part += alpha * (face * np.float32(dim) - part)
    cover[y0:y1, x0:x1][alpha[..., 0] > 0.5] = number


def compose(rng: Random, bank: list[Texture], image: Array) -> tuple[Array, list[Placed]]:
    """Compose a scene on a background. Returns a uint8 BGR picture and all cards in it."""
    height, width = image.shape[:2]
    if rng.random() < 0.6:
        clutter(rng, image)
    cover = np.zeros((height, width), np.int32)
    placed: list[Placed] = []
    if rng.random() < 0.96:
        poses, span, grip = layout(rng)
        homography = seen_through(rng, span, width, height)
        backs = rng.choice([0.0, 0.1, 0.4, 0.9], p=[0.4, 0.35, 0.2, 0.05])
        faces = [t for t in (bank[int(i)] for i in rng.integers(0, len(bank), 64)) if not t.back]
        behind = [t for t in bank if t.back]
        shadow = rng.uniform(0, 0.5) if rng.random() < 0.7 else 0.0
        for x, y, angle in poses:
            flat = np.c_[outline_mm(x, y, angle), np.ones(4)] @ homography.T
            quad = flat[:, :2] / flat[:, 2:]
            if flat[:, 2].min() <= 0.2 or not np.isfinite(quad).all():
                continue
            back = rng.random() < backs
            card = behind[int(rng.integers(len(behind)))] if back else faces[int(rng.integers(len(faces)))]
            if shadow:
                drop(rng, image, quad, shadow)
            placed.append(Placed(quad, back))
            paste(image, cover, len(placed), card, quad, float(rng.uniform(0.9, 1.05)))
        for _ in range(int(rng.choice([0, 1, 2], p=[0.7, 0.22, 0.08]))):
            target = (
                placed[int(rng.integers(len(placed)))].quad if placed else rng.uniform(0, 1, (4, 2)) * (width, height)
            )
            scale = float(np.linalg.norm(target[1] - target[2]))
            reach = target.mean(0) + rng.normal(0, 0.5, 2) * scale
            hand(rng, image, cover, reach, scale * rng.uniform(0.7, 1.2))
        if grip is not None and placed and rng.random() < HELD:
            x, y, w = homography @ (*grip, 1.0)
            scale = float(np.linalg.norm(placed[-1].quad[1] - placed[-1].quad[2]))
            hand(rng, image, cover, np.array([x, y]) / w + rng.normal(0, 0.1, 2) * scale, scale * rng.uniform(0.5, 1.0))
    counts = np.bincount(np.maximum(cover, 0).ravel(), minlength=len(placed) + 1)
    for number, card in enumerate(placed, 1):
        card.seen = float(counts[number] / max(1.0, abs(cv2.contourArea(card.quad.astype(np.float32)))))
        card.corner = corner_seen(cover == number, card.quad) > WHOLE
    image = lit(rng, image)
    if rng.random() < 0.2:
        image = glare(rng, image)
    return shot(rng, image), placed
