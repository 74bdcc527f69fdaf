"""Pictures and what was read in them: what `croupier read`, `tally`, `audit` and `enroll` have in common."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import cv2
import numpy as np

from cardsight.errors import NotAPicture
from cardsight.sighting import Doubt, Reading, Sighting
from cardsight.sources import Picture, load_picture
from croupier.alarms import camera_fault_text
from croupier.errors import CannotWrite, one_line
from croupier.i18n import _, from_others, language, marked, ngettext
from croupier.output_files import check_new, write_new
from croupier_rules.cards import COLORS, KIND, UNREAD

if TYPE_CHECKING:
    from rich.console import JustifyMethod
    from rich.text import Text

    from croupier_rules.deck_list import DeckList

_NO_PIXELS: Final[Picture] = np.zeros((0, 0, 3), np.uint8)

Read = Callable[[Picture], Reading]
"""Reads the cards of a picture, such as `cardsight.reader.Reader.read`."""
Still = Callable[..., Reading]
"""Explains a whole picture, as the one of `table_reader.hand_readers`; also given the ``number`` of its cards, where
people know it."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A picture and its reading. ``image``: its name as the caller gave it. ``other_cards``: in a video, what else lies
    there: cards face down and cards that were reported before."""

    image: str
    picture: Picture
    reading: Reading
    other_cards: tuple[Sighting, ...] = ()

    def in_words(self) -> str:
        """One line: the number of cards of each kind, and the time of the reading."""
        reading = self.reading
        counts = [ngettext("{n} card", "{n} cards", len(reading.cards))]
        if reading.unreadable:
            counts.append(_("unreadable: {n}", n=reading.unreadable))
        if reading.backs:
            counts.append(_("face down: {n}", n=len(reading.backs)))
        return f"{called(self.image)}: {', '.join([*counts, f'{reading.ms:.0f} ms'])}"

    def to_json(self) -> dict[str, Any]:
        """The line of `croupier read --json` for this picture (contract: commands)."""
        line: dict[str, Any] = {
            "image": self.image,
            "size": list(self.reading.size),
            "cards": [_card_to_json(card) for card in self.reading.cards],
            "face_down": len(self.reading.backs),
            "unreadable": self.reading.unreadable,
            "ms": round(self.reading.ms, 1),
        }
        if self.reading.may_hide:
            line["may_hide"] = True
        if self.reading.fault is not None:
            line |= {"camera": self.reading.fault, "mended": self.reading.is_mended}
        return line


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that is not a picture, and why."""

    image: str
    error: str

    def to_json(self) -> dict[str, Any]:
        """The line of `croupier read --json` for this file (contract: commands)."""
        return {"image": self.image, "error": self.error}


def see(images: Sequence[str], read: Read, command: str) -> Iterator[Seen | Unreadable]:
    """Yield each picture as soon as it is read. A file that is not a picture is also reported on standard error."""
    for image in images:
        try:
            picture = load_picture(image)
        except NotAPicture as fault:
            yield unseen(image, fault, command)
        else:
            yield picture_read(image, picture, read(picture))


def counted(seen: Seen, still: Still, number: int) -> Seen:
    """Return a picture read again with the ``number`` of its cards, which people told."""
    return picture_read(seen.image, seen.picture, still(seen.picture, number=number))


def picture_read(image: str, picture: Picture, reading: Reading, other_cards: tuple[Sighting, ...] = ()) -> Seen:
    """Combine a picture and its reading, with the cards in rows."""
    return Seen(image, picture, replace(reading, cards=in_rows(reading.cards)), other_cards)


def without_pixels(seen: Seen) -> Seen:
    """Drop the pixels until the drawing is made: pictures of a whole deck do not fit into the memory of a small
    computer. A picture from standard input keeps its pixels, since it cannot be read again."""
    return seen if seen.image == "-" else replace(seen, picture=_NO_PIXELS)


def with_pixels(seen: Seen) -> Seen:
    """Load the pixels again. Raises `CannotWrite` if the file is gone."""
    if seen.picture is not _NO_PIXELS:
        return seen
    try:
        return replace(seen, picture=load_picture(seen.image))
    except NotAPicture as fault:
        raise CannotWrite(f"--picture: {one_line(seen.image)}: {from_others(str(fault))}") from fault


def unseen(image: str, fault: Exception, command: str) -> Unreadable:
    """Report on standard error that a file is not a picture; without a ``command`` the caller does that."""
    if command:
        print(f"croupier {command}: {called(image)}: {from_others(str(fault))}", file=sys.stderr, flush=True)
    return Unreadable(image, str(fault))


