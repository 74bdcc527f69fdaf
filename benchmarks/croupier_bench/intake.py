"""Signed results that a hub takes in: as many tables as can be send one PUT after the other, and wait for each answer,
which comes after the commit.

A table sends one result in a PUT; a club that forwards, or a table after an outage, sends many. The hub is the command,
in processes of its own; requests are signed before, and what the sender computes is told. PostgreSQL is that of the
tests.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from http import HTTPStatus
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, Final
from urllib.parse import urlsplit

from croupier.errors import CannotSimulate
from croupier_bench.hub import Table, disk_folder, percentiles, processor_s, running_hub
from croupier_hub.messages import Body
from croupier_hub.signed_log import Sent, sign_head

RESULTS: Final = 6000
CASES: Final = (
    (10, 1, 1), (100, 1, 1), (1000, 1, 1), (100, 1, 2), (100, 10, 1), (100, 10, 2), (100, 100, 1), (100, 100, 2),
)  # fmt: skip
"""Tables, results in a PUT, processes of the hub."""
_LEAST_PUTS: Final = 3
"""Of each table."""
_CONNECTIONS: Final = 200
"""At most; tables beyond share them."""
_WANTED: Final = 2000
_P99_MS: Final = 500.0


def measure() -> Iterator[dict[str, Any]]:
    """SQLite, then PostgreSQL."""
    for case in CASES:
        yield _measure("SQLite", "sqlite:///hub.db", *case)
    with cluster() as new_database:
        for case in CASES:
            yield _measure("PostgreSQL", new_database(), *case)


@contextmanager
def cluster() -> Iterator[Any]:
    """Function that makes the URL of a new database. PostgreSQL waits for the disk at each commit, as it should."""
    try:
        sys.path.append(os.getcwd())
        from tests.hub.postgresql import Cluster, programs
    except ModuleNotFoundError as err:
        raise CannotSimulate("PostgreSQL is started by the tests: expected the folder of the repository") from err
    if (folder := programs()) is None:
        raise CannotSimulate("there is no PostgreSQL: apt install postgresql")
    cluster = Cluster(folder, fsync="on")
    try:
        yield cluster.new_database
    finally:
        cluster.close()


def _measure(what: str, database: str, count: int, size: int, processes: int) -> dict[str, Any]:
    tables = [Table(number) for number in range(1, count + 1)]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(disk_folder()))
        options = ["--database", database, "--processes", str(processes)]
        url, pid = stack.enter_context(running_hub(tables, folder, options))
        puts = max(_LEAST_PUTS, RESULTS // count // size)
        made = [requests(table, url, puts, size) for table in tables]
        before, began, own_s = processor_s(pid), perf_counter(), process_time()
        ms = asyncio.run(send(url, made))
        spent, cpu_s, own_s = perf_counter() - began, processor_s(pid) - before, process_time() - own_s
    results = len(ms) * size
    rate = results / spent
    return {
        "bench": "intake", "what": f"{what}, {count} tables, results in a PUT: {size}, processes: {processes}",
        "unit": "results/s",
        "ours": round(rate), "limit": _WANTED, "ratio": round(rate / _WANTED, 2), "load": os.getloadavg()[0],
        "counts": percentiles("PUT", ms) | {
            "limit of 99 of 100, ms": _P99_MS, "CPU of the hub a result, ms": round(cpu_s / results * 1000, 3),
            "CPU of the sender a result, ms": round(own_s / results * 1000, 3),
        },
    }  # fmt: skip


def requests(table: Table, url: str, count: int, size: int) -> list[bytes]:
    """So many requests with ``size`` results each, the next correcting the one before."""
    made, corrects, head = [], None, table.head
    for line in range(head.lines, head.lines + count * size, size):
        texts = []
        for at in range(line, line + size):
            texts.append(table.result(at - table.head.lines + 1, corrects))
            corrects = at
        head = head.after(texts)
        made.append(request(url, sign_head(table.key, head, texts)))
    return made


def request(url: str, sent: Sent) -> bytes:
    """The PUT of these lines."""
    body = Body.of(sent).model_dump_json().encode()
    lines = f"PUT /logs/{sent.log}/{sent.start} HTTP/1.1\r\nHost: {urlsplit(url).netloc}\r\n"
    return f"{lines}Content-Length: {len(body)}\r\n\r\n".encode() + body


async def send(url: str, tables: Sequence[Sequence[bytes]], puts_per_s: float | None = None) -> list[float]:
    """Send the requests of each table one after the other, and of those at one connection in turn; the time of each in
    ms. At a rate of ``puts_per_s`` from when it is due; else as many as are answered."""
    address = urlsplit(url)
    connections = [tables[at::_CONNECTIONS] for at in range(min(_CONNECTIONS, len(tables)))]
    ms, start = list[float](), perf_counter()

    async def play(place: int, mine: Sequence[Sequence[bytes]]) -> None:
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        for at in range(sum(map(len, mine))):
            began = perf_counter()
            if puts_per_s is not None:
                due = start + (at * len(connections) + place) / puts_per_s
                await asyncio.sleep(max(0.0, due - began))
                began = due
            writer.write(mine[at % len(mine)][at // len(mine)])
            status = await answer(reader)
            assert status == HTTPStatus.OK, status
            ms.append((perf_counter() - began) * 1000)
        writer.close()

    await asyncio.gather(*(play(place, mine) for place, mine in enumerate(connections)))
    return ms


async def answer(reader: asyncio.StreamReader) -> int:
    """Read an answer; its status."""
    head = await reader.readuntil(b"\r\n\r\n")
    (length,) = (int(one[15:]) for one in head.lower().split(b"\r\n") if one.startswith(b"content-length:"))
    await reader.readexactly(length)
    return int(head.split(b" ", 2)[1])
