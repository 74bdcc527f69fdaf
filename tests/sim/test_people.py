"""The people at the simulated table do what is asked as people do."""

from __future__ import annotations

import numpy as np

from croupier.cards import DECKS
from croupier.devices.protocols import Ask
from croupier.devices.sim.machine import StandIn
from croupier.devices.sim.manners import PLAIN
from croupier.devices.sim.people import SimPeople
from croupier.devices.sim.table import SimTable


def test_the_pile_is_recycled_when_the_last_card_was_ruled_on_and_nobody_plays_meanwhile() -> None:
    rng = np.random.default_rng(1)
    table = SimTable(2, rng, tuple(DECKS["g7942"]))
    people = SimPeople(table, StandIn(table, rng), rng, [PLAIN] * 2)
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
