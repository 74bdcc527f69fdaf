"""Players who play any card that fits, for measuring and for many tables at once.

They know their hands, do what the referee says, and report everything that happens at a table: cards dealt, the
starter card, plays, draws, passes, colors, calls made or forgotten, catches, Wild Draw Fours accepted or
challenged, and the hands shown at the end. The referee gets only these observations; of the hands it knows the
counts until they are shown. They draw one card at most in a turn and stack nothing: see `plays`.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from random import Random
from typing import Final, NamedTuple

import numpy as np

from croupier_rules.cards import DECKS, FACES
from croupier_rules.referee import Header, Referee, Ruling, Rulings
from croupier_rules.referee.observations import (
    Accept,
    Challenge,
    Color,
    Dealt,
    Drew,
    Pass,
    Play,
    Recycled,
    Redealt,
    Shown,
    Uno,
    Upcard,
)
from croupier_rules.referee.rulings import (
    ChooseColor,
    Draw,
    Eliminated,
    GameOver,
    MayChallenge,
    Recycle,
    Redeal,
    ReturnCard,
    ShowHand,
    Turn,
    Void,
)
from croupier_rules.rules import RuleSet
from croupier_rules.rules.card_tables import card_tables


class Habits(NamedTuple):
    """How often (0-1) players forget to call, catch who forgot, and challenge a Wild Draw Four."""

    forgets_to_call: float = 0.1
    catches: float = 0.5
    challenges: float = 0.25


SLOPPY: Final = Habits()


@cache
def _fits(deck: str) -> tuple[dict[tuple[str, str], frozenset[str]], dict[str, frozenset[str]]]:
    """The faces of a deck that may be played, by up-card and active color; and by up-card alone: none on a wild until
    its color is named."""
    cards = card_tables(deck)
    fits = {
        (FACES[kind], color): frozenset(FACES[other] for other in cards.kinds if up.playable[other])
        for kind in cards.kinds
        for color, up in zip(cards.colors, cards.up_cards[kind], strict=False)
    }
    on = {FACES[kind]: fits[FACES[kind], cards.colors[color]] for kind in cards.kinds
          if (color := cards.color_of[kind]) != cards.no_color}  # fmt: skip
    unnamed = frozenset() if cards.colors else frozenset(FACES[kind] for kind in cards.kinds)
    return fits, {FACES[kind]: on.get(FACES[kind], unnamed) for kind in cards.kinds}


def plays(ruleset: RuleSet) -> bool:
    """True if these players know all rules of the document: no stacks of draw cards, one drawn card in a turn, nobody
    to choose."""
    cards = card_tables(ruleset.deck)
    is_plain = ruleset.value("stack.cards") == "none" and ruleset.value("turn.must_draw") == 1
    return is_plain and not (cards.swaps or cards.targets)


class RandomTable:
    """Players at a table with one referee; a new game follows each finished one."""

    def __init__(self, header: Header, seed: int, referee: type[Referee] = Referee, habits: Habits = SLOPPY) -> None:
        self._header, self._habits = header, habits
        self._referee = referee
        self._random = Random(seed).random
        self._shuffled = np.random.default_rng(seed).permutation
        self._deck = np.array([face for face, n in DECKS[header.ruleset.deck].items() for _ in range(n)], dtype=object)
        self._colors = card_tables(header.ruleset.deck).colors
        self._fits_by_color, self._fits_on = _fits(header.ruleset.deck)
        self._fits: frozenset[str] = frozenset()
        self._is_round_the_game = header.ruleset.value("goal") == "round" and header.options.target is None
        self._sit_down()

    def _sit_down(self) -> None:
        self._observe = self._referee(self._header).observe
        self._t = 0.0
        self._out: set[int] = set()

    def play_round(self) -> None:
        """Play one round from the deal to the score."""
        observe, random = self._observe, self._random
        rulings = self._deal()
        hands, pile = self._hands, self._pile
        while rulings:
            if len(rulings) > 1:
                self._draw(rulings)
            awaited = rulings[-1]
            if type(awaited) is not Turn:
                rulings = self._answer(awaited)
                continue
            # Lay a card that fits, looked for from any place in the hand; else draw one, and lay it if it fits.
            seat = awaited.seat
            hand, fits = hands[seat], self._fits
            start = int(random() * len(hand))
            for place in range(start - len(hand), start):
                if hand[place] in fits:
                    card = hand[place]
                    hand[place] = hand[-1]
                    hand.pop()
                    break
            else:
                if not pile:
                    self._t = t = self._t + 1.0
                    rulings = observe(Pass(t, seat))
                    continue
                card = pile.pop()
                hand.append(card)
                self._t = t = self._t + 1.0
                if drawn := observe(Drew(t, seat, 1)):
                    self._mind_the_pile(drawn)
                if card not in fits:
                    self._t = t = self._t + 1.0
                    rulings = observe(Pass(t, seat))
                    continue
                hand.pop()
            if len(hand) == 1:
                rulings = self._lay_second_to_last(seat, card)
                continue
            self._top = card
            self._fits = self._fits_on[card]
            self._t = t = self._t + 1.0
            rulings = observe(Play(t, card, seat))
        self._finish()

    def _now(self) -> float:
        self._t += 1.0
        return self._t

    def _deal(self) -> Rulings:
        """Shuffle, deal a hand each to those who were not eliminated, and turn up the starter card; a card that
        does not count goes back."""
        self._pile = pile = self._shuffled(self._deck).tolist()
        self._hands: list[list[str]] = []
        n = self._header.ruleset.hand_size(len(self._header.seats))
        for seat in range(len(self._header.seats)):
            if seat in self._out:
                self._hands.append([])
                continue
            self._hands.append(pile[-n:])
            del pile[-n:]
            self._observe(Dealt(self._now(), seat, n))
        while True:
            card = pile.pop()
            rulings = self._observe(Upcard(self._now(), card))
            returned = rulings[-1]
            if not isinstance(returned, ReturnCard):
                self._lay(card)
                return rulings
            if returned.to != "aside":
                pile.insert(int(self._random() * len(pile)) if returned.to == "deck" else 0, card)

    def _finish(self) -> None:
        """Show the remaining hands; after the end of a game begin the next."""
        without_cards = [seat for seat, hand in enumerate(self._hands) if not hand and seat not in self._out]
        assert without_cards, "the referee refused what the players took for legal"
        if self._is_round_the_game:
            self._sit_down()
            return
        for seat, hand in enumerate(self._hands):
            if hand:
                rulings = self._show(seat)
                self._out |= {ruling.seat for ruling in rulings if isinstance(ruling, Eliminated)}
                if rulings and isinstance(rulings[-1], GameOver):
                    self._sit_down()
                    return

    def _lay(self, card: str) -> None:
        self._top = card
        self._fits = self._fits_on[card]

    def _lay_second_to_last(self, seat: int, card: str) -> Rulings:
        """Call UNO and play the card, or forget to call, and perhaps be caught."""
        forgets = self._random() < self._habits.forgets_to_call
        if not forgets:
            # Where somebody may be caught, the press catches. The card is still in the hand, if the pile is shuffled.
            self._hands[seat].append(card)
            self._draw(self._observe(Uno(self._now(), seat)))
            self._hands[seat].remove(card)
        self._lay(card)
        rulings = self._observe(Play(self._now(), card, seat))
        if forgets and self._random() < self._habits.catches:
            self._draw(self._observe(Uno(self._now(), (seat + 1) % len(self._hands))))
        return rulings

    def _answer(self, awaited: Ruling) -> Rulings:
        """Make the move that the phase awaits outside of a turn. Do nothing when the round is over."""
        if isinstance(awaited, ChooseColor):
            color = self._colors[int(self._random() * len(self._colors))]
            self._fits = self._fits_by_color[self._top, color]
            return self._observe(Color(self._now(), color))
        if isinstance(awaited, MayChallenge):
            answer = Challenge if self._random() < self._habits.challenges else Accept
            for seat in awaited.seats:
                # Where any seat may challenge, only the one that must draw may accept.
                rulings = self._observe(answer(self._now(), seat))
                if not isinstance(rulings[0], Void):
                    break
            if len(rulings) == 1:
                # A last Wild Draw Four was taken: nothing but to draw.
                self._draw(rulings)
            return rulings
        if isinstance(awaited, Redeal):
            return self._redeal(awaited)
        return self._show(awaited.seat) if isinstance(awaited, ShowHand) else ()

    def _redeal(self, redeal: Redeal) -> Rulings:
        """Shuffle Hands: shuffle all hands together and deal them again."""
        cards = self._shuffled(np.array([card for hand in self._hands for card in hand], dtype=object)).tolist()
        rulings: Rulings = ()
        for seat, n in enumerate(redeal.counts):
            self._hands[seat][:] = cards[:n]
            del cards[:n]
            rulings = self._observe(Redealt(self._now(), seat, n))
        return rulings

    def _show(self, seat: int) -> Rulings:
        return self._observe(Shown(self._now(), seat, tuple(self._hands[seat])))

    def _draw(self, rulings: Rulings) -> None:
        """Draw the cards that the referee rules; from the new pile where the old one is empty."""
        pile = self._pile
        if not pile:
            self._mind_the_pile(tuple(ruling for ruling in rulings if isinstance(ruling, Recycle)))
        for ruling in rulings:
            if isinstance(ruling, Draw):
                left = ruling.n
                while left and pile:
                    n = min(left, len(pile))
                    left -= n
                    self._hands[ruling.seat] += pile[-n:]
                    del pile[-n:]
                    self._mind_the_pile(self._observe(Drew(self._now(), ruling.seat, n)))

    def _mind_the_pile(self, rulings: Rulings) -> None:
        """Shuffle the discard pile, except its top card, when the referee says so."""
        if rulings and isinstance(rulings[0], Recycle):
            lying = Counter([self._top, *(card for hand in self._hands for card in hand)])
            laid = list((Counter(self._deck.tolist()) - lying).elements())
            self._pile[:] = self._shuffled(np.array(laid, dtype=object)).tolist()
            self._observe(Recycled(self._now()))
