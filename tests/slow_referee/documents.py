"""What each document says, as far as it changes a ruling."""

from __future__ import annotations

from typing import Any

SHEET: dict[str, Any] = {
    "deck": "108",
    # Points are the game; or the round is, and points count only where the table agreed on a target.
    "game": 500,
    # What an action card is worth when the dealer is picked (-1: it does not count, not even as zero).
    "picked action": 0,
    "picked action is settled": True,
    "begins": "left",
    # The first card turned up: it has its effect, or goes back to the deck, under it ("bottom"), or aside.
    "up": {"skip": "effect", "reverse": "effect", "draw2": "effect", "wild": "effect", "wild-draw4": "deck"},
    # A card drawn that fits: who had none, who chose to draw. And may one choose at all?
    "drawn by need": "may",
    "drawn by choice": "may",
    "choice is granted": True,
    # The Wild Draw Four.
    "challengers": "next",
    "hand is shown to": "challenger",
    "excuses action cards": True,
    "a wild is a match": False,
    # What ends the time in which a seat may be caught.
    "window": "lift",
    "penalty": 2,
    "hand": 7,
    "hand between two": None,
    "most players": 10,
    # Whether who has one card left must say so.
    "calls": True,
    # Whether a partner may catch, or only an opponent.
    "partners catch": True,
    "two players": True,
    "partners": "across",
    "lowest": True,
    "elimination": True,
    "hint": 0,
    "house rules": 0,
    "lists the wild": False,
    # Shuffle Hands: the seat that gets the first card.
    "shuffled from": "who laid it",
    # A draw card may be answered with one that makes draw as much or more; so many cards in a hand knock it out; what
    # the winner scores for each who was knocked out.
    "stacks": False,
    "knocked out at": None,
    "a knock-out scores": 0,
    # What the sheet plays of the rules that tables choose elsewhere.
    "plays": {},
}
"""The sheet G7942 in English, which most of the others say too."""

POLISH_UP = {"skip": "aside", "reverse": "aside", "draw2": "aside", "wild": "aside", "wild-house": "aside"}
GREEK_UP = dict.fromkeys(("skip", "reverse", "draw2", "wild", "wild-draw4", "wild-shuffle", "wild-blank"), "bottom")
# "An action card turned up first is ignored": every card that is no number.
NO_MERCY_UP = dict.fromkeys(
    (
        *("skip", "reverse", "draw2", "draw4", "skip-all", "discard-all"),
        *("wild-reverse-draw4", "wild-draw6", "wild-draw10", "wild-roulette"),
    ),
    "aside",
)
NO_VARIANTS = {
    "picked action": None,
    "two players": False,
    "partners": None,
    "lowest": False,
    "elimination": False,
}
A_ROUND_IS_THE_GAME = NO_VARIANTS | {"game": None}

DOCUMENTS: dict[str, dict[str, Any]] = {
    "g7942-en": SHEET,
    # "qu'un de ses adversaires s'en aperçoit"
    "g7942-fr": SHEET | {"partners catch": False},
    "g7942-de": SHEET | {"picked action": -1},
    "g7942-nl": SHEET | {"window": "play"},
    "g7942-sv": SHEET,
    "g7942-it": SHEET | {"drawn by need": "must"},
    "g7942-es": SHEET | {"begins": "right", "picked action": -1},
    "g7942-pt": SHEET | {"drawn by choice": "must"},
    "g7942-el": SHEET | {"window": "play", "picked action is settled": False},
    "classic-hu": SHEET
    | {
        "picked action": -1,
        "choice is granted": False,
        "challengers": "any",
        "excuses action cards": False,
        "hand is shown to": "next",
        "window": None,
        "partners": "side by side",
        "hint": 2,
        # The list of two-handed play names the plain Joker among the cards that make the other draw: an error.
        "lists the wild": True,
    },
    "house-rules-pl": SHEET
    | A_ROUND_IS_THE_GAME
    | {"deck": "112-pl", "picked action": None, "up": POLISH_UP | {"wild-draw4": "deck"}, "house rules": 5},
    "official-el": SHEET
    | A_ROUND_IS_THE_GAME
    | {"deck": "112-el", "picked action": None, "up": GREEK_UP, "a wild is a match": True},
    # "dealt out again, beginning with the next player"
    "box112-en": SHEET | {"deck": "112-el", "shuffled from": "the next"},
    "swap-hands-en": SHEET | {"deck": "112-swap"},
    "all-wild-en": SHEET
    | NO_VARIANTS
    | {
        "deck": "all-wild",
        "two players": True,
        # "it lies there without effect"
        "up": dict.fromkeys(("reverse", "skip", "skip2", "draw2", "draw4", "target-draw2", "forced-swap"), "plain"),
    },
    "no-mercy-en": SHEET
    | A_ROUND_IS_THE_GAME
    | {
        "deck": "168",
        "picked action": None,
        "up": NO_MERCY_UP,
        "challengers": "nobody",
        "two players": True,
        # "Whoever has no card that fits draws until a card fits. Then that card is played."
        "drawn by need": "must",
        "drawn by choice": "must",
        "plays": {"turn.must_draw": "until-it-fits", "seven": "swap", "zero": "pass-on"},
        "stacks": True,
        "most players": 6,
        "knocked out at": 25,
        "a knock-out scores": 250,
    },
    "crazy-eights-en": SHEET
    | NO_VARIANTS
    | {
        "deck": "crazy-eights",
        "game": 100,
        # "Between two, each player is dealt 7 cards."
        "hand": 5,
        "hand between two": 7,
        "most players": 7,
        "up": {"8": "deck"},
        "drawn by need": "must",
        "drawn by choice": "must",
        "plays": {"turn.must_draw": "until-it-fits"},
        "calls": False,
    },
    "mau-mau-en": SHEET
    | NO_VARIANTS
    | {
        "deck": "mau-mau",
        "game": None,
        "hand": 5,
        "most players": 5,
        # "The first card has no effect: its suit and its rank are matched."
        "up": dict.fromkeys(("7", "8", "jack"), "plain"),
        # "A seven may be answered with a seven; who does not answer draws the sum."
        "stacks": True,
    },
}

