"""The protocols of the devices, and the directives to them: shoe, ring of lights, keys, the camera at the card exit,
page.

The simulated devices (`croupier_sim`) and the real ones implement these protocols. Every report carries ``t``, the time
on the table's clock (s) at which it happened (not at which it arrived), and ``u``, the uncertainty of ``t`` (s).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from croupier.commands import Key
from croupier.events import CommandGiven, Press, ShoeReport

Direction = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class Feed:
    """Feed ``n`` cards to ``seat``. The same ``job`` twice feeds nothing the second time.

    ``is_wished``: the seat asked for it, as its turn's draw; where people deal, the seat takes the card at that moment.
    ``number``: the number that the job had on the wire before a restart; 0 if it was never sent.
    """

    job: int
    seat: int
    n: int
    is_wished: bool = False
    number: int = 0


@dataclass(frozen=True, slots=True)
class Light:
    """The picture on the ring: turn, direction, color; position and blinking say the same as the color. A color that
    only a deck file knows shines as the one whose key names it (`croupier_rules.cards.KEYS`).

    ``mode``: ``challenge`` while a Wild Draw Four may be challenged, ``penalty`` while cards are owed or a stack of
    draw cards waits for an answer, ``choose`` while the seat on turn chooses another, ``fault`` while play is paused.
    ``draws``: with ``penalty``, the seat that draws, and how many cards. ``seats``: with ``choose``, who may be chosen.
    """

    turn: int | None
    direction: Direction
    color: str | None
    mode: Literal["play", "challenge", "penalty", "choose", "fault"] = "play"
    draws: tuple[int, int] | None = None
    seats: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """A request to the people, for the page. ``what``:

    ``choose-dealer``.
    ``turn-up``: ``seat`` takes the top card off the shoe and turns it up as the starter card.
    ``return-card``: the starter card does not count; ``to`` says where it goes.
    ``turn``, ``name-color``: ``card`` is the up-card as the table read it.
    ``answer``: accept the Wild Draw Four ``card``, or challenge it, as any of ``seats`` may.
    ``stack``: answer the draw card ``card`` with another, or take ``n`` cards; ``seats`` may challenge it.
    ``choose-seat``: ``seat`` chooses a seat, to swap hands with or to make draw.
    ``discard``: ``seat`` lays all other cards of the color under ``card``, and says how many.
    ``turn-up-cards``: ``seat`` draws card after card until one of the color comes, and then passes.
    ``give-up-hand``: ``seat`` is knocked out: its hand goes under the discard pile.
    ``move-hands``: by seat, ``seats`` says whose hand it gets; ``seat`` is on turn then.
    ``show-hand``: to the one seat of ``seats``, or to everybody.
    ``play-drawn``: the card just drawn must be laid.
    ``take-back``: the card just laid.
    ``which-card``: the top card could not be read, or cannot be what was read; a person names it.
    ``give-back``: ``n`` cards that the seat was served and may not keep go back into the shoe.
    ``collect-hands`` (Shuffle Hands): ``counts`` cards of each seat go into the shoe, shuffled, on top of the draw
    pile; a seat keeps what it got later, as a penalty.
    ``make-rule``: ``seat`` may make, or change, a house rule for one of ``numbers``.
    ``follow-rule``: everybody does what the rule for the one number of ``numbers`` asks.
    ``deal`` (where people deal): ``n`` cards to each of ``seats``. ``draw``: ``seat`` takes ``n`` cards.
    ``recycle``. ``clear-fault``. ``next-round``. ``done``.
    """

    what: Literal[
        "choose-dealer", "turn-up", "return-card", "turn", "name-color", "answer", "stack", "choose-seat",
        "discard", "turn-up-cards", "give-up-hand",
        "move-hands", "show-hand", "play-drawn", "take-back", "which-card", "give-back", "collect-hands", "make-rule",
        "follow-rule", "deal", "draw", "recycle", "clear-fault", "next-round", "done",
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
    """Why a report or a command of people changed nothing, in everyday words."""

    text: str


Directive = Feed | Light | Ask


DeviceEvent = Press | CommandGiven | ShoeReport


class EventSource(Protocol):
    """Reports events with a watermark. Ask for the watermark first, then poll."""

    def watermark(self) -> float:
        """All events up to this time (s, table clock) are in the next `poll`."""

    def poll(self) -> Sequence[DeviceEvent]:
        """All events that arrived since the last call, in any order."""


class JobLog(Protocol):
    """Records feed jobs before they are sent to the shoe, so that no card is fed twice after a restart."""

    def record(self, number: int, feed: Feed) -> bool:
        """Write that ``feed`` has this ``number`` on the wire; false if that fails: then the job must wait."""


class NullJobLog:
    """A `JobLog` that records nothing: for benches and simulations, which are not restarted."""

    def record(self, number: int, feed: Feed) -> bool:
        """Always true."""
        return True


class Shoe(Protocol):
    """Deals and serves draws. Its reports come from the `EventSource` that it belongs to."""

    @property
    def fault(self) -> str:
        """The kind of the fault that is not cleared yet; "" for none."""

    @property
    def is_recovering(self) -> bool:
        """True until the outcome of every job of `recover` is reported."""

    @property
    def in_doubt(self) -> tuple[Feed, int] | None:
        """The job whose cards a person must count, and the number of cards that the exit sensor saw; ``None`` if no job
        is in doubt."""

    def feed(self, feed: Feed) -> None:
        """Begin a job; its report comes when the cards have passed the exit sensor."""

    def handle(self, event: Press | CommandGiven) -> None:
        """React to presses and orders of people. Events that do not concern the shoe change nothing."""

    def begin_game(self) -> bool:
        """Forget the jobs of the last game, since job numbers restart. Returns False while one of them runs."""

    def recover(self, jobs: Sequence[Feed] | None, fault: str) -> None:
        """Go on after a restart of the program; call it once, before anything else. ``jobs``: those without an outcome
        in the log, in their order, each with its `Feed.number`; None: their record is damaged, and nothing is fed
        before `hands_counted`. ``fault``: not cleared according to the log."""

    def hands_counted(self) -> None:
        """People counted the cards of every hand, and the log has the numbers."""


class Ring(Protocol):
    """The lights round the table."""

    @property
    def fault(self) -> str:
        """The reason why the ring does not shine, in one line; "" while it does."""

    def show(self, light: Light) -> None:
        """Show this from now on."""


class NullRing:
    """Stands for the `Ring` of a table without one."""

    fault = ""

    def show(self, light: Light) -> None:
        """Show nothing."""


class Machine(EventSource, Protocol):
    """Devices behind one connection: a Pico on USB, the Pi's own pins, or the simulated board."""

    @property
    def shoe(self) -> Shoe | None:
        """The shoe, if there is one."""

    @property
    def ring(self) -> Ring | None:
        """The ring, if there is one."""

    @property
    def stuck(self) -> Sequence[str]:
        """The keys that are stuck: ``uno 2``, ``go``."""

    def alarm(self) -> tuple[str, str] | None:
        """The kind of the alarm (`croupier.alarms`) and one line of detail; None while the machine works.

        The kind ``overflow`` (reports were lost) lasts until `acknowledge`; all others end by themselves.
        """

    def acknowledge(self) -> None:
        """A person pressed go after dealing with the alarm."""

    def start(self) -> None:
        """Connect in a thread of its own, and reconnect until `close`. Raises nothing."""

    def close(self) -> None:
        """Switch motors and lights off and disconnect."""


