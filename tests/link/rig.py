"""The host's side of the line and the firmware's own (`firmware/pico/link.py`), with a line between them, in step."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Protocol, TypeVar

from croupier.link.conversation import Conversation
from croupier_extras.gpio.firmware import Ticks, load
from tablewire.messages import TICKS

STEP_S = 0.005

E = TypeVar("E")


class _Clock(Protocol):
    now: float


def firmware_link(clock: _Clock) -> Any:
    """The firmware's module, which finds the Pico's clock to be ``clock``."""
    return load(Ticks(lambda: clock.now), ("link",)).link


class Rig:
    """``heard``: the commands that the Pico carried out. ``told``: what the host was told. ``boot`` says which start of
    the Pico this is; its clock runs ``drift`` faster than the table's."""

    def __init__(self, *, start: float = 0.0, drift: float = 0.0) -> None:
        self.now, self.drift = start, drift
        self.host = Conversation()
        self.heard: list[tuple[Any, ...]] = []
        self.told: list[Any] = []
        self.is_plugged_in = self.is_read = self.are_events_read = True
        self.loses = 0
        """Of so many writes of the host all but the last are lost; 0: none is."""
        self._writes = 0
        self._to_pico, self._to_host = b"", b""
        self.boot = 0
        self._clock = SimpleNamespace(now=0.0)
        self._firmware = firmware_link(self._clock)
        self.start_pico()

    # The port, as the firmware's `Port` has it.

    @property
    def began(self) -> int:
        return self.ticks

    is_behind = False

    def read(self) -> bytes:
        end = 256 if self.is_behind else 1 + (self._to_pico + b"\n").find(b"\n")
        data, self._to_pico = self._to_pico[:end], self._to_pico[end:]
        self.is_behind = bool(self._to_pico)
        return data

    def write(self, data: bytes) -> int:
        if not self.is_read:
            return 0
        self._to_host += data
        return len(data)

    def start_pico(self, cause: str = "power") -> None:
        """The Pico starts (anew)."""
        self.boot += 1
        self._set_clock()
        self._to_pico = b""
        self.pico = self._firmware.Link(self, "test", "SIMULATION", cause, self.boot)

    def plug(self, is_plugged_in: bool) -> None:
        self.is_plugged_in = is_plugged_in
        self._to_pico = self._to_host = b""
        if is_plugged_in:
            self.host.connected(self.now)
        else:
            self.host.disconnected(self.now)

    def run(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            self.now += STEP_S
            self._set_clock()
            if self.is_plugged_in:
                self._to_pico += self._through(self.host.due(self.now))
            self._go_round()
            while self.pico.is_busy or self._to_pico:
                self._go_round()
            data, self._to_host = self._to_host, b""
            if self.is_plugged_in and data:
                self.host.receive(data, self.now)
            if self.are_events_read:
                self.told += self.host.events()

    def _go_round(self) -> None:
        self.heard += [(name, *values) for name, values in self.pico.poll()]
        if self.pico.is_new_session:
            self.pico.report("state", "idle", 0, "filled", 0, 0, 0, self.pico.lost)
        self.pico.flush()

    def _through(self, data: bytes) -> bytes:
        self._writes += bool(data)
        return b"" if self.loses and self._writes % self.loses else data

    def of(self, kind: type[E]) -> list[E]:
        return [one for one in self.told if isinstance(one, kind)]

    @property
    def ticks(self) -> int:
        """What the Pico's clock shows now."""
        return int(self._clock.now * 1e6) % TICKS

    def _set_clock(self) -> None:
        self._clock.now = 1000 * self.boot + self.now * (1 + self.drift)
