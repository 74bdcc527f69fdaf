"""`croupier audit`: compares the cards in pictures with the cards of a deck."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from cardsight.annotate import label
from cardsight.decision import limited
from cardsight.doubts import SURE
from cardsight.sighting import Reading
from croupier.config import CONFIG
from croupier.errors import one_line
from croupier.i18n import _, language, ngettext, speaking
from croupier.pictures.readings import Read, Seen, Still, draw, drawing_paths, face_in_words
from croupier_rules.cards import UNREAD
from croupier_rules.deck_list import DeckList
from croupier_tally.condition import Condition, Remark
from croupier_tally.readings import camera_fault, in_words, is_at_edge, is_faulty, with_pixels, without_pixels
from croupier_tally.sources import read_sources


@dataclass(frozen=True, slots=True)
class Audit:
    """The cards of all pictures compared with the deck of the name ``deck``.

    ``missing`` and ``extra``: by face, how many fewer or more cards were read than the deck has. ``unreadable`` and
    ``face_down``: numbers of cards whose face is not known. ``cut_off``: the number of cards that the edge of a picture
    cuts off; they may be whole in another picture. ``foreign``: cards of another print or another game, which do not
    count. ``worn``: cards that count, but are hard to read. ``may_hide``: cards lie on each other in a picture, so that
    missing ones may lie hidden.
    """

    deck: str
    expected: int
    read: int
    unreadable: int
    face_down: int
    cut_off: int
    missing: Mapping[str, int]
    extra: Mapping[str, int]
    foreign: Sequence[Remark] = ()
    worn: Sequence[Remark] = ()
    may_hide: bool = False

    @property
    def unknown(self) -> int:
        """The number of cards whose face is not known. Each may be a missing one."""
        return self.unreadable + self.face_down

    @property
    def complete(self) -> bool | None:
        """True if the deck is complete and has no other cards; ``None`` if that depends on the unknown cards.

        It depends on them only if exactly as many cards are unknown as are missing, or some that were cut off more, or
        if more may lie hidden.
        """
        missing = sum(self.missing.values())
        more = missing - self.unknown
        if self.extra or self.foreign or not (0 <= more <= self.cut_off or (more > 0 and self.may_hide)):
            return False
        return None if missing else True


def audit(
    deck: DeckList, readings: Iterable[Reading], foreign: Sequence[Remark] = (), worn: Sequence[Remark] = ()
) -> Audit:
    """Compare all cards of ``readings`` but the ``foreign`` ones with ``deck``. A card in two pictures counts twice.

    A number with the Add-a-Rule star counts as that number, since prints differ in which numbers have the star. Of a
    deck whose cards have two faces, the sides count that were shown.
    """
    readings = list(readings)
    seen: Counter[str] = Counter()
    face_down = 0
    cut_off = 0
    for reading in readings:
        seen.update(card.face.removesuffix("*") for card in reading.cards)
        cut_off += sum(card.face == UNREAD and is_at_edge(card, reading.size) for card in reading.cards)
        face_down += len(reading.backs)
    seen.subtract(remark.card.removesuffix("*") for remark in foreign if remark.card is not None)
    seen += Counter()  # drops counts of 0 and less
    unreadable = seen.pop(UNREAD, 0) - cut_off
    held = deck.seen(seen.keys())
    return Audit(
        deck=deck.name,
        expected=sum(held.values()),
        read=seen.total(),
        unreadable=unreadable,
        face_down=face_down,
        cut_off=cut_off,
        missing={face: n - seen[face] for face, n in held.items() if n > seen[face]},
        extra={face: n - held.get(face, 0) for face, n in seen.items() if n > held.get(face, 0)},
        foreign=foreign,
        worn=worn,
        may_hide=any(reading.may_hide for reading in readings),
    )


def report(
    images: Sequence[str],
    read: Read,
    deck: DeckList,
    condition: Condition | None = None,
    *,
    still: Still | None = None,
    as_json: bool = False,
    picture: str | None = None,
    config: Path = CONFIG,
) -> int:
    """Audit ``deck`` in pictures and videos and print the result; ``condition`` finds foreign and worn cards.
    ``still``: reads pictures, if not ``read``.

    Return the exit status: 0 complete, 1 not complete or not certain, 2 one of the files is not a picture.
    """
    drawings = [] if picture is None else drawing_paths(picture, images)
    pictures: list[tuple[int, Seen]] = []
    unseen = faulty = 0
    for place, seen in read_sources(images, read, "audit", config, still=still):
        if as_json:
            print(json.dumps(seen.to_json()), flush=True)
        if not isinstance(seen, Seen):
            unseen += 1
            continue
        if not as_json:
            print(in_words(seen), flush=True)
            if fault := camera_fault(seen.reading):
                print(f"  {fault}", flush=True)
        faulty += is_faulty(seen.reading)
        pictures.append((place, without_pixels(seen)))
        if condition is not None:
            condition.add(seen)
    with speaking("en" if as_json else language()):
        remarks = ((), ()) if condition is None else (condition.foreign(), condition.worn())
    held = Counter(deck.cards) + Counter(r.card.removesuffix("*") for r in remarks[0] if r.card is not None)
    readings = limited([seen.reading for _place, seen in pictures], held, below=SURE)
    pictures = [(place, replace(seen, reading=one)) for (place, seen), one in zip(pictures, readings, strict=True)]
    found = audit(deck, readings, *remarks)
    # Missing cards may be in a picture that could not be read, or in the part of one that is lost.
    complete = None if unseen or faulty else found.complete
    if as_json:
        result = asdict(found) | {
            "foreign": [r.to_json() for r in found.foreign],
            "worn": [r.to_json() for r in found.worn],
        }
        print(json.dumps(result | {"complete": complete}))
    elif unseen and not pictures:
        print(_("{deck}: cannot tell. Nothing was read: no file could be opened.", deck=found.deck))
    else:
        print_audit(found, complete, unseen)
    for place, seen in pictures if drawings else ():
        draw(with_pixels(seen), drawings[place], _labels(seen, found))
    return 2 if unseen else 0 if complete else 1


def _labels(seen: Seen, found: Audit) -> list[str]:
    """Return the label of each card of a picture: its face, and whether it is foreign or worn."""
    remarks = [("worn", remark) for remark in found.worn] + [("foreign", remark) for remark in found.foreign]
    words = {remark.corners_px: word for word, remark in remarks if remark.image == seen.image}
    return [f"{label(card)} {words.get(card.corners_px, '')}".strip() for card in seen.reading.cards]


def print_audit(found: Audit, complete: bool | None, unseen: int) -> None:
    """Print the answer first, then its reasons. ``unseen``: number of files that were not pictures."""
    answer = {True: _("complete"), False: _("not complete"), None: _("cannot tell")}[complete]
    read = _("{n} of {all} cards read.", n=found.read, all=found.expected)
    print(f"{found.deck}: {answer}. {read}")
    if unseen:
        lost = ngettext(
            "{n} file could not be opened: the missing cards may be there",
            "{n} files could not be opened: the missing cards may be there",
            unseen,
        )
        print(f"  {lost}")
    for what, faces in ((_("missing"), found.missing), (_("too many"), found.extra)):
        if faces:
            print(f"  {what}: {_in_words(faces)}")
    if found.unreadable:
        again = _("unreadable: {n}; take new pictures of them", n=found.unreadable)
        print(f"  {again}")
    if found.cut_off and found.missing:
        edge = ngettext(
            "{n} card is cut off by the edge of a picture: it may be a missing one; take that picture again",
            "{n} cards are cut off by the edge of a picture: they may be missing ones; take those pictures again",
            found.cut_off,
        )
        print(f"  {edge}")
    if found.may_hide and found.missing:
        print("  " + _("cards overlap: missing ones may be hidden; spread them and take the picture again"))
    if found.face_down:
        turn = _("face down: {n}; turn them face up", n=found.face_down)
        print(f"  {turn}")
    for what, remarks in ((_("not of this deck"), found.foreign), (_("worn"), found.worn)):
        for remark in remarks:
            x, y = (sum(axis) / 4 for axis in zip(*remark.corners_px, strict=True))
            where = _("{image} at {x}, {y}", image=one_line(remark.image), x=round(x), y=round(y))
            card = face_in_words(remark.card) if remark.card else _("a card")
            print(f"  {what}: {card}, {where}: {'; '.join(remark.why)}")
    if found.extra:
        print("  " + _("A card that appears in two pictures is counted twice."))


def _in_words(faces: Mapping[str, int]) -> str:
    return ", ".join(f"{n} x {face_in_words(face)}" if n > 1 else face_in_words(face) for face, n in faces.items())
