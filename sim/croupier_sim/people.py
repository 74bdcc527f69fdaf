"""The people at the simulated table: they hold the true cards, do what the table asks and object to its mistakes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np

from croupier.commands import ChooseDealer, NameCard
from croupier.devices.protocols import Ask, Light, Say
from croupier.events import CommandGiven, Press
from croupier.referee.corrections import Was
from croupier.referee.observations import Observation, Play, Shown
from croupier_sim.machine import SimMachine
from croupier_sim.players import STUCK_S, Act, Agenda, Behavior, Players, SimKeys
from croupier_sim.table import CARDS_A_PICTURE, SimTable

_SHOW_S: Final = 6.0  # a hand that is not accepted is laid anew after so long
_PATIENCE: Final = 3  # when a hand was laid open so often and not accepted, all cards are counted
_RULED_S: Final = 2.5  # so long after a card touched everybody knows whether it stands
_RECYCLES_S: Final = 4.0  # from reaching for the discard pile until the table knows that it is in the shoe
CLEAR_S: Final = 2.2
"""From reaching for cards that lie open until the place is seen to be empty."""


class Chores:
    """Done by whoever is asked."""

    def __init__(
        self, table: SimTable, machine: SimMachine, agenda: Agenda, keys: SimKeys, rng: np.random.Generator
    ) -> None:  # fmt: skip
        self._table, self._machine, self._agenda, self._keys, self._rng = table, machine, agenda, keys, rng

    def choose_dealer(self) -> None:
        """Somebody says who deals."""
        self._keys.submit(
            CommandGiven(t=self._table.now, command=ChooseDealer(int(self._rng.integers(self._table.seats))))
        )

    def lay_starter(self, seat: int) -> None:
        """``seat`` turns up the top card of the shoe, and pushes it until the table has noticed."""
        self._table.turn_up(seat)
        self._agenda.when_stuck(lambda: self._table.straighten(seat))

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
        self._agenda.when_free(stay, lambda: self._table.gather(seat))
        rest = (after, times) if after < len(hand) else (0, times + 1)
        self._agenda.when_free(stay + CLEAR_S, lambda: self.show(seat, *rest))

    def name_top_card(self) -> None:
        """Somebody says on the page which card lies on top."""
        if self._table.discard:
            self._keys.submit(CommandGiven(t=self._table.now, command=NameCard(self._table.discard[-1].face)))

    def recycle(self, seat: int) -> None:
        """The discard pile becomes the draw pile, once the last card was ruled on; nobody plays meanwhile."""
        table = self._table
        self._agenda.hold_until(table.now + _RECYCLES_S)
        if table.reaches or (table.touched and table.now - table.touched[-1] < _RULED_S):
            self._agenda.after(0.5, partial(self.recycle, seat))
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
        if self._agenda.is_paused:
            self._keys.press(0, "go")

    def _look_again(self) -> None:
        if self._agenda.is_paused:
            self.clear_fault()

    def collect_hands(self, seat: int, counts: tuple[int, ...]) -> None:
        """All hands go into the shoe."""
        self._table.at(self._table.collect_hands(seat, counts) + 1.0, lambda: self._keys.press(seat, "go"))

    def collect(self) -> None:
        """All cards go into the shoe, for the next round."""
        self._table.at(self._table.collect(0) + 1.5, lambda: self._keys.press(0, "go"))


_SAYS_S: Final = 1.2
_HEARD_S: Final = 0.8  # after that, what the table asks follows from what was said
_SAME_S: Final = 0.5


class Objections:
    """Everybody saw whose hand laid the card, and sees an open hand; what is asked meanwhile, nobody does."""

    def __init__(self, table: SimTable, agenda: Agenda, keys: SimKeys) -> None:
        self._table, self._agenda, self._keys = table, agenda, keys
        self._wrong: tuple[Play, int] | None = None
        self._hands: list[Shown] = []

    @property
    def is_pending(self) -> bool:
        """Whether somebody is about to object."""
        return self._wrong is not None or bool(self._hands)

    def read_play(self, play: Play, seat: int | None) -> None:
        """The page says that ``seat`` laid this card."""
        laid_by = self._laid_by(play)
        if laid_by is not None and laid_by != seat:
            self._wrong = play, laid_by
            self._say_soon(self._object)

    def update_play(self, play: Play) -> None:
        """The page has the last card otherwise now."""
        if self._wrong is not None:
            self._wrong = play, self._wrong[1]

    def read_hand(self, shown: Shown) -> None:
        """The page says that these cards lie open."""
        if Counter(shown.cards) != Counter(self._table.hands[shown.seat]):
            self._hands.append(shown)
            self._say_soon(self._object_to_hand)

    def _say_soon(self, say: Callable[[], None]) -> None:
        self._agenda.hold_until(self._table.now + _SAYS_S + _HEARD_S)
        self._agenda.after(_SAYS_S, say)

    def _object(self) -> None:
        if self._wrong is not None:
            play, seat = self._wrong
            self._wrong = None
            self._say(play, replace(play, seat=seat))

    def _object_to_hand(self) -> None:
        shown = self._hands.pop(0)
        self._say(shown, replace(shown, cards=tuple(self._table.hands[shown.seat])))

    def _say(self, was: Observation, now: Observation) -> None:
        self._keys.submit(CommandGiven(t=self._table.now, command=Was(was, now)))

    def _laid_by(self, play: Play) -> int | None:
        """None where no card touched the pile then. Of several it is one with this face, if there is one."""
        table = self._table
        then = [n for n, t in enumerate(table.touched) if abs(t - play.t) <= play.u + _SAME_S]
        n = min(then, key=lambda n: (table.laid[n] != play.card, abs(table.touched[n] - play.t)), default=None)
        return None if n is None else table.laid_by[n]


class SimPeople:
    """Everybody at the table: a `Ring` and `Page` to look at, an `EventSource` of what they press and say.

    ``behaviors``: one for each seat."""

    fault = ""
    """They always see the ring."""

    def __init__(
        self, table: SimTable, machine: SimMachine, rng: np.random.Generator, behaviors: Sequence[Behavior]
    ) -> None:
        self._table = table
        self._agenda = Agenda(table)
        self._keys = SimKeys(table, machine)
        self._chores = Chores(table, machine, self._agenda, self._keys, rng)
        self._players = Players(table, self._agenda, self._keys, rng, behaviors)
        self.objections = Objections(table, self._agenda, self._keys)
        """To what stands on the page."""

    @property
    def acts(self) -> list[Act]:
        """What they did against the rules, knowing it; for the comparison only."""
        return self._players.acts

    def show(self, light: Light) -> None:
        """They look at the ring: which color is to be matched, and whether play rests."""
        self._players.color = light.color
        self._agenda.is_paused = light.mode == "fault"

    def say(self, say: Say) -> None:
        """They listen, politely."""

    @property
    def has_pressed(self) -> bool:
        """Whether `poll` would give something."""
        return self._keys.has_pressed

    def poll(self) -> tuple[Press | CommandGiven, ...]:
        """What they have pressed since the last call."""
        return self._keys.poll()

    def watermark(self) -> float:
        """As `EventSource.watermark`: a press arrives at once."""
        return self._table.now

    def ask(self, ask: Ask) -> None:
        """They do what is asked, when they get round to it; a new question takes the place of the last."""
        if (chore := self._chore(ask)) is not None:
            chore()
            return
        self._agenda.cancel()
        clear_s = 0.0
        if self._table.spread:
            self._table.gather(0)
            clear_s = CLEAR_S
        on_top = self._table.discard[-1].face if self._table.discard else None
        if ask.card is not None and on_top is not None and ask.card != on_top:
            self._agenda.when_free(1.0, self._chores.name_top_card)
        else:
            self._answer(ask, clear_s)

    def _chore(self, ask: Ask) -> Callable[[], object] | None:
        """What is done beside whatever else is asked."""
        after, chores, players = self._agenda.after, self._chores, self._players
        by_word: dict[str, Callable[[], object]] = {
            "recycle": lambda: chores.recycle(_seat(ask)),
            "clear-fault": lambda: after(2.5, chores.clear_fault),
            "give-back": lambda: after(0.5, lambda: chores.give_back(_seat(ask), ask.n)),
            "which-card": lambda: after(1.5, chores.name_top_card),
            "choose-dealer": lambda: after(1.0, chores.choose_dealer),
            "make-rule": lambda: players.make_or_decline(_seat(ask), ask.numbers),
            "follow-rule": players.follow_rule,
            "next-round": lambda: after(1.0, chores.collect),
        }
        return by_word.get(ask.what)

    def _answer(self, ask: Ask, clear_s: float) -> None:
        """Do it instead of what was asked before. ``clear_s``: so long until the place for open hands is clear."""
        agenda, chores, players = self._agenda, self._chores, self._players
        by_word: dict[str, Callable[[int], object]] = {
            "turn-up": lambda seat: agenda.when_free(1.0, lambda: chores.lay_starter(seat)),
            "return-card": lambda seat: agenda.after(0.8, lambda: chores.return_card(seat, ask.to or "deck")),
            "turn": players.turn,
            "name-color": lambda seat: agenda.when_free(players.think_s(seat), lambda: players.name_color(seat)),
            "answer": lambda seat: players.answer(seat, ask.seats),
            "play-drawn": lambda seat: agenda.when_free(players.think_s(seat), lambda: players.play_last(seat)),
            "collect-hands": lambda seat: agenda.when_free(0.5, lambda: self._collect_hands(seat, ask.counts)),
            "show-hand": lambda seat: agenda.when_free(0.8 + clear_s, lambda: chores.show(seat, 0)),
            "take-back": lambda seat: players.take_back(seat, ask.card),
        }
        if ask.what in by_word:
            by_word[ask.what](_seat(ask))

    def _collect_hands(self, seat: int, counts: tuple[int, ...]) -> None:
        self._players.has_new_hands = True
        self._chores.collect_hands(seat, counts)


def _seat(ask: Ask) -> int:
    if ask.seat is None:
        raise TypeError(f"nobody is asked: {ask}")
    return ask.seat
