"""One game at a table: events in the order of time, through journal and referee, to directives for the devices.

Every sequenced event takes the same way: the referee judges its observations, the journal stores them, and then
planner, devices and observers act on them.

    run = GameRun(session, watch, inbox, devices, page, alarms)
    run.advance()                     # everything that is due now
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from croupier.commands import NameCard
from croupier.devices.protocols import Ask, Directive, Feed, Light, Page, Ring, Say, Shoe
from croupier.errors import BadLog, CannotCorrect, CannotWrite
from croupier.events import (
    Amended,
    CardUnexpected,
    CommandGiven,
    CorrectionDue,
    DealerAwaited,
    DrawRequest,
    Event,
    Go,
    HandAnnounced,
    JobDone,
    Observer,
    Press,
    SequencedEvent,
    UnsureCard,
)
from croupier.i18n import _, localize
from croupier.log_replay import Record
from croupier.plugins import FaceSealer
from croupier.runtime.camera import TableWatch
from croupier.runtime.inbox import Inbox
from croupier.runtime.interlocks import Interlocks, uncleared_fault
from croupier.runtime.interpreter import Expected
from croupier.runtime.planner import Director, Plan, RoundEnd
from croupier.runtime.sequencer import Sequencer
from croupier.runtime.session import GameSession, counts_hands
from croupier.table_api.live_table import OpenHands
from croupier_rules.cards import KEYS, UNREAD
from croupier_rules.referee import Referee, corrections
from croupier_rules.referee.observations import Dealt, Observation, Play, Shown, Upcard
from croupier_rules.referee.position import Position
from croupier_rules.rules.card_tables import card_tables

StepObserver = Callable[[int, Record], None]
"""An observer of the log line by line, such as the page: called with the game and each of its steps."""


@dataclass(frozen=True, slots=True)
class _Judged:
    """An event whose observations the referee has judged and the journal has not stored yet."""

    event: SequencedEvent
    steps: tuple[Record, ...] = ()
    fed: Mapping[int, int] = field(default_factory=dict)
    """The outcome of a feed job: its number, and the number of cards fed."""
    renamed: tuple[Play | Upcard, str] | None = None
    """As `corrections.renamed_card`."""


class GameRun:
    """Plays one game. ``watch``: the camera's view of this game; ``shoe``, ``ring``, ``page``: receivers of directives.

    ``has_shoe``: False if people deal. ``plan``: the order in which the shoe deals. ``first_job``: as in `Director`.
    ``observers`` and ``step_observers`` change nothing; the latter get each line of the log. ``sealer``: seals what the
    shoe deals; None if nobody reads it.
    """

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
        sealer: FaceSealer | None = None,
    ) -> None:
        self.session, self.watch, self.has_shoe = session, watch, has_shoe
        self._shoe, self._ring, self._page = shoe, ring, page
        self._observers, self._step_observers = tuple(observers), tuple(step_observers)
        self.position: Position = session.position
        self.candidates: tuple[str, ...] = ()
        """Faces that the unread top card may have, likeliest first; empty if it was read, or a person has named it."""
        is_paused = self.position.phase == "paused"
        self.shoe_fault = uncleared_fault(step.observation for step in session.past)
        """The shoe's fault that was not cleared when the game was resumed; "" without one."""
        self.sequencer = Sequencer(
            inbox,
            watch.pile,
            has_shoe=has_shoe,
            interlocks=Interlocks(needs_go=is_paused, is_shoe_stopped=has_shoe and bool(self.shoe_fault)),
            t=session.t,
        )
        self._lines = (0, 0)
        self._t = session.t
        self._director = Director(session.header.ruleset, first_job, plan)
        self._end = RoundEnd()
        self._next_round: Literal["", "collecting", "dealing"] = ""
        """True if people put the cards together for the next round, or have said that all are in the shoe."""
        self._unwritten: _Judged | None = None
        self._sealer = sealer
        self._opened: Shown | None = None
        """The sealed hand that is due: it is announced instead of shown."""
        self._replay_past()
        self._act(self._director.direct((), self.position))
        if is_paused:
            self._page.ask(Ask("clear-fault"))
        self._expect()

    @property
    def is_round_over(self) -> bool:
        """True when the last round has been scored, and `begin_round` has not been called."""
        return self._end.is_scored and not self._next_round

    @property
    def is_game_over(self) -> bool:
        """True when the last round of the game has been scored."""
        return self._end.is_game_over

    @property
    def is_unsettled(self) -> bool:
        """True while an event waits, the pile is unsettled, or a hand is shown."""
        return (
            self._end.hand_due is not None or self.watch.pile.unsettled_since is not None or self.sequencer.is_waiting
        )

    def arrive(self, event: Event) -> None:
        """Note an event at its arrival: go also accepts the camera's present view, and a named card settles which card
        lies on top."""
        if not self.is_past(event):
            match event:
                case Press(key="go"):
                    self.watch.accept_view()
                case CommandGiven(command=NameCard()):
                    self.candidates = ()  # even if the card that was read is confirmed
                case _:
                    pass
        self.sequencer.arrive(event)

    def is_past(self, event: Event) -> bool:
        """True if a person reacts to a moment of the game that is over."""
        return self.sequencer.expected.is_past(event)

    def advance(self) -> None:
        """Process every event that is due.

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

    @property
    def open_hands(self) -> OpenHands | None:
        """The hands that are laid open for all to see; that of a challenge is shown to one player."""
        if self.position.phase != "round_over" or not self._end.hands_due:
            return None
        return self.watch.open_hands(self._end.hands_due)

    def use_watch(self, watch: TableWatch) -> None:
        """Go on with another view of the table: another camera, or another calibration."""
        self.watch = watch
        self.sequencer.watch(watch.pile)
        if self.position.top is not None:
            watch.pile.expect_top(self.position.top)
        self._expect()

    def begin_round(self) -> None:
        """Ask people to put all cards back into the shoe; the deal begins with their go."""
        self._next_round = "collecting"
        self._page.ask(Ask("next-round"))

    def _judge_next(self) -> _Judged | None:
        """Judge the next due event; None if there is none. An event that the referee rejects is reported and
        dropped."""
        while True:
            try:
                event, self._opened = self._opened or self.sequencer.pull(), None
                return None if event is None else self._judge(event)
            except (BadLog, CannotCorrect) as err:
                self._page.say(Say(localize(err)[0]))
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
                    self._page.say(Say(localize(err)[0]))
                    return _Judged(event, (), {job: fed})
                return _Judged(observation or event, steps, {job: fed})
            case CorrectionDue(t=t, u=u, correction=correction):
                referee = self.session.referee
                renamed = corrections.renamed_card(correction, referee.standing())
                lines = corrections.to_observations(correction, referee, t, u)
                return _Judged(Amended(t, lines), self.session.judge(lines) if lines else (), renamed=renamed)
            case _:
                return _Judged(event)

    def _carry_out(self, judged: _Judged) -> None:
        """Act on an event that the journal has stored."""
        event, steps = judged.event, judged.steps
        for job, n in judged.fed.items():
            self._director.done(job)
            if self._sealer is not None:
                self._sealer.seal(steps[-1].n if steps else None, event.t, n)
        was_scored = self._end.is_scored
        rulings = tuple(ruling for step in steps for ruling in step.rulings)
        if steps:
            for step in steps:
                self._follow(step)
            if self.position.phase == "round_over" and isinstance(event, Dealt | Upcard):
                self.watch.forget_clips()
            self.position = steps[-1].position
            if counts_hands(step.observation for step in steps):
                self._shoe.hands_counted()
            if self.position.phase not in ("round_over", "paused"):
                self._next_round = ""  # its first card has come, or a correction has opened the last round again
        if steps or judged.fed:  # cards that a job did not feed are ordered again
            self._act(self._director.direct(rulings, self.position, tuple(step.observation for step in steps)))
        match event:
            case Amended():
                self.candidates = ()
                self.sequencer.reset(self.session.referee.standing())
                self._teach(judged.renamed)
            case Play() | Upcard() if event.card != UNREAD:
                self.candidates = ()
            case DrawRequest(seat=seat):
                self._act(self._director.serve(seat, self.position))
            case HandAnnounced(seat=seat):
                if (asked := self._end.announce(seat)) is not None:
                    self._ask(asked)
            case CardUnexpected() if self.position.phase == "pick":
                self._page.say(Say(_("This card was not counted. First say who deals, such as: {typed}",
                                     typed=f"dealer {self.session.header.seats[0]}")))  # fmt: skip
            case DealerAwaited():
                self._page.ask(Ask("choose-dealer"))
            case CardUnexpected():
                self._page.say(Say(_("This card was not counted: no round is being played.")))
            case UnsureCard():
                self.candidates = event.candidates
                self._page.ask(Ask("which-card"))
            case Go() if self._next_round == "collecting":
                self._next_round = "dealing"
                self.watch.clear()
                self._act(self._director.deal(self.position))
            case Go():
                self._act(self._director.redeal(self.position))
            case _:
                pass
        if self._sealer is not None and self._end.is_scored and not was_scored:
            for text in self._sealer.end_round():
                self._page.say(Say(text))
        for step in steps:
            for step_observer in self._step_observers:
                step_observer(self.session.game, step)
        for observer in self._observers:
            observer(event, rulings, self.position)

    def _teach(self, renamed: tuple[Play | Upcard, str] | None) -> None:
        """Let the card reader learn a card that people named, if it learns."""
        if renamed is not None:
            try:
                self.watch.learn(*renamed)
            except CannotWrite as err:
                self._page.say(Say(localize(err)[0]))

    def _follow(self, step: Record) -> None:
        asked = self._note(step)
        if asked is not None:
            self._ask(asked)

    def _note(self, step: Record) -> Ask | None:
        """Take in a step. Returns a request for another hand than before."""
        begins_moment = corrections.changes_the_moment(step.observation)
        self._lines = (step.n if begins_moment else self._lines[0], step.n)
        self._t = step.observation.t
        return self._end.follow(step)

    def _ask(self, ask: Ask) -> None:
        """Ask people for something; a hand that can be opened need not be shown."""
        if self._sealer is None or ask.what != "show-hand" or ask.seat is None:
            self._page.ask(ask)
        elif (hand := self._sealer.hand(ask.seat)) is not None:
            self._opened = Shown(t=self._t, seat=ask.seat, cards=hand)
        else:
            self._page.ask(ask)

    def _replay_past(self) -> None:
        past = self.session.past
        if not past:
            return
        if (open_question := self._director.replay(Referee(self.session.header).state().phase, past)) is not None:
            self._ask(open_question)
        asked: Ask | None = None
        if self.position.top is not None:
            self.watch.pile.expect_top(self.position.top)
        if not self.session.is_uncounted:
            self._director.recall(self.session.open_jobs())
        for step in past:  # only the hand that is still due is asked for
            hand = self._note(step)
            asked = hand or (asked if self._end.hand_due is not None else None)
        if asked is not None and asked.seat == self._end.hand_due:
            self._ask(asked)
        self.sequencer.reset(self.session.referee.standing())

    def _expect(self) -> None:
        position = self.position
        self.watch.expect_hands(tuple((seat, position.hands[seat]) for seat in self._end.hands_due))
        self.sequencer.expect(Expected(
            phase=self._director.phase,
            turn=position.turn,
            is_paused=position.phase == "paused",
            needs_cards=position.draw_pile == 0,
            may_catch=bool(position.catchable),
            owed=position.owed,
            faces=self.session.referee.expected_faces(),
            colors={KEYS[color]: color for color in card_tables(self.session.referee.header.ruleset.deck).colors},
            lines=self._lines,
        ))  # fmt: skip

    def _act(self, directives: Sequence[Directive]) -> None:
        for directive in directives:
            match directive:
                case Feed():
                    self._shoe.feed(directive)
                case Light():
                    self._ring.show(directive)
                case Ask():
                    self._ask(directive)
