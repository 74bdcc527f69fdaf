"""Load that the hub of a federation carries on PostgreSQL, for minutes: a steady rate; millions of results that come
again; and what has waited at a thousand tables while the hub was away.

The hub is the command in processes of its own, PostgreSQL that of the tests, which waits for the disk at each commit.
Requests are signed before the clock runs. The time of a result counts from when it is due, not from when it is sent, so
that a hub that falls behind cannot hide it.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from http import HTTPStatus
from itertools import count
from pathlib import Path
from statistics import quantiles
from threading import Event, Thread
from time import perf_counter
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
from sqlalchemy import create_engine, func, select

from croupier.retry import RETRY
from croupier_bench.hub import BEAT_S, LINE, Table, disk_folder, largest_mb, percentiles, processor_s, running_hub
from croupier_bench.intake import answer, cluster, request, requests, send
from croupier_hub.client import TIMEOUT_S
from croupier_hub.messages import MOST_LETTERS, MOST_LINES
from croupier_hub.signed_log import sign_head
from croupier_hub.tables import LINES, LOGS, SEASONS

TABLES: Final = 1000
PROCESSES: Final = 2
IN_A_PUT: Final = 10
"""As a club forwards them."""

RATE: Final = 2000
RATE_S: Final = 600.0
RATE_P99_MS: Final = 500.0
LOOK_S: Final = 5.0
"""Between two looks at the standings."""

MILLIONS: Final = 3_000_000
MILLIONS_IN_A_PUT: Final = 100
"""As a table sends them that was cut off."""
REPLAYS: Final = 2
MILLIONS_S: Final = 1500.0
MILLIONS_MB: Final = 250
_LOOKS: Final = 20
"""At the standings, each by another connection: so many meet all processes."""

WAITING: Final = 1000
"""Lines of each table that have waited for an hour, each tenth of them a result."""
PUNCTUAL: Final = 100
"""Further tables, of which nothing has waited."""
DRAIN_S: Final = 600.0
NEW_S: Final = 5.0

_PATIENCE_S: Final = 600.0
"""With a hub that reads millions of results for the first time."""

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter] | None


def measure() -> Iterator[dict[str, Any]]:
    """2,000 signed results a second, while somebody reads the standings."""
    with _hub(TABLES) as (tables, url, pid, database):
        puts = round(RATE * RATE_S / TABLES / IN_A_PUT)
        made = [requests(table, url, puts, IN_A_PUT) for table in tables]
        before, memory, began = processor_s(pid), largest_mb(pid), perf_counter()
        bytes_before = _bytes(database)
        with _looking(url) as looks_ms:
            ms = asyncio.run(send(url, made, RATE / IN_A_PUT))
        spent, cpu_s = perf_counter() - began, processor_s(pid) - before
        _check(url, puts * IN_A_PUT)
        after, grown = largest_mb(pid), _bytes(database) - bytes_before
    results, p99 = len(ms) * IN_A_PUT, quantiles(ms, n=100)[98]
    yield {
        "bench": "federation", "what": f"{results} results, {round(results / spent)} a second, 99 of 100", "unit": "ms",
        "ours": round(p99, 1), "limit": RATE_P99_MS, "ratio": round(p99 / RATE_P99_MS, 3), "load": os.getloadavg()[0],
        "counts": {
            "PUT, ms, half": percentiles("PUT", ms)["PUT, ms, half"], "PUT, ms, longest": round(max(ms), 1),
            "standings, ms, half": round(sorted(looks_ms)[len(looks_ms) // 2], 1),
            "standings, ms, longest": round(max(looks_ms), 1),
            "processors of the hub": round(cpu_s / spent, 2), "a process, MB before": memory,
            "a process, MB after": after, "bytes a result in the database": round(grown / results),
        },
    }  # fmt: skip


def measure_replay() -> Iterator[dict[str, Any]]:
    """Millions of results, and all of them again, to hubs that end in between."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(disk_folder()))
        database = stack.enter_context(cluster())()
        options = ["--database", database, "--processes", str(PROCESSES)]
        tables, known = [Table(number) for number in range(1, TABLES + 1)], ""
        puts, before, memory = MILLIONS // TABLES // MILLIONS_IN_A_PUT, 0, 0
        made = list[list[bytes]]()
        for time in range(1 + REPLAYS):
            with running_hub(tables, folder, options) as (url, pid):
                before = before or _bytes(database)
                made = made or [requests(table, url, puts, MILLIONS_IN_A_PUT) for table in tables]
                began = perf_counter()
                ms = asyncio.run(send(url, made))
                spent, began = perf_counter() - began, perf_counter()
                standings = _check(url, puts * MILLIONS_IN_A_PUT)
                look_s = perf_counter() - began
                for _ in range(_LOOKS):
                    _check(url, puts * MILLIONS_IN_A_PUT)
                memory = max(memory, largest_mb(pid))
            results, lines = len(ms) * MILLIONS_IN_A_PUT, _lines(database)
            assert lines == results + len(tables), (lines, results)
            assert known in ("", standings), "other standings"
            known = standings
            yield {
                "bench": "replay", "what": f"{results} results, time {time + 1}", "unit": "s", "ours": round(spent, 3),
                "limit": MILLIONS_S, "ratio": round(spent / MILLIONS_S, 3), "load": os.getloadavg()[0],
                "counts": percentiles("PUT", ms) | {
                    "lines in the database": lines, "standings, s, the first time": round(look_s, 1),
                    "bytes a result in the database": round((_bytes(database) - before) / results),
                },
                "remarks": [f"standings: SHA-256 {known}"],
            }  # fmt: skip

    yield {
        "bench": "replay", "what": f"the largest of {PROCESSES} processes after {results} results", "unit": "MB",
        "ours": memory, "limit": MILLIONS_MB, "ratio": round(memory / MILLIONS_MB, 3),
    }  # fmt: skip


