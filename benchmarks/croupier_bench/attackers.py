"""Visitors who would take the page from the others, and honest readers: real sockets on loopback, in a process of
their own.

    python -m croupier_bench.attackers HOST PORT PID SECONDS SLOW STREAMS GUESSERS READERS

``SLOW`` connections send a request byte by byte, ``STREAMS`` follow the game in every language and view, ``GUESSERS``
try codes; those of a kind share addresses of the loopback network 127.0.0.0/8 (Linux). Who is thrown out comes again.
``READERS``, from another address, load the page again and again. After ``SECONDS`` one line of JSON tells how it went:
see `Outcome`. ``PID``: the process of the page.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Final

LANGUAGES: Final = ("en", "de", "fr", "es", "it", "nl", "pl", "pt", "sv", "el", "hu")
VIEWS: Final = ("kind=table", "kind=board", *(f"kind=seat&seat={seat}" for seat in range(3)))
PER_ADDRESS: Final = 20
"""Slow connections and streams of one address."""

BYTE_S: Final = 1.0
BACK_S: Final = 5.0
"""Time after which an attacker that was thrown out comes again."""

GUESS_S: Final = 0.2
READ_S: Final = 0.1
"""Pauses between two codes of a guesser, and between two pages of a reader."""


@dataclass
class Outcome:
    """``reads``: seconds that each page of a reader took; ``cpu``: of these, seconds that the page's process worked;
    ``refused``: how many requests of readers failed; ``guesses``, ``streams``: answers by status; ``slow``: slow
    connections that were opened."""

    reads: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    refused: int = 0
    guesses: Counter[str] = field(default_factory=Counter)
    streams: Counter[str] = field(default_factory=Counter)
    slow: int = 0


class Attack:
    """All who come to the page ``host``:``port``."""

    def __init__(self, host: str, port: int, pid: int) -> None:
        self._host, self._port, self._pid = host, port, pid
        self.outcome = Outcome()

    async def run(self, seconds: float, slow: int, streams: int, guessers: int, readers: int) -> None:
        """Come for so long."""
        visitors = [self._come_slowly(_address(1, i // PER_ADDRESS)) for i in range(slow)]
        visitors += [self._follow(_address(2, i // PER_ADDRESS), i) for i in range(streams)]
        visitors += [self._guess(_address(3, i)) for i in range(guessers)]
        visitors += [self._read() for _ in range(readers)]
        tasks = [asyncio.create_task(visitor) for visitor in visitors]
        await asyncio.sleep(seconds)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _open(self, address: str, request: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection(self._host, self._port, local_addr=(address, 0))
        writer.write(request.encode())
        return reader, writer

    def _request(self, path: str, *headers: str, method: str = "GET") -> str:
        return "\r\n".join((f"{method} {path} HTTP/1.1", f"Host: {self._host}", *headers, "", ""))

    async def _come_slowly(self, address: str) -> None:
        request = self._request("/games/1")
        while True:
            with suppress(OSError):
                _reader, writer = await self._open(address, "")
                self.outcome.slow += 1
                try:
                    for letter in request[:-2]:
                        writer.write(letter.encode())
                        await writer.drain()
                        await asyncio.sleep(BYTE_S)
                finally:
                    writer.close()
            await asyncio.sleep(BACK_S)

    async def _follow(self, address: str, i: int) -> None:
        view, language = VIEWS[i % len(VIEWS)], LANGUAGES[i // len(VIEWS) % len(LANGUAGES)]
        request = self._request(f"/games/1/events?{view}", f"Accept-Language: {language}")
        while True:
            with suppress(OSError):
                reader, writer = await self._open(address, request)
                try:
                    self.outcome.streams[_status(await reader.readline())] += 1
                    while await reader.read(1 << 16):
                        pass
                finally:
                    writer.close()
            await asyncio.sleep(BACK_S)

    async def _guess(self, address: str) -> None:
        body = "code=abcdefghjk"
        request = self._request("/login", f"Content-Length: {len(body)}", "Connection: close", method="POST") + body
        while True:
            with suppress(OSError):
                reader, writer = await self._open(address, request)
                try:
                    self.outcome.guesses[_status(await reader.read())] += 1
                finally:
                    writer.close()
            await asyncio.sleep(GUESS_S)

    async def _read(self) -> None:
        request = self._request("/games/1", "Connection: close")
        while True:
            begun, worked = monotonic(), worked_s(self._pid)
            answer = b""
            with suppress(OSError):
                reader, writer = await self._open(_address(0, 0), request)
                try:
                    answer = await reader.read()
                finally:
                    writer.close()
            if _status(answer) == "200":
                self.outcome.reads.append(monotonic() - begun)
                self.outcome.cpu.append(worked_s(self._pid) - worked)
            else:
                self.outcome.refused += 1
            await asyncio.sleep(READ_S)


def worked_s(pid: int) -> float:
    """The processor time that the main thread of a process and its other threads have taken (Linux)."""
    return sum(int(task.read_text().split()[0]) for task in Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e9


def _address(kind: int, n: int) -> str:
    return f"127.{kind}.{n // 250}.{n % 250 + 1}"


def _status(answer: bytes) -> str:
    return answer[9:12].decode() or "closed"


def main(host: str, port: int, pid: int, seconds: float, *people: int) -> None:
    """Come and tell."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    attack = Attack(host, port, pid)
    asyncio.run(attack.run(seconds, *people))
    print(json.dumps(vars(attack.outcome)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]), *map(int, sys.argv[5:9]))
