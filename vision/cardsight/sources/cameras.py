"""Cameras at this machine; the place for a new camera with a driver of its own (docs/adding.md).

`UsbCamera` uses OpenCV (Video4Linux on Linux). `PiCamera` uses picamera2 (from apt; see docs/watching.md).

Both block in their driver: `cv2.VideoCapture.read` for ten seconds when a camera is unplugged, picamera2's capture up
to its timeout. A program that must not wait reads them in a thread; a camera that is gone is closed and opened again.
"""

from __future__ import annotations

import time
from typing import Any, Final

import cv2
import numpy as np

from cardsight.errors import NoCamera, NoFrame
from cardsight.opencv_log import SILENT, set_log_level
from cardsight.sources.frames import Clock, Frame

PATIENCE_S: Final = 0.5
"""Time without a frame after which a camera is silent: several frame periods."""
SIZE_PX: Final = (1920, 1080)
FPS: Final = 30.0

_STAMP_S: Final = 1.0
"""Maximum age of a driver's time stamp; an older one is ignored."""


class UsbCamera:
    """A USB camera above the table. ``device``: its number or path (``0``, ``/dev/video0``).

        camera = UsbCamera(0)
        frame = camera.frame()

    ``focus``: 0 (far)…255 (near), in the camera's own units; ``None`` leaves it to the camera, which refocuses whenever
    a hand comes near. ``exposure_ms``: fixed exposure, independent of the lamps; ``None`` leaves it to the camera.
    ``name``: for messages; by default the device.

    The driver's time stamp is the begin of the transfer, else the arrival counts. The exposure was up to one frame
    earlier; ``u`` covers this.

    Raises:
        NoCamera: there is none.
    """

    def __init__(
        self, device: int | str = 0, *, size: tuple[int, int] = SIZE_PX, fps: float = FPS, focus: int | None = None,
        exposure_ms: float | None = None, clock: Clock = time.monotonic, name: str = "",
    ) -> None:  # fmt: skip
        set_log_level(SILENT)  # faults are reported in one line, below
        self._name, self._frame_s, self._clock = f"camera {name or device}", 1 / fps, clock
        self._capture = cv2.VideoCapture(device)
        if not self._capture.isOpened():
            raise NoCamera(
                f"{self._name}: there is none, or another program has it; plug it in, close that program, or name "
                "another camera"
            )
        settings = {
            # uncompressed, few cameras send more than 5 such frames a second
            cv2.CAP_PROP_FOURCC: float(cv2.VideoWriter.fourcc(*"MJPG")),
            cv2.CAP_PROP_FRAME_WIDTH: float(size[0]),
            cv2.CAP_PROP_FRAME_HEIGHT: float(size[1]),
            cv2.CAP_PROP_FPS: fps,
            cv2.CAP_PROP_BUFFERSIZE: 1.0,
        }
        if focus is not None:
            settings |= {cv2.CAP_PROP_AUTOFOCUS: 0.0, cv2.CAP_PROP_FOCUS: float(focus)}
        if exposure_ms is not None:
            # Video4Linux: 1 is manual; the unit is 0.1 ms
            settings |= {cv2.CAP_PROP_AUTO_EXPOSURE: 1.0, cv2.CAP_PROP_EXPOSURE: exposure_ms * 10}
        for setting, value in settings.items():
            self._capture.set(setting, value)  # a camera without this setting ignores it

    def frame(self) -> Frame:
        """Wait for the next frame. Raises `NoCamera` when the camera is gone, `NoFrame` after `close`."""
        if not self._capture.isOpened():
            raise NoFrame(f"{self._name}: is closed")
        is_there, image = self._capture.read()
        if not is_there:
            raise NoCamera(f"{self._name}: is silent; check its cable or its network")
        age_s = time.monotonic() - self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
        is_stamped = 0 <= age_s <= _STAMP_S
        early_s = self._frame_s / 2
        u = early_s if is_stamped else 2 * early_s
        return Frame(self._clock() - (age_s if is_stamped else 0.0) - early_s, np.asarray(image, np.uint8), u)

    def now(self) -> float:
        """Return the time of the clock (s)."""
        return self._clock()

    def close(self) -> None:
        """Release the camera."""
        self._capture.release()


