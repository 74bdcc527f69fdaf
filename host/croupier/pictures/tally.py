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
from croupier.pictures.video import read_each
from croupier.rules.card_tables import POINTS_OF


def report_points(
    images: Sequence[str],
    read: Read,
    ruleset: str = "g7942-en",
    *,
    as_json: bool = False,
    picture: str | None = None,
    partial: bool = False,
) -> int:
    """Score each picture as ``read`` reads it and print it at once, then the total.

    Returns 0, or 1 where a card that could not be read leaves no total, or 2 where one of the files was no picture.
    """
    ruleset_by_name(ruleset)  # so far all count alike (score.values); what matters is that there is such a ruleset
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
            draw(seen, drawings[place], _labels(seen, points), _score(sums[-1]))
    total = _add(sums, partial)
    if as_json:
        print(json.dumps({"total": total}))
    elif len(images) > 1:
        print(_("Total: {points}", points=_said(total)))
    return status or (1 if total is None else 0)


def _points(face: str) -> int | None:
    """What a card counts; ``None`` where it could not be read."""
    return None if face == UNREAD else POINTS_OF[KIND[face]]


def _add(points: Sequence[int | None], partial: bool) -> int | None:
    """The sum; where one is missing there is none, unless the rest is wanted."""
    known = [p for p in points if p is not None]
    return sum(known) if partial or len(known) == len(points) else None


def _score(points: int | None) -> str:
    return "no score" if points is None else f"{points} {'point' if points == 1 else 'points'}"


def _said(points: int | None) -> str:
    """As `_score`, in the reader's language; a picture has only the letters of English."""
    return _("no score") if points is None else ngettext("{n} point", "{n} points", points)


def _labels(seen: Seen, points: Sequence[int | None]) -> list[str]:
    """What is drawn on each card: its face and its points."""
    cards = zip(seen.reading.cards, points, strict=True)
    return [label(card) if p is None else f"{card.face}: {p}" for card, p in cards]


def _print_hand(seen: Seen, points: Sequence[int | None], sum_: int | None) -> None:
    """The cards of one hand, its score, and what that score leaves out."""
    print_cards(seen, points)
    print(f"  {_said(sum_)}")
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


def report_cards(
    images: Sequence[str], read: Read, *, as_json: bool = False, picture: str | None = None, config: Path = CONFIG
) -> int:
    """Read each picture, and each card shown in a video, with ``read`` and print it at once; 2 if one was neither."""
    drawings = [] if picture is None else drawing_paths(picture, images)
    status = 0
    for place, seen in read_each(images, read, "read", config):
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
