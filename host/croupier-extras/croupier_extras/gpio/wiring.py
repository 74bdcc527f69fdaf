"""The wiring of the Raspberry Pi, checked before any pin is touched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from croupier.commands import Key
from croupier.errors import BadConfig
from croupier.i18n import _

GPIOS: Final = range(2, 28)
"""The GPIOs of the Pi's header that a program may use; 0 and 1 belong to the memory chip of a HAT."""

LOW_AT_START: Final = range(9, 28)
"""The Pi pulls these low from power-on until a program takes them, the others high (BCM2711 ARM peripherals, 5.3)."""

SPI_GPIOS: Final = {10: "MOSI", 9: "MISO", 11: "SCLK", 8: "CE0", 7: "CE1"}
"""The kernel reserves all of these for SPI 0, although the ring uses only MOSI."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPin:
    """A key of the panel, to ground. ``seat``: the seat that it belongs to; None: one key for the whole table."""

    key: Key
    gpio: int
    seat: int | None = None

    def __str__(self) -> str:
        if self.seat is None:
            return _("the key {key}", key=self.key)
        return _("the key {key} of seat {seat}", key=self.key, seat=self.seat)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoePins:
    """A shoe without a turntable: the two inputs of the feed motor's DRV8871 (each with 10 k to ground), the light
    barrier at the card exit (high while a card covers it) and, where there is one, the hopper's sensor (low while
    cards lie on it)."""

    forward: int
    back: int
    exit: int
    hopper: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wiring:
    """The devices by GPIO (BCM) number.

    ``buttons``: the UNO buttons of the seats, to ground; seat 0 first. ``ring``: a WS2812 ring at MOSI (GPIO 10).
    ``factory``: gpiozero's pin factory; ``rpigpio`` is RPi.GPIO or rpi-lgpio, whichever is installed. ``memory``: a
    file on a file system in memory (``/run``) that keeps the last job of the shoe when the program ends; "" for none.

    Raises:
        BadConfig: a key or a pin is used twice, a pin does not exist, or a motor is on a pin on which it would run by
            itself.
    """

    keys: tuple[KeyPin, ...] = ()
    buttons: tuple[int, ...] = ()
    shoe: ShoePins | None = None
    ring: bool = False
    factory: Literal["lgpio", "rpigpio"] = "lgpio"
    memory: str = ""

    def __post_init__(self) -> None:
        mistake = next(self._mistakes(), None)
        if mistake is not None:
            raise BadConfig(f"gpio: {mistake}")

    def _mistakes(self) -> Iterator[str]:
        for (key, _seat), n in Counter((one.key, one.seat) for one in self.keys).items():
            if n > 1:
                yield _("the key {key} appears twice: give each its own seat, or leave one out", key=key)
        taken: dict[int, str] = {}
        for what, gpio in self.taken():
            if gpio not in GPIOS:
                least, most = GPIOS[0], GPIOS[-1]
                no_pin = _("GPIO {gpio} cannot be used: expected {least} to {most}", gpio=gpio, least=least, most=most)
                yield f"{what}: {no_pin}"
            if gpio in taken:
                yield _(
                    "{one} and {other} both use GPIO {gpio}: move one of them",
                    one=what, other=taken[gpio], gpio=gpio,
                )  # fmt: skip
            taken[gpio] = what
        for what, gpio in self._motor():
            if gpio not in LOW_AT_START:
                would_run = _(
                    "the Pi pulls GPIO {gpio} high at start-up, and the motor would run: expected {least} "
                        "to {most}",
                    gpio=gpio, least=LOW_AT_START[0], most=LOW_AT_START[-1],
                )  # fmt: skip
                yield f"{what}: {would_run}"

    def taken(self) -> Iterator[tuple[str, int]]:
        """Each device, by name, and its GPIO."""
        if self.ring:
            yield from ((_("the ring ({pin} of SPI 0)", pin=name), gpio) for gpio, name in SPI_GPIOS.items())
        yield from ((str(one), one.gpio) for one in self.keys)
        yield from ((_("the UNO button of seat {seat}", seat=seat), gpio) for seat, gpio in enumerate(self.buttons))
        yield from self._motor()
        if self.shoe is not None:
            yield _("the card exit"), self.shoe.exit
            if self.shoe.hopper is not None:
                yield _("the hopper"), self.shoe.hopper

    def _motor(self) -> Iterator[tuple[str, int]]:
        if self.shoe is not None:
            yield _("the feed motor forward"), self.shoe.forward
            yield _("the feed motor back"), self.shoe.back
