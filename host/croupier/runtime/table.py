"""Runs a table: frames, reports and presses in; the log; the referee; directives out. No loop and no clock of its own.

run = TableRun(referee, record, devices, pile_reader=reader, show_reader=reader, zones=zones)
while not run.is_over:
    run.step()
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cardsight.sighting import Sighting
from cardsight.track import PileTracker
from cardsight.track.cards import CardReader
from cardsight.track.zone import Zone
from croupier.devices.protocols import Ask, Camera, Directive, EventSource, Feed, Frame, Light, Page, Ring, Say, Shoe
from croupier.errors import BadLog, CannotCorrect
from croupier.events import Amended, CorrectionDue, DrawRequest, Go, JobDone, SequencedEvent, UnsureCard
from croupier.i18n import chosen
from croupier.referee import Explainer, Referee, corrections, parse_observation
from croupier.referee.observations import Observation, to_json
from croupier.referee.position import Position
from croupier.referee.rulings import Ruling
from croupier.runtime.interlocks import Standstill, trouble_left
from croupier.runtime.interpreter import Expected
from croupier.runtime.planner import Director, Plan, seat_by_seat
from croupier.runtime.round_end import RoundEnd
from croupier.runtime.sequencer import Sequencer
from croupier.runtime.session import Past
from croupier.runtime.zones import NoPile, Zones

Record = Callable[[Sequence[Observation]], None]
"""Writes observations into the log, all or (raising) none; nothing acts on them before this returns."""


@dataclass(frozen=True, slots=True)
class Devices:
    """What the table is made of."""

    camera: Camera
    shoe: Shoe
    ring: Ring
    source: EventSource
    page: Page


Listener = Callable[[SequencedEvent, tuple[Ruling, ...], Position], None]
"""Told after everything that was told to the referee: what, the rulings, the position after it."""


class TableRun:
    """One table, from the first card dealt to the end of the last round. ``listeners`` may look, nothing more.

    ``zones``: None where there is no camera; people then tell what is laid. ``has_shoe``: false where people deal;
    ``plan``: in which order the shoe deals. ``past``: what happened in this game before the program was
    started anew."""

    def __init__(
        self,
        referee: Referee,
        record: Record,
        devices: Devices,
        *,
        pile_reader: CardReader,
        show_reader: CardReader,
        zones: Zones | None,
        listeners: tuple[Listener, ...] = (),
        first_job: int = 1,
        has_shoe: bool = True,
        plan: Plan = seat_by_seat,
        past: Sequence[Past] = (),
    ) -> None:
        self.referee, self.has_shoe = referee, has_shoe
        faces = referee.header.ruleset.faces
        self.pile: PileTracker | NoPile = NoPile()
        self.show: Zone | None = None
        if zones is not None:
            self.pile = PileTracker(zones.pile, zones.pile_card_px, pile_reader, seats_px=zones.seats_px, faces=faces)
            self.show = Zone(zones.show, zones.show_card_px, show_reader, pile=zones.pile, faces=faces)
        self.position = referee.state()
        is_paused = self.position.phase == "paused"
        self.sequencer = Sequencer(
            self.pile,
            has_shoe=has_shoe,
            standstill=Standstill(waits_for_go=is_paused, is_stopped=bool(trouble_left(past))),
            t=past[-1][0].t if past else 0.0,
        )
        self._director = Director(Explainer(referee.header, chosen()), referee.header.ruleset, first_job, plan)
        self._record, self._devices, self._listeners = record, devices, listeners
        self._end = RoundEnd(self._director.hand_to_show)
        self._is_collecting = False
        self.frame: Frame | None = None
        """The last frame."""
        self.astray: tuple[Sighting, ...] = ()
        """Cards that lie where none belongs, for drawing."""
        self._untaken: SequencedEvent | None = None
        self._until = 0.0
        self._recall(past)
        self._act(self._director.direct((), self.position))
        if is_paused:
            self._act((Ask("clear-fault"),))
        self._expect()

    @property
    def is_round_over(self) -> bool:
        """Whether the last round has been scored; `next_round` begins another."""
        return self._end.is_round_over

    @property
    def is_game_over(self) -> bool:
        """Whether it was the last."""
        return self._end.is_game_over

    @property
    def is_unsettled(self) -> bool:
        """Whether something was seen, reported or pressed that is not told yet, or a hand is being shown."""
        is_shown = self._end.hand_due is not None
        return is_shown or self.pile.unsettled_since is not None or self.sequencer.is_waiting

    def step(self) -> None:
        """Look once, take in what arrived, act on what is due.

        Raises:
            CannotWrite: the log could not be written; nothing acted on what was to be written, and the next step
                tries again.
        """
        self.look()
        self.act()

    def look(self) -> None:
        """Look once, and take in what arrived."""
        devices, sequencer = self._devices, self.sequencer
        watermark = devices.source.watermark()
        self._until = min(self._seen(), watermark)
        for event in devices.source.poll():
            sequencer.push(event)

    def act(self) -> None:
        """Act on what is due.

        Raises:
            CannotWrite: as `step`.
        """
        while (told := self._untaken or self.sequencer.pull(self._until)) is not None:
            self._untaken = told
            self._take(told)
            self._untaken = None
            self._expect()

    def _seen(self) -> float:
        """Look, and return until when all is seen."""
        camera, pile, show = self._devices.camera, self.pile, self.show
        try:
            frame = camera.frame()
        except OSError:
            now = camera.now()
            if isinstance(pile, NoPile):
                return now
            self.sequencer.push_pile(pile.missing(now))
            # A camera that is well will show what has been laid meanwhile.
            return now if self.frame is None or pile.trouble is not None else self.frame.t
        if show is None or isinstance(pile, NoPile):
            return frame.t
        self.sequencer.push_pile(pile.push(frame.t, frame.image, frame.u))
        if self.frame is None or self._end.hand_due is not None:
            self.sequencer.push_hand(show.look(frame.t, frame.image))
        self.frame = frame
        return frame.t

    def _recall(self, past: Sequence[Past]) -> None:
        if not past:
            return
        now = self.position
        asked = self._director.recall(Referee(self.referee.header).position()["phase"], past)
        if asked is not None:
            self._devices.page.ask(asked)
        if now.top is not None:
            self.pile.lies(now.top)
        for told, rulings, position in past:
            self._follow(told, rulings, position)
        self.sequencer.stands(self.referee.standing())

    def next_round(self) -> None:
        """Ask the people to put all cards back into the shoe; with their go the deal begins."""
        self._end.begin_round()
        self._is_collecting = True
        self._devices.page.ask(Ask("next-round"))

    def _take(self, told: SequencedEvent) -> None:
        rulings: tuple[Ruling, ...] = ()
        if (observations := _said(told)) and (wrong := self._is_wrong_with(observations)):
            self._devices.page.say(Say(wrong))
            self.sequencer.stands(self.referee.standing())
            return
        match told:
            case Observation() | Amended():
                rulings = self._observe(*observations)
            case CorrectionDue():
                told = Amended(told.t, self._corrected(told))
                rulings = self._observe(*told.observations) if told.observations else ()
                self.sequencer.stands(self.referee.standing())
            case DrawRequest():
                self._act(self._director.serve(told.seat, self.position))
            case UnsureCard():
                self._devices.page.ask(Ask("which-card"))
            case JobDone():
                self._director.done(told.job)
            case Go() if self._is_collecting:
                self._is_collecting = False
                self.pile.clear()
                self._act(self._director.deal(self.position))
            case Go():
                self._act(self._director.redeal(self.position))
            case _:
                pass
        for listener in self._listeners:
            listener(told, rulings, self.position)

    def _corrected(self, said: CorrectionDue) -> tuple[Observation, ...]:
        """The lines that set the record right; none where that cannot be any more."""
        try:
            referee = self.referee
            lines = corrections.to_observations(said.correction, referee.standing(), said.t, said.u, referee.position())
            wrong = self._is_wrong_with(lines)
        except CannotCorrect as error:
            wrong = str(error)
        if wrong:
            self._devices.page.say(Say(wrong))
            return ()
        return lines

    def _is_wrong_with(self, observations: Sequence[Observation]) -> str:
        """Why these cannot be, or nothing. What stood in the record and cannot be read again would end the game."""
        trial = self.referee.fork()
        try:
            for observation in observations:
                trial.observe(parse_observation(to_json(observation), len(trial.header.seats)))
        except BadLog as error:
            return str(error)
        return ""

    def _observe(self, *observations: Observation) -> tuple[Ruling, ...]:
        """Let the referee see them, and act on how the table stands after the last."""
        self._record(observations)
        said: list[Ruling] = []
        for observation in observations:
            rulings = self.referee.observe(observation)
            self.position = self.referee.state()
            self._follow(observation, rulings, self.position)
            said.extend(rulings)
        self._act(self._director.direct(said, self.position, observations))
        return tuple(said)

    def _follow(self, told: Observation, rulings: tuple[Ruling, ...], position: Position) -> None:
        asked = self._end.follow(told, rulings, position)
        if asked is not None:
            self._devices.page.ask(asked)

    def _expect(self) -> None:
        position = self.position
        seat = self._end.hand_due
        self.sequencer.expect(Expected(
            phase=self._director.phase,
            turn=position.turn,
            is_paused=position.phase == "paused",
            needs_cards=position.draw_pile == 0,
            owed=position.owed,
            faces=self.referee.expected_faces(),
            hand=None if seat is None else (seat, position.hands[seat]),
        ))  # fmt: skip

    def _act(self, directives: tuple[Directive, ...]) -> None:
        for directive in directives:
            match directive:
                case Feed():
                    self._devices.shoe.feed(directive)
                case Light():
                    self._devices.ring.show(directive)
                case Ask():
                    self._devices.page.ask(directive)
                case Say():
                    self._devices.page.say(directive)


def _said(told: SequencedEvent) -> tuple[Observation, ...]:
    """What the referee is to see of it, as it was told."""
    match told:
        case Observation():
            return (told,)
        case Amended():
            return told.observations
        case _:
            return ()
