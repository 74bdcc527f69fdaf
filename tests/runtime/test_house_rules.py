"""A running table that plays by rules of its own: shoe, keys, requests and ring."""

from __future__ import annotations

from pathlib import Path

import pytest

from croupier.commands import LayCard, SwapHands
from croupier.devices.protocols import Ask, Light
from croupier.events import CommandGiven
from croupier_rules.referee.corrections import SetTo
from tests.runtime.live import PICO, Running

SEATS = '[camera]\nsource = "none"\n[seats]\nnames = ["Ann", "Ben", "Cat", "Dan"]\ndealer = 3\n' + PICO


def begin(tmp_path: Path, rules: str, top: str = "red-5", base: str = "g7942-en") -> Running:
    """A table after the deal, with ``top`` as the first card; Ann begins."""
    table = Running(tmp_path / "table.journal", f'{SEATS}[rules]\nbase = "{base}"\n{rules}\n')
    table.go(12)
    lay(table, top)
    return table


def lay(table: Running, card: str, seat: int | None = None) -> None:
    table.say(CommandGiven(t=table.table.clock.now(), command=LayCard(card, seat)))
    table.wait(1)


def fed(table: Running, seconds: float = 4) -> dict[int, int]:
    """What the shoe really feeds meanwhile, by seat."""
    before = table.board.got.copy()
    table.wait(seconds)
    return dict(table.board.got - before)


@pytest.mark.parametrize("key", ["accept", "draw"])
def test_a_stack_of_three_draw_twos_is_taken_and_the_shoe_feeds_six(tmp_path: Path, key: str) -> None:
    table = begin(tmp_path, 'house = "stacking"')
    for n, card in enumerate(("red-draw2", "blue-draw2", "green-draw2"), start=1):
        lay(table, card)
        assert table.people.asked[-1] == Ask("stack", seat=n, card=card, n=2 * n)
    assert fed(table) == {}
    table.press(key, 3)  # type: ignore[arg-type]
    assert fed(table) == {3: 6}
    assert (table.position.hands, table.position.owed, table.position.turn) == ((6, 6, 6, 13), {}, 0)


def test_only_the_seat_that_may_answer_takes_the_stack(tmp_path: Path) -> None:
    table = begin(tmp_path, 'house = "stacking"')
    lay(table, "red-draw2")
    table.press("draw", 3)
    assert fed(table) == {}
    assert (table.position.phase, table.position.stack, table.position.turn) == ("stack", 2, 1)


def test_a_stacked_wild_draw_four_may_be_answered_or_challenged(tmp_path: Path) -> None:
    table = begin(tmp_path, 'house = "stacking"')
    lay(table, "wild-draw4")
    table.press("blue", 0)
    table.wait(1)
    assert table.people.asked[-1] == Ask("stack", seat=1, card="wild-draw4", n=4, seats=(1,))
    table.press("accept", 1)
    assert fed(table) == {1: 4}


def test_the_ring_shows_who_may_answer_a_stack(tmp_path: Path) -> None:
    table = begin(tmp_path, 'house = "stacking"')
    lay(table, "red-draw2")
    lit = table.table.run._director._light
    assert lit == Light(1, "left", "red", "penalty", draws=(1, 2))


def test_until_it_fits_the_shoe_feeds_one_card_for_each_press(tmp_path: Path) -> None:
    table = begin(tmp_path, '"turn.must_draw" = "until-it-fits"')
    for hand in (8, 9, 10):
        table.press("draw", 0)
        assert fed(table, 2) == {0: 1}
        assert (table.position.phase, table.position.hands[0]) == ("drawn", hand)
    table.press("pass", 0)
    table.wait(0.5)
    table.press("draw", 0)
    assert fed(table, 2) == {}


def test_by_the_sheet_the_shoe_feeds_one_card_in_a_turn(tmp_path: Path) -> None:
    table = begin(tmp_path, "")
    table.press("draw", 0)
    assert fed(table, 2) == {0: 1}
    table.press("draw", 0)
    assert fed(table, 2) == {}


