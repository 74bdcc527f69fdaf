"""The pile tracker in real homes: cameras that sway, cheap webcams, things on the pile, quick hands."""

from __future__ import annotations

import numpy as np
import pytest

from cardsight.reader import Reader
from cardsight.track.blocks import Part, differs
from cardsight.track.events import CameraFailed, CameraWell, Event, Touched
from cardsight.track.registration import Stabilizer
from cardsight.track.tracker import PileTracker
from cardsight.track.zone import Zone
from croupier_bench.hard_track import KINDS, shifted, watch_clip
from croupier_bench.lived_track import watch_quarter
from tests.longer import few, some
from tests.vision.laid import Image, Lying, picture
from tests.vision.test_track import BLUE, CARD_PX, FPS, RED, SIZE, Scene, Table, TruthReader, card

SWAY_HZ = 10.0


class SwayingTable:
    """Plays scenes to a tracker through a camera that sways by ``sway_px``."""

    def __init__(self, sway_px: float) -> None:
        self.sway_px = sway_px
        self._reader = TruthReader()
        self.tracker = PileTracker((0, 0, *SIZE), CARD_PX, self._reader)
        self.t = 0.0
        self.events: list[Event] = []

    def show(self, scene: Scene, seconds: float) -> None:
        self._reader.scene = scene
        for number in range(round(seconds * FPS)):
            self.t += 1 / FPS
            way = self.sway_px * np.sin(2 * np.pi * SWAY_HZ * self.t)
            self.events += self.tracker.push(self.t, shifted(scene.drawn(number), way, 0.6 * way))

    def lay(self, *cards: Lying) -> float:
        """Show the last card in a hand that comes and leaves; returns when it lies there."""
        *under, new = cards
        for x in np.linspace(-60, new.x, 6):
            self.show(Scene((*under, Lying(new.face, float(x), new.y, new.turn)), max(1, int(x))), 1 / FPS)
        touch = self.t
        self.show(Scene(cards, int(new.x)), 0.3)
        for x in (160, 80):
            self.show(Scene(cards, x), 1 / FPS)
        self.show(Scene(cards), 1.5)
        return touch


@pytest.mark.long
@pytest.mark.parametrize("sway_px", [1.0, 2.0])
def test_cards_laid_before_a_camera_that_sways_are_each_reported_in_time(sway_px: float) -> None:
    table = SwayingTable(sway_px)
    table.show(Scene((RED,)), 1.0)
    table.tracker.settle()
    touch = table.lay(RED, BLUE)
    second = table.lay(RED, BLUE, card("green-skip", -10, 8, 160))
    laid = [event for event in table.events if isinstance(event, Touched)]
    assert [event.face for event in laid] == ["blue-2", "green-skip"]
    assert len(table.events) == 2
    for event, then in zip(laid, (touch, second), strict=True):
        assert abs(event.t - then) <= event.u + 1 / FPS


def test_a_twin_laid_a_little_beside_the_top_card_is_not_taken_for_a_camera_that_moved() -> None:
    part = Part((0, 0, *SIZE), CARD_PX)
    stabilizer = Stabilizer(part)
    settled = part.shrunk(picture([BLUE], "wood", SIZE))
    for number in range(90):
        way = 1.0 * np.sin(2 * np.pi * SWAY_HZ * number / FPS)
        cards = [BLUE] if number < 60 else [BLUE, Lying(BLUE.face, BLUE.x + 8, BLUE.y + 7, BLUE.turn)]
        stabilizer.shrunk(number / FPS, shifted(picture(cards, "wood", SIZE, number % 4), way, 0.0), settled)
        if number < 60:
            stabilizer.confirm()
        else:
            assert np.hypot(*stabilizer.offset_px) < 5


def test_frames_of_a_steady_camera_are_compared_as_they_are() -> None:
    part = Part((0, 0, *SIZE), CARD_PX)
    stabilizer = Stabilizer(part)
    settled = part.shrunk(picture([RED], "wood", SIZE, 0))
    for number in range(60):
        image = picture([RED], "wood", SIZE, number % 4)
        assert (stabilizer.shrunk(number / FPS, image, settled).pixels == part.shrunk(image).pixels).all()
    assert not stabilizer.is_active


