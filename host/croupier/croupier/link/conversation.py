"""The host's side of the line, without a port and without a clock: bytes and times in, bytes and events out.

    conversation.receive(data, now)          # bytes from the port, and when they came
    port.write(conversation.due(now))        # bytes for the port, now
    for event in conversation.events(): …

It greets, opens the session, pings, resends, and puts every report on the table's clock. A session outlives a short
loss of the port. It ends when the Pico was reset or has forgotten it. Then a new session is opened, which `Greeted`
reports, and the Pico must get all its settings again. Times are seconds on the table's clock.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Final, get_args

from croupier.errors import ProtocolMismatch, marked
from croupier.link.clock import ClockMap, Ping
from croupier.link.commands import Command
from croupier.link.reports import Report
from tablewire.channel import Channel
from tablewire.frame import Frame
from tablewire.messages import ALWAYS, HEARD_BY_HOST, HEARD_BY_PICO, PINGS, SCHEMA, TICKS, VERSION, write

GREET_S: Final = 0.1
"""The period of greetings to a Pico that does not answer."""

PING_S: Final = 0.1
"""The period of pings, which ask for the Pico's clock; a fifth of the silence after which its outputs go safe."""

FIRST_PINGS: Final = 20
"""The pings after the greeting, each sent when the one before is answered, so that the clock is known soon."""

LATE_S: Final = 0.4
"""The Pico counts as silent after this time without a line, and is greeted again. A report is awaited no longer."""

RESENT_S: Final = 0.1
"""A damaged line has been resent by then: `tablewire.channel.RESEND_MS`, which restarts when an earlier line is
acknowledged, and the Pico's loop."""

LONGEST_S: Final = 300.0
"""The session does not go on after a longer silence: ticks in old reports could stand for two times."""

SLOW_S: Final = 1.0
"""The period of greetings to a Pico that speaks another protocol."""

TICK_S: Final = 0.02
"""The longest `Conversation.pause`."""

HELD_S: Final = 0.005
"""A press is reported so long after its first edge: when the contact has bounced, and stayed closed for `PRESS_MS`.
That of a worn contact may come later; it is then late by the time that it takes."""

