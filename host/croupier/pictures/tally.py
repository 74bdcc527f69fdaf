"""`croupier read` lists the cards in pictures; `croupier tally` adds their points."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from cardsight.annotate import label
from croupier.cards import KIND, UNREAD
from croupier.config import CONFIG, ruleset_by_name
from croupier.i18n import _, ngettext
from croupier.pictures.readings import Read, Seen, Unreadable, draw, drawing_paths, print_cards, see
from croupier.pictures.video import read_sources
from croupier.rules.card_tables import POINTS_OF


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
    as_json: bool = False,
    picture: str | None = None,
    partial: bool = False,
) -> int:
    """Print the points of each picture as soon as it is read, then the total. ``partial``: unreadable cards count 0.

    Return the exit status: 0, or 1 if there is no total because of an unreadable card, or 2 if one of the files is not
    a picture.
    """
    ruleset_by_name(ruleset)  # all rulesets have the same points (score.values); only the name is checked
    drawings = [] if picture is None else drawing_paths(picture, images)
    sums: list[int | None] = []
    status = 0
    for place, seen in enumerate(see(images, read, "tally")):
        if isinstance(seen, Unreadable):
            status = 2
            sums.append(None)
            if as_json:
                print(json.dumps(seen.to_json()), flush=True)
            continue
        points = [_points(card.face) for card in seen.reading.cards]
        sums.append(_add(points, partial))
        if as_json:
            print(json.dumps(seen.to_json() | {"points": sums[-1]}), flush=True)
        else:
            _print_hand(seen, points, sums[-1])
        if drawings:
            draw(seen, drawings[place], _labels(seen, points), _points_on_picture(sums[-1]))
    total = _add(sums, partial)
    if as_json:
        print(json.dumps({"total": total}))
    elif len(images) > 1:
        print(_("Total: {points}", points=_format_points(total)))
    return status or (1 if total is None else 0)


def _points(face: str) -> int | None:
    """Return the points of a card; ``None`` if it could not be read."""
    return None if face == UNREAD else POINTS_OF[KIND[face]]


def _add(points: Sequence[int | None], partial: bool) -> int | None:
    """Add points; ``None`` if one is unknown, unless a partial sum is wanted."""
    known = [p for p in points if p is not None]
    return sum(known) if partial or len(known) == len(points) else None


def _points_on_picture(points: int | None) -> str:
    """Format points in English, since the font of drawings has no other letters."""
    return "no score" if points is None else f"{points} {'point' if points == 1 else 'points'}"


def _format_points(points: int | None) -> str:
    """Format points in the reader's language."""
    return _("no score") if points is None else ngettext("{n} point", "{n} points", points)


def _labels(seen: Seen, points: Sequence[int | None]) -> list[str]:
    """Return the label of each card: its face and its points."""
    cards = zip(seen.reading.cards, points, strict=True)
    return [label(card) if p is None else f"{card.face}: {p}" for card, p in cards]


def _print_hand(seen: Seen, points: Sequence[int | None], sum_: int | None) -> None:
    """Print the cards of one hand, its points, and the cards that do not count."""
    print_cards(seen, points)
    print(f"  {_format_points(sum_)}")
    if seen.reading.unreadable:
        advice = _("--partial counts the others") if sum_ is None else _("not counted")
        n = seen.reading.unreadable
        unread = ngettext(
            "{n} card could not be read: {advice}", "{n} cards could not be read: {advice}", n, advice=advice
        )
        print(f"  {unread}")
    if seen.reading.backs:
        n = len(seen.reading.backs)
        down = ngettext("{n} card face down: not counted", "{n} cards face down: not counted", n)
        print(f"  {down}")
