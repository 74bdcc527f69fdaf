"""Hours at the table: the firmware and its simulation keep no memory, and the clock stays known."""

from __future__ import annotations

import pytest

from croupier.link.commands import Ring
from tests.firmware.rig import Rig
from tests.longer import few

HOUR_S = 3600.0


def before_and_after_each_hour(hours: int) -> list[int]:
    """Free memory (bytes) before cards are fed, buttons pressed and sessions begun anew, and after each hour of it."""
    free: list[int] = []

    def measure(rig: Rig) -> None:
        rig.events.clear()
        rig.pico.do("board", "measure_memory")
        rig.run(0.5)
        free.append(next(event.values[0] for event in rig.events if event.kind == "memory"))

    with Rig(slice_us=300_000) as rig:
        rig.ready()
        rig.run(2)  # so long the simulated turntable keeps the way of its last turn
        measure(rig)
        job = 0
        for hour in range(1, hours + 1):
            while rig.now < hour * HOUR_S:
                rig.send(Ring(turn=1, direction="left", color="red", mode="play", n=0))
                rig.pico.do("feeding", "set_cards", 108)
                for _ in range(10):
                    job += 1
                    rig.pico.press(1 << job % 10)
                    rig.deal(job, job % 4, 3)
                assert [done.why for done in rig.of_kind("done")] == ["complete"] * 10
                rig.plug(False)
                rig.run(1)
                rig.plug(True)
                rig.run(1)
                rig.set_up()
                rig.send(Ring(turn=-1, direction="left", color="none", mode="off", n=0))
                rig.run(HOUR_S / 12)
                rig.told.clear()
            measure(rig)
            assert rig.host.clock.restarts == 0
    return free


@pytest.mark.long(minutes=2)
@pytest.mark.parametrize("hours", few([1, 6], 1))
def test_what_hours_leave_in_memory_does_not_grow(hours: int) -> None:
    before, *after = before_and_after_each_hour(hours)
    assert all(before - free < 3_000 for free in after), (before, after)
