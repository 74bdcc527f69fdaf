"""Checks a camera by what it sees: exchanged colors, a mirrored picture, a torn one, a camera turned upside down or
another one than was calibrated.

Exchanged channels and mirroring are hypotheses about the whole picture. The same cards are looked at as the picture is
and as it would be under each hypothesis; the log likelihood ratios of the cards are summed, and a hypothesis is
accepted from `SURE` on. The evidence:

- *Exchanged red and blue*: the hue of each panel, under the four hues that a panel may have (`PANELS`). Yellow becomes
  cyan, which no panel is; red and blue become each other, but of other shades; green stays. The cards of one color
  count once, with their mean: a lamp shifts the hue of all of them.
- *Mirrored*: the printed corners. They are at the top left and the bottom right of a card, and read upright; in a
  mirrored picture they are at the other two corners.

Upside down is no such hypothesis: a card looks the same when it is turned by 180°. Only a known place, that of the
discard pile, shows it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.corners import classify_corners
from cardsight.doubts import HUES, panel_hue
from cardsight.fusion import CORNER_DOUBT, SOME_COLOR, log_odds
from cardsight.geometry import Image, length, pyramid, quad_of, warp_crop
from cardsight.light import colorfulness
from cardsight.model import Model
from cardsight.sighting import CameraFault, Corners, Reading, Sighting
from croupier_rules.cards import UNREAD, color_of

SURE: Final = 3.0
"""Log likelihood ratio from which a hypothesis is accepted. Of good photographs none reaches 1; those of wrong cameras
reach 5 and 68 in the median (`croupier bench kitchen --scene cameras`)."""
FEWEST_COLORS: Final = 2
"""Colors of cards that are needed to tell exchanged channels: one is shifted by a colored lamp as well."""
MOST_CARDS: Final = 8
"""Number of cards that are looked at, the most certain first."""
PANELS: Final = {"red": 8.0, "yellow": 8.0, "green": 16.0, "blue": 16.0}
"""Standard deviation (degrees) of the hue of a panel around `doubts.HUES`. On the licensed photographs it is 2, 3, 15
and 14; other lamps shift red and yellow by some degrees more."""
NO_PANEL: Final = 0.02
"""Fraction of the panels with any other hue: prints and lamps that nobody has seen."""
TORN: Final = 0.125
"""Fraction of the picture's height from which rows that repeat each other at its lower edge are missing rows. Of 734
photographs none has more than .098 of them, black cloth in a compressed picture."""
OTHER_LENGTH: Final = 0.3
"""Deviation (fraction) of a card's length from that on the discard pile that no card of the same table has: an oblique
camera sees those at the far edge a fifth shorter."""
MARGIN: Final = 0.01
"""The same at the upper edge: from there on a picture whose lower edge looks the same is a drawing with an even ground,
or has bars."""


class Evidence(NamedTuple):
    """Log likelihood ratios of the hypotheses that the picture's channels are exchanged, and that it is mirrored."""

    exchanged: float
    mirrored: float


def checked(image: Image, reading: Reading, model: Model | None, read: Callable[[Image], Reading]) -> Reading:
    """Return the reading of a picture with what it shows of its camera. Exchanged colors and mirroring are mended: the
    picture is read again with ``read`` as it should be, and that is kept if it fits. Its outlines are in px of the
    picture as it is. ``model``: None for cards of another print than it has learned; then only a torn picture is told.
    """
    fault = fault_of(image, reading, model)
    if fault is None or fault == "torn":
        return replace(reading, fault=fault)
    mended = np.ascontiguousarray(image[..., ::-1] if fault == "colors-exchanged" else image[:, ::-1])
    again = read(mended)
    if fault_of(mended, again, model) is not None:
        return replace(reading, fault=fault)
    if fault == "mirrored":
        again = _mirrored(again)
    return replace(again, ms=reading.ms + again.ms, fault=fault, is_mended=True)


def fault_of(image: Image, reading: Reading, model: Model | None) -> CameraFault | None:
    """Return what a picture and its reading show to be wrong with the camera, if anything. ``model``: as in
    `checked`."""
    if is_torn(image):
        return "torn"
    if model is None:
        return None
    exchanged, mirrored = evidence(image, reading, model)
    if max(exchanged, mirrored) < SURE:
        return None
    return "colors-exchanged" if exchanged > mirrored else "mirrored"


