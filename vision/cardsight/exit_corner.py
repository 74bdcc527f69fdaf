"""Reads a card by its printed corners while it leaves the shoe.

A camera looks up at the card exit, so that the card moves upwards in the picture, and the light barrier lies on the
middle row. Flashes of the barrier light the picture: when the front of a card reaches the barrier, the card fills the
lower half; when its tail leaves the barrier, the upper half. A card turned by 180° is the same card, so the picture of
a tail, turned, is that of a front. Each card is read twice; two faces that differ are those of two cards, one on the
other.

The corner network names the symbol. The color is measured: the flash is the only lamp, and the border beside the panel
is white, so hues need no learning here. A face that is not sure is ``?``: also one whose corner other faces share (of
the wilds all but the Wild Draw Four), if the deck holds several of them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.classify import Probabilities, sign_of
from cardsight.corners import CORNER_CLASSES, classify_corners, corner_patches
from cardsight.decision import Deck
from cardsight.geometry import Image, Quad, pyramid
from cardsight.networks import Network
from croupier_rules.cards import CARD_MM, COLORS, UNREAD, WILDS, is_wild

VIEW_MM: Final = (72.0, 45.0)
"""Width and height of the view in the plane of the card: a card with play at its sides, and both printed corners."""
EDGE_MM: Final = 3.0
"""Distance from the middle row within which the edge of a card is searched."""
LIT: Final = 40.0
"""Brightness of the border (0…255) from which a card lies in a half of the picture. The hood is black."""
TURNED: Final = 0.12
"""Slope of a card's edge (rad) from which the card is askew, and not read."""
SHORT: Final = 0.8
"""Part of the card's width that must be seen."""
SURE: Final = 0.9
"""Confidence from which a face is reported; below it the card is ``?``."""
HUES: Final = (2.0, 25.0, 59.0, 104.0)
"""Hue of each of `COLORS` in white light (OpenCV: 0…179)."""
HUE_WIDTH: Final = 13.0
"""A pixel of a hue farther off votes for no ink."""
COLORED: Final = 0.38
DARK: Final = 0.35
"""Saturation from which a pixel has a color, and brightness (of white) below which it is black."""
INK_POWER: Final = 4.0
"""Sharpens the shares of the inks: outline and shadow of a symbol are black on every card."""
LEAST: Final = 1e-4
"""Least probability of each face: no single look is surer."""
ALIKE: Final = tuple(wild for wild in WILDS if wild != "wild-draw4")
"""Wilds with the same corners."""

Part = Literal["front", "tail"]


@dataclass(frozen=True, slots=True)
class CornerReading:
    """Reading of a flash. ``face``: ``?`` if it is not sure. ``chances``: probability (0…1) of each face."""

    face: str
    confidence: float
    chances: Probabilities


class ExitReader:
    """Reads the cards of a deck with these ``faces``. Not to be shared between threads."""

    def __init__(self, net: Network, faces: Collection[str]) -> None:
        self._net, self._deck = net, Deck(faces)
        plain = {face.rstrip("*") for face in faces}
        self._faces = tuple(sorted(plain))
        self._is_learned = self._deck.unlearned == 0

    def read(self, upright: Image) -> CornerReading | None:
        """Read the picture of a front, or of a tail turned by 180°. None if no corner can be found in it."""
        quad = card_outline(upright)
        if quad is None or not self._is_learned:
            return None
        levels = pyramid(upright)
        (signs,) = classify_corners(self._net, levels, [quad], slice(1))
        inks = ink_shares(corner_patches(levels, quad)[0])
        chances = self._chances(signs[0], inks)
        return self._decided(chances)

    def both(self, front: CornerReading | None, tail: CornerReading | None) -> tuple[str, ...]:
        """The faces of a passage: one, or two that lay on each other."""
        seen = [one for one in (front, tail) if one is not None]
        faces = {one.face for one in seen} - {UNREAD}
        if front is not None and tail is not None and len(faces) == 2:
            return front.face, tail.face
        if not seen:
            return (UNREAD,)
        together = np.prod([one.chances for one in seen], axis=0)
        return (self._decided(np.asarray(together / together.sum())).face,)

    def _chances(self, signs: Probabilities, inks: Probabilities) -> Probabilities:
        """Probability (0…1) of each face, and at the end that no printed corner lies there."""
        seen = inks**INK_POWER / np.maximum((inks**INK_POWER).sum(), 1e-9)
        by_face = [
            signs[CORNER_CLASSES.index(sign_of(face))] * seen[-1 if is_wild(face) else COLORS.index(face.split("-")[0])]
            for face in self._faces
        ]
        chances = np.array([*by_face, signs[0]], np.float64) + LEAST
        return np.asarray(chances / chances.sum())

    def _decided(self, chances: Probabilities) -> CornerReading:
        best = int(chances[:-1].argmax())
        alike = (
            [n for n, face in enumerate(self._faces) if sign_of(face) in ALIKE] if self._faces[best] in ALIKE else []
        )
        confidence = float(chances[alike or [best]].sum())
        is_sure = confidence >= SURE and len(alike) <= 1
        return CornerReading(self._deck.name_of(self._faces[best]) if is_sure else UNREAD, confidence, chances)


