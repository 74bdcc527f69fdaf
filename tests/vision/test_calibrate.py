"""Where things are on a table: against drawn frames whose homography is known."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardsight import light
from cardsight.annotate import annotate_calibration
from cardsight.calibrate import Calibration, Plane, sheet, table
from cardsight.calibrate.plane import from_cards, from_overhead
from cardsight.errors import NotACalibration, NotCalibrated
from cardsight.geometry import Image
from cardsight.sighting import Reading
from tests.vision.laid import Lying, picture

Array = npt.NDArray[np.float64]
SIZE = (1920, 1080)
GRID = np.array([(x, y) for x in range(-300, 301, 100) for y in range(-150, 151, 50)], np.float64)


def seen_from(tilt: float, turn: float = 0.0, high_mm: float = 900.0) -> Plane:
    """The table (mm) in the picture of a camera this high above it, tilted by so many degrees."""
    a, b = np.radians(tilt), np.radians(turn)
    tilted = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
    turned = np.array([[np.cos(b), -np.sin(b), 0], [np.sin(b), np.cos(b), 0], [0, 0, 1]])
    rotation = tilted @ turned
    lens = np.array([[1500, 0, SIZE[0] / 2], [0, 1500, SIZE[1] / 2], [0, 0, 1]])
    return Plane(lens @ np.column_stack([rotation[:, 0], rotation[:, 1], (0, 0, high_mm)]))


def apart_mm(found: Plane, truth: Plane, points: Array = GRID) -> float:
    """How far points of the table come to lie off, at most, however the two count from where and in which direction."""
    there = found.to_mm(truth.to_px(points))
    a, b = points - points.mean(axis=0), there - there.mean(axis=0)
    u, _, v = np.linalg.svd(a.T @ b)
    return float(np.linalg.norm(a @ u @ v - b, axis=1).max())


def cards_on(plane: Plane, n: int, noise_px: float, seed: int = 0) -> list[npt.NDArray[np.float32]]:
    """Outlines of cards scattered over the table, each corner off by this much."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(n):
        x, y, turn = rng.uniform((-350, -180, 0), (350, 180, 360))
        lying = Lying("red-1", x, y, turn, width=56)
        found.append((plane.to_px(lying.quad()) + rng.normal(0, noise_px, (4, 2))).astype(np.float32))
    return found


@pytest.mark.parametrize("n", [1, 2])
def test_one_or_two_cards_give_the_scale_of_a_camera_that_looks_straight_down(n: int) -> None:
    truth = seen_from(0.0)
    found = from_overhead(cards_on(truth, n, 0.3), SIZE)
    assert found.used == n
    assert Calibration(SIZE, found).card_px((0.0, 0.0)) == pytest.approx(
        Calibration(SIZE, truth).card_px((0.0, 0.0)), rel=0.01
    )


def test_without_a_card_there_is_no_scale() -> None:
    with pytest.raises(NotCalibrated, match="no card seen"):
        from_overhead([], SIZE)


def warped(flat: Image, px_per_mm: float, plane: Plane) -> Image:
    """A picture of a flat thing that lies on the table, its middle at 0, 0."""
    height, width = flat.shape[:2]
    to_mm = np.array(
        [[1 / px_per_mm, 0, -width / 2 / px_per_mm], [0, 1 / px_per_mm, -height / 2 / px_per_mm], [0, 0, 1]]
    )
    ground = np.full((SIZE[1], SIZE[0], 3), (70, 110, 150), np.uint8)
    matrix = plane.homography @ to_mm
    soft = cv2.GaussianBlur(flat, (0, 0), 0.8)
    return np.asarray(
        cv2.warpPerspective(soft, matrix, SIZE, ground, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_TRANSPARENT),
        np.uint8,
    )


