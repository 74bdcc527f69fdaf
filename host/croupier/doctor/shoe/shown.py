"""All that a trial showed, as it is judged: what the machine told, and what lay on the table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

from croupier.devices.pico import Layout
from croupier.doctor.shoe import limits
from croupier.doctor.shoe.piles import Counted, Placed
from croupier.doctor.shoe.record import Trial
from croupier.link import reports as wire

FIRST_US: Final = 8_000
"""The first card of a job passes so much more slowly, since the motor still speeds up."""

ENOUGH: Final = 8
"""Fewer cards say nothing about how evenly they pass."""


@dataclass(frozen=True)
class Shown:
    """``table``: what lay there afterwards; None where nobody looked."""

    trial: Trial
    layout: Layout
    table: Counted | Placed | None

    @cached_property
    def jobs(self) -> list[list[wire.Card]]:
        """The cards of each job."""
        return [cards for batch in self.trial.batches for cards in batch.cards]

    @cached_property
    def nominal_us(self) -> float:
        """How long a card covers the exit at the configured speed."""
        return limits.LENGTH_MM * 1e6 / self.layout.speed

    def is_dust(self, pulse_us: float) -> bool:
        """Whether a pulse is far too short for a card."""
        return pulse_us < limits.DUST * self.nominal_us

    @cached_property
    def pulses_us(self) -> list[float]:
        """The pulses of single cards; those of a motor that still speeds up only where there are too few others."""
        later = [float(card.pulse) for _, card in self._singles()]
        first = [float(job[0].pulse - FIRST_US) for job in self.jobs if job]
        return [us for us in (later if len(later) >= ENOUGH else later + first) if not self.is_dust(us)]

    @cached_property
    def gaps_ms(self) -> list[float]:
        """The gaps between cards."""
        return [card.gap / 1000 for job in self.jobs for card in job[1:]]

    @cached_property
    def feeds_ms(self) -> list[float]:
        """From the edge of one card to that of the next."""
        return [1000 * (card.t - before.t) for before, card in self._singles()]

    def _singles(self) -> list[tuple[wire.Card, wire.Card]]:
        """The cards that came by themselves, each after the one before it in its job."""
        pairs = (pair for job in self.jobs for pair in pairwise(job))
        return [(a, b) for a, b in pairs if b.index == a.index + 1 and b.gap > limits.DOUBLE_GAP_MS * 1000]
