"""Watches the camera's frames: is a zone of the table still, has it changed, and what lies there if it has.

Comparing two small pictures costs a millisecond, reading cards many; so a zone is read only when it lies still and
looks different from the picture of it that was settled last.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Protocol

import cv2
import numpy as np
import numpy.typing as npt

from cardsight.sighting import Corners, Reading, Sighting
from croupier.cards import BACK, UNREAD
from croupier.devices.protocols import Frame, Image

_SHRINK: Final = 4
"""Zones are compared at a quarter of their size: 16 pixels make one, which takes the sensor's noise away."""

_DIFFERENT: Final = 16
"""Gray levels, in any color, by which a (shrunk) pixel has changed: above noise and flicker, below a card's edge."""

_NOTHING: Final = (0, 0, 0)
_ALIKE: Final = (_DIFFERENT, _DIFFERENT, _DIFFERENT)

_QUIET: Final = 0.002
"""Share of a zone that may differ while it still counts as unchanged: less than a digit of a card."""

_SIZE_MARGIN: Final = 0.15
"""A camera that stays where it is sees all cards in one size; what is longer or shorter by more than this part is not
a card: an arm, or the corner of a card that is covered."""

_CERTAIN: Final = 0.9
"""In a game a card is told only if it is read with this confidence: a wrong card costs more than a question, and the
next look at it is only a moment away."""

_EDGE_PX: Final = 6
"""A card's shadow and the blur of its edge lie so far outside its outline."""

Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels of the frame."""


class CardReader(Protocol):
    """What reads the cards in a picture: `cardsight.reader.Reader`."""

    def read(self, bgr: Image, /) -> Reading:
        """All cards in the picture."""


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """Where a zone looks different from its settled picture: a shrunk mask, and its place in the frame."""

    mask: npt.NDArray[np.bool_]
    origin: tuple[int, int] = (0, 0)

    @property
    def share(self) -> float:
        """How much of the zone has changed, 0…1."""
        return float(self.mask.mean())

    def share_in(self, *outlines: Corners) -> float:
        """Which part of the change lies inside these outlines (0 where nothing has changed)."""
        total = int(self.mask.sum())
        return float((self.mask & self._inside(outlines, _EDGE_PX)).sum()) / total if total else 0.0

    def density_in(self, outline: Corners, *, outside: Corners) -> float:
        """How much of what lies inside ``outline`` but outside the other one has changed (0 where that is nothing)."""
        region = self._inside((outline,), -_EDGE_PX) & ~self._inside((outside,), _EDGE_PX)
        size = int(region.sum())
        return float((self.mask & region).sum()) / size if size else 0.0

    def _inside(self, outlines: Iterable[Corners], margin_px: int) -> npt.NDArray[np.bool_]:
        inside = np.zeros(self.mask.shape, np.uint8)
        width = max(1, round(2 * abs(margin_px) / _SHRINK))
        for outline in outlines:
            points = np.round((np.array(outline) - self.origin) / _SHRINK - 0.5).astype(np.int32)
            cv2.fillPoly(inside, [points], 1)
            cv2.polylines(inside, [points], True, 1 if margin_px > 0 else 0, width)
        return np.asarray(inside > 0)


@dataclass(frozen=True, slots=True)
class Look:
    """A zone in one frame at ``t``. While something moves, and where nothing has changed, nothing is read:
    ``cards`` is empty and ``change`` is None. ``is_as_before``: the zone looks as it did before the picture that was
    settled last, so what was laid is gone; then nothing is read either."""

    t: float
    is_moving: bool = False
    change: Change | None = None
    cards: tuple[Sighting, ...] = ()
    is_as_before: bool = False

    @property
    def is_unchanged(self) -> bool:
        """Whether the zone lies still and looks as when it was settled."""
        return not self.is_moving and self.change is None


class ZoneWatcher:
    """Watches one zone, in which a card is ``card_px`` long. The first frame counts as settled: begin with the zone
    empty, or call `settle` later."""

    def __init__(self, zone: Box, card_px: float, reader: CardReader) -> None:
        self.zone = zone
        self._card_px = card_px
        self._reader = reader
        self._last: Image | None = None
        self._settled: Image | None = None
        self._before: Image | None = None
        self.reading: Reading | None = None
        """The last reading, in pixels of the frame, for drawing."""

    def look(self, frame: Frame) -> Look:
        """What this frame shows of the zone."""
        left, top, right, bottom = self.zone
        part = frame.image[top:bottom, left:right]
        size = ((right - left) // _SHRINK, (bottom - top) // _SHRINK)
        small = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8)
        last, self._last = self._last, small
        if self._settled is None:
            self._settled = small
        if last is None or _differs(small, last).mean() > _QUIET:
            return Look(frame.t, is_moving=last is not None)
        change = Change(_differs(small, self._settled), (left, top))
        if change.share <= _QUIET:
            return Look(frame.t)
        if self._before is not None and _differs(small, self._before).mean() <= _QUIET:
            return Look(frame.t, change=change, is_as_before=True)
        reading = self._reader.read(np.ascontiguousarray(part))
        cards, backs = (
            tuple(_cautious(_moved(card, left, top)) for card in some if self._has_size(card))
            for some in (reading.cards, reading.backs)
        )
        self.reading = replace(reading, cards=cards, backs=backs)
        return Look(frame.t, change=change, cards=cards)

    def _has_size(self, card: Sighting) -> bool:
        return abs(length_px(card.corners_px) / self._card_px - 1) <= _SIZE_MARGIN

    def settle(self) -> None:
        """From now on the zone as it was in the last frame is the picture that changes are compared with."""
        self._before, self._settled = self._settled, self._last


def _differs(a: Image, b: Image) -> npt.NDArray[np.bool_]:
    return np.asarray(cv2.inRange(cv2.absdiff(a, b), _NOTHING, _ALIKE) == 0)


def length_px(outline: Corners) -> float:
    """How long a card of this outline is: the middle of its two long edges."""
    corners = np.array(outline)
    return float(np.linalg.norm(corners[[1, 3]] - corners[[2, 0]], axis=1).mean())


def _cautious(card: Sighting) -> Sighting:
    if card.face in (BACK, UNREAD) or card.confidence >= _CERTAIN:
        return card
    return replace(card, face=UNREAD, candidates=((card.face, card.confidence),))


def _moved(card: Sighting, dx: int, dy: int) -> Sighting:
    a, b, c, d = ((x + dx, y + dy) for x, y in card.corners_px)
    return replace(card, corners_px=(a, b, c, d))