@pytest.mark.parametrize("tilt", [0, 15, 35])
@pytest.mark.parametrize(("n", "noise", "most_mm"), [(3, 0.0, 0.05), (12, 0.0, 0.05), (12, 0.5, 3.0), (24, 1.5, 8.0)])
def test_the_plane_is_found_from_cards_alone(tilt: float, n: int, noise: float, most_mm: float) -> None:
    truth = seen_from(tilt, turn=20)
    found = from_cards(cards_on(truth, n, noise), SIZE)
    assert apart_mm(found, truth) < most_mm
    assert (found.used, found.left_out) == (n, 0)
    np.testing.assert_allclose(found.to_mm([(SIZE[0] / 2, SIZE[1] / 2)]), 0, atol=1e-6)


def test_what_is_no_card_is_left_out() -> None:
    truth = seen_from(10)
    cards = cards_on(truth, 8, 0.3)
    cards[3] = cards[3] + np.array([(0, 0), (60, 0), (60, 0), (0, 0)], np.float32)  # a wider one
    found = from_cards(cards, SIZE)
    assert (found.used, found.left_out) == (7, 1)
    assert apart_mm(found, truth) < 4


@given(st.floats(-60, 60), st.floats(-40, 40), st.integers(0, 1000))
def test_points_come_back_from_the_picture(x: float, y: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    plane = seen_from(rng.uniform(0, 40), rng.uniform(0, 360))
    np.testing.assert_allclose(plane.to_mm(plane.to_px([(x, y)])), [(x, y)], atol=1e-6)


@pytest.mark.parametrize("n", [0, 2])
def test_too_few_cards_are_reported(n: int) -> None:
    with pytest.raises(NotCalibrated, match=f"cards seen: {n}; expected at least 3"):
        from_cards(cards_on(seen_from(0), n, 0), SIZE)


@pytest.mark.parametrize("tilt", [0, 20, 35])
def test_the_sheet_is_found_to_half_a_millimeter(tilt: float) -> None:
    truth = seen_from(tilt, turn=25)
    seen = sheet.find(warped(sheet.as_picture(150), 150 / 25.4, truth))
    assert seen is not None
    assert seen.markers == tuple(range(8))
    near = GRID[(np.abs(GRID) <= (140, 105)).all(axis=1)]
    assert np.abs(seen.plane.to_mm(truth.to_px(near)) - near).max() < 0.5


def test_a_sheet_that_is_partly_covered_or_printed_smaller_serves_too() -> None:
    truth = seen_from(10)
    image = warped(sheet.as_picture(150), 150 / 25.4, truth)
    covered = truth.to_px([(-145, -110), (-30, -110), (-30, 110), (-145, 110)])
    cv2.fillConvexPoly(image, np.rint(covered).astype(np.int32), (120, 140, 190))
    seen = sheet.find(image, line_mm=96.0)
    assert seen is not None
    assert seen.markers == (1, 2, 4, 6, 7)
    np.testing.assert_allclose(seen.plane.to_mm(truth.to_px([(100.0, 70.0)])), [(96.0, 67.2)], atol=0.5)


def test_a_picture_without_the_sheet_and_one_with_a_corner_of_it() -> None:
    assert sheet.find(picture([Lying("red-1", 400, 300)])) is None
    image = warped(sheet.as_picture(150), 150 / 25.4, seen_from(0))
    image[:, :1000] = 128
    image[500:] = 128
    with pytest.raises(NotCalibrated, match="1 of the 8 markers"):
        sheet.find(image)


@pytest.mark.parametrize("lamp", [(1.0, 1.0, 1.0), (0.55, 0.8, 1.0), (1.0, 0.85, 0.7)], ids=["white", "warm", "cold"])
def test_white_is_measured_on_the_sheet_and_on_cards(lamp: tuple[float, float, float]) -> None:
    truth = seen_from(10)
    image = (warped(sheet.as_picture(150), 150 / 25.4, truth) * np.array(lamp) * 0.9).astype(np.uint8)
    seen = sheet.find(image)
    assert seen is not None
    by_patch = np.array(light.white_from_patch(image, seen.patch_px, sheet.GRAY))
    cards = [Lying(f, 250 + 300 * n, 350, 20.0 * n, 150) for n, f in enumerate(("red-1", "blue-2", "wild"))]
    lit = (picture(cards) * np.array(lamp) * 0.9).astype(np.uint8)
    by_cards = np.array(light.white_from_cards(lit, [card.quad() for card in cards]))
    for found in (by_patch, by_cards):
        np.testing.assert_allclose(found / found.max(), lamp, atol=0.04)
    balanced = light.balanced(lit, tuple(by_cards.tolist()))
    border = balanced[350 - 114, 250]
    assert np.ptp(border.astype(int)) < 16


def test_a_reader_under_a_colored_lamp_sees_what_it_would_see_in_white_light() -> None:
    seen: list[tuple[Image, Collection[str] | None, dict[str, Any]]] = []

    class Eye:
        def read(self, bgr: Image, /, faces: Collection[str] | None = None, **how: Any) -> Reading:
            seen.append((bgr, faces, how))
            return Reading((4, 4), ())

    gray = np.full((4, 4, 3), (55, 80, 100), np.uint8)
    light.WhiteBalancedReader(Eye(), (110, 160, 200)).read(gray, {"red-1"}, top_only=True, long_px=90.0)
    ((bgr, faces, how),) = seen
    assert (bgr == 100).all()
    assert (faces, how) == ({"red-1"}, {"top_only": True, "long_px": 90.0})


def test_of_a_color_that_the_lamp_does_not_have_only_noise_is_seen_and_that_stays_dark() -> None:
    noise = np.full((4, 4, 3), (3, 100, 200), np.uint8)
    assert light.balanced(noise, (2, 100, 200))[0, 0].tolist() == [12, 200, 200]


@pytest.mark.parametrize(("level", "said"), [(3, "nearly black"), (255, "too bright")])
def test_light_in_which_white_cannot_be_measured_is_reported(level: int, said: str) -> None:
    with pytest.raises(NotCalibrated, match=said):
        light.white_from_cards(np.full((300, 300, 3), level, np.uint8), [Lying("red-1", 150, 150, width=80).quad()])


@pytest.mark.parametrize("seen", [(255, 255, 255), (140, 190, 255)], ids=["all", "red-alone"])
def test_light_that_the_camera_cut_off_is_reported_on_the_patch_and_on_cards(seen: tuple[int, int, int]) -> None:
    quad = Lying("red-1", 150, 150, width=80).quad()
    image = np.full((300, 300, 3), seen, np.uint8)
    with pytest.raises(NotCalibrated, match="too bright"):
        light.white_from_patch(image, quad, sheet.GRAY)
    with pytest.raises(NotCalibrated, match="too bright"):
        light.white_from_cards(image, [quad])


def test_white_by_a_bright_patch_keeps_its_color_and_stays_within_what_a_picture_holds() -> None:
    image = np.full((300, 300, 3), (120, 160, 240), np.uint8)
    found = light.white_from_patch(image, Lying("red-1", 150, 150, width=80).quad(), sheet.GRAY)
    assert found == pytest.approx((127.5, 170, 255))


def test_seats_are_numbered_clockwise_from_the_one_lowest_in_the_picture() -> None:
    found = Calibration(SIZE, seen_from(20, turn=0))
    left, top, right, bottom = (-200.0, 0.0), (0.0, -150.0), (200.0, 0.0), (0.0, 150.0)
    assert found.with_seats_at([right, top, bottom, left]).seats == (bottom, left, top, right)
    for even, at in zip(found.with_even_seats(4).seats, (bottom, left, top, right), strict=True):
        np.testing.assert_allclose(np.divide(even, np.hypot(*even)), np.divide(at, np.hypot(*at)), atol=1e-6)


@pytest.mark.parametrize("turn", [30, 90, 180])
def test_on_a_plane_that_counts_in_another_direction_the_first_of_even_seats_is_below_the_pile_too(turn: float) -> None:
    found = Calibration(SIZE, seen_from(15, turn=turn), pile=(20.0, -30.0)).with_even_seats(5)
    (x, y), *others = found.plane.to_px([found.pile, *found.seats])
    assert others[0] == pytest.approx((x, others[0][1]), abs=1)
    assert others[0][1] == max(at[1] for at in others) > y
    assert others[1][0] < x < others[4][0]


def test_zones_are_given_in_pixels() -> None:
    found = Calibration(SIZE, seen_from(0), pile=(50.0, 20.0), tally=((-100, -80), (100, -80), (100, 80), (-100, 80)))
    middle = found.plane.to_px([(50.0, 20.0)])
    np.testing.assert_allclose(found.pile_px().mean(axis=0, keepdims=True), middle, atol=1e-6)
    assert found.card_px(found.pile) == pytest.approx(88 * 1500 / 900, rel=1e-3)
    np.testing.assert_allclose(found.plane.to_mm(found.tally_px())[0], (-100, -80), atol=1e-6)
    assert replace(found, tally=None).tally_px().tolist() == [[0, 0], [1920, 0], [1920, 1080], [0, 1080]]


def test_a_calibration_is_what_it_was_after_its_file_was_read(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    found = Calibration(SIZE, seen_from(25, 30), (12.0, -7.5), ((0, 0), (9, 0), (9, 9)), white=(212.0, 200.0, 180.0))
    path.write_text(found.with_even_seats(5).to_toml(), encoding="utf-8")
    again = table.load(path)
    assert (again.size, again.pile, again.white) == (found.size, found.pile, found.white)
    assert again.tally == found.tally
    assert len(again.seats) == 5
    np.testing.assert_allclose(again.plane.to_px(GRID), found.plane.to_px(GRID), atol=0.1)


WHOLE = "version = 1\npicture_px = [9, 9]\ntable = {pile = [0, 0], seats = []}\n"
STRAIGHT = "homography = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "version is None"),
        ("version = 1", "picture_px is missing; expected 2 numbers"),
        ("version = 9", "expected 1"),
        ("[[[", "expected TOML"),
        ('version = 1\npicture_px = ["a", 2]', "expected 2 numbers"),
        ("version = 1\npicture_px = [9, 9]\n[plane]\nhomography = [[1, 2], [3, 4]]", "expected 3 x 3 numbers"),
        ("version = 1\npicture_px = [9, 9]\n[plane]\nhomography = [[1,0,0],[1,0,0],[0,0,1]]", "onto a line"),
        ("version = 1\npicture_px = [9, 9]\n[plane]\nhomography = [[nan,0,0],[1,0,0],[0,0,1]]", "no number"),
        ("version = 1\npicture_px = [9, 0]", r"picture_px is \[9.0, 0.0\]; expected numbers above 0"),
        ("version = 1\npicture_px = [9, 9]\nplane = 1", r"plane is 1; expected a section \[plane\]"),
        ("version = 1\npicture_px = [9, 9]\nlight = 0", r"light is 0; expected a section \[light\]"),
        (f'{WHOLE}[plane]\n{STRAIGHT}\nerror_mm = "x"', "error_mm is x; expected a number"),
        (f"{WHOLE}[plane]\n{STRAIGHT}\nerror_mm = [1, 2]", "expected a number"),
        (f"{WHOLE}[plane]\n{STRAIGHT}\n[light]\nwhite_bgr = [0, 0, 0]", "white_bgr is .*; expected numbers above 0"),
        (f"{WHOLE}[plane]\n{STRAIGHT}\n[light]\nwhite_bgr = [9, 9, -1]", "expected numbers above 0"),
    ],
)
def test_a_file_that_is_no_calibration_is_reported_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "table.toml"
    path.write_text(text)
    with pytest.raises(NotACalibration, match=said) as fault:
        table.load(path)
    assert "\n" not in str(fault.value)
    with pytest.raises(NotACalibration, match="croupier calibrate"):
        table.load(tmp_path / "none.toml")


def test_a_drawing_shows_the_pile_and_leaves_the_picture_alone() -> None:
    image = np.full((SIZE[1], SIZE[0], 3), 90, np.uint8)
    found = Calibration(SIZE, seen_from(30)).with_even_seats(6)
    drawn = annotate_calibration(image, found)
    assert (image == 90).all()
    x, y = np.rint(found.pile_px()[:2].mean(axis=0)).astype(int)
    assert drawn[y, x].tolist() != [90, 90, 90]
