"""The interpreter: one event of a device or a person becomes observations, by what the game waits for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol, assert_never

from cardsight.track.events import (
    CameraFailed,
    CameraWell,
    Doubted,
    Lifted,
    Pushed,
    Recognized,
    TakenAway,
    Touched,
)
from croupier.cards import COLORS, UNREAD
from croupier.commands import (
    ChooseDealer,
    Command,
    CountFedCards,
    Key,
    LayCard,
    Loudness,
    MakeHouseRule,
    NameCard,
    PressKey,
    ProvokeFault,
    ShowCards,
    StartGame,
)
from croupier.events import (
    CommandGiven,
    CorrectionDue,
    DeviceBack,
    DeviceLost,
    DrawRequest,
    Event,
    Go,
    HandSeen,
    JobDone,
    Press,
    SequencedEvent,
    ShoeReport,
    UnsureCard,
)
from croupier.referee.corrections import Report, SetTo, TopIs, Undo, Was
from croupier.referee.observations import (
    Accept,
    Acted,
    Challenge,
    Color,
    Dealt,
    Decline,
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
    Uno,
    Upcard,
)
from croupier.runtime.interlocks import Interlocks

SURE_SEAT: Final = 0.9
"""The confidence (0…1) from which a card counts as laid by the seat whose arm was seen, else by the seat on turn."""

NO_PLAY: Final = ("pick", "deal", "round_over", "game_over")
"""The phases between two rounds: cards are pushed together and carried away, and nobody plays."""

_BY_KEY: Final[Mapping[Key, Callable[..., Observation]]] = {
    "uno": Uno, "pass": Pass, "accept": Accept, "challenge": Challenge, "acted": Acted, "decline": Decline,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Expected:
    """What the game waits for, from the referee's position.

    ``phase``: as `Director.phase`. ``faces``: the faces that may come next; they only order the candidates of a card
    that could not be read. ``needs_cards``: the draw pile has run out. ``owed``: how many cards each seat is still to
    get.
    """

    phase: str = "deal"
    turn: int | None = None
    is_paused: bool = False
    needs_cards: bool = False
    owed: Mapping[int, int] = field(default_factory=dict)
    faces: frozenset[str] = frozenset()

    @property
    def is_recycling(self) -> bool:
        """True while cards that come into the shoe are those of the discard pile."""
        return self.needs_cards and self.phase not in (*NO_PLAY, "collect")

    @property
    def is_interrupted(self) -> bool:
        """True while play is paused in the middle of a round."""
        return self.is_paused and self.phase not in (*NO_PLAY, "redeal")


class NamedPile(Protocol):
    """The part of the discard pile that the interpreter uses."""

    def correct(self, face: str) -> None:
        """Take the card that a person named as the top card."""


class EventInterpreter:
    """Translates events into observations. ``expected``: what the game waits for now; ``has_shoe``: without a shoe the
    camera sees the discard pile become the draw pile."""

    def __init__(self, pile: NamedPile, interlocks: Interlocks, *, has_shoe: bool) -> None:
        self._pile, self._interlocks, self._has_shoe = pile, interlocks, has_shoe
        self.expected = Expected()
        self.face: str | None = None
        """The face of the last card that touched the pile, as it is known now; None before the first card."""

    def interpret(self, event: Event, t: float, u: float) -> list[SequencedEvent]:
        """Translate one event at time t ± u (s) into sequenced events."""
        match event:
            case Touched():
                return self._interpret_touch(event, t, u)
            case CommandGiven():
                return self._interpret_command(event.command, t, u)
            case ShoeReport():
                return self._interpret_report(event, t, u)
            case Press():
                return self._interpret_press(event, t, u)
            case HandSeen():
                return [Shown(t=t, u=u, seat=event.seat, cards=event.cards)]
            case Recognized():
                return self._rename(event.face, t, u)
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
                # What people make of these shows in the cards that follow.
                return []
            case _:
                assert_never(event)

    def _interpret_touch(self, touched: Touched, t: float, u: float) -> list[SequencedEvent]:
        expected = self.expected
        if expected.phase in NO_PLAY:
            return []
        is_other = touched.seat != expected.turn and expected.turn is not None and touched.seat_confidence >= SURE_SEAT
        events = self._lay(touched.face, touched.seat if is_other else None, t, u)
        if touched.face == UNREAD:
            ranked = sorted(touched.candidates, key=lambda one: (one[0] not in expected.faces, -one[1]))
            events.append(UnsureCard(t, tuple(face for face, _ in ranked)))
        return events

    def _interpret_command(self, command: Command, t: float, u: float) -> list[SequencedEvent]:
        phase, turn = self.expected.phase, self.expected.turn
        match command:
            case LayCard(card=card, seat=seat):
                return [] if phase in NO_PLAY else self._lay(card, None if seat == turn else seat, t, u)
            case ShowCards(seat=seat, cards=cards):
                return [Shown(t=t, u=u, seat=seat, cards=cards)]
            case NameCard(card=card):
                self._pile.correct(card)
                return self._rename(card, t, u)
            case ChooseDealer(seat=seat):
                return [Overrule(t=t, u=u, set={"dealer": seat})] if phase == "pick" else []
            case MakeHouseRule(seat=seat, number=number, text=text):
                return [HouseRule(t=t, u=u, seat=seat, number=number, text=text)]
            case TopIs() | Was() | Undo() | SetTo() | Report():
                return [CorrectionDue(t, u, command)]
            case CountFedCards() | PressKey() | StartGame() | ProvokeFault() | Loudness():
                # The shoe and the table carry these out when they arrive.
                return []
            case _:
                assert_never(command)

    def _rename(self, face: str, t: float, u: float) -> list[SequencedEvent]:
        """Set the face of the last card right; the pile knows it already."""
        is_new = self.face not in (None, face)
        self.face = face if is_new else self.face
        return [CorrectionDue(t, u, TopIs(face))] if is_new else []

    def _lay(self, card: str, seat: int | None, t: float, u: float) -> list[SequencedEvent]:
        """Observe a card on the pile. ``seat``: None for the seat on turn."""
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
                # At other times people lifted the cards and put them back, or put all in for the next deal.
                return [Recycled(t=t, u=u)] if self.expected.is_recycling else []
            case "ready":
                interlocks.is_shoe_stopped = False
                return self._resume(t, u)
            case "fault":
                interlocks.is_shoe_stopped = interlocks.needs_go = True
                return [Fault(t=t, u=u, device="shoe", kind=report.fault)]

    def _interpret_press(self, press: Press, t: float, u: float) -> list[SequencedEvent]:
        is_paused = self.expected.is_paused
        if press.key in COLORS:
            return [Color(t=t, u=u, color=press.key, seat=press.seat)]
        if press.key in _BY_KEY:
            return [_BY_KEY[press.key](t=t, u=u, seat=press.seat)]
        match press.key:
            case "draw":
                return [DrawRequest(t, press.seat)]
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
