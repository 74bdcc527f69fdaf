"""The live table as the page sees it: its state, its camera, and the entry for commands.

The page changes nothing itself. A command goes to the `LiveTable`, which treats it like a key press at the table; the
outcome stands in the log.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol
from zlib import crc32

from croupier.commands import Command, Loudness

_FRESH_S: Final = 0.4
"""A picture is served for so long before the table is asked for another."""

_MIN_INTERVAL_MS: Final = 500
_INTERVAL_PER_FOLLOWER_MS: Final = 20
"""With 200 followers everybody sees a picture every four seconds."""


@dataclass(frozen=True, slots=True)
class LiveTableState:
    """A snapshot of the table that is being played at.

    ``game``: its number in the journal; 0 before there is one.
    ``candidates``: faces that the unread top card may have, likeliest first; empty if it was read.
    ``faults``: faults that may be provoked; only a simulated table has some.
    ``loudness``: of the voice; ``None`` without a voice.
    ``alarms``: what does not work now, as devices and kinds of `croupier.alarms`.
    ``has_camera``: a camera sees the laid cards; otherwise people report them.
    ``has_shoe``: a shoe deals; otherwise people do.
    ``may_start_game``: another game may be started now.
    """

    game: int
    is_simulation: bool
    candidates: tuple[str, ...]
    faults: tuple[str, ...]
    loudness: Loudness | None
    alarms: tuple[tuple[str, str], ...]
    has_camera: bool
    has_shoe: bool
    may_start_game: bool


class LiveTable(Protocol):
    """The table that is being played at. Thread-safe."""

    @property
    def state(self) -> LiveTableState:
        """The state now."""

    def camera_jpeg(self) -> bytes | None:
        """The last camera frame with the readings drawn in, as JPEG; ``None`` if there is none."""

    def submit(self, command: Command) -> None:
        """Take in a command; the table carries it out, or not, as the rules and its state allow."""


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
