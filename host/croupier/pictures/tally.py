"""`croupier read` lists the cards in pictures; `croupier tally` adds their points."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from croupier.cards import KIND, UNREAD
from croupier.files import CONFIG
from croupier.i18n import _, ngettext
from croupier.pictures.readings import (
    Read,
    Seen,
    Unreadable,
    called,
    draw,
    drawing_paths,
    is_at_edge,
    print_cards,
)
from croupier.pictures.video import is_video, read_sources


def report_cards(
    images: Sequence[str], read: Read, *, as_json: bool = False, picture: str | None = None, config: Path = CONFIG
) -> int:
    """Print the cards of each picture, and each card shown in a video, as soon as they are read.

    Return the exit status: 0, or 2 if one of the files is not a picture.
    """
    drawings = [] if picture is None else drawing_paths(picture, images)
    status = 0
    for place, seen in read_sources(images, read, "read", config):
        if as_json:
            print(json.dumps(seen.to_json()), flush=True)
        if isinstance(seen, Unreadable):
            status = 2
            continue
        if not as_json:
            print_cards(seen)
        if drawings:
            draw(seen, drawings[place])
    return status


def report_points(
    images: Sequence[str],
    read: Read,
    ruleset: str = "g7942-en",
    *,
    still: Read | None = None,
    as_json: bool = False,
    picture: str | None = None,
    partial: bool = False,
    config: Path = CONFIG,
) -> int:
    """Print the points of each hand as soon as it is read, then a row for each hand, and the total.

    ``images``: a picture, a video or the camera for each hand, with the player's name before it (``Ann=hand.jpg``) or
    without. ``still``: reads pictures, if not ``read``. ``partial``: unreadable cards count 0.

    Return the exit status: 0, or 1 if there is no total because of an unreadable card or a hand without a card, or 2 if
    one of the files is not a picture.
    """
    from croupier.config import ruleset_by_name  # heavy, and `read` needs no rules

    ruleset_by_name(ruleset)  # all rulesets have the same points (score.values); only the name is checked
    names, files = zip(*map(split_name, images), strict=True)
    drawings = [] if picture is None else drawing_paths(picture, files)
    hands: list[list[int | None]] = [[] for _file in files]
    status, failed = 0, set[int]()
    for place, seen in read_sources(files, read, "tally", config, still=still):
        named = {} if names[place] is None else {"name": names[place]}
        if isinstance(seen, Unreadable):
            status = 2
            hands[place] = [None]
            failed.add(place)
            if as_json:
                print(json.dumps(named | seen.to_json()), flush=True)
            continue
        points = [_points(card.face) for card in seen.reading.cards]
        hands[place] += points
        if as_json:
            print(json.dumps(named | seen.to_json() | {"points": _add(points, partial)}), flush=True)
        else:
            _print_hand(seen, points, _add(points, partial))
        if drawings:
            draw(seen, drawings[place], _labels(seen, points), _points_on_picture(_add(points, partial)))
    sums = [_add(points, partial) for points in hands]
    total = _add(sums, partial)
    if as_json:
        print(json.dumps({"total": total}))
    elif len(images) > 1 or is_video(files[0]):  # a single picture has told its total
        counts = [None if place in failed else len(points) for place, points in enumerate(hands)]
        _print_hands([name or called(file) for name, file in zip(names, files, strict=True)], counts, sums)
        print(_("Total: {points}", points=_format_points(total)))
    return status or (1 if total is None else 0)


def split_name(image: str) -> tuple[str | None, str]:
    """Split ``Ann=hand.jpg`` into name and file; the name is None if there is none, or if a file is named so."""
    name, equals, file = image.partition("=")
    return (name, file) if equals and name and file and not Path(image).exists() else (None, image)


def _points(face: str) -> int | None:
    """Return the points of a card; ``None`` if it could not be read."""
    from croupier.rules.card_tables import POINTS_OF  # loads all rules

    return None if face == UNREAD else POINTS_OF[KIND[face]]


def _add(points: Sequence[int | None], partial: bool) -> int | None:
    """Add points; ``None`` if there are none or one is unknown, unless a partial sum is wanted."""
    known = [p for p in points if p is not None]
    return sum(known) if partial or (known and len(known) == len(points)) else None


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


def _print_hands(names: Sequence[str], counts: Sequence[int | None], sums: Sequence[int | None]) -> None:
    """Print a row for each hand: name, number of cards (None: its picture could not be opened), points."""
    from rich.table import Table

    from croupier.console import Console

    table = Table(box=None, padding=(0, 2), show_header=False)
    for name, n, sum_ in zip(names, counts, sums, strict=True):
        table.add_row(name, "–" if n is None else ngettext("{n} card", "{n} cards", n), _format_points(sum_))
    Console(highlight=False).print(table)


def _print_hand(seen: Seen, points: Sequence[int | None], sum_: int | None) -> None:
    """Print the cards of one hand, its points, and the cards that do not count."""
    print_cards(seen, points)
    print(f"  {_format_points(sum_)}")
    if not seen.reading.cards:
        print("  " + _("no card face up was found: photograph the whole hand from above"))
    if seen.reading.unreadable:
        advice = _("--partial counts the others") if sum_ is None else _("not counted")
        n = seen.reading.unreadable
        unread = ngettext(
            "{n} card could not be read: {advice}", "{n} cards could not be read: {advice}", n, advice=advice
        )
        print(f"  {unread}")
    if any(card.face == UNREAD and is_at_edge(card, seen.reading.size) for card in seen.reading.cards):
        print("  " + _("a card is cut off by the edge of the picture: take the picture again from further away"))
    if seen.reading.backs:
        n = len(seen.reading.backs)
        down = ngettext("{n} card face down: not counted", "{n} cards face down: not counted", n)
        print(f"  {down}")
