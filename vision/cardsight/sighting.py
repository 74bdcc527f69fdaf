"""What the card reader says of a picture: plain data, no pictures, no drawing."""

from __future__ import annotations

from dataclasses import dataclass, field

Corners = tuple[tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]]
"""Four points (x right, y down) in pixels of the picture as given, in order round the card (clockwise as seen),
starting at either top-left corner of the printed face: the first edge is a short one."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """One card as the camera saw it.

    ``face`` is a face of `croupier.cards`, ``back`` for a card that lies face down, or ``?`` where the reader is not
    sure; then ``candidates`` holds the likeliest faces with their probabilities, best first. ``confidence`` (0…1) is
    the probability that ``face`` is right, calibrated; for ``?`` that of the best candidate. ``symbol`` is the mark
    for the color-blind that was read (``circle`` ``star`` ``triangle`` ``square``) or ``None`` where none was seen.
    """

    face: str
    confidence: float
    corners_px: Corners
    symbol: str | None = None
    candidates: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything read in one picture of ``size`` (width, height) px.

    ``cards`` are the cards that lie face up, ``?`` among them; ``backs`` those that lie face down. ``ms`` is the time
    from the decoded picture to this result, ``stages_ms`` the same by stage.
    """

    size: tuple[int, int]
    cards: tuple[Sighting, ...]
    backs: tuple[Sighting, ...] = ()
    ms: float = 0.0
    stages_ms: dict[str, float] = field(default_factory=dict)

    @property
    def unreadable(self) -> int:
        """How many cards lie face up but could not be read."""
        return sum(card.face == "?" for card in self.cards)