_ASKED: Final = 16
"""The pings whose answers are awaited; older answers are lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Greeted:
    """The Pico answered. ``is_new``: a session has begun; otherwise it goes on after a silence. ``is_reset``: the Pico
    has been started since it last answered. ``world``: ``hardware`` or ``SIMULATION``."""

    t: float
    board: str
    world: str
    cause: str
    is_new: bool
    is_reset: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Silent:
    """The Pico has sent nothing for `LATE_S`, or the port is gone. Its outputs go safe by themselves."""

    t: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """The firmware speaks another protocol; nothing but greetings is exchanged."""

    t: float
    error: ProtocolMismatch


Event = Report | Greeted | Silent | Mismatch

_REPORTS: Final[dict[str, Any]] = {one.message: one for one in get_args(Report)}


class Conversation:
    """The conversation with one Pico, whatever happens to the port. ``chance``: draws a session number, 1 to 65535."""

    def __init__(self, chance: Callable[[], int] = lambda: random.randrange(1, 1 << 16)) -> None:
        self._chance = chance
        self._channel = Channel(HEARD_BY_HOST, HEARD_BY_PICO)
        self._events: list[Event] = []
        self._held: list[Frame] = []
        self.clock = ClockMap()
        self._boot = 0
        self._is_answered = False  # has the Pico answered in this session?
        self._is_known = False  # has `events` brought its greeting?
        self._is_silent = True
        self._is_mismatched = False
        self._heard = self._greet_at = -math.inf
        self._n = self._soon = 0  # the last ping, and how many come without waiting for `PING_S`
        self._ping_at = -math.inf
        self._asked: dict[int, float] = {}  # the pings that are not answered yet, and when they left
        self._answer = (0, 0.0, 0, 0.0)  # to the last: its number, when it left, when the Pico read it, when this came
        self._watermark = self._answered_ping = self._damaged_at = -math.inf
        self._dropped = 0

    @property
    def is_open(self) -> bool:
        """True while the Pico answers."""
        return self._is_answered and not self._is_silent

    @property
    def unacknowledged(self) -> int:
        """The number of commands that are not acknowledged yet."""
        return len(self._channel.session.waiting)

    @property
    def is_waiting(self) -> bool:
        """True while an answer is due: to a greeting, to the last ping, or to a command."""
        return not self.is_open or self._n in self._asked or bool(self.unacknowledged)

    def status(self, now: float) -> str:
        """Session, clock and losses, in one line."""
        if not self.is_open:
            return "nobody answers"
        channel = self._channel
        clock = f"clock known to {self.clock.now(now) * 1000:.2f} ms" if self.clock.is_known else "clock not known yet"
        return (
            f"session {channel.session.number:04x}, {clock}, heard {now - self._heard:.2f} s ago, "
            f"{channel.dropped} damaged lines dropped, {len(channel.session.waiting)} commands not acknowledged"
        )

    def connected(self, now: float) -> None:
        """The port is open, perhaps again."""
        self._greet_at = now

    def disconnected(self, now: float) -> None:
        """The port is gone. The session may go on when it comes back."""
        self._fall_silent(now)

    def send(self, command: Command) -> bool:
        """Send a command. Returns false, and sends nothing, before `events` has brought the greeting of the session, or
        while too many commands are not acknowledged. `Leave` is always sent, and may get lost.

        Raises ValueError where `tablewire.messages` does not allow a value.
        """
        values = tuple(getattr(command, field.name) for field in fields(command))
        write(HEARD_BY_PICO[command.message], values)
        if command.message in ALWAYS:
            self._channel.say(command.message, *values)
            self._greet_at = -math.inf  # without a session it goes with the next greeting
            return True
        return self._is_known and self._channel.send(command.message, *values)

    @property
    def has_events(self) -> bool:
        """True if `events` would return something."""
        return bool(self._events)

    def events(self) -> list[Event]:
        """The events since the last call, in order."""
        events, self._events, self._is_known = self._events, [], self._is_answered
        return events

    def watermark(self, now: float) -> float:
        """The time until which the Pico has reported everything.

        A silent Pico is not waited for, nor longer than `LATE_S` for a line that loses everything; later reports come
        too late.
        """
        return max(self._watermark, now - LATE_S) if self.is_open else now

    def receive(self, data: bytes, now: float) -> None:
        """Take in bytes that came at ``now``."""
        for frame in self._channel.receive(data, _ms(now)):
            if frame.message.name == "hello":
                self._greeted(frame, now)
                continue
            self._heard = now
            if frame.message.name == "pong":
                self._answered(frame, now)
            else:
                self._held.append(frame)
                self._ask_soon(frame, now)
        if self._is_answered and self.clock.is_known:
            self._events += [self._report(frame, now) for frame in self._held]
            self._held.clear()

    def due(self, now: float) -> bytes:
        """The bytes to write now. Call it after each `pause`, and after `receive` and `send`."""
        if self.is_open and now - self._heard > LATE_S:
            self._fall_silent(now)
        if self.is_open:
            self._ping(now)
            return self._channel.due(_ms(now))
        return self._greet(now) if now >= self._greet_at else b""

    def pause(self, now: float) -> float:
        """The time (s) until `due` is to be called again if nothing arrives."""
        return max(0.0, min(TICK_S, self._ping_at - now)) if self.is_open else TICK_S

    def _greet(self, now: float) -> bytes:
        if not self._channel.session.number or now - self._heard > LONGEST_S:
            self._renew(now)
        self._greet_at = now + (SLOW_S if self._is_mismatched else GREET_S)
        self._channel.say("hello", VERSION, SCHEMA)
        # A blank line first: it ends a line that was cut off when the port went away.
        return b"\n" + self._channel.due(_ms(now))

    def _renew(self, now: float) -> None:
        """Leave the session and greet for a new one."""
        self._held.clear()
        self._is_answered = self._is_known = False
        self._greet_at = self._heard = now
        while not self._channel.open(self._chance(), _ms(now)):
            pass

    def _greeted(self, frame: Frame, now: float) -> None:
        version, schema, *rest = frame.values
        if (version, schema) != (VERSION, SCHEMA):
            self._refuse(version, now)
            return
        self._is_mismatched = False
        board, world, cause, boot = rest
        is_reset = self._boot not in (0, boot)
        if frame.session != self._channel.session.number:
            # A greeting without a session: the Pico has been started, or has forgotten ours. Any other session is an
            # older one, whose lines were still on their way.
            if frame.session == 0:
                self._renew(now)
            return
        if is_reset and self._is_answered:
            # The Pico was started and took our greeting for a new session, in which we would count on.
            self._renew(now)
            return
        if boot != self._boot:
            self.clock = ClockMap()
            self._boot = boot
        is_new = not self._is_answered
        if is_new or self._is_silent:
            self._is_answered, self._is_silent = True, False
            self._heard = now
            self._soon = FIRST_PINGS
            self._asked.clear()
            self._answer = (0, 0.0, 0, 0.0)
            self._answered_ping = -math.inf
            self._events.append(Greeted(t=now, board=board, world=world, cause=cause, is_new=is_new, is_reset=is_reset))

    def _refuse(self, version: int, now: float) -> None:
        if not self._is_mismatched:
            self._events.append(Mismatch(t=now, error=mismatch(version)))
        self._is_mismatched = True
        self._is_answered = self._is_known = False

    def _fall_silent(self, now: float) -> None:
        if not self._is_silent:
            self._events.append(Silent(t=now))
        self._is_silent = True
        self._greet_at = now

    def _ping(self, now: float) -> None:
        is_due = now >= self._ping_at
        if is_due or (self._soon and not self._asked):
            self._soon = max(self._soon - 1, int(is_due))
            self._n = self._n % (PINGS - 1) + 1  # never 0
            self._asked[self._n] = now
            if len(self._asked) > _ASKED:
                del self._asked[next(iter(self._asked))]
            self._ping_at = now + PING_S
            self._channel.say("ping", self._n)

    def _answered(self, frame: Frame, now: float) -> None:
        n, read, before, written = frame.values
        if n in self._asked:
            sent = self._asked.pop(n)
            if before and before == self._answer[0]:
                _, left, arrived, received = self._answer
                self.clock.learn(Ping(left, arrived, written, received))
            elif not self.clock.is_known:
                self.clock.learn(Ping(sent, read, read, now))  # it was not written before
            self._answer = (n, sent, read, now)
            # What the Pico had seen when it read a ping, it reports before it reads the next. So all that was before
            # the last answered ping is reported by now, unless a damaged line is still to be resent.
            if self._dropped != self._channel.dropped:
                self._dropped, self._damaged_at, self._answered_ping = self._channel.dropped, now, -math.inf
            self._watermark = max(self._watermark, self._answered_ping)
            self._answered_ping = sent - HELD_S if sent > self._damaged_at + RESENT_S else -math.inf

    def _ask_soon(self, report: Frame, now: float) -> None:
        """Ping soon: the answers say that no report of anything earlier is still to come, for which this report may
        have to wait; single cards are not waited for."""
        if report.message.name != "card":
            self._ping_at = min(self._ping_at, now + HELD_S)

    def _report(self, frame: Frame, now: float) -> Report:
        values = {field.name: value for field, value in zip(frame.message.fields, frame.values, strict=True)}
        t, u = self.clock.moment(values.pop("ticks"), now)
        report: Report = _REPORTS[frame.message.name](t=t, u=u, **values)
        return report


def mismatch(version: int) -> ProtocolMismatch:
    """The error for a firmware that speaks ``version``, and not as this program does."""
    if version == VERSION:
        text = marked(
            "Pico: its firmware speaks version {version} like this program, but with other messages; run croupier "
            "firmware install"
        )
    elif version < VERSION:
        text = marked(
            "Pico: its firmware speaks version {version}, this program version {own}: the firmware is older; run "
            "croupier firmware install"
        )
    else:
        text = marked(
            "Pico: its firmware speaks version {version}, this program version {own}: this program is older; update "
            "this program"
        )
    return ProtocolMismatch(text, version=version, own=VERSION)


def _ms(now: float) -> int:
    return int(now * 1000) % TICKS
