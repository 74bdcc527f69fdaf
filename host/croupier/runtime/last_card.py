"""The last card on the pile and what was told after it: what a correction takes back and tells anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from croupier.events import Amended, SequencedEvent
from croupier.referee import corrections
from croupier.referee.observations import Observation, Overrule, Play, Upcard


class LastCard:
    """Nothing before the first card has been told."""

    def __init__(self) -> None:
        self._card: Play | Upcard | None = None
        self._after: list[Observation] = []

    @property
    def face(self) -> str | None:
        """Which card it is; None before the first."""
        return None if self._card is None else self._card.card

    def note(self, told: SequencedEvent) -> None:
        """This is told."""
        if isinstance(told, Play | Upcard):
            self._card, self._after = told, []
        elif isinstance(told, Observation) and self._card is not None:
            self._after.append(told)

    def stands(self, record: Sequence[Observation]) -> None:
        """After a correction the record is this: what stands of it, in the order of time."""
        self._card, self._after = None, []
        for one in record:
            self.note(one)

    def is_now(self, face: str, t: float, u: float) -> list[SequencedEvent]:
        """It is this card, whatever was told; what was told after it, or set right by a person, is told once more."""
        if self._card is None or self._card.card == face:
            return []
        undo = Overrule(t=t, u=u, undo=1 + sum(not isinstance(one, Overrule) for one in self._after))
        self._card = replace(self._card, t=t, u=u, card=face)
        self._after = [replace(one, t=t) for one in self._after]
        return [Amended(t, (undo, self._card, *self._after))]

    def take_back(self, t: float, u: float) -> list[SequencedEvent]:
        """What was told last did not happen; what showed a card, or what a person set right, nobody can undo."""
        if not self._after or not corrections.may_be_undone(self._after[-1]):
            return []
        self._after.pop()
        return [Amended(t, (Overrule(t=t, u=u, undo=1),))]
