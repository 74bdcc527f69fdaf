"""Live cameras, each read by a thread of its own, so that a hanging driver blocks nobody.

`cv2.VideoCapture.read` blocks for ten seconds when a camera is unplugged; picamera2's capture blocks up to its timeout.
A caller gets the newest frame, or an error after a moment. The thread reopens the camera, whatever its driver raises,
until it is back.

`UsbCamera` uses OpenCV (Video4Linux on Linux). `PiCamera` uses picamera2 (from apt; see docs/watching.md).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Condition, Event, Thread
from typing import Any, Final, Protocol

import cv2
import numpy as np

from cardsight.errors import NoCamera, NoFrame
from cardsight.opencv_log import SILENT, set_log_level
from cardsight.sources.frames import Clock, Frame

PATIENCE_S: Final = 0.5
"""Timeout of a frame: several frame periods."""
RETRY_S: Final = 1.0
"""Time between two attempts to open a lost camera."""
_OPEN_S: Final = 10.0
"""Timeout of the first opening; a working camera needs a second or two."""
_CLOSE_S: Final = 1.0


class Device(Protocol):
    """The driver of a camera; used by the reading thread only."""

    def read(self) -> Frame | None:
        """Wait for the next frame; ``None`` if the camera is gone. May raise any error of the driver."""

    def close(self) -> None:
        """Release the camera."""


class NewestFrame:
    """The newest frame of the camera that ``open_device`` opens. ``name``: for messages.

    Raises:
        NoCamera: the camera cannot be opened at first.
    """

    def __init__(
        self, name: str, open_device: Callable[[], Device], *, clock: Clock, patience_s: float = PATIENCE_S,
        retry_s: float = RETRY_S,
    ) -> None:  # fmt: skip
        self._name, self._open, self._clock = name, open_device, clock
        self._patience_s, self._retry_s = patience_s, retry_s
        self._changed = Condition()
        self._closing = Event()
        self._frame: Frame | None = None
        self._fault: NoCamera | None = None
        self._was_open = False
        self._last_t = clock()
        self._thread = Thread(target=self._run, name=f"frames of {name}", daemon=True)
        self._thread.start()
        with self._changed:
            self._changed.wait_for(lambda: self._was_open or self._fault is not None, timeout=_OPEN_S)
            if not self._was_open:
                self._closing.set()
                raise self._fault or NoCamera(f"{name}: does not answer; switch it off and on again")

    def frame(self) -> Frame:
        """Return the newest frame; each is returned once."""
        with self._changed:
            self._changed.wait_for(lambda: self._frame is not None or self._closing.is_set(), timeout=self._patience_s)
            frame, self._frame = self._frame, None
            if frame is not None:
                self._last_t = frame.t
                return frame
            if self._closing.is_set():
                raise NoFrame(f"{self._name}: is closed")
            silent = max(0.0, self._clock() - self._last_t)
            why = str(self._fault) if self._fault else f"{self._name}: is silent; check its cable or its network"
            raise NoFrame(f"{why} (no picture for {silent:.1f} s)")

    def now(self) -> float:
        """Return the time of the clock (s)."""
        return self._clock()

    def close(self) -> None:
        """Release the camera; a hanging one is abandoned."""
        with self._changed:
            self._closing.set()
            self._changed.notify_all()
        self._thread.join(_CLOSE_S)

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                self._read_frames()
            except NoCamera as fault:
                self._report(fault=fault)
            except Exception as fault:  # any error of a driver: the camera may be back at the next attempt
                self._report(fault=NoCamera(f"{self._name}: {fault!r}; unplug it and plug it in again"))
            self._closing.wait(self._retry_s)

    def _read_frames(self) -> None:
        """Open the camera and read its frames until it is gone."""
        device = self._open()
        self._report()
        try:
            while not self._closing.is_set() and (frame := device.read()) is not None:
                self._report(frame)
        finally:
            device.close()

    def _report(self, frame: Frame | None = None, fault: NoCamera | None = None) -> None:
        with self._changed:
            self._was_open, self._fault = self._was_open or fault is None, fault
            if frame is not None:
                self._frame = frame
            self._changed.notify_all()


SIZE_PX: Final = (1920, 1080)
FPS: Final = 30.0

_STAMP_S: Final = 1.0
"""Maximum age of a driver's time stamp; an older one is ignored."""


class UsbCamera(NewestFrame):
    """A USB camera above the table. ``device``: its number or path (``0``, ``/dev/video0``).

        camera = UsbCamera(0)
        frame = camera.frame()

    ``focus``: 0 (far)…255 (near), in the camera's own units; ``None`` leaves it to the camera, which refocuses whenever
    a hand comes near. ``exposure_ms``: fixed exposure, independent of the lamps; ``None`` leaves it to the camera.

    The driver's time stamp is the begin of the transfer, else the arrival counts. The exposure was up to one frame
    earlier; ``u`` covers this.

    Raises:
        NoCamera: there is none.
    """

    def __init__(
        self, device: int | str = 0, *, size: tuple[int, int] = SIZE_PX, fps: float = FPS, focus: int | None = None,
        exposure_ms: float | None = None, clock: Clock = time.monotonic, patience_s: float = PATIENCE_S,
        retry_s: float = RETRY_S,
    ) -> None:  # fmt: skip
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
        super().__init__(
            f"camera {device}", lambda: _Capture(device, settings, 1 / fps, clock), clock=clock, patience_s=patience_s,
            retry_s=retry_s,
        )  # fmt: skip


class _Capture:
    def __init__(self, device: int | str, settings: dict[int, float], frame_s: float, clock: Clock) -> None:
        set_log_level(SILENT)  # faults are reported in one line, below
        self._capture = cv2.VideoCapture(device)
        if not self._capture.isOpened():
            raise NoCamera(f"camera {device}: there is none, or another program has it; is it plugged in?")
        for setting, value in settings.items():
            self._capture.set(setting, value)  # a camera without this setting ignores it
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


SILENT_S: Final = 2.0
SILENT_FRAMES: Final = 3
"""Time and number of missing frames after which the camera is reopened. libcamera abandons a stream whose cable came
loose; picamera2 would wait for ever."""

_MANUAL_FOCUS: Final = 0
"""libcamera's AfModeManual."""


class PiCamera(NewestFrame):
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
        except (IndexError, RuntimeError) as fault:
            raise NoCamera(f"Pi camera {number}: {fault}; is its cable in, the blue side right?") from None
        try:
            self._start(size, controls)
        except Exception as fault:
            self._camera.close()  # otherwise nobody could open it again
            raise NoCamera(f"Pi camera {number}: {fault}; does another program use it?") from fault
        self._frame_s, self._clock = frame_s, clock

    def _start(self, size: tuple[int, int], controls: dict[str, Any]) -> None:
        can = self._camera.camera_controls
        # picamera2's RGB888 is stored as blue, green, red
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
