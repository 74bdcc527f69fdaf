"""How a confidence is made from the network's odds, and whether it can be believed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from training.measure.judging import Result, cut_off
from training.photometry import Array

EDGES = (0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 1.0)
HIGH = 0.9
"""A face told with a higher confidence than this is to be wrong less than once in a thousand."""


def fit(results: Iterable[Result]) -> tuple[float, float]:
    """Slope and offset that turn log odds of the best face into those of its being right (Platt, 1999).

    The readings have been made with slope 1 and offset 0. Cards of which a mark was read are left out: their odds are
    not the reader's alone.

    Two made-up readings, one right and one wrong at odds of nothing, keep the fit in bounds where nothing was misread.
    """
    odds, right = [0.0, 0.0], [1.0, 0.0]
    for result in results:
        left = [card.face for card in result.scene.cards]
        for sighting in result.reading.cards:
            if sighting.symbol is not None or cut_off(sighting, *result.reading.size):
                continue
            face = sighting.candidates[0][0] if sighting.face == "?" else sighting.face
            p = min(max(sighting.confidence, 1e-9), 1 - 1e-9)
            odds.append(math.log(p / (1 - p)))
            right.append(float(face in left))
            if face in left:
                left.remove(face)
    return _line(np.array(odds), np.array(right))


def _line(x: Array, y: Array) -> tuple[float, float]:
    """The logistic regression of ``y`` (0 or 1) on ``x``, by Newton's method."""
    slope, offset = 1.0, 0.0
    for _ in range(60):
        p = 1 / (1 + np.exp(-np.clip(slope * x + offset, -35, 35)))
        off, weight = p - y, p * (1 - p) + 1e-9
        gradient = np.array([(off * x).sum(), off.sum()])
        curve = np.array([[(weight * x * x).sum(), (weight * x).sum()], [(weight * x).sum(), weight.sum()]])
        step = np.linalg.solve(curve + 1e-6 * np.eye(2), gradient)
        step *= min(1.0, 1.0 / max(1e-9, float(np.abs(step).max())))
        slope, offset = slope - float(step[0]), offset - float(step[1])
    return max(slope, 0.05), offset


def reliability(told: Sequence[tuple[float, bool]]) -> list[dict[str, float | str]]:
    """Of the faces told at about one confidence: how many, what was said of them on average, what part is right."""
    rows: list[dict[str, float | str]] = []
    for low, high in pairwise(EDGES):
        there = [(c, r) for c, r in told if low <= c < high or (high == 1.0 and c == 1.0)]
        if there:
            said, right = np.mean(there, axis=0)
            row = {"told": f"{low}-{high}", "cards": len(there), "wrong": sum(not r for _, r in there)}
            rows.append(row | {"said": round(float(said), 4), "right": round(float(right), 4)})
    return rows


def expected_error(told: Sequence[tuple[float, bool]]) -> float:
    """How far what is said lies from what is right, on average over the faces told (expected calibration error)."""
    rows = reliability(told)
    cards = sum(int(row["cards"]) for row in rows)
    return sum(int(row["cards"]) * abs(float(row["said"]) - float(row["right"])) for row in rows) / max(1, cards)


def sure_but_wrong(told: Sequence[tuple[float, bool]]) -> dict[str, float]:
    """Faces told with a confidence above `HIGH`: how many, how many of them wrong, and how many wrong in a thousand."""
    sure = [right for confidence, right in told if confidence > HIGH]
    wrong = sum(not right for right in sure)
    return {"told": len(sure), "wrong": wrong, "per thousand": round(1000 * wrong / max(1, len(sure)), 2)}
