"""The commands to the Pico.

Written by `make docs` from `tablewire.messages`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class _Command:
    message: ClassVar[str]  # the name on the line

    def __init_subclass__(cls) -> None:
        cls.message = cls.__name__.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Config(_Command):
    """Layout of the table. Needed before the first ``go`` of a session."""

    seats: int  # seats that play
    lights: int  # lights of the ring
    speed: int  # of a card at the exit, in mm/s
    turn_speed: int  # of the turntable at most, in 1/min
    turn_acceleration: int  # of the turntable, in rad/s²


@dataclass(frozen=True, slots=True, kw_only=True)
class Place(_Command):
    """Direction of a seat."""

    seat: int  # which
    angle: int  # from the magnet, clockwise seen from above, in 0.1°


@dataclass(frozen=True, slots=True, kw_only=True)
class Go(_Command):
    """Enables the motors, which are disabled after every start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deal(_Command):
    """Feed cards to a seat."""

    job: int  # number of the job; a finished one is only reported again
    seat: int  # seat that gets the cards
    n: int  # number of cards


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop(_Command):
    """Stops and disables the motors until ``go``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clear(_Command):
    """A person cleared the fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Home(_Command):
    """Turn the turntable to the magnet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ring(_Command):
    """Sets what the ring shows."""

    turn: int  # seat on turn, with penalty the seat that draws; -1: none
    direction: Literal["left", "right"]  # of play
    color: Literal["none", "red", "yellow", "green", "blue"]  # the active color
    mode: Literal["play", "challenge", "penalty", "choose", "fault", "off"]  # pattern
    n: int  # with penalty: cards to draw; with choose: bit n: seat n may be chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class Lamps(_Command):
    """Sets the lamps of the buttons."""

    mask: int  # bit n: the lamp of seat n is lit


@dataclass(frozen=True, slots=True, kw_only=True)
class Buzz(_Command):
    """Plays a tone."""

    pitch: int  # of the tone, in Hz
    duration: int  # of the tone, in ms


@dataclass(frozen=True, slots=True, kw_only=True)
class Test(_Command):
    """Tests one part; the answer is ``tested``."""

    part: Literal["shoe", "turntable", "buttons", "ring", "lamps", "buzzer", "marks", "contacts"]  # part to test


@dataclass(frozen=True, slots=True, kw_only=True)
class Leave(_Command):
    """Leaves the firmware with safe outputs; taken from a host of any version, so that it can install its firmware."""

    to: Literal["reset", "repl", "bootsel"]  # restart, MicroPython's prompt, or boot ROM


Command = Config | Place | Go | Deal | Stop | Clear | Home | Ring | Lamps | Buzz | Test | Leave
"""Every command."""
