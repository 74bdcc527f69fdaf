"""Events at a table: as devices and people report them, and in the order of time.

Each event carries ``t``, the second of the table's clock at which it happened (not at which it arrived), and ``u``, the
uncertainty of ``t`` in seconds. An event keeps its class from the device that reports it to the interpreter
(`croupier.runtime.interpreter`), which translates it into observations for the referee.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from croupier.commands import Command, Key, seen_line
from croupier_rules.referee.corrections import Correction
from croupier_rules.referee.observations import Clock, Observation
from croupier_rules.referee.position import Position
from croupier_rules.referee.rulings import Ruling

if TYPE_CHECKING:  # a hub has no card reader
    from cardsight.track.events import Event as PileEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """A key was pressed at a seat; ``line`` as `OfMoment` has it: None for a key that one feels. ``clock``: the clock
    that stamped the press; None for the table's own."""

    t: float
    u: float = 0.0
    seat: int
    key: Key
    line: int | None = None
    clock: Clock | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandGiven:
    """A person gave a command on the page or in the terminal."""

    t: float
    u: float = 0.0
    command: Command


def line_seen(event: object) -> int | None:
    """The number of the line of the log that a person saw and reacts to; None where it does not matter."""
    match event:
        case Press(line=line):
            return line
        case CommandGiven(command=command):
            return seen_line(command)
        case _:
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeReport:
    """A report of the shoe. ``kind``:

    ``fed``: job ``job`` is finished or given up; of ``asked`` cards ``n`` passed the exit sensor on the way
    to ``seat``.
    ``returned``: ``n`` cards that went to ``seat`` by mistake lie in the hopper again.
    ``loaded``: the discard pile, less its top card, was put into the hopper and shuffled.
    ``fault``: the motor stands still; ``fault`` names the kind of fault (`jam`, `double-feed`).
    ``ready``: the fault is cleared.
    """

    t: float
    u: float = 0.0
    kind: Literal["fed", "returned", "loaded", "fault", "ready"]
    job: int = 0
    seat: int = 0
    asked: int = 0
    n: int = 0
    fault: str = ""


@dataclass(frozen=True, slots=True)
class HandSeen:
    """A hand lay open before the camera, complete at ``t``."""

    t: float
    seat: int
    cards: tuple[str, ...]
    u: float = 0.0


@dataclass(frozen=True, slots=True)
class DeviceLost:
    """A device that fair play needs stopped working; ``device`` and ``kind`` name the fault."""

    t: float
    device: str
    kind: str
    u: float = 0.0


@dataclass(frozen=True, slots=True)
class DeviceBack:
    """A device that fair play needs works again."""

    t: float
    device: str
    u: float = 0.0


Event: TypeAlias = "PileEvent | HandSeen | ShoeReport | Press | CommandGiven | DeviceLost | DeviceBack"
"""All events of the inbox."""


@dataclass(frozen=True, slots=True)
class DrawRequest:
    """A seat asks for a card."""

    t: float
    seat: int


@dataclass(frozen=True, slots=True)
class CardUnexpected:
    """A person reports a card that was laid while no card counts."""

    t: float


@dataclass(frozen=True, slots=True)
class DealerAwaited:
    """A person does what means nothing before it is known who deals."""

    t: float


@dataclass(frozen=True, slots=True)
class HandAnnounced:
    """The next open hand that the camera reads is that of the seat."""

    t: float
    seat: int


@dataclass(frozen=True, slots=True)
class JobDone:
    """The shoe has finished a job, or given it up. ``fed``: the cards that it fed; ``observation``: the line of the log
    that reports them, None where no card was fed."""

    t: float
    job: int
    fed: int
    observation: Observation | None = None


@dataclass(frozen=True, slots=True)
class Go:
    """Somebody pressed go while play was not paused: the collected cards are in the shoe."""

    t: float


@dataclass(frozen=True, slots=True)
class UnsureCard:
    """The card on the pile could not be read, or now reads otherwise than it was reported.

    ``candidates``: the likeliest first, for the page to ask about. The record stands until a person settles it.
    """

    t: float
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Amended:
    """Observations that set the record right and are taken in as one: an overrule, the right card, and what came after
    the card once more. Between these observations the table has no meaningful position."""

    t: float
    observations: tuple[Observation, ...]


@dataclass(frozen=True, slots=True)
class CorrectionDue:
    """A correction, to be translated into observations when its turn comes."""

    t: float
    u: float
    correction: Correction


SequencedEvent = (
    Observation
    | Amended
    | CardUnexpected
    | CorrectionDue
    | DealerAwaited
    | DrawRequest
    | HandAnnounced
    | JobDone
    | Go
    | UnsureCard
)
"""All events of the interpreter: observations, and events that keep their place among them."""


Observer = Callable[[SequencedEvent, tuple[Ruling, ...], Position], None]
"""An observer of a game: terminal, voice, page, home automation. It is called with each event, the rulings on it, and
the position after it; it changes nothing."""