def measure_outage() -> Iterator[dict[str, Any]]:
    """All that has waited at once, and what is new meanwhile; each table as a real one, from an address of its own."""
    with _hub(TABLES + PUNCTUAL) as (tables, url, pid, database):
        behind = [_Behind(table, url, WAITING if table.number <= TABLES else 0) for table in tables]
        before = processor_s(pid)
        drained_s, spent = asyncio.run(_drain(behind))
        cpu_s = processor_s(pid) - before
        lines = _lines(database)
    assert lines == sum(one.table.head.lines for one in behind), lines
    punctual = [ms for one in behind[TABLES:] for ms in one.new_ms]
    late = [ms for one in behind[:TABLES] for ms in one.new_ms]
    yield {
        "bench": "outage", "what": f"{TABLES * WAITING} lines drained", "unit": "s", "ours": round(drained_s, 2),
        "limit": DRAIN_S, "ratio": round(drained_s / DRAIN_S, 3), "load": os.getloadavg()[0],
        "counts": {
            "processors of the hub": round(cpu_s / spent, 2),
            "requests that were sent again": sum(one.failures for one in behind),
        },
    }  # fmt: skip
    yield {
        "bench": "outage", "what": "new lines of tables where nothing waits, longest", "unit": "s",
        "ours": round(max(punctual) / 1000, 2), "limit": NEW_S, "ratio": round(max(punctual) / 1000 / NEW_S, 3),
        "counts": percentiles("new", punctual) | {"new": len(punctual)},
    }  # fmt: skip
    # They come after the lines before them in the same log: no limit can be below the time of the drain.
    yield {
        "bench": "outage", "what": "new lines of tables where lines wait, longest", "unit": "s",
        "ours": round(max(late) / 1000, 2), "counts": percentiles("new", late) | {"new": len(late)},
    }  # fmt: skip


@contextmanager
def _hub(count: int) -> Iterator[tuple[list[Table], str, int, str]]:
    """A hub of so many tables on a new database: its address, its process, and the database."""
    tables = [Table(number) for number in range(1, count + 1)]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(disk_folder()))
        database = stack.enter_context(cluster())()
        options = ["--database", database, "--processes", str(PROCESSES)]
        url, pid = stack.enter_context(running_hub(tables, folder, options))
        yield tables, url, pid, database


@contextmanager
def _looking(url: str) -> Iterator[list[float]]:
    """Context in which somebody reads the standings; the time of each look in ms."""
    ms, is_over = list[float](), Event()

    def look() -> None:
        while True:
            began = perf_counter()
            httpx.get(f"{url}/standings", timeout=_PATIENCE_S, trust_env=False).raise_for_status()
            ms.append((perf_counter() - began) * 1000)
            if is_over.wait(LOOK_S):
                return

    looking = Thread(target=look)
    looking.start()
    try:
        yield ms
    finally:
        is_over.set()
        looking.join()


