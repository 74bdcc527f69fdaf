"""What people do on the page, and whoever runs the table that they do it to.

The page changes nothing itself: a wish goes to the `Desk`, the table takes it in as it takes a press of a button, and
what comes of it stands in the log.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Protocol

from croupier.commands import Command, Loudness


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

    def wish(self, wish: Command) -> None:
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
