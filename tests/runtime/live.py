"""A running table in simulated time: the real link and the real shoe of the firmware, everything else at hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from croupier.alarms import AlarmRegistry
from croupier.commands import Key, LayCard
from croupier.config import read
from croupier.devices.protocols import Ask, Say
from croupier.errors import CannotWrite
from croupier.events import CommandGiven, Press, ShoeReport
from croupier.journal import Journal
from croupier.link.commands import Command
from croupier.link.conversation import Conversation, Event
from croupier.runtime.devices import Factories
from croupier.runtime.inbox import Inbox
from croupier.runtime.table import open_table
from croupier_extras.gpio.firmware import Ticks, load
from croupier_rules.cards import DECKS
from tests.link.rig import Rig

STEP_S = 0.05
CARD_S = 0.2
SILENCE_S = 0.5
TWO = '[camera]\nsource = "none"\n[seats]\nnames = ["Ann", "Ben"]\ndealer = 0\n'
PICO = '[shoe]\nkind = "pico"\n[buttons]\nkind = "pico"\n[ring]\nkind = "pico"\n'


class Feeder:
    """Cards pass the exit one by one, without physics. ``fed``: of this job."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self.fed, self._n, self._next, self._ended = 0, 0, 0.0, ""
        self.doubles = 0

    def listen(self, on_pulse: Callable[[Any], None], on_count: Callable[[int], None]) -> None:
        self._on_pulse = on_pulse

    def feed(self, n: int) -> None:
        self.fed, self._n, self._next, self._ended = 0, n, self._board.now + self._board.card_s, ""

    def stop(self, why: str) -> None:
        self._n, self._ended = 0, why

    def step(self) -> str | None:
        if self._n and self._board.now >= self._next:
            self._next += self._board.card_s
            self._pass()
            if self.fed >= self._n:
                if self.doubles:
                    self.doubles -= 1
                    self._board.too_many[self._board.turntable.seat] += 1
                    self._pass()
                self.stop("complete")
        ended, self._ended = self._ended, ""
        return ended or None

    def _pass(self) -> None:
        self.fed += 1
        self._board.got[self._board.turntable.seat] += 1
        self._board.passed(self._board.turntable.seat)
        self._on_pulse(SimpleNamespace(ticks=self._board.ticks, pulse_us=73_000, gap_us=0))


class Turntable:
    """Turns to a place in the time that its board takes. ``seat``: where it stands, or will stand."""

    def __init__(self, board: Board) -> None:
        self._board, self.seat, self._arrives = board, 0, 0.0

    @property
    def is_turning(self) -> bool:
        return self._board.now < self._arrives

    def turn_to(self, place: int) -> None:
        if place != self.seat:
            self.seat, self._arrives = place, self._board.now + self._board.turn_s

    def stop(self) -> None: ...
    def doubt(self) -> None: ...
    def step(self) -> str:
        return ""

    def find_home(self) -> None: ...


class Board(Rig):
    """A Pico: the firmware's own link and shoe, in steps of `STEP_S`. ``got``: the cards that each seat
    really got; ``too_many``: how many of them it was not to get. A card takes ``card_s``, a turn ``turn_s`` (s)."""

    def __init__(self, card_s: float = CARD_S, turn_s: float = 0.0) -> None:
        self.card_s, self.turn_s = card_s, turn_s
        self.got: Counter[int] = Counter()
        self.too_many: Counter[int] = Counter()
        self.registers = [0, 0, 0]
        self._done = 0
        self._heard_at = 0.0
        self._places: dict[int, int] = {}
        super().__init__()
        self.is_plugged_in = False

    def start_pico(self, cause: str = "power") -> None:
        super().start_pico(cause)
        if cause == "power":
            self.registers = [0, 0, 0]
        self._done = len(self.heard)
        pico = load(Ticks(lambda: self._clock.now))
        self.turntable, self.feeder = Turntable(self), Feeder(self)
        sensors = SimpleNamespace(is_on=lambda: False), SimpleNamespace(is_on=lambda: True)
        self.shoe = pico.shoe.Shoe(
            self.turntable, self.feeder, *sensors, pico.memory.Memory(self.registers), self.pico.report, lambda: True
        )

    def run_to(self, end: float) -> None:
        while self.now < end - STEP_S / 2:
            self.now = min(end, self.now + STEP_S)
            self._set_clock()
            if self.is_plugged_in:
                data = self.host.due(self.now)
                self._heard_at = self.now if data else self._heard_at
                self._to_pico += data
            self._go_round()
            while self.pico.is_busy or self._to_pico:
                self._go_round()
            data, self._to_host = self._to_host, b""
            if self.is_plugged_in and data:
                self.host.receive(data, self.now)

    def _go_round(self) -> None:
        for name, values in self.pico.poll():
            self._do(name, values)
        if self.pico.is_new_session:
            self.pico.report("state", *self.shoe.state(), self.pico.lost)
        if self.shoe.is_armed and self.now - self._heard_at > SILENCE_S:
            self.shoe.stop("silence")
        self.shoe.step()
        self.pico.flush()

    def _do(self, name: str, values: Any) -> None:
        match name:
            case "place":
                self._places[values[0]] = values[0]
            case "deal":
                job, seat, n = values
                self.shoe.deal(job, self._places.get(seat), n)
            case "go":
                self.shoe.arm()
            case "stop":
                self.shoe.stop("stopped")
            case "clear":
                self.shoe.clear()
            case _:
                pass

    def passed(self, seat: int) -> None:
        """A card has left towards this seat."""

    def press(self, *seats: int) -> None:
        self.pico.report("press", self.ticks, sum(1 << seat for seat in seats))


