"""Random stops, shoves and losses of power while cards are dealt: no card lies at a seat that was not meant without a
fault that says so."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from croupier.link.commands import Config, Deal, Go, Place, Stop
from croupier.link.conversation import Greeted
from tests.firmware.rig import Rig

SEATS = 10
ANGLES = [round(seat * 360 / SEATS - 180) for seat in range(SEATS)]
HALF_WAY = 180 / SEATS
"""A card that leaves the shoe farther from its seat than this lies nearer to another (degrees)."""


class Round(Rig):
    """A table of ten seats, at which things happen. ``job``: number of the last."""

    job = 0

    def set_up(self) -> None:
        self.send(Config(seats=SEATS, lights=24, speed=1200, turn_speed=80, turn_acceleration=40))
        self.send(*(Place(seat=seat, angle=10 * angle) for seat, angle in enumerate(ANGLES)), Go())
        self.run(0.3)

    def happen(self) -> str:
        """Disturb a job at a random moment; returns what happened, if a card went astray without a fault."""
        rng = self.rng
        self.job += 1
        seat, n = rng.randrange(SEATS), rng.randint(1, 9)
        cards, told = len(self.cards), len(self.told)
        self.send(Deal(job=self.job, seat=seat, n=n))
        happened = []
        for _ in range(rng.choice((1, 1, 2, 3))):
            self.run(rng.uniform(0.0, 1.0))
            name, act = rng.choice(ACTS)
            happened.append(f"{self.now:.3f} s: {name} {act(self)}")
        self.run(1.0)
        self.pico.do("supply", "restore")
        self.pico.do("turning", "hold", False)
        self.pico.do("turning", "weaken", 1.0)
        self.faults.is_silent = False
        self.run(4.0)
        self.stand_still()
        off = [abs((angle - ANGLES[seat] + 180) % 360 - 180) for _, angle in self.cards[cards:]]
        has_fault = self._faults(told) or self._is_in_doubt(told)
        if max(off, default=0.0) > HALF_WAY and not has_fault:
            return f"job {self.job} to {ANGLES[seat]}°: {happened}: {self.cards[cards:]}"
        if has_fault or not self.is_armed:
            self._go_on()
        elif rng.random() < 0.2:
            self.pico.do("feeding", "set_cards", 108)
        return ""

    @property
    def is_armed(self) -> bool:
        """Whether the motors may run, as far as the Pico has said."""
        states = self.of_kind("state")
        return not states or bool(states[-1].armed)

    def _faults(self, told: int) -> bool:
        return any(one.message == "fault" for one in self.told[told:] if hasattr(one, "message"))

    def _is_in_doubt(self, told: int) -> bool:
        """Whether the Pico lost the job with its power: then the program asks people to count."""
        return any(isinstance(one, Greeted) and one.is_reset for one in self.told[told:])

    def _go_on(self) -> None:
        """A person puts it right and says go; a Pico that was reset is set up again."""
        self.pico.do("feeding", "set_cards", 108)
        self.clear()
        self.set_up()
        self.run(0.2)


def _loss(table: Round) -> float:
    seconds = table.rng.choice((0.004, 0.01, 0.02, 0.03, 0.05, 0.1, 0.3, 0.9))
    table.pico.do("supply", "disconnect", round(seconds * 1e6))
    return seconds


def _turn_by_hand_without_power(table: Round) -> float:
    table.pico.do("supply", "disconnect")
    table.run(table.rng.uniform(0.05, 0.4))
    return _shove(table)


def _shove(table: Round) -> float:
    steps = table.rng.uniform(-1200, 1200)
    table.pico.do("turning", "shove", steps)
    return steps


def _slip(table: Round) -> float:
    """The motor turns, and the belt slips by a few teeth: one is 80 steps."""
    steps = table.rng.choice((-240, -160, -80, 80, 160, 240))
    table.pico.do("turning", "shove", steps)
    return steps


def _hold(table: Round) -> float:
    seconds = table.rng.uniform(0.05, 0.4)
    table.pico.do("turning", "hold", True)
    table.run(seconds)
    table.pico.do("turning", "hold", False)
    return seconds


def _weak(table: Round) -> float:
    table.pico.do("turning", "weaken", torque := table.rng.uniform(0.3, 0.9))
    return torque


def _stop(table: Round) -> float:
    table.send(Stop())
    table.run(0.2)
    return _shove(table)


def _silence(table: Round) -> float:
    table.faults.is_silent = True
    table.run(0.7)
    return _shove(table)


def _reset(table: Round) -> float:
    table.pico.do("board", "break_down", table.rng.choice(("watchdog", "power")))
    return 0.0


ACTS: tuple[tuple[str, Callable[[Round], float]], ...] = (
    ("loss", _loss), ("turned by hand", _turn_by_hand_without_power), ("shove", _shove), ("slip", _slip),
    ("held", _hold), ("weak", _weak), ("stop", _stop), ("silence", _silence), ("reset", _reset),
)  # fmt: skip


def astray(seed: int, n: int) -> list[str]:
    """Let ``n`` things happen at one table."""
    with Round(seed, angle=float(random.Random(seed).uniform(-2000, 2000)), slice_us=10_000) as table:
        table.ready()
        table.run(2)
        return [found for found in (table.happen() for _ in range(n)) if found]


def test_no_card_goes_astray_without_a_fault_whatever_stops_or_shoves_the_table() -> None:
    assert astray(1, 4) == []


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 6))
def test_no_card_goes_astray_in_two_hundred_stops_shoves_and_losses_of_power(seed: int) -> None:
    assert astray(seed, 50) == []


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(100, 120))
def test_no_card_goes_astray_in_a_thousand_stops_shoves_and_losses_of_power(seed: int) -> None:
    assert astray(seed, 50) == []


def test_a_table_that_nothing_disturbs_deals_to_ten_seats_in_any_order_without_a_fault() -> None:
    with Round(7, slice_us=10_000) as table:
        table.ready()
        table.run(2)
        for job in range(1, 25):
            seat = table.rng.randrange(SEATS)
            table.deal(job, seat, 1)
            assert abs((table.cards[-1][1] - ANGLES[seat] + 180) % 360 - 180) < 2
        assert not table.of_kind("fault")
        assert len(table.cards) == 24
