"""The board: creates the devices from the pins. Only this module imports `machine` and `rp2`.

Each device has the few methods that the rest of the firmware needs, so another board is another file like this.
Methods that interrupt handlers use (`is_on`, `read`, `brake`, `off`, `stop`, the registers) allocate nothing.
"""

import gc
import select
import sys
from os import urandom

import machine
import rp2
from machine import ADC, PWM, WDT, Pin, Timer, mem32
from micropython import const
from pico.pio import RING_HZ, STEP_HZ, lights, steps

from tablewire import pins

NAME = "rp2-pico"
WORLD = getattr(machine, "WORLD", "hardware")
"""The world that the greeting names; the simulated `machine` calls itself SIMULATION."""

_GPIO_IN = const(0xD0000004)
_USB_ADDRESS = const(0x50110000)  # ADDR_ENDP, RP2040 data sheet 4.1.4
# Whole addresses, since on the Pico they are no small integers: to add to one would allocate.
_SCRATCH = (0x4005800C, 0x40058010, 0x40058014, 0x40058018)
_FEED_HZ = const(20_000)
_FULL = const(65_535)
_LEAST_POWER = const(31_350)
"""Least reading of the motors' voltage: 9 V through 47 k over 10 k, of 3.3 V at 65,535. The driver of the turntable
holds down to 4.7 V, so a loss shows while the motor still holds."""
_PROMPT = const(3)  # the register by which `leave` asks for the prompt
_ASKED = const(0x1E4F_0057)
_PULLS = {"up": Pin.PULL_UP, "down": Pin.PULL_DOWN, "": 0}
_BOTH_EDGES = Pin.IRQ_FALLING | Pin.IRQ_RISING


def _input(name):
    row = pins.pin(name)
    return Pin(row.gpio, Pin.IN, _PULLS[row.pull])


def _output(name, value=0):
    return Pin(pins.pin(name).gpio, Pin.OUT, value=value)


class Sensor:
    """A sensor that is on or off."""

    def __init__(self, name):
        self._pin = _input(name)
        self._active = pins.pin(name).active

    def is_on(self):
        """True while a card, the magnet or a finger is at the sensor."""
        return self._pin.value() == self._active

    def watch(self, handler):
        """Call ``handler`` from an interrupt at every change."""
        self._pin.irq(handler, _BOTH_EDGES, hard=True)


class ButtonPins:
    """The pins of all buttons, read in one register read."""

    def __init__(self):
        self._pins = [_input("button_" + str(seat)) for seat in range(pins.SEATS)]

    def read(self):
        """Return the input register: bit n is GPIO n, and so seat n."""
        return mem32[_GPIO_IN]

    def watch(self, handler):
        """Call ``handler`` from an interrupt at every change of any button."""
        for pin in self._pins:
            pin.irq(handler, _BOTH_EDGES, hard=True)


class Lamps:
    """The lamps of the buttons, behind two shift registers."""

    def __init__(self):
        self._data, self._clock, self._latch = (_output("lamps_" + name) for name in ("data", "clock", "latch"))
        self.show(0)

    def show(self, mask):
        """Light the lamps of these seats; bit 0 is seat 0."""
        for bit in range(15, -1, -1):
            self._data.value(mask >> bit & 1)
            self._clock.value(1)
            self._clock.value(0)
        self._latch.value(1)
        self._latch.value(0)


class MotorPower:
    """The 12 V of the motors, behind emergency stop and motor switch, through a divider."""

    def __init__(self):
        self._adc = ADC(Pin(pins.pin("motor_power").gpio))

    def is_on(self):
        """True while the voltage suffices. Interrupt handlers call it: allocates nothing."""
        return self._adc.read_u16() >= _LEAST_POWER


class FeedMotor:
    """The feed motor behind a DRV8871: both inputs high brake it, both low let it coast.

    Between its pulses it brakes, so that its speed is proportional to the duty; a motor that coasts would turn faster.
    """

    def __init__(self):
        self._forward, self._back = (
            PWM(Pin(pins.pin(name).gpio), freq=_FEED_HZ, duty_u16=0) for name in ("feed_forward", "feed_back")
        )

    def forward(self, duty):
        """Run forward; ``duty`` is of 65,535."""
        self._forward.duty_u16(_FULL)
        self._back.duty_u16(_FULL - duty)

    def back(self, duty):
        """Run backward."""
        self._back.duty_u16(_FULL)
        self._forward.duty_u16(_FULL - duty)

    def brake(self):
        """Brake: the motor stands within milliseconds."""
        self._forward.duty_u16(_FULL)
        self._back.duty_u16(_FULL)

    def off(self):
        """Switch the current off."""
        self._forward.duty_u16(0)
        self._back.duty_u16(0)


def _to_fifo(machine_number):
    """Return a DMA channel that feeds words to a state machine of the first PIO as fast as it takes them."""
    channel = rp2.DMA()
    return channel, channel.pack_ctrl(size=2, inc_write=False, treq_sel=machine_number, bswap=False)