def test_who_laid_a_seven_chooses_a_seat_and_the_hands_are_swapped(tmp_path: Path) -> None:
    table = begin(tmp_path, 'seven = "swap"')
    lay(table, "red-7")
    assert table.people.asked[-1] == Ask("choose-seat", seat=0, card="red-7")
    table.say(CommandGiven(t=table.table.clock.now(), command=SwapHands(2)))
    table.wait(1)
    assert table.people.asked[-2:] == [
        Ask("move-hands", seat=1, card="red-7", seats=(2, 1, 0, 3)), Ask("turn", seat=1, card="red-7"),
    ]  # fmt: skip
    assert table.position.hands == (7, 7, 6, 7)


def test_who_laid_a_seven_presses_the_button_of_the_seat_that_it_swaps_hands_with(tmp_path: Path) -> None:
    table = begin(tmp_path, 'seven = "swap"')
    lay(table, "red-7")
    assert table.table.run._director._light == Light(0, "left", "red", "choose", seats=(1, 2, 3))
    table.press("uno", 0)
    table.wait(0.5)
    assert table.position.phase == "swap"
    table.press("uno", 2)
    table.wait(1)
    assert (table.position.phase, table.position.hands) == ("turn", (7, 7, 6, 7))


def test_who_laid_a_card_that_makes_a_chosen_player_draw_presses_the_button_of_that_seat(tmp_path: Path) -> None:
    table = begin(tmp_path, "", "wild", "all-wild-en")
    lay(table, "wild-target-draw2")
    assert table.people.asked[-1] == Ask("choose-seat", seat=0, card="wild-target-draw2")
    table.press("uno", 2)
    assert fed(table) == {2: 2}
    assert (table.position.phase, table.position.turn, table.position.hands) == ("turn", 1, (6, 7, 9, 7))


def test_while_somebody_may_be_caught_a_button_means_uno_and_then_chooses(tmp_path: Path) -> None:
    table = begin(tmp_path, 'seven = "swap"')
    table.say(CommandGiven(t=table.table.clock.now(), command=SetTo({"hands": {0: 2}})))
    table.wait(0.5)
    lay(table, "red-7")
    table.press("uno", 2)
    table.wait(3)
    assert (table.position.phase, table.position.hands[0]) == ("swap", 3)  # caught, and served
    table.press("uno", 2)
    table.wait(3)
    assert table.position.phase == "turn"


def test_after_a_zero_every_hand_goes_on_in_the_direction_of_play(tmp_path: Path) -> None:
    table = begin(tmp_path, 'zero = "pass-on"')
    lay(table, "red-reverse")
    lay(table, "red-0")
    assert table.people.asked[-2] == Ask("move-hands", seat=2, card="red-0", seats=(1, 2, 3, 0))
    assert table.position.hands == (7, 7, 6, 6)


def test_a_card_that_another_seat_lays_out_of_turn_is_a_jump_in(tmp_path: Path) -> None:
    table = begin(tmp_path, 'jump_in = "identical"')
    lay(table, "red-8")
    lay(table, "red-8", 3)
    assert table.position.hands == (6, 7, 7, 6)
    assert table.people.asked[-1] == Ask("turn", seat=0, card="red-8")


def test_without_the_rule_a_card_out_of_turn_goes_back(tmp_path: Path) -> None:
    table = begin(tmp_path, "")
    lay(table, "red-8")
    lay(table, "red-8", 3)
    assert table.people.asked[-1] == Ask("take-back", seat=3, card="red-8")


def test_of_two_cards_at_the_same_moment_the_second_goes_back(tmp_path: Path) -> None:
    table = begin(tmp_path, 'jump_in = "identical"')
    now = table.table.clock.now()
    for card, seat in (("red-8", 0), ("red-5", 2)):
        table.say(CommandGiven(t=now, u=0.1, command=LayCard(card, seat)))
    table.wait(1)
    assert table.people.asked[-1] == Ask("take-back", seat=2, card="red-5")
    assert (table.position.top, table.position.hands) == ("red-8", (6, 7, 7, 7))
