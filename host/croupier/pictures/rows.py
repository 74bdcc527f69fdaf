"""The order in which people read the cards of a table."""

from __future__ import annotations

from collections.abc import Sequence

from cardsight.sighting import Sighting


def in_rows(cards: Sequence[Sighting]) -> tuple[Sighting, ...]:
    """The cards row by row from the top, each row from left to right.

    A row is begun by its topmost card; what has its middle above that card's lower edge belongs to it.
    """
    rows: list[list[Sighting]] = []
    for card in sorted(cards, key=lambda card: middle(card)[1]):
        if rows and middle(card)[1] < max(y for _, y in rows[-1][0].corners_px):
            rows[-1].append(card)
        else:
            rows.append([card])
    return tuple(card for row in rows for card in sorted(row, key=lambda card: middle(card)[0]))


def middle(card: Sighting) -> tuple[float, float]:
    """The middle of a card: x, y in pixels."""
    x, y = (sum(axis) / len(axis) for axis in zip(*card.corners_px, strict=True))
    return x, y
