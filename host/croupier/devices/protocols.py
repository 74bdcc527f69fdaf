"""What the table is made of, as the program sees it: a shoe, a ring of lights, keys, a camera, a page.

The simulated devices (`croupier_sim`) and the real ones keep to these protocols. Every value that a device
reports carries ``t``, the seconds on the table's clock at which it happened (not when it arrived), and ``u``, how
uncertain that is.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    """Feed ``n`` cards to ``seat``. The same ``job`` twice feeds nothing the second time.

    ``is_wished``: the seat asked for it, as its turn's draw; where people deal, the seat takes the card at that moment.
    ``number``: the number that the job had on the wire before a restart; 0 where it was never told.
    """

    job: int
    seat: int
    n: int
    is_wished: bool = False
    number: int = 0


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


DeviceEvent = Press | CommandGiven | ShoeReport


class EventSource(Protocol):
    """Reports events with a watermark. Ask for the watermark first, then poll."""

    def watermark(self) -> float:
        """All events up to this time (s, table clock) are in the next `poll`."""

    def poll(self) -> Sequence[DeviceEvent]:
        """All events that arrived since the last call, in any order."""


class JobLog(Protocol):
    """Remembers feed jobs before the shoe is told of them, so that no card is fed twice after a restart."""

    def record(self, number: int, feed: Feed) -> bool:
        """Write that ``feed`` has this ``number`` on the wire; false where that fails, and the job must wait."""


class NullJobLog:
    """A `JobLog` that remembers nothing: for benches and simulations, which are not restarted."""

    def record(self, number: int, feed: Feed) -> bool:
        """Always true."""
        return True


class Shoe(Protocol):
    """Deals and serves draws. Its reports come from the `EventSource` that it belongs to."""

    @property
    def fault(self) -> str:
        """The kind of the fault that waits to be cleared; "" where there is none."""

    @property
    def is_recovering(self) -> bool:
        """True until the outcome of every job of `recover` was reported."""

    @property
    def in_doubt(self) -> tuple[Feed, int] | None:
        """The job whose cards a person must count, and how many of its cards were seen to pass."""

    def feed(self, feed: Feed) -> None:
        """Begin a job; its report comes when the cards have passed the exit sensor."""

    def handle(self, event: Press | CommandGiven) -> None:
        """Act on what people press and order; events that do not concern the shoe change nothing."""

    def begin_game(self) -> bool:
        """Forget the jobs of the last game, since their numbers begin anew; False while one of them is under way."""

    def recover(self, jobs: Sequence[Feed], fault: str) -> None:
        """Go on after a restart of the program; call it once, before anything else. ``jobs``: those whose outcome the
        log does not know, in their order, each with its `Feed.number`. ``fault``: not cleared according to the log."""


class Ring(Protocol):
    """The lights round the table."""

    @property
    def fault(self) -> str:
        """Why the ring does not shine, in one line; "" while it does."""

    def show(self, light: Light) -> None:
        """Show this from now on."""


class NullRing:
    """A `Ring` where there is none."""

    fault = ""

    def show(self, light: Light) -> None:
        """Nobody sees it."""


class Machine(EventSource, Protocol):
    """Devices behind one connection: a Pico on USB, the Pi's own pins, or the simulated board."""

    @property
    def shoe(self) -> Shoe | None:
        """The shoe; None where there is none."""

    @property
    def ring(self) -> Ring | None:
        """The ring; None where there is none."""

    @property
    def stuck(self) -> Sequence[str]:
        """The keys that have been down for longer than anybody holds one: ``uno 2``, ``go``."""

    def alarm(self) -> tuple[str, str] | None:
        """The kind of the alarm (`croupier.alarms`) and one line of detail; None while the machine works.

        The kind ``overflow`` (reports were lost) lasts until `acknowledge`; all others end by themselves.
        """

    def acknowledge(self) -> None:
        """A person pressed go, and has looked after what the alarm says."""

    def start(self) -> None:
        """Connect in a thread of its own, again and again until `close`. Raises nothing."""

    def close(self) -> None:
        """Switch motors and lights off and disconnect."""


class Camera(Protocol):
    """The camera above the table."""

    @property
    def trouble(self) -> str:
        """Why there is no picture, in one line; "" while there is one."""

    def start(self) -> None:
        """Begin to look, in a thread of its own. Raises nothing."""

    def close(self) -> None:
        """Give the camera back."""

    def frame(self) -> Frame:
        """Return the newest picture, once. Raises OSError where no new one has come."""

    def now(self) -> float:
        """Return the time of the table's clock (s)."""


class Page(Protocol):
    """Where people read and hear what the table asks."""

    def ask(self, ask: Ask) -> None:
        """Ask the people for something."""

    def say(self, say: Say) -> None:
        """Show and speak a sentence."""
