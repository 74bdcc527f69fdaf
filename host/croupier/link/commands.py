"""What the host may tell the Pico. Written by `make docs` from `tablewire.messages`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Layout of the table. Needed before the first ``go`` of a session.

    ``seats``: seats that play.
    ``lights``: lights of the ring.
    ``speed``: of a card at the exit, in mm/s.
    ``turn_speed``: of the turntable at most, in 1/min.
    ``turn_acceleration``: of the turntable, in rad/s².
    """

    message: ClassVar[str] = "config"
    seats: int
    lights: int
    speed: int
    turn_speed: int
    turn_acceleration: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Direction of a seat.

    ``seat``: which.
    ``angle``: from the magnet, clockwise seen from above, in 0.1°.
    """

    message: ClassVar[str] = "place"
    seat: int
    angle: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Go:
    """Enables the motors, which are disabled after every start."""

    message: ClassVar[str] = "go"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deal:
    """Feed cards to a seat.

    ``job``: number of the job; a finished one is only reported again.
    ``seat``: seat that gets the cards.
    ``n``: number of cards.
    """

    message: ClassVar[str] = "deal"
    job: int
    seat: int
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """Stops and disables the motors until ``go``."""

    message: ClassVar[str] = "stop"


@dataclass(frozen=True, slots=True, kw_only=True)
class Clear:
    """A person cleared the fault."""

    message: ClassVar[str] = "clear"


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """Turn the turntable to the magnet."""

    message: ClassVar[str] = "home"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ring:
    """Sets what the ring shows.

    ``turn``: seat on turn; -1: none.
    ``direction``: of play.
    ``color``: the active color.
    ``mode``: pattern.
    """

    message: ClassVar[str] = "ring"
    turn: int
    direction: Literal["left", "right"]
    color: Literal["none", "red", "yellow", "green", "blue"]
    mode: Literal["play", "challenge", "penalty", "fault", "off"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lamps:
    """Sets the lamps of the buttons.

    ``mask``: bit n: the lamp of seat n is lit.
    """

    message: ClassVar[str] = "lamps"
    mask: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Buzz:
    """Plays a tone.

    ``pitch``: of the tone, in Hz.
    ``duration``: of the tone, in ms.
    """

    message: ClassVar[str] = "buzz"
    pitch: int
    duration: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Test:
    """Tests one part; the answer is ``tested``.

    ``part``: part to test.
    """

    message: ClassVar[str] = "test"
    part: Literal["shoe", "turntable", "buttons", "ring", "lamps", "buzzer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leave:
    """Leaves the firmware with safe outputs.

    ``to``: restart, MicroPython's prompt, or boot ROM.
    """

    message: ClassVar[str] = "leave"
    to: Literal["reset", "repl", "bootsel"]


Command = Config | Place | Go | Deal | Stop | Clear | Home | Ring | Lamps | Buzz | Test | Leave
"""Whatever the host may tell the Pico."""
