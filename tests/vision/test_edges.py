"""Cards cut off by the edge of a picture: never passed over, never guessed; nothing is added where no card is cut."""

from __future__ import annotations

import numpy as np
import pytest

from cardsight.edges import with_cards_at_edge
from cardsight.geometry import pyramid
from cardsight.model import Model, load
from cardsight.reader import Reader
from cardsight.sighting import Reading, Sighting
from tests.vision.laid import Lying, picture

WHOLE = [Lying("red-7", 400, 360, 10, 130), Lying("blue-2", 640, 330, -8, 130), Lying("wild", 880, 360, 0, 130)]
SIZE = (1280, 720)


@pytest.fixture(scope="module")
def model() -> Model:
    return load()


@pytest.mark.parametrize("ground", ["wood", "green cloth", "black"])
@pytest.mark.parametrize(
    "cut",
    [
        Lying("wild-draw4", 640, 720, 0, 130),
        Lying("red-9", 0, 400, 90, 130),
        Lying("green-4", 1290, 300, 35, 130),
        Lying("yellow-skip", 250, -25, 20, 130),
    ],
    ids=lambda card: card.face,
)
def test_a_card_cut_off_by_the_edge_is_not_passed_over(model: Model, ground: str, cut: Lying) -> None:
    image = picture([*WHOLE, cut], ground)
    told = with_cards_at_edge(pyramid(image), Reader(model).read(image), model.detector).cards
    faces = [card.face for card in told]
    assert {"red-7", "blue-2", "wild"} <= set(faces) <= {"red-7", "blue-2", "wild", "?", cut.face}
    assert len(faces) > len(WHOLE)


@pytest.mark.parametrize("ground", ["wood", "green cloth", "black"])
def test_whole_cards_close_to_the_edge_stay_as_they_were_read(model: Model, ground: str) -> None:
    image = picture([*WHOLE, Lying("green-4", 1210, 300, 0, 130), Lying("red-9", 640, 610, 0, 130)], ground)
    reading = Reader(model).read(image)
    assert with_cards_at_edge(pyramid(image), reading, model.detector) == reading


@pytest.mark.parametrize(
    ("ground", "card"), [("black", Lying("blue-0", 300, 200, 90, 300)), ("wood", Lying("blue-0", 640, 330, 90, 380))]
)
def test_the_table_between_a_large_card_and_the_edge_is_no_card(model: Model, ground: str, card: Lying) -> None:
    image = picture([card], ground)
    reading = Reader(model).read(image)
    assert with_cards_at_edge(pyramid(image), reading, model.detector) == reading


def test_a_face_of_which_too_little_lies_in_the_picture_is_asked_for(model: Model) -> None:
    image = np.full((720, 1280, 3), 90, np.uint8)
    half = Sighting("red-6", 0.97, ((-65.0, 300.0), (65.0, 300.0), (65.0, 504.0), (-65.0, 504.0)))
    told = with_cards_at_edge(pyramid(image), Reading(SIZE, (half,)), model.detector).cards
    assert [(card.face, card.candidates) for card in told] == [("?", (("red-6", 0.97),))]
