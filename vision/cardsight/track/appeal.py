"""Appeal: what the kept frames of the discard pile show of a card that was laid.

The pictures are read again, thoroughly: also where other cards cover the card. They are not independent: one lamp, one
angle and one blur are in all of them. Together they therefore count as at most `INDEPENDENT` pictures, whatever their
number, and the mean of their log odds counts, not the sum.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final

from cardsight.card_reader import CardReader
from cardsight.geometry import Image
from cardsight.sighting import Corners, Sighting
from cardsight.track.blocks import Part
from cardsight.track.cards import is_same_place, mean_distance, read_part
from cardsight.track.clip import ClipBuffer
from croupier_rules.cards import BACK, FACES, UNREAD

INDEPENDENT: Final = 3.0
"""Number of independent pictures that the pictures of one card count as, at most."""

SURE: Final = 12.0
"""Log odds from which the record is changed. `croupier bench appeal` counts what they decide."""
MOST_OTHERS: Final = 0.1
"""Fraction of the named pictures that may show another face: where more do, another card may have been laid there
unseen."""
LEAST_PICTURES: Final = 2
"""Number of pictures that must show the face, as for a play."""

_NEAR: Final = 0.15
"""Distance (card lengths) from the reported outline within which the card is read; a camera may sway."""
_LEAST_CHANCE: Final = 1e-4
"""Probability that one picture leaves to a face that it does not name."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the pictures show of a card: the likeliest ``face``, ``?`` if it was read in none.

    ``shown``: number of pictures that show this face; ``pictures``: number in which a card was seen in its place;
    ``log_odds``: of this face against the next likely one. ``is_sure``: the record may be changed.
    """

    face: str = UNREAD
    shown: int = 0
    pictures: int = 0
    log_odds: float = 0.0
    is_sure: bool = False


class Appeals:
    """Reads the kept frames of ``clips`` again. Thread-safe; one appeal at a time.

    ``make_reader``: returns a card reader for the first appeal: it reads beside that of play. ``faces``: those of the
    deck in play.
    """

    def __init__(
        self, clips: ClipBuffer, make_reader: Callable[[], CardReader], faces: Collection[str] | None = None
    ) -> None:
        self._clips, self._make_reader, self._faces = clips, make_reader, faces
        self._reader: CardReader | None = None
        self._lock = Lock()

    def judge(self, t: float, now: float | None = None) -> Verdict | None:
        """Read the card that touched at ``t`` again; None if its frames are not kept. ``now``: as `ClipBuffer.clip`."""
        with self._lock:
            if (kept := self._clips.pictures_of(t, now)) is None:
                return None
            if self._reader is None:
                self._reader = self._make_reader()
            part, outline, images = kept
            return weigh(_sightings(self._reader, part, outline, images, self._faces), self._faces)


def _sightings(
    reader: CardReader, part: Part, outline: Corners, images: Iterable[Image], faces: Collection[str] | None
) -> list[Sighting]:
    """The card with this outline in each of the pictures in which it is seen."""
    found = []
    for image in images:
        reading = read_part(reader, part, part.card_px, image, faces, top_only=False)
        near = [card for card in reading.cards if is_same_place(card.corners_px, outline, _NEAR)]
        found += sorted(near, key=lambda card: mean_distance(card.corners_px, outline))[:1]
    return found


def weigh(sightings: Sequence[Sighting], faces: Collection[str] | None = None) -> Verdict:
    """Weigh the sightings of one card in several pictures. ``faces``: those of the deck in play."""
    n_faces = len(set(faces or FACES))
    chances = [
        dict(card.candidates) if card.face == UNREAD else {card.face: card.confidence}
        for card in sightings
        if card.face != BACK
    ]
    named = Counter(card.face for card in sightings if card.face not in (UNREAD, BACK))
    log_odds: dict[str, float] = defaultdict(float)
    for seen in chances:
        rest = max((1 - sum(seen.values())) / max(n_faces - len(seen), 1), _LEAST_CHANCE)
        for face, chance in seen.items():
            log_odds[face] += math.log(max(chance, _LEAST_CHANCE) / rest)
    if not log_odds:
        return Verdict(pictures=len(sightings))
    weight = min(len(chances), INDEPENDENT) / len(chances)
    (face, best), (_, next_) = [*sorted(log_odds.items(), key=lambda one: -one[1]), (UNREAD, 0.0)][:2]
    odds, shown = weight * (best - max(next_, 0.0)), named[face]
    is_sure = odds >= SURE and shown >= max(LEAST_PICTURES, (1 - MOST_OTHERS) * named.total())
    return Verdict(face, shown, len(sightings), round(odds, 2), is_sure)
