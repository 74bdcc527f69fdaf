"""The delay from a line of the log to the pages of all spectators, and the cost for the table.

A simulated game is played with the real card reader. Two hundred people follow it over real sockets
(`spectators`), in a process of their own; then one browser shows a faster game on a big screen, and a slow phone loads
`PAGES`. The table's loop is measured without and with them in the same run.
All processes share this machine, so each line gives its load; where that is high, ``cpu``, the loop's own CPU
time, says more.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from math import inf
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import monotonic, perf_counter, sleep, thread_time
from typing import Any, Final, cast
from urllib.parse import urlsplit

import cv2

from cardsight.reader import Reader
from cardsight.sources import Frame
from croupier.errors import CannotSimulate
from croupier.journal import Journal
from croupier.log_replay import Record
from croupier.runtime.page import WaitingTable
from croupier.runtime.session import begin
from croupier.runtime.table import Hooks, Table
from croupier.runtime.table_camera import TableCamera
from croupier.web.accounts import Accounts
from croupier.web.worker_process import WorkerProcess
from croupier_bench.browser import big_screen, phone_load
from croupier_sim.demo.game import Demo, DemoOptions
from croupier_sim.demo.presentation import DemoPage

PEOPLE: Final = 200
ALONE_S: Final = 10.0
WATCHED_S: Final = 20.0
SPEED: Final = 4.0
"""Simulated seconds per second: four times as many lines as at a real table."""

FPS: Final = 10.0
"""Frames per simulated second, of a slow camera."""

FAST: Final = 12.0
"""The same for the big screen: about two hundred lines a minute."""

PAGES: Final = {
    "a seat": "games/1/seats/0", "the table": "games/1", "the big screen": "games/1/board", "a stream": "overlay",
    "a replay": "games/1?at=9", "statistics": "statistics", "the ladder": "statistics/ladder",
}  # fmt: skip
"""The pages that a slow phone loads."""

LIMIT_MS: Final = 150.0
LIMIT_PAINT_MS: Final = 100.0
LIMIT_PAGE_KB: Final = 150.0
LIMIT_READY_MS: Final = 1000.0
LIMIT_LOOP_MS: Final = 50.0

ATTACKED_S: Final = 60.0
SLOW: Final = 2000
STREAMS: Final = 500
GUESSERS: Final = 100
LIMIT_MB: Final = 250.0
LIMIT_READ_MS: Final = 300.0
LIMIT_REFUSED_PERCENT: Final = 5.0
LIMIT_LOG_LINES: Final = 10.0


class _Recorder:
    """Records when each line was written, and each turn of the table's loop: an observer of steps and of the clock."""

    def __init__(self, demo: Demo) -> None:
        self._began = self._worked = 0.0
        self.written: list[tuple[int, float]] = [(0, monotonic())]
        """Places in the log, and when each was written (s)."""
        self.passes_ms: list[float] = []
        self.works_ms: list[float] = []
        """Duration of each turn, and the part of it in which the loop worked; drawing frames does not count as the
        table's work."""
        self.speed = SPEED
        demo.clock.speed = lambda: self.speed
        demo.clock.before_wait, demo.clock.after_wait = self._end_turn, self._begin_turn
        demo.camera_device = cast(TableCamera, _Undrawn(demo.camera_device, self))
        self._begin_turn()

    def __call__(self, game: int, step: Record) -> None:
        """Note when a line was written."""
        self.written.append((step.n, monotonic()))

    def take_turns(self) -> tuple[list[float], list[float]]:
        """Return durations and work (ms) of the turns since the last call."""
        turns = self.passes_ms, self.works_ms
        self.passes_ms, self.works_ms = [], []
        return turns

    def leave_out(self, began: float, worked: float) -> None:
        """Do not count what was done since then (s)."""
        self._began += perf_counter() - began
        self._worked += thread_time() - worked

    def _begin_turn(self) -> None:
        self._began, self._worked = perf_counter(), thread_time()

    def _end_turn(self) -> None:
        self.passes_ms.append((perf_counter() - self._began) * 1000)
        self.works_ms.append((thread_time() - self._worked) * 1000)


class _Undrawn:
    """The simulated camera. A real one has its picture ready, so the time in which one is drawn does not count."""

    def __init__(self, camera: TableCamera, recorder: _Recorder) -> None:
        self._camera, self._recorder = camera, recorder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._camera, name)

    def frame(self) -> Frame:
        """The picture of the table now."""
        began, worked = perf_counter(), thread_time()
        try:
            return self._camera.frame()
        finally:
            self._recorder.leave_out(began, worked)


