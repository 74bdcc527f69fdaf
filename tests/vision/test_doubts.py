"""What makes a card hard to read is told with it; a card that is plain to see has no doubts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

from cardsight import layout
from cardsight.doubts import FAIRLY_SURE, SHARP, SURE, is_of_no_color, is_other_hue, panel_hues, sharpness, why
from cardsight.explanation import Explanation
from cardsight.geometry import Quad, pyramid, quad_of, warp_crop
from cardsight.model import load
from cardsight.reader import Reader
from croupier_rules.cards import UNREAD
from croupier_sim.drawing import STYLES, draw_face
from tests.vision.laid import Image, Lying, grained, lay, picture

CARD = Lying("red-7", 640, 360, 20, 130)


def has_other_hue(levels: list[Image], quad: Quad, face: str) -> bool:
    (hue,) = panel_hues(warp_crop(levels, quad)[None])
    return is_other_hue(hue, face)


def moved(image: Image, px: int) -> Image:
    """The picture of a camera that moved by ``px`` to the right while the shutter was open."""
    return cv2.blur(image, (px, 1)).astype(np.uint8)


@pytest.mark.parametrize("ground", ["wood", "black", "paper", "green cloth"])
def test_a_card_that_is_plain_to_see_is_not_doubted(ground: str) -> None:
    image = picture([CARD], ground)
    assert why(pyramid(image), CARD.quad(), "red-7", is_covered=False, is_gray=False) == ()
    (seen,) = Reader().read(image).cards
    assert (seen.face, seen.doubts) == ("red-7", ())


@pytest.mark.parametrize(
    ("image", "quad", "doubt"),
    [
        pytest.param(moved(picture([CARD]), 25), CARD.quad(), "blur", id="moved"),
        pytest.param(cv2.GaussianBlur(picture([CARD]), (0, 0), 5), CARD.quad(), "blur", id="out of focus"),
        pytest.param(picture([CARD])[..., 2:].repeat(3, 2), CARD.quad(), "lamp", id="gray"),
        pytest.param(picture([CARD])[..., ::-1].copy(), CARD.quad(), "color", id="red ink that is blue"),
        pytest.param(picture([CARD])[:, 620:], CARD.quad() - np.array([620, 0], np.float32), "cut", id="at the edge"),
    ],
)
def test_each_cause_is_told(image: Image, quad: np.ndarray[tuple[int, int], np.dtype[np.float32]], doubt: str) -> None:
    assert doubt in why(pyramid(image), quad, "red-7", is_covered=False, is_gray=False)
    assert "covered" in why(pyramid(image), quad, "red-7", is_covered=True, is_gray=False)


def test_in_a_poor_picture_no_face_is_more_than_fairly_sure() -> None:
    """Networks are sure of what motion and colored lamps hide."""
    plain = picture([CARD])
    red = (255 * (plain / 255) * np.array([0.17, 0.32, 1.0])).astype(np.uint8)
    sure, *poor = (Reader().read(image).cards[0] for image in (plain, moved(plain, 15), red))
    assert sure.confidence > SURE
    assert [card.face for card in poor] == ["red-7"] * 2
    assert all(card.confidence <= FAIRLY_SURE < SURE for card in poor)
    assert [card.doubts for card in poor] == [("blur",), ("lamp",)]


def tinted(image: Image, degrees: float) -> Image:
    """The picture with all its hues turned, as another printer's inks turn them."""
    hls = cv2.cvtColor(image, cv2.COLOR_BGR2HLS)
    hls[..., 0] = (hls[..., 0].astype(int) + round(degrees / 2)) % 180
    return np.asarray(cv2.cvtColor(hls, cv2.COLOR_HLS2BGR), np.uint8)


