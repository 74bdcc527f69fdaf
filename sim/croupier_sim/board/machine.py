"""The firmware's machine at the simulated table: driver, link, firmware and the mechanics it moves.

machine = BoardMachine(table, seed=1)
machine.shoe.feed(Feed(1, 2, 7))            # a directive, as to a real shoe
machine.press(2)                       # a person, whose button goes down on a pin of the board
table.run_to(table.now + 3)            # bytes cross the line, motors turn, cards slide to their seat"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from croupier.devices.pico import Layout, Pico, PicoShoe
from croupier.devices.pico.pico import PicoRing
from croupier.devices.protocols import DeviceEvent, JobLog
from croupier.events import ShoeReport
from croupier.link.commands import Command
from croupier.link.conversation import Conversation, Event
from croupier_sim.board.pico import Settings, SimPico
from croupier_sim.board.port import LineFaults
from croupier_sim.table import SimTable
from tablewire.messages import TURN_STEPS

_FRAME_S: Final = 0.001
"""The period of USB frames, in which the host reads the line while an answer is awaited (s)."""
_ANSWER_FRAMES: Final = 20
"""An answer comes within so many frames, unless the Pico is busy or the line lost it."""
_BUSY_S: Final = 0.02
"""The period in which the host reads the line while a motor runs or a message is not acknowledged (s)."""
_QUIET_S: Final = 0.1
"""The period in which the host reads the line while nothing happens; the period of its pings (s)."""

_SLIDE_S: Final = 0.35
"""The time of a card from the exit to the hand (s)."""


class SimLine:
    """Carries commands to the firmware and its reports back, in step with ``table``, and moves the table's cards.

    ``angles``: directions of the seats (degrees clockwise from the magnet). ``misdealt`` counts the cards that left the
    shoe while the turntable faced no seat; the nearest seat has them. Implements `croupier.devices.pico.Line`.
    """

    def __init__(self, table: SimTable, pico: SimPico, angles: Sequence[float], *, seed: int = 1) -> None:
        self.pico, self.faults = pico, LineFaults()
        self.table, self._angles = table, angles
        self._rng = random.Random(seed)
        self._conversation = Conversation(lambda: self._rng.randrange(1, 1 << 16))
        self._began_us = pico.now_us - round(table.now * 1e6)
        self._is_plugged_in = False
        self._in_hopper = -1
        self.fed = self.misdealt = 0
        self.seen: tuple[Any, ...] = ()
        """The last answer of the board to `look` (`Event`): what a person sees."""
        self._wakings = self._frames = 0
        self._wake(0.0)

    trouble = ""
    """The simulated port always exists; while it is unplugged, the line is silent."""

    def start(self) -> None:
        """Do nothing; the line exists already."""

    def close(self) -> None:
        """Do nothing; the owner of the board switches it off."""

    def send(self, command: Command) -> bool:
        """Send a command. Returns False if that is impossible now."""
        self._wake(0.0)
        return self._conversation.send(command)

    def events(self) -> list[Event]:
        """Return the events since the last call, in order."""
        return self._conversation.events()

    def watermark(self) -> float:
        """As `Conversation.watermark`."""
        return self._conversation.watermark(self.table.now)

    @property
    def has_events(self) -> bool:
        """True if `events` would return something."""
        return self._conversation.has_events

    def press(self, *seats: int) -> None:
        """Press the UNO buttons of these seats now, all in the same instant."""
        mask = sum(1 << seat for seat in seats)
        self.pico.press(mask, at_us=self._now_us, bounces=self._rng.randrange(3))
        self._wake(_BUSY_S)

    def reconnect(self) -> None:
        """Restart the program's end of the line, which then knows nothing of the past."""
        self._conversation = Conversation(lambda: self._rng.randrange(1, 1 << 16))
        if self._is_plugged_in:
            self._conversation.connected(self.table.now)
        self._wake(0.0)

    def clear(self) -> None:
        """Lay a stuck card back into the hopper, as a person does."""
        self.pico.do("feeding", "clear")

    def plug(self, is_in: bool) -> None:
        """Plug the cable in, or pull it out."""
        self._is_plugged_in = is_in
        now = self.table.now
        (self._conversation.connected if is_in else self._conversation.disconnected)(now)
        self._wake(0.0)

    @property
    def _now_us(self) -> int:
        return self._began_us + round(self.table.now * 1e6)

    def _wake(self, after_s: float) -> None:
        """Schedule the next exchange of bytes in place of the one that was scheduled before."""
        self._wakings += 1
        self.table.at(self.table.now + after_s, partial(self._slice, self._wakings))

    def _slice(self, waking: int) -> None:
        if waking != self._wakings:
            return
        table, pico, conversation = self.table, self.pico, self._conversation
        if len(table.hopper) != self._in_hopper:
            self._in_hopper = len(table.hopper)
            pico.do("feeding", "set_cards", self._in_hopper)
        for event in pico.run_to(self._now_us):
            if event.kind == "card":
                self._feed(event.values[0] * 360 / TURN_STEPS)
            elif event.kind == "look":
                self.seen = event.values
            elif event.kind in ("boot", "reset"):
                self.plug(event.kind == "boot")
        data = self.faults.damage(pico.read(), self._rng)
        if data and self._is_plugged_in:
            conversation.receive(data, table.now)
        out = self.faults.damage(conversation.due(table.now), self._rng) if self._is_plugged_in else b""
        if out:
            pico.write(out)  # the firmware reads it when time goes on
            self._frames = _ANSWER_FRAMES
        elif not conversation.is_waiting:
            self._frames = 0
        if self._frames:
            self._frames -= 1
            self._wake(_FRAME_S)
        else:
            is_busy = data or pico.is_driven or conversation.unacknowledged
            self._wake(min(_BUSY_S, conversation.pause(table.now)) if is_busy else _QUIET_S)

    def _feed(self, angle: float) -> None:
        off = [abs((angle - at + 180) % 360 - 180) for at in self._angles]
        seat = off.index(min(off))
        self.misdealt += off[seat] > 90 / len(off)
        self.table.feed(seat, _SLIDE_S)
        self._in_hopper -= 1
        self.fed += 1


