"""How the people at the simulated table play: by the rules they remember, with what they hold, and with mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final, cast

import numpy as np

from croupier.cards import COLORS
from croupier.commands import ColorKey, MakeHouseRule
from croupier.events import CommandGiven
from croupier_sim.keys import PRESS_U, SimKeys
from croupier_sim.manners import Act, Manners
from croupier_sim.mind import STUCK_S, Mind
from croupier_sim.table import SimTable

_PUSHES: Final = 3  # with the last they take it back

_RULES: Final = ("Klaśnij w dłonie.", "Dotknij nosa.", "Wstań.", "Połóż rękę na stole.", "Zamknij oczy.")
"""House rules that come to their minds, in the language of the only deck that has them."""


class Playing:
    """What each seat does in the game, by its ``manners``."""

    def __init__(
        self, table: SimTable, mind: Mind, keys: SimKeys, rng: np.random.Generator, manners: Sequence[Manners]
    ) -> None:
        self._table, self._mind, self._keys, self._rng, self._manners = table, mind, keys, rng, tuple(manners)
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
        for other, manners in enumerate(self._manners):
            if self._rng.random() < manners.wave / len(self._manners):
                self._table.wave(other)
            if other != seat and self._rng.random() < manners.out_of_turn:
                self._mind.when_free(float(self._rng.uniform(0.1, 0.5)), partial(self._jump_in, other))
        if self.has_new_hands:
            self.has_new_hands = False
            self._look_at_new_hands()
        self._mind.when_free(self.think_s(seat), lambda: self._take_turn(seat))

    def _take_turn(self, seat: int) -> None:
        if self._cheats(seat):
            return
        hand = self._table.hands[seat]
        wanted = [card for card in hand if self._would_play(card, hand, seat) and card not in self._refused]
        if wanted and self._rng.random() >= self._manners[seat].draw_by_choice:
            self._play(seat, str(self._rng.choice(wanted)))
        else:
            self._draw(seat)

    def _cheats(self, seat: int) -> bool:
        """Whether the seat uses its turn for something that is not allowed."""
        hand, manners, chance = self._table.hands[seat], self._manners[seat], float(self._rng.random())
        wrong = [card for card in hand if not self._matches(card) and card not in self._refused]
        if wrong and chance < manners.wrong_card:
            self._acts(seat, "no-match")
            self._lay(seat, str(self._rng.choice(wrong)))
        elif 0 <= chance - manners.wrong_card < manners.no_draw:
            self._acts(seat, "wrong-phase")
            self._keys.press(seat, "pass")
        elif 0 <= chance - manners.wrong_card - manners.no_draw < manners.takes_back:
            self._acts(seat, "")
            back = self._table.show(seat, str(self._rng.choice(hand)))
            self._mind.when_free(back - self._table.now + self.think_s(seat), lambda: self._take_turn(seat))
        else:
            return False
        return True

    def _jump_in(self, seat: int) -> None:
        """Lay a card though it is another's turn; who is on turn waits to see what becomes of it."""
        hand = self._table.hands[seat]
        if len(hand) < 2 or self._table.reaches or not self._table.discard:
            return
        self._acts(seat, "not-your-turn")
        self._mind.wait_until(self._table.lay(seat, str(self._rng.choice(hand))) + STUCK_S)

    def _acts(self, seat: int, why: str) -> None:
        self.acts.append(Act(self._table.now, seat, why))

    def _play(self, seat: int, card: str) -> None:
        if len(self._table.hands[seat]) != 2:
            self._lay(seat, card)
        elif self._rng.random() < self._manners[seat].call_uno:
            self._keys.press(seat, "uno")
            self._mind.when_free(0.6, lambda: self._lay(seat, card))
        else:
            self._lay(seat, card)
            self._mind.then(2.0, lambda: self._after_forgotten_call(seat))

    def play_last(self, seat: int) -> None:
        """``seat`` lays the card that came last."""
        self._play(seat, self._table.hands[seat][-1])

    def _lay(self, seat: int, card: str) -> None:
        self._table.lay(seat, card)
        self._mind.when_free(STUCK_S, lambda: self._insist(seat, card, 1))

    def _insist(self, seat: int, card: str, times: int) -> None:
        """The table has not noticed the card, or does not believe it: push it a little; when that does not help, take
        it back, count what there is, and lay it once more."""
        if times % _PUSHES:
            self._table.straighten(seat)
            self._mind.when_free(STUCK_S, lambda: self._insist(seat, card, times + 1))
            return
        back = self._table.take_back(seat)
        self._mind.when_free(back - self._table.now + 0.8, self._keys.count)
        self._mind.when_free(back - self._table.now + 1.5, lambda: self._lay(seat, card))

    def _after_forgotten_call(self, seat: int) -> None:
        if len(self._table.hands[seat]) != 1:
            return
        if self._rng.random() < self._manners[seat].call_late:
            self._keys.press(seat, "uno")
        other = (seat + int(self._rng.integers(1, self._table.seats))) % self._table.seats
        if self._rng.random() < self._manners[other].catch:
            self._mind.then(float(self._rng.uniform(0.1, 0.8)), lambda: self._keys.press(other, "uno"))

    def _draw(self, seat: int, tries: int = 4) -> None:
        """Ask for a card, again where none comes; where none is left, pass."""
        had = len(self._table.hands[seat])
        self._keys.press(seat, "draw" if tries else "pass")
        self._mind.when_free(0.6, lambda: self._after_draw(seat, had, tries, STUCK_S))

    def _after_draw(self, seat: int, had: int, tries: int, patience_s: float) -> None:
        hand = self._table.hands[seat]
        if len(hand) <= had and patience_s <= 0:
            self._draw(seat, max(0, tries - 1))
            return
        if len(hand) <= had:
            self._mind.when_free(0.4, lambda: self._after_draw(seat, had, tries, patience_s - 0.4))
            return
        drawn = hand[-1]
        if self._would_play(drawn, hand, seat) and self._rng.random() < self._manners[seat].play_drawn:
            self._mind.when_free(self.think_s(seat), lambda: self._play_drawn(seat, had, drawn))
        else:
            self._mind.when_free(0.5, lambda: self._keys.press(seat, "pass"))

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
            self._mind.when_free(gone - self._table.now + 0.8 + self.think_s(seat), lambda: self._take_turn(self._turn))

        self._mind.then(0.8, take)

    def _would_play(self, card: str, hand: list[str], seat: int) -> bool:
        """Whether this seat thinks it may (or dares to) lay the card."""
        if card == "wild-draw4" and any(other.startswith(f"{self.color}-") for other in hand):
            return bool(self._rng.random() < self._manners[seat].bluff)
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
        self._mind.when_free(self.think_s(seat), lambda: self._accept_or_challenge(seat))
        for other in may_challenge:
            if other != seat and self._rng.random() < self._manners[other].challenge / len(may_challenge):
                self._mind.when_free(self.think_s(other), partial(self._keys.press, other, "challenge"))

    def _accept_or_challenge(self, seat: int) -> None:
        self._keys.press(seat, "challenge" if self._rng.random() < self._manners[seat].challenge else "accept")

    def _look_at_new_hands(self) -> None:
        """Who was dealt a single card calls UNO, or forgets to."""
        for seat, hand in enumerate(self._table.hands):
            if len(hand) == 1 and self._rng.random() < self._manners[seat].call_uno:
                self._mind.then(float(self._rng.uniform(0.1, 0.5)), partial(self._keys.press, seat, "uno"))
            elif len(hand) == 1:
                self._after_forgotten_call(seat)

    def make_or_decline(self, seat: int, numbers: tuple[int, ...]) -> None:
        """The others wait until the rule is made, or not."""
        think_s = self.think_s(seat)
        self._mind.wait_until(self._table.now + think_s)
        if self._rng.random() < self._manners[seat].make_rule:
            number, text = int(self._rng.choice(numbers)), str(self._rng.choice(_RULES))
            self._mind.then(think_s, lambda: self._make_rule(seat, number, text))
        else:
            self._mind.then(think_s, lambda: self._keys.press(seat, "decline"))

    def _make_rule(self, seat: int, number: int, text: str) -> None:
        t = round(self._table.now, 4)
        self._keys.say(CommandGiven(t=t, u=PRESS_U, command=MakeHouseRule(seat, number, text)))

    def follow_rule(self) -> None:
        """Everybody does what the rule asks, as quick as may be, and only then plays on; now and then one forgets."""
        for seat, manners in enumerate(self._manners):
            self._mind.wait_until(self._table.now + manners.follow_s[1])
            after_s = float(self._rng.uniform(*manners.follow_s))
            if self._rng.random() < manners.follow_rule:
                self._mind.then(after_s, partial(self._keys.press, seat, "acted"))

    def think_s(self, seat: int) -> float:
        """How long ``seat`` thinks now."""
        return float(self._rng.uniform(*self._manners[seat].think_s))
