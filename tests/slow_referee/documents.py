"""What each of the twelve printed documents says, as far as it changes a ruling."""

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
    # Whether a partner may catch, or only an opponent.
    "partners catch": True,
    "two players": True,
    "partners": "across",
    "lowest": True,
    "elimination": True,
    "hint": 0,
    "house rules": 0,
    "lists the wild": False,
}
"""The sheet G7942 in English, which most of the others say too."""

POLISH_UP = {"skip": "aside", "reverse": "aside", "draw2": "aside", "wild": "aside", "wild-house": "aside"}
GREEK_UP = dict.fromkeys(("skip", "reverse", "draw2", "wild", "wild-draw4", "wild-shuffle", "wild-blank"), "bottom")
A_ROUND_IS_THE_GAME = {
    "game": None,
    "two players": False,
    "partners": None,
    "lowest": False,
    "elimination": False,
}

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
}

THE_SHEET = {name for name in DOCUMENTS if name.startswith("g7942")}
NOT_FRENCH = THE_SHEET - {"g7942-fr"}
NEITHER_FRENCH_NOR_SPANISH = DOCUMENTS.keys() - {"g7942-fr", "g7942-es"}
NOT_THE_SHEET = DOCUMENTS.keys() - THE_SHEET

PROPOSED: dict[tuple[str, str], Any] = {
    ("pick_again", "dealer.pick"): THE_SHEET | {"classic-hu"},
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
    ("turn", "two.reverse"): {"house-rules-pl", "official-el"},
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
