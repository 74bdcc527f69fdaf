"""What is kept of a trial: the batches that were dealt, and what the machine said of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from croupier.link import reports as wire


@dataclass(slots=True)
class Batch:
    """One run of the deck, to one seat. ``told``: the cards that passed, as the machine counted them. ``ends``: how
    its jobs ended; one that was disturbed is followed by another for what is left."""

    seat: int
    run: tuple[str, ...]
    told: int = 0
    ends: list[str] = field(default_factory=list)
    cards: list[list[wire.Card]] = field(default_factory=list)
    """The cards of each job, in order."""


@dataclass(slots=True)
class Trial:
    """What happened. ``faults``: each with the number of cards that had passed. ``drifts``: how far from where it
    should have been the magnet was, each time it was looked for (steps). ``left_over``: are there cards in the hopper
    though all were told? ``given_up``: why the trial ended early; "" where it did not."""

    world: str = ""
    batches: list[Batch] = field(default_factory=list)
    faults: list[tuple[str, int]] = field(default_factory=list)
    drifts: list[int] = field(default_factory=list)
    left_over: bool = False
    given_up: str = ""

    @property
    def told(self) -> int:
        """How many cards have passed, as the machine counted them."""
        return sum(batch.told for batch in self.batches)

    def count(self, *kinds: str) -> int:
        """How many faults of these kinds there were."""
        return sum(n for kind, n in Counter(kind for kind, _ in self.faults).items() if kind in kinds)
