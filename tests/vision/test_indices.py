"""Cards of which little more than an index is visible: of a hand fanned as people hold it none is passed over, and
cards that lie free bring no question."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest

from cardsight.geometry import Image, Outline, pyramid, quad_of
from cardsight.indices import CloseReader, with_indices
from cardsight.model import Model, load
from cardsight.reader import Reader
from cardsight.sighting import Reading
from cardsight.still import completed
from croupier_rules.cards import DECKS
from tests.vision.laid import Lying, fan, picture

FACES = ("red-7", "blue-2", "green-skip", "yellow-5", "blue-9")
CLOSE = ("yellow-reverse", "blue-skip", "blue-9", "red-7", "blue-2")


@pytest.fixture(scope="module")
def model() -> Model:
    return load()


@pytest.mark.parametrize("ground", ["wood", "black", "green cloth"])
def test_of_a_close_hand_the_cards_are_named_by_their_index(model: Model, ground: str) -> None:
    image = picture(fan(FACES, 20, 11, 190), ground)
    reading = Reader(model).read(image)
    read = {card.face for card in reading.cards} - {"?"}
    assert len(read) < len(FACES)
    faces = [card.face for card in completed(image, reading, model).cards]
    assert len(faces) == len(FACES)
    assert len({*FACES} & {*faces}) >= len(FACES) - 1
    assert {*faces} <= {*FACES, "?"}


def test_what_was_not_sure_at_first_is_named_once_others_are_known(model: Model) -> None:
    image = picture(fan(CLOSE, -32, 13, 158), "black")
    read = with_indices(pyramid(image), Reader(model).read(image), model).cards
    assert sorted(card.face for card in read) == sorted(CLOSE)


def test_where_the_names_of_faces_mean_others_a_card_is_found_and_not_named(model: Model) -> None:
    image = picture(fan(FACES, 20, 11, 190), "wood")
    reading = Reader(model).read(image)
    found = with_indices(pyramid(image), reading, model, may_name=False).cards
    assert len(found) > len(reading.cards)
    assert {card.face for card in found} - {card.face for card in reading.cards} <= {"?"}


def test_a_card_of_which_both_indices_show_counts_once(model: Model) -> None:
    laid = [Lying("green-3", 640, 360, 25, 130), Lying("red-8", 640, 360, 105, 130)]
    image = picture(laid, "wood")
    cards = completed(image, Reader(model).read(image), model).cards
    assert sorted(card.face for card in cards) == ["green-3", "red-8"]


def test_a_card_between_two_others_is_found_by_its_index_on_the_lower_one(model: Model) -> None:
    places = {"blue-4": (560, 300, -10), "yellow-skip": (650, 440, -20), "yellow-8": (680, 480, -25)}
    laid = [Lying(face, *place, 150) for face, place in places.items()]
    image = picture(laid, "wood")
    cards = completed(image, Reader(model).read(image), model).cards
    assert {card.face for card in cards} <= {*places, "?"}
    between = Outline(laid[1].quad())
    near = [card for card in cards if between.iou(Outline(quad_of(card.corners_px))) > 0.7]
    assert {card.face for card in near} <= {"yellow-skip", "?"}
    assert near


@pytest.mark.parametrize("ground", ["wood", "paper"])
def test_cards_that_lie_free_bring_no_question(model: Model, ground: str) -> None:
    image = picture([Lying(face, 250 + 380 * n, 360, 20.0 * n, 130) for n, face in enumerate(FACES[:3])], ground)
    reading = Reader(model).read(image)
    assert with_indices(pyramid(image), reading, model).cards == reading.cards


def test_a_close_reader_returns_what_it_can_name_and_what_was_found_at_a_glance(model: Model) -> None:
    image = picture(fan(CLOSE, -32, 13, 158), "black")
    glances = list[Reading]()

    class Glance:
        def read(self, bgr: Image, /, faces: Collection[str] | None = None, **how: Any) -> Reading:
            glances.append(Reader(model).read(bgr, faces, **how))
            return glances[-1]

    read = CloseReader(Glance(), model).read(image, DECKS["g7942"])
    assert sorted(card.face for card in read.cards) == sorted(CLOSE)
    (glance,) = glances
    assert len(glance.cards) < len(CLOSE)
    assert read.ms > glance.ms, "the glance is a part of it"


def test_a_close_reader_names_no_card_that_the_deck_does_not_hold(model: Model) -> None:
    image, deck = picture(fan(CLOSE, -32, 13, 158), "black"), set(DECKS["g7942"]) - {"blue-skip"}
    read = CloseReader(Reader(model), model).read(image, deck)
    assert {card.face for card in read.cards} <= {*CLOSE, "?"} - {"blue-skip"}
