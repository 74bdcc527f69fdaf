"""A hub in a process of its own, and one table after the other, or very many at once, that send it their lines."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from threading import Event, Lock, Thread
from time import perf_counter, sleep
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from croupier_hub import DIRECTOR_FILE
from croupier_hub.client import HubClient
from croupier_hub.director import write
from croupier_hub.messages import Verdict
from croupier_hub.signed_log import Head, chain_line, name_of, sign_head
from croupier_hub.standings import Enroll, Result, RoundPlan, TableLine

_PUTS: Final = 150
_TABLES: Final = (10, 100, 1000)
_CLUB_S: Final = 30.0
LONG_S: Final = {10: 60.0, 100: 60.0, 1000: 600.0}
"""How long so many tables play in `measure_club`."""
BEAT_S: Final = 3.0
"""Time between two lines of a table, as between two cards."""
_DENSE: Final = 10
_GAME: Final = 100
"""Lines from result to result: in a short time, and in a quick game of five minutes."""
_ASK_BEATS: Final = 3
"""A table asks for the director's log as often as a real one."""
_CLIENTS: Final = 32
LINE: Final = '{"obs": "play", "t": %d.25, "u": 0.02, "card": "red-7", "seat": 2, "conf": 0.998}'
_HEADER: Final = '{"log": "of a new game"}'
_COMMIT: Final = "commit of SQLite"


def disk_folder() -> TemporaryDirectory[str]:
    """A temporary folder on a disk. What the system calls temporary may be memory, where no commit waits."""
    disk = "/var/tmp"  # outlives a restart, and so is no memory
    return TemporaryDirectory(prefix="croupier-", dir=disk if os.path.isdir(disk) else None)


class Table:
    """A table that writes lines and sends each at once. As that of a real one, its log begins with the line from which
    on it is chained by the hashes of the journal."""

    def __init__(self, number: int) -> None:
        self.number, self.key, self.head = number, Ed25519PrivateKey.generate(), Head()

    @property
    def seats(self) -> list[str]:
        """Its four players."""
        return [f"{self.number}-{seat}" for seat in range(4)]

    def send(self, client: HubClient, texts: list[str]) -> None:
        """Send lines, which the hub accepts."""
        self.head = self.head.after(texts)
        answer = client.put(sign_head(self.key, self.head, texts))
        assert answer.verdict is Verdict.ACCEPTED, answer

    def begin(self, client: HubClient) -> None:
        """Send the first line, with the game that goes on, once."""
        if not self.head.lines:
            self.send(client, [chain_line(sha256(name_of(self.key).encode()).digest())])

    def result(self, points: int, corrects: int | None) -> str:
        """The first player's points, and none of the others."""
        told = Result(round=1, table=self.number, plan=1, seats=self.seats, points=[points, 0, 0, 0])
        return TableLine(result=told, corrects=corrects).model_dump_json()


@contextmanager
def running_hub(tables: list[Table], folder: Path, options: Sequence[str] = ()) -> Iterator[tuple[str, int]]:
    """A hub of a new tournament of these tables in ``folder``; its address, and the id of its process."""
    command = [sys.executable, "-m", "croupier", "--language", "en", "tournament", "hub", "--port", "0", *options]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        url = process.stdout.readline().split(";")[0].rpartition(" ")[2]
        seats = {str(table.number): table.seats for table in tables}
        with HubClient(url) as client:
            write(client, folder / DIRECTOR_FILE, lambda known: (
                *(Enroll(enroll=name_of(one.key), table=one.number, from_round=1) for one in tables),
                RoundPlan(plan=1, round=1, tables=seats),
            ))  # fmt: skip
            for one in tables:
                one.begin(client)
        yield url, process.pid
    finally:
        process.terminate()
        process.communicate()


def measure() -> Iterator[dict[str, Any]]:
    """Lines of one table beside a bare commit, then of 10 to 1,000 tables at once."""
    for size in (1, 100):
        yield _measure_puts(size)
    for tables in _TABLES:
        yield _measure_club(tables)


def measure_club() -> Iterator[dict[str, Any]]:
    """Measure the cost of tables for a hub, and ten minutes of a club with 1,000."""
    for tables, seconds in LONG_S.items():
        yield _measure_club(tables, seconds, "club", _GAME)


def _measure_puts(size: int) -> dict[str, Any]:
    """Send and commit in turn, so that both meet the same machine and disk."""
    table, client_ms, commit_ms = Table(1), list[float](), list[float]()
    with (
        disk_folder() as folder,
        running_hub([table], Path(folder)) as (url, _),
        HubClient(url) as client,
    ):
        database = sqlite3.connect(f"{folder}/bare.db", isolation_level=None)
        database.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE line (text TEXT)")

        def commit(texts: list[str]) -> None:
            database.execute("BEGIN IMMEDIATE")
            database.executemany("INSERT INTO line VALUES (?)", [(text,) for text in texts])
            database.execute("COMMIT")

        for n in range(_PUTS):
            texts = [LINE % (n * size + line) for line in range(size)]
            client_ms.append(_ms(lambda texts=texts: table.send(client, texts)))  # type: ignore[misc]
            commit_ms.append(_ms(lambda texts=texts: commit(texts)))  # type: ignore[misc]
        database.close()
    ours, peer = (size * _PUTS / sum(spent) * 1000 for spent in (client_ms, commit_ms))
    return {
        "bench": "hub", "what": f"{size} lines a PUT, one table", "unit": "lines/s", "ours": round(ours, 1),
        "peers": {_COMMIT: round(peer, 1)}, "ratio": {_COMMIT: round(ours / peer, 3)},
        "counts": percentiles("PUT", client_ms) | percentiles("commit", commit_ms), "load": os.getloadavg()[0],
    }  # fmt: skip


