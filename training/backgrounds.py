"""Drawn tables: backgrounds, objects that are no cards, and hands."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from training.photometry import Array, Random, smooth_noise


def color(rng: Random) -> Array:
    """Return a random color of an object on a table: black, white, brown, or any."""
    dice = rng.random()
    if dice < 0.25:
        return np.float32(rng.uniform(0, 0.16)) + rng.uniform(0, 0.04, 3).astype(np.float32)
    if dice < 0.5:
        return np.float32(rng.uniform(0.5, 0.95)) + rng.uniform(-0.05, 0.05, 3).astype(np.float32)
    if dice < 0.75:
        return np.float32([0.25, 0.42, 0.6]) * np.float32(rng.uniform(0.3, 1.4)) + rng.uniform(-0.08, 0.08, 3).astype(
            np.float32
        )
    return rng.uniform(0.05, 0.9, 3).astype(np.float32)


def background(rng: Random, height: int, width: int) -> Array:
    """Draw a table: wood, cloth, paper, checks, stripes, black, or plain."""
    base = color(rng)
    image = np.broadcast_to(base, (height, width, 3)).copy()
    kind = rng.random()
    yy, xx = np.mgrid[0:height, 0:width].astype(np.float32)
    angle = rng.uniform(0, np.pi)
    u, v = xx * np.cos(angle) + yy * np.sin(angle), -xx * np.sin(angle) + yy * np.cos(angle)
    if kind < 0.3:  # wood
        warp = 12 * smooth_noise(rng, height, width, 3)
        rings = np.sin((v + warp) * rng.uniform(0.05, 0.5)) * smooth_noise(rng, height, width, 6)
        image *= (1 + rng.uniform(0.05, 0.25) * rings)[..., None]
        if rng.random() < 0.5:
            plank = rng.uniform(40, 200)
            image *= np.where((v % plank) < rng.uniform(1, 3), rng.uniform(0.3, 0.9), 1.0)[..., None]
    elif kind < 0.45:  # checks and stripes
        period, other = rng.uniform(8, 120), color(rng)
        pattern = (u // period) % 2
        if rng.random() < 0.6:
            pattern = (pattern + (v // period) % 2) / 2
        image += pattern[..., None].astype(np.float32) * (other - base) * np.float32(rng.uniform(0.2, 1))
    elif kind < 0.55:  # weave
        period = rng.uniform(2, 6)
        image *= (1 + rng.uniform(0.02, 0.12) * (np.sin(u * 2 * np.pi / period) + np.sin(v * 2 * np.pi / period)))[
            ..., None
        ]
    elif kind < 0.65:  # flowers, terrazzo
        for _ in range(int(rng.integers(20, 120))):
            center = (int(rng.uniform(0, width)), int(rng.uniform(0, height)))
            axes = (int(rng.uniform(2, 18)), int(rng.uniform(2, 18)))
            cv2.ellipse(image, center, axes, rng.uniform(0, 180), 0, 360, color(rng).tolist(), -1, cv2.LINE_AA)
    for cells in (3, 12, 48, 160):
        if rng.random() < 0.6:
            image *= (1 + rng.uniform(0.01, 0.12) * smooth_noise(rng, height, width, cells))[..., None]
    return np.clip(image, 0, 1).astype(np.float32)


def part_of(rng: Random, backgrounds: Sequence[Array], width: int, height: int) -> Array:
    """Crop a random part from one of the larger backgrounds."""
    whole = backgrounds[int(rng.integers(len(backgrounds)))]
    x, y = int(rng.integers(whole.shape[1] - width + 1)), int(rng.integers(whole.shape[0] - height + 1))
    part = whole[y : y + height, x : x + width]
    return np.array(part[:: rng.choice([-1, 1]), :: rng.choice([-1, 1])])


def clutter(rng: Random, image: Array) -> None:
    """Draw objects that are no cards: sheets, phones, cups, pens, boxes, writing."""
    height, width = image.shape[:2]
    size = max(height, width)
    for _ in range(int(rng.integers(0, 7))):
        center = rng.uniform(0, 1, 2) * (width, height)
        dice, paint = rng.random(), color(rng).tolist()
        if dice < 0.5:
            box = cv2.boxPoints(
                (center.tolist(), (rng.uniform(0.02, 0.5) * size, rng.uniform(0.02, 0.5) * size), rng.uniform(0, 180))
            )
            cv2.fillConvexPoly(image, box.astype(np.int32), paint, cv2.LINE_AA)
            if rng.random() < 0.5:
                cv2.polylines(
                    image, [box.astype(np.int32)], True, color(rng).tolist(), int(rng.integers(1, 6)), cv2.LINE_AA
                )
            if rng.random() < 0.3:
                inner = box.mean(0) + (box - box.mean(0)) * rng.uniform(0.5, 0.9)
                cv2.fillConvexPoly(image, inner.astype(np.int32), color(rng).tolist(), cv2.LINE_AA)
        elif dice < 0.7:
            axes = (int(rng.uniform(0.02, 0.2) * size), int(rng.uniform(0.02, 0.2) * size))
            if rng.random() < 0.4:  # lids, coins, counters
                axes = (axes[0], axes[0])
            cv2.ellipse(image, center.astype(int).tolist(), axes, rng.uniform(0, 180), 0, 360, paint, -1, cv2.LINE_AA)
            if rng.random() < 0.5:
                small = (max(1, int(axes[0] * 0.8)), max(1, int(axes[1] * 0.8)))
                cv2.ellipse(image, center.astype(int).tolist(), small, 0, 0, 360, color(rng).tolist(), -1, cv2.LINE_AA)
        elif dice < 0.85:
            end = center + rng.normal(0, 0.3, 2) * size
            cv2.line(
                image,
                center.astype(int).tolist(),
                end.astype(int).tolist(),
                paint,
                int(rng.integers(1, 12)),
                cv2.LINE_AA,
            )
        else:
            word = "".join(rng.choice(list("ABCDEFGHKLMNOPRSTUVXYZ0123456789+"), int(rng.integers(1, 9))))
            cv2.putText(
                image,
                word,
                center.astype(int).tolist(),
                int(rng.integers(0, 8)),
                rng.uniform(0.3, 3),
                paint,
                int(rng.integers(1, 8)),
                cv2.LINE_AA,
            )


def hand(rng: Random, image: Array, cover: Array, to: Array, scale: float) -> None:
    """Draw an arm that reaches in from the edge, with fingers near the point ``to``; mark it in ``cover``."""
    height, width = image.shape[:2]
    skin = np.float32([0.45, 0.58, 0.8]) * np.float32(rng.uniform(0.3, 1.15)) + rng.uniform(-0.05, 0.05, 3).astype(
        np.float32
    )
    away = rng.normal(0, 1, 2)
    away /= np.linalg.norm(away) + 1e-6
    side = np.array([-away[1], away[0]])
    palm = to + away * scale * rng.uniform(0.9, 1.4)
    mask = np.zeros((height, width), np.uint8)
    cv2.line(
        mask,
        palm.astype(int).tolist(),
        (palm + away * 3 * max(height, width)).astype(int).tolist(),
        255,
        max(1, int(scale * rng.uniform(0.5, 0.9))),
    )
    cv2.circle(mask, palm.astype(int).tolist(), max(1, int(scale * rng.uniform(0.4, 0.6))), 255, -1)
    for finger in np.linspace(-0.45, 0.45, int(rng.integers(2, 6))):
        tip = to + side * finger * scale * rng.uniform(0.8, 1.8) + away * rng.uniform(-0.3, 0.3) * scale
        root = palm + side * finger * scale
        cv2.line(
            mask, root.astype(int).tolist(), tip.astype(int).tolist(), 255, max(1, int(scale * rng.uniform(0.16, 0.26)))
        )
    alpha = cv2.GaussianBlur(mask, (5, 5), 0).astype(np.float32)[..., None] / 255
    shade = 1 + 0.25 * smooth_noise(rng, height, width, 5)[..., None]
    image *= 1 - alpha
    image += alpha * np.clip(skin * shade, 0, 1)
    if rng.random() < 0.6:  # a sleeve
        start = palm + away * scale * rng.uniform(0.8, 2)
        cv2.line(
            image,
            start.astype(int).tolist(),
            (start + away * 3 * max(height, width)).astype(int).tolist(),
            color(rng).tolist(),
            max(1, int(scale * rng.uniform(0.8, 1.3))),
        )
        cv2.line(
            mask,
            start.astype(int).tolist(),
            (start + away * 3 * max(height, width)).astype(int).tolist(),
            255,
            max(1, int(scale * 1.0)),
        )
    cover[mask > 127] = -1
