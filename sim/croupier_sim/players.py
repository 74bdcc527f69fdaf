"""The players at the simulated table: the time of their actions, their presses, their play, and their mistakes.

A player knows its own hand, the top card and the color that the ring shows. It plays by rules of its own, not by the
referee's code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, cast

import numpy as np

from croupier.commands import ColorKey, DiscardCards, Key, MakeHouseRule, SwapHands
from croupier.events import CommandGiven, Press
from croupier_rules.cards import KEYS, KIND
from croupier_rules.referee import corrections
from croupier_rules.rules import load
from croupier_rules.rules.card_tables import DRAW2
from croupier_rules.rules.own_rules import OwnRules
from croupier_sim.machine import SimMachine
from croupier_sim.table import SimTable

STUCK_S: Final = 4.0
"""Time without any event after which people push the card or lay the hand open again (s)."""


class Agenda:
    """The plans of all people at ``table``."""

    def __init__(self, table: SimTable) -> None:
        self._table = table
        self._asked = 0
        self._busy_until = 0.0
        self.is_paused = False
        """True while the ring shows that play is paused."""
        self.resumed = 0.0
        """When play was resumed last (s)."""

    def pause(self, is_paused: bool) -> None:
        """Note whether the ring shows that play is paused."""
        if self.is_paused and not is_paused:
            self.resumed = self._table.now
        self.is_paused = is_paused

    def cancel(self) -> None:
        """Drop all plans made with `when_free`: the table has another request."""
        self._asked += 1

    def hold_until(self, t: float) -> None:
        """Delay the plans until ``t``."""
        self._busy_until = max(self._busy_until, t)

    def after(self, after_s: float, act: Callable[[], object]) -> None:
        """Act after this time, in any case."""
        self._table.at(self._table.now + after_s, act)

    def when_free(self, after_s: float, act: Callable[[], object]) -> None:
        """Act after this time, unless the table makes another request before; wait while play is paused or delayed."""
        asked = self._asked

        def due() -> None:
            if asked == self._asked:
                if self.is_paused or self._table.now < self._busy_until:
                    self.after(1.0, due)
                else:
                    act()

        self.after(after_s, due)


PRESS_U: Final = 0.005
"""Uncertainty of a press (s)."""


class SimKeys:
    """An `EventSource` of all keys and of the page, but the UNO buttons, which belong to the machine."""

    def __init__(self, table: SimTable, machine: SimMachine) -> None:
        self._table, self._machine = table, machine
        self._pressed: list[Press | CommandGiven] = []

    def press(self, seat: int, key: Key) -> None:
        """Press ``key`` at ``seat`` now."""
        if key == "uno":
            self._machine.press(seat)
        else:
            self.submit(Press(t=round(self._table.now, 4), u=PRESS_U, seat=seat, key=key))

    def submit(self, event: Press | CommandGiven) -> None:
        """Submit a command on the page."""
        self._pressed.append(event)

    def count(self) -> None:
        """Count the cards of all hands and piles on the page, unless a count is pending."""
        table = self._table
        if not table.slides:
            hands = {seat: len(hand) for seat, hand in enumerate(table.hands)}
            counted = {"hands": hands, "draw_pile": len(table.hopper), "discard_pile": len(table.discard)}
            self.submit(CommandGiven(t=table.now, command=corrections.SetTo(counted)))

    @property
    def has_pressed(self) -> bool:
        """True if `poll` would return something."""
        return bool(self._pressed)

    def poll(self) -> tuple[Press | CommandGiven, ...]:
        """Return the presses and commands since the last call."""
        pressed, self._pressed = tuple(self._pressed), []
        return pressed


@dataclass(frozen=True, slots=True, kw_only=True)
class Behavior:
    """Habits of a player: probabilities, and times between a request and the act (s).

    ``wrong_card``: lays a card that does not match. ``no_draw``: passes without the card it should draw.
    ``takes_back``: shows the others a card over the pile and keeps it. ``out_of_turn``: lays a card in another's turn.
    ``jump_in``, ``stack``: lays the same card once more, or answers a draw card, where the table plays so.
    """

    think_s: tuple[float, float] = (0.6, 2.0)
    draw_by_choice: float = 0.03
    play_drawn: float = 0.9
    bluff: float = 0.3
    call_uno: float = 0.8
    call_late: float = 0.4
    catch: float = 0.6
    challenge: float = 0.3
    wave: float = 0.05
    make_rule: float = 0.8
    follow_rule: float = 0.95
    follow_s: tuple[float, float] = (0.4, 1.6)
    wrong_card: float = 0.02
    no_draw: float = 0.0
    takes_back: float = 0.0
    out_of_turn: float = 0.0
    jump_in: float = 0.7
    stack: float = 0.8


PLAIN: Final = Behavior()

HABITS: Final[Mapping[str, Behavior]] = {
    "plain": PLAIN,
    "slow": replace(PLAIN, think_s=(1.5, 4.5), follow_s=(1.0, 3.0)),
    "forgetful": replace(PLAIN, call_uno=0.25, call_late=0.3, follow_rule=0.6),
    "bluffing": replace(PLAIN, bluff=0.9, challenge=0.6),
    "cheating": replace(PLAIN, wrong_card=0.12, no_draw=0.2, takes_back=0.1),
    "hasty": replace(PLAIN, think_s=(0.3, 0.9), out_of_turn=0.08),
}
"""The habits that ``--habits`` accepts. ``hasty`` plays out of turn."""


_COMMON: Final = ("plain",) * 12 + ("slow",) * 2 + ("forgetful",) * 4 + ("bluffing",) * 4 + ("cheating",) * 3


def mixed(seats: int, rng: np.random.Generator) -> tuple[str, ...]:
    """Return a random habit for each seat, mostly plain ones.

    Hasty players come only on request: a card out of turn is recognized by the arm alone, and takes many more frames.
    """
    return tuple(str(name) for name in rng.choice(_COMMON, seats))


@dataclass(frozen=True, slots=True)
class Act:
    """An act of ``seat`` at ``t`` against the rules. ``why``: as in `Illegal.why`; "" if there should be no ruling,
    since no card was laid."""

    t: float
    seat: int
    why: str


PUSHES: Final = 3
"""A card that the table does not notice is pushed; every third time, people do something else."""

_BESIDE_MM: Final = (30.0, 0.0)
"""Offset of a card that is laid on its twin: exactly on it, it would look as if the twin had been pushed."""

BY_THE_SHEET: Final = OwnRules(load("g7942-en"))
"""No rule that no sheet has."""

_RULES: Final = ("Klaśnij w dłonie.", "Dotknij nosa.", "Wstań.", "Połóż rękę na stole.", "Zamknij oczy.")
"""House rules that people make, in the language of the only deck that has them."""


class Players:
    """The play of all seats. ``behaviors``: one for each seat. ``own``: what the table plays otherwise than a sheet.
    ``review``: corrects the record."""

    def __init__(
        self, table: SimTable, agenda: Agenda, keys: SimKeys, rng: np.random.Generator, behaviors: Sequence[Behavior],
        own: OwnRules = BY_THE_SHEET, review: Callable[[], object] = lambda: None,
    ) -> None:  # fmt: skip
        self._table, self._agenda, self._keys, self._rng, self._behaviors = table, agenda, keys, rng, tuple(behaviors)
        self._own, self._review = own, review
        self.acts: list[Act] = []
        """Acts against the rules, for comparison with the rulings only."""
        self.color: str | None = None
        """The active color, as the ring shows it."""
        self.is_owing = False
        """True while the ring shows that somebody draws."""
        self._turn = 0
        self._act: Callable[[], object] = lambda: None
        """Plan the move of the seat on turn, again after a card that went back."""
        self._moved_after = 0
        """The number of cards that had been laid when hands moved last."""
        self._refused: set[str] = set()
        self.has_new_hands = False
        """True if the hands were dealt again during the round."""

    def turn(self, seat: int) -> None:
        """Begin the turn of ``seat``."""
        self._turn = seat
        self._refused.clear()
        for other, behavior in enumerate(self._behaviors):
            if self._rng.random() < behavior.wave / len(self._behaviors):
                self._table.wave(other)
            if other != seat and self._rng.random() < behavior.out_of_turn:
                self._agenda.when_free(float(self._rng.uniform(0.1, 0.5)), partial(self._jump_in, other))
        if self.has_new_hands:
            self.has_new_hands = False
            self._look_at_new_hands()
        for other in self._may_lay_again(seat):
            if self._rng.random() < self._behaviors[other].jump_in:
                self._agenda.when_free(float(self._rng.uniform(0.05, 0.3)), partial(self._lay_again, other))
        self._act = partial(self._take_turn, seat)
        self._agenda.when_free(self.think_s(seat), self._act)

    def _may_lay_again(self, seat: int) -> list[int]:
        """The seats that may lay the up-card once more while ``seat`` is on turn. Without a call, two cards are no
        time to do so."""
        if not self._table.laid_by or not self._table.discard:
            return []
        top, last, own = self._table.discard[-1].face, self._table.laid_by[-1], self._own
        return [
            other
            for other, hand in enumerate(self._table.hands)
            if other != seat and (own.jump_in or (own.double and other == last))
            if len(hand) != 2 and self._fits_again(top, hand)
        ]

    def _fits_again(self, top: str, hand: list[str]) -> bool:
        is_last_action = self._own.no_action_last and len(hand) == 1 and not top[-1].isdigit()
        return not top.startswith("wild") and top in hand and not is_last_action

    def _lay_again(self, seat: int) -> None:
        """Lay the up-card once more, unless somebody else is about to lay a card."""
        top = self._table.discard[-1].face
        if not self._table.reaches and self._fits_again(top, self._table.hands[seat]):
            self._agenda.hold_until(self._table.lay(seat, top, beside=_BESIDE_MM) + STUCK_S)

    def _take_turn(self, seat: int) -> None:
        if self.is_owing and any(self._own.hands_move.values()):  # hands move only when all cards have arrived
            self._agenda.when_free(0.5, self._act)
            return
        if self._cheats(seat):
            return
        hand = self._table.hands[seat]
        wanted = [card for card in hand if self._would_play(card, hand, seat) and card not in self._refused]
        if wanted and self._rng.random() >= self._behaviors[seat].draw_by_choice:
            self._play(seat, str(self._rng.choice(wanted)))
        else:
            self._draw(seat)

    def _cheats(self, seat: int) -> bool:
        """True if the seat uses its turn for an act against the rules."""
        hand, behavior, chance = self._table.hands[seat], self._behaviors[seat], float(self._rng.random())
        wrong = [card for card in hand if not self._matches(card) and card not in self._refused]
        if wrong and chance < behavior.wrong_card:
            self._acts(seat, "no-match")
            self._lay(seat, str(self._rng.choice(wrong)))
        elif 0 <= chance - behavior.wrong_card < behavior.no_draw:
            self._acts(seat, "wrong-phase")
            self._keys.press(seat, "pass")
        elif 0 <= chance - behavior.wrong_card - behavior.no_draw < behavior.takes_back:
            self._acts(seat, "")
            back = self._table.show(seat, str(self._rng.choice(hand)))
            self._agenda.when_free(back - self._table.now + self.think_s(seat), lambda: self._take_turn(seat))
        else:
            return False
        return True

    def _jump_in(self, seat: int) -> None:
        """Lay a card in another's turn; the seat on turn waits for the ruling."""
        hand = self._table.hands[seat]
        if len(hand) < 2 or self._table.reaches or not self._table.discard:
            return
        self._acts(seat, "not-your-turn")
        self._agenda.hold_until(self._table.lay(seat, str(self._rng.choice(hand))) + STUCK_S)

    def _acts(self, seat: int, why: str) -> None:
        self.acts.append(Act(self._table.now, seat, why))

    def _play(self, seat: int, card: str) -> None:
        if len(self._table.hands[seat]) != 2:
            self._lay(seat, card)
        elif self._rng.random() < self._behaviors[seat].call_uno:
            self._keys.press(seat, "uno")
            self._agenda.when_free(0.6, lambda: self._lay(seat, card))
        else:
            self._lay(seat, card)
            self._agenda.after(2.0, lambda: self._after_forgotten_call(seat))

    def play_last(self, seat: int) -> None:
        """Lay the card that came last."""
        self._play(seat, self._table.hands[seat][-1])

    def _lay(self, seat: int, card: str) -> None:
        self._table.lay(seat, card)
        self._agenda.when_free(STUCK_S, lambda: self._insist(seat, card, 1))

    def _insist(self, seat: int, card: str, times: int) -> None:
        """Push a card that the table has not noticed or not accepted, and look for the mistake in the record; then
        take it back, count all cards, and lay it again."""
        if not self._table.discard:
            return  # it was the last card of the round, and all cards were collected
        if times < 2 * PUSHES:
            if times % PUSHES:
                self._table.straighten(seat)
            else:
                self._review()
            self._agenda.when_free(STUCK_S, lambda: self._insist(seat, card, times + 1))
            return
        back = self._table.take_back(seat)
        self._agenda.when_free(back - self._table.now + 0.8, self._keys.count)
        self._agenda.when_free(back - self._table.now + 1.5, lambda: self._lay(seat, card))

    def _after_forgotten_call(self, seat: int) -> None:
        if len(self._table.hands[seat]) != 1:
            return
        if self._rng.random() < self._behaviors[seat].call_late:
            self._keys.press(seat, "uno")
        other = (seat + int(self._rng.integers(1, self._table.seats))) % self._table.seats
        if self._rng.random() < self._behaviors[other].catch:
            self._agenda.after(float(self._rng.uniform(0.1, 0.8)), lambda: self._keys.press(other, "uno"))

    def _draw(self, seat: int, tries: int = 4) -> None:
        """Ask for a card, and again if none comes. Pass if the pile is empty."""
        had = len(self._table.hands[seat])
        self._keys.press(seat, "draw" if tries else "pass")
        self._agenda.when_free(0.6, lambda: self._after_draw(seat, had, tries, STUCK_S))

    def _after_draw(self, seat: int, had: int, tries: int, patience_s: float) -> None:
        hand = self._table.hands[seat]
        if len(hand) <= had and patience_s <= 0:
            self._draw(seat, max(0, tries - 1))
            return
        if len(hand) <= had:
            self._agenda.when_free(0.4, lambda: self._after_draw(seat, had, tries, patience_s - 0.4))
            return
        drawn = hand[-1]
        if self._own.draws_until_it_fits and not self._matches(drawn):
            self._agenda.when_free(0.5, lambda: self._draw(seat))
        elif self._would_play(drawn, hand, seat) and self._rng.random() < self._behaviors[seat].play_drawn:
            self._agenda.when_free(self.think_s(seat), lambda: self._play_drawn(seat, had, drawn))
        else:
            self._agenda.when_free(0.5, lambda: self._keys.press(seat, "pass"))

    def _play_drawn(self, seat: int, had: int, drawn: str) -> None:
        """Lay the drawn card. If two had come and it went back, lay the other."""
        if drawn in self._table.hands[seat]:
            self._play(seat, drawn)
        else:
            self._after_draw(seat, had, 0, STUCK_S)

    def take_back(self, seat: int, card: str | None) -> None:
        """Take the card back if it is the seat's; then the seat on turn decides again."""
        self._refused.update([card] if card and seat == self._turn else [])

        def take() -> None:
            if self._table.laid_by[-1] != seat:
                return
            gone = self._table.take_back(seat)
            self._agenda.when_free(gone - self._table.now + 0.8 + self.think_s(seat), lambda: self._act())

        self._agenda.after(0.8, take)

    def _would_play(self, card: str, hand: list[str], seat: int) -> bool:
        """True if this seat believes that it may lay the card, or dares to."""
        if self._own.no_action_last and len(hand) == 1 and not card.rstrip("*")[-1].isdigit():
            return False
        if (
            card == "wild-draw4"
            and not self._own.no_challenge
            and any(other.startswith(f"{self.color}-") for other in hand)
        ):
            return bool(self._rng.random() < self._behaviors[seat].bluff)
        return self._matches(card)

    def _matches(self, card: str) -> bool:
        color, _, symbol = card.partition("-")
        is_wild = self._own.cards.is_wild[KIND[card]]
        on_top = self._table.discard[-1].face.partition("-")[2]
        fits_anything = is_wild or not self._own.cards.colors
        return fits_anything or color == self.color or symbol.rstrip("*") == on_top.rstrip("*")

    def name_color(self, seat: int) -> None:
        """Name the color of which the seat holds most."""
        hand = self._table.hands[seat]
        best = max(
            self._own.cards.colors, key=lambda color: (sum(card.startswith(color) for card in hand), self._rng.random())
        )
        self._keys.press(seat, cast(ColorKey, KEYS[best]))

    def answer(self, seat: int, may_challenge: tuple[int, ...]) -> None:
        """Answer a draw card; if other seats may challenge too, one of them may be quicker."""
        self._agenda.when_free(self.think_s(seat), lambda: self._accept_or_challenge(seat))
        for other in may_challenge:
            if other != seat and self._rng.random() < self._behaviors[other].challenge / len(may_challenge):
                self._agenda.when_free(self.think_s(other), partial(self._keys.press, other, "challenge"))

    def _accept_or_challenge(self, seat: int) -> None:
        self._keys.press(seat, "challenge" if self._rng.random() < self._behaviors[seat].challenge else "accept")

    def answer_stack(self, seat: int, n: int, may_challenge: tuple[int, ...]) -> None:
        """Answer the draw card with another, or take ``n`` cards, or challenge."""
        self._turn = seat
        self._refused.clear()
        self._act = partial(self._stack, seat, n, may_challenge)
        self._agenda.when_free(self.think_s(seat), self._act)

    def _stack(self, seat: int, n: int, may_challenge: tuple[int, ...]) -> None:
        hand = self._table.hands[seat]
        fit = [card for card in hand if self._may_answer(card, n, len(hand)) and card not in self._refused]
        if fit and self._rng.random() < self._behaviors[seat].stack:
            self._play(seat, str(self._rng.choice(fit)))
        elif seat in may_challenge:
            self._accept_or_challenge(seat)
        else:
            self._keys.press(seat, "accept")

    def _may_answer(self, card: str, n: int, held: int) -> bool:
        kind, tables = KIND[card], self._own.cards
        effect, top = tables.effect_of[kind], tables.effect_of[KIND[self._table.discard[-1].face]]
        if effect not in self._own.answers.get(top, ()) or (self._own.no_action_last and held == 1):
            return False
        if {effect, top} & self._own.bounces and not self._matches(card):
            return False
        is_in_limit = self._own.limit is None or n + tables.draws.get(effect, 0) <= self._own.limit
        is_of_color = tables.color_of[kind] == tables.no_color or card.partition("-")[0] == self.color
        is_handed_on = top in self._own.bounces
        return is_in_limit and (self._own.any_color or top == DRAW2 or is_handed_on or is_of_color)

    def discard_all(self, seat: int) -> None:
        """Lay all other cards of the color under the Discard All, and say how many."""
        color, hand = self._table.discard[-1].face.partition("-")[0], self._table.hands[seat]
        these = [card for card in hand if card.startswith(f"{color}-")]
        if len(hand) - len(these) == 1 and self._rng.random() < self._behaviors[seat].call_uno:
            self._keys.press(seat, "uno")
        self._table.hands[seat] = [card for card in hand if card not in these]
        self._table.lay_under(these)
        t = round(self._table.now + 0.5, 4)
        self._agenda.after(
            0.5, lambda: self._keys.submit(CommandGiven(t=t, u=PRESS_U, command=DiscardCards(len(these), seat)))
        )

    def turn_up(self, seat: int) -> None:
        """Draw until a card of the color comes."""
        had = len(self._table.hands[seat])
        self._keys.press(seat, "draw")
        self._agenda.when_free(0.6, lambda: self._after_turning_up(seat, had, STUCK_S))

    def _after_turning_up(self, seat: int, had: int, patience_s: float) -> None:
        hand = self._table.hands[seat]
        if len(hand) <= had and patience_s > 0:
            self._agenda.when_free(0.4, lambda: self._after_turning_up(seat, had, patience_s - 0.4))
        elif len(hand) > had and hand[-1].startswith(f"{self.color}-"):
            self._keys.press(seat, "pass")
        else:
            self.turn_up(seat)

    def give_up_hand(self, seat: int) -> None:
        """Put the hand under the discard pile."""
        self._table.knocked_out.add(seat)
        self._table.lay_under(self._table.hands[seat])
        self._table.hands[seat] = []

    def choose_seat(self, seat: int) -> None:
        """Choose the seat that holds the fewest cards, to swap hands with it or make it draw, when all cards have
        arrived."""
        if self.is_owing or self._table.slides:
            self._agenda.when_free(0.5, lambda: self.choose_seat(seat))
            return
        hands = self._table.hands
        others = (one for one in range(len(hands)) if one != seat and one not in self._table.knocked_out)
        other = min(others, key=lambda one: len(hands[one]))
        t = round(self._table.now, 4)
        self._keys.submit(CommandGiven(t=t, u=PRESS_U, command=SwapHands(other, seat)))

    def move_hands(self, whose: tuple[int, ...]) -> None:
        """Give each seat the hand of the seat in ``whose``, once for each card that makes hands move."""
        if self._moved_after != len(self._table.laid):
            self._moved_after = len(self._table.laid)
            self._table.move_hands(whose)
            self.has_new_hands = True

    def _look_at_new_hands(self) -> None:
        """Call UNO for each hand of a single new card, or forget it."""
        for seat, hand in enumerate(self._table.hands):
            if len(hand) == 1 and self._rng.random() < self._behaviors[seat].call_uno:
                self._agenda.after(float(self._rng.uniform(0.1, 0.5)), partial(self._keys.press, seat, "uno"))
            elif len(hand) == 1:
                self._after_forgotten_call(seat)

    def make_or_decline(self, seat: int, numbers: tuple[int, ...]) -> None:
        """Make a house rule or decline; the others wait."""
        think_s = self.think_s(seat)
        self._agenda.hold_until(self._table.now + think_s)
        if self._rng.random() < self._behaviors[seat].make_rule:
            number, text = int(self._rng.choice(numbers)), str(self._rng.choice(_RULES))
            self._agenda.after(think_s, lambda: self._make_rule(seat, number, text))
        else:
            self._agenda.after(think_s, lambda: self._keys.press(seat, "decline"))

    def _make_rule(self, seat: int, number: int, text: str) -> None:
        t = round(self._table.now, 4)
        self._keys.submit(CommandGiven(t=t, u=PRESS_U, command=MakeHouseRule(seat, number, text)))

    def follow_rule(self) -> None:
        """Obey the house rule quickly, then play on. Sometimes one player forgets."""
        for seat, behavior in enumerate(self._behaviors):
            self._agenda.hold_until(self._table.now + behavior.follow_s[1])
            after_s = float(self._rng.uniform(*behavior.follow_s))
            if self._rng.random() < behavior.follow_rule:
                self._agenda.after(after_s, partial(self._keys.press, seat, "acted"))

    def think_s(self, seat: int) -> float:
        """Return a random time to think (s)."""
        return float(self._rng.uniform(*self._behaviors[seat].think_s))
