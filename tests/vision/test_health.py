"""Whether the camera is well, told from pictures alone: what only looks like a trouble is none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import cycle

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from cardsight.track.events import CameraFailed
from cardsight.track.health import Health
from croupier_sim.drawing import GROUNDS, Ground, Lamp, draw_ground
from tests.longer import some
from tests.vision.laid import Image, Lying, picture

SIZE = (480, 360)
THINGS: tuple[Lying, ...] = (Lying("red-7", 120, 120), Lying("blue-2", 350, 220, 30))


def health_told(*pictures: tuple[Image, float]) -> list[str]:
    """What is told of a camera that shows each picture for so many seconds, with a little grain."""
    health, number = Health(), 0
    told: list[str] = []
    for image, seconds in pictures:
        seen = cache(partial(with_grain, image))
        for _ in range(round(seconds * 10)):
            number += 1
            event = health.push(number / 10, seen(number % 3))
            told += [event.kind if isinstance(event, CameraFailed) else "well"] if event else []
    return told


def with_grain(image: Image, number: int) -> Image:
    """``image`` as one of three pictures of it."""
    return np.asarray(np.clip(image + grains(image.shape)[number], 0, 255), np.uint8)


@cache
def grains(shape: tuple[int, ...]) -> npt.NDArray[np.float32]:
    return np.random.default_rng(1).normal(0, 1, (3, *shape)).astype(np.float32)


DARK_CLOTH: Image = np.full((SIZE[1], SIZE[0], 3), (7, 6, 7), np.uint8)
LAID = picture(THINGS, "green cloth", SIZE)
ON_DARK_CLOTH: Image = np.where(LAID.max(axis=2, keepdims=True) > 110, LAID, DARK_CLOTH)


def test_a_dark_cloth_is_not_the_dark() -> None:
    assert health_told((DARK_CLOTH, 3)) == []
    assert health_told((ON_DARK_CLOTH, 3), (DARK_CLOTH, 4), (ON_DARK_CLOTH, 3)) == []


def test_the_light_goes_out_over_a_dark_cloth() -> None:
    night = (DARK_CLOTH * 0.1).astype(np.uint8)
    assert health_told((night, 3)) == ["dark"]
    assert health_told((ON_DARK_CLOTH, 3), (DARK_CLOTH, 2), (night, 3), (DARK_CLOTH, 2)) == ["dark", "well"]


def test_a_room_that_gets_dark_by_and_by_is_reported_in_the_end() -> None:
    evening = [((ON_DARK_CLOTH * light).astype(np.uint8), 2.0) for light in np.geomspace(1, 0.02, 12)]
    assert health_told(*evening) == ["dark"]


COLORS = {
    "pale-skin": (150, 190, 235), "skin": (85, 125, 180), "dark-skin": (55, 80, 120), "hand-on-the-lens": (38, 46, 80),
    "dim-brown": (30, 45, 66), "green": (70, 90, 45), "blue": (120, 60, 40), "gray": (90, 90, 90),
    "white": (215, 220, 222), "nearly-black": (28, 28, 30),
}  # fmt: skip
BY_COLOR = [pytest.param(color, id=name) for name, color in COLORS.items()]


@cache
def table_of(kind: Ground, color: tuple[int, int, int]) -> Image:
    """A bare table of this color, under a lamp."""
    ground = draw_ground(kind, SIZE, np.random.default_rng(3))
    shades = ground / ground.mean(axis=(0, 1)) * color * Lamp().map(SIZE)
    return np.asarray(shades.clip(0, 255), np.uint8)


@pytest.mark.parametrize("color", some(BY_COLOR, 5))
@pytest.mark.parametrize("kind", GROUNDS)
def test_a_hand_on_the_lens_is_reported_even_if_it_has_the_color_of_the_table(
    kind: Ground, color: tuple[int, int, int]
) -> None:
    table = table_of(kind, color)
    laid = picture(THINGS, table, SIZE)
    hand = np.full_like(table, np.median(table, axis=(0, 1)))
    assert health_told((laid, 3), (hand, 2), (laid, 2)) == ["covered", "well"]


@pytest.mark.parametrize("light", [0.95, 1.0], ids=["less-light", "same-light"])
@pytest.mark.parametrize("color", some(BY_COLOR, 6))
@pytest.mark.parametrize("kind", GROUNDS)
def test_a_table_from_which_all_cards_are_taken_is_not_covered(
    kind: Ground, color: tuple[int, int, int], light: float
) -> None:
    table = table_of(kind, color)
    laid, emptied = picture(THINGS, table, SIZE), (picture((), table, SIZE, 1) * light).astype(np.uint8)
    assert health_told((laid, 3), (emptied, 4), (laid, 2)) == []


def reached_over(image: Image, seconds: float) -> Iterator[tuple[Image, float]]:
    """An arm that goes to and fro between the cards without a rest, ten pictures a second."""
    for _, y in zip(range(round(seconds * 10)), cycle((120, 180, 240, 300, 240, 180)), strict=False):
        seen = image.copy()
        cv2.rectangle(seen, (205, 0), (255, y), (95, 130, 190), -1)
        cv2.rectangle(seen, (205, 0), (255, y), (40, 60, 100), 3)
        yield seen, 0.1


@pytest.mark.parametrize("degrees", [0, 12, -12])
@pytest.mark.parametrize("kind", GROUNDS)
def test_a_moved_camera_is_reported_while_people_go_on_playing(kind: Ground, degrees: float) -> None:
    laid = picture(THINGS, table_of(kind, COLORS["green"]), SIZE)
    way = cv2.getRotationMatrix2D((SIZE[0] / 2, SIZE[1] / 2), degrees, 1.0)
    way[:, 2] += (60, 40)
    moved = np.asarray(cv2.warpAffine(laid, way, SIZE, borderMode=cv2.BORDER_REPLICATE), np.uint8)
    assert health_told((laid, 3), *reached_over(moved, 2)) == ["moved"]


@pytest.mark.parametrize("kind", GROUNDS)
def test_people_who_play_do_not_move_the_camera(kind: Ground) -> None:
    laid = picture(THINGS, table_of(kind, COLORS["green"]), SIZE)
    assert health_told((laid, 3), *reached_over(laid, 5), (laid, 1)) == []


@pytest.mark.parametrize("kind", GROUNDS)
def test_a_card_held_still_and_then_laid_over_the_only_other_one_does_not_move_the_camera(kind: Ground) -> None:
    table = table_of(kind, COLORS["green"])
    pile = Lying("red-7", 240, 180)
    held = picture((pile, Lying("blue-2", 60, 60, 40)), table, SIZE)
    laid = picture((pile, Lying("blue-2", 243, 176, 20)), table, SIZE)
    assert health_told((held, 3), (laid, 4)) == []


@pytest.mark.parametrize("kind", GROUNDS)
def test_the_ground_tells_a_moved_camera_from_a_pushed_pile_where_nothing_else_lies(kind: Ground) -> None:
    table = table_of(kind, COLORS["green"])
    laid = picture((Lying("red-7", 200, 160),), table, SIZE)
    pushed = picture((Lying("red-7", 245, 195, 8),), table, SIZE)
    way = np.array([(1, 0, 45), (0, 1, 35)], np.float32)
    moved = np.asarray(cv2.warpAffine(laid, way, SIZE, borderMode=cv2.BORDER_REPLICATE), np.uint8)
    assert health_told((laid, 3), (pushed, 4)) == []
    assert health_told((laid, 3), (moved, 4)) == ["moved"]


def with_arm(image: Image) -> Image:
    """An arm in a sleeve, with a watch, that reaches over the table and rests there."""
    seen = image.copy()
    for color, top, bottom in (((70, 50, 120), 0, 150), ((60, 90, 140), 172, 190), ((70, 110, 160), 212, 260)):
        cv2.rectangle(seen, (215, top), (265, bottom), color, -1)
    return seen


@pytest.mark.parametrize("kind", GROUNDS)
def test_an_arm_that_rested_on_a_bare_table_and_left_does_not_move_the_camera(kind: Ground) -> None:
    table = table_of(kind, COLORS["green"])
    laid = picture((*THINGS, Lying("yellow-7", 120, 260, 80)), table, SIZE)
    assert health_told((with_arm(picture((), table, SIZE)), 4), (laid, 4)) == []


def test_a_camera_that_begins_with_frames_in_parts_is_not_moved() -> None:
    cards = [Lying("red-7", 100, 110, 0, 80), Lying("blue-2", 240, 260, 20, 80), Lying("yellow-7", 380, 110, 0, 80)]
    laid = picture(cards, "green cloth", SIZE)
    torn = np.concatenate([laid[:40], np.roll(laid[40:], 60, axis=1)])
    assert health_told((torn, 0.4), (laid, 4)) == []


def test_a_picture_whose_lower_part_is_lost_is_told_and_one_such_frame_is_not() -> None:
    table = table_of("cloth", COLORS["green"])
    laid = picture(THINGS, table, SIZE)

    def torn(image: Image) -> Image:
        lost = image.copy()
        lost[250:] = (0, 135, 0)
        return lost

    health = Health()
    told = [health.push(n / 10, with_grain(laid, n % 3)) for n in range(30)]
    told += [health.push(3.0, torn(with_grain(laid, 0)))]
    told += [health.push(3.1 + n / 10, with_grain(laid, n % 3)) for n in range(20)]
    assert [event for event in told if event] == []
    told = [health.push(5.1 + n / 10, torn(with_grain(laid, n % 3))) for n in range(20)]
    told += [health.push(7.1 + n / 10, with_grain(laid, n % 3)) for n in range(20)]
    assert [event.kind if isinstance(event, CameraFailed) else "well" for event in told if event] == ["torn", "well"]


@pytest.mark.parametrize("until_laid_s", [0.4, 1.6])
def test_a_moved_camera_is_reported_and_stays_so_though_a_card_is_laid_meanwhile(until_laid_s: float) -> None:
    table, on_top = table_of("cloth", COLORS["green"]), Lying("yellow-skip", 350, 220, 40)
    way = np.array([(1, 0, 40), (0, 1, 30)], np.float32)
    moved, laid = (
        np.asarray(cv2.warpAffine(picture(cards, table, SIZE), way, SIZE, borderMode=cv2.BORDER_REPLICATE), np.uint8)
        for cards in (THINGS, (*THINGS, on_top, replace(on_top, y=250, turn=100)))
    )
    assert health_told((picture(THINGS, table, SIZE), 3), (moved, until_laid_s), (laid, 4)) == ["moved"]


def test_a_camera_that_was_moved_while_it_showed_nothing_is_told_as_moved() -> None:
    """Else nobody could say that the new view is right."""
    table = table_of("cloth", COLORS["green"])
    laid, hand = picture(THINGS, table, SIZE), np.full_like(table, COLORS["skin"])
    way = np.array([(1, 0, 60), (0, 1, 40)], np.float32)
    moved = np.asarray(cv2.warpAffine(laid, way, SIZE, borderMode=cv2.BORDER_REPLICATE), np.uint8)
    assert health_told((laid, 3), (hand, 2), (moved, 3), (laid, 2)) == ["covered", "moved", "well"]
    health = Health()
    told = [health.push(n / 10, with_grain(laid, n % 3)) for n in range(30)]
    told += [health.missing(3 + n / 10) for n in range(20)]
    told += [health.push(5 + n / 10, with_grain(moved, n % 3)) for n in range(20)]
    assert [one.kind for one in told if isinstance(one, CameraFailed)] == ["no-picture", "moved"]


def shown_for(seconds: float, image: Image, health: Health, begin: float = 0.0) -> list[tuple[str, float]]:
    """What is told, and when, while the camera shows one and the same picture."""
    told: list[tuple[str, float]] = []
    for number in range(round(seconds * 10)):
        t = begin + number / 10
        if event := health.push(t, image):
            told.append((event.kind if isinstance(event, CameraFailed) else "well", t))
    return told


def test_a_camera_that_is_frozen_from_its_first_picture_on_is_told() -> None:
    health = Health()
    ((kind, t),) = shown_for(10, with_grain(LAID, 0), health)
    assert kind == "frozen"
    assert t == pytest.approx(2.6, abs=0.3)
    told = [health.push(10 + n / 10, with_grain(LAID, n % 3)) for n in range(20)]
    assert [type(event).__name__ for event in told if event] == ["CameraWell"]


def test_a_camera_that_repeats_its_first_picture_while_it_starts_is_well() -> None:
    health = Health()
    assert shown_for(2, with_grain(LAID, 0), health) == []
    assert [event for n in range(60) if (event := health.push(2 + n / 10, with_grain(LAID, n % 3)))] == []


def test_a_drawn_test_picture_without_noise_may_stay_as_it_is() -> None:
    slope = np.tile(np.linspace(40, 200, SIZE[0], dtype=np.float32)[None, :, None], (SIZE[1], 1, 3)).astype(np.uint8)
    assert "frozen" not in [kind for kind, _t in shown_for(10, slope, Health())]


def test_a_film_of_a_still_picture_is_no_frozen_camera() -> None:
    assert shown_for(10, with_grain(LAID, 0), Health(may_freeze=False)) == []
