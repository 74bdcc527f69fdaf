"""Wakes the table when one of its parts has something to report."""

from __future__ import annotations

from threading import Event


class Bell:
    """Wakes the table. Any thread rings it; one thread waits for it."""

    def __init__(self) -> None:
        self._rung = Event()

    def ring(self) -> None:
        """There is something to do."""
        self._rung.set()

    def wait(self, seconds: float) -> None:
        """Sleep until it is rung, at most this long."""
        self._rung.wait(seconds)
        self._rung.clear()
