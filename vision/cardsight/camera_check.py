"""Checks a camera by what it sees: exchanged colors, a mirrored picture, a torn one, a camera turned upside down or
another one than was calibrated.

Exchanged channels and mirroring are hypotheses about the whole picture. The same cards are looked at as the picture is
and as it would be under each hypothesis; the log likelihood ratios of the cards are summed, and a hypothesis is
accepted from `SURE` on. No more cards are looked at once both are refused: one or two good cards are enough.
`CameraMonitor` sums over the cards that a table's camera shows one after another. The evidence:

- *Exchanged red and blue*: the hue of each panel, where no other card can cover it, under the four hues that a panel
  may have (`PANELS`). Yellow becomes cyan, which no panel is; red and blue become each other, but of other shades;
  green stays. The cards of one color count once, with their mean: a lamp shifts the hue of all of them.
- *Mirrored*: the printed corners. They are at the top left and the bottom right of a card, and read upright; in a
  mirrored picture they are at the other two corners.

In a mirrored picture often no card is found at all. So a picture whose cards do not refuse that it is mirrored is read
mirrored, too, and must show more cards then, with their corners in place.

Upside down is no such hypothesis: a card looks the same when it is turned by 180°. Only a known place, that of the
discard pile, shows it.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.card_reader import levels_of
from cardsight.corners import classify_corners
from cardsight.doubts import HUES, exchanged_hues
from cardsight.fusion import CORNER_DOUBT, SOME_COLOR, log_odds
from cardsight.geometry import IDEAL, Image, length, quad_of, warp_crop
from cardsight.light import colorfulness, hue_difference
from cardsight.model import Model
from cardsight.occlusion import uncovered
from cardsight.sighting import CameraFault, Corners, Reading, Sighting
from croupier_rules.cards import UNREAD, color_of

SURE: Final = 3.0
"""Log likelihood ratio from which a hypothesis is accepted. Of good photographs none reaches 1; those of wrong cameras
reach 5 and 68 in the median (`croupier bench kitchen --scene cameras`)."""
FEWEST_COLORS: Final = 2
"""Colors of cards that are needed to tell exchanged channels: one is shifted by a colored lamp as well."""
MOST_CARDS: Final = 8
"""Number of cards that are looked at, the most certain first."""
LEAST_OWN: Final = 0.3
"""Fraction of a card that no other outline crosses, from which its hue counts: less is hardly more than its border."""
FEWEST_PLAIN: Final = 2
"""Number of plain cards from which on no other corners are looked at: one of them may be misread."""
PLAIN: Final = 0.995
IF_PLAIN: Final = -4.5
"""Confidence from which a card that was read refuses by itself that it is mirrored, and the log likelihood ratio that
it counts: of 290 mirrored cards of set-f, set-l and drawn hands none is read so, of good ones nine in ten are."""
LAST_CARDS: Final = 8
"""Number of a table's last cards by which its camera is judged: a camera can be set up again during a game."""
SURE_OVER_TIME: Final = 4.0
"""As `SURE` for the cards of a table, which are judged many times in a game. Of 3,000 draws of eight photographs of one
source each none of set-f and set-l reaches it; with exchanged colors 19 % and 99.7 % do."""
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
PLAIN_ROW: Final = 8.0
"""Gray levels: a lost part is set off from the row above by more, in most columns, or its row varies by more. An even
ground does neither."""
JPEG_PX: Final = 18
"""Rows above a lost part that compression may have blended with it: a block of JPEG."""
MARGIN: Final = 0.01
"""Fraction of the height at the upper edge that looks as the lower edge in a drawing with an even ground, in a picture
with bars, and in one that is out of focus."""
ALIKE: Final = 2
"""Gray levels by which it may differ: what is left of a sensor's noise."""


ReadLevels = Callable[[list[Image]], Reading]
"""Reads the cards of a picture, given as its `pyramid`."""


class Evidence(NamedTuple):
    """Log likelihood ratios of the hypotheses that the picture's channels are exchanged, and that it is mirrored."""

    exchanged: float
    mirrored: float


class CardEvidence(NamedTuple):
    """Log likelihood ratios of the hypotheses by one card; its color, None if it shows that of no panel."""

    color: str | None
    exchanged: float
    mirrored: float


def summed(cards: Iterable[CardEvidence]) -> Evidence:
    """Sum the evidence of cards. Those of one color count once for exchanged channels, and two colors are needed."""
    ratios: dict[str, list[float]] = {}
    mirrored = 0.0
    for card in cards:
        mirrored += card.mirrored
        if card.color is not None:
            ratios.setdefault(card.color, []).append(card.exchanged)
    exchanged = sum(sum(some) / len(some) for some in ratios.values())
    return Evidence(exchanged if len(ratios) >= FEWEST_COLORS else min(exchanged, 0.0), mirrored)


