"""How soon what was written stands on the pages of those who look on, and what that takes from the table.

A simulated game is played with the real card reader; two hundred people follow it over real sockets (`spectators`), in
a process of their own. The table's loop is measured without them and with them, in the same run. All processes share
this machine, so each line tells its load; ``cpu``, what the loop itself takes, says more where that is high.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from time import monotonic, perf_counter, sleep, thread_time
from typing import Any, Final
from urllib.parse import urlsplit

import cv2

from cardsight.reader import Reader
from croupier.journal import Journal
from croupier.referee import Observation
from croupier.runtime.session import begin
from croupier.web.serving import WebServer
from croupier_sim.demo.game import Demo
from croupier_sim.demo.page import page
from croupier_sim.demo.setting import DemoOptions

PEOPLE: Final = 200
ALONE_S: Final = 10.0
WATCHED_S: Final = 20.0
SPEED: Final = 4.0
"""Simulated seconds in a second: four times as much is written as at a real table."""

LIMIT_MS: Final = 150.0
LIMIT_LOOP_MS: Final = 50.0


class _Table:
    """A simulated table at its page. ``written``: the places in the log and when each was written."""

    def __init__(self, demo: Demo, up: WebServer) -> None:
        self._demo, self._up = demo, up
        self.written: list[tuple[int, float]] = [(0, monotonic())]

    def wrote(self, observations: Sequence[Observation]) -> None:
        """So much was just written."""
        self.written.append((self.written[-1][0] + len(observations), monotonic()))
        self._up.ring()

    @property
    def pid(self) -> int:
        """The process of its page."""
        return self._up.pid

    def play(self, seconds: float) -> tuple[list[float], list[float]]:
        """Play on for so long; how long each pass of the table's loop took, and how much of it it worked (ms)."""
        demo, run = self._demo, self._demo.run
        assert run is not None
        passes: list[float] = []
        works: list[float] = []
        step = run.step

        def timed() -> None:
            started, worked = perf_counter(), thread_time()
            step()
            passes.append((perf_counter() - started) * 1000)
            works.append((thread_time() - worked) * 1000)

        run.step = timed  # type: ignore[method-assign]  # the drawing of the frames is not the table's
        until, due, then = monotonic() + seconds, monotonic(), demo.table.now
        while monotonic() < until and not demo.is_over:
            demo.step()
            due = max(due + (demo.table.now - then) / SPEED, monotonic())
            then = demo.table.now
            sleep(max(0.0, due - monotonic()))
        del run.step
        return passes, works


def measure(people: int = PEOPLE, alone_s: float = ALONE_S, watched_s: float = WATCHED_S) -> Iterator[dict[str, Any]]:
    """The lines of this bench."""
    cv2.setNumThreads(1)
    with _table() as (table, address):
        alone = table.play(alone_s)
        with _spectators(address, people) as spectators:
            table.play(1.0)
            cpu_s, begun, n = _cpu_s(table.pid), monotonic(), len(table.written)
            watched = table.play(watched_s)
            cpu_s, written = _cpu_s(table.pid) - cpu_s, table.written[n:]
            sleep(1.0)
            told = spectators()
    late = [late for had in told["had"] for late in _late_ms(written, had)]
    each = f"{people} spectators"
    yield _line(f"from the journal to the pages of {each}, 95 of 100", _share(late, 95), LIMIT_MS)
    yield _line(f"a page loads while {each} arrive, 95 of 100", _share([s * 1000 for s in told["loads"]], 95), LIMIT_MS)
    for who, (passes, works) in (("nobody looking on", alone), (each, watched)):
        line = _line(f"the table's loop with {who}, 99 of 100", _share(passes, 99), LIMIT_LOOP_MS)
        yield line | {"cpu": round(_share(works, 99), 1)}
    per_line = {"ours": round(cpu_s * 1000 / max(1, len(written)), 2), "seconds": round(monotonic() - begun, 1)}
    yield {"bench": "page", "what": f"CPU time of the page's process for each line, {each}", "unit": "ms", **per_line}


@contextmanager
def _table() -> Iterator[tuple[_Table, str]]:
    with TemporaryDirectory(prefix="croupier-") as folder, Journal(Path(folder) / "croupier.journal") as journal:
        demo = Demo(DemoOptions(seed=1, rounds=None), lambda table, camera: Reader())
        kept = begin(journal, demo.header, now=0.0)
        with page(demo, kept, 0) as (up, _code):
            table = _Table(demo, up)

            def record(observations: Sequence[Observation]) -> None:
                kept.record(observations)
                table.wrote(observations)

            demo.begin(record)
            yield table, up.url


@contextmanager
def _spectators(address: str, people: int) -> Iterator[Any]:
    """Those who look on; calling what is yielded ends it, and gives what they tell."""
    where = urlsplit(address)
    command = [sys.executable, "-m", "croupier_bench.spectators", str(where.hostname), str(where.port), "1"]
    with subprocess.Popen([*command, str(people)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield lambda: json.loads(process.communicate(timeout=60)[0])


def _late_ms(written: Sequence[tuple[int, float]], had: Sequence[Sequence[float]]) -> Iterator[float]:
    """How long after it was written each place of the log was on one page (ms)."""
    places = [place for place, _ in had]
    for n, when in written:
        i = bisect_left(places, n)
        if i < len(had):
            yield (had[i][1] - when) * 1000


def _cpu_s(pid: int) -> float:
    """The CPU time that a process has taken (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _share(values: Sequence[float], percent: int) -> float:
    return quantiles(values, n=100)[percent - 1]


def _line(what: str, ours: float, limit: float) -> dict[str, Any]:
    line = {"bench": "page", "what": what, "unit": "ms", "ours": round(ours, 1), "limit": limit}
    return line | {"ratio": round(ours / limit, 2), "load": round(os.getloadavg()[0], 1)}
