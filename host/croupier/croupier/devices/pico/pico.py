"""One Pico: keeps the state that the Pico needs, and sends that state again after each reset or silence."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from croupier.devices.deal_plan import PITCH_MM, MotorLimits, plan_deal
from croupier.devices.pico.shoe import PicoShoe, Send
from croupier.devices.protocols import DeviceEvent, JobLog, Light, NullJobLog
from croupier.events import Press
from croupier.link import commands
from croupier.link import reports as wire
from croupier.link.clock import STAMP_S
from croupier.link.commands import Command
from croupier.link.conversation import Event, Greeted, Mismatch, Silent
from croupier_rules.cards import COLORS
from croupier_rules.referee.observations import Clock

OVERFLOW: Final = "overflow"
"""The kind of the alarm that reports were lost, since the Pico had no room to keep them."""

CLOCK: Final = Clock("pico", STAMP_S)
"""Source of the time stamps of presses."""


class Line(Protocol):
    """Carries commands and brings events: `croupier.link.link.Link`, the Pi's pins, or a simulation."""

    @property
    def trouble(self) -> str:
        """Why there is no connection, in one line; "" while there is one."""

    def start(self) -> None:
        """Connect soon, and again whenever the connection is lost. Raises nothing."""

    def close(self) -> None:
        """Disconnect."""

    def send(self, command: Command) -> bool:
        """Send a command; false where that is not possible now, as before `events` has brought the greeting of a new
        session."""

    def events(self) -> list[Event]:
        """The events since the last call, in order."""

    def watermark(self) -> float:
        """All events of the Pico before this time (s, table clock) come with the next `events`, as far as is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The table as the Pico must know it before it may deal.

    ``angles``: where each seat is, in degrees from the magnet, clockwise seen from above, -180 to 180; empty: evenly
    round the table. ``lights`` of the ring; ``speed`` of a card at the exit (mm/s), ``turn_speed`` (1/min) and
    ``turn_acceleration`` (rad/s²) of the turntable.
    """

    seats: int
    angles: tuple[float, ...] = ()
    lights: int = 24
    speed: int = 1200
    turn_speed: int = 80
    turn_acceleration: int = 40

    def places(self) -> tuple[float, ...]:
        """The angle of each seat. Raises ValueError unless there is one angle for each seat."""
        angles = self.angles or tuple((360 * seat / self.seats + 180) % 360 - 180 for seat in range(self.seats))
        if len(angles) != self.seats:
            raise ValueError(f"{len(angles)} angles for {self.seats} seats: expected one for each")
        return angles

    def plan(self, lacking: Mapping[int, int]) -> tuple[tuple[int, int], ...]:
        """The feeds, each a seat and a number of cards, that bring each seat as many as it lacks. The opening deal is
        planned (`plan_deal`), the rest of an interrupted one goes from seat to seat. Raises ValueError as `places`."""
        n, *others = set(lacking.values())
        if others:
            return tuple(lacking.items())
        places = self.places()
        machine = MotorLimits(
            feed_s=PITCH_MM / self.speed, acceleration=float(self.turn_acceleration), top_speed=float(self.turn_speed)
        )
        return plan_deal({seat: places[seat] for seat in lacking}, n, machine).feeds

    def commands(self) -> list[Command]:
        """The commands that send the layout. Raises ValueError as `places`."""
        config = commands.Config(
            seats=self.seats, lights=self.lights, speed=self.speed, turn_speed=self.turn_speed,
            turn_acceleration=self.turn_acceleration,
        )  # fmt: skip
        places = enumerate(self.places())
        return [config, *(commands.Place(seat=seat, angle=round(10 * angle)) for seat, angle in places)]


class PicoRing:
    """The ring of lights, and the lamps of the buttons. Implements `Ring`."""

    def __init__(self, send: Send, fault: Callable[[], str] = lambda: "") -> None:
        self._send, self._fault = send, fault
        self._ring = commands.Ring(turn=-1, direction="left", color="none", mode="off", n=0)
        self._lamps = commands.Lamps(mask=0)

    @property
    def fault(self) -> str:
        """As `Ring.fault`; the Pico does not see whether its ring shines."""
        return self._fault()

    def show(self, light: Light) -> None:
        """As `Ring.show`. The lamps of the seats that may be chosen are lit, otherwise the lamp of the seat on turn."""
        turn, n = -1 if light.turn is None else light.turn, sum(1 << seat for seat in light.seats)
        if light.draws is not None:
            turn, n = light.draws
        color: Any = light.color if light.color in COLORS else "none"
        self._ring = commands.Ring(turn=turn, direction=light.direction, color=color, mode=light.mode, n=n)
        lit = light.seats or (() if light.turn is None else (light.turn,))
        self._lamps = commands.Lamps(mask=sum(1 << seat for seat in lit))
        self.send_again()

    def send_again(self) -> None:
        """Send the Pico the current light of the ring."""
        self._send(self._ring, self._lamps)


