"""The interpreter: translates one event of a device or a person into observations, depending on the phase."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Protocol, assert_never

from cardsight.track.events import CameraFailed, CameraWell, Doubted, Lifted, Pushed, Recognized, TakenAway, Touched
from croupier.commands import (
    ChooseDealer,
    Command,
    CountFedCards,
    DiscardCards,
    Key,
    LayCard,
    MakeHouseRule,
    NameCard,
    PluginOrder,
    PressKey,
    ProvokeFault,
    ShowCards,
    StartGame,
    SwapHands,
)
from croupier.errors import CannotCorrect
from croupier.events import (
    CardUnexpected,
    CommandGiven,
    CorrectionDue,
    DealerAwaited,
    DeviceBack,
    DeviceLost,
    DrawRequest,
    Event,
    Go,
    HandAnnounced,
    HandSeen,
    JobDone,
    Press,
    SequencedEvent,
    ShoeReport,
    UnsureCard,
    line_seen,
)
from croupier.i18n import _
from croupier.runtime.interlocks import Interlocks
from croupier_rules.cards import COLORS, UNREAD
from croupier_rules.referee.corrections import ChangePlayers, Report, SetTo, TopIs, Undo, Was
from croupier_rules.referee.observations import (
    Accept,
    Acted,
    Challenge,
    Clock,
    Color,
    Dealt,
    Decline,
    Discarded,
    Drew,
    Fault,
    HouseRule,
    Observation,
    Overrule,
    Pass,
    Play,
    Recycled,
    Redealt,
    Resumed,
    Shown,
    Swap,
    Target,
    Uno,
    Upcard,
)

SURE_SEAT: Final = 0.9
"""Confidence (0…1) from which a card is attributed to the seat whose arm was seen; below, to the seat on turn."""

NO_PLAY: Final = ("pick", "deal", "round_over", "game_over")
"""Phases between two rounds: cards are collected and nobody plays."""

Sightings = tuple[tuple[float, tuple[str, ...]], ...]
"""By the time of a touch (s), the faces that the card may show by what was seen: those that the game allowed first,
then by likelihood."""

_KEPT_SIGHTINGS: Final = 40

_BY_KEY: Final[Mapping[Key, Callable[..., Observation]]] = {
    "uno": Uno, "pass": Pass, "accept": Accept, "challenge": Challenge, "acted": Acted, "decline": Decline,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Expected:
    """The state of the game, from the referee's position.

    ``phase``: as `Director.phase`. ``faces``: possible next faces; they only rank the candidates of an unread card.
    ``colors``: by the key of a seat, the color of the deck that it names. ``needs_cards``: the draw pile is empty.
    ``may_catch``: somebody may be caught. ``owed``: number of cards that each seat still gets. ``lines``: the lines of
    the log that show the present moment: from the newest that changed what people decide on, to the newest of all.
    """

    phase: str = "deal"
    turn: int | None = None
    is_paused: bool = False
    needs_cards: bool = False
    may_catch: bool = False
    owed: Mapping[int, int] = field(default_factory=dict)
    faces: frozenset[str] = frozenset()
    colors: Mapping[str, str] = field(default_factory=dict)
    lines: tuple[int, int] = (0, 0)

    def is_past(self, event: Event) -> bool:
        """True if a person reacts to a moment that is over, or to one of another game."""
        line = line_seen(event)
        return line is not None and not self.lines[0] <= line <= self.lines[1]

    def is_choice(self, press: Press) -> bool:
        """True if the button of a seat chooses it: who is on turn laid a card that asks for one, and nobody may be
        caught. On the page the button is its owner's own."""
        is_button = press.key == "uno" and press.line is None
        is_open = self.phase in ("swap", "target") and not self.is_paused and not self.may_catch
        return is_button and is_open and press.seat != self.turn

    @property
    def is_recycling(self) -> bool:
        """True while cards put into the shoe are those of the discard pile."""
        return self.needs_cards and self.phase not in (*NO_PLAY, "collect")

    @property
    def is_interrupted(self) -> bool:
        """True while play is paused during a round."""
        return self.is_paused and self.phase not in (*NO_PLAY, "redeal")


class KnownPile(Protocol):
    """The part of the discard pile that changes with what is known of the game."""

    def correct(self, face: str) -> None:
        """Set the top card to the one that a person named."""

    def keep_only_top(self) -> None:
        """Set the top card as the only one: the others became the draw pile."""


