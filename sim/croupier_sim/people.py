"""The people at the simulated table: they hold the true cards, follow the table's requests and object to its
mistakes."""

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
from croupier_rules.cards import KEYS
from croupier_rules.referee.corrections import Was
from croupier_rules.referee.observations import Observation, Play, Shown
from croupier_rules.referee.rulings import Mismatch, RoundOver, Ruling
from croupier_rules.rules.own_rules import OwnRules
from croupier_sim.machine import SimMachine
from croupier_sim.players import BY_THE_SHEET, PUSHES, STUCK_S, Act, Agenda, Behavior, Players, SimKeys
from croupier_sim.record import Record
from croupier_sim.table import CARDS_A_PICTURE, SimTable

_SHOW_S: Final = 6.0  # a refused hand is laid open again after this time
_PATIENCE: Final = 3  # after this number of refusals, people count all cards
_RULED_S: Final = 2.5  # time after which everybody knows the ruling on a laid card
_SHUFFLES_S: Final = 2.0  # to shuffle the draw pile
_PATIENT_S: Final = 40.0  # time without another request after which people look for the mistake
_RECYCLES_S: Final = 4.0  # from reaching for the discard pile until the table knows that its cards are in the shoe
CLEAR_S: Final = 2.2
"""Time from reaching for open cards until the camera has seen the zone clear (s)."""


class Chores:
    """Tasks that the table asks people for."""

    def __init__(
        self, table: SimTable, machine: SimMachine, agenda: Agenda, keys: SimKeys, record: Record,
        rng: np.random.Generator,
    ) -> None:  # fmt: skip
        self._table, self._machine, self._agenda, self._keys, self._rng = table, machine, agenda, keys, rng
        self._record = record

    def choose_dealer(self) -> None:
        """Choose a random dealer."""
        self._keys.submit(
            CommandGiven(t=self._table.now, command=ChooseDealer(int(self._rng.integers(self._table.seats))))
        )

    def lay_starter(self, seat: int) -> None:
        """Turn up the top card of the shoe. Until the table has noticed it, push it, or lay it once more."""
        self._table.turn_up(seat)
        self._agenda.when_free(STUCK_S, lambda: self._insist_on_starter(seat, 1))

    def _insist_on_starter(self, seat: int, times: int) -> None:
        if times % PUSHES:
            self._table.straighten(seat)
        else:
            self._table.lay_again(seat)
        self._agenda.when_free(STUCK_S, lambda: self._insist_on_starter(seat, times + 1))

    def return_card(self, seat: int, to: str) -> None:
        """Return the starter card that does not count to the place ``to``. Nobody turns up the next one before."""
        if to != "aside":
            self._agenda.hold_until(self._table.return_top(seat, to) + _SHUFFLES_S)

    def show(self, seat: int, first: int, times: int = 1) -> None:
        """Lay the hand open, in parts if it is large; repeat if the table does not accept it.

        After `_PATIENCE` refusals the record must have other cards than the table.
        """
        hand = self._table.hands[seat]
        if not hand:
            return
        if times > _PATIENCE and first == 0:
            self.review()
            times = 1
        self._table.lay_open(seat, hand[first : first + CARDS_A_PICTURE])
        after = first + CARDS_A_PICTURE
        stay = 3.0 if after < len(hand) else _SHOW_S
        self._agenda.when_free(stay, lambda: self._table.gather(seat))
        rest = (after, times) if after < len(hand) else (0, times + 1)
        self._agenda.when_free(stay + CLEAR_S, lambda: self.show(seat, *rest))

    def name_top_card(self) -> None:
        """Correct the record on the page, once play goes on; if it has no mistake, name the top card."""
        if self._agenda.is_paused:
            self._agenda.after(1.0, self.name_top_card)
        elif not self._record.correct() and self._table.discard:
            self._keys.submit(CommandGiven(t=self._table.now, command=NameCard(self._table.discard[-1].face)))

    def review(self) -> None:
        """Correct the record on the page; if its cards have no mistake, count all cards."""
        if not self._record.correct():
            self._keys.count()

    def recycle(self, seat: int) -> None:
        """Make the discard pile the draw pile, after the ruling on the last card. Nobody plays meanwhile."""
        table = self._table
        self._agenda.hold_until(table.now + _RECYCLES_S)
        if table.reaches or (table.touched and table.now - table.touched[-1] < _RULED_S):
            self._agenda.after(0.5, partial(self.recycle, seat))
        else:
            table.at(table.recycle(seat) + 0.2, self._machine.loaded)

    def give_back(self, seat: int, n: int) -> float:
        """Put the last ``n`` cards of the seat under those in the shoe. Returns the time when they lie there."""
        back = self._table.put_back(seat, n)
        self._table.at(back, partial(self._machine.returned, seat, n))
        return back

    def clear_fault(self) -> None:
        """Open the shoe, put surplus cards back, and press go; repeat while play is paused."""
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
        """Put all hands into the shoe."""
        self._table.at(self._table.collect_hands(seat, counts) + 1.0, lambda: self._keys.press(seat, "go"))

    def collect(self) -> None:
        """Put all cards into the shoe, for the next round."""
        self._table.at(self._table.collect(0) + 1.5, lambda: self._keys.press(0, "go"))