class CameraMonitor:
    """Judges a camera by the cards that it shows one after another, the last `LAST_CARDS` of them.

    ``model``: as in `checked`. It is not for two threads.
    """

    def __init__(self, model: Model | None) -> None:
        self._model = model
        self._cards = deque[CardEvidence](maxlen=LAST_CARDS)

    def fault_by(self, levels: list[Image], cards: Sequence[Sighting]) -> CameraFault | None:
        """Take in cards of a picture (its `pyramid`) that have not been judged yet; return what is wrong with the
        camera, if anything."""
        if self._model is not None:
            self._cards += [_evidence_of(card, cards, levels, self._model) for card in cards]
        return _accepted(summed(self._cards), SURE_OVER_TIME)

    def fault_of(self, image: Image, read: Callable[[Image], Reading]) -> tuple[CameraFault | None, Reading]:
        """Read a whole picture; return what is wrong with the camera, if anything, and the reading."""
        reading, levels = read(image), levels_of(image)
        fault: CameraFault | None = "torn" if is_torn(image) else self.fault_by(levels, reading.cards)
        if fault is None and self._model is not None and all(card.face == UNREAD for card in reading.cards):
            fault = read_mirrored(levels, reading, self._model, lambda other: read(other[0])).fault
        return fault, reading

    def forget(self) -> None:
        """Reset: another camera, or the same camera with other settings."""
        self._cards.clear()


class CheckedFrames:
    """Reads one frame after another of a camera with ``read``, and puts right what its cards show to be wrong from then
    on. ``model``: as in `checked`.
    """

    def __init__(self, read: ReadLevels, model: Model | None) -> None:
        self._read, self._monitor = read, CameraMonitor(model)
        self._fault: CameraFault | None = None

    def read(self, image: Image) -> Reading:
        """Return the reading of a frame, with what is wrong with the camera."""
        levels = levels_of(image)
        if is_torn(image):
            return replace(self._read(levels), fault="torn")
        reading, found = self._look(levels)
        if found is not None:
            self._monitor.forget()
            self._fault = None if self._fault is not None else found  # somebody has set up the camera meanwhile
            reading, _ = self._look(levels)
        return reading

    def _look(self, levels: list[Image]) -> tuple[Reading, CameraFault | None]:
        seen = put_right(levels, self._fault)
        reading = self._read(seen)
        found = self._monitor.fault_by(seen, reading.cards)
        return Checked(seen, reading, self._fault, is_mended=self._fault is not None).as_seen(reading), found


class Checked(NamedTuple):
    """A picture (its `pyramid`) as its camera should have shown it, as far as it could be put right, the reading of
    that, and what is wrong with the camera."""

    levels: list[Image]
    reading: Reading
    fault: CameraFault | None = None
    is_mended: bool = False

    def as_seen(self, reading: Reading) -> Reading:
        """Return a reading of this picture with what is wrong with the camera, and its outlines in px of the picture as
        it was."""
        if self.is_mended and self.fault == "mirrored":
            reading = _mirrored(reading)
        return replace(reading, fault=self.fault, is_mended=self.is_mended)


def checked(levels: list[Image], reading: Reading, model: Model | None, read: ReadLevels) -> Checked:
    """Return what a picture and its reading show of its camera. Exchanged colors and mirroring are mended: the picture
    is read again with ``read`` as it should be, and that is kept if it fits. ``model``: None for cards of another print
    than it has learned; then only a torn picture is reported.
    """
    if is_torn(levels[0]):
        return Checked(levels, reading, "torn")
    if model is None:
        return Checked(levels, reading)
    found = evidence(levels, reading, model)
    if (fault := _accepted(found)) is None:
        if found.mirrored <= -SURE:
            return Checked(levels, reading)
        return read_mirrored(levels, reading, model, read)
    right = put_right(levels, fault)
    again = read(right)
    if _accepted(evidence(right, again, model)) is not None:
        return Checked(levels, reading, fault)
    return Checked(right, again, fault, is_mended=True)


def read_mirrored(levels: list[Image], reading: Reading, model: Model, read: ReadLevels) -> Checked:
    """Return the mirrored picture if it shows more cards than were read, with their corners in place; else this one."""
    right = put_right(levels, "mirrored")
    again = read(right)
    has_more = len(again.cards) - again.unreadable > len(reading.cards) - reading.unreadable
    if has_more and evidence(right, again, model).mirrored <= -SURE:
        return Checked(right, again, "mirrored", is_mended=True)
    return Checked(levels, reading)


def put_right(levels: list[Image], fault: CameraFault | None) -> list[Image]:
    """Return a picture as it would be without exchanged colors, or without mirroring."""
    match fault:
        case "colors-exchanged":
            return [np.ascontiguousarray(level[..., ::-1]) for level in levels]
        case "mirrored":
            return [np.ascontiguousarray(level[:, ::-1]) for level in levels]
        case _:
            return levels


