"""Stand-in for MicroPython's `machine` of the Pico: the same names, connected to the simulated world."""

import micropython
from simulation import mechanics, world
from world import TIMER_BUSY_US

small = getattr(micropython, "small", lambda value: value)

WORLD = "SIMULATION"
PWRON_RESET, WDT_RESET = 1, 3

_GPIO_IN = 0xD0000004
_SCRATCH = 0x4005800C
_USB_ADDRESS = 0x50110000


class Pin:
    """A pin. Inputs read the world; outputs change it."""

    IN, OUT = 0, 1
    PULL_UP, PULL_DOWN = 1, 2
    IRQ_FALLING, IRQ_RISING = 4, 8

    def __init__(self, gpio, mode=-1, pull=-1, value=None):
        self.gpio, self.mode = gpio, mode
        if value is not None:
            self.value(value)

    def value(self, level=None):
        if level is None:
            return world.levels >> self.gpio & 1
        mechanics.drive(self.gpio, int(level))
        return None

    def irq(self, handler, trigger, hard=False):
        if not hard:
            raise ValueError("only hard interrupts are simulated")
        world.on_edge(self.gpio, handler, trigger & Pin.IRQ_FALLING, trigger & Pin.IRQ_RISING, self)


class ADC:
    """An analog input: the motors' supply through its divider."""

    def __init__(self, pin):
        if pin.gpio != mechanics.supply.gpio:
            raise ValueError("nothing analog is at this pin")

    def read_u16(self):
        return mechanics.supply.reading()


class PWM:
    """An output with pulse width modulation."""

    def __init__(self, pin, freq=0, duty_u16=0):
        self._gpio = pin.gpio
        self.freq(freq)
        self.duty_u16(duty_u16)

    def freq(self, hertz):
        self._hertz = hertz

    def duty_u16(self, duty):
        mechanics.drive(self._gpio, duty)


class Timer:
    """A timer with an interrupt. One that comes late does not delay the next."""

    def __init__(self, _number):
        pass

    def init(self, period, callback, hard=False):
        if not hard:
            raise ValueError("only hard interrupts are simulated")
        self._period, self._callback = period * 1000, callback
        mechanics.timers.append(self)
        self._due = world.now + self._period
        world.at(self._due, self._ring)

    def _ring(self):
        if self in mechanics.timers:
            self._due += self._period
            world.at(self._due, self._ring)
            world.interrupt(self._callback, self, TIMER_BUSY_US)


class WDT:
    """The watchdog: restarts the Pico if it is not fed in time."""

    def __init__(self, timeout):
        self._timeout = timeout * 1000
        self.feed()
        mechanics.timers.append(self)
        self._look()

    def feed(self):
        self._fed = world.now
        mechanics.goes_round()

    def _look(self):
        if self not in mechanics.timers:
            return
        if world.now - self._fed >= self._timeout:
            world.reset_due = "watchdog"
        else:
            world.at(self._fed + self._timeout, self._look)


class _Memory:
    def __getitem__(self, address):
        if address == _GPIO_IN:
            return small(world.levels)
        if address == _USB_ADDRESS:
            return int(mechanics.is_on_usb)
        return mechanics.scratch[(address - _SCRATCH) // 4]

    def __setitem__(self, address, word):
        mechanics.scratch[(address - _SCRATCH) // 4] = word


mem32 = _Memory()


def disable_irq():
    """Do nothing: no time passes between the instructions of the firmware, so no interrupt comes."""
    return 0


def enable_irq(_state):
    """As `disable_irq`."""


def reset_cause():
    """Return the cause of the last start."""
    return WDT_RESET if mechanics.cause == "watchdog" else PWRON_RESET


def reset():
    """Restart the Pico."""
    world.reset_due = "watchdog"
    world.wait(1, lambda: False)


def bootloader():
    """Enter the boot ROM; in the simulation, restart."""
    reset()