def _measure_club(count: int, seconds: float = _CLUB_S, bench: str = "hub", every: int = _DENSE) -> dict[str, Any]:
    """From the sending of a result until standings show it, while somebody always reads them."""
    tables = [Table(number) for number in range(1, count + 1)]
    sent: dict[str, list[float]] = {table.seats[0]: [] for table in tables}
    shown_ms, put_ms, late, guard, is_over = list[float](), list[float](), 0, Lock(), Event()
    with disk_folder() as folder, running_hub(tables, Path(folder)) as (url, pid):

        def watch() -> None:
            shown = dict.fromkeys(sent, 0)
            with HubClient(url) as client:
                while not is_over.is_set():
                    standings = json.loads(client.get("/standings"))["standings"]
                    now = perf_counter()
                    with guard:
                        for one in standings:
                            if (player := one["player"]) in sent:
                                new = sent[player][shown[player] : one["points"]]
                                shown[player] = one["points"]
                                shown_ms.extend((now - at) * 1000 for at in new)
                    is_over.wait(0.25)

        def play(client: HubClient, mine: list[Table]) -> None:
            nonlocal late
            results: dict[int, int] = {}
            beat, began, directed = 0, perf_counter(), len(tables) + 1
            while not is_over.is_set():
                for place, table in enumerate(mine):
                    due = began + (beat + place / len(mine)) * BEAT_S
                    if is_over.wait(max(0.0, due - perf_counter())):
                        return
                    late += perf_counter() - due > BEAT_S
                    text = LINE % beat if (at := (beat + table.number * every // count) % every) != 1 else _HEADER
                    if at == 0:
                        before = results.get(table.number)
                        results[table.number] = table.head.lines
                        with guard:
                            sent[table.seats[0]].append(perf_counter())
                            text = table.result(len(sent[table.seats[0]]), before)
                    put_ms.append(_ms(lambda table=table, text=text: table.send(client, [text])))  # type: ignore[misc]
                    if (beat + table.number) % _ASK_BEATS == 0:
                        client.director(directed)
                beat += 1

        grown = _size(Path(folder))
        groups = [tables[at::_CLIENTS] for at in range(min(_CLIENTS, count))]
        clients = [HubClient(url) for _ in groups]
        watcher = Thread(target=watch)
        with ThreadPoolExecutor(len(groups)) as pool:
            playing = [pool.submit(play, client, group) for client, group in zip(clients, groups, strict=True)]
            watcher.start()
            sleep(seconds / 2)  # of each table a game has ended
            memory, cpu_s = [memory_mb(pid)], processor_s(pid)
            sleep(seconds / 2)
            memory, cpu_s = [*memory, memory_mb(pid)], processor_s(pid) - cpu_s
            grown = _size(Path(folder)) - grown
            is_over.set()
            for one in playing:
                one.result()
        watcher.join()
        for client in clients:
            client.close()
    p95 = quantiles(shown_ms, n=20)[-1]
    return {
        "bench": bench, "what": f"{count} tables, {round(seconds)} s, result to standings, 19 of 20", "unit": "ms",
        "ours": round(p95, 1), "limit": 1000, "ratio": round(p95 / 1000, 3), "load": os.getloadavg()[0],
        "counts": {
            "results": len(shown_ms), "lines/s": round(len(put_ms) / seconds, 1), "lines that were late": late,
            "longest, ms": round(max(shown_ms), 1), "processors of the hub": round(cpu_s / seconds * 2, 3),
            "CPU a table, ms a minute": round(cpu_s / seconds * 2 / count * 60_000, 1),
            "hub, MB after half": memory[0], "hub, MB at the end": memory[1],
            "bytes a line in the database": round(grown / len(put_ms)),
        } | percentiles("PUT", put_ms),
    }  # fmt: skip


def processor_s(pid: int) -> float:
    """Return the processor time of a process and its children so far."""
    after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    children = map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK") + sum(map(processor_s, children))


def memory_mb(pid: int) -> int:
    """Return the memory of a process and its children."""
    status = Path(f"/proc/{pid}/status").read_text().partition("VmRSS:")[2].split()
    children = map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    return int(status[0]) // 1024 + sum(map(memory_mb, children))


def largest_mb(pid: int) -> int:
    """Return the memory of that of a process and its children which has most."""
    status = Path(f"/proc/{pid}/status").read_text().partition("VmRSS:")[2].split()
    children = map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    return max(int(status[0]) // 1024, *map(largest_mb, children), 0)


def _size(folder: Path) -> int:
    """The bytes of the SQLite of a hub in its folder, also of what is still in its log."""
    with closing(sqlite3.connect(folder / "hub.db")) as connection:
        pages, bytes_each = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
    return int(pages) * int(bytes_each)


def _ms(act: Callable[[], object]) -> float:
    began = perf_counter()
    act()
    return (perf_counter() - began) * 1000


def percentiles(what: str, ms: list[float]) -> dict[str, float]:
    """The time within which half of all, and 99 of 100, are done."""
    cuts = quantiles(ms, n=100)
    return {f"{what}, ms, half": round(cuts[49], 1), f"{what}, ms, 99 of 100": round(cuts[98], 1)}
