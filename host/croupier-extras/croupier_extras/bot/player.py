"""A bot: chooses what a seat does, by its own hand and what lies on the table.

It keeps wilds for late, plays the color of which it holds most, hits who holds few cards, calls UNO, catches, and
challenges a Wild Draw Four by the chance that it was a bluff. With a `skill` below 1 it forgets and overlooks, as
people do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import prod
from random import Random
from typing import Any, Final, TypeVar

from croupier_rules.cards import DECKS, KIND, color_of
from croupier_rules.referee import Observation, Referee, Rulings, rulings
from croupier_rules.referee.moves import legal
from croupier_rules.referee.observations import (
    Accept,
    Acted,
    Challenge,
    Color,
    Decline,
    Discarded,
    Drew,
    Pass,
    Play,
    Swap,
    Target,
    Uno,
)
from croupier_rules.referee.position import Position
from croupier_rules.rules.card_tables import card_tables

_FORGETS: Final = 0.4
"""How often a bot without any skill forgets to call, or does not notice that another did."""
_CARELESS: Final = 0.5
"""How often a bot without any skill lays any card that fits."""

_BLUFFS: Final = 1.0, 3.0
"""Bluffs and honest Wild Draw Fours that a bot expects of a player with a card of the color, before it has seen any."""
_WORTH_A_CHALLENGE: Final = 0.25
"""The chance of a bluff from which a challenge pays: four cards for the other and the turn, against two more."""

_FEW: Final = 2
"""A hand of so many cards is about to go out."""
_WILD_EARLY: Final = 7.0
"""What a wild in the hand is worth, in cards of a color, while nobody is about to go out."""

_T = TypeVar("_T", bound=Observation)


class Bot:
    """The player of ``seat``. ``skill``: from 0 (plays any card that fits, forgets much) to 1 (no slips)."""

    def __init__(self, seat: int, deck: str, random: Random, skill: float = 1.0) -> None:
        self.seat = seat
        self.skill = skill
        self._random = random.random
        self._cards = card_tables(deck)
        self._deck = DECKS[deck]
        self._bluffs: Counter[tuple[int, bool]] = Counter()

    def watch(self, ruled: Rulings) -> None:
        """Learn from a challenge who bluffs."""
        for ruling in ruled:
            if isinstance(ruling, rulings.ChallengeOutcome):
                self._bluffs[ruling.seat, ruling.guilty] += 1

    def choose(self, referee: Referee, hand: Sequence[str], drawn: str | None = None) -> Observation | None:
        """What the seat does now, as one of `legal`; ``None``: it waits.

        ``hand``: its cards. ``drawn``: the card that it drew in this turn.
        """
        can = legal(referee, self.seat, hand)
        if not can:
            return None
        state = referee.state()
        if state.turn != self.seat:
            return self._out_of_turn(can, referee, state, hand)
        return self._on_turn(can, referee, state, hand, drawn)

    def _slips(self, often: float) -> bool:
        return self.skill < 1.0 and self._random() < often * (1.0 - self.skill)

    def _out_of_turn(
        self, can: Sequence[Observation], referee: Referee, state: Position, hand: Sequence[str]
    ) -> Observation | None:
        acted = _first(can, Acted) or _first(can, Decline)
        if acted is not None:
            return acted
        if (press := _first(can, Uno)) is not None and any(seat != self.seat for seat in state.catchable):
            return None if self._slips(_FORGETS) else press
        if press is not None and self.seat in state.catchable:  # its own call, late
            return None if self._slips(_FORGETS) else press
        if (again := _first(can, Play)) is not None:
            return None if self._slips(1.0) else again
        return self._answer(can, referee, hand)

    def _answer(self, can: Sequence[Observation], referee: Referee, hand: Sequence[str]) -> Observation | None:
        """Challenge a Wild Draw Four, or take the cards; ``None`` where neither is up to the seat."""
        if (challenge := _first(can, Challenge)) is not None and self._is_bluff_likely(referee, hand):
            return challenge
        return _first(can, Accept)

    def _on_turn(
        self, can: Sequence[Observation], referee: Referee, state: Position, hand: Sequence[str], drawn: str | None
    ) -> Observation | None:
        phase = state.phase
        plays = [one for one in can if isinstance(one, Play) and one.card in hand]
        if phase == "drawn" and drawn is not None:
            plays = [one for one in plays if one.card == drawn]
        if (decline := _first(can, Decline) or _first(can, Acted)) is not None:
            return decline
        if colors := [one for one in can if isinstance(one, Color)]:
            return max(colors, key=lambda one: (_held(hand, one.color), self._random()))
        if swaps := [one for one in can if isinstance(one, Swap | Target)]:  # who has the fewest swaps, or draws
            return min(swaps, key=lambda one: state.hands[one.with_])
        if (discarded := all_of_color(can, hand, state.top)) is not None:
            return discarded
        if plays and (play := self._best(plays, referee, state, hand, is_drawn=phase == "drawn")) is not None:
            call = _first(can, Uno)
            is_due = len(hand) == _FEW and call is not None and self.seat not in state.catchable
            return call if is_due and not self._slips(_FORGETS) else play
        if phase == "drawn" and (on := _first(can, Drew)) is not None and self._draws_on(referee):
            return on
        return _first(can, Pass) or self._answer(can, referee, hand) or _first(can, Drew)

    def _draws_on(self, referee: Referee) -> bool:
        return referee.header.ruleset.value("turn.must_draw") == "until-it-fits"

    def _best(
        self, plays: Sequence[Play], referee: Referee, state: Position, hand: Sequence[str], *, is_drawn: bool
    ) -> Play | None:
        """The card to lay; ``None`` where a wild that was just drawn is better kept."""
        if self._slips(_CARELESS):
            return plays[int(self._random() * len(plays))]
        around = _Around(referee, state, self.seat)
        best = max(plays, key=lambda one: (self._worth(one.card, hand, around), self._random()))
        keeps = is_drawn and not around.must_lay and self._cards.is_wild[KIND[best.card]]
        return None if keeps and not around.is_late and len(hand) > 2 * _FEW else best

    def _worth(self, face: str, hand: Sequence[str], around: _Around) -> float:
        """How good it is to lay the card, in cards of a color that are held."""
        kind, cards = KIND[face], self._cards
        effect = cards.effects[cards.effect_of[kind]]
        rest = list(hand)
        rest.remove(face)
        worth = 0.0
        if cards.is_wild[kind]:
            worth -= _WILD_EARLY if not around.is_late and len(rest) > 1 else 1.0
            if face == "wild-draw4" and around.color is not None and _held(rest, around.color):
                worth -= _WILD_EARLY  # a bluff
        else:
            worth += _held(rest, face.partition("-")[0])
        takes_turn = effect.skips or effect.draw or effect.skips_all or (effect.reverse and around.seats == 2)
        if effect.draw or takes_turn:
            worth += (effect.draw + 1.0) * 3.0 / around.next_holds
        if effect.reverse and around.seats > 2:
            worth += 3.0 / around.next_holds - 3.0 / around.previous_holds
        if around.is_late:  # the winner counts what is left in the hands
            worth += cards.points_of[kind] / 10.0
        return worth

    def _is_bluff_likely(self, referee: Referee, hand: Sequence[str]) -> bool:
        """Whether a challenge pays, by the cards that the accused may hold."""
        remembered: dict[str, Any] = dict(referee.position().get("remembered", {}))
        color = remembered.get("under", {}).get("color")
        state = referee.state()
        accused = _laid_by(state)
        if color is None or accused is None:
            return False
        seen = Counter(card.rstrip("*") for card in hand) + Counter(remembered.get("seen", {}))
        unseen = {face: n - seen[face] for face, n in self._deck.items()}
        total = max(1, sum(max(0, n) for n in unseen.values()))
        of_color = sum(max(0, n) for face, n in unseen.items() if face.startswith(f"{color}-"))
        held = min(state.hands[accused], total)
        has_none = prod(max(0, total - of_color - i) / max(1, total - i) for i in range(held))
        guilty, honest = self._bluffs[accused, True], self._bluffs[accused, False]
        bluffs = (_BLUFFS[0] + guilty) / (sum(_BLUFFS) + guilty + honest)
        chance = (1 - has_none) * bluffs / ((1 - has_none) * bluffs + has_none or 1.0)
        return chance > _WORTH_A_CHALLENGE and not self._slips(_FORGETS)


class _Around:
    """What a seat sees of the others when it is on turn."""

    def __init__(self, referee: Referee, state: Position, seat: int) -> None:
        n, step = len(state.hands), state.step
        others = [one for i in range(1, n) if (one := (seat + step * i) % n) not in state.out]
        held = [max(1, state.hands[one]) for one in others]
        self.seats = len(others) + 1
        self.next_holds, self.previous_holds = held[0], held[-1]
        self.is_late = min(held) <= _FEW
        self.color = state.color
        self.must_lay = referee.header.ruleset.value("turn.force_play") != "no"


def all_of_color(can: Sequence[Observation], hand: Sequence[str], top: str | None) -> Discarded | None:
    """The discard of all cards of the hand that have the color of the up-card; ``None`` where none is to be made."""
    n = _held(hand, color_of(top or "") or "")
    return next((one for one in can if isinstance(one, Discarded) and one.n == n), None)


def _held(hand: Sequence[str], color: str) -> int:
    return sum(color_of(card) == color for card in hand)


def _first(can: Sequence[Observation], kind: type[_T]) -> _T | None:
    return next((one for one in can if isinstance(one, kind)), None)


def _laid_by(state: Position) -> int | None:
    """The seat that laid the Wild Draw Four that may be challenged: in a stack the one before the seat on turn."""
    if state.phase != "stack" or state.turn is None:
        return state.turn
    n = len(state.hands)
    ring = [(state.turn - state.step * i) % n for i in range(1, n + 1)]
    return next((seat for seat in ring if seat not in state.out), None)
