"""Placement of cards in a training crop: the card itself, and those beside, below and above it."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from cardsight.geometry import CROP_H, CROP_W, IDEAL
from training.layouts import WHOLE, corner_seen, outline_mm, part_seen, spread
from training.photometry import Array, Random

AROUND = 0.25
"""Margin kept around a photographed card, as a fraction of its sides."""
LEAST_SEEN, CORNER_SEEN = 0.3, 0.6
"""Minimum visible fractions of an occluded card: at least the first, and a printed corner if it is less than the
second."""


def jittered(rng: Random, strength: float) -> Array:
    """Return the corners of a card in a crop that is slightly displaced."""
    side = np.array([CROP_W, CROP_H])
    middle = IDEAL.mean(0)
    turn = rng.normal(0, 0.05) * strength
    c, s = np.cos(turn), np.sin(turn)
    quad = (IDEAL - middle) @ np.array([[c, s], [-s, c]]) * rng.normal(1, 0.045 * strength, 2)
    quad = quad @ np.array([[1, rng.normal(0, 0.04 * strength)], [rng.normal(0, 0.04 * strength), 1]])  # seen aslant
    quad += middle + rng.normal(0, 0.03 * strength, 2) * side + rng.normal(0, 0.015 * strength, (4, 2)) * side
    return quad.astype(np.float32)


def displaced(rng: Random) -> Array:
    """Return the corners of a card in a crop that misses it: displaced, too large, too small, or rotated."""
    middle, quad = IDEAL.mean(0), IDEAL - IDEAL.mean(0)
    dice = rng.random()
    if dice < 0.4:
        angle, far = rng.uniform(0, 2 * np.pi), rng.uniform(0.33, 0.8)
        middle = middle + np.array([np.cos(angle) * CROP_W, np.sin(angle) * CROP_H]) * far
    elif dice < 0.6:
        quad = quad * (rng.uniform(0.35, 0.62) if rng.random() < 0.5 else rng.uniform(1.5, 2.5))
        middle = middle + rng.normal(0, 0.1, 2) * (CROP_W, CROP_H)
    else:
        turn = rng.uniform(np.pi / 6, np.pi / 2) * rng.choice([-1, 1])
        if dice > 0.8:
            turn = np.pi / 2 + rng.normal(0, 0.1)
        c, s = np.cos(turn), np.sin(turn)
        quad = quad @ np.array([[c, s], [-s, c]]) * rng.uniform(0.85, 1.15)
        middle = middle + rng.normal(0, 0.06, 2) * (CROP_W, CROP_H)
    return (quad + middle).astype(np.float32)


def widened(quad: Array) -> Array:
    """Return the outline of a card with its margin `AROUND`."""
    whole = np.array(
        [[-AROUND, -AROUND], [1 + AROUND, -AROUND], [1 + AROUND, 1 + AROUND], [-AROUND, 1 + AROUND]], np.float32
    )
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    return cv2.perspectiveTransform(whole[None], cv2.getPerspectiveTransform(unit, quad.astype(np.float32)))[0]


def fanned(rng: Random, apart: tuple[float, float] = (10, 60)) -> tuple[list[Array], list[Array]]:
    """Return the outlines (mm) of cards of one fan or row, below and above a card that lies upright at the origin.

    ``apart``: limits of the distance between two neighbors.
    """
    arc, reach = spread(rng, *apart) * rng.choice([-1, 1]), spread(rng, 75, 1500)
    lower, upper = ([n * arc / reach for n in range(1, int(rng.integers(0, 5)) + 1)] for _ in range(2))
    return [_in_fan(-a, reach) for a in reversed(lower)], [_in_fan(a, reach) for a in upper]


def _in_fan(angle: float, reach: float) -> Array:
    return outline_mm(reach * np.sin(angle), reach * (1 - np.cos(angle)), angle)


def heaped(rng: Random) -> list[Array]:
    """Return the outlines (mm) of cards at any angle over a card that lies upright at the origin."""
    outlines = []
    for _ in range(int(rng.choice([1, 2, 3], p=[0.5, 0.3, 0.2]))):
        way, far = rng.uniform(0, 2 * np.pi), rng.uniform(20, 90)
        outlines.append(outline_mm(far * np.cos(way), far * np.sin(way), rng.uniform(0, 2 * np.pi)))
    return outlines


def laid(quad: Array, outlines: Sequence[Array]) -> list[Array]:
    """Map outlines in mm around a card into a crop that shows this card along ``quad``."""
    matrix = cv2.getPerspectiveTransform(outline_mm(0, 0, 0), quad.astype(np.float32))
    return [cv2.perspectiveTransform(one[None], matrix)[0] for one in outlines]


def is_legible(cover: Array, quad: Array) -> bool:
    """True if enough of the card along ``quad`` is visible to read it. ``cover``: 1 at its visible pixels."""
    own = cover == 1
    part = part_seen(own, quad, framed=True)
    return part >= CORNER_SEEN or (part >= LEAST_SEEN and corner_seen(own, quad, framed=True) > WHOLE)
