"""Positions and games as text: there and back, and what is said of a text that is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier_rules.errors import BadLog
from croupier_rules.referee import Header, Observation, Referee, parse_header, parse_observation
from croupier_rules.referee.game_text import game_from_text, game_to_text
from croupier_rules.referee.position_text import position_from_text, position_to_text
from croupier_rules.rules import names
from tests.longer import many, run_number, some
from tests.referee.random_games import RandomGame
from tests.referee.test_against_slow import BY_PRESET, PAIRS
from tests.referee.test_whole_position import RUNS, steps_of

DOCS = Path(__file__).parents[2] / "docs" / "notation.md"


def assert_round_trip(header: Header, observations: list[Observation]) -> int:
    """Header and observations as text and back, and the position after each observation; how many there were."""
    text = game_to_text(header, observations)
    again, repeated = game_from_text(text)
    assert repeated == observations
    assert game_to_text(again, repeated) == text
    assert (again.ruleset.name, again.seats, again.dealer, again.teams, again.options) == (
        header.ruleset.name, header.seats, header.dealer, header.teams, header.options,
    )  # fmt: skip
    referee = Referee(header)
    assert Referee(again).position() == referee.position()
    for observation in observations:
        position = referee.position()
        line = position_to_text(position)
        assert "\n" not in line
        assert position_from_text(line) == position
        try:
            referee.observe(observation)
        except BadLog:
            break
    return len(observations)


@pytest.mark.parametrize("nth", range(4))
def test_each_step_of_each_case_comes_back_from_its_text(nth: int) -> None:
    counted = 0
    for case, ruleset in RUNS[nth::4]:
        referee, observations = steps_of(case, ruleset)
        counted += assert_round_trip(referee.header, observations)
    assert counted > 800


def random_game(ruleset: str, seed: int) -> int:
    game = RandomGame(ruleset, seed)
    header = parse_header(game.header)
    log = [parse_observation(seen, len(header.seats)) for seen, _slow in game.play(2) if "player" not in seen]
    return assert_round_trip(header, log)


@pytest.mark.parametrize("ruleset", some(names(), 5))
def test_a_random_game_comes_back_from_its_text(ruleset: str) -> None:
    assert random_game(ruleset, 0) > 0


@pytest.mark.nightly
@pytest.mark.parametrize("nth", range(20))
def test_ten_thousand_random_games_come_back_from_their_texts(nth: int) -> None:
    rulesets = [*names(), *BY_PRESET, *PAIRS]
    first = run_number() * 10_000 + nth * 500
    assert sum(random_game(rulesets[seed % len(rulesets)], seed) for seed in range(first, first + many(500))) > 0


@given(
    st.text(min_size=1).filter(lambda name: max(name) < "\ud800" or max(name) > "\udfff"),
    st.text(), st.floats(0, 1e9), st.floats(0, 10), st.text(min_size=1),
)  # fmt: skip
def test_any_name_text_time_and_clock_come_back(name: str, text: str, t: float, u: float, clock: str) -> None:
    header = parse_header({"log": "croupier/1", "ruleset": "house-rules-pl", "seats": [name, "B"], "dealer": 0})
    lines = [
        {"obs": "house_rule", "t": t, "u": u, "clock": clock, "uc": u, "seat": 1, "number": 3, "text": text},
        {"obs": "fault", "t": t + 1, "device": clock, "kind": text},
        {"obs": "overrule", "t": t + 1, "u": u, "set": {"house_rules": {"3": text}}},
    ]
    observations = [parse_observation(line, 2) for line in lines]
    again, repeated = game_from_text(game_to_text(header, observations))
    assert (again.seats, repeated) == (header.seats, observations)
    rules = Referee(header).position() | {"house_rules": {"3": text}}
    assert position_from_text(position_to_text(rules)) == rules


def examples(kind: str) -> list[str]:
    return [part.split("```")[0] for part in DOCS.read_text(encoding="utf-8").split(f"```{kind}\n")[1:]]


def test_the_positions_of_the_documentation_are_positions() -> None:
    lines = [line for part in examples("position") for line in part.splitlines()]
    assert len(lines) > 3
    for line in lines:
        position = position_from_text(line)
        seats = [f"P{seat}" for seat in range(len(position.get("hands", [7, 7, 7, 7])))]
        ruleset = "g7942-en+stack.draw2=draw2" if "stack" in line else "g7942-en"
        header = {"log": "croupier/1", "ruleset": ruleset, "seats": seats, "dealer": 0, "given": position}
        written = Referee(parse_header(json.loads(json.dumps(header)))).position()
        assert position_from_text(position_to_text(written)) == written


def test_the_games_of_the_documentation_are_games() -> None:
    games = examples("game")
    assert games
    for text in games:
        header, observations = game_from_text(text)
        assert game_from_text(game_to_text(header, observations))[1] == observations
        for observation in observations:
            assert not {ruling.name for ruling in Referee(header).observe(observation)} & {"mismatch"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "expected phase, turn"),
        ("turn 0 left red-7 7/7 79+1 3 0/0 9", "expected phase, turn"),
        ("turn x", "turn 'x': expected a whole number"),
        ("turn 0 left red-7 7/a", "hands 'a': expected a whole number"),
        ("turn 0 left red-7 7/7 79", "expected cards of both piles"),
        ("turn owed=1", "expected a key and a value"),
        ("turn owed=1:x", "expected a whole number"),
        ("turn drew_by_need=maybe", "expected yes or no"),
        ("turn laid={", "expected a JSON object"),
        ("turn stack=2 hello", "expected a name and a value"),
    ],
)
def test_what_is_no_position_is_refused_with_what_was_expected(text: str, expected: str) -> None:
    with pytest.raises(BadLog, match=expected):
        position_from_text(text)


TAGS = "[Ruleset g7942-en]\n[A Ann]\n[B Ben]\n[Dealer A]\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[Ruleset g7942-en]\n", "dealer is missing"),
        ("[Moon full]\nupcard red-5", "line 2: tag 'Moon': expected"),
        (TAGS + "A: red-77", "line 5: 'red-77': expected a card"),
        (TAGS + "A: pass now", "line 5: 'pass now': expected nothing after pass"),
        (TAGS + "A: drew some", "line 5: 'some': expected a whole number"),
        (TAGS + "A: red-7;", "line 5: .*expected what was reported"),
        (TAGS + "C: red-7", "line 5: .*expected a seat"),
        (TAGS + "A: swap ben", "line 5: seat 'ben': expected a letter"),
        (TAGS + "upcard red-5\n[C Cat]", "line 6: .*expected the tags before"),
        (TAGS + "A: uno @x", "line 5: .*"),
        ("[A Ann\n", "line 1: .*expected a tag"),
        ("[Ruleset g7942-en]\n[A Ann]\n[C Cat]\n[Dealer A]\n", "expected the seats in order"),
    ],
)
def test_what_is_no_game_is_refused_with_the_line(text: str, expected: str) -> None:
    with pytest.raises(BadLog, match=expected):
        game_from_text(text)
