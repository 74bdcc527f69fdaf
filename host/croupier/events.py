"""What goes into the sequencer and what it tells: observations, and what is none but must keep its place among them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cardsight.track.events import Event
from croupier.devices.protocols import Press, Said, ShoeReport
from croupier.referee import corrections
from croupier.referee.observations import Observation
from croupier.runtime.hand_scan import HandSeen


@dataclass(frozen=True, slots=True)
class Expected:
    """What the game is waiting for, as the referee's position says it.

    ``phase``: as `Director.phase`. ``faces``: those that could come now; they only
    order the candidates of a card that could not be read. ``hand``: seat and number of cards of the hand to be shown.
    ``needs_cards``: the draw pile has run out. ``owed``: how many cards each seat is still to get.
    """

    phase: str = "deal"
    turn: int | None = None
    is_paused: bool = False
    needs_cards: bool = False
    owed: Mapping[int, int] = field(default_factory=dict)
    faces: frozenset[str] = frozenset()
    hand: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class PartGone:
    """A part that fair play needs does not work (any more): ``device`` and ``kind`` of the fault."""

    t: float
    device: str
    kind: str


@dataclass(frozen=True, slots=True)
class PartBack:
    """It works again."""

    t: float
    device: str


Source = Event | HandSeen | ShoeReport | Press | Said | PartGone | PartBack
"""What the sequencer is given."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A seat asks for a card."""

    t: float
    seat: int


@dataclass(frozen=True, slots=True)
class JobDone:
    """The shoe is through with a job; what it really fed is told next."""

    t: float
    job: int


@dataclass(frozen=True, slots=True)
class Go:
    """Somebody pressed go while play was not paused: the cards that were collected are in the shoe."""

    t: float


@dataclass(frozen=True, slots=True)
class Unsure:
    """The card on the pile could not be read, or now reads otherwise than it was told; its candidates, likeliest first:
    for the page to ask about. What was told stays until a person settles it."""

    t: float
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Amended:
    """The last card turned out to be another: what takes it back, the right card, and what came after it once more;
    or only what takes the last observation back. To be taken as one: what lies between is not how the table stands."""

    t: float
    observations: tuple[Observation, ...]


@dataclass(frozen=True, slots=True)
class ToCorrect:
    """A person set the record right: to be told as what `corrections.told` makes of it."""

    t: float
    u: float
    correction: corrections.Correction


Told = Observation | Amended | ToCorrect | Wish | JobDone | Go | Unsure
"""What it tells."""