class Stepper:
    """The turntable's motor: a PIO program makes the pulses, DMA feeds it the segments. ``is_on``: it has current."""

    def __init__(self):
        self.is_on = False
        self._step = Pin(pins.pin("turn_step").gpio, Pin.OUT, value=0)
        self._direction = _output("turn_direction")
        self._off = _output("turn_off", 1)
        self._machine = rp2.StateMachine(0)
        self._channel, self._control = _to_fifo(0)

    def run(self, clockwise, words, n):
        """Run the first ``n`` segments of ``words`` (`pico.pio`)."""
        self.stop()
        self._direction.value(clockwise)
        self._machine.init(steps, freq=STEP_HZ, set_base=self._step)
        self._channel.config(read=words, write=self._machine, count=n, ctrl=self._control, trigger=True)
        self._machine.active(1)

    def stop(self):
        """Stop the pulses; a motor with current holds its position."""
        self._machine.active(0)
        self._channel.active(0)

    def on(self):
        """Give the motor current."""
        self._off.value(0)
        self.is_on = True

    def off(self):
        """Stop the pulses and take the current away: the motor can be turned by hand."""
        self.stop()
        self._off.value(1)
        self.is_on = False


class Lights:
    """The WS2812 lights of the ring, driven by PIO and DMA.

    `neopixel` would disable interrupts for up to 2 ms a frame, and each button pressed meanwhile would be
    stamped late.
    """

    def __init__(self):
        self._machine = rp2.StateMachine(1, lights, freq=RING_HZ, sideset_base=Pin(pins.pin("ring").gpio))
        self._machine.active(1)
        self._channel, self._control = _to_fifo(1)

    def show(self, buffer):
        """Send four bytes for each light; the last three are blue, red, green."""
        self._channel.config(read=buffer, write=self._machine, count=len(buffer) // 4, ctrl=self._control, trigger=True)


class Tone:
    """The pin of the buzzer."""

    def __init__(self):
        self._pwm = PWM(Pin(pins.pin("buzzer").gpio), freq=1000, duty_u16=0)

    def start(self, pitch):
        """Sound with ``pitch`` Hz until `stop`."""
        self._pwm.freq(pitch)
        self._pwm.duty_u16(_FULL // 2)

    def stop(self):
        """Stop the sound."""
        self._pwm.duty_u16(0)


class Registers:
    """Words that survive a reset: the watchdog's scratch registers 0 to 3."""

    def hold(self):
        """Keep interrupts away; pass the result to `release`."""
        return machine.disable_irq()

    def release(self, held):
        """Let interrupts come again."""
        machine.enable_irq(held)

    def __getitem__(self, n):
        return mem32[_SCRATCH[n]]

    def __setitem__(self, n, word):
        mem32[_SCRATCH[n]] = word


class Board:
    """All devices of the board."""

    def __init__(self):
        self.motor = FeedMotor()
        self.power = MotorPower()
        self.stepper = Stepper()
        self.home, self.marks, self.exit, self.hopper, self.service = (
            Sensor(name) for name in ("home", "marks", "exit", "hopper", "service")
        )
        self.buttons = ButtonPins()
        self.lamps = Lamps()
        self.lights = Lights()
        self.tone = Tone()
        self.registers = Registers()
        self._timer = Timer(-1)
        self._arrived = select.poll()
        self._arrived.register(sys.stdin, select.POLLIN)

    def every(self, period_ms, handler):
        """Call ``handler`` from a timer's interrupt in this period."""
        self._timer.init(period=period_ms, callback=handler, hard=True)

    def wait(self, ms):
        """Wait for bytes from the host, at most this long."""
        self._arrived.poll(ms)

    def motors_off(self):
        """Stop both motors at once; an interrupt handler may call this. A feed motor that ran out would move a card on
        slowly, and its pulse would look like that of two."""
        self.motor.brake()
        self.stepper.off()


def collect():
    """Collect garbage."""
    gc.collect()


def chance():
    """Return a random number of nine digits: the greeting takes the same time at every start."""
    return int.from_bytes(urandom(4), "little") % 900_000_000 + 100_000_000


def watchdog(timeout_ms):
    """Start the watchdog; the returned function must be called more often than its time-out."""
    return WDT(timeout=timeout_ms).feed


def is_on_usb():
    """True once a host has given the Pico an address on USB."""
    return mem32[_USB_ADDRESS] & 0x7F != 0


def is_prompt_wanted():
    """True if `leave` before the reset, or the service button, asked for the prompt of MicroPython."""
    registers = Registers()
    is_asked = registers[_PROMPT] == _ASKED
    registers[_PROMPT] = 0
    return is_asked or Sensor("service").is_on()


def cause():
    """Return why the Pico started: "power" or "watchdog" (also after a reset by a program)."""
    return "watchdog" if machine.reset_cause() == machine.WDT_RESET else "power"


def leave(to):
    """Leave the firmware for "reset", "repl" (MicroPython's prompt) or "bootsel" (the boot ROM, which takes a new
    firmware)."""
    if to == "bootsel":
        machine.bootloader()
    if to == "repl":
        Registers()[_PROMPT] = _ASKED  # through a reset, since nothing else ends the watchdog
    machine.reset()
