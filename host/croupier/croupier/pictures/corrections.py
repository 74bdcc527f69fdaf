"""Corrections that teach: cards of the pile that people named, kept in a file at the table.

Only where the configuration names the file. The straightened crop of the card is kept, nothing around it. The file has
the form of a deck profile: a copy can be passed on, without the file everything is forgotten, and `croupier enroll
--forget` forgets a face.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Final

from cardsight.card_reader import CardReader
from cardsight.enroll.corrected_reader import CorrectedReader
from cardsight.enroll.profile import load_cards, to_bytes
from cardsight.errors import NotAProfile
from cardsight.geometry import Image
from cardsight.light import White, WhiteBalancedReader, balanced
from cardsight.model import fingerprint
from cardsight.sighting import Corners, Reading
from croupier.errors import BadProfile
from croupier.files import put
from croupier.i18n import from_others

_PRIVATE: Final = 0o600
"""Mode of the file: the pictures are nobody else's."""


class LearningReader:
    """The card reader of a table that learns from corrections. ``path``: their file, made by the first one. ``white``:
    as of `WhiteBalancedReader`.

    Raises `BadProfile` if the file exists and cannot be used.
    """

    def __init__(self, reader: CardReader, path: Path, white: White | None = None) -> None:
        try:
            cards = load_cards(path)[0] if path.exists() else ()
        except NotAProfile as fault:
            raise BadProfile(f"{path}: {from_others(str(fault))}") from fault
        self._path, self._white, self._corrected = path, white, CorrectedReader(reader, cards)
        self._reader = self._corrected if white is None else WhiteBalancedReader(self._corrected, white)

    def read(
        self, bgr: Image, /, faces: Collection[str] | None = None, *, top_only: bool = False,
        long_px: float | None = None,
    ) -> Reading:  # fmt: skip
        """See `CardReader.read`."""
        return self._reader.read(bgr, faces, top_only=top_only, long_px=long_px)

    def learn(self, bgr: Image, outline: Corners, face: str) -> None:
        """Learn the card with this outline (px), which people named, and write the file. Raises `CannotWrite`."""
        if self._corrected.learn(bgr if self._white is None else balanced(bgr, self._white), outline, face):
            put(self._path, to_bytes(self._corrected.cards, fingerprint()), _PRIVATE)
