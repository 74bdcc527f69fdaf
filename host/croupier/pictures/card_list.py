"""Readings for people: one line for each card, in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import JustifyMethod
from rich.table import Table
from rich.text import Text

from croupier.cards import COLORS, UNREAD
from croupier.console import Console
from croupier.pictures.pictures import Seen
from croupier.pictures.rows import middle

_STYLES: Final = {color: color for color in COLORS} | {UNREAD: "bold magenta"}


def card_text(face: str) -> Text:
    """A face in its color; the word says it too."""
    return Text(face, style=_STYLES.get(face.split("-")[0], "bold"))


def print_cards(seen: Seen, points: Sequence[int | None] | None = None) -> None:
    """One picture: how many cards in a line, then each card with how sure it is, where it lies and its points.

    Columns that would say nothing are left out.
    """
    print(seen.in_words())
    table = Table(box=None, padding=(0, 2), header_style="dim")
    cards = seen.reading.cards
    columns: list[tuple[str, JustifyMethod, list[str | Text]]] = [
        ("card", "left", [card_text(card.face) for card in cards]),
        ("sure", "right", [f"{card.confidence:.1%}" for card in cards]),
        ("at x, y", "right", ["{:.0f}, {:.0f}".format(*middle(card)) for card in cards]),
        ("mark", "left", [card.symbol or "" for card in cards]),
        ("points", "right", ["?" if p is None else str(p) for p in points or ()]),
        ("may be", "left", [" or ".join(face for face, _ in card.candidates[:3]) for card in cards]),
    ]
    columns = [column for column in columns if any(column[2])]
    for title, justify, _ in columns:
        table.add_column(title, justify=justify, no_wrap=title != "may be")  # what is too much goes on below
    for row in zip(*(cells for _, _, cells in columns), strict=True):
        table.add_row(*row)
    if cards:
        Console(highlight=False).print(table)
