"""What the things that happen at the table mean: each as observations, by what the game waits for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from cardsight.track.events import CameraFailed, CameraWell, Doubted, Recognized, TakenAway, Touched
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
from croupier.runtime.interlocks import Standstill
from croupier.runtime.last_card import LastCard

SURE_SEAT: Final = 0.9
"""With this confidence the hand that laid a card came from a seat's side; else it is the seat on turn."""

NO_PLAY: Final = ("pick", "deal", "round_over", "game_over")
"""Between two rounds cards are pushed together and carried away; nobody plays."""

_SAID_BY_KEYS: Final[Mapping[Key, Callable[..., Observation]]] = {
    "uno": Uno, "pass": Pass, "accept": Accept, "challenge": Challenge, "acted": Acted, "decline": Decline,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Expected:
    """What the game is waiting for, as the referee's position says it.

    ``phase``: as `Director.phase`. ``faces``: those that could come now; they only
    order the candidates of a card that could not be read. ``hand``: seat and number of cards of the hand to be shown.
    ``needs_cards``: the draw pile has run out. ``owed``: how many cards each seat is still to get.
    """

    phase: str = "deal"
    turn: int | None = None
    is_paused: bool = False
    needs_cards: bool = False
    owed: Mapping[int, int] = field(default_factory=dict)
    faces: frozenset[str] = frozenset()
    hand: tuple[int, int] | None = None


class Pile(Protocol):
    """The discard pile as the camera follows it: `cardsight.track.PileTracker`."""

    unsettled_since: float | None

    def bare(self) -> None:
        """What lay under the top card was taken away."""

    def correct(self, face: str) -> None:
        """A person said which card lies on top."""


class Meaning:
    """``expected``: what the game waits for now. Without a shoe (``has_shoe``) it is the camera that sees the discard
    pile become the draw pile."""

    def __init__(self, pile: Pile, standstill: Standstill, *, has_shoe: bool) -> None:
        self._pile, self._standstill, self._has_shoe = pile, standstill, has_shoe
        self.last_card = LastCard()
        self.expected = Expected()

    @property
    def is_recycling(self) -> bool:
        """Whether cards that come into the shoe now are those of the discard pile."""
        return self.expected.needs_cards and self.expected.phase not in (*NO_PLAY, "collect")

    @property
    def is_resting(self) -> bool:
        """Whether play stands still in the middle of a round."""
        return self.expected.is_paused and self.expected.phase not in (*NO_PLAY, "redeal")

    def of(self, source: Event, t: float, u: float) -> list[SequencedEvent]:
        """What this means that happened at ``t`` give or take ``u``."""
        match source:
            case Touched():
                return self._of_touch(source, t, u)
            case CommandGiven():
                return self._of_words(source.command, t, u)
            case ShoeReport():
                return self._of_report(source, t, u)
            case Press():
                return self._of_press(source, t, u)
            case HandSeen():
                return [Shown(t=t, u=u, seat=source.seat, cards=source.cards)]
            case Recognized():
                return self.last_card.is_now(source.face, t, u)
            case Doubted() if self.expected.phase not in NO_PLAY:
                return [UnsureCard(t, source.candidates)]
            case TakenAway() if self.expected.needs_cards and not self._has_shoe and source.left is not None:
                return [Recycled(t=t, u=u)]
            case CameraFailed():
                return self._gone("camera", source.kind, t, u)
            case CameraWell():
                return self._back("camera", t, u)
            case DeviceLost():
                return self._gone(source.device, source.kind, t, u)
            case DeviceBack():
                return self._back(source.device, t, u)
            case _:
                # A card taken back, the pile pushed, a card beside the pile, a count of cards: what the table makes of
                # them is told by the cards that follow.
                return []

    def _of_touch(self, touched: Touched, t: float, u: float) -> list[SequencedEvent]:
        expected = self.expected
        if expected.phase in NO_PLAY:
            return []
        is_other = touched.seat != expected.turn and expected.turn is not None and touched.seat_confidence >= SURE_SEAT
        told = self._laid(touched.face, touched.seat if is_other else None, t, u)
        if touched.face == UNREAD:
            ranked = sorted(touched.candidates, key=lambda one: (one[0] not in expected.faces, -one[1]))
            told.append(UnsureCard(t, tuple(face for face, _ in ranked)))
        return told

    def _of_words(self, said: Command, t: float, u: float) -> list[SequencedEvent]:
        """What a person says."""
        phase, turn = self.expected.phase, self.expected.turn
        match said:
            case LayCard():
                return [] if phase in NO_PLAY else self._laid(said.card, None if said.seat == turn else said.seat, t, u)
            case ShowCards():
                return [Shown(t=t, u=u, seat=said.seat, cards=said.cards)]
            case NameCard():
                self._pile.correct(said.card)
                return self.last_card.is_now(said.card, t, u)
            case ChooseDealer():
                return [Overrule(t=t, u=u, set={"dealer": said.seat})] if phase == "pick" else []
            case MakeHouseRule():
                return [HouseRule(t=t, u=u, seat=said.seat, number=said.number, text=said.text)]
            case TopIs() | Was() | Undo() | SetTo() | Report():
                return [CorrectionDue(t, u, said)]
            case CountFedCards() | PressKey() | StartGame() | ProvokeFault() | Loudness():  # for others to carry out
                return []

    def _laid(self, card: str, seat: int | None, t: float, u: float) -> list[SequencedEvent]:
        """``seat``: None for the one on turn."""
        return [
            Upcard(t=t, u=u, card=card) if self.expected.phase == "upcard" else Play(t=t, u=u, card=card, seat=seat)
        ]

    def _of_report(self, report: ShoeReport, t: float, u: float) -> list[SequencedEvent]:
        standstill = self._standstill
        match report.kind:
            case "fed":
                standstill.surplus += max(0, report.n - report.asked)
                n = min(report.n, report.asked)
                kind = {"deal": Dealt, "redeal": Redealt}.get(self.expected.phase, Drew)
                return [JobDone(t, report.job), *([kind(t=t, u=u, seat=report.seat, n=n)] if n else [])]
            case "returned":
                standstill.surplus = max(0, standstill.surplus - report.n)
                return self._go_on(t, u)
            case "loaded":
                # At other times somebody lifted the cards and laid them back, or put all of them in for the next deal.
                return [Recycled(t=t, u=u)] if self.is_recycling else []
            case "ready":
                standstill.is_stopped = False
                return self._go_on(t, u)
            case "fault":
                standstill.is_stopped = standstill.waits_for_go = True
                return [Fault(t=t, u=u, device="shoe", kind=report.fault)]

    def _of_press(self, press: Press, t: float, u: float) -> list[SequencedEvent]:
        is_paused = self.expected.is_paused
        if press.key in COLORS:
            return [Color(t=t, u=u, color=press.key, seat=press.seat)]
        if press.key in _SAID_BY_KEYS:
            return [_SAID_BY_KEYS[press.key](t=t, u=u, seat=press.seat)]
        match press.key:
            case "draw":
                return [DrawRequest(t, press.seat)]
            case "pause":
                self._standstill.waits_for_go = True
                return [] if is_paused else [Fault(t=t, u=u, device="panel", kind="pause")]
            case "undo":
                return self.last_card.take_back(t, u)
            case "go":
                self._standstill.waits_for_go = False
                return self._go_on(t, u) if is_paused else [Go(t)]
            case _:
                return []

    def _gone(self, device: str, kind: str, t: float, u: float) -> list[SequencedEvent]:
        self._standstill.gone.add(device)
        return [Fault(t=t, u=u, device=device, kind=kind)]

    def _back(self, device: str, t: float, u: float) -> list[SequencedEvent]:
        self._standstill.gone.discard(device)
        return self._go_on(t, u)

    def _go_on(self, t: float, u: float) -> list[SequencedEvent]:
        return [Resumed(t=t, u=u)] if self.expected.is_paused and self._standstill.is_over else []