_SAYS_S: Final = 1.2
_HEARD_S: Final = 0.8  # time after an objection from which the table's requests follow it
_SAME_S: Final = 0.5


class Objections:
    """Objections of people, who see which hand laid a card, and see open hands. Nobody follows requests meanwhile."""

    def __init__(self, table: SimTable, agenda: Agenda, keys: SimKeys, record: Record) -> None:
        self._table, self._agenda, self._keys, self._record = table, agenda, keys, record
        self._wrong: tuple[Play, int] | None = None
        self._hands: list[tuple[Shown, Shown]] = []
        self._doubts_record = False

    @property
    def is_pending(self) -> bool:
        """True if somebody is about to object."""
        return self._wrong is not None or bool(self._hands) or self._doubts_record

    def read_play(self, play: Play, seat: int | None) -> None:
        """Read on the page that ``seat`` laid this card."""
        laid_by = self._laid_by(play)
        if laid_by is not None and laid_by != seat:
            self._wrong = play, laid_by
            self._say_soon(self._object)

    def update_play(self, play: Play) -> None:
        """Read on the page that the last card has changed."""
        if self._wrong is not None:
            self._wrong = play, self._wrong[1]

    def read_hand(self, shown: Shown) -> None:
        """Read on the page which cards lie open."""
        hand = self._table.hands[shown.seat]
        if Counter(shown.cards) != Counter(hand):
            self._hands.append((shown, replace(shown, cards=tuple(hand))))
            self._say_soon(self._object_to_hand)

    def read_rulings(self, rulings: Sequence[Ruling]) -> None:
        """Read on the page that table and record disagree, or that a seat is out of cards: it may still hold some."""
        hands = self._table.hands
        doubts = (isinstance(one, Mismatch) or (isinstance(one, RoundOver) and hands[one.seat]) for one in rulings)
        if any(doubts) and not self._doubts_record:
            self._doubts_record = True
            self._say_soon(self._correct_record)

    def _correct_record(self) -> None:
        if self._agenda.is_paused:
            self._agenda.after(1.0, self._correct_record)
            return
        self._doubts_record = False
        self._record.correct()

    def _say_soon(self, say: Callable[[], None]) -> None:
        self._agenda.hold_until(self._table.now + _SAYS_S + _HEARD_S)
        self._agenda.after(_SAYS_S, say)

    def _object(self) -> None:
        if self._wrong is not None:
            play, seat = self._wrong
            self._wrong = None
            self._say(play, replace(play, seat=seat))

    def _object_to_hand(self) -> None:
        self._say(*self._hands.pop(0))

    def _say(self, was: Observation, now: Observation) -> None:
        self._keys.submit(CommandGiven(t=self._table.now, command=Was(was, now)))

    def _laid_by(self, play: Play) -> int | None:
        """Return the seat that laid a card at that time, if any; of several, the one with this face."""
        table = self._table
        then = [n for n, t in enumerate(table.touched) if abs(t - play.t) <= play.u + _SAME_S]
        n = min(then, key=lambda n: (table.laid[n] != play.card, abs(table.touched[n] - play.t)), default=None)
        return None if n is None else table.laid_by[n]


