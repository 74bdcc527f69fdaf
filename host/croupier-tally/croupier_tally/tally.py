"""`croupier tally`: adds the points of the cards in pictures of hands."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from croupier.files import CONFIG
from croupier.i18n import _, ngettext
from croupier.pictures.readings import Read, Seen, Still, draw, drawing_paths
from croupier.pictures.video import is_video
from croupier_tally.readings import (
    Unreadable,
    answered_size,
    called,
    counted,
    how_many,
    is_at_edge,
    is_faulty,
    may_hide_text,
    other_size,
    points_in,
    print_cards,
)
from croupier_tally.sources import read_sources

if TYPE_CHECKING:
    from cardsight.sighting import Reading
    from croupier.ctrl_c import Ask
    from croupier_rules.deck_list import DeckList


RULESET: Final = "g7942-en"
"""The ruleset of a tally for which nobody names one."""


@dataclass
class Hand:
    """The cards of a hand. ``size``: their number, if people counted them. ``points``: of each card, None for one that
    could not be read. ``may_hide``: as in `cardsight.sighting.Reading`. ``is_spoilt``: its picture could not be opened.
    ``is_faulty``: its camera does not show it as it is."""

    size: int | None
    points: list[int | None] = field(default_factory=list)
    may_hide: bool = False
    is_spoilt: bool = False
    is_faulty: bool = False

    def see(self, reading: Reading, deck: DeckList | None = None) -> None:
        """Take the cards of a picture of the hand."""
        self.points = points_in(reading.cards, deck)
        self.is_faulty = is_faulty(reading)
        self.may_hide = reading.may_hide

    def add(self, other: Hand) -> None:
        """Add the cards of another picture of the hand."""
        self.points += other.points
        self.is_faulty |= other.is_faulty
        self.may_hide |= other.may_hide

    @property
    def is_complete(self) -> bool:
        """True if there are cards, all are known, and none may lie hidden. Of a hand whose size is known, so many are:
        what could not be read beside them is no card."""
        if self.is_spoilt or self.is_faulty or (self.may_hide and self.size is None):
            return False
        return self.read == (self.size or len(self.points)) > 0

    @property
    def fault(self) -> str:
        """Return a warning if another number of cards was read than people counted; else ""."""
        return "" if self.size is None or self.read == self.size else other_size(self.size)

    @property
    def count(self) -> int | None:
        """The number of cards; None if the picture could not be opened."""
        return None if self.is_spoilt else self.read if self.is_complete else len(self.points)

    def score(self, partial: bool) -> int | None:
        """The sum of the points; None if the hand is not complete, unless ``partial`` sums are wanted."""
        return sum(p for p in self.points if p is not None) if partial or self.is_complete else None

    @property
    def is_open(self) -> bool:
        """True if only people can tell whether the cards that were read are all: others are suspected, or may
        be hidden."""
        if self.is_spoilt or self.is_faulty or self.size is not None:
            return False
        return self.read > 0 and (self.may_hide or self.read < len(self.points))

    @property
    def read(self) -> int:
        """The number of cards whose points are known."""
        return len(self.points) - self.points.count(None)

    def to_json(self, partial: bool) -> dict[str, Any]:
        """The points, and what they are if the cards that were read are all (contract: commands)."""
        line: dict[str, Any] = {"points": self.score(partial)}
        if self.is_open and not partial:
            line["if_complete"] = {"cards": self.read, "points": self.score(partial=True)}
        return line


def report_points(
    images: Sequence[str],
    read: Read,
    ruleset: str = RULESET,
    *,
    still: Still | None = None,
    as_json: bool = False,
    picture: str | None = None,
    partial: bool = False,
    expected: Sequence[int] = (),
    held: Mapping[str, int] | None = None,
    ask: Ask | None = None,
    config: Path = CONFIG,
    deck: DeckList | None = None,
) -> int:
    """Print the points of each hand as soon as it is read, then a row for each hand, and the total.

    ``images``: a picture, a video or the camera for each hand, with the player's name before it (``Ann=hand.jpg``) or
    without. ``still``: reads pictures, if not ``read``. ``partial``: unreadable cards count 0. ``expected``: number of
    cards of each hand, if people counted them: a hand of exactly so many cards read is complete, and any other has no
    points. ``held``: as in `read_sources`. ``ask``: asks people how many cards a hand has, where more of them may lie
    hidden or are suspected; with the answer its picture is read again. ``deck``: says what the cards count; None: the
    decks that ship do.

    Return the exit status: 0, or 1 if there is no total because of an unreadable card, a hand without a card or one of
    another number, or 2 if one of the files is not a picture.
    """
    if ruleset != RULESET:
        from croupier.config import ruleset_by_name  # heavy

        ruleset_by_name(ruleset)  # all rulesets have the same points (score.values); only the name is checked
    names, files = zip(*map(split_name, images), strict=True)
    drawings = [] if picture is None else drawing_paths(picture, files)
    sizes: Sequence[int | None] = expected or [None] * len(files)
    hands = [Hand(size) for size in sizes]
    status = 0
    for place, seen in read_sources(files, read, "tally", config, still=still, numbers=expected, held=held):
        named = {} if names[place] is None else {"name": names[place]}
        if isinstance(seen, Unreadable):
            status = 2
            hands[place].is_spoilt = True
            if as_json:
                print(json.dumps(named | seen.to_json()), flush=True)
            continue
        shown = Hand(None) if is_video(files[place]) else hands[place]
        shown.see(seen.reading, deck)
        if shown is not hands[place]:
            hands[place].add(shown)
        if as_json:
            print(json.dumps(named | seen.to_json() | shown.to_json(partial)), flush=True)
        else:
            print_cards(seen, shown.points)
            if ask is not None and still is not None and not partial and shown is hands[place] and shown.is_open:
                seen = _asked(seen, shown, still, ask, names[place] or "", deck)
            _print_hand(seen, shown, shown.score(partial))
        score = shown.score(partial)
        if drawings:
            draw(seen, drawings[place], _labels(seen, shown.points), _points_on_picture(score))
    scores = [hand.score(partial) for hand in hands]
    total = None if None in scores and not partial else sum(score or 0 for score in scores)
    if as_json:
        print(json.dumps({"total": total}))
    elif len(images) > 1 or is_video(files[0]):  # a single picture has told its total
        titles = [name or called(file) for name, file in zip(names, files, strict=True)]
        _print_hands(titles, hands, scores)
        for name, file, hand in zip(titles, files, hands, strict=True):
            if is_video(file) and hand.fault:
                print(f"{name}: {hand.fault}")
        print(_("Total: {points}", points=_format_points(total)))
    return status or (1 if total is None else 0)


def _asked(seen: Seen, hand: Hand, still: Still, ask: Ask, name: str, deck: DeckList | None) -> Seen:
    """Ask how many cards a hand has, and return its picture as it is read with that number."""
    hand.size = answered_size(ask(how_many(name, len(hand.points))), len(hand.points))
    if hand.size is None:
        return seen
    again = counted(seen, still, hand.size)
    hand.see(again.reading, deck)
    if again.reading.cards != seen.reading.cards:
        print_cards(again, hand.points)
    return again


def split_name(image: str) -> tuple[str | None, str]:
    """Split ``Ann=hand.jpg`` into name and file; the name is None if there is none, or if a file is named so."""
    name, equals, file = image.partition("=")
    return (name, file) if equals and name and file and not Path(image).exists() else (None, image)


def _points_on_picture(points: int | None) -> str:
    """Format points in English, since the font of drawings has no other letters."""
    return "no score" if points is None else f"{points} {'point' if points == 1 else 'points'}"


def _format_points(points: int | None) -> str:
    """Format points in the reader's language."""
    return _("no score") if points is None else ngettext("{n} point", "{n} points", points)


