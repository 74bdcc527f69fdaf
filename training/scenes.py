"""Drawn tables for training the finder: grounds, things that are no cards, hands, and cards whose place is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from training.photometry import Array, Random, glare, lit, shot, smooth_noise

CARD_W, CARD_H = 56.0, 88.0  # mm


@dataclass
class Texture:
    """A straight picture of a card, float32 BGR 0…1, with the alpha of its rounded outline, in falling sizes."""

    levels: list[tuple[Array, Array]]
    back: bool


@dataclass
class Placed:
    """A card in a scene: its outline in px (first edge short), whether it shows its back, what part of it is seen."""

    quad: Array
    back: bool
    seen: float


def texture(image: Array, alpha: Array, back: bool) -> Texture:
    """A texture of a straight picture, uint8 BGR, and its alpha, 0…255."""
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


def color(rng: Random) -> Array:
    """What a thing on a table may be painted: black, white, brown, or anything."""
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


def ground(rng: Random, height: int, width: int) -> Array:
    """Wood, cloth, paper, checks, stripes, black, or nothing in particular."""
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


def clutter(rng: Random, image: Array) -> None:
    """Things on the table that are no cards: sheets, phones, cups, pens, boxes, writing."""
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
    """An arm that reaches in from the edge and fingers that end near the point ``to``; marks ``cover``."""
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


def spread(rng: Random, low: float, high: float) -> float:
    """A number between two, as often between 10 and 20 as between 100 and 200."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def layout(rng: Random) -> tuple[list[tuple[float, float, float]], float]:
    """Poses (x mm, y mm, angle) of the cards of a scene, bottom first, and the mm that the view spans."""
    dice = rng.random()
    poses: list[tuple[float, float, float]] = []
    if dice < 0.24:  # one card, near or far
        span = spread(rng, 75, 700)
        poses = [(rng.normal(0, 0.15) * span, rng.normal(0, 0.12) * span, rng.uniform(0, 2 * np.pi))]
    elif dice < 0.5:  # scattered, hardly overlapping
        span, count, apart = spread(rng, 180, 1100), int(rng.integers(2, 26)), rng.uniform(45, 95)
        turn = rng.uniform(0, 2 * np.pi)
        same = rng.random() < 0.35
        for _ in range(count * 6):
            p = rng.uniform(-0.55, 0.55, 2) * (span, span * 0.75)
            if all(np.hypot(p[0] - x, p[1] - y) > apart for x, y, _ in poses):
                poses.append((p[0], p[1], turn + rng.normal(0, 0.1) if same else rng.uniform(0, 2 * np.pi)))
            if len(poses) == count:
                break
    elif dice < 0.72:  # rows, close or touching
        rows, cols = int(rng.integers(1, 6)), int(rng.integers(2, 14))
        dx, dy = (
            rng.choice([56.0, 57.0, rng.uniform(56, 80), rng.uniform(38, 60)]),
            rng.choice([88.0, rng.uniform(85, 120)]),
        )
        turn, mess = rng.uniform(0, 2 * np.pi), rng.choice([0.0, 1.0, 4.0])
        span = max(cols * dx, rows * dy) * rng.uniform(0.8, 1.6)
        c, s = np.cos(turn), np.sin(turn)
        for row in range(rows):
            for col in range(cols):
                x = (col - cols / 2 + 0.5) * dx + rng.normal(0, mess + 0.01)
                y = (row - rows / 2 + 0.5) * dy + rng.normal(0, mess + 0.01)
                poses.append(
                    (
                        x * c - y * s,
                        x * s + y * c,
                        turn + rng.normal(0, mess * 0.02 + 1e-4) + np.pi * rng.integers(0, 2),
                    )
                )
    elif dice < 0.9:  # piles
        span = spread(rng, 120, 900)
        for _ in range(int(rng.integers(1, 4))):
            at, mess = rng.uniform(-0.4, 0.4, 2) * (span, span * 0.7), rng.uniform(2, 25)
            for _ in range(int(rng.integers(2, 12))):
                poses.append((at[0] + rng.normal(0, mess), at[1] + rng.normal(0, mess), rng.uniform(0, 2 * np.pi)))
    else:  # a fan
        span, count = spread(rng, 180, 700), int(rng.integers(3, 10))
        reach, step, turn = rng.uniform(90, 250), rng.uniform(0.1, 0.45), rng.uniform(0, 2 * np.pi)
        for i in range(count):
            a = turn + (i - count / 2) * step
            poses.append((reach * np.sin(a), -reach * np.cos(a), a))
    return poses, span


