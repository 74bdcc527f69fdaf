"""Until when the Pico has told everything: soon enough, and never too much, whatever the line does."""

from __future__ import annotations

import random

import pytest

from croupier.link.conversation import LATE_S
from croupier.link.reports import Press
from tests.link.rig import STEP_S, Rig


class Watched(Rig):
    """``late``: the presses that came after it was claimed that all before them had been told. Of the lines of the
    Pico this share is ``damaged``."""

    def __init__(self, seed: int = 1) -> None:
        self.chance = random.Random(seed)
        self.damaged = 0.0
        super().__init__()
        self.late: list[Press] = []
        self.claimed = 0.0

    def write(self, data: bytes) -> int:
        if self.chance.random() >= self.damaged:
            return super().write(data)
        at = self.chance.randrange(len(data))
        super().write(data[:at] + b"#" + data[at + 1 :])
        return len(data)

    def step(self, *masks: int) -> None:
        """One step, in which these buttons are pressed after the Pico has looked at the line."""
        poll = self.pico.poll

        to_press = list(masks)

        def poll_and_press() -> object:
            heard = poll()
            while to_press:
                self.pico.report("press", self.ticks - self.chance.randrange(1000), to_press.pop())
            return heard

        self.pico.poll = poll_and_press
        told = len(self.told)
        self.run(STEP_S)
        self.pico.poll = poll
        self.late += [one for one in self.told[told:] if isinstance(one, Press) and one.t + one.u < self.claimed]
        self.claimed = max(self.claimed, self.host.watermark(self.now))

    def steps(self, seconds: float) -> None:
        for _ in range(round(seconds / STEP_S)):
            self.step()


@pytest.mark.parametrize("damaged", [0.0, 0.05, 0.15])
@pytest.mark.parametrize("seed", range(8))
def test_nothing_comes_that_is_earlier_than_was_claimed(damaged: float, seed: int) -> None:
    rig = Watched(seed)
    rig.steps(0.5)
    rig.damaged = damaged
    for _ in range(60):
        rig.step(1 << rig.chance.randrange(4))
        rig.steps(rig.chance.uniform(0, 0.15))
    rig.damaged = 0.0
    rig.steps(1.0)
    assert len(rig.of(Press)) == 60
    assert rig.late == []


def test_soon_after_a_press_it_is_known_that_nothing_came_before_it() -> None:
    rig = Watched()
    rig.steps(1.0)
    for _ in range(10):
        rig.steps(0.13)
        rig.step(1)
        pressed = rig.now
        rig.steps(0.04)
        assert rig.host.watermark(rig.now) >= pressed


def test_while_nothing_is_pressed_it_is_known_too() -> None:
    rig = Watched()
    rig.steps(1.0)
    for _ in range(100):
        rig.step()
        assert rig.now - rig.host.watermark(rig.now) < 0.13


def test_a_line_that_loses_everything_is_waited_for_no_longer_than_it_counts_as_heard() -> None:
    rig = Watched()
    rig.steps(1.0)
    rig.damaged = 1.0
    rig.steps(LATE_S / 2)
    assert rig.host.watermark(rig.now) >= rig.now - LATE_S
    rig.steps(LATE_S)
    assert rig.host.watermark(rig.now) == rig.now


def test_before_the_pico_is_there_nobody_waits_for_it() -> None:
    rig = Rig()
    assert rig.host.watermark(3.0) == 3.0
