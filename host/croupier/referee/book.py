"""The book: what ruleset and header come to for one game, worked out before the first card.

Everything that never changes while a game is played stands here: the deck by kind, who sits next to whom, what
the rules decide, and the rulings that are said over and over again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from croupier.cards import BACK, COLORS, DECKS, FACES, KIND, UNREAD
from croupier.referee.header import Header
from croupier.referee.phases import COLOR, TURN
from croupier.referee.rulings import ChooseColor, ColorIs, Draw, MayChallenge, Rulings, Skip, Turn
from croupier.rules import Basis
from croupier.rules.effects import CARDS_OF, DRAW2, NOTHING, REVERSE, SKIP, WILD_DRAW4

DIRECTIONS: Final = ("left", "right")
LEFT, RIGHT = 0, 1

UNKNOWN: Final = -1
"""Stands for a card whose face nobody saw."""

KIND_SEEN: Final = {**KIND, BACK: UNKNOWN, UNREAD: UNKNOWN}
"""Kinds of what a camera may report."""


@dataclass(frozen=True, slots=True)
class Sequel:
    """What follows when a card is laid: whose turn it is in which phase, who owes cards, and what is said."""

    phase: int
    turn: int
    direction: int
    debtor: int
    n: int
    rulings: Rulings


Sequels = tuple[tuple[tuple[Sequel, ...], ...], ...]


class Book:
    """What ``header`` comes to. ``seats`` is their number, ``team_of`` gives each seat's team."""

    def __init__(self, header: Header) -> None:
        rules = header.ruleset
        self.header = header
        self.rules = rules
        self.options = header.options
        self.seats = len(header.seats)
        self.team_of = {seat: number for number, team in enumerate(header.teams) for seat in team}
        deck = DECKS[rules.deck]
        self.deck = [deck.get(face, 0) for face in FACES]
        self.deck_size = sum(self.deck)
        self.hand_size = rules.number("deal.hand")
        self.first_direction = DIRECTIONS.index(str(rules.value("start.direction")))
        self.first_side = DIRECTIONS.index(str(rules.value("start.first_player")))
        self.draw_size = rules.number("turn.must_draw")
        self.must_lay_drawn = (
            rules.value("draw.forced.then_play") == "must",
            rules.value("draw.voluntary.then_play") == "must",
        )
        self.warns_of_draws = rules.value("draw.voluntary") == "warn"
        passed = rules.basis("draw.forced.then_play")
        self.passed = [[(Turn(passed, seat, side),) for seat in range(self.seats)] for side in DIRECTIONS]
        self.closes_on_lift = rules.value("uno.catch.closes") == "lift"
        self.closes_at_all = rules.value("uno.catch.closes") != "never"
        self.colors = [ColorIs(rules.basis("card.wild.current_color", "named"), color) for color in COLORS]
        self._circles: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {}
        self._sequels: dict[int, Sequels] = {}

    @cached_property
    def target(self) -> int | None:
        """Points that end the game; ``None`` where a round is the game."""
        if self.options.target is not None:
            return self.options.target
        return self.rules.number("score.target") if self.rules.value("goal") == "points" else None

    def circle(self, out: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """By direction and seat: the next seat that is not ``out`` (a mask of seats)."""
        if out not in self._circles:
            self._circles[out] = (self._neighbours(out, 1), self._neighbours(out, -1))
        return self._circles[out]

    def _neighbours(self, out: int, step: int) -> tuple[int, ...]:
        after = []
        for seat in range(self.seats):
            other = (seat + step) % self.seats
            while out >> other & 1 and other != seat:
                other = (other + step) % self.seats
            after.append(other)
        return tuple(after)

    def sequels(self, out: int) -> Sequels:
        """By direction, effect and the seat that laid the card: what follows. ``out`` as in `circle`."""
        if out not in self._sequels:
            self._sequels[out] = tuple(
                tuple(
                    tuple(self._sequel(effect, seat, direction, out) for seat in range(self.seats))
                    for effect in range(6)
                )
                for direction in (LEFT, RIGHT)
            )
        return self._sequels[out]

    def _sequel(self, effect: int, seat: int, direction: int, out: int) -> Sequel:
        """What follows when ``seat`` lays a card with ``effect`` (``card.*``, ``two.*``)."""
        circle, basis = self.circle(out), self.rules.basis
        after = circle[direction][seat]
        two = circle[direction][after] == seat
        if effect == NOTHING:
            return self._turn(basis("start.direction"), after, direction)
        if effect == REVERSE and not (two and self.rules.value("two.reverse") == "skip"):
            flipped = circle[1 - direction][seat]
            return self._turn(basis("two.reverse" if two else "card.reverse"), flipped, 1 - direction)
        if effect in (SKIP, REVERSE):
            skip = basis("card.skip") if effect == SKIP else basis("two.reverse")
            turn = skip if not two or effect == REVERSE else basis("two.skip")
            return self._skip(skip, turn, after, direction, out)
        if effect == DRAW2:
            rule = "card.draw2"
            draw = Draw(basis(rule), after, CARDS_OF[DRAW2], "draw2")
            turn = basis("two.draw") if two else basis(rule, "turn")
            return self._skip(basis(rule, "skip"), turn, after, direction, out, draw)
        choose = (ChooseColor(basis("card.wild.current_color"), seat),)
        return Sequel(COLOR, seat, direction, UNKNOWN, 0, choose)

    def _turn(self, basis: Basis, seat: int, direction: int) -> Sequel:
        return Sequel(TURN, seat, direction, UNKNOWN, 0, (Turn(basis, seat, DIRECTIONS[direction]),))

    def _skip(self, skip: Basis, turn: Basis, seat: int, direction: int, out: int, draw: Draw | None = None) -> Sequel:
        """``seat`` misses its turn, and draws first where ``draw`` says so."""
        after = self.circle(out)[direction][seat]
        missed = (Skip(skip, seat), Turn(turn, after, DIRECTIONS[direction]))
        if draw is None:
            return Sequel(TURN, after, direction, UNKNOWN, 0, missed)
        return Sequel(TURN, after, direction, draw.seat, draw.n, (draw, *missed))

    def first(self, effect: int, dealer: int, out: int) -> Sequel:
        """What follows when a card with ``effect`` is turned up first (``start.*``)."""
        basis, direction = self.rules.basis, self.first_direction
        seat = self.circle(out)[self.first_side][dealer]
        if effect == REVERSE:
            return self._turn(basis("start.reverse"), dealer, 1 - direction)
        if effect == SKIP:
            return self._skip(basis("start.skip", "skip"), basis("start.skip"), seat, direction, out)
        if effect == DRAW2:
            rule = "start.draw2"
            draw = Draw(basis(rule), seat, CARDS_OF[DRAW2], "draw2")
            return self._skip(basis(rule, "skip"), basis(rule, "skip"), seat, direction, out, draw)
        if effect == NOTHING:
            return self._turn(basis("start.first_player"), seat, direction)
        choose = (ChooseColor(basis("start.wild.who_names_color"), seat),)
        return Sequel(COLOR, seat, direction, UNKNOWN, 0, choose)

    def accepted(self, accused: int, direction: int, out: int) -> Sequel:
        """What follows when a Wild Draw Four is taken: the next seat draws and misses its turn."""
        seat = self.circle(out)[direction][accused]
        taken = self.rules.basis("wd4.bluff", "taken")
        two = self.circle(out)[direction][seat] == accused
        turn = self.rules.basis("two.draw", "wild-draw4") if two else taken
        draw = Draw(taken, seat, CARDS_OF[WILD_DRAW4], "wild-draw4")
        return self._skip(taken, turn, seat, direction, out, draw)

    def convicted(self, accused: int, direction: int, out: int) -> Sequel:
        """What follows when the accused was guilty: it draws, and the next seat keeps the turn."""
        rule = "wd4.challenge.guilty"
        after = self.circle(out)[direction][accused]
        draw = Draw(self.rules.basis(rule), accused, self.rules.number(rule), "guilty")
        turn = Turn(self.rules.basis(rule, "turn"), after, DIRECTIONS[direction])
        return Sequel(TURN, after, direction, accused, draw.n, (draw, turn))

    def acquitted(self, accused: int, challenger: int, direction: int, out: int) -> Sequel:
        """What follows when the accused was innocent: the challenger draws more, and the next seat misses its turn."""
        rule = "wd4.challenge.innocent"
        basis = self.rules.basis(rule, "all" if challenger == self.circle(out)[direction][accused] else "other")
        draw = Draw(basis, challenger, self.rules.number(rule), "innocent")
        return self._skip(basis, basis, self.circle(out)[direction][accused], direction, out, draw)

    def may_challenge(self, accused: int, direction: int, out: int) -> MayChallenge:
        """Who may challenge (``wd4.challenge.who``): the seat that must draw, or every other."""
        rule = "wd4.challenge.who"
        seats: tuple[int, ...] = (self.circle(out)[direction][accused],)
        if self.rules.value(rule) == "any":
            seats = tuple(seat for seat in range(self.seats) if seat != accused and not out >> seat & 1)
        return MayChallenge(self.rules.basis(rule), seats)
