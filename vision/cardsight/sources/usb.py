"""A camera on USB, through OpenCV (Video4Linux on Linux)."""

from __future__ import annotations

import time
from typing import Final

import cv2
import numpy as np

from cardsight.errors import NoCamera
from cardsight.sources.frames import Clock, Frame
from cardsight.sources.newest import PATIENCE_S, RETRY_S, NewestFrame

SIZE_PX: Final = (1920, 1080)
FPS: Final = 30.0

_STAMP_S: Final = 1.0
"""The driver's time stamp is believed if it is at most so old."""


class UsbCamera(NewestFrame):
    """Wiring: any USB camera above the table, ``device`` its number or path (``0``, ``/dev/video0``).

        camera = UsbCamera(0)
        frame = camera.frame()

    ``focus``: 0…255 as the camera counts, from far to near; ``None`` leaves it to the camera, which then hunts whenever
    a hand comes near. ``exposure_ms``: fixed, so that lamps do not change it; ``None`` leaves that to the camera.

    Frames are stamped by the driver when their transfer began, or where it does not say so when they arrived; they were
    exposed up to a frame earlier, which ``u`` covers.

    Raises:
        NoCamera: there is none.
    """

    def __init__(
        self, device: int | str = 0, *, size: tuple[int, int] = SIZE_PX, fps: float = FPS, focus: int | None = None,
        exposure_ms: float | None = None, clock: Clock = time.monotonic, patience_s: float = PATIENCE_S,
        retry_s: float = RETRY_S,
    ) -> None:  # fmt: skip
        settings = {
            # Uncompressed, few cameras send more than 5 such frames a second.
            cv2.CAP_PROP_FOURCC: float(cv2.VideoWriter.fourcc(*"MJPG")),
            cv2.CAP_PROP_FRAME_WIDTH: float(size[0]),
            cv2.CAP_PROP_FRAME_HEIGHT: float(size[1]),
            cv2.CAP_PROP_FPS: fps,
            cv2.CAP_PROP_BUFFERSIZE: 1.0,
        }
        if focus is not None:
            settings |= {cv2.CAP_PROP_AUTOFOCUS: 0.0, cv2.CAP_PROP_FOCUS: float(focus)}
        if exposure_ms is not None:
            # As Video4Linux counts: 1 is manual, and the unit 0.1 ms.
            settings |= {cv2.CAP_PROP_AUTO_EXPOSURE: 1.0, cv2.CAP_PROP_EXPOSURE: exposure_ms * 10}
        super().__init__(
            f"camera {device}", lambda: _Capture(device, settings, 1 / fps, clock), clock=clock, patience_s=patience_s,
            retry_s=retry_s,
        )  # fmt: skip


class _Capture:
    def __init__(self, device: int | str, settings: dict[int, float], frame_s: float, clock: Clock) -> None:
        cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)  # what is wrong is told in one line, below
        self._capture = cv2.VideoCapture(device)
        if not self._capture.isOpened():
            raise NoCamera(f"camera {device}: there is none, or another program has it; is it plugged in?")
        for setting, value in settings.items():
            self._capture.set(setting, value)  # a camera that cannot do it goes on as it does
        self._frame_s, self._clock = frame_s, clock

    def read(self) -> Frame | None:
        is_there, image = self._capture.read()
        if not is_there:
            return None
        age_s = time.monotonic() - self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
        is_stamped = 0 <= age_s <= _STAMP_S
        early_s = self._frame_s / 2
        u = early_s if is_stamped else 2 * early_s
        return Frame(self._clock() - (age_s if is_stamped else 0.0) - early_s, np.asarray(image, np.uint8), u)

    def close(self) -> None:
        self._capture.release()
