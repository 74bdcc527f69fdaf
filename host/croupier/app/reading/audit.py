"""Is a deck complete? What was read in pictures against what the deck holds."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from cardsight.sighting import Reading
from croupier.app.reading.pictures import Read, Seen, count, see
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


def report(images: Sequence[str], read: Read, deck: str, *, as_json: bool = False) -> int:
    """Audit ``deck`` in what ``read`` reads in the pictures.

    Returns 0 where it is complete, 1 where it is not or that cannot be told, 2 where one of the files was no picture.
    """
    readings = []
    for seen in see(images, read, "audit"):
        if as_json:
            print(json.dumps(seen.to_json()), flush=True)
        if isinstance(seen, Seen):
            readings.append(seen.reading)
            if not as_json:
                print(seen.in_words(), flush=True)
    found = audit(deck, readings)
    all_seen = len(readings) == len(images)
    # A deck that looks incomplete is not known to be, as long as a picture could not be seen.
    complete = found.complete if all_seen else None
    if as_json:
        print(json.dumps(asdict(found) | {"complete": complete}))
    else:
        _print_audit(found, complete, len(images) - len(readings))
    if not all_seen:
        return 2
    return 0 if complete else 1


def _print_audit(found: Audit, complete: bool | None, unseen: int) -> None:
    """The answer first, then what it rests on; ``unseen`` files were no pictures."""
    answer = {True: "complete", False: "not complete", None: "cannot tell"}[complete]
    print(f"{found.deck}: {answer}. {found.read} of {found.expected} cards read.")
    if unseen:
        print(f"  {count(unseen, 'file')} could not be seen: what is missing may be there")
    for what, faces in (("missing", found.missing), ("too many", found.extra)):
        if faces:
            print(f"  {what}: {_in_words(faces)}")
    if found.unreadable:
        print(f"  not readable: {found.unreadable}; take their pictures again")
    if found.face_down:
        print(f"  face down: {found.face_down}; turn them over")
    if found.extra:
        print("  A card that lies in two pictures is counted twice.")


def _in_words(faces: Mapping[str, int]) -> str:
    return ", ".join(face if n == 1 else f"{n} x {face}" for face, n in faces.items())
