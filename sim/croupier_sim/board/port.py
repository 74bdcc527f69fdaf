"""The USB port of the simulated Pico: a pseudo-terminal that a program opens like the real port.

The faults of a line act on the bytes here: noise, loss, doubling, silence. The port can also disappear and come back
under another name, as it does when the Pico loses its supply for a moment.
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
"""The largest lag of the simulated world behind the clock while nothing arrives (real time, s)."""


@dataclass(slots=True)
class LineFaults:
    """Probabilities for each byte in both directions; ``is_silent``: no byte arrives."""

    flipped: float = 0.0
    lost: float = 0.0
    doubled: float = 0.0
    is_silent: bool = False

    def damage(self, data: bytes, rng: random.Random) -> bytes:
        """Return ``data`` after the faults of the line."""
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
    """The port. ``path``: a link in ``folder`` that a program opens, named like the real port.

    At each restart of the Pico the port disappears and comes back under the next name. ``on_event`` is called with each
    event of the board. Call `step`, or `start` a thread that runs the board's clock at ``speed`` times real time.
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
        """Plug the port in, under a new name."""
        self.unplug()
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave, termios.TCSANOW)
        os.set_blocking(self._master, False)
        self.path = self._folder / f"ttyACM{self._names}"
        self._names += 1
        self.path.symlink_to(os.ttyname(self._slave))

    def unplug(self) -> None:
        """Unplug the port; a program that has it open gets an error."""
        if self._master >= 0:
            self.path.unlink()
            os.close(self._master)
            os.close(self._slave)
            self._master = self._slave = -1

    def step(self, t_us: int) -> None:
        """Carry bytes to the Pico, advance its time to ``t_us``, and carry its bytes back."""
        with self._lock:
            if self._master >= 0:
                try:
                    data = os.read(self._master, 4096)
                except OSError:  # no data, or nobody has opened the port
                    data = b""
                if data := self.faults.damage(data, self._rng):
                    self.pico.write(data)
            events = self.pico.run_to(t_us)
            for event in events:
                if event.kind == "reset":
                    self.unplug()
                elif event.kind == "boot":
                    self.plug_in()
            if (data := self.faults.damage(self.pico.read(), self._rng)) and self._master >= 0:
                with suppress(OSError):  # nobody reads: the bytes that do not fit are lost
                    os.write(self._master, data)
        for event in events:
            self._on_event(event)

    def do(self, device: str, act: str, *values: object) -> None:
        """As `SimPico.do`; thread-safe."""
        with self._lock:
            self.pico.do(device, act, *values)

    def start(self) -> None:
        """Start a thread that advances the board's clock."""
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop the clock and remove the port; the Pico stays as it is."""
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
