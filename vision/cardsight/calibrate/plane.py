"""The table plane: a homography from millimeters to pixels.

From known points it has a closed solution. From cards it has none: each card is a rectangle of known size in an unknown
pose. A candidate homography maps the outlines to the table, each card is aligned with its outline (Kabsch, 1976), and
the residuals rate the candidate. The best one is found by the Levenberg-Marquardt method (Marquardt, 1963) with Huber's
loss (1964) against outliers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.errors import NotCalibrated
from cardsight.geometry import Quad
from croupier_rules.cards import CARD_MM

Points = NDArray[np.float64]

LEAST_CARDS: Final = 3
"""Minimum number of cards. One is enough in theory, but a pixel at its corner is centimeters at the far side of the
table."""
STARTS: Final = 5
"""Number of the largest cards from which the search is started."""
ROUNDS: Final = 40
KIND_MM: Final = 1.0
"""Corner error (mm) from which Huber's loss is linear."""
OUTLIER_MM: Final = 6.0
"""Corner error (mm) from which a card is left out: it is no card, or of another size."""


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """The table plane. ``homography`` (3, 3): from mm (x right, y down, as seen) to px of the picture.

    ``error_mm``: root mean square of the residuals on the table. ``used`` and ``left_out``: number of points or cards
    that fit, and that do not.
    """

    homography: Points
    error_mm: float = 0.0
    used: int = 0
    left_out: int = 0

    def to_px(self, points_mm: object) -> Points:
        """Map points on the table (N, 2), mm, to px of the picture."""
        return _moved(self.homography, np.asarray(points_mm, np.float64))

    def to_mm(self, points_px: object) -> Points:
        """Map points of the picture (N, 2), px, to mm on the table."""
        return _moved(np.asarray(np.linalg.inv(self.homography), np.float64), np.asarray(points_px, np.float64))

    def upright_at(self, at_px: object) -> Plane:
        """Return the plane with its origin at this point (px) and x parallel to the picture's there."""
        here = np.asarray(at_px, np.float64)
        at, beside = self.to_mm([here, here + (1.0, 0.0)])
        c, s = (beside - at) / np.linalg.norm(beside - at)
        turned = self.homography @ np.array([[c, -s, at[0]], [s, c, at[1]], [0, 0, 1]])
        return replace(self, homography=np.asarray(turned, np.float64))


def from_points(points_mm: Points, points_px: Points) -> Plane:
    """Fit the plane to N >= 4 points. Raises `NotCalibrated` if they do not lie in one plane."""
    matrix, _ = cv2.findHomography(points_mm.astype(np.float64), points_px.astype(np.float64), 0)
    if matrix is None:
        raise NotCalibrated("the markers do not lie in one plane; lay the sheet flat")
    plane = Plane(np.asarray(matrix, np.float64))
    off = np.linalg.norm(plane.to_mm(points_px) - points_mm, axis=1)
    return Plane(plane.homography, float(np.sqrt(np.mean(off**2))), len(points_mm))


def from_cards(quads: Sequence[Quad], size_px: tuple[int, int], card_mm: tuple[float, float] = CARD_MM) -> Plane:
    """Fit the plane to cards of one size. ``quads``: their outlines, short edge first, in a picture of ``size_px``.

    The origin is the center of the picture; x is parallel to the picture's there. Raises `NotCalibrated` if there are
    fewer than `LEAST_CARDS` cards, or they do not fit one plane.
    """
    if len(quads) < LEAST_CARDS:
        raise NotCalibrated(f"cards seen: {len(quads)}; expected at least {LEAST_CARDS} over the table, or the sheet")
    scale = 2.0 / max(size_px)
    middle = np.array(size_px) / 2
    outlines = (np.array(quads, np.float64) - middle) * scale
    largest = np.argsort([-cv2.contourArea(np.asarray(quad, np.float32)) for quad in quads])[:STARTS]
    best = min((_fitted(outlines, outlines[first], card_mm) for first in largest), key=lambda fit: fit[1])[0]
    off = _left_over(best, outlines, card_mm)
    fits = np.sqrt((off**2).sum(axis=2)).max(axis=1) < OUTLIER_MM
    if fits.sum() < LEAST_CARDS:
        raise NotCalibrated(
            f"only {int(fits.sum())} of {len(quads)} cards fit into one plane; expected flat cards of "
            f"{card_mm[0]:g} x {card_mm[1]:g} mm, or give their size"
        )
    best, _ = _fitted(outlines[fits], None, card_mm, best)
    off = _left_over(best, outlines[fits], card_mm)
    to_unit = np.array([[scale, 0, -middle[0] * scale], [0, scale, -middle[1] * scale], [0, 0, 1]])
    error = float(np.sqrt((off**2).sum(axis=2).mean()))
    plane = Plane(np.linalg.inv(best @ to_unit), error, int(fits.sum()), int((~fits).sum()))
    return plane.upright_at(middle)