def fault_of(image: Image, reading: Reading, model: Model | None) -> CameraFault | None:
    """Return what a picture and its reading show to be wrong with the camera, if anything. ``model``: as in
    `checked`."""
    if is_torn(image):
        return "torn"
    return None if model is None else _accepted(evidence(levels_of(image), reading, model))


def evidence(levels: list[Image], reading: Reading, model: Model) -> Evidence:
    """Compare the cards of a reading with what they would be in the other pictures."""
    seen, shown = list[CardEvidence](), (*reading.cards, *reading.backs)
    plain = 0
    for card in sorted(reading.cards, key=lambda card: -card.confidence)[:MOST_CARDS]:
        so_far = summed(seen)
        has_open_sides = plain < FEWEST_PLAIN
        if not has_open_sides and max(so_far) <= -SURE and len({one.color for one in seen} - {None}) >= FEWEST_COLORS:
            break
        plain += _is_plain(card)
        seen.append(_evidence_of(card, shown, levels, model if has_open_sides else None))
    return summed(seen)


def _accepted(found: Evidence, sure: float = SURE) -> CameraFault | None:
    if max(found) < sure:
        return None
    return "colors-exchanged" if found.exchanged > found.mirrored else "mirrored"


def _evidence_of(
    card: Sighting, shown: Sequence[Sighting], levels: list[Image], model: Model | None
) -> CardEvidence:  # fmt: skip
    """Return the evidence of one of the cards that are ``shown``; without a ``model`` that of its color only."""
    quad = quad_of(card.corners_px)
    crop = warp_crop(levels, quad)
    # What lies in no other outline shows this card, whichever of two lies above.
    own = uncovered(quad, [quad_of(other.corners_px) for other in shown if other is not card], IDEAL) > 0
    color = _shown_color(card, crop) if own.mean() >= LEAST_OWN else None
    exchanged = 0.0
    if color is not None:
        seen, other = (_likelihood(hue) for hue in exchanged_hues(crop, own))
        exchanged = other - seen
    mirrored = 0.0
    if model is not None and _is_plain(card):
        mirrored = IF_PLAIN
    elif model is not None and model.corner is not None:
        here, there = classify_corners(model.corner, levels, [quad, quad[[1, 0, 3, 2]]])
        mirrored = _shown(there) - _shown(here)
    return CardEvidence(color, float(exchanged), float(mirrored))


def _is_plain(card: Sighting) -> bool:
    return card.face != UNREAD and card.confidence >= PLAIN


def is_torn(image: Image) -> bool:
    """True if the lower part of a picture was lost: one color, or its last row again and again."""
    if len(image) < 2 or not np.array_equal(image[-1], image[-2]):
        return False
    repeats = (image[1:] == image[:-1]).reshape(len(image) - 1, -1).all(1)
    upper = image[: max(1, round(MARGIN * len(image)))]
    is_framed = bool((cv2.absdiff(upper, np.broadcast_to(image[-1], upper.shape)) <= ALIKE).all())
    lost = _run(repeats[::-1])
    if lost <= TORN * len(image) or is_framed or lost + 2 > len(image):
        return False
    last, above = (np.asarray(row, np.float32) for row in (image[-1], image[max(0, len(image) - lost - JPEG_PX)]))
    return bool(last.std(axis=0).max() > PLAIN_ROW or (np.abs(above - last).max(axis=1) > PLAIN_ROW).mean() > 0.5)


def misplaced(
    reading: Reading, pile_px: NDArray[np.floating], card_px: float, size: tuple[int, int]
) -> CameraFault | None:
    """Compare where the cards lie with where the calibration has the discard pile: ``upside-down`` if none lies there
    face up, but one on that place turned by 180° around the middle of the picture, where often the draw pile is;
    ``elsewhere`` if none lies on either, and all have another length than a card on the pile.

    ``pile_px``: the four corners of the place. ``card_px``: length of a card there. ``size``: of the picture (px).
    """
    face_up, quads = (
        [quad_of(card.corners_px) for card in some] for some in (reading.cards, (*reading.cards, *reading.backs))
    )
    here, there = pile_px.astype(np.float32), (np.array(size) - pile_px).astype(np.float32)
    on_place, turned = (
        any(cv2.pointPolygonTest(place, quad.mean(0).tolist(), measureDist=False) >= 0 for quad in face_up)
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


def _likelihood(hue: float | None) -> float:
    """Return the log likelihood (density per degree) of the hue of a card's panel; 0 of a card without one hue."""
    if hue is None:
        return 0.0
    usual = [
        math.exp(-(hue_difference(hue, HUES[color]) ** 2) / (2 * spread**2)) / (spread * math.sqrt(2 * math.pi))
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
