"""A table's camera that is set up wrongly is recognized while the table is watched, by what it shows."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardsight import model
from cardsight.camera_check import CameraMonitor
from cardsight.errors import NoFrame
from cardsight.geometry import Image
from cardsight.reader import Reader
from cardsight.sighting import CameraFault, Reading, Sighting
from cardsight.sources import Frame
from croupier.alarms import problem_text
from croupier.errors import ModelNotFound
from croupier.runtime.camera import Readers, TableWatch
from croupier.runtime.camera_check import BLIND_S, CameraCheck, ColorsPutRight, colors_put_right
from croupier.runtime.inbox import Inbox
from croupier.runtime.table import Table
from croupier.runtime.table_camera import Zones
from croupier_rules.cards import LEARNED as FACES
from croupier_sim.camera import SimCamera
from croupier_sim.drawing import STYLES, Lamp
from croupier_sim.table import PILE_MM, PILE_ZONE_MM, SHOW_ZONE_MM, Pose, SimTable
from croupier_sim.table import Lying as OnTable
from tests.runtime.live import TWO, Running

pytestmark = pytest.mark.slow

FRAME_S = 0.1


class AtOnce(Executor):
    """Another thread that is always free."""

    def submit(self, work: Callable[..., Any], /, *args: Any, **more: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(work(*args, **more))
        return future


@cache
def camera_model() -> model.Model:
    return model.load()


class Watched:
    """A simulated table, its camera whose pictures are ``changed``, and what watches it."""

    trouble = ""
    invitation, is_wanted = None, True

    def __init__(self, changed: Callable[[Image], Image], *, cards: tuple[str, ...] = ()) -> None:
        rng = np.random.default_rng(5)
        self._changed, self._cards = changed, cards
        self.table = SimTable(2, rng, ())
        self.camera = SimCamera(self.table, style=STYLES["modern"], ground="cloth", lamp=Lamp(), rng=rng)
        self.reader = Reader(camera_model())
        (pile, pile_px), (show, show_px) = (
            (self.camera.zone_px(zone), self.camera.card_px(zone)) for zone in (PILE_ZONE_MM, SHOW_ZONE_MM)
        )
        self.zones = Zones(pile=pile, show=show, pile_card_px=pile_px, show_card_px=show_px)
        self.watch = self._new_watch(self)
        self._inbox = Inbox()

    def _new_watch(self, camera: Any) -> TableWatch:
        check = partial(CameraCheck, make_parts=lambda: (self.reader, CameraMonitor(camera_model())), executor=AtOnce())
        return TableWatch(
            camera, self.zones, Readers(self.reader, self.reader, lambda: self.reader, None, check), FACES
        )

    def start(self) -> None:
        """Do nothing."""

    close = start

    def now(self) -> float:
        return self.table.now

    def frame(self) -> Frame:
        return Frame(self.now(), np.ascontiguousarray(self._changed(self.camera.frame().image)))

    def run(self, seconds: float) -> CameraFault | None:
        """Let time pass; returns what is wrong with the camera then."""
        for _ in range(round(seconds / FRAME_S)):
            self.table.run_to(self.table.now + FRAME_S)
            self.watch.poll(self._inbox)
            self.watch.check_camera(is_playing=True)
        return self.watch.camera_fault

    def play(self, *faces: str) -> CameraFault | None:
        """Let cards be laid on the pile."""
        for face in faces:
            self.table.hands[1].append(face)
            self.table.lay(1, face)
            self.run(3.0)
        return self.watch.camera_fault

    def find_pile_where_it_is_seen(self) -> None:
        """Calibrate by the pictures as they are."""
        mirrored = self.camera.frame().image.shape[1]
        (left, top, right, bottom), show = self.zones.pile, self.zones.show
        self.zones = replace(
            self.zones, pile=(mirrored - right, top, mirrored - left, bottom),
            show=(mirrored - show[2], show[1], mirrored - show[0], show[3]),
        )  # fmt: skip
        self.watch = self._new_watch(self)


PLAYED = ("red-5", "red-2", "yellow-2", "blue-2", "green-2")


@pytest.mark.long
def test_a_good_camera_stays_without_a_fault() -> None:
    assert Watched(lambda image: image).play(*PLAYED, "wild", "blue-skip") is None


@pytest.mark.long
def test_a_camera_with_red_and_blue_exchanged_is_told_after_cards_of_two_colors() -> None:
    table = Watched(lambda image: image[..., ::-1])
    assert table.play("red-5") is None, "one color may be the lamp"
    assert table.play("yellow-5", "blue-5") == "colors-exchanged"
    right = colors_put_right(table)
    assert right.frame().image.mean((0, 1)) == pytest.approx(table.camera.frame().image.mean((0, 1)), abs=1)
    assert colors_put_right(right) is table


@pytest.mark.long
def test_a_mirrored_camera_is_told_though_no_card_may_be_found_in_its_pictures() -> None:
    table = Watched(lambda image: image[:, ::-1])
    table.find_pile_where_it_is_seen()
    assert table.play("red-5", "red-2", "yellow-2", "blue-2", "blue-7", "green-7") == "mirrored"


@pytest.mark.long
@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        pytest.param(lambda image: image[::-1, ::-1], "upside-down", id="upside-down"),
        pytest.param(lambda image: np.full_like(image, 90), "no-cards", id="another camera, which shows a wall"),
    ],
)
def test_a_camera_that_does_not_see_the_pile_is_told(changed: Callable[[Image], Image], fault: CameraFault) -> None:
    table = Watched(changed)
    table.table.discard.append(OnTable("red-5", Pose(*PILE_MM, 20)))
    assert table.run(BLIND_S - 0.5) is None
    assert table.run(2 * BLIND_S) == fault


class Asked(AtOnce):
    """Counts the jobs."""

    def __init__(self) -> None:
        self.jobs: list[str] = []

    def submit(self, work: Callable[..., Any], /, *args: Any, **more: Any) -> Future[Any]:
        self.jobs.append(work.__name__)
        return super().submit(work, *args, **more)


ZONES = Zones((40, 40, 60, 60), (0, 0, 40, 40), 20.0, 20.0)
IMAGE = np.zeros((100, 100, 3), np.uint8)


def lying(face: str, x: float = 45) -> Sighting:
    return Sighting(face, 0.99, ((x, 45), (x + 12, 45), (x + 12, 65), (x, 65)))


def test_each_card_is_judged_once_and_whole_pictures_are_read_only_without_one() -> None:
    asked = Asked()

    def none() -> Any:
        raise ModelNotFound("no model")

    check = CameraCheck(ZONES, none, asked)
    for n in range(100):
        check.push(n / 10, IMAGE, [lying("red-7")] if n < 50 else [lying("blue-7")], awaits_card=False)
    assert asked.jobs == ["_by_cards", "_by_cards"]
    for n in range(100, 300):
        check.push(n / 10, IMAGE, [], awaits_card=True)
    assert asked.jobs[2:] == ["_by_picture"] * 3
    assert check.fault is None, "without a model nothing is told"


class Given(CameraCheck):
    """A check with this result."""

    fault: Any = None

    def push(self, *_: Any, **__: Any) -> None:
        """Check nothing."""


class Empty:
    """Reads no card."""

    def read(self, bgr: Image, /, *_: Any, **__: Any) -> Reading:
        return Reading((bgr.shape[1], bgr.shape[0]), ())


class Blank:
    """A camera that shows one picture."""

    trouble = ""
    invitation, is_wanted = None, True

    def __init__(self) -> None:
        self.image = np.zeros((100, 100, 3), np.uint8)
        self.image[..., 2] = 200

    def start(self) -> None:
        """Do nothing."""

    close = start

    def now(self) -> float:
        return 0.0

    def frame(self) -> Frame:
        if self.image is None:
            raise NoFrame("none")
        return Frame(0.0, self.image)


def test_exchanged_colors_are_put_right_at_the_running_table_and_told(tmp_path: Path) -> None:
    running = Running(tmp_path / "croupier.journal", TWO)
    table: Table = running.table
    checks: list[Given] = []

    def check(zones: Zones) -> CameraCheck:
        checks.append(Given(zones, lambda: None, AtOnce()))  # type: ignore[arg-type, return-value]
        return checks[-1]

    reader = Empty()
    table.use_camera(Blank(), ZONES, Readers(reader, reader, lambda: reader, None, check))
    table.turn()
    checks[-1].fault = "mirrored"
    table.turn()
    assert running.alarms[-1] == ("camera", "mirrored")
    assert "Turn off the mirror image" in problem_text("camera", "mirrored")
    checks[-1].fault = "colors-exchanged"
    table.turn()
    assert running.alarms[-1] == ("camera", "put-right")
    assert isinstance(table.devices.camera, ColorsPutRight)
    assert table.devices.camera.frame().image[0, 0].tolist() == [200, 0, 0]
    checks[-1].fault = "colors-exchanged"  # somebody has set the camera right
    table.turn()
    assert isinstance(table.devices.camera, Blank)
    table.turn()
    assert running.alarms[-1] == ("camera", "")
