"""The Pico's clock wraps every 17.9 minutes, and its small integers have 31 bits: nothing may hang on either."""

from __future__ import annotations

import pytest

from croupier.link.commands import Ring
from tests.firmware.rig import Rig

WRAP_US = 1 << 30


@pytest.mark.parametrize("on_cpython", [pytest.param(False, id="micropython"), pytest.param(True, id="31-bits")])
def test_nothing_happens_at_the_wrap_of_the_clock(on_cpython: bool) -> None:
    with Rig(on_cpython=on_cpython, narrow=on_cpython, start_us=WRAP_US - 3_000_000) as rig:
        assert rig.pico.runs_on.startswith("cpython" if on_cpython else "micropython")
        rig.ready()
        rig.send(Ring(turn=1, direction="right", color="blue", mode="play", n=0))
        for job in range(1, 7):  # the wrap comes in the middle of these
            rig.pico.press(1 << job)
            rig.deal(job, job % 2, 2)
        rig.pico.do("feeding", "stick", -10.0, False)
        rig.deal(7, 1, 2)
        rig.clear()
        rig.pico.do("feeding", "double", 40.0)
        rig.deal(8, 1, 2)
        rig.run(0.2)
        assert rig.began_us < WRAP_US < rig.pico.now_us
        told = [(done.job, done.fed, done.why) for done in rig.of_kind("done")]
        assert told[:7] == [*((job, 2, "complete") for job in range(1, 7)), (7, 0, "jam")]
        assert told[7][2] == "double-feed"
        assert [press.mask for press in rig.of_kind("press")] == [1 << job for job in range(1, 7)]
        times = [card.t for card in rig.of_kind("card")]
        assert times == sorted(times)
        assert max(times) < rig.now


@pytest.mark.long
def test_the_wrap_is_met_in_every_state_of_the_shoe() -> None:
    """Wherever in a job the clock wraps, the job takes as long as any other."""
    lasted = set()
    for before_us in range(1_900_000, 3_000_000, 200_000):
        with Rig(start_us=WRAP_US - before_us) as rig:
            rig.ready()
            began = rig.now
            rig.deal(1, 3, 3)
            lasted.add(round(rig.now - began, 1))
            assert rig.of_kind("done")[0].fed == 3
    assert len(lasted) == 1
