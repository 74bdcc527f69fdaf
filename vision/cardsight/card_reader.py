"""Protocol of card readers: `reader.Reader`, one for a learned deck, one that corrects another, or one of a test."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from cardsight.geometry import Image
from cardsight.sighting import Reading


class CardReader(Protocol):
    """Anything that reads the cards in a picture: `cardsight.reader.Reader`."""

    def read(
        self, bgr: Image, /, faces: Collection[str] | None = None, *, top_only: bool = False,
        long_px: float | None = None,
    ) -> Reading:  # fmt: skip
        """Read all cards in the picture. ``faces``: the deck in play, ``None`` where unknown. ``top_only``: covered
        cards need not be found. ``long_px``: the length of the cards where it is known; other sizes are not
        searched."""
