"""Watches a part of the table where cards are laid open: is it still, has it changed, and what lies there if it has."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from cardsight.rectify import Image
from cardsight.sighting import Reading, Sighting
from cardsight.track.blocks import Box, Part, Small, differs
from cardsight.track.cards import CardReader, read_part

_QUIET: Final = 0.002
"""Share of the zone that may differ while it still counts as unchanged: less than a digit of a card."""


@dataclass(frozen=True, slots=True)
class Look:
    """The zone in one frame at ``t``. While something moves, and where nothing has changed, nothing is read."""

    t: float
    is_moving: bool = False
    is_changed: bool = False
    cards: tuple[Sighting, ...] = ()

    @property
    def is_unchanged(self) -> bool:
        """Whether the zone lies still and looks as at the beginning."""
        return not self.is_moving and not self.is_changed


class Zone:
    """Watches the part ``box`` of the frames, in which a card is ``card_px`` long. How it looks in the first frame is
    how it looks empty. ``faces``: those of the deck in play."""

    def __init__(self, box: Box, card_px: float, reader: CardReader, *, faces: Collection[str] | None = None) -> None:
        self._part, self._card_px, self._reader, self._faces = Part(box, card_px), card_px, reader, faces
        self._empty: Small | None = None
        self._last: Small | None = None
        self._read: tuple[Small, Reading] | None = None
        """How the zone looked when it was last read, and what was read, in pixels of the frame."""

    def reading_in(self, image: Image) -> Reading | None:
        """What was last read, as far as ``image`` still shows it so, for drawing; None where the cards are gone."""
        read = self._read
        if read is None or differs(self._part.shrunk(image), read[0]).mean() > _QUIET:
            return None
        return read[1]

    def look(self, t: float, image: Image) -> Look:
        """What this frame shows of the zone."""
        small = self._part.shrunk(image)
        last, self._last = self._last, small
        if self._empty is None:
            self._empty = small
        if last is not None and differs(small, last).mean() > _QUIET:
            return Look(t, is_moving=True)
        if differs(small, self._empty).mean() <= _QUIET:
            return Look(t)
        reading = read_part(self._reader, self._part, self._card_px, image, self._faces, top_only=False)
        self._read = small, reading
        return Look(t, is_changed=True, cards=reading.cards)