class EventInterpreter:
    """Translates events into observations.

    ``expected``: the present state of the game. ``has_shoe``: without a shoe, the camera sees the discard pile become
    the draw pile.
    """

    def __init__(self, interlocks: Interlocks, *, has_shoe: bool) -> None:
        self._interlocks, self._has_shoe = interlocks, has_shoe
        self.expected = Expected()
        self.face: str | None = None
        """The face of the last card that touched the pile, as known now; None before the first card."""
        self.sightings: Sightings = ()
        self._hand: tuple[float, int | None] | None = None
        """When the last card touched the pile, and the seat that laid it."""

    def interpret(self, event: Event, t: float, u: float) -> list[SequencedEvent]:
        """Translate one event at time t ± u (s) into sequenced events. A press for a moment that is over means nothing.

        Raises:
            CannotCorrect: a command is for a moment that is over.
        """
        if self.expected.is_past(event):
            if isinstance(event, CommandGiven):
                raise CannotCorrect(_("Something else happened meanwhile. Nothing was changed."))
            return []
        match event:
            case Touched():
                return self._interpret_touch(event, t, u)
            case CommandGiven():
                events = self._interpret_command(event.command, t, u)
                is_lost = not events and isinstance(event.command, CountFedCards | DiscardCards | NameCard | SwapHands)
                return [DealerAwaited(t)] if is_lost and self.expected.phase == "pick" else events
            case ShoeReport():
                return self._interpret_report(event, t, u)
            case Press():
                return _on_clock(event.clock, t - event.t, self._interpret_press(event, t, u))
            case HandSeen():
                return [Shown(t=t, u=u, seat=event.seat, cards=event.cards)]
            case Recognized():
                return self._rename(TopIs(event.face, is_read=True), t, u)
            case Doubted():
                return [] if self.expected.phase in NO_PLAY else [UnsureCard(t, event.candidates)]
            case TakenAway():
                is_recycled = self.expected.needs_cards and not self._has_shoe and event.left is not None
                return [Recycled(t=t, u=u)] if is_recycled else []
            case CameraFailed():
                return self._lose("camera", event.kind, t, u)
            case CameraWell():
                return self._regain("camera", t, u)
            case DeviceLost():
                return self._lose(event.device, event.kind, t, u)
            case DeviceBack():
                return self._regain(event.device, t, u)
            case Lifted() | Pushed():
                # The following cards show what people make of these.
                return []
            case _:
                assert_never(event)

    def _interpret_touch(self, touched: Touched, t: float, u: float) -> list[SequencedEvent]:
        expected = self.expected
        if expected.phase in NO_PLAY:
            return []
        is_other = touched.seat != expected.turn and expected.turn is not None and touched.seat_confidence >= SURE_SEAT
        seat = touched.seat if is_other else None
        if self._hand is not None and self._hand[0] == touched.t:  # one hand laid both cards at once
            seat = self._hand[1] if self._hand[1] != expected.turn else None
        self._hand = touched.t, expected.turn if seat is None else seat
        events = self._lay(touched.face, seat, t, u)
        is_read = touched.face != UNREAD
        faces = (touched.face, *touched.runners_up) if is_read else [face for face, _ in touched.candidates]
        ranked = tuple(sorted(faces, key=lambda face: face not in expected.faces))
        self.sightings = (*self.sightings, (t, ranked))[-_KEPT_SIGHTINGS:]
        if not is_read:
            events.append(UnsureCard(t, ranked))
        return events

    def _interpret_command(self, command: Command, t: float, u: float) -> list[SequencedEvent]:
        phase, turn = self.expected.phase, self.expected.turn
        match command:
            case LayCard(card=card, seat=seat):
                if phase in NO_PLAY:
                    return [CardUnexpected(t)]
                return self._lay(card, None if seat == turn else seat, t, u)
            case ShowCards(seat=seat, cards=cards):
                return [Shown(t=t, u=u, seat=seat, cards=cards)]
            case NameCard(card=card):
                return self._rename(TopIs(card), t, u)
            case ChooseDealer(seat=seat):
                return [Overrule(t=t, u=u, set={"dealer": seat})] if phase == "pick" else []
            case MakeHouseRule(seat=seat, number=number, text=text):
                return [HouseRule(t=t, u=u, seat=seat, number=number, text=text)]
            case SwapHands(other=other, seat=seat):
                from_seat, choice = turn if seat is None else seat, Target if phase == "target" else Swap
                return [choice(t=t, u=u, seat=from_seat, with_=other)] if from_seat is not None else []
            case DiscardCards(n=n, seat=seat):
                from_seat = turn if seat is None else seat
                return [Discarded(t=t, u=u, seat=from_seat, n=n)] if from_seat is not None else []
            case TopIs() | Was() | Undo() | SetTo() | Report() | ChangePlayers():
                return [CorrectionDue(t, u, command)]
            case CountFedCards() | PressKey() | StartGame() | ProvokeFault() | PluginOrder():
                # The shoe and the table act on these at their arrival.
                return []
            case _:
                assert_never(command)

    def _rename(self, correction: TopIs, t: float, u: float) -> list[SequencedEvent]:
        """Correct the face of the last card; the pile knows it already."""
        is_new = self.face not in (None, correction.card)
        self.face = correction.card if is_new else self.face
        return [CorrectionDue(t, u, correction)] if is_new else []

    def _lay(self, card: str, seat: int | None, t: float, u: float) -> list[SequencedEvent]:
        """Make the observation of a card on the pile. ``seat``: None for the seat on turn."""
        if self.expected.phase == "upcard":
            return [Upcard(t=t, u=u, card=card)]
        return [Play(t=t, u=u, card=card, seat=seat)]

    def _interpret_report(self, report: ShoeReport, t: float, u: float) -> list[SequencedEvent]:
        interlocks = self._interlocks
        match report.kind:
            case "fed":
                interlocks.surplus += max(0, report.n - report.asked)
                n = min(report.n, report.asked)
                kind = {"deal": Dealt, "redeal": Redealt}.get(self.expected.phase, Drew)
                return [JobDone(t, report.job, report.n, kind(t=t, u=u, seat=report.seat, n=n) if n else None)]
            case "returned":
                interlocks.surplus = max(0, interlocks.surplus - report.n)
                return self._resume(t, u)
            case "loaded":
                # Otherwise people lifted the cards and put them back, or collect them for the next deal.
                return [Recycled(t=t, u=u)] if self.expected.is_recycling else []
            case "ready":
                interlocks.is_shoe_stopped = False
                return self._resume(t, u)
            case "fault":
                interlocks.is_shoe_stopped = interlocks.needs_go = True
                return [Fault(t=t, u=u, device="shoe", kind=report.fault)]

    def _interpret_press(self, press: Press, t: float, u: float) -> list[SequencedEvent]:
        is_paused, turn = self.expected.is_paused, self.expected.turn
        if self.expected.is_choice(press) and turn is not None:
            return [(Target if self.expected.phase == "target" else Swap)(t=t, u=u, seat=turn, with_=press.seat)]
        if press.key in COLORS:
            return [Color(t=t, u=u, color=self.expected.colors.get(press.key, press.key), seat=press.seat)]
        if press.key in _BY_KEY:
            return [_BY_KEY[press.key](t=t, u=u, seat=press.seat)]
        match press.key:
            case "draw" | "open" | "go" if self.expected.phase == "pick" and not is_paused:
                return [DealerAwaited(t)]
            case "draw" if self.expected.phase == "stack":
                return [Accept(t=t, u=u, seat=press.seat)]
            case "draw":
                return [DrawRequest(t, press.seat)]
            case "open":
                return [HandAnnounced(t, press.seat)]
            case "pause":
                self._interlocks.needs_go = True
                return [] if is_paused else [Fault(t=t, u=u, device="panel", kind="pause")]
            case "undo":
                return [CorrectionDue(t, u, Undo())]
            case "go":
                self._interlocks.needs_go = False
                return self._resume(t, u) if is_paused else [Go(t)]
            case _:
                return []

    def _lose(self, device: str, kind: str, t: float, u: float) -> list[SequencedEvent]:
        self._interlocks.lost.add(device)
        return [Fault(t=t, u=u, device=device, kind=kind)]

    def _regain(self, device: str, t: float, u: float) -> list[SequencedEvent]:
        self._interlocks.lost.discard(device)
        return self._resume(t, u)

    def _resume(self, t: float, u: float) -> list[SequencedEvent]:
        return [Resumed(t=t, u=u)] if self.expected.is_paused and self._interlocks.is_clear else []


def _on_clock(clock: Clock | None, moved: float, events: list[SequencedEvent]) -> list[SequencedEvent]:
    """The events of a press that ``clock`` stamped and whose time was ``moved`` (s) since."""
    if clock is None:
        return events
    clock = Clock(clock.name, round(clock.uc + abs(moved), 6))
    return [replace(one, clock=clock) if isinstance(one, Observation) else one for one in events]
