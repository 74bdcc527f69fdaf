"""A WS2812 ring at the Pi's SPI: no pin could be switched so exactly by a program, and the Pi 5 has no other way."""

from __future__ import annotations

from typing import Any, Final

from croupier.devices.gpio.pins import library
from croupier.errors import GpioUnavailable, one_line

HZ: Final = 2_400_000
"""Three bits of SPI are one of the ring, 1.25 µs: `100` is a 0 (0.42 µs high), `110` a 1 (0.83 µs), both within the
0.15 µs that the data sheet (WS2812B, Worldsemi) allows."""

_RESET: Final = bytes(90)
"""Low for 300 µs: the frame is over (280 µs for the WS2812B-V5)."""


def _bits(value: int) -> bytes:
    triplets = "".join("110" if value >> bit & 1 else "100" for bit in range(7, -1, -1))
    return int(triplets, 2).to_bytes(3, "big")


_BITS: Final = tuple(_bits(value) for value in range(256))


def pulses(buffer: bytes | bytearray) -> bytes:
    """What goes out by SPI for four bytes a light, the last three of them blue, red, green (`pico.ring`).

    It begins low, since MOSI may have rested high.
    """
    lights = (buffer[at + part] for at in range(0, len(buffer), 4) for part in (3, 2, 1))
    return b"".join((b"\0", *(_BITS[value] for value in lights), _RESET))


class SpiLights:
    """The ring at MOSI of SPI 0.

    Raises:
        GpioUnavailable: SPI is not switched on.
    """

    def __init__(self) -> None:
        try:
            self._lgpio: Any = library()
            self._spi = self._lgpio.spi_open(0, 0, HZ, 0)
        except Exception as err:
            raise GpioUnavailable(
                f"the ring: SPI 0 cannot be opened ({one_line(str(err))}): switch it on with "
                "raspi-config nonint do_spi 0"
            ) from err

    def show(self, buffer: bytes | bytearray) -> None:
        """Show a frame of `pico.ring`."""
        self._lgpio.spi_write(self._spi, pulses(buffer))

    def close(self) -> None:
        """Let go of it, dark if it takes that frame."""
        try:
            self._lgpio.spi_write(self._spi, pulses(bytes(4 * 60)))
        finally:
            self._lgpio.spi_close(self._spi)