def test_a_frame_is_brought_back_by_fractions_of_a_pixel_also_under_a_card_that_is_new() -> None:
    part = Part((0, 0, *SIZE), CARD_PX)
    stabilizer = Stabilizer(part)
    settled = part.shrunk(picture([RED], "wood", SIZE))
    for number in range(90):
        way = 2.0 * np.sin(2 * np.pi * SWAY_HZ * number / FPS)
        cards = [RED] if number < 60 else [RED, BLUE]
        image: Image = shifted(picture(cards, "wood", SIZE, number % 4), way, -0.5 * way)
        small = stabilizer.shrunk(number / FPS, image, settled)
    assert stabilizer.offset_px == pytest.approx((way, -0.5 * way), abs=0.3)
    outline = tuple((float(x), float(y)) for x, y in BLUE.quad())
    elsewhere = ~part.inside(outline, 12)  # type: ignore[arg-type]
    assert differs(small, settled)[elsewhere].mean() < 0.01


@pytest.mark.long
def test_a_camera_that_shakes_is_reported_and_a_card_laid_meanwhile_with_the_whole_time_as_uncertainty() -> None:
    things = (Lying("red-7", 120, 120), Lying("back", 350, 220, 30))
    table = SwayingTable(0.0)
    table.show(Scene(things), 3.0)
    table.sway_px = 20.0
    table.show(Scene(things), 2.5)
    touch = table.t
    assert [event.kind for event in table.events if isinstance(event, CameraFailed)] == ["unsteady"]
    table.show(Scene((*things, BLUE)), 1.0)
    assert len(table.events) == 1
    table.sway_px = 0.0
    calm = table.t
    table.show(Scene((*things, BLUE)), 2.0)
    assert isinstance(table.events[1], CameraWell)
    (laid,) = [event for event in table.events if isinstance(event, Touched)]
    assert laid.face == "blue-2"
    assert laid.t - laid.u <= touch - 0.5
    assert laid.t + laid.u >= calm


@pytest.mark.parametrize("seed", some([4, 1, 8], 3))
def test_the_first_card_before_a_camera_that_jitters_is_told_with_the_time_since_it_was_first_read(seed: int) -> None:
    rng, fps = np.random.default_rng(seed), 12
    table, first = Table(fps=fps), card("green-1", 8, -6, 40)
    push = table.tracker.push
    table.tracker.push = lambda t, image: push(t, shifted(image, *rng.normal(0, 0.5, 2)))  # type: ignore[method-assign,misc,assignment]
    touch = table.lay(first)
    table.show(Scene((first,)), 1.5)
    (told,) = table.events
    assert isinstance(told, Touched)
    assert told.face == "green-1"
    assert abs(told.t - touch) <= told.u + 1 / fps


def test_a_card_covered_whole_before_the_hand_was_gone_is_reported_first() -> None:
    table = SwayingTable(0.0)
    table.show(Scene((RED,)), 1.0)
    table.tracker.settle()
    under, over = card("blue-2", 12, -9, 25), card("green-skip", 12, -9, 25)
    table.show(Scene((RED, under), 230), 0.4)
    for x in (-60, 20, 90, 150):
        table.show(Scene((RED, under, Lying(over.face, x, over.y, over.turn)), 230), 1 / FPS)
    table.show(Scene((RED, under, over), 230), 0.4)
    table.show(Scene((RED, under, over)), 1.0)
    laid = [event for event in table.events if isinstance(event, Touched)]
    assert [event.face for event in laid] == ["blue-2", "green-skip"]
    assert laid[0].t < laid[1].t


@pytest.mark.long
def test_a_card_that_was_only_shown_before_the_next_was_laid_is_no_play() -> None:
    table = SwayingTable(0.0)
    table.show(Scene((RED,)), 1.0)
    table.tracker.settle()
    table.show(Scene((RED, BLUE), 230), 0.4)
    for x in (180, 120, 60):
        table.show(Scene((RED, Lying(BLUE.face, x, BLUE.y, BLUE.turn)), x), 1 / FPS)
    table.lay(RED, card("green-skip", 12, -9, 25))
    assert [getattr(event, "face", event) for event in table.events] == ["green-skip"]


def test_a_card_covered_by_the_next_before_the_hand_was_gone_is_reported_first() -> None:
    table = SwayingTable(0.0)
    table.show(Scene((RED,)), 1.0)
    table.tracker.settle()
    under, over = card("blue-2", 12, -9, 25), card("green-skip", 30, 20, 100)
    table.show(Scene((RED, under), 230), 0.4)
    table.show(Scene((RED, under, over), 230), 0.4)
    table._reader.least = 0.95
    table.show(Scene((RED, under, over)), 1.0)
    laid = [event for event in table.events if isinstance(event, Touched)]
    assert [event.face for event in laid] == ["blue-2", "green-skip"]
    assert laid[0].t < laid[1].t


