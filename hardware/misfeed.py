"""How often the shoe misfeeds: a Monte Carlo model of rubber, cards, weather and gate.

    python -m hardware.misfeed [--decks N]

Each draw is a deck on one evening: its friction, wear, damp, thickness and bend, and a gate set by hand. Each of its
cards is fed under those that still lie on it. The figures and what each is worth are in `hardware.parameters`; the rate
that this prints is to be met on a bench (`assembly.md`), where nothing of it has been measured yet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from random import Random
from statistics import quantiles
from typing import Final

from hardware import drive
from hardware import parameters as p
from hardware.commands import parser, run

DECKS: Final = 2_000
SURE: Final = 0.95
"""A bench that finds more than `allowed` misfeeds refutes the rate; a shoe that keeps it fails so rarely."""


@dataclass(frozen=True, slots=True)
class Feed:
    """A card that is to be fed. ``reserve``: pull of the roller over friction, below 1 it slips. ``room``: from the
    card's upper edge to the gate, below 0 it is stuck (mm). ``held``: of the edge of the card above, behind the gate
    (mm); below `GATE_BITE` it comes too."""

    reserve: float
    room: float
    held: float

    @property
    def misfeed(self) -> str:
        """How it fails; "" if it does not."""
        if self.reserve < 1:
            return "slips"
        if self.room < 0:
            return "jams"
        return "doubles" if self.held < p.GATE_BITE else ""


def sag_mm(thickness: float, push: float) -> float:
    """Return how far two cards give way beyond the roller's crown, where the floor is open, when the upper one pushes
    with ``push`` (N) against the gate: bevel and rounded edge turn a part of that downwards."""
    stiffness = 2 * p.CARD_MODULUS * p.CARD_WIDTH * thickness**3 / 12
    return float(push * p.GATE_WEDGE * (p.GATE_EDGE_X - p.PICK_X) ** 3 / (3 * stiffness))


def deck(rng: Random) -> Iterator[Feed]:
    """Feed a whole deck on one evening."""
    rubber = rng.uniform(p.RUBBER_WORST, p.RUBBER_BEST)
    cards = rng.uniform(p.CARDS_BEST, p.CARDS_WORST)
    cards *= (1 + p.CARDS_WORN * rng.random()) * (1 + p.CARDS_DAMP * rng.random())
    thickness = rng.uniform(p.CARD_THINNEST, p.CARD_THICKEST)
    bend = rng.uniform(-p.CARD_BEND, p.CARD_BEND)
    # By the procedure: until a card drags, then up. The screw reaches no farther than the slots.
    gate = min(max(thickness + rng.gauss(p.GATE_OVER, p.GATE_ERROR), p.GATE_LOW), p.GATE_HIGH)
    lift = 4 * bend * ((p.GATE_EDGE_X - p.PICK_X) / p.CARD_LENGTH) ** 2
    for left in range(round(p.DECK_CARDS), 0, -1):
        lower, upper = (rng.gauss(thickness, p.CARD_UNEVEN) for _ in range(2))
        friction = cards * max(0.0, rng.gauss(1, p.CARDS_UNEVEN))
        push = friction * drive.loads_n(left)[0]
        yield Feed(
            reserve=drive.pull_reserve(rubber, friction, left),
            room=gate - lower - lift,
            held=lower + upper + lift - sag_mm(thickness, push) - gate if left > 1 else p.GATE_HIGH,
        )


def allowed(misfeeds: Sequence[int]) -> int:
    """Return how many misfeeds a bench may find. ``misfeeds``: of each deck that was drawn; those of one deck come
    together, so whole benches are compared."""
    size = round(p.BENCH_DECKS)
    benches = sorted(sum(misfeeds[first : first + size]) for first in range(0, len(misfeeds) - size + 1, size))
    return benches[ceil(SURE * len(benches)) - 1]


def table(decks: int) -> str:
    """Return reserve, rates and the bench's limit."""
    rng = Random(1)
    drawn = [list(deck(rng)) for _ in range(decks)]
    feeds = [feed for one in drawn for feed in one]
    hundredths = quantiles([feed.reserve for feed in feeds], n=100)
    reserve = ", ".join(f"{name} {hundredths[at - 1]:.2f}" for name, at in (("1 %", 1), ("5 %", 5), ("median", 50)))
    failed = Counter(feed.misfeed for feed in feeds)
    rates = {kind: 1000 * failed[kind] / len(feeds) for kind in ("slips", "jams", "doubles")}
    most = allowed([sum(bool(feed.misfeed) for feed in one) for one in drawn])
    return "\n".join([
        f"{len(feeds):,} cards of {decks:,} decks, computed; nothing has been measured on a bench",
        f"friction reserve of the pick roller: {reserve}",
        *(f"{kind}: {rate:.2f} of 1,000 cards" for kind, rate in rates.items()),
        f"to be met on a bench: {sum(rates.values()):.2f} misfeeds of 1,000 cards",
        f"that is at most {most} in {p.BENCH_DECKS:g} decks, in {SURE:.0%} of such benches",
    ])  # fmt: skip


def main() -> None:
    """Print how often the shoe misfeeds."""
    arguments = parser("hardware.misfeed", "How often the shoe misfeeds, by a Monte Carlo model.", "", "--decks 200")
    arguments.add_argument("--decks", type=int, default=DECKS, help=f"decks to feed (default: {DECKS:,})")
    decks = arguments.parse_args().decks
    if decks < p.BENCH_DECKS:
        arguments.error(f"--decks {decks}: at least a bench of {p.BENCH_DECKS:g} decks is needed")
    print(table(decks))


if __name__ == "__main__":
    run(main)
