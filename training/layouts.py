"""Layouts of cards as people make them (single, scattered, rows, overlapping, heaps, fans), and random camera views.

A layout is a list of poses (x mm, y mm, angle), the lowest card first, the width of the view in mm, and the point at
which a hand may hold the cards.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import cv2
import numpy as np

from croupier_rules.cards import CARD_MM
from training.photometry import Array, Random

CARD_W, CARD_H = CARD_MM

PRINTED_CORNER: Array = np.array([[0.04, 0.03], [0.30, 0.03], [0.30, 0.22], [0.04, 0.22]], np.float32)
"""Area of the symbol in one corner, as fractions of the card's sides; the other corner is its point reflection."""
WHOLE = 0.9
"""Visible fraction of a corner from which its symbol counts as visible."""

Pose = tuple[float, float, float]


def corner_seen(own: Array, quad: Array, *, framed: bool = False) -> float:
    """Return the larger of the visible fractions (`part_seen`) of the two printed corners of the card along
    ``quad``."""
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    matrix = cv2.getPerspectiveTransform(unit, quad.astype(np.float32))
    corners = (cv2.perspectiveTransform(one[None], matrix)[0] for one in (PRINTED_CORNER, 1 - PRINTED_CORNER))
    return max(part_seen(own, corner, framed=framed) for corner in corners)


def part_seen(own: Array, outline: Array, *, framed: bool = False) -> float:
    """Return the fraction (0…1) of the pixels inside an outline that are ``own``. ``framed``: of those inside the
    picture."""
    low, high = np.floor(outline.min(0)).astype(int), np.ceil(outline.max(0)).astype(int) + 1
    inside = np.zeros(np.maximum(high - low, 1)[::-1], np.uint8)
    cv2.fillConvexPoly(inside, np.round(outline - low).astype(np.int32), 1)
    x0, y0 = np.maximum(low, 0)
    seen = own[y0 : max(high[1], 0), x0 : max(high[0], 0)]
    x, y = x0 - low[0], y0 - low[1]
    in_picture = inside[y : y + seen.shape[0], x : x + seen.shape[1]]
    return float((seen & (in_picture > 0)).sum() / max(1, (in_picture if framed else inside).sum()))


class Layout(NamedTuple):
    """The cards of a scene. ``span``: width of the view (mm). ``grip``: point (mm) at which one hand may hold the
    cards."""

    poses: list[Pose]
    span: float
    grip: tuple[float, float] | None = None


def outline_mm(x: float, y: float, angle: float) -> Array:
    """Return the outline of a card around (x, y), rotated clockwise by ``angle``, from its top-left corner on."""
    corners = np.array([[-CARD_W, -CARD_H], [CARD_W, -CARD_H], [CARD_W, CARD_H], [-CARD_W, CARD_H]]) / 2
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(corners @ np.array([[c, s], [-s, c]]) + (x, y), np.float32)


