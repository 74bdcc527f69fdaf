"""One Pico: keeps what it should know, and tells it again whenever it was reset or silent."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Protocol

from croupier.devices.pico.layout import Layout
from croupier.devices.pico.panel import PicoButtons, PicoRing
from croupier.devices.pico.shoe import PicoShoe
from croupier.link import reports as wire
from croupier.link.commands import Command
from croupier.link.conversation import Event, Greeted, Mismatch, Silent


class Line(Protocol):
    """What carries commands and brings events: `croupier.link.link.Link`, or a simulation."""

    def send(self, command: Command) -> bool:
        """Tell the Pico; false where that is not possible now."""

    def events(self) -> list[Event]:
        """What happened since the last call, in order."""

    def told_until(self) -> float:
        """All that the Pico saw before this (s, table clock) comes with the next `events`, as far as anybody knows."""


class Pico:
    """One Pico. `shoe`, `ring` and `buttons` are what a table is made of; all of them are used from one thread."""

    def __init__(self, line: Line, layout: Layout) -> None:
        self._line, self._layout = line, layout
        self._unsent: deque[Command] = deque()
        self.shoe = PicoShoe(self.tell, self.step)
        self.ring = PicoRing(self.tell)
        self.buttons = PicoButtons(self.step)
        self.greeted: Greeted | None = None
        """The Pico as it named itself, while it is heard."""
        self.trouble = ""
        """Why there is no Pico, in one line; "" while there is one."""
        self.is_mismatched = False
        """Whether that is because its firmware speaks another protocol."""

    def tell(self, *told: Command) -> None:
        """Send it, in order, as soon as there is room. Without a Pico it is dropped: all is told when it comes."""
        if self.greeted is not None:
            self._unsent.extend(told)
            self._flush()

    def told_until(self) -> float:
        """As `Line.told_until`."""
        return self._line.told_until()

    def step(self) -> None:
        """Take in what has arrived."""
        for event in self._line.events():
            self._take(event)
        self._flush()

    def _take(self, event: Event) -> None:
        match event:
            case Greeted():
                self._greet(event)
            case Silent():
                self.greeted = None
                self.trouble = "the Pico is silent: look at its cable and its supply"
            case Mismatch():
                self.greeted = None
                self.trouble, self.is_mismatched = str(event.error), True
            case wire.Press():
                self.buttons.pressed(event)
            case wire.Fault(kind="stuck-button"):
                self.buttons.hang(event.detail)
            case wire.Tested():
                pass
            case _:
                self.shoe.take(event)

    def _greet(self, greeted: Greeted) -> None:
        self.greeted, self.trouble, self.is_mismatched = greeted, "", False
        self._unsent.clear()
        if greeted.is_new:
            self.buttons.stuck = ()
            self.tell(*self._layout.commands())
        self.ring.tell()
        self.shoe.greet(greeted)

    def _flush(self) -> None:
        while self._unsent and self._line.send(self._unsent[0]):
            self._unsent.popleft()


class LateLine:
    """A `Line` to a Pico whose port, or pins, may come later and go again; ``now``: the table's clock."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._line: Line | None = None
        self._is_lost = False

    def use(self, line: Line | None) -> None:
        """This is the line from now on; None: there is none."""
        self._is_lost = self._is_lost or line is None
        self._line = line

    def send(self, command: Command) -> bool:
        """As `Line.send`."""
        line = self._line
        return line is not None and line.send(command)

    def told_until(self) -> float:
        """As `Line.told_until`."""
        line = self._line
        return self._now() if line is None else line.told_until()

    def events(self) -> list[Event]:
        """As `Line.events`; losing the line is a silence."""
        line, events = self._line, list[Event]()
        if self._is_lost:
            self._is_lost = False
            events.append(Silent(t=self._now()))
        return events if line is None else events + line.events()
