"""The referee against a second, slow and obvious one, in random games by every document."""

from __future__ import annotations

import json
from typing import Any

import pytest

from croupier.referee import Referee, parse_header, parse_observation
from croupier.rules import names
from tests.longer import many, run_number
from tests.referee.random_games import RandomGame, Seen
from tests.slow_referee import DOCUMENTS

ROUNDS = 25
ROUNDS_OF_THE_LONG_RUN = many(500)


def test_the_slow_referee_knows_every_document() -> None:
    assert set(names()) == set(DOCUMENTS)


def disagreement(game: RandomGame, seen: Seen, slow: list[dict[str, Any]], referee: Referee) -> str:
    """What the two say otherwise on one observation, in the rulings or in the position; or nothing."""
    rulings = referee.observe(parse_observation(seen, len(game.header["seats"])))
    if seen["obs"] != "overrule":
        fast = [ruling.to_json() for ruling in rulings]
        if game.slow.before[-1].phase == "drawn" and not game.is_open:
            # Of a card laid after a draw that nobody saw only the slow referee knows whether it was the one.
            fast = [ruling for ruling in fast if (ruling["ruling"], ruling.get("about")) != ("cannot_tell", "play")]
        if len(fast) != len(slow) or not all(map(is_same, fast, slow)):
            return f"slow: {slow}\nfast: {fast}"
    now, should = referee.position(), game.slow.table.position()
    if now != should:
        now["known"] = {seat: sorted(hand) for seat, hand in now["known"].items()}
        differences = [f"{name}: slow {should[name]}, fast {now[name]}" for name in should if should[name] != now[name]]
        return "\n".join(differences)
    return ""


FREE = {"rule", "reading", "text", "card"}


def is_same(fast: dict[str, Any], slow: dict[str, Any]) -> bool:
    """Whether a ruling says all that the slow referee said, and nothing else that it leaves open."""
    if fast["ruling"] == "warn":
        fast = {**fast, "why": None} if "why" not in slow else fast
        slow = {"why": None, **slow}
    return all(fast.get(name) == said for name, said in slow.items()) and fast.keys() - FREE <= slow.keys()


def compare(ruleset: str, rounds: int, first_seed: int) -> None:
    played, seed = 0, first_seed
    while played < rounds:
        game = RandomGame(ruleset, seed)
        referee = Referee(parse_header(game.header))
        log = [game.header]
        for seen, slow in game.play(2):
            log.append(seen)
            if told := disagreement(game, seen, slow, referee):
                lines = map(json.dumps, [log[0], *log[1:][-8:]])
                pytest.fail("\n".join([f"{ruleset}, seed {seed}", *lines, told]))
        played += game.rounds
        seed += 1


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", names())
def test_both_referees_rule_the_same(ruleset: str) -> None:
    compare(ruleset, ROUNDS, 0)


@pytest.mark.long
@pytest.mark.parametrize("ruleset", names())
def test_both_referees_rule_the_same_for_long(ruleset: str) -> None:
    compare(ruleset, ROUNDS_OF_THE_LONG_RUN, ROUNDS_OF_THE_LONG_RUN * run_number())
