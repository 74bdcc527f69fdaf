"""Card detection and recognition in pictures of a table."""

from cardsight.sighting import Reading, Sighting

__all__ = ["Reading", "Sighting"]
