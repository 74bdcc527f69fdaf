"""The likely cause of a change of the discard pile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cardsight.sighting import Sighting
from cardsight.track.cards import ROUGHLY, is_same_card
from croupier_rules.cards import UNREAD


@dataclass(frozen=True, slots=True, eq=False)
class PileChange:
    """The likely cause of a change.

    The top card ``is_lifted``, or the pile ``is_taken``, and then the cards ``laid`` came, the lowest first; or
    the top card has only a new ``place``, and perhaps a face. ``under``: cards that came under the top card in its new
    place; it may have been held when it was reported, so what was laid first is in doubt. ``cards``: the cards from
    which the change was inferred. Nothing is reported while something else that is new touches one of them.
    """

    laid: tuple[Sighting, ...] = ()
    under: tuple[Sighting, ...] = ()
    is_lifted: bool = False
    is_taken: bool = False
    place: Sighting | None = None
    cards: tuple[Sighting, ...] = ()

    @property
    def is_nothing(self) -> bool:
        """True if nothing came and nothing went."""
        return not (self.laid or self.under or self.is_lifted or self.is_taken)

    @property
    def is_plain(self) -> bool:
        """True if readable cards were laid and nothing else was touched."""
        return bool(self.laid) and self.cards == self.laid and self.is_sure

    @property
    def is_sure(self) -> bool:
        """True if every laid card could be read, and is the last one laid."""
        return not self.under and all(card.face != UNREAD for card in self.laid)

    def _came(self, other: PileChange) -> Sequence[Sighting]:
        """Return the cards that came, for a comparison: what lies over the top card is in doubt if one of the two
        changes has a card under it."""
        return sorted((*self.under, *self.laid), key=lambda card: card.face) if self.under or other.under else self.laid

    def is_like(self, other: PileChange | None) -> bool:
        """True if two consecutive readings agree."""
        return (
            other is not None
            and (self.is_lifted, self.is_taken) == (other.is_lifted, other.is_taken)
            and len(self._came(other)) == len(other._came(self))
            and all(is_same_card(a, b, ROUGHLY) for a, b in zip(self._came(other), other._came(self), strict=True))
            and _is_like(self.place, other.place)
        )


def _is_like(a: Sighting | None, b: Sighting | None) -> bool:
    return a is b if a is None or b is None else is_same_card(a, b)