def from_overhead(
    quads: Sequence[Quad], size_px: tuple[int, int], card_mm: tuple[float, float] = CARD_MM
) -> Plane:  # fmt: skip
    """Fit the scale alone to one or two cards, for a camera that looks straight down.

    The origin is the center of the picture. Raises `NotCalibrated` if there is no card.
    """
    if not quads:
        raise NotCalibrated("no card seen; expected at least one")
    edges = [np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1).sum() for quad in quads]
    scale = float(np.median(edges)) / (2 * sum(card_mm))
    width, height = size_px
    return Plane(np.array([[scale, 0, width / 2], [0, scale, height / 2], [0, 0, 1]]), used=len(quads))


def _moved(matrix: Points, points: Points) -> Points:
    flat = np.column_stack([points.reshape(-1, 2), np.ones(points.size // 2)]) @ matrix.T
    return np.asarray((flat[:, :2] / flat[:, 2:]).reshape(points.shape), np.float64)


def _left_over(matrix: Points, outlines: Points, card_mm: tuple[float, float]) -> Points:
    """Return the residuals (N, 4, 2) in mm between the outlines, mapped to the table, and the cards aligned with
    them."""
    width, length = card_mm
    card = np.array([(-width, -length), (width, -length), (width, length), (-width, length)]) / 2
    seen = _moved(matrix, outlines)
    apart = seen - seen.mean(axis=1, keepdims=True)
    cos = np.einsum("nkd,kd->n", apart, card)
    sin = np.einsum("nk,k->n", apart[..., 1], card[:, 0]) - np.einsum("nk,k->n", apart[..., 0], card[:, 1])
    turn = np.arctan2(sin, cos)
    c, s = np.cos(turn)[:, None], np.sin(turn)[:, None]
    laid = np.stack([c * card[:, 0] - s * card[:, 1], s * card[:, 0] + c * card[:, 1]], axis=2)
    return np.asarray(apart - laid, np.float64)


def _fitted(
    outlines: Points, first: Points | None, card_mm: tuple[float, float], start: Points | None = None
) -> tuple[Points, float]:
    """Return the homography to the table with the least loss, and that loss. The search starts from ``start``, or from
    the homography of the outline ``first``."""
    if start is None:
        assert first is not None
        width, length = card_mm
        card = np.array([(0, 0), (width, 0), (width, length), (0, length)], np.float32)
        start = np.asarray(cv2.getPerspectiveTransform(first.astype(np.float32), card), np.float64)
    unknown = (start / start[2, 2]).ravel()[:8]

    def errors(unknown: Points) -> tuple[Points, float]:
        off = _left_over(np.append(unknown, 1.0).reshape(3, 3), outlines, card_mm).ravel()
        size = np.abs(off)
        cost = np.where(size < KIND_MM, 0.5 * off**2, KIND_MM * (size - 0.5 * KIND_MM)).sum()
        return off * np.sqrt(np.minimum(1.0, KIND_MM / np.maximum(size, 1e-12))), float(cost)

    damping = 1e-3
    weighed, cost = errors(unknown)
    for _ in range(ROUNDS):
        steps = 1e-6 * np.maximum(np.abs(unknown), 1e-2)
        slope = np.stack(
            [(errors(unknown + np.eye(8)[n] * steps[n])[0] - weighed) / steps[n] for n in range(8)], axis=1
        )
        square = slope.T @ slope
        move = np.linalg.lstsq(square + damping * np.diag(np.diag(square) + 1e-12), -slope.T @ weighed, rcond=None)[0]
        moved, less = errors(unknown + move)
        if less < cost:
            done = cost - less < 1e-9 * cost
            unknown, weighed, cost, damping = unknown + move, moved, less, damping / 5
            if done:
                break
        else:
            damping *= 5
            if damping > 1e9:
                break
    return np.append(unknown, 1.0).reshape(3, 3), cost
