"""What can happen on a discard pile, as the camera tells it: plain data. All times in seconds on the frames' clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cardsight.sighting import Corners

Trouble = Literal["no-picture", "frozen", "dark", "blurred", "covered", "moved", "unsteady"]
"""What can be wrong with a camera."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """A card was laid on the pile: ``face``, or ``?`` with ``candidates``. It touched at ``t`` give or take ``u``.
    ``seat``: from whose side the hand came (``None`` where nobody can tell), with ``seat_confidence`` 0…1."""

    t: float
    u: float
    face: str
    corners_px: Corners
    candidates: tuple[tuple[str, float], ...] = ()
    seat: int | None = None
    seat_confidence: float = 0.0


@dataclass(frozen=True, slots=True)
class Lifted:
    """The top card was taken off again."""

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
    """The top card, told as ``?`` before, was pushed and can be read."""

    t: float
    face: str
    u: float = 0.0


@dataclass(frozen=True, slots=True)
class Doubted:
    """The top card was pushed and is read as another one than before: it may be either of the ``candidates``, the last
    reading first. No card came."""

    t: float
    candidates: tuple[str, ...]
    u: float = 0.0


@dataclass(frozen=True, slots=True)
class TakenAway:
    """The pile was taken away, or turned; ``left`` is the face of the card that stayed, if one did."""

    t: float
    left: str | None
    u: float = 0.0


@dataclass(frozen=True, slots=True)
class CameraFailed:
    """The camera shows nothing to go by since ``t``; nothing is told until `CameraWell`."""

    t: float
    kind: Trouble
    u: float = 0.0


@dataclass(frozen=True, slots=True)
class CameraWell:
    """The camera sees the table again."""

    t: float
    u: float = 0.0


Event = Touched | Lifted | Pushed | Recognized | Doubted | TakenAway | CameraFailed | CameraWell
