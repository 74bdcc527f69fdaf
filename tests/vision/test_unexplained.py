"""Cards that no reading explains: of a close fan none is passed over, and cards that lie free bring no question."""

from __future__ import annotations

import numpy as np
import pytest

from cardsight.detector import DetectorPasses, Proposal
from cardsight.geometry import Outline, corners_of, pyramid
from cardsight.model import Model, load
from cardsight.occlusion import MOST, more_proposals
from cardsight.reader import Reader
from cardsight.sighting import Reading, Sighting
from cardsight.still import completed
from cardsight.unexplained import parts_of_other_hue, with_unexplained_cards
from croupier_rules.cards import CARD_MM
from tests.vision.laid import Lying, picture

FACES = ("red-7", "blue-2", "green-skip")


@pytest.fixture(scope="module")
def model() -> Model:
    return load()


def close_fan(turn: float, step: float, reach: float) -> list[Lying]:
    """Three cards, each ``step`` degrees further round a point ``reach`` px below their middle."""
    turns = [turn + (place - 1) * step for place in range(3)]
    at = np.radians(turns)
    x, y = 640 - reach * np.sin(np.radians(turn)), 360 + reach * np.cos(np.radians(turn))
    return [
        Lying(face, x + reach * np.sin(a), y - reach * np.cos(a), one, 130)
        for face, a, one in zip(FACES, at, turns, strict=True)
    ]


@pytest.mark.parametrize(
    ("ground", "turn", "step", "reach"),
    [("wood", -70, 8, 240), ("green cloth", -70, 8, 240), ("black", -70, 8, 240), ("wood", 100, -8, 260)],
)
def test_of_a_close_fan_no_card_is_passed_over(
    model: Model, ground: str, turn: float, step: float, reach: float
) -> None:
    image = picture(close_fan(turn, step, reach), ground)
    reading = Reader(model).read(image)
    assert len(reading.cards) == 2
    faces = [card.face for card in completed(image, reading, model).cards]
    assert len(faces) >= len(FACES)
    assert set(faces) <= {*FACES, "?"}


@pytest.mark.parametrize("ground", ["wood", "black", "paper", "green cloth"])
def test_cards_that_lie_free_bring_no_question(model: Model, ground: str) -> None:
    cards = [Lying(face, 250 + 380 * n, 360, 20.0 * n, 130) for n, face in enumerate(FACES)]
    image = picture([*cards, Lying("wild", 1010 + 135, 360, 40, 130)], ground)
    reading = Reader(model).read(image)
    assert with_unexplained_cards(pyramid(image), reading, model).cards == reading.cards


@pytest.mark.parametrize("ground", ["wood", "black", "paper"])
def test_a_card_between_two_others_is_found_by_its_color(ground: str) -> None:
    low, between, top = (
        Lying(face, x, 360, turn, 130)
        for face, x, turn in (("blue-4", 596, -22), ("green-8", 628, -10), ("yellow-reverse", 640, 0))
    )
    sightings = tuple(Sighting(one.face, 0.95, corners_of(one.quad())) for one in (low, top))
    reading = Reading(size=(1280, 720), cards=sightings, backs=(), ms=0, stages_ms={})
    found = [
        parts_of_other_hue(pyramid(picture(cards, ground)), reading, low.width * CARD_MM[1] / CARD_MM[0])
        for cards in ((low, between, top), (low, top))
    ]
    assert [len(parts) for parts in found] == [1, 0]
    assert Outline(between.quad()).overlap(found[0][0]) > 0.5


@pytest.mark.parametrize("ground", ["wood", "black", "paper", "green cloth"])
def test_a_strip_beside_a_card_that_shows_nothing_known_is_a_question(model: Model, ground: str) -> None:
    image = picture([Lying("red-7", 640, 360, 0, 130)], ground)
    image[270:450, 705:725] = (160, 40, 140)
    asked = with_unexplained_cards(pyramid(image), Reader(model).read(image), model).cards[1:]
    assert {card.face for card in asked} == {"?"}
    assert min(np.hypot(*(np.mean(card.corners_px, 0) - (715, 360))) for card in asked) < 65


def test_where_nothing_was_read_nothing_is_asked(model: Model) -> None:
    image = picture([], "wood")
    assert not with_unexplained_cards(pyramid(image), Reader(model).read(image), model).cards


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
