"""The people at the simulated table: they hold the true cards, do what the table asks, and make human mistakes.

They know what people know: their own hand, the card that lies on top, the color the ring shows. They play by the
rules they remember, not by the referee's code (`playing`); where the table objects, they take the card back. What else
there is to do, somebody does (`chores`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from croupier.devices.protocols import Ask, Light, Say
from croupier.events import CommandGiven, Press
from croupier_sim.chores import CLEAR_S, Chores
from croupier_sim.keys import SimKeys
from croupier_sim.machine import Machine
from croupier_sim.manners import Act, Manners
from croupier_sim.mind import Mind
from croupier_sim.objections import Objections
from croupier_sim.playing import Playing
from croupier_sim.table import SimTable


class SimPeople:
    """Everybody at the table: a `Ring` and `Page` to look at, a `Panel` to press. ``manners``: of each seat."""

    def __init__(self, table: SimTable, machine: Machine, rng: np.random.Generator, manners: Sequence[Manners]) -> None:
        self._table = table
        self._mind = Mind(table)
        self._keys = SimKeys(table, machine)
        self._chores = Chores(table, machine, self._mind, self._keys, rng)
        self._playing = Playing(table, self._mind, self._keys, rng, manners)
        self.objections = Objections(table, self._mind, self._keys)
        """To what stands on the page."""

    @property
    def acts(self) -> list[Act]:
        """What they did against the rules, knowing it; for the comparison only."""
        return self._playing.acts

    def show(self, light: Light) -> None:
        """They look at the ring: which color is to be matched, and whether play rests."""
        self._playing.color = light.color
        self._mind.is_paused = light.mode == "fault"

    def say(self, say: Say) -> None:
        """They listen, politely."""

    @property
    def has_pressed(self) -> bool:
        """Whether `presses` would give something."""
        return self._keys.has_pressed

    def presses(self) -> tuple[Press | CommandGiven, ...]:
        """What they have pressed since the last call."""
        return self._keys.presses()

    def ask(self, ask: Ask) -> None:
        """They do what is asked, when they get round to it; a new question takes the place of the last."""
        if (chore := self._chore(ask)) is not None:
            chore()
            return
        self._mind.asked()
        clear_s = 0.0
        if self._table.spread:
            self._table.gather(0)
            clear_s = CLEAR_S
        on_top = self._table.discard[-1].face if self._table.discard else None
        if ask.card is not None and on_top is not None and ask.card != on_top:
            self._mind.when_free(1.0, self._chores.tell_top_card)
        else:
            self._answer(ask, clear_s)

    def _chore(self, ask: Ask) -> Callable[[], object] | None:
        """What is done beside whatever else is asked."""
        then, chores, playing = self._mind.then, self._chores, self._playing
        by_word: dict[str, Callable[[], object]] = {
            "recycle": lambda: chores.recycle(_seat(ask)),
            "clear-fault": lambda: then(2.5, chores.clear_fault),
            "give-back": lambda: then(0.5, lambda: chores.give_back(_seat(ask), ask.n)),
            "which-card": lambda: then(1.5, chores.tell_top_card),
            "choose-dealer": lambda: then(1.0, chores.choose_dealer),
            "make-rule": lambda: playing.make_or_decline(_seat(ask), ask.numbers),
            "follow-rule": playing.follow_rule,
            "next-round": lambda: then(1.0, chores.collect),
        }
        return by_word.get(ask.what)

    def _answer(self, ask: Ask, clear_s: float) -> None:
        """Do it instead of what was asked before. ``clear_s``: so long until the place for open hands is clear."""
        mind, chores, playing = self._mind, self._chores, self._playing
        by_word: dict[str, Callable[[int], object]] = {
            "turn-up": lambda seat: mind.when_free(1.0, lambda: chores.lay_starter(seat)),
            "return-card": lambda seat: mind.then(0.8, lambda: chores.return_card(seat, ask.to or "deck")),
            "turn": playing.turn,
            "name-color": lambda seat: mind.when_free(playing.think_s(seat), lambda: playing.name_color(seat)),
            "answer": lambda seat: playing.answer(seat, ask.seats),
            "play-drawn": lambda seat: mind.when_free(playing.think_s(seat), lambda: playing.play_last(seat)),
            "collect-hands": lambda seat: mind.when_free(0.5, lambda: self._collect_hands(seat, ask.counts)),
            "show-hand": lambda seat: mind.when_free(0.8 + clear_s, lambda: chores.show(seat, 0)),
            "take-back": lambda seat: playing.take_back(seat, ask.card),
        }
        if ask.what in by_word:
            by_word[ask.what](_seat(ask))

    def _collect_hands(self, seat: int, counts: tuple[int, ...]) -> None:
        self._playing.has_new_hands = True
        self._chores.collect_hands(seat, counts)


def _seat(ask: Ask) -> int:
    if ask.seat is None:
        raise TypeError(f"nobody is asked: {ask}")
    return ask.seat
