"""A camera that a thread of its own reads, so that a driver that hangs holds up nobody. An unplugged camera is opened
again by the policy of `croupier.retry`."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf
from threading import Condition, Event
from typing import Final, Self

from cardsight.errors import NoCamera, NoFrame, NoMoreFrames
from cardsight.sources import Frame, Source
from croupier.errors import CroupierError
from croupier.i18n import from_others
from croupier.retry import CAMERA, RetryPolicy
from croupier.supervisor import Supervisor, until_closed
from croupier.table_api.live_table import CameraInvitation

_MISSED_S: Final = 0.1
"""The pause after a missing frame; most sources wait themselves."""
_OPEN_S: Final = 10.0
"""Timeout of the first opening; a working camera needs a second or two."""


class LiveCamera:
    """The newest frame of a source, which is opened again whenever it fails. A new frame replaces one that nobody took.

    ``wake``: called for each frame. ``now``: the table's clock. ``name``: for messages.
    ``patience_s``: time without a frame after which the source is silent. ``waits``: True if `frame` waits so long for
    a new frame. ``is_film``: the source is a file, which may show the same picture again and again.
    """

    is_wanted = True

    def __init__(
        self,
        open_source: Callable[[], Source],
        now: Callable[[], float] = time.monotonic,
        wake: Callable[[], None] = lambda: None,
        *,
        name: str = "camera",
        patience_s: float = inf,
        waits: bool = False,
        policy: RetryPolicy = CAMERA,
        is_film: bool = False,
    ) -> None:
        self.is_film = is_film
        self._open_source, self._now, self._wake = open_source, now, wake
        self._name, self._patience_s, self._waits = name, patience_s, waits
        self._changed = Condition()
        self._frame: Frame | None = None
        self._fault = ""
        self._error: Exception | None = None
        self._seen_at: float | None = None
        """The time of the last frame, or of the first opening (s)."""
        self._end: NoMoreFrames | None = None
        self._source: Source | None = None
        self._supervisor = Supervisor("camera", self._open, self._miss, use=self._use, stay=self._read, policy=policy)

    @property
    def trouble(self) -> str:
        """Why there is no picture, in one line; "" while there is one."""
        fault = self._fault
        if self._patience_s == inf or self._seen_at is None:
            return fault
        silent_s = max(0.0, self._now() - self._seen_at)
        if not fault and silent_s >= self._patience_s:
            fault = f"{self._name}: is silent; check its cable or its network"
        return f"{fault} (no picture for {silent_s:.1f} s)" if fault else ""

    @property
    def is_over(self) -> bool:
        """True when the source was a file and has ended."""
        return self._end is not None

    @property
    def invitation(self) -> CameraInvitation | None:
        """As `TableCamera.invitation`."""
        invitation: CameraInvitation | None = getattr(self._source, "invitation", None)  # only some sources have one
        return invitation

    def start(self) -> None:
        """Begin to read the source."""
        self._supervisor.start()

    def opened(self) -> Self:
        """Begin to read the source, and wait until it is open.

        Raises:
            NoCamera: the camera is not there, or hangs.
            CroupierError: as the source raises it.
        """
        self.start()
        with self._changed:
            self._changed.wait_for(lambda: self._seen_at is not None or self._error is not None, timeout=_OPEN_S)
            was_open, error = self._seen_at is not None, self._error
        if was_open:
            return self
        self.close()
        if isinstance(error, NoCamera | CroupierError):
            raise error
        if error is None:
            raise NoCamera(from_others(f"{self._name}: does not answer; switch it off and on again"))
        raise NoCamera(from_others(f"{self._name}: {error!r}; unplug it and plug it in again")) from error

    def frame(self) -> Frame:
        """Return the newest frame, once.

        Raises:
            NoMoreFrames: the source was a file and has ended.
            NoFrame: there is no new one.
        """
        with self._changed:
            if self._waits:
                self._changed.wait_for(lambda: self._frame is not None or self.is_over, timeout=self._patience_s)
            frame, self._frame = self._frame, None
        if frame is None:
            raise self._end or NoFrame(self.trouble)
        return frame

    def now(self) -> float:
        """Return the time of the table's clock (s)."""
        return self._now()

    def close(self) -> None:
        """Release the camera; a source that hangs is left to its thread."""
        self._supervisor.close()

    def _open(self) -> Source:
        try:
            return self._open_source()
        except Exception as err:
            with self._changed:
                self._error = err
                self._changed.notify_all()
            raise

    def _use(self, source: Source | None) -> None:
        with self._changed:
            self._source = source
            if self._seen_at is None:
                self._seen_at = self._now()
            self._changed.notify_all()

    def _read(self, source: Source, is_closing: Event) -> str:
        while not is_closing.is_set():
            try:
                frame = source.frame()
            except NoMoreFrames as end:
                self._end = end
                self._miss(str(end))
                return until_closed(source, is_closing)
            except NoFrame as err:
                self._miss(str(err))
                is_closing.wait(_MISSED_S)
                continue
            with self._changed:
                self._frame, self._fault, self._seen_at = frame, "", self._now()
                self._changed.notify_all()
            self._wake()
        return ""

    def _miss(self, why: str) -> None:
        with self._changed:
            self._fault = why
            self._changed.notify_all()
        self._wake()
