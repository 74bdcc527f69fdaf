"""Drawing of readings and calibrations onto pictures. It decides nothing: everything it shows is an argument."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from cardsight.calibrate.plane import Points
from cardsight.calibrate.table import Calibration
from cardsight.geometry import Image
from cardsight.sighting import Reading, Sighting
from cardsight.sources import Picture

_BGR: Final = {
    "red": (40, 40, 220),
    "yellow": (0, 200, 240),
    "green": (60, 160, 40),
    "blue": (210, 110, 20),
    "wild": (30, 30, 30),
    "back": (130, 130, 130),
    "?": (200, 0, 200),
}
"""Outline colors by the first word of the face. The label always repeats the meaning in words."""

_LETTERS: Final = cv2.FONT_HERSHEY_SIMPLEX
_LETTER_PX: Final = 22
"""Height (px) of a letter of `_LETTERS` at scale 1."""

_STEPS: Final = (0, 1, -1, 2, -2)
"""Places of a label on its card, in half label heights below the center, best first."""


class _Field(NamedTuple):
    """A rectangle of text (px)."""

    left: int
    top: int
    right: int
    bottom: int

    def overlaps(self, other: _Field) -> bool:
        """True if the two share a pixel."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


def label(sighting: Sighting) -> str:
    """Return the default label of a card: its face and confidence, or its candidates."""
    if sighting.face == "back":
        return "back"
    if sighting.face == "?":
        return " or ".join(face for face, _ in sighting.candidates[:2]) + "?"
    return f"{sighting.face} {sighting.confidence:.0%}"


def annotate(picture: Picture, reading: Reading, labels: Sequence[str] | None = None, caption: str = "") -> Picture:
    """Return a copy of ``picture`` with the outline and label of every card, and a caption along the top.

    ``labels``: one text for each of ``reading.cards``, else `label`; cards face down are labeled ``back``. Only ASCII
    letters can be drawn; others show as ``?``. The letters scale with the cards.
    """
    drawn = picture.copy()
    texts = [label(card) for card in reading.cards] if labels is None else labels
    shown = [*zip(reading.cards, texts, strict=True), *((back, label(back)) for back in reading.backs)]
    for sighting, _ in shown:
        _outline(drawn, sighting)
    # all texts over all outlines, so that no line crosses a text
    taken: list[_Field] = []
    if caption:
        height = max(8.0, drawn.shape[0] / 30)
        words = _Words.of(caption, height)
        _write(drawn, words, words.field(drawn, np.array([drawn.shape[1] / 2, height])), (0, 0, 0), taken)
    boxes = [_box(sighting) for sighting, _ in shown]
    for (sighting, text), box in zip(shown, boxes, strict=True):
        words = _Words.of(text, _length(np.array(sighting.corners_px)) / 11)
        _write(drawn, words, _place(drawn, words, box, boxes, taken), _color(sighting), taken)
    return drawn


def _color(sighting: Sighting) -> tuple[int, int, int]:
    return _BGR[sighting.face.split("-")[0]]


def _length(corners: npt.NDArray[np.float64]) -> float:
    """Return the longest side of an outline (px)."""
    return float(np.linalg.norm(np.roll(corners, 1, axis=0) - corners, axis=1).max())


def _outline(drawn: Picture, sighting: Sighting) -> None:
    """Draw the outline in the color of the card between two thin white lines, visible on any background."""
    corners = np.array(sighting.corners_px)
    points = np.rint(np.clip(corners, -30000, 30000)).astype(np.int32)  # OpenCV draws with 16 bit coordinates
    thickness = max(1, round(_length(corners) / 60))
    for color, width in (((255, 255, 255), thickness + 4), (_color(sighting), thickness)):
        cv2.polylines(drawn, [points], isClosed=True, color=color, thickness=width, lineType=cv2.LINE_AA)


class _Words(NamedTuple):
    """A text with its drawn size (px), frame included."""

    text: str
    scale: float
    thickness: int
    room: int
    """Padding between text and frame."""
    height: int
    """Height of the letters."""
    size: npt.NDArray[np.int_]

    @classmethod
    def of(cls, text: str, letter_px: float) -> _Words:
        """Measure a text with letters of this height, but at least of a readable one."""
        scale = max(0.3, letter_px / _LETTER_PX)
        thickness = max(1, round(scale * 2))
        (width, height), below = cv2.getTextSize(text, _LETTERS, scale, thickness)
        room = round(height * 0.4)
        return cls(text, scale, thickness, room, height, np.array([width + 2 * room, height + below + 2 * room]))

    def field(self, drawn: Picture, center: npt.NDArray[np.float64]) -> _Field:
        """Return the rectangle of the text around ``center``, moved into the picture."""
        space = np.array(drawn.shape[1::-1]) - self.size
        corner = np.clip(np.rint(center - self.size / 2), 0, np.maximum(space, 0))
        return _Field(*map(int, (*corner, *(corner + self.size))))


