"""What hangs on which pin of the Raspberry Pi, checked before any of them is touched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, get_args

from croupier.commands import Key
from croupier.errors import BadConfig
from croupier.i18n import _
from croupier.referee.header import MOST_SEATS

GPIOS: Final = range(2, 28)
"""What the Pi has on its header and lends out; GPIO 0 and 1 belong to the memory chip of a HAT."""

LOW_AT_START: Final = range(9, 28)
"""These the Pi pulls low from power-on until a program takes them, the others high (BCM2711 ARM peripherals, 5.3)."""

SPI_GPIOS: Final = {10: "MOSI", 9: "MISO", 11: "SCLK", 8: "CE0", 7: "CE1"}
"""What the kernel takes with SPI 0, though the ring is only at MOSI."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPin:
    """A key of the panel, to ground. ``seat``: whose it is; None: one for the table, pressed by whoever is asked."""

    key: Key
    gpio: int
    seat: int | None = None


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
    """What hangs where, by GPIO (BCM) number.

    ``buttons``: the UNO buttons of the seats, to ground; seat 0 first. ``ring``: a WS2812 ring hangs on MOSI (GPIO 10).
    ``factory``: what gpiozero drives the pins with; ``rpigpio`` is RPi.GPIO or rpi-lgpio, whichever is installed.
    ``memory``: a file on a file system in memory (``/run``) that keeps the last job of the shoe when the program ends;
    "" where it may be forgotten.

    Raises:
        BadConfig: a pin is there twice or does not exist, or a motor hangs where it would run by itself.
    """

    keys: tuple[KeyPin, ...] = ()
    buttons: tuple[int, ...] = ()
    shoe: ShoePins | None = None
    ring: bool = False
    factory: Literal["lgpio", "rpigpio"] = "lgpio"
    memory: str = ""

    def __post_init__(self) -> None:
        if self.factory not in ("lgpio", "rpigpio"):
            raise BadConfig("gpio: " + _("pin factory {name}: expected lgpio or rpigpio", name=f'"{self.factory}"'))
        if len(self.buttons) > MOST_SEATS:
            n = len(self.buttons)
            raise BadConfig("gpio: " + _("{n} UNO buttons: expected {most} at most", n=n, most=MOST_SEATS))
        self._check_keys()
        taken: dict[int, str] = {}
        for what, gpio in self.taken():
            if gpio not in GPIOS:
                least, most = GPIOS[0], GPIOS[-1]
                no_pin = _(
                    "there is no GPIO {gpio} to use: expected {least} to {most}", gpio=gpio, least=least, most=most
                )
                raise BadConfig(f"gpio: {what}: {no_pin}")
            if gpio in taken:
                twice = _("{one} and {other} both hang on GPIO {gpio}: move one of them",
                          one=what, other=taken[gpio], gpio=gpio)  # fmt: skip
                raise BadConfig(f"gpio: {twice}")
            taken[gpio] = what
        for what, gpio in self._motor():
            if gpio not in LOW_AT_START:
                least, most = LOW_AT_START[0], LOW_AT_START[-1]
                would_run = _(
                    "the Pi pulls GPIO {gpio} high when it starts, and the motor would run: expected {least} to {most}",
                    gpio=gpio,
                    least=least,
                    most=most,
                )
                raise BadConfig(f"gpio: {what}: {would_run}")

    def taken(self) -> Iterator[tuple[str, int]]:
        """What is taken: what hangs there, and its GPIO."""
        if self.ring:
            yield from ((_("the ring ({pin} of SPI 0)", pin=name), gpio) for gpio, name in SPI_GPIOS.items())
        for one in self.keys:
            yield _called(one), one.gpio
        for seat, gpio in enumerate(self.buttons):
            yield _("the UNO button of seat {seat}", seat=seat), gpio
        yield from self._motor()
        if self.shoe is not None:
            yield _("the card exit"), self.shoe.exit
            if self.shoe.hopper is not None:
                yield _("the hopper"), self.shoe.hopper

    def _motor(self) -> Iterator[tuple[str, int]]:
        if self.shoe is not None:
            yield _("the feed motor forward"), self.shoe.forward
            yield _("the feed motor back"), self.shoe.back

    def _check_keys(self) -> None:
        for at, one in enumerate(self.keys):
            if one.key not in get_args(Key):
                known = ", ".join(get_args(Key))
                raise BadConfig(
                    "gpio: " + _("there is no key {name}: expected one of {names}", name=f'"{one.key}"', names=known)
                )
            if one.key == "uno" and one.seat is None:
                raise BadConfig("gpio: " + _("the key uno: expected the seat whose it is (or list it in buttons)"))
            if one.seat is not None and one.seat not in range(MOST_SEATS):
                no_seat = _("there is no seat {seat}: expected 0 to {last}", seat=one.seat, last=MOST_SEATS - 1)
                raise BadConfig(f"gpio: {_called(one)}: {no_seat}")
            if (one.key, one.seat) in ((other.key, other.seat) for other in self.keys[:at]):
                twice = _("the key {key} is there twice: give each a seat of its own, or leave one out", key=one.key)
                raise BadConfig(f"gpio: {twice}")


def _called(one: KeyPin) -> str:
    if one.seat is None:
        return _("the key {key}", key=one.key)
    return _("the key {key} of seat {seat}", key=one.key, seat=one.seat)
