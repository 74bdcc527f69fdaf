"""The keys of the table: UNO buttons, colors, answers, and those of the referee; and the contact behind each key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Final

from croupier.commands import Key
from croupier.devices.gpio.pins import Clock, Pins
from croupier.devices.gpio.wiring import KeyPin
from croupier.devices.protocols import Ask, Page, Say
from croupier.events import CommandGiven, Press

DEBOUNCE_S: Final = 0.015
"""A contact bounces no longer than this. The press is its first edge; only what was up so long can be pressed again."""

STUCK_S: Final = 10.0
"""Nobody holds a key down for so long: it is stuck."""


class Contact:
    """One contact. Times are seconds on the clock of the kernel's stamps; edges may come from any thread."""

    def __init__(self, is_down: bool, now: float) -> None:
        self._is_down, self._changed = is_down, now
        self._up_at = now - DEBOUNCE_S
        self._presses: list[float] = []
        self._lock = Lock()

    def edge(self, at: float, is_down: bool) -> None:
        """The contact closed or opened."""
        with self._lock:
            self._take(at, is_down)

    def presses(self, now: float, is_down: bool) -> tuple[float, ...]:
        """When it was pressed since the last call. ``is_down``: how it is ``now``, in case an edge was lost."""
        with self._lock:
            if now - self._changed > DEBOUNCE_S:
                self._take(now, is_down)
            presses, self._presses = tuple(self._presses), []
            return presses

    def is_stuck(self, now: float) -> bool:
        """Whether it has been down for longer than anybody holds it."""
        return self._is_down and now - self._changed > STUCK_S

    def _take(self, at: float, is_down: bool) -> None:
        if is_down == self._is_down:
            return
        self._is_down, self._changed = is_down, at
        if not is_down:
            self._up_at = at
        elif at - self._up_at >= DEBOUNCE_S:
            self._presses.append(at)


FOR_THE_TABLE = frozenset({"go", "pause", "undo"})
"""Keys that say the same whoever presses them."""


_ANSWERED_BY_KEYS = frozenset({"turn", "name-color", "answer"})
"""Whatever else is asked meanwhile, as to clear a fault, these keys are still those of the same seat."""


class Asked:
    """A `Page` that also knows who is asked, for keys that stand once on the table; ``page`` shows it."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._seat: int | None = None

    def ask(self, ask: Ask) -> None:
        """Ask the people for something."""
        if ask.what in _ANSWERED_BY_KEYS:
            self._seat = ask.seat if ask.seat is not None else ask.seats[0]
        self._page.ask(ask)

    def say(self, say: Say) -> None:
        """Show and speak a sentence."""
        self._page.say(say)

    def seat(self, _key: Key) -> int | None:
        """Whose press it is; None where nobody is asked."""
        return self._seat


@dataclass(frozen=True, slots=True)
class _Wired:
    at: KeyPin
    contact: Contact
    is_high: Callable[[], bool]


class GpioPanel:
    """Keys and buttons on the Pi's pins, each to ground. Implements `Panel`.

    ``asked``: who pressed a key that stands once on the table; None: nobody was asked, and the press says nothing.

    Raises:
        GpioUnavailable: a pin cannot be used.
    """

    def __init__(self, pins: Pins, clock: Clock, keys: tuple[KeyPin, ...], asked: Callable[[Key], int | None]) -> None:
        self._clock, self._asked = clock, asked
        self._wired = [self._wire(pins, key) for key in keys]

    def presses(self) -> tuple[Press | CommandGiven, ...]:
        """What has been pressed since the last call, in order of time."""
        now = self._clock.stamps()
        presses = [
            press
            for wired in self._wired
            for stamp in wired.contact.presses(now, not wired.is_high())
            if (press := self._press(wired.at, stamp)) is not None
        ]
        return tuple(sorted(presses, key=lambda press: press.t))

    def stuck(self) -> tuple[KeyPin, ...]:
        """The keys that hang; all others go on working."""
        now = self._clock.stamps()
        return tuple(wired.at for wired in self._wired if wired.contact.is_stuck(now))

    def _wire(self, pins: Pins, key: KeyPin) -> _Wired:
        told: list[Contact] = []

        def edge(at: float, is_high: bool) -> None:
            for contact in told:
                contact.edge(at, not is_high)

        is_high = pins.watch(key.gpio, edge)
        # Whoever holds a key while the program starts has not pressed it.
        told.append(Contact(not is_high(), self._clock.stamps()))
        return _Wired(key, told[0], is_high)

    def _press(self, at: KeyPin, stamp: float) -> Press | None:
        seat = at.seat if at.seat is not None else 0 if at.key in FOR_THE_TABLE else self._asked(at.key)
        if seat is None:
            return None
        t, u = self._clock.moment(stamp)
        return Press(t=t, u=u, seat=seat, key=at.key)
