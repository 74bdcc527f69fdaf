"""Faults that the demo provokes: which of them the table must have reported."""

from __future__ import annotations

from typing import Any

import pytest

from croupier_rules.referee.observations import Drew, Fault, Resumed
from croupier_rules.referee.position import Position
from croupier_sim.demo.faults import FaultInjector

POSITION: Any = Position(phase="turn", turn=0, top="red-7", color="red", hands=(3, 4), scores=(0, 0), owed={}, dealer=0)


class Machine:
    faults: tuple[str, ...] = ("jam", "reset")
    is_feeding = True
    is_connected = True

    def provoke(self, fault: str) -> None:
        pass


class Camera(Machine):
    faults = ()


@pytest.mark.parametrize(
    ("fed", "is_reported", "is_open"),
    [
        pytest.param(0, False, False, id="no card was fed since"),
        pytest.param(1, False, False, id="the card on its way passed"),
        pytest.param(2, False, True, id="two cards passed"),
        pytest.param(0, True, True, id="reported"),
    ],
)
def test_a_fault_of_the_feed_waits_for_a_card_to_hit(fed: int, is_reported: bool, is_open: bool) -> None:
    machine: Any = Machine()
    camera: Any = Camera()
    faults = FaultInjector(machine, camera, None)
    faults.provoke("jam")
    faults.step(1.0)
    for n in range(fed):
        faults(Drew(2.0 + n, seat=0, n=1), (), POSITION)
    if is_reported:
        faults(Fault(5.0, device="shoe", kind="jam"), (), POSITION)
    assert faults.is_open == is_open
    assert faults.trials[0].is_waiting != is_open
    faults(Resumed(6.0), (), POSITION)
    assert (faults.trials[0].healed is not None) == is_reported
