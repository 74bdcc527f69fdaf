"""Calibration of the confidence, and its reliability."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from cardsight import Sighting
from cardsight.doubts import POOR, poorness
from cardsight.fusion import ConfidenceCalibration
from cardsight.geometry import Outline, pyramid, quad_of, warp_crop
from cardsight.occlusion import is_occlusion
from training.measure.judging import Result, cut_off
from training.photometry import Array

EDGES = (0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 1.0)
HIGH = 0.9
"""Confidence above which fewer than one face in a thousand shall be wrong."""
RIDGE = 0.1
"""Weight decay of a regression: it bounds the weights if nothing was misread."""
LEAST_SLOPE = 0.05


def fit_occluded(results: Iterable[Result]) -> ConfidenceCalibration:
    """Fit slope and offset to readings of occluded cards, made with slope 1 and offset 0."""
    told = [one for result in results for one in _told(result) if _is_occluded(one[0], result.reading.cards)]
    return fit_line([odds for _, odds, _ in told], [right for *_, right in told])


def fit_free(results: Iterable[Result]) -> tuple[ConfidenceCalibration, dict[str, float]]:
    """Fit slope and offset to readings made with slope 1 and offset 0, and how much each of `doubts.POOR` lowers the
    log odds."""
    x, y = list[Array](), list[float]()
    for result in results:
        levels = pyramid(result.scene.picture())
        for sighting, odds, right in _told(result):
            (poor,) = poorness(warp_crop(levels, quad_of(sighting.corners_px))[None])
            x.append(np.array([odds, 1.0, *-poor]))
            y.append(float(right))
    slope, offset, *lost = regression(np.reshape(x, (-1, 2 + len(POOR))), np.array(y), np.ones(len(y))).tolist()
    weights = {name: max(0.0, value) for name, value in zip(POOR, lost, strict=True)}
    return ConfidenceCalibration(max(slope, LEAST_SLOPE), offset), weights


def _told(result: Result) -> Iterator[tuple[Sighting, float, bool]]:
    """Yield what was read, its log odds, and whether it is right. Cards with a mark are left out, since their odds are
    not the reader's alone."""
    left = [card.face for card in result.scene.cards]
    for sighting in result.reading.cards:
        if sighting.symbol is None and not cut_off(sighting, *result.reading.size):
            face = sighting.candidates[0][0] if sighting.face == "?" else sighting.face
            p = min(max(sighting.confidence, 1e-9), 1 - 1e-9)
            yield sighting, math.log(p / (1 - p)), face in left
            if face in left:
                left.remove(face)


def regression(x: Array, y: Array, weight: Array) -> Array:
    """Return the weights of a logistic regression, by Newton's method with bounded steps."""
    w = np.zeros(x.shape[1])
    for _ in range(60):
        p = 1 / (1 + np.exp(-np.clip(x @ w, -35, 35)))
        gradient = x.T @ (weight * (p - y)) + RIDGE * w
        curve = (x * (weight * p * (1 - p))[:, None]).T @ x + RIDGE * np.eye(len(w))
        step = np.linalg.solve(curve, gradient)
        w -= step * min(1.0, 1.0 / max(1e-9, float(np.abs(step).max())))
    return w


def _is_occluded(sighting: Sighting, sightings: Sequence[Sighting]) -> bool:
    """True if the card overlaps others so much that the reader counts it as occluded."""
    card = Outline(quad_of(sighting.corners_px))
    shared = (card.shared(Outline(quad_of(other.corners_px))) for other in sightings if other is not sighting)
    return is_occlusion(sum(shared), card.area)


def fit_line(odds: Sequence[float], right: Sequence[bool]) -> ConfidenceCalibration:
    """Fit slope and offset of calibrated log odds (Platt, 1999)."""
    x = np.column_stack([odds, np.ones(len(odds))])
    slope, offset = regression(x, np.array(right, float), np.ones(len(odds))).tolist()
    return ConfidenceCalibration(max(slope, LEAST_SLOPE), offset)


def reliability(reported: Sequence[tuple[float, bool]], edges: Sequence[float] = EDGES) -> list[dict[str, float | str]]:
    """Return, for each range of confidence between ``edges``, the number of reported faces, their mean confidence, and
    the fraction that is right."""
    rows: list[dict[str, float | str]] = []
    for low, high in pairwise(edges):
        there = [(c, r) for c, r in reported if low <= c < high or (high == 1.0 and c == 1.0)]
        if there:
            mean, right = np.mean(there, axis=0)
            row = {"confidence": f"{low}-{high}", "cards": len(there), "wrong": sum(not r for _, r in there)}
            rows.append(row | {"mean": round(float(mean), 4), "right": round(float(right), 4)})
    return rows


def expected_error(reported: Sequence[tuple[float, bool]], edges: Sequence[float] = EDGES) -> float:
    """Return the expected calibration error: mean absolute difference of confidence and fraction that is right."""
    rows = reliability(reported, edges)
    cards = sum(int(row["cards"]) for row in rows)
    return sum(int(row["cards"]) * abs(float(row["mean"]) - float(row["right"])) for row in rows) / max(1, cards)


def sure_but_wrong(reported: Sequence[tuple[float, bool]]) -> dict[str, float]:
    """Return the number of faces above the confidence `HIGH`, and how many of them are wrong."""
    sure = [right for confidence, right in reported if confidence > HIGH]
    wrong = sum(not right for right in sure)
    return {"cards": len(sure), "wrong": wrong, "per thousand": round(1000 * wrong / max(1, len(sure)), 2)}
