"""`croupier enroll`: learns the user's own deck from pictures of its cards."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

from cardsight.enroll.outlines import SAME, is_same, outlines
from cardsight.enroll.profile import CardFeatures, DeckProfile, LookAlikes, extract_features
from cardsight.geometry import Quad, corners_of, length, overlap, pyramid, quad_of, warp_crop
from cardsight.model import Model, fingerprint
from cardsight.sighting import Reading, Sighting
from croupier.config import CONFIG
from croupier.ctrl_c import Ask
from croupier.errors import BadNames, BadProfile, nearest_names, one_line
from croupier.i18n import _, ngettext
from croupier.output_files import write_over
from croupier.pictures.readings import Read, Seen, draw, drawing_paths, in_rows
from croupier.pictures.table_reader import load_profile
from croupier_rules.cards import BACK, UNREAD
from croupier_rules.deck_list import DeckList
from croupier_tally.readings import with_pixels, without_pixels
from croupier_tally.sources import read_sources

ENOUGH: Final = 4
"""Number of pictures of a face that are kept; more make no difference."""

_EXAMPLE: Final = "table.jpg: red-7 wild"
_COUNTED: Final = re.compile(r"(?P<face>.+?)([ _]\(?\d+\)?)?")
"""Several files of one face: ``red-7.jpg``, ``red-7_2.jpg``, ``red-7 (2).jpg``."""


def named_by_file(image: str, deck: DeckList) -> tuple[str, ...]:
    """Return the face that the name of a picture file states, if it states one of the ``deck``."""
    found = _COUNTED.fullmatch(Path(image).stem.lower())
    face = found["face"] if found else ""
    return (face,) if deck.names(face) else ()


def _unknown_card(face: str, deck: DeckList) -> str:
    near = nearest_names(face, (*deck.shown, BACK)) or [*islice(deck.cards, 2), BACK]
    return _("unknown card {face}; expected such as {examples}", face=repr(one_line(face)), examples=", ".join(near))


class Names:
    """The faces of a ``deck`` in pictures as people named them: in a list by file name, else by the file's name."""

    def __init__(self, deck: DeckList, listed: Mapping[str, tuple[str, ...]] | None = None) -> None:
        self.deck, self._listed = deck, listed or {}

    def of(self, image: str) -> tuple[str, ...]:
        """Return the faces of a picture in rows from the top, each from the left; empty if it is not named."""
        return self._listed.get(Path(image).name) or named_by_file(image, self.deck)


