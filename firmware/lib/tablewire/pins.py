"""The pins of the Pico: the part at each pin, its direction, and the color of its wire.

The firmware builds its pins from this table. The pin table of the hardware pages and the wiring diagram are made
from it. ``active``: the level at which the part is on (pressed, covered, running). ``pull``: the resistor that
the Pico switches on, "up" or "down"; "" where the board at the other end holds the line. GPIO 23, 24, 25 and 29
belong to the Pico itself (supply mode, USB sense, LED, supply voltage). GPIO 15 has no output: while USB enumerates,
MicroPython borrows it (erratum RP2040-E5).
"""

from collections import namedtuple

Pin = namedtuple("Pin", ("name", "gpio", "way", "pull", "active", "wire", "to"))

SEATS = 10
"""Maximum number of seats, and so of buttons and lamps."""

FREE_GPIO = tuple(range(23)) + (26, 27, 28)
"""The GPIO numbers on the edge of the Pico."""

_BUTTON_WIRES = ("brown", "red", "orange", "yellow", "green", "blue", "violet", "gray", "white", "black")

PINS = tuple(
    Pin(f"button_{seat}", seat, "in", "up", 0, _BUTTON_WIRES[seat], f"UNO button of seat {seat}, to ground")
    for seat in range(SEATS)
) + (
    Pin("lamps_data", 10, "out", "", 1, "blue", "lamps: SER of two 74AHCT595 in a row"),
    Pin("lamps_clock", 11, "out", "", 1, "yellow", "lamps: SRCLK of both 74AHCT595"),
    Pin("lamps_latch", 12, "out", "", 1, "green", "lamps: RCLK of both 74AHCT595"),
    Pin("turn_step", 13, "pio", "", 1, "white", "turntable: STEP of the TMC2209"),
    Pin("turn_direction", 14, "out", "", 1, "gray", "turntable: DIR of the TMC2209, 1 = clockwise seen from above"),
    Pin("marks", 15, "in", "up", 0, "green", "turntable: second hall switch, low at each of the 24 marks"),
    Pin("home", 16, "in", "up", 0, "orange", "turntable: hall switch, low at the magnet"),
    Pin("feed_forward", 17, "pwm", "down", 1, "red", "feed motor: IN1 of the DRV8871, 10 k to ground"),
    Pin("feed_back", 18, "pwm", "down", 1, "brown", "feed motor: IN2 of the DRV8871, 10 k to ground"),
    Pin("exit", 19, "in", "up", 1, "yellow", "card exit: collector of the light barrier, high while a card covers it"),
    Pin("hopper", 20, "in", "up", 0, "green", "hopper: collector of the reflective sensor, low while cards lie on it"),
    Pin("ring", 21, "pio", "", 1, "blue", "ring: DIN of the WS2812, through 330 ohm and a 74AHCT125"),
    Pin("buzzer", 22, "pwm", "", 1, "orange", "buzzer: base of its transistor"),
    Pin("motor_power", 27, "adc", "", 1, "yellow", "motors' 12 V behind switch and diode: 47 k over 10 k, 100 nF"),
    Pin("turn_off", 28, "out", "up", 1, "violet", "turntable: EN of the TMC2209 (low switches it on), 10 k to 3.3 V"),
    Pin("service", 26, "in", "up", 0, "black", "service button, to ground: held at start it leaves the firmware out"),
)  # fmt: skip


def pin(name: str) -> Pin:
    """Return the pin with this name. Raises KeyError."""
    for row in PINS:
        if row.name == name:
            return row
    raise KeyError(name)