def _check(url: str, each: int) -> str:
    """The hash of the standings, in which each result counts once."""
    content = httpx.get(f"{url}/standings", timeout=_PATIENCE_S, trust_env=False).content
    told = json.loads(content)
    assert (told["forks"], told["quarantined"]) == ({}, []), content[:1000]
    points = [one["points"] for one in told["standings"]]
    assert points == [each] * TABLES + [0] * (len(points) - TABLES), points[:10]
    return sha256(content).hexdigest()


def _bytes(database: str) -> int:
    """The size of a database."""
    engine = create_engine(database)
    with engine.connect() as connection:
        found = connection.exec_driver_sql("SELECT pg_database_size(current_database())").scalar_one()
    engine.dispose()
    return int(found)


def _lines(database: str) -> int:
    """The number of lines of tables: the director's have no number of a seat."""
    engine = create_engine(database)
    with engine.connect() as connection:
        directors = select(LOGS.c.id).join(SEASONS, LOGS.c.name == SEASONS.c.key)
        found = connection.execute(select(func.count()).where(LINES.c.log.not_in(directors))).scalar_one()
    engine.dispose()
    return int(found)


class _Behind:
    """A table whose lines have waited, and which plays on: it sends a piece after the other, and waits as `RETRY` says
    when that fails."""

    def __init__(self, table: Table, url: str, waiting: int) -> None:
        self.table, self.url, self.waiting, self.failures = table, url, waiting, 0
        self.is_behind, self.new_ms = True, list[float]()
        self._results, self._corrects, self._first = 0, None, table.head.lines
        self.pieces = list[bytes]()
        texts = list[str]()
        for n in range(waiting):
            text = self._text(n)
            if len(texts) == MOST_LINES or sum(map(len, texts)) + len(text) > MOST_LETTERS:
                self.pieces.append(self._piece(texts))
                texts = []
            texts.append(text)
        if texts:
            self.pieces.append(self._piece(texts))

    def _text(self, n: int) -> str:
        if n % 10:
            return LINE % n
        self._results, before, self._corrects = self._results + 1, self._corrects, self._first + n  # type: ignore[assignment]
        return self.table.result(self._results, before)

    def _piece(self, texts: list[str]) -> bytes:
        self.table.head = self.table.head.after(texts)
        return request(self.url, sign_head(self.table.key, self.table.head, texts))

    async def play(self, began: float, is_over: asyncio.Event) -> float:
        """Send what has waited, then a line each `BEAT_S`; those that fell due before, together. The time until what
        has waited was there."""
        connection: Connection = None
        for content in self.pieces:
            connection = await self._deliver(connection, content)
        drained_s, self.is_behind = perf_counter() - began, False
        for n in count(self.waiting):
            due = began + (n - self.waiting + self.table.number / TABLES) * BEAT_S
            if due > perf_counter():
                with suppress(TimeoutError):
                    await asyncio.wait_for(is_over.wait(), due - perf_counter())
                    break
            connection = await self._deliver(connection, self._piece([self._text(n)]))
            self.new_ms.append((perf_counter() - due) * 1000)
        if connection is not None:
            connection[1].close()
        return drained_s

    async def _deliver(self, connection: Connection, content: bytes) -> Connection:
        """Send a piece until the hub has it; the connection afterwards."""
        address, pauses_s = urlsplit(self.url), RETRY.pauses_s()
        while True:
            try:
                async with asyncio.timeout(TIMEOUT_S):
                    if connection is None:
                        place = 2 * 65536 + self.table.number
                        own = f"127.{place >> 16}.{place >> 8 & 255}.{place & 255}"
                        connection = await asyncio.open_connection(address.hostname, address.port, local_addr=(own, 0))
                    connection[1].write(content)
                    if await answer(connection[0]) == HTTPStatus.OK:
                        return connection
            except (OSError, EOFError):
                pass
            self.failures += 1
            if connection is not None:
                connection[1].close()
                connection = None
            await asyncio.sleep(next(pauses_s))


async def _drain(behind: Sequence[_Behind]) -> tuple[float, float]:
    """Let all tables play until nothing waits any more, and a while longer. The times of both."""
    is_over, began = asyncio.Event(), perf_counter()
    playing = [asyncio.create_task(one.play(began, is_over)) for one in behind]
    while any(one.is_behind for one in behind):
        await asyncio.sleep(0.1)
        for failed in (one for one in playing if one.done()):
            failed.result()
    await asyncio.sleep(3 * BEAT_S)
    is_over.set()
    return max(await asyncio.gather(*playing)), perf_counter() - began
