"""The discard pile on drawn video: what is told is what happened, when it happened, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from cardsight.reader import Reader
from cardsight.sighting import Corners, Reading, Sighting
from cardsight.track.background_model import Edges
from cardsight.track.blocks import Part, differs, joined_to_rim
from cardsight.track.cards import is_same_place, length_px
from cardsight.track.events import (
    CameraFailed,
    CameraWell,
    Doubted,
    Event,
    Lifted,
    Pushed,
    Recognized,
    TakenAway,
    Touched,
)
from cardsight.track.tracker import PATIENCE_S, PileTracker
from cardsight.track.zone import Zone
from croupier_bench.score import Score
from croupier_bench.track import LIMIT_FAULT_S, watch
from croupier_sim import video
from croupier_sim.table import SimTable
from tests.longer import many, some
from tests.vision.laid import Image, Lying, picture

FloatImage = npt.NDArray[np.float32]

SIZE = (480, 360)
CARD_PX = 120 * 88 / 56
FPS = 30
PLACE = (240.0, 180.0)
HAND, HAND_PX = (95, 130, 190), 110
LEFT_AND_RIGHT = ((-400.0, 180.0), (900.0, 180.0))
Seats = tuple[tuple[float, float], ...]
SLEEVE = (3, 0, -4)
"""Gray levels, by which a sleeve is another color than the table."""


@dataclass
class Scene:
    """What lies on the table, the lowest first, and a hand that comes from the left as far as ``hand_x``, bare, or in a
    ``sleeve`` of about the color of the table. Another hand may come from above, beside the pile, as far as
    ``other_y``."""

    cards: tuple[Lying, ...] = ()
    hand_x: int = 0
    other_y: int = 0
    light: float = 1.0
    in_light: Callable[[Image], Image] = lambda image: image
    ground: str = "green cloth"
    sleeve: bool = False

    def drawn(self, seed: int) -> Image:
        image = laid_out(self.cards, self.ground, seed % 4).copy()
        if self.hand_x:
            cv2.rectangle(image, (0, 150), (self.hand_x, 210), HAND, -1)
            cv2.rectangle(image, (0, 150), (self.hand_x, 210), (40, 60, 100), 3)
        if self.other_y:
            cv2.rectangle(image, (390, 0), (450, self.other_y), HAND, -1)
        if self.sleeve:
            arm = np.s_[148:213, : max(0, self.hand_x - HAND_PX)]
            image[arm] = (laid_out((), self.ground, seed % 4)[arm] + np.array(SLEEVE)).clip(0, 255)
        image = image if self.light == 1.0 else np.clip(image * self.light, 0, 255).astype(np.uint8)
        return self.in_light(image)


@cache
def laid_out(cards: tuple[Lying, ...], ground: str, seed: int) -> Image:
    return picture(cards, ground, SIZE, seed)


def spot(x: float, radius: int, rim: int) -> FloatImage:
    left = 2 * SIZE[0] - round(x)
    return np.asarray(wide_spot(radius, rim)[:, left : left + SIZE[0], None], np.float32)


@cache
def wide_spot(radius: int, rim: int) -> FloatImage:
    """A spot in the middle of a picture four times as wide."""
    soft = cv2.circle(np.zeros((SIZE[1], 4 * SIZE[0]), np.float32), (2 * SIZE[0], 170), radius, 1.0, -1)
    return np.asarray(cv2.GaussianBlur(soft, (0, 0), rim), np.float32)


def in_glare(x: float) -> Callable[[Image], Image]:
    return lambda image: np.asarray(np.clip(image + 150 * spot(x, 30, 12), 0, 255), np.uint8)


def in_shadow(x: float) -> Callable[[Image], Image]:
    return lambda image: np.asarray(image * (1 - 0.6 * spot(x, 70, 30)), np.uint8)


def in_lamp(image: Image) -> Image:
    return np.asarray(image * np.array([0.72, 0.6, 0.5]), np.uint8)


class Table:
    """Plays scenes to a tracker and keeps what it tells."""

    def __init__(self, *, fps: float = FPS, ground: str = "green cloth", seats_px: Seats = LEFT_AND_RIGHT) -> None:
        self._reader = TruthReader()
        self.tracker = PileTracker((0, 0, *SIZE), CARD_PX, self._reader, seats_px=seats_px)
        self.t = 0.0
        self._step = 1 / fps
        self._seed = 0
        self.events: list[Event] = []
        self.show(Scene(ground=ground), 0.3)

    def show(self, scene: Scene, seconds: float) -> None:
        for _ in range(max(1, round(seconds / self._step))):
            self.t += self._step
            self._seed += 1
            self._reader.scene = scene
            self.events += self.tracker.push(self.t, scene.drawn(self._seed))

    def lay(self, *cards: Lying, hand_s: float = 0.3, other_y: int = 0) -> float:
        """Bring the last card in from the left, let go, leave; returns when it touched. ``other_y``: as in `Scene`."""
        *under, new = cards
        for x in np.linspace(-60, new.x, 6):
            carried = Lying(new.face, float(x), new.y, new.turn)
            self.show(Scene((*under, carried), max(1, int(x)), other_y), self._step)
        touch = self.t
        self.show(Scene(cards, int(new.x), other_y), hand_s)
        for x in (160, 80):
            self.show(Scene(cards, x, other_y), self._step)
        self.show(Scene(cards), 0.5)
        return touch

    def told(self, kind: type[Event]) -> list[str]:
        return [getattr(event, "face", "") for event in self.events if isinstance(event, kind)]


class TruthReader:
    """Reads what lies there if the part ``least`` of it can be seen; the faces in ``doubtful`` it cannot tell, and
    those in ``mistaken`` it takes for others."""

    def __init__(self) -> None:
        self.scene = Scene()
        self.least = 0.6
        self.doubtful: set[str] = set()
        self.mistaken: dict[str, str] = {}
        self.reads = 0

    def read(self, bgr: Image, /, faces: Collection[str] | None = None, **how: Any) -> Reading:
        self.reads += 1
        above = np.zeros(bgr.shape[:2], np.uint8)
        if self.scene.hand_x:
            cv2.rectangle(above, (0, 150), (self.scene.hand_x, 210), 1, -1)
        seen = []
        for card in reversed(self.scene.cards):
            own = np.zeros_like(above)
            cv2.fillPoly(own, [np.round(card.quad()).astype(np.int32)], 1)
            if (own & ~above & 1).sum() >= self.least * 120 * CARD_PX:
                a, b, c, d = ((float(x), float(y)) for x, y in card.quad())
                face = "?" if card.face in self.doubtful else self.mistaken.get(card.face, card.face)
                seen.append(Sighting(face, 0.99, (a, b, c, d), candidates=(("red-6", 0.5),) if face == "?" else ()))
            above |= own
        up, down = (tuple(one for one in seen if (one.face == "back") is is_back) for is_back in (False, True))
        return Reading((bgr.shape[1], bgr.shape[0]), up, down)


def card(face: str, dx: float = 0.0, dy: float = 0.0, turn: float = 0.0) -> Lying:
    return Lying(face, PLACE[0] + dx, PLACE[1] + dy, turn)


RED, BLUE, GREEN = card("red-7"), card("blue-2", 12, -9, 25), card("green-skip", -10, 8, 160)


def test_each_card_laid_is_reported_once_with_its_touch_within_a_frame_and_whose_hand_it_was() -> None:
    table = Table()
    touches = [table.lay(*(RED, BLUE, GREEN)[: n + 1]) for n in range(3)]
    told = [event for event in table.events if isinstance(event, Touched)]
    assert [event.face for event in told] == ["red-7", "blue-2", "green-skip"]
    for event, touch in zip(told, touches, strict=True):
        assert abs(event.t - touch) <= 1 / FPS
        assert abs(event.t - touch) <= event.u + 1 / FPS
        assert (event.seat, event.seat_confidence > 0.8) == (0, True)
    assert len(table.events) == 3


def test_of_two_arms_the_one_that_reaches_to_the_card_tells_the_seat_and_not_a_seat_between_them() -> None:
    at_once = Table(seats_px=((-400, 180), (420, -400), (-150, -200)))
    at_once.lay(RED, other_y=70)
    at_once.show(Scene((RED,)), 0.5)
    (event,) = at_once.events
    assert isinstance(event, Touched)
    assert (event.seat, event.seat_confidence > 0.8) == (0, True)


def test_a_touch_at_few_frames_a_second_is_reported_with_as_much_uncertainty() -> None:
    table = Table(fps=4)
    touch = table.lay(RED)
    table.show(Scene((RED,)), 1.0)
    (event,) = table.events
    assert isinstance(event, Touched)
    assert abs(event.t - touch) <= event.u <= 1.0
    assert event.u >= 0.12


def test_a_card_shown_over_the_pile_and_taken_back_is_no_play() -> None:
    table = Table()
    table.lay(RED)
    table.show(Scene((RED, BLUE), 230), 0.8)
    table.show(Scene((RED,), 150), 0.1)
    table.show(Scene((RED,)), 1.0)
    assert table.told(Touched) == ["red-7"]


def test_a_hand_that_rests_on_the_pile_tells_nothing_and_leaves_nothing() -> None:
    table = Table()
    table.lay(RED)
    table.show(Scene((RED,), 230), 4.0)
    table.show(Scene((RED,)), 1.0)
    assert table.told(Touched) == ["red-7"]
    assert table.told(Lifted) == []
    assert table.tracker.unsettled_since is None


def test_the_top_card_that_is_misread_while_an_arm_lies_over_a_part_of_it_is_no_play() -> None:
    table, sideways = Table(), card("red-7", 0, 30, 90)
    table.lay(sideways)
    table._reader.least, table._reader.mistaken = 0.4, {"red-7": "red-2"}
    table.show(Scene((sideways,), 420), 2.2)
    table._reader.mistaken = {}
    table.show(Scene((sideways,)), 1.0)
    assert [event.face for event in table.events if isinstance(event, Touched)] == ["red-7"]
    assert len(table.events) == 1


@pytest.mark.long
@pytest.mark.parametrize("darkens", [0.0, 3.0], ids=["as it darkens", "long dark"])
def test_a_card_that_a_hand_shows_in_the_dark_is_no_play(darkens: float) -> None:
    table = Table()
    table.lay(RED)
    table.show(Scene((RED,), light=0.12), darkens)
    table.show(Scene((RED, BLUE), 230, light=0.12), 0.8)
    table.show(Scene((RED,), 150, light=0.12), 0.1)
    table.show(Scene((RED,), light=0.12), 1.0)
    assert len(table.events) == 1


@pytest.mark.long
@pytest.mark.parametrize("light", [1.0, 0.6, 1.6], ids=["as before", "lighter now", "darker now"])
def test_a_card_that_a_hand_shows_is_no_play_though_its_sleeve_hardly_stands_out_from_the_table(light: float) -> None:
    table = Table()
    table.lay(RED)
    table.show(Scene((RED,), light=light), 1.0)
    table.tracker.settle()
    table.show(Scene((RED,)), 2.0)
    for x in np.linspace(0, 200, 6):
        table.show(Scene((RED, replace(BLUE, x=BLUE.x - 200 + x)), int(x), sleeve=True), 1 / FPS)
    table.show(Scene((RED, BLUE), 200, sleeve=True), 1.0)
    table.show(Scene((RED,), 100, sleeve=True), 1 / FPS)
    table.show(Scene((RED,)), 1.0)
    assert len(table.events) == 1


def test_a_card_that_a_hand_holds_from_outside_the_picture_is_no_play() -> None:
    table = Table()
    table.lay(RED)
    for x in (-60, -20, *[20] * FPS, 70, 120):
        table.show(Scene((RED, replace(BLUE, x=x)), max(0, x)), 1 / FPS)
    table.lay(RED, replace(BLUE, x=160))
    assert table.told(Touched) == ["red-7", "blue-2"]
    assert len(table.events) == 2


def test_a_card_that_stays_at_the_edge_of_the_picture_lies_there() -> None:
    table = Table()
    table.lay(RED)
    table.show(Scene((RED, replace(BLUE, x=20))), 3.0)
    assert table.told(Touched) == ["red-7", "blue-2"]


def test_a_card_is_reported_while_a_hand_is_still_near_that_does_not_touch_it() -> None:
    table = Table()
    table.show(Scene((RED,), 230), 0.3)
    table.show(Scene((RED,), 90), 0.4)
    assert table.told(Touched) == ["red-7"]


def test_a_card_taken_back_is_lifted_and_may_be_laid_again() -> None:
    table = Table()
    table.lay(RED)
    table.lay(RED, BLUE)
    table.show(Scene((RED, BLUE), 240), 0.3)
    gone = table.t
    table.show(Scene((RED,), 120), 0.1)
    table.show(Scene((RED,)), 0.6)
    (lifted,) = [event for event in table.events if isinstance(event, Lifted)]
    assert lifted.face == "blue-2"
    assert abs(lifted.t - gone) <= lifted.u + 2 / FPS
    table.lay(RED, BLUE)
    assert table.told(Touched) == ["red-7", "blue-2", "blue-2"]


def test_a_card_taken_back_is_lifted_also_where_it_lay_almost_as_the_one_below_does() -> None:
    table = Table()
    top = card("blue-2", 0, -8, 1)
    table.lay(RED)
    table.show(Scene((RED, top), 240), 0.3)
    table.show(Scene((RED, top)), 1.0)
    table.tracker._state.pile._before.clear()  # a push makes what lay below another picture
    table.show(Scene((RED,), 240), 0.3)
    table.show(Scene((RED,)), 1.0)
    assert table.told(Touched) == ["red-7", "blue-2"]
    assert table.told(Lifted) == ["blue-2"]


@pytest.mark.long
@pytest.mark.parametrize("is_pushed", [False, True])
@pytest.mark.parametrize("back", [card("back", 8, 4, 10), card("back", 40, 10, 60)], ids=["on it", "across"])
def test_a_card_face_down_that_lies_on_the_pile_for_a_while_and_is_taken_away_is_no_lift_and_no_play(
    back: Lying, is_pushed: bool
) -> None:
    table, top = Table(fps=10), BLUE
    table.lay(RED)
    table.lay(RED, BLUE)
    if is_pushed:  # what lies under the top card is another picture then
        top = card("blue-2", 45, 5, 30)
        table.show(Scene((RED, top), 240), 0.3)
        table.show(Scene((RED, top)), 1.0)
    told = len(table.events)
    table.lay(RED, top, back)
    table.show(Scene((RED, top, back)), 9.0)
    for hand_x in (240, 120, 0):
        table.show(Scene((RED, top), hand_x), 0.3)
    table.show(Scene((RED, top)), 2.0)
    assert (told, table.events[told:]) == (2 + is_pushed, [])
    assert table.tracker.top is not None
    assert table.tracker.top.face == "blue-2"


def test_a_card_laid_while_the_one_before_is_taken_back_takes_its_place() -> None:
    table = Table()
    table.lay(RED)
    table.lay(RED, BLUE)
    beside = card("green-skip", -60, 30, 100)
    table.show(Scene((RED, beside), 240), 0.3)
    table.show(Scene((RED, beside)), 0.6)
    assert table.told(Lifted) == ["blue-2"]
    assert table.told(Touched) == ["red-7", "blue-2", "green-skip"]


def test_a_card_that_is_only_pushed_is_no_play_and_its_twin_is_one() -> None:
    table = Table()
    table.lay(BLUE)
    table.lay(BLUE, RED)
    pushed = card("red-7", 50, 5, 12)
    table.show(Scene((BLUE, pushed), 240), 0.3)
    table.show(Scene((BLUE, pushed)), 0.6)
    assert len(table.told(Pushed)) == 1
    table.lay(BLUE, pushed, card("red-7", -10, -20, 80))
    assert table.told(Touched)[-2:] == ["red-7", "red-7"]


def test_a_card_laid_on_its_twin_at_once_with_another_that_hides_more_of_it_is_a_play() -> None:
    table, top = Table(), card("red-7", 0, 0, 80)
    table.lay(top)
    table.lay(top, card("red-7", 40, -50, 80), card("green-3", -30, 50, 80))
    assert table.told(Touched) == ["red-7", "red-7", "green-3"]


def test_a_card_that_was_pushed_and_is_taken_back_uncovers_two_cards_and_none_of_them_is_a_play() -> None:
    table, low, other = Table(), card("blue-2", -30, -20, 40), card("green-6", 30, 30, 30)
    table.lay(low)
    table.lay(low, other)
    table.lay(low, other, card("red-7", 0, 10, 120))
    pushed = card("red-7", 12, 1, 126)
    table.show(Scene((low, other, pushed), 240), 0.3)
    table.show(Scene((low, other, pushed)), 0.6)
    table.show(Scene((low, other, pushed), 240), 0.3)
    table.show(Scene((low, other)), 1.0)
    assert table.told(Touched) == ["blue-2", "green-6", "red-7"]
    assert table.told(Lifted) == ["red-7"]


def test_on_a_neat_pile_the_twin_of_a_card_further_down_is_a_play() -> None:
    table, twin = Table(), card("red-7", 0, 0, 80)
    pile = [card("red-7", 0, 0, 80), card("blue-2", 5, -4, 81), card("green-6", -4, 5, 79)]
    for n in range(len(pile)):
        table.lay(*pile[: n + 1])
    table.lay(*pile, twin)
    assert table.told(Touched) == ["red-7", "blue-2", "green-6", "red-7"]


@pytest.mark.parametrize("place", [card("blue-2", 10, 20, -20), card("blue-2", 0, 12, 10)], ids=["turned", "beside"])
def test_a_card_held_over_the_pile_and_laid_elsewhere_is_one_play_though_another_covers_its_first_place(
    place: Lying,
) -> None:
    table, held = Table(fps=10), card("blue-2", -20, 5, 15)
    table.lay(RED)
    table.show(Scene((RED, replace(held, x=100)), 60), 0.1)
    table.show(Scene((RED, held), int(held.x)), 1.9)
    table.show(Scene((RED, replace(held, face="green-3"), place), 100), 0.1)
    table.show(Scene((RED, replace(held, face="green-3"), place)), 2.0)
    assert table.told(Touched).count("blue-2") == 1
    assert table.tracker.top is not None
    assert table.tracker.top.face == "blue-2"


def test_a_card_shown_unread_beside_the_pile_and_then_laid_is_one_play_where_its_first_place_is_free() -> None:
    table, shown = Table(fps=15), card("blue-2", 30, -100, 40)
    table.lay(RED)
    table._reader.doubtful = {"blue-2"}
    table.show(Scene((RED, replace(shown, x=160)), 160), 0.07)
    table.show(Scene((RED, shown), 260), 0.4)
    table._reader.doubtful = set()
    table.show(Scene((RED, replace(shown, y=120)), 400), 0.14)
    table.show(Scene((RED, BLUE), 320), 0.2)
    table.show(Scene((RED, BLUE), 100), 0.1)
    table.show(Scene((RED, BLUE)), 2.0)
    assert table.told(Touched) == ["red-7", "blue-2"]


HELD = card("blue-2", -20, 5, 15)
IN_ITS_PLACE = replace(HELD, face="green-3")


@pytest.mark.parametrize(
    ("fps", "came", "told"),
    [
        (10, (IN_ITS_PLACE, card("blue-2", 60, -20, -20)), ["blue-2", "?"]),
        (10, (card("blue-2", 60, -20, -20), IN_ITS_PLACE), ["blue-2", "green-3"]),
        (10, (IN_ITS_PLACE, card("blue-2", 10, 20, -20)), ["blue-2", "?"]),
        (5, (IN_ITS_PLACE, card("blue-2", 10, 20, -50)), ["?", "blue-2"]),
    ],
    ids=["under", "over", "all but covered", "not told before"],
)
def test_a_card_that_takes_the_place_of_one_that_was_held_and_is_laid_elsewhere_is_told_though_both_come_at_once(
    fps: float, came: tuple[Lying, ...], told: list[str]
) -> None:
    table = Table(fps=fps)
    table.lay(RED)
    table.show(Scene((RED, replace(HELD, x=100)), 60), 1 / fps)
    table.show(Scene((RED, HELD), int(HELD.x)), 1.9)
    table.show(Scene((RED, *came), 100), 1 / fps)
    table.show(Scene((RED, *came)), 3.0)
    assert table.told(Touched) == ["red-7", *told]
    assert table.tracker.top is not None
    assert table.tracker.top.face == came[-1].face


def test_a_card_laid_just_before_the_camera_was_bumped_is_one_play_though_the_bump_is_not_noticed() -> None:
    table, below, laid = Table(), card("green-0", -25, 10, 70), card("blue-2", -5, -8, 5)
    table.lay(below)
    for x in np.linspace(-60, laid.x, 6):
        table.show(Scene((below, replace(laid, x=float(x))), max(1, int(x))), 1 / FPS)
    table.show(Scene((below, laid), int(laid.x - 60)), 0.1)
    bumped = tuple(replace(one, x=one.x + 40, y=one.y + 10) for one in (below, laid))
    for hand_x in (160, 80):
        table.show(Scene(bumped, hand_x), 1 / FPS)
    table.show(Scene(bumped), 1.0)
    assert table.told(Touched) == ["green-0", "blue-2"]
    assert table.told(CameraFailed) == []


@pytest.mark.parametrize(("face", "other"), [("blue-5", "blue-2"), ("green-skip", "green-reverse")])
def test_a_card_put_exactly_in_the_place_of_one_of_its_color_within_a_frame_is_a_play(face: str, other: str) -> None:
    table, top = Table(fps=5), card(face, 12, -9, 25)
    table.lay(RED)
    table.lay(RED, top)
    table.show(Scene((RED, replace(top, face=other))), 2.0)
    assert table.told(Touched) == ["red-7", face, other]
    assert len(table.events) == 3


@pytest.mark.parametrize(("other", "told"), [("blue-6", ["blue-6"]), ("green-6", ["?", "green-6"])])
def test_a_card_exchanged_in_the_hand_within_a_frame_is_told_by_no_face_of_the_one_before(
    other: str, told: list[str]
) -> None:
    table = Table(fps=5)
    table.lay(RED)
    table.show(Scene((RED, replace(HELD, x=100)), 60), 0.2)
    table.show(Scene((RED, HELD), int(HELD.x)), 1.0)
    table.show(Scene((RED, replace(HELD, face=other)), 100), 0.2)
    table.show(Scene((RED, replace(HELD, face=other))), 3.0)
    assert table.told(Touched) == ["red-7", *told]


@pytest.mark.long
def test_a_card_at_the_rim_in_the_place_that_another_held_there_left_is_a_play() -> None:
    table, low, held = Table(fps=15), card("green-reverse", -3.5, -8.1, 24.1), Lying("yellow-draw2", 172.9, 38.9, 98.8)
    laid = (low, Lying(held.face, 295.4, 147.3, 65.2), replace(held, face="blue-0"))
    table.lay(low)
    table.show(Scene((low, replace(held, x=100)), 60), 1 / 15)
    table.show(Scene((low, held), int(held.x)), 1.9)
    table.show(Scene(laid, 100), 1 / 15)
    table.show(Scene(laid), 3.0)
    *told, last = table.told(Touched)
    assert told == ["green-reverse", "yellow-draw2"]
    assert last in ("blue-0", "?")


@pytest.mark.parametrize(
    ("below", "told_then"), [(card("green-6", 10, 0, 85), ["?"]), (card("green-6", 0, 70, 85), [])]
)
def test_what_comes_to_light_when_the_top_card_is_pushed_is_a_doubt_if_it_was_never_told_and_else_no_play(
    below: Lying, told_then: list[str]
) -> None:
    table, top = Table(), card("red-7", 10, 0, 85)
    table._reader.doubtful = {"green-6"}
    table.lay(card("yellow-1", 20, 10, 10))
    table.show(Scene((card("yellow-1", 20, 10, 10), below, top), 240), 0.3)
    table.show(Scene((card("yellow-1", 20, 10, 10), below, top)), 1.5)
    told = table.told(Touched)
    pushed = card("red-7", 0, 62, 85)
    table.show(Scene((card("yellow-1", 20, 10, 10), below, pushed), 240), 0.3)
    table.show(Scene((card("yellow-1", 20, 10, 10), below, pushed)), 1.0)
    assert told == (["yellow-1", "red-7"] if told_then else ["yellow-1", "?", "red-7"])
    assert table.told(Touched) == told + told_then
    assert len(table.told(Pushed)) == 1


def test_two_cards_laid_at_once_are_reported_in_their_order() -> None:
    table = Table()
    under, over = card("yellow-8", -40), card("blue-3", 40)
    table.show(Scene((under, over), 240), 0.3)
    table.show(Scene((under, over)), 0.6)
    assert table.told(Touched) == ["yellow-8", "blue-3"]


def test_a_card_at_the_rim_is_no_play_and_forgotten_when_it_is_taken_away() -> None:
    table = Table()
    low = Lying("green-4", 150, SIZE[1] + 6, 90)
    table.lay(RED)
    table.show(Scene((RED, low), 150), 0.3)
    table.show(Scene((RED, low)), 0.6)
    table.show(Scene((RED,)), 1.0)
    table.lay(RED, BLUE)
    assert table.told(Touched) == ["red-7", "blue-2"]
    assert len(table.events) == 2


@pytest.mark.parametrize("left", [(), (GREEN,)], ids=["all-of-it", "all-but-the-top-card"])
def test_a_pile_that_is_taken_away_is_reported(left: tuple[Lying, ...]) -> None:
    table = Table()
    table.lay(card("red-7", -60))
    table.lay(card("red-7", -60), GREEN)
    table.show(Scene(left, 240), 0.3)
    table.show(Scene(left), 0.8)
    assert [event.left for event in table.events if isinstance(event, TakenAway)] == [left[0].face if left else None]
    table.lay(*left, BLUE)
    assert table.told(Touched) == ["red-7", "green-skip", "blue-2"]


def test_what_cannot_be_read_is_reported_after_a_while_with_candidates_and_recognized_when_pushed() -> None:
    table = Table()
    table._reader.doubtful = {"red-7"}
    table.lay(RED)
    table.show(Scene((RED,)), PATIENCE_S - 1.5)
    assert table.events == []
    table.show(Scene((RED,)), 2.5)
    (event,) = table.events
    assert isinstance(event, Touched)
    assert (event.face, event.candidates) == ("?", (("red-6", 0.5),))
    table._reader.doubtful = set()
    pushed = card("red-7", 20, 5, 4)
    table.show(Scene((pushed,), 240), 0.3)
    table.show(Scene((pushed,)), 1.0)
    assert table.told(Recognized) == ["red-7"]


@pytest.mark.long
def test_a_card_whose_corner_was_seen_before_is_no_play_where_the_one_laid_over_it_is_not_found() -> None:
    table = Table()
    low, top, new = card("red-7"), card("blue-2", 20, 14, 55), card("green-skip", 14, 44, 100)
    table.lay(low)
    table.lay(low, top)
    read = table._reader.read

    def read_by_its_corner(bgr: Image, /, faces: Collection[str] | None = None, **how: Any) -> Reading:
        if new not in table._reader.scene.cards:
            return read(bgr, faces, **how)
        a, b, c, d = ((float(x), float(y)) for x, y in card("red-7", 8, 7, 4).quad())
        return Reading((bgr.shape[1], bgr.shape[0]), (Sighting("red-7", 0.98, (a, b, c, d)),))

    table._reader.read = read_by_its_corner  # type: ignore[method-assign]
    table.lay(low, top, new)
    table.show(Scene((low, top, new)), PATIENCE_S)
    assert table.told(Touched) == ["red-7", "blue-2"]
    assert table.told(Lifted) == []
    assert table.tracker.unread_since is not None, "people are asked"


def test_a_top_card_that_is_pushed_and_read_otherwise_is_no_play_but_a_doubt() -> None:
    table = Table()
    table._reader.mistaken = {"red-7": "red-1"}
    table.lay(BLUE)
    table.lay(BLUE, RED)
    table._reader.mistaken = {}
    pushed = card("red-7", 50, 5, 12)
    table.show(Scene((BLUE, pushed), 240), 0.3)
    table.show(Scene((BLUE, pushed)), 0.6)
    assert table.told(Touched) == ["blue-2", "red-1"]
    assert [event.candidates for event in table.events if isinstance(event, Doubted)] == [("red-7", "red-1")]
    assert len(table.events) == 3


@pytest.mark.long
@pytest.mark.parametrize("below", [(), (BLUE, GREEN)], ids=["on-the-table", "on-other-cards"])
def test_a_card_laid_almost_exactly_on_its_twin_is_a_play_where_the_edge_of_that_one_is_still_seen(
    below: tuple[Lying, ...],
) -> None:
    table = Table()
    top, twin = card("red-7", -20, 14, 80), card("red-7", -7, 2, 82)
    for n in range(len(below)):
        table.lay(*below[: n + 1])
    table.lay(*below, top)
    table.lay(*below, top, twin)
    assert [event.face for event in table.events if isinstance(event, Touched)][-2:] == ["red-7", "red-7"]


@pytest.mark.parametrize("below", [(), (BLUE, GREEN)], ids=["on-the-table", "on-other-cards"])
def test_a_card_that_is_pushed_a_little_is_no_play(below: tuple[Lying, ...]) -> None:
    table = Table()
    top, pushed = card("red-7", -20, 14, 80), card("red-7", -7, 2, 82)
    for n in range(len(below)):
        table.lay(*below[: n + 1])
    table.lay(*below, top)
    table.show(Scene((*below, pushed), 240), 0.3)
    table.show(Scene((*below, pushed)), 1.0)
    assert table.told(Touched)[len(below) :] == ["red-7"]
    assert len(table.told(Pushed)) == 1


@pytest.mark.parametrize(("face", "other"), [("blue-8", "blue-0"), ("green-6", "green-9")])
def test_a_card_laid_almost_exactly_on_one_that_looks_like_it_is_a_play(face: str, other: str) -> None:
    table = Table()
    below, top, new = (
        replace(one, style="white-circle") for one in (RED, card(face, 12, -9, 25), card(other, 14, -5, 23))
    )
    table.lay(below)
    table.lay(below, top)
    table.lay(below, top, new)
    assert [event.face for event in table.events if isinstance(event, Touched)][-2:] == [face, other]
    assert table.told(Doubted) == []


def test_what_the_top_card_covered_is_no_play_when_that_is_lifted_whatever_it_is_taken_for() -> None:
    table = Table()
    five, eight, one = card("green-5", 12, -9, 40), card("green-8", 0, 0, 5), card("red-1", 4, 6, 80)
    table.lay(five)
    table.lay(five, eight)
    table.lay(five, eight, one)
    table._reader.least, table._reader.mistaken = 0.1, {"green-5": "green-2"}
    table.show(Scene((five, eight), 240), 0.3)
    table.show(Scene((five, eight)), 0.6)
    assert table.told(Touched) == ["green-5", "green-8", "red-1"]
    assert table.told(Lifted) == ["red-1"]


@pytest.mark.long
@pytest.mark.parametrize(("low_x", "top_x"), [(-40, -24), (-44, -26)])
def test_a_card_that_is_lifted_is_no_play_of_those_below_that_are_seen_again(low_x: int, top_x: int) -> None:
    table = Table()
    low, below, top = card("blue-0", low_x), card("yellow-skip"), card("blue-8", top_x)
    table.lay(low)
    table.lay(low, below)
    table.lay(low, below, top)
    table._reader.least = 0.1
    table.show(Scene((low, below), 240), 0.3)
    table.show(Scene((low, below)), 0.6)
    assert table.told(Touched) == ["blue-0", "yellow-skip", "blue-8"]
    assert table.told(Lifted) == ["blue-8"]


@pytest.mark.long
@pytest.mark.parametrize(("laid", "is_read"), [("green-8", True), ("blue-9", False)])
def test_a_card_laid_over_the_top_one_where_another_lies_below_is_a_play_and_no_lift(laid: str, is_read: bool) -> None:
    table = Table()
    low, below, top = card("yellow-3", 2, -2, 11), card("green-8", 0, 0, 10), card("green-6", 9, 12, 35)
    new = replace(low, face=laid)
    table.lay(low)
    table.lay(low, below)
    table.lay(low, below, top)
    table._reader.doubtful = set() if is_read else {laid}
    table.lay(low, below, top, new)
    table.show(Scene((low, below, top, new)), PATIENCE_S)
    assert table.told(Touched) == ["yellow-3", "green-8", "green-6", laid if is_read else "?"]
    assert table.told(Lifted) == []


@pytest.mark.parametrize("light", [0.35, 0.7, 1.3])
def test_another_light_is_no_play_and_hides_none(light: float) -> None:
    table = Table()
    table.lay(RED)
    table.show(Scene((RED,), light=light), 1.0)
    assert table.told(Touched) == ["red-7"]
    table.show(Scene((RED, BLUE), 240, light=light), 0.3)
    table.show(Scene((RED, BLUE), light=light), 1.0)
    assert table.told(Touched) == ["red-7", "blue-2"]


@pytest.mark.long
@pytest.mark.parametrize(
    "light_at", some([pytest.param(in_glare, id="glare"), pytest.param(in_shadow, id="shadow")], 2)
)
def test_light_that_wanders_over_the_pile_is_no_play_whatever_is_read_in_it_and_hides_none(
    light_at: Callable[[float], Callable[[Image], Image]],
) -> None:
    table = Table()
    cards = (card("yellow-1", -110), card("red-7", 0, 0, 45), card("blue-2", 40, 0, 5))
    for number in range(3):
        table.lay(*cards[: number + 1])
    table._reader.least = 0.1
    for x in range(-60, 300, 3):
        table.show(Scene(cards, in_light=light_at(x)), 1 / FPS)
    assert table.told(Touched) == ["yellow-1", "red-7", "blue-2"]
    table.show(Scene((*cards, GREEN), 230, in_light=light_at(300)), 0.3)
    for x in range(300, 560, 3):
        table.show(Scene((*cards, GREEN), in_light=light_at(x)), 1 / FPS)
    assert table.told(Touched) == ["yellow-1", "red-7", "blue-2", "green-skip"]
    assert len(table.events) == 4


def test_a_lamp_of_another_color_is_no_play_on_a_dark_cloth_and_hides_none() -> None:
    table = Table(ground="black")
    for cards in ((RED,), (RED, BLUE)):
        table.show(Scene(cards, 230, ground="black"), 0.3)
        table.show(Scene(cards, ground="black"), 1.0)
    table.show(Scene((RED, BLUE), in_light=in_lamp, ground="black"), 2.0)
    table.show(Scene((RED, BLUE, GREEN), 230, in_light=in_lamp, ground="black"), 0.3)
    table.show(Scene((RED, BLUE, GREEN), in_light=in_lamp, ground="black"), 1.0)
    table.show(Scene((RED, BLUE, GREEN), ground="black"), 1.0)
    assert table.told(Touched) == ["red-7", "blue-2", "green-skip"]
    assert len(table.events) == 3
    assert table.tracker.unsettled_since is None


def moved_edges(
    in_light: Callable[[Image], Image], ground: str | Image, new: Lying, *lower: Lying, card_px: float = CARD_PX
) -> tuple[bool, bool]:
    """Whether edges have moved where a card is laid, and where none is, after the light has changed to this."""
    part = Part((0, 0, *SIZE), card_px)
    before, same, laid = (
        part.shrunk(image)
        for image in (
            picture(lower, ground, SIZE, 1),
            in_light(picture(lower, ground, SIZE, 2)),
            in_light(picture((*lower, new), ground, SIZE, 3)),
        )
    )
    a, b, c, d = ((float(x), float(y)) for x, y in new.quad())
    place = part.inside((a, b, c, d))
    return Edges.of(laid, before).have_moved(place), Edges.of(same, before).have_moved(place)


@pytest.mark.parametrize("face", ["blue-skip", "blue-1"])
def test_edges_of_a_new_card_are_seen_under_a_lamp_of_another_color(face: str) -> None:
    gray = np.full((SIZE[1], SIZE[0], 3), 190, np.uint8)
    assert moved_edges(in_lamp, gray, card(face, -12, 9, 80), card("green-1", 10, -20, 12)) == (True, False)


def in_weak_light(image: Image) -> Image:
    noise = np.random.default_rng(99).normal(0, 3.0, image.shape)
    return np.asarray(np.clip(image * 0.13 + noise, 0, 255), np.uint8)


@pytest.mark.parametrize("ground", ["wood", "green cloth", "black"])
def test_edges_that_a_weak_light_hides_do_not_speak_against_a_new_card(ground: str) -> None:
    lower = card("blue-0", 40, -60, 80), card("blue-draw2", 10, -20, -30)
    new, fine = card("yellow-6", 12, 9, -12), CARD_PX / 3
    have_moved, _ = moved_edges(in_weak_light, ground, new, *lower, card_px=fine)
    assert have_moved


def test_nothing_is_read_while_nothing_happens() -> None:
    table = Table()
    table.lay(RED)
    reads = table._reader.reads
    table.show(Scene((RED,)), 3.0)
    assert table._reader.reads == reads


THINGS: tuple[Lying, ...] = (Lying("red-7", 120, 120), Lying("blue-2", 350, 220, 30))
FROZEN: Image = Scene(THINGS).drawn(1)
FAULTS: dict[str, Callable[[Image, int], Image]] = {
    "dark": lambda image, number: (image * 0.02).astype(np.uint8),
    "blurred": lambda image, number: np.asarray(cv2.GaussianBlur(image, (0, 0), 12), np.uint8),
    "covered": lambda image, number: np.full_like(image, (40 + number % 2, 50, 90)),
    "frozen": lambda image, number: FROZEN,
    "moved": lambda image, number: np.roll(image, (40, 60), axis=(0, 1)),
}


@pytest.mark.parametrize("kind", some([*FAULTS, "no-picture"], 3))
def test_a_camera_that_fails_is_reported_within_two_seconds_and_heals_by_itself(kind: str) -> None:
    tracker = PileTracker((0, 0, *SIZE), CARD_PX, TruthReader())
    told: list[tuple[float, Event]] = []
    for number in range(10 * FPS):
        t, is_wrong = number / FPS, 4 <= number / FPS < 7
        image = Scene(THINGS).drawn(number)
        if is_wrong and kind == "no-picture":
            events = tracker.missing(t)
        else:
            events = tracker.push(t, FAULTS[kind](image, number) if is_wrong else image)
        told += [(t, event) for event in events]
    (failed_t, failed), (well_t, well) = told
    assert isinstance(failed, CameraFailed)
    assert failed.kind == kind
    assert 4 <= failed_t <= 6
    assert isinstance(well, CameraWell)
    assert 7 <= well_t <= 9


def moved_by(dx: float, dy: float, cards: Iterable[Lying]) -> tuple[Lying, ...]:
    return tuple(replace(card, x=card.x + dx, y=card.y + dy) for card in cards)


@pytest.mark.long
@pytest.mark.parametrize("moved", [(45.0, 30.0), (-40.0, 35.0)])
def test_a_camera_that_was_moved_and_stays_so_sees_the_same_pile_and_what_is_laid_then(
    moved: tuple[float, float],
) -> None:
    reader = TruthReader()
    left, top = 400, 150
    tracker = PileTracker((left, top, 800, 570), CARD_PX, reader)
    around = (Lying("back", 250, 350), Lying("back", 1050, 350, 10), Lying("back", 250, 120, 90))
    red, blue, green = moved_by(360, 180, (RED, BLUE, GREEN))
    told: list[Event] = []
    number = 0

    def show(seconds: float, shift: tuple[float, float], *pile: Lying) -> None:
        nonlocal number
        seen = moved_by(*shift, pile)
        reader.scene = Scene(moved_by(-left, -top, seen))
        images = [picture((*moved_by(*shift, around), *seen), "green cloth", (1280, 720), grain) for grain in range(4)]
        for _ in range(round(seconds * 15)):
            number += 1
            told.extend(tracker.push(number / 15, images[number % 4]))

    for n, pile in enumerate([(), (red,), (red, blue)]):
        show(2.0, (0, 0), *pile)
        assert len(told) == n
    show(4.0, moved, red, blue)
    assert tracker.trouble == "moved"
    tracker.accept_view()
    show(2.0, moved, red, blue)
    assert tracker.trouble is None
    assert tracker.unsettled_since is None
    show(2.0, moved, red, blue, green)
    laid = [event.face for event in told if isinstance(event, Touched)]
    assert laid == ["red-7", "blue-2", "green-skip"]
    assert [type(event) for event in told[2:4]] == [CameraFailed, CameraWell]
    assert len(told) == 5


@pytest.mark.long
def test_nothing_is_taken_away_by_a_shutter_before_the_lens() -> None:
    table = Table()
    table.lay(card("red-7", -60))
    table.lay(card("red-7", -60), GREEN)
    table.show(Scene((card("red-7", -60), GREEN)), 2.0)
    told = len(table.events)
    table._reader.scene = Scene()
    for _ in range(3 * FPS):
        table.t += 1 / FPS
        table.events += table.tracker.push(table.t, np.full((SIZE[1], SIZE[0], 3), 60, np.uint8))
    (failed,) = table.events[told:]
    assert isinstance(failed, CameraFailed)


def test_a_card_laid_while_the_camera_saw_nothing_is_reported_as_unsure_in_time_as_it_is() -> None:
    table = Table()
    table.lay(RED)
    began = table.t
    for number in range(3 * FPS):
        table.t += 1 / FPS
        table.events += table.tracker.push(table.t, np.full((SIZE[1], SIZE[0], 3), number % 2, np.uint8))
    table.show(Scene((RED, BLUE)), 1.5)
    told = [event for event in table.events if isinstance(event, Touched)]
    assert [event.face for event in told] == ["red-7", "blue-2"]
    assert told[1].t - told[1].u <= began + 1 / FPS
    assert told[1].t + told[1].u >= began + 3


def test_what_is_open_holds_back_what_happened_later() -> None:
    table = Table()
    table.lay(RED)
    assert table.tracker.unsettled_since is None
    before = table.t
    table.show(Scene((RED,), 240), 0.3)
    assert table.tracker.unsettled_since == pytest.approx(before, abs=2 / FPS)


@pytest.mark.long
def test_memory_does_not_grow_while_a_hand_rests() -> None:
    table = Table()
    for _ in range(12):
        table.show(Scene((RED,), 200), 1.0)
    assert len(table.tracker._frames) <= 151


def test_blocks_that_are_only_lighter_or_darker_do_not_differ_and_moved_edges_do() -> None:
    part = Part((0, 0, *SIZE), CARD_PX)
    image = picture([RED], "wood", SIZE)
    same = part.shrunk(image)
    assert differs(part.shrunk((image * 0.6).astype(np.uint8)), same).mean() < 0.01
    shifted = differs(part.shrunk(np.roll(image, 2, axis=1)), same)
    outline: Corners = tuple((float(x), float(y)) for x, y in RED.quad())  # type: ignore[assignment]
    edge = part.inside(outline, 4) & ~part.inside(outline, -4)
    assert shifted[edge].mean() > 0.4


def test_only_what_hangs_together_with_the_rim_may_be_an_arm() -> None:
    mask = np.zeros((20, 20), np.bool_)
    mask[5, :8] = True
    mask[12:15, 10:14] = True
    arm = joined_to_rim(mask)
    assert arm[5, 7]
    assert not arm[13, 12]


def test_the_same_place_begins_at_either_end() -> None:
    a, b, c, d = ((float(x), float(y)) for x, y in RED.quad())
    assert is_same_place((a, b, c, d), (c, d, a, b))
    assert not is_same_place((a, b, c, d), (b, c, d, a))


def test_a_zone_is_read_only_when_it_lies_still_and_is_not_empty() -> None:
    reader = TruthReader()
    zone = Zone((0, 0, *SIZE), CARD_PX, reader)
    looks = []
    for number, cards in enumerate([(), (), (RED,), (RED,), (RED, BLUE), (RED, BLUE), (), ()]):
        reader.scene = Scene(cards)
        looks.append(zone.look(float(number), reader.scene.drawn(number)))
    assert [(look.is_moving, look.is_changed, len(look.cards)) for look in looks] == [
        (False, False, 0), (False, False, 0), (True, False, 0), (False, True, 1), (True, False, 0), (False, True, 1),
        (False, False, 0), (False, False, 0),
    ]  # fmt: skip
    assert reader.reads == 3, "once to see that the first frame is empty"


def test_cards_that_lie_in_the_zone_from_the_first_frame_on_do_not_belong_to_it() -> None:
    reader = TruthReader()
    zone = Zone((0, 0, *SIZE), CARD_PX, reader)
    looks = []
    for number, cards in enumerate([(RED,), (RED,), (), (), ()]):
        reader.scene = Scene(cards)
        looks.append(zone.look(float(number), reader.scene.drawn(number)))
    assert [(look.is_changed, look.is_unchanged) for look in looks] == [
        (True, False), (True, False), (False, False), (False, True), (False, True),
    ]  # fmt: skip


def test_what_was_read_is_drawn_as_long_as_it_lies_there() -> None:
    reader = TruthReader()
    zone = Zone((0, 0, *SIZE), CARD_PX, reader)
    empty, lying = Scene(), Scene((RED,))
    zone.look(0.0, empty.drawn(0))
    assert zone.reading_in(empty.drawn(0)) is None
    reader.scene = lying
    for t in (1.0, 2.0):
        zone.look(t, lying.drawn(int(t)))
    shown = zone.reading_in(lying.drawn(3))
    assert shown is not None
    assert [card.face for card in shown.cards] == [RED.face]
    assert zone.reading_in(empty.drawn(4)) is None, "the cards were taken up, and nobody looked since"


@pytest.mark.parametrize("scale", [1.0, 1.4], ids=["right-size", "another-size"])
def test_cards_of_another_size_than_the_camera_shows_are_no_cards(scale: float) -> None:
    reader = TruthReader()
    zone = Zone((0, 0, *SIZE), CARD_PX * scale, reader)
    zone.look(0.0, Scene().drawn(0))
    reader.scene = Scene((RED,))
    looks = [zone.look(t, reader.scene.drawn(int(t))) for t in (1.0, 2.0)]
    assert len(looks[1].cards) == (scale == 1.0)


@pytest.mark.parametrize("is_certain", [True, False])
def test_an_outline_that_took_in_too_much_is_made_as_long_as_a_card_if_the_face_is_certain(is_certain: bool) -> None:
    reader = TruthReader()
    reader.doubtful = set() if is_certain else {RED.face}
    zone = Zone((0, 0, *SIZE), CARD_PX / 1.25, reader)
    zone.look(0.0, Scene().drawn(0))
    reader.scene = Scene((RED,))
    looks = [zone.look(t, reader.scene.drawn(int(t))) for t in (1.0, 2.0)]
    assert [card.face for card in looks[1].cards] == ([RED.face] if is_certain else [])
    for card in looks[1].cards:
        assert length_px(card.corners_px) == pytest.approx(CARD_PX / 1.25, rel=0.01)


@pytest.mark.long
def test_real_rate_video_with_the_real_reader() -> None:
    score = watch(2, 6, reader=Reader(), troubles=False)
    assert score.remarks == []
    assert score.reported == score.plays == score.right == score.in_time


SESSIONS = range(100, 110)
"""Ten times fifty plays."""


def test_the_sessions_have_in_them_all_that_people_lamps_and_cameras_do() -> None:
    acts: Counter[str] = Counter()
    spells: Counter[str] = Counter()
    for seed in SESSIONS:
        scenario = video.TrackingScenario(
            SimTable(4, np.random.default_rng(seed), ()), np.random.default_rng(seed + 1), 50
        )
        scenario.table.run_to(scenario.end)
        acts.update(scenario.acts)
        spells.update(spell.kind for spell in scenario.spells)
        assert len(scenario.touches) >= 50
        assert scenario.recycled
    assert acts.keys() == video.ACTS.keys()
    assert spells.keys() == {*video.LIGHTS, *video.FAULTS}
    assert min((acts | spells).values()) >= 5


MOST_MISSED, MOST_INVENTED, MOST_MISREAD = 1.0, 0.6, 1.4
"""Of some 52 plays of a session."""


@pytest.mark.long(minutes=2)
def test_fifty_plays_with_hands_bad_light_and_camera_faults() -> None:
    """The goal is that every play is reported once, none invented, each card read right.

    The tracker does not reach it yet: several sessions have a play that is missed, invented or misread, most of them in
    bad light while a hand is over the pile. So this is a measurement with a floor, below what eight of the sessions
    showed: 3 of 415 plays missed, 2 invented, 5 not read right. Every remark is printed. Recycled piles and failing
    cameras have no such tolerance. `make test-long` watches one session, `make nightly`
    four, and all ten with CROUPIER_LONG=2.5.
    """
    total, sessions = Score(), SESSIONS[: many(4)]
    for seed in sessions:
        print(f"session {seed}: {(score := watch(seed, 50))}", *score.remarks, sep="\n")
        total.add(score)
    print(total)
    assert total.plays >= 50 * len(sessions)
    assert total.lost <= MOST_MISSED * len(sessions)
    assert total.invented <= MOST_INVENTED * len(sessions)
    assert total.plays - total.right <= MOST_MISREAD * len(sessions)
    assert total.recycled_found == total.recycled
    assert max(total.fault_s) < LIMIT_FAULT_S


def test_the_rest_of_a_card_under_the_next_one_that_is_misread_is_no_card() -> None:
    table = Table()
    table.lay(RED)
    table._reader.least, table._reader.mistaken = 0.1, {"red-7": "red-2"}
    table.lay(RED, card("blue-2", -46, -9))
    table.lay(RED, card("blue-2", -46, -9), card("red-1", -40, 4, 150))
    assert table.told(Touched) == ["red-7", "blue-2", "red-1"]
