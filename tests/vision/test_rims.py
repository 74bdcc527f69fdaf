"""Two cards laid as one: the rims of the lower one show beside the upper one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cardsight.sighting import Corners, Reading
from cardsight.track.blocks import Part
from cardsight.track.cards import ROUGHLY, is_same_place
from cardsight.track.events import Touched
from cardsight.track.rims import hidden_card
from cardsight.track.tracker import PileTracker
from croupier_bench.hard_track import watch_clip
from croupier_rules.cards import CARD_MM
from tests.vision.laid import Image, Lying, picture
from tests.vision.test_track import BLUE, CARD_PX, FPS, RED, SIZE, Scene, Table, TruthReader, card

MM = CARD_PX / CARD_MM[1]
WAYS = {"along": (0.0, 1.0, 0.0), "across": (1.0, 0.0, 0.0), "fanned": (0.5, 0.0, 0.66)}
"""How far a card is displaced to the right and down (mm), and turned (degrees), for each mm."""


def under(upper: Lying, way: str, far_mm: float, face: str = "green-4") -> Lying:
    """A card under ``upper``, displaced."""
    right, down, turn = (far_mm * one for one in WAYS[way])
    angle = np.radians(upper.turn)
    x, y = MM * (right * np.cos(angle) - down * np.sin(angle)), MM * (right * np.sin(angle) + down * np.cos(angle))
    return Lying(face, upper.x + float(x), upper.y + float(y), upper.turn + turn)


def outline(one: Lying) -> Corners:
    a, b, c, d = ((float(x), float(y)) for x, y in one.quad())
    return a, b, c, d


def odds(before: tuple[Lying, ...], now: tuple[Lying, ...], ground: str = "wood") -> tuple[float, Corners]:
    part = Part((0, 0, *SIZE), CARD_PX)
    was, seen = (part.shrunk(picture(cards, ground, SIZE, seed)) for seed, cards in enumerate((before, now)))
    found = hidden_card(part, seen, was, outline(now[-1]))
    assert found is not None
    return found.odds, found.outline


@pytest.mark.parametrize("ground", ["wood", "black", "green cloth"])
@pytest.mark.parametrize("far_mm", [8.0, 10.0, 15.0])
@pytest.mark.parametrize("way", WAYS)
def test_a_second_card_shows_by_its_rims(way: str, far_mm: float, ground: str) -> None:
    lower = under(BLUE, way, far_mm)
    likely, where = odds((RED,), (RED, lower, BLUE), ground)
    assert likely > 0
    assert is_same_place(where, outline(lower), ROUGHLY)


@pytest.mark.parametrize("ground", ["wood", "black", "green cloth"])
@pytest.mark.parametrize("pile", [(), (RED,), (RED, card("yellow-5", -14, 10, 70)), (under(BLUE, "across", 8.0),)])
def test_what_lay_there_before_is_no_second_card(pile: tuple[Lying, ...], ground: str) -> None:
    likely, _ = odds(pile, (*pile, BLUE), ground)
    assert likely < 0


def test_a_card_that_the_next_one_pushed_is_no_second_card() -> None:
    pushed = Lying(RED.face, RED.x + 4 * MM, RED.y + 3 * MM, RED.turn + 2)
    likely, _ = odds((RED,), (pushed, BLUE))
    assert likely < 0


class CloseReader(TruthReader):
    """Reads hidden cards in a close look only."""

    least_closely = 0.6

    def read(self, bgr: Image, /, faces: Collection[str] | None = None, **how: Any) -> Reading:
        self.least = 0.6 if how["top_only"] else self.least_closely
        return super().read(bgr, faces, **how)


FACES = ("green-1", "yellow-8", "wild", "blue-5", "green-9", "red-skip", "yellow-2", "wild-draw4", "green-3", "red-4")
READ_SO_MM = {
    "10 mm": ((-1, 10), (-1, 4), (2, 11), (-10, 5)),
    "20 mm": ((12, 16), (4, 0), (6, 9), (0, 9)),
}  # fmt: skip
"""Two readings of a card on a pile of many: how far to the right and down of its corners the outline lies, which has
taken in edges of other cards."""


class InexactReader(TruthReader):
    """Reads the outline of `BLUE` so far off."""

    def __init__(self, off_mm: Sequence[tuple[float, float]]) -> None:
        super().__init__()
        a, b, _, d = quad = BLUE.quad()
        right, down = (one / np.hypot(*one) for one in (b - a, d - a))
        a, b, c, d = (
            (float(x), float(y))
            for x, y in (at + MM * (dx * right + dy * down) for at, (dx, dy) in zip(quad, off_mm, strict=True))
        )
        self._outline = a, b, c, d

    def read(self, bgr: Image, /, faces: Collection[str] | None = None, **how: Any) -> Reading:
        seen = super().read(bgr, faces, **how)
        return replace(
            seen, cards=tuple(replace(o, corners_px=self._outline) if o.face == BLUE.face else o for o in seen.cards)
        )


@pytest.mark.parametrize("off_mm", READ_SO_MM.values(), ids=READ_SO_MM)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_one_card_whose_outline_was_read_inexactly_is_no_two(off_mm: Sequence[tuple[float, float]], seed: int) -> None:
    rng = np.random.default_rng(seed)
    places = [(*rng.normal(0, 9, 2), 90 * rng.integers(4) + rng.normal(0, 14)) for _ in FACES]
    pile = [card(face, *map(float, place)) for face, place in zip(FACES, places, strict=True)]
    table = Table()
    table._reader = InexactReader(off_mm)
    table.tracker = PileTracker((0, 0, *SIZE), CARD_PX, table._reader)
    table.show(Scene(tuple(pile)), 0.3)
    table.lay(*pile, BLUE)
    assert [event.face for event in table.events if isinstance(event, Touched)] == [BLUE.face]


def lay_two(table: Table, *cards: Lying) -> float:
    """Bring the two last cards as one; return when they touched."""
    *pile, lower, upper = cards
    for x in np.linspace(-60, upper.x, 6):
        away = float(x) - upper.x
        held = (Lying(one.face, one.x + away, one.y, one.turn) for one in (lower, upper))
        table.show(Scene((*pile, *held), max(1, int(x))), 1 / FPS)
    touch = table.t
    table.show(Scene(cards, int(upper.x)), 0.3)
    for x in (160, 80):
        table.show(Scene(cards, x), 1 / FPS)
    table.show(Scene(cards), 1.5)
    return touch


@pytest.mark.parametrize(("least", "told"), [(0.6, "?"), (0.02, "green-4")], ids=["unreadable", "read closely"])
@pytest.mark.parametrize(("way", "far_mm"), [("along", 8.0), ("across", 8.0), ("fanned", 12.0)])
def test_two_cards_laid_as_one_are_two_touches_the_lower_first(
    way: str, far_mm: float, least: float, told: str
) -> None:
    table = Table()
    table._reader = reader = CloseReader()
    table.tracker = PileTracker((0, 0, *SIZE), CARD_PX, reader)
    table.show(Scene(), 0.3)
    table.lay(RED)
    reader.least_closely = least
    touch = lay_two(table, RED, under(BLUE, way, far_mm), BLUE)
    table.lay(RED, under(BLUE, way, far_mm), BLUE, card("red-1", -6, 4, 150))
    touched = [event for event in table.events if isinstance(event, Touched)]
    assert [event.face for event in touched] == ["red-7", told, "blue-2", "red-1"]
    assert [event.is_covered for event in touched] == [False, True, False, False]
    assert touched[1].t == touched[2].t
    assert abs(touched[1].t - touch) <= touched[1].u + 1 / FPS
    assert len(table.events) == 4


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["two together, 10 mm across", "two together, 6 mm along"])
def test_of_two_cards_laid_as_one_the_lower_one_is_told_by_its_rims(kind: str) -> None:
    score = watch_clip(kind, 0)
    assert (score.right + score.asked, score.lost, score.wrong, score.invented) == (4, 0, 0, 0)