def measure(people: int = PEOPLE, alone_s: float = ALONE_S, watched_s: float = WATCHED_S) -> Iterator[dict[str, Any]]:
    """The lines of this bench."""
    cv2.setNumThreads(1)
    with playing_table() as (recorder, up):
        sleep(alone_s)
        alone = recorder.take_turns()
        with _spectators(up.url, people) as spectators:
            sleep(1.0)
            recorder.take_turns()
            cpu_s, begun, n = _cpu_s(up.pid), monotonic(), len(recorder.written)
            sleep(watched_s)
            watched = recorder.take_turns()
            cpu_s, written = _cpu_s(up.pid) - cpu_s, recorder.written[n:]
            sleep(1.0)
            seen = spectators()
        yield from _painted(up.url, recorder, watched_s)
        yield from _loaded(up.url)
    late = [late for had in seen["had"] for late in _late_ms(written, had)]
    each = f"{people} spectators"
    yield _line(f"from the journal to the pages of {each}, 95 of 100", percentile(late, 95), LIMIT_MS)
    loads_ms = [s * 1000 for s in seen["loads"]]
    yield _line(f"a page loads while {each} arrive, 95 of 100", percentile(loads_ms, 95), LIMIT_MS)
    for who, (passes, works) in (("nobody looking on", alone), (each, watched)):
        line = _line(f"the table's loop with {who}, 99 of 100", percentile(passes, 99), LIMIT_LOOP_MS)
        yield line | {"cpu": round(percentile(works, 99), 1)}
    per_line = {"ours": round(cpu_s * 1000 / max(1, len(written)), 2), "seconds": round(monotonic() - begun, 1)}
    yield {"bench": "page", "what": f"CPU time of the page's process for each line, {each}", "unit": "ms", **per_line}


def _painted(url: str, recorder: _Recorder, seconds: float) -> Iterator[dict[str, Any]]:
    """The line of the big screen; none without a browser."""
    try:
        with big_screen(f"{url}games/1/board") as painted:
            recorder.speed = FAST
            sleep(1.0)
            n = len(recorder.written)
            sleep(seconds)
            written = recorder.written[n:]
            sleep(1.0)
            late = list(_late_ms(written, painted()))
    except CannotSimulate as err:
        print(f"croupier bench: the big screen is left out: {err}", file=sys.stderr)
        return
    line = _line("from the journal to the painted big screen, 95 of 100", percentile(late, 95), LIMIT_PAINT_MS)
    yield line | {"counts": {"lines a minute": round(len(written) * 60 / seconds)}}


def _loaded(url: str) -> Iterator[dict[str, Any]]:
    """The lines of a slow phone; none without a browser."""
    for what, path in PAGES.items():
        try:
            load = phone_load(f"{url}{path}")
        except CannotSimulate as err:
            print(f"croupier bench: the phone is left out: {err}", file=sys.stderr)
            return
        yield _line(f"the page of {what}, with scripts and fonts", load.kilobytes, LIMIT_PAGE_KB, unit="kB")
        yield _line(
            f"the page of {what} answers on a slow phone (1.6 Mbit/s, a quarter of the processor)",
            load.interactive_ms, LIMIT_READY_MS,
        )  # fmt: skip


def measure_attack(
    seconds: float = ATTACKED_S, slow: int = SLOW, streams: int = STREAMS, guessers: int = GUESSERS
) -> Iterator[dict[str, Any]]:
    """The lines of this bench while the page is attacked, with the counts of the attack (`attackers.Outcome`)."""
    cv2.setNumThreads(1)
    with captured_stderr() as log, playing_table() as (recorder, up):
        _visit(up, 2.0, readers=1)
        begun, cpu_s = monotonic(), _cpu_s(up.pid)
        recorder.take_turns()
        with ThreadPoolExecutor() as threads:
            attacked = threads.submit(_visit, up, seconds, slow, streams, guessers)
            read = threads.submit(_visit, up, seconds, readers=1)
        outcome = attacked.result() | {name: read.result()[name] for name in ("reads", "cpu", "refused")}
        passes, works = recorder.take_turns()
        minutes, peak = (monotonic() - begun) / 60, peak_mb(up.pid)
        cpu_percent = (_cpu_s(up.pid) - cpu_s) / (monotonic() - begun) * 100
        log_lines = log.read_text("utf-8", "replace").count("\n")
    attack = f"{slow} slow connections, {streams} streams, {guessers} guessers"
    yield _line(f"memory of the page at its highest, {attack}", peak, LIMIT_MB, unit="MB")
    reads_ms = [s * 1000 for s in outcome["reads"]]
    line = _line("an honest reader loads the page, 95 of 100", percentile(reads_ms, 95), LIMIT_READ_MS)
    yield line | {"cpu": round(percentile([s * 1000 for s in outcome["cpu"]], 95), 1)}
    refused = outcome["refused"] / (len(reads_ms) + outcome["refused"])
    yield _line("requests of the honest reader that were refused", 100 * refused, LIMIT_REFUSED_PERCENT, unit="%")
    yield _line("lines in the log each minute", log_lines / minutes, LIMIT_LOG_LINES, unit="lines")
    line = _line("the table's loop, 99 of 100", percentile(passes, 99), LIMIT_LOOP_MS)
    yield line | {"cpu": round(percentile(works, 99), 1)}
    counts = {name: outcome[name] for name in ("guesses", "streams", "slow")} | {"pages read": len(reads_ms)}
    what = "processor time of the page's process, of one core"
    yield {"bench": "page", "what": what, "unit": "%", "ours": round(cpu_percent), "counts": counts}


