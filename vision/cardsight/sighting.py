"""Results of the card reader: plain data without pictures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Doubt = Literal["blur", "covered", "lamp", "color", "cut", "deck", "not-in-deck", "unclear"]
"""Why a card is hard to read: it is blurred, other cards or things lie on it, the light has one color, the card has
another shade than others of its color, the edge of the picture cuts it off, the deck has no more cards of its face or
has none at all, it looks like a card on which nothing can be read."""
CameraFault = Literal["colors-exchanged", "mirrored", "torn", "upside-down", "elsewhere", "no-cards"]
"""Fault of the camera that a picture shows: red and blue are exchanged; left and right are; its lower part is missing;
the camera hangs the other way round than it was calibrated; it looks at another place, or is another camera, by the
size of the cards, or since it shows none."""
Corners = tuple[tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]]
"""Four points (x right, y down) in px of the picture, clockwise as seen. The first edge is a short one; it begins at
either top-left corner of the printed face."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """One card as the camera saw it.

    ``face``: a face of `croupier_rules.cards`, ``back`` for a card face down, ``?`` if the reader is not sure.
    ``candidates``: for ``?``, the most likely faces with their probabilities, best first.
    ``runners_up``: for a face that was read, what else the card may be, best first.
    ``confidence``: calibrated probability (0…1) that ``face`` is right; for ``?`` that of the best candidate.
    ``symbol``: the mark for the color-blind (``circle`` ``star`` ``triangle`` ``square``), ``None`` if none was seen.
    ``doubts``: what makes the card hard to read, if the reader is not sure of it. ``under``: for a covered card that
    could not be named, the face of the card that lies on it; ``None`` if none was read there.
    """

    face: str
    confidence: float
    corners_px: Corners
    symbol: str | None = None
    candidates: tuple[tuple[str, float], ...] = ()
    doubts: tuple[Doubt, ...] = ()
    runners_up: tuple[str, ...] = ()
    under: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """All cards read in one picture of ``size`` (width, height) px.

    ``cards``: cards face up, ``?`` included. ``backs``: cards face down.
    ``ms``: time from the decoded picture to the result; ``stages_ms``: the same for each stage. ``fault``: what is
    wrong with the camera (`cardsight.camera_check`); ``is_mended``: the cards are those of the picture as it should be.
    ``may_hide``: cards lie on each other, and nobody knows their number: more of them may lie hidden.
    """

    size: tuple[int, int]
    cards: tuple[Sighting, ...]
    backs: tuple[Sighting, ...] = ()
    ms: float = 0.0
    stages_ms: dict[str, float] = field(default_factory=dict)
    fault: CameraFault | None = None
    is_mended: bool = False
    may_hide: bool = False

    @property
    def unreadable(self) -> int:
        """Number of cards face up that could not be read."""
        return sum(card.face == "?" for card in self.cards)
