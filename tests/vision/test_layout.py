"""The layout of a picture: cards of which little shows are found, those that the edge of the picture cuts off are not
passed over, and what is explained or is no card brings no question."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from cardsight import layout
from cardsight.evidence import gather
from cardsight.explanation import CloseReader, Explanation
from cardsight.geometry import Image, Outline, Quad, corners_of, pyramid, quad_of
from cardsight.layout import Layout
from cardsight.model import Model, load
from cardsight.reader import Reader
from cardsight.sighting import Reading, Sighting
from croupier_rules.cards import CARD_MM, DECKS
from tests.vision.laid import Lying, fan, picture
from training.measure import kitchen

FACES = ("red-7", "blue-2", "green-skip", "yellow-5", "blue-9")
CLOSE = ("yellow-reverse", "blue-skip", "blue-9", "red-7", "blue-2")
SIZE = (1280, 720)
WHOLE = [Lying("red-7", 400, 360, 10, 130), Lying("blue-2", 640, 330, -8, 130), Lying("wild", 880, 360, 0, 130)]
FITTED = layout.load()
GROUNDS = ("wood", "black", "paper", "green cloth")


@pytest.fixture(scope="module")
def model() -> Model:
    return load()


def explained(
    image: Image, reading: Reading, model: Model, *, may_name: bool = True, number: int | None = None
) -> Reading:
    return Explanation(pyramid(image), reading, model, FITTED, may_name=may_name).reading(number)


def explain(image: Image, model: Model) -> Reading:
    return explained(image, Reader(model).read(image), model)


def faces_of(reading: Reading) -> list[str]:
    return sorted(card.face for card in reading.cards)


# ------------------------------------------------------------------------------------------------ evidence


@pytest.mark.parametrize("ground", ["wood", "black", "green cloth"])
def test_the_evidence_says_where_cards_show_and_where_their_centers_are(model: Model, ground: str) -> None:
    lying = [Lying("red-7", 400, 360, 30, 130), Lying("back", 880, 360, -20, 130)]
    seen = gather(FITTED.evidence, pyramid(picture(lying, ground)), 130 * CARD_MM[1] / CARD_MM[0])
    for card, shown in zip(lying, (seen.face, 1 - seen.none), strict=True):
        inside = np.array([
            cv2.pointPolygonTest(card.quad(), (float(x), float(y)), True) > 15
            for x, y in seen.places.reshape(-1, 2)
        ]).reshape(shown.shape)  # fmt: skip
        assert shown[inside].mean() > 0.9
        off = np.hypot(*(seen.centers[inside] - (card.x, card.y)).T)
        assert np.median(off) < 0.1 * 130 * CARD_MM[1] / CARD_MM[0]
    assert seen.none.mean() > 0.8


def test_the_evidence_finds_both_indices_of_a_card_and_which_way_they_are_up(model: Model) -> None:
    card = Lying("green-4", 640, 360, 25, 150)
    seen = gather(FITTED.evidence, pyramid(picture([card], "wood")), 150 * CARD_MM[1] / CARD_MM[0])
    sure = [peak for peak in seen.indices() if peak.odds > 0]
    turns = sorted(round(float(np.degrees(peak.angle))) % 360 for peak in sure)
    assert len(turns) == 2
    assert np.allclose(turns, [25, 205], atol=15)


@pytest.mark.parametrize("ground", ["wood", "black", "green cloth"])
@pytest.mark.parametrize(("aside", "turned"), [((0.06, 0.0), 0.0), ((0.0, -0.06), 0.05), ((-0.05, 0.05), -0.1)])
def test_an_outline_snaps_to_the_edges_of_its_card(ground: str, aside: tuple[float, float], turned: float) -> None:
    cards = [Lying("red-7", 620, 360, 30, 130), Lying("blue-2", 690, 330, -10, 130)]
    long = 130 * CARD_MM[1] / CARD_MM[0]
    seen = layout.Layout(gather(FITTED.evidence, pyramid(picture(cards, ground)), long), long)
    for card in cards:
        true = Outline(card.quad())
        middle, turn = (
            true.quad.mean(0),
            np.array([[np.cos(turned), np.sin(turned)], [-np.sin(turned), np.cos(turned)]]),
        )
        off = ((true.quad - middle) @ turn + middle + np.array(aside) * long).astype(np.float32)
        found = seen.snapped(off)
        assert 1 - true.iou(Outline(found)) < 0.7 * (1 - true.iou(Outline(off)))


# ------------------------------------------------------------------------------------------------ cards under others


@pytest.mark.parametrize("ground", ["wood", "black", "green cloth"])
def test_of_a_close_hand_the_cards_are_named_by_their_index(model: Model, ground: str) -> None:
    image = picture(fan(FACES, 20, 11, 190), ground)
    reading = Reader(model).read(image)
    read = {card.face for card in reading.cards} - {"?"}
    assert len(read) < len(FACES)
    faces = faces_of(explained(image, reading, model))
    assert len(faces) == len(FACES)
    assert len({*FACES} & {*faces}) >= len(FACES) - 1
    assert {*faces} <= {*FACES, "?"}


def test_a_hand_is_named_whole_by_its_indices(model: Model) -> None:
    assert faces_of(explain(picture(fan(CLOSE, -32, 13, 158), "black"), model)) == sorted(CLOSE)


def test_where_the_names_of_faces_mean_others_a_card_is_found_and_not_named(model: Model) -> None:
    image = picture(fan(FACES, 20, 11, 190), "wood")
    reading = Reader(model).read(image)
    found = explained(image, reading, model, may_name=False).cards
    assert len(found) > len([card for card in reading.cards if card.face != "?"])
    assert {card.face for card in found} - {card.face for card in reading.cards} <= {"?"}


@pytest.mark.parametrize(
    ("ground", "turn", "step", "reach"),
    [("wood", -70, 8, 240), ("green cloth", -70, 8, 240), ("black", -70, 8, 240), ("wood", 100, -8, 260)],
)
def test_of_a_close_fan_no_card_is_passed_over(
    model: Model, ground: str, turn: float, step: float, reach: float
) -> None:
    image = picture(fan(FACES[:3], turn, step, reach), ground)
    reading = Reader(model).read(image)
    assert len(reading.cards) == 2
    faces = faces_of(explained(image, reading, model))
    assert len(faces) >= 3
    assert set(faces) <= {*FACES[:3], "?"}


def test_a_card_of_which_both_indices_show_counts_once(model: Model) -> None:
    laid = [Lying("green-3", 640, 360, 25, 130), Lying("red-8", 640, 360, 105, 130)]
    image = picture(laid, "wood")
    assert faces_of(explained(image, Reader(model).read(image), model, number=2)) == ["green-3", "red-8"]


def test_a_card_between_two_others_is_found_by_its_index_on_the_lower_one(model: Model) -> None:
    places = {"blue-4": (560, 300, -10), "yellow-skip": (650, 440, -20), "yellow-8": (680, 480, -25)}
    laid = [Lying(face, *place, 150) for face, place in places.items()]
    cards = explain(picture(laid, "wood"), model).cards
    assert {card.face for card in cards} <= {*places, "?"}
    between = Outline(laid[1].quad())
    near = [card for card in cards if between.iou(Outline(quad_of(card.corners_px))) > 0.7]
    assert {card.face for card in near} <= {"yellow-skip", "?"}
    assert near


@pytest.mark.parametrize("ground", ["wood", "black"])
def test_a_question_about_a_covered_card_names_the_card_that_lies_on_it(model: Model, ground: str) -> None:
    laid = [Lying("blue-2", 300, 360, 0, 130), Lying("green-4", 660, 360, 90, 130), Lying("red-7", 620, 360, 0, 150)]
    image = picture(laid, ground)
    top = [card for card in Reader(model).read(image).cards if card.face in ("red-7", "blue-2")]
    cards = explained(image, Reading(SIZE, tuple(top)), model).cards
    assert [card.under for card in cards if card.face == "?"] in ([], ["red-7"])
    assert len(cards) == len(laid)


def test_a_second_card_of_the_same_face_at_the_same_place_counts_no_points(model: Model) -> None:
    """It may be the first one, read along a wrong outline."""
    image = picture([Lying("red-7", 640, 360, 0, 130)], "wood")
    reading = Reader(model).read(image)
    aside = replace(reading.cards[0], corners_px=corners_of(Lying("red-7", 660, 450, 0, 130).quad()))
    cards = explained(image, replace(reading, cards=(aside,)), model).cards
    assert [(card.face, card.candidates) for card in cards if card.face != "red-7"] == [("?", ())]


# ------------------------------------------------------------------------------------------------ the number is known


def test_if_as_many_cards_were_read_as_there_are_nothing_is_asked(model: Model) -> None:
    image = picture(WHOLE, "wood")
    reading = Reader(model).read(image)
    strange = Sighting("?", 0.3, ((100.0, 500.0), (200.0, 500.0), (200.0, 650.0), (100.0, 650.0)))
    asked = replace(reading, cards=(*reading.cards, strange))
    assert explained(image, asked, model, number=3).cards == reading.cards


def test_the_likeliest_of_the_hidden_cards_are_named_until_the_number_is_reached(model: Model) -> None:
    image = picture(fan(CLOSE, -32, 13, 158), "black")
    reading = Reader(model).read(image)
    assert faces_of(explained(image, reading, model, number=len(CLOSE))) == sorted(CLOSE)


def test_a_card_that_shows_speaks_against_a_number_that_is_too_small(model: Model) -> None:
    image = picture(fan(CLOSE, -32, 13, 158), "black")
    reading = Reader(model).read(image)
    for number in range(1, len(CLOSE)):
        assert faces_of(explained(image, reading, model, number=number)) == sorted(CLOSE), number


def test_each_card_that_is_named_without_the_number_speaks_against_one_that_is_too_small(model: Model) -> None:
    image = kitchen.scene(kitchen.DRAWN, "fan 6°", 3).picture()
    reading = Reader(model).read(image)
    named = [face for face in faces_of(explained(image, reading, model)) if face != "?"]
    assert len(named) > len(reading.cards)
    assert faces_of(explained(image, reading, model, number=len(named) - 1)) == named


def test_a_number_that_is_not_reached_leaves_questions_or_fewer_cards(model: Model) -> None:
    image = picture(WHOLE, "wood")
    cards = explained(image, Reader(model).read(image), model, number=5).cards
    assert sum(card.face != "?" for card in cards) == len(WHOLE)


# ------------------------------------------------------------------------------------------------ what may lie hidden


@pytest.mark.parametrize(
    ("laid", "may_hide"),
    [
        pytest.param(WHOLE, False, id="apart"),
        pytest.param([Lying("red-7", 400, 360, 2, 130), Lying("blue-2", 526, 362, -1, 130)], False, id="side-by-side"),
        pytest.param([Lying("red-7", 400, 360, 0, 130), Lying("blue-2", 490, 360, 0, 130)], True, id="on-each-other"),
        pytest.param([Lying("red-7", 400, 360, 0, 130), Lying("back", 490, 360, 0, 130)], True, id="under-a-back"),
        pytest.param([Lying("back", 400, 360, 0, 130), Lying("back", 490, 360, 8, 130),
                      Lying("red-7", 800, 360, 0, 130)], False, id="a-draw-pile"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("ground", ["wood", "black"])
def test_more_cards_may_lie_hidden_where_cards_lie_on_each_other_and_nobody_knows_their_number(
    model: Model, ground: str, laid: list[Lying], may_hide: bool
) -> None:
    image = picture(laid, ground)
    reading = Reader(model).read(image)
    assert explained(image, reading, model).may_hide is may_hide
    assert not explained(image, reading, model, number=sum(card.face != "back" for card in laid)).may_hide


# ------------------------------------------------------------------------------------------------ what asks nothing


@pytest.mark.parametrize("ground", GROUNDS)
def test_cards_that_lie_free_bring_no_question(model: Model, ground: str) -> None:
    cards = [Lying(face, 250 + 380 * n, 360, 20.0 * n, 130) for n, face in enumerate(FACES[:3])]
    image = picture([*cards, Lying("wild", 1010 + 135, 360, 40, 130)], ground)
    reading = Reader(model).read(image)
    assert explained(image, reading, model).cards == reading.cards


@pytest.mark.parametrize("ground", ["wood", "black", "green cloth"])
def test_things_of_other_colors_bring_no_question(model: Model, ground: str) -> None:
    image = picture([Lying("red-7", 500, 360, 0, 130)], ground)
    image[270:450, 565:585] = (160, 40, 140)  # a pen beside the card
    cv2.circle(image, (900, 300), 90, (40, 120, 220), -1)  # a lid
    cv2.rectangle(image, (760, 500), (1100, 660), (25, 25, 25), -1)  # a phone
    assert faces_of(explain(image, model)) == ["red-7"]


@pytest.mark.parametrize(("scene", "number"), [("box", 1010), ("other games", 1004)])
def test_a_card_printed_on_a_box_and_the_pips_of_a_playing_card_are_no_card(
    model: Model, scene: str, number: int
) -> None:  # fmt: skip
    """The reader names one beside the seven of the hand, both at more than .9."""
    seen = kitchen.scene(kitchen.DRAWN, scene, number)
    assert faces_of(explain(seen.picture(), model)) == sorted(card.face for card in seen.cards)


@pytest.mark.parametrize(
    ("missed", "left"),
    [
        pytest.param({"red-7"}, ["blue-2", "wild"], id="one"),
        pytest.param({"wild"}, ["blue-2", "red-7", "wild"], id="a wild, which is hard to see in little light"),
        pytest.param({"red-7", "blue-2", "wild"}, ["blue-2", "red-7", "wild"], id="all"),
    ],
)
def test_a_named_card_that_the_evidence_network_misses_counts_only_if_it_may_be_missed(
    model: Model, monkeypatch: pytest.MonkeyPatch, missed: set[str], left: list[str]
) -> None:
    at = {round(card.x): card.face for card in WHOLE}

    def shown(_: Layout, quad: Quad) -> float:
        nearest = min(at, key=lambda x: abs(x - float(quad[:, 0].mean())))
        return 0.1 if at[nearest] in missed else 0.9

    image = picture(WHOLE, "wood")
    reading = Reader(model).read(image)
    monkeypatch.setattr(Layout, "shown", shown)
    assert faces_of(explained(image, reading, model, number=len(left))) == left


def test_where_nothing_was_read_nothing_is_asked(model: Model) -> None:
    assert not explain(picture([], "wood"), model).cards


def test_the_time_of_the_layout_is_part_of_the_reading(model: Model) -> None:
    image = picture(WHOLE, "wood")
    reading = Reader(model).read(image)
    whole = explained(image, reading, model)
    assert whole.ms == pytest.approx(reading.ms + whole.stages_ms["layout"])
    assert whole.stages_ms["layout"] > 0


def test_without_the_corner_network_a_reading_stays_as_it_is(model: Model) -> None:
    image = picture(WHOLE, "wood")
    reading = Reader(model).read(image)
    assert explained(image, reading, replace(model, corner=None)) is reading


def test_the_weights_that_are_saved_are_those_that_are_loaded(tmp_path: Path) -> None:
    layout.save_weights(tmp_path, FITTED.index, FITTED.layout)
    assert (tmp_path / layout.FIGURES).read_bytes() == (layout.FOLDER / layout.FIGURES).read_bytes()
    with pytest.raises(FileNotFoundError):
        layout.load(tmp_path)


# ------------------------------------------------------------------------------------------------ the picture's edge


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
    faces = faces_of(explain(picture([*WHOLE, cut], ground), model))
    assert {"red-7", "blue-2", "wild"} <= set(faces) <= {"red-7", "blue-2", "wild", "?", cut.face}
    assert len(faces) > len(WHOLE)


@pytest.mark.parametrize("ground", ["wood", "green cloth", "black"])
def test_whole_cards_close_to_the_edge_stay_as_they_were_read(model: Model, ground: str) -> None:
    image = picture([*WHOLE, Lying("green-4", 1210, 300, 0, 130), Lying("red-9", 640, 610, 0, 130)], ground)
    reading = Reader(model).read(image)
    assert explained(image, reading, model).cards == reading.cards


@pytest.mark.parametrize(
    ("ground", "card"), [("black", Lying("blue-0", 300, 200, 90, 300)), ("wood", Lying("blue-0", 640, 330, 90, 380))]
)
def test_the_table_between_a_large_card_and_the_edge_is_no_card(model: Model, ground: str, card: Lying) -> None:
    image = picture([card], ground)
    reading = Reader(model).read(image)
    assert explained(image, reading, model).cards == reading.cards


def test_a_face_of_which_too_little_lies_in_the_picture_is_asked_for(model: Model) -> None:
    image = np.full((720, 1280, 3), 90, np.uint8)
    half = Sighting("red-6", 0.97, ((-65.0, 300.0), (65.0, 300.0), (65.0, 504.0), (-65.0, 504.0)))
    told = explained(image, Reading(SIZE, (half,)), model).cards
    assert [(card.face, card.candidates) for card in told] == [("?", (("red-6", 0.97),))]


# ------------------------------------------------------------------------------------------------ the running table


def test_a_close_reader_returns_what_it_can_name_and_what_was_found_at_a_glance(model: Model) -> None:
    image = picture(fan(CLOSE, -32, 13, 158), "black")
    glances = list[Reading]()

    class Glance:
        def read(self, bgr: Image, /, faces: Collection[str] | None = None, **how: Any) -> Reading:
            glances.append(Reader(model).read(bgr, faces, **how))
            return glances[-1]

    read = CloseReader(Glance(), model, FITTED).read(image, DECKS["g7942"])
    assert sorted(card.face for card in read.cards) == sorted(CLOSE)
    (glance,) = glances
    assert len(glance.cards) < len(CLOSE)
    assert read.ms > glance.ms, "the glance is a part of it"


def test_a_picture_is_explained_once_and_completed_with_any_number(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    image, looks = picture(fan(CLOSE, -32, 13, 158), "black"), list[float]()

    def counted(*parts: Any) -> Any:
        looks.append(parts[-1])
        return gather(*parts)

    reading, levels = Reader(model).read(image), pyramid(image)
    expected = {number: Explanation(levels, reading, model, FITTED).reading(number).cards for number in (7, 3, None)}
    monkeypatch.setattr(layout, "gather", counted)
    whole = Explanation(levels, reading, model, FITTED)
    assert {number: whole.reading(number).cards for number in expected} == expected
    assert len(looks) == 1
    CloseReader(Reader(model), model, FITTED, number=9).read(image)
    assert len(looks) == 2, "nine cards are not there, so it is completed twice"


def test_a_close_reader_names_no_card_that_the_deck_does_not_hold(model: Model) -> None:
    image, deck = picture(fan(CLOSE, -32, 13, 158), "black"), set(DECKS["g7942"]) - {"blue-skip"}
    read = CloseReader(Reader(model), model, FITTED).read(image, deck)
    assert {card.face for card in read.cards} <= {*CLOSE, "?"} - {"blue-skip"}
