"""Occluded cards: more is read where more is visible, and none with a large visible part is passed over."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cardsight.detector import DetectorPasses, Proposal
from cardsight.geometry import overlap
from cardsight.model import load
from cardsight.occlusion import MOST, more_proposals
from cardsight.reader import Reader
from cardsight.sighting import Sighting
from tests.vision.laid import Image, Lying, picture

FAN = ("red-7", "blue-2", "green-skip", "yellow-4", "wild", "red-draw2")


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


def fan(step: float) -> list[Lying]:
    """Six cards laid down as a hand, each ``step`` degrees further round."""
    turns = [(place - 2.5) * step for place in range(len(FAN))]
    reach = 260
    return [
        Lying(face, 640 + reach * np.sin(np.radians(turn)), 620 - reach * np.cos(np.radians(turn)), turn, 130)
        for face, turn in zip(FAN, turns, strict=True)
    ]


def pair(dx: float, dy: float, turn: float) -> list[Lying]:
    """A red seven under a blue two, and a third card far away."""
    return [Lying("red-7", 400, 360, 10, 130), Lying("blue-2", 400 + dx, 360 + dy, turn, 130), Lying("wild", 950, 360)]


def seen_at(card: Lying, cards: tuple[Sighting, ...]) -> list[str]:
    """What was told where a card lies."""
    return [s.face for s in cards if overlap(np.array(s.corners_px, np.float32), card.quad()) > 0.75]


@pytest.mark.parametrize("ground", ["wood", "green cloth", "black"])
@pytest.mark.parametrize("step", [14, 18, 22])
def test_every_card_of_a_fan_is_reported_or_asked_for(reader: Reader, ground: str, step: float) -> None:
    cards = fan(step)
    told = reader.read(picture(cards, ground)).cards
    assert all(seen_at(card, told) for card in cards)
    assert {card.face for card in told} <= {*FAN, "?"}
    assert sum(card.face in FAN for card in told) >= 4


@pytest.mark.parametrize("ground", ["wood", "green cloth", "black"])
def test_of_a_close_fan_cards_are_named_by_their_corners(reader: Reader, ground: str) -> None:
    image = picture(fan(10), ground)
    without = Reader(replace(load(), corner=None)).read(image).cards
    told = [card.face for card in reader.read(image).cards]
    assert set(told) <= {*FAN, "?"}
    assert len(set(told) & set(FAN)) > len({card.face for card in without} & set(FAN)) + 1


@pytest.mark.parametrize(
    ("dx", "dy", "turn"),
    [
        pytest.param(75, 40, 15, id="beside"),
        pytest.param(10, 120, 95, id="across"),
        pytest.param(-70, -60, 60, id="above"),
    ],
)
def test_a_card_partly_under_another_is_reported_or_asked_for(
    reader: Reader, dx: float, dy: float, turn: float
) -> None:
    cards = pair(dx, dy, turn)
    told = reader.read(picture(cards)).cards
    below, above, far = (seen_at(card, told) for card in cards)
    assert "blue-2" in above
    assert "wild" in far
    assert below in (["red-7"], ["?"])


HEAP = ("red-1", "blue-9", "green-6", "yellow-3", "wild-draw4", "red-skip", "blue-0", "green-reverse")


def heap(seed: int) -> Image:
    rng = np.random.default_rng(seed)
    cards = [Lying(face, rng.normal(640, 170), rng.normal(360, 110), rng.uniform(0, 360)) for face in HEAP]
    return picture(cards, seed=seed)


@pytest.mark.long
def test_a_heap_is_reported_without_a_wrong_card_and_more_of_it_by_looking_closer(reader: Reader) -> None:
    heaps = [heap(seed) for seed in range(4)]
    closer, quick = (
        [card.face for image in heaps for card in reader.read(image, top_only=top_only).cards]
        for top_only in (False, True)
    )
    assert set(closer) <= {*HEAP, "?"}
    assert len(closer) > len(quick)


def test_the_top_of_a_pile_is_read_without_looking_closer(reader: Reader) -> None:
    reading = reader.read(heap(1), top_only=True)
    assert "occlusion" not in reading.stages_ms
    assert "green-reverse" in [card.face for card in reading.cards]
    assert "occlusion" in reader.read(heap(1)).stages_ms


def test_cards_that_lie_apart_need_no_closer_look(reader: Reader) -> None:
    cards = [Lying(face, 150 + 195 * place, 300, 12.0 * place) for place, face in enumerate(FAN)]
    reading = reader.read(picture(cards))
    assert [card.face for card in reading.cards].count("?") == 0
    assert "occlusion" not in reading.stages_ms


class Lace(DetectorPasses):
    """A table full of outlines."""

    longer = 1920

    def __init__(self) -> None: ...

    def at(self, side_px: int) -> list[Proposal]:
        places = [(100.0 * (n % 19) + side_px % 7, 100.0 * (n // 19)) for n in range(190)]
        return [
            Proposal(np.array([[x, y], [x + 40, y], [x + 40, y + 63], [x, y + 63]], np.float32), n / 100, 60.0)
            for n, (x, y) in enumerate(places)
        ]


def test_on_a_ground_full_of_outlines_only_the_best_are_looked_at() -> None:
    found = more_proposals(Lace(), [])
    assert len(found) == MOST
    assert min(one.odds for one in found) > 1.5
