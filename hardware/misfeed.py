"""How often the shoe misfeeds: a Monte Carlo model of rubber, cards, weather and gate.

    python -m hardware.misfeed [--decks N]

Behind the rates it changes one figure after the other, each to what it might be at worst, and prints them again.

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
from hardware.quantity import Quantity

DECKS: Final = 2_000
SENSITIVITIES: Final[tuple[tuple[str, dict[str, float]], ...]] = (
    ("as drawn", {}),
    ("O-rings of NBR 70, as before", {"RUBBER_WORST": 0.6, "RUBBER_BEST": 1.0}),
    ("silicone grips less", {"RUBBER_WORST": 0.7}),
    ("no retard pads", {"PAD": 0.0, "PAD_ERROR": 0.0}),
    ("no retard pads, gate a quarter of a turn over", {"PAD": 0.0, "PAD_ERROR": 0.0, "GATE_OVER": 0.125}),
    ("pads press half", {"PAD": 0.5}),
    ("pads press half as much again", {"PAD": 1.5}),
    ("pads are smooth", {"PAD_WORST": 0.4, "PAD_BEST": 0.6}),
    ("gate an eighth of a turn over", {"GATE_OVER": 0.0625}),
    ("gate a quarter of a turn over", {"GATE_OVER": 0.125}),
    ("gate set half as well", {"GATE_ERROR": 0.04}),
    ("cards wear twice as much", {"CARDS_WORN": 0.6}),
    ("friction twice as uneven from card to card", {"CARDS_UNEVEN": 0.2}),
    ("thickness twice as uneven from card to card", {"CARD_UNEVEN": 0.01}),
    ("cards bowed twice as high", {"CARD_BEND": 2.0}),
    ("bevel turns all of a push downwards", {"GATE_WEDGE": 1.0}),
    ("weight in the middle of the cards", {"WEIGHT_CENTER": 44.0}),
)
"""What is changed, and to what, one after the other."""
SURE: Final = 0.95
"""A bench that finds more than `allowed` misfeeds refutes the rate; a shoe that keeps it fails so rarely."""


@dataclass(frozen=True, slots=True)
class Feed:
    """A card that is to be fed. ``reserve``: pull of the roller over friction, below 1 it slips. ``room``: from the
    card's upper edge to the gate, below 0 it is stuck (mm). ``held``: of the edge of the card above, behind the gate
    (mm); below `GATE_BITE` the gate does not hold it. ``retarded``: what the pads hold it back by then, over what drags
    it along (N); below 0 it comes too."""

    reserve: float
    room: float
    held: float
    retarded: float

    @property
    def misfeed(self) -> str:
        """How it fails; "" if it does not."""
        if self.reserve < 1:
            return "slips"
        if self.room < 0:
            return "jams"
        return "doubles" if self.held < p.GATE_BITE and self.retarded < 0 else ""


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
    pad, grip = max(0.0, rng.gauss(p.PAD, p.PAD_ERROR)), rng.uniform(p.PAD_WORST, p.PAD_BEST)
    lift = 4 * bend * ((p.GATE_EDGE_X - p.PICK_X) / p.CARD_LENGTH) ** 2
    for left in range(round(p.DECK_CARDS), 0, -1):
        lower, upper = (rng.gauss(thickness, p.CARD_UNEVEN) for _ in range(2))
        friction, above = (cards * max(0.0, rng.gauss(1, p.CARDS_UNEVEN)) for _ in range(2))
        load = drive.loads_n(left)[0]
        push = friction * load
        yield Feed(
            reserve=drive.pull_reserve(rubber, friction, left, pad, grip),
            room=gate - lower - lift,
            held=lower + upper + lift - sag_mm(thickness, push) - gate if left > 1 else p.GATE_HIGH,
            # The card above it is held by the one over it, which the gate holds, as firmly as it is dragged, but for
            # the unevenness of both; the pads press on both cards, and drag and hold the upper one.
            retarded=pad * (grip - friction) - load * (friction - above),
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


def sensitivities(decks: int) -> str:
    """Return the rates with one figure changed, for each of `SENSITIVITIES`."""
    lines = [f"of 1,000 cards, {decks:,} decks each                     slips   jams doubles    all"]
    for name, changed in SENSITIVITIES:
        kept = {one: getattr(p, one) for one in changed}
        try:
            for one, value in changed.items():
                setattr(p, one, Quantity(value, kept[one].unit, name))
            rng = Random(1)
            failed = Counter(feed.misfeed for _ in range(decks) for feed in deck(rng))
        finally:
            for one, quantity in kept.items():
                setattr(p, one, quantity)
        rates = [1000 * failed[kind] / failed.total() for kind in ("slips", "jams", "doubles")]
        lines.append(f"{name:<50}{''.join(f'{rate:7.2f}' for rate in (*rates, sum(rates)))}")
    return "\n".join(lines)


def main() -> None:
    """Print how often the shoe misfeeds."""
    arguments = parser("hardware.misfeed", "How often the shoe misfeeds, by a Monte Carlo model.", "", "--decks 200")
    arguments.add_argument("--decks", type=int, default=DECKS, help=f"decks to feed (default: {DECKS:,})")
    decks = arguments.parse_args().decks
    if decks < p.BENCH_DECKS:
        arguments.error(f"--decks {decks}: at least a bench of {p.BENCH_DECKS:g} decks is needed")
    print(table(decks))
    print()
    print(sensitivities(max(decks // 5, round(p.BENCH_DECKS))))


if __name__ == "__main__":
    run(main)
