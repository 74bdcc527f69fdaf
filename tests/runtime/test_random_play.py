"""The players who measure the referee: what they take for legal is legal by every document."""

from __future__ import annotations

from collections import Counter

import pytest

from croupier_rules.referee import Header, Observation, Referee, Rulings
from croupier_rules.rules import load
from croupier_rules.rules.ruleset import names
from croupier_sim.random_play import RandomTable, plays
from tests.referee.games import Watched, header


@pytest.mark.parametrize("seats", [2, 4, 7])
@pytest.mark.parametrize("ruleset", [name for name in names() if plays(load(name))])
def test_rounds_are_played_to_their_end_and_nothing_is_refused(ruleset: str, seats: int) -> None:
    said: Counter[str] = Counter()

    class Counting(Referee):
        def observe(self, observation: Observation) -> Rulings:
            rulings = super().observe(observation)
            said.update(ruling.name for ruling in rulings)
            return rulings

    header = Header(ruleset=load(ruleset), seats=tuple(f"Player {seat}" for seat in range(seats)), dealer=0)
    table = RandomTable(header, 1, Counting)
    for _ in range(20):
        table.play_round()
    assert said["round_over"] == 20
    assert said["illegal"] == said["mismatch"] == 0
    assert (said["redeal"] > 0) == (ruleset in ("box112-en", "official-el"))


def test_a_card_that_is_laid_after_a_call_is_not_shuffled_into_the_pile() -> None:
    """Here the call catches another seat, whose two cards are the last of the pile."""
    played = Watched(header(7), 111803).play(2)
    assert "mismatch" not in {ruling.name for _, rulings in played for ruling in rulings}
