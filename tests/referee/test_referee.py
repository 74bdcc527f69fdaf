"""What the program around the referee relies on: corrections, memory, expected faces, the log on disk."""

from __future__ import annotations

import gc
import json
import tracemalloc
from dataclasses import replace

import pytest

from croupier.errors import BadLog
from croupier_rules.referee import UNDO_REACH, Referee, parse_header, parse_observation
from croupier_rules.referee.corrections import Was, to_observations
from croupier_rules.referee.observations import Clock, Drew, Fault, Overrule, Play, Resumed, Tick, Uno, Upcard
from croupier_rules.rules import load, names
from tests.longer import some
from tests.referee.games import Watched, header
from tests.referee.random_games import RandomGame

GIVEN = {"top": "red-7", "turn": 0}


def test_everything_within_reach_can_be_taken_back_and_nothing_beyond() -> None:
    referee = Referee(header(given=GIVEN))
    referee.observe(Play(0.0, "red-1"))
    for t in range(1, 3 * UNDO_REACH):
        referee.observe(Tick(float(t)))
    now = referee.position()
    with pytest.raises(BadLog, match=r"overrule: undo 3071: expected at most \d+, no more can be taken back"):
        referee.observe(Overrule(99999.0, undo=3071))
    assert referee.position() == now
    referee.observe(Overrule(99999.0, undo=UNDO_REACH))
    assert referee.position() == now


def test_corrections_take_away_nothing_from_what_can_be_taken_back() -> None:
    referee = Referee(header(given=GIVEN))
    referee.observe(Play(0.0, "red-1"))
    referee.observe(Overrule(0.0, set={"direction": "right"}))
    then = referee.position()
    for t in range(1, UNDO_REACH + 1):
        referee.observe(Tick(float(t)))
        referee.observe(Overrule(float(t), set={"direction": ("left", "right")[t % 2]}))
        referee.observe(Overrule(float(t), set={"scores": [t, 0, 0, 0]}))
    referee.observe(Overrule(99999.0, undo=UNDO_REACH))
    assert referee.position() == then