def _visit(
    up: WorkerProcess, seconds: float, slow: int = 0, streams: int = 0, guessers: int = 0, readers: int = 0
) -> dict[str, Any]:
    """How it went for people who come to the page: an `attackers.Outcome`."""
    where = urlsplit(up.url)
    people = map(str, (where.hostname, where.port, up.pid, seconds, slow, streams, guessers, readers))
    command = [sys.executable, "-m", "croupier_bench.attackers", *people]
    outcome: dict[str, Any] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return outcome


@contextmanager
def captured_stderr() -> Iterator[Path]:
    """Context in which all that this process and its children write to standard error goes to a file."""
    with TemporaryDirectory(prefix="croupier-") as folder, (Path(folder) / "stderr").open("wb") as file:
        before = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            yield Path(file.name)
        finally:
            os.dup2(before, 2)
            os.close(before)


def peak_mb(pid: int) -> float:
    """The largest resident memory that a process has had (Linux)."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


@contextmanager
def playing_table() -> Iterator[tuple[_Recorder, WorkerProcess]]:
    """Open a simulated table that plays in a thread of its own, and its page."""
    opened, is_open = list[tuple[Table, _Recorder, WorkerProcess]](), Event()

    def play() -> None:
        with (
            TemporaryDirectory(prefix="croupier-") as folder,
            Journal(Path(folder) / "croupier.journal") as journal,
            closing(Demo(DemoOptions(seed=1, rounds=None), lambda table, camera: Reader(), fps=FPS)) as demo,
        ):
            recorder = _Recorder(demo)
            with WorkerProcess(journal.path, Accounts, WaitingTable(demo.alarms), port=0) as up:
                session = begin(journal, demo.header, now=0.0)
                table = demo.begin(session, [up.publish, recorder], Hooks(on_news=up.ring))
                up.show(DemoPage(demo, table))
                opened.append((table, recorder, up))
                is_open.set()
                table.play()

    thread = Thread(target=play)
    thread.start()
    while not is_open.wait(0.1):
        if not thread.is_alive():
            raise RuntimeError("the simulated table could not be opened")
    table, recorder, up = opened[0]
    try:
        yield recorder, up
    finally:
        table.end()
        thread.join()


@contextmanager
def _spectators(address: str, people: int) -> Iterator[Any]:
    """Start the spectators. The yielded function ends them and returns their records."""
    where = urlsplit(address)
    command = [sys.executable, "-m", "croupier_bench.spectators", str(where.hostname), str(where.port), "1"]
    with subprocess.Popen([*command, str(people)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield lambda: json.loads(process.communicate(timeout=60)[0])


def _late_ms(written: Sequence[tuple[int, float]], had: Sequence[Sequence[float]]) -> Iterator[float]:
    """Return the delay (ms) from writing to one page, for each place of the log."""
    places = [place for place, _ in had]
    for n, when in written:
        i = bisect_left(places, n)
        if i < len(had):
            yield (had[i][1] - when) * 1000


def _cpu_s(pid: int) -> float:
    """Return the CPU time of a process (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def percentile(values: Sequence[float], percent: int) -> float:
    """The value that so many percent of these do not exceed."""
    return quantiles(values, n=100)[percent - 1] if len(values) > 1 else max(values, default=inf)


def _line(what: str, ours: float, limit: float, unit: str = "ms") -> dict[str, Any]:
    line = {"bench": "page", "what": what, "unit": unit, "ours": round(ours, 1), "limit": limit}
    return line | {"ratio": round(ours / limit, 2), "load": round(os.getloadavg()[0], 1)}
