"""How quick the line to the Pico is, and how well its clock is known: through MicroPython's VM on a pseudo-terminal.

- ours: from `Link.send` to the report that answers it, through threads, checksums, numbers and acknowledgements;
- the peer: as many bytes to the same VM, which gives them back, with pyserial and nothing else.

Both are run in turn, in this process. The VM's ticks count this machine's monotonic clock, so that the table time of a
report can be held against the truth.
"""

from __future__ import annotations

import os
import pty
import subprocess
import time
import tty
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final, Literal, Self

import serial

from croupier.devices.pico.firmware_files import firmware_folder
from croupier.errors import CannotSimulate
from croupier.link import commands, reports
from croupier.link.link import Link
from croupier_sim.board.pico import environment, interpreter
from tablewire.messages import TICKS

ROUNDS: Final = 20
TRIPS: Final = 50
"""Round trips of each line in each round."""

LIMIT_MS: Final = 1.0
CLOCK_LIMIT_MS: Final = 0.5

_SCRIPT: Final = Path(__file__).parent / "vm/answer.py"


class Vm:
    """MicroPython's VM on a pseudo-terminal: the Pico's end of the line, or an echo. ``path``: the port to open."""

    def __init__(self, mode: Literal["answer", "echo"] = "answer") -> None:
        folder, program = firmware_folder(), interpreter()
        if program is None:
            raise CannotSimulate("MicroPython is missing: pip install 'croupier[sim]' (Linux on x86-64)")
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self.path = os.ttyname(self._slave)
        self._process = subprocess.Popen(
            [program, "-X", "heapsize=400K", str(_SCRIPT), mode],
            stdin=self._master, stdout=self._master, env=environment([folder]),
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._master)
        os.close(self._slave)


def measure() -> Iterator[dict[str, Any]]:
    """Measure round trips and the error of the clock."""
    trips: dict[str, list[float]] = {"ours": [], "pyserial echo": []}
    errors: list[float] = []
    stated: list[bool] = []
    with Vm() as vm, Vm("echo") as mirror, Link(vm.path) as link, serial.Serial(mirror.path, timeout=5) as port:
        _until_open(link)
        for _ in range(ROUNDS):
            for _ in range(TRIPS):
                trips["ours"].append(_trip(link))
            for _ in range(TRIPS):
                trips["pyserial echo"].append(_echo(port))
            for _ in range(TRIPS):
                stamp, truth = _stamp(link)
                errors.append(abs(stamp.t - truth) * 1000)
                stated.append(abs(stamp.t - truth) <= stamp.u)
    ours, peer = (median(times) for times in trips.values())
    yield {
        "bench": "link", "what": "round trip over a pty, median", "unit": "ms", "ours": round(ours, 3),
        "peers": {"pyserial echo": round(peer, 3)}, "ratio": {"pyserial echo": round(ours / peer, 2)},
    }  # fmt: skip
    yield _limited("round trip over a pty, median", round(ours, 3), LIMIT_MS)
    yield _limited("error of the table's clock, 99 of 100", round(quantiles(errors, n=100)[98], 4), CLOCK_LIMIT_MS)
    share = {"unit": "of reports", "ours": sum(stated) / len(stated)}
    yield {"bench": "link", "what": "error within the stated uncertainty", **share}


def _limited(what: str, ours: float, limit: float) -> dict[str, Any]:
    line = {"bench": "link", "what": what, "unit": "ms", "ours": ours, "limit": limit}
    return line | {"ratio": round(ours / limit, 3)}


def _until_open(link: Link) -> None:
    while not any(isinstance(one, reports.State) for one in link.wait(5)):
        pass


def _trip(link: Link) -> float:
    """Return the time from a command to its report (ms)."""
    begun = time.perf_counter()
    link.send(commands.Stop())
    while not link.wait(5):
        pass
    return (time.perf_counter() - begun) * 1000


def _echo(port: serial.Serial) -> float:
    """Return the time in which a line of the same length comes back (ms)."""
    line = b"3f0a 17 9 stop *7f2cb049\n"
    begun = time.perf_counter()
    port.write(line)
    port.read(len(line))
    return (time.perf_counter() - begun) * 1000


def _stamp(link: Link) -> tuple[reports.Tested, float]:
    """Return a moment as the report gives it, and the true table time of that moment."""
    link.send(commands.Test(part="buttons"))
    stamp: reports.Tested | None = None
    while stamp is None:
        stamp = next((one for one in link.wait(5) if isinstance(one, reports.Tested)), None)
    now = time.monotonic()
    return stamp, now - (round(now * 1e6) - stamp.detail) % TICKS / 1e6
