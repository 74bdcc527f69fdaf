"""Reads the cards that lie on a table, from a picture."""

from cardsight.sighting import Reading, Sighting

__all__ = ["Reading", "Sighting"]
