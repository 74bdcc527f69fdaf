"""What is played in a demo, by whom, and with which cards."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from croupier.cards import COLORS, DECKS
from croupier.config import ruleset_by_name
from croupier.referee import Header, Options, Written
from croupier.rules import RuleSet
from croupier_sim.players import Behavior

NAMES: Final = ("Ann", "Ben", "Cat", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jan")

_ICONS_A_COLOR: Final = 5

_WRITTEN: Final = Written(text="Ο επόμενος τραβάει τρεις κάρτες και χάνει τη σειρά του.", draw=3, skip=True)
"""What these people write on blank wilds, in the language of the only deck that has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoOptions:
    """What is played. ``rounds``: how many, or ``None`` until the game is won. Where a round is the game, and several
    are to be played, points are counted up to the document's target. ``firmware``: shoe, ring and buttons are the real
    firmware on a simulated board; without, quick stand-ins. ``habits``: what each seat is like, of `HABITS`; empty: as
    chance has it."""

    seed: int = 1
    ruleset: str = "g7942-en"
    seats: int = 4
    rounds: int | None = 1
    faults: bool = False
    firmware: bool = True
    habits: tuple[str, ...] = ()


def header_of(options: DemoOptions, dealer: int) -> Header:
    """Who sits where, and what they agreed on before play. Where the document has the dealer chosen, they choose at the
    table; else they have drawn cards before."""
    rules = ruleset_by_name(options.ruleset)
    target = None
    if rules.value("goal") == "round" and (options.rounds or 1) > 1:
        target = rules.number("score.target")
    agreed = Options(target=target, custom=_WRITTEN if rules.value("custom.blank") != "none" else None)
    is_chosen = rules.value("dealer.pick") == "chosen"
    return Header(ruleset=rules, seats=NAMES[: options.seats], dealer=None if is_chosen else dealer, options=agreed)


def deck_of(rules: RuleSet, rng: np.random.Generator) -> tuple[str, ...]:
    """The cards of the deck. Where house rules are made, a few numbers of each color carry the icon, on one card of
    two: which ones, no document lists."""
    cards = [face for face, n in DECKS[rules.deck].items() for _ in range(n)]
    if rules.most_house_rules:
        for color in COLORS:
            for number in rng.choice(np.arange(1, 10), _ICONS_A_COLOR, replace=False):
                cards[cards.index(f"{color}-{number}")] += "*"
    return tuple(cards)


def behavior_under(rules: RuleSet, behavior: Behavior) -> Behavior:
    """They know whether a card that was drawn must be laid."""
    if "must" in (rules.value("draw.forced.then_play"), rules.value("draw.voluntary.then_play")):
        return replace(behavior, play_drawn=1.0)
    return behavior