def _labels(seen: Seen, points: Sequence[int | None]) -> list[str]:
    """Return the label of each card: its face and its points."""
    from cardsight.annotate import label

    cards = zip(seen.reading.cards, points, strict=True)
    return [label(card) if p is None else f"{card.face}: {p}" for card, p in cards]


def _print_hands(names: Sequence[str], hands: Sequence[Hand], scores: Sequence[int | None]) -> None:
    """Print a row for each hand: name, number of cards, points."""
    from rich.table import Table

    from croupier.console import Console

    table = Table(box=None, padding=(0, 2), show_header=False)
    for name, hand, score in zip(names, hands, scores, strict=True):
        n = hand.count
        table.add_row(name, "–" if n is None else ngettext("{n} card", "{n} cards", n), _format_points(score))
    Console(highlight=False).print(table)


def _print_hand(seen: Seen, hand: Hand, score: int | None) -> None:
    """Print the points of one hand, and what does not count."""
    print(f"  {_format_points(score)}")
    unread = [card for card, p in zip(seen.reading.cards, hand.points, strict=True) if p is None]
    if hand.fault:
        print(f"  {hand.fault}")
    elif hand.is_complete and unread:
        print("  " + _("the hand is complete: what is marked ? is no card"))
        unread = []
    if not seen.reading.cards:
        print("  " + _("no card face up was found: photograph the whole hand from above"))
    if hand.may_hide and hand.size is None:
        print(f"  {may_hide_text()}")
        if score is None:
            n = len(hand.points)
            print("  " + _("count the cards and give their number, as in --cards {n}", n=n))
            unread = []
    if unread:
        advice = _("--partial counts the others") if score is None else _("not counted")
        n = len(unread)
        text = ngettext(
            "{n} card could not be read: {advice}", "{n} cards could not be read: {advice}", n, advice=advice
        )
        print(f"  {text}")
    if any(is_at_edge(card, seen.reading.size) for card in unread):
        print("  " + _("a card is cut off by the edge of the picture: take the picture again from further away"))
    if seen.reading.backs:
        n = len(seen.reading.backs)
        down = ngettext("{n} card face down: not counted", "{n} cards face down: not counted", n)
        print(f"  {down}")
