"""The rule points and the values a ruleset may give them: the vocabulary that all printed documents share.

A ruleset file gives each rule id one of these values; the referee asks for it by name. A value that no document has
cannot be written down by mistake, and a rule that a document is silent about is left out or given ``none``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from croupier_rules.cards import OWN_SYMBOLS
from croupier_rules.errors import marked

Value = str | int

VALUES: Final[Mapping[str, Sequence[Value]]] = MappingProxyType(
    {
        "deck.size": (108, 112, 168),
        "players.count": ("2-10", "2-6", "silent"),
        "goal": ("points", "round"),
        "dealer.pick": ("highest-actions-zero", "highest-actions-not-counted", "chosen"),
        "deal.hand": range(3, 11),
        "start.first_player": ("left", "right"),
        "start.direction": ("left", "right"),
        # A card turned up first: it has its effect, or goes back (shuffled in, under the pile, left aside).
        "start.draw2": ("effect", "deck", "bottom", "aside"),
        "start.reverse": ("effect", "deck", "bottom", "aside"),
        "start.skip": ("effect", "deck", "bottom", "aside"),
        "start.wild.who_names_color": ("effect", "deck", "bottom", "aside"),
        "start.wd4": ("deck", "bottom", "aside"),
        "start.own": ("deck", "bottom", "aside", "none"),
        "match.basic": ("color-number-symbol-or-wild",),
        "match.action_on": ("color-or-symbol",),
        "turn.must_draw": (1, "until-it-fits"),
        "draw.forced.then_play": ("may", "must"),
        "draw.voluntary": ("yes", "warn"),
        "draw.voluntary.then_play": ("may", "must", "none"),
        "draw.then_hand_card": ("no",),
        "pile.exhausted": ("all-but-the-top-card",),
        "card.draw2": ("next-draws-2-and-misses",),
        "card.reverse": ("flips-direction",),
        "card.skip": ("next-misses",),
        "card.wild.current_color": ("yes",),
        "card.own": ("as-on-the-card", "none"),
        "stack.cards": ("equal-or-more", "none"),
        "hand.limit": ("none", *range(15, 51)),
        "wd4.legality": ("no-card-of-the-color",),
        "wd4.other_cards_held": ("excused-in-other-colors", "none"),
        "wd4.wild_counts_as_match": ("no", "yes"),
        "wd4.bluff": ("only-a-challenge-asks",),
        "wd4.challenge.defined": ("yes", "borrowed"),
        "wd4.challenge.who": ("next", "any", "nobody"),
        "wd4.challenge.shown_to": ("challenger", "next"),
        "wd4.challenge.guilty": (4,),
        "wd4.challenge.innocent": (6,),
        "wd4.challenge.color": ("stays",),
        "uno.call.when": ("before-the-touch", "at-the-touch"),
        "uno.late_self_save": ("safe",),
        "uno.catch.opens": ("touch",),
        "uno.catch.closes": ("lift", "play", "never"),
        "uno.catch.who": ("any", "opponents"),
        "uno.penalty": range(1, 11),
        "out.last_draw_card": ("served",),
        "out.last_draw_card.counts": ("yes",),
        "out.callback": ("yes", "none"),
        "score.values": ("face-20-50", "one-a-round"),
        "score.knocked_out": ("none", *range(1, 1001)),
        "score.target": range(1, 10_001),
        "score.alt_lowest": ("lowest-at-target", "played", "none"),
        "two.reverse": ("skip", "flip"),
        "two.skip": ("play-again", "none"),
        "two.draw": ("play-again", "none"),
        "partners.seating": ("across", "side-by-side", "none"),
        "partners.score": ("opponents", "none"),
        "partners.four": ("3-pairings-4-hands", "none"),
        "partners.eight": ("28-hands", "none"),
        "elim.out": ("reaches-the-limit", "none"),
        "elim.final": ("reaching-loses", "none"),
        "penalty.hint": (2, "none"),
        "shuffle.hands": ("from-who-laid-it", "from-the-next", "none"),
        "custom.blank": ("written-before-play", "none"),
        "house.add.trigger": ("may-invent", "none"),
        "house.add.first_effect": ("next-card", "none"),
        "house.max": (5, "none"),
        "house.change": ("wild-only", "none"),
        "house.icon_ignored": ("yes", "none"),
        "house.last_draws": (1, "none"),
        "house.who": ("everybody", "none"),
        "house.bad_rule": ("advised-against", "none"),
        # What no sheet plays, but many tables do; first what is played where the table says nothing (`USUAL`).
        "stack.draw2": ("no", "draw2", "any"),
        "stack.wd4": ("no", "wild-draw4", "any"),
        "stack.limit": ("none", *range(4, 101)),
        "jump_in": ("no", "identical"),
        "play.double": ("no", "identical"),
        "seven": ("plain", "swap"),
        "zero": ("plain", "pass-on"),
        "turn.force_play": ("no", "drawn", "always"),
        "last.action": ("allowed", "forbidden"),
    }
)
"""Every rule id, with the values it may have."""

OF_THE_TABLE: Final = tuple(VALUES)[tuple(VALUES).index("stack.draw2") :]
"""Rules that no sheet has: they are played where the table chose them."""

OWN_CARDS: Final = "card.own"
"""What the cards do that only a deck file knows: a part for each symbol."""

USUAL: Final[Mapping[str, Value]] = MappingProxyType({rule: VALUES[rule][0] for rule in OF_THE_TABLE})
"""By rule of the table: what is played where nobody chose it."""

Choice = tuple[str, tuple[Value, ...]]
"""A rule with the values that are meant; without values: any."""

NO_SUCH_QUESTION: Final = marked("{first} and {second} cannot be combined: nobody challenges a Wild Draw Four")
MUST_BE_PLAYED: Final = marked("{first} and {second} cannot be combined: a card drawn that fits must be played")
MAY_NOT_DRAW: Final = marked("{first} and {second} cannot be combined: who can play may not draw")
COUNTED: Final = marked("{first} and {second} cannot be combined: rounds are counted, or points")
EXCLUDES: Final[tuple[tuple[Choice, Choice, str], ...]] = (
    *(
        (("wd4.challenge.who", ("nobody",)), (rule, ()), NO_SUCH_QUESTION)
        for rule in ("wd4.other_cards_held", "wd4.wild_counts_as_match", "wd4.challenge.defined",
                     "wd4.challenge.shown_to")
    ),
    *(
        (("turn.force_play", ("drawn", "always")), (rule, ("may", "none")), MUST_BE_PLAYED)
        for rule in ("draw.forced.then_play", "draw.voluntary.then_play")
    ),
    (("turn.force_play", ("always",)), ("draw.voluntary", ()), MAY_NOT_DRAW),
    (("score.values", ("one-a-round",)), ("score.alt_lowest", ("played",)), COUNTED),
)  # fmt: skip
"""Choices that cannot be combined, and why."""

PARTS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "goal": {"round": "somebody is out of cards"},
        "dealer.pick": {
            "action": "an action card was picked",
            "tie": "several players picked it",
            "unread": "a picked card could not be read",
            "next": "who deals the next round",
        },
        "start.draw2": {"skip": "the first player misses the turn"},
        "match.basic": {"symbol": "a symbol is matched"},
        "match.action_on": {"draw2": "a Draw Two", "reverse": "a Reverse", "skip": "a Skip"},
        "start.direction": {"turn": "the turn goes on to the next player"},
        "draw.forced.then_play": {
            "must": "the card drawn has to be played",
            "turn": "the turn goes on to the next player",
        },
        "pile.exhausted": {
            "recycle": "the discard pile, less its top card, is shuffled",
            "short": "no card is left to draw",
        },
        "card.draw2": {"draw": "the next player draws", "skip": "and misses the turn"},
        "card.wild.current_color": {"again": "the color in force is named again"},
        "card.own": dict.fromkeys(OWN_SYMBOLS, ""),  # each has its name in the deck file
        "hand.limit": {"turn": "the player was on turn"},
        "wd4.legality": {"named": "a wild lay on top, with a color that was named"},
        "wd4.other_cards_held": {"action": "an action card of the color is held"},
        "wd4.wild_counts_as_match": {"other": "a wild that is not a plain one is held"},
        "wd4.bluff": {"taken": "the card is accepted: the next player draws and misses the turn"},
        "wd4.challenge.who": {"late": "a challenge after the first card was drawn"},
        "wd4.challenge.guilty": {"turn": "whose turn it is then"},
        "wd4.challenge.innocent": {"other": "the challenger was not the one who must draw"},
        "uno.catch.closes": {
            "late": "a catch that comes too late",
            "lift": "because a card was lifted",
            "draw": "because a card was drawn",
            "play": "because a card was played",
            "penalty": "a penalty was drawn meanwhile",
        },
        "score.alt_lowest": {
            "score": "each player's points",
            "target": "somebody reaches it, and the lowest total wins",
            "tie": "several players have the lowest total",
        },
        "two.draw": {"wild-draw4": "a Wild Draw Four", "wild": "a plain wild"},
        "elim.out": {"score": "each player's points", "several": "several players reach the limit in one round"},
        "elim.final": {"again": "the final takes more than one round"},
        "shuffle.hands": {
            "uneven": "some players get one card more than others",
            "last": "it was the last card of a hand",
            "one": "a seat was dealt a single card",
            "turn": "whose turn it is then",
        },
        "custom.blank": {"before": "what is written must be written before play"},
        "house.who": {"tie": "nobody was clearly the last"},
        "house.last_draws": {"own": "other penalties were agreed before play"},
    }
)
"""By rule id: the parts of it that a ruling may rest on, for ``quotes.PART`` and ``proposed.PART`` (and ``all``).

A part that has a sentence of its own is quoted with it, else with the sentence of the rule; ``proposed.all`` marks
whatever rests on the rule, ``proposed.PART`` only what that part decides."""

FOR_PEOPLE: Final = frozenset(
    {"wd4.challenge.color", "out.callback", "partners.four", "partners.eight", "house.bad_rule"}
)
"""Rules that the referee never asks for: what goes without asking (a named color stays; who called UNO and must draw
is back in play), who plays with whom over several rounds, and good advice."""

PARTS_FOR_PEOPLE: Final = frozenset({("match.basic", "symbol"), ("elim.final", "again")})
"""Parts that decide no ruling, but what is not ruled."""