def spread(rng: Random, low: float, high: float) -> float:
    """Return a random number, uniform in its logarithm."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def single(rng: Random) -> Layout:
    """One card, near or far."""
    span = spread(rng, 75, 700)
    pose = (rng.normal(0, 0.15) * span, rng.normal(0, 0.12) * span, rng.uniform(0, 2 * np.pi))
    return Layout([pose], span, (pose[0] - 40 * np.sin(pose[2]), pose[1] + 40 * np.cos(pose[2])))


def scattered(rng: Random) -> Layout:
    """Cards that hardly overlap."""
    span, count, apart = spread(rng, 180, 1100), int(rng.integers(2, 26)), rng.uniform(45, 95)
    turn, same = rng.uniform(0, 2 * np.pi), rng.random() < 0.35
    poses: list[Pose] = []
    for _ in range(count * 6):
        p = rng.uniform(-0.55, 0.55, 2) * (span, span * 0.75)
        if all(np.hypot(p[0] - x, p[1] - y) > apart for x, y, _ in poses):
            poses.append((p[0], p[1], turn + rng.normal(0, 0.1) if same else rng.uniform(0, 2 * np.pi)))
        if len(poses) == count:
            break
    return Layout(poses, span)


def rows(rng: Random) -> Layout:
    """Rows: with gaps, touching, or overlapping."""
    lines, cols = int(rng.integers(1, 6)), int(rng.integers(2, 14))
    dx = float(rng.choice([56.0, 57.0, rng.uniform(56, 80), rng.uniform(16, 56)]))
    dy = float(rng.choice([88.0, rng.uniform(85, 120), rng.uniform(28, 88)]))
    turn, mess = rng.uniform(0, 2 * np.pi), rng.choice([0.0, 1.0, 4.0])
    span = max(cols * dx + CARD_W - 56, lines * dy) * rng.uniform(0.8, 1.6) + 40
    c, s = np.cos(turn), np.sin(turn)
    poses = []
    for line in range(lines):
        for col in range(cols):
            x = (col - cols / 2 + 0.5) * dx + rng.normal(0, mess + 0.01)
            y = (line - lines / 2 + 0.5) * dy + rng.normal(0, mess + 0.01)
            angle = turn + rng.normal(0, mess * 0.02 + 1e-4) + np.pi * rng.integers(0, 2)
            poses.append((x * c - y * s, x * s + y * c, angle))
    return Layout(poses, span)


def covered(rng: Random) -> Layout:
    """Pairs and threes, each card partly under the next."""
    span = spread(rng, 150, 700)
    poses = []
    for _ in range(int(rng.integers(1, 5))):
        x, y, angle = *rng.uniform(-0.4, 0.4, 2) * (span, span * 0.7), rng.uniform(0, 2 * np.pi)
        poses.append((x, y, angle))
        for _ in range(int(rng.integers(1, 3))):
            way, far = rng.uniform(0, 2 * np.pi), rng.uniform(18, 85)
            poses.append((x + far * np.cos(way), y + far * np.sin(way), rng.uniform(0, 2 * np.pi)))
    return Layout(poses, span)


def heaps(rng: Random) -> Layout:
    """Heaps at any angle, dense or spread out."""
    span = spread(rng, 120, 900)
    poses = []
    for _ in range(int(rng.integers(1, 4))):
        at, mess = rng.uniform(-0.4, 0.4, 2) * (span, span * 0.7), spread(rng, 3, 75)
        for _ in range(int(rng.integers(2, 13))):
            x, y = at + rng.normal(0, mess, 2)
            poses.append((x, y, rng.uniform(0, 2 * np.pi)))
    return Layout(poses, span)


def fan(rng: Random) -> Layout:
    """A hand of cards, laid down as a fan or held. Left-handed and right-handed people stack them in opposite order."""
    span, count = spread(rng, 160, 700), int(rng.integers(3, 11))
    reach, step, turn = rng.uniform(75, 250), spread(rng, 0.08, 0.45), rng.uniform(0, 2 * np.pi)
    side = rng.choice([-1.0, 1.0])
    x, y = rng.normal(0, 0.08, 2) * span
    poses = []
    for place in range(count):
        a = turn + side * (place - (count - 1) / 2) * step + rng.normal(0, 0.02)
        far = reach + rng.normal(0, 2.0)
        poses.append((
            x + far * np.sin(a) - reach * np.sin(turn),
            y - far * np.cos(a) + reach * np.cos(turn),
            a,
        ))  # fmt: skip
    return Layout(poses, span, (x - 45 * np.sin(turn), y + 45 * np.cos(turn)))


LAYOUTS: tuple[tuple[float, Callable[[Random], Layout]], ...] = (
    (0.14, single), (0.16, scattered), (0.15, rows), (0.15, covered), (0.16, heaps), (0.24, fan),
)  # fmt: skip
"""Layouts with their probabilities."""


def layout(rng: Random) -> Layout:
    """Return a random layout."""
    shares, ways = zip(*LAYOUTS, strict=True)
    return ways[int(rng.choice(len(ways), p=shares))](rng)


MOST_TILT = 1.1
"""Maximum tilt (rad) of a camera."""


def seen_through(rng: Random, span: float, width: int, height: int) -> Array:
    """Return a random camera's homography from table mm to px."""
    scale = width / span
    tilt = abs(rng.normal(0, 0.5)) if rng.random() < 0.7 else 0.0
    tilt, turn, roll = min(tilt, MOST_TILT), rng.uniform(0, 2 * np.pi), rng.uniform(0, 2 * np.pi)
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
