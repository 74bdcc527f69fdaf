"""What lies on the simulated table, and how hands and cards move over it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_CARRY_MM: Final = 30.0
"""A card in a hand is carried so high above the table …"""
_HOVER_DEPTH: Final = 0.8
"""… and a hand that hesitates does so that far on its way."""


@dataclass(frozen=True, slots=True)
class Pose:
    """Where a card lies: its middle in mm, turned clockwise in degrees."""

    x: float
    y: float
    turn: float


@dataclass(frozen=True, slots=True)
class Lying:
    """A card on the table."""

    face: str
    pose: Pose


@dataclass(frozen=True, slots=True)
class Reach:
    """A hand that comes from ``seat``, is at ``at`` from ``there`` to ``back``, and is gone at ``end`` (seconds).
    Half-way between ``there`` and ``back`` it touches: it leaves the card that it ``carries``, or has the one that it
    ``takes``. One that ``keeps`` its card only shows it. On its way it may stop for ``hovers`` seconds."""

    seat: int
    at: tuple[float, float]
    begin: float
    there: float
    back: float
    end: float
    carries: Lying | None = None
    takes: Lying | None = None
    keeps: bool = False
    hovers: float = 0.0

    @property
    def touch(self) -> float:
        """When it is down on the table."""
        return (self.there + self.back) / 2

    def held(self, t: float) -> Lying | None:
        """The card in the hand."""
        if self.keeps:
            return self.carries
        return self.carries if t < self.touch else self.takes

    def depth(self, t: float) -> float:
        """How far the hand has come: 0 at the edge, 1 at its goal. It starts and stops as people's hands do."""
        if t > self.back:
            return 1 - _eased((t - self.back) / (self.end - self.back))
        if not self.hovers:
            return _eased((t - self.begin) / (self.there - self.begin))
        half = (self.there - self.begin - self.hovers) / 2
        near = _eased((t - self.begin) / half)
        return _HOVER_DEPTH * near + (1 - _HOVER_DEPTH) * _eased((t - self.there + half) / half)

    def height_mm(self, t: float) -> float:
        """How high above the table the card in the hand is; it goes down until the table stops it."""
        if self.keeps:
            return _CARRY_MM
        return _CARRY_MM * min(1.0, abs(t - self.touch) / max(self.touch - self.there, 1e-6))


def _eased(part: float) -> float:
    """The way of a hand that jerks as little as it can (Flash and Hogan 1985): part of the time to part of the way."""
    x = min(max(part, 0.0), 1.0)
    return x * x * x * (10 + x * (6 * x - 15))


@dataclass(frozen=True, slots=True)
class Slide:
    """A card face down on its way from the shoe to ``seat``."""

    seat: int
    begin: float
    end: float
