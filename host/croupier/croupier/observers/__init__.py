"""Observers of a table, which are plug-ins: the voice, home automation, webhooks. They look and change nothing.

This is what they receive, and `notifier` sends it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from croupier.devices.protocols import Ask
    from croupier.events import SequencedEvent
    from croupier.log_replay import Record
    from croupier_rules.referee import Header
    from croupier_rules.referee.position import Position
    from croupier_rules.referee.rulings import Ruling


@dataclass(frozen=True, slots=True)
class ObservedTable:
    """The table of a `TableObserver`. ``name``: of the table; ``journal``: the file of its games; ``page``: the address
    of its page, "" if nobody else can open it; ``report``: takes one line about a failure, from any thread;
    ``on_change``: is called, from any thread, when `TableObserver.state` is another one; ``language``: in which its
    people want it to speak, None for that of the rule sheet."""

    name: str
    journal: Path
    page: str
    report: Callable[[str], None]
    on_change: Callable[[], None] = lambda: None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class ObservedGame:
    """A game that an observer begins with. ``number``: in the journal; ``past``, ``position``: what has happened in it
    so far, since it may have been going on for a while. ``pause``: pauses play, from any thread."""

    header: Header
    number: int
    past: Sequence[Record]
    position: Position
    pause: Callable[[], object] = lambda: None


class TableObserver:
    """An observer for the lifetime of the program; a plug-in overrides what it needs. Its page is the plug-in of the
    same name in `PAGES`."""

    @property
    def state(self) -> Hashable:
        """Return the state of its part of the page: a dataclass of plain values, the ``state`` of its `PagePlugin`;
        None if it has nothing to show."""
        return None

    @property
    def receipts(self) -> str | None:
        """Address of the hub at which people check the receipts of score sheets; None without a hub."""
        return None

    def begin(self, game: ObservedGame) -> None:
        """Start, at the first game, or go on with the next one."""

    def __call__(self, event: SequencedEvent, rulings: Sequence[Ruling], position: Position) -> None:
        """Something happened in the game (`croupier.events.Observer`)."""

    def ask(self, ask: Ask) -> None:
        """People are asked for something, as the page and the terminal show it."""

    def speak(self, header: Header) -> None:
        """Use the table's language, which is another one now, in the game of this ``header``. Must not wait: the table
        does."""

    def use(self, section: Any, language: str | None) -> None:
        """Apply the present options of the section: an admin has changed settings on the page. Called only if the
        section has options for that (`croupier.config.options.Section.at_once`), in a thread that may wait for
        seconds. ``language``: as in `ObservedTable`."""

    def order(self, order: str, player: str) -> None:
        """Carry out an order from its part of the page. ``player``: who gives it, "" for a referee. Thread-safe."""

    def close(self, finish_s: float = 0.0) -> None:
        """End. What waits may be finished for so long (s)."""


OpenObserver = Callable[[Any, ObservedTable], TableObserver | None]
"""Opens the observer that a section of `croupier.toml` asks for; None if the section does not."""
