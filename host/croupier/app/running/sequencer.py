"""Puts what camera, shoe and keys report on one clock, in the order of its time, and turns it into observations.

A key is known at once, a card on the pile only when it has lain still for a while; yet which came first may decide a
penalty. So nothing is told that is later than something still open: a change on the pile holds back what happened
after it began, though never longer than `HOLD_S`. Times are arguments; push in what arrives, pull out what is told.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Final, Protocol

from cardsight.track.events import CameraFailed, CameraWell, Event, Recognized, TakenAway, Touched
from cardsight.track.zone import Look
from croupier.app.running.spread import HandSeen, HandTracker
from croupier.app.running.unnoticed import Unnoticed
from croupier.cards import COLORS, UNREAD
from croupier.devices.protocols import (
    ChosenDealer,
    Correction,
    FromPage,
    Laid,
    NewRule,
    Opened,
    Press,
    SetRight,
    ShoeReport,
)
from croupier.referee import corrections
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

LAG_S: Final = 0.15
"""A report or a press is at most so old when it arrives: the link's worst case with one line sent again."""

HOLD_S: Final = 3.0
"""So long an open question on the pile holds back what happened after it: longer than a hand stays to lay a card."""


SURE_SEAT: Final = 0.9
"""With this confidence the hand that laid a card came from a seat's side; else it is the seat on turn."""

_NO_PLAY: Final = ("pick", "deal", "round_over", "game_over")
"""Between two rounds cards are pushed together and carried away; nobody plays."""


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


@dataclass(frozen=True, slots=True)
class Wish:
    """A seat asks for a card."""

    t: float
    seat: int


@dataclass(frozen=True, slots=True)
class JobDone:
    """The shoe is through with a job; what it really fed is told next."""

    t: float
    job: int


@dataclass(frozen=True, slots=True)
class Go:
    """Somebody pressed go while play was not paused: the cards that were collected are in the shoe."""

    t: float


@dataclass(frozen=True, slots=True)
class Unsure:
    """A card on the pile that could not be read, with its candidates, likeliest first: for the page to ask about."""

    t: float
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Amended:
    """The last card turned out to be another: what takes it back, the right card, and what came after it once more;
    or only what takes the last observation back. To be taken as one: what lies between is not how the table stands."""

    t: float
    observations: tuple[Observation, ...]


@dataclass(frozen=True, slots=True)
class PartGone:
    """A part that fair play needs does not work (any more): ``device`` and ``kind`` of the fault."""

    t: float
    device: str
    kind: str


@dataclass(frozen=True, slots=True)
class PartBack:
    """It works again."""

    t: float
    device: str


@dataclass(frozen=True, slots=True)
class ToCorrect:
    """A person set the record right: to be told as what `corrections.told` makes of it."""

    t: float
    u: float
    correction: corrections.Correction


Told = Observation | Amended | ToCorrect | Wish | JobDone | Go | Unsure
_Source = Event | HandSeen | ShoeReport | Press | FromPage | PartGone | PartBack


class Pile(Protocol):
    """The discard pile as the camera follows it: `cardsight.track.PileTracker`."""

    unsettled_since: float | None

    def bare(self) -> None:
        """What lay under the top card was taken away."""

    def correct(self, face: str) -> None:
        """A person said which card lies on top."""


