"""The camera's picture, made once for all who look, and no oftener than anybody needs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final
from zlib import crc32

from starlette.concurrency import run_in_threadpool

from croupier.web.desk import Desk

FRESH_S: Final = 0.4
"""A picture is shown for so long before another is asked of the table."""

LEAST_MS: Final = 500
_EACH_MS: Final = 20
"""Each one who looks makes it so much longer until all look again: two hundred see a picture every four seconds."""


class Shutter:
    """Takes pictures at ``desk``; ``clock``: seconds that do not go back."""

    def __init__(self, desk: Desk, clock: Callable[[], float]) -> None:
        self._desk, self._clock = desk, clock
        self._lock = asyncio.Lock()
        self._taken = float("-inf")
        self._picture: bytes | None = None
        self.tag = ""
        """Tells this picture from the one before, as an ``ETag``."""

    async def picture(self) -> bytes | None:
        """The picture as JPEG; ``None``: there is none."""
        async with self._lock:
            if self._clock() - self._taken > FRESH_S:
                self._picture = await run_in_threadpool(self._desk.camera)
                self._taken = self._clock()
                self.tag = f'"{crc32(self._picture or b""):08x}"'
        return self._picture


def next_ms(followers: int) -> int:
    """When to look again, if so many do."""
    return max(LEAST_MS, _EACH_MS * followers)
