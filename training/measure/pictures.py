"""Pictures of the report: the reliability diagram, and all misreads side by side.

They contain photographs that must not be passed on, and stay in ``out/``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from cardsight.geometry import CROP_H, CROP_W, IDEAL
from cardsight.sighting import Corners
from training.measure.calibration import reliability
from training.measure.judging import Result
from training.measure.tables import is_scored
from training.photometry import Array

_INK, _PALE, _RED = (40, 40, 40), (210, 210, 210), (40, 40, 200)
_TILE_W, _TILE_H, _COLUMNS = 200, 230, 8


def reliability_diagram(reported: Sequence[tuple[float, bool]], to: Path) -> None:
    """Draw the fraction that is right over the confidence, both from 1 wrong in 5 to 1 wrong in 5,000.

    The size of a dot shows the number of cards, its whisker two standard errors.
    """
    image, edge = np.full((460, 520, 3), 255, np.uint8), 60
    low, high = np.log10(0.2), np.log10(0.0002)

    def at(wrong_x: float, wrong_y: float) -> tuple[int, int]:
        x, y = (float(np.clip((np.log10(max(w, 1e-6)) - low) / (high - low), 0, 1)) for w in (wrong_x, wrong_y))
        return round(edge + 400 * x), round(420 - 380 * y)

    for wrong in (0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002):
        cv2.line(image, at(wrong, 0.2), at(wrong, 0.0002), _PALE, 1)
        cv2.line(image, at(0.2, wrong), at(0.0002, wrong), _PALE, 1)
        label = f"{1 - wrong:.4g}"
        cv2.putText(image, label, (at(wrong, 0.2)[0] - 14, 436), cv2.FONT_HERSHEY_SIMPLEX, 0.3, _INK, 1, cv2.LINE_AA)
        cv2.putText(image, label, (22, at(0.2, wrong)[1] + 4), cv2.FONT_HERSHEY_SIMPLEX, 0.3, _INK, 1, cv2.LINE_AA)
    cv2.line(image, at(0.2, 0.2), at(0.0002, 0.0002), _INK, 1, cv2.LINE_AA)
    for row in reliability(reported):
        mean, right, cards = float(row["mean"]), float(row["right"]), int(row["cards"])
        spread = 2 * np.sqrt(max(right * (1 - right), 0.25 / cards) / cards)
        x, y = at(1 - mean, 1 - right)
        cv2.line(image, at(1 - mean, 1 - right + spread), at(1 - mean, 1 - right - spread), _INK, 1, cv2.LINE_AA)
        cv2.circle(image, (x, y), round(2 + np.log2(cards)), _RED, -1, cv2.LINE_AA)
    cv2.putText(image, "confidence", (230, 454), cv2.FONT_HERSHEY_SIMPLEX, 0.4, _INK, 1, cv2.LINE_AA)
    cv2.putText(image, "fraction right", (8, 24), cv2.FONT_HERSHEY_SIMPLEX, 0.4, _INK, 1, cv2.LINE_AA)
    cv2.imwrite(str(to), image)


def contact_sheet(results: Sequence[Result], to: Path) -> int:
    """Write a tile for each wrong face, and for each scored single card that was not read. Returns the number of
    tiles."""
    tiles = []
    for result in results:
        image = result.scene.picture()
        tiles += [
            _tile(_cut(image, wrong.corners_px), result, f"read as {wrong.face} {wrong.confidence:.2f}")
            for wrong in result.wrong
        ]
        if len(result.states) == 1 and result.states[0] != "read" and not result.wrong and is_scored(result):
            scale = (_TILE_H - 50) / image.shape[0]
            small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)[:, :_TILE_W]
            tiles.append(_tile(small, result, result.states[0]))
    misread = len(tiles)
    if tiles:
        tiles += [np.full((_TILE_H, _TILE_W, 3), 255, np.uint8)] * (-len(tiles) % _COLUMNS)
        rows = [np.hstack(tiles[i : i + _COLUMNS]) for i in range(0, len(tiles), _COLUMNS)]
        cv2.imwrite(str(to), np.vstack(rows))
    return misread


def _cut(image: Array, corners: Corners) -> Array:
    matrix = cv2.getPerspectiveTransform(np.array(corners, np.float32), IDEAL)
    return cv2.warpPerspective(image, matrix, (CROP_W, CROP_H))


def _tile(picture: Array, result: Result, reading: str) -> Array:
    tile = np.full((_TILE_H, _TILE_W, 3), 255, np.uint8)
    height, width = min(picture.shape[0], _TILE_H - 44), min(picture.shape[1], _TILE_W - 2)
    tile[44 : 44 + height, 2 : 2 + width] = picture[:height, :width]
    there = result.scene.cards[0].face if len(result.scene.cards) == 1 else f"{len(result.scene.cards)} cards"
    for row, words in enumerate((result.scene.name.removeprefix("images/"), there, reading)):
        cv2.putText(tile, words[:34], (3, 12 + 13 * row), cv2.FONT_HERSHEY_SIMPLEX, 0.34, _INK, 1, cv2.LINE_AA)
    return tile