def _place(drawn: Picture, words: _Words, box: _Field, boxes: Sequence[_Field], taken: Sequence[_Field]) -> _Field:
    """Return the place of a card's label: below or above ``box`` if no card lies there, else on the card. Places that
    texts have ``taken`` are avoided if there is room."""
    middle = np.array([box.left + box.right, box.top + box.bottom]) / 2
    away = (box.bottom - box.top + words.size[1]) / 2 + words.room
    beside = [words.field(drawn, middle + (0, off)) for off in (away, -away)]
    on_it = [words.field(drawn, middle + (0, steps * words.size[1] / 2)) for steps in _STEPS]
    places = [field for field in beside if not any(field.overlaps(one) for one in boxes)] + on_it
    return next((field for field in places if not any(field.overlaps(other) for other in taken)), on_it[0])


def _box(sighting: Sighting) -> _Field:
    corners = np.array(sighting.corners_px)
    return _Field(*map(int, (*np.floor(corners.min(axis=0)), *np.ceil(corners.max(axis=0)))))


def _write(drawn: Picture, words: _Words, field: _Field, color: tuple[int, int, int], taken: list[_Field]) -> None:
    """Write dark text on a white ``field`` with a frame in ``color``, and mark the field as ``taken``."""
    taken.append(field)
    left, top, right, bottom = field
    at = (left + words.room, top + words.room + words.height)
    cv2.rectangle(drawn, (left, top), (right, bottom), (255, 255, 255), cv2.FILLED)
    cv2.rectangle(drawn, (left, top), (right, bottom), color, max(1, words.thickness))
    cv2.putText(drawn, words.text, at, _LETTERS, words.scale, (0, 0, 0), words.thickness, cv2.LINE_AA)


GRID_MM: Final = 100.0
_GRID: Final = (180, 180, 180)
_PILE: Final = (40, 40, 220)
_TALLY: Final = (60, 160, 40)
_SEAT: Final = (210, 110, 20)


def annotate_calibration(image: Image, found: Calibration) -> Image:
    """Return a copy of the picture with a grid of `GRID_MM`, the pile, the area for open hands, and the seats."""
    drawn = image.copy()
    width, height = found.size
    corners = found.plane.to_mm([(0, 0), (width, 0), (width, height), (0, height)])
    low, high = np.floor(corners.min(axis=0) / GRID_MM), np.ceil(corners.max(axis=0) / GRID_MM)
    if (high - low).max() < 60:  # else the view is so oblique that the table's far end is meters away
        for x in np.arange(low[0], high[0] + 1) * GRID_MM:
            _polyline(drawn, found.plane.to_px([(x, y * GRID_MM) for y in np.linspace(low[1], high[1], 30)]), _GRID, 1)
        for y in np.arange(low[1], high[1] + 1) * GRID_MM:
            _polyline(drawn, found.plane.to_px([(x * GRID_MM, y) for x in np.linspace(low[0], high[0], 30)]), _GRID, 1)
    thick = max(2, height // 300)
    tally, pile = found.tally_px(), found.pile_px()
    _polyline(drawn, np.vstack([tally, tally[:1]]), _TALLY, 2 * thick)
    _polyline(drawn, np.vstack([pile, pile[:1]]), _PILE, thick)
    _write_plain(drawn, "open hands", tally[0] + (thick * 4, height / 20), _TALLY)
    _write_plain(drawn, "discard pile", pile[0] - (0, 2 * thick), _PILE)
    middle = found.plane.to_px([found.pile])[0]
    for seat, at in enumerate(found.seats):
        towards = np.clip(found.plane.to_px([at])[0], (width * 0.04, height * 0.06), (width * 0.9, height * 0.96))
        start = middle + (towards - middle) * 0.6
        points = np.rint([start, towards]).astype(int).tolist()
        cv2.arrowedLine(drawn, points[0], points[1], (255, 255, 255), thick + 3, cv2.LINE_AA)
        cv2.arrowedLine(drawn, points[0], points[1], _SEAT, thick, cv2.LINE_AA)
        _write_plain(drawn, f"seat {seat}", towards + (3 * thick, height / 30), _SEAT)  # beside its arrow
    return drawn


def _polyline(drawn: Image, points: Points, color: tuple[int, int, int], width: int) -> None:
    cv2.polylines(drawn, [np.rint(np.clip(points, -30000, 30000)).astype(np.int32)], False, color, width, cv2.LINE_AA)


def _write_plain(drawn: Image, text: str, at: Points, color: tuple[int, int, int]) -> None:
    scale = drawn.shape[0] / 900
    x, y = np.rint(at).astype(int).tolist()
    for ink, thickness in (((255, 255, 255), 5), (color, 2)):
        cv2.putText(
            drawn, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, scale, ink, max(1, round(thickness * scale)), cv2.LINE_AA
        )
