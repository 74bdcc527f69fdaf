"""The devices on the pins: outputs of the firmware become motion, and motion becomes levels of the input pins.

Interrupt handlers of the firmware call `drive`, `set_active` and `stop_transfer`, so these allocate nothing.
"""

import gc
from array import array

from feeding import Feeding
from supply import FEEDING_MA, HOLDING_MA, REST_MA, Supply
from turning import Turning

from tablewire import pins

BOUNCE_US = (400, 900, 1500, 2600, 4100)
"""Times after a press at which the contact opens and closes (µs); it rests after the last."""


def _gpio(name):
    return pins.pin(name).gpio


class Mechanics:
    """Motors, cards, buttons, lamps, ring and the registers that outlive a reset. ``rotor``: what the turntable is."""

    def __init__(self, world, settings, rotor=Turning):
        self._world = world
        self.scratch = [0, 0, 0, 0]
        self.cause = "power"
        self.is_on_usb = True
        self.timers = []
        self._rounds = self._round_began = None
        self.lamps = self.frames = self.tone = 0
        self.ring = b""
        self._shifted = 0
        self._up_at = {}
        self._outputs = [0] * 30
        self.turning = rotor(world, settings, _gpio("home"), _gpio("marks"))
        self.feeding = Feeding(world, settings, _gpio("exit"), _gpio("hopper"), self.turning)
        self.supply = Supply(world, _gpio("motor_power"), self._draws, self._empower)
        self._forward, self._back = _gpio("feed_forward"), _gpio("feed_back")
        self._direction, self._off, self._tone = _gpio("turn_direction"), _gpio("turn_off"), _gpio("buzzer")
        self._lamps = [_gpio("lamps_" + name) for name in ("data", "clock", "latch")]

    @property
    def is_driven(self):
        """True while a motor has current to move."""
        outputs = self._outputs
        return outputs[self._forward] != outputs[self._back] or self.turning.is_running

    def reset(self, cause):
        """Restart the Pico: its outputs float, and pull resistors decide their levels."""
        self.cause = cause
        self.timers = []
        for gpio in range(30):
            self._outputs[gpio] = 0
        self._outputs[self._off] = 1
        self.feeding.drive(0, 0)
        self.turning.stop()
        self.turning.let_go(True)
        if cause == "power":
            self.scratch = [0, 0, 0, 0]

    # -- what the firmware does ---------------------------------------------------------------------------------

    def drive(self, gpio, value):
        """Set the level, or the duty, of an output pin."""
        outputs = self._outputs
        outputs[gpio] = value
        if gpio == self._forward or gpio == self._back:
            self._drive_feed()
        elif gpio == self._off:
            self.turning.let_go(bool(value) or not self.supply.is_alive)
        elif gpio == self._tone:
            self.tone = value
        elif gpio == self._lamps[1] and value:
            self._shifted = (self._shifted << 1 | outputs[self._lamps[0]]) & 0xFFFF
        elif gpio == self._lamps[2] and value:
            self.lamps = self._shifted

    def _drive_feed(self):
        outputs = self._outputs
        if self.supply.is_alive:
            self.feeding.drive(outputs[self._forward], outputs[self._back])
        else:
            self.feeding.drive(0, 0)

    def _draws(self):
        """Return the load of the motors' supply (mA)."""
        holds = 0 if self.turning.is_free else HOLDING_MA
        feeds = FEEDING_MA if self._outputs[self._forward] != self._outputs[self._back] else 0
        return REST_MA + holds + feeds

    def _empower(self, is_alive):
        """The drivers of the motors begin or cease to work."""
        self.turning.let_go(bool(self._outputs[self._off]) or not is_alive)
        self._drive_feed()

    def wake(self):
        """Schedule the motion that the firmware's last work began; not in an interrupt handler, since it allocates."""
        self.feeding.wake()
        self.turning.wake()

    def set_active(self, program, on):
        """Switch a state machine on or off."""
        if program == "steps" and not on:
            self.turning.stop()

    def transfer(self, program, words, count):
        """Transfer words by DMA to the state machine that runs ``program``."""
        if program == "steps":
            self.turning.run(self._outputs[self._direction], words, count)
        else:
            self.ring = bytes(words)
            self.frames += 1

    def stop_transfer(self):
        """Stop the DMA transfer."""
        self.turning.stop()

    def goes_round(self):
        """Begin another round of the main loop."""
        self._round_began = self._world.now

    def rests(self):
        """End the round: the loop waits for the host."""
        if self._round_began is not None:
            self._rounds.append(self._world.now - self._round_began)
            self._round_began = None

    # -- what people do, and what goes wrong ----------------------------------------------------------------------

    def press(self, mask, up_after_us, bounces):
        """Press the buttons of these seats now, and release them ``up_after_us`` later (None: never). A button that is
        down already stays as it is."""
        world, now = self._world, self._world.now
        seats = [seat for seat in range(pins.SEATS) if mask >> seat & 1 and now >= self._up_at.get(seat, 0)]
        for seat in seats:
            self._up_at[seat] = float("inf") if up_after_us is None else now + up_after_us
        level = 0
        self._set(seats, level)
        for after in BOUNCE_US[: 2 * bounces]:
            level = 1 - level
            world.at(now + after, self._set, seats, level)
        if up_after_us is not None:
            world.at(now + up_after_us, self._set, seats, 1)

    def release(self, mask):
        """Release the buttons of these seats."""
        seats = [seat for seat in range(pins.SEATS) if mask >> seat & 1]
        for seat in seats:
            self._up_at[seat] = self._world.now
        self._set(seats, 1)

    def _set(self, seats, level):
        self._world.set_levels([(seat, level) for seat in seats])

    def service(self, held):
        """Hold or release the service button."""
        self._world.set_level(_gpio("service"), 0 if held else 1)

    def enumerate(self, is_on_usb):
        """Let the host give the Pico an address on USB, or fail to."""
        self.is_on_usb = is_on_usb

    def hang(self):
        """Stop the firmware's main loop; interrupts still come."""
        self._world.is_hanging = True

    def break_down(self, cause):
        """Reset the Pico. ``cause``: "watchdog", or "power" after a breakdown of the supply."""
        self._world.reset_due = cause

    def measure_memory(self):
        """Report the free memory (bytes) of firmware and simulation together."""
        if not self.turning.is_running:
            self.turning.slip(0)  # else the way of the last turn would count, 24 kB that are no memory of the Pico
        gc.collect()
        self._world.report("memory", gc.mem_free() if hasattr(gc, "mem_free") else 0)

    def time_rounds(self):
        """Report how long each round of the main loop has worked since the last call (µs), and begin again."""
        if self._rounds is not None:
            self._world.report("rounds", *self._rounds)
        self._rounds, self._round_began = array("i"), None
        self._world.on_rest = self.rests

    def look(self):
        """Report the table as a person beside it sees it."""
        self._world.report("look", self.frames, list(self.ring), self.lamps, self.tone, self.turning.is_free)
