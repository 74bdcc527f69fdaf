"""What has to be done at the simulated table beside playing: cards carried about, hands laid open, troubles cleared."""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np

from croupier.commands import ChooseDealer, NameCard
from croupier.events import CommandGiven
from croupier_sim.keys import SimKeys
from croupier_sim.machine import Machine
from croupier_sim.mind import STUCK_S, Mind
from croupier_sim.places import CARDS_A_PICTURE
from croupier_sim.table import SimTable

_SHOW_S: Final = 6.0  # a hand that is not accepted is laid anew after so long
_PATIENCE: Final = 3  # when a hand was laid open so often and not accepted, all cards are counted
_RULED_S: Final = 2.5  # so long after a card touched everybody knows whether it stands
_RECYCLES_S: Final = 4.0  # from reaching for the discard pile until the table knows that it is in the shoe
CLEAR_S: Final = 2.2
"""From reaching for cards that lie open until the place is seen to be empty."""


class Chores:
    """Done by whoever is asked."""

    def __init__(
        self, table: SimTable, machine: Machine, mind: Mind, keys: SimKeys, rng: np.random.Generator
    ) -> None:  # fmt: skip
        self._table, self._machine, self._mind, self._keys, self._rng = table, machine, mind, keys, rng

    def choose_dealer(self) -> None:
        """Somebody says who deals."""
        self._keys.say(
            CommandGiven(t=self._table.now, command=ChooseDealer(int(self._rng.integers(self._table.seats))))
        )

    def lay_starter(self, seat: int) -> None:
        """``seat`` turns up the top card of the shoe, and pushes it until the table has noticed."""
        self._table.turn_up(seat)
        self._mind.when_stuck(lambda: self._table.straighten(seat))

    def return_card(self, seat: int, to: str) -> None:
        """The starter card does not count: ``to`` is where it goes."""
        if to != "aside":
            self._table.return_top(seat, to)

    def show(self, seat: int, first: int, times: int = 1) -> None:
        """Lay the hand open, as many cards as fit, then the others; begin anew if that is not accepted. If it is not
        accepted again and again, the record has other cards than the table: count them."""
        hand = self._table.hands[seat]
        if not hand:
            return
        if times > _PATIENCE and first == 0:
            self._keys.count()
            times = 1
        self._table.lay_open(seat, hand[first : first + CARDS_A_PICTURE])
        after = first + CARDS_A_PICTURE
        stay = 3.0 if after < len(hand) else _SHOW_S
        self._mind.when_free(stay, lambda: self._table.gather(seat))
        rest = (after, times) if after < len(hand) else (0, times + 1)
        self._mind.when_free(stay + CLEAR_S, lambda: self.show(seat, *rest))

    def tell_top_card(self) -> None:
        """Somebody says on the page which card lies on top."""
        if self._table.discard:
            self._keys.say(CommandGiven(t=self._table.now, command=NameCard(self._table.discard[-1].face)))

    def recycle(self, seat: int) -> None:
        """The discard pile becomes the draw pile, once the last card was ruled on; nobody plays meanwhile."""
        table = self._table
        self._mind.wait_until(table.now + _RECYCLES_S)
        if table.reaches or (table.touched and table.now - table.touched[-1] < _RULED_S):
            self._mind.then(0.5, partial(self.recycle, seat))
        else:
            table.at(table.recycle(seat) + 0.2, self._machine.loaded)

    def give_back(self, seat: int, n: int) -> float:
        """The cards that came last go under those in the shoe; returns when they lie there."""
        back = self._table.put_back(seat, n)
        self._table.at(back, partial(self._machine.returned, seat, n))
        return back

    def clear_fault(self) -> None:
        """Play rests: somebody opens the shoe, puts back what came out too much, and presses go; again, if it still
        rests."""
        ready = self._table.now
        for seat, n in self._machine.take_surplus():
            ready = max(ready, self.give_back(seat, n))
        self._table.at(ready + 0.5, self._machine.clear)
        self._table.at(ready + 1.0, self._go)
        self._table.at(ready + 1.0 + STUCK_S, self._look_again)

    def _go(self) -> None:
        if self._mind.is_paused:
            self._keys.press(0, "go")

    def _look_again(self) -> None:
        if self._mind.is_paused:
            self.clear_fault()

    def collect_hands(self, seat: int, counts: tuple[int, ...]) -> None:
        """All hands go into the shoe."""
        self._table.at(self._table.collect_hands(seat, counts) + 1.0, lambda: self._keys.press(seat, "go"))

    def collect(self) -> None:
        """All cards go into the shoe, for the next round."""
        self._table.at(self._table.collect(0) + 1.5, lambda: self._keys.press(0, "go"))
