"""The keys of the table: UNO buttons, colors, answers, and those of the referee; and the contact behind each key."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import Final

from croupier.commands import FOR_THE_TABLE, Key
from croupier.events import Press
from croupier_extras.gpio.pins import Clock, Pins
from croupier_extras.gpio.wiring import KeyPin
from tablewire.messages import PRESS_MS

PRESS_S: Final = PRESS_MS / 1000
"""A contact that closes for less is a disturbance of its wire, as on the Pico."""

DEBOUNCE_S: Final = 0.015
"""The longest bounce of a contact. A press is the first edge after the contact was open for this long."""

STUCK_S: Final = 10.0
"""A key that is down for longer is stuck."""


class Contact:
    """One contact. Times are seconds on the clock of the kernel's stamps; edges may come from any thread.

    A press is its first edge, once the contact has stayed closed for ``sure_s``. Where edges have no stamps that is 0:
    the level is read only when the library's thread runs, and a disturbance is over by then.
    """

    def __init__(self, is_down: bool, now: float, sure_s: float) -> None:
        self._is_down, self._changed, self._sure_s = is_down, now, sure_s
        self._up_at = now - DEBOUNCE_S
        self._first: float | None = None  # the first edge of what is not yet known to be a press
        self._presses: list[float] = []
        self._lock = Lock()

    @property
    def is_unsure(self) -> bool:
        """True while the contact is closed, and time must tell whether that is a press."""
        return self._sure_s > 0 and self._is_down and self._first is not None

    def edge(self, at: float, is_down: bool) -> None:
        """The contact closed or opened."""
        with self._lock:
            self._take(at, is_down)

    def presses(self, now: float, is_down: bool) -> tuple[float, ...]:
        """The times of the presses since the last call. ``is_down``: the level ``now``, in case an edge was lost."""
        with self._lock:
            if now - self._changed > DEBOUNCE_S:
                self._take(now, is_down)
            self._confirm(now)
            presses, self._presses = tuple(self._presses), []
            return presses

    def is_stuck(self, now: float) -> bool:
        """True if the contact has been closed for longer than `STUCK_S`."""
        return self._is_down and now - self._changed > STUCK_S

    def _take(self, at: float, is_down: bool) -> None:
        if is_down == self._is_down:
            return
        self._confirm(at)
        self._is_down, self._changed = is_down, at
        if not is_down:
            self._up_at = at
        elif at - self._up_at >= DEBOUNCE_S:
            self._first = at

    def _confirm(self, now: float) -> None:
        """Take what began as a press for one if the contact, closed until ``now``, was closed for long enough."""
        if self._first is not None and self._is_down and now - self._changed >= self._sure_s:
            self._presses.append(self._first)
            self._first = None


class GpioPanel:
    """Keys and buttons on the Pi's pins, each to ground.

    ``asked``: returns the seat that a press of a shared key belongs to; a press that belongs to nobody is dropped.

    Raises:
        GpioUnavailable: a pin cannot be used.
    """

    def __init__(self, pins: Pins, clock: Clock, keys: tuple[KeyPin, ...], asked: Callable[[Key], int | None]) -> None:
        self._clock, self._asked = clock, asked
        self._sure_s = PRESS_S if pins.has_stamps else 0.0
        self._wired = [(key, *self._wire(pins, key.gpio)) for key in keys]

    def presses(self) -> list[Press]:
        """The presses since the last call, in order of time. One that has just begun is waited for, since the next call
        may be half a second away."""
        if any(contact.is_unsure for _key, contact, _is_high in self._wired):
            time.sleep(PRESS_S)
        now = self._clock.stamps()
        presses = (
            self._press(key, stamp)
            for key, contact, is_high in self._wired
            for stamp in contact.presses(now, not is_high())
        )
        return sorted(filter(None, presses), key=lambda press: press.t)

    def stuck(self) -> tuple[KeyPin, ...]:
        """The keys that are stuck; all others go on working."""
        now = self._clock.stamps()
        return tuple(key for key, contact, _is_high in self._wired if contact.is_stuck(now))

    def _wire(self, pins: Pins, gpio: int) -> tuple[Contact, Callable[[], bool]]:
        # A key that somebody holds while the program starts was not pressed.
        now = self._clock.stamps()
        contact = Contact(True, now, self._sure_s)
        is_high = pins.watch(gpio, lambda at, is_high: contact.edge(at, not is_high))
        if is_high():
            contact.edge(now - DEBOUNCE_S, False)
        return contact, is_high

    def _press(self, key: KeyPin, stamp: float) -> Press | None:
        seat = key.seat if key.seat is not None else 0 if key.key in FOR_THE_TABLE else self._asked(key.key)
        if seat is None:
            return None
        t, u, clock = self._clock.stamped(stamp)
        return Press(t=t, u=u, seat=seat, key=key.key, clock=clock)
