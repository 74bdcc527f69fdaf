"""The user's own deck: learned from pictures of its cards, kept in a file, and used in reading them.

`likeness` says how alike two cards look; `profile` is what was learned, in a file; `deck_reader` reads pictures with
it; `outlines` finds cards of prints that the reader has never seen the like of.
"""

from cardsight.enroll.deck_reader import DeckReader
from cardsight.enroll.profile import DeckProfile

__all__ = ["DeckProfile", "DeckReader"]
