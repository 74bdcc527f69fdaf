"""The end of a round, also of one that was not over after all."""

from __future__ import annotations

import pytest

from croupier.devices.protocols import Ask
from croupier.log_replay import Record
from croupier.runtime.planner import RoundEnd
from croupier_rules.referee import Header, Options, Referee
from croupier_rules.referee.corrections import ChangePlayers, Correction, SetTo, Was, to_observations
from croupier_rules.referee.fields import PositionFields
from croupier_rules.referee.observations import Fault, Observation, Play, Resumed, Shown
from croupier_rules.rules import load

GIVEN: PositionFields = {"phase": "turn", "turn": 0, "top": "red-7", "hands": [1, 2, 2]}
LAST = Play(1.0, "red-1")
OBJECTIONS = (
    pytest.param(Was(LAST, Play(1.0, "red-1", 1)), id="another-laid-it"),
    pytest.param(SetTo({"phase": "turn", "turn": 1, "hands": {0: 1}}), id="still-a-card"),
)


class Round:
    """A round as the table follows it. ``asked``: whose hand was asked for last, since the record was set right."""

    def __init__(self, target: int | None, header: Header | None = None) -> None:
        seats, options = ("Ann", "Ben", "Cat"), Options(target=target)
        header = header or Header(ruleset=load("official-el"), seats=seats, dealer=2, given=GIVEN, options=options)
        self.referee = Referee(header)
        self.end = RoundEnd()
        self.asked: Ask | None = None

    def observe(self, *observations: Observation) -> None:
        for one in observations:
            rulings, position = self.referee.observe(one), self.referee.position()
            step = Record(0, one, rulings, position, to_show=self.referee.hands_to_show)
            self.asked = self.end.follow(step) or self.asked

    def set_right(self, correction: Correction, t: float) -> None:
        self.asked = None
        self.observe(*to_observations(correction, self.referee, t))


@pytest.mark.parametrize("objection", OBJECTIONS)
def test_when_who_went_out_still_holds_cards_play_goes_on_and_unknown_hands_are_asked_for_at_the_real_end(
    objection: Correction,
) -> None:
    table = Round(target=500)
    table.observe(LAST, Shown(2.0, 1, ("red-2", "red-3")))
    assert table.end.hand_due == 2
    table.set_right(objection, 3.0)
    assert table.end.hand_due is None
    hands = [["red-6"], ["red-2", "red-3"], ["red-4", "red-5"]]
    while (seat := table.referee.on_turn) is not None:
        table.observe(Play(4.0, hands[seat].pop()))
    assert [seat for seat, hand in enumerate(hands) if hand] == [1, 2], "of Ben's hand, the rest is known"
    assert table.asked == Ask("show-hand", seat=2)
    assert table.end.hands_due == table.referee.hands_to_show == (2,)


@pytest.mark.parametrize("objection", OBJECTIONS)
def test_a_game_that_was_not_won_after_all_is_not_over(objection: Correction) -> None:
    table = Round(target=None)
    table.observe(LAST)
    assert table.end.is_game_over
    table.set_right(objection, 3.0)
    assert not table.end.is_game_over
    assert not table.end.is_scored


def test_a_round_whose_points_people_set_is_over() -> None:
    table = Round(target=500)
    table.observe(LAST)
    table.set_right(SetTo({"scores": {0: 25}}), 2.0)
    assert table.end.is_scored
    assert table.end.hand_due is None


def test_a_round_whose_points_people_set_during_a_pause_is_over() -> None:
    table = Round(target=500)
    table.observe(LAST, Fault(1.5, device="panel", kind="pause"))
    table.set_right(SetTo({"scores": {0: 25}}), 2.0)
    table.observe(Resumed(3.0))
    assert table.end.is_scored
    assert table.end.hand_due is None


def test_a_new_player_after_a_round_counts_no_hands() -> None:
    table = Round(target=500)
    table.set_right(SetTo({"scores": {2: 40}}), 0.2)
    table.set_right(ChangePlayers("leave", 2), 0.5)
    table.observe(LAST)
    table.set_right(ChangePlayers("join", 2, name="Dan"), 2.0)
    assert not table.end.is_scored
    assert table.end.hand_due == 1


def test_scores_that_are_set_during_a_round_do_not_end_it() -> None:
    table = Round(target=500)
    table.set_right(SetTo({"scores": {0: 25}}), 0.5)
    table.observe(LAST)
    assert table.asked == Ask("show-hand", seat=1)


@pytest.mark.parametrize(
    ("counted", "scorer"),
    [
        pytest.param({0: 1}, None, id="nobody-went-out"),
        pytest.param({0: 1, 1: 0}, 1, id="another-went-out"),
    ],
)
def test_who_still_holds_a_card_by_the_count_of_people_gets_no_points(
    counted: dict[int, int], scorer: int | None
) -> None:
    table = Round(target=500)
    table.observe(LAST)
    table.set_right(SetTo({"hands": counted}), 2.0)
    for seat, n in enumerate(table.referee.state().hands):
        if n:
            table.observe(Shown(3.0 + seat, seat, ("red-2", "red-3")[:n]))
    assert [seat for seat, points in enumerate(table.referee.state().scores) if points] == (
        [] if scorer is None else [scorer]
    )


def test_the_hand_of_a_partner_who_won_is_not_asked_for() -> None:
    given = GIVEN | {"hands": [1, 2, 2, 2], "scores": [0, 0]}
    seats, teams = ("Ann", "Ben", "Cat", "Dan"), ((0, 2), (1, 3))
    header = Header(
        ruleset=load("official-el"), seats=seats, dealer=3, given=given, teams=teams, options=Options(target=500)
    )
    table = Round(target=500, header=header)
    table.observe(LAST)
    assert table.end.hands_due == table.referee.hands_to_show == (1, 3)
