"""Commands of people at the table: on the page, in the terminal, or for the simulation.

A command is plain data without a time; its receiver stamps it (`croupier.events.CommandGiven`). The runtime carries it
out as far as rules and position allow; the log has its effect.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from croupier_rules.referee import Header
from croupier_rules.referee.corrections import Correction, OfMoment

ColorKey = Literal["red", "yellow", "green", "blue"]
Key = Literal[
    "uno", "draw", "pass", "accept", "challenge", "acted", "decline", "go", "pause", "undo",
    "red", "yellow", "green", "blue", "open",
]  # fmt: skip
"""The keys of a seat. ``uno``: the UNO call. ``draw``: the seat asks for a card. ``open``: the hand that lies open
before the camera now is that of the seat, also if another seat was asked for one. ``acted``: the seat did what the
house rule asks. ``decline``: the seat makes no house rule. ``go``: the cards are in the shoe, or a fault is cleared;
play on. ``pause``: play stops until ``go``. ``undo``: the last observation did not happen."""

FOR_THE_TABLE: Final = frozenset({"go", "pause", "undo"})
"""Keys that mean the same from every seat."""

ANY_MOMENT: Final[tuple[Key, ...]] = ("uno", "pause")
"""Keys that count by the time of the press alone, not by what was shown at that time."""

PAGE_KEYS: Final = tuple(key for key in get_args(Key) if key != "undo")
"""The keys that the page offers: to take something back it has a form that shows first what will change."""


@dataclass(frozen=True, slots=True)
class PressKey(OfMoment):
    """Press one of a seat's keys on the page."""

    seat: int
    key: Key


@dataclass(frozen=True, slots=True)
class NameCard(OfMoment):
    """Name the ``card`` that lies on top of the discard pile."""

    card: str


@dataclass(frozen=True, slots=True)
class ChooseDealer(OfMoment):
    """Choose the seat that deals."""

    seat: int


@dataclass(frozen=True, slots=True)
class MakeHouseRule(OfMoment):
    """Make a house rule for a number, or change the rule that the number has."""

    seat: int
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class SwapHands(OfMoment):
    """Choose the seat ``other``, as the card asks (``swap``, ``target``). ``seat``: None for the seat on turn."""

    other: int
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class DiscardCards(OfMoment):
    """Lay ``n`` other cards of the color under a Discard All. ``seat``: None for the seat on turn, which laid it."""

    n: int
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class LayCard(OfMoment):
    """Report a laid card that no camera saw. ``seat``: None for the seat on turn."""

    card: str
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class ShowCards(OfMoment):
    """Report the cards that a seat laid open and no camera saw."""

    seat: int
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CountFedCards(OfMoment):
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
class PluginOrder:
    """An order for the plug-in of this name (`croupier.plugins.OBSERVERS`). ``seat``: None for a referee."""

    plugin: str
    order: str
    seat: int | None = None


Command = (
    PressKey | NameCard | ChooseDealer | MakeHouseRule | SwapHands | DiscardCards | LayCard | ShowCards | CountFedCards
    | Correction | StartGame | ProvokeFault | PluginOrder
)  # fmt: skip


def seen_line(command: Command) -> int | None:
    """The newest line of the log that the person saw when giving the command; None where the moment does not matter."""
    match command:
        case PressKey(key=key) if key in ANY_MOMENT:
            return None
        case OfMoment(line=line):
            return line
        case _:
            return None
