"""The camera's picture for viewers: rendered once for all of them, and asked for more rarely the more they are."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final
from zlib import crc32

from croupier.table_api.live_table import CameraRequest, LiveTable

_FRESH_S: Final = 0.4
"""Time for which a picture is served before the table is asked for another."""

_MIN_INTERVAL_MS: Final = 500
_INTERVAL_PER_FOLLOWER_MS: Final = 20
"""With 200 followers everybody sees a picture every four seconds."""


class CameraCache:
    """The camera's picture, rendered once for all viewers. ``clock``: monotonic seconds."""

    def __init__(self, table: LiveTable | None, clock: Callable[[], float]) -> None:
        self._table, self._clock = table, clock
        self._lock = asyncio.Lock()
        self._taken = float("-inf")
        self._jpeg: bytes | None = None
        self.etag = ""

    async def jpeg(self) -> bytes | None:
        """The picture; ``None`` if there is none."""
        async with self._lock:
            if self._table is not None and self._clock() - self._taken > _FRESH_S:
                self._jpeg = await asyncio.to_thread(self._table.ask, CameraRequest())
                self._taken = self._clock()
                self.etag = f'"{crc32(self._jpeg or b""):08x}"'
        return self._jpeg


def poll_interval_ms(followers: int) -> int:
    """Return the interval between two requests of a viewer for a picture, for this number of viewers."""
    return max(_MIN_INTERVAL_MS, _INTERVAL_PER_FOLLOWER_MS * followers)
