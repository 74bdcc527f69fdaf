"""What holds in every game by the sheet in the box, and for lines that are no log."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from croupier.errors import BadLog
from croupier.log_replay import Record, replay_lines
from croupier_rules.cards import DECKS, KIND
from croupier_rules.referee import Observation, Referee, Rulings, parse_header, parse_observation, replay
from croupier_rules.referee.observations import OBSERVATIONS, Play, Shown, to_json
from tests.longer import examples
from tests.referee.games import Watched, header

DECK = DECKS["g7942"]
seeds = st.integers(0, 2**32)
# Two rounds and more of one game: no round makes so many points.
ENDLESS = {"target": 100_000}
tables = st.sampled_from(
    [
        *(header(seats, options=ENDLESS) for seats in (2, 3, 4, 7, 10)),
        header(4, teams=((0, 2), (1, 3)), options=ENDLESS),
    ]
)
few = settings(max_examples=examples(25))


@few
@given(tables, seeds, st.booleans())
def test_legal_play_is_never_objected_to(at: Any, seed: int, open_hands: bool) -> None:
    for observation, rulings in Watched(at, seed, open_hands=open_hands).play(2):
        objections = [r for r in rulings if r.name in ("illegal", "mismatch", "cannot_tell", "warn")]
        if isinstance(observation, Shown) and not open_hands:
            # A hand that grew by unseen cards since its Wild Draw Four cannot always be judged.
            objections = [r for r in objections if r.rule != "wd4.legality"]
        assert not objections, (observation, objections)


@few
@given(tables, seeds)
def test_replay_equals_live_also_through_the_log_on_disk(at: Any, seed: int) -> None:
    log = Watched(at, seed).play(1)
    assert list(replay(at, [observation for observation, _ in log])) == [rulings for _, rulings in log]
    lines = [json.dumps(at.to_json()), *(json.dumps(to_json(observation)) for observation, _ in log)]
    told = [step for step in replay_lines([line.encode() for line in lines], "log") if isinstance(step, Record)]
    assert [(step.observation, step.rulings) for step in told] == log


@few
@given(seeds)
def test_what_is_expected_is_what_may_be_laid(seed: int) -> None:
    def look(observation: Observation, rulings: Rulings, referee: Referee) -> None:
        now = referee.position()
        if now["phase"] != "turn" or seed % 7 != observation.t % 7:
            return
        expected = referee.expected_faces()
        for face in (*sorted(expected)[:3], *sorted(DECK.keys() - expected)[:3]):
            probe = Referee(parse_header({**header(4).to_json(), "given": now}))
            ruled = probe.observe(Play(observation.t, face, now["turn"]))
            assert (face in expected) == all(ruling.name not in ("illegal", "mismatch") for ruling in ruled)

    Watched(header(4), seed, look, open_hands=True).play(1)


@pytest.mark.parametrize(
    "options", [{}, {"scoring": "lowest"}, {"target": 1000, "deal": "winner"}], ids=["winner", "lowest", "deal"]
)
def test_games_are_played_to_their_end(options: dict[str, Any]) -> None:
    playing, rounds = Watched(header(4, options=options), seed=5), 1
    while all(ruling.name != "game_over" for _, said in playing.play() for ruling in said):
        rounds += 1
    assert rounds > 1


PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["red-7", "?", "back"])
JSON = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text() | st.sampled_from(["seat", "t"]), inner),
    max_leaves=8,
)
FIELDS = st.sampled_from(sorted({"seat", "card", "cards", "n", "color", "number", "text", "undo", "set", "t", "u"}))
HEADS = st.sampled_from(["log", "ruleset", "seats", "dealer", "teams", "options", "given"])
LINES = st.builds(
    lambda obs, fields, t: {"obs": obs, "t": t, **fields},
    st.sampled_from(sorted(OBSERVATIONS)),
    st.dictionaries(FIELDS, JSON | st.integers(0, 4) | st.sampled_from(sorted(KIND)), max_size=4),
    st.floats(0, 9) | st.just(3.0),
)


@given(seeds)
def test_rulings_that_crossed_a_pipe_are_equal_to_those_of_a_replay(seed: int) -> None:
    log = Watched(header(), seed).play(1)
    crossed = pickle.loads(pickle.dumps([rulings for _, rulings in log]))
    assert crossed == list(replay(header(), [observation for observation, _ in log]))


@settings(max_examples=examples(300))
@given(st.lists(LINES | JSON, max_size=6))
def test_garbage_raises_bad_log_and_nothing_else(lines: list[Any]) -> None:
    referee = Referee(header(3, given={"top": "red-7"}))
    for line in lines:
        before = referee.position()
        try:
            observation = parse_observation(line, 3)
        except BadLog:
            continue
        try:
            rulings = referee.observe(observation)
        except BadLog:
            assert referee.position() == before
        else:
            json.dumps([ruling.to_json() for ruling in rulings])
            now = referee.position()
            assert sum(now["hands"]) + now["draw_pile"] + now["discard_pile"] == 108


def fault(run: Callable[[], object]) -> str:
    """The text of the `BadLog` that is raised, or nothing; any other error comes through."""
    try:
        run()
    except BadLog as err:
        return str(err)
    return ""


@settings(max_examples=examples(200))
@given(JSON | st.dictionaries(HEADS, JSON))
def test_a_header_of_garbage_raises_bad_log_and_nothing_else(line: Any) -> None:
    whole = {"log": "croupier/1", "ruleset": "g7942-en", "seats": ["Ann", "Ben"], "dealer": 0}
    assert "\n" not in fault(lambda: Referee(parse_header(line)))
    if isinstance(line, dict):
        assert "\n" not in fault(lambda: Referee(parse_header(whole | line)))


@settings(max_examples=examples(200))
@given(st.lists(st.binary(max_size=60), max_size=4))
def test_bytes_of_any_kind_raise_bad_log_and_nothing_else(lines: list[bytes]) -> None:
    whole = json.dumps(header(2).to_json()).encode()
    assert fault(lambda: list(replay_lines(lines, "log"))).startswith("log, line ")
    assert re.match(r"$|log, line \d+: ", fault(lambda: list(replay_lines([whole, *lines], "log"))))
