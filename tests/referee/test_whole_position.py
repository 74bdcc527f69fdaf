"""A position is whole: given back, it leads to the same table, which rules the same from then on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import pytest

from croupier_bench.conformance.cases import Case, cases, log_lines, must_fail, rulesets_of
from croupier_rules.cards import COLORS
from croupier_rules.errors import BadLog
from croupier_rules.referee import Observation, Referee, parse_header, parse_observation
from croupier_rules.referee.observations import Overrule
from croupier_rules.referee.rulings import ChooseColor, MayStack, Skip, Turn
from croupier_rules.referee.table import Table
from croupier_rules.referee.transitions import CHALLENGE, COLOR, DRAWN, HAS_TURN, PICK, REDEAL, ROULETTE, STACK
from croupier_rules.rules import names
from tests.longer import many, run_number, some
from tests.referee.random_games import RandomGame
from tests.referee.test_against_slow import BY_PRESET, PAIRS

_AHEAD: Final = 12
"""So many observations of a random game are judged after every tenth position that was given back; after others one."""


def given_back(referee: Referee) -> Referee:
    """Another referee, who knows the header and the position as they are written, and nothing else."""
    header = replace(referee.header, given=referee.position())
    return Referee(parse_header(json.loads(json.dumps(header.to_json()))))


def state(referee: Referee) -> dict[str, Any]:
    """All that the table holds, by name, but for what decides nothing any more in this phase."""
    table = referee._table
    own = table.constants.own
    is_out_of_turn = own is not None and (own.jump_in or own.double)
    is_wild = table.phase in (COLOR, CHALLENGE, STACK)
    names = [name for name in Table.__slots__ if name not in ("constants", "transitions")]
    values = {name: getattr(table, name) for name in names}
    values["up"] = table.up.kind, table.up.color
    values["up_before"] = (table.up_before.kind, table.up_before.color) if is_wild or is_out_of_turn else None
    values["settled"] = why_the_turn(table) if table.phase in HAS_TURN else None
    values["touched"] = [report if table.catchable >> seat & 1 else None for seat, report in enumerate(table.touched)]
    alive = {
        "drawn": table.phase in (DRAWN, ROULETTE), "held": table.phase == DRAWN, "drew_by_need": table.phase == DRAWN,
        "turned_up": table.phase in (DRAWN, ROULETTE), "picks": table.phase == PICK, "to_deal": table.phase == REDEAL,
        "challenger": is_wild, "since_touch": is_wild, "is_first_wild": is_wild, "laid": is_out_of_turn,
        "begun": is_out_of_turn,
    }  # fmt: skip
    return {name: value for name, value in values.items() if alive.get(name, True)}


def why_the_turn(table: Table) -> tuple[Any, ...]:
    """What a seat that is not on turn is told."""
    missed = {one.seat: one.basis for one in reversed(table.settled) if isinstance(one, Skip)}
    usual = table.constants.rules.basis("start.direction", "turn")
    given = {one.seat: one.basis for one in reversed(table.settled) if isinstance(one, Turn | MayStack | ChooseColor)}
    return missed, {seat: basis for seat, basis in given.items() if basis != usual}


def judged(referee: Referee, observation: Observation) -> Any:
    """What the referee makes of an observation, and where it is then."""
    try:
        rulings = referee.observe(observation)
    except BadLog as err:
        return str(err)
    return [(one, one.basis) for one in rulings], referee.position()


def anything(referee: Referee) -> Iterator[Observation]:
    """Whatever might be reported next, now and at the very time of the last report."""
    seats, t = len(referee.header.seats), referee.t
    lines: list[dict[str, Any]] = [{"obs": obs} for obs in ("recycled", "resumed", "tick")]
    lines += [{"obs": "color", "color": color} for color in COLORS]
    for card in ("red-7", "blue-skip", "green-draw2", "yellow-2", "wild", "wild-draw4", "?"):
        lines += [{"obs": "play", "card": card, "seat": seat} for seat in range(seats)]
    for seat in range(seats):
        lines += [
            {"obs": obs, "seat": seat} for obs in ("uno", "pass", "lift", "accept", "challenge", "acted", "decline")
        ]
        lines += [{"obs": "drew", "seat": seat, "n": n} for n in (1, 2)]
        lines += [{"obs": "discarded", "seat": seat, "n": 1}, {"obs": "redealt", "seat": seat, "n": 1}]
        lines += [{"obs": "house_rule", "seat": seat, "number": 3, "text": "moo"}]
        lines += [{"obs": "swap", "seat": seat, "with": (seat + 1) % seats}, {"obs": "dealt", "seat": seat, "n": 1}]
        lines += [{"obs": "shown", "seat": seat, "cards": ["back"] * n} for n in (referee.position()["hands"][seat],)]
    return (parse_observation({**line, "t": t + 0.5 * (i % 2)}, seats) for i, line in enumerate(lines))


def assert_whole(referee: Referee, future: list[Observation], what: str, *, tries: bool = False) -> None:
    """The position of the referee, given back, is its state, and leads to what follows."""
    again = given_back(referee)
    assert again.position() == referee.position(), what
    assert state(again) == state(referee), what
    if tries:
        for observation in anything(referee):
            assert judged(again.fork(), observation) == judged(referee.fork(), observation), f"{what}: {observation}"
    other = referee.fork()
    done = 0
    for observation in future:
        if isinstance(observation, Overrule) and (observation.undo or 0) > done:
            return  # the record before the position is in no position
        assert judged(again, observation) == judged(other, observation), f"{what}: {observation}"
        done += 0 if isinstance(observation, Overrule) else 1
        done -= observation.undo or 0 if isinstance(observation, Overrule) else 0


RUNS: Final = [(case, ruleset) for case in cases() for ruleset in rulesets_of(case)
               if not case.get("refused", False) and "steps" in case]  # fmt: skip


def steps_of(case: Case, ruleset: str) -> tuple[Referee, list[Observation]]:
    lines = log_lines(case, ruleset)
    header = parse_header(lines[0])
    seen = lines[1:-1] if must_fail(case) else lines[1:]
    return Referee(header), [parse_observation(line, len(header.seats)) for line in seen]


@pytest.mark.parametrize("nth", some(range(16), 8))
def test_the_position_after_each_step_of_each_case_is_whole(nth: int) -> None:
    compared = 0
    for case, ruleset in RUNS[nth::16]:
        referee, observations = steps_of(case, ruleset)
        for i in range(len(observations) + 1):
            assert_whole(
                referee, observations[i:], f"{case['id']} {ruleset}, before step {i}", tries=compared % 40 == 0
            )
            compared += 1
            if i < len(observations) and isinstance(judged(referee, observations[i]), str):
                break
    assert compared > 200


def compare(ruleset: str, seed: int) -> int:
    """Play a random game, and give back the position after each observation of it; how many there were."""
    game = RandomGame(ruleset, seed)
    referee, log = Referee(parse_header(game.header)), []
    for seen, _slow in game.play(2):
        if "player" not in seen:
            log.append(parse_observation(seen, len(game.header["seats"])))
    for i, observation in enumerate(log):
        ahead = 1 if (seed + i) % 10 else _AHEAD
        assert_whole(referee, log[i : i + ahead], f"{ruleset}, seed {seed}, line {i}", tries=(seed + i) % 150 == 0)
        referee.observe(observation)
    return len(log)


@pytest.mark.long
@pytest.mark.parametrize("ruleset", names())
def test_the_position_after_each_line_of_a_random_game_is_whole(ruleset: str) -> None:
    assert sum(compare(ruleset, seed) for seed in range(2)) > 0


@pytest.mark.long
@pytest.mark.parametrize("nth", some(range(4), 4))
def test_the_position_is_whole_by_own_rules(nth: int) -> None:
    assert sum(compare(ruleset, 0) for ruleset in [*BY_PRESET, *PAIRS][nth::24]) > 0


@pytest.mark.nightly
@pytest.mark.parametrize("nth", range(20))
def test_the_positions_of_ten_thousand_games_are_whole(nth: int) -> None:
    rulesets = [*names(), *BY_PRESET, *PAIRS]
    first = run_number() * 10_000 + nth * 500
    for seed in range(first, first + many(500)):
        compare(rulesets[seed % len(rulesets)], seed)
