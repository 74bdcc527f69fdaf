"""What was read in pictures, for people: what `croupier read`, `tally`, `audit` and `score` print and ask."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cardsight.errors import NotAPicture
from cardsight.sighting import Doubt, Reading, Sighting
from cardsight.sources import Picture, load_picture
from croupier.alarms import camera_fault_text
from croupier.errors import CannotWrite, one_line
from croupier.i18n import _, from_others, marked, ngettext
from croupier.pictures.readings import (
    Read,
    Seen,
    Still,
    face_in_words,
    middle,
    picture_read,
    points_of,
    scored_face,
)
from croupier_rules.cards import COLORS, UNREAD

if TYPE_CHECKING:
    from rich.console import JustifyMethod
    from rich.text import Text

    from croupier_rules.deck_list import DeckList

_NO_PIXELS: Final[Picture] = np.zeros((0, 0, 3), np.uint8)


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
    """Return a picture read again with the ``number`` of its cards, which people gave."""
    return picture_read(seen.image, seen.picture, still(seen.picture, number=number))


def in_words(seen: Seen) -> str:
    """One line: the number of cards of each kind, and the time of the reading."""
    reading = seen.reading
    counts = [ngettext("{n} card", "{n} cards", len(reading.cards))]
    if reading.unreadable:
        counts.append(_("unreadable: {n}", n=reading.unreadable))
    if reading.backs:
        counts.append(_("face down: {n}", n=len(reading.backs)))
    return f"{called(seen.image)}: {', '.join([*counts, f'{reading.ms:.0f} ms'])}"


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


def called(image: str) -> str:
    """Format the name of a picture for people."""
    return _("standard input") if image == "-" else one_line(image)


def is_at_edge(card: Sighting, size: tuple[int, int]) -> bool:
    """True if a corner of the card lies outside the picture."""
    return any(not (0 <= x <= size[0] and 0 <= y <= size[1]) for x, y in card.corners_px)


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


def print_cards(seen: Seen, points: Sequence[int | None] | None = None) -> None:
    """Print one picture: a line with the number of cards, then a table of the cards. Empty columns are left out."""
    from rich.table import Table

    from croupier.console import Console

    print(in_words(seen))
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