@pytest.mark.long
@pytest.mark.parametrize("corrected", some([2, 0, 1, UNDO_REACH // 2], 4))
@pytest.mark.parametrize("kind", some([Play, Tick, None], 3))
def test_a_long_log_takes_no_more_memory_than_a_short_one(kind: type[Tick | Play] | None, corrected: int) -> None:
    """Nor one that is full of corrections, nor one of nothing but refused plays, nor one of corrections alone."""
    referee = Referee(header(given=GIVEN))

    def kept() -> int:
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    def grown(observations: int, t: float) -> int:
        before = kept()
        for i in range(observations):
            if kind is not None:
                referee.observe(Tick(t + i) if kind is Tick else Play(t + i, "blue-1", 0))
            if corrected and i % corrected == corrected - 1:
                referee.observe(Overrule(t + i, set={"called": []}))
        return kept() - before

    tracemalloc.start()
    try:
        grown(2 * UNDO_REACH, 0.0)
        assert grown(2 * UNDO_REACH, 50_000.0) < 100_000  # what is kept for undo alone takes megabytes
    finally:
        tracemalloc.stop()


def test_time_that_goes_back_changes_nothing() -> None:
    referee = Referee(header(given=GIVEN))
    referee.observe(Tick(5.0))
    now = referee.position()
    for t in (4.9, float("nan")):
        with pytest.raises(BadLog, match=r"goes back|t nan: expected"):
            referee.observe(Play(t, "red-1"))
    assert referee.position() == now


@pytest.mark.parametrize("ruleset", names())
def test_to_draw_no_card_is_no_draw(ruleset: str) -> None:
    of_sheet = load(ruleset)
    referee = Referee(replace(header(given={**GIVEN, "top": min(of_sheet.cards)}), ruleset=of_sheet))
    now = referee.position()
    assert referee.observe(Drew(1.0, 0, 0)) == ()
    assert referee.position() == now


def test_what_is_refused_with_no_card_left_is_refused_as_well_when_an_undo_goes_through_it_again() -> None:
    referee = Referee(header(2, given={"top": "red-7", "turn": 0, "hands": [2, 5]}))
    referee.observe(Play(1.0, "red-skip"))
    assert [ruling.name for ruling in referee.observe(Uno(2.0, 1))] == ["caught", "draw"]
    referee.observe(Play(3.0, "red-reverse"))
    assert [ruling.to_json()["why"] for ruling in referee.observe(Play(4.0, "red-5"))] == ["not-in-hand"]
    live = referee.position()
    referee.observe(Tick(5.0))
    referee.observe(Overrule(6.0, undo=1))
    assert referee.position() == live
    referee.observe(Overrule(7.0, set={"called": [1]}))  # a position that can be


def test_undo_takes_back_a_fault_too() -> None:
    referee = Referee(header(given=GIVEN))
    referee.observe(Fault(1.0, "shoe", "jam"))
    assert referee.observe(Play(2.0, "red-1", 0))[0].to_json()["why"] == "wrong-phase"
    referee.observe(Overrule(3.0, undo=2))
    assert referee.position()["phase"] == "turn"
    referee.observe(Resumed(4.0))
    assert referee.observe(Play(5.0, "red-1", 0))[0].name == "turn"


@pytest.mark.parametrize(
    ("given", "reported", "some", "never"),
    [
        pytest.param({}, [], ["red-1", "blue-7", "wild"], ["blue-1", "wild-shuffle"], id="what-fits"),
        pytest.param({"top": "red-0"}, [], ["red-1"], ["red-0"], id="what-the-deck-holds"),
        pytest.param({"hands": [1, 7, 7, 7], "known": {"0": ["red-2"]}}, [], ["red-2"], ["red-3"], id="a-known-hand"),
        pytest.param({}, [Drew(1.0, 0, 1, ("red-9",))], ["red-9"], ["red-8"], id="the-card-drawn"),
        pytest.param({}, [Drew(1.0, 0, 1)], ["red-9", "red-8"], ["blue-8"], id="a-card-drawn-unseen"),
        pytest.param({}, [Play(1.0, "wild")], [], ["red-1"], id="none-while-a-color-is-awaited"),
        pytest.param({}, [Fault(1.0, "shoe", "jam")], [], ["red-1"], id="none-in-a-pause"),
        pytest.param({"phase": "upcard", "top": None}, [], ["red-1", "wild-draw4"], ["wild-house"], id="a-first-card"),
    ],
)
def test_expected_faces(given: dict[str, object], reported: list[Play], some: list[str], never: list[str]) -> None:
    referee = Referee(header(given=GIVEN | given))
    for observation in reported:
        referee.observe(observation)
    expected = referee.expected_faces()
    assert expected >= set(some)
    assert expected.isdisjoint(never)
    assert bool(expected) == bool(some)


def test_what_the_referee_says_is_json() -> None:
    for _, rulings in Watched(header(), seed=11).play(3):
        for ruling in rulings:
            assert json.loads(json.dumps(ruling.to_json())) == ruling.to_json()


def test_an_up_card_that_nobody_dealt_for_begins_the_round() -> None:
    referee = Referee(header(3))
    assert [ruling.name for ruling in referee.observe(Upcard(1.0, "red-7"))] == ["color", "turn"]
    assert referee.position()["hands"] == [7, 7, 7]


@pytest.mark.parametrize("ruleset", some(["g7942-en", "official-el", "house-rules-pl"], 3))
def test_a_position_given_back_while_paused_leads_where_it_came_from(ruleset: str) -> None:
    phases = set()
    for seed in range(12):
        game = RandomGame(ruleset, seed)
        seats = len(game.header["seats"])
        referee = Referee(parse_header(game.header))
        for line, _ in game.play(1):
            referee.observe(parse_observation(line, seats))
            paused = referee.fork()
            paused.observe(Fault(1e6, device="shoe", kind="jam"))
            given = json.loads(json.dumps(paused.position()))
            again = Referee(parse_header(game.header | {"given": given}))
            assert again.position() == given
            again.observe(Resumed(2e6))
            paused.observe(Resumed(2e6))
            assert again.position() == paused.position()
            phases.add(again.position()["phase"])
    assert {"turn", "drawn", "color", "challenge", "round_over" if ruleset == "g7942-en" else "game_over"} <= phases


def test_repeated_observations_keep_their_clock_and_their_order() -> None:
    """A correction squeezes what it repeats into a moment: intervals and both uncertainties shrink alike."""
    played, late, press = Play(1.0, "red-7", 0), Uno(2.0, 0, u=0.4), Uno(2.5, 1, u=0.4)
    late, press = (replace(one, clock=Clock("pico", 0.01)) for one in (late, press))
    referee = Referee(parse_header({"log": "croupier/1", "ruleset": "g7942-en", "seats": ["Ann", "Ben"], "dealer": 1}))
    for one in (played, late, press):
        referee.observe(one)
    _, again, *rest = to_observations(Was(played, replace(played, card="red-8")), referee, t=9.0)
    assert again == Play(9.0, "red-8", 0)
    assert [one.clock and one.clock.name for one in rest] == ["pico", "pico"]
    assert not rest[0].is_tied_with(rest[1])
    assert replace(rest[0], clock=None).is_tied_with(rest[1])
