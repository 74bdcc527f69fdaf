"""Baselines without a network: thresholds, contours, templates, hue ranges.

They are written anew from descriptions of common projects.

- `Classical` finds cards itself: a threshold above the brightness of the background, contours of a card's size with
  four corners, a rectified crop of 200 x 300 px. The symbol is that of the nearest template of the corner, the color
  that of the panel's hue. All constants are fixed.
- `NearestTemplate` gets the reader's outlines and returns the nearest template of the whole card.

Templates come from photographs of other sources than the one that is read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from cardsight import Reading, Sighting
from training.photometry import Array
from training.photos import Photo, short_first

CARD_W, CARD_H = 200, 300
ABOVE_GROUND = 60
"""Brightness of a card's border above the background, of 255."""
LEAST_AREA, MOST_AREA = 0.005, 0.8
"""Limits of a card's area as a fraction of the picture."""
CORNER = (14, 74, 12, 62)
"""Rows and columns of the corner symbol in the crop, within the border."""
SYMBOL_W, SYMBOL_H = 70, 125
"""Size at which symbols are compared, each cropped to its bounds."""
MOST_DIFFERENT = 0.35
"""Fraction of the corner's pixels by which the best template may differ."""
HUES = {"red": (0, 8), "yellow": (18, 35), "green": (36, 85), "blue": (90, 130)}
"""Hue ranges in OpenCV's units (0…179); red also from 170 on."""
LEAST_SATURATION = 80


@dataclass(frozen=True)
class Template:
    """A rectified card of a photograph, in the form that is compared."""

    face: str
    corner: Array
    whole: Array


def templates(photos: Sequence[Photo], per_face: int = 4) -> list[Template]:
    """Return up to ``per_face`` templates of each face, from the photographs in order."""
    found: dict[str, list[Template]] = defaultdict(list)
    for photo in photos:
        image = None
        for face, quad in photo.outlines:
            if face != "back" and len(found[face]) < per_face:
                image = photo.picture() if image is None else image
                found[face].append(template(face, _straight(image, quad)))
    return [one for some in found.values() for one in some]


def template(face: str, card: Array) -> Template:
    """Make a template of a rectified card, ``CARD_W`` x ``CARD_H`` px."""
    return Template(face, _corner(card), _whole(card))


class Classical:
    """Thresholds, contours, corner templates."""

    def __init__(self, known: Sequence[Template]) -> None:
        self._known = known
        self._corners = np.stack([t.corner for t in known]).astype(np.float32) / 255

    def read(self, image: Array) -> Reading:
        """Read a picture."""
        cards = []
        for quad in _contours(image):
            face, sure = self._named(_straight(image, quad))
            cards.append(Sighting(face, sure, _points(quad)) if face else _unsure(quad))
        return Reading((image.shape[1], image.shape[0]), tuple(cards))

    def _named(self, card: Array) -> tuple[str | None, float]:
        color = _color(card)
        both = [_corner(side).astype(np.float32) / 255 for side in (card, card[::-1, ::-1])]
        least = np.min([np.abs(self._corners - corner).mean((1, 2)) for corner in both], axis=0)
        order = np.argsort(least)
        for number in order:
            face = self._known[int(number)].face
            if least[number] > MOST_DIFFERENT:
                return None, 0.0
            if (color is None) == face.startswith("wild"):
                return (face if color is None else f"{color}-{face.split('-')[1]}"), 1.0 - float(least[number])
        return None, 0.0


class NearestTemplate:
    """Nearest template by correlation of small color pictures, at given outlines."""

    def __init__(self, known: Sequence[Template]) -> None:
        self._known = known
        self._wholes = np.stack([t.whole for t in known])

    def read(self, image: Array, outlines: Sequence[Array]) -> Reading:
        """Read the cards at the ``outlines``."""
        cards = []
        for quad in outlines:
            card = _straight(image, quad)
            alike = np.maximum(self._wholes @ _whole(card), self._wholes @ _whole(card[::-1, ::-1]))
            best = int(alike.argmax())
            cards.append(Sighting(self._known[best].face, float(np.clip(alike[best], 0, 1)), _points(quad)))
        return Reading((image.shape[1], image.shape[0]), tuple(cards))


def _straight(image: Array, quad: Array) -> Array:
    target = np.array([[0, 0], [CARD_W, 0], [CARD_W, CARD_H], [0, CARD_H]], np.float32)
    return cv2.warpPerspective(image, cv2.getPerspectiveTransform(quad.astype(np.float32), target), (CARD_W, CARD_H))


def _contours(image: Array) -> list[Array]:
    gray = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), (5, 5), 0)
    height, width = gray.shape
    ground = int(gray[height // 100, width // 2])
    _, bright = cv2.threshold(gray, min(254, ground + ABOVE_GROUND), 255, cv2.THRESH_BINARY)
    contours, _ = cv2.findContours(bright, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    quads = []
    for contour in contours:
        area = cv2.contourArea(contour)
        four = cv2.approxPolyDP(contour, 0.01 * cv2.arcLength(contour, True), True)
        if LEAST_AREA < area / (height * width) < MOST_AREA and len(four) == 4:
            quads.append(short_first(four.reshape(4, 2).astype(np.float32)))
    return quads


def _corner(card: Array) -> Array:
    """Return the symbol in the corner, white on black: the largest contour that does not touch the edge."""
    top, bottom, left, right = CORNER
    gray = cv2.cvtColor(np.ascontiguousarray(card[top:bottom, left:right]), cv2.COLOR_BGR2GRAY)
    _, split = cv2.threshold(gray, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    contours, _ = cv2.findContours(split, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    boxes = [cv2.boundingRect(contour) for contour in contours]
    rows, cols = split.shape
    free = [(x, y, w, h) for x, y, w, h in boxes if x > 0 and y > 0 and x + w < cols and y + h < rows]
    x, y, width, height = max(free or [(0, 0, cols, rows)], key=lambda box: box[2] * box[3])
    return cv2.resize(split[y : y + height, x : x + width], (SYMBOL_W, SYMBOL_H))


def _whole(card: Array) -> Array:
    """Return the card at 20 x 30 px, normalized in brightness and contrast."""
    small = cv2.resize(np.ascontiguousarray(card), (20, 30), interpolation=cv2.INTER_AREA).astype(np.float32).ravel()
    small -= small.mean()
    return small / max(1e-6, float(np.linalg.norm(small)))


def _color(card: Array) -> str | None:
    """Return the color by the panel's hue, ``None`` for black."""
    hsv = cv2.cvtColor(card, cv2.COLOR_BGR2HSV)[25:-25, 20:-20].reshape(-1, 3)
    vivid = hsv[hsv[:, 1] > LEAST_SATURATION][:, 0]
    if len(vivid) < 0.2 * len(hsv):
        return None
    hue = int(np.median(np.where(vivid >= 170, 0, vivid)))
    return next((color for color, (low, high) in HUES.items() if low <= hue <= high), None)


def _points(quad: Array) -> tuple[tuple[float, float], ...]:
    return tuple((float(x), float(y)) for x, y in quad)


def _unsure(quad: Array) -> Sighting:
    return Sighting("?", 0.0, _points(quad), None, (("wild", 0.0),))
