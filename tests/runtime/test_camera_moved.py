"""A table whose camera was pushed: it waits, and goes on where somebody says that it may."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from cardsight.sources import Frame
from croupier.runtime.devices import Factories
from croupier.runtime.table_camera import NullCamera
from tests.runtime.live import TWO, Running
from tests.vision.laid import Image, Lying, picture
from tests.vision.test_track import CARD_PX, TruthReader

CAMERA = f'source = "usb:0"\npile = [400, 150, 400, 400]\nshow = [0, 500, 1280, 200]\ncard_px = {CARD_PX:.0f}'


class Pushed(NullCamera):
    """A camera above a draw pile and a tray, which was pushed by ``px``."""

    px = 0.0

    def frame(self) -> Frame:
        return Frame(self.now(), seen(self.px, round(10 * self.now()) % 4))


@cache
def seen(px: float, seed: int) -> Image:
    things = Lying("back", 200 + px, 250 + px), Lying("back", 1000 + px, 250, 20)
    return picture(things, "green cloth", (1280, 720), seed)


def test_a_camera_that_was_moved_stays_so_with_a_go_and_the_game_goes_on(tmp_path: Path) -> None:
    factories = Factories(camera=lambda config, now, *_: Pushed(now), reader=lambda config: TruthReader())
    table = Running(tmp_path / "games.journal", TWO.replace('source = "none"', CAMERA), factories)
    table.wait(1.0)
    table.go(3.0)
    phase = table.position.phase
    camera: Any = table.table.devices.camera
    camera.px = 60.0
    table.wait(6.0)
    assert table.faults == [("camera", "moved")]
    assert table.position.phase == "paused"
    table.go(2.0)
    assert table.position.phase == phase
    assert table.log[-1]["obs"] == "resumed"
    assert table.alarms == [("camera", "moved"), ("camera", "")]
    table.wait(6.0)
    assert table.faults == [("camera", "moved")], "that is how it looks"
