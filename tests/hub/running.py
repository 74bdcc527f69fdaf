"""Hubs of the tests: in a thread, and as the command in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Event
from time import monotonic
from typing import Any

from croupier_hub import DIRECTOR_FILE
from croupier_hub import serving as hub_serving
from croupier_hub.budget import MOST
from croupier_hub.client import HubClient
from croupier_hub.director import enroll, publish, write
from croupier_hub.outbox import Outbox
from croupier_hub.plan import Plan, PlannedRound
from croupier_hub.service import create_hub
from croupier_hub.store import LogStore
from croupier_hub.table_log import TableLog
from croupier_hub.table_observer import TournamentTable
from tests.patience import PATIENCE_S
from tests.ports import own_port

DATABASE = "sqlite:///hub.db"
_LOOK_S = 0.02
"""Between two looks at a hub: a reader that never waits uses up the budget of its network (`croupier_hub.budget`)."""
OUTBOX, JOURNAL = Path("table.outbox"), Path("croupier.journal")


def director() -> str:
    """The key of the director of this folder."""
    with Outbox(DIRECTOR_FILE) as outbox:
        return outbox.log


class HubProcess:
    """`croupier tournament hub` with these options in this folder, at the same port after each start."""

    def __init__(self, *options: str) -> None:
        self._port, self._options = str(own_port()), options
        self.start()

    def start(self) -> None:
        """Start it; it answers."""
        command = [sys.executable, "-m", "croupier", "tournament", "hub", "--port", self._port, *self._options]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().split(";")[0].rpartition(" ")[2]
        assert self.url, "the hub ended"

    def workers(self) -> list[int]:
        """The ids of the processes behind the address, if there are several."""
        me, found = self._process.pid, list[int]()
        for one in map(int, Path(f"/proc/{me}/task/{me}/children").read_text().split()):
            with suppress(OSError):  # it has just ended
                found += [one] * (b"serve_in_child" in Path(f"/proc/{one}/cmdline").read_bytes())
        return found

    def kill(self, how: signal.Signals = signal.SIGKILL) -> int:
        """End it; returns its exit status."""
        self._process.send_signal(how)
        self._process.communicate(timeout=PATIENCE_S)
        return self._process.returncode


_WARM = """
import json, os, signal, sys
from croupier.cli import main
from croupier_hub import budget, forwarding, serving
from croupier_hub.pages import site
budget.MOST = float(sys.argv[1])
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for line in sys.stdin:
    if os.fork() == 0:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        print(os.getpid(), flush=True)
        os._exit(main.run(json.loads(line)))
"""


class WarmHub:
    """As `HubProcess`, for hubs that are killed often: the process is forked from one that has imported everything,
    which is nearly all that a start costs. ``most``: its budget, which counts in real time, in place of `budget.MOST`.
    """

    def __init__(self, *options: str, most: float = MOST) -> None:
        self._port, self._options, self._pid = str(own_port()), options, 0
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._forks = subprocess.Popen([sys.executable, "-c", _WARM, str(most)], **pipes)
        self.start()

    def start(self) -> None:
        """Start it; it answers."""
        command = ["--language", "en", "tournament", "hub", "--port", self._port, *self._options]
        assert self._forks.stdin is not None
        self._forks.stdin.write(json.dumps(command) + "\n")
        self._forks.stdin.flush()
        self._pid = int(self._line(str.isdigit))
        self.url = self._line(lambda line: line.startswith("the hub is at")).split(";")[0].rpartition(" ")[2]

    def kill(self) -> None:
        """End it at once; nothing of it is left."""
        os.kill(self._pid, signal.SIGKILL)
        last = monotonic() + PATIENCE_S
        with suppress(ProcessLookupError):
            while True:
                os.kill(self._pid, 0)
                assert monotonic() < last, "the hub goes on"

    def close(self) -> None:
        """End it, and what forks it."""
        self.kill()
        self._forks.communicate()

    def _line(self, is_it: Callable[[str], bool]) -> str:
        assert self._forks.stdout is not None
        while not is_it(line := str(self._forks.stdout.readline()).rstrip()):
            assert self._forks.poll() is None
        return line


@contextmanager
def serving(store: LogStore) -> Iterator[str]:
    """A hub in a thread; its address."""
    with hub_serving.serving(create_hub(store)) as url:
        yield url
    store.close()


@contextmanager
def hub_here(database: str = DATABASE, key: str = "") -> Iterator[str]:
    """A hub of this folder in a thread; its address."""
    with serving(LogStore(database, key or director())) as url:
        yield url


@contextmanager
def table_at(url: str) -> Iterator[SimpleQueue[str]]:
    """The table of this folder; what it says of the hub."""
    said: SimpleQueue[str] = SimpleQueue()
    table = TournamentTable(url, OUTBOX, JOURNAL, said.put)
    table.begin()
    try:
        yield said
    finally:
        table.close()


def key_of_the_table() -> str:
    """The key of the table of this folder, which is made if there is none."""
    with TableLog(OUTBOX, JOURNAL) as log:
        return log.log


def direct(url: str, key: str, seats: Sequence[str], *, rounds: int = 1) -> None:
    """Table 1 has this key, and these players sit there in the first rounds."""
    plan = Plan("single", len(seats), (PlannedRound((tuple(range(len(seats))),)),) * rounds, tuple(seats))
    with HubClient(url) as client:
        write(client, DIRECTOR_FILE, lambda known: enroll(known, key, 1, 1))
        write(client, DIRECTOR_FILE, lambda known: publish(known, plan))


def results_when(url: str, is_it: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The results of a hub, as soon as they are as awaited."""
    with HubClient(url) as client:
        last = monotonic() + PATIENCE_S
        while True:
            results: dict[str, Any] = json.loads(client.get("/results"))
            if is_it(results):
                return results
            assert monotonic() < last, results
            Event().wait(_LOOK_S)


def points(results: dict[str, Any], number: int = 1) -> list[int] | None:
    """The points of table 1 in a round; None while they are awaited."""
    found: list[int] | None = results["rounds"][number - 1]["tables"][0]["points"] if results["rounds"] else None
    return found


def stored(key: str, database: str = DATABASE) -> tuple[str, ...]:
    """The lines of a log that a hub has."""
    store = LogStore(database, director())
    try:
        return store.logs()[key].lines
    finally:
        store.close()
