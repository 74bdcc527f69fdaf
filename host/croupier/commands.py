"""What a person orders at the table: on the page, in the terminal, or for the simulation.

A command is plain data without a time. Whoever takes it in stamps it (`croupier.events.CommandGiven`); the runtime
carries it out, or not, as the rules and the table have it, and what comes of it stands in the log.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from croupier.referee import Header
from croupier.referee.corrections import Correction

ColorKey = Literal["red", "yellow", "green", "blue"]
Key = Literal[
    "uno", "draw", "pass", "accept", "challenge", "acted", "decline", "go", "pause", "undo",
    "red", "yellow", "green", "blue",
]  # fmt: skip
"""The keys of a seat. ``uno``: the UNO call. ``draw``: the seat asks for a card. ``acted``: the seat did what the house
rule asks. ``decline``: the seat makes no house rule. ``go``: the cards are in the shoe, or a fault is cleared; play on.
``pause``: play stops until ``go``. ``undo``: the last observation did not happen. ``go``, ``pause`` and ``undo`` belong
to the table: they mean the same from every seat."""

PAGE_KEYS: Final = tuple(key for key in get_args(Key) if key != "undo")
"""The keys that the page offers: to take something back it has a form that shows first what will change."""


@dataclass(frozen=True, slots=True)
class PressKey:
    """Press one of a seat's keys on the page."""

    seat: int
    key: Key


@dataclass(frozen=True, slots=True)
class NameCard:
    """Name the ``card`` that lies on top of the discard pile."""

    card: str


@dataclass(frozen=True, slots=True)
class ChooseDealer:
    """Choose the seat that deals."""

    seat: int


@dataclass(frozen=True, slots=True)
class MakeHouseRule:
    """Make a house rule for a number, or change the rule that the number has."""

    seat: int
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class LayCard:
    """Report a laid card that no camera saw. ``seat``: None for the seat on turn."""

    card: str
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class ShowCards:
    """Report the cards that a seat laid open and no camera saw."""

    seat: int
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CountFedCards:
    """Report that ``n`` cards reached the seat of the job during which the shoe lost its power."""

    n: int


@dataclass(frozen=True, slots=True)
class StartGame:
    """Start this game next."""

    header: Header


@dataclass(frozen=True, slots=True)
class ProvokeFault:
    """Provoke one of the faults that a simulated table offers."""

    fault: str


@dataclass(frozen=True, slots=True)
class Loudness:
    """Set the volume of the voice, 0…100, and whether the voice is muted; also the present setting."""

    volume: int
    muted: bool


Command = (
    PressKey | NameCard | ChooseDealer | MakeHouseRule | LayCard | ShowCards | CountFedCards | Correction
    | StartGame | ProvokeFault | Loudness
)  # fmt: skip
