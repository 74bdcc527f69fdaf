"""The people at the simulated table: they hold the true cards, do what the table asks, and make human mistakes.

They know what people know: their own hand, the card that lies on top, the color the ring shows. They play by the
rules they remember, not by the referee's code; where the table objects, they take the card back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, cast

import numpy as np

from croupier.cards import COLORS
from croupier.devices.protocols import (
    Ask,
    ChosenDealer,
    ColorKey,
    Correction,
    FromPage,
    Key,
    Light,
    NewRule,
    Press,
    Say,
    SetRight,
)
from croupier.devices.sim.machine import Machine
from croupier.devices.sim.manners import Act, Manners
from croupier.devices.sim.table import CARDS_A_PICTURE, SimTable
from croupier.referee import corrections

_PRESS_U: Final = 0.005  # how well a seat's button is stamped
_STUCK_S: Final = 4.0  # when nothing happens for so long, people push the card or lay the hand anew
_PUSHES: Final = 3  # with the last they take it back

_RULES: Final = ("Klaśnij w dłonie.", "Dotknij nosa.", "Wstań.", "Połóż rękę na stole.", "Zamknij oczy.")
"""House rules that come to their minds, in the language of the only deck that has them."""

_SHOW_S: Final = 6.0  # a hand that is not accepted is laid anew after so long
_PATIENCE: Final = 3  # a hand that was laid open so often and not accepted is counted for the page
_CLEAR_S: Final = 2.2  # from reaching for cards that lie open until the place is seen to be empty


class SimPeople:
    """Everybody at the table: a `Ring` and `Page` to look at, a `Panel` to press. ``manners``: of each seat."""

    def __init__(self, table: SimTable, machine: Machine, rng: np.random.Generator, manners: Sequence[Manners]) -> None:
        self._table, self._machine, self._rng, self._manners = table, machine, rng, tuple(manners)
        self.acts: list[Act] = []
        """What they did against the rules, knowing it; for the comparison only."""
        self._turn = 0
        self._color: str | None = None
        self._pressed: list[Press | FromPage] = []
        self._asked = 0
        self._refused: set[str] = set()
        self._is_paused = False
        self._busy_until = 0.0
        self._has_new_hands = False

    # -- what people see and press ---------------------------------------------------------------------------------

    def show(self, light: Light) -> None:
        """They look at the ring: which color is to be matched, and whether play rests."""
        self._color = light.color
        self._is_paused = light.mode == "fault"

    def say(self, say: Say) -> None:
        """They listen, politely."""

    @property
    def has_pressed(self) -> bool:
        """Whether `presses` would give something."""
        return bool(self._pressed)

    def presses(self) -> tuple[Press | FromPage, ...]:
        """What they have pressed since the last call."""
        pressed, self._pressed = self._pressed, []
        return tuple(pressed)

    def ask(self, ask: Ask) -> None:
        """They do what is asked, when they get round to it; a new question takes the place of the last."""
        chores: dict[str, Callable[[], object]] = {
            "recycle": lambda: self._then(1.0, lambda: self._recycle(_seat(ask))),
            "clear-fault": self._on_fault,
            "give-back": lambda: self._then(0.5, lambda: self._give_back(_seat(ask), ask.n)),
            "which-card": lambda: self._then(1.5, self._tell_top_card),
            "choose-dealer": lambda: self._then(1.0, self._choose_dealer),
            "make-rule": lambda: self._on_make_rule(_seat(ask), ask.numbers),
            "follow-rule": self._on_follow_rule,
            "next-round": lambda: self._then(1.0, self._collect),
        }
        if ask.what in chores:
            chores[ask.what]()
            return
        self._asked += 1
        clear_s = 0.0
        if self._table.spread:
            self._table.gather(0)
            clear_s = _CLEAR_S
        on_top = self._table.discard[-1].face if self._table.discard else None
        if ask.card is not None and on_top is not None and ask.card != on_top:
            self._when_free(1.0, self._tell_top_card)
            return
        if ask.what == "turn":
            self._refused.clear()
        answers: dict[str, Callable[[int], object]] = {
            "turn-up": lambda seat: self._when_free(1.0, lambda: self._lay_starter(seat)),
            "return-card": lambda seat: self._then(0.8, lambda: self._return(seat, ask.to or "deck")),
            "turn": self._on_turn,
            "name-color": lambda seat: self._when_free(self._think(seat), lambda: self._name_color(seat)),
            "answer": lambda seat: self._on_answer(seat, ask.seats),
            "play-drawn": lambda seat: self._when_free(self._think(seat), lambda: self._play_last(seat)),
            "collect-hands": lambda seat: self._when_free(0.5, lambda: self._collect_hands(seat, ask.counts)),
            "show-hand": lambda seat: self._when_free(0.8 + clear_s, lambda: self._show(seat, 0)),
            "take-back": lambda seat: self._on_take_back(seat, ask.card),
        }
        if ask.what in answers:
            answers[ask.what](_seat(ask))

    # -- one's turn ------------------------------------------------------------------------------------------------

    def _on_turn(self, seat: int) -> None:
        self._turn = seat
        for other, manners in enumerate(self._manners):
            if self._rng.random() < manners.wave / len(self._manners):
                self._table.wave(other)
            if other != seat and self._rng.random() < manners.out_of_turn:
                self._when_free(float(self._rng.uniform(0.1, 0.5)), partial(self._jump_in, other))
        if self._has_new_hands:
            self._has_new_hands = False
            self._look_at_new_hands()
        self._when_free(self._think(seat), lambda: self._take_turn(seat))

    def _take_turn(self, seat: int) -> None:
        if self._cheats(seat):
            return
        hand = self._table.hands[seat]
        wanted = [card for card in hand if self._would_play(card, hand, seat) and card not in self._refused]
        if wanted and self._rng.random() >= self._manners[seat].draw_by_choice:
            self._play(seat, str(self._rng.choice(wanted)))
        else:
            self._draw(seat)

    # -- what they should not do -----------------------------------------------------------------------------------

    def _cheats(self, seat: int) -> bool:
        """Whether the seat uses its turn for something that is not allowed."""
        hand, manners, chance = self._table.hands[seat], self._manners[seat], float(self._rng.random())
        wrong = [card for card in hand if not self._matches(card) and card not in self._refused]
        if wrong and chance < manners.wrong_card:
            self._acts(seat, "no-match")
            self._lay(seat, str(self._rng.choice(wrong)))
        elif 0 <= chance - manners.wrong_card < manners.no_draw:
            self._acts(seat, "wrong-phase")
            self._press(seat, "pass")
        elif 0 <= chance - manners.wrong_card - manners.no_draw < manners.takes_back:
            self._acts(seat, "")
            back = self._table.show(seat, str(self._rng.choice(hand)))
            self._when_free(back - self._table.now + self._think(seat), lambda: self._take_turn(seat))
        else:
            return False
        return True

    def _jump_in(self, seat: int) -> None:
        """Lay a card though it is another's turn; who is on turn waits to see what becomes of it."""
        hand = self._table.hands[seat]
        if len(hand) < 2 or self._table.reaches or not self._table.discard:
            return
        self._acts(seat, "not-your-turn")
        self._busy_until = self._table.lay(seat, str(self._rng.choice(hand))) + _STUCK_S

    def _acts(self, seat: int, why: str) -> None:
        self.acts.append(Act(self._table.now, seat, why))

    # --------------------------------------------------------------------------------------------------------------

    def _play(self, seat: int, card: str) -> None:
        if len(self._table.hands[seat]) != 2:
            self._lay(seat, card)
        elif self._rng.random() < self._manners[seat].call_uno:
            self._press(seat, "uno")
            self._when_free(0.6, lambda: self._lay(seat, card))
        else:
            self._lay(seat, card)
            self._then(2.0, lambda: self._after_forgotten_call(seat))

    def _play_last(self, seat: int) -> None:
        self._play(seat, self._table.hands[seat][-1])

    def _lay(self, seat: int, card: str) -> None:
        self._table.lay(seat, card)
        self._when_free(_STUCK_S, lambda: self._insist(seat, card, 1))

    def _insist(self, seat: int, card: str, times: int) -> None:
        """The table has not noticed the card: push it a little, and when that does not help, lay it once more."""
        if times % _PUSHES:
            self._table.straighten(seat)
            self._when_free(_STUCK_S, lambda: self._insist(seat, card, times + 1))
            return
        back = self._table.take_back(seat)
        self._when_free(back - self._table.now + 1.5, lambda: self._lay(seat, card))

    def _after_forgotten_call(self, seat: int) -> None:
        if len(self._table.hands[seat]) != 1:
            return
        if self._rng.random() < self._manners[seat].call_late:
            self._press(seat, "uno")
        other = (seat + int(self._rng.integers(1, self._table.seats))) % self._table.seats
        if self._rng.random() < self._manners[other].catch:
            self._then(float(self._rng.uniform(0.1, 0.8)), lambda: self._press(other, "uno"))

    def _draw(self, seat: int, tries: int = 4) -> None:
        """Ask for a card, again where none comes; where none is left, pass."""
        had = len(self._table.hands[seat])
        self._press(seat, "draw" if tries else "pass")
        self._when_free(0.6, lambda: self._after_draw(seat, had, tries, _STUCK_S))

    def _after_draw(self, seat: int, had: int, tries: int, patience_s: float) -> None:
        hand = self._table.hands[seat]
        if len(hand) <= had and patience_s <= 0:
            self._draw(seat, max(0, tries - 1))
            return
        if len(hand) <= had:
            self._when_free(0.4, lambda: self._after_draw(seat, had, tries, patience_s - 0.4))
            return
        drawn = hand[-1]
        if self._would_play(drawn, hand, seat) and self._rng.random() < self._manners[seat].play_drawn:
            self._when_free(self._think(seat), lambda: self._play_drawn(seat, had, drawn))
        else:
            self._when_free(0.5, lambda: self._press(seat, "pass"))

    def _play_drawn(self, seat: int, had: int, drawn: str) -> None:
        """Lay the card that came; if it went back meanwhile, because two had come, the other one is it."""
        if drawn in self._table.hands[seat]:
            self._play(seat, drawn)
        else:
            self._after_draw(seat, had, 0, _STUCK_S)

    def _on_take_back(self, seat: int, card: str | None) -> None:
        """The card goes back into the hand; then whose turn it is thinks again."""
        self._refused.update([card] if card and seat == self._turn else [])

        def take() -> None:
            gone = self._table.take_back(seat)
            self._when_free(gone - self._table.now + 0.8 + self._think(seat), lambda: self._take_turn(self._turn))

        self._then(0.8, take)

    # -- what people know of the rules -----------------------------------------------------------------------------

    def _would_play(self, card: str, hand: list[str], seat: int) -> bool:
        """Whether this seat thinks it may (or dares to) lay the card."""
        if card == "wild-draw4" and any(other.startswith(f"{self._color}-") for other in hand):
            return bool(self._rng.random() < self._manners[seat].bluff)
        return self._matches(card)

    def _matches(self, card: str) -> bool:
        color, _, symbol = card.partition("-")
        on_top = self._table.discard[-1].face.partition("-")[2]
        return color in ("wild", self._color) or symbol.rstrip("*") == on_top.rstrip("*")

    def _name_color(self, seat: int) -> None:
        hand = self._table.hands[seat]
        best = max(COLORS, key=lambda color: (sum(card.startswith(color) for card in hand), self._rng.random()))
        self._press(seat, cast(ColorKey, best))

    def _on_answer(self, seat: int, may_challenge: tuple[int, ...]) -> None:
        """Who must draw answers; where others may challenge too, one of them may be quicker."""
        self._when_free(self._think(seat), lambda: self._answer(seat))
        for other in may_challenge:
            if other != seat and self._rng.random() < self._manners[other].challenge / len(may_challenge):
                self._when_free(self._think(other), partial(self._press, other, "challenge"))

    def _answer(self, seat: int) -> None:
        self._press(seat, "challenge" if self._rng.random() < self._manners[seat].challenge else "accept")

    def _look_at_new_hands(self) -> None:
        """Who was dealt a single card calls UNO, or forgets to."""
        for seat, hand in enumerate(self._table.hands):
            if len(hand) == 1 and self._rng.random() < self._manners[seat].call_uno:
                self._then(float(self._rng.uniform(0.1, 0.5)), partial(self._press, seat, "uno"))
            elif len(hand) == 1:
                self._after_forgotten_call(seat)

    def _on_make_rule(self, seat: int, numbers: tuple[int, ...]) -> None:
        """The others wait until the rule is made, or not."""
        think_s = self._think(seat)
        self._busy_until = max(self._busy_until, self._table.now + think_s)
        if self._rng.random() < self._manners[seat].make_rule:
            number, text = int(self._rng.choice(numbers)), str(self._rng.choice(_RULES))
            self._then(think_s, lambda: self._make_rule(seat, number, text))
        else:
            self._then(think_s, lambda: self._press(seat, "decline"))

    def _make_rule(self, seat: int, number: int, text: str) -> None:
        t = round(self._table.now, 4)
        self._pressed.append(NewRule(t=t, u=_PRESS_U, seat=seat, number=number, text=text))

    def _on_follow_rule(self) -> None:
        """Everybody does what the rule asks, as quick as may be, and only then plays on; now and then one forgets."""
        for seat, manners in enumerate(self._manners):
            self._busy_until = max(self._busy_until, self._table.now + manners.follow_s[1])
            after_s = float(self._rng.uniform(*manners.follow_s))
            if self._rng.random() < manners.follow_rule:
                self._then(after_s, partial(self._press, seat, "acted"))

    # -- chores ----------------------------------------------------------------------------------------------------

    def _choose_dealer(self) -> None:
        self._pressed.append(ChosenDealer(t=self._table.now, seat=int(self._rng.integers(self._table.seats))))

    def _lay_starter(self, seat: int) -> None:
        self._table.turn_up(seat)
        self._when_stuck(lambda: self._table.straighten(seat))

    def _return(self, seat: int, to: str) -> None:
        if to != "aside":
            self._table.return_top(seat, to)

    def _show(self, seat: int, first: int, times: int = 1) -> None:
        """Lay the hand open, as many cards as fit, then the others; begin anew if that is not accepted. If it is not
        accepted again and again, the record has another number of cards: say on the page how many they are."""
        hand = self._table.hands[seat]
        if not hand:
            return
        if times > _PATIENCE and first == 0:
            count = corrections.SetTo({"hands": {seat: len(hand)}})
            self._pressed.append(SetRight(t=self._table.now, correction=count))
            times = 1
        self._table.lay_open(seat, hand[first : first + CARDS_A_PICTURE])
        after = first + CARDS_A_PICTURE
        stay = 3.0 if after < len(hand) else _SHOW_S
        self._when_free(stay, lambda: self._table.gather(seat))
        rest = (after, times) if after < len(hand) else (0, times + 1)
        self._when_free(stay + _CLEAR_S, lambda: self._show(seat, *rest))

    def _tell_top_card(self) -> None:
        if self._table.discard:
            self._pressed.append(Correction(t=self._table.now, card=self._table.discard[-1].face))

    def _recycle(self, seat: int) -> None:
        self._table.at(self._table.recycle(seat) + 0.2, self._machine.loaded)

    def _on_fault(self) -> None:
        """Play rests; somebody opens the shoe, puts back what came out too much, and presses go."""
        self._then(2.5, self._clear_fault)

    def _give_back(self, seat: int, n: int) -> float:
        """The cards that came last go under those in the shoe; returns when they lie there."""
        back = self._table.put_back(seat, n)
        self._table.at(back, partial(self._machine.returned, seat, n))
        return back

    def _clear_fault(self) -> None:
        ready = self._table.now
        for seat, n in self._machine.take_surplus():
            ready = max(ready, self._give_back(seat, n))
        self._table.at(ready + 0.5, self._machine.clear)
        self._table.at(ready + 1.0, lambda: self._press(0, "go"))
        self._table.at(ready + 1.0 + _STUCK_S, self._look_again)

    def _look_again(self) -> None:
        if self._is_paused:
            self._clear_fault()

    def _collect_hands(self, seat: int, counts: tuple[int, ...]) -> None:
        self._has_new_hands = True
        self._table.at(self._table.collect_hands(seat, counts) + 1.0, lambda: self._press(seat, "go"))

    def _collect(self) -> None:
        self._table.at(self._table.collect(0) + 1.5, lambda: self._press(0, "go"))

    # --------------------------------------------------------------------------------------------------------------

    def _when_free(self, after_s: float, act: Callable[[], object]) -> None:
        """Do it, unless the table asks for something else before; wait while play is paused or a house rule is made or
        followed."""
        asked = self._asked

        def due() -> None:
            if asked == self._asked:
                if self._is_paused or self._table.now < self._busy_until:
                    self._then(1.0, due)
                else:
                    act()

        self._then(after_s, due)

    def _when_stuck(self, act: Callable[[], object]) -> None:
        """If the table has not answered after a while, do something about it, again and again."""

        def push() -> None:
            act()
            self._when_stuck(act)

        self._when_free(_STUCK_S, push)

    def _think(self, seat: int) -> float:
        return float(self._rng.uniform(*self._manners[seat].think_s))

    def _then(self, after_s: float, act: Callable[[], object]) -> None:
        self._table.at(self._table.now + after_s, act)

    def _press(self, seat: int, key: Key) -> None:
        """The UNO buttons are the machine's; all other keys are on the panel."""
        if key == "uno":
            self._machine.press(seat)
            return
        self._pressed.append(Press(t=round(self._table.now, 4), u=_PRESS_U, seat=seat, key=key))


def _seat(ask: Ask) -> int:
    if ask.seat is None:
        raise TypeError(f"nobody is asked: {ask}")
    return ask.seat
