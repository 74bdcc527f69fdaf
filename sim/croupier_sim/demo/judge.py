"""Compares what the log says with what the simulator really did. It decides nothing and tells nobody at the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from croupier.cards import UNREAD
from croupier.events import SequencedEvent
from croupier.referee.observations import Dealt, Drew, Fault, Observation, Play, Shown, Upcard
from croupier.referee.position import Position
from croupier.referee.rulings import Illegal, RoundOver, Ruling
from croupier_sim.players import Act
from croupier_sim.table import SimTable

_SOON_S: Final = 4.0
"""So soon after somebody begins to do something wrong it is on the table, and somebody has said whose card it is."""
_SAME_S: Final = 0.01
_ACTION_POINTS: Final = 20
_WILD_POINTS: Final = 50


class _Refused(NamedTuple):
    """What the referee said against a ``seat`` because of what happened between ``earliest`` and ``latest`` (s)."""

    earliest: float
    latest: float
    seat: int
    why: str


class Judge:
    """A listener of a run at ``table``. ``cards_misread``: faces in the log that were not the cards that lay there
    (one that could not be read is none), corrected later or not."""

    def __init__(self, table: SimTable, acts: Sequence[Act] = ()) -> None:
        self._table, self._acts = table, acts
        self._refused: list[_Refused] = []
        self.cards_read = self.cards_misread = self.rulings = self.dealt = self.drawn = self.faults = 0
        self.winner: int | None = None
        """The seat that went out last, as the log says it."""

    def __call__(self, event: SequencedEvent, rulings: Sequence[Ruling], position: Position) -> None:
        """Count what the event reports, and compare it with the table."""
        self.rulings += len(rulings)
        match event:
            case Dealt():
                self.dealt += event.n
            case Drew():
                self.drawn += event.n
            case Play() | Upcard():
                self._compare([event.card], self._laid_at(event.t))
            case Shown():
                self._compare(event.cards, self._table.hands[event.seat])
            case Fault():
                self.faults += 1
        for ruling in rulings:
            if isinstance(ruling, RoundOver):
                self.winner = ruling.seat
            elif isinstance(ruling, Illegal):
                u = event.u if isinstance(event, Observation) else 0.0
                self._refused.append(_Refused(event.t - u, event.t + u, ruling.seat, ruling.why))

    def wrongs(self) -> dict[str, list[int]]:
        """What was done against the rules, by what the referee should say to it: how often, and how often it said so.
        ``kept``: a card that was only shown over the pile, of which it should say nothing."""
        counts: dict[str, list[int]] = {}
        for act in self._acts:
            count = counts.setdefault(act.why or "kept", [0, 0])
            count[0] += 1
            said = [refused for refused in self._refused if _may_mean(refused, act)]
            if act.why:
                count[1] += any(refused.why == act.why for refused in said)
            else:
                count[1] += all(refused.why == "wrong-phase" or self._is_meant(refused) for refused in said)
        return counts

    def _is_meant(self, refused: _Refused) -> bool:
        """Whether what the referee said is what it should say to something that was done wrong."""
        return any(refused.why == act.why and _may_mean(refused, act) for act in self._acts)

    def true_result(self) -> tuple[int | None, int]:
        """Who really has no card left, and the points in all other hands together, counted from the true cards."""
        hands = self._table.hands
        empty = [seat for seat, hand in enumerate(hands) if not hand]
        points = sum(_points(card) for hand in hands for card in hand)
        return (empty[0] if len(empty) == 1 else None), points

    def _laid_at(self, t: float) -> list[str]:
        """The card that touched the discard pile next to ``t``."""
        touched = self._table.touched
        nearest = min(range(len(touched)), key=lambda n: abs(touched[n] - t), default=None)
        return [] if nearest is None else [self._table.laid[nearest]]

    def _compare(self, read: Sequence[str], really: Sequence[str]) -> None:
        self.cards_read += len(read)
        wrong = Counter(read) - Counter(really)
        self.cards_misread += wrong.total() - wrong[UNREAD]


def _may_mean(refused: _Refused, act: Act) -> bool:
    """Whether the referee may have said it because of the act: of the same seat, and begun soon before what happened.
    A card that was laid while the camera saw nothing is judged late, at a time that is as uncertain."""
    return refused.seat == act.seat and refused.earliest - _SOON_S < act.t < refused.latest + _SAME_S


def _points(card: str) -> int:
    """What a card counts: a number its number, skip, reverse and draw two 20, wilds 50."""
    color, _, symbol = card.rstrip("*").partition("-")
    if color == "wild":
        return _WILD_POINTS
    return int(symbol) if symbol.isdigit() else _ACTION_POINTS
