"""Whole games over all documents, through the real reader, link and firmware."""

from __future__ import annotations

import pytest

from croupier_rules.rules.ruleset import names
from croupier_sim.demo.enroll import enrolled_reader
from croupier_sim.demo.game import DemoOptions
from tests.runtime.rounds import play

SHORTEST = "official-el"
SHEETS = [pytest.param(name, marks=[] if name == SHORTEST else [pytest.mark.nightly]) for name in names()]
"""A game takes one to four minutes. `make test-long` plays a short one: rounds by all documents are in test_demo.py."""


@pytest.mark.long
@pytest.mark.parametrize("ruleset", SHEETS)
def test_a_whole_game_is_read_and_scored_as_it_really_was(ruleset: str) -> None:
    played = play(DemoOptions(seed=1, ruleset=ruleset, rounds=None), enrolled_reader)
    assert not played.gave_up
    assert played.truth_agrees
    assert played.summary["cards_misread"] == 0
    assert all(done == ruled for done, ruled in played.summary["wrongs"].values())