@pytest.mark.parametrize("face", ["red-7", "yellow-7", "green-7", "blue-7", "wild"])
@pytest.mark.parametrize("lamp", [(1.0, 1.0, 1.0), (0.26, 0.62, 1.0), (1.0, 0.78, 0.62)], ids=["day", "bulb", "sky"])
def test_a_color_is_the_usual_one_under_every_lamp(face: str, lamp: tuple[float, float, float]) -> None:
    light = np.array(lamp) ** (1 / 2.2)
    image = (picture([replace(CARD, face=face)]) * light).astype(np.uint8)
    assert not has_other_hue(pyramid(image), CARD.quad(), face)


@pytest.mark.parametrize("face", ["red-7", "yellow-7", "green-7", "blue-7"])
def test_half_the_way_to_the_opposite_color_is_an_unusual_shade(face: str) -> None:
    levels = pyramid(tinted(picture([replace(CARD, face=face)]), 180))
    assert has_other_hue(levels, CARD.quad(), face)


def test_a_shade_that_no_color_has_is_a_question_and_says_so() -> None:
    """A deck whose green is turned through all hues."""
    reader, plain = Reader(), picture([replace(CARD, face="green-7")])
    asked = 0
    for degrees in range(0, 180, 15):
        image = tinted(plain, degrees)
        (card,) = reader.read(image).cards
        if card.face == UNREAD:
            assert "color" in card.doubts, degrees
            asked += 1
        else:
            assert not is_of_no_color(warp_crop(pyramid(image), quad_of(card.corners_px)), card.face), degrees
    assert 2 <= asked <= 8


@pytest.mark.parametrize("px", [0, 15])
def test_a_blue_card_of_a_camera_with_exchanged_channels_is_a_question_also_in_motion(px: int) -> None:
    """It looks yellow, but no yellow ink has this hue, and blur leaves it."""
    seen = np.ascontiguousarray(picture([replace(CARD, face="blue-7")])[..., ::-1])
    (card,) = Reader().read(moved(seen, px) if px else seen).cards
    assert (card.face, card.candidates[0][0]) == (UNREAD, "yellow-7")
    assert "color" in card.doubts


@pytest.mark.parametrize("print_", ["modern", "classic"])
@pytest.mark.parametrize(
    ("place", "ink"),
    [
        pytest.param("yellow", (25, 125, 245), id="orange"),
        pytest.param("red", (165, 85, 230), id="pink"),
        pytest.param("blue", (150, 45, 105), id="purple"),
        pytest.param("green", (160, 155, 20), id="teal"),
    ],
)
def test_a_color_that_is_none_of_the_four_is_a_question(place: str, ink: tuple[int, int, int], print_: str) -> None:
    inks: dict[str, Any] = {place: ink}
    drawing = draw_face(f"{place}-7", replace(STYLES[print_], **inks))
    image = np.full((720, 1280, 3), 90, np.float32)
    lay(image, CARD, drawing)
    (card,) = Reader().read(grained(image, 0)).cards
    assert (card.face, card.doubts) == (UNREAD, ("color",))


def test_the_longer_the_way_of_the_camera_the_less_sharp_a_card_is() -> None:
    crops = [warp_crop(pyramid(moved(picture([CARD]), px)), CARD.quad()) for px in (1, 9, 17, 25, 45)]
    steps = sharpness(np.stack(crops)).tolist()
    assert steps == sorted(steps, reverse=True)
    assert steps[0] > SHARP > steps[-1]


def test_a_question_in_a_gray_picture_names_the_lamp_and_one_at_the_edge_the_edge() -> None:
    gray = cv2.merge([cv2.cvtColor(picture([CARD]), cv2.COLOR_BGR2GRAY)] * 3).astype(np.uint8)
    (seen,) = Reader().read(gray).cards
    assert (seen.face, seen.doubts) == (UNREAD, ("lamp",))
    model = load()
    image = picture([CARD, Lying("blue-2", 0, 360, 0, 130)])
    cards = Explanation(pyramid(image), Reader(model).read(image), model, layout.load()).reading().cards
    assert {card.doubts for card in cards if card.face == UNREAD} == {("cut",)}
