"""Hands laid open under the camera: a glance at each frame, and a close look beside play where that is not enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from contextlib import suppress
from functools import cached_property
from typing import Final

from cardsight.card_reader import CardReader
from cardsight.sighting import Sighting
from cardsight.track.cards import is_same_card
from cardsight.track.zone import ZoneView
from croupier.errors import CroupierError
from croupier.events import HandSeen
from croupier_rules.cards import UNREAD

SETTLE_S: Final = 0.25
READS: Final = 2
"""Time for which an open hand must lie still, and number of equal readings of it, before it counts; as on the pile."""

PATIENCE_S: Final = 4.0
"""Time after which an open hand is reported as read, even if its number of cards is unexpected."""

Look = Callable[[CardReader], Sequence[Sighting]]
"""Reads the cards of the zone in one frame with this reader."""

CloseReaders = Callable[[int], CardReader]
"""Returns the reader for a hand of this number of cards."""


class CloseLooks:
    """Reads open hands beside play, one at a time, with a reader that takes too long for each frame.

    ``make_readers``: makes that reader for hands of any number of cards, in the thread of ``executor``. Without one, as
    for a deck of one's own, open hands are only read at a glance.
    """

    def __init__(self, make_readers: Callable[[], CloseReaders | None], executor: Executor) -> None:
        self._make_readers, self._executor = make_readers, executor
        self._last: Future[Sequence[Sighting]] | None = None

    def begin(self, look: Look, number: int) -> Future[Sequence[Sighting]] | None:
        """Begin to read a hand of this ``number`` of cards; None while another one is being read."""
        if self._last is not None and not self._last.done():
            return None
        self._last = self._executor.submit(self._read, look, number)
        return self._last

    def close(self) -> None:
        """Begin no more."""
        self._executor.shutdown(wait=False, cancel_futures=True)

    @cached_property
    def _readers(self) -> CloseReaders | None:
        """Made by the first look, in its thread."""
        with suppress(CroupierError):  # hands are read at a glance then
            return self._make_readers()
        return None

    def _read(self, look: Look, number: int) -> Sequence[Sighting]:
        return () if self._readers is None else look(self._readers(number))


class HandScan:
    """Reads the cards of one open hand, in one picture or in several.

    A large hand may be shown in parts, with the zone cleared between them; the parts add up. Cards that are moved
    without clearing the zone are read again. Between two hands the zone must be clear. A camera that sends few pictures
    may miss that; most cards must then be others, and none may lie where it lay.

    A hand that lies still and is not complete at a glance, as most that are fanned, gets a close look.

    Of several hands that are due, any may come first: one that lies there for `PATIENCE_S` and has the number of cards
    of another seat alone is the hand of that seat.
    """

    def __init__(self, close_looks: CloseLooks | None = None) -> None:
        self._close_looks = close_looks
        self._close_look: Future[Sequence[Sighting]] | None = None
        """That of the hand as it lies now; None before it is begun."""
        self._expected: tuple[int, int] | None = None
        self._others: tuple[tuple[int, int], ...] = ()
        self._is_clear = True
        self._shown: tuple[Sighting, ...] = ()
        """The cards of the last hand, which may still lie there."""
        self._before: tuple[str, ...] = ()
        self._lying: tuple[str, ...] = ()
        self._last: tuple[str, ...] = ()
        self._alike = 0
        self._still_since = 0.0
        self.cards: tuple[str, ...] = ()
        """The cards of the hand that is due, as far as they are read; unread ones as ``?``."""
        self.must_be_taken_up = False
        """True if the cards that lie there are those of the last hand."""

    def expect(self, hands: Sequence[tuple[int, int]]) -> None:
        """Expect the hands of (seat, number of cards), the one that was asked for first; the same first hand again
        changes nothing. Empty: no hand is due, and cards in the zone belong to nobody."""
        hand, self._others = next(iter(hands), None), tuple(hands[1:])
        if hand != self._expected:
            self._expected = hand
            self._begin_hand()

    def push(self, view: ZoneView, look: Look | None = None) -> HandSeen | None:
        """Take in one glance at the zone; ``look`` looks at the same frame closely. Returns the hand once it is
        complete."""
        if view.is_unchanged:
            self._put_aside()
            if self._expected is not None and self._expected[1] == 0:
                # Who went out with a Wild Draw Four may be challenged, and has nothing to lay open.
                seat, self._expected = self._expected[0], None
                return HandSeen(view.t, seat, ())
        faces = _faces(view.cards)
        is_due = view.is_changed and self._expected is not None
        self.must_be_taken_up = is_due and not (self._is_clear or self._is_other_hand(view.cards))
        if not is_due or self.must_be_taken_up:
            self.cards = self._before
            self._alike, self._still_since, self._close_look = 0, view.t, None
            return None
        self._alike = self._alike + 1 if faces == self._last else 1
        self._last = faces
        waited = view.t - self._still_since
        if self._alike < READS or waited < SETTLE_S:
            return None
        cards, hand = view.cards, self._with_parts(faces)
        self.cards = tuple(sorted(hand))
        if UNREAD not in faces:
            self._lying = faces
        if cards and not self._is_complete(hand) and (closely := self._looked_at_closely(look)):
            if UNREAD not in (named := _faces(closely)):
                self._lying = named
            if self._is_complete(whole := self._with_parts(named)):
                cards, hand = closely, whole
        if not self._is_complete(hand) and (waited < PATIENCE_S or self._is_looking):
            return None
        self._is_clear, self._shown = False, cards
        seat = self._whose(hand)
        self._begin_hand()
        return HandSeen(view.t, seat, hand)

    def _whose(self, hand: tuple[str, ...]) -> int:
        """Return the seat whose hand this is: the one that was asked for, unless the number of cards is that of another
        alone."""
        assert self._expected is not None
        alike = [seat for seat, number in (self._expected, *self._others) if number == len(hand)]
        return alike[0] if len(alike) == 1 else self._expected[0]

    def _with_parts(self, faces: tuple[str, ...]) -> tuple[str, ...]:
        """Return the hand of which these cards lie there now: all of it, or its last part."""
        return faces if self._expected is not None and len(faces) == self._expected[1] else self._before + faces

    def _is_complete(self, hand: tuple[str, ...]) -> bool:
        return self._expected is not None and len(hand) == self._expected[1] and UNREAD not in hand

    def _looked_at_closely(self, look: Look | None) -> tuple[Sighting, ...]:
        """Begin a close look at this hand, and return the cards that it found; none before its end."""
        if self._close_look is None and self._close_looks is not None and look is not None and self._expected:
            number = self._expected[1] - len(self._before)
            self._close_look = self._close_looks.begin(look, number if number > 0 else self._expected[1])
        if self._close_look is None or not self._close_look.done():
            return ()
        return tuple(self._close_look.result())

    @property
    def _is_looking(self) -> bool:
        return self._close_look is not None and not self._close_look.done()

    def _is_other_hand(self, cards: Sequence[Sighting]) -> bool:
        """True if these cards cannot be those of the last hand, pushed or partly taken up."""
        faces, shown = (Counter(card.face for card in some) for some in (cards, self._shown))
        if UNREAD in faces | shown or any(is_same_card(card, old) for card in cards for old in self._shown):
            return False
        return 2 * (faces - shown).total() > len(cards)

    def _put_aside(self) -> None:
        """Count the cards that were read in the zone, now clear, unless the hand is complete without them."""
        self._is_clear = True
        self._before += self._lying
        self._lying = ()
        if self._expected is not None and len(self._before) >= self._expected[1]:
            self._before = ()

    def _begin_hand(self) -> None:
        self._before = self._lying = self._last = self.cards = ()
        self._alike, self._close_look = 0, None


def _faces(cards: Sequence[Sighting]) -> tuple[str, ...]:
    return tuple(sorted(card.face for card in cards))
