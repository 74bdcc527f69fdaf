"""A table of cards without devices: hands and piles, and what the referee asks for is done at once.

Players decide (`CardTable.do`); cards that nobody chooses move by themselves: the deal, cards that are owed, hands that
are shown or dealt again, a new draw pile. The referee sees what it sees at a real table: how many cards come into a
hand, not which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from croupier_rules.cards import DECKS
from croupier_rules.errors import BadHeader
from croupier_rules.referee import Header, Observation, Referee, Rulings, rulings
from croupier_rules.referee.observations import (
    Dealt,
    Discarded,
    Drew,
    HouseRule,
    Play,
    Recycled,
    Redealt,
    Shown,
    Swap,
    Upcard,
)
from croupier_rules.rules.card_tables import card_tables
from croupier_rules.rules.own_rules import own_rules

Watch = Callable[[Observation, Rulings], None]

_REFUSED: Final = (rulings.Illegal, rulings.Void, rulings.Mismatch)


class CardTable:
    """The cards at a table, and its referee. ``watch`` is called with each observation and its rulings. The referee
    sees which cards the ``open_seats`` get, and so holds their players to what depends on it.

    ``hands``: by seat, the cards in the order in which they came. ``drawn``: the card that the seat on turn has drawn
    in its turn.

    Raises:
        BadHeader: the dealer is still to be picked, or the cards have two sides.
    """

    def __init__(self, header: Header, seed: int, watch: Watch | None = None, open_seats: Sequence[int] = ()) -> None:
        if header.dealer is None:
            raise BadHeader("dealer", "dealer None: expected a seat")
        if len(card_tables(header.ruleset.deck).sides) > 1:
            raise BadHeader("ruleset", f"ruleset {header.ruleset.name}: expected cards with one side")
        self.referee = Referee(header)
        self.hands: list[list[str]] = [[] for _ in header.seats]
        self.drawn: str | None = None
        self._watch = watch
        self._open = open_seats
        self._random = Random(seed)
        self._deck = [face for face, n in DECKS[header.ruleset.deck].items() for _ in range(n)]
        self._size = header.ruleset.hand_size(len(header.seats))
        own = own_rules(header.ruleset)
        self._may_jump_in = own is not None and (own.jump_in or own.double)
        self._pile: list[str] = []
        self._discard: list[str] = []
        self._aside: list[str] = []

    def begin_round(self) -> None:
        """Shuffle, deal, and turn up the starter card; a card that does not count goes back."""
        out = self.referee.position()["out"]
        self._pile = self._deck.copy()
        self._random.shuffle(self._pile)
        self._discard, self._aside = [], []
        for seat in range(len(self.hands)):
            self.hands[seat] = []
            if seat not in out or seat in self.referee.position().get("knocked_out", ()):
                cards = tuple(self._take(seat, self._size))
                self._observe(Dealt(self._t, seat, self._size, cards if seat in self._open else ()))
        while True:
            card = self._pile.pop()
            self._discard.append(card)
            ruled = self._observe(Upcard(self._t, card))
            returned = next((one for one in ruled if isinstance(one, rulings.ReturnCard)), None)
            if returned is None:
                self._settle(ruled)
                return
            self._discard.pop()
            if returned.to == "aside":
                self._discard.append(card)
            else:
                place = self._random.randrange(len(self._pile)) if returned.to == "deck" else 0
                self._pile.insert(place, card)

    def do(self, observation: Observation) -> Rulings:
        """A player does this: the cards move, unless the referee refuses it, and then what follows of itself.

        Returns:
            the rulings on the observation itself.
        """
        match observation:
            case Drew(seat=seat, n=n):
                return self._settle(self._draw(seat, n, by_choice=True))
        before = self.referee.position()
        ruled = self._observe(observation)
        is_in_doubt = any(isinstance(one, rulings.CannotTell) for one in ruled)
        is_unchanged = self.referee.position()["discard_pile"] == before["discard_pile"]
        if not any(isinstance(one, _REFUSED) for one in ruled) and not (is_in_doubt and is_unchanged):
            self._move(observation, ruled)
        return self._settle(ruled)

    def seats_to_ask(self) -> list[int]:
        """The seats that may have something to do now, in random order, with the one on turn last: who presses a
        button is quicker than who lays a card."""
        on_turn, rules = self.referee.on_turn, self.referee.header.ruleset
        position = self.referee.state()
        is_anyones = position.catchable or position.phase in ("challenge", "stack") or rules.most_house_rules
        if on_turn is not None and not is_anyones and not self._may_jump_in:
            return [on_turn]
        seats = [seat for seat in range(len(self.hands)) if seat not in position.out]
        self._random.shuffle(seats)
        return sorted(seats, key=lambda seat: seat == on_turn)

    @property
    def _t(self) -> float:
        return self.referee.t + 1.0

    def _observe(self, observation: Observation) -> Rulings:
        ruled = self.referee.observe(observation)
        if self._watch is not None:
            self._watch(observation, ruled)
        return ruled

    def _take(self, seat: int, n: int) -> list[str]:
        cards = self._pile[len(self._pile) - n :]
        del self._pile[len(self._pile) - n :]
        self.hands[seat] += cards
        return cards

    def _draw(self, seat: int, n: int, *, by_choice: bool) -> Rulings:
        phase = self.referee.position()["phase"]
        cards = self._take(seat, min(n, len(self._pile)))
        if by_choice and cards:
            self.drawn = cards[-1]
        is_seen = seat in self._open or phase == "roulette"  # where cards are turned up for all to see
        return self._observe(Drew(self._t, seat, len(cards), tuple(cards) if is_seen else ()))

    def _move(self, observation: Observation, ruled: Rulings) -> None:
        """Move the cards of an observation that stands."""
        match observation:
            case Play(card=card, seat=int(seat)):
                self.hands[seat].remove(card)
                self._discard.append(card)
                self.drawn = None
                if any(isinstance(one, rulings.HandsMoved) for one in ruled):
                    self._pass_on()
            case Discarded(seat=seat):
                color = self._discard[-1].partition("-")[0]
                laid = [card for card in self.hands[seat] if card.startswith(f"{color}-")]
                self.hands[seat] = [card for card in self.hands[seat] if card not in laid]
                self._discard[-1:-1] = laid
            case Swap(seat=seat, with_=other):
                self.hands[seat], self.hands[other] = self.hands[other], self.hands[seat]
            case HouseRule():
                pass
            case _:
                self.drawn = None

    def _settle(self, ruled: Rulings) -> Rulings:
        """Do what the rulings ask for and nobody chooses, until somebody has to decide."""
        pending: Rulings | None = ruled
        while pending is not None:
            self._knock_out()
            pending = self._next(pending)
        assert len(self._pile) == self.referee.position()["draw_pile"]
        return ruled

    def _next(self, ruled: Rulings) -> Rulings | None:
        """One thing that is to be done now, and its rulings; None if nothing is."""
        if any(isinstance(one, rulings.Turn) for one in ruled):
            self.drawn = None
        for ruling in ruled:
            match ruling:
                case rulings.Recycle():
                    return self._recycle()
                case rulings.Redeal(counts=counts):
                    return self._redeal(counts)
                case rulings.ShowHand(seat=seat):
                    return self._observe(Shown(self._t, seat, tuple(self.hands[seat])))
        position = self.referee.position()
        if self._pile and position["owed"]:
            seat, n = min((int(seat), n) for seat, n in position["owed"].items())
            return self._draw(seat, n, by_choice=False)
        if not position["owed"] and (hands := self.referee.hands_to_show):
            return self._observe(Shown(self._t, hands[0], tuple(self.hands[hands[0]])))
        return None

    def _pass_on(self) -> None:
        """All hands go to the next seat."""
        position = self.referee.position()
        step = 1 if position["direction"] == "left" else -1
        players = [seat for seat in range(len(self.hands)) if seat not in position["out"]]
        hands = self.hands.copy()
        for place, seat in enumerate(players):
            self.hands[players[(place + step) % len(players)]] = hands[seat]

    def _recycle(self) -> Rulings:
        self._pile = [*self._discard[:-1], *self._aside]
        self._discard, self._aside = self._discard[-1:], []
        self._random.shuffle(self._pile)
        return self._observe(Recycled(self._t))

    def _redeal(self, counts: Sequence[int]) -> Rulings:
        cards = [card for hand in self.hands for card in hand]
        self._random.shuffle(cards)
        ruled: Rulings = ()
        for seat, n in enumerate(counts):
            self.hands[seat] = [cards.pop() for _ in range(n)]
            ruled = self._observe(Redealt(self._t, seat, n)) if n else ruled
        return ruled

    def _knock_out(self) -> None:
        for seat in self.referee.position().get("knocked_out", ()):
            self._aside += self.hands[seat]
            self.hands[seat] = []

    def lies_whole(self) -> bool:
        """True if hands and piles are the cards of the deck."""
        lying = [*self._pile, *self._discard, *self._aside, *(card for hand in self.hands for card in hand)]
        return Counter(lying) == Counter(self._deck)
