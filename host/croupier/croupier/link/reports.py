"""The reports of the Pico: ``t`` in seconds on the table's clock, ``u`` its uncertainty.

Written by `make docs` from `tablewire.messages`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class _Report:
    message: ClassVar[str]  # the name on the line
    t: float
    u: float

    def __init_subclass__(cls) -> None:
        cls.message = cls.__name__.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class State(_Report):
    """State of the shoe: first report of a session, and after ``go``, ``stop``, ``clear``."""

    step: Literal["idle", "homing", "turning", "feeding", "fault"]  # what the shoe does
    armed: int  # 1: the motors may run
    hopper: Literal["empty", "filled"]  # state of the hopper
    job: int  # the last job; 0: none since power-on
    asked: int  # cards of this job
    fed: int  # cards of it that passed the exit
    lost: int  # reports lost to a full queue since the start


@dataclass(frozen=True, slots=True, kw_only=True)
class Press(_Report):
    """Buttons were pressed, all in one reading of the pins."""

    mask: int  # bit n: the button of seat n went down


@dataclass(frozen=True, slots=True, kw_only=True)
class Card(_Report):
    """A card passed the exit."""

    job: int  # job of the card; the last one if none was running
    index: int  # 1 is the first card of the job
    pulse: int  # how long it covered the exit, in µs
    gap: int  # how long the exit was free before; 0: first card of a job, in µs


@dataclass(frozen=True, slots=True, kw_only=True)
class Done(_Report):
    """A job is over. Repeated, without feeding, if the job is sent again."""

    job: int  # which
    asked: int  # cards of the job
    fed: int  # cards that passed the exit
    why: Literal[  # why it ended
        "complete", "double-feed", "jam", "empty", "stopped", "silence", "longest-run", "turntable", "in-doubt",
        "no-power",
    ]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused(_Report):
    """A job was not started and is not stored."""

    job: int  # which
    why: Literal[  # go is missing; clear is missing; another job runs; the seat has no place
        "disarmed", "fault", "busy", "no-seat",
    ]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault(_Report):
    """A fault; the motors stop until ``clear``."""

    kind: Literal[  # kind of fault
        "double-feed", "jam", "surplus", "no-magnet", "lost-steps", "longest-run", "silence", "stuck-button",
        "exit-blocked", "in-doubt", "overflow", "no-power", "pushed",
    ]  # fmt: skip
    detail: int  # by kind: mask of buttons, lost steps or reports, job; or 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleared(_Report):
    """The sensors see no fault any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hopper(_Report):
    """The hopper was filled, or is empty."""

    level: Literal["empty", "filled"]  # state of the hopper


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested(_Report):
    """Result of a test."""

    part: Literal["shoe", "turntable", "buttons", "ring", "lamps", "buzzer", "marks", "contacts"]  # which
    ok: int  # 1: as it should be
    detail: int  # measured value, by part


Report = State | Press | Card | Done | Refused | Fault | Cleared | Hopper | Tested
"""Every report."""
