"""The whole way at the simulated table: drawn flashes, reader, journal, and the hands that come out of the boxes."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from croupier.journal import Journal
from croupier_extras.sealed import box
from croupier_extras.sealed.sealing import ledger
from croupier_sim.demo.game import Demo, DemoOptions
from tests.runtime.rounds import begin_demo, step
from tests.sim.standin import TruthReader


@pytest.mark.long
def test_the_hands_that_were_dealt_come_out_of_the_boxes(tmp_path: Path) -> None:
    options = DemoOptions(seed=3, seats=2, firmware=False, exit_camera=True)
    with closing(Demo(options, TruthReader)) as demo, Journal(tmp_path / "croupier.journal") as journal:
        begin_demo(demo, journal)
        while demo.run.position.phase in ("pick", "deal"):
            step(demo)
        opened = ledger(journal, 1, box.current_key(journal.path))
        assert [opened.hand(seat) for seat in (0, 1)] == [tuple(sorted(hand)) for hand in demo.table.hands]
