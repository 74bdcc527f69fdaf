"""Reads the cards in a part of the frame. Results are in pixels of the frame, and only plausible cards are returned."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from cardsight.card_reader import CardReader
from cardsight.corners import CORNER_MIDDLE, CORNER_PART
from cardsight.geometry import Image, corners_of, length, quad_of
from cardsight.sighting import Corners, Reading, Sighting
from cardsight.track.blocks import Box, Part
from croupier_rules.cards import BACK, UNREAD

_SIZE_MARGIN: Final = 0.15
"""Tolerated deviation of a card's length (fraction). A fixed camera sees all cards in one size; anything else is an
arm or the corner of a covered card."""

_SHORTEST: Final = 0.75
_LONGEST: Final = 1.4
"""Length (fraction of a card's) up to which a sighting read with certainty still counts: its outline has taken in
the edge of a card below, or lacks what another hides."""

_CERTAIN: Final = 0.85
"""Confidence from which a card is reported in a game, else as ``?``. A wrong card costs more than a question, and
the next look is only a moment away."""

_ALIKE: Final = 0.94
"""Correlation from which two pictures may show the same card. Two pictures of one card correlate by 0.97, those of 0
and 8 of one color by 0.9 to 0.97."""
_SAME_SYMBOL: Final = 0.8
"""Largest difference of the same symbol in any spot of two pictures (variances of the picture). It is 0.1 to 0.6 for
one card, and 1 to 20 for two faces, of which 3 and 8 of one color differ least."""
_SPOT_PX: Final = 7
_SYMBOL: Final = (0.23, 0.14)
"""Fraction of height and width of a card at each side of the symbol in its middle."""
_RIM_PX: Final = 4
"""Tolerated error of the outlines from which the two pictures were warped (px)."""

SAME_PLACE: Final = 0.06
"""Corners of two sightings of one place differ by less than this (card lengths)."""
ROUGHLY: Final = 0.15
"""Distance (card lengths) between two readings of a new card while a hand hides a part of it; the pictures decide
when it lies still (`contact_time`)."""


def read_part(
    reader: CardReader, part: Part, card_px: float, image: Image, faces: Collection[str] | None, *, top_only: bool
) -> Reading:
    """Read the cards in this part of the frame; uncertain cards are ``?``. Other arguments: as `CardReader.read`."""
    left, top = part.box[:2]
    reading = reader.read(np.ascontiguousarray(part.crop(image)), faces, top_only=top_only, long_px=card_px)
    cards, backs = (
        tuple(_moved(fit, left, top) for card in some if (fit := _fitting(_cautious(card), card_px)) is not None)
        for some in (reading.cards, reading.backs)
    )
    return replace(reading, cards=cards, backs=backs)


def moved(reading: Reading, dx: float, dy: float) -> Reading:
    """Return the reading of a frame that has moved by an offset (px), moved back."""
    cards, backs = (tuple(_moved(card, -dx, -dy) for card in some) for some in (reading.cards, reading.backs))
    return replace(reading, cards=cards, backs=backs)


def printed_corners(outline: Corners) -> tuple[Corners, Corners]:
    """Return the outlines of both printed corners of a card."""
    (left, top), (right, bottom) = CORNER_MIDDLE - CORNER_PART / 2, CORNER_MIDDLE + CORNER_PART / 2
    first = np.array([(left, top), (right, top), (right, bottom), (left, bottom)], np.float32)
    card = cv2.getPerspectiveTransform(np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32), quad_of(outline))
    one, other = (corners_of(cv2.perspectiveTransform(end[None], card)[0]) for end in (first, 1 - first))
    return one, other


def length_px(outline: Corners) -> float:
    """Return the length of a card with this outline: the mean of its two long edges (px)."""
    return length(np.array(outline))


def mean_distance(a: Corners, b: Corners) -> float:
    """Return the mean distance of the corners of two outlines (card lengths), whichever end they begin at."""
    first, second = np.array(a), np.array(b)
    long = max(length_px(a), 1.0)
    return min(float(np.hypot(*(first - np.roll(second, turn, axis=0)).T).mean()) for turn in (0, 2)) / long


def is_same_place(a: Corners | None, b: Corners | None, within: float = SAME_PLACE) -> bool:
    """True if two outlines (or none) are those of one card that lies still. ``within``: card lengths."""
    return a is b if a is None or b is None else mean_distance(a, b) < within


def lies_in(box: Box, card: Sighting) -> bool:
    """True if the middle of the card lies in the box."""
    left, top, right, bottom = box
    x, y = np.array(card.corners_px).mean(axis=0)
    return bool(left <= x <= right and top <= y <= bottom)


def sees(reading: Reading, card: Sighting) -> bool:
    """True if a card of any face is read where this card lies."""
    return any(is_same_place(one.corners_px, card.corners_px) for one in reading.cards)


def is_same_card(a: Sighting, b: Sighting, within: float = SAME_PLACE) -> bool:
    """True if two sightings are of one card that lies still."""
    return a.face == b.face and is_same_place(a.corners_px, b.corners_px, within)


def likely_face(card: Sighting) -> str:
    """Return the face, or the likeliest one of an unread card; ``?`` if it has no candidates."""
    return next((face for face, _ in card.candidates), UNREAD) if card.face == UNREAD else card.face


def is_likely_same(a: Sighting, b: Sighting, within: float = SAME_PLACE) -> bool:
    """True if two sightings, perhaps unread, are likely of one card that lies still."""
    return likely_face(a) == likely_face(b) and is_same_place(a.corners_px, b.corners_px, within)


def looks_alike(a: npt.NDArray[np.float32], b: npt.NDArray[np.float32]) -> bool:
    """True if two warped pictures of cards (BGR) of one size show one face, either end up."""
    ends = (b, np.ascontiguousarray(b[::-1, ::-1]))
    return any((over := _aligned(a, end)) is not None and _shows_same(over, end) for end in ends)


def _aligned(a: npt.NDArray[np.float32], b: npt.NDArray[np.float32]) -> npt.NDArray[np.float32] | None:
    """Return ``a`` after the best alignment with ``b`` (Evangelidis and Psarakis 2008); None if they have so little in
    common that there is none."""
    to, from_ = (cv2.cvtColor(one, cv2.COLOR_BGR2GRAY) for one in (b, a))
    start, everywhere = np.eye(2, 3, dtype=np.float32), np.full(to.shape, 255, np.uint8)
    criteria = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 30, 1e-3)
    try:
        _, way = cv2.findTransformECC(to, from_, start, cv2.MOTION_AFFINE, criteria, everywhere, 5)
    except cv2.error:
        return None
    return np.asarray(cv2.warpAffine(a, way, b.shape[1::-1], flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP), np.float32)


def _shows_same(a: npt.NDArray[np.float32], b: npt.NDArray[np.float32]) -> bool:
    """True if two aligned pictures agree as a whole, and in every spot of the symbol in the middle."""
    inner = np.s_[_RIM_PX:-_RIM_PX, _RIM_PX:-_RIM_PX]
    if cv2.matchTemplate(a[inner], b[inner], cv2.TM_CCOEFF_NORMED).max() < _ALIKE:
        return False
    first, second = ((one - one[inner].mean(axis=(0, 1))) / max(float(one[inner].std()), 1e-6) for one in (a, b))
    top, left = (round(share * side) for share, side in zip(_SYMBOL, a.shape, strict=False))
    symbol = ((first - second) ** 2).sum(axis=2)[top:-top, left:-left]
    return bool(cv2.blur(symbol, (_SPOT_PX, _SPOT_PX), borderType=cv2.BORDER_REFLECT).max() <= _SAME_SYMBOL)


def as_unread(card: Sighting) -> Sighting:
    """Return the sighting as one whose face is uncertain."""
    return replace(card, face=UNREAD, candidates=((card.face, card.confidence),))


def _cautious(card: Sighting) -> Sighting:
    if card.face in (BACK, UNREAD) or card.confidence >= _CERTAIN:
        return card
    return as_unread(card)


def _fitting(card: Sighting, card_px: float) -> Sighting | None:
    """Return the sighting if it can be a card, with the common length; else None."""
    size = length_px(card.corners_px) / card_px
    if abs(size - 1) <= _SIZE_MARGIN:
        return card
    if card.face in (BACK, UNREAD) or not _SHORTEST <= size <= _LONGEST:
        return None
    corners = np.array(card.corners_px)
    middle = corners.mean(axis=0)
    a, b, c, d = ((float(x), float(y)) for x, y in middle + (corners - middle) / size)
    return replace(card, corners_px=(a, b, c, d))


def _moved(card: Sighting, dx: float, dy: float) -> Sighting:
    a, b, c, d = ((x + dx, y + dy) for x, y in card.corners_px)
    return replace(card, corners_px=(a, b, c, d))