def evidence(image: Image, reading: Reading, model: Model) -> Evidence:
    """Compare the cards of a reading with what they would be in the other pictures."""
    cards = sorted(reading.cards, key=lambda card: -card.confidence)[:MOST_CARDS]
    if not cards:
        return Evidence(0.0, 0.0)
    levels, quads = pyramid(image), [quad_of(card.corners_px) for card in cards]
    crops = [warp_crop(levels, quad) for quad in quads]
    ratios: dict[str, list[float]] = {}
    for card, crop in zip(cards, crops, strict=True):
        if (color := _shown_color(card, crop)) is not None:
            ratios.setdefault(color, []).append(_panel(crop[..., ::-1]) - _panel(crop))
    exchanged = sum(sum(some) / len(some) for some in ratios.values()) if len(ratios) >= FEWEST_COLORS else 0.0
    mirrored = 0.0
    if model.corner is not None:
        seen, other = (
            classify_corners(model.corner, levels, some) for some in (quads, [quad[[1, 0, 3, 2]] for quad in quads])
        )
        mirrored = sum(_shown(there) - _shown(here) for here, there in zip(seen, other, strict=True))
    return Evidence(float(exchanged), float(mirrored))


def is_torn(image: Image) -> bool:
    """True if the lower part of a picture was lost: one color, or its last row again and again."""
    repeats = (image[1:] == image[:-1]).reshape(len(image) - 1, -1).all(1)
    is_framed = _run(repeats) > MARGIN * len(image) and bool((image[0] == image[-1]).all())
    return _run(repeats[::-1]) > TORN * len(image) and not is_framed


def misplaced(
    reading: Reading, pile_px: NDArray[np.floating], card_px: float, size: tuple[int, int]
) -> CameraFault | None:
    """Compare where the cards lie with where the calibration has the discard pile: ``upside-down`` if none lies there,
    but one on that place turned by 180° around the middle of the picture; ``elsewhere`` if none lies on either, and all
    have another length than a card on the pile.

    ``pile_px``: the four corners of the place. ``card_px``: length of a card there. ``size``: of the picture (px).
    """
    quads = [quad_of(card.corners_px) for card in (*reading.cards, *reading.backs)]
    here, there = pile_px.astype(np.float32), (np.array(size) - pile_px).astype(np.float32)
    on_place, turned = (
        any(cv2.pointPolygonTest(place, quad.mean(0).tolist(), measureDist=False) >= 0 for quad in quads)
        for place in (here, there)
    )
    if not quads or on_place:
        return None
    if turned:
        return "upside-down"
    is_other = all(abs(length(quad) / card_px - 1) > OTHER_LENGTH for quad in quads)
    return "elsewhere" if is_other else None


def _shown_color(card: Sighting, crop: Image) -> str | None:
    """Return the likeliest color of a card, if it shows that of its panel: a wild has four, and a lamp of one color
    shows none."""
    face = card.candidates[0][0] if card.face == UNREAD and card.candidates else card.face
    return None if face == UNREAD or colorfulness(crop[None])[0] < SOME_COLOR else color_of(face)


def _panel(crop: Image) -> float:
    """Return the log likelihood (density per degree) of the hue of a card's panel; 0 of a card without one hue."""
    hue = panel_hue(np.ascontiguousarray(crop))
    if hue is None:
        return 0.0
    usual = [
        math.exp(-(((hue - HUES[color] + 180) % 360 - 180) ** 2) / (2 * spread**2)) / (spread * math.sqrt(2 * math.pi))
        for color, spread in PANELS.items()
    ]
    return math.log((1 - NO_PANEL) * sum(usual) / len(usual) + NO_PANEL / 360)


def _shown(corners: NDArray[np.floating]) -> float:
    """Return the log odds that the printed corners are where they are looked for. A corner may be covered, or be
    another card's."""
    return sum(log_odds(float(1 - shown[0]), CORNER_DOUBT) for shown in corners)


def _run(flags: NDArray[np.bool_]) -> int:
    """Return how many of the first flags are true."""
    return int(np.argmin(flags)) if not flags.all() else len(flags)


def _mirrored(reading: Reading) -> Reading:
    """Return the reading of a mirrored picture with its outlines in the picture before it was mirrored."""
    width = reading.size[0]

    def back(card: Sighting) -> Sighting:
        a, b, c, d = ((width - x, y) for x, y in card.corners_px)
        corners: Corners = (b, a, d, c)  # clockwise again
        return replace(card, corners_px=corners)

    return replace(reading, cards=tuple(map(back, reading.cards)), backs=tuple(map(back, reading.backs)))
