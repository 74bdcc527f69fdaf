"""The composed kitchen shows what it says, and its bench counts what a person would be told."""

from __future__ import annotations

import numpy as np
import pytest

from cardsight import Reading, Sighting
from croupier.errors import CannotSimulate
from croupier.pictures.readings import points_of
from croupier_bench.kitchen import Answer, measure, score
from croupier_tally.tally import Hand
from training.measure import kitchen
from training.measure.judging import Card, Result, Scene, judge

FAR = ((900.0, 900.0), (910.0, 900.0), (910.0, 915.0), (900.0, 915.0))


@pytest.mark.parametrize("name", ["row", "fan 6°", "overlap .55", "box", "four backs"])
def test_each_hand_has_seven_cards_in_the_picture_of_which_a_corner_shows(name: str) -> None:
    scene = kitchen.scene(kitchen.DRAWN, name, 0)
    height, width = scene.picture().shape[:2]
    assert len(scene.cards) == 7
    assert all(card.corner for card in scene.cards)
    for card in scene.cards:
        assert card.quad is not None
        assert (card.quad > 0).all()
        assert (card.quad < (width, height)).all()


def test_overlapping_cards_are_covered_by_what_the_scene_is_called_for() -> None:
    seen = sorted(card.seen for card in kitchen.scene(kitchen.DRAWN, "overlap .35", 0).cards)
    assert np.mean(seen[:6]) == pytest.approx(0.65, abs=0.05)
    assert seen[6] > 0.97


def test_the_edge_of_a_cropped_picture_goes_through_a_card_and_all_others_are_whole() -> None:
    for number in range(6):
        scene = kitchen.scene(kitchen.DRAWN, "cropped", number)
        cut = [card for card in scene.cards if card.seen < 0.95]
        assert 1 <= len(cut) <= 2  # one in each row at most
        assert min(card.seen for card in cut) > 0.1 * kitchen.CUT[0]


def test_the_same_scene_is_composed_again_and_another_number_is_another_picture() -> None:
    one, again, other = (kitchen.scene(kitchen.DRAWN, "single on table", number) for number in (0, 0, 1))
    assert np.array_equal(one.picture(), again.picture())
    assert not np.array_equal(one.picture(), other.picture())


def told(cards: str, seen: str, *, corner: bool = True) -> Answer:
    quads = [np.array([[x, 0], [x + 56, 0], [x + 56, 88], [x, 88]], np.float32) for x in range(0, 6000, 100)]
    laid = tuple(Card(face, corner=corner, quad=quad) for face, quad in zip(cards.split(), quads, strict=False))
    scene = Scene("table 1", "drawn", "drawn", "row", laid, lambda: np.zeros((1, 1, 3), np.uint8))
    sightings = tuple(Sighting(face, 0.95, FAR) for face in seen.split())
    result: Result = judge(scene, Reading((1000, 1000), sightings))
    counted = Hand(len(laid), [points_of(face) for face in seen.split()]).score(partial=False)
    return Answer(result, score(seen.split()), counted, 1.0, 1.0)


@pytest.mark.parametrize(
    ("seen", "corner", "counted"),
    [
        pytest.param("red-7 blue-2", True, {"sums right"}, id="all read"),
        pytest.param("red-7 blue-2 ?", True, {"refused though all read", "needless ?"}, id="a needless question"),
        pytest.param("red-7 blue-2 ?", False, {"refused though all read"}, id="a question beside a hidden card"),
        pytest.param("red-7", True, {"sums wrong", "silently short"}, id="a card is missing and nobody is told"),
        pytest.param("red-7 ?", False, {"refused"}, id="a card is asked"),
        pytest.param("red-7 blue-3", True, {"sums wrong", "silently short", "wrong faces"}, id="misread"),
        pytest.param("", True, {"refused"}, id="nothing found"),
    ],
)
def test_a_picture_is_counted_as_what_it_tells_a_person(seen: str, corner: bool, counted: set[str]) -> None:
    one = told("red-7 blue-2", seen, corner=corner)
    outcomes = {"sums right", "refused though all read", "refused", "sums wrong", "silently short", "needless ?",
                "wrong faces"}  # fmt: skip
    assert {name for name in outcomes if one.counts[name]} == counted


def test_a_person_who_counts_the_cards_settles_needless_questions() -> None:
    assert told("red-7 blue-2", "red-7 blue-2 ? ?").counts["right if counted"] == 1
    short = told("red-7 blue-2", "red-7 ?").counts
    assert (short["right if counted"], short["wrong if counted"]) == (0, 0)
    assert told("red-7 blue-2", "red-7 blue-3").counts["wrong if counted"] == 1


def test_a_wrong_sum_and_a_misread_card_are_named() -> None:
    assert told("red-7 blue-2", "red-7 blue-3").remarks == [
        "table 1: read blue-3 at 0.950, which is not there",
        "table 1: told 10 points instead of 9; missing blue-2 (1.00 visible)",
    ]


@pytest.mark.long
@pytest.mark.slow
def test_the_bench_of_one_scene_yields_its_row_and_the_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("croupier_bench.kitchen.load", list)  # no photographs
    row, times = measure(0.1, ["row"])
    assert row["what"] == "drawn cards: row"
    assert (row["counts"]["pictures"], row["counts"]["cards"]) == (1, 7)
    assert row["counts"]["cards read"] >= 5
    assert times["ours"] > 0


def test_an_unknown_scene_is_told_with_those_that_there_are() -> None:
    with pytest.raises(CannotSimulate, match=r"'rows'.*two rows.*photographs"):
        next(measure(1.0, ["rows"]))
