"""The players at the simulated table: when they act, what they press, how they play and which mistakes they make.

They know what players know: their own hand, the card on top, the color that the ring shows. They play by the rules
that they remember, not by the referee's code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, cast

import numpy as np

from croupier.cards import COLORS
from croupier.commands import ColorKey, Key, MakeHouseRule
from croupier.events import CommandGiven, Press
from croupier.referee import corrections
from croupier_sim.machine import SimMachine
from croupier_sim.table import SimTable

STUCK_S: Final = 4.0
"""When nothing happens for so long, people push the card or lay the hand anew."""


class Agenda:
    """What everybody at ``table`` is about to do."""

    def __init__(self, table: SimTable) -> None:
        self._table = table
        self._asked = 0
        self._busy_until = 0.0
        self.is_paused = False
        """Whether the ring shows that play rests."""

    def cancel(self) -> None:
        """The table asks for something else: what they would have done `when_free` is not done any more."""
        self._asked += 1

    def hold_until(self, t: float) -> None:
        """Something else comes first."""
        self._busy_until = max(self._busy_until, t)

    def after(self, after_s: float, act: Callable[[], object]) -> None:
        """Do it so much later, whatever happens."""
        self._table.at(self._table.now + after_s, act)

    def when_free(self, after_s: float, act: Callable[[], object]) -> None:
        """Do it, unless the table asks for something else before; wait while play is paused or something else comes
        first."""
        asked = self._asked

        def due() -> None:
            if asked == self._asked:
                if self.is_paused or self._table.now < self._busy_until:
                    self.after(1.0, due)
                else:
                    act()

        self.after(after_s, due)

    def when_stuck(self, act: Callable[[], object]) -> None:
        """If the table has not answered after a while, do something about it, again and again."""

        def push() -> None:
            act()
            self.when_stuck(act)

        self.when_free(STUCK_S, push)


PRESS_U: Final = 0.005
"""How well a key is stamped."""


class SimKeys:
    """An `EventSource`. The UNO buttons are the machine's; all other keys, and the page, are here."""

    def __init__(self, table: SimTable, machine: SimMachine) -> None:
        self._table, self._machine = table, machine
        self._pressed: list[Press | CommandGiven] = []

    def press(self, seat: int, key: Key) -> None:
        """``seat`` presses ``key`` now."""
        if key == "uno":
            self._machine.press(seat)
        else:
            self.submit(Press(t=round(self._table.now, 4), u=PRESS_U, seat=seat, key=key))

    def submit(self, said: Press | CommandGiven) -> None:
        """Somebody says this on the page."""
        self._pressed.append(said)

    def count(self) -> None:
        """Somebody counts the cards of all hands and piles on the page, unless one is on its way."""
        table = self._table
        if not table.slides:
            hands = {seat: len(hand) for seat, hand in enumerate(table.hands)}
            counted = {"hands": hands, "draw_pile": len(table.hopper), "discard_pile": len(table.discard)}
            self.submit(CommandGiven(t=table.now, command=corrections.SetTo(counted)))

    @property
    def has_pressed(self) -> bool:
        """Whether `poll` would give something."""
        return bool(self._pressed)

    def poll(self) -> tuple[Press | CommandGiven, ...]:
        """What was pressed and said since the last call."""
        pressed, self._pressed = tuple(self._pressed), []
        return pressed