def part_of(image: Image) -> Part | None:
    """Which part of a card a flash shows; None for none, as in the dark, or for both."""
    half = image.shape[0] // 2
    halves = image[: half - half // 8], image[half + half // 8 :]
    upper, lower = (float(np.percentile(one[::4, ::4].max(2), 95)) for one in halves)
    if max(upper, lower) < LIT or min(upper, lower) > max(upper, lower) / 2:
        return None
    return "front" if lower > upper else "tail"


def card_outline(upright: Image) -> Quad | None:
    """Return the outline of the card whose front the picture shows, from its front edge and its left side; None if it
    is askew, cut off, or not there. The outline reaches out of the picture."""
    height, width = upright.shape[:2]
    scale, middle = width / VIEW_MM[0], height / 2
    gray = upright.max(2)
    level = float(np.percentile(gray[int(middle) :], 95)) / 2
    if level < LIT / 2:
        return None
    bright = gray > level
    reach = round(EDGE_MM * scale)
    top = int(middle) - reach
    band = bright[top : int(middle) + reach]
    columns = np.flatnonzero(band.any(0))
    if columns.size < SHORT * CARD_MM[0] * scale or band[0, columns].mean() > 0.2:
        return None  # nothing, or no edge: another card lies in front
    columns = columns[(columns > columns[0] + 6 * scale) & (columns < columns[-1] - 6 * scale)]
    slope, edge = _line(columns, top + band[:, columns].argmax(0))
    rows = np.arange(round(middle + 7 * scale), round(middle + 20 * scale))
    lean, side = _line(rows, bright[rows].argmax(1))
    if abs(slope) > TURNED or abs(slope + lean) > TURNED / 2:
        return None
    x = (lean * edge + side) / (1 - lean * slope)
    corner = np.array([x, slope * x + edge])
    along = np.array([1.0, slope]) / np.hypot(1.0, slope)
    down = np.array([-along[1], along[0]])
    right, below = along * CARD_MM[0] * scale, down * CARD_MM[1] * scale
    return np.array([corner, corner + right, corner + right + below, corner + below], np.float32)


def _line(at: NDArray[np.intp], value: NDArray[np.intp]) -> tuple[float, float]:
    """Slope and offset of the line through most of the points."""
    for _ in range(3):
        slope, offset = np.polyfit(at, value, 1)
        far = np.abs(value - (slope * at + offset))
        keep = far <= max(1.5, float(np.median(far)) * 2)
        at, value = at[keep], value[keep]
    return float(slope), float(offset)


def ink_shares(patch: Image) -> NDArray[np.float64]:
    """Share (0…1) of the pixels of a corner that have each of `COLORS`, and of those that are black; white has none."""
    white = np.percentile(patch.reshape(-1, 3), 96, axis=0)
    level = np.clip(patch / np.maximum(white, 24.0), 0, 1).astype(np.float32)
    hue, saturation, bright = (plane.ravel() for plane in cv2.split(cv2.cvtColor(level, cv2.COLOR_BGR2HSV)))
    far = np.abs((hue[:, None] / 2 - np.array(HUES) + 90) % 180 - 90)
    nearest = far.argmin(1)
    has_color = (saturation > COLORED) & (bright > DARK) & (far.min(1) <= HUE_WIDTH)
    votes = np.bincount(nearest[has_color], minlength=len(HUES)).astype(np.float64)
    votes = np.append(votes, ((bright <= DARK) | ((saturation <= COLORED) & (bright < 0.5))).sum())
    return np.asarray(votes / max(float(votes.sum()), 1.0))
