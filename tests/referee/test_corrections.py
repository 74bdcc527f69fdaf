"""What people correct in the record: the right thing in its place, the rest as it was."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from croupier.errors import CannotCorrect
from croupier_rules.referee import Observation, Referee
from croupier_rules.referee.corrections import (
    Correction,
    Report,
    SetTo,
    TopIs,
    Undo,
    Was,
    may_be_undone,
    renamed_card,
    to_observations,
    unread,
)
from croupier_rules.referee.fields import PositionFields
from croupier_rules.referee.observations import Dealt, Drew, Fault, Hint, Overrule, Pass, Play, Shown, Uno, Upcard
from tests.longer import examples
from tests.referee.games import Watched, header, on_the_table, untimed


def game(seed: int, *, length: int = 90) -> Referee:
    """A random game up to some place."""
    referee = Referee(header())
    for observation, _ in Watched(header(), seed).play()[:length]:
        referee.observe(observation)
    return referee


def corrected(referee: Referee, correction: Correction, t: float = 1e6) -> tuple[Observation, ...]:
    """Let the referee take it in."""
    lines = to_observations(correction, referee, t)
    for line in lines:
        referee.observe(line)
    return lines


@settings(max_examples=examples(20))
@given(seed=st.integers(0, 200), back=st.integers(1, 60))
def test_what_is_repeated_as_it_was_leads_where_the_table_stood(seed: int, back: int) -> None:
    referee = game(seed)
    before = referee.position()
    old = referee.standing()[-min(back, len(referee.standing()))]
    # Another uncertainty that changes nothing, or the record has it so already.
    lines = corrected(referee, Was(old, replace(old, u=old.u + 1e-6)))
    assert untimed(referee.position()) == untimed(before)
    assert lines[0] == Overrule(1e6, undo=sum(not isinstance(one, Overrule) for one in lines))
    assert [one.t for one in lines] == sorted(one.t for one in lines)


def test_presses_too_close_to_be_distinguished_still_are_and_others_are_not() -> None:
    def said(apart: float) -> PositionFields:
        referee = Referee(header(given={"turn": 0, "top": "red-7", "hands": [2, 5, 5, 5], "called": []}))
        for one in (Play(10.0, card="red-1"), Uno(20.0, 2, u=0.01), Uno(20.0 + apart, 0, u=0.01)):
            referee.observe(one)
        first = referee.position()
        corrected(referee, Was(Play(10.0, card="red-1"), Play(10.0, card="red-2")))
        assert on_the_table(referee.position()) == on_the_table(first) | {"top": "red-2"}
        return first

    assert said(0.005) != said(0.5)


def test_a_card_earlier_in_the_round_is_corrected_and_the_rest_repeated() -> None:
    referee = Referee(header(given={"turn": 0, "top": "red-7"}))
    skip = Play(1.0, card="red-skip")
    for one in (skip, Play(2.0, card="red-1"), Play(3.0, card="red-2")):
        referee.observe(one)
    assert referee.position()["turn"] == 0
    corrected(referee, Was(skip, replace(skip, card="red-9")))
    assert referee.position()["turn"] == 3
    assert [type(one) for one in referee.standing()] == [Play] * 3


def test_what_did_not_happen_is_taken_out() -> None:
    referee = Referee(header(given={"turn": 0, "top": "red-7"}))
    before = referee.position()
    for one in (Play(1.0, card="red-1"), Uno(2.0, 3)):
        referee.observe(one)
    corrected(referee, Was(Play(1.0, card="red-1"), None))
    assert referee.position() == before
    assert [type(one) for one in referee.standing()] == [Uno]


def test_what_was_set_right_between_stays_so() -> None:
    referee = Referee(header(given={"turn": 0, "top": "red-7"}))
    first = Play(1.0, card="red-1")
    referee.observe(first)
    corrected(referee, SetTo({"scores": [10, 0, 0, 0]}), 2.0)
    corrected(referee, SetTo({"direction": "right"}), 2.0)
    referee.observe(Play(3.0, card="red-2"))
    corrected(referee, Was(first, replace(first, card="red-3")))
    position = referee.position()
    assert (position["scores"], position["direction"], position["top"]) == ([10, 0, 0, 0], "right", "red-2")


@pytest.mark.parametrize(
    "fields",
    [
        [{"color": "blue"}, {"top": "green-9"}],
        [{"top": "wild", "color": "red"}, {"top": "blue-3"}],
        [{"top": "green-9"}, {"top": "wild"}],
        [{"top": "wild", "color": "yellow"}, {"scores": [5, 0, 0, 0]}, {"color": "green"}],
        [{"top": "wild", "color": None}, {"scores": [5, 0, 0, 0]}],
    ],
)  # fmt: skip
def test_what_was_set_right_twice_stays_as_it_was_set_last(fields: list[dict[str, Any]]) -> None:
    referee = Referee(header(given={"turn": 0, "top": "red-7"}))
    first = Play(1.0, card="red-1")
    referee.observe(first)
    for one in fields:
        corrected(referee, SetTo(one), 2.0)
    before = referee.position()
    corrected(referee, Was(first, replace(first, card="red-3")))
    assert referee.position() == before


def test_the_cards_of_one_hand_are_counted_and_the_others_stay() -> None:
    referee = Referee(header(given={"turn": 0, "top": "red-7"}))
    referee.observe(Play(1.0, card="red-1"))
    before = referee.position()
    corrected(referee, SetTo({"hands": {2: 9}, "scores": {3: 20}}))
    assert referee.position() == before | {
        "hands": [6, 7, 9, 7], "draw_pile": before["draw_pile"] - 2, "scores": [0, 0, 0, 20],
    }  # fmt: skip


def test_the_top_card_is_named_and_what_it_is_already_is_nothing_new() -> None:
    referee = Referee(header(given={"turn": 0, "top": "red-7"}))
    referee.observe(Play(1.0, card="?"))
    corrected(referee, TopIs("red-4"))
    assert referee.position()["top"] == "red-4"
    assert to_observations(TopIs("red-4"), referee, 1e6) == ()
    assert to_observations(TopIs("red-4"), Referee(header()), 1e6) == ()


def test_what_nobody_saw_is_reported() -> None:
    referee = Referee(header(given={"turn": 0, "top": "red-7"}))
    assert corrected(referee, Report(Hint(0.0, 2))) == (Hint(1e6, 2),)


@pytest.mark.parametrize(
    ("observation", "may"),
    [
        (Uno(1.0, 0), True), (Pass(1.0, 0), True), (Hint(1.0, 0), True), (Play(1.0, card="red-1"), False),
        (Drew(1.0, 0, 1), False), (Upcard(1.0, "red-1"), False), (Dealt(1.0, 0, 7), False), (Shown(1.0, 0, ()), False),
        (Fault(1.0, "shoe", "jam"), False), (Overrule(1.0, set={}), False),
    ],
)  # fmt: skip
def test_nothing_that_showed_a_card_is_undone(observation: Observation, may: bool) -> None:
    assert may_be_undone(observation) is may
    referee = Referee(header())
    referee.observe(observation)
    if may:
        assert to_observations(Undo(observation), referee, 2.0) == (Overrule(2.0, undo=1),)
    else:
        with pytest.raises(CannotCorrect, match="corrected instead"):
            to_observations(Undo(observation), referee, 2.0)


def test_what_is_not_last_any_more_is_not_undone_and_what_is_gone_not_corrected() -> None:
    referee, called = Referee(header()), Uno(1.0, 0)
    for one in (called, Pass(2.0, 0)):
        referee.observe(one)
    with pytest.raises(CannotCorrect, match="Something else happened meanwhile"):
        to_observations(Undo(called), referee, 3.0)
    with pytest.raises(CannotCorrect, match="no longer in the record"):
        to_observations(Was(Play(1.0, card="red-1"), None), referee, 3.0)


@pytest.mark.parametrize(
    ("observation", "places"),
    [
        (Play(1.0, card="?"), (0,)),
        (Shown(1.0, 0, ("red-1", "?", "?")), (1, 2)),
        (Uno(1.0, 0), ()),
        (Drew(1.0, 0, 2), ()),
    ],
)  # fmt: skip
def test_cards_that_could_not_be_read_are_found(observation: Observation, places: tuple[int, ...]) -> None:
    assert unread(observation) == places


@pytest.mark.parametrize(
    ("correction", "named"),
    [
        pytest.param(TopIs("blue-2"), (Play(3.0, card="red-2"), "blue-2"), id="the-top-card"),
        pytest.param(TopIs("red-2"), None, id="as-it-was"),
        pytest.param(TopIs("blue-2", is_read=True), None, id="by-the-camera"),
        pytest.param(
            Was(Play(2.0, card="red-1"), Play(2.0, card="red-9")),
            (Play(2.0, card="red-1"), "red-9"),
            id="an-earlier-card",
        ),
        pytest.param(Was(Play(2.0, card="red-1"), Play(2.0, card="red-9"), is_read=True), None, id="by-its-pictures"),
        pytest.param(Was(Play(2.0, card="red-1"), Play(2.0, card="red-1", seat=1)), None, id="another-player"),
        pytest.param(Was(Play(2.0, card="red-1"), Play(2.0, card="?")), None, id="unknown"),
        pytest.param(Was(Play(2.0, card="red-1"), None), None, id="it-was-none"),
        pytest.param(Undo(), None, id="undone"),
    ],
)
def test_which_card_of_the_pile_a_person_names(correction: Correction, named: tuple[Play, str] | None) -> None:
    assert renamed_card(correction, (Play(2.0, card="red-1"), Play(3.0, card="red-2"), Uno(4.0, 1))) == named
