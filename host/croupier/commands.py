"""What people say at the table, on the page or in the terminal, where no key and no camera tells it."""

from __future__ import annotations

from dataclasses import dataclass

from croupier.referee.corrections import Correction


@dataclass(frozen=True, slots=True)
class Named:
    """Which ``card`` really lies on top of the discard pile."""

    card: str


@dataclass(frozen=True, slots=True)
class Dealer:
    """Who deals."""

    seat: int


@dataclass(frozen=True, slots=True)
class Ruled:
    """A seat made a house rule for a number, or changed the one it has."""

    seat: int
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Laid:
    """Which card was laid, where no camera sees it; ``seat``: None for the one on turn."""

    card: str
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """Which cards a seat laid open, where no camera sees them."""

    seat: int
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Counted:
    """Of what the shoe dealt when it lost its power, ``n`` cards reached the seat."""

    n: int


@dataclass(frozen=True, slots=True)
class Corrected:
    """The record is set right."""

    correction: Correction


Saying = Named | Dealer | Ruled | Laid | Opened | Counted | Corrected
