"""The Pico as the table's shoe, ring and buttons, over the link.

with Link("auto", clock) as link:
    pico = Pico(link, Layout(seats=4))
    devices = Devices(camera, pico.shoe, pico.ring, pico.buttons, page)
    pico.shoe.arm()                       # a person said go

Whatever the Pico should know (layout, ring, lamps, whether the motors may run, the job under way) is kept here and told
again whenever it was reset or silent. A job is told again until its end is reported, which feeds nothing twice, since
the Pico remembers what it did. Only where it lost its power in the middle of a job nobody knows how many cards passed:
then the job is in doubt, the shoe reports that as a fault, and a person settles it (`PicoShoe.settle`).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final, Literal, Protocol, assert_never

from croupier.devices.protocols import Feed, FromPage, Light, Press, ShoeReport
from croupier.link import commands
from croupier.link import reports as wire
from croupier.link.commands import Command
from croupier.link.conversation import Event, Greeted, Mismatch, Silent

DOUBT: Final = "job-in-doubt"

NOT_THE_SHOE: Final = frozenset({"stuck-button", "overflow"})
"""Faults that leave the cards alone."""


FromShoe = wire.State | wire.Card | wire.Done | wire.Refused | wire.Fault | wire.Cleared | wire.Hopper
"""The reports that are about cards."""


class Line(Protocol):
    """What carries commands and brings events: `croupier.link.link.Link`, or a simulation."""

    def send(self, command: Command) -> bool:
        """Tell the Pico; false where that is not possible now."""

    def events(self) -> list[Event]:
        """What happened since the last call, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How the table is built: what the Pico is told before it may deal.

    ``angles``: where each seat is, in degrees from the magnet, clockwise seen from above, -180 to 180; evenly round the
    table where it is empty. ``lights`` of the ring; ``speed`` of a card at the exit (mm/s), ``turn_speed`` (1/min) and
    ``turn_acceleration`` (rad/s²) of the turntable.
    """

    seats: int
    angles: tuple[float, ...] = ()
    lights: int = 24
    speed: int = 1200
    turn_speed: int = 80
    turn_acceleration: int = 40

    def commands(self) -> list[Command]:
        """What tells all this. Raises ValueError where the angles are not one for each seat."""
        angles = self.angles or tuple((360 * seat / self.seats + 180) % 360 - 180 for seat in range(self.seats))
        if len(angles) != self.seats:
            raise ValueError(f"{len(angles)} angles for {self.seats} seats: expected one for each")
        config = commands.Config(
            seats=self.seats, lights=self.lights, speed=self.speed, turn_speed=self.turn_speed,
            turn_acceleration=self.turn_acceleration,
        )  # fmt: skip
        return [config, *(commands.Place(seat=seat, angle=round(10 * angles[seat])) for seat in range(self.seats))]


class Pico:
    """One Pico. `shoe`, `ring` and `buttons` are what a table is made of; all of them are used from one thread."""

    def __init__(self, line: Line, layout: Layout) -> None:
        self._line, self._layout = line, layout
        self._unsent: deque[Command] = deque()
        self.shoe = PicoShoe(self)
        self.ring = PicoRing(self)
        self.buttons = PicoButtons(self)
        self.greeted: Greeted | None = None
        """The Pico as it named itself, while it is heard."""
        self.trouble = ""
        """Why there is no Pico, in one line; "" while there is one."""

    def tell(self, *told: Command) -> None:
        """Send it, in order, as soon as there is room. Without a Pico it is dropped: all is told when it comes."""
        if self.greeted is not None:
            self._unsent.extend(told)
            self._flush()

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
                self.trouble = str(event.error)
            case wire.Press():
                self.buttons.pressed(event)
            case wire.Tested():
                pass
            case _:
                self.shoe.take(event)

    def _greet(self, greeted: Greeted) -> None:
        self.greeted, self.trouble = greeted, ""
        self._unsent.clear()
        if greeted.is_new:
            self.tell(*self._layout.commands())
        self.ring.tell()
        self.shoe.greet(greeted)

    def _flush(self) -> None:
        while self._unsent and self._line.send(self._unsent[0]):
            self._unsent.popleft()


class PicoRing:
    """The ring of lights, and the lamps of the buttons. Implements `Ring`."""

    def __init__(self, pico: Pico) -> None:
        self._pico = pico
        self._ring = commands.Ring(turn=-1, direction="left", color="none", mode="off")
        self._lamps = commands.Lamps(mask=0)

    def show(self, light: Light) -> None:
        """Show this from now on; the lamp of the seat on turn is lit."""
        self._ring = commands.Ring(
            turn=-1 if light.turn is None else light.turn,
            direction=light.direction,
            color=_color(light.color),
            mode=light.mode,
        )
        self._lamps = commands.Lamps(mask=0 if light.turn is None else 1 << light.turn)
        self.tell()

    def tell(self) -> None:
        """Tell the Pico what it shows."""
        self._pico.tell(self._ring, self._lamps)


class PicoButtons:
    """The UNO buttons. Implements `Panel`."""

    def __init__(self, pico: Pico) -> None:
        self._pico = pico
        self._presses: list[Press] = []

    def presses(self) -> tuple[Press | FromPage, ...]:
        """What has been pressed since the last call. Seats that pressed in the same instant have the same time."""
        self._pico.step()
        presses, self._presses = tuple(self._presses), []
        return presses

    def pressed(self, press: wire.Press) -> None:
        """Buttons went down."""
        seats = [seat for seat in range(press.mask.bit_length()) if press.mask >> seat & 1]
        self._presses.extend(Press(t=press.t, u=press.u, seat=seat, key="uno") for seat in seats)


@dataclass(slots=True)
class _Job:
    """``state``: ``waiting``, ``told`` (the Pico may have begun it), ``doubt``."""

    feed: Feed
    state: Literal["waiting", "told", "doubt"] = "waiting"
    passed: int = 0


class PicoShoe:
    """The shoe. Implements `Shoe`.

    The numbers of jobs begin anew with each game, those on the wire never do: they go on from the last that the Pico
    remembers.
    """

    def __init__(self, pico: Pico) -> None:
        self._pico = pico
        self._jobs: deque[_Job] = deque()
        self._done: dict[int, ShoeReport] = {}
        self._outbox: list[ShoeReport] = []
        self._base: int | None = None
        self._last = Feed(0, 0, 0)
        self._was_reset = False
        self._is_in_step = False  # has the Pico said how it stands, since it was greeted?
        self._t = 0.0
        self.is_armed = False
        """May the motors run? A person says so."""
        self.fault = ""
        """The trouble that waits to be cleared."""
        self.state: wire.State | None = None
        """How the Pico said that it stands, last."""

    def feed(self, feed: Feed) -> None:
        """Begin a job; one that was done is only reported again."""
        if feed.job in self._done:
            self._outbox.append(self._done[feed.job])
        elif all(job.feed.job != feed.job for job in self._jobs):
            self._jobs.append(_Job(feed))
            self._next()

    def reports(self) -> tuple[ShoeReport, ...]:
        """What has been reported since the last call."""
        self._pico.step()
        told, self._outbox = tuple(self._outbox), []
        return told

    def arm(self) -> None:
        """A person said go: the motors may run."""
        self.is_armed = True
        self._pico.tell(commands.Go())
        self._next()

    def stop(self) -> None:
        """The motors stand still until `arm`."""
        self.is_armed = False
        self._pico.tell(commands.Stop())

    def clear(self) -> None:
        """A person took the trouble out of the way. The answer is a report: `ready`, or what is still wrong."""
        if self.fault != DOUBT:
            self._pico.tell(commands.Clear(), *([commands.Go()] if self.is_armed else []))

    def settle(self, n: int) -> None:
        """A person counted: of the job in doubt, ``n`` cards reached the seat (0 to what was asked for, or more)."""
        if self._jobs and self._jobs[0].state == "doubt":
            self._finish(self._jobs[0], n, self._t, 0.0)
            self.fault = ""
            self.clear()

    @property
    def in_doubt(self) -> tuple[Feed, int] | None:
        """The job that a person must settle, and how many of its cards were seen to pass."""
        job = self._jobs[0] if self._jobs else None
        return (job.feed, job.passed) if job and job.state == "doubt" else None

    def returned(self, seat: int, n: int) -> None:
        """A person put ``n`` cards back that the seat had got too many."""
        self._outbox.append(ShoeReport(t=self._t, kind="returned", seat=seat, n=n))

    def greet(self, greeted: Greeted) -> None:
        """The Pico is there (again). What became of the job under way is known when it has said how it stands."""
        self._t = greeted.t
        self._was_reset = self._was_reset or greeted.is_reset
        self._is_in_step = not greeted.is_new
        if self.is_armed:
            self._pico.tell(commands.Go())
        if self._is_in_step:
            self._tell_again()

    def take(self, report: FromShoe) -> None:
        """The Pico reports."""
        self._t = report.t
        match report:
            case wire.State():
                self._stands(report)
            case wire.Card():
                job = self._job(report.job)
                if job is not None:
                    job.passed = max(job.passed, report.index)
            case wire.Done():
                self._ended(report)
            case wire.Refused():
                self._refused(report)
            case wire.Fault():
                if report.kind not in NOT_THE_SHOE and report.kind != "in-doubt":
                    self._stop(report.kind, report.t, report.u)
            case wire.Cleared():
                if self.fault != DOUBT:
                    self.fault = ""
                    self._outbox.append(ShoeReport(t=report.t, u=report.u, kind="ready"))
                    self._tell_again()
            case wire.Hopper():
                if report.level == "filled":
                    self._outbox.append(ShoeReport(t=report.t, u=report.u, kind="loaded"))
            case _:
                assert_never(report)

    def _number(self, job: _Job) -> int:
        assert self._base is not None
        return self._base + job.feed.job

    def _job(self, number: int) -> _Job | None:
        return next((job for job in self._jobs if self._base is not None and self._number(job) == number), None)

    def _next(self) -> None:
        """Tell the next job, when the one before has ended. Until the motors may run it waits."""
        if self._is_in_step and self.is_armed and not self.fault and self._jobs and self._jobs[0].state == "waiting":
            self._jobs[0].state = "told"
            self._tell_again()

    def _tell_again(self) -> None:
        """Tell the job under way once more: where it is done, that feeds nothing."""
        if self._jobs and self._jobs[0].state == "told" and self._is_in_step:
            job = self._jobs[0]
            self._pico.tell(commands.Deal(job=self._number(job), seat=job.feed.seat, n=job.feed.n))
        else:
            self._next()

    def _stands(self, state: wire.State) -> None:
        is_first = not self._is_in_step
        self.state, self._is_in_step = state, True
        if self._base is None:
            self._base = state.job
        if not is_first:
            return
        if state.step == "fault" and not self.fault:
            self._stop("not-cleared", state.t, state.u)
        job = self._jobs[0] if self._jobs else None
        was_reset, self._was_reset = self._was_reset, False
        if job and job.state == "told" and was_reset and state.job == 0:
            # It lost its power, and with it the job.
            self._doubt(job, state.t, state.u)
        else:
            self._tell_again()

    def _ended(self, done: wire.Done) -> None:
        job = self._job(done.job)
        if job is None:
            self._next()
            return
        if job.state == "doubt":
            return
        if done.why == "in-doubt":
            job.passed = max(job.passed, done.fed)
            self._doubt(job, done.t, done.u)
            return
        self._finish(job, done.fed, done.t, done.u)
        if done.why == "empty" and done.fed == 0:
            # Nothing came although cards should be there: without a word the same would be asked again and again.
            self._stop("empty", done.t, done.u)
        self._next()

    def _refused(self, refused: wire.Refused) -> None:
        job = self._job(refused.job)
        if job is None or job.state != "told":
            return
        job.state = "waiting"
        if refused.why == "disarmed" and self.is_armed:
            self._pico.tell(commands.Go())
            self._next()
        elif refused.why == "no-seat":
            self._stop("no-seat", refused.t, refused.u)

    def _finish(self, job: _Job, n: int, t: float, u: float) -> None:
        self._jobs.remove(job)
        feed = self._last = job.feed
        self._done[feed.job] = ShoeReport(t=t, u=u, kind="fed", job=feed.job, seat=feed.seat, asked=feed.n, n=n)
        self._outbox.append(self._done[feed.job])

    def _doubt(self, job: _Job, t: float, u: float) -> None:
        job.state = "doubt"
        self._last = job.feed
        self._stop(DOUBT, t, u)

    def _stop(self, fault: str, t: float, u: float) -> None:
        """Trouble, on the job that ended last or is in doubt."""
        self.fault = fault
        job = self._last
        self._outbox.append(ShoeReport(t=t, u=u, kind="fault", job=job.job, seat=job.seat, fault=fault))


def _color(color: str | None) -> Literal["none", "red", "yellow", "green", "blue"]:
    match color:
        case "red" | "yellow" | "green" | "blue":
            return color
        case _:
            return "none"
