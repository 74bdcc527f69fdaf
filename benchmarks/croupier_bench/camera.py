"""How soon after a card touches the pile its ruling is there, with a webcam and with the browser of a phone as camera.

A drawn table is filmed in real time, once for each camera, and a real table follows it. The webcam's pictures are in
memory as soon as they are drawn; the browser is a Chromium on this machine, to which the film is a camera. So the
difference is what browser, encoding, line and decoding take. Not in it: the sensor and USB of the webcam, the sensor of
the phone, its processor, and the WLAN.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from queue import Empty, Queue
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, Final

import cv2
import numpy as np

from cardsight.errors import NoFrame
from cardsight.geometry import Image
from cardsight.sources import Source
from cardsight.sources.frames import Frame
from croupier.alarms import AlarmRegistry
from croupier.commands import PressKey
from croupier.config import read
from croupier.devices.protocols import Ask, Say
from croupier.errors import CannotSimulate
from croupier.journal import Journal
from croupier.log_replay import Record
from croupier.pictures.live_camera import LiveCamera
from croupier.runtime.devices import Factories
from croupier.runtime.table import SystemClock, open_table
from croupier.runtime.table_camera import Zones
from croupier_rules.referee.observations import Play, Upcard
from croupier_sim.filming import CameraFile, FilmedTable
from croupier_sim.table import PILE_ZONE_MM, SHOW_ZONE_MM

FPS: Final = 20.0
SIZE_PX: Final = (960, 540)
"""As much as two cores can draw, encode and follow in real time."""

_SEATS: Final = 4
_CARDS: Final = 20
"""So many that nobody has less than two left."""
_PATIENCE_S: Final = 30.0
_CONFIG: Final = f'[camera]\nsource = "usb:0"\n[seats]\nnumber = {_SEATS}\ndealer = 0\n[page]\non = false\n'
_FLAGS: Final = ("--no-sandbox", "--disable-gpu")


class _Silent:
    """A `Page` that nobody reads."""

    def ask(self, ask: Ask) -> None:
        """Do nothing."""

    def say(self, say: Say) -> None:
        """Do nothing."""


class _Webcam:
    """A driver whose pictures are there at once: a film, and a `Source`."""

    def __init__(self) -> None:
        self._pictures: Queue[Frame] = Queue()

    def show(self, picture: Image) -> None:
        """Take the next picture."""
        self._pictures.put(Frame(time.monotonic(), picture, 0.5 / FPS))

    def frame(self) -> Frame:
        """Wait for the next picture."""
        try:
            return self._pictures.get(timeout=1.0)
        except Empty:
            raise NoFrame from None

    def now(self) -> float:
        """Return the time of the pictures' clock (s)."""
        return time.monotonic()

    def close(self) -> None:
        """Do nothing."""


@contextmanager
def _webcam(folder: Path) -> Iterator[tuple[_Webcam, Callable[[], Source]]]:
    device = _Webcam()
    yield device, lambda: device


@contextmanager
def _phone(folder: Path) -> Iterator[tuple[CameraFile, Callable[[], Source]]]:
    try:
        from playwright.sync_api import sync_playwright

        from croupier_extras.phone_camera.camera import PhoneCamera
    except ModuleNotFoundError as err:
        raise CannotSimulate(f"{err.name} is missing: pip install 'croupier[dev]'") from err
    chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if chromium is None:
        raise CannotSimulate("chromium is missing: install it, such as with apt install chromium")
    with (
        closing(CameraFile(folder / "camera.y4m", SIZE_PX, FPS)) as film,
        closing(PhoneCamera(folder / "phone.pem", port=0, host="127.0.0.1", size=SIZE_PX, fps=FPS)) as camera,
        sync_playwright() as playwright,
        closing(playwright.chromium.launch(executable_path=chromium, args=[*_FLAGS, *film.flags])) as browser,
    ):
        page = browser.new_context(ignore_https_errors=True).new_page()
        page.goto(f"https://127.0.0.1:{camera.port}/{camera.invitation.url[camera.invitation.url.index('#') :]}")
        page.click("#film")
        yield film, lambda: camera


def measure() -> Iterator[dict[str, Any]]:
    """Measure both cameras; one line for each figure."""
    cv2.setNumThreads(1)
    for name, camera in (("a webcam", _webcam), ("a phone's browser", _phone)):
        with TemporaryDirectory(prefix="croupier-") as folder, camera(Path(folder)) as (film, open_source):
            late_ms, wrong_ms, within = _played(Path(folder), film, open_source)
        for part, percent in (("p50", 50), ("p95", 95), ("max", 100)):
            yield _line(f"{name}: from a card's touch to its ruling, {len(late_ms)} cards: {part}", late_ms, percent)
        yield _line(f"{name}: error of the time of touch: p50", wrong_ms, 50)
        yield {
            "bench": "camera", "what": f"{name}: true time of touch within the uncertainty that is told", "unit": "%",
            "ours": round(100 * within),
        }  # fmt: skip


def _line(what: str, values: list[float], percent: int) -> dict[str, Any]:
    return {"bench": "camera", "what": what, "unit": "ms", "ours": round(float(np.percentile(values, percent)), 1)}


def _played(folder: Path, film: Any, open_source: Callable[[], Source]) -> tuple[list[float], list[float], float]:
    """Lay the cards one by one, each after the ruling on the last. Returns for each card the time from its touch to its
    ruling and the error of the time that the ruling tells (ms), and the fraction of errors that it admits."""
    ruled: Queue[tuple[float, Play | Upcard]] = Queue()
    config = read(_CONFIG)

    def note(game: int, step: Record) -> None:
        if isinstance(step.observation, Play | Upcard):
            ruled.put((time.monotonic(), step.observation))

    with FilmedTable(film, _SEATS, size=SIZE_PX, fps=FPS) as filmed, Journal(folder / "croupier.journal") as journal:
        camera = filmed.camera
        zones = Zones(
            camera.zone_px(PILE_ZONE_MM), camera.zone_px(SHOW_ZONE_MM), camera.card_px(PILE_ZONE_MM),
            camera.card_px(SHOW_ZONE_MM),
        )  # fmt: skip
        table = open_table(
            config, journal, AlarmRegistry(lambda alarm: None), _Silent(), step_observers=(note,),
            clock=lambda start: SystemClock(time.monotonic()),
            factories=Factories(
                camera=lambda config, now, wake: LiveCamera(open_source, now, wake), zones=lambda config: zones
            ),
        )  # fmt: skip

        def lay_all() -> None:
            table.submit(PressKey(seat=0, key="go"))
            try:
                for n in range(_CARDS):
                    filmed.lay(n % _SEATS, f"red-{n % 9 + 1}")
                    told.append(ruled.get(timeout=_PATIENCE_S))
            except Empty:
                pass
            finally:
                table.end()

        told: list[tuple[float, Play | Upcard]] = []
        people = Thread(target=lay_all)
        table.manager.start()
        people.start()
        table.play()
        people.join()
        table.manager.close()
    late_ms = [1000 * (at - touch) for (at, _observation), touch in zip(told, filmed.touched, strict=False)]
    errors = [(abs(one.t - touch), one.u or 0.0) for (_at, one), touch in zip(told, filmed.touched, strict=False)]
    return late_ms, [1000 * error for error, _u in errors], float(np.mean([error <= u for error, u in errors]))
