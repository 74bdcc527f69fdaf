"""A table whose camera is calibrated on the page while the table runs: drawn frames, the real card reader."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from cardsight.calibrate import sheet, table
from cardsight.errors import NoFrame
from cardsight.geometry import Image
from cardsight.sources import Frame
from croupier.config import load, read
from croupier.runtime.camera_setup import CameraSetup
from croupier.runtime.host import FACTORIES
from croupier.runtime.page import TablePage
from croupier.table_api.live_table import CameraOrder, CameraRequest, CameraView, ClipRequest
from croupier_sim.camera import SimCamera
from croupier_sim.drawing import STYLES, Lamp
from croupier_sim.table import PILE_MM, Lying, Pose, SimTable
from tests.runtime.live import Running

pytestmark = pytest.mark.slow

FRAME_S = 0.1
TEXT = '[camera]\nsource = "usb:0"\n[seats]\nnames = ["Ann", "Ben"]\ndealer = 0\n'
LAID = (Lying("red-7", Pose(0, -100, 10)), Lying("blue-2", Pose(110, -90, 80)), Lying("green-skip", Pose(60, 60, 30)))
"""Three cards anywhere on the table."""


class Eye:
    """The camera above the simulated table; ``changed``: what happens to its pictures."""

    trouble = ""
    invitation, is_wanted = None, True
    is_over = False

    def __init__(self, camera: SimCamera, now: Callable[[], float]) -> None:
        self._camera, self.now = camera, now
        self.changed: Callable[[Image], Image] = lambda image: image
        self.is_closed = False

    def start(self) -> None: ...

    def frame(self) -> Frame:
        if self.is_closed:
            raise NoFrame("closed")
        return Frame(self.now(), self.changed(self._camera.frame().image))

    def close(self) -> None:
        self.is_closed = True


class Hosted(Running):
    """A table as `croupier host` starts it, and its page Camera."""

    def __init__(self, folder: Path) -> None:
        rng = np.random.default_rng(7)
        self.sim = SimTable(2, rng, ())
        self.camera = SimCamera(self.sim, style=STYLES["modern"], ground="cloth", lamp=Lamp(), rng=rng)
        self.eyes: list[Eye] = []
        self.file = folder / "croupier.toml"
        self.file.write_text(TEXT)

        def eye(config: Any, now: Any, *_: Any) -> Any:
            self.eyes.append(Eye(self.camera, now))
            return self.eyes[-1]

        super().__init__(folder / "croupier.journal", TEXT, replace(FACTORIES, camera=eye))
        self.setup = CameraSetup(self.file, read(TEXT), [("usb:0", "Webcam")], self.factories)
        self.view = TablePage(self.table, self.setup)
        self.wait(2 * FRAME_S)

    def wait(self, seconds: float) -> None:
        for _ in range(round(seconds / FRAME_S)):
            self.t = round(self.t + FRAME_S, 6)
            self.sim.run_to(self.sim.now + FRAME_S)
            self.table.turn()

    def spread(self, *cards: Lying) -> None:
        """Let these cards lie open, and no others."""
        self.sim.spread[:] = cards
        self.sim.version += 1
        self.wait(2 * FRAME_S)

    def order(self, **what: Any) -> CameraView:
        view = self.view.ask(CameraOrder(**what))
        assert view is not None
        self.wait(2 * FRAME_S)
        return view

    def place(self) -> tuple[float, float]:
        """Where people drag the pile to."""
        x, y = self.camera.to_px([PILE_MM])[0]
        return float(x), float(y)

    def calibrate(self) -> CameraView:
        """Three cards, one drag, and Save."""
        self.spread(*LAID)
        self.order()
        self.order(pile=self.place())
        view = self.order(saves=True)
        self.spread()
        return view

    def lay(self, face: str = "red-5", seat: int = 1, seconds: float = 3.0) -> None:
        self.sim.hands[seat].append(face)
        self.sim.lay(seat, face)
        self.wait(seconds)

    def begin(self) -> None:
        """The cards are dealt, and the first one is turned up."""
        self.go(0.5)
        self.lay("red-5", 0)

    @property
    def laid(self) -> list[str]:
        return [line["card"] for line in self.log if line["obs"] in ("upcard", "play")]


@pytest.fixture
def hosted(tmp_path: Path) -> Hosted:
    return Hosted(tmp_path)


def test_a_table_runs_before_it_is_calibrated_and_says_so(hosted: Hosted) -> None:
    assert hosted.alarms == [("camera", "uncalibrated")]
    assert hosted.view.ask(CameraRequest()) is not None
    view = hosted.order()
    assert view.notes == ("Lay three cards flat on the table, or the deck: their size gives the scale.",)
    assert (view.size, view.pile, view.seats, view.is_saved) == ((1280, 720), (), (), False)
    assert view.cameras == (("usb:0", "Webcam"), ("phone", "a phone’s browser"), ("none", ""))
    hosted.order(saves=True)  # there is nothing to save
    assert load(hosted.file).camera.calibration is None


@pytest.mark.long
def test_three_cards_one_drag_and_the_table_plays_by_it_without_a_restart(hosted: Hosted) -> None:
    hosted.spread(*LAID)
    view = hosted.order()
    assert sorted(name for name, _outline in view.cards) == ["blue 2", "green Skip", "red 7"]
    assert "The scale comes from 3 cards." in view.notes
    assert [name for name, _at in view.seats] == ["Ann", "Ben"]
    view = hosted.order(pile=hosted.place())
    assert not view.is_saved
    view = hosted.order(saves=True)
    assert view.is_saved
    found = table.load(hosted.file.parent / "table.toml")
    assert found.plane.to_px([found.pile])[0] == pytest.approx(hosted.place(), abs=0.5)
    truth = hosted.camera.to_px([(x + dx, y) for x, y in [PILE_MM] for dx in (-85, 85)])
    assert found.plane.to_px([(-85, 0), (85, 0)]) == pytest.approx(truth, abs=6), "the pile is of another size"
    hosted.spread()
    assert hosted.alarms[-1] == ("camera", "")
    hosted.begin()
    hosted.lay("red-7")
    assert hosted.laid == ["red-5", "red-7"]
    assert hosted.faults == []
    up_card, play = (line for line in hosted.log if line["obs"] in ("upcard", "play"))
    clip = hosted.view.ask(ClipRequest(play["t"], play["t"] + 0.5))
    assert clip is not None
    assert (clip.t, clip.u) == pytest.approx((play["t"], play["u"]), abs=1e-6)
    assert clip.frames[0][0] < clip.t < clip.frames[-1][0]
    assert hosted.view.ask(ClipRequest(play["t"] + 30.0, play["t"])) is None
    hosted.wait(2.0)
    hosted.table.run.watch.clear()
    assert hosted.view.ask(ClipRequest(up_card["t"], up_card["t"])) is None


@pytest.mark.long
def test_places_can_be_changed_in_mid_game_and_the_top_card_stays(hosted: Hosted) -> None:
    hosted.calibrate()
    hosted.begin()
    seats = ((640.0, 660.0), (640.0, 60.0))
    view = hosted.order(seats=seats)
    assert not view.is_saved
    assert np.array([at for _name, at in view.seats]) == pytest.approx(np.array(seats), abs=1)
    hosted.order(saves=True)
    hosted.lay("red-7")
    assert hosted.laid == ["red-5", "red-7"]
    assert hosted.position.top == "red-7"


def test_the_deck_alone_gives_the_scale_of_a_camera_that_looks_straight_down(hosted: Hosted) -> None:
    hosted.spread(LAID[0])
    view = hosted.order()
    assert any("from one place only" in note for note in view.notes)
    hosted.order(pile=hosted.place(), saves=True)
    hosted.spread()
    hosted.begin()
    assert hosted.laid == ["red-5"]


@pytest.mark.long
def test_the_printed_sheet_gives_the_scale_and_the_place_of_the_pile(hosted: Hosted) -> None:
    x, y = hosted.place()
    printed = sheet.as_picture(60)
    scale = 60 / 25.4
    corners = np.array([(0, 0), (printed.shape[1], 0), (printed.shape[1], printed.shape[0]), (0, printed.shape[0])])
    around = (corners / scale) - np.array(sheet.PAPER_MM) / 2 + PILE_MM
    way = cv2.getPerspectiveTransform(corners.astype(np.float32), hosted.camera.to_px(around).astype(np.float32))

    def with_sheet(image: Image) -> Image:
        laid = cv2.warpPerspective(printed, way, (1280, 720), dst=image.copy(), borderMode=cv2.BORDER_TRANSPARENT)
        return np.asarray(laid, np.uint8)

    hosted.eyes[0].changed = with_sheet
    hosted.wait(2 * FRAME_S)
    view = hosted.order()
    assert "The scale comes from the printed sheet." in view.notes
    assert np.mean(view.pile, axis=0) == pytest.approx((x, y), abs=3)


@pytest.mark.long
def test_a_card_on_the_pile_is_named_and_one_of_another_length_is_reported(hosted: Hosted) -> None:
    view = hosted.calibrate()
    assert view.notes[-1] == "On the pile: nothing. Lay a card there, and see whether it is read."
    hosted.spread(Lying("red-7", Pose(*PILE_MM, 0)))
    assert hosted.order().notes == ("On the pile: red 7.",)
    saved = (hosted.file.parent / "table.toml").read_text()
    doubled = table.load(hosted.file.parent / "table.toml")
    plane = replace(doubled.plane, homography=doubled.plane.homography @ np.diag([1.5, 1.5, 1.0]))
    (hosted.file.parent / "table.toml").write_text(replace(doubled, plane=plane).to_toml())
    hosted.setup = CameraSetup(hosted.file, load(hosted.file), (), hosted.factories)
    hosted.view = TablePage(hosted.table, hosted.setup)
    assert any("This card is 67 % as long as expected" in note for note in hosted.order().notes)
    hosted.spread(*LAID)
    view = hosted.order(measures=True)
    assert not view.is_saved
    hosted.order(saves=True)
    assert (hosted.file.parent / "table.toml").read_text() != saved
    hosted.spread(Lying("red-7", Pose(*PILE_MM, 0)))
    assert hosted.order().notes == ("On the pile: red 7.",)


@pytest.mark.long
def test_what_lies_on_the_pile_and_cannot_be_read_is_reported_after_five_seconds(hosted: Hosted) -> None:
    hosted.calibrate()
    hosted.begin()
    stained = cv2.circle(np.zeros((720, 1280), np.uint8), tuple(map(int, hosted.place())), 60, 255, -1) > 0

    def cover(image: Image) -> Image:
        return np.asarray(np.where(stained[..., None], (90, 120, 160), image), np.uint8)

    hosted.eyes[-1].changed = cover
    hosted.wait(4)
    assert ("pile", "unread") not in hosted.alarms
    hosted.wait(4)
    assert hosted.alarms[-1] == ("pile", "unread")
    pile = hosted.view.ask(CameraRequest(is_pile=True))
    crop = cv2.imdecode(np.frombuffer(pile or b"", np.uint8), cv2.IMREAD_COLOR)
    assert crop is not None
    assert min(crop.shape[:2]) > 200
    hosted.eyes[-1].changed = lambda image: image
    hosted.wait(2)
    assert hosted.alarms[-1] == ("pile", "")
    hosted.lay("red-7")
    assert hosted.laid == ["red-5", "red-7"]


@pytest.mark.long
def test_another_camera_is_used_at_once_and_must_be_calibrated(hosted: Hosted) -> None:
    hosted.calibrate()
    view = hosted.order(source="http://ann:s3cret@phone:8080/video")
    hosted.wait(0.5)
    assert (load(hosted.file).camera.source, load(hosted.file).camera.calibration) == (view.source, None)
    assert hosted.eyes[0].is_closed
    assert hosted.alarms[-1] == ("camera", "uncalibrated")
    assert dict(view.cameras)[view.source] == "http://phone:8080/video"
    hosted.calibrate()
    hosted.begin()
    assert hosted.laid == ["red-5"]


def test_what_is_no_camera_is_reported_and_changes_nothing(hosted: Hosted) -> None:
    view = hosted.order(source="http://")
    assert any("not the address of a camera" in note for note in view.notes)
    assert load(hosted.file).camera.source == "usb:0"
    assert not hosted.eyes[0].is_closed


def test_places_that_are_no_numbers_are_ignored(hosted: Hosted) -> None:
    hosted.spread(*LAID)
    before = hosted.order().pile
    after = np.array(hosted.order(pile=(float("nan"), 1.0)).pile)
    assert after == pytest.approx(np.array(before), abs=3)
