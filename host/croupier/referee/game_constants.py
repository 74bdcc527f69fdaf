"""The book: what a header comes to for one game, worked out before the first card."""

from __future__ import annotations

from functools import cache
from typing import Final

from croupier.cards import BACK, COLORS, DECKS, FACES, KIND, UNREAD
from croupier.referee.header import Header
from croupier.referee.rulings import ColorIs, Rulings, UnoStands
from croupier.referee.transitions import DIRECTIONS, Circle, circle

UNKNOWN: Final = -1
"""Stands for a card whose face nobody saw, and for no seat."""

KIND_SEEN: Final = {**KIND, BACK: UNKNOWN, UNREAD: UNKNOWN}
"""Kinds of what a camera may report."""


@cache
def _counted(deck: str) -> tuple[int, ...]:
    """How many cards of each kind are in a deck."""
    return tuple(DECKS[deck].get(face, 0) for face in FACES)


class Book:
    """What never changes while a game is played. ``deck`` counts by kind, ``team_of`` gives each seat's team."""

    def __init__(self, header: Header) -> None:
        rules = header.ruleset
        self.rules = rules
        self.options = header.options
        self.dealer = header.dealer
        self.seats = len(header.seats)
        self.team_of = {seat: number for number, team in enumerate(header.teams) for seat in team}
        self.accounts = len(header.teams) or self.seats
        self.deck = _counted(rules.deck)
        self.deck_size = sum(self.deck)
        self.first_direction = DIRECTIONS.index(str(rules.value("start.direction")))
        self.hand_size = rules.number("deal.hand")
        self.draw_size = rules.number("turn.must_draw")
        self.must_lay_drawn = (
            rules.value("draw.forced.then_play") == "must",
            rules.value("draw.voluntary.then_play") == "must",
        )
        self.warns_of_draws = rules.value("draw.voluntary") == "warn"
        # The draw after which nothing is to be asked; UNKNOWN where it matters whether the seat had to draw.
        self.plain_draw = UNKNOWN if self.warns_of_draws or any(self.must_lay_drawn) else self.draw_size
        self.closes_on_lift = rules.value("uno.catch.closes") == "lift"
        self.closes_at_all = rules.value("uno.catch.closes") != "never"
        self.most_house_rules = rules.most_house_rules
        self.colors = [ColorIs(rules.basis("card.wild.current_color"), color) for color in COLORS]
        self.colors_again = [ColorIs(rules.basis("card.wild.current_color", "again"), color) for color in COLORS]
        # By seat: its call stands.
        self.called: list[Rulings] = [(UnoStands(rules.basis("uno.call.when"), seat),) for seat in range(self.seats)]
        # Points that end the game; None where a round is the game.
        self.target = self.options.target
        if self.target is None and rules.value("goal") == "points":
            self.target = rules.number("score.target")
        self.is_round_the_game = self.target is None

    def circle(self, out: int) -> Circle:
        """The seats that are not ``out`` (a mask), and what follows from what they do."""
        return circle(self.rules, self.seats, out)
