"""Is a deck complete? What was read in pictures against what the deck holds."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from cardsight.annotate import label
from cardsight.sighting import Reading
from croupier.cards import DECKS, UNREAD
from croupier.config import CONFIG
from croupier.errors import one_line
from croupier.i18n import _, language, ngettext, speaking
from croupier.pictures.condition import Condition, Remark
from croupier.pictures.readings import Read, Seen, draw, drawing_paths, with_pixels, without_pixels
from croupier.pictures.video import read_each


@dataclass(frozen=True, slots=True)
class Audit:
    """What was read in all pictures together against ``deck``, the name of one of `croupier.cards.DECKS`.

    ``missing`` and ``extra`` count by face how many fewer or more were read than the deck holds. ``unreadable`` and
    ``face_down`` cards are there, but which they are is not known. ``foreign`` cards are of another print or another
    game and count as no cards of the deck; ``worn`` ones count, but read badly.
    """

    deck: str
    expected: int
    read: int
    unreadable: int
    face_down: int
    missing: Mapping[str, int]
    extra: Mapping[str, int]
    foreign: Sequence[Remark] = ()
    worn: Sequence[Remark] = ()

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
        if self.extra or self.foreign or missing != self.unknown:
            return False
        return None if self.unknown else True


def audit(deck: str, readings: Iterable[Reading], foreign: Sequence[Remark] = (), worn: Sequence[Remark] = ()) -> Audit:
    """Count all cards of ``readings`` but the ``foreign`` ones against ``deck``; one in two pictures counts twice.

    A number with the Add-a-Rule star counts as that number: which ones carry it is for each print to choose.
    """
    held = DECKS[deck]
    seen: Counter[str] = Counter()
    face_down = 0
    for reading in readings:
        seen.update(card.face.removesuffix("*") for card in reading.cards)
        face_down += len(reading.backs)
    seen.subtract(remark.card.removesuffix("*") for remark in foreign if remark.card is not None)
    seen += Counter()  # without what is none
    unreadable = seen.pop(UNREAD, 0)
    return Audit(
        deck=deck,
        expected=sum(held.values()),
        read=seen.total(),
        unreadable=unreadable,
        face_down=face_down,
        missing={face: n - seen[face] for face, n in held.items() if n > seen[face]},
        extra={face: n - held.get(face, 0) for face, n in seen.items() if n > held.get(face, 0)},
        foreign=foreign,
        worn=worn,
    )


def report(
    images: Sequence[str],
    read: Read,
    deck: str,
    condition: Condition | None = None,
    *,
    as_json: bool = False,
    picture: str | None = None,
    config: Path = CONFIG,
) -> int:
    """Audit ``deck`` in what ``read`` reads in the pictures and videos; ``condition`` tells foreign and worn cards.

    Returns 0 where it is complete, 1 where it is not or that cannot be told, 2 where one of the files was no picture.
    """
    drawings = [] if picture is None else drawing_paths(picture, images)
    pictures: list[tuple[int, Seen]] = []
    unseen = 0
    for place, seen in read_each(images, read, "audit", config):
        if as_json:
            print(json.dumps(seen.to_json()), flush=True)
        if not isinstance(seen, Seen):
            unseen += 1
            continue
        if not as_json:
            print(seen.in_words(), flush=True)
        pictures.append((place, without_pixels(seen)))
        if condition is not None:
            condition.add(seen)
    with speaking("en" if as_json else language()):
        remarks = ((), ()) if condition is None else (condition.foreign(), condition.worn())
    found = audit(deck, [seen.reading for _place, seen in pictures], *remarks)
    # A deck that looks incomplete is not known to be, as long as a picture could not be seen.
    complete = None if unseen else found.complete
    if as_json:
        told = asdict(found) | {
            "foreign": [r.to_json() for r in found.foreign],
            "worn": [r.to_json() for r in found.worn],
        }
        print(json.dumps(told | {"complete": complete}))
    elif unseen and not pictures:
        print(_("{deck}: cannot tell. Nothing was read: no file could be seen.", deck=found.deck))
    else:
        _print_audit(found, complete, unseen)
    for place, seen in pictures if drawings else ():
        draw(with_pixels(seen), drawings[place], _labels(seen, found))
    return 2 if unseen else 0 if complete else 1


def _labels(seen: Seen, found: Audit) -> list[str]:
    """What stands on each card of a picture: its face, and whether it is foreign or worn."""
    words = {
        remark.corners_px: word
        for word in ("worn", "foreign")
        for remark in getattr(found, word)
        if remark.image == seen.image
    }
    return [f"{label(card)} {words.get(card.corners_px, '')}".strip() for card in seen.reading.cards]


def _print_audit(found: Audit, complete: bool | None, unseen: int) -> None:
    """The answer first, then what it rests on; ``unseen`` files were no pictures."""
    answer = {True: _("complete"), False: _("not complete"), None: _("cannot tell")}[complete]
    read = _("{n} of {all} cards read.", n=found.read, all=found.expected)
    print(f"{found.deck}: {answer}. {read}")
    if unseen:
        lost = ngettext(
            "{n} file could not be seen: what is missing may be there",
            "{n} files could not be seen: what is missing may be there",
            unseen,
        )
        print(f"  {lost}")
    for what, faces in ((_("missing"), found.missing), (_("too many"), found.extra)):
        if faces:
            print(f"  {what}: {_in_words(faces)}")
    if found.unreadable:
        again = _("not readable: {n}; take their pictures again", n=found.unreadable)
        print(f"  {again}")
    if found.face_down:
        turn = _("face down: {n}; turn them over", n=found.face_down)
        print(f"  {turn}")
    for what, remarks in ((_("foreign"), found.foreign), (_("worn"), found.worn)):
        for remark in remarks:
            x, y = (sum(axis) / 4 for axis in zip(*remark.corners_px, strict=True))
            where = _("{image} at {x}, {y}", image=one_line(remark.image), x=round(x), y=round(y))
            card = remark.card or _("a card")
            print(f"  {what}: {card}, {where}: {'; '.join(remark.why)}")
    if found.extra:
        print("  " + _("A card that lies in two pictures is counted twice."))


def _in_words(faces: Mapping[str, int]) -> str:
    return ", ".join(face if n == 1 else f"{n} x {face}" for face, n in faces.items())