@dataclass(frozen=True, slots=True, kw_only=True)
class Behavior:
    """How somebody plays: probabilities, and seconds from being asked to acting.

    ``wrong_card``: lays a card that does not match. ``no_draw``: passes without the card it should draw.
    ``takes_back``: shows the others a card over the pile and keeps it. ``out_of_turn``: lays a card in another's turn.
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


PLAIN: Final = Behavior()

HABITS: Final[Mapping[str, Behavior]] = {
    "plain": PLAIN,
    "slow": replace(PLAIN, think_s=(1.5, 4.5), follow_s=(1.0, 3.0)),
    "forgetful": replace(PLAIN, call_uno=0.25, call_late=0.3, follow_rule=0.6),
    "bluffing": replace(PLAIN, bluff=0.9, challenge=0.6),
    "cheating": replace(PLAIN, wrong_card=0.12, no_draw=0.2, takes_back=0.1),
    "hasty": replace(PLAIN, think_s=(0.3, 0.9), out_of_turn=0.08),
}
"""What ``--habits`` knows. ``hasty`` plays out of turn."""


_COMMON: Final = ("plain",) * 12 + ("slow",) * 2 + ("forgetful",) * 4 + ("bluffing",) * 4 + ("cheating",) * 3


def mixed(seats: int, rng: np.random.Generator) -> tuple[str, ...]:
    """A habit for each seat, by chance. Most people are plain; hasty ones come only where they are asked for, since a
    card laid out of turn is told from the arm alone, and games with them need many more frames."""
    return tuple(str(name) for name in rng.choice(_COMMON, seats))


@dataclass(frozen=True, slots=True)
class Act:
    """``seat`` did at ``t`` what the rules do not allow: ``why`` the referee should say so, as in `Illegal.why`; or
    ``""`` where it should say nothing, since no card was laid."""

    t: float
    seat: int
    why: str


_PUSHES: Final = 3  # with the last they take it back

_RULES: Final = ("Klaśnij w dłonie.", "Dotknij nosa.", "Wstań.", "Połóż rękę na stole.", "Zamknij oczy.")
"""House rules that come to their minds, in the language of the only deck that has them."""


class Players:
    """What each seat does in the game, by its ``behaviors`` entry."""

    def __init__(
        self, table: SimTable, agenda: Agenda, keys: SimKeys, rng: np.random.Generator, behaviors: Sequence[Behavior]
    ) -> None:
        self._table, self._agenda, self._keys, self._rng, self._behaviors = table, agenda, keys, rng, tuple(behaviors)
        self.acts: list[Act] = []
        """What they did against the rules, knowing it; for the comparison only."""
        self.color: str | None = None
        """The color to be matched, as the ring shows it."""
        self._turn = 0
        self._refused: set[str] = set()
        self.has_new_hands = False
        """Whether the hands were dealt anew in the middle of the round."""

    def turn(self, seat: int) -> None:
        """It is the turn of ``seat``."""
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
        self._agenda.when_free(self.think_s(seat), lambda: self._take_turn(seat))

    def _take_turn(self, seat: int) -> None:
        if self._cheats(seat):
            return
        hand = self._table.hands[seat]
        wanted = [card for card in hand if self._would_play(card, hand, seat) and card not in self._refused]
        if wanted and self._rng.random() >= self._behaviors[seat].draw_by_choice:
            self._play(seat, str(self._rng.choice(wanted)))
        else:
            self._draw(seat)

    def _cheats(self, seat: int) -> bool:
        """Whether the seat uses its turn for something that is not allowed."""
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
        """Lay a card though it is another's turn; who is on turn waits to see what becomes of it."""
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
        """``seat`` lays the card that came last."""
        self._play(seat, self._table.hands[seat][-1])

    def _lay(self, seat: int, card: str) -> None:
        self._table.lay(seat, card)
        self._agenda.when_free(STUCK_S, lambda: self._insist(seat, card, 1))

    def _insist(self, seat: int, card: str, times: int) -> None:
        """The table has not noticed the card, or does not believe it: push it a little; when that does not help, take
        it back, count what there is, and lay it once more."""
        if times % _PUSHES:
            self._table.straighten(seat)
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
        """Ask for a card, again where none comes; where none is left, pass."""
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
        if self._would_play(drawn, hand, seat) and self._rng.random() < self._behaviors[seat].play_drawn:
            self._agenda.when_free(self.think_s(seat), lambda: self._play_drawn(seat, had, drawn))
        else:
            self._agenda.when_free(0.5, lambda: self._keys.press(seat, "pass"))

    def _play_drawn(self, seat: int, had: int, drawn: str) -> None:
        """Lay the card that came; if it went back meanwhile, because two had come, the other one is it."""
        if drawn in self._table.hands[seat]:
            self._play(seat, drawn)
        else:
            self._after_draw(seat, had, 0, STUCK_S)

    def take_back(self, seat: int, card: str | None) -> None:
        """The card goes back into the hand, if it is the seat's; then whose turn it is thinks again."""
        self._refused.update([card] if card and seat == self._turn else [])

        def take() -> None:
            if self._table.laid_by[-1] != seat:
                return
            gone = self._table.take_back(seat)
            self._agenda.when_free(
                gone - self._table.now + 0.8 + self.think_s(seat), lambda: self._take_turn(self._turn)
            )

        self._agenda.after(0.8, take)

    def _would_play(self, card: str, hand: list[str], seat: int) -> bool:
        """Whether this seat thinks it may (or dares to) lay the card."""
        if card == "wild-draw4" and any(other.startswith(f"{self.color}-") for other in hand):
            return bool(self._rng.random() < self._behaviors[seat].bluff)
        return self._matches(card)

    def _matches(self, card: str) -> bool:
        color, _, symbol = card.partition("-")
        on_top = self._table.discard[-1].face.partition("-")[2]
        return color in ("wild", self.color) or symbol.rstrip("*") == on_top.rstrip("*")

    def name_color(self, seat: int) -> None:
        """``seat`` names the color of which it holds most."""
        hand = self._table.hands[seat]
        best = max(COLORS, key=lambda color: (sum(card.startswith(color) for card in hand), self._rng.random()))
        self._keys.press(seat, cast(ColorKey, best))

    def answer(self, seat: int, may_challenge: tuple[int, ...]) -> None:
        """Who must draw answers; where others may challenge too, one of them may be quicker."""
        self._agenda.when_free(self.think_s(seat), lambda: self._accept_or_challenge(seat))
        for other in may_challenge:
            if other != seat and self._rng.random() < self._behaviors[other].challenge / len(may_challenge):
                self._agenda.when_free(self.think_s(other), partial(self._keys.press, other, "challenge"))

    def _accept_or_challenge(self, seat: int) -> None:
        self._keys.press(seat, "challenge" if self._rng.random() < self._behaviors[seat].challenge else "accept")

    def _look_at_new_hands(self) -> None:
        """Who was dealt a single card calls UNO, or forgets to."""
        for seat, hand in enumerate(self._table.hands):
            if len(hand) == 1 and self._rng.random() < self._behaviors[seat].call_uno:
                self._agenda.after(float(self._rng.uniform(0.1, 0.5)), partial(self._keys.press, seat, "uno"))
            elif len(hand) == 1:
                self._after_forgotten_call(seat)

    def make_or_decline(self, seat: int, numbers: tuple[int, ...]) -> None:
        """The others wait until the rule is made, or not."""
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
        """Everybody does what the rule asks, as quick as may be, and only then plays on; now and then one forgets."""
        for seat, behavior in enumerate(self._behaviors):
            self._agenda.hold_until(self._table.now + behavior.follow_s[1])
            after_s = float(self._rng.uniform(*behavior.follow_s))
            if self._rng.random() < behavior.follow_rule:
                self._agenda.after(after_s, partial(self._keys.press, seat, "acted"))

    def think_s(self, seat: int) -> float:
        """How long ``seat`` thinks now."""
        return float(self._rng.uniform(*self._behaviors[seat].think_s))