def seen_through(rng: Random, span: float, width: int, height: int) -> Array:
    """The homography from table mm to px for a camera somewhere above the table."""
    scale = width / span
    tilt = abs(rng.normal(0, 0.35)) if rng.random() < 0.7 else 0.0
    tilt, turn, roll = min(tilt, 0.95), rng.uniform(0, 2 * np.pi), rng.uniform(0, 2 * np.pi)
    distance = rng.uniform(0.9, 2.5) * span
    ct, st = np.cos(tilt), np.sin(tilt)
    c, s = np.cos(turn), np.sin(turn)
    spin = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    lean = np.array([[1, 0, 0], [0, ct, 0], [0, st / distance, 1]])
    back = np.array(
        [[np.cos(roll - turn), -np.sin(roll - turn), 0], [np.sin(roll - turn), np.cos(roll - turn), 0], [0, 0, 1]]
    )
    screen = np.array([[scale, 0, width / 2], [0, scale, height / 2], [0, 0, 1]])
    return screen @ back @ lean @ spin


def drop(rng: Random, image: Array, quad: Array, shadow: float) -> None:
    """The thin soft shadow that a card's edge throws."""
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
    """Lay a card into the image along ``quad`` and mark its pixels in ``cover`` with its number."""
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


def part_of(rng: Random, grounds: Sequence[Array], width: int, height: int) -> Array:
    """Some part of one of the grounds, which are larger than that."""
    whole = grounds[int(rng.integers(len(grounds)))]
    x, y = int(rng.integers(whole.shape[1] - width + 1)), int(rng.integers(whole.shape[0] - height + 1))
    part = whole[y : y + height, x : x + width]
    return np.array(part[:: rng.choice([-1, 1]), :: rng.choice([-1, 1])])


def compose(rng: Random, bank: list[Texture], image: Array) -> tuple[Array, list[Placed]]:
    """One scene laid onto the ``image`` of a ground: a uint8 BGR picture and every card of which something is seen."""
    height, width = image.shape[:2]
    if rng.random() < 0.6:
        clutter(rng, image)
    cover = np.zeros((height, width), np.int32)
    placed: list[Placed] = []
    if rng.random() < 0.96:
        poses, span = layout(rng)
        homography = seen_through(rng, span, width, height)
        backs = rng.choice([0.0, 0.1, 0.4, 0.9], p=[0.4, 0.35, 0.2, 0.05])
        faces = [t for t in (bank[int(i)] for i in rng.integers(0, len(bank), 64)) if not t.back]
        behind = [t for t in bank if t.back]
        shadow = rng.uniform(0, 0.5) if rng.random() < 0.7 else 0.0
        for x, y, angle in poses:
            c, s = np.cos(angle), np.sin(angle)
            corners = np.array([[-CARD_W, -CARD_H], [CARD_W, -CARD_H], [CARD_W, CARD_H], [-CARD_W, CARD_H]]) / 2
            corners = corners @ np.array([[c, s], [-s, c]]) + (x, y)
            flat = np.c_[corners, np.ones(4)] @ homography.T
            quad = flat[:, :2] / flat[:, 2:]
            if flat[:, 2].min() <= 0.2 or not np.isfinite(quad).all():
                continue
            back = rng.random() < backs
            card = behind[int(rng.integers(len(behind)))] if back else faces[int(rng.integers(len(faces)))]
            if shadow:
                drop(rng, image, quad, shadow)
            placed.append(Placed(quad, back, 1.0))
            paste(image, cover, len(placed), card, quad, float(rng.uniform(0.9, 1.05)))
        for _ in range(int(rng.choice([0, 1, 2], p=[0.7, 0.22, 0.08]))):
            target = (
                placed[int(rng.integers(len(placed)))].quad if placed else rng.uniform(0, 1, (4, 2)) * (width, height)
            )
            scale = float(np.linalg.norm(target[1] - target[2]))
            reach = target.mean(0) + rng.normal(0, 0.5, 2) * scale
            hand(rng, image, cover, reach, scale * rng.uniform(0.7, 1.2))
    counts = np.bincount(np.maximum(cover, 0).ravel(), minlength=len(placed) + 1)
    for number, card in enumerate(placed, 1):
        card.seen = float(counts[number] / max(1.0, abs(cv2.contourArea(card.quad.astype(np.float32)))))
    image = lit(rng, image)
    if rng.random() < 0.2:
        image = glare(rng, image)
    return shot(rng, image), placed
