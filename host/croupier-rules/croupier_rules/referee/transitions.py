"""Phases of the table, and the transition table: the consequences of a card that is laid, turned up, accepted or
judged.

A transition depends only on the ruleset, the seats that play, the direction and the effect of the card. The table of
all transitions is therefore computed once per ruleset and set of seats, and looked up while the game is played.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeVar

from croupier_rules.referee.rulings import (
    ChooseColor,
    ChooseSeat,
    ChooseTarget,
    DiscardAll,
    Draw,
    MayChallenge,
    Ruling,
    Rulings,
    Skip,
    Turn,
)
from croupier_rules.rules import Basis, RuleSet
from croupier_rules.rules.card_tables import (
    AS_WRITTEN,
    DRAW2,
    NOTHING,
    REVERSE,
    SKIP,
    WILD_DRAW4,
    card_tables,
)

# Up to DRAWN a seat is on turn and may lay or draw a card, in STACK it may lay a draw card; code compares with `<=`.
(TURN, DRAWN, STACK, COLOR, CHALLENGE, SWAP, TARGET, DISCARD, ROULETTE, REDEAL,
 PICK, DEAL, UPCARD, ROUND_OVER, GAME_OVER) = range(15)  # fmt: skip

PHASES: Final = (
    *("turn", "drawn", "stack", "color", "challenge", "swap", "target", "discard", "roulette", "redeal"),
    *("pick", "deal", "upcard", "round_over", "game_over"),
)
"""By number: the ``phase`` of a position. ``paused`` is not a phase: play goes on in the phase before."""

HAS_TURN: Final = frozenset(range(TURN, REDEAL + 1))
"""The phases in which it is some seat's turn."""


_T = TypeVar("_T")

DIRECTIONS: Final = ("left", "right")
NOBODY: Final = -1


@dataclass(frozen=True, slots=True)
class Transition:
    """The consequence of a card: the next phase, the seat on turn, the direction, the seat that must draw ``n`` cards,
    and the rulings."""

    phase: int
    turn: int
    direction: int
    rulings: Rulings
    debtor: int = NOBODY
    n: int = 0


