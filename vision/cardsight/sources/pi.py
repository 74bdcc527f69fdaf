"""The camera on a Raspberry Pi's own connector, through picamera2 (from apt; see docs/watching.md)."""

from __future__ import annotations

import time
from typing import Any, Final

import numpy as np

from cardsight.errors import NoCamera
from cardsight.sources.frames import Clock, Frame
from cardsight.sources.newest import PATIENCE_S, RETRY_S, NewestFrame

SIZE_PX: Final = (1920, 1080)
FPS: Final = 30.0

SILENT_S: Final = 2.0
SILENT_FRAMES: Final = 3
"""After so long, and so many frames, without one, the camera is opened anew: libcamera gives up a stream whose cable
came loose, and picamera2 would wait for ever."""

_MANUAL_FOCUS: Final = 0
"""libcamera's AfModeManual."""


class PiCamera(NewestFrame):
    """Wiring: ribbon cable in the connector ``number`` (0, on a Pi 5 also 1).

        camera = PiCamera(distance_m=0.7)
        frame = camera.frame()

    ``distance_m``: from the lens to the table; a lens that can focus (Camera Module 3) is set to it and left there.
    ``exposure_ms`` and ``gain``: fixed, so that lamps do not change them; ``None`` leaves both to the camera.

    The sensor's own time stamp is when its first row was read; ``t`` is the middle of the exposure of the middle row,
    ``u`` covers the other rows and the exposure.

    Raises:
        NoCamera: picamera2 is not installed, or there is no camera.
    """

    def __init__(
        self, number: int = 0, *, size: tuple[int, int] = SIZE_PX, fps: float = FPS, distance_m: float | None = None,
        exposure_ms: float | None = None, gain: float = 1.0, clock: Clock = time.monotonic,
        patience_s: float = PATIENCE_S, retry_s: float = RETRY_S,
    ) -> None:  # fmt: skip
        frame_us = round(1e6 / fps)
        controls: dict[str, Any] = {"FrameDurationLimits": (frame_us, frame_us)}
        if distance_m is not None:
            controls |= {"AfMode": _MANUAL_FOCUS, "LensPosition": 1 / distance_m}
        if exposure_ms is not None:
            controls |= {"AeEnable": False, "ExposureTime": round(exposure_ms * 1000), "AnalogueGain": gain}
        super().__init__(
            f"Pi camera {number}", lambda: _PiDevice(number, size, controls, frame_us / 1e6, clock), clock=clock,
            patience_s=patience_s, retry_s=retry_s,
        )  # fmt: skip


class _PiDevice:
    def __init__(
        self, number: int, size: tuple[int, int], controls: dict[str, Any], frame_s: float, clock: Clock
    ) -> None:
        try:
            from picamera2 import Picamera2
        except ImportError:
            raise NoCamera(
                "picamera2 is not installed; sudo apt install python3-picamera2, and an environment made with "
                "--system-site-packages"
            ) from None
        try:
            self._camera = Picamera2(number)
        except (IndexError, RuntimeError) as wrong:
            raise NoCamera(f"Pi camera {number}: {wrong}; is its cable in, the blue side right?") from None
        try:
            self._start(size, controls)
        except Exception as wrong:
            self._camera.close()  # or nobody could open it again
            raise NoCamera(f"Pi camera {number}: {wrong}; does another program use it?") from wrong
        self._frame_s, self._clock = frame_s, clock

    def _start(self, size: tuple[int, int], controls: dict[str, Any]) -> None:
        can = self._camera.camera_controls
        # What picamera2 calls RGB888 lies in memory as blue, green, red.
        configuration = self._camera.create_video_configuration(
            main={"size": size, "format": "RGB888"}, controls={name: v for name, v in controls.items() if name in can}
        )
        self._camera.configure(configuration)
        self._camera.start()

    def read(self) -> Frame | None:
        try:
            request = self._camera.capture_request(wait=max(SILENT_S, SILENT_FRAMES * self._frame_s))
        except TimeoutError:
            return None
        try:
            image = request.make_array("main")
            about = request.get_metadata()
        finally:
            request.release()
        age_s = (time.monotonic_ns() - about["SensorTimestamp"]) / 1e9
        exposure_s = about.get("ExposureTime", 0) / 1e6
        t = self._clock() - age_s + (self._frame_s - exposure_s) / 2
        return Frame(t, np.asarray(image, np.uint8), (self._frame_s + exposure_s) / 2)

    def close(self) -> None:
        self._camera.close()
