"""A stand-in for picamera2 with the signatures of the real one, version 0.3.38, of what the driver calls.

`test_sources_live.py` compares them with the real package's source, which `make test` downloads.
"""

from __future__ import annotations

import time
from threading import Event
from types import ModuleType
from typing import Any

import numpy as np

FRAME_S = 1 / 30
EXPOSURE_US = 10_000


class CompletedRequest:
    """One frame, to be given back."""

    def __init__(self, camera: Picamera2, number: int) -> None:
        self._camera, self._number = camera, number
        self._stamp_ns = time.monotonic_ns()

    def make_array(self, name: str) -> np.ndarray[Any, Any]:
        assert name == "main"
        width, height = self._camera.configuration["main"]["size"]
        return np.full((height, width, 3), self._number % 256, np.uint8)

    def get_metadata(self) -> dict[str, Any]:
        return {"SensorTimestamp": self._stamp_ns, "ExposureTime": EXPOSURE_US}

    def release(self) -> None:
        self._camera.lent -= 1


class Picamera2:
    """The camera. ``hangs``: its ribbon cable came loose while it ran; a stream that stopped so does not go on, only
    a camera that is closed and opened anew. ``busy``: it cannot be started."""

    opened: list[Picamera2] = []  # noqa: RUF012
    hangs = Event()
    busy = Event()

    def __init__(
        self, camera_num: int = 0, verbose_console: Any = None, tuning: Any = None, allocator: Any = None
    ) -> None:
        if camera_num > 0:
            raise IndexError("list index out of range")
        self.configuration: dict[str, Any] = {}
        self.is_started = self.is_stopped = self.is_closed = False
        self._closed = Event()
        self.lent = self._number = 0
        Picamera2.opened.append(self)

    @property
    def camera_controls(self) -> dict[str, tuple[Any, Any, Any]]:
        return {"FrameDurationLimits": (1, 2, None), "ExposureTime": (0, 1, None), "AeEnable": (0, 1, None),
                "AnalogueGain": (1, 16, None)}  # fmt: skip

    def create_video_configuration(
        self, main: Any = {}, lores: Any = None, raw: Any = {}, transform: Any = None,  # noqa: B006
        colour_space: Any = None, buffer_count: int = 6, controls: Any = {}, display: str = "main",  # noqa: B006
        encode: str = "main", queue: bool = True, sensor: Any = {}, use_case: str = "video",  # noqa: B006
    ) -> dict[str, Any]:  # fmt: skip
        return {"main": main, "controls": controls}

    def configure(self, camera_config: Any = None) -> None:
        self.configuration = camera_config

    def start(self, config: Any = None, show_preview: bool = False) -> None:
        if Picamera2.busy.is_set():
            raise RuntimeError("Failed to start camera: Device or resource busy")
        self.is_started = True

    def capture_request(self, wait: Any = None, signal_function: Any = None, flush: Any = None) -> CompletedRequest:
        assert self.is_started
        self.is_stopped |= Picamera2.hangs.is_set()
        if self.is_stopped and not self._closed.wait(wait):
            raise TimeoutError
        self.lent += 1
        self._number += 1
        return CompletedRequest(self, self._number)

    def close(self) -> None:
        self.is_closed = True
        self._closed.set()


def module() -> ModuleType:
    """What ``import picamera2`` gives."""
    stand_in = ModuleType("picamera2")
    stand_in.Picamera2 = Picamera2  # type: ignore[attr-defined]
    return stand_in