def drawing_paths(out: str, images: Sequence[str]) -> list[Path]:
    """Return the path of each picture's drawing: ``out`` for one picture, else ``out-1``, ``out-2``, … in order.

    Raises `CannotWrite` if a drawing exists already, its folder does not exist, or the suffix is not that of a picture.
    """
    path = Path(out)
    if path.suffix.lower() not in (".png", ".jpg", ".jpeg"):
        raise CannotWrite(f"--picture {out}: " + _("expected a name that ends in {kinds}", kinds=".png, .jpg"))
    if not path.parent.is_dir():
        raise CannotWrite(f"--picture {out}: " + _("there is no folder {folder}; create it first", folder=path.parent))
    numbers = [""] if len(images) == 1 else [f"-{n}" for n in range(1, len(images) + 1)]
    paths = [path.with_stem(path.stem + number) for number in numbers]
    for drawing in paths:
        check_new(drawing, "--picture")
    return paths


def draw(seen: Seen, path: Path, labels: Sequence[str] | None = None, caption: str = "") -> None:
    """Draw the reading onto the picture and write it to ``path``. Raises `CannotWrite`."""
    from cardsight.annotate import annotate

    _is_done, encoded = cv2.imencode(path.suffix, annotate(seen.picture, seen.reading, labels, caption))
    write_new(path, encoded.tobytes(), "--picture")


def called(image: str) -> str:
    """Format the name of a picture for people."""
    return _("standard input") if image == "-" else one_line(image)


def _card_to_json(card: Sighting) -> dict[str, Any]:
    line: dict[str, Any] = {
        "card": card.face,
        "confidence": round(card.confidence, 4),
        "quad": [[round(x, 1), round(y, 1)] for x, y in card.corners_px],
        "symbol": card.symbol,
    }
    if card.face == "?":
        line["candidates"] = [{"card": face, "confidence": round(p, 4)} for face, p in card.candidates]
    if card.doubts:
        line["doubts"] = list(card.doubts)
    if card.under is not None:
        line["under"] = card.under
    return line


def in_rows(cards: Sequence[Sighting]) -> tuple[Sighting, ...]:
    """Sort cards as people read them: row by row from the top, each row from left to right.

    The topmost card begins a row; cards whose middle is above its lower edge belong to that row.
    """
    rows: list[list[Sighting]] = []
    for card in sorted(cards, key=lambda card: middle(card)[1]):
        if rows and middle(card)[1] < max(y for _, y in rows[-1][0].corners_px):
            rows[-1].append(card)
        else:
            rows.append([card])
    return tuple(card for row in rows for card in sorted(row, key=lambda card: middle(card)[0]))


def middle(card: Sighting) -> tuple[float, float]:
    """Return the middle of a card: x, y in px."""
    x, y = (sum(axis) / len(axis) for axis in zip(*card.corners_px, strict=True))
    return x, y


def is_at_edge(card: Sighting, size: tuple[int, int]) -> bool:
    """True if a corner of the card lies outside the picture."""
    return any(not (0 <= x <= size[0] and 0 <= y <= size[1]) for x, y in card.corners_px)


def points_of(face: str, deck: DeckList | None = None) -> int | None:
    """Return the points of a card: of its ``deck``, else of the decks that ship; None if it could not be read."""
    if deck is not None and face in deck.points:
        return deck.points[face]

    from croupier_rules.rules.card_tables import POINTS_OF  # loads all rules

    return POINTS_OF[KIND[face]] if face in KIND else None


SAME_POINTS: Final = 0.9
"""Probability from which a card has certain points, whichever of its candidates it is: that from which a face is not
doubted."""


def scored_face(card: Sighting, deck: DeckList | None = None) -> str | None:
    """Return the face for which a card is scored: that which was read, or the likeliest candidate if the others have
    the same points, as ``yellow-4`` and ``yellow-4*`` or the four colors of a gray picture; else None."""
    if card.face != UNREAD:
        return card.face
    if not card.candidates:
        return None
    likeliest = card.candidates[0][0]
    alike = sum(share for face, share in card.candidates if points_of(face, deck) == points_of(likeliest, deck))
    return likeliest if alike >= SAME_POINTS else None


def points_in(cards: Sequence[Sighting], deck: DeckList | None = None) -> list[int | None]:
    """Return the points of each card; None for one whose points are not known."""
    return [points_of(scored_face(card, deck) or UNREAD, deck) for card in cards]


