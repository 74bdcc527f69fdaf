"""What lies on the table, against what the machine says that it dealt.

The cards left the shoe in the order in which they were sorted. So each pile is a few stretches of the sorted deck, one
for each batch that went to its seat, and where a stretch really ends tells how many cards that batch had.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, takewhile, zip_longest
from typing import Final

from croupier.cards import UNREAD
from croupier.doctor.shoe.record import Batch

FEW: Final = 3
"""A barrier that miscounts is off by a few cards in a batch, a turntable that stands wrong by all of them."""

Pile = tuple[str, ...]
"""The faces of one seat, that which came first first; ``?`` where one cannot be read."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Only counted. ``told`` and ``lie``: the cards of each seat, as the machine told and as a person counted."""

    told: tuple[int, ...]
    lie: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Placed:
    """Each card found. ``unseen``: by batch, how many more cards really came than the machine told (fewer: negative).
    ``strayed``: face, the seat that it was meant for, and the one where it lies. ``missing``: lie nowhere. ``foreign``:
    lie where no card of that face belongs; the deck was not sorted so."""

    unseen: tuple[int, ...]
    strayed: tuple[tuple[str, int, int], ...]
    missing: tuple[str, ...]
    foreign: tuple[tuple[str, int], ...]


def counted(batches: Sequence[Batch], lie: Sequence[int]) -> Counted:
    """What was counted, seat by seat."""
    told = [0] * len(lie)
    for batch in batches:
        told[batch.seat] += batch.told
    return Counted(tuple(told), tuple(lie))


def place(batches: Sequence[Batch], piles: Sequence[Pile]) -> Placed:
    """Find each card of the batches in the ``piles``, one for each seat."""
    search = _Search(tuple(chain.from_iterable(batch.run for batch in batches)), [list(pile) for pile in piles])
    came = [search.batch(batch, next_one) for batch, next_one in zip_longest(batches, batches[1:])]
    unseen = tuple(n - batch.told for n, batch in zip(came, batches, strict=True))
    foreign = [(face, seat) for seat, pile in enumerate(search.piles) for face in pile]
    return Placed(unseen, tuple(search.strayed), tuple(search.missing), tuple(foreign))


class _Search:
    """Goes along the sorted ``deck`` and takes its cards off the ``piles``."""

    def __init__(self, deck: Pile, piles: list[list[str]]) -> None:
        self._deck, self.piles = deck, piles
        self._at = 0
        self.strayed: list[tuple[str, int, int]] = []
        self.missing: list[str] = []

    def batch(self, batch: Batch, next_one: Batch | None) -> int:
        """Find the cards of one batch; returns how many really came: as many as there were pulses, or told, or a few
        more or fewer."""
        pulses = sum(map(len, batch.cards))
        came = 0
        while True:
            here = self._stretch(batch.seat)
            if came + here > batch.told + FEW:
                here = max(0, batch.told - came)  # what lies on them is the next batch, at the wrong seat
            came += self._take(batch.seat, here)
            left = pulses - came
            if left <= 0 or not any(self.piles):
                return came
            if left <= FEW and next_one is not None and self._stretch(next_one.seat):
                return came
            lengths = [self._stretch(seat) for seat in range(len(self.piles))]
            seat = lengths.index(max(lengths))
            if n := min(left, lengths[seat]):
                self.strayed += [(face, batch.seat, seat) for face in self._deck[self._at : self._at + n]]
                came += self._take(seat, n)
            elif self._goes_on():
                self.missing.append(self._deck[self._at])
                self._at += 1
                came += 1
            else:
                return came

    def _stretch(self, seat: int) -> int:
        """How many cards of the deck lie next in this pile, one after the other."""
        pairs = zip(self._deck[self._at :], self.piles[seat], strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[1] in (pair[0], UNREAD), pairs))

    def _take(self, seat: int, n: int) -> int:
        del self.piles[seat][:n]
        self._at += n
        return n

    def _goes_on(self) -> bool:
        """Whether a card behind the next lies on a pile, so that only the next ones are missing."""
        return any(pile and pile[0] in self._deck[self._at + 1 :] for pile in self.piles)
