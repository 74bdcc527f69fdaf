"""What the host may tell the Pico. Written by `make docs` from `tablewire.messages`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """How the table is built. Comes before the first ``go`` of a session.

    ``seats``: how many seats play; their buttons are 0 to seats - 1.
    ``lights``: how many lights the ring has.
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
    """Where the shoe deals to a seat.

    ``seat``: which.
    ``angle``: from the magnet, clockwise seen from above, in 0.1°.
    """

    message: ClassVar[str] = "place"
    seat: int
    angle: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Go:
    """The motors may run. After every start they may not until this comes."""

    message: ClassVar[str] = "go"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deal:
    """Feed cards to a seat.

    ``job``: number of the job; one that was done is only reported again.
    ``seat``: which hand gets the cards.
    ``n``: how many.
    """

    message: ClassVar[str] = "deal"
    job: int
    seat: int
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """All motors stand still, and may not run until ``go``."""

    message: ClassVar[str] = "stop"


@dataclass(frozen=True, slots=True, kw_only=True)
class Clear:
    """A person took the trouble out of the way."""

    message: ClassVar[str] = "clear"


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """Turn the turntable to the magnet."""

    message: ClassVar[str] = "home"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ring:
    """What the ring shows from now on.

    ``turn``: whose turn it is; -1: nobody's.
    ``direction``: of play.
    ``color``: the active color.
    ``mode``: what the ring tells.
    """

    message: ClassVar[str] = "ring"
    turn: int
    direction: Literal["left", "right"]
    color: Literal["none", "red", "yellow", "green", "blue"]
    mode: Literal["play", "challenge", "penalty", "fault", "off"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lamps:
    """Which lamps of the buttons are lit.

    ``mask``: bit n: the lamp of seat n is lit.
    """

    message: ClassVar[str] = "lamps"
    mask: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Buzz:
    """Give a sound.

    ``pitch``: of the tone, in Hz.
    ``duration``: of the tone, in ms.
    """

    message: ClassVar[str] = "buzz"
    pitch: int
    duration: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Test:
    """Try a part by itself; the answer is ``tested``.

    ``part``: what to try.
    """

    message: ClassVar[str] = "test"
    part: Literal["shoe", "turntable", "buttons", "ring", "lamps", "buzzer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leave:
    """Leave the firmware; the outputs are safe before.

    ``to``: a fresh start, MicroPython's prompt, or the boot ROM.
    """

    message: ClassVar[str] = "leave"
    to: Literal["reset", "repl", "bootsel"]


Command = Config | Place | Go | Deal | Stop | Clear | Home | Ring | Lamps | Buzz | Test | Leave
"""Whatever the host may tell the Pico."""
