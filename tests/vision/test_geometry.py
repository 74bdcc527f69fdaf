"""Geometry of outlines and crops."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardsight.geometry import CROP_H, CROP_W, IDEAL, moved, overlap, pyramid, rectangle, turned, warp_crop
from tests.vision.laid import Lying, picture

places = st.builds(
    Lying,
    st.just("red-7"),
    st.floats(300, 900),
    st.floats(200, 500),
    st.floats(0, 360),
    st.floats(20, 400),
)


@given(places)
def test_a_corner_found_at_its_ideal_place_leaves_the_outline_as_it_is(card: Lying) -> None:
    assert moved(card.quad(), IDEAL) == pytest.approx(card.quad(), abs=0.05)


@given(places, st.floats(-3, 3))
def test_corners_move_with_the_direction_of_the_card(card: Lying, shift: float) -> None:
    quad = card.quad()
    along = (quad[3] - quad[0]) / np.linalg.norm(quad[3] - quad[0])
    inner = CROP_H * 5 / 6
    length = np.linalg.norm(quad[3] - quad[0])
    assert moved(quad, IDEAL + np.array([0, shift], np.float32)) == pytest.approx(
        quad + along * shift * length / inner, abs=0.1
    )


@pytest.mark.parametrize("turn", range(0, 360, 45))
@pytest.mark.parametrize("width", [40, 120, 330])
def test_a_cut_out_is_upright_whatever_way_the_card_lies(turn: int, width: int) -> None:
    card = Lying("blue-skip", 640, 360, turn, width)
    straight = warp_crop(pyramid(picture([Lying("blue-skip", 640, 360, 0, 240)])), Lying("", 640, 360, 0, 240).quad())
    seen = warp_crop(pyramid(picture([card])), card.quad())
    assert seen.shape == (CROP_H, CROP_W, 3)
    apart = cv2.GaussianBlur(seen, (0, 0), 2).astype(int) - cv2.GaussianBlur(straight, (0, 0), 2)
    assert np.abs(apart)[20:100, 15:65].mean() < 10


def test_rectangle_begins_with_a_short_edge_and_goes_round_clockwise() -> None:
    quad = rectangle(100, 100, 88, 56, np.pi / 2)
    assert quad.tolist() == [[72, 56], [128, 56], [128, 144], [72, 144]]
    assert turned(quad).tolist() == [[72, 144], [72, 56], [128, 56], [128, 144]]


def test_overlap_is_the_part_of_the_smaller_outline() -> None:
    large, small = rectangle(0, 0, 100, 60, 0.3), rectangle(0, 0, 20, 10, 1.2)
    assert overlap(large, small) == pytest.approx(1, abs=1e-3)
    assert overlap(large, rectangle(500, 0, 100, 60, 0)) == 0