class ExitCamera(EventSource, Protocol):
    """The camera at the card exit. It reports no events: its watermark tells until when every card is read."""

    @property
    def trouble(self) -> str:
        """The reason why it reads nothing, in one line; "" while it works."""

    def start(self) -> None:
        """Open the camera in a thread of its own. Raises nothing."""

    def close(self) -> None:
        """Close the camera."""

    def expect(self, faces: Collection[str]) -> None:
        """Read the cards of a deck with these faces from now on."""

    def take(self, until: float) -> tuple[tuple[str, ...], ...]:
        """Return the cards that passed up to ``until`` (s) and were not taken yet: of each its face, or two faces that
        passed as one card."""


class Page(Protocol):
    """The page, the voice or the terminal, where people read and hear the table's requests."""

    def ask(self, ask: Ask) -> None:
        """Ask the people for something."""

    def say(self, say: Say) -> None:
        """Tell people why nothing was changed."""


_ANSWERED_BY_KEYS: Final = frozenset(
    {"turn", "name-color", "answer", "stack", "choose-seat", "discard", "turn-up-cards"}
)
"""Requests that keys answer. The keys stay with that seat while something else is asked, such as to clear a fault."""


class Asked:
    """A `Page` that also remembers which seat is asked, for keys that all seats share."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._seat: int | None = None

    def ask(self, ask: Ask) -> None:
        """As `Page.ask`."""
        if ask.what in _ANSWERED_BY_KEYS:
            self._seat = ask.seat if ask.seat is not None else ask.seats[0]
        self._page.ask(ask)

    def say(self, say: Say) -> None:
        """As `Page.say`."""
        self._page.say(say)

    def seat(self, _key: Key) -> int | None:
        """The seat that a press of a shared key belongs to; None where nobody is asked."""
        return self._seat