SILENT_S: Final = 2.0
SILENT_FRAMES: Final = 3
"""Time and number of missing frames after which the camera is reopened. libcamera abandons a stream whose cable came
loose; picamera2 would wait for ever."""

_MANUAL_FOCUS: Final = 0
"""libcamera's AfModeManual."""


class PiCamera:
    """A camera on a ribbon cable in the connector ``number`` (0; on a Pi 5 also 1).

        camera = PiCamera(distance_m=0.7)
        frame = camera.frame()

    ``distance_m``: from the lens to the table; a lens that can focus (Camera Module 3) is fixed at it. ``exposure_ms``
    and ``gain``: fixed values, independent of the lamps; ``None`` leaves both to the camera.

    The sensor's time stamp is the readout of the first row. ``t`` is the middle of the exposure of the middle row;
    ``u`` covers the other rows and the exposure.

    Raises:
        NoCamera: picamera2 is not installed, or there is no camera.
    """

    def __init__(
        self, number: int = 0, *, size: tuple[int, int] = SIZE_PX, fps: float = FPS, distance_m: float | None = None,
        exposure_ms: float | None = None, gain: float = 1.0, clock: Clock = time.monotonic,
    ) -> None:  # fmt: skip
        try:
            from picamera2 import Picamera2
        except ImportError:
            raise NoCamera(
                "picamera2 is not installed; sudo apt install python3-picamera2, and an environment made with "
                "--system-site-packages"
            ) from None
        frame_us = round(1e6 / fps)
        self._name, self._frame_s, self._clock = f"Pi camera {number}", frame_us / 1e6, clock
        controls: dict[str, Any] = {"FrameDurationLimits": (frame_us, frame_us)}
        if distance_m is not None:
            controls |= {"AfMode": _MANUAL_FOCUS, "LensPosition": 1 / distance_m}
        if exposure_ms is not None:
            controls |= {"AeEnable": False, "ExposureTime": round(exposure_ms * 1000), "AnalogueGain": gain}
        try:
            self._camera = Picamera2(number)
        except (IndexError, RuntimeError) as fault:
            raise NoCamera(f"{self._name}: {fault}; is its cable in, the blue side right?") from None
        self._is_open = True
        try:
            self._start(size, controls)
        except Exception as fault:
            self.close()  # otherwise nobody could open it again
            raise NoCamera(f"{self._name}: {fault}; does another program use it?") from fault

    def _start(self, size: tuple[int, int], controls: dict[str, Any]) -> None:
        can = self._camera.camera_controls
        # picamera2's RGB888 is stored as blue, green, red
        configuration = self._camera.create_video_configuration(
            main={"size": size, "format": "RGB888"}, controls={name: v for name, v in controls.items() if name in can}
        )
        self._camera.configure(configuration)
        self._camera.start()

    def frame(self) -> Frame:
        """Wait for the next frame. Raises `NoCamera` when the camera is gone, `NoFrame` after `close`."""
        if not self._is_open:
            raise NoFrame(f"{self._name}: is closed")
        try:
            request = self._camera.capture_request(wait=max(SILENT_S, SILENT_FRAMES * self._frame_s))
        except TimeoutError:
            raise NoCamera(f"{self._name}: is silent; check its cable or its network") from None
        try:
            image = request.make_array("main")
            about = request.get_metadata()
        finally:
            request.release()
        age_s = (time.monotonic_ns() - about["SensorTimestamp"]) / 1e9
        exposure_s = about.get("ExposureTime", 0) / 1e6
        t = self._clock() - age_s + (self._frame_s - exposure_s) / 2
        return Frame(t, np.asarray(image, np.uint8), (self._frame_s + exposure_s) / 2)

    def now(self) -> float:
        """Return the time of the clock (s)."""
        return self._clock()

    def close(self) -> None:
        """Release the camera."""
        if self._is_open:
            self._is_open = False
            self._camera.close()
