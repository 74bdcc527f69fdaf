"""Simulated time and the pins of the simulated Pico: scheduled events, and the interrupt handlers that they call.

Time advances while the firmware waits (`wait`) and for the work that it has done (`work`), event by event. Each event
thus happens at its own microsecond, whatever load this computer has. Time stops at the limit that the host has set
(`control`).
"""

import heapq

import micropython

TICKS = (1 << 30) - 1
LOOP_US = 1_400
"""Time of one pass of the firmware's main loop on the board (µs), without what `costs` adds and without waiting."""
IRQ_US = 9
"""Delay of an interrupt handler's time stamp behind the edge (µs)."""
IRQ_BUSY_US = 121
TIMER_BUSY_US = 40
"""Time of an interrupt with its handler (µs), at an edge and of a timer: the next one waits until it is over, and the
work takes so much longer. That of a button's edge was measured on the emulated RP2040. The others are scaled from it as
in `costs`: in the VM of this simulation an edge of a mark takes 0.83 times as long as a button's edge, which is charged
whole. The guard's countdown takes 0.25 times as long; a third is charged, since the way into an interrupt is the same.
A look of the guard comes on top of it, in `costs`."""


class Reset(BaseException):
    """The Pico restarts. ``cause``: "power" or "watchdog"."""

    def __init__(self, cause):
        self.cause = cause


class World:
    """The present microsecond, the scheduled events, and the level of each pin."""

    def __init__(self, start_us):
        self.now = start_us
        self.limit = start_us
        self.is_hanging = False
        self.on_limit = None
        self.on_driven = self.on_loop = self.on_rest = None
        self._due = []
        self._order = self._interrupted_us = self._handler_us = 0
        self._is_interrupted = False
        self.busy_us = {}
        """The time of the handler of an edge, by GPIO, where it is not `IRQ_BUSY_US`."""
        self.levels = (1 << 30) - 1
        self._handlers = {}
        self.reset_due = None
        self.reports = []

    def report(self, kind, *values):
        """Report an event to the host."""
        self.reports.append((self.now, kind) + values)

    def at(self, when, act, *arguments):
        """Schedule ``act(*arguments)`` at ``when`` (µs)."""
        self._order += 1
        heapq.heappush(self._due, (when, self._order, act, arguments))

    def reset(self):
        """Make all pins inputs without handlers."""
        self._handlers = {}
        self.reset_due = None

    def on_edge(self, gpio, handler, falling, rising, pin):
        """Call ``handler(pin)`` when the level of ``gpio`` changes."""
        self._handlers[gpio] = (handler, falling, rising, pin)

    def level(self, gpio):
        """Return the level of a pin."""
        return self.levels >> gpio & 1

    def set_levels(self, changes):
        """Change several pins in the same instant: pairs of gpio and level."""
        calls = []
        for gpio, level in changes:
            if self.level(gpio) != level:
                self.levels ^= 1 << gpio
                handler = self._handlers.get(gpio)
                if handler and (handler[2] if level else handler[1]):
                    calls.append((gpio, handler))
        for gpio, (handler, _, _, pin) in calls:
            self.interrupt(handler, pin, self.busy_us.get(gpio, IRQ_BUSY_US))

    def set_level(self, gpio, level):
        """Change one pin."""
        self.set_levels(((gpio, level),))

    def interrupt(self, handler, argument, busy_us):
        """Call an interrupt handler as the board does: an allocation in it is an error."""
        self.now += IRQ_US
        self._handler_us, self._is_interrupted = 0, True
        micropython.heap_lock()
        try:
            handler(argument)
        finally:
            micropython.heap_unlock()
            self._is_interrupted = False
        busy_us += self._handler_us
        self.now += busy_us - IRQ_US
        self._interrupted_us += busy_us
        self.on_driven()

    def wait(self, us, is_input_there):
        """Advance time by ``us``, or until bytes of the host arrive."""
        if self.on_loop:
            self.on_loop()
            self.on_loop = None
        self.work(LOOP_US)
        if self.on_rest:
            self.on_rest()
        if us:
            self._advance(us, is_input_there)
        while self.is_hanging:
            self._advance(1000, lambda: False)

    def work(self, us):
        """Let the time pass that the firmware's work took; interrupts cut through it, unless it is one's own."""
        if self._is_interrupted:
            self._handler_us += us
            return
        self.on_driven()
        while us:
            self._interrupted_us = 0
            self._advance(us, lambda: False)
            us = self._interrupted_us

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
