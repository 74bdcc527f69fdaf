"""The live table as the page sees it: its state, its camera, and the entry for commands.

The page changes nothing itself. A command goes to the `LiveTable`, which treats it like a key press at the table; the
outcome stands in the log.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Final, Protocol
from zlib import crc32

from croupier.commands import Command, Loudness

_FRESH_S: Final = 0.4
"""A picture is served for so long before the table is asked for another."""

_MIN_INTERVAL_MS: Final = 500
_INTERVAL_PER_FOLLOWER_MS: Final = 20
"""With 200 followers everybody sees a picture every four seconds."""


class LiveTable(Protocol):
    """The table that is being played at. Thread-safe."""

    @property
    def game(self) -> int:
        """The number of the game in the journal."""

    @property
    def is_simulation(self) -> bool:
        """Whether the table is simulated."""

    @property
    def candidates(self) -> tuple[str, ...]:
        """Faces that the unread top card may have, likeliest first; empty if it was read."""

    @property
    def faults(self) -> tuple[str, ...]:
        """Faults that may be provoked; only a simulated table has some."""

    @property
    def loudness(self) -> Loudness | None:
        """Volume of the voice; ``None`` without a voice."""

    @property
    def alarms(self) -> tuple[tuple[str, str], ...]:
        """What does not work now, as devices and kinds of `croupier.alarms`."""

    @property
    def has_camera(self) -> bool:
        """Whether a camera sees the laid cards; otherwise people report them."""

    @property
    def has_shoe(self) -> bool:
        """Whether a shoe deals; otherwise people do."""

    @property
    def may_start_game(self) -> bool:
        """Whether another game may be started now."""

    def camera_jpeg(self) -> bytes | None:
        """The last camera frame with the readings drawn in, as JPEG; ``None`` if there is none."""

    def submit(self, command: Command) -> None:
        """Take in a command; the table carries it out, or not, as the rules and its state allow."""


@dataclass(frozen=True, slots=True)
class LiveTableState:
    """A snapshot of a `LiveTable`."""

    game: int
    is_simulation: bool
    candidates: tuple[str, ...]
    faults: tuple[str, ...]
    loudness: Loudness | None
    alarms: tuple[tuple[str, str], ...]
    has_camera: bool
    has_shoe: bool
    may_start_game: bool

    @classmethod
    def of(cls, table: LiveTable) -> LiveTableState:
        """The state now."""
        return cls(*(getattr(table, field.name) for field in fields(cls)))


class CameraCache:
    """The camera's picture, rendered once for all viewers. ``clock``: monotonic seconds."""

    def __init__(self, table: LiveTable, clock: Callable[[], float]) -> None:
        self._table, self._clock = table, clock
        self._lock = asyncio.Lock()
        self._taken = float("-inf")
        self._jpeg: bytes | None = None
        self.etag = ""

    async def jpeg(self) -> bytes | None:
        """The picture; ``None`` if there is none."""
        async with self._lock:
            if self._clock() - self._taken > _FRESH_S:
                self._jpeg = await asyncio.to_thread(self._table.camera_jpeg)
                self._taken = self._clock()
                self.etag = f'"{crc32(self._jpeg or b""):08x}"'
        return self._jpeg


def poll_interval_ms(followers: int) -> int:
    """How long each of so many followers waits before the next request for a picture."""
    return max(_MIN_INTERVAL_MS, _INTERVAL_PER_FOLLOWER_MS * followers)
