"""What hangs on the pins: turns what the firmware drives into motion, and motion into levels of the input pins.

`drive`, `set_active` and `stop_transfer` are called by interrupt handlers of the firmware too: they allocate nothing.
"""

from feeding import Feeding
from turning import Turning

from tablewire import pins

BOUNCE_US = (400, 900, 1500, 2600, 4100)
"""A contact opens and closes at these times after a press, and settles with the last."""


def _gpio(name):
    return pins.pin(name).gpio


class Mechanics:
    """Motors, cards, buttons, lamps, ring and the registers that outlive a reset."""

    def __init__(self, world, settings):
        self._world = world
        self.scratch = [0, 0, 0, 0]
        self.cause = "power"
        self.timers = []
        self.lamps = self.frames = self.tone = 0
        self.ring = b""
        self._shifted = 0
        self._outputs = [0] * 30
        self.turning = Turning(world, settings, _gpio("home"))
        self.feeding = Feeding(world, settings, _gpio("exit"), _gpio("hopper"), self.turning)
        self._forward, self._back = _gpio("feed_forward"), _gpio("feed_back")
        self._direction, self._tone = _gpio("turn_direction"), _gpio("buzzer")
        self._lamps = [_gpio("lamps_" + name) for name in ("data", "clock", "latch")]

    @property
    def is_driven(self):
        """Does a motor get current to move?"""
        outputs = self._outputs
        return outputs[self._forward] != outputs[self._back] or self.turning.is_running

    def reset(self, cause):
        """The Pico starts anew: its outputs float, and what holds them low or high takes over."""
        self.cause = cause
        self.timers = []
        for gpio in range(30):
            self._outputs[gpio] = 0
        self.feeding.drive(0, 0)
        self.turning.stop()
        if cause == "power":
            self.scratch = [0, 0, 0, 0]

    # -- what the firmware does ---------------------------------------------------------------------------------

    def drive(self, gpio, value):
        """An output pin has this level, or this duty."""
        outputs = self._outputs
        outputs[gpio] = value
        if gpio == self._forward or gpio == self._back:
            self.feeding.drive(outputs[self._forward], outputs[self._back])
        elif gpio == self._tone:
            self.tone = value
        elif gpio == self._lamps[1] and value:
            self._shifted = (self._shifted << 1 | outputs[self._lamps[0]]) & 0xFFFF
        elif gpio == self._lamps[2] and value:
            self.lamps = self._shifted

    def set_active(self, program, on):
        """A state machine is switched on or off."""
        if program == "steps" and not on:
            self.turning.stop()

    def transfer(self, program, words, count):
        """DMA brings so many words to the state machine that runs ``program``."""
        if program == "steps":
            self.turning.run(self._outputs[self._direction], words, count)
        else:
            self.ring = bytes(words)
            self.frames += 1

    def stop_transfer(self):
        """DMA stops."""
        self.turning.stop()

    # -- what people do, and what goes wrong ----------------------------------------------------------------------

    def press(self, mask, up_after_us, bounces):
        """The buttons of these seats go down in this very instant, and up later (never: None)."""
        world = self._world
        seats = [seat for seat in range(pins.SEATS) if mask >> seat & 1]
        level = 0
        self._set(seats, level)
        for after in BOUNCE_US[: 2 * bounces]:
            level = 1 - level
            world.at(world.now + after, self._set, seats, level)
        if up_after_us is not None:
            world.at(world.now + up_after_us, self._set, seats, 1)

    def release(self, mask):
        """They go up."""
        self._set([seat for seat in range(pins.SEATS) if mask >> seat & 1], 1)

    def _set(self, seats, level):
        self._world.set_levels([(seat, level) for seat in seats])

    def service(self, held):
        """The service button is held, or not."""
        self._world.set_level(_gpio("service"), 0 if held else 1)

    def hang(self):
        """The firmware's main loop goes on no more; interrupts still come."""
        self._world.is_hanging = True

    def break_down(self, cause):
        """The Pico resets: "watchdog", or "power" when its supply broke down."""
        self._world.reset_due = cause

    def look(self):
        """What a person at the table sees."""
        self._world.report("look", self.frames, list(self.ring), self.lamps, self.tone)
