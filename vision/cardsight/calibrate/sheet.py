"""The calibration sheet: eight markers at known places, and a gray patch.

It is laid where the discard pile will lie; its center is then the origin of the table. It fits on A4 and on Letter
paper.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.calibrate.plane import Plane, from_points
from cardsight.errors import NotCalibrated
from cardsight.geometry import Image

PAPER_MM: Final = (279.0, 210.0)
"""Width of Letter and height of A4: both can print it."""
MARKER_MM: Final = 44.0
MARKERS_MM: Final = ((-100, -70), (0, -70), (100, -70), (-100, 0), (100, 0), (-100, 70), (0, 70), (100, 70))
"""Centers of the markers; the index is the marker's number."""
PATCH_MM: Final = (-45.0, -30.0, 45.0, 22.0)
"""Left, top, right, bottom of the gray patch."""
GRAY: Final = 0.5
"""Printed gray of the patch. Printers differ, so only its color counts, not its strength."""
LINE_MM: Final = 100.0
"""Length of the line that checks the scale of the print."""
LINE_Y_MM: Final = 33.0
WORDS: Final = (
    (38.0, "This line is 100 mm long. If not, say its length: --line-mm"),
    (43.0, "Lay the sheet flat where the discard pile will lie."),
)
_DICTIONARY: Final = cv2.aruco.DICT_4X4_50
_CELLS: Final = 6
LEAST: Final = 3
"""Minimum number of markers seen. Their twelve corners are exact enough."""


@dataclass(frozen=True, slots=True)
class Box:
    """A filled rectangle: left, top, right, bottom in mm from the sheet's center; ``gray``: 0 black … 1 white."""

    left: float
    top: float
    right: float
    bottom: float
    gray: float = 0.0


def boxes() -> list[Box]:
    """Return everything on the sheet except the texts."""
    cell = MARKER_MM / _CELLS
    dictionary = cv2.aruco.getPredefinedDictionary(_DICTIONARY)
    drawn = [Box(*PATCH_MM, gray=GRAY), Box(-LINE_MM / 2, LINE_Y_MM - 0.4, LINE_MM / 2, LINE_Y_MM + 0.4)]
    for number, (x, y) in enumerate(MARKERS_MM):
        cells = cv2.aruco.generateImageMarker(dictionary, number, _CELLS)
        left, top = x - MARKER_MM / 2, y - MARKER_MM / 2
        for row, col in zip(*np.nonzero(cells == 0), strict=True):
            drawn.append(Box(left + col * cell, top + row * cell, left + (col + 1) * cell, top + (row + 1) * cell))
    return drawn


def as_picture(dpi: int = 150) -> Image:
    """Render the sheet at this resolution."""
    scale = dpi / 25.4
    middle = np.array(PAPER_MM) / 2
    width, height = (round(side * scale) for side in PAPER_MM)
    image = np.full((height, width, 3), 255, np.uint8)
    for box in boxes():
        (x0, y0), (x1, y1) = (
            np.rint((middle + at) * scale).astype(int) for at in ((box.left, box.top), (box.right, box.bottom))
        )
        image[y0:y1, x0:x1] = round(box.gray * 255)
    for y, text in WORDS:
        x0, y0 = np.rint((middle + (-LINE_MM / 2, y)) * scale).astype(int).tolist()
        cv2.putText(image, text, (x0, y0), cv2.FONT_HERSHEY_SIMPLEX, 0.1 * scale, (0, 0, 0), 1, cv2.LINE_AA)
    return image


@dataclass(frozen=True, slots=True, eq=False)
class SheetSeen:
    """The sheet in a picture: its plane, the numbers of the markers seen, and its gray patch (4, 2) in px."""

    plane: Plane
    markers: tuple[int, ...]
    patch_px: NDArray[np.float32]


def find(image: Image, line_mm: float = LINE_MM) -> SheetSeen | None:
    """Find the sheet in a picture; ``None`` if no marker is seen. ``line_mm``: printed length of its line.

    Raises `NotCalibrated` if fewer than `LEAST` markers are seen.
    """
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(_DICTIONARY), parameters)
    found, numbers, _ = detector.detectMarkers(image)
    seen = {int(n): corners[0] for n, corners in zip([] if numbers is None else numbers.ravel(), found, strict=True)}
    seen = {number: corners for number, corners in sorted(seen.items()) if number < len(MARKERS_MM)}
    if not seen:
        return None
    if len(seen) < LEAST:
        raise NotCalibrated(
            f"{len(seen)} of the {len(MARKERS_MM)} markers of the sheet seen; expected at least {LEAST}"
        )
    half, scale = MARKER_MM / 2, line_mm / LINE_MM
    around = np.array([(-half, -half), (half, -half), (half, half), (-half, half)])
    plane = from_points(
        np.concatenate([(around + MARKERS_MM[number]) * scale for number in seen]), np.concatenate(list(seen.values()))
    )
    left, top, right, bottom = (side * scale * 0.8 for side in PATCH_MM)  # its center: no blurred edge
    patch = plane.to_px([(left, top), (right, top), (right, bottom), (left, bottom)])
    return SheetSeen(plane, tuple(seen), patch.astype(np.float32))