class Pico:
    """One Pico behind ``line``; implements `Machine`. Use it from one thread. Without ``has_buttons`` its buttons are
    ignored."""

    def __init__(self, line: Line, layout: Layout, job_log: JobLog | None = None, *, has_buttons: bool = True) -> None:
        self._line, self._layout, self._has_buttons = line, layout, has_buttons
        self._unsent: deque[Command] = deque()
        self._presses: list[Press] = []
        self._stuck: tuple[int, ...] = ()
        self.shoe = PicoShoe(self.send, self.offer, job_log or NullJobLog())
        self.ring = PicoRing(self.send)
        self.greeted: Greeted | None = None
        """The greeting of the Pico, while it answers."""
        self._silence = ""
        self._is_mismatched = False
        self._is_over = False  # is what is being handled of a session that is over?
        self._lost = 0
        self._lost_before: int | None = None  # the part of the Pico's count of lost reports that is accounted for

    @property
    def stuck(self) -> tuple[str, ...]:
        """As `Machine.stuck`."""
        return tuple(f"uno {seat}" for seat in self._stuck) if self._has_buttons else ()

    def start(self) -> None:
        """As `Machine.start`."""
        self._line.start()

    def close(self) -> None:
        """As `Machine.close`."""
        self._line.close()

    def send(self, *sent: Command) -> None:
        """Send commands in order, as soon as there is room. Without a Pico they are dropped: it is sent everything
        when it comes."""
        if self._may_send:
            self._unsent.extend(sent)
            self._flush()

    def offer(self, command: Command) -> bool:
        """Send a command behind those that wait; false, and nothing is sent, where that is not possible now."""
        return self._may_send and self._flush() and self._line.send(command)

    def watermark(self) -> float:
        """As `EventSource.watermark`."""
        return self._line.watermark()

    def poll(self) -> tuple[DeviceEvent, ...]:
        """As `EventSource.poll`. Seats that pressed in the same instant have the same time."""
        self._receive()
        presses, self._presses = self._presses, []
        return (*self.shoe.reports(), *presses)

    def alarm(self) -> tuple[str, str] | None:
        """As `Machine.alarm`: ``gone``, ``other-firmware`` or ``overflow``."""
        self._receive()
        if self.greeted is None:
            return ("other-firmware" if self._is_mismatched else "gone"), self._line.trouble or self._silence
        return (OVERFLOW, f"{self._lost} reports") if self._lost else None

    def acknowledge(self) -> None:
        """As `Machine.acknowledge`."""
        self._lost = 0

    def _receive(self) -> None:
        events = tuple(self._line.events())
        newest = max((i for i, event in enumerate(events) if isinstance(event, Greeted) and event.is_new), default=0)
        for i, event in enumerate(events):
            # The line sends into its newest session, so nothing is sent because of an earlier one.
            self._is_over = i < newest
            self._handle(event)
        if self._may_send:
            self._flush()

    def _handle(self, event: Event) -> None:
        match event:
            case Greeted():
                self._greet(event)
            case Silent():
                self.greeted = None
                self._silence = ""  # the alarm says it
            case Mismatch():
                self.greeted = None
                self._silence, self._is_mismatched = str(event.error), True
            case wire.Press():
                if self._has_buttons:
                    seats = _seats(event.mask & (1 << self._layout.seats) - 1)
                    self._presses += [Press(t=event.t, u=event.u, seat=seat, key="uno", clock=CLOCK) for seat in seats]
            case wire.Fault(kind="stuck-button"):
                self._stuck = _seats(event.detail)
            case wire.Fault(kind="overflow"):
                self._count_lost(event.detail)
            case wire.Tested():
                pass
            case wire.State():
                if self._lost_before is None:
                    self._lost_before = event.lost  # before the session nobody was to receive them
                self._count_lost(event.lost - self._lost_before)
                if not self._is_over:
                    self.shoe.receive(event)
            case _:
                self.shoe.receive(event)

    def _count_lost(self, reports: int) -> None:
        if reports > 0:
            self._lost += reports
            self._lost_before = (self._lost_before or 0) + reports
            self.shoe.resend()

    def _greet(self, greeted: Greeted) -> None:
        self.greeted, self._silence, self._is_mismatched = greeted, "", False
        self._unsent.clear()
        if greeted.is_new:
            self._stuck, self._lost_before = (), None
            self.send(*self._layout.commands())
        self.ring.send_again()
        self.shoe.greet(greeted)

    @property
    def _may_send(self) -> bool:
        return self.greeted is not None and not self._is_over

    def _flush(self) -> bool:
        """Send what waits; returns True if nothing waits any more."""
        while self._unsent and self._line.send(self._unsent[0]):
            self._unsent.popleft()
        return not self._unsent


def _seats(mask: int) -> tuple[int, ...]:
    return tuple(seat for seat in range(mask.bit_length()) if mask >> seat & 1)
