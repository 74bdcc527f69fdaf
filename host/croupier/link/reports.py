"""What the Pico reports, on the table's clock: ``t`` in seconds, ``u`` its uncertainty.

Written by `make docs` from `tablewire.messages`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """State of the shoe: first report of a session, and after ``go``, ``stop``, ``clear``.

    ``step``: what the shoe does.
    ``armed``: 1: the motors may run.
    ``hopper``: state of the hopper.
    ``job``: the last job; 0: none since power-on.
    ``asked``: cards of this job.
    ``fed``: cards of it that passed the exit.
    ``lost``: reports lost to a full queue since the start.
    """

    message: ClassVar[str] = "state"
    t: float
    u: float
    step: Literal["idle", "homing", "turning", "feeding", "fault"]
    armed: int
    hopper: Literal["empty", "filled"]
    job: int
    asked: int
    fed: int
    lost: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """Buttons were pressed, all in one reading of the pins.

    ``mask``: bit n: the button of seat n went down.
    """

    message: ClassVar[str] = "press"
    t: float
    u: float
    mask: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A card passed the exit.

    ``job``: job of the card; the last one if none was running.
    ``index``: 1 is the first card of the job.
    ``pulse``: how long it covered the exit, in µs.
    ``gap``: how long the exit was free before; 0: first card of a job, in µs.
    """

    message: ClassVar[str] = "card"
    t: float
    u: float
    job: int
    index: int
    pulse: int
    gap: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A job is over. Repeated, without feeding, if the job is sent again.

    ``job``: which.
    ``asked``: cards of the job.
    ``fed``: cards that passed the exit.
    ``why``: why it ended.
    """

    message: ClassVar[str] = "done"
    t: float
    u: float
    job: int
    asked: int
    fed: int
    why: Literal[
        "complete",
        "double-feed",
        "jam",
        "empty",
        "stopped",
        "silence",
        "longest-run",
        "turntable",
        "in-doubt",
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A job was not started and is not stored.

    ``job``: which.
    ``why``: ``go`` is missing; ``clear`` is missing; another job runs; the seat has no place.
    """

    message: ClassVar[str] = "refused"
    t: float
    u: float
    job: int
    why: Literal["disarmed", "fault", "busy", "no-seat"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A fault; the motors stop until ``clear``.

    ``kind``: kind of fault.
    ``detail``: by kind: mask of buttons, lost steps or reports, job; or 0.
    """

    message: ClassVar[str] = "fault"
    t: float
    u: float
    kind: Literal[
        "double-feed",
        "jam",
        "surplus",
        "no-magnet",
        "lost-steps",
        "longest-run",
        "silence",
        "stuck-button",
        "exit-blocked",
        "in-doubt",
        "overflow",
    ]
    detail: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleared:
    """The sensors see no fault any more."""

    message: ClassVar[str] = "cleared"
    t: float
    u: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Hopper:
    """The hopper was filled, or is empty.

    ``level``: state of the hopper.
    """

    message: ClassVar[str] = "hopper"
    t: float
    u: float
    level: Literal["empty", "filled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """Result of a test.

    ``part``: which.
    ``ok``: 1: as it should be.
    ``detail``: measured value, by part.
    """

    message: ClassVar[str] = "tested"
    t: float
    u: float
    part: Literal["shoe", "turntable", "buttons", "ring", "lamps", "buzzer"]
    ok: int
    detail: int


Report = State | Press | Card | Done | Refused | Fault | Cleared | Hopper | Tested
"""Whatever the Pico may report."""
