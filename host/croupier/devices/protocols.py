"""What the table is made of, as the program sees it: a shoe, a ring of lights, keys, a camera, a page.

The simulated devices (`croupier_sim`) and the real ones keep to these protocols. Every value that a device
reports carries ``t``, the seconds on the table's clock at which it happened (not when it arrived), and ``u``, how
uncertain that is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from croupier.events import CommandGiven, Press, ShoeReport

Image = npt.NDArray[np.uint8]
"""A picture: height x width x 3, BGR."""

Direction = Literal["left", "right"]


class Frame(Protocol):
    """One picture of the camera, as the simulated camera and those of `cardsight.sources` give them."""

    @property
    def t(self) -> float:
        """When it was taken …"""

    @property
    def u(self) -> float:
        """… give or take so much."""

    @property
    def image(self) -> Image:
        """The picture."""


@dataclass(frozen=True, slots=True)
class Feed:
    """Feed ``n`` cards to ``seat``. The same ``job`` twice feeds nothing the second time. ``is_wished``: the seat asked
    for it, as its turn's draw; where people deal, that is the moment at which it takes the card."""

    job: int
    seat: int
    n: int
    is_wished: bool = False


@dataclass(frozen=True, slots=True)
class Light:
    """What the ring shows: whose turn, which way, which color. Color is never the only sign: position and blinking say
    the same. ``mode``: ``challenge`` while a Wild Draw Four may be challenged, ``penalty`` while cards are owed,
    ``fault`` while play is paused."""

    turn: int | None
    direction: Direction
    color: str | None
    mode: Literal["play", "challenge", "penalty", "fault"] = "play"


@dataclass(frozen=True, slots=True)
class Ask:
    """What the table asks of the people, for the page. ``what``:

    ``choose-dealer``.
    ``turn-up``: ``seat`` takes the top card off the shoe and turns it up as the starter card.
    ``return-card``: the starter card does not count; ``to`` says where it goes.
    ``turn``, ``name-color``: ``card`` is the up-card as the table read it.
    ``answer``: accept the Wild Draw Four ``card``, or challenge it, as any of ``seats`` may.
    ``show-hand``: to the one seat of ``seats``, or to everybody.
    ``play-drawn``: the card just drawn must be laid.
    ``take-back``: the card just laid.
    ``which-card``: the top card could not be read, or it cannot be what was read; a person says what it is.
    ``give-back``: ``n`` cards that the seat was served and may not keep go back into the shoe.
    ``collect-hands`` (Shuffle Hands): all hands go into the shoe, shuffled, on top of the draw pile; ``counts`` says
    how many cards of each seat: what came to it later, as a penalty, it keeps.
    ``make-rule``: ``seat`` may make, or change, a house rule for one of ``numbers``.
    ``follow-rule``: everybody does what the rule for the one number of ``numbers`` asks.
    ``deal`` (where people deal): ``n`` cards to each of ``seats``. ``draw``: ``seat`` takes ``n`` cards.
    ``recycle``. ``clear-fault``. ``next-round``. ``done``.
    """

    what: Literal[
        "choose-dealer", "turn-up", "return-card", "turn", "name-color", "answer", "show-hand", "play-drawn",
        "take-back", "which-card", "give-back", "collect-hands", "make-rule", "follow-rule", "deal", "draw", "recycle",
        "clear-fault", "next-round", "done",
    ]  # fmt: skip
    seat: int | None = None
    card: str | None = None
    to: str | None = None
    n: int = 0
    seats: tuple[int, ...] = ()
    counts: tuple[int, ...] = ()
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Say:
    """A sentence for the voice and the page, in everyday words."""

    text: str


Directive = Feed | Light | Ask | Say


class Shoe(Protocol):
    """Deals and serves draws."""

    def feed(self, feed: Feed) -> None:
        """Begin a job; its report comes when the cards have passed the exit sensor."""

    def reports(self) -> tuple[ShoeReport, ...]:
        """What has been reported since the last call."""


class Ring(Protocol):
    """The lights round the table."""

    def show(self, light: Light) -> None:
        """Show this from now on."""


class Panel(Protocol):
    """The keys of all seats, and what people say on the page."""

    def presses(self) -> tuple[Press | CommandGiven, ...]:
        """What has been pressed and said since the last call, in any order."""


class Camera(Protocol):
    """The camera above the table."""

    def frame(self) -> Frame:
        """The picture now. Raises OSError where there is none: the camera is gone, or shows nothing new."""

    def now(self) -> float:
        """The table's clock."""


class Page(Protocol):
    """Where people read and hear what the table asks."""

    def ask(self, ask: Ask) -> None:
        """Ask the people for something."""

    def say(self, say: Say) -> None:
        """Show and speak a sentence."""
