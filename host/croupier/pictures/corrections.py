"""Corrections that teach: cards of the pile that people named, learned into the deck profile of the table.

Only where the configuration says so. The straightened crop of the card is kept, nothing around it. The profile stays a
file at the table: a copy can be passed on, without the file everything is forgotten, and `croupier enroll --forget`
forgets a face.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from cardsight.enroll import DeckProfile, DeckReader
from cardsight.enroll.profile import extract_features
from cardsight.geometry import Image, pyramid, quad_of, warp_crop
from cardsight.light import White, WhiteBalancedReader, balanced
from cardsight.model import fingerprint
from cardsight.reader import Reader
from cardsight.sighting import Corners, Reading
from croupier.files import put
from croupier.pictures.enroll import ENOUGH
from croupier.pictures.table_reader import load_profile, shipped_model

_PRIVATE = 0o600
"""Mode of the file."""


class LearningReader:
    """The card reader of a table with the deck profile in the file ``path``, which corrections extend. ``white``: as of
    `WhiteBalancedReader`.

    Raises `ModelNotFound`, or `BadProfile` if the file exists and cannot be used.
    """

    def __init__(self, path: Path, white: White | None = None) -> None:
        model = shipped_model()
        self._path, self._white = path, white
        self._profile = load_profile(path, model) if path.exists() else DeckProfile(model.reader)
        reader = DeckReader(Reader(model), self._profile)
        self._reader = reader if white is None else WhiteBalancedReader(reader, white)

    def read(
        self, bgr: Image, /, faces: Collection[str] | None = None, *, top_only: bool = False,
        long_px: float | None = None,
    ) -> Reading:  # fmt: skip
        """See `CardReader.read`."""
        return self._reader.read(bgr, faces, top_only=top_only, long_px=long_px)

    def learn(self, bgr: Image, outline: Corners, face: str) -> None:
        """Learn the card with this outline (px), which people named, and write the file, for its owner only. Raises
        `CannotWrite`."""
        if learn(self._profile, bgr if self._white is None else balanced(bgr, self._white), outline, face):
            put(self._path, self._profile.to_bytes(fingerprint()), _PRIVATE)


def learn(profile: DeckProfile, bgr: Image, outline: Corners, face: str) -> bool:
    """Learn a card that people named. False if it resembles another learned face, or enough of ``face`` are known."""
    crop = warp_crop(pyramid(bgr), quad_of(outline))
    known = sum(card.face == face for card in profile.cards)
    if known >= ENOUGH or profile.conflicting_face(face, extract_features(profile.net, crop)) is not None:
        return False
    profile.learn(face, crop)
    return True
