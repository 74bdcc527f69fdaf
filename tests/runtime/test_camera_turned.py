"""A table whose camera is turned, as a phone that fell over: what was seen is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np

from cardsight.errors import NoFrame
from cardsight.sources import Frame
from croupier import i18n
from croupier.alarms import problem_text, problem_texts
from croupier.runtime.devices import Factories
from croupier.runtime.table_camera import NullCamera
from tests.runtime.live import TWO, Running
from tests.runtime.test_camera_moved import CAMERA, seen
from tests.vision.test_track import TruthReader


class Phone(NullCamera):
    """A phone above the table. ``is_turned``: by a quarter; ``trouble``: why it sends nothing."""

    is_turned = False
    trouble = ""

    def frame(self) -> Frame:
        if self.trouble:
            raise NoFrame(self.trouble)
        image = seen(0.0, round(10 * self.now()) % 4)
        turned = np.asarray(cv2.rotate(image, cv2.ROTATE_90_CLOCKWISE), np.uint8)
        return Frame(self.now(), turned if self.is_turned else image)


def playing(folder: Path) -> tuple[Running, Any]:
    factories = Factories(camera=lambda config, now, *_: Phone(now), reader=lambda config: TruthReader())
    table = Running(folder / "games.journal", TWO.replace('source = "none"', CAMERA), factories)
    table.wait(1.0)
    table.go(3.0)
    return table, table.table.devices.camera


def texts(table: Running) -> list[str]:
    alarms = table.table.alarms
    return problem_texts(alarms.active(), alarms.seen())


def test_a_phone_that_was_turned_is_told_with_the_new_size_of_its_picture(tmp_path: Path) -> None:
    table, camera = playing(tmp_path)
    camera.is_turned = True
    table.wait(3.0)
    assert table.table.alarms.active() == (("camera", "other-size"),)
    (told,) = texts(table)
    assert told == (
        "The camera was turned or has another size: its pictures are 720 x 1280, and pile or show reach beyond that. "
        "Turn it back, or calibrate again."
    )
    camera.is_turned = False
    table.wait(3.0)
    assert texts(table) == []


def test_what_was_seen_of_a_camera_is_on_the_page_and_news_when_it_changes(tmp_path: Path) -> None:
    table, camera = playing(tmp_path)
    camera.trouble = "camera http://phone/video: sends one picture; expected rtsp (no picture for 3.1 s)"
    table.wait(3.0)
    (told,) = texts(table)
    assert told == "There is no picture from the camera: camera http://phone/video: sends one picture; expected rtsp"
    assert not table.table.turn(), "the seconds without a picture are no news"
    camera.trouble = "camera http://phone/video: speaks RTSP; expected rtsp://phone/video"
    assert table.table.turn()
    with i18n.speaking("de"):
        assert texts(table) == [
            "Von der Kamera kommt kein Bild: Kamera http://phone/video: spricht RTSP; erwartet wurde rtsp://phone/video"
        ]


def test_without_anything_seen_the_usual_cause_is_named() -> None:
    assert problem_text("pico", "gone") == "The Pico is not answering: check its cable and power supply."
    seen = '/dev/ttyACM0: a modem answers "OK"; name the Pico\'s port'
    assert problem_text("pico", "gone", seen) == f"The Pico is not answering: {seen}"
    assert problem_text("camera", "dark", "x") == problem_text("camera", "dark")
