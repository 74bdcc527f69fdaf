"""Simulated people play by house rules: what they really did is what was ruled and scored."""

from __future__ import annotations

from collections import Counter

import pytest

from croupier_rules.referee import Referee, parse_header, parse_observation
from croupier_rules.rules.ruleset import presets
from croupier_sim.demo.game import DemoOptions
from tests.longer import few
from tests.runtime.rounds import play

GAMES = [
    ("quick", 1, 3, ()),
    ("family", 1, 3, ()),
    ("stacking", 3, 3, ("may_stack",)),
    ("seven-zero", 2, 3, ("choose_seat", "hands_moved")),
    ("jump-in", 4, 4, ("jump_in",)),
    ("official-tournament", 1, 3, ()),
    ("party", 1, 3, ("may_stack", "hands_moved")),
    ("wild-party", 6, 4, ("may_stack", "hands_moved", "jump_in")),
]
"""`make test-long` plays the first two, `make nightly` all."""


@pytest.mark.long
@pytest.mark.parametrize(("house", "seed", "seats", "ruled"), few(GAMES, 2))
def test_a_round_by_house_rules_is_ruled_and_scored_as_it_really_was(
    house: str, seed: int, seats: int, ruled: tuple[str, ...]
) -> None:
    played = play(DemoOptions(seed=seed, house=house, seats=seats, firmware=False))
    assert not played.gave_up
    assert played.truth_agrees
    assert played.log[0]["ruleset"].startswith("g7942-en")
    referee = Referee(parse_header(played.log[0]))
    found: Counter[str | None] = Counter()
    for line in played.log[1:]:
        for ruling in referee.observe(parse_observation(line, seats)):
            found.update((ruling.name, ruling.rule))
    assert all(found[one] for one in ruled), found


@pytest.mark.long
@pytest.mark.parametrize("seed", few([3, 5], 1))
def test_a_round_with_the_cards_of_another_box_is_ruled_as_it_really_was(seed: int) -> None:
    played = play(DemoOptions(seed=seed, ruleset="no-mercy-en", seats=3, firmware=False))
    assert not played.gave_up
    assert played.truth_agrees
    own = {"discard_all", "turn_up", "may_stack", "choose_seat"}
    referee = Referee(parse_header(played.log[0]))
    found = {ruling.name for line in played.log[1:] for ruling in referee.observe(parse_observation(line, 3))}
    assert found & own


def test_every_preset_is_played() -> None:
    assert {game[0] for game in GAMES} == set(presets())


@pytest.mark.slow
@pytest.mark.long
def test_people_draw_until_a_card_fits() -> None:
    options = DemoOptions(seed=3, ruleset="g7942-en+turn.must_draw=until-it-fits", seats=2, firmware=False)
    played = play(options)
    assert played.truth_agrees
    assert not played.gave_up
    told = [line["obs"] for line in played.log[1:]]
    assert ("drew", "drew", "drew") in zip(told, told[1:], told[2:], strict=False)
