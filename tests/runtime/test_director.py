"""Rulings and position in; what shoe, ring and page are to do out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any, cast

import pytest

from croupier.devices.protocols import Ask, Directive, Feed, Light
from croupier.log_replay import Record
from croupier.runtime.planner import Director, RoundEnd
from croupier_rules.referee.fields import PositionFields
from croupier_rules.referee.observations import (
    Color,
    Drew,
    Fault,
    Observation,
    Overrule,
    Play,
    Redealt,
    Resumed,
    Shown,
    Swap,
    Uno,
)
from croupier_rules.referee.position import Position
from croupier_rules.referee.rulings import (
    CannotTell,
    ChallengeOutcome,
    ChooseColor,
    ChooseSeat,
    DiscardAll,
    Eliminated,
    GameOver,
    HandsMoved,
    HouseRuleIs,
    Illegal,
    MayChallenge,
    MayStack,
    Mismatch,
    Recycle,
    Redeal,
    ReturnCard,
    RoundOver,
    Ruling,
    Score,
    ShowHand,
    Skip,
    Turn,
    TurnUp,
)
from croupier_rules.rules import UNWRITTEN as BASIS
from croupier_rules.rules import Basis, load

RULESET = load("g7942-en")


def position(phase: str = "turn", **fields: Any) -> Position:
    usual: dict[str, Any] = {
        "phase": phase, "dealer": 3, "turn": 0, "top": "red-7", "color": "red", "hands": (7, 7, 7, 7),
        "draw_pile": 79, "discard_pile": 1, "owed": {}, "scores": (0, 0, 0, 0),
    }  # fmt: skip
    return Position(**(usual | fields))


def direct(director: Director, at: Position, *rulings: Ruling) -> list[Directive]:
    return list(director.direct(rulings, at))


def feeds(directives: Any) -> list[tuple[int, int]]:
    return [(one.seat, one.n) for one in directives if isinstance(one, Feed)]


@pytest.mark.parametrize(
    ("ruling", "asked"),
    [
        pytest.param(Turn(BASIS, 0, "left"), [Ask("turn", seat=0, card="red-7")], id="turn"),
        pytest.param(Turn(BASIS, 2, "left"), [], id="turn-that-a-correction-passed-on"),
        pytest.param(ChooseColor(BASIS, 1), [Ask("name-color", seat=1, card="red-7")], id="choose-color"),
        pytest.param(MayChallenge(BASIS, (1,)), [Ask("answer", seat=1, card="red-7", seats=(1,))], id="may-challenge"),
        pytest.param(MayChallenge(BASIS, (2, 1, 3)), [Ask("answer", seat=1, card="red-7", seats=(2, 1, 3))],
                     id="any-may-challenge"),
        pytest.param(MayChallenge(BASIS, (2, 3)), [Ask("answer", seat=2, card="red-7", seats=(2, 3))],
                     id="others-may-challenge"),
        pytest.param(ShowHand(BASIS, 0, 1), [Ask("show-hand", seat=0, seats=(1,))], id="show-hand"),
        pytest.param(Illegal(BASIS, 1, "no-match", "red-1"), [Ask("take-back", seat=1, card="red-1")], id="illegal"),
        pytest.param(Illegal(BASIS, 1, "wrong-phase"), [], id="illegal-press"),
        pytest.param(Illegal(BASIS, 0, "wrong-phase"), [Ask("turn", seat=0, card="red-7")], id="pass-without-a-draw"),
        pytest.param(Illegal(BASIS, 0, "must-play-drawn"), [Ask("play-drawn", seat=0)], id="must-play-drawn"),
        pytest.param(HouseRuleIs(BASIS, 7, "run", "Stand up."), [Ask("follow-rule", card="red-7", numbers=(7,))],
                     id="house-rule-runs"),
        pytest.param(HouseRuleIs(BASIS, 7, "added", "Stand up."), [], id="house-rule-made"),
        pytest.param(Recycle(BASIS), [Ask("recycle", seat=3)], id="recycle"),
        pytest.param(ReturnCard(BASIS, "wild", "deck"),
                     [Ask("return-card", seat=3, card="wild", to="deck"), Ask("turn-up", seat=3)], id="return-card"),
        pytest.param(GameOver(BASIS, seat=1), [Ask("done")], id="game-over"),
        pytest.param(Skip(BASIS, 1), [], id="skip-asks-nobody"),
        pytest.param(ChooseSeat(BASIS, 2), [Ask("choose-seat", seat=2, card="red-7")], id="choose-seat"),
        pytest.param(DiscardAll(BASIS, 2), [Ask("discard", seat=2, card="red-7")], id="discard-all"),
        pytest.param(TurnUp(BASIS, 2), [Ask("turn-up-cards", seat=2, card="red-7")], id="turn-up-cards"),
        pytest.param(Eliminated(Basis("hand.limit"), 2), [Ask("give-up-hand", seat=2)], id="too-many-cards"),
        pytest.param(Eliminated(Basis("score.limit"), 2), [], id="too-many-points"),
        pytest.param(MayStack(BASIS, 1, 6), [Ask("stack", seat=1, card="red-7", n=6)], id="may-stack"),
    ],
)  # fmt: skip
def test_each_ruling_asks_the_people_for_its_action(ruling: Ruling, asked: list[Ask]) -> None:
    director = Director(RULESET)
    director.direct((), position())
    assert direct(director, position(), ruling) == asked


def test_who_may_answer_a_draw_card_is_asked_once_and_told_who_may_challenge_it() -> None:
    director = Director(RULESET)
    at = position("stack", turn=1, top="wild-draw4", stack=4)
    asked = [
        one for one in direct(director, at, MayStack(BASIS, 1, 4), MayChallenge(BASIS, (1,))) if isinstance(one, Ask)
    ]
    assert asked == [Ask("stack", seat=1, card="wild-draw4", n=4, seats=(1,))]


@pytest.mark.parametrize(
    ("moved_by", "fields", "whose"),
    [
        pytest.param(Swap(1.0, 3, 1), {}, (0, 3, 2, 1), id="swap"),
        pytest.param(Play(1.0, "red-0"), {}, (3, 0, 1, 2), id="to-the-left"),
        pytest.param(Play(1.0, "red-0"), {"direction": "right"}, (1, 2, 3, 0), id="to-the-right"),
        pytest.param(Play(1.0, "red-0"), {"out": (1,)}, (3, 1, 0, 2), id="one-is-out"),
    ],
)
def test_people_are_told_whose_hand_each_gets(moved_by: Observation, fields: Any, whose: tuple[int, ...]) -> None:
    director, at = Director(RULESET), position(turn=2, **fields)
    moved = HandsMoved(BASIS, (7, 7, 7, 7))
    told = director.direct([moved], at, [moved_by])
    assert [one for one in told if isinstance(one, Ask)] == [Ask("move-hands", seat=2, card="red-7", seats=whose)]
    told_anew = director.direct([moved], at, [moved_by, Resumed(2.0)])
    assert not [one for one in told_anew if isinstance(one, Ask)], "a correction moves no hands again"


def test_of_two_cards_without_an_order_the_second_goes_back() -> None:
    director, second = Director(RULESET), Play(1.0, "red-1", 2)
    untold = CannotTell(BASIS, "play", (1, 2))
    assert Ask("take-back", seat=2, card="red-1") in director.direct([untold], position(), [second])
    others = [CannotTell(BASIS, "uno", (1, 2)), CannotTell(BASIS, "play", (2,))]
    assert not any(isinstance(one, Ask) for one in director.direct(others, position(), [second]))
    assert not any(isinstance(one, Ask) for one in director.direct([untold], position(), [Drew(1.0, seat=2, n=1)]))


def test_who_would_be_on_turn_is_not_asked_when_the_same_correction_ends_the_round() -> None:
    director = Director(RULESET)
    director.direct((), position())
    told = direct(director, position("round_over", turn=1), Turn(BASIS, 1, "left"), RoundOver(BASIS, 1))
    assert not any(isinstance(one, Ask) for one in told)


def test_the_opening_deal_follows_the_plan_of_the_shoe_and_what_is_given_up_is_planned_anew() -> None:
    def plan(lacking: Mapping[int, int]) -> list[tuple[int, int]]:
        return [(seat, part) for part in (4, 3) for seat in sorted(lacking) if lacking[seat] in (part, 7)]

    director = Director(RULESET, plan=plan)
    dealt = director.direct((), position("deal", hands=(0, 0, 0, 0)))
    assert feeds(dealt) == [(0, 4), (1, 4), (2, 4), (3, 4), (0, 3), (1, 3), (2, 3), (3, 3)]
    jobs = {(one.seat, one.n): one.job for one in dealt if isinstance(one, Feed)}
    director.done(jobs[1, 4])
    assert feeds(director.direct((), position("deal", hands=(0, 0, 0, 0)))) == [(1, 4)]


def test_the_opening_deal_feeds_every_hand_in_turn_the_dealer_last() -> None:
    director = Director(RULESET)
    assert feeds(director.direct((), position("deal", hands=(0, 0, 0, 0)))) == [(0, 7), (1, 7), (2, 7), (3, 7)]


def test_the_plan_of_the_shoe_orders_no_debts_and_no_deal_that_is_done() -> None:
    def plan(lacking: Mapping[int, int]) -> list[tuple[int, int]]:
        assert lacking, "there is nothing to plan"
        return sorted(lacking.items(), reverse=True)

    director = Director(RULESET, plan=plan)
    assert feeds(director.direct((), position("deal", hands=(7, 7, 7, 7)))) == []
    assert feeds(director.direct((), position(owed={1: 4, 2: 2}))) == [(1, 4), (2, 2)]


def test_the_seat_after_the_dealer_is_served_first() -> None:
    director = Director(RULESET)
    assert feeds(director.direct((), position("deal", dealer=0, hands=(0, 0, 0, 0)))) == [
        (1, 7),
        (2, 7),
        (3, 7),
        (0, 7),
    ]


def test_a_job_that_gave_up_is_ordered_again_for_what_is_missing() -> None:
    director = Director(RULESET)
    first = [one for one in director.direct((), position("deal", hands=(0, 0, 0, 0))) if isinstance(one, Feed)]
    director.done(first[0].job)
    assert feeds(director.direct((), position("deal", hands=(5, 0, 0, 0)))) == [(0, 2)]


def test_a_debt_is_fed_once_however_often_the_position_says_it() -> None:
    director = Director(RULESET)
    owing = position(owed={1: 4})
    assert feeds(director.direct((), owing)) == [(1, 4)]
    assert feeds(director.direct((), owing)) == []
    assert feeds(director.direct((), position(owed={1: 4, 2: 2}))) == [(2, 2)]


def test_no_job_number_is_used_twice() -> None:
    director = Director(RULESET)
    jobs = [one.job for owed in ({1: 2}, {1: 4}, {2: 2}) for one in director.direct((), position(owed=owed))
            if isinstance(one, Feed)]  # fmt: skip
    assert jobs == [1, 2, 3]
    later = Director(RULESET, first_job=8)
    assert later.serve(0, position()) == (Feed(8, 0, 1, is_wished=True),)
    later.done(99)  # a job of people who deal by hand
    assert later.direct((), position(owed={1: 2}))[-1] == Feed(9, 1, 2)
    assert feeds(later.serve(0, position())) == [], "the card that it asked for is on its way"


def test_what_is_owed_waits_until_there_are_cards_to_draw() -> None:
    director = Director(RULESET)
    assert feeds(director.direct((), position(owed={1: 4}, draw_pile=0))) == []
    assert feeds(director.direct((), position(owed={1: 4}, draw_pile=40))) == [(1, 4)]


def test_nothing_is_fed_while_play_is_paused_and_somebody_is_asked_to_help() -> None:
    director = Director(RULESET)
    director.direct((), position())
    jam = Fault(1.0, device="shoe", kind="jam")
    paused = director.direct((), position("paused", owed={1: 4}), [jam])
    assert paused == (Ask("clear-fault"), Light(0, "left", "red", "fault"))
    assert feeds(director.direct((), position(owed={1: 4}))) == [(1, 4)]


def test_nobody_is_asked_to_help_when_a_correction_tells_a_trouble_anew_that_is_over() -> None:
    director = Director(RULESET)
    director.direct((), position())
    told_anew = [Play(3.0, "red-7", 1), Fault(3.0, device="shoe", kind="jam"), Resumed(3.0)]
    assert director.direct((), position(), told_anew) == ()


@pytest.mark.parametrize(
    ("seat", "at", "fed"),
    [
        pytest.param(0, position(), [(0, 1)], id="on-turn"),
        pytest.param(1, position(), [], id="not-on-turn"),
        pytest.param(0, position("drawn"), [], id="has-drawn"),
        pytest.param(0, position("roulette"), [(0, 1)], id="roulette"),
        pytest.param(0, position("challenge"), [], id="another-phase"),
        pytest.param(0, position(owed={0: 2}), [], id="owes-cards"),
    ],
)
def test_a_wish_for_a_card_is_served_only_when_it_may(seat: int, at: Position, fed: list[tuple[int, int]]) -> None:
    assert feeds(Director(RULESET).serve(seat, at)) == fed


def test_where_one_draws_until_a_card_fits_who_has_drawn_may_draw_again() -> None:
    ruleset = load("g7942-en+turn.must_draw=until-it-fits")
    assert feeds(Director(ruleset).serve(0, position("drawn"))) == [(0, 1)]


@pytest.mark.parametrize(("drawn", "fed"), [(2, [(0, 1)]), (3, [])])
def test_no_more_cards_are_served_in_a_turn_than_the_table_draws(drawn: int, fed: list[tuple[int, int]]) -> None:
    ruleset = load("g7942-en+turn.must_draw=until-it-fits+draw.most=3")
    assert feeds(Director(ruleset).serve(0, replace(position("drawn"), turned_up=drawn))) == fed


def test_a_second_wish_while_the_card_is_on_its_way_feeds_nothing() -> None:
    director = Director(RULESET)
    assert feeds(director.serve(0, position())) == [(0, 1)]
    assert feeds(director.serve(0, position())) == []


def test_a_card_that_cannot_be_is_asked_about() -> None:
    director = Director(RULESET)
    director.direct((), position())
    rulings = (Mismatch(BASIS, "card", 2, 3),)
    assert Ask("which-card") in director.direct(rulings, position(), [Play(1.0, card="red-7")])
    assert Ask("which-card") not in director.direct(rulings, position(), [Shown(1.0, seat=0, cards=("red-7",))])


def test_cards_that_are_owed_no_longer_go_back() -> None:
    director = Director(RULESET)
    director.direct((), position())
    drew = Drew(1.0, seat=2, n=2)
    refused = director.direct((Illegal(BASIS, 2, "not-your-turn"),), position(), [drew])
    assert Ask("give-back", seat=2, n=2) in refused
    assert direct(director, position()) == []
    assert not [one for one in director.direct((), position(), [drew]) if isinstance(one, Ask)]


def test_the_ring_gets_what_changed_and_only_then() -> None:
    director = Director(RULESET)
    assert Light(0, "left", "red") in director.direct((), position())
    assert direct(director, position()) == []
    assert direct(director, position(turn=1, direction="right", color="blue")) == [Light(1, "right", "blue")]


def test_the_starter_card_is_asked_for_when_the_deal_is_done() -> None:
    director = Director(RULESET)
    director.direct((), position("deal", hands=(7, 7, 7, 6)))
    assert Ask("turn-up", seat=3) in direct(director, position("upcard", turn=None))
    assert direct(director, position("upcard", turn=None)) == []


def test_after_a_pause_nobody_is_asked_again_for_what_the_phase_asks() -> None:
    director = Director(RULESET)
    director.direct((), position("upcard", turn=None))
    for phase in ("paused", "upcard"):
        assert not [one for one in direct(director, position(phase, turn=None)) if isinstance(one, Ask)]


def fields_of(at: Position) -> PositionFields:
    """The position as the table log writes it."""
    fields: dict[str, Any] = {name: list(one) if isinstance(one, tuple) else one for name, one in asdict(at).items()}
    by_number = {name: {str(n): value for n, value in fields[name].items()} for name in ("owed", "house_rules")}
    return cast("PositionFields", fields | by_number)


def lived(*steps: tuple[Observation, Position, tuple[Ruling, ...]]) -> list[Record]:
    """The records of ``steps``; every hand with cards must be shown, until it was without a doubt."""
    records, shown = list[Record](), set[int]()
    for n, (one, at, rulings) in enumerate(steps, 1):
        if isinstance(one, Shown) and not any(isinstance(ruling, Mismatch | CannotTell) for ruling in rulings):
            shown.add(one.seat)
        to_show = tuple(seat for seat, held in enumerate(at.hands) if held and seat not in shown)
        records.append(Record(n, one, rulings, fields_of(at), to_show=to_show))
    return records


PLAYED, JAM = Play(1.0, "wild"), Fault(2.0, device="shoe", kind="jam")


def test_after_a_restart_the_open_question_is_asked_and_what_is_owed_is_ordered() -> None:
    director = Director(RULESET)
    paused = position("paused", top="wild", owed={2: 2})
    asked = director.replay("turn", lived(
        (Play(0.5, "red-7"), position(turn=1), (Turn(BASIS, 1, "left"),)),
        (PLAYED, position("color", turn=1, top="wild", owed={2: 2}), (ChooseColor(BASIS, 1),)),
        (JAM, paused, ()),
    ))  # fmt: skip
    assert asked == Ask("name-color", seat=1, card="wild")
    assert director.phase == "color"
    assert director.direct((), paused) == (Light(0, "left", "red", "fault"),)
    assert feeds(director.direct((), position("color", owed={2: 2}))) == [(2, 2)]


def test_after_a_restart_jobs_that_are_under_way_are_not_ordered_again() -> None:
    director = Director(RULESET)
    assert director.replay("turn", lived((JAM, position("paused"), ()))) is None
    director.recall([Feed(4, 1, 3), Feed(5, 2, 2)])
    assert feeds(director.direct((), position(owed={1: 4, 2: 2}))) == [(1, 1)]
    director.done(5)
    assert feeds(director.direct((), position(owed={1: 4, 2: 2}))) == [(2, 2)]


def test_after_a_restart_what_the_phase_asks_is_asked_again_and_was_not_asked_before_it_began() -> None:
    director = Director(RULESET)
    waiting = position("upcard", turn=None)
    assert director.replay("upcard", lived((JAM, position("paused", turn=None), ()))) is None
    assert director.replay("upcard", lived((Resumed(3.0), waiting, ()))) is None
    assert Ask("turn-up", seat=3) in direct(director, waiting)


@pytest.mark.parametrize(
    ("at", "shown", "seat"),
    [
        pytest.param(position("round_over", hands=(0, 3, 2, 4)), [], 1, id="first-hand"),
        pytest.param(position("round_over", hands=(0, 3, 2, 4)), [1], 2, id="next-hand"),
        pytest.param(position("round_over", hands=(0, 3, 2, 4)), [1, 2, 3], None, id="all-shown"),
        pytest.param(position("round_over", hands=(0, 3, 2, 4), owed={1: 2}), [], 2, id="who-owes-draws-first"),
        pytest.param(position(hands=(1, 3, 2, 4)), [], None, id="round-goes-on"),
    ],
)
def test_hands_are_laid_open_one_after_the_other(at: Position, shown: list[int], seat: int | None) -> None:
    end = RoundEnd()
    for step in lived(*((one, at, ()) for one in (Resumed(0.0), *(Shown(1.0, seat=one, cards=()) for one in shown)))):
        end.follow(step)
    assert end.hand_due == seat


def test_a_hand_is_due_in_a_challenge_until_its_outcome() -> None:
    end = RoundEnd()
    assert (end.hand_due, end.is_scored, end.is_game_over) == (None, False, False)
    at = position("challenge")
    show, outcome = lived((PLAYED, at, (ShowHand(BASIS, 3, 0),)), (PLAYED, at, (ChallengeOutcome(BASIS, 3, 0, True),)))
    assert end.follow(show) is None, "the director asks for it"
    assert end.hand_due == 3
    end.follow(outcome)
    assert end.hand_due is None


def test_a_hand_that_was_read_wrong_stays_due_and_is_asked_for_once() -> None:
    end, at = RoundEnd(), position("round_over", hands=(0, 3, 2, 0))
    hand = Shown(1.0, seat=1, cards=("red-7",))
    first, *wrong, right, last = lived(
        (PLAYED, at, ()), (hand, at, (Mismatch(BASIS, "hand", 3, 1),)), (hand, at, (CannotTell(BASIS, "hand", (1,)),)),
        (hand, at, ()), (Shown(2.0, seat=2, cards=()), at, ()),
    )  # fmt: skip
    assert end.follow(first) == Ask("show-hand", seat=1)
    assert [end.follow(one) for one in wrong] == [None, None]
    assert end.hand_due == 1
    assert end.follow(right) == Ask("show-hand", seat=2)
    assert end.follow(last) is None
    assert end.hand_due is None


def test_a_player_lays_the_hand_open_before_the_one_who_was_asked() -> None:
    end, at = RoundEnd(), position("round_over", hands=(0, 3, 2, 4))
    begin, shown, after = lived(
        (PLAYED, at, ()), (Shown(1.0, seat=3, cards=()), at, ()), (Shown(2.0, seat=2, cards=()), at, ())
    )
    assert end.follow(begin) == Ask("show-hand", seat=1)
    assert list(end.hands_due) == [1, 2, 3]
    assert end.announce(3) == Ask("show-hand", seat=3)
    assert list(end.hands_due) == [3, 1, 2]
    assert end.announce(3) is None
    assert end.announce(0) is None, "who has won has nothing to show"
    assert end.follow(shown) == Ask("show-hand", seat=1)
    assert end.follow(after) is None, "a hand that came before its turn changes nothing for who was asked"
    assert list(end.hands_due) == [1]


def test_a_round_is_over_when_it_is_scored_and_only_then() -> None:
    end, at = RoundEnd(), position("round_over", hands=(0, 3, 2, 4))
    (set_right, scored) = lived(
        (Overrule(1.0, set={"hands": {"1": 2}}), at, ()), (PLAYED, at, (Score(BASIS, 0, None, 20, 20),))
    )
    end.follow(set_right)
    assert not end.is_scored
    end.follow(scored)
    assert (end.is_scored, end.is_game_over, end.hand_due) == (True, False, None)


def test_the_next_deal_begins_with_full_hands_for_all() -> None:
    director = Director(RULESET)
    assert feeds(director.deal(position("round_over", hands=(0, 3, 2, 4)))) == [(0, 7), (1, 7), (2, 7), (3, 7)]


def test_who_is_out_of_the_game_gets_no_hand() -> None:
    dealt = Director(RULESET).direct((), position("deal", hands=(0, 0, 0, 0), out=(1,)))
    assert feeds(dealt) == [(0, 7), (2, 7), (3, 7)]


def test_where_nobody_deals_yet_the_dealer_is_chosen() -> None:
    director, at = Director(RULESET), position("pick", dealer=None, turn=None)
    assert direct(director, at)[0] == Ask("choose-dealer")
    assert direct(director, at) == []


class Redealing:
    """A table of `official-el` at which seat 2 lays Shuffle Hands; play goes to the right."""

    def __init__(self) -> None:
        self.director = Director(load("official-el"))
        self.direct(self.at("color", hands=(1, 4, 2, 2)))

    def at(self, phase: str = "redeal", **fields: Any) -> Position:
        usual: dict[str, Any] = {"turn": 2, "direction": "right", "top": "wild-shuffle", "hands": (2, 2, 3, 2)}
        return position(phase, **(usual | fields))

    def direct(self, at: Position, told: Observation | None = None) -> list[Directive]:
        rulings = [Redeal(BASIS, 2, (2, 2, 3, 2))] if isinstance(told, Color) else []
        return [one for one in self.director.direct(rulings, at, [told] if told else []) if isinstance(one, Ask | Feed)]


NAMED = Color(1.0, color="red", seat=2)


def test_shuffle_hands_collects_what_each_seat_held_and_redeals_in_the_direction_of_play_from_who_laid_it() -> None:
    table = Redealing()
    assert table.direct(table.at(), NAMED) == [Ask("collect-hands", seat=2, counts=(1, 4, 2, 2))]
    assert table.director.phase == "collect"
    assert table.direct(table.at()) == []
    assert feeds(table.director.redeal(table.at())) == [(2, 3), (1, 2), (0, 2), (3, 2)]
    assert table.director.phase == "redeal"


def test_after_a_pause_the_hands_that_are_collected_are_not_asked_for_again() -> None:
    table = Redealing()
    table.direct(table.at(), NAMED)
    assert table.direct(table.at("paused"), Fault(1.5, device="pico", kind="gone")) == [Ask("clear-fault")]
    assert table.direct(table.at()) == []
    assert table.director.phase == "collect"


def test_after_a_restart_the_hands_are_asked_for_again_until_they_are_in_the_shoe() -> None:
    table = Redealing()
    past = lived((PLAYED, table.at("color"), ()), (NAMED, table.at(), (Redeal(BASIS, 2, (2, 2, 3, 2)),)))
    director = Director(load("official-el"))
    assert director.replay("turn", past) == Ask("collect-hands", seat=2, counts=(2, 2, 3, 2))
    assert Ask("collect-hands", seat=2, counts=(2, 2, 3, 2)) in director.direct((), table.at())
    assert feeds(director.redeal(table.at())) == [(2, 3), (1, 2), (0, 2), (3, 2)]
    director = Director(load("official-el"))
    director.replay("turn", [*past, replace(past[1], observation=Redealt(2.0, seat=2, n=3), rulings=())])
    assert director.phase == "redeal"
    assert feeds(director.direct((), table.at())) == [(1, 2), (0, 2), (3, 2)]


def test_seat_0_that_laid_shuffle_hands_is_served_first() -> None:
    director = Director(load("official-el"))
    director.direct((), position("color"))
    at = position("redeal", hands=(2, 2, 3, 2))
    director.direct([Redeal(BASIS, 0, (2, 2, 3, 2))], at, [Color(1.0, color="red", seat=0)])
    assert feeds(director.redeal(at)) == [(0, 2), (1, 2), (2, 3), (3, 2)]


def test_a_redeal_that_gave_up_is_ordered_again_for_what_is_missing() -> None:
    table = Redealing()
    table.direct(table.at(), NAMED)
    first = next(one for one in table.director.redeal(table.at()) if isinstance(one, Feed))
    table.director.done(first.job)
    assert feeds(table.direct(table.at(), Redealt(2.0, seat=2, n=1))) == [(2, 2)]


def test_a_penalty_on_its_way_is_served_before_the_hands_are_collected_and_one_that_is_owed_after_the_redeal() -> None:
    table = Redealing()
    (penalty,) = [one for one in table.direct(table.at("color", owed={1: 2})) if isinstance(one, Feed)]
    assert table.direct(table.at(owed={1: 2}), NAMED) == []
    table.director.done(penalty.job)
    assert feeds(table.direct(table.at(owed={1: 1}), Drew(1.5, seat=1, n=1))) == []
    redealt = [one for one in table.director.redeal(table.at(owed={1: 1})) if isinstance(one, Feed)]
    assert feeds(redealt) == [(2, 3), (1, 2), (0, 2), (3, 2)]
    for one in redealt:
        table.director.done(one.job)
    assert feeds(table.direct(table.at("turn", owed={1: 1}))) == [(1, 1)]


@pytest.mark.parametrize(
    ("ruleset", "card", "made", "numbers"),
    [
        pytest.param("house-rules-pl", "red-2*", {}, (2,), id="icon"),
        pytest.param("house-rules-pl", "red-2", {}, None, id="no-icon"),
        pytest.param("house-rules-pl", "red-2*", {2: "Stand up."}, None, id="icon-on-a-ruled-number"),
        pytest.param("house-rules-pl", "red-2*", dict.fromkeys(range(3, 8), "Stand up."), None, id="five-rules"),
        pytest.param("house-rules-pl", "wild-house", {7: "Stand up.", 2: "Clap."}, (2, 7), id="wild-changes"),
        pytest.param("house-rules-pl", "wild-house", {}, None, id="nothing-to-change"),
        pytest.param("g7942-en", "red-2*", {}, None, id="no-house-rules-in-this-document"),
    ],
)
def test_who_may_make_a_house_rule_is_asked(
    ruleset: str, card: str, made: dict[int, str], numbers: tuple[int, ...] | None
) -> None:
    director = Director(load(ruleset))
    director.direct((), position(turn=2, top="red-9"))
    laid = position(turn=3, top=card, house_rules=made)
    asked = [one for one in director.direct((), laid, [Play(1.0, card=card)]) if isinstance(one, Ask)]
    assert asked == ([] if numbers is None else [Ask("make-rule", seat=2, card=card, numbers=numbers)])


def test_who_laid_a_card_that_is_corrected_makes_the_house_rule_whatever_was_pressed_since() -> None:
    director = Director(load("house-rules-pl"))
    director.direct((), position(turn=2, top="red-9"))
    director.direct((), position(turn=3, top="red-2"), [Play(1.0, card="red-2")])
    director.direct((), position(turn=3, top="red-2"), [Uno(1.5, 2)])
    corrected = [Overrule(2.0, undo=2), Play(2.0, card="red-2*")]
    asked = [one for one in director.direct((), position(turn=3, top="red-2*"), corrected) if isinstance(one, Ask)]
    assert asked == [Ask("make-rule", seat=2, card="red-2*", numbers=(2,))]


def test_a_card_that_went_back_makes_no_house_rule() -> None:
    director = Director(load("house-rules-pl"))
    director.direct((), position(turn=2, top="red-2*"))
    refused = director.direct(
        (Illegal(BASIS, 2, "wrong-phase", "red-2*"),), position(turn=2, top="red-2*"), [Play(1.0, card="red-2*")]
    )
    assert "make-rule" not in [one.what for one in refused if isinstance(one, Ask)]


@pytest.mark.parametrize(
    ("phase", "fields", "mode", "draws", "seats"),
    [
        pytest.param("turn", {}, "play", None, (), id="play"),
        pytest.param("turn", {"owed": {2: 2}}, "penalty", (2, 2), (), id="penalty"),
        pytest.param("turn", {"owed": {1: 2, 2: 6, 3: 4}}, "penalty", (2, 6), (), id="who-owes-most"),
        pytest.param("challenge", {"owed": {1: 4}}, "challenge", None, (), id="challenge-before-penalty"),
        pytest.param("paused", {"owed": {1: 4}}, "fault", None, (), id="fault-before-all"),
        pytest.param("swap", {"out": (3,)}, "choose", None, (1, 2), id="choose"),
        pytest.param("stack", {"stack": 6}, "penalty", (0, 6), (), id="stack"),
        pytest.param("stack", {"stack": 6, "turn": None}, "play", None, (), id="stack-of-nobody"),
    ],
)
def test_the_ring_tells_what_the_table_waits_for(
    phase: str, fields: Any, mode: str, draws: tuple[int, int] | None, seats: tuple[int, ...]
) -> None:
    (light,) = [one for one in Director(RULESET).direct((), position(phase, **fields)) if isinstance(one, Light)]
    assert (light.mode, light.draws, light.seats) == (mode, draws, seats)