class SimPeople:
    """All people at the table: a `Ring` and a `Page` that they see, and an `EventSource` of their presses and commands.

    ``behaviors``: one for each seat. ``own``: as in `Players`.
    """

    fault = ""
    """Always "": people can see the ring."""

    def __init__(
        self,
        table: SimTable,
        machine: SimMachine,
        rng: np.random.Generator,
        behaviors: Sequence[Behavior],
        own: OwnRules = BY_THE_SHEET,
    ) -> None:
        self._table, self._machine = table, machine
        self._agenda = Agenda(table)
        self._keys = SimKeys(table, machine)
        self.record = Record(table, self._agenda, self._keys)
        """The record as people read it on the page."""
        self._by_key = {KEYS[color]: color for color in own.cards.colors}
        self._chores = Chores(table, machine, self._agenda, self._keys, self.record, rng)
        self._players = Players(table, self._agenda, self._keys, rng, behaviors, own, self._chores.review)
        self.objections = Objections(table, self._agenda, self._keys, self.record)
        """Objections of people to the record."""

    @property
    def acts(self) -> list[Act]:
        """Acts against the rules, for comparison with the rulings only."""
        return self._players.acts

    def show(self, light: Light) -> None:
        """Show people the ring: the active color, and whether play is paused."""
        self._players.color = None if light.color is None else self._by_key[light.color]
        self._players.is_owing = light.mode == "penalty"
        self._agenda.pause(light.mode == "fault")

    def say(self, say: Say) -> None:
        """Do nothing: people listen."""

    @property
    def has_pressed(self) -> bool:
        """True if `poll` would return something."""
        return self._keys.has_pressed

    def poll(self) -> tuple[Press | CommandGiven, ...]:
        """Return the presses and commands since the last call."""
        return self._keys.poll()

    def watermark(self) -> float:
        """As `EventSource.watermark`: presses arrive without delay."""
        return self._table.now

    def ask(self, ask: Ask) -> None:
        """Ask people for something; a new request replaces the last."""
        if (chore := self._chore(ask)) is not None:
            chore()
            return
        self._agenda.cancel()
        self._agenda.when_free(_PATIENT_S, self._wonder)
        clear_s = 0.0
        if self._table.spread:
            self._table.gather(0)
            clear_s = CLEAR_S
        on_top = self._table.discard[-1].face if self._table.discard else None
        if ask.card is not None and on_top is not None and ask.card != on_top:
            self._agenda.when_free(1.0, self._chores.name_top_card)
        else:
            self._answer(ask, clear_s)

    def _wonder(self) -> None:
        """Nothing goes on: look for the mistake, again and again, but not while cards are dealt."""
        if not self._machine.is_feeding:
            self._chores.review()
        self._agenda.when_free(_PATIENT_S, self._wonder)

    def _chore(self, ask: Ask) -> Callable[[], object] | None:
        """Return the action of people in addition to another request; ``None`` if ``ask`` replaces it."""
        after, chores, players = self._agenda.after, self._chores, self._players
        by_word: dict[str, Callable[[], object]] = {
            "recycle": lambda: chores.recycle(_seat(ask)),
            "clear-fault": lambda: after(2.5, chores.clear_fault),
            "give-back": lambda: after(0.5, lambda: chores.give_back(_seat(ask), ask.n)),
            "which-card": lambda: after(1.5, chores.name_top_card),
            "choose-dealer": lambda: after(1.0, chores.choose_dealer),
            "make-rule": lambda: players.make_or_decline(_seat(ask), ask.numbers),
            "follow-rule": players.follow_rule,
            "give-up-hand": lambda: players.give_up_hand(_seat(ask)),
            "move-hands": lambda: self._move_hands(ask),
            "next-round": lambda: after(1.0, chores.collect),
        }
        return by_word.get(ask.what)

    def _answer(self, ask: Ask, clear_s: float) -> None:
        """Follow the request. ``clear_s``: time until the zone for open hands is clear."""
        agenda, chores, players = self._agenda, self._chores, self._players
        by_word: dict[str, Callable[[int], object]] = {
            "turn-up": lambda seat: agenda.when_free(1.0, lambda: chores.lay_starter(seat)),
            "return-card": lambda seat: agenda.after(0.8, lambda: chores.return_card(seat, ask.to or "deck")),
            "turn": players.turn,
            "name-color": lambda seat: agenda.when_free(players.think_s(seat), lambda: players.name_color(seat)),
            "answer": lambda seat: players.answer(seat, ask.seats),
            "stack": lambda seat: players.answer_stack(seat, ask.n, ask.seats),
            "choose-seat": lambda seat: agenda.when_free(players.think_s(seat), lambda: players.choose_seat(seat)),
            "discard": lambda seat: agenda.when_free(players.think_s(seat), lambda: players.discard_all(seat)),
            "turn-up-cards": lambda seat: agenda.when_free(players.think_s(seat), lambda: players.turn_up(seat)),
            "play-drawn": lambda seat: agenda.when_free(players.think_s(seat), lambda: players.play_last(seat)),
            "collect-hands": lambda seat: agenda.when_free(0.5, lambda: self._collect_hands(seat, ask.counts)),
            "show-hand": lambda seat: agenda.when_free(0.8 + clear_s, lambda: chores.show(seat, 0)),
            "take-back": lambda seat: players.take_back(seat, ask.card),
        }
        if ask.what in by_word:
            by_word[ask.what](_seat(ask))

    def _move_hands(self, ask: Ask) -> None:
        if self._table.discard[-1].face == ask.card:  # a card that was misread moves no hands
            self._players.move_hands(ask.seats)

    def _collect_hands(self, seat: int, counts: tuple[int, ...]) -> None:
        self._players.has_new_hands = True
        self._chores.collect_hands(seat, counts)


def _seat(ask: Ask) -> int:
    if ask.seat is None:
        raise TypeError(f"nobody is asked: {ask}")
    return ask.seat
