"""Runs the firmware in MicroPython's own VM, in step with simulated time.

The VM runs up to the time that it is given and then waits. The same commands at the same times therefore give the same
bytes and events, however slow or busy this computer is. The caller decides how simulated time relates to real time.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from croupier.devices.pico.firmware_files import firmware_folder

_VM: Final = Path(__file__).parent / "vm"
_PATIENCE_S: Final = 60.0
"""A firmware that does not return from its step in this real time hangs (s)."""
_HEAP: Final = "2M"  # firmware and physics together, in words of 64 bits


def interpreter() -> str | None:
    """Return the path of MicroPython's program, or None if it is not installed."""
    for folder in (Path(sys.executable).parent, Path(sysconfig.get_path("scripts"))):
        if (folder / "micropython").is_file():
            return str(folder / "micropython")
    return shutil.which("micropython")


def environment(folders: Sequence[Path]) -> dict[str, str]:
    """Return the environment in which MicroPython imports modules from these folders and from their ``lib``."""
    return {"MICROPYPATH": ":".join([*_path(folders), ".frozen"])}


def _path(folders: Sequence[Path]) -> list[str]:
    return [str(path) for folder in folders for path in (folder, folder / "lib")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The machine at the start.

    ``cards``: in the shoe. ``angle``: of the turntable (steps, 4800 a revolution, clockwise from the magnet).
    ``torque``: of its motor, as a fraction. ``jam`` and ``double_feed``: probabilities for each card. ``grip`` and
    ``best_grip``: the least and the greatest fraction of the roller's speed that a card takes on. ``unpressed``: the
    number of last cards that press too little on the roller. ``weak_supply``: the supply breaks down when the running
    feed motor is reversed. ``start_us``: the Pico's clock at the start. ``seed``: of all random numbers.
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
    """An event on the board at ``t_us``. ``kind``:

    ``card``: a card left the shoe; ``values``: the true angle of the turntable (steps).
    ``boot``: the firmware begins.
    ``reset``: the Pico restarted; ``values``: the cause.
    ``left``: the firmware has ended.
    ``memory``: the answer to the act `measure_memory` of the board; ``values``: free bytes.
    ``rounds``: the answer to the act `time_rounds` of the board; ``values``: work of each round of the main loop (µs).
    ``look``: the answer to the act `look` of the board; ``values``: number of frames of the ring so far, its bytes,
    lamps, duty of the buzzer, whether the turntable can be turned by hand.
    """

    t_us: int
    kind: str
    values: tuple[Any, ...]


class SimPico:
    """The firmware on a simulated board. Time is in µs since the Pico had power; use it as a context manager."""

    epoch_us = 0
    """When the Pico's own clock was 0."""

    def __init__(
        self, settings: Settings = Settings(), *, on_cpython: bool = False, firmware: Path | None = None
    ) -> None:
        to_vm, self._commands = os.pipe()
        self._answers, from_vm = os.pipe()
        folder = firmware or firmware_folder()
        # The VM loads the firmware's clock before `main.py`, which names the folder of an installed version, has run.
        folders = [_VM, folder, *sorted(folder.glob("croupier-?"))]
        arguments = [str(to_vm), str(from_vm), json.dumps(asdict(settings))]
        program = None if on_cpython else interpreter()
        if program is None:
            command = [sys.executable, "-S", str(_VM / "on_cpython.py"), *arguments, *_path(folders)]
        else:
            command = [program, "-X", f"heapsize={_HEAP}", str(_VM / "start.py"), *arguments]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
            pass_fds=(to_vm, from_vm), env=environment(folders), cwd=folder,
        )  # fmt: skip
        os.close(to_vm)
        os.close(from_vm)
        self._reader = os.fdopen(self._answers, "rb")
        assert self._process.stdout is not None
        os.set_blocking(self._process.stdout.fileno(), False)
        self._acts: list[list[Any]] = []
        self.is_driven = False
        """True while a motor has current to move."""
        self.now_us = settings.start_us
        self._events: list[Event] = []
        self._take_answer()
        self.runs_on = " ".join(self._events.pop().values).replace("micropython", "micropython unix")
        """The interpreter of the firmware: "micropython unix 1.28.0", or "cpython 3.11.7" if MicroPython is not
        installed."""

    def __enter__(self) -> SimPico:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Switch the board off."""
        if self._commands >= 0:
            os.close(self._commands)
            self._commands = -1
        self._process.wait()
        self._reader.close()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert stream is not None
            stream.close()

    def do(self, device: str, act: str, *values: Any, at_us: int | None = None) -> None:
        """Call the method ``act`` of a device of `vm` (``feeding``, ``turning``, ``board``) at a time; default: now."""
        self._acts.append([self.now_us if at_us is None else at_us, device, act, *values])

    def press(self, mask: int, *, at_us: int | None = None, up_after_us: int | None = 80_000, bounces: int = 0) -> None:
        """Press the buttons of several seats in the same instant. ``mask``: bit 0 is seat 0. ``bounces``: 0 to 2."""
        self.do("board", "press", mask, up_after_us, bounces, at_us=at_us)

    def write(self, data: bytes) -> None:
        """Write bytes to the Pico's USB port."""
        assert self._process.stdin is not None
        self._process.stdin.write(data)

    def read(self) -> bytes:
        """Return the bytes that the Pico has sent since the last call."""
        assert self._process.stdout is not None
        return self._process.stdout.read() or b""

    def run_to(self, t_us: int) -> list[Event]:
        """Advance time to ``t_us``. Returns the events of that time."""
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
            output = (self.read() + (self._process.stderr.read() or b"")).decode(errors="replace")
            status = self._process.wait()
            raise RuntimeError(f"the firmware failed in the simulation (exit status {status}):\n{output}")
        self.now_us, self.is_driven, events = json.loads(line)
        self._events.extend(Event(one[0], one[1], tuple(one[2:])) for one in events)
