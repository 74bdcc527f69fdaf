"""What people do on the page, and whoever runs the table that they do it to.

The page changes nothing itself: a wish goes to the `Desk`, the table takes it in as it takes a press of a button, and
what comes of it stands in the log.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, Protocol

from croupier.commands import Saying
from croupier.referee import Header

Key = Literal[
    "uno", "draw", "pass", "accept", "challenge", "acted", "decline", "go", "pause", "red", "yellow", "green", "blue"
]


@dataclass(frozen=True, slots=True)
class Pressed:
    """A seat pressed one of its keys on the page."""

    seat: int
    key: Key


@dataclass(frozen=True, slots=True)
class Begun:
    """The next game is to be this one."""

    header: Header


@dataclass(frozen=True, slots=True)
class Provoked:
    """A fault that the simulation is to have now: one of `Desk.faults`."""

    fault: str


@dataclass(frozen=True, slots=True)
class Loudness:
    """How loud the voice of the table is, or is to be: 0…100, and whether it is silent all the same."""

    volume: int
    muted: bool


Wish = Pressed | Saying | Begun | Provoked | Loudness


class Desk(Protocol):
    """A table that is played at now. Everything may be called from another thread than the table's."""

    @property
    def game(self) -> int:
        """Which game of the journal it is."""

    @property
    def is_simulation(self) -> bool:
        """Whether nothing of it is real."""

    @property
    def candidates(self) -> tuple[str, ...]:
        """What the card on top may be, likeliest first, where nobody could read it."""

    @property
    def faults(self) -> tuple[str, ...]:
        """What may be provoked."""

    @property
    def loudness(self) -> Loudness | None:
        """How loud the voice is; ``None`` where there is none."""

    @property
    def troubles(self) -> tuple[tuple[str, str], ...]:
        """What does not work now, as devices and kinds of `croupier.alarms`."""

    @property
    def has_camera(self) -> bool:
        """Whether a camera sees what is laid; else people say it."""

    @property
    def has_shoe(self) -> bool:
        """Whether a shoe deals; else people do."""

    @property
    def may_begin(self) -> bool:
        """Whether another game may be begun now."""

    def camera(self) -> bytes | None:
        """What the camera sees, with what was read drawn in, as JPEG; ``None`` where there is no picture."""

    def wish(self, wish: Wish) -> None:
        """Take it in; it is acted on, or not, as the rules and the table have it."""


@dataclass(frozen=True, slots=True)
class DeskState:
    """All that a `Desk` tells at one moment."""

    game: int
    is_simulation: bool
    candidates: tuple[str, ...]
    faults: tuple[str, ...]
    loudness: Loudness | None
    troubles: tuple[tuple[str, str], ...]
    has_camera: bool
    has_shoe: bool
    may_begin: bool

    @classmethod
    def by(cls, desk: Desk) -> DeskState:
        """What it tells now."""
        return cls(*(getattr(desk, item.name) for item in fields(cls)))
