"""The simulated Pico at a pseudo-terminal: the real link opens it, loses it, and finds it under another name."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from croupier.link.commands import Lamps
from croupier.link.conversation import Greeted, Silent
from croupier.link.link import Link
from croupier.link.reports import Press
from croupier_sim.board import Event, SimPico, SimPort


def wait_for(link: Link, is_right: Callable[[Any], bool], seconds: float = 30.0) -> Any:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for event in link.wait(0.1):
            if is_right(event):
                return event
    raise AssertionError("nothing came")


@pytest.mark.long
def test_the_link_greets_the_simulation_and_finds_it_again_after_a_reset(tmp_path: Path) -> None:
    with SimPico() as pico, SimPort(pico, tmp_path) as port:
        port.start()
        with Link(str(tmp_path / "ttyACM*")) as link:
            greeted = wait_for(link, lambda event: isinstance(event, Greeted))
            assert (greeted.world, greeted.cause) == ("SIMULATION", "power")
            first = port.path
            assert link.send(Lamps(mask=3))
            port.do("board", "press", 0b11, 50_000, 1)
            assert wait_for(link, lambda event: isinstance(event, Press)).mask == 0b11

            port.do("board", "break_down", "watchdog")
            wait_for(link, lambda event: isinstance(event, Silent))
            again = wait_for(link, lambda event: isinstance(event, Greeted))
            assert (again.cause, again.is_new) == ("watchdog", True)
            assert port.path != first


def test_a_simulation_may_run_faster_than_the_clock(tmp_path: Path) -> None:
    looked = threading.Event()

    def heed(event: Event) -> None:
        if event.kind == "look":
            looked.set()

    with SimPico() as pico:
        pico.do("board", "look", at_us=10_000_000)
        with SimPort(pico, tmp_path, speed=10, on_event=heed) as port:
            port.start()
            assert looked.wait(9)
