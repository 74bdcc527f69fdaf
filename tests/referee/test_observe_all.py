"""Observations check their own fields; several that belong together are observed all, or none."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from croupier.errors import BadLog
from croupier_rules.cards import KIND
from croupier_rules.referee import Observation, Referee, parse_header, parse_observation
from croupier_rules.referee.observations import (
    OBSERVATIONS,
    Color,
    Dealt,
    Drew,
    HouseRule,
    Overrule,
    Pass,
    Play,
    PlayerChange,
    Shown,
    Swap,
    Tick,
    to_json,
)
from croupier_rules.referee.position import Position
from croupier_rules.rules import names
from tests.longer import examples, some
from tests.referee.random_games import RandomGame


@pytest.mark.parametrize(
    ("cls", "fields", "said"),
    [
        pytest.param(Play, (1.0, "red-99"), "play: card: unknown card 'red-99': expected a card", id="card"),
        pytest.param(Play, (1.0, "red-7", -1), "play: seat -1: expected a whole number, 0 or more", id="seat"),
        pytest.param(Tick, (float("nan"),), "tick: t nan: expected a number of seconds", id="no-time"),
        pytest.param(Tick, (float("inf"),), "tick: t inf: expected a number of seconds", id="endless-time"),
        pytest.param(Drew, (1.0, 0, -1), "drew: n -1: expected a whole number, 0 or more", id="number"),
        pytest.param(Drew, (1.0, 0, 1, ("red-1", "red-2")), "drew: 2 cards, but n is 1", id="more-cards-than-drawn"),
        pytest.param(Dealt, (1.0, 0, 2, ("red-1", "pink")), "dealt: cards: unknown card 'pink'", id="one-of-the-cards"),
        pytest.param(Shown, (1.0, 0, ("",)), "shown: cards: unknown card ''", id="shown"),
        pytest.param(Color, (1.0, "pink"), "color: color 'pink': expected one of red, ", id="color"),
        pytest.param(HouseRule, (1.0, 0, 12, "hop"), "house_rule: number 12: expected the number", id="house-number"),
        pytest.param(Overrule, (1.0,), "overrule: expected either undo or set", id="overrule-of-nothing"),
        pytest.param(Overrule, (1.0, 1, {}), "overrule: expected either undo or set", id="overrule-of-both"),
        pytest.param(Overrule, (1.0, 0), "overrule: undo 0: expected a whole number, 1", id="undo-nothing"),
    ],
)
def test_an_impossible_observation_cannot_be_built(cls: type[Observation], fields: tuple[Any, ...], said: str) -> None:
    with pytest.raises(BadLog) as refused:
        cls(*fields)
    assert said in str(refused.value)


@pytest.mark.parametrize("u", [-0.1, float("nan"), float("inf")])
def test_an_impossible_uncertainty_is_refused(u: float) -> None:
    with pytest.raises(BadLog, match="play: u "):
        Play(1.0, "red-7", u=u)
    with pytest.raises(BadLog, match="play: u "):
        replace(Play(1.0, "red-7"), u=u)


VALUES: dict[str, st.SearchStrategy[Any]] = {
    "t": st.floats() | st.just(1.0),
    "u": st.floats() | st.just(0.0),
    "seat": st.integers(-2, 12),
    "with_": st.integers(-2, 12),
    "n": st.integers(-2, 9),
    "card": st.sampled_from([*sorted(KIND), "back", "?", "", "red"]),
    "cards": st.lists(st.sampled_from(["red-7", "back", "?", "red"]), max_size=3).map(tuple),
    "color": st.sampled_from(["red", "blue", "", "pink"]),
    "number": st.integers(-1, 11),
    "text": st.text(max_size=3),
    "device": st.text(max_size=3),
    "kind": st.text(max_size=3),
    "undo": st.none() | st.integers(-1, 5),
    "set": st.none() | st.just({"color": "red"}),
    "player": st.none()
    | st.builds(
        PlayerChange,
        st.sampled_from(["leave", "join", "swap", ""]),
        st.integers(-1, 3),
        st.none() | st.integers(0, 3),
        st.none() | st.text(max_size=3),
    ),
}


@settings(max_examples=examples(500))
@given(st.data())
def test_what_can_be_built_can_be_read_again_from_the_log(data: st.DataObject) -> None:
    cls = OBSERVATIONS[data.draw(st.sampled_from(sorted(OBSERVATIONS)))]
    given = {name: data.draw(VALUES[name]) for name in cls.__match_args__ + ("u",)}
    try:
        observation = cls(**given)
    except BadLog:
        line = {k.rstrip("_"): list(v) if k == "cards" else v for k, v in given.items()}
        if isinstance(change := line.get("player"), PlayerChange):
            line["player"] = change.to_json()
        with pytest.raises(BadLog):
            parse_observation({"obs": cls.name} | line, 13)
    else:
        assert parse_observation(json.dumps(to_json(observation)), 13) == observation


def state(referee: Referee) -> Any:
    """All that a referee knows, with what it can take back."""
    return referee.position(), referee.standing(), referee._table.snapshot(), referee._t, referee.expected_faces()


REFUSED = [
    pytest.param(lambda t, _: Play(t - 1.0, "red-7"), id="time-goes-back"),
    pytest.param(lambda t, seats: Pass(t, seats), id="no-such-seat"),
    pytest.param(lambda t, seats: Swap(t, 0, seats), id="no-such-other-seat"),
    pytest.param(lambda t, _: Overrule(t, undo=100_000), id="undo-too-much"),
    pytest.param(lambda t, _: Overrule(t, set={"hands": [500]}), id="set-what-cannot-be"),
]


@pytest.mark.parametrize("ruleset", ["g7942-en", "official-el", "house-rules-pl"])
@pytest.mark.parametrize("wrong", some(REFUSED, 3))
@settings(max_examples=examples(8), deadline=None)
@given(seed=st.integers(0, 2**32), size=st.integers(0, 4), undo=st.integers(0, 3))
def test_a_refused_batch_leaves_the_referee_as_it_was(
    ruleset: str, wrong: Any, seed: int, size: int, undo: int
) -> None:
    assert ruleset in names()
    game = RandomGame(ruleset, seed)
    header = parse_header(game.header)
    referee, plain = Referee(header), Referee(header)
    seats, batch = len(header.seats), []
    for line, _ in game.play(1):
        batch.append(parse_observation(line, seats))
        if len(batch) <= size:
            continue
        before, t = state(referee), batch[-1].t
        undone = [Overrule(t, undo=undo)] if 0 < undo <= len(referee.standing()) else []
        with pytest.raises(BadLog):
            referee.observe_all([*undone, *(replace(one, t=t) for one in batch), wrong(t, seats)])
        assert state(referee) == before
        assert referee.state() == Position.from_json(referee.position(), header.seats)
        assert referee.observe_all(batch) == tuple(plain.observe(one) for one in batch)
        assert state(referee) == state(plain)
        batch.clear()
