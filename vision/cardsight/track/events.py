"""The events on a discard pile that the camera reports: plain data. All times are seconds on the frames' clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cardsight.sighting import Corners

Trouble = Literal["no-picture", "frozen", "dark", "blurred", "covered", "moved", "unsteady", "torn"]
"""The faults of a camera."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """A card was laid on the pile at ``t`` ± ``u``: ``face``, or ``?`` with ``candidates``; ``runners_up``: as in
    `Sighting`.

    ``seat``: the side from which the hand came, ``None`` where it is unknown, with ``seat_confidence`` 0…1.
    ``is_covered``: another card lies on it already.
    """

    t: float
    u: float
    face: str
    corners_px: Corners
    candidates: tuple[tuple[str, float], ...] = ()
    runners_up: tuple[str, ...] = ()
    seat: int | None = None
    seat_confidence: float = 0.0
    is_covered: bool = False


@dataclass(frozen=True, slots=True)
class Lifted:
    """The top card was taken off."""

    t: float
    u: float
    face: str


@dataclass(frozen=True, slots=True)
class Pushed:
    """The pile looks different, but no card came or went."""

    t: float
    u: float = 0.0


@dataclass(frozen=True, slots=True)
class Recognized:
    """The top card, reported as ``?`` before, was pushed and can be read now."""

    t: float
    face: str
    u: float = 0.0


@dataclass(frozen=True, slots=True)
class Doubted:
    """The top card was pushed and now reads as another one: it is one of the ``candidates``, the latest reading
    first. No card came."""

    t: float
    candidates: tuple[str, ...]
    u: float = 0.0


@dataclass(frozen=True, slots=True)
class TakenAway:
    """The pile was taken away, or turned over; ``left``: the face of the card that stayed, if one did."""

    t: float
    left: str | None
    u: float = 0.0


@dataclass(frozen=True, slots=True)
class CameraFailed:
    """The camera shows nothing usable since ``t``; no events follow until `CameraWell`."""

    t: float
    kind: Trouble
    u: float = 0.0


@dataclass(frozen=True, slots=True)
class CameraWell:
    """The camera sees the table again."""

    t: float
    u: float = 0.0


Event = Touched | Lifted | Pushed | Recognized | Doubted | TakenAway | CameraFailed | CameraWell