class TransitionTable:
    """The seats of a table of ``seats`` that are not ``out`` (a mask), under one ruleset."""

    def __init__(self, rules: RuleSet, seats: int, out: int) -> None:
        self.cards = card_tables(rules.deck)
        self._basis = rules.basis
        self._value = rules.value
        self._number = rules.number
        self._has_part = rules.has_part
        self.seats = seats
        self.players = tuple(seat for seat in range(seats) if not out >> seat & 1)
        # By seat: the others that play.
        self.others = tuple(tuple(other for other in self.players if other != seat) for seat in range(seats))
        # By direction and seat: the next seat that plays.
        self.after = (self._neighbours(1), self._neighbours(-1))
        self._first_direction = DIRECTIONS.index(str(rules.value("start.direction")))
        self._first_side = DIRECTIONS.index(str(rules.value("start.first_player")))
        # By direction, the seat that laid the card, and its effect.
        self.laid = self._by_direction_and_seat(
            lambda seat, way: tuple(self._laid(effect, seat, way) for effect in range(len(self.cards.effects)))
        )
        # The same, but None where more than the next turn may follow.
        most = NOTHING - 1 if rules.most_house_rules else DRAW2
        self.plain = self._by_direction_and_seat(
            lambda seat, way: tuple(
                transition if effect <= most else None for effect, transition in enumerate(self.laid[way][seat])
            )
        )
        # By direction and the seat that laid a wild whose color is named.
        self.colored = self._by_direction_and_seat(self._colored)
        # By direction and the seat whose turn it is then.
        self.passed = self._by_direction_and_seat(self._passed)
        # By direction and the seat that laid a Wild Draw Four.
        self.accepted = self._by_direction_and_seat(self._accepted)
        self.may_challenge = self._by_direction_and_seat(self._may_challenge)
        self.first = cache(self._first)
        self.convicted = cache(self._convicted)
        self.acquitted = cache(self._acquitted)
        self.as_written = cache(self._as_written)
        self.stacked = cache(self._stacked)
        self.drawn_for = cache(self._drawn_for)
        self.turned_up = cache(self._turned_up)
        self.chosen_by = cache(self._chosen_by)
        self.targeted = cache(self._targeted)

    def _by_direction_and_seat(self, follows: Callable[[int, int], _T]) -> tuple[tuple[_T, ...], ...]:
        return tuple(tuple(follows(seat, way) for seat in range(self.seats)) for way in range(len(DIRECTIONS)))

    def _neighbours(self, step: int) -> tuple[int, ...]:
        after = []
        for seat in range(self.seats):
            other = (seat + step) % self.seats
            while other not in self.players and other != seat:
                other = (other + step) % self.seats
            after.append(other)
        return tuple(after)

    def first_player(self, dealer: int) -> int:
        """The seat that begins when ``dealer`` deals (``start.first_player``)."""
        return self.after[self._first_side][dealer]

    def next_dealer(self, dealer: int) -> int:
        """The seat to which the deal passes."""
        return self.after[self._first_direction][dealer]

    def _first(self, effect: int, dealer: int) -> Transition:
        """A card with ``effect`` is turned up first (``start.*``)."""
        basis, way, seat = self._basis, self._first_direction, self.first_player(dealer)
        if effect == NOTHING:
            return self._turn(basis("start.first_player"), seat, way)
        if effect == REVERSE:
            return self._turn(basis("start.reverse"), dealer, 1 - way)
        if effect == SKIP:
            return self._skip(seat, way, basis("start.skip"), basis("start.skip"))
        if effect == DRAW2:
            draw, skip = basis("start.draw2"), basis("start.draw2", "skip")
            return self._skip(seat, way, skip, skip, Draw(draw, seat, self.cards.effects[DRAW2].draw, "draw2"))
        if effect > AS_WRITTEN and not self.cards.effects[effect].wild:
            return self._own(effect, self.after[1 - way][seat], way, basis("start.own"))
        return Transition(COLOR, seat, way, (ChooseColor(basis("start.wild.who_names_color"), seat),))

    def _laid(self, effect: int, seat: int, way: int) -> Transition:
        """``seat`` laid a card with ``effect`` (``card.*``; ``two.*`` where only two play)."""
        basis, after = self._basis, self.after[way][seat]
        two = self.after[way][after] == seat
        if effect == NOTHING:
            return self._turn(basis("start.direction", "turn"), after, way)
        if effect == REVERSE and two and self._value("two.reverse") == "skip":
            return self._skip(after, way, basis("two.reverse"), basis("two.reverse"))
        if effect == REVERSE:
            flipped = self.after[1 - way][seat]
            return self._turn(basis("two.reverse" if two else "card.reverse"), flipped, 1 - way)
        if effect == SKIP:
            again = two and self._value("two.skip") != "none"
            return self._skip(after, way, basis("card.skip"), basis("two.skip" if again else "card.skip"))
        if effect == DRAW2:
            draw, skip = basis("card.draw2", "draw"), basis("card.draw2", "skip")
            turn = basis("two.draw") if two and self._value("two.draw") != "none" else skip
            return self._skip(after, way, skip, turn, Draw(draw, after, self.cards.effects[DRAW2].draw, "draw2"))
        if effect > AS_WRITTEN:
            return self._own(effect, seat, way)
        return Transition(COLOR, seat, way, (ChooseColor(basis("card.wild.current_color"), seat),))

    def _own(self, effect: int, seat: int, way: int, basis: Basis | None = None) -> Transition:
        """``seat`` laid a card that only its deck file knows (``card.own``, or what ``basis`` says)."""
        does = self.cards.effects[effect]
        if does.reverse and not does.draw and len(self.players) == 2 and self._value("two.reverse") == "skip":
            two = self._basis("two.reverse")
            return self._skip(self.after[way][seat], way, two, two)
        basis, way = basis or self._basis("card.own", does.symbol), 1 - way if does.reverse else way
        after = self.after[way][seat]
        if does.until_color:
            return Transition(COLOR, after, way, (ChooseColor(basis, after),))
        if does.wild:
            return Transition(COLOR, seat, way, (ChooseColor(self._basis("card.wild.current_color"), seat),))
        if does.swaps or does.targets:
            return self._chosen_by(effect, seat, way)
        if does.discards:
            return Transition(DISCARD, seat, way, (DiscardAll(basis, seat),))
        if does.draw:
            return self._drawn_for(effect, self.source(effect, seat, way), way, basis)
        missed: list[int] = []
        others = len(self.others[seat])
        while len(missed) < (others if does.skips_all else min(does.skips, others)):
            missed.append(after)
            after = self.after[way][after]
        after = seat if does.skips_all else after
        skips = tuple(Skip(basis, one) for one in missed)
        again = does.skips and others == 1 and self._value("two.skip") != "none"
        turn = Turn(self._basis("two.skip") if again else basis, after, DIRECTIONS[way])
        return Transition(TURN, after, way, (*skips, turn))

    def _chosen_by(self, effect: int, seat: int, way: int) -> Transition:
        """``seat`` chooses another, to swap hands with it or to make it draw."""
        basis = self._basis("card.own", self.cards.effects[effect].symbol)
        if self.cards.effects[effect].swaps:
            return Transition(SWAP, seat, way, (ChooseSeat(basis, seat),))
        return Transition(TARGET, seat, way, (ChooseTarget(basis, seat),))

    def _targeted(self, effect: int, seat: int, other: int, way: int) -> Transition:
        """``seat`` chose the seat ``other``, which draws; the next seat is on turn."""
        does, after = self.cards.effects[effect], self.after[way][seat]
        basis = self._basis("card.own", does.symbol)
        rulings = (Draw(basis, other, does.draw, does.symbol), Turn(basis, after, DIRECTIONS[way]))
        return Transition(TURN, after, way, rulings, other, does.draw)

    def source(self, effect: int, seat: int, way: int) -> int:
        """The seat after which the one comes that a draw card is meant for. Between two, a draw card that turns the
        direction comes back to ``seat``, which laid it."""
        return self.after[way][seat] if self.cards.effects[effect].reverse and len(self.players) == 2 else seat

    def _drawn_for(self, effect: int, source: int, way: int, basis: Basis | None = None) -> Transition:
        """A draw card of the deck's own is taken by the seat after ``source``."""
        n, why = self.cards.draws[effect], self.cards.why[effect]
        basis, seat = basis or self._basis("card.own", why), self.after[way][source]
        return self._skip(seat, way, basis, basis, Draw(basis, seat, n, why))

    def _turned_up(self, effect: int, seat: int, way: int) -> Transition:
        """``seat`` has turned up a card of the color that it named, and misses its turn."""
        basis = self._basis("card.own", self.cards.effects[effect].symbol)
        return self._skip(seat, way, basis, basis)

    def _colored(self, seat: int, way: int) -> Transition:
        """``seat`` named the color of its wild (``two.draw``, where a sheet lists the plain wild among its cards)."""
        after = self.after[way][seat]
        if self.after[way][after] == seat and self._has_part("two.draw", "wild"):
            return self._turn(self._basis("two.draw", "wild"), after, way)
        return self._turn(self._basis("start.direction", "turn"), after, way)

    def _passed(self, seat: int, way: int) -> Rulings:
        """The turn goes on to ``seat``."""
        return (Turn(self._basis("draw.forced.then_play", "turn"), seat, DIRECTIONS[way]),)

    def _accepted(self, accused: int, way: int) -> Transition:
        """A Wild Draw Four is taken: the next seat draws and misses its turn."""
        seat = self.after[way][accused]
        taken = self._basis("wd4.bluff", "taken")
        two = self.after[way][seat] == accused and self._value("two.draw") != "none"
        turn = self._basis("two.draw", "wild-draw4") if two else taken
        return self._skip(seat, way, taken, turn, Draw(taken, seat, self.cards.effects[WILD_DRAW4].draw, "wild-draw4"))

    def _convicted(self, accused: int, way: int) -> Transition:
        """The accused was guilty: it draws, and the next seat keeps the turn."""
        rule, after = "wd4.challenge.guilty", self.after[way][accused]
        draw = Draw(self._basis(rule), accused, self._number(rule), "guilty")
        turn = Turn(self._basis(rule, "turn"), after, DIRECTIONS[way])
        return Transition(TURN, after, way, (draw, turn), accused, draw.n)

    def _acquitted(self, accused: int, challenger: int, way: int) -> Transition:
        """The accused was innocent: the challenger draws more, and the next seat misses its turn."""
        rule, seat = "wd4.challenge.innocent", self.after[way][accused]
        basis = self._basis(rule, "all" if challenger == seat else "other")
        draw, taken = Draw(basis, challenger, self._number(rule), "innocent"), self._basis("wd4.bluff", "taken")
        return self._skip(seat, way, taken, taken, draw)

    def _may_challenge(self, accused: int, way: int) -> MayChallenge:
        """Seats that may challenge (``wd4.challenge.who``): the seat that must draw, every other, or nobody."""
        rule = "wd4.challenge.who"
        who = {"any": self.others[accused], "nobody": ()}
        return MayChallenge(self._basis(rule), who.get(str(self._value(rule)), (self.after[way][accused],)))

    def _stacked(self, seat: int, way: int, n: int, why: str, basis: Basis) -> Transition:
        """A stack of draw cards is taken: the seat after ``seat``, which laid the last of them, draws ``n``."""
        after = self.after[way][seat]
        return self._skip(after, way, basis, basis, Draw(basis, after, n, why))

    def _as_written(self, seat: int, way: int, cards: int, skip: bool, again: bool) -> Transition:
        """``seat`` laid a blank wild (``custom.blank``): the next draws, misses its turn, or ``seat`` plays again."""
        basis, after = self._basis("custom.blank"), self.after[way][seat]
        rulings: list[Ruling] = [Draw(basis, after, cards, "custom")] if cards else []
        turn = after
        if skip:
            rulings.append(Skip(basis, after))
            turn = self.after[way][after]
        if again:
            turn = seat
        rulings.append(Turn(basis, turn, DIRECTIONS[way]))
        return Transition(TURN, turn, way, tuple(rulings), after, cards)

    def _turn(self, basis: Basis, seat: int, way: int) -> Transition:
        return Transition(TURN, seat, way, (Turn(basis, seat, DIRECTIONS[way]),))

    def _skip(self, seat: int, way: int, skip: Basis, turn: Basis, draw: Draw | None = None) -> Transition:
        """``seat`` misses its turn; where ``draw`` says so, somebody draws first."""
        after = self.after[way][seat]
        missed = (Skip(skip, seat), Turn(turn, after, DIRECTIONS[way]))
        if draw is None:
            return Transition(TURN, after, way, missed)
        return Transition(TURN, after, way, (draw, *missed), draw.seat, draw.n)


@cache
def transition_table(rules: RuleSet, seats: int, out: int) -> TransitionTable:
    """The transition table of these seats, cached: there are few, and every round needs one."""
    return TransitionTable(rules, seats, out)
