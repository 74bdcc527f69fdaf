"""Cards that lie where none belongs are told, and only those."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import pytest

from cardsight.geometry import Image
from cardsight.sighting import Corners, Reading, Sighting
from cardsight.track.zone import STRAY_LOOK_S, StrayCardDetector

PILE, SHOW, CARD_PX = (200, 200, 400, 400), (450, 100, 900, 500), 88.0
FRAME: Image = np.full((600, 1000, 3), 90, np.uint8)


def at(x: float, y: float) -> Corners:
    """A card with its middle there."""
    return (x - 28, y - 44), (x + 28, y - 44), (x + 28, y + 44), (x - 28, y + 44)


class Table:
    """Reads what is said to lie there, in pixels of the frame, wherever the part of it begins that is read."""

    def __init__(self, *cards: tuple[str, float, float]) -> None:
        self.cards = cards
        self.looks = 0

    @property
    def frame(self) -> Image:
        """The table with a light card at each place."""
        frame = FRAME.copy()
        for _, x, y in self.cards:
            (left, top), _, (right, bottom), _ = at(x, y)
            frame[int(top) : int(bottom), int(left) : int(right)] = 200
        return frame

    def read(self, bgr: Image, /, faces: Collection[str] | None = None, **how: Any) -> Reading:
        self.looks += 1
        left, top = 400 + 106 - bgr.shape[1], 400 + 106 - bgr.shape[0]
        seen = (Sighting(face, 0.99, at(x - left, y - top)) for face, x, y in self.cards)
        return Reading((bgr.shape[1], bgr.shape[0]), tuple(seen))


def beside(table: Table) -> StrayCardDetector:
    return StrayCardDetector(PILE, SHOW, CARD_PX, table)


def told(what: StrayCardDetector, table: Table, *times: float) -> list[str]:
    for t in times:
        what.look(t, table.frame)
    return [stray.card.face for stray in what.cards]


def test_a_card_that_lies_beside_the_pile_in_two_looks_is_reported_until_it_is_gone() -> None:
    table = Table(("red-7", 160.0, 300.0), ("blue-2", 300.0, 300.0))
    watch = beside(table)
    assert told(watch, table, 0.0) == []
    assert told(watch, table, STRAY_LOOK_S) == ["red-7"]
    table.cards = (("blue-2", 300.0, 300.0),)
    assert told(watch, table, 2 * STRAY_LOOK_S) == []


@pytest.mark.parametrize(
    ("face", "x", "y"),
    [
        pytest.param("red-7", 220.0, 220.0, id="on-the-edge-of-the-pile"),
        pytest.param("red-7", 470.0, 300.0, id="where-hands-are-laid-open"),
        pytest.param("back", 160.0, 300.0, id="face-down"),
        pytest.param("?", 160.0, 300.0, id="not-readable"),
    ],
)
def test_what_belongs_where_it_lies_or_cannot_be_read_is_not_reported(face: str, x: float, y: float) -> None:
    table = Table((face, x, y))
    assert told(beside(table), table, 0.0, STRAY_LOOK_S, 2 * STRAY_LOOK_S) == []


def test_a_card_that_only_passes_is_not_reported() -> None:
    table = Table(("red-7", 160.0, 300.0))
    watch = beside(table)
    watch.look(0.0, table.frame)
    table.cards = (("red-7", 180.0, 420.0),)
    assert told(watch, table, STRAY_LOOK_S) == []


def test_it_is_looked_seldom_and_what_was_collected_is_forgotten() -> None:
    table = Table(("red-7", 160.0, 300.0))
    watch = beside(table)
    assert told(watch, table, *(STRAY_LOOK_S * n / 10 for n in range(21))) == ["red-7"]
    assert table.looks == 2, "twice for each card, and not again before something changes"
    table.cards = (*table.cards, ("blue-2", 300.0, 300.0))
    assert told(watch, table, 3 * STRAY_LOOK_S) == ["red-7"]
    assert table.looks == 2, "the pile is no place for a stray card"
    watch.forget()
    assert told(watch, table, 4 * STRAY_LOOK_S) == []
