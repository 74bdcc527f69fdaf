"""Readings for people: one line for each card, in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cardsight.sighting import Sighting
from croupier.app.reading.pictures import Seen
from croupier.cards import COLORS, UNREAD

_STYLES: Final = {color: color for color in COLORS} | {UNREAD: "bold magenta"}


def card_text(face: str) -> Text:
    """A face in its color; the word says it too."""
    return Text(face, style=_STYLES.get(face.split("-")[0], "bold"))


def print_cards(seen: Seen, points: Sequence[int | None] | None = None) -> None:
    """One picture: how many cards in a line, then each card with how sure it is, where it lies and its points."""
    print(seen.in_words())
    table = Table(box=None, padding=(0, 2), header_style="dim")
    table.add_column("card")
    table.add_column("sure", justify="right")
    table.add_column("at x, y", justify="right")
    table.add_column("mark")
    if points is not None:
        table.add_column("points", justify="right")
    for place, card in enumerate(seen.reading.cards):
        cells: list[str | Text] = [_name(card), f"{card.confidence:.1%}", _middle(card), card.symbol or ""]
        if points is not None:
            cells.append("?" if points[place] is None else str(points[place]))
        table.add_row(*cells)
    if seen.reading.cards:
        Console(highlight=False).print(table)


def _name(card: Sighting) -> Text:
    """The face; of a card that is not sure, what it may be."""
    name = card_text(card.face)
    if card.candidates:
        name.append("  " + " or ".join(f"{face} ({p:.0%})" for face, p in card.candidates[:3]))
    return name


def _middle(card: Sighting) -> str:
    x, y = (sum(axis) / len(axis) for axis in zip(*card.corners_px, strict=True))
    return f"{x:.0f}, {y:.0f}"
