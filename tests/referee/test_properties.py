"""What holds in every game, whatever happens: random rounds, random corrections, random lines."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from croupier.app.replay import Step, replay_lines
from croupier.cards import DECKS, KIND
from croupier.errors import BadLog
from croupier.referee import Explainer, Observation, Referee, Rulings, parse_header, parse_observation, replay
from croupier.referee.observations import (
    OBSERVATIONS,
    Challenge,
    Color,
    Drew,
    Overrule,
    Pass,
    Play,
    Recycled,
    Shown,
    Upcard,
    to_json,
)
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
few = settings(max_examples=25)


@few
@given(tables, seeds, st.booleans())
def test_cards_are_conserved(at: Any, seed: int, open_hands: bool) -> None:
    def look(observation: Observation, rulings: Rulings, referee: Referee) -> None:
        now = referee.position()
        assert sum(now["hands"]) + now["draw_pile"] + now["discard_pile"] == 108
        assert min(*now["hands"], now["draw_pile"], now["discard_pile"]) >= 0
        seen = Counter(face for faces in now["known"].values() for face in faces) + Counter(
            [now["top"]] if now["top"] else []
        )
        assert all(n <= DECK[face] for face, n in seen.items() if n)
        assert all(len(faces) <= now["hands"][int(seat)] for seat, faces in now["known"].items())

    Watched(at, seed, look, open_hands=open_hands).play(2)


@few
@given(tables, seeds, st.booleans())
def test_legal_play_is_never_objected_to(at: Any, seed: int, open_hands: bool) -> None:
    for observation, rulings in Watched(at, seed, open_hands=open_hands).play(2):
        objections = [r for r in rulings if r.name in ("illegal", "mismatch", "cannot_tell", "warn")]
        assert not objections, (observation, objections)


@few
@given(tables, seeds)
def test_replay_equals_live_also_through_the_log_on_disk(at: Any, seed: int) -> None:
    log = Watched(at, seed).play(1)
    assert list(replay(at, [observation for observation, _ in log])) == [rulings for _, rulings in log]
    lines = [json.dumps(at.to_json()), *(json.dumps(to_json(observation)) for observation, _ in log)]
    told = [step for step in replay_lines([line.encode() for line in lines], "log") if isinstance(step, Step)]
    assert [(step.observation, step.rulings) for step in told] == log


@few
@given(tables, seeds, st.data())
def test_undo_restores_the_position_and_what_follows(at: Any, seed: int, data: st.DataObject) -> None:
    observations = [observation for observation, _ in Watched(at, seed).play(2)]
    referee = Referee(at)
    positions, rulings = [referee.position()], []
    for observation in observations:
        rulings.append(referee.observe(observation))
        positions.append(referee.position())
    t = observations[-1].t
    n = data.draw(st.integers(1, len(observations)))
    back = len(observations) - n
    referee.observe(Overrule(t, undo=n))
    assert referee.position() == positions[back]
    assert [referee.observe(_at(observation, t)) for observation in observations[back:]] == rulings[back:]
    assert referee.position() == positions[-1]


def _at(observation: Observation, t: float) -> Observation:
    """The same report, some time later; the order stays."""
    return replace(observation, t=t + observation.t)


@few
@given(tables, seeds, st.data())
def test_a_position_read_back_is_the_same(at: Any, seed: int, data: st.DataObject) -> None:
    log = Watched(at, seed).play(1)
    referee = Referee(at)
    for observation, _ in log[: data.draw(st.integers(0, len(log)))]:
        referee.observe(observation)
    now = json.loads(json.dumps(referee.position()))
    assert Referee(parse_header(at.to_json() | {"given": now})).position() == now


@few
@given(tables, seeds)
def test_some_continuation_is_always_legal(at: Any, seed: int) -> None:
    def look(observation: Observation, rulings: Rulings, referee: Referee) -> None:
        now = referee.position()
        if now["phase"] in ("round_over", "game_over", "deal"):
            return
        t, seat = observation.t, now["turn"]
        following = (seat + (1 if now["direction"] == "left" else -1)) % len(now["hands"]) if seat is not None else None
        probes: dict[str, list[Observation]] = {
            "upcard": [Upcard(t, face) for face in sorted(referee.expected_faces())],
            "turn": [
                *(Play(t, face, seat) for face in sorted(referee.expected_faces())),
                Drew(t, seat or 0, 1),
                Recycled(t),
                Pass(t, seat or 0),
            ],
            "drawn": [Pass(t, seat or 0)],
            "color": [Color(t, "red", seat)],
            "challenge": [Challenge(t, following or 0), Shown(t, seat or 0, ("red-0",) * now["hands"][seat or 0])],
        }
        position = {key: value for key, value in now.items() if value is not None}
        given = parse_header(at.to_json() | {"given": position})
        objections = ("illegal", "void", "mismatch")
        assert any(
            not any(ruling.name in objections for ruling in Referee(given).observe(probe))
            for probe in probes[now["phase"]]
        )

    Watched(at, seed, look).play(1)


@few
@given(seeds)
def test_what_is_expected_is_what_may_be_laid(seed: int) -> None:
    def look(observation: Observation, rulings: Rulings, referee: Referee) -> None:
        now = referee.position()
        if now["phase"] != "turn" or seed % 7 != observation.t % 7:
            return
        expected = referee.expected_faces()
        for face in (*sorted(expected)[:3], *sorted(DECK.keys() - expected)[:3]):
            probe = Referee(parse_header(header(4).to_json() | {"given": now}))
            ruled = probe.observe(Play(observation.t, face, now["turn"]))
            assert (face in expected) == all(ruling.name not in ("illegal", "mismatch") for ruling in ruled)

    Watched(header(4), seed, look, open_hands=True).play(1)


@settings(max_examples=10)
@given(seeds)
def test_every_ruling_and_observation_can_be_explained(seed: int) -> None:
    at = header(4, teams=((0, 2), (1, 3)), options={"target": 200})
    explainer = Explainer(at)
    for observation, rulings in Watched(at, seed).play(3):
        assert explainer.seen(observation, 0)
        assert all(explainer.said(ruling).text and explainer.said(ruling).source for ruling in rulings)


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


@settings(max_examples=300)
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


@settings(max_examples=200)
@given(JSON | st.dictionaries(HEADS, JSON))
def test_a_header_of_garbage_raises_bad_log_and_nothing_else(line: Any) -> None:
    whole = {"log": "croupier/1", "ruleset": "g7942-en", "seats": ["Ann", "Ben"], "dealer": 0}
    assert "\n" not in fault(lambda: Referee(parse_header(line)))
    if isinstance(line, dict):
        assert "\n" not in fault(lambda: Referee(parse_header(whole | line)))


@settings(max_examples=200)
@given(st.lists(st.binary(max_size=60), max_size=4))
def test_bytes_of_any_kind_raise_bad_log_and_nothing_else(lines: list[bytes]) -> None:
    whole = json.dumps(header(2).to_json()).encode()
    assert fault(lambda: list(replay_lines(lines, "log"))).startswith("log, line ")
    assert re.match(r"$|log, line \d+: ", fault(lambda: list(replay_lines([whole, *lines], "log"))))


def test_the_text_form_of_every_observation_comes_back() -> None:
    for observation, _ in Watched(header(4), 3, open_hands=True).play(8):
        assert parse_observation(json.dumps(to_json(observation)), 4) == observation
