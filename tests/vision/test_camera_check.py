"""A camera that is set up wrongly is told by what it shows, and put right where that is sure."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from cardsight import camera_check, model
from cardsight.geometry import Image, pyramid
from cardsight.model import Model
from cardsight.reader import Reader
from cardsight.sighting import CameraFault, Reading, Sighting
from training.measure import kitchen

MODEL = model.load()
READ = Reader(MODEL).read
SCENE = kitchen.scene(kitchen.DRAWN, "two rows", 8)
FACES = sorted(card.face for card in SCENE.cards)


def checked(image: Image, model: Model | None = MODEL, read: Callable[[list[Image]], Reading] = READ) -> Reading:
    """Return the reading of a picture whose camera is checked."""
    levels = pyramid(image)
    seen = camera_check.checked(levels, read(levels), model, read)
    return seen.as_seen(seen.reading)


def torn(image: Image, color: tuple[int, int, int] = (128, 128, 128)) -> Image:
    lost = image.copy()
    lost[len(lost) // 2 :] = color
    return lost


def compressed(image: Image) -> Image:
    _is_done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 80])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def smeared(image: Image) -> Image:
    lost = image.copy()
    lost[len(lost) // 2 :] = lost[len(lost) // 2]
    return lost


@pytest.mark.parametrize(
    ("alter", "fault", "is_mended"),
    [
        pytest.param(lambda image: image, None, False, id="good"),
        pytest.param(lambda image: image[..., ::-1], "colors-exchanged", True, id="red and blue exchanged"),
        pytest.param(lambda image: image[:, ::-1], "mirrored", True, id="mirrored"),
        pytest.param(lambda image: image[::-1, ::-1], None, False, id="upside down, as anybody may sit"),
        pytest.param(torn, "torn", False, id="the lower half is gray"),
        pytest.param(lambda image: compressed(torn(image, (0, 135, 0))), "torn", False, id="and compressed"),
        pytest.param(smeared, "torn", False, id="one row again and again"),
    ],
)
def test_a_picture_tells_how_its_camera_is_set_up(
    alter: Callable[[Image], Image], fault: CameraFault | None, is_mended: bool
) -> None:
    image = np.ascontiguousarray(alter(SCENE.picture()))
    seen = checked(image)
    assert (seen.fault, seen.is_mended) == (fault, is_mended)
    if fault is None or is_mended:
        assert sorted(card.face for card in seen.cards) == FACES


@pytest.mark.parametrize(("name", "number"), [("fan 6°", 5), ("fan 9°", 3), ("overlap .35", 8), ("overlap .55", 7)])
def test_the_colors_of_the_cards_above_say_nothing_of_those_below(name: str, number: int) -> None:
    image = kitchen.scene(kitchen.DRAWN, name, number).picture()
    assert camera_check.fault_of(image, READ(image), MODEL) is None


def test_cards_of_a_mirrored_picture_are_outlined_where_they_are_seen() -> None:
    image = np.ascontiguousarray(SCENE.picture()[:, ::-1])
    width = image.shape[1]
    seen = checked(image)
    for card in SCENE.cards:
        assert card.quad is not None
        middle = (width - card.quad[:, 0].mean(), card.quad[:, 1].mean())
        there = min(seen.cards, key=lambda one: np.linalg.norm(np.mean(one.corners_px, axis=0) - middle))
        assert there.face == card.face
        assert cv2.contourArea(np.array(there.corners_px, np.float32), True) > 0  # clockwise


@pytest.mark.parametrize(
    ("alter", "fault"),
    [
        pytest.param(lambda image: image[..., ::-1], "colors-exchanged", id="red and blue exchanged"),
        pytest.param(lambda image: image[:, ::-1], "mirrored", id="mirrored"),
    ],
)
def test_frames_of_a_camera_are_put_right_until_somebody_sets_it_right(
    alter: Callable[[Image], Image], fault: CameraFault
) -> None:
    right = SCENE.picture()
    wrong = np.ascontiguousarray(alter(right))
    frames = camera_check.CheckedFrames(READ, MODEL)
    for image, told in ((right, None), *[(wrong, fault)] * 3, *[(right, None)] * 3):
        seen = frames.read(image)
        assert sorted(card.face for card in seen.cards) == FACES
        assert (seen.fault, seen.is_mended) == (told, told is not None)
    assert frames.read(torn(right)).fault == "torn"


def test_a_mirrored_close_up_in_which_no_card_is_found_is_read_mirrored() -> None:
    scene = kitchen.scene(kitchen.DRAWN, "row", 1)
    (face, quad) = next((card.face, card.quad) for card in scene.cards if card.quad is not None)
    (left, top), (right, bottom) = quad.min(0).astype(int) - 8, quad.max(0).astype(int) + 8
    close = np.ascontiguousarray(scene.picture()[max(0, top) : bottom, max(0, left) : right][:, ::-1])

    def read(levels: list[Image]) -> Reading:
        """Find no card in the mirrored picture."""
        height, width = levels[0].shape[:2]
        return Reading((width, height), ()) if np.array_equal(levels[0], close) else READ(levels)

    seen = checked(close, MODEL, read)
    assert ([card.face for card in seen.cards], seen.fault, seen.is_mended) == ([face], "mirrored", True)


@pytest.mark.parametrize(
    "image",
    [
        pytest.param(np.full((400, 600, 3), 230, np.uint8), id="an even ground"),
        pytest.param(cv2.copyMakeBorder(SCENE.picture(), 200, 200, 0, 0, cv2.BORDER_CONSTANT), id="black bars"),
    ],
)
def test_even_grounds_and_bars_are_not_torn(image: Image) -> None:
    assert not camera_check.is_torn(image)


def test_of_another_edition_only_a_torn_picture_is_told() -> None:
    image = np.ascontiguousarray(SCENE.picture()[:, ::-1])
    assert checked(image, None).fault is None
    assert checked(torn(image), None).fault == "torn"


def lying(x: float, y: float, long: float) -> Sighting:
    wide = long * 56 / 88
    return Sighting("red-7", 0.99, ((x, y), (x + wide, y), (x + wide, y + long), (x, y + long)))


@pytest.mark.parametrize(
    ("cards", "fault"),
    [
        pytest.param([lying(210, 110, 88)], None, id="on its place"),
        pytest.param([lying(700, 600, 88)], "upside-down", id="on the place turned around"),
        pytest.param([lying(700, 600, 88), lying(210, 110, 88)], None, id="on both: an open hand lies there"),
        pytest.param([lying(500, 350, 88)], None, id="a card elsewhere on the same table"),
        pytest.param([lying(500, 350, 200)], "elsewhere", id="a card of another size"),
        pytest.param([], None, id="no card"),
    ],
)
def test_the_place_of_the_pile_tells_where_the_camera_hangs(cards: list[Sighting], fault: CameraFault | None) -> None:
    pile = np.array([[200, 100], [300, 100], [300, 220], [200, 220]], np.float32)
    assert camera_check.misplaced(Reading((1000, 800), tuple(cards)), pile, 88.0, (1000, 800)) == fault
