"""Fusion of the evidence of color and mark: by values, and in pictures without color."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardsight.classify import FACES, MARKS, Mark
from cardsight.decision import SURE
from cardsight.fusion import ConfidenceCalibration, fuse
from cardsight.geometry import CROP_H, CROP_W
from cardsight.light import as_gray, colorfulness, one_color
from cardsight.reader import Reader
from croupier_rules.cards import COLORED, COLORS
from croupier_sim.drawing import STYLES, Style, draw_face
from tests.vision import laid
from tests.vision.chances import Probabilities, belief, signs_of
from tests.vision.laid import Image, Lying, picture

PRINTED = dict(zip(COLORS, MARKS, strict=True))
IN_COLOR, GRAY = 0.2, 0.0


def mark(name: str | None, chance: float = 0.99, size_px: float = 16.0) -> Mark:
    chances = np.full(len(MARKS) + 1, (1 - chance) / len(MARKS))
    chances[0 if name is None else 1 + MARKS.index(name)] = chance
    return Mark(chances, size_px)


def weigh(faces: Probabilities, colorful: float, seen: Mark | None) -> Probabilities:
    return fuse(faces, signs_of(faces), colorful, seen)


def told(chances: Probabilities) -> tuple[str, float]:
    return FACES[int(chances.argmax())], float(chances.max())


def colors_of(chances: Probabilities, symbol: str) -> dict[str, float]:
    return {color: round(float(chances[FACES.index(f"{color}-{symbol}")]), 3) for color in COLORS}


@pytest.mark.parametrize("color", COLORS)
def test_agreement_makes_a_face_surer(color: str) -> None:
    alone = belief(**{f"{color}_7": 0.85})
    face, confidence = told(weigh(alone, IN_COLOR, mark(PRINTED[color])))
    assert face == f"{color}-7"
    assert confidence > 0.95


@pytest.mark.parametrize("sure", [0.96, 0.99, 0.999, 1 - 1e-9])
@pytest.mark.parametrize("mark_sure", [0.95, 0.99, 1 - 1e-9])
def test_contradiction_is_a_question_between_the_two_colors(sure: float, mark_sure: float) -> None:
    both = weigh(belief(red_7=sure), IN_COLOR, mark("square", mark_sure))
    assert both.max() < SURE
    assert {FACES[i] for i in np.argsort(-both)[:2]} == {"red-7", "blue-7"}


def test_a_mark_too_small_to_tell_changes_nothing() -> None:
    alone = belief(red_7=0.9, blue_7=0.05)
    face, confidence = told(weigh(alone, IN_COLOR, mark("square", size_px=6.0)))
    assert face == "red-7"
    assert confidence == pytest.approx(0.9, abs=0.01)


@pytest.mark.parametrize("seen", [None, mark(None)], ids=["nobody looked", "none printed"])
def test_without_a_mark_the_color_stands(seen: Mark | None) -> None:
    face, confidence = told(weigh(belief(green_skip=0.97), IN_COLOR, seen))
    assert face == "green-skip"
    assert confidence == pytest.approx(0.97, abs=0.01)


@pytest.mark.parametrize("seen", [None, mark(None)], ids=["nobody looked", "none printed"])
def test_without_color_and_mark_all_four_colors_are_as_likely(seen: Mark | None) -> None:
    chances = weigh(belief(green_6=0.9, red_6=0.05), GRAY, seen)
    alike = colors_of(chances, "6")
    assert len(set(alike.values())) == 1
    assert sum(alike.values()) > 0.9


@pytest.mark.parametrize("color", COLORS)
def test_without_color_the_mark_says_which(color: str) -> None:
    face, confidence = told(weigh(belief(red_6=0.98), GRAY, mark(PRINTED[color])))
    assert face == f"{color}-6"
    assert confidence > SURE


def test_a_wild_has_no_color_to_lose() -> None:
    face, confidence = told(weigh(belief(wild=0.98), GRAY, mark(None)))
    assert face == "wild"
    assert confidence == pytest.approx(0.98, abs=0.02)


@given(
    st.lists(st.floats(1e-9, 1.0), min_size=len(FACES), max_size=len(FACES)),
    st.floats(0.0, 0.5),
    st.lists(st.floats(1e-9, 1.0), min_size=5, max_size=5),
    st.floats(0.0, 60.0),
    st.tuples(st.floats(0.05, 4.0), st.floats(-4.0, 4.0)),
)
def test_probabilities_stay_probabilities_and_the_symbol_is_left_alone(
    faces: list[float], colorful: float, marks: list[float], size_px: float, line: tuple[float, float]
) -> None:
    network = np.array(faces) / sum(faces)
    by_color = ConfidenceCalibration(*line).apply(network)
    assert by_color.sum() == pytest.approx(1)
    for seen in (None, Mark(np.array(marks) / sum(marks), size_px)):
        both = weigh(by_color, colorful, seen)
        assert both.min() >= 0
        assert both.sum() == pytest.approx(1)
    alone = weigh(by_color, colorful, None)
    for symbol in {face.split("-")[1] for face in COLORED}:
        places = [FACES.index(f"{color}-{symbol}") for color in COLORS]
        assert alone[places].sum() == pytest.approx(by_color[places].sum())


LIGHTS = {
    "daylight": (1.0, 1.0, 1.0),
    "bulb": (0.45, 0.8, 1.2),
    "blue sky": (1.2, 0.7, 0.45),
}


def grayed(image: Image, seed: int = 0) -> Image:
    """As a camera without color takes it, with grain of its own in each channel."""
    gray = cv2.merge([cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)] * 3)
    return np.clip(gray + np.random.default_rng(seed).normal(0, 4, image.shape), 0, 255).astype(np.uint8)


def under(image: Image, bgr: tuple[float, float, float]) -> Image:
    """In the light of a lamp: what it lacks, no pixel shows."""
    lit: Image = np.clip(image * np.array(bgr), 0, 255).astype(np.uint8)
    return lit


@pytest.mark.parametrize("face", [*COLORED[::5], "wild", "wild-draw4"])
def test_a_card_shows_color_under_any_white_lamp_and_none_in_gray(face: str) -> None:
    cut = cv2.resize(draw_face(face, STYLES["modern"]), (CROP_W, CROP_H), interpolation=cv2.INTER_AREA).astype(np.uint8)
    for light in LIGHTS.values():
        assert colorfulness(under(cut, light)[None])[0] > 0.05
    assert colorfulness(grayed(cut)[None])[0] < 0.03
    for sodium in ((0.0, 0.5, 1.0), (0.0, 0.0, 1.0)):
        assert colorfulness(under(grayed(cut), sodium)[None])[0] < 0.03


@pytest.mark.long
@pytest.mark.parametrize("ground", list(laid.GROUNDS))
def test_one_small_card_is_enough_for_a_picture_to_have_color(ground: str) -> None:
    for face in ("red-1", "yellow-1", "green-1", "blue-1", "wild"):
        image = picture([Lying(face, 400, 300, 30, width=50)], ground)
        for light in LIGHTS.values():
            assert one_color(under(image, light)) is None
        assert one_color(grayed(image)) is not None


def test_what_one_lamp_shows_becomes_gray() -> None:
    image = picture([Lying("red-1", 400, 300, 30, width=150)])
    color = one_color(under(grayed(image), (0.05, 0.55, 1.0)))
    assert color is not None
    gray = as_gray(under(grayed(image), (0.05, 0.55, 1.0)), color)
    assert np.abs(gray.astype(float) - grayed(image)).mean() < 8
    assert (gray == gray[..., :1]).all()


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


def table(style: str = "modern-symbols", width: float = 220) -> tuple[list[Lying], Image]:
    faces = tuple(f"{color}-{symbol}" for color in COLORS for symbol in ("4", "reverse"))
    cards = [
        Lying(face, 250 + 420 * (i % 4), 300 + 480 * (i // 4), 21.0 * i, width, style) for i, face in enumerate(faces)
    ]
    return cards, picture(cards, size=(1920, 1080))


@pytest.mark.parametrize("lamp", [(1.0, 1.0, 1.0), (0.05, 0.55, 1.0)], ids=["gray camera", "lamp of one color"])
def test_where_there_is_no_color_it_is_read_from_the_mark(reader: Reader, lamp: tuple[float, float, float]) -> None:
    cards, image = table()
    told = 0
    for seen in reader.read(under(grayed(image), lamp)).cards:
        middle = np.mean(seen.corners_px, axis=0)
        lying = min(cards, key=lambda card: np.hypot(card.x - middle[0], card.y - middle[1])).face
        assert lying == (seen.candidates[0][0] if seen.face == "?" else seen.face)
        told += seen.face == lying
    assert told >= len(cards) - 2


def test_without_color_and_marks_a_card_is_asked_about_with_the_four_colors(reader: Reader) -> None:
    cards, image = table("modern")
    seen = reader.read(grayed(image)).cards
    assert len(seen) == len(cards)
    for sighting in seen:
        colors, symbols = zip(*(face.split("-") for face, _ in sighting.candidates), strict=True)
        assert (sighting.face, set(colors), len(set(symbols))) == ("?", set(COLORS), 1)


@pytest.mark.parametrize("light", list(LIGHTS))
def test_colored_light_tells_no_wrong_color(reader: Reader, light: str) -> None:
    cards, image = table()
    seen = reader.read(under(image, LIGHTS[light])).cards
    assert Counter(s.face for s in seen) == Counter(card.face for card in cards)


def test_a_red_card_with_the_mark_of_a_blue_one_is_a_question(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    def swapped(face: str, style: Style, *, width_px: int = 240) -> Image:
        red_for_blue = replace(style, red=style.blue, blue=style.red)
        return draw_face(face, red_for_blue, width_px=width_px)

    monkeypatch.setattr(laid, "draw_face", swapped)
    cards, image = table()
    wrong = [s.face for s in reader.read(image).cards if s.face.startswith(("red", "blue"))]
    questions = [s for s in reader.read(image).cards if s.face == "?"]
    assert not wrong
    assert len(questions) == sum(card.face.startswith(("red", "blue")) for card in cards)
    for sighting in questions:
        assert {face.split("-")[0] for face, _ in sighting.candidates[:2]} == {"red", "blue"}
