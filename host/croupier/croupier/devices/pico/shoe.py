"""The Pico's shoe: a job is sent until its end is reported, and no card is fed while it is in doubt how many passed.

A card is never dealt twice: the Pico knows a job by its number, and feeds nothing for a job that has ended."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol, assert_never

from croupier.commands import CountFedCards
from croupier.devices.protocols import Feed, JobLog
from croupier.events import CommandGiven, Press, ShoeReport
from croupier.link import commands
from croupier.link import reports as wire
from croupier.link.commands import Command
from croupier.link.conversation import Greeted
from tablewire.messages import TICKS

DOUBT: Final = "job-in-doubt"
"""The fault that lasts until a person has counted the cards of the job."""


UNCOUNTED: Final = "jobs-unreadable"
"""The fault that lasts until people have counted the cards of every hand: the record of the jobs is damaged, so a seat
may hold more cards than the log says."""


class Send(Protocol):
    """Sends commands to the Pico, in order."""

    def __call__(self, *commands: Command) -> None:
        """Send them as soon as there is room."""


class Offer(Protocol):
    """Sends a command at once, behind those that were sent before, into the session whose greeting the shoe knows."""

    def __call__(self, command: Command) -> bool:
        """Return False, and send nothing, where that is not possible now."""


ShoeMessage = wire.State | wire.Card | wire.Done | wire.Refused | wire.Fault | wire.Cleared | wire.Hopper
"""The reports about cards."""


@dataclass(slots=True)
class _Job:
    """``number``: on the wire, once the job log has it. ``is_recovered``: an earlier run of the program sent it.
    ``sent``: how often it was sent and not refused; above 0 the Pico may have begun it. ``passed``: cards seen at the
    exit."""

    feed: Feed
    number: int = 0
    is_recovered: bool = False
    sent: int = 0
    is_in_doubt: bool = False
    passed: int = 0

    @property
    def is_waiting(self) -> bool:
        return not self.sent and not self.is_in_doubt


class PicoShoe:
    """The shoe. Implements `Shoe`.

    The numbers of jobs begin again with each game. Those on the wire go on from the last that the Pico remembers.
    """

    def __init__(self, send: Send, offer: Offer, job_log: JobLog) -> None:
        self._send, self._offer, self._job_log = send, offer, job_log
        self._jobs: deque[_Job] = deque()
        self._done: dict[int, ShoeReport] = {}
        self._outbox: list[ShoeReport] = []
        self._number = 0
        self._surplus: dict[int, int] = {}  # by seat: cards that it got too many and that are not known to be back
        self._last = Feed(0, 0, 0)
        self._was_reset = False
        self._has_reported = False  # has the Pico reported its state since it was greeted?
        self._is_held = False  # another game was to begin: what waits is fed only if a correction goes before it
        self._t = 0.0
        self.is_armed = False
        """True if the motors may run, since a person said so."""
        self.fault = ""
        """As `Shoe.fault`."""
        self._is_uncounted = False  # until `hands_counted` nothing is fed, whatever else happens
        self._before_doubt = ""  # a surplus before the doubt remains a fault after it
        self.state: wire.State | None = None
        """The last reported state of the Pico."""

    def feed(self, feed: Feed) -> None:
        """As `Shoe.feed`; a finished job is only reported again."""
        if feed.job in self._done:
            self._outbox.append(self._done[feed.job])
        elif all(job.feed.job != feed.job for job in self._jobs):
            self._jobs.append(_Job(feed))
            self._next()

    def reports(self) -> tuple[ShoeReport, ...]:
        """The reports since the last call."""
        self._next()
        self._is_held = False
        reports, self._outbox = tuple(self._outbox), []
        return reports

    def handle(self, event: Press | CommandGiven) -> None:
        """As `Shoe.handle`. Go means: what was fed too much is back in the hopper, the fault is out of the way, the
        motors may run. A job in doubt waits for the count of the cards that reached the seat, and a damaged record of
        the jobs for that of every hand."""
        match event:
            case Press(key="go") if self._is_uncounted:
                pass
            case Press(key="go"):
                for seat, n in tuple(self._surplus.items()):
                    self.returned(seat, n)
                if not self.is_armed:
                    self.arm()
                if self.fault:
                    self.clear()
            case CommandGiven(command=CountFedCards(n=n)):
                self.settle(n)

    def recover(self, jobs: Sequence[Feed] | None, fault: str) -> None:
        """As `Shoe.recover`."""
        self._is_uncounted = jobs is None
        self.fault = UNCOUNTED if self._is_uncounted else fault
        self._jobs.extend(_Job(feed, feed.number, is_recovered=True) for feed in jobs or ())

    def hands_counted(self) -> None:
        """As `Shoe.hands_counted`. Jobs that came meanwhile rest on the old numbers, and are ordered again."""
        if self._is_uncounted:
            self._is_uncounted = False
            for job in tuple(self._jobs):
                self._finish(job, 0, self._t, 0.0)
            self.clear()

    def begin_game(self) -> bool:
        """As `Shoe.begin_game`: all cards are put together, also those that were fed by mistake."""
        if self._outbox or any(job.is_recovered or not job.is_waiting for job in self._jobs):
            self._is_held = True
            return False
        self._jobs.clear()
        self._done.clear()
        self._surplus.clear()
        self._is_uncounted = False
        return True

    @property
    def is_recovering(self) -> bool:
        """As `Shoe.is_recovering`."""
        return any(job.is_recovered for job in self._jobs)

    @property
    def is_busy(self) -> bool:
        """True while a job waits or is under way."""
        return bool(self._jobs)

    @property
    def in_doubt(self) -> tuple[Feed, int] | None:
        """As `Shoe.in_doubt`."""
        job = self._jobs[0] if self._jobs else None
        return (job.feed, job.passed) if job and job.is_in_doubt else None

    def arm(self) -> None:
        """The motors may run."""
        self.is_armed = True
        self._send(commands.Go())
        self._next()

    def clear(self) -> None:
        """A person has removed the cause of the fault. The Pico answers with ``cleared``, or with the remaining
        cause."""
        if self.in_doubt is None and not self._is_uncounted:
            self._send(commands.Clear(), *([commands.Go()] if self.is_armed else []))

    def settle(self, n: int) -> None:
        """A person counted: of the job in doubt, ``n`` cards reached the seat, perhaps more than it was to get. A
        number below 0 is a mistake and leaves the doubt."""
        if n >= 0 and self._jobs and self._jobs[0].is_in_doubt:
            self._finish(self._jobs[0], n, self._t, 0.0)
            # The Pico may be gone now: the fault lasts until the Pico has cleared it, at a later go.
            self.fault = self._before_doubt or DOUBT
            if self.fault == DOUBT:
                self.clear()

    def returned(self, seat: int, n: int) -> None:
        """A person put ``n`` cards back that the seat had got too many."""
        self._surplus.pop(seat, None)
        self._outbox.append(ShoeReport(t=self._t, kind="returned", seat=seat, n=n))

    def greet(self, greeted: Greeted) -> None:
        """The Pico answers (again). Its next state tells what became of the job under way."""
        self._t = greeted.t
        self._was_reset = self._was_reset or greeted.is_reset
        if greeted.is_new:
            self._has_reported = False
        if self.is_armed:
            self._send(commands.Go())
        if self._has_reported:
            self.resend()

    def receive(self, report: ShoeMessage) -> None:
        """Take in a report of the Pico."""
        self._t = report.t
        match report:
            case wire.State():
                self._on_state(report)
            case wire.Card():
                job = self._job(report.job)
                if job is not None:
                    job.passed = max(job.passed, report.index)
            case wire.Done():
                self._on_done(report)
            case wire.Refused():
                self._on_refused(report)
            case wire.Fault():
                if report.kind != "in-doubt":
                    self._stop(report.kind, report.t, report.u)
            case wire.Cleared():
                if self.in_doubt is None and not self._is_uncounted:
                    self.fault = ""
                    self._outbox.append(ShoeReport(t=report.t, u=report.u, kind="ready"))
                    self.resend()
            case wire.Hopper():
                if report.level == "filled":
                    self._outbox.append(ShoeReport(t=report.t, u=report.u, kind="loaded"))
            case _:
                assert_never(report)

    def _job(self, number: int) -> _Job | None:
        return next((job for job in self._jobs if job.number == number != 0), None)

    def _next(self) -> None:
        """Send the next job after the one before has ended, if the motors may run."""
        self._settle_recovered()
        may_feed = self._has_reported and self.is_armed and not (self.fault or self._is_held or self._is_uncounted)
        if may_feed and self._jobs and self._jobs[0].is_waiting:
            job = self._jobs[0]
            if not job.number:
                number = self._number % (TICKS - 1) + 1  # never the one that the Pico remembers
                if not self._job_log.record(number, job.feed):
                    return
                job.number = self._number = number
            job.sent += self._offer(_deal(job))

    @property
    def _remembered(self) -> int:
        """The number of the last job that the Pico remembers; 0 for none."""
        return 0 if self.state is None else self.state.job

    def _is_lost(self, job: _Job) -> bool:
        """True if the Pico may have had this job and lost it with its power. Numbers go up by one: a Pico that never
        heard of the job remembers the one before; any lower number was dealt since, by another program."""
        return self._remembered == 0 or self._remembered < job.number - 1

    def _settle_recovered(self) -> None:
        """Ask for the outcome of the next job that an earlier run of the program sent; that feeds nothing."""
        while self._has_reported and self._jobs and self._jobs[0].is_recovered and self._jobs[0].is_waiting:
            job = self._jobs[0]
            if self._is_lost(job):
                self._doubt(job, self._t, 0.0)
            elif self._remembered < job.number:
                self._finish(job, 0, self._t, 0.0)  # the Pico never heard of it
            elif self._offer(_deal(job)):
                job.sent += 1
            else:
                return

    def resend(self) -> None:
        """Send the job under way once more, where its end may have been lost; if it is done, that feeds nothing."""
        job = self._jobs[0] if self._jobs else None
        if job and job.sent and self._has_reported:
            job.sent += 1
            self._send(_deal(job))
        else:
            self._next()

    def _on_state(self, state: wire.State) -> None:
        is_first = not self._has_reported
        self.state, self._has_reported = state, True
        self._number = max(self._number, state.job)  # another Pico may have done more
        if not is_first:
            return
        if state.step == "fault" and not self.fault:
            self._stop("surplus" if state.fed > state.asked else "not-cleared", state.t, state.u)
        job = self._jobs[0] if self._jobs else None
        was_reset, self._was_reset = self._was_reset, False
        if job and job.sent and was_reset and self._is_lost(job):
            self._doubt(job, state.t, state.u)
        else:
            if job and state.job < job.number:
                job.sent = 0  # it was sent in a session that is over, and never begun
            self.resend()

    def _on_done(self, done: wire.Done) -> None:
        job = self._job(done.job)
        if job is None:
            self._next()
        elif job.is_in_doubt:
            pass
        elif done.why == "in-doubt":
            job.passed = max(job.passed, done.fed)
            self._doubt(job, done.t, done.u)
        else:
            self._finish(job, done.fed, done.t, done.u)
            if done.why == "empty" and done.fed == 0:
                # No card came although some should be there: without a fault the same job would be sent for ever.
                self._stop("empty", done.t, done.u)
            self._next()

    def _on_refused(self, refused: wire.Refused) -> None:
        job = self._job(refused.job)
        if job is None or not job.sent:
            return
        job.sent -= 1
        if refused.why == "fault" and not self.fault:
            self._stop("not-cleared", refused.t, refused.u)  # the report of the fault was lost
        elif refused.why == "disarmed" and self.is_armed:
            self._send(commands.Go())
            self.resend()
        elif refused.why == "no-seat":
            self._stop("no-seat", refused.t, refused.u)

    def _finish(self, job: _Job, n: int, t: float, u: float) -> None:
        self._jobs.remove(job)
        feed = self._last = job.feed
        if n > feed.n:
            self._surplus[feed.seat] = self._surplus.get(feed.seat, 0) + n - feed.n
        self._done[feed.job] = ShoeReport(t=t, u=u, kind="fed", job=feed.job, seat=feed.seat, asked=feed.n, n=n)
        self._outbox.append(self._done[feed.job])

    def _doubt(self, job: _Job, t: float, u: float) -> None:
        job.sent, job.is_in_doubt = 0, True
        self._last, self._before_doubt = job.feed, self.fault if self.fault == "surplus" else ""
        self._stop(DOUBT, t, u)

    def _stop(self, fault: str, t: float, u: float) -> None:
        """A fault, with the job that ended last or is in doubt."""
        self.fault = UNCOUNTED if self._is_uncounted else fault
        job = self._last
        self._outbox.append(ShoeReport(t=t, u=u, kind="fault", job=job.job, seat=job.seat, fault=fault))


def _deal(job: _Job) -> Command:
    return commands.Deal(job=job.number, seat=job.feed.seat, n=job.feed.n)
