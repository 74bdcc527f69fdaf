"""The USB port of the simulated Pico: a pseudo-terminal that a program opens as it would open the real one.

What can befall a line is done to the bytes here: noise, loss, doubling, silence, and the port that goes away and comes
back under another name, as it does when the Pico loses its supply for a moment.
"""

from __future__ import annotations

import os
import pty
import random
import select
import termios
import threading
import time
import tty
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from croupier_sim.board.pico import Event, SimPico

_STEP_S: Final = 0.002
"""The world is at most so much older than the clock while nothing arrives (real time)."""


@dataclass(slots=True)
class LineFaults:
    """Chances for each byte, both ways; ``is_silent``: nothing comes through."""

    flipped: float = 0.0
    lost: float = 0.0
    doubled: float = 0.0
    is_silent: bool = False

    def befall(self, data: bytes, rng: random.Random) -> bytes:
        """What becomes of ``data`` on the line."""
        if self.is_silent:
            return b""
        if not (self.flipped or self.lost or self.doubled):
            return data
        out = bytearray()
        for byte in data:
            if rng.random() < self.flipped:
                byte ^= 1 << rng.randrange(8)
            if rng.random() >= self.lost:
                out.append(byte)
            if rng.random() < self.doubled:
                out.append(byte)
        return bytes(out)


class SimPort:
    """The port: ``path`` is what a program opens, a link in ``folder`` with a name like the real one's.

    Whenever the Pico starts anew the port goes away and comes back under the next name. ``on_event`` is told what
    happens on the board. Call `step`, or let `start` run a thread that keeps the board's clock ``speed`` times as fast
    as real time.
    """

    def __init__(
        self,
        pico: SimPico,
        folder: Path,
        *,
        speed: float = 1.0,
        seed: int = 1,
        on_event: Callable[[Event], None] = lambda event: None,
    ) -> None:
        self.pico, self.faults = pico, LineFaults()
        self._folder, self._speed, self._on_event = folder, speed, on_event
        self._rng = random.Random(seed)
        self._names = 0
        self._master = self._slave = -1
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_over = False
        self.path = folder / "none"

    def __enter__(self) -> SimPort:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def plug_in(self) -> None:
        """The port is there, under a new name."""
        self.unplug()
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave, termios.TCSANOW)
        os.set_blocking(self._master, False)
        self.path = self._folder / f"ttyACM{self._names}"
        self._names += 1
        self.path.symlink_to(os.ttyname(self._slave))

    def unplug(self) -> None:
        """The port is gone; whoever has it open hears so."""
        if self._master >= 0:
            self.path.unlink()
            os.close(self._master)
            os.close(self._slave)
            self._master = self._slave = -1

    def step(self, t_us: int) -> None:
        """Carry bytes to the Pico, let its time go on to ``t_us``, and carry its bytes back."""
        with self._lock:
            if self._master >= 0:
                try:
                    data = os.read(self._master, 4096)
                except OSError:  # nothing is there, or nobody
                    data = b""
                if data := self.faults.befall(data, self._rng):
                    self.pico.write(data)
            events = self.pico.run_to(t_us)
            for event in events:
                if event.kind == "reset":
                    self.unplug()
                elif event.kind == "boot":
                    self.plug_in()
            if (data := self.faults.befall(self.pico.read(), self._rng)) and self._master >= 0:
                with suppress(OSError):  # nobody reads: what does not fit is lost
                    os.write(self._master, data)
        for event in events:
            self._on_event(event)

    def do(self, device: str, act: str, *values: object) -> None:
        """As `SimPico.do`, also while the thread runs."""
        with self._lock:
            self.pico.do(device, act, *values)

    def start(self) -> None:
        """Let the board's clock run by itself from now on."""
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop the clock and take the port away; the Pico is left as it is."""
        self._is_over = True
        if self._thread:
            self._thread.join()
        self.unplug()

    def _run(self) -> None:
        began, began_us = time.monotonic(), self.pico.now_us
        while not self._is_over:
            waiting = [self._master] if self._master >= 0 else []
            if not waiting:
                time.sleep(_STEP_S)
            select.select(waiting, [], [], _STEP_S)
            self.step(began_us + round((time.monotonic() - began) * 1e6 * self._speed))
