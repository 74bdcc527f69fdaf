"""The people at the simulated table do what is asked as people do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from croupier.devices.protocols import Ask, Light
from croupier.events import CommandGiven
from croupier_rules.cards import DECKS
from croupier_rules.referee.corrections import Was
from croupier_rules.referee.observations import Play, Shown
from croupier_rules.rules import load
from croupier_rules.rules.own_rules import OwnRules
from croupier_sim.machine import StandIn
from croupier_sim.people import SimPeople
from croupier_sim.players import PLAIN
from croupier_sim.table import SimTable


def table_of_two() -> tuple[SimTable, SimPeople]:
    rng = np.random.default_rng(1)
    table = SimTable(2, rng, tuple(DECKS["g7942"]))
    return table, SimPeople(table, StandIn(table, rng), rng, [PLAIN] * 2)


def test_the_pile_is_recycled_when_the_last_card_was_ruled_on_and_nobody_plays_meanwhile() -> None:
    table, people = table_of_two()
    table.turn_up(0)
    table.run_to(5.0)
    starter = table.discard[-1].face
    table.hands = [["wild"], ["red-7"]]
    touched = table.lay(1, "red-7")
    people.ask(Ask("recycle", seat=0))
    people.ask(Ask("turn", seat=0))
    while starter in (card.face for card in table.discard) and table.now < 15.0:
        table.run_to(table.now + 0.1)
    assert [card.face for card in table.discard] == ["red-7"], "nobody lays a card while somebody has the pile in hand"
    assert table.now > touched + 2.5
    table.run_to(table.now + 10.0)
    assert [card.face for card in table.discard] == ["red-7", "wild"]


@pytest.mark.parametrize("fits", ["hearts-{}", "clubs-jack"])
def test_a_suit_that_the_ring_shows_by_its_key_is_matched(fits: str) -> None:
    rng = np.random.default_rng(1)
    table, own = SimTable(2, rng, tuple(DECKS["mau-mau"])), OwnRules(load("mau-mau-en"))
    people = SimPeople(table, StandIn(table, rng), rng, [PLAIN] * 2, own)
    table.turn_up(0)
    table.run_to(5.0)
    symbol, other = [one for one in ("9", "king", "queen") if not table.discard[-1].face.endswith(one)][:2]
    fits = fits.format(symbol)
    table.hands = [[f"clubs-{other}", f"clubs-{symbol}", fits], ["clubs-10"]]
    people.show(Light(turn=0, direction="left", color="red"))
    people.ask(Ask("turn", seat=0))
    table.run_to(table.now + 10.0)
    assert table.discard[-1].face == fits
    assert not people.has_pressed, "no card was asked for"


def test_the_next_starter_is_turned_up_when_the_last_one_is_back_in_the_shoe() -> None:
    table, people = table_of_two()
    table.turn_up(0)
    table.run_to(3.0)
    starter = table.discard[-1]
    people.ask(Ask("return-card", seat=0, card=starter.face, to="deck"))
    people.ask(Ask("turn-up", seat=0))
    piles = set()
    while len(table.laid) < 2 and table.now < 15.0:
        table.run_to(table.now + 0.1)
        piles.add(len(table.discard))
    assert len(table.laid) == 2
    assert piles == {0, 1}, "no two cards at once, and the bare table between them"


def test_a_starter_that_the_table_does_not_notice_is_laid_once_more() -> None:
    table, people = table_of_two()
    people.ask(Ask("turn-up", seat=1))
    while len(table.laid) < 2 and table.now < 30.0:
        table.run_to(table.now + 0.1)
    assert len(set(table.laid)) == 1
    assert [card.face for card in table.discard] == table.laid[:1]
    assert table.taken_back == {0}


def after_a_card(*, laid_by: int, taken_for: int) -> tuple[list[list[str]], Play, list[object]]:
    """All hands, the play as the page has it, and what people have said, when ``laid_by`` laid a card, and the table,
    which takes it for that of ``taken_for``, wants it taken back."""
    table, people = table_of_two()
    table.hands = [["red-7", "red-8"], ["red-7", "red-8"]]
    table.run_to(table.lay(laid_by, "red-7"))
    play = Play(table.now, "red-7")
    people.ask(Ask("take-back", seat=taken_for, card="red-7"))
    people.objections.read_play(play, taken_for)
    table.run_to(table.now + 2.0)
    return table.hands, play, [one.command for one in people.poll() if isinstance(one, CommandGiven)]


def test_who_is_taken_for_another_says_whose_card_it_was_and_does_not_take_it() -> None:
    hands, play, said = after_a_card(laid_by=1, taken_for=0)
    assert said == [Was(play, replace(play, seat=1))]
    assert hands == [["red-7", "red-8"], ["red-8"]]


def test_who_laid_the_card_takes_it_back_and_has_nothing_to_say() -> None:
    hands, _, said = after_a_card(laid_by=0, taken_for=0)
    assert said == []
    assert hands == [["red-8", "red-7"], ["red-7", "red-8"]]


def test_people_say_which_cards_lay_open_and_not_which_came_since() -> None:
    table, people = table_of_two()
    table.hands = [["red-7", "red-8"], []]
    shown = Shown(table.now, seat=0, cards=("red-1", "red-8"))
    people.objections.read_hand(shown)
    table.feed(0, 0.1)
    table.run_to(table.now + 2.0)
    assert len(table.hands[0]) == 3
    (said,) = people.poll()
    assert isinstance(said, CommandGiven)
    assert said.command == Was(shown, replace(shown, cards=("red-7", "red-8")))


def test_of_two_cards_that_are_reported_late_each_is_known_by_its_face() -> None:
    table, people = table_of_two()
    table.hands = [["red-7", "red-8"], ["red-1", "red-2"]]
    table.run_to(table.lay(0, "red-7"))
    table.run_to(table.lay(1, "red-1"))
    people.objections.read_play(Play(table.now, "red-7", u=2.0), 0)
    assert not people.objections.is_pending
