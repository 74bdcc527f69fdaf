"""Simulated time and the simulated Pico's pins: what happens when, and which interrupt handlers hear of it.

Time stands still while the firmware computes and goes on while it waits (`wait`), event by event, so that everything
happens at its own microsecond whatever this computer is busy with. It goes no further than the host has allowed
(`control`).
"""

import heapq

import micropython

TICKS = (1 << 30) - 1
LOOP_US = 300
"""What one round of the firmware's main loop takes on the board, about."""
IRQ_US = 9
"""An interrupt's handler stamps so much later than the edge; the next handler waits until this one is through."""
IRQ_BUSY_US = 30


class Reset(BaseException):
    """The Pico starts anew. ``cause``: "power" or "watchdog"."""

    def __init__(self, cause):
        self.cause = cause


class World:
    """The microsecond that it is, what is due, and the level of each pin."""

    def __init__(self, start_us):
        self.now = start_us
        self.limit = start_us
        self.is_hanging = False
        self.on_limit = None
        self.on_driven = None
        self._due = []
        self._order = 0
        self.levels = (1 << 30) - 1
        self._handlers = {}
        self.reset_due = None
        self.reports = []

    def report(self, kind, *values):
        """Something for the host."""
        self.reports.append((self.now, kind) + values)

    def at(self, when, act, *arguments):
        """Let ``act(*arguments)`` happen at ``when``, the µs."""
        self._order += 1
        heapq.heappush(self._due, (when, self._order, act, arguments))

    def reset(self):
        """All pins are inputs again and nobody listens."""
        self._handlers = {}
        self.reset_due = None

    def on_edge(self, gpio, handler, falling, rising, pin):
        """Call ``handler(pin)`` when the level of ``gpio`` changes."""
        self._handlers[gpio] = (handler, falling, rising, pin)

    def level(self, gpio):
        """The level of a pin."""
        return self.levels >> gpio & 1

    def set_levels(self, changes):
        """Several pins change in the same instant: pairs of gpio and level."""
        calls = []
        for gpio, level in changes:
            if self.level(gpio) != level:
                self.levels ^= 1 << gpio
                handler = self._handlers.get(gpio)
                if handler and (handler[2] if level else handler[1]):
                    calls.append(handler)
        for at, (handler, _, _, pin) in enumerate(calls):
            self.interrupt(handler, pin)
            if at + 1 < len(calls):
                self.now += IRQ_BUSY_US

    def set_level(self, gpio, level):
        """One pin changes."""
        self.set_levels(((gpio, level),))

    def interrupt(self, handler, argument):
        """Call an interrupt handler as the board does: where it allocates, it fails."""
        self.now += IRQ_US
        micropython.heap_lock()
        try:
            handler(argument)
        finally:
            micropython.heap_unlock()
        self.on_driven()

    def wait(self, us, is_input_there):
        """Let ``us`` pass, or less when bytes of the host are there."""
        self.on_driven()
        self._advance(LOOP_US, lambda: False)
        if us:
            self._advance(us, is_input_there)
        while self.is_hanging:
            self._advance(1000, lambda: False)

    def _advance(self, us, is_input_there):
        end = self.now + us
        while self.now < end:
            if self._due and self._due[0][0] <= end and self._due[0][0] <= self.limit:
                event = heapq.heappop(self._due)
                self.now = max(self.now, event[0])
                event[2](*event[3])
            elif end <= self.limit:
                self.now = max(self.now, end)
            else:
                self.now = max(self.now, self.limit)
                self.on_limit()
                if is_input_there():
                    return
            if self.reset_due:
                raise Reset(self.reset_due)
