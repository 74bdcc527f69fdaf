"""A hundred strangers at once, each of whom does the worst that is known, against hub, page and phone camera.

All three are the real servers, each in a process of its own, while a simulated game is played. Honest users come beside
the strangers: tables that send results, readers of page and standings, a phone. Their times are compared with those
before the strangers came. People are `stranger_visitors`, in processes of their own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from threading import Event, Thread
from typing import Any, Final
from urllib.parse import urlsplit

import cv2

from croupier_bench.hub import Table, disk_folder, memory_mb, running_hub
from croupier_bench.page import (
    LIMIT_LOG_LINES,
    LIMIT_MB,
    LIMIT_READ_MS,
    LIMIT_REFUSED_PERCENT,
    captured_stderr,
    peak_mb,
    percentile,
    playing_table,
)
from croupier_bench.stranger_visitors import Places
from croupier_extras.phone_camera.camera import PhoneCamera
from croupier_hub import DIRECTOR_FILE
from croupier_hub.outbox import Outbox
from croupier_hub.signed_log import name_of
from croupier_hub.store import LogStore

STRANGERS: Final = 100
ALONE_S: Final = 15.0
TOGETHER_S: Final = 45.0
TABLES: Final = 4
_LOOK_S: Final = 2.0


def measure(
    together_s: float = TOGETHER_S, strangers: int = STRANGERS, alone_s: float = ALONE_S
) -> Iterator[dict[str, Any]]:
    """The lines of this bench."""
    cv2.setNumThreads(1)
    tables = [Table(number) for number in range(1, TABLES + 1)]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(disk_folder()))
        log = stack.enter_context(captured_stderr())
        recorder, up = stack.enter_context(playing_table())
        recorder.speed = 1.0
        url, hub = stack.enter_context(running_hub(tables, folder))
        camera = stack.enter_context(
            closing(PhoneCamera(folder / "phone.pem", port=0, host="127.0.0.1", size=(320, 240), fps=5.0))
        )
        pids = {"hub": hub, "page": up.pid, "phone camera": camera._process.pid}
        keys = tuple(one.key.private_bytes_raw().hex() for one in tables)
        places = Places(_place(url), _place(up.url), ("127.0.0.1", camera.port), (*map(_name, tables),), keys)
        alone = _finish(_come("honest", places, alone_s))
        before = log.read_text("utf-8", "replace").count("\n")
        others, users = _come("strangers", places, together_s, strangers), _come("honest", places, together_s)
        with _looking(pids) as seen:
            together, acts = _finish(users), _finish(others)
        lines = log.read_text("utf-8", "replace").count("\n") - before
        peaks = {name: peak_mb(pid) for name, pid in pids.items()}
        acknowledged = {int(number): n for number, n in together["acknowledged"].items()}
        lost = _lost(folder, tables, acknowledged)
    yield from _waits(alone["ms"], together["ms"], f"{strangers} strangers")
    for name, peak in peaks.items():
        yield _line(f"memory of the {name} at its highest", peak, LIMIT_MB, "MB") | {"counts": _most(seen[name])}
    asked = sum(map(len, together["ms"].values()))
    refused = sum(together["refused"].values())
    yield _line("requests of honest users that were refused", 100 * refused / (asked + refused),
                LIMIT_REFUSED_PERCENT, "%") | {"counts": together["refused"]}  # fmt: skip
    yield _line("lines in the log each minute", lines * 60 / together_s, LIMIT_LOG_LINES, "lines")
    yield {"bench": "strangers", "what": "acknowledged results that are not there", "unit": "results", "ours": lost,
           "counts": {"acknowledged": sum(acknowledged.values())}}  # fmt: skip
    yield {"bench": "strangers", "what": "what strangers did", "unit": "acts", "ours": sum(acts.values()),
           "counts": acts}  # fmt: skip


@contextmanager
def _looking(pids: Mapping[str, int]) -> Iterator[dict[str, list[tuple[int, int]]]]:
    """Context in which memory (MB) and descriptors of processes are looked at again and again, by name."""
    seen: dict[str, list[tuple[int, int]]] = {name: [] for name in pids}
    is_over = Event()

    def look() -> None:
        while True:
            for name, pid in pids.items():
                seen[name].append((memory_mb(pid), len(os.listdir(f"/proc/{pid}/fd"))))
            if is_over.wait(_LOOK_S):
                return

    thread = Thread(target=look)
    thread.start()
    try:
        yield seen
    finally:
        is_over.set()
        thread.join()


def _most(seen: Sequence[tuple[int, int]]) -> dict[str, int]:
    """The most memory (MB) and descriptors of each half of the time."""
    halves = {"first half": seen[: len(seen) // 2] or seen, "second half": seen[len(seen) // 2 :]}
    return {f"{what}, {half}": max(one[at] for one in looks)
            for half, looks in halves.items() for at, what in enumerate(("MB", "descriptors"))}  # fmt: skip


def _waits(alone: dict[str, list[float]], together: dict[str, list[float]], who: str) -> Iterator[dict[str, Any]]:
    for what, ms in alone.items():
        both = [percentile(together.get(what, []), percent) for percent in (50, 95)]
        times = {f"{percent} of 100, ms, {when}": round(percentile(found, percent), 1)
                 for when, found in (("alone", ms), (who, together.get(what, []))) for percent in (50, 95)}  # fmt: skip
        line = _line(f"{what} beside {who}, 95 of 100", both[1], LIMIT_READ_MS, "ms")
        yield line | {"peers": {"alone": times["95 of 100, ms, alone"]}, "times": times, "ratio": {
            "alone": round(both[1] / percentile(ms, 95), 2)}}  # fmt: skip


def _line(what: str, ours: float, limit: float, unit: str) -> dict[str, Any]:
    return {"bench": "strangers", "what": what, "unit": unit, "ours": round(ours, 1), "limit": limit,
            "ratio": round(ours / limit, 2)}  # fmt: skip


def _lost(folder: Path, tables: Sequence[Table], acknowledged: dict[int, int]) -> int:
    """How many acknowledged lines the hub's database does not have, in the order in which they were sent."""
    with Outbox(folder / DIRECTOR_FILE) as outbox, closing(LogStore(f"sqlite:///{folder}/hub.db", outbox.log)) as store:
        logs = store.logs()
    return sum(max(0, acknowledged.get(one.number, 0) - len(logs[name_of(one.key)].lines)) for one in tables)


def _place(url: str) -> tuple[str, int]:
    where = urlsplit(url)
    assert where.hostname is not None
    assert where.port is not None
    return where.hostname, where.port


def _name(table: Table) -> str:
    return name_of(table.key)


def _come(role: str, places: Places, seconds: float, number: int = 0) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "croupier_bench.stranger_visitors", role, json.dumps(asdict(places)), str(seconds)]
    return subprocess.Popen([*command, str(number)], stdout=subprocess.PIPE, text=True)


def _finish(process: subprocess.Popen[str]) -> dict[str, Any]:
    """What people tell in the end."""
    with process:
        assert process.stdout is not None
        told: dict[str, Any] = json.loads(process.stdout.read())
    return told
