"""Players who leave, join or swap seats: both referees, what may be done, what becomes of cards and turn, and undo."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from croupier.errors import BadLog, CannotCorrect
from croupier_rules.referee import Explainer, Referee, parse_header, parse_observation
from croupier_rules.referee.corrections import ChangePlayers, Undo, to_observations
from croupier_rules.referee.observations import Overrule, PlayerChange, Uno, to_json
from croupier_rules.referee.players import with_free_seats
from tests.conformance.test_slow_referee import _lay_out, _put_cards_where_they_are_seen
from tests.referee.games import on_the_table, untimed
from tests.slow_referee import SlowReferee

TABLE: Final[dict[str, Any]] = {
    "log": "croupier/1", "ruleset": "g7942-en", "seats": ["Ann", "Ben", "Cat", "Dan"], "dealer": 3,
}  # fmt: skip
GIVEN: Final[dict[str, Any]] = {"turn": 1, "top": "red-7", "hands": [5, 4, 3, 2], "known": {"1": ["blue-2"]}}
WD4: Final = ({"obs": "play", "card": "wild-draw4", "t": 1.0}, {"obs": "color", "color": "blue", "t": 2.0})
DEALT: Final = tuple({"obs": "dealt", "seat": seat, "n": 7, "t": 1.0} for seat in range(3))
STACKS: Final[dict[str, Any]] = {"ruleset": "g7942-en+stack.draw2=draw2"}
DRAW2: Final = {"obs": "play", "card": "red-draw2", "t": 1.0}
OUT: Final = GIVEN | {"out": [2], "hands": [5, 4, 0, 2], "scores": [10, 20, 30, 40]}


def case(
    change: ChangePlayers, expected: dict[str, Any] | str, *lines: dict[str, Any], name: str,
    given: dict[str, Any] = GIVEN, **header: Any,
) -> Any:  # fmt: skip
    return pytest.param(change, expected, lines, TABLE | {"given": given} | header, id=name)


def leave(seat: int) -> ChangePlayers:
    return ChangePlayers("leave", seat)


def join(seat: int, name: str | None = None) -> ChangePlayers:
    return ChangePlayers("join", seat, name=name)


def swap(seat: int, other: int) -> ChangePlayers:
    return ChangePlayers("swap", seat, other)


CASES = [
    case(leave(1), {"turn": 2, "phase": "turn", "hands": [5, 0, 3, 2], "draw_pile": 97, "out": [1], "known": {}},
         name="on-turn__the-next-plays-and-the-cards-go-under-the-pile"),
    case(leave(2), {"turn": 1, "out": [2], "known": {"1": ["blue-2"]}}, name="not-on-turn__the-turn-stays"),
    case(leave(1), {"turn": 0}, given=GIVEN | {"direction": "right"}, name="to-the-right__the-next-in-that-direction"),
    case(leave(2), {"owed": {"3": 2}}, given=GIVEN | {"owed": {"2": 4, "3": 2}}, name="debt__waived"),
    case(leave(3), {"called": [], "catchable": [0]}, given=GIVEN | {"hands": [1, 4, 3, 1], "called": [3],
         "catchable": [0]}, name="call__lapses-and-others-may-still-be-caught"),
    case(leave(1), {"turn": 2, "phase": "turn"}, {"obs": "drew", "seat": 1, "n": 1, "t": 1.0},
         name="after-its-draw__the-next-plays"),
    case(leave(1), {"turn": 2, "phase": "turn", "color": None}, {"obs": "play", "card": "wild", "t": 1.0},
         name="before-naming-a-color__any-card-fits"),
    case(leave(1), {"turn": 3, "phase": "turn", "owed": {"2": 4}}, WD4[0],
         name="before-naming-the-color-of-a-draw-four__is-taken"),
    case(leave(1), {"turn": 3, "phase": "turn", "owed": {"2": 4}}, *WD4, name="own-draw-four-waits__is-taken"),
    case(leave(2), {"turn": 1, "phase": "challenge", "owed": {}}, *WD4, name="who-is-asked__the-next-is-asked"),
    case(leave(2), {"turn": 1, "phase": "challenge"}, *WD4, {"obs": "challenge", "seat": 2, "t": 3.0},
         name="challenger__the-question-is-open-again"),
    case(leave(2), {"turn": 3, "phase": "stack", "stack": 2}, DRAW2,
         name="who-may-answer-a-stack__the-next-may", **STACKS),
    case(leave(1), {"turn": 3, "phase": "turn", "owed": {"2": 2}}, DRAW2, name="own-stack__is-taken", **STACKS),
    case(leave(1), {"turn": 2, "phase": "turn", "hands": [5, 0, 3, 2]}, {"obs": "play", "card": "red-7", "t": 1.0},
         ruleset="g7942-en+seven=swap", name="own-seven__swaps-nothing"),
    case(leave(3), {"phase": "upcard", "dealer": 0, "hands": [7, 7, 7, 0]}, *DEALT, given={"phase": "deal"},
         name="dealer-while-dealing__the-next-deals-and-the-deal-is-complete"),
    case(leave(0), {"phase": "pick", "out": [0]}, {"obs": "pick", "seat": 0, "card": "red-9", "t": 1.0}, dealer=None,
         given={"phase": "pick"}, name="who-picked__all-pick-again"),
    case(leave(0), "Ann does not play", given=GIVEN | {"out": [0], "hands": [0, 4, 3, 2]},
         name="who-left__not-again"),
    case(leave(0), "Only two play", given=GIVEN | {"out": [2, 3], "hands": [5, 4, 0, 0]}, name="of-two__none-leaves"),
    case(leave(1), "when the last card has been answered", *WD4, given=GIVEN | {"hands": [5, 1, 3, 2], "known": {}},
         name="winner-who-is-asked__not-yet"),
    case(leave(1), {"phase": "round_over", "hands": [5, 0, 3, 2], "out": [1]},
         {"obs": "play", "card": "red-3", "t": 1.0}, given=GIVEN | {"hands": [5, 1, 3, 2], "known": {}},
         name="after-the-round__hands-stay"),
    case(join(2), {"out": [], "owed": {"2": 7}, "hands": [5, 4, 0, 2], "scores": [10, 20, 30, 40]}, given=OUT,
         name="comes-back__with-a-new-hand-and-the-old-points"),
    case(join(2, "Eve"), {"out": [], "owed": {"2": 7}, "scores": [10, 20, 0, 40]}, given=OUT,
         name="new-player__no-points"),
    case(join(2), {"owed": {"2": 5}}, given=OUT, ruleset="g7942-en+deal.hand=5", name="five-cards__five-are-dealt"),
    case(join(3), {"phase": "deal", "out": []}, *DEALT, given={"phase": "deal", "out": [3]},
         name="before-the-first-card__is-dealt-too"),
    case(join(2), "when the last card has been answered", *WD4, given=OUT, name="while-a-card-waits__not-yet"),
    case(join(0), "plays already", name="who-plays__not-again"),
    case(join(2), "Too few cards", given=OUT | {"hands": [50, 49, 0, 3]}, name="no-cards-left__next-round"),
    case(join(2), "has been eliminated", given=OUT | {"scores": [10, 20, 500, 40]},
         options={"variant": "elimination"}, name="eliminated__stays-out"),
    case(swap(1, 3),
         {"turn": 3, "hands": [5, 2, 3, 4], "known": {"3": ["blue-2"]}, "scores": [1, 4, 3, 2], "dealer": 1},
         given=GIVEN | {"scores": [1, 2, 3, 4]},
         name="swap__hand-turn-points-and-deal-go-along"),
    case(swap(0, 3), {"called": [0], "catchable": [3]}, given=GIVEN | {"hands": [1, 4, 3, 1], "called": [3],
         "catchable": [0]}, name="swap__calls-go-along"),
    case(swap(1, 2), {"out": [1], "turn": 2, "hands": [5, 0, 4, 2]}, given=OUT, name="swap-with-a-free-seat__moves"),
    case(swap(0, 2), "is to draw first", given=GIVEN | {"owed": {"2": 1}}, name="swap-with-a-debt__not-yet"),
    case(swap(1, 2), "when the last card has been answered", {"obs": "drew", "seat": 1, "n": 1, "t": 1.0},
         name="swap-after-a-draw__not-yet"),
    case(swap(0, 1), "only partners can swap", teams=[[0, 2], [1, 3]], name="swap-across-teams__refused"),
    case(swap(0, 2), {"hands": [3, 4, 5, 2], "scores": [7, 9]}, teams=[[0, 2], [1, 3]],
         given=GIVEN | {"scores": [7, 9]}, name="swap-of-partners__the-points-are-the-team's"),
    case(swap(1, 1), "sits there already", name="swap-with-oneself__refused"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "expected", "lines", "header"), CASES)
def test_both_referees_change_the_table_alike(
    change: ChangePlayers, expected: dict[str, Any] | str, lines: tuple[dict[str, Any], ...], header: dict[str, Any]
) -> None:
    referee, slow = Referee(parse_header(header)), SlowReferee(header)
    _lay_out(slow.table, header["given"])
    for line in lines:
        seen = dict(line)
        _put_cards_where_they_are_seen(slow.table, seen)
        slow.observe(seen)
        referee.observe(parse_observation(line, 4))
    told = {"obs": "overrule", "player": change.change.to_json()}
    slow.observe(told)
    if isinstance(expected, str):
        with pytest.raises(CannotCorrect, match=expected):
            to_observations(change, referee, 9.0)
        assert told["is refused"]
        return
    observe(referee, change)
    position = on_the_table(referee.position())
    assert {name: position[name] for name in expected} == expected
    assert slow.table.position() == position


def observe(referee: Referee, change: ChangePlayers | Undo, t: float = 9.0) -> Overrule:
    """Let the referee take it in, as it reads it again from the log."""
    (line,) = to_observations(change, referee, t)
    assert isinstance(line, Overrule)
    assert parse_observation(json.dumps(to_json(line)), 4) == line
    referee.observe(line)
    return line


def referee_of(given: dict[str, Any] = GIVEN, **header: Any) -> Referee:
    return Referee(parse_header(TABLE | {"given": given} | header))


@pytest.mark.parametrize("change", [leave(1), leave(2), join(0, "Eve"), swap(1, 3)])
def test_a_change_is_undone_with_cards_turn_and_names_and_a_row_of_them_one_by_one(change: ChangePlayers) -> None:
    given = GIVEN | {"owed": {"1": 2}, "hands": [0, 4, 3, 2], "out": [0]} if change.does != "swap" else GIVEN
    referee = referee_of(given)
    observe(referee, ChangePlayers("swap", 2, 3))
    before, names = untimed(referee.position()), referee.header.seats
    observe(referee, change)
    assert untimed(referee.position()) != before
    undone = observe(referee, Undo())
    assert (untimed(referee.position()), referee.header.seats) == (before, names)
    assert undone.player is not None
    assert [one.player for one in referee.standing() if isinstance(one, Overrule)][-1] == undone.player


def test_names_follow_the_players_also_where_earlier_lines_are_taken_back() -> None:
    referee = referee_of()
    referee.observe(Uno(1.0, 1))
    observe(referee, swap(0, 2))
    referee.observe(Uno(10.0, 1))
    observe(referee, leave(3), 11.0)
    observe(referee, join(3, "Eve"), 12.0)
    assert referee.header.seats == ("Cat", "Ben", "Ann", "Eve")
    referee.observe(Overrule(13.0, undo=1))
    assert referee.header.seats == ("Cat", "Ben", "Ann", "Dan")
    referee.observe(Overrule(14.0, undo=1))
    assert referee.header.seats == ("Ann", "Ben", "Cat", "Dan")


def test_seats_are_free_that_somebody_left_but_not_of_who_is_out_of_the_round_or_of_the_game() -> None:
    assert referee_of(OUT).free_seats == (2,)
    assert referee_of(OUT | {"knocked_out": [2]}).free_seats == ()
    eliminated = OUT | {"scores": [10, 20, 500, 40]}
    assert referee_of(eliminated, options={"variant": "elimination"}).free_seats == ()
    assert referee_of().free_seats == ()


def test_a_score_set_right_after_the_last_elimination_leaves_enough_players_for_the_next_game() -> None:
    empty = OUT | {"scores": [10, 20, 0, 400]}
    referee = referee_of(empty, options={"variant": "elimination"})
    over = {"phase": "game_over", "turn": None, "out": [0, 2, 3], "scores": [500, 20, 0, 501]}
    referee.observe(Overrule(10.0, set=over))
    assert referee.free_seats == (2,)
    referee.observe(Overrule(11.0, set={"scores": [490, 20, 0, 498]}))
    header = with_free_seats(referee.header, referee.header.seats, referee.free_seats)
    assert Referee(header).free_seats == (2,)


def test_who_leaves_after_the_round_has_left_a_hand_that_counts() -> None:
    referee = referee_of(GIVEN | {"hands": [1, 1, 0, 0], "known": {}, "out": [3]})
    for line in ({"obs": "play", "card": "red-3", "t": 1.0},):
        referee.observe(parse_observation(line, 4))
    observe(referee, leave(0))
    shown = referee.observe(parse_observation({"obs": "shown", "seat": 0, "cards": ["red-9"], "t": 10.0}, 4))
    assert [ruling.name for ruling in shown] == ["score"]
    assert referee.position()["scores"] == [0, 9, 0, 0]


def test_the_shoe_deals_to_a_new_player_and_the_round_goes_on_with_all() -> None:
    referee = referee_of(OUT)
    observe(referee, join(2, "Eve"))
    for line in ({"obs": "drew", "seat": 2, "n": 7, "t": 10.0}, {"obs": "play", "card": "red-3", "t": 11.0}):
        rulings = referee.observe(parse_observation(line, 4))
    assert [(ruling.name, getattr(ruling, "seat", None)) for ruling in rulings] == [("turn", 2)]
    assert referee.position()["hands"] == [5, 3, 7, 2]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (leave(1), "Ben leaves the game."),
        (join(2, "Eve"), "Eve joins the game."),
        (swap(0, 1), "Ben and Ann swap seats."),
    ],
)
def test_a_change_is_told_with_the_names_that_hold_after_it(change: ChangePlayers, text: str) -> None:
    referee = referee_of(OUT)
    line = observe(referee, change)
    assert Explainer(referee.header).seen(line) == text


@pytest.mark.parametrize(
    "player",
    [
        pytest.param({"does": "fly", "seat": 1}, id="unknown"),
        pytest.param({"does": "leave"}, id="no-seat"),
        pytest.param({"does": "leave", "seat": 4}, id="no-such-seat"),
        pytest.param({"does": "swap", "seat": 1}, id="swap-with-nobody"),
        pytest.param({"does": "leave", "seat": 1, "with": 2}, id="leave-with-another"),
        pytest.param({"does": "join", "seat": 1, "name": 7}, id="no-name"),
        pytest.param("leave", id="no-object"),
    ],
)
def test_what_is_no_change_of_players_is_no_table_log(player: object) -> None:
    referee = referee_of()
    with pytest.raises(BadLog, match="player"):
        referee.observe(parse_observation({"obs": "overrule", "t": 1.0, "set": {}, "player": player}, 4))
    assert referee.header.seats == ("Ann", "Ben", "Cat", "Dan")


def test_a_seat_that_is_not_there_is_refused() -> None:
    for change in (leave(4), join(99), swap(0, 4)):
        with pytest.raises(BadLog, match="seat"):
            to_observations(change, referee_of(), 9.0)


def test_only_what_sets_the_position_changes_players() -> None:
    with pytest.raises(BadLog, match="expected with it set"):
        Overrule(1.0, undo=1, player=PlayerChange("leave", 1))