@pytest.mark.long
def test_a_hand_is_read_before_a_camera_that_sways() -> None:
    reader = TruthReader()
    zone = Zone((0, 0, *SIZE), CARD_PX, reader)
    looks = []
    for number in range(180):
        cards = () if number < 60 or number >= 120 else (card("red-7", -100), card("blue-2", 60))
        reader.scene = Scene(cards, ground="wood")
        way = 2.0 * np.sin(2 * np.pi * SWAY_HZ * number / FPS)
        looks.append(zone.look(number / FPS, shifted(reader.scene.drawn(number), way, 0.6 * way)))
    assert all(look.is_changed and len(look.cards) == 2 for look in looks[80:120])
    assert all(look.is_unchanged for look in looks[140:])


def test_a_card_laid_on_the_pile_while_the_camera_is_moved_is_reported_once_that_is_confirmed() -> None:
    things = (Lying("red-7", 120, 120), Lying("back", 350, 220, 30), Lying("back", 100, 300, 10))
    table = SwayingTable(0.0)
    table.show(Scene(()), 0.5)
    table.show(Scene(things), 3.0)
    moved = [Lying(one.face, one.x + 40, one.y + 25, one.turn) for one in things]
    laid = Lying("blue-2", moved[0].x + 15, moved[0].y + 8, 25)
    bumped = table.t
    table.show(Scene((*moved, laid)), 2.5)
    assert [event.kind for event in table.events if isinstance(event, CameraFailed)] == ["moved"]
    table.tracker.accept_view()
    table.show(Scene((*moved, laid)), 1.0)
    (touched,) = [event for event in table.events if isinstance(event, Touched) and event.t > 2.0]
    assert touched.face == "blue-2"
    assert touched.t - touched.u <= bumped <= touched.t + touched.u
    assert table.tracker.top is not None
    assert table.tracker.top.face == "blue-2"


def test_a_card_that_was_never_read_and_at_once_covered_is_asked_for() -> None:
    table = SwayingTable(0.0)
    table.show(Scene((RED,)), 1.0)
    table.tracker.settle()
    under, over = card("blue-2", 12, -9, 25), card("green-skip", 20, 6, 60)
    table._reader.doubtful.add(under.face)
    touch = table.t
    table.show(Scene((RED, under), 260), 0.3)
    for x in (-60, 20, 90, 150):
        table.show(Scene((RED, under, Lying(over.face, x, over.y, over.turn)), 260), 1 / FPS)
    table._reader.least = 0.95
    table.show(Scene((RED, under, over), 260), 0.3)
    table.show(Scene((RED, under, over)), 1.0)
    laid = [event for event in table.events if isinstance(event, Touched)]
    assert [event.face for event in laid] == ["?", "green-skip"]
    assert abs(laid[0].t - touch) <= laid[0].u + 1 / FPS


@pytest.mark.long
@pytest.mark.parametrize(("seed", "asked"), some([(7, 0), (26, 1), (101, 0), (113, 1)], 4))
def test_of_two_cards_laid_at_once_none_is_lost_without_a_word(seed: int, asked: int) -> None:
    score = watch_clip("two in 0.5 s", seed, Reader())
    assert (score.right, score.asked, score.invented) == (score.plays - asked, asked, 0)


@pytest.mark.long
@pytest.mark.parametrize("quarter", few([1, 2, 5, 47, 0, 3, 4], 4))
def test_a_minute_of_each_table_and_camera_has_no_false_fault_and_tells_each_card_in_its_time(quarter: int) -> None:
    score, lasts_s, _ = watch_quarter(quarter, 60.0)
    assert lasts_s >= 60.0 or quarter % 2
    assert (score.false_faults, score.invented, score.lost, score.wrong) == (0, 0, 0, 0)
    assert score.plays >= 3
    is_early = quarter == 4  # its first card comes before the jitter of the camera is known
    assert score.within_u == score.plays - is_early


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "seed"),
    some([
        *(("two in 0.5 s", 8), ("glass", 4), ("glass", 701), ("sway of 1 px", 15), ("shaken", 5)),
        *((kind, 1000) for kind in KINDS if not kind.startswith("bumped")),
        # Where a card covers one of only two things, the bump is not reported; no card is lost.
        *(("bumped", 1001), ("bumped, plain ground", 700)),
    ], 24),
)  # fmt: skip
def test_a_hard_clip_of_each_kind(kind: str, seed: int) -> None:
    score = watch_clip(kind, seed, Reader())
    assert score.remarks == []
    assert score.right == score.plays
    assert score.faults_found == score.faults
