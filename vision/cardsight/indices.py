"""Cards of which little more than an index is visible: what a printed corner says of its card.

Of a card in a close fan, the middle lies under other cards, where the detector cannot see it. The corner network names
an index even if it is off by some millimeters or degrees, and tells by how much. So it looks at the likely indices of a
picture, each several times, and the card is named by what it sees on average.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.classify import (
    INK_OF,
    NONE,
    SIGN_OF,
    Classification,
    Probabilities,
    classify_crops,
)
from cardsight.corners import ALIKE, CORNER_MIDDLE, CORNER_MM, CORNER_PX, see_corners
from cardsight.fusion import log_odds
from cardsight.geometry import Image, Outline, Quad, length, moved, warp_crop
from cardsight.model import Model
from cardsight.networks import Network
from croupier_rules.cards import CARD_MM

Places = NDArray[np.float64]

PX_PER_MM: Final = CORNER_PX / CORNER_MM
"""Scale of a corner patch."""
JITTER: Final = ((0.0, 0.0, 0.0), (-1.2, 0.0, 0.08), (1.2, 0.0, -0.08), (0.0, -1.2, -0.08), (0.0, 1.2, 0.08))
"""Steps (mm, mm, rad) of the closer look."""
QUESTION: Final = 0.5
"""Average probability of any symbol from which a corner is that of a card."""
MOVED: Final = 0.15
RESIZED: Final = 0.12
LEGIBLE: Final = 0.5
"""Limits of a correction by the reader network: in lengths of the card, the log of their ratio, and the probability
that the crop holds no card."""
LEAST: Final = 1e-4
"""Smallest probability that counts."""

FEATURES: Final = ("odds", "none", "bias")
"""Features for the certainty of the face of an index: its log odds by the corner, and those that its outline holds no
card."""


@dataclass(frozen=True, eq=False)
class Index:
    """A printed corner: its center (px), its direction (rad, clockwise; 0 is upright), and the probabilities of
    `CORNER_CLASSES` and of `INKS`."""

    place: Places
    angle: float
    shown: Probabilities
    inks: Probabilities

    def quad(self, px_per_mm: float) -> Quad:
        """Return the outline of its card, from this corner on."""
        across = np.array([math.cos(self.angle), math.sin(self.angle)]) * px_per_mm
        down = np.array([-across[1], across[0]])
        x, y = CORNER_MIDDLE * CARD_MM
        first = self.place - x * across - y * down
        width, height = CARD_MM
        corners = [first, first + width * across, first + width * across + height * down, first + height * down]
        return np.array(corners, np.float32)


class Patches:
    """The corners in a picture (a `pyramid`) whose cards have a length of ``long`` px."""

    def __init__(self, net: Network, levels: list[Image], long: float) -> None:
        self._net = net
        scale = PX_PER_MM * CARD_MM[1] / long
        number = max(0, min(len(levels) - 1, int(-math.log2(scale)) if scale < 1 else 0))
        self.level, self.shrunk = levels[number], 2**number
        """The picture in which the corners are looked at, and how many px of the whole one each of its px is."""
        self._scale = scale * self.shrunk
        self.px_per_mm = long / CARD_MM[1]

    def seen(self, looks: Sequence[tuple[Places, float, Image]]) -> list[Index]:
        """Return what each patch shows, where and in which direction it shows it."""
        found = see_corners(self._net, [patch for *_, patch in looks])
        indices = []
        for n, (place, angle, _) in enumerate(looks):
            across = np.array([math.cos(angle), math.sin(angle)])
            x, y = found.places[n] * self.px_per_mm
            there = place + x * across + y * np.array([-across[1], across[0]])
            indices.append(Index(there, angle + float(found.angles[n]), found.shown[n], found.inks[n]))
        return indices

    def closely_at(self, places: Sequence[tuple[Places, float]]) -> list[Index]:
        """Return the indices near these places (px) and directions (rad), each as `closely` sees it, in one batch."""
        looks = []
        for middle, direction in places:
            for x, y, turn in JITTER:
                place, angle = middle + np.array([x, y]) * self.px_per_mm, direction + turn
                looks.append((place, angle, self._turned(place, angle, CORNER_PX)[0]))
        seen, found = self.seen(looks) if looks else [], list[Index]()
        for n in range(0, len(seen), len(JITTER)):
            some = seen[n : n + len(JITTER)]
            place, shown, inks = (np.mean([getattr(one, of) for one in some], 0) for of in ("place", "shown", "inks"))
            found.append(Index(place, sum(one.angle for one in some) / len(some), shown, inks))
        return found

    def _turned(self, middle: Places, angle: float, side: int) -> tuple[Image, Places]:
        """Return the square around ``middle``, in which a corner of this direction is upright, and the matrix from the
        level to it."""
        c, s = self._scale * math.cos(angle), self._scale * math.sin(angle)
        turn = np.array([[c, s], [-s, c]])
        matrix = np.column_stack([turn, (side - 1) / 2 - turn @ (middle / self.shrunk)])
        seen = cv2.warpAffine(self.level, matrix, (side, side), borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(seen, np.uint8), matrix


def own_corners(outline: Outline) -> list[Places]:
    """Return the places of the two printed corners of a card."""
    ends = [outline.quad[[k, (k + 1) % 4, (k + 3) % 4]].astype(np.float64) for k in (0, 2)]
    return [a + CORNER_MIDDLE[0] * (b - a) + CORNER_MIDDLE[1] * (d - a) for a, b, d in ends]


class Unread(NamedTuple):
    """A corner of a card that was not read, the outline of the card, the probabilities of `FACES` by the corner, and
    the `FEATURES`. ``seen``: what the reader network says of the outline."""

    corner: Index
    quad: Quad
    faces: Probabilities
    features: NDArray[np.float64]
    seen: Classification


def cards_of(levels: list[Image], found: Sequence[Index], scale: float, model: Model) -> Iterator[Unread]:
    """Yield the cards of these indices. ``scale``: px per mm."""
    quads = [one.quad(scale) for one in found]
    crops = classify_crops(model.reader, [warp_crop(levels, quad) for quad in quads])
    for one, quad, crop in zip(found, quads, crops, strict=True):
        faces = chances(one, crop)
        features = np.array([log_odds(float(faces.max()), LEAST), log_odds(float(crop.kinds[NONE]), LEAST), 1.0])
        yield Unread(one, _refined(quad, crop), faces, features, crop)


def _refined(quad: Quad, crop: Classification) -> Quad:
    """Return the outline that the reader network sees, if it sees a card of this size there."""
    other = moved(quad, crop.corners)
    near = Outline(quad).distance_to(Outline(other)) < MOVED * length(quad)
    sized = abs(math.log(length(other) / length(quad))) < RESIZED
    return other if crop.kinds[NONE] < LEGIBLE and near and sized else quad


def chances(one: Index, crop: Classification) -> Probabilities:
    """Return the probability of each of `FACES`: by the corner, and by the whole crop which of the wilds with the same
    symbol it is."""
    wilds = crop.faces[_ALIKE_FACES]
    faces = _joined(one.shown)[1:][SIGN_OF] * one.inks[INK_OF]
    faces[_ALIKE_FACES] *= wilds / max(float(wilds.sum()), 1e-9)
    return np.asarray(faces, np.float64)


def _joined(shown: Probabilities) -> Probabilities:
    """Return the probabilities of `CORNER_CLASSES` with, for each of the wilds with the same symbol, their sum."""
    joined = shown.copy()
    joined[ALIKE] = shown[ALIKE].sum()
    return joined


_ALIKE_FACES: Final = np.isin(SIGN_OF + 1, ALIKE)
