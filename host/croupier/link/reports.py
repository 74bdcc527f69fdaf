"""What the Pico reports, on the table's clock: ``t`` in seconds, ``u`` its uncertainty.

Written by `make docs` from `tablewire.messages`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """How things stand. The first report of every session, and told after ``go``, ``stop`` and ``clear``.

    ``step``: what the shoe does.
    ``armed``: 1: the motors may run.
    ``hopper``: whether there are cards.
    ``job``: the last job; 0: none is known, since the power was gone.
    ``asked``: its cards.
    ``fed``: how many of them passed.
    ``lost``: reports that found the queue full since the start.
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
    """Buttons were pressed: all that one reading of the pins showed.

    ``mask``: bit n: the button of seat n went down in this very instant.
    """

    message: ClassVar[str] = "press"
    t: float
    u: float
    mask: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A card has passed the exit.

    ``job``: of which job; the last one where none was running.
    ``index``: 1 is the first card of the job.
    ``pulse``: how long it covered the exit, in µs.
    ``gap``: how long the exit was free before; 0: first card of the job, in µs.
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
    """A job is over. Told again, without feeding, when the job is asked for again.

    ``job``: which.
    ``asked``: cards that were asked for.
    ``fed``: cards that really passed.
    ``why``: how it ended.
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
    """A job was not begun, and is not remembered.

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
    """Something is wrong; the motors stand still until ``clear``.

    ``kind``: what is wrong.
    ``detail``: the buttons' mask, the steps lost, the job: as the kind has it; or 0.
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
    """The trouble is out of the way, as far as the sensors see."""

    message: ClassVar[str] = "cleared"
    t: float
    u: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Hopper:
    """The hopper was filled, or is empty.

    ``level``: whether there are cards.
    """

    message: ClassVar[str] = "hopper"
    t: float
    u: float
    level: Literal["empty", "filled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """How a part stood its test.

    ``part``: which.
    ``ok``: 1: as it should be.
    ``detail``: what was measured, as the part has it.
    """

    message: ClassVar[str] = "tested"
    t: float
    u: float
    part: Literal["shoe", "turntable", "buttons", "ring", "lamps", "buzzer"]
    ok: int
    detail: int


Report = State | Press | Card | Done | Refused | Fault | Cleared | Hopper | Tested
"""Whatever the Pico may report."""
