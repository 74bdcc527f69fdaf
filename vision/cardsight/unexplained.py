"""Cards that no reading explains: a ``?`` for each, so that no sum is silently short.

Of a card in a close fan little more than a strip is visible, and its center lies near that of the card above: in small
copies of the whole picture the detector takes both for one. So it looks again, closely, around each card that was read.
What it proposes there is weighed by logistic regression (`training/train_unexplained.py`): by the detector, the reader
and the corner network, by the place relative to the cards that were read, and by whether the colors of the part that
no card covers are those of the table. Whatever else lies beside a card and has other colors than the table is a ``?``,
too: a strip of a card may show nothing that a network knows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.classify import NONE, classify_crops
from cardsight.corners import CORNER_MIDDLE, CORNER_MM, CORNER_PART, classify_corners
from cardsight.detector import Proposal, detect_around
from cardsight.fusion import log_odds
from cardsight.geometry import (
    CROP_H,
    CROP_W,
    Image,
    Outline,
    Quad,
    corners_of,
    length,
    quad_of,
    turned,
    warp_crop,
    width,
)
from cardsight.indices import own_corners
from cardsight.light import COLORED, chroma
from cardsight.model import Model
from cardsight.networks import Network
from cardsight.sighting import Reading, Sighting
from cardsight.table_colors import FAR, TableColors, uncovered
from croupier_rules.cards import CARD_MM, COLORS, UNREAD

WINDOW: Final = 2.0
"""Side of the square that is looked at around a card, in lengths of the card."""
APART: Final = 0.3
"""Distance of a card (lengths) from the middle of such a square up to which it has none of its own."""
MOST_WINDOWS: Final = 24
LEAST_ODDS: Final = -3.0
MOST: Final = 8
"""Maximum number of proposals in one square."""
SIZES: Final = (0.78, 1.28)
"""Length relative to the median of the cards that were read."""
SAME_PLACE: Final = 0.07
SAME_ANGLE: Final = 0.08
"""Distance between centers (card lengths) and angle (rad) up to which an outline is that of a card that was read."""
SAME_IOU: Final = 0.72
"""IoU from which it is, too: of a card under it less than a sixth would be visible."""
REACH: Final = 1.05
"""Distance between centers (card lengths) from which two cards do not overlap."""
REPEAT: Final = 0.4
"""Distance between centers (card lengths) below which one question is enough."""
SHOWN: Final = (0.02, 0.95)
"""Limits of the fraction of an outline that no other card covers: none of it can be seen, or it lies beside the others.
"""
LEAST: Final = 1e-4
"""Smallest probability that counts."""
MARGIN_MM: Final = 3.0
"""Distance from a card that was read up to which other colors are its own: its outline is not exact, and it has a
shadow."""
JOINED_MM: Final = 1.5
LEAST_MM2: Final = 60.0
"""Half the distance of parts that are one, and the area from which one may be a card: the corner of one that a hand
holds is larger."""
INNER_MM: Final = 3.0
OTHER_HUE: Final = 0.6
"""Distance from the rim of a card from which another hue is not its own, and the angle (rad) of another hue: those of a
deck are 0.9 apart or more."""
THIN_MM: Final = 0.8
OTHER_MM2: Final = 25.0
"""Half the width of a part of another hue up to which it is an edge between colors, and the area from which it is that
of a card."""
UNSEEN: Final = -3.0
"""Evidence of a corner that a card covers."""

FEATURES: Final = (
    "odds",
    "size",
    "distance",
    "iou",
    "shown",
    "none",
    "face",
    "corner",
    "strange",
    "strange part",
    "bias",
)
QUESTION: Final = -1.5
"""Log odds from which an outline is a ``?``: a question costs less than a sum that is short."""


@dataclass(frozen=True, eq=False)
class Unexplained(Outline):
    """An outline that may be a card under others: its `FEATURES`, and the log odds that a card lies there that was not
    read."""

    features: NDArray[np.float64]
    odds: float


def with_unexplained_cards(levels: list[Image], reading: Reading, model: Model) -> Reading:
    """Add a ``?`` for each card that lies under those that were read and is not among them.

    ``levels``: the picture as a `pyramid`.
    """
    asked = [Outline(quad_of(card.corners_px)) for card in reading.cards if card.face == UNREAD]
    found = list[Outline]()

    def ask(likely: Iterable[Outline]) -> None:
        for one in likely:
            if not any(one.distance_to(other) < REPEAT * other.long for other in [*asked, *found]):
                found.append(one)

    likely = sorted(unexplained(levels, reading, model), key=lambda one: -one.odds)
    ask(one for one in likely if one.odds > QUESTION)
    if sure := _lengths(reading):
        long = median(sure)
        ask(strange_parts(levels, _outlines(reading) + found, long))
        ask(parts_of_other_hue(levels, reading, long))
    more = [Sighting(UNREAD, 0.0, corners_of(one.quad), doubts=("covered",)) for one in found]
    return replace(reading, cards=(*reading.cards, *more)) if more else reading


def strange_parts(levels: list[Image], known: Sequence[Outline], long: float) -> list[Outline]:
    """Return the outlines of what lies beside ``known`` cards and has colors that the table does not have.

    ``levels``: the picture as a `pyramid`. ``long``: length of a card (px).
    """
    colors = TableColors(levels, known, long)
    if colors.visible < 1:
        return []
    level, shrunk, mm = _level(levels, long)
    near, cards = np.zeros((2, *level.shape[:2]), np.uint8)
    for one in known:
        x, y = (round(at / shrunk) for at in one.middle)
        cv2.circle(near, (x, y), round(FAR * long / shrunk), 1, -1)
        cv2.fillConvexPoly(cards, _shrunk(one.quad, shrunk), 1)
    near[cv2.dilate(cards, _disk(MARGIN_MM * mm)) > 0] = 0
    return _parts(near * colors.strangeness(level).astype(np.uint8), mm, shrunk, LEAST_MM2)


def parts_of_other_hue(levels: list[Image], reading: Reading, long: float) -> list[Outline]:
    """Return the outlines of what lies on a colored card, under none of the others, and has another hue: of a card
    between two that were read.

    ``levels``: the picture as a `pyramid`. ``long``: length of a card (px).
    """
    level, shrunk, mm = _level(levels, long)
    cards, found = (*reading.cards, *reading.backs), list[Outline]()
    known = [Outline(quad_of(card.corners_px)) for card in cards]
    for card, one in zip(cards, known, strict=True):
        crossing = [other for other in known if other is not one and one.shared(other) > 0]
        if card.face.split("-")[0] not in COLORS or not crossing:
            continue
        low = np.maximum(_shrunk(one.quad, shrunk).min(0), 0)
        high = np.maximum(_shrunk(one.quad, shrunk).max(0) + 1, 0)
        seen = level[low[1] : high[1], low[0] : high[0]]
        if not seen.size:
            continue
        own, others, corners = np.zeros((3, *seen.shape[:2]), np.uint8)
        cv2.fillConvexPoly(own, _shrunk(one.quad, shrunk) - low, 1)
        for other in crossing:
            cv2.fillConvexPoly(others, _shrunk(other.quad, shrunk) - low, 1)
        for x, y in (np.rint(np.array(own_corners(one)) / shrunk).astype(int) - low).tolist():
            cv2.circle(corners, (x, y), round(CORNER_MM / 2 * mm), 1, -1)
        free = own * (1 - cv2.dilate(others, _disk(MARGIN_MM * mm)))
        colors = chroma(seen / 255)
        shown = colors[(free * corners) > 0]
        panel = shown[np.abs(shown) > max(COLORED, np.abs(shown).max(initial=0) / 2)]
        if len(panel) < LEAST_MM2 / 4 * mm**2:
            continue  # its corners are hidden, or show no color
        inner = free * cv2.erode(own, _disk(INNER_MM * mm), borderValue=0)
        is_other = (np.abs(colors) > COLORED) & (np.abs(np.angle(colors / np.mean(panel))) > OTHER_HUE)
        part = cv2.morphologyEx(inner * is_other.astype(np.uint8), cv2.MORPH_OPEN, _disk(THIN_MM * mm))
        found += _parts(np.asarray(part, np.uint8), mm, shrunk, OTHER_MM2, low)
    return found


def _shrunk(quad: Quad, shrunk: int) -> NDArray[np.int32]:
    return np.rint(quad / shrunk).astype(np.int32)


def _level(levels: list[Image], long: float) -> tuple[Image, int, float]:
    """Return the level that shows a millimeter as a pixel or two, how many px of the picture one of its px is, and its
    px per millimeter."""
    number = max(0, min(len(levels) - 1, int(math.log2(long / CARD_MM[1]))))
    return levels[number], 2**number, long / CARD_MM[1] / 2**number


def _parts(
    mask: NDArray[np.uint8], mm: float, shrunk: int, least_mm2: float, low: Sequence[int] | NDArray[np.int32] = (0, 0)
) -> list[Outline]:
    """Return the outlines of the parts of a mask from an area on. ``low``: where in the level the mask begins."""
    count, parts = cv2.connectedComponents(cv2.dilate(mask, _disk(JOINED_MM * mm)))
    areas = np.bincount(parts[mask > 0], minlength=count) / mm**2
    found = []
    for part in np.flatnonzero(areas > least_mm2).tolist():
        around = cv2.minAreaRect(np.argwhere(parts == part)[:, ::-1].astype(np.float32))
        box = np.asarray((cv2.boxPoints(around) + low) * shrunk, np.float32)
        found.append(Outline(box if length(box) >= width(box) else turned(box)))
    return found


def unexplained(levels: list[Image], reading: Reading, model: Model) -> Iterator[Unexplained]:
    """Yield all outlines that may be such cards. ``levels``: the picture as a `pyramid`."""
    known, sure = _outlines(reading), _lengths(reading)
    if not sure or model.corner is None:
        return
    long = median(sure)
    weights = np.array([model.unexplained.get(name, 0.0) for name in FEATURES])
    colors = TableColors(levels, known, long)
    for middle in _middles(known, long):
        around = [one for one in known if math.dist(one.middle, middle) < 2 * WINDOW * long]
        likely = _proposals(model.detector, levels, middle, long, around)
        shown = {one: uncovered(one.quad, around, reading.size) for one in likely}
        found = [one for one, mask in shown.items() if SHOWN[0] < mask.mean() < SHOWN[1]]
        if not found:
            continue
        seen = classify_crops(model.reader, [warp_crop(levels, one.quad) for one in found])
        corners = classify_corners(model.corner, levels, [one.quad for one in found])
        for one, classification, ends in zip(found, seen, corners, strict=True):
            mask = shown[one]
            near = min(around, key=one.distance_to)
            strange = colors.visible * colors.strange(levels, one.quad, mask)
            features = np.array(
                [
                    one.odds,
                    abs(math.log(one.long / long)),
                    one.distance_to(near) / near.long,
                    max(one.iou(other) for other in around),
                    float(mask.mean()),
                    log_odds(float(classification.kinds[NONE]), LEAST),
                    log_odds(float(classification.faces.max()), LEAST),
                    max(_corner(mask, end, values) for end, values in enumerate(ends)),
                    strange,
                    strange * float(mask.mean()),
                    1.0,
                ]
            )
            yield Unexplained(one.quad, features, float(features @ weights))


def _outlines(reading: Reading) -> list[Outline]:
    return [Outline(quad_of(card.corners_px)) for card in (*reading.cards, *reading.backs)]


def _lengths(reading: Reading) -> list[float]:
    """Return the lengths (px) of the cards that were read."""
    return [Outline(quad_of(card.corners_px)).long for card in reading.cards if card.face != UNREAD]


def _disk(radius: float) -> NDArray[np.uint8]:
    side = 2 * round(radius) + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)), np.uint8)


def _middles(known: Sequence[Outline], long: float) -> list[list[float]]:
    middles: list[list[float]] = []
    for one in known:
        if all(math.dist(one.middle, other) >= APART * long for other in middles):
            middles.append(one.middle)
    return middles[:MOST_WINDOWS]


def _proposals(
    detector: Network, levels: list[Image], middle: Sequence[float], long: float, known: Sequence[Outline]
) -> list[Proposal]:
    found = detect_around(detector, levels, middle, WINDOW * long, LEAST_ODDS)
    under = [one for one in found if SIZES[0] < one.long / long < SIZES[1] and _is_under(one, known)]
    return sorted(under, key=lambda one: -one.odds)[:MOST]


def _is_under(one: Outline, known: Sequence[Outline]) -> bool:
    """True if the outline overlaps a card that was read, and is the outline of none of them."""
    near = [(one.distance_to(other) / other.long, angle_between(one.quad, other.quad)) for other in known]
    is_same = any(far < SAME_PLACE and a < SAME_ANGLE for far, a in near)
    return min(far for far, _ in near) < REACH and not is_same and all(one.iou(other) < SAME_IOU for other in known)


def angle_between(one: Quad, other: Quad) -> float:
    """Return the angle (rad, 0…π/2) between the long sides of two cards."""
    a, b = (np.arctan2(*(quad[2] + quad[3] - quad[0] - quad[1])[::-1]) for quad in (one, other))
    return float(abs((a - b + np.pi / 2) % np.pi - np.pi / 2))


def _corner(mask: NDArray[np.uint8], end: int, values: NDArray[np.floating]) -> float:
    """Return the log odds that one printed corner of a card shows a symbol, `UNSEEN` if the corner is covered."""
    size = np.array([CROP_W, CROP_H])
    middle = CORNER_MIDDLE if end == 0 else 1 - CORNER_MIDDLE
    (x0, y0), (x1, y1) = np.clip([middle - CORNER_PART / 4, middle + CORNER_PART / 4], 0, 1) * size
    part = mask[int(y0) : int(y1) + 1, int(x0) : int(x1) + 1]
    if part.mean() < 0.6:
        return UNSEEN
    return max(UNSEEN, log_odds(min(float(values[1:].max()), 1 - float(values[0])), LEAST))