class Line:
    """The link to a `Board`, as a table opens it; ``now``: the table's clock, on which everything is told."""

    trouble = ""

    def __init__(self, board: Board, now: Callable[[], float]) -> None:
        self._board, self._ahead = board, board.now - now()

    def start(self) -> None:
        self._board.host = Conversation()
        self._board.plug(True)

    def send(self, command: Command) -> bool:
        return self._board.host.send(command)

    def events(self) -> list[Event]:
        return [replace(event, t=event.t - self._ahead) for event in self._board.host.events()]

    def watermark(self) -> float:
        return self._board.host.watermark(self._board.now) - self._ahead

    def close(self) -> None:
        self._board.plug(False)


class People:
    """A `Page`: whoever is asked."""

    def __init__(self) -> None:
        self.asked: list[Ask] = []
        self.said: list[Say] = []

    def ask(self, ask: Ask) -> None:
        self.asked.append(ask)

    def say(self, say: Say) -> None:
        self.said.append(say)


class Disk:
    """The table's journal, on a disk that may be full."""

    def __init__(self, path: Path) -> None:
        self.is_full = False
        self.journal = Journal(path)
        for write in ("append", "begin", "record_job"):
            setattr(self.journal, write, self._guarded(getattr(self.journal, write)))

    def _guarded(self, write: Callable[..., Any]) -> Callable[..., Any]:
        def guarded(*said: Any, **more: Any) -> Any:
            if self.is_full:
                raise CannotWrite(f"{self.journal.path}: the disk is full")
            return write(*said, **more)

        return guarded


class VirtualClock:
    """The table's clock from ``start`` on, driven by a `Running`."""

    def __init__(self, running: Running, start: float) -> None:
        self._running, self._zero = running, running.t - start

    def now(self) -> float:
        return self._running.t - self._zero

    def wall(self) -> float:
        return self._running.wall

    def wait(self, inbox: Inbox, seconds: float) -> None: ...


class Running:
    """A table in simulated time, as ``text`` configures it."""

    def __init__(
        self,
        path: Path,
        text: str = TWO,
        factories: Factories | None = None,
        *,
        board: Board | None = None,
        **more: Any,
    ) -> None:
        self.path, self.text = path, text
        self.t = self.wall = 1000.0
        self.board = board or Board()
        self.board.run_to(1.0)
        self.alarms: list[tuple[str, str]] = []
        self.factories = factories or Factories(
            reader=lambda config: None,  # type: ignore[arg-type,return-value]
            link=lambda port, now, wake: Line(self.board, now),
        )
        self.start(**more)

    def start(self, **more: Any) -> None:
        """The program is started (anew)."""
        self.people = People()
        self.disk = Disk(self.path)
        alarms = AlarmRegistry(lambda alarm: self.alarms.append((alarm.device, alarm.kind)))
        try:
            self.table = open_table(
                read(self.text), self.disk.journal, alarms, self.page(), factories=self.factories,
                clock=lambda start: VirtualClock(self, start), **more,
            )  # fmt: skip
        except BaseException:
            self.disk.journal.close()
            raise
        self.table.manager.start()

    def page(self) -> Any:
        """Where people are asked."""
        return self.people

    def kill(self) -> None:
        """The program is gone, without a word; only what is on the disk is left."""
        self.board.plug(False)
        self.disk.journal.close()

    def wait(self, seconds: float) -> None:
        end = self.t + seconds
        while self.t < end - 1e-9:
            self.t = round(min(end, self.t + 0.1), 6)
            self.wall += 0.1
            self.board.run_to(self.board.now + 0.1)
            self.table.turn()

    def say(self, said: Press | CommandGiven | ShoeReport) -> None:
        self.table.inbox.put(said)

    def press(self, key: Key, seat: int = 0) -> None:
        self.say(Press(t=self.table.clock.now(), seat=seat, key=key))

    def go(self, seconds: float) -> None:
        """Somebody says go, and so much time goes by."""
        self.press("go")
        self.wait(seconds)

    def lay(self) -> None:
        """Whoever is on turn lays a card that fits, of those that are left."""
        gone = Counter(line.get("card", "") for line in self.log if line.get("obs") in ("play", "upcard"))
        deck = DECKS[self.table.run.session.referee.header.ruleset.deck]
        fit = self.table.run.session.referee.expected_faces() & deck.keys()
        colored = sorted(
            (face for face in fit if face.partition("-")[2].isdigit()), key=lambda face: (gone[face] - deck[face], face)
        )
        if colored:
            self.say(CommandGiven(t=self.table.clock.now(), command=LayCard(colored[0])))

    @property
    def position(self) -> Any:
        return self.table.run.position

    @property
    def log(self) -> list[dict[str, Any]]:
        """The lines of the game that is played, without the header."""
        import json

        return [json.loads(line) for line in self.disk.journal.lines(self.table.run.session.game)[1:]]

    @property
    def faults(self) -> list[tuple[str, str]]:
        return [(line["device"], line["kind"]) for line in self.log if line["obs"] == "fault"]
