"""Wires between programs on this machine, which a test cuts and mends."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from typing import Any


class Wire:
    """A port at which the program at ``target`` answers, until the wire is cut."""

    def __init__(self, loop: asyncio.AbstractEventLoop, target: int) -> None:
        self.port, self._target, self._loop = 0, target, loop
        self._ends = set[asyncio.StreamWriter]()
        self.mend()

    def cut(self) -> None:
        """Nothing goes through, and nobody is told; who tries again is refused."""
        self._do(self._cut())

    def mend(self) -> None:
        """It is as before."""
        self._do(self._listen())

    def _do(self, what: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(what, self._loop).result()

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._carry, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _cut(self) -> None:
        self._server.close()
        for end in self._ends:
            end.transport.abort()

    async def _carry(self, here: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        ends = {back}
        with suppress(OSError):
            there, forth = await asyncio.open_connection("127.0.0.1", self._target)
            ends |= {forth}
            self._ends |= ends
            _, others = await asyncio.wait(
                {asyncio.ensure_future(_pass_on(here, forth)), asyncio.ensure_future(_pass_on(there, back))},
                return_when=asyncio.FIRST_COMPLETED,
            )
            for one in others:
                one.cancel()
        for end in ends:
            end.transport.abort()
        self._ends -= ends


async def _pass_on(of: asyncio.StreamReader, to: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while content := await of.read(1 << 16):
            to.write(content)
            await to.drain()


@contextmanager
def wires() -> Iterator[asyncio.AbstractEventLoop]:
    """What carries wires."""
    loop = asyncio.new_event_loop()
    carrying = Thread(target=loop.run_forever)
    carrying.start()
    yield loop
    asyncio.run_coroutine_threadsafe(_end(), loop).result()
    loop.call_soon_threadsafe(loop.stop)
    carrying.join()
    loop.close()


async def _end() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for one in others:
        one.cancel()
    await asyncio.gather(*others, return_exceptions=True)