class Sequencer:
    """Push events, looks, reports and presses as they arrive; `pull` what is due, one at a time, and say after each
    with `expect` what the game waits for now. Without a shoe (``has_shoe``) it is the camera that sees the discard
    pile become the draw pile. ``waits_for_go``: play is paused until somebody says go, as after a power cut.
    ``t``: when something was told last."""

    def __init__(self, pile: Pile, *, has_shoe: bool = True, waits_for_go: bool = False, t: float = 0.0) -> None:
        self._pile = pile
        self._has_shoe = has_shoe
        self.hand = HandTracker()
        self._expected = Expected()
        self._waiting: list[tuple[float, int, _Source]] = []
        self._told: list[Told] = []
        self._order = count()
        self._last_t = t
        self._surplus = 0
        self._is_stopped = self._is_blind = False
        self._gone: set[str] = set()
        self._awaited: set[str] = set()
        self._waits_for_go = waits_for_go
        self._unnoticed = Unnoticed()
        self._since_card: list[Any] = []
        """The last card on the pile and what was told after it: what a correction takes back and tells anew."""

    def expect(self, expected: Expected) -> None:
        """What the game waits for from now on."""
        self._expected = expected
        self.hand.expect(expected.hand)

    def stands(self, record: Sequence[Observation]) -> None:
        """After a correction the record is this: what stands of it, in the order of time."""
        before = self._since_card[0].card if self._since_card else None
        self._since_card = []
        for one in record:
            if isinstance(one, Play | Upcard):
                self._since_card = [one]
            elif self._since_card and not isinstance(one, Overrule):
                self._since_card.append(one)
        if self._since_card and before not in (None, self._since_card[0].card):
            self._pile.correct(self._since_card[0].card)
        if record:
            self._last_t = max(self._last_t, record[-1].t)

    def push_pile(self, events: tuple[Event, ...]) -> None:
        """What was seen to happen on the discard pile, and to the camera."""
        for event in events:
            if isinstance(event, CameraFailed | CameraWell):
                self._is_blind = isinstance(event, CameraFailed)
            self._push(event.t, event)

    def push_hand(self, look: Look) -> None:
        """A look at where hands are laid open."""
        seen = self.hand.push(look)
        if seen is not None:
            self._push(seen.t, seen)

    def push(self, source: ShoeReport | Press | FromPage | PartGone | PartBack) -> None:
        """What the shoe or a key reported, or a person said on the page, in any order."""
        if isinstance(source, ShoeReport) and source.kind == "loaded" and self._is_recycling:
            self._pile.bare()
        self._push(source.t, source)

    def wait_for(self, device: str, is_waited_for: bool, now: float) -> None:
        """Play that is paused does not go on before ``device`` has said how it stands."""
        if is_waited_for:
            self._awaited.add(device)
        elif device in self._awaited:
            self._awaited.remove(device)
            self.push(PartBack(now, device))

    @property
    def due(self) -> float | None:
        """When the next thing may be told, if nothing is open on the pile; None while nothing waits."""
        return self._waiting[0][0] + LAG_S if self._waiting else None

    def pull(self, now: float) -> Told | None:
        """The next thing that is due at ``now``, or nothing yet."""
        until = now - LAG_S
        if self._pile.unsettled_since is not None and not self._is_blind:
            until = min(until, max(self._pile.unsettled_since, now - HOLD_S))
        while not self._told and self._waiting and self._waiting[0][0] <= until:
            _, _, source = heapq.heappop(self._waiting)
            if not (self._is_resting and self._unnoticed.keeps(source, self._expected.owed)):
                self._told.extend(self._tell(source))
        if not self._told:
            return None
        told = self._told.pop(0)
        if isinstance(told, Play | Upcard):
            self._since_card = [told]
        elif isinstance(told, Observation) and self._since_card:
            self._since_card.append(told)
        if isinstance(told, Fault) and not self._expected.is_paused:
            self._unnoticed.begin(told.t)
        elif isinstance(told, Resumed):
            for kept in self._unnoticed.end():
                self._push(kept.t, kept)
        return told

    @property
    def _is_resting(self) -> bool:
        return self._expected.is_paused and self._expected.phase not in (*_NO_PLAY, "redeal")

    def _push(self, t: float, source: _Source) -> None:
        heapq.heappush(self._waiting, (t, next(self._order), source))

    def _tell(self, source: _Source) -> list[Told]:
        # What came later than it may is told now, with its age as uncertainty: times in the log never go back.
        t = round(max(source.t, self._last_t), 6)
        self._last_t = t
        u = round(getattr(source, "u", 0.0) + (t - source.t), 6)
        match source:
            case Touched():
                return self._tell_touched(source, t, u)
            case HandSeen():
                return [Shown(t=t, u=u, seat=source.seat, cards=source.cards)]
            case ShoeReport():
                return self._tell_report(source, t, u)
            case Press():
                return self._tell_press(source, t, u)
            case Correction():
                self._pile.correct(source.card)
                return self._tell_anew(source.card, t, u)
            case ChosenDealer():
                return [Overrule(t=t, u=u, set={"dealer": source.seat})] if self._expected.phase == "pick" else []
            case NewRule():
                return [HouseRule(t=t, u=u, seat=source.seat, number=source.number, text=source.text)]
            case Laid() if self._expected.phase in _NO_PLAY:
                return []
            case Laid():
                kind = Upcard if self._expected.phase == "upcard" else Play
                more = {} if source.seat in (None, self._expected.turn) or kind is Upcard else {"seat": source.seat}
                return [kind(t=t, u=u, card=source.card, **more)]
            case Opened():
                return [Shown(t=t, u=u, seat=source.seat, cards=source.cards)]
            case SetRight():
                return [ToCorrect(t, u, source.correction)]
            case Recognized():
                return self._tell_anew(source.face, t, u)
            case TakenAway() if self._expected.needs_cards and not self._has_shoe and source.left is not None:
                return [Recycled(t=t, u=u)]
            case CameraFailed():
                return self._tell_gone("camera", source.kind, t, u)
            case CameraWell():
                return self._tell_back("camera", t, u)
            case PartGone():
                return self._tell_gone(source.device, source.kind, t, u)
            case PartBack():
                return self._tell_back(source.device, t, u)
            case _:
                # A card taken back, the pile pushed, a card beside the pile: what the table makes of them is
                # told by the cards that follow.
                return []

    def _tell_gone(self, device: str, kind: str, t: float, u: float) -> list[Told]:
        self._gone.add(device)
        return [Fault(t=t, u=u, device=device, kind=kind)]

    def _tell_back(self, device: str, t: float, u: float) -> list[Told]:
        self._gone.discard(device)
        return self._go_on(t, u)

    def _go_on(self, t: float, u: float) -> list[Told]:
        """Play goes on if nothing stands against it any more. Cards that went out by mistake must be back in the shoe
        first, or the piles are no longer the deck; and what only a person can clear waits for a go, before or after
        the machine is ready."""
        may = self._surplus <= 0 and not (self._is_stopped or self._gone or self._awaited or self._waits_for_go)
        return [Resumed(t=t, u=u)] if self._expected.is_paused and may else []

    @property
    def _is_recycling(self) -> bool:
        """Whether cards that come into the shoe now are those of the discard pile."""
        return self._expected.needs_cards and self._expected.phase not in (*_NO_PLAY, "collect")

    def _tell_touched(self, touched: Touched, t: float, u: float) -> list[Told]:
        if self._expected.phase in _NO_PLAY:
            return []
        card, turn = touched.face, self._expected.turn
        is_other = touched.seat != turn and turn is not None and touched.seat_confidence >= SURE_SEAT
        play = Play(t=t, u=u, card=card, seat=touched.seat if is_other else None)
        told: list[Told] = [Upcard(t=t, u=u, card=card) if self._expected.phase == "upcard" else play]
        if card == UNREAD:
            ranked = sorted(touched.candidates, key=lambda one: (one[0] not in self._expected.faces, -one[1]))
            told.append(Unsure(t, tuple(face for face, _ in ranked)))
        return told

    def _tell_anew(self, card: str, t: float, u: float) -> list[Told]:
        """The last card is ``card``, whatever was told; what was told after it is told once more."""
        if not self._since_card or self._since_card[0].card == card:
            return []
        undo = Overrule(t=t, u=u, undo=len(self._since_card))
        again = [replace(one, t=t) for one in self._since_card[1:]]
        self._since_card = [replace(self._since_card[0], t=t, u=u, card=card), *again]
        return [Amended(t, (undo, *self._since_card))]

    def _take_back(self, t: float, u: float) -> list[Told]:
        """The last that was told did not happen; what showed a card, nobody can undo."""
        if not self._since_card or not corrections.may_be_undone(self._since_card[-1]):
            return []
        self._since_card.pop()
        return [Amended(t, (Overrule(t=t, u=u, undo=1),))]

    def _tell_report(self, report: ShoeReport, t: float, u: float) -> list[Told]:
        match report.kind:
            case "fed":
                self._surplus += max(0, report.n - report.asked)
                n = min(report.n, report.asked)
                kind = {"deal": Dealt, "redeal": Redealt}.get(self._expected.phase, Drew)
                return [JobDone(t, report.job), *([kind(t=t, u=u, seat=report.seat, n=n)] if n else [])]
            case "returned":
                self._surplus = max(0, self._surplus - report.n)
                return self._go_on(t, u)
            case "loaded":
                # At other times somebody lifted the cards and laid them back, or put all of them in for the next deal.
                return [Recycled(t=t, u=u)] if self._is_recycling else []
            case "ready":
                self._is_stopped = False
                return self._go_on(t, u)
            case "fault":
                self._is_stopped = self._waits_for_go = True
                return [Fault(t=t, u=u, device="shoe", kind=report.fault)]

    def _tell_press(self, press: Press, t: float, u: float) -> list[Told]:
        if press.key in COLORS:
            return [Color(t=t, u=u, color=press.key, seat=press.seat)]
        match press.key:
            case "uno":
                return [Uno(t=t, u=u, seat=press.seat)]
            case "pass":
                return [Pass(t=t, u=u, seat=press.seat)]
            case "accept":
                return [Accept(t=t, u=u, seat=press.seat)]
            case "challenge":
                return [Challenge(t=t, u=u, seat=press.seat)]
            case "acted":
                return [Acted(t=t, u=u, seat=press.seat)]
            case "decline":
                return [Decline(t=t, u=u, seat=press.seat)]
            case "draw":
                return [Wish(t, press.seat)]
            case "pause":
                self._waits_for_go = True
                return [] if self._expected.is_paused else [Fault(t=t, u=u, device="panel", kind="pause")]
            case "undo":
                return self._take_back(t, u)
            case "go":
                self._waits_for_go = False
                return self._go_on(t, u) if self._expected.is_paused else [Go(t)]
            case _:
                return []
