"""Runs the firmware in MicroPython's own VM, in step with simulated time.

The VM goes exactly as far as it is told and then waits, so that the same commands at the same times give the same bytes
and the same events, however slow or busy this computer is. How simulated time relates to real time is the caller's.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from croupier.devices.pico.firmware_files import firmware_folder

_VM: Final = Path(__file__).parent / "vm"
_PATIENCE_S: Final = 60.0
"""A firmware that does not come back from its step for so long (real time) never will."""
_HEAP: Final = "2M"  # firmware and physics together, in words of 64 bits


def interpreter() -> str | None:
    """MicroPython's program, or None where it is not installed."""
    for folder in (Path(sys.executable).parent, Path(sysconfig.get_path("scripts"))):
        if (folder / "micropython").is_file():
            return str(folder / "micropython")
    return shutil.which("micropython")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The machine at the start.

    ``cards`` in the shoe; ``angle`` of the turntable (steps, 4800 a revolution, clockwise from the magnet); ``torque``
    of its motor (1: all of it); ``jam`` and ``double_feed``: chances for each card; ``grip`` and ``best_grip``: what of
    the roller's speed a card takes on, at worst and at best; ``unpressed``: so many of the last cards press too little
    on the roller; ``weak_supply``: a reversal of the running feed motor breaks it down; ``start_us``: what the Pico's
    clock shows; ``seed`` of all chance.
    """

    cards: int = 108
    angle: float = 300.0
    torque: float = 1.0
    jam: float = 0.0
    double_feed: float = 0.0
    grip: float = 0.96
    best_grip: float = 1.0
    unpressed: int = 0
    weak_supply: bool = False
    start_us: int = 0
    seed: int = 1
    narrow: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened on the board at ``t_us``. ``kind``:

    ``card``: a card left the shoe; ``values``: the angle at which the turntable really stood (steps).
    ``boot``: the firmware begins. ``reset``: the Pico started anew; ``values``: the cause. ``left``: the firmware was
    left. ``look``: the answer to the act `look` of the board: frames of the ring so far, its bytes, lamps, duty of the
    buzzer.
    """

    t_us: int
    kind: str
    values: tuple[Any, ...]


class SimPico:
    """The firmware on a simulated board. Time is in µs since the Pico had power; use it as a context manager."""

    def __init__(
        self, settings: Settings = Settings(), *, on_cpython: bool = False, firmware: Path | None = None
    ) -> None:
        to_vm, self._commands = os.pipe()
        self._answers, from_vm = os.pipe()
        folder = firmware or firmware_folder()
        # The VM loads the firmware's clock before `main.py`, which names the folder of an installed version, has run.
        folders = [folder, *sorted(folder.glob("croupier-?"))]
        paths = [str(_VM), *(str(path) for root in folders for path in (root, root / "lib"))]
        arguments = [str(to_vm), str(from_vm), json.dumps(asdict(settings))]
        program = None if on_cpython else interpreter()
        if program is None:
            command = [sys.executable, "-S", str(_VM / "on_cpython.py"), *arguments, *paths]
        else:
            command = [program, "-X", f"heapsize={_HEAP}", str(_VM / "start.py"), *arguments]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
            pass_fds=(to_vm, from_vm), env={"MICROPYPATH": ":".join([*paths, ".frozen"])}, cwd=folder,
        )  # fmt: skip
        os.close(to_vm)
        os.close(from_vm)
        self._reader = os.fdopen(self._answers, "rb")
        assert self._process.stdout is not None
        os.set_blocking(self._process.stdout.fileno(), False)
        self._acts: list[list[Any]] = []
        self.is_driven = False
        """Whether a motor gets current to move."""
        self.now_us = settings.start_us
        self._events: list[Event] = []
        self._take_answer()
        self.runs_on = " ".join(self._events.pop().values).replace("micropython", "micropython unix")
        """What runs the firmware: "micropython unix 1.28.0", or "cpython 3.11.7" where that is not installed."""

    def __enter__(self) -> SimPico:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Switch it off."""
        if self._commands >= 0:
            os.close(self._commands)
            self._commands = -1
        self._process.wait()
        self._reader.close()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert stream is not None
            stream.close()

    def do(self, device: str, act: str, *values: Any, at_us: int | None = None) -> None:
        """Let something happen at a time, or at once: a method of the ``feeding``, ``turning`` or ``board`` of `vm`."""
        self._acts.append([self.now_us if at_us is None else at_us, device, act, *values])

    def press(self, mask: int, *, at_us: int | None = None, up_after_us: int | None = 80_000, bounces: int = 0) -> None:
        """Seats press their buttons in the same instant; bit 0 is seat 0. The contacts bounce 0 to 2 times."""
        self.do("board", "press", mask, up_after_us, bounces, at_us=at_us)

    def write(self, data: bytes) -> None:
        """Bytes to the Pico's USB port."""
        assert self._process.stdin is not None
        self._process.stdin.write(data)

    def read(self) -> bytes:
        """Bytes that have come from it."""
        assert self._process.stdout is not None
        return self._process.stdout.read() or b""

    def run_to(self, t_us: int) -> list[Event]:
        """Let time go on to ``t_us`` and return what happened."""
        if t_us > self.now_us:
            acts, self._acts = self._acts, []
            os.write(self._commands, json.dumps([t_us, acts]).encode() + b"\n")
            self._take_answer()
        events, self._events = self._events, []
        return events

    def _take_answer(self) -> None:
        if not select.select([self._reader], [], [], _PATIENCE_S)[0]:
            self._process.kill()
            raise RuntimeError(f"the firmware loops without end in the simulation, since {self.now_us} µs")
        line = self._reader.readline()
        if not line:
            assert self._process.stderr is not None
            said = (self.read() + (self._process.stderr.read() or b"")).decode(errors="replace")
            status = self._process.wait()
            raise RuntimeError(f"the firmware failed in the simulation (exit status {status}):\n{said}")
        self.now_us, self.is_driven, told = json.loads(line)
        self._events.extend(Event(one[0], one[1], tuple(one[2:])) for one in told)
