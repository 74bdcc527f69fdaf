"""Moves opened faces as the cards of a log were moved.

The referee counts the cards of each hand; the ledger follows it with faces. What cannot be followed (a hand that moved
on, cards that a seat gave back, a card that was laid but not read) leaves ``?`` in a hand: such a hand is not complete
and proves nothing. The referee's count is always right: a hand of another size is a hand of ``?``.

The proof of the deck counts the cards of a round until the discard pile is shuffled: until then each card passes the
exit once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from croupier.log_replay import Record
from croupier_extras.sealed.box import Passages
from croupier_rules.cards import DECK_COLORS, UNREAD
from croupier_rules.referee.observations import (
    Dealt,
    Discarded,
    Drew,
    Fault,
    Observation,
    Overrule,
    Play,
    Recycled,
    Redealt,
    Shown,
    Swap,
    Upcard,
)
from croupier_rules.referee.rulings import Dealer, HandsMoved, Illegal, Mismatch, Redeal, ReturnCard, Void

Hand = tuple[str, ...]

_REFUSED: Final = (Illegal, Mismatch, Void)


@dataclass(frozen=True, slots=True)
class RoundProof:
    """Knowledge of the deck in one round, up to the first shuffle of the discard pile.

    ``seen``: the cards that passed the exit, or were turned up from the shoe, by face without the icon. ``read``: the
    cards that were read at the exit; ``unread``: those that passed unread. ``doubles``: faces that passed as one card.
    ``is_all``: the shoe ran empty, so that every card was seen. ``is_disturbed``: cards were put back meanwhile, and
    may have passed twice.
    """

    seen: Mapping[str, int]
    unread: int
    doubles: tuple[tuple[str, ...], ...]
    is_all: bool
    is_disturbed: bool
    read: int = 0
    is_closed: bool = False
    """True while a box of the round cannot be opened; the round is then not reported."""

    def too_many(self, deck: Mapping[str, int]) -> dict[str, int]:
        """Faces that were seen more often than ``deck`` holds them, and how many too many."""
        return {} if self.is_disturbed else dict(Counter(self.seen) - Counter(deck))

    def missing(self, deck: Mapping[str, int]) -> dict[str, int]:
        """Faces that ``deck`` holds more often than they were seen, once the shoe ran empty and all were read."""
        is_known = self.is_all and not (self.unread or self.is_disturbed)
        return dict(Counter(deck) - Counter(self.seen)) if is_known else {}

    def is_whole(self, deck: Mapping[str, int]) -> bool:
        """True if every card of ``deck`` was seen, and no other."""
        return not self.is_disturbed and Counter(deck) == Counter(self.seen)


@dataclass(slots=True)
class _State:
    """All that an undo takes back."""

    hands: tuple[Hand, ...]
    seen: Counter[str] = field(default_factory=Counter)
    unread: int = 0
    doubles: tuple[tuple[str, ...], ...] = ()
    is_first_lap: bool = True
    is_all: bool = False
    is_disturbed: bool = False
    read: int = 0
    is_closed: bool = False
    ended: tuple[RoundProof, ...] = ()

    def copy(self) -> _State:
        return replace(self, seen=self.seen.copy())

    def proof(self) -> RoundProof:
        seen = dict(+self.seen)
        return RoundProof(seen, self.unread, self.doubles, self.is_all, self.is_disturbed, self.read, self.is_closed)


class Ledger:
    """Follows a game of so many ``seats``. ``faces``: opened passages by the number of their line (the header is line
    0); ``closed``: lines whose box stays closed."""

    def __init__(self, seats: int, faces: Mapping[int, Passages], closed: Collection[int] = ()) -> None:
        self._faces, self._closed = faces, closed
        self._now = _State(((),) * seats)
        self._before: list[tuple[Observation, _State, Passages | None]] = []
        self._taken_back: list[tuple[Observation, Passages]] = []

    def follow(self, steps: Iterable[Record]) -> None:
        """Take in the next steps of the game."""
        for step in steps:
            self._step(step)

    def hand(self, seat: int) -> Hand | None:
        """The faces that a seat holds; None if one of them is unknown."""
        hand = self._now.hands[seat]
        return None if UNREAD in hand else tuple(sorted(hand))

    @property
    def proofs(self) -> tuple[RoundProof, ...]:
        """Knowledge of the deck in each round; the last round may still be played."""
        return (*self._now.ended, self._now.proof())

    def _step(self, step: Record) -> None:
        one, now = step.observation, self._now
        if isinstance(one, Overrule) and one.undo:
            for _ in range(min(one.undo, len(self._before))):
                undone, self._now, passages = self._before.pop()
                if passages is not None:
                    self._taken_back.insert(0, (undone, passages))
        else:
            if not isinstance(one, Overrule):
                passages = self._passages(step)
                self._before.append((one, now.copy(), passages))
            else:
                passages = None
            if any(isinstance(ruling, Dealer) for ruling in step.rulings) and (now.seen or now.unread):
                self._now = now = _State(((),) * len(now.hands), ended=(*now.ended, now.proof()))
            if not any(isinstance(ruling, _REFUSED) for ruling in step.rulings):
                self._move(step, now, passages or ())
        held = step.fields["hands"]
        self._now.hands = tuple(
            hand if len(hand) == n else (UNREAD,) * n for hand, n in zip(self._now.hands, held, strict=True)
        )

    def _passages(self, step: Record) -> Passages | None:
        """The passages of a line; those of a line that was taken back, if a correction reports it once more."""
        one = step.observation
        if step.n in self._faces or not isinstance(one, Dealt | Drew | Redealt):
            return self._faces.get(step.n)
        for place, (undone, passages) in enumerate(self._taken_back):
            if type(undone) is type(one) and (undone.seat, undone.n) == (one.seat, one.n):
                del self._taken_back[place]
                return passages
        return None

    def _move(self, step: Record, now: _State, passages: Passages) -> None:
        one, hands = step.observation, list(now.hands)
        match one:
            case Dealt() | Drew() | Redealt():
                faces = tuple(face for passage in passages for face in passage)
                self._count(now, passages, one.n)
                now.is_closed |= step.n in self._closed
                told = getattr(one, "cards", ())
                known = faces if len(faces) == one.n else told if len(told) == one.n else (UNREAD,) * one.n
                hands[one.seat] += known
                if len(faces) > one.n:  # one of them goes back, and nobody sees which
                    now.is_disturbed = True
                    hands[one.seat] = (UNREAD,) * len(hands[one.seat])
            case Play():
                seat = one.seat if one.seat is not None else step.on_turn
                if seat is not None:
                    hands[seat] = _without(hands[seat], one.card)
            case Discarded():
                of_color = [card for card in hands[one.seat] if card.partition("-")[0] == _color(step)]
                for card in one.cards if len(one.cards) == one.n else of_color if len(of_color) == one.n else ():
                    hands[one.seat] = _without(hands[one.seat], card)
            case Shown():
                hands[one.seat] = one.cards
            case Swap():
                hands[one.seat], hands[one.with_] = hands[one.with_], hands[one.seat]
            case Upcard() if now.is_first_lap:
                now.seen[one.card.rstrip("*")] += 1
            case Recycled():
                now.is_first_lap, now.is_all = False, now.is_all or now.is_first_lap
            case Fault(device="shoe", kind="empty"):
                now.is_all = now.is_all or now.is_first_lap
            case _:
                pass
        for ruling in step.rulings:
            match ruling:
                case ReturnCard(card=card, to="deck" | "bottom") if now.is_first_lap:
                    now.seen[card.rstrip("*")] -= 1
                case Redeal() if not isinstance(one, Redealt):
                    hands = [()] * len(hands)
                    now.is_first_lap = False
                case HandsMoved() if not isinstance(one, Swap):
                    hands = [(UNREAD,) * len(hand) for hand in hands]
                case _:
                    pass
        now.hands = tuple(hands)

    def _count(self, now: _State, passages: Passages, n: int) -> None:
        if not now.is_first_lap:
            return
        faces = [face for passage in passages for face in passage]
        now.seen.update(face.rstrip("*") for face in faces if face != UNREAD)
        now.read += len(faces) - faces.count(UNREAD)
        now.unread += faces.count(UNREAD) + max(0, n - len(faces))
        now.doubles += tuple(passage for passage in passages if len(passage) > 1)


def _without(hand: Hand, card: str) -> Hand:
    """The hand after a card was laid; all ``?`` if what was seen is not what it holds."""
    for like in (card, card.rstrip("*"), f"{card}*", UNREAD):
        if like in hand and (card != UNREAD or UNREAD in hand):
            place = hand.index(like)
            return hand[:place] + hand[place + 1 :]
    return (UNREAD,) * max(0, len(hand) - 1)


def _color(step: Record) -> str | None:
    color: str | None = step.fields["color"]
    return color if color in DECK_COLORS else None