def may_hide_text() -> str:
    """Say that nobody but people can tell whether the cards that were read are all."""
    return _("cards overlap: more may be hidden under them")


def how_many(name: str, count: int) -> str:
    """Ask whether a hand of which ``count`` cards were found has just so many."""
    question = ngettext(
        "{n} card? (Enter: yes; otherwise how many)", "{n} cards? (Enter: yes; otherwise how many)", count
    )
    return f"  {name}: {question} " if name else f"  {question} "


def answered_size(answer: str, count: int) -> int | None:
    """Return the number of cards that somebody answered to `how_many`; None if the answer is no number."""
    answer = answer.strip()
    if not answer:
        return count
    return int(answer) if answer.isdecimal() and len(answer) < 4 else None


def other_size(expected: int) -> str:
    """Say that people counted ``expected`` cards in a hand, and another number was read."""
    return ngettext(
        "{n} card was expected; spread the hand and try again",
        "{n} cards were expected; spread the hand and try again",
        expected,
    )


def camera_fault(reading: Reading) -> str:
    """Say what a picture shows to be wrong with its camera, with the remedy, or that it was put right; "" if nothing
    is."""
    return "" if reading.fault is None else camera_fault_text(reading.fault, is_mended=reading.is_mended)


def is_faulty(reading: Reading) -> bool:
    """True if the camera of a picture did not show all of its cards as they are, so that nothing follows from them."""
    return reading.fault is not None and not reading.is_mended


_MARKS: Final = (marked("circle"), marked("star"), marked("triangle"), marked("square"))
"""The marks for the color-blind, translated by these words."""
_DOUBTS: Final[dict[Doubt, str]] = {
    "blur": marked("blurred"),
    "covered": marked("partly covered"),
    "lamp": marked("light of one color"),
    "color": marked("unusual shade"),
    "cut": marked("cut off by the edge"),
    "deck": marked("the deck has no more of it"),
    "not-in-deck": marked("no such card in the deck"),
    "unclear": marked("looks like a card, but nothing on it can be read"),
}
_STYLES: Final = {color: color for color in COLORS} | {UNREAD: "bold magenta"}


def _doubts(card: Sighting) -> list[str]:
    """Say what makes a card hard to read."""
    return [
        _("covered by: {card}", card=face_in_words(card.under))
        if doubt == "covered" and card.under is not None
        else _(_DOUBTS[doubt])
        for doubt in card.doubts
    ]


def card_text(face: str) -> Text:
    """Return the name of a face as text in its color."""
    from rich.text import Text

    return Text(face_in_words(face), style=_STYLES.get(face.split("-")[0], "bold"))


def face_in_words(face: str) -> str:
    """Return the name of a face in the reader's language; in English, and for a face that only a person's own deck has,
    the word that commands take."""
    if face not in KIND or language() == "en":
        return face
    from croupier_rules.referee.explain import card_name  # not needed before the first result in English

    return card_name(face, language())


def print_cards(seen: Seen, points: Sequence[int | None] | None = None) -> None:
    """Print one picture: a line with the number of cards, then a table of the cards. Empty columns are left out."""
    from rich.table import Table

    from croupier.console import Console

    print(seen.in_words())
    if fault := camera_fault(seen.reading):
        print(f"  {fault}")
    table = Table(box=None, padding=(0, 2), header_style="dim")
    cards = seen.reading.cards
    columns: list[tuple[str, JustifyMethod, list[str | Text]]] = [
        (_("card"), "left", [card_text(card.face) for card in cards]),
        (_("sure"), "right", [f"{card.confidence:.1%}" for card in cards]),
        (_("at x, y"), "right", ["{:.0f}, {:.0f}".format(*middle(card)) for card in cards]),
        (_("mark"), "left", [_(card.symbol) if card.symbol in _MARKS else "" for card in cards]),
        (_("points"), "right", ["?" if p is None else str(p) for p in points or ()]),
        (
            _("may be"),
            "left",
            [" / ".join(face_in_words(face) for face, _share in card.candidates[:3]) for card in cards],
        ),
        (_("hard to read"), "left", [", ".join(_doubts(card)) for card in cards]),
    ]
    columns = [column for column in columns if any(column[2])]
    for title, justify, _cells in columns:
        table.add_column(title, justify=justify, overflow="fold", no_wrap=justify == "right")  # long names are wrapped
    for row in zip(*(cells for _title, _justify, cells in columns), strict=True):
        table.add_row(*row)
    if cards:
        Console(highlight=False).print(table)
