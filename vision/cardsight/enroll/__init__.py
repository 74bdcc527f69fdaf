"""Deck profiles: a user's own deck, learned from pictures of its cards.

`profile` holds the learned cards and compares them, `deck_reader` reads pictures with a profile, and `outlines` finds
cards of prints that the detector was not trained on.
"""

from cardsight.enroll.deck_reader import DeckReader
from cardsight.enroll.profile import DeckProfile

__all__ = ["DeckProfile", "DeckReader"]
