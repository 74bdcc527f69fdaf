"""What a still picture shows beyond the cards that were read, so that no sum of them is silently short."""

from __future__ import annotations

from cardsight.edges import with_cards_at_edge
from cardsight.geometry import Image, pyramid
from cardsight.indices import with_indices
from cardsight.model import Model
from cardsight.sighting import Reading
from cardsight.unexplained import with_unexplained_cards


def completed(image: Image, reading: Reading, model: Model, *, may_name: bool = True) -> Reading:
    """Add the cards that the edge of ``image`` cuts off, those of which little more than an index is visible, and what
    else no reading explains: each is ``?``, or read if ``may_name``."""
    levels = pyramid(image)
    reading = with_cards_at_edge(levels, reading, model.detector)
    return with_unexplained_cards(levels, with_indices(levels, reading, model, may_name=may_name), model)
