"""Reads a hand that is laid open before the camera, in one picture or several."""

from __future__ import annotations

from typing import Final

from cardsight.track.zone import Look
from croupier.cards import UNREAD
from croupier.events import HandSeen

SETTLE_S: Final = 0.25
READS: Final = 2
"""As for the discard pile: so long still, and read alike so often."""

PATIENCE_S: Final = 4.0
"""A hand that lies still so long and is not what was awaited is reported as it is seen."""


class HandTracker:
    """Collects the cards of one hand. Lay them all, or some, clear the zone and lay the others: they add up. Cards
    moved about without clearing the zone are read anew. Between two hands the zone must be seen to be clear."""

    def __init__(self) -> None:
        self._expected: tuple[int, int] | None = None
        self._is_clear = True
        self._before: tuple[str, ...] = ()
        self._lying: tuple[str, ...] = ()
        self._last: tuple[str, ...] = ()
        self._alike = 0
        self._still_since = 0.0

    def expect(self, hand: tuple[int, int] | None) -> None:
        """``hand`` = (seat, number of cards) is to be shown now; the same again changes nothing. With ``None``
        nothing is to be shown, and what lies there is nobody's hand."""
        if hand != self._expected:
            self._expected = hand
            self._begin_hand()

    def push(self, look: Look) -> HandSeen | None:
        """The whole hand, once it was read."""
        if look.is_unchanged:
            self._put_aside()
            if self._expected is not None and self._expected[1] == 0:
                # Who went out with a Wild Draw Four may be challenged, and has nothing to lay open.
                seat, self._expected = self._expected[0], None
                return HandSeen(look.t, seat, ())
        if not look.is_changed or self._expected is None or not self._is_clear:
            self._alike, self._still_since = 0, look.t
            return None
        faces = tuple(sorted(card.face for card in look.cards))
        self._alike = self._alike + 1 if faces == self._last else 1
        self._last = faces
        waited = look.t - self._still_since
        if self._alike < READS or waited < SETTLE_S:
            return None
        if UNREAD not in faces:
            self._lying = faces
        seat, n = self._expected
        whole = faces if len(faces) == n else self._before + faces
        if (UNREAD in faces or len(whole) != n) and waited < PATIENCE_S:
            return None
        self._is_clear = False
        self._begin_hand()
        return HandSeen(look.t, seat, whole)

    def _put_aside(self) -> None:
        """The zone is clear: what was read there counts, unless the hand is complete without it."""
        self._is_clear = True
        self._before += self._lying
        self._lying = ()
        if self._expected is not None and len(self._before) >= self._expected[1]:
            self._before = ()

    def _begin_hand(self) -> None:
        self._before = self._lying = self._last = ()
        self._alike = 0
