"""Cards of which little more than an index is visible: each printed corner that no card explains is a card.

Of a card in a close fan, the middle lies under other cards, where the detector cannot see it. The corner network names
an index even if it is off by some millimeters or degrees, and tells by how much. So it looks at each spot of the size
of a symbol around the cards that were read, in all directions, where the picture shows neither the table nor these
cards. A corner that is none of theirs is a card of its own.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.classify import (
    FACES,
    INK_OF,
    NONE,
    SIGN_OF,
    SIGNS,
    Classification,
    Probabilities,
    classify_crops,
    sign_of,
)
from cardsight.corners import ALIKE, CORNER_MIDDLE, CORNER_MM, CORNER_PX, classify_corners, see_corners
from cardsight.decision import CANDIDATES, SURE, Deck
from cardsight.doubts import FAIRLY_SURE
from cardsight.fusion import log_odds
from cardsight.geometry import Image, Outline, Quad, corners_of, length, moved, overlap, pyramid, quad_of, warp_crop
from cardsight.model import Model
from cardsight.networks import Network
from cardsight.sighting import Doubt, Reading, Sighting
from cardsight.table_colors import TableColors
from croupier_rules.cards import BACK, CARD_MM, UNREAD

if TYPE_CHECKING:
    from cardsight.track.cards import CardReader

Places = NDArray[np.float64]

PX_PER_MM: Final = CORNER_PX / CORNER_MM
"""Scale of a corner patch."""
DIRECTIONS: Final = 20
SYMBOL_MM: Final = 1.6
"""Scale (standard deviation) of a symbol."""
CONTRAST: Final = 8.0
"""Gray levels by which it is brighter than what surrounds it."""
MOST_PLACES: Final = 250
"""Maximum number of such places: it bounds the time on grounds full of spots."""
LIKELY: Final = 0.5
"""Probability of a symbol from which a place is looked at more closely."""
SAME_MM: Final = 6.0
SAME_SIGN_MM: Final = 9.0
"""Distance up to which two corners are one, whatever their symbols (one may be named upside down), and with one symbol.
"""
MIDDLE_MM: Final = 20.0
"""Distance from the middle of a card up to which its large symbol is printed."""
JITTER: Final = ((0.0, 0.0, 0.0), (-1.2, 0.0, 0.08), (1.2, 0.0, -0.08), (0.0, -1.2, -0.08), (0.0, 1.2, 0.08))
"""Steps (mm, mm, rad) of the closer look."""
QUESTION: Final = 0.5
"""Average probability of any symbol from which a corner is that of a card."""
NEAR: Final = 1.05
"""Distance from a card (lengths) up to which another one overlaps it."""
STRANGE: Final = 0.3
STRANGE_MM: Final = 9.0
"""Fraction of a square of this side whose colors the table does not have, from which it may show a corner."""
MOVED: Final = 0.15
RESIZED: Final = 0.12
"""Limits of a correction by the reader network: in lengths of the card, and the log of their ratio."""
CROSSED: Final = 0.05
"""Overlap with another card from which a third one may lie on a card."""
FOREIGN: Final = 0.1
FOREIGN_MM: Final = 30.0
"""Probability of the symbol of a card below which something lies over its corner, and how far around the corner it is
looked for."""
LEAST: Final = 1e-4
"""Smallest probability that counts."""

FEATURES: Final = ("odds", "none", "bias")
"""What tells how sure the face of an index is: its log odds by the corner, and those that its outline holds no card."""


@dataclass(frozen=True, eq=False)
class Index:
    """A printed corner: its center (px), its direction (rad, clockwise; 0 is upright), and the probabilities of
    `CORNER_CLASSES` and of `INKS`."""

    place: Places
    angle: float
    shown: Probabilities
    inks: Probabilities

    @property
    def chance(self) -> float:
        """Probability of the likeliest symbol."""
        return float(_joined(self.shown)[1:].max())

    @property
    def sign(self) -> str:
        """The likeliest symbol."""
        return SIGNS[int(self.shown[1:].argmax())]

    def is_at(self, place: Places, sign: str, px_per_mm: float) -> bool:
        """True if this is the corner with a symbol at another place."""
        far = float(np.hypot(*(self.place - place))) / px_per_mm
        return far < SAME_MM or (far < SAME_SIGN_MM and sign == self.sign)

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

    def at(self, places: Places) -> Iterator[tuple[Places, float, Image]]:
        """Yield each of the places (n, 2) in all directions, with its patch."""
        low, high = places.min(0), places.max(0)
        side = int(math.dist(low, high) * self._scale / self.shrunk) + 2 * CORNER_PX
        for angle in np.arange(DIRECTIONS) * (2 * math.pi / DIRECTIONS):
            seen, matrix = self._turned((low + high) / 2, float(angle), side)
            starts = np.rint(places / self.shrunk @ matrix[:, :2].T + matrix[:, 2] - (CORNER_PX - 1) / 2).astype(int)
            for place, (left, top) in zip(places, starts.tolist(), strict=True):
                yield place, float(angle), seen[top : top + CORNER_PX, left : left + CORNER_PX]

    def blobs(self, mask: NDArray[np.uint8]) -> Places:
        """Return the places (n, 2) where something of the size of a symbol is brighter than what surrounds it, the
        clearest first.

        ``mask``: of the level, where to look. A symbol is white on a colored panel, or colored on a black one.
        """
        x, y, width, height = cv2.boundingRect(mask)
        part = np.s_[y : y + height, x : x + width]
        size = SYMBOL_MM * self.px_per_mm / self.shrunk
        near, found = np.ones((2 * round(size) + 1,) * 2, np.uint8), np.zeros((0, 3))
        for seen in (self.level[part].min(2), self.level[part].max(2)):
            soft = cv2.GaussianBlur(seen.astype(np.float32), (0, 0), size) * np.float32(size**2 / 4)
            xx, yy, xy = (cv2.Sobel(soft, cv2.CV_32F, *order, ksize=3) for order in ((2, 0), (0, 2), (1, 1)))
            clear = np.where(xx + yy < 0, xx * yy - xy * xy, 0)  # the determinant of the Hessian: an edge has none
            peak = (clear == cv2.dilate(clear, near)) & (clear > CONTRAST**2) & (mask[part] > 0)
            row, col = np.nonzero(peak)
            found = np.concatenate([found, np.stack([clear[peak], col + x, row + y], 1)])
        clearest = np.argsort(-found[:, 0], kind="stable")[:MOST_PLACES]
        return found[clearest, 1:] * float(self.shrunk)

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

    def closely(self, index: Index) -> Index:
        """Look again at an index, a little beside and turned, too: return what all looks show on average."""
        return self.closely_at([(index.place, index.angle)])[0]

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


def find(patches: Patches, mask: NDArray[np.uint8]) -> list[Index]:
    """Return the corners where ``mask`` is set, the surest first, each once."""
    places = patches.blobs(mask) if mask.any() else np.zeros((0, 2))
    if not len(places):
        return []
    hits = [one for one in patches.seen(list(patches.at(places))) if one.shown[0] < 1 - LIKELY and one.chance > LIKELY]
    return suppress([patches.closely(one) for one in suppress(hits, patches.px_per_mm)], patches.px_per_mm)


def suppress(indices: Sequence[Index], px_per_mm: float) -> list[Index]:
    """Non-maximum suppression: return each corner once, the surest first."""
    found = list[Index]()
    for one in sorted(indices, key=lambda one: -one.chance):
        if not any(one.is_at(other.place, other.sign, px_per_mm) for other in found):
            found.append(one)
    return found


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


class CloseReader:
    """A card reader that also finds cards of which little more than an index is visible, and returns those that it can
    name. It takes several times as long as ``reader``, which finds the others."""

    def __init__(self, reader: CardReader, model: Model) -> None:
        self._reader, self._model = reader, model

    def read(
        self, bgr: Image, /, faces: Collection[str] | None = None, *, top_only: bool = False,
        long_px: float | None = None,
    ) -> Reading:  # fmt: skip
        """See `CardReader.read`."""
        began, deck = perf_counter(), Deck(faces)
        reading = self._reader.read(bgr, faces, top_only=top_only, long_px=long_px)
        found = with_indices(pyramid(bgr), reading, self._model).cards
        known = tuple(
            card for card in found if card in reading.cards or (card.face != UNREAD and deck.holds(card.face))
        )
        return replace(reading, cards=known, ms=(perf_counter() - began) * 1000)


def with_indices(levels: list[Image], reading: Reading, model: Model, *, may_name: bool = True) -> Reading:
    """Add each card of which a corner is visible that is not among those that were read.

    ``levels``: the picture as a `pyramid`. ``may_name``: it is named where that is sure; else it is ``?``, as in a deck
    whose colors mean others. It is ``?``, too, if it overlaps a card of the same face: that one may have been read
    along a wrong outline.
    """
    first = _with_indices(levels, reading, model, may_name=may_name)
    if len(_named(first)) == len(_named(reading)):
        return first
    # Those that were named show the size of the others, and a corner of another card may be visible on them.
    return _with_indices(levels, first, model, may_name=may_name)


def _with_indices(levels: list[Image], reading: Reading, model: Model, *, may_name: bool) -> Reading:
    cards, weights = list(reading.cards), np.array([model.index.get(name, 0.0) for name in FEATURES])
    for one in unread(levels, reading, model):
        confidence = 1 / (1 + math.exp(-float(one.features @ weights)))
        face, px_per_mm = FACES[int(one.faces.argmax())], length(one.quad) / CARD_MM[1]
        there = [n for n, card in enumerate(cards) if _is_of(one.corner, card, px_per_mm)]
        if any(cards[n].face != UNREAD for n in there):
            continue  # the other corner of a card that was named by its first
        has_twin = any(card.face == face and overlap(one.quad, quad_of(card.corners_px)) > CROSSED for card in cards)
        sighting = _sighting(one, min(confidence, FAIRLY_SURE), SURE if may_name and not has_twin else math.inf)
        if not there:
            cards.append(sighting)
        elif sighting.face != UNREAD:
            cards[there[0]] = sighting
    return replace(reading, cards=tuple(cards))


def unread(levels: list[Image], reading: Reading, model: Model) -> Iterator[Unread]:
    """Yield the corners that belong to none of the cards that were read. ``levels``: the picture as a `pyramid`."""
    seen = (*reading.cards, *reading.backs)
    known, named = [Outline(quad_of(card.corners_px)) for card in seen], _named(reading)
    if not named or model.corner is None:
        return
    patches = Patches(model.corner, levels, median(length(quad_of(card.corners_px)) for card in named))
    scale = patches.px_per_mm
    found = [
        one
        for one in find(patches, where(patches, levels, known, _foreign(model.corner, levels, seen, known)))
        if 1 - one.shown[0] > QUESTION and not any(_is_printed_on(card, one, scale) for card in named)
    ]
    yield from cards_of(levels, found, scale, model)


def cards_of(levels: list[Image], found: Sequence[Index], scale: float, model: Model) -> Iterator[Unread]:
    """Yield the cards of these indices. ``scale``: px per mm."""
    quads = [one.quad(scale) for one in found]
    crops = classify_crops(model.reader, [warp_crop(levels, quad) for quad in quads])
    for one, quad, crop in zip(found, quads, crops, strict=True):
        faces = chances(one, crop)
        features = np.array([log_odds(float(faces.max()), LEAST), log_odds(float(crop.kinds[NONE]), LEAST), 1.0])
        yield Unread(one, _refined(quad, crop), faces, features, crop)


def _named(reading: Reading) -> list[Sighting]:
    return [card for card in (*reading.cards, *reading.backs) if card.face != UNREAD]


def _is_printed_on(card: Sighting, one: Index, px_per_mm: float) -> bool:
    """True if this is a corner of a card, or the symbol in its middle."""
    far = float(np.hypot(*(one.place - np.mean(card.corners_px, axis=0)))) / px_per_mm
    return _is_of(one, card, px_per_mm) or (far < MIDDLE_MM and one.sign == sign_of(card.face))


def _is_of(one: Index, card: Sighting, px_per_mm: float) -> bool:
    """True if this is a corner of a card."""
    sign = one.sign if card.face == UNREAD else sign_of(card.face)
    return any(one.is_at(corner, sign, px_per_mm) for corner in own_corners(Outline(quad_of(card.corners_px))))


def _foreign(net: Network, levels: list[Image], seen: Sequence[Sighting], known: Sequence[Outline]) -> list[Places]:
    """Return the corners of the cards ``seen`` that show something else, though no ``known`` card covers them."""
    read = [(card, one) for card, one in zip(seen, known, strict=True) if card.face not in (UNREAD, BACK)]
    found, size = list[Places](), np.array(levels[0].shape[1::-1])
    for (card, one), ends in zip(read, classify_corners(net, levels, [one.quad for _, one in read]), strict=True):
        sign = SIGNS.index(sign_of(card.face)) + 1
        for place, shown in zip(own_corners(one), ends, strict=True):
            others = (other.quad for other in known if other is not one)
            is_covered = any(cv2.pointPolygonTest(quad, place.tolist(), False) > 0 for quad in others)
            rim = np.minimum(place, size - place).min() / one.long * CARD_MM[1]
            if _joined(shown)[sign] < FOREIGN and not is_covered and rim > CORNER_MM / 2:
                found.append(place)
    return found


def where(
    patches: Patches, levels: list[Image], known: Sequence[Outline], foreign: Sequence[Places]
) -> NDArray[np.uint8]:
    """Return where the corner of a card under others may be visible, as a mask of the level of ``patches``.

    ``foreign``: corners of known cards over which something unknown lies.
    """
    level, long = patches.level, patches.px_per_mm * CARD_MM[1]
    near = np.zeros(level.shape[:2], np.uint8)
    for one in known:
        x, y = (round(at / patches.shrunk) for at in one.middle)
        cv2.circle(near, (x, y), round(NEAR * long / patches.shrunk), 255, -1)
    strange = TableColors(levels, known, long).strangeness(level)
    crossed = [one for one in known if any(one.overlap(other) > CROSSED for other in known if other is not one)]
    for outlines, value in ((known, 0.0), (crossed, 1.0)):
        for one in outlines:
            cv2.fillConvexPoly(strange, np.rint(one.quad / patches.shrunk).astype(np.int32), value)
    for x, y in foreign:
        radius = FOREIGN_MM * patches.px_per_mm / patches.shrunk
        cv2.circle(strange, (round(x / patches.shrunk), round(y / patches.shrunk)), round(radius), 1.0, -1)
    side = max(1, round(STRANGE_MM * patches.px_per_mm / patches.shrunk))
    return np.asarray(near * (cv2.blur(strange, (side, side)) > STRANGE), np.uint8)


_COVERED: Final[tuple[Doubt, ...]] = ("covered",)


def _sighting(one: Unread, confidence: float, least: float) -> Sighting:
    """Return the sighting of a card: its face from the confidence ``least`` on."""
    best, *others = np.argsort(-one.faces, kind="stable")[:CANDIDATES].tolist()
    outline, doubts = corners_of(one.quad), _COVERED
    if confidence >= least:
        runners_up = tuple(FACES[n] for n in others)
        return Sighting(FACES[best], confidence, outline, doubts=doubts, runners_up=runners_up)
    sure, chance = min(confidence, SURE), float(one.faces[best])
    scale = min(sure / chance, (1 - sure) / (1 - chance + LEAST))
    candidates = tuple((FACES[n], round(float(one.faces[n] * scale), 4)) for n in others)
    return Sighting(UNREAD, sure, outline, candidates=((FACES[best], round(sure, 4)), *candidates), doubts=doubts)


def _refined(quad: Quad, crop: Classification) -> Quad:
    """Return the outline that the reader network sees, if it sees a card of this size there."""
    other = moved(quad, crop.corners)
    near = Outline(quad).distance_to(Outline(other)) < MOVED * length(quad)
    sized = abs(math.log(length(other) / length(quad))) < RESIZED
    return other if crop.kinds[NONE] < LIKELY and near and sized else quad


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
