"""What seats see and press: the ring, the lamps, the UNO buttons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from croupier.devices.protocols import Light
from croupier.events import CommandGiven, Press
from croupier.link import commands
from croupier.link import reports as wire

Tell = Callable[..., None]
"""Tells the Pico commands, in order."""


class PicoRing:
    """The ring of lights, and the lamps of the buttons. Implements `Ring`."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._ring = commands.Ring(turn=-1, direction="left", color="none", mode="off")
        self._lamps = commands.Lamps(mask=0)

    def show(self, light: Light) -> None:
        """Show this from now on; the lamp of the seat on turn is lit."""
        self._ring = commands.Ring(
            turn=-1 if light.turn is None else light.turn,
            direction=light.direction,
            color=_color(light.color),
            mode=light.mode,
        )
        self._lamps = commands.Lamps(mask=0 if light.turn is None else 1 << light.turn)
        self.tell()

    def tell(self) -> None:
        """Tell the Pico what it shows."""
        self._tell(self._ring, self._lamps)


class PicoButtons:
    """The UNO buttons. Implements `Panel`."""

    def __init__(self, listen: Callable[[], None]) -> None:
        self._listen = listen
        self._presses: list[Press] = []
        self.stuck: tuple[int, ...] = ()
        """The seats whose buttons hang."""

    def presses(self) -> tuple[Press | CommandGiven, ...]:
        """What has been pressed since the last call. Seats that pressed in the same instant have the same time."""
        self._listen()
        presses, self._presses = tuple(self._presses), []
        return presses

    def pressed(self, press: wire.Press) -> None:
        """Buttons went down."""
        self._presses.extend(Press(t=press.t, u=press.u, seat=seat, key="uno") for seat in _seats(press.mask))

    def hang(self, mask: int) -> None:
        """These buttons have been down for longer than anybody holds one; no others have."""
        self.stuck = _seats(mask)


def _seats(mask: int) -> tuple[int, ...]:
    return tuple(seat for seat in range(mask.bit_length()) if mask >> seat & 1)


def _color(color: str | None) -> Literal["none", "red", "yellow", "green", "blue"]:
    match color:
        case "red" | "yellow" | "green" | "blue":
            return color
        case _:
            return "none"
