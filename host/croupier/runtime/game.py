"""One game at a table: events in the order of their time, through journal and referee, to directives for the devices.

Every sequenced event goes the same way: the referee judges its observations, the journal holds them, and only then do
planner, devices and observers hear of it.

    run = GameRun(session, watch, inbox, devices, page, alarms)
    run.advance()                     # everything that is due now
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from croupier.devices.protocols import Ask, Directive, Feed, Light, Page, Ring, Say, Shoe
from croupier.errors import BadJournal, BadLog, CannotCorrect
from croupier.events import (
    Amended,
    CorrectionDue,
    DrawRequest,
    Event,
    Go,
    JobDone,
    Observer,
    Press,
    RefereedStep,
    SequencedEvent,
    UnsureCard,
)
from croupier.i18n import chosen
from croupier.referee import Explainer, Referee, corrections
from croupier.referee.observations import Observation
from croupier.referee.position import Position
from croupier.runtime.camera import TableWatch
from croupier.runtime.inbox import Inbox
from croupier.runtime.interlocks import Interlocks, uncleared_fault
from croupier.runtime.interpreter import Expected
from croupier.runtime.planner import Director, Plan, RoundEnd
from croupier.runtime.sequencer import Sequencer
from croupier.runtime.session import GameSession


class StepObserver(Protocol):
    """Whoever follows the log line by line, as the page does."""

    def __call__(self, game: int, step: RefereedStep) -> None:
        """Take note of one observation of the game, its rulings and the position after it."""


@dataclass(frozen=True, slots=True)
class _Judged:
    """An event whose observations the referee has judged, and the journal is still to hold."""

    event: SequencedEvent
    steps: tuple[RefereedStep, ...] = ()
    fed: Mapping[int, int] = field(default_factory=dict)
    """The outcome of a feed job: its number, and the cards that were fed."""


class GameRun:
    """Plays one game. ``watch``: the camera's view of this game; ``shoe``, ``ring``, ``page``: where directives go.

    ``has_shoe``: False where people deal; ``plan``: the order in which the shoe deals; ``first_job``: as `Director` has
    it. ``observers`` look on and change nothing; ``step_observers`` get each line of the log."""

    def __init__(
        self,
        session: GameSession,
        watch: TableWatch,
        inbox: Inbox,
        shoe: Shoe,
        ring: Ring,
        page: Page,
        *,
        has_shoe: bool,
        plan: Plan,
        first_job: int,
        observers: Sequence[Observer] = (),
        step_observers: Sequence[StepObserver] = (),
    ) -> None:
        self.session, self.watch, self.has_shoe = session, watch, has_shoe
        self._shoe, self._ring, self._page = shoe, ring, page
        self._observers, self._step_observers = tuple(observers), tuple(step_observers)
        self.position: Position = session.position
        is_paused = self.position.phase == "paused"
        self.shoe_fault = uncleared_fault(step.observation for step in session.past)
        """The shoe's fault that was not cleared when the game was resumed; "" where there was none."""
        self.sequencer = Sequencer(
            inbox,
            watch.pile,
            has_shoe=has_shoe,
            interlocks=Interlocks(needs_go=is_paused, is_shoe_stopped=bool(self.shoe_fault)),
            t=session.t,
        )
        header = session.header
        self._director = Director(Explainer(header, chosen()), header.ruleset, first_job, plan)
        self._end = RoundEnd()
        self._is_collecting = False
        self._unwritten: _Judged | None = None
        self._replay_past()
        self._act(self._director.direct((), self.position))
        if is_paused:
            self._page.ask(Ask("clear-fault"))
        self._expect()

    @property
    def is_round_over(self) -> bool:
        """True when the last round has been scored and `begin_round` has not been called."""
        return self._end.is_round_over

    @property
    def is_game_over(self) -> bool:
        """True when the last round of the game has been scored."""
        return self._end.is_game_over

    @property
    def is_unsettled(self) -> bool:
        """True while an event waits for its turn, something is open on the pile, or a hand is being shown."""
        return (
            self._end.hand_due is not None or self.watch.pile.unsettled_since is not None or self.sequencer.is_waiting
        )

    def arrive(self, event: Event) -> None:
        """Take note of an event at its arrival: go also means that the camera stays where it is now."""
        if isinstance(event, Press) and event.key == "go":
            self.watch.pile.stays()
        self.sequencer.arrive(event)

    def advance(self) -> None:
        """Take in every event that is due.

        Raises:
            CannotWrite: the journal could not be written. Nothing acted on the event; the next call tries again.
        """
        while (judged := self._unwritten or self._judge_next()) is not None:
            self._unwritten = judged
            if judged.steps or judged.fed:
                self.session.write(judged.steps, fed=judged.fed)
            self._unwritten = None
            self._carry_out(judged)
            self._expect()

    def begin_round(self) -> None:
        """Ask people to put all cards back into the shoe; the deal begins with their go."""
        self._end.begin_round()
        self._is_collecting = True
        self._page.ask(Ask("next-round"))

    def _judge_next(self) -> _Judged | None:
        """Judge the next event that is due; None while nothing is. An event that cannot be is said, and dropped."""
        while True:
            try:
                event = self.sequencer.pull()
                return None if event is None else self._judge(event)
            except (BadLog, CannotCorrect) as err:
                self._page.say(Say(str(err)))
                self.sequencer.reset(self.session.referee.standing())
                self._expect()

    def _judge(self, event: SequencedEvent) -> _Judged:
        match event:
            case Observation():
                return _Judged(event, self.session.judge((event,)))
            case Amended():
                return _Judged(event, self.session.judge(event.observations))
            case JobDone(job=job, fed=fed, observation=observation):
                try:
                    steps = self.session.judge((observation,)) if observation is not None else ()
                except BadLog as err:  # the cards were fed all the same: people correct the record
                    self._page.say(Say(str(err)))
                    return _Judged(event, (), {job: fed})
                return _Judged(observation or event, steps, {job: fed})
            case CorrectionDue(t=t, u=u, correction=correction):
                referee = self.session.referee
                lines = corrections.to_observations(correction, referee.standing(), t, u, referee.position())
                return _Judged(Amended(t, lines), self.session.judge(lines) if lines else ())
            case _:
                return _Judged(event)

    def _carry_out(self, judged: _Judged) -> None:
        """Act on an event that the journal holds."""
        event, steps = judged.event, judged.steps
        for job in judged.fed:
            self._director.done(job)
        rulings = tuple(ruling for step in steps for ruling in step.rulings)
        if steps:
            for step in steps:
                self._follow(step)
            self.position = steps[-1].position
        if steps or judged.fed:  # what a job did not feed is ordered again
            self._act(self._director.direct(rulings, self.position, tuple(step.observation for step in steps)))
        match event:
            case Amended():
                self.sequencer.reset(self.session.referee.standing())
            case DrawRequest(seat=seat):
                self._act(self._director.serve(seat, self.position))
            case UnsureCard():
                self._page.ask(Ask("which-card"))
            case Go() if self._is_collecting:
                self._is_collecting = False
                self.watch.pile.clear()
                self._act(self._director.deal(self.position))
            case Go():
                self._act(self._director.redeal(self.position))
            case _:
                pass
        for step in steps:
            for step_observer in self._step_observers:
                step_observer(self.session.game, step)
        for observer in self._observers:
            observer(event, rulings, self.position)

    def _follow(self, step: RefereedStep) -> None:
        asked = self._end.follow(step)
        if asked is not None:
            self._page.ask(asked)

    def _replay_past(self) -> None:
        past = self.session.past
        if not past:
            return
        asked = self._director.replay(Referee(self.session.header).state().phase, past)
        if asked is not None:
            self._page.ask(asked)
        if self.position.top is not None:
            self.watch.pile.lies(self.position.top)
        with suppress(BadJournal):  # nothing is fed then before people have counted
            self._director.recall(self.session.open_jobs())
        for step in past:
            self._follow(step)
        self.sequencer.reset(self.session.referee.standing())

    def _expect(self) -> None:
        position, seat = self.position, self._end.hand_due
        hand = None if seat is None else (seat, position.hands[seat])
        self.watch.expect_hand(hand)
        self.sequencer.expect(Expected(
            phase=self._director.phase,
            turn=position.turn,
            is_paused=position.phase == "paused",
            needs_cards=position.draw_pile == 0,
            owed=position.owed,
            faces=self.session.referee.expected_faces(),
        ))  # fmt: skip

    def _act(self, directives: Sequence[Directive]) -> None:
        for directive in directives:
            match directive:
                case Feed():
                    self._shoe.feed(directive)
                case Light():
                    self._ring.show(directive)
                case Ask():
                    self._page.ask(directive)
                case Say():
                    self._page.say(directive)
