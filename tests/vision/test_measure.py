"""What measures the card reader counts rightly: what was read, what was told wrong, and what confidence is worth."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from cardsight import Reading, Sighting, layout
from cardsight.light import one_color
from cardsight.model import load
from croupier_rules.cards import COLORED
from croupier_sim.drawing import STYLES, draw_face
from tests.vision.laid import Lying, fan, picture
from training import report
from training.measure import covered
from training.measure.calibration import expected_error, fit_free, fit_line, fit_occluded, reliability, sure_but_wrong
from training.measure.classical import CARD_H, CARD_W, Classical, template
from training.measure.judging import Card, Result, Scene, judge
from training.measure.recognizers import KNOWN
from training.measure.rectified import RECTIFIED_H, RECTIFIED_W, RectifiedCard, Table, outline
from training.measure.report_files import Report
from training.measure.sets import synthetic
from training.measure.tables import goals, summary
from training.photos import GROUPS, Photo
from training.scenes import texture

ROOT = Path(__file__).parents[2]
SIZE = (1000, 600)
BOXES = {name: outline(x, 300, 100, 0.0) for name, x in (("left", 200), ("middle", 500), ("right", 800))}


SHARP = np.random.default_rng(1).integers(0, 256, (600, 1000, 3), np.uint8)


def scene(*cards: tuple[str, str]) -> Scene:
    laid = tuple(Card(face, quad=BOXES[place]) for face, place in cards)
    return Scene("drawn", "drawn", "modern", "photographs", laid, lambda: SHARP)


def reported(face: str, place: str, confidence: float = 0.95, *likeliest: str) -> Sighting:
    a, b, c, d = (tuple(point) for point in BOXES[place].tolist())
    return Sighting(face, confidence, (a, b, c, d), None, tuple((name, 0.4) for name in likeliest))


def judged(laid: Scene, *sightings: Sighting) -> Result:
    return judge(laid, Reading(SIZE, sightings))


def test_all_cards_reported_is_exact() -> None:
    result = judged(scene(("red-1", "left"), ("wild", "right")), reported("wild", "right"), reported("red-1", "left"))
    assert (result.exact, result.states, result.wrong) == (True, ["read", "read"], [])


def test_a_wrong_face_is_wrong_and_its_card_missed() -> None:
    result = judged(
        scene(("red-1", "left"), ("blue-2", "right")), reported("red-1", "left"), reported("blue-3", "right")
    )
    assert result.states == ["read", "missed"]
    assert [s.face for s in result.wrong] == ["blue-3"]
    assert result.confused == [("blue-2", "blue-3")]
    assert not result.exact


def test_a_face_reported_twice_is_right_once() -> None:
    result = judged(scene(("red-1", "left")), reported("red-1", "left"), reported("red-1", "right"))
    assert [right for _, right in result.reported] == [True, False]


def test_a_question_counts_for_the_card_at_its_place_only() -> None:
    laid = scene(("red-1", "left"), ("blue-2", "right"))
    result = judged(laid, reported("?", "right", 0.4, "blue-2", "blue-3"), reported("?", "middle", 0.4, "red-1"))
    assert result.states == ["missed", "?"]
    assert (result.ranked, result.wrong) == (1, [])


def test_a_question_counts_for_the_card_that_lies_nearest() -> None:
    faces = (("red-1", 460), ("blue-2", 500), ("wild", 540))
    laid = tuple(Card(face, quad=outline(x, 300, 100, 0.0)) for face, x in faces)
    fan = replace(scene(), cards=laid, kind="fan")
    assert judged(fan, reported("?", "middle", 0.4, "red-1", "red-2")).states == ["missed", "?", "missed"]


def test_what_the_frame_cuts_off_neither_helps_nor_harms() -> None:
    outside = Sighting("green-7", 0.9, ((-60.0, 10.0), (40.0, 10.0), (40.0, 160.0), (-60.0, 160.0)))
    result = judged(scene(("red-1", "left")), reported("red-1", "left"), outside)
    assert result.exact


def test_a_summary_counts_recall_and_precision() -> None:
    good = judged(scene(("red-1", "left")), reported("red-1", "left"))
    bad = judged(scene(("red-1", "left")), reported("red-2", "left"))
    row = summary("both", [good, bad])
    assert (row["recall"], row["precision"], row["exact"], row["wrong"]) == (0.5, 0.5, 1, 1)


def test_covered_cards_are_counted_by_what_is_visible_with_and_without_an_index() -> None:
    laid = scene(("red-1", "left"), ("blue-2", "right"))
    fan = replace(laid, cards=(replace(laid.cards[0], seen=0.29), replace(laid.cards[1], seen=0.31, corner=False)))
    row = next(
        row for row in covered.by_share([judge(fan, Reading(SIZE, (reported("red-1", "left"),)))]) if row["cards"]
    )
    assert (row["seen"], row["read"], row["missed"], row["right"]) == (0.3, 1, 1, 0.5)
    assert (row["with index"], row["right there"]) == (1, 1.0)


def test_a_question_is_needless_where_every_visible_card_is_read() -> None:
    laid = scene(("red-1", "left"), ("blue-2", "right"))
    right, question = (reported("red-1", "left"), reported("blue-2", "right")), reported("?", "middle", 0.4, "wild")
    results = [judged(laid, *right), judged(laid, *right, question), judged(laid, right[0], question)]
    row = covered.summary("all", [*results, judged(laid, right[0]), judged(laid, *right, reported("wild", "middle"))])
    assert (row["whole"], row["whole, yet asked"], row["silently short"]) == (2, 1, 2)


def test_a_sum_is_told_without_a_question_or_for_the_number_of_cards() -> None:
    laid = scene(("red-1", "left"), ("blue-2", "right"))
    right, question = (reported("red-1", "left"), reported("blue-2", "right")), reported("?", "middle", 0.4, "wild")
    results = [
        judged(laid, *right),
        judged(laid, *right, question),
        judged(laid, right[0]),
        judged(laid, right[0], reported("blue-4", "right")),
        judged(laid, right[0], reported("red-2", "right")),
        judged(laid),
    ]
    row = covered.summary("all", results)
    assert (row["sums"], row["wrong sums"]) == (4, 2), "another color makes no other sum"
    assert (row["sums if counted"], row["wrong sums if counted"]) == (4, 1)


def test_hands_that_are_complete_at_the_table_are_counted_at_a_glance_and_after_a_close_look() -> None:
    def laid(kind: str, cards: Sequence[Lying], *more: str) -> Scene:
        known = tuple(Card(card.face, quad=card.quad()) for card in cards) + tuple(Card(face) for face in more)
        return Scene(kind, "set", "modern", kind, known, lambda: picture(cards, "black"))

    held = fan(("yellow-reverse", "blue-skip", "blue-9", "red-7", "blue-2"), -32, 13, 158)
    free = [Lying("red-1", 300, 360, 10), Lying("green-4", 700, 360, -20)]
    rows = covered.at_the_table(
        load(), layout.load(), [laid("hand", held), laid("hand", free), laid("hand", free, "blue-5")]
    )
    none_wrong = {"wrong at a glance": 0, "wrong then closely": 0}
    assert rows == [{"scenes": "hand", "pictures": 3, "at a glance": 1, "then closely": 1, **none_wrong}]


def test_goals_tell_what_is_met_and_what_is_not() -> None:
    fan = replace(scene(("red-1", "left"), ("red-2", "right")), kind="fan")
    half = judge(fan, Reading(SIZE, (reported("red-1", "left"),)))
    whole = judge(
        replace(fan, kind="pile"), Reading(SIZE, (reported("red-1", "left"), reported("?", "right", 0.5, "red-2")))
    )
    met = {row["goal"].split()[3]: row["met"] for row in goals([], [half, whole]) if "corner" in row["goal"]}
    assert met == {"fan": "no", "pile": "yes"}


def test_without_photographs_there_is_one_clear_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "training.report"]
    environment = os.environ | {"CROUPIER_PHOTOS": str(tmp_path / "none")}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=ROOT, check=False)
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert "CROUPIER_PHOTOS" in ended.stderr


def test_the_report_on_peers_says_of_each_open_recognizer_why_it_was_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "_detector_ms", lambda _image: 1.0)  # its runtime is not among those of the tests
    cv2.imwrite(str(tmp_path / "red-1.png"), SHARP)
    photos = [
        Photo(tmp_path / "red-1.png", "red-1", source, "modern", ["red-1"], [("red-1", BOXES["left"])])
        for source, *_ in GROUPS
    ]
    laid = scene(("red-1", "left"))
    results = [judged(replace(laid, source=source), reported("red-1", "left")) for source in ("set-d", "table-a")]
    written = Report(tmp_path)
    report.peers(written, photos, results, None)
    written.close()
    rows = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["recognizers"]
    assert len(rows) == len(KNOWN)
    assert {row["run"].split(":")[0] for row in rows} == {"no"}


def test_confidence_that_is_too_low_is_raised_by_the_fit() -> None:
    right = [judged(scene(("red-1", "left")), reported("red-1", "left", 0.9)) for _ in range(99)]
    wrong = [judged(scene(("red-1", "left")), reported("red-2", "left", 0.6))]
    (slope, offset), _ = fit_free([*right, *wrong])
    raised = 1 / (1 + np.exp(-slope * np.log(0.9 / 0.1) - offset))
    assert 0.95 < raised < 1.0


def test_the_confidence_of_blurred_cards_is_lowered_if_they_are_wrong_more_often() -> None:
    plain = scene(("red-1", "left"))
    blurred = replace(plain, picture=lambda: np.full_like(SHARP, 128))
    told = {face: reported(face, "left", 0.9) for face in ("red-1", "red-2")}
    results = [judged(plain, told["red-1"])] * 98 + [judged(plain, told["red-2"])] * 2
    _, poor = fit_free([*results, *[judged(blurred, told["red-1"])] * 30, *[judged(blurred, told["red-2"])] * 30])
    assert poor["blur"] > 0.5
    assert poor["tint"] == 0


def test_the_line_of_known_odds_is_found_again() -> None:
    rng = np.random.default_rng(1)
    odds = rng.normal(0, 3, 20_000)
    right = rng.random(odds.size) < 1 / (1 + np.exp(-1.1 * odds - 0.5))
    assert fit_line(odds.tolist(), right.tolist()) == pytest.approx((1.1, 0.5), abs=0.08)


def test_the_calibration_of_occluded_cards_is_fitted_to_cards_that_overlap_only() -> None:
    def at(x: float, face: str, confidence: float) -> Sighting:
        a, b, c, d = (tuple(point) for point in outline(x, 300, 100, 0.0).tolist())
        return Sighting(face, confidence, (a, b, c, d))

    faces = ("red-1", "red-2", "red-3")
    laid = tuple(Card(face, quad=outline(x, 300, 100, 0.0)) for face, x in zip(faces, (200, 250, 800), strict=True))
    pile = replace(scene(), cards=laid, kind="pile")
    over, free = at(250, "red-2", 0.9), at(800, "red-3", 0.9)
    results = [judge(pile, Reading(SIZE, (at(200, "red-1", 0.9), over, free))) for _ in range(7)]
    results += [judge(pile, Reading(SIZE, (at(200, "blue-1", 0.9), over, free))) for _ in range(3)]
    odds = float(np.log(0.9 / 0.1))
    assert fit_occluded(results) == pytest.approx(fit_line([odds] * 20, [True] * 17 + [False] * 3))


def test_reliability_counts_what_is_sure_but_wrong() -> None:
    pairs = [(0.97, True)] * 95 + [(0.97, False)] * 5 + [(0.85, True)] * 10
    assert [(row["confidence"], row["cards"], row["wrong"]) for row in reliability(pairs)] == [
        ("0.8-0.9", 10, 0),
        ("0.95-0.98", 100, 5),
    ]
    assert sure_but_wrong(pairs) == {"cards": 100, "wrong": 5, "per thousand": 50.0}
    assert expected_error(pairs) == pytest.approx((100 * 0.02 + 10 * 0.15) / 110)


@pytest.mark.parametrize(("shift", "seen"), [(0.0, 0.0), (50.0, 0.5), (120.0, 1.0)])
def test_a_table_knows_what_is_seen_of_a_covered_card(shift: float, seen: float) -> None:
    rng = np.random.default_rng(1)
    face = texture(
        np.full((RECTIFIED_H, RECTIFIED_W, 3), 200, np.uint8), np.full((RECTIFIED_H, RECTIFIED_W), 255, np.uint8), False
    )
    table = Table(np.zeros((600, 1000, 3), np.float32), rng)
    table.lay(RectifiedCard("red-1", face), outline(300, 300, 100, 0.0))
    table.lay(RectifiedCard("red-2", face), outline(300 + shift, 300, 100, 0.0))
    assert table.seen(0) == pytest.approx(seen, abs=0.03)
    assert table.seen(1) == pytest.approx(1.0, abs=0.03)
    assert table.corner(0) == (seen >= 0.5)


@pytest.fixture(scope="module")
def photographed(tmp_path_factory: pytest.TempPathFactory) -> list[Photo]:
    """Drawn pictures of one card each, as if somebody had photographed and outlined them."""
    folder = tmp_path_factory.mktemp("photographs")
    photos = []
    for number, face in enumerate(COLORED[::6]):
        card = Lying(face, 640, 360, 40.0 * number, 200)
        cv2.imwrite(str(folder / f"{face}.png"), picture([card], seed=number))
        photo = Photo(folder / f"{face}.png", face, "set-d", "modern", [face], [(face, card.quad())])
        photos.append(photo)
    return photos


@pytest.mark.long
def test_made_sets_are_the_same_each_time_and_know_what_they_show(photographed: list[Photo]) -> None:
    first, again = (list(synthetic(photographed, photographed, share=0.1)) for _ in range(2))
    assert [scene.name for scene in first] == [scene.name for scene in again]
    assert {scene.kind for scene in first} == {
        "light",
        "gray",
        "blur",
        "one color",
        "webcam",
        "covered",
        "fan",
        "pile",
        "close fan",
        "oblique",
        "held",
    }
    for one, other in zip(first, again, strict=True):
        assert np.array_equal(one.picture(), other.picture())
        assert len({card.face for card in one.cards}) == len(one.cards) > 0
    for scene in (s for s in first if s.kind in ("covered", "oblique")):
        height, width = scene.picture().shape[:2]
        for card in scene.cards:
            assert card.quad is not None
            x, y = np.asarray(card.quad).T
            assert -60 < x.min() < x.max() < width + 60
            assert -60 < y.min() < y.max() < height + 60
            assert card.seen > (0.55 if scene.kind == "covered" else 0.95)


@pytest.mark.long
def test_gray_pictures_hold_no_color_and_other_lamps_all_of_it(photographed: list[Photo]) -> None:
    for scene in synthetic(photographed, photographed, share=0.1):
        if scene.kind in ("light", "gray"):
            color = one_color(np.asarray(scene.picture(), np.uint8))
            assert (color is None) == (scene.kind == "light"), scene.name


def test_the_usual_way_reads_a_bright_card_on_black_and_fails_on_paper() -> None:
    """So that the comparison is with a way that works where it was made to."""
    known = [
        template(face, cv2.resize(draw_face(face, STYLES["classic"]), (CARD_W, CARD_H), interpolation=cv2.INTER_AREA))
        for face in ("red-1", "red-7", "green-4", "blue-skip")
    ]
    lying = [Lying("red-7", 300, 360, 0.0, 200, "classic"), Lying("green-4", 900, 360, 0.0, 200, "classic")]
    on_black = Classical(known).read(picture(lying, "black")).cards
    assert {s.face for s in on_black} == {"red-7", "green-4"}
    assert not Classical(known).read(picture(lying, "paper")).cards
