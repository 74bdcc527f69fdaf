"""One supervisor for all parts that may fail: a port, pins, a camera, the page, the voice.

A `Supervisor` opens its part in a thread of its own, keeps it open, and opens it again when it fails, after the pause
of a `RetryPolicy` (docs/decisions.md).
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event, Thread
from typing import Final, Generic, Protocol, TypeVar

from croupier.errors import CroupierError, one_line
from croupier.i18n import localize
from croupier.retry import RETRY, Backoff, RetryPolicy

_log: Final = logging.getLogger(__name__)

_EXPECTED: Final = (CroupierError, OSError, ModuleNotFoundError)
"""Errors that are logged without a traceback: input, hardware and environment cause them."""

_RELEASE_S: Final = 0.2
"""Users of a part that failed are done with it after this time."""

_CLOSE_S: Final = 3.0
"""A part that hangs while it closes is left to itself after this time."""


class Part(Protocol):
    """A part that is open."""

    def close(self) -> None:
        """Release the part."""


P = TypeVar("P", bound=Part)


def until_closed(part: object, is_closing: Event) -> str:
    """Stay with a part that recovers by itself."""
    is_closing.wait()
    return ""


class Supervisor(Generic[P]):
    """Opens a part and keeps it open. No exception ends its thread: each is logged, reported, and the part is opened
    again.

    ``open_part``: returns the part when it works; the pauses grow until then.
    ``report``: takes the reason of each failure, one line.
    ``use``: takes the part after it was opened, and None before it is closed.
    ``stay``: returns the reason when the part fails, or returns when the event is set. Whatever one of these functions
    raises is a failure of the part. ``policy``: of the pauses, `RETRY` by default. ``wait``: waits for the event, at
    most so many seconds.
    """

    def __init__(
        self,
        name: str,
        open_part: Callable[[], P],
        report: Callable[[str], None],
        *,
        use: Callable[[P | None], None] = lambda part: None,
        stay: Callable[[P, Event], str] = until_closed,
        policy: RetryPolicy | None = None,
        wait: Callable[[Event, float], object] = lambda event, seconds: event.wait(seconds),
    ) -> None:
        self._name, self._open, self._report, self._use, self._stay = name, open_part, report, use, stay
        self._backoff, self._wait = Backoff(policy or RETRY), wait
        self._is_closing = Event()
        self._thread = Thread(target=self._run, name=f"supervisor of {name}", daemon=True)

    def start(self) -> None:
        """Open the part soon, in the supervisor's thread."""
        self._thread.start()

    def stop(self) -> None:
        """Do not open the part again, and ask ``stay`` to return. Does not wait."""
        self._is_closing.set()

    def close(self) -> None:
        """Close the part finally. Waits a few seconds at most."""
        self.stop()
        self.join(_CLOSE_S)

    def join(self, timeout_s: float | None = None) -> bool:
        """Wait until the part is closed finally; whether it is within this time."""
        if self._thread.is_alive():
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while not self._is_closing.is_set():
            reason, has_worked = self._attempt()
            if self._is_closing.is_set():
                return
            try:
                self._report(reason)
            except Exception:
                _log.exception("%s: the report of a failure failed", self._name)
            if has_worked:
                self._backoff.reset()
            self._wait(self._is_closing, self._backoff.fail())

    def _attempt(self) -> tuple[str, bool]:
        """Open the part and stay with it until it fails: the reason, and whether the part had been open."""
        has_worked = False
        try:
            part = self._open()
            has_worked = True
            try:
                self._use(part)
                return self._stay(part, self._is_closing), True
            finally:
                self._release(part)
        except _EXPECTED as err:
            _log.info("%s: %s", self._name, err)
            return (localize(err)[0] if isinstance(err, CroupierError) else one_line(str(err))), has_worked
        except Exception as err:
            _log.exception("%s failed", self._name)
            return one_line(f"{type(err).__name__}: {err}"), has_worked

    def _release(self, part: P) -> None:
        try:
            self._use(None)
            self._wait(self._is_closing, _RELEASE_S)
        finally:
            part.close()