_NOISY_S: Final = 1.5
_SILENT_S: Final = 2.5
_NOISE: Final = 0.02
"""Duration of noise and of silence on the line (s), and the fraction of bytes that noise hits. Silence lasts longer
than the host and the firmware wait."""

_STUCK_BUTTON_US: Final = 12_000_000


class BoardMachine:
    """Implements `croupier_sim.machine.SimMachine`. ``seed``: of the random faults on the line and in the mechanics."""

    def __init__(self, table: SimTable, *, seed: int) -> None:
        angles = tuple((table.direction_deg(seat) + 180) % 360 - 180 for seat in range(table.seats))
        settings = Settings(cards=len(table.hopper), seed=seed)
        self._table = table
        self._rng = random.Random(seed)
        self.board = SimPico(settings)
        self.line = SimLine(table, self.board, angles, seed=seed)
        self._layout = Layout(seats=table.seats, angles=angles)
        self.pico = Pico(self.line, self._layout)
        self.pico.shoe.arm()
        self.runs_on = self.board.runs_on
        self._surplus: list[tuple[int, int]] = []
        self._done: set[int] = set()
        self._reported = 0
        self._provoke: dict[str, Callable[[], None]] = {
            "jam": lambda: self.board.do("feeding", "stick", self._rng.uniform(-60.0, 40.0), True),
            "double-feed": lambda: self.board.do("feeding", "double", self._rng.uniform(20.0, 75.0)),
            "empty-hopper": self._empty_hopper,
            "line-noise": lambda: self._for(_NOISY_S, LineFaults(flipped=_NOISE)),
            "lost-bytes": lambda: self._for(_NOISY_S, LineFaults(lost=_NOISE)),
            "doubled-bytes": lambda: self._for(_NOISY_S, LineFaults(doubled=_NOISE)),
            "silence": lambda: self._for(_SILENT_S, LineFaults(is_silent=True)),
            "port-gone": self._unplug,
            "reset": lambda: self.board.do("board", "break_down", "watchdog"),
            "brown-out": lambda: self.board.do("board", "break_down", "power"),
            "stuck-button": lambda: self.board.press(1 << self._seat(), up_after_us=_STUCK_BUTTON_US),
            "two-presses": lambda: self.press(0, 1),
        }
        self.faults = tuple(self._provoke)

    # -- for the program -------------------------------------------------------------------------------------------

    @property
    def shoe(self) -> PicoShoe:
        """As `Machine.shoe`."""
        return self.pico.shoe

    @property
    def ring(self) -> PicoRing:
        """As `Machine.ring`."""
        return self.pico.ring

    @property
    def stuck(self) -> tuple[str, ...]:
        """As `Machine.stuck`."""
        return self.pico.stuck

    def restart_program(self, job_log: JobLog, *, is_armed: bool) -> None:
        """As `SimMachine.restart_program`: the board keeps its state, driver and link start again."""
        self.line.reconnect()
        self.pico = Pico(self.line, self._layout, job_log)
        if is_armed:
            self.pico.shoe.arm()

    def start(self) -> None:
        """Do nothing; the board runs already."""

    def close(self) -> None:
        """Switch the board off."""
        self.board.close()

    def watermark(self) -> float:
        """As `EventSource.watermark`."""
        return self.pico.watermark()

    def poll(self) -> tuple[DeviceEvent, ...]:
        """As `EventSource.poll`."""
        events = self.pico.poll()
        for report in events:
            if isinstance(report, ShoeReport) and report.kind == "fed" and report.job not in self._done:
                self._done.add(report.job)
                self._reported += report.n
                if report.n > report.asked:
                    self._surplus.append((report.seat, report.n - report.asked))
        return events

    def alarm(self) -> tuple[str, str] | None:
        """As `Machine.alarm`."""
        return self.pico.alarm()

    def acknowledge(self) -> None:
        """As `Machine.acknowledge`."""
        self.pico.acknowledge()

    # -- for people ------------------------------------------------------------------------------------------------

    @property
    def is_connected(self) -> bool:
        """As `SimMachine.is_connected`."""
        return self.pico.greeted is not None

    @property
    def is_feeding(self) -> bool:
        """As `SimMachine.is_feeding`."""
        return self.pico.shoe.is_busy

    @property
    def has_news(self) -> bool:
        """True if a report or a press has arrived."""
        return self.line.has_events

    def press(self, *seats: int) -> None:
        """As `SimMachine.press`."""
        self.line.press(*seats)

    def clear(self) -> None:
        """As `SimMachine.clear`. If the number of cards that a job fed is in doubt, the person reports the true
        number."""
        self.board.do("feeding", "lift", False)
        self.line.clear()
        if self.pico.shoe.in_doubt is not None:
            self.pico.shoe.settle(self.line.fed - self._reported)
        self.pico.shoe.clear()

    def take_surplus(self) -> tuple[tuple[int, int], ...]:
        """As `SimMachine.take_surplus`."""
        surplus, self._surplus = tuple(self._surplus), []
        return surplus

    def loaded(self) -> None:
        """As `SimMachine.loaded`: the hopper's sensor reports it."""

    def returned(self, seat: int, n: int) -> None:
        """As `SimMachine.returned`."""
        self.pico.shoe.returned(seat, n)

    def provoke(self, fault: str) -> None:
        """As `SimMachine.provoke`."""
        self._provoke[fault]()

    # --------------------------------------------------------------------------------------------------------------

    def _seat(self) -> int:
        return self._rng.randrange(self._table.seats)

    def _for(self, seconds: float, faults: LineFaults) -> None:
        """Apply these faults to the line for some seconds."""
        self.line.faults = faults
        self._table.at(self._table.now + seconds, self._mend)

    def _mend(self) -> None:
        self.line.faults = LineFaults()

    def _unplug(self) -> None:
        self.line.plug(False)
        self._table.at(self._table.now + _SILENT_S, lambda: self.line.plug(True))

    def _empty_hopper(self) -> None:
        """Lift the cards off the roller until a person opens the shoe."""
        self.board.do("feeding", "lift", True)
