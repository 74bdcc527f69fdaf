"""Is a deck complete? What was read against what the deck holds; counting, no pictures, no printing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cardsight.sighting import Reading
from croupier.cards import DECKS, UNREAD


@dataclass(frozen=True, slots=True)
class Audit:
    """What was read in all pictures together against ``deck``, the name of one of `croupier.cards.DECKS`.

    ``missing`` and ``extra`` count by face how many fewer or more were read than the deck holds. ``unreadable`` and
    ``face_down`` cards are there, but which they are is not known.
    """

    deck: str
    expected: int
    read: int
    unreadable: int
    face_down: int
    missing: Mapping[str, int]
    extra: Mapping[str, int]

    @property
    def unknown(self) -> int:
        """How many cards are there whose face is not known; each may be one of those that are missing."""
        return self.unreadable + self.face_down

    @property
    def complete(self) -> bool | None:
        """Whether all cards of the deck are there and no other; ``None`` where the unknown cards would decide it.

        They can decide it only where they are exactly as many as are missing: fewer cannot fill the gaps, more would
        be too many.
        """
        missing = sum(self.missing.values())
        if self.extra or missing != self.unknown:
            return False
        return None if self.unknown else True


def audit(deck: str, readings: Iterable[Reading]) -> Audit:
    """Count all cards of ``readings`` against ``deck``; a card that lies in two pictures counts twice.

    A number with the Add-a-Rule star counts as that number: which ones carry it is for each print to choose.
    """
    held = DECKS[deck]
    seen: Counter[str] = Counter()
    face_down = 0
    for reading in readings:
        seen.update(card.face.removesuffix("*") for card in reading.cards)
        face_down += len(reading.backs)
    unreadable = seen.pop(UNREAD, 0)
    return Audit(
        deck=deck,
        expected=sum(held.values()),
        read=seen.total(),
        unreadable=unreadable,
        face_down=face_down,
        missing={face: n - seen[face] for face, n in held.items() if n > seen[face]},
        extra={face: n - held.get(face, 0) for face, n in seen.items() if n > held.get(face, 0)},
    )
