"""Whole games over all documents, through the real reader, link and firmware."""

from __future__ import annotations

import pytest

from croupier.rules.ruleset import names
from croupier_sim.demo.enroll import enrolled_reader
from croupier_sim.demo.game import DemoOptions
from tests.longer import many
from tests.runtime.rounds import play

SHEETS = [name for name in names() if many(1) > 1 or not name.startswith("g7942-") or name == "g7942-en"]
"""A game takes two to four minutes. CI plays one by each document, and of the sheet in many languages the English one:
rounds by all of them are in test_demo.py. With CROUPIER_LONG=2 there are two games by each."""


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 1 + many(1)))
@pytest.mark.parametrize("ruleset", SHEETS)
def test_a_whole_game_is_read_and_scored_as_it_really_was(ruleset: str, seed: int) -> None:
    played = play(DemoOptions(seed=seed, ruleset=ruleset, rounds=None), enrolled_reader)
    assert not played.gave_up
    assert played.truth_agrees
    assert played.summary["cards_misread"] == 0
    assert all(done == ruled for done, ruled in played.summary["wrongs"].values())
