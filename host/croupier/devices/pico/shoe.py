"""The Pico's shoe: jobs are told until their end is reported, and no card is fed on doubt."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol, assert_never

from croupier.commands import CountFedCards
from croupier.devices.protocols import Feed, JobLog
from croupier.events import CommandGiven, Press, ShoeReport
from croupier.link import commands
from croupier.link import reports as wire
from croupier.link.commands import Command
from croupier.link.conversation import Greeted
from tablewire.messages import TICKS

DOUBT: Final = "job-in-doubt"


class Send(Protocol):
    """Sends commands to the Pico, in order."""

    def __call__(self, *commands: Command) -> None:
        """Send them as soon as there is room."""


FromShoe = wire.State | wire.Card | wire.Done | wire.Refused | wire.Fault | wire.Cleared | wire.Hopper
"""The reports that are about cards."""


@dataclass(slots=True)
class _Job:
    """``number``: on the wire, from when it is told. ``is_recovered``: another run of the program told it. ``state``:
    ``waiting``, ``told`` (the Pico may have begun it), ``doubt``."""

    feed: Feed
    number: int = 0
    is_recovered: bool = False
    state: Literal["waiting", "told", "doubt"] = "waiting"
    passed: int = 0


class PicoShoe:
    """The shoe. Implements `Shoe`.

    The numbers of jobs begin anew with each game, those on the wire never do: they go on from the last that the Pico
    remembers.
    """

    def __init__(self, send: Send, job_log: JobLog) -> None:
        self._send, self._job_log = send, job_log
        self._jobs: deque[_Job] = deque()
        self._done: dict[int, ShoeReport] = {}
        self._outbox: list[ShoeReport] = []
        self._number = 0
        self._surplus: dict[int, int] = {}
        """Cards that a seat got and was not to get, and that are not known to be back."""
        self._last = Feed(0, 0, 0)
        self._was_reset = False
        self._is_in_step = False  # has the Pico said how it stands, since it was greeted?
        self._t = 0.0
        self.is_armed = False
        """May the motors run? A person says so."""
        self.fault = ""
        """The trouble that waits to be cleared."""
        self._before_doubt = ""
        """… a surplus that there was before a job came to be in doubt waits until that is settled; who counts the cards
        of the job has looked after anything else."""
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
        self._next()
        reports, self._outbox = tuple(self._outbox), []
        return reports

    def handle(self, event: Press | CommandGiven) -> None:
        """As `Shoe.handle`: go, and the count of cards that reached a seat."""
        match event:
            case Press(key="go"):
                self.go()
            case CommandGiven(command=CountFedCards(n=n)):
                self.settle(n)
            case _:
                pass

    def begin_game(self) -> bool:
        """As `Shoe.begin_game`: all cards are put together, also those that were fed by mistake."""
        self._jobs = deque(job for job in self._jobs if job.is_recovered or job.state != "waiting")
        if self._jobs or self._outbox:
            return False
        self._done.clear()
        self._surplus.clear()
        return True

    def recover(self, jobs: Sequence[Feed], fault: str) -> None:
        """As `Shoe.recover`."""
        self.fault = fault
        self._jobs.extend(_Job(feed, feed.number, is_recovered=True) for feed in jobs)

    @property
    def is_recovering(self) -> bool:
        """As `Shoe.is_recovering`."""
        return any(job.is_recovered for job in self._jobs)

    def arm(self) -> None:
        """A person said go: the motors may run."""
        self.is_armed = True
        self._send(commands.Go())
        self._next()

    def stop(self) -> None:
        """The motors stand still until `arm`."""
        self.is_armed = False
        self._send(commands.Stop())

    def clear(self) -> None:
        """A person took the trouble out of the way. The answer is a report: `ready`, or what is still wrong."""
        if self.fault != DOUBT:
            self._send(commands.Clear(), *([commands.Go()] if self.is_armed else []))

    def settle(self, n: int) -> None:
        """A person counted: of the job in doubt, ``n`` cards reached the seat (0 to what was asked for, or more)."""
        if self._jobs and self._jobs[0].state == "doubt":
            self._finish(self._jobs[0], n, self._t, 0.0)
            self.fault, self._before_doubt = self._before_doubt, ""
            if not self.fault:
                self.clear()

    @property
    def is_busy(self) -> bool:
        """True while a job waits or is under way."""
        return bool(self._jobs)

    @property
    def in_doubt(self) -> tuple[Feed, int] | None:
        """The job that a person must settle, and how many of its cards were seen to pass."""
        job = self._jobs[0] if self._jobs else None
        return (job.feed, job.passed) if job and job.state == "doubt" else None

    def returned(self, seat: int, n: int) -> None:
        """A person put ``n`` cards back that the seat had got too many."""
        self._surplus.pop(seat, None)
        self._outbox.append(ShoeReport(t=self._t, kind="returned", seat=seat, n=n))

    def go(self) -> None:
        """A person looked after everything: what was fed too much is back in the hopper, the trouble is out of the
        way, the motors may run. A job in doubt still waits to be settled."""
        for seat, n in tuple(self._surplus.items()):
            self.returned(seat, n)
        if not self.is_armed:
            self.arm()
        if self.fault:
            self.clear()

    def greet(self, greeted: Greeted) -> None:
        """The Pico is there (again). What became of the job under way is known when it has said how it stands."""
        self._t = greeted.t
        self._was_reset = self._was_reset or greeted.is_reset
        if greeted.is_new:
            self._is_in_step = False
        if self.is_armed:
            self._send(commands.Go())
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
                if report.kind != "in-doubt":
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

    def _next_number(self) -> int:
        """Never the one that the Pico remembers."""
        self._number = self._number % (TICKS - 1) + 1
        return self._number

    def _job(self, number: int) -> _Job | None:
        return next((job for job in self._jobs if job.number == number != 0), None)

    def _next(self) -> None:
        """Tell the next job, when the one before has ended. Until the motors may run it waits."""
        self._settle_recovered()
        if self._is_in_step and self.is_armed and not self.fault and self._jobs and self._jobs[0].state == "waiting":
            job = self._jobs[0]
            job.number = job.number or self._next_number()
            if self._job_log.record(job.number, job.feed):
                job.state = "told"
                self._tell_again()

    @property
    def _known(self) -> int:
        """The number of the last job that the Pico remembers."""
        return 0 if self.state is None else self.state.job

    def _is_lost(self, job: _Job) -> bool:
        """Whether the Pico may have had this job and lost it with its power. Numbers go up by one: a Pico that never
        heard of it remembers the one before, and any other below was dealt since, by another program."""
        return self._known == 0 or self._known < job.number - 1

    def _settle_recovered(self) -> None:
        """Ask what became of the next job that another run of the program told; that feeds nothing."""
        while self._is_in_step and self._jobs and self._jobs[0].is_recovered and self._jobs[0].state == "waiting":
            job = self._jobs[0]
            if self._is_lost(job):
                self._doubt(job, self._t, 0.0)
            elif self._known < job.number:
                self._finish(job, 0, self._t, 0.0)  # it never heard of it
            else:
                job.state = "told"
                self._send(commands.Deal(job=job.number, seat=job.feed.seat, n=job.feed.n))

    def _tell_again(self) -> None:
        """Tell the job under way once more: where it is done, that feeds nothing."""
        if self._jobs and self._jobs[0].state == "told" and self._is_in_step:
            job = self._jobs[0]
            self._send(commands.Deal(job=job.number, seat=job.feed.seat, n=job.feed.n))
        else:
            self._next()

    def _stands(self, state: wire.State) -> None:
        is_first = not self._is_in_step
        self.state, self._is_in_step = state, True
        self._number = max(self._number, state.job)  # another Pico may have done more
        if not is_first:
            return
        if state.step == "fault" and not self.fault:
            self._stop("surplus" if state.fed > state.asked else "not-cleared", state.t, state.u)
        job = self._jobs[0] if self._jobs else None
        was_reset, self._was_reset = self._was_reset, False
        if job and job.state == "told" and was_reset and self._is_lost(job):
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
            self._send(commands.Go())
            self._next()
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
        job.state = "doubt"
        self._last, self._before_doubt = job.feed, self.fault if self.fault == "surplus" else ""
        self._stop(DOUBT, t, u)

    def _stop(self, fault: str, t: float, u: float) -> None:
        """Trouble, on the job that ended last or is in doubt."""
        self.fault = fault
        job = self._last
        self._outbox.append(ShoeReport(t=t, u=u, kind="fault", job=job.job, seat=job.seat, fault=fault))
