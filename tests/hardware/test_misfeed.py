"""The model of misfeeds: what makes them more, and what a bench may find."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from math import radians, tan
from random import Random

import pytest

from hardware import misfeed
from hardware import parameters as p
from hardware.quantity import Quantity


def failed(decks: int = 60) -> Counter[str]:
    """Misfeeds of 1,000 cards, by kind."""
    rng = Random(2)
    feeds = [feed for _ in range(decks) for feed in misfeed.deck(rng)]
    return Counter({kind: 1000 * n / len(feeds) for kind, n in Counter(one.misfeed for one in feeds).items() if kind})


def test_the_machine_as_drawn_seldom_misfeeds_and_seldom_takes_two_cards() -> None:
    rates = failed(200)
    assert 0 < rates.total() <= 0.5
    assert rates["doubles"] < 0.3


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("PICK_X", p.GATE_X - 6.35, "doubles"),  # the gate far from the roller: the floor is open below the cards
        ("GATE_OVER", 0.2, "doubles"),
        ("GATE_OVER", -0.02, "jams"),
        ("RUBBER_WORST", 0.4, "slips"),
        ("CARDS_WORN", 1.0, "slips"),
        ("WEIGHT_CENTER", 44, "slips"),
    ],
)
def test_what_makes_misfeeds_frequent(monkeypatch: pytest.MonkeyPatch, name: str, value: float, kind: str) -> None:
    before = failed()[kind]
    monkeypatch.setattr(p, name, Quantity(value, "", "worse"))
    assert failed()[kind] > 2 * before + 1


def test_the_bevel_of_the_gate_turns_no_more_of_a_push_downwards_than_the_model_assumes() -> None:
    slope = tan(radians(p.GATE_BEVEL))
    assert (slope - p.CARDS_BEST) / (1 + slope * p.CARDS_BEST) <= p.GATE_WEDGE


def test_the_pads_hold_back_most_of_the_cards_that_came_under_a_wide_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(p, "GATE_OVER", Quantity(0.125, "mm", "wide"))
    with_pads = failed()["doubles"]
    for name in ("PAD", "PAD_ERROR"):
        monkeypatch.setattr(p, name, Quantity(0.0, "N", "none"))
    assert failed()["doubles"] > 8 * with_pads > 0


def test_the_pads_are_squeezed_as_their_force_needs_and_no_card_dives_under_the_floor() -> None:
    assert p.PAD_SQUEEZE < p.PAD_FREE / 4, "above a quarter of its height foam is harder"
    # A beam from the crown of the roller: the pads press in their middle, the floor begins where its opening ends.
    at = p.GATE_X - p.PICK_X + p.GATE - p.PAD_LENGTH / 2
    stiffness = p.CARD_MODULUS * p.CARD_WIDTH * p.CARD_THICKNESS**3 / 12
    down = p.PAD * at**3 / (3 * stiffness) + p.PAD * at**2 / (2 * stiffness) * (p.ROLLER / 2 + 1 - at)
    assert down < p.FLOOR_DOWN + p.FLOOR_RAMP


def test_no_card_can_be_doubled_where_none_lies_above() -> None:
    assert [*misfeed.deck(Random(1))][-1].misfeed != "doubles"


def test_a_bench_may_find_what_a_shoe_as_computed_exceeds_once_in_twenty() -> None:
    benches = [[0] * 19 + [n] for n in range(100)]
    assert misfeed.allowed([one for bench in reversed(benches) for one in bench]) == 94


def test_the_program_prints_reserve_rate_and_limit() -> None:
    done = program("40")
    assert done.stdout.startswith("4,480 cards of 40 decks, computed")
    for what in (
        "as drawn",
        "no retard pads",
        "friction reserve",
        "slips:",
        "jams:",
        "doubles:",
        "to be met on a bench",
        "in 20 decks",
    ):
        assert what in done.stdout


def test_fewer_decks_than_a_bench_are_refused() -> None:
    assert "at least a bench of 20 decks" in program("19").stderr


def program(decks: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hardware.misfeed", "--decks", decks]
    return subprocess.run(command, capture_output=True, text=True, check=False)
