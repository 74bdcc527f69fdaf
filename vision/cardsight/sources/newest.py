"""A camera that is read in a thread of its own, so that one that hangs holds up nobody.

`cv2.VideoCapture.read` blocks for ten seconds when a camera is pulled out, picamera2's capture for as long as it is
told to. Whoever wants a frame gets the newest, or is told after a moment that there is none; the thread opens the
camera again, whatever its driver raises, until it is back.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Condition, Event, Thread
from typing import Final, Protocol

from cardsight.errors import NoCamera, NoFrame
from cardsight.sources.frames import Clock, Frame

PATIENCE_S: Final = 0.5
"""A frame is waited for so long: several times what lies between two."""
RETRY_S: Final = 1.0
"""Between two attempts to open a camera that is gone."""
_OPEN_S: Final = 10.0
"""A camera that works is opened in a second or two."""
_CLOSE_S: Final = 1.0


class Device(Protocol):
    """A camera as its driver reads it; used in the reading thread alone."""

    def read(self) -> Frame | None:
        """Wait for the next frame; ``None`` where the camera is gone. It may raise what its driver does."""

    def close(self) -> None:
        """Give the camera back."""


class NewestFrame:
    """The newest frame of the camera that ``open_device`` opens; ``name`` is for messages.

    Raises:
        NoCamera: it cannot be opened the first time.
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
        self._wrong: NoCamera | None = None
        self._was_open = False
        self._last_t = clock()
        self._thread = Thread(target=self._run, name=f"frames of {name}", daemon=True)
        self._thread.start()
        with self._changed:
            self._changed.wait_for(lambda: self._was_open or self._wrong is not None, timeout=_OPEN_S)
            if not self._was_open:
                self._closing.set()
                raise self._wrong or NoCamera(f"{name}: does not answer; unplug it and plug it in again")

    def frame(self) -> Frame:
        """The newest frame, once."""
        with self._changed:
            self._changed.wait_for(lambda: self._frame is not None or self._closing.is_set(), timeout=self._patience_s)
            frame, self._frame = self._frame, None
            if frame is not None:
                self._last_t = frame.t
                return frame
            if self._closing.is_set():
                raise NoFrame(f"{self._name}: is closed")
            silent = max(0.0, self._clock() - self._last_t)
            why = str(self._wrong) if self._wrong else f"{self._name}: is silent; is it plugged in?"
            raise NoFrame(f"{why} (no picture for {silent:.1f} s)")

    def now(self) -> float:
        """The clock."""
        return self._clock()

    def close(self) -> None:
        """Give the camera back; one that hangs is left to itself."""
        with self._changed:
            self._closing.set()
            self._changed.notify_all()
        self._thread.join(_CLOSE_S)

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                self._read_on()
            except NoCamera as wrong:
                self._tell(wrong=wrong)
            except Exception as wrong:  # whatever a driver raises: the camera may be back the next time
                self._tell(wrong=NoCamera(f"{self._name}: {wrong!r}; unplug it and plug it in again"))
            self._closing.wait(self._retry_s)

    def _read_on(self) -> None:
        """Open the camera and take its frames, until it is gone."""
        device = self._open()
        self._tell()
        try:
            while not self._closing.is_set() and (frame := device.read()) is not None:
                self._tell(frame)
        finally:
            device.close()

    def _tell(self, frame: Frame | None = None, wrong: NoCamera | None = None) -> None:
        with self._changed:
            self._was_open, self._wrong = self._was_open or wrong is None, wrong
            if frame is not None:
                self._frame = frame
            self._changed.notify_all()
