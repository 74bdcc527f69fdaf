"""Draws a calibration onto the picture it was made from, for people to check."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from cardsight.calibrate.plane import Points
from cardsight.calibrate.table import Calibration
from cardsight.rectify import Image

GRID_MM: Final = 100.0
_GRID: Final = (180, 180, 180)
_PILE: Final = (40, 40, 220)
_TALLY: Final = (60, 160, 40)
_SEAT: Final = (210, 110, 20)


def draw(image: Image, found: Calibration) -> Image:
    """A copy of the picture with a net of `GRID_MM` on the table, the pile, the area for open hands and the seats."""
    drawn = image.copy()
    width, height = found.size
    corners = found.plane.to_mm([(0, 0), (width, 0), (width, height), (0, height)])
    low, high = np.floor(corners.min(axis=0) / GRID_MM), np.ceil(corners.max(axis=0) / GRID_MM)
    if (high - low).max() < 60:  # else the table is seen so much aslant that its far end is meters away
        for x in np.arange(low[0], high[0] + 1) * GRID_MM:
            _line(drawn, found.plane.to_px([(x, y * GRID_MM) for y in np.linspace(low[1], high[1], 30)]), _GRID, 1)
        for y in np.arange(low[1], high[1] + 1) * GRID_MM:
            _line(drawn, found.plane.to_px([(x * GRID_MM, y) for x in np.linspace(low[0], high[0], 30)]), _GRID, 1)
    thick = max(2, height // 300)
    tally, pile = found.tally_px(), found.pile_px()
    _line(drawn, np.vstack([tally, tally[:1]]), _TALLY, 2 * thick)
    _line(drawn, np.vstack([pile, pile[:1]]), _PILE, thick)
    _write(drawn, "open hands", tally[0] + (thick * 4, height / 20), _TALLY)
    _write(drawn, "discard pile", pile[0] - (0, 2 * thick), _PILE)
    middle = found.plane.to_px([found.pile])[0]
    for seat, at in enumerate(found.seats):
        towards = np.clip(found.plane.to_px([at])[0], (width * 0.04, height * 0.06), (width * 0.9, height * 0.96))
        start = middle + (towards - middle) * 0.6
        points = np.rint([start, towards]).astype(int).tolist()
        cv2.arrowedLine(drawn, points[0], points[1], (255, 255, 255), thick + 3, cv2.LINE_AA)
        cv2.arrowedLine(drawn, points[0], points[1], _SEAT, thick, cv2.LINE_AA)
        _write(drawn, f"seat {seat}", towards + (3 * thick, height / 30), _SEAT)  # beside its arrow
    return drawn


def _line(drawn: Image, points: Points, color: tuple[int, int, int], width: int) -> None:
    cv2.polylines(drawn, [np.rint(np.clip(points, -30000, 30000)).astype(np.int32)], False, color, width, cv2.LINE_AA)


def _write(drawn: Image, text: str, at: Points, color: tuple[int, int, int]) -> None:
    scale = drawn.shape[0] / 900
    x, y = np.rint(at).astype(int).tolist()
    for ink, thickness in (((255, 255, 255), 5), (color, 2)):
        cv2.putText(
            drawn, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, scale, ink, max(1, round(thickness * scale)), cv2.LINE_AA
        )
