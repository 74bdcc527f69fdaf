"""The rule points and the values a ruleset may give them: the vocabulary that all printed documents share.

A ruleset file gives each rule id one of these values; the referee asks for it by name. A value that no document has
cannot be written down by mistake, and a rule that a document is silent about is left out or given ``none``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

Value = str | int

VALUES: Final[Mapping[str, tuple[Value, ...]]] = MappingProxyType(
    {
        "deck.size": (108, 112),
        "players.count": ("2-10", "silent"),
        "goal": ("points", "round"),
        "dealer.pick": ("highest-actions-zero", "highest-actions-not-counted", "chosen"),
        "deal.hand": (7,),
        "start.first_player": ("left", "right"),
        "start.direction": ("left", "right"),
        # A card turned up first: it has its effect, or goes back (shuffled in, under the pile, left aside).
        "start.draw2": ("effect", "deck", "bottom", "aside"),
        "start.reverse": ("effect", "deck", "bottom", "aside"),
        "start.skip": ("effect", "deck", "bottom", "aside"),
        "start.wild.who_names_color": ("effect", "deck", "bottom", "aside"),
        "start.wd4": ("deck", "bottom", "aside"),
        "match.basic": ("color-number-symbol-or-wild",),
        "match.action_on": ("color-or-symbol",),
        "turn.must_draw": (1,),
        "draw.forced.then_play": ("may", "must"),
        "draw.voluntary": ("yes", "warn"),
        "draw.voluntary.then_play": ("may", "must"),
        "draw.then_hand_card": ("no",),
        "pile.exhausted": ("all-but-the-top-card",),
        "card.draw2": ("next-draws-2-and-misses",),
        "card.reverse": ("flips-direction",),
        "card.skip": ("next-misses",),
        "card.wild.current_color": ("yes",),
        "wd4.legality": ("no-card-of-the-color",),
        "wd4.other_cards_held": ("excused-in-other-colors",),
        "wd4.wild_counts_as_match": ("no", "yes"),
        "wd4.bluff": ("only-a-challenge-asks",),
        "wd4.challenge.defined": ("yes", "borrowed"),
        "wd4.challenge.who": ("next", "any"),
        "wd4.challenge.shown_to": ("challenger", "next"),
        "wd4.challenge.guilty": (4,),
        "wd4.challenge.innocent": (6,),
        "wd4.challenge.color": ("stays",),
        "uno.call.when": ("before-the-touch", "at-the-touch"),
        "uno.late_self_save": ("safe",),
        "uno.catch.opens": ("touch",),
        "uno.catch.closes": ("lift", "play", "never"),
        "uno.penalty": (2,),
        "out.last_draw_card": ("served",),
        "out.last_draw_card.counts": ("yes",),
        "out.callback": ("yes", "none"),
        "score.values": ("face-20-50",),
        "score.target": (500,),
        "score.alt_lowest": ("lowest-at-target", "none"),
        "two.reverse": ("skip", "flip"),
        "two.skip": ("play-again",),
        "two.draw": ("play-again",),
        "partners.seating": ("across", "side-by-side", "none"),
        "partners.score": ("opponents", "none"),
        "partners.four": ("3-pairings-4-hands", "none"),
        "partners.eight": ("28-hands", "none"),
        "elim.out": ("reaches-the-limit", "none"),
        "elim.final": ("reaching-loses", "none"),
        "penalty.hint": (2, "none"),
        "shuffle.hands": ("from-who-laid-it", "none"),
        "custom.blank": ("written-before-play", "none"),
        "house.add.trigger": ("may-invent", "none"),
        "house.add.first_effect": ("next-card", "none"),
        "house.max": (5, "none"),
        "house.change": ("wild-only", "none"),
        "house.icon_ignored": ("yes", "none"),
        "house.last_draws": (1, "none"),
        "house.who": ("everybody", "none"),
        "house.bad_rule": ("advised-against", "none"),
    }
)
"""Every rule id, with the values it may have."""

FOR_PEOPLE: Final = frozenset({"wd4.challenge.color", "partners.four", "partners.eight", "house.bad_rule"})
"""Rules that the referee never asks for: what goes without asking (a named color stays), who plays with whom over
several rounds, and good advice."""
