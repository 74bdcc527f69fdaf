"""Compares the log with what really happened in the simulator. The table learns nothing of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from croupier.events import SequencedEvent
from croupier_rules.cards import UNREAD
from croupier_rules.referee.observations import Dealt, Drew, Fault, Observation, Play, Shown, Upcard
from croupier_rules.referee.position import Position
from croupier_rules.referee.rulings import Illegal, RoundOver, Ruling
from croupier_sim.players import Act
from croupier_sim.table import SimTable

_SOON_S: Final = 4.0
"""Longest time from the begin of an act against the rules until the card lies and its seat is settled (s)."""
_SAME_S: Final = 0.01
_ACTION_POINTS: Final = 20
_WILD_POINTS: Final = 50
_SUITS: Final = ("clubs", "diamonds", "hearts", "spades")
_PLAYING_CARD_POINTS: Final = {"8": 50, "jack": 10, "queen": 10, "king": 10, "ace": 1}
_OF_BOX: Final = {"wild-forced-swap": {"wild": 20}, "wild-swap": {"wild-swap": 40, "wild-blank": 40}}
"""By a card that only one box has: what counts otherwise there."""


class _Refused(NamedTuple):
    """A ruling against ``seat``, because of an event between ``earliest`` and ``latest`` (s). ``is_misread``: the card
    was another one."""

    earliest: float
    latest: float
    seat: int
    why: str
    is_misread: bool


class Judge:
    """An observer of a run at ``table``. ``cards_misread``: wrong faces in the log, corrected later or not; an unread
    card is not one of them."""

    def __init__(self, table: SimTable, acts: Sequence[Act] = ()) -> None:
        self._table, self._acts = table, acts
        self._refused: list[_Refused] = []
        self.cards_read = self.cards_misread = self.rulings = self.dealt = self.drawn = self.faults = 0
        self.winner: int | None = None
        """The seat that went out last, according to the log."""

    def __call__(self, event: SequencedEvent, rulings: Sequence[Ruling], position: Position) -> None:
        """Count the event and compare it with the table."""
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
                is_misread = isinstance(event, Play) and event.card not in self._laid_at(event.t)
                self._refused.append(_Refused(event.t - u, event.t + u, ruling.seat, ruling.why, is_misread))

    def wrongs(self) -> dict[str, list[int]]:
        """By expected ruling: how often people broke the rule, and how often the referee ruled so.

        ``kept``: a card only shown over the pile; the referee should rule nothing.
        """
        counts: dict[str, list[int]] = {}
        for act in self._acts:
            count = counts.setdefault(act.why or "kept", [0, 0])
            count[0] += 1
            rulings = [refused for refused in self._refused if _may_mean(refused, act)]
            if act.why:
                count[1] += any(refused.why == act.why for refused in rulings)
            else:
                count[1] += all(
                    refused.why == "wrong-phase" or refused.is_misread or self._is_meant(refused) for refused in rulings
                )
        return counts

    def _is_meant(self, refused: _Refused) -> bool:
        """True if the ruling is the expected one for something done against the rules."""
        return any(refused.why == act.why and _may_mean(refused, act) for act in self._acts)

    def true_result(self) -> tuple[int | None, int]:
        """Return the seat without cards, or the last one that is not knocked out, and the points of all other hands
        together, from the true cards."""
        hands = self._table.hands
        left = [seat for seat in range(len(hands)) if seat not in self._table.knocked_out]
        empty = [seat for seat in left if not hands[seat] or len(left) == 1]
        box = next((points for card, points in _OF_BOX.items() if card in self._table.deck), {})
        points = sum(
            box.get(card, _points(card)) for seat, hand in enumerate(hands) if seat not in empty for card in hand
        )
        return (empty[0] if len(empty) == 1 else None), points

    def _laid_at(self, t: float) -> list[str]:
        """Return the card that touched the discard pile nearest to ``t``."""
        touched = self._table.touched
        nearest = min(range(len(touched)), key=lambda n: abs(touched[n] - t), default=None)
        return [] if nearest is None else [self._table.laid[nearest]]

    def _compare(self, read: Sequence[str], really: Sequence[str]) -> None:
        self.cards_read += len(read)
        wrong = Counter(read) - Counter(really)
        self.cards_misread += wrong.total() - wrong[UNREAD]


def _may_mean(refused: _Refused, act: Act) -> bool:
    """True if the act may be the reason of the ruling: same seat, and begun shortly before. A card laid while the
    camera saw nothing is judged late, with a large uncertainty."""
    return refused.seat == act.seat and refused.earliest - _SOON_S < act.t < refused.latest + _SAME_S


def _points(card: str) -> int:
    """Return the points of a card: its number; 20 for skip, reverse and draw two; 50 for wilds. Of playing cards as in
    Crazy Eights: 50 for an eight, 10 for a jack, queen or king, 1 for an ace."""
    color, _, symbol = card.rstrip("*").partition("-")
    if color in _SUITS and symbol in _PLAYING_CARD_POINTS:
        return _PLAYING_CARD_POINTS[symbol]
    if color == "wild":
        return _WILD_POINTS
    return int(symbol) if symbol.isdigit() else _ACTION_POINTS