def read_names(path: str, deck: DeckList) -> Names:
    """Read a list of cards of a ``deck`` with a line for each picture: ``table-1.jpg: red-7 blue-2 wild``. Empty lines
    and ``#`` are skipped.

    Raises `BadNames`, which states the line.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as fault:
        why = getattr(fault, "strerror", None) or _("not UTF-8 text")
        wanted = _("{why}; expected a list with lines such as {example}", why=why, example=_EXAMPLE)
        raise BadNames(f"--names {path}: {wanted}") from fault
    listed: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        picture, colon, faces = line.rpartition(":")
        if not colon or not faces.split():
            wanted = _("line {n}: expected a picture and its cards, such as {example}", n=number, example=_EXAMPLE)
            raise BadNames(f"--names {path}: {wanted}")
        named = tuple(faces.replace(",", " ").split())
        for face in named:
            if not deck.names(face):
                wanted = _("line {n}: {why}", n=number, why=_unknown_card(face, deck))
                raise BadNames(f"--names {path}: {wanted}")
        listed[Path(picture.strip()).name] = named
    return Names(deck, listed)


@dataclass(frozen=True, slots=True)
class EnrolledCard:
    """A card in a picture: its place, its face (``?``: not known), and why it was not learned, if it was not."""

    sighting: Sighting
    face: str
    why_not: str = ""

    def to_json(self) -> dict[str, Any]:
        """Its part of the line of `croupier enroll --json`."""
        fields = {"card": self.face, "read": self.sighting.face, "learned": not self.why_not}
        corners = [[round(x, 1), round(y, 1)] for x, y in self.sighting.corners_px]
        return fields | ({"why_not": self.why_not} if self.why_not else {}) | {"quad": corners}


@dataclass(slots=True)
class Enrollment:
    """Adds the cards of pictures to ``profile``.

    ``names``: faces that people named. ``ask``: asks for faces that the reader is not sure of, until Ctrl-D or Ctrl-C.
    ``learned``: number of cards added.
    """

    profile: DeckProfile
    names: Names
    ask: Ask | None = None
    learned: int = 0
    _first_seen: dict[str, str] = field(default_factory=dict)

    def take(self, seen: Seen) -> list[EnrolledCard]:
        """Learn the cards of a picture. Return all its cards, in rows."""
        named = self.names.of(seen.image)
        cards = cards_in(seen, named)
        if named and len(named) != len(cards):
            seen_, named_ = len(cards), len(named)
            why = _("named: {n}, seen: {seen}; take the picture again, or name all the cards", n=named_, seen=seen_)
            return [EnrolledCard(card, UNREAD, why) for card in cards]
        levels = pyramid(seen.picture)
        taken = []
        for place, card in enumerate(cards):
            face = named[place] if named else self._decide_face(f"{one_line(seen.image)}: card {place + 1}", card)
            straight = warp_crop(levels, quad_of(card.corners_px))
            why_not = self._objection(face, extract_features(self.profile.net, straight))
            if not why_not:
                self.profile.learn(face, straight)
                self._first_seen.setdefault(face, seen.image)
                self.learned += 1
            taken.append(EnrolledCard(card, face, why_not))
        return taken

    def _decide_face(self, where: str, card: Sighting) -> str:
        """Return the face of a card: that of the reader, or else that of a person at the terminal."""
        if self.names.deck.own and card.face != UNREAD:
            # The reader would call a card of a color or a sign that it has not learned by the nearest that it has.
            card = replace(card, face=UNREAD, candidates=((card.face, card.confidence),))
        if card.face != UNREAD or self.ask is None:
            return card.face
        likeliest = card.candidates[0][0] if card.candidates else "-"
        question = _("{where} (row by row): which is it? Enter for {likeliest}, - for none:", where=where,
                     likeliest=likeliest)  # fmt: skip
        while True:
            try:
                answer = self.ask(f"{question} ").strip().lower() or likeliest
            except (EOFError, KeyboardInterrupt):
                self.ask = None
                return UNREAD
            if answer == "-":
                return UNREAD
            if self.names.deck.names(answer):
                return answer
            question = f"{_unknown_card(answer, self.names.deck)}:"

    def _objection(self, face: str, seen: CardFeatures) -> str:
        """Return why a card named ``face`` is not learned; "" if there is no objection."""
        if face == UNREAD:
            return _("which card it is is not sure; say it in --names or in the name of the file")
        if sum(card.face == face for card in self.profile.cards) >= ENOUGH:
            return _("{face} has been learned from {n} pictures, which is enough", face=face, n=ENOUGH)
        other = self.profile.conflicting_face(face, seen)
        if other is None:
            return ""
        where = one_line(self._first_seen.get(other, _("an earlier picture")))
        return _(
            "said to be {face}, but it looks like {other} of {where}; name it again, or --forget {other}; if the deck "
            "prints both alike, give them one name",
            face=face,
            other=other,
            where=where,
        )


def cards_in(seen: Seen, names: Sequence[str]) -> tuple[Sighting, ...]:
    """Return the cards of a picture in rows. ``names``: of its cards, if people named them.

    Backs do not count if nobody named one and the other cards are as many as the names. If as many cards were named as
    there are outlines of cards, the outlines count: the reader may not see the cards of an unusual print at all. A part
    of a card that the reader sees is no outline of a card: half of the oval has its shape, too.
    """
    named = len(names)
    has_no_back = named == len(seen.reading.cards) and BACK not in names
    read = seen.reading.cards if has_no_back else (*seen.reading.cards, *seen.reading.backs)
    shapes = [quad for quad in outlines(seen.picture) if not _is_part_of(quad, read)] if named else []
    if named == 1:
        shapes = shapes[:1]
    if named and len(shapes) == named:
        shown = [
            next((card for card in read if is_same(quad_of(card.corners_px), quad)), None)
            or Sighting(UNREAD, 0.0, corners_of(quad))
            for quad in shapes
        ]
        if len(read) != named or any(card.face == UNREAD for card in read):
            read = tuple(shown)
    return in_rows(read)


def _is_part_of(quad: Quad, cards: Sequence[Sighting]) -> bool:
    wholes = [quad_of(card.corners_px) for card in cards]
    return any(length(quad) < length(one) and overlap(quad, one) > SAME and not is_same(quad, one) for one in wholes)


def open_profile(
    path: Path, model: Model, deck: DeckList, forget: Sequence[str] = (), *, renew: bool = False
) -> DeckProfile:
    """Load a profile of a ``deck`` without the faces in ``forget``; return an empty profile if the file does not exist.

    Raises:
        BadNames: a face to forget is neither of the deck nor of the profile.
        BadProfile: the file cannot be used, or there is none to forget or to renew anything in.
    """
    is_there = path.exists()
    profile = load_profile(path, model, renew=renew) if is_there else DeckProfile(model.reader)
    for face in forget:
        if not deck.names(face) and face not in profile.faces:
            raise BadNames(_unknown_card(face, deck))
        profile.forget(face)
    if not is_there and (forget or renew):
        raise BadProfile(f"{path}: " + _("no such file; make it with croupier enroll from pictures of the cards"))
    return profile


def report(
    images: Sequence[str],
    read: Read,
    profile: DeckProfile,
    path: Path,
    deck: DeckList,
    names: Names,
    *,
    ask: Ask | None = None,
    as_json: bool = False,
    picture: str | None = None,
    config: Path = CONFIG,
) -> int:
    """Learn the cards of the pictures, write ``profile`` to ``path``, print a summary, and then make the drawings.

    An interruption still saves the profile. Return the exit status: 0 if every face of ``deck`` has been learned, 1 if
    faces are missing or look alike, or a card was rejected, 2 if one of the files is not a picture.

    Raises:
        BadProfile: no card was learned, so that there is nothing to write.
        CannotWrite: a file cannot be written.
    """
    drawings = [] if picture is None else drawing_paths(picture, images)
    enrolling = Enrollment(profile, names, ask)
    to_draw: list[tuple[Path, Seen, list[EnrolledCard]]] = []
    objections = unseen = 0
    try:
        for place, seen in read_sources(images, read, "enroll", config):
            if not isinstance(seen, Seen):
                unseen += 1
                if as_json:
                    print(json.dumps(seen.to_json()), flush=True)
                continue
            taken = enrolling.take(seen)
            objections += sum(bool(card.why_not) for card in taken)
            if as_json:
                print(json.dumps({"image": seen.image, "cards": [card.to_json() for card in taken]}), flush=True)
            else:
                _print_taken(seen.image, taken)
            if drawings:
                to_draw.append((drawings[place], without_pixels(seen), taken))
    except BaseException:  # mostly Ctrl-C; what was shown so far must not be lost
        if enrolling.learned:
            _save(profile, path, deck, as_json)
        raise
    is_of_use = bool(profile.cards) or path.exists()  # of a file, the last face may have been forgotten
    is_complete = is_of_use and _save(profile, path, deck, as_json)
    for drawing, seen, taken in to_draw:
        _draw(with_pixels(seen), taken, drawing)
    if not is_of_use:
        wanted = _("not written, since no card was learned; give pictures that show whole cards, and name these cards")
        raise BadProfile(f"{path}: {wanted}")
    return 2 if unseen else 0 if is_complete and not objections else 1


def _save(profile: DeckProfile, path: Path, deck: DeckList, as_json: bool) -> bool:
    """Write the profile and print its summary. Return True if all faces of the deck are learned and none look alike.
    Raises `CannotWrite`."""
    write_over(path, profile.to_bytes(fingerprint()), "--deck-profile")
    missing, alike = [face for face in deck.cards if face not in profile.faces], profile.look_alikes()
    if as_json:
        learned = dict(Counter(card.face for card in profile.cards))
        pairs = [{"cards": [*pair.faces], "similarity": round(pair.similarity, 3)} for pair in alike]
        fields = {"profile": str(path), "deck": deck.name, "learned": learned, "missing": missing, "look_alike": pairs}
        print(json.dumps(fields))
    else:
        _print_summary(path, deck, profile, missing, alike)
    return not missing and not alike


def _print_taken(image: str, taken: Sequence[EnrolledCard]) -> None:
    learned = sum(not card.why_not for card in taken)
    cards = ngettext("{n} card", "{n} cards", len(taken))
    print(_("{image}: {cards}, {n} learned", image=one_line(image), cards=cards, n=learned), flush=True)
    for place, card in enumerate(taken, 1):
        if card.why_not:
            print("  " + _("card {place}, row by row: {why}", place=place, why=card.why_not))
        elif card.sighting.face not in (card.face, UNREAD):
            otherwise = _(
                "card {place}, row by row: learned as {face}; the reader had read it as {other}",
                place=place,
                face=card.face,
                other=card.sighting.face,
            )
            print(f"  {otherwise}")


def _print_summary(
    path: Path, deck: DeckList, profile: DeckProfile, missing: Sequence[str], alike: Sequence[LookAlikes]
) -> None:
    faces = len(deck.cards)
    learned = faces - len(missing)
    print(_("{file}: {n} of the {all} faces of {deck} learned.", file=path, n=learned, all=faces, deck=deck.name))
    if missing:
        print("  " + _("missing") + f": {', '.join(missing)}")
        print("  " + _("Take pictures of these and run the same command with them; what has been learned is kept."))
    for pair in alike:
        face, other = pair.faces
        told = _(
            "{face} and {other} look alike to the camera (similarity {n} %): one may be read as the other.",
            face=face,
            other=other,
            n=round(pair.similarity * 100),
        )
        print(f"  {told}")
    if alike:
        forget = " ".join(f"--forget {face}" for face in sorted({face for pair in alike for face in pair.faces}))
        remedy = _(
            "Show these again, larger and sharper, with {options}. If they still look alike, give them one name, in "
            "the deck file too.",
            options=forget,
        )
        print(f"  {remedy}")
    if BACK not in profile.faces:
        back = _("The back was not learned: if it is unusual, show a card face down in a picture named back.jpg.")
        print(f"  {back}")


def _draw(seen: Seen, taken: Sequence[EnrolledCard], path: Path) -> None:
    """Draw every card with its number, row by row, and its face, and mark those that were not learned."""
    reading = Reading(seen.reading.size, tuple(card.sighting for card in taken))
    labels = [f"{place} {card.face}{' not learned' if card.why_not else ''}" for place, card in enumerate(taken, 1)]
    draw(Seen(seen.image, seen.picture, reading), path, labels, f"{sum(not c.why_not for c in taken)} learned")