IF_POINTS_COUNT = {"mau-mau-en": 100, "no-mercy-en": 1000}
"""How many points win, by documents in which a round is the game, but which say it for those who count points."""

MEANS: dict[str, tuple[str, dict[str, Any]]] = {
    "draw.forced.then_play": ("drawn by need", {}),
    "draw.voluntary.then_play": ("drawn by choice", {"none": "may"}),
    "draw.voluntary": ("choice is granted", {"yes": True, "warn": False}),
    "wd4.challenge.who": ("challengers", {}),
    "wd4.challenge.shown_to": ("hand is shown to", {}),
    "uno.catch.closes": ("window", {"never": None}),
    "uno.catch.who": ("partners catch", {"any": True, "opponents": False}),
    "uno.penalty": ("penalty", {}),
    "deal.hand": ("hand", {}),
    "hand.limit": ("knocked out at", {"none": None}),
    "score.target": ("game", {}),
}
"""By rule that a table may choose: what of a document it changes, and what its values are called there."""


def says(ruleset: str) -> dict[str, Any]:
    """What is played by a document, and what the table plays otherwise (``own``, by rule id)."""
    base, *choices = ruleset.split("+")
    own = DOCUMENTS[base]["plays"] | dict(choice.split("=") for choice in choices)
    changed: dict[str, Any] = {"own": own, "up": dict(DOCUMENTS[base]["up"])}
    for rule, value in own.items():
        if rule in ("start.draw2", "start.reverse", "start.skip"):
            changed["up"][rule.partition(".")[2]] = value
        elif rule == "start.wild.who_names_color":
            changed["up"] |= dict.fromkeys(("wild", "wild-house", "wild-shuffle", "wild-blank"), value)
        elif rule == "goal" and value == "points":
            changed["game"] = changed.get("game", int(own.get("score.target", IF_POINTS_COUNT.get(base, 500))))
        elif rule == "score.target" and not (own.get("goal") == "points" or DOCUMENTS[base]["game"]):
            continue
        elif rule in MEANS:
            name, words = MEANS[rule]
            changed[name] = words.get(value, int(value) if value.isdecimal() else value)
    return DOCUMENTS[base] | changed


THE_SHEET = {name for name in DOCUMENTS if name.startswith("g7942")}
NOT_FRENCH = THE_SHEET - {"g7942-fr"}
TIES = THE_SHEET | {"classic-hu", "box112-en", "swap-hands-en"}
PLAYING_CARDS = {"crazy-eights-en", "mau-mau-en"}
NEITHER_FRENCH_NOR_SPANISH = DOCUMENTS.keys() - {"g7942-fr", "g7942-es"} - PLAYING_CARDS
NOT_THE_SHEET = DOCUMENTS.keys() - THE_SHEET - {"box112-en", "swap-hands-en"}

PROPOSED: dict[tuple[str, str], Any] = {
    ("pick_again", "dealer.pick"): TIES,
    ("draw", "start.draw2"): {"classic-hu"},
    ("skip", "start.draw2"): {"classic-hu", "g7942-it"},
    ("return_card", "start.draw2"): set(),
    ("turn", "start.reverse"): {"classic-hu"},
    ("return_card", "start.reverse"): set(),
    ("skip", "start.skip"): {"classic-hu"},
    ("return_card", "start.skip"): {"house-rules-pl"},
    ("choose_color", "start.wild.who_names_color"): set(),
    ("return_card", "start.wild.who_names_color"): {"house-rules-pl", "official-el"},
    ("illegal", "draw.forced.then_play"): {"g7942-it"},
    ("illegal", "draw.voluntary.then_play"): set(),
    ("illegal", "draw.then_hand_card"): set(),
    ("warn", "draw.voluntary"): {"classic-hu"},
    ("recycle", "pile.exhausted"): NEITHER_FRENCH_NOR_SPANISH,
    ("short", "pile.exhausted"): DOCUMENTS.keys(),
    ("draw", "card.draw2"): {"house-rules-pl"},
    ("turn", "two.reverse"): {"house-rules-pl", "official-el", "all-wild-en"},
    ("may_challenge", "wd4.challenge.who"): NOT_FRENCH,
    ("show_hand", "wd4.challenge.shown_to"): NOT_FRENCH,
    ("draw", "wd4.challenge.guilty"): NOT_FRENCH,
    ("turn", "wd4.challenge.guilty"): DOCUMENTS.keys(),
    ("uno", "uno.call.when"): set(),
    ("uno", "uno.late_self_save"): {"g7942-fr", "g7942-de", "classic-hu"},
    ("draw", "uno.penalty"): set(),
    ("void", "uno.catch.opens"): {"g7942-el", "classic-hu"},
    ("draw", "out.last_draw_card"): NOT_THE_SHEET,
    ("score", "out.last_draw_card.counts"): NOT_THE_SHEET,
    ("score", "score.values"): set(),
    ("score", "partners.score"): {"g7942-pt"},
    ("game_over", "score.target"): set(),
    ("draw", "penalty.hint"): set(),
    ("house_rule", "house.add.trigger"): set(),
    ("house_rule", "house.max"): set(),
    ("house_rule", "house.change"): set(),
}
"""By ruling and rule: the documents that do not settle it, so that it rests on the proposed reading of the matrix.

What is not listed, or turns on more than the document, is said with the ruling or left open."""
