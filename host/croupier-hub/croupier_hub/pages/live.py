"""The game that each table plays now, from the lines of its log."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from croupier.errors import BadLog
from croupier.game_views.big_screen import BigScreen
from croupier.game_views.story import Story
from croupier.game_views.view import TableView
from croupier.i18n import _
from croupier_hub.standings import Log
from croupier_rules.errors import json_object

_log: Final = logging.getLogger(__name__)

_STORIES: Final = 200
"""Games that are refereed at a time: more than a page shows."""


@dataclass(slots=True)
class _Game:
    """The lines of the running game; ``n``: of the log; ``changed``: when the last of them was seen."""

    lines: list[str] = field(default_factory=list)
    n: int = 0
    changed: float = 0.0


@dataclass(slots=True)
class _Read:
    """A running game as far as it could be read; ``broken``: the line of it, from 1, that could not; 0 if all could."""

    story: Story | None = None
    broken: int = 0


@dataclass(frozen=True, slots=True)
class LiveGame:
    """The game of a table as everybody may see it, up to the line that is ``broken``; ``fault``: what stops it, in
    words, or ""; ``quiet_s``: the time without anything new. ``view`` and ``screen``: None if nothing can be shown."""

    view: TableView | None
    screen: BigScreen | None
    fault: str
    quiet_s: float
    broken: int = 0

    @property
    def is_stopped(self) -> bool:
        """True while play is paused, by a fault or by people, or cannot be seen, and somebody has to go there."""
        return self.view is None or bool(self.broken) or bool(self.view.moment.position["phase"] == "paused")


class LiveTables:
    """The running games by log. ``clock``: in seconds, set by nobody. Thread-safe."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self._lock = clock, Lock()
        self._games: dict[str, _Game] = {}
        self._read: OrderedDict[str, _Read] = OrderedDict()

    def add(self, name: str, log: Log) -> None:
        """Add what is new of a log; nothing counts from its fork on."""
        with self._lock:
            game = self._games.setdefault(name, _Game())
            room = len(log.lines) if log.fork is None else max(0, log.fork - game.n)
            for text in log.lines[:room]:
                if begins := _begins_a_game(text):
                    game.lines.clear()
                    self._read.pop(name, None)
                if begins or (game.lines and '"obs"' in text):
                    game.lines.append(text)
                    game.changed = self._clock()
            game.n += len(log.lines)

    def game(self, name: str) -> LiveGame | None:
        """The game of a log, with the names of hidden cards left out; None before its first."""
        with self._lock:
            game = self._games.get(name)
            if game is None or not game.lines:
                return None
            read = self._read.pop(name, None) or _Read()
            view, screen = self._shown(name, game, read)
            self._read[name] = read
            while len(self._read) > _STORIES:
                self._read.popitem(last=False)
            quiet_s = self._clock() - game.changed
            if read.broken:
                fault = _("The hub cannot read this table’s game: line {n} of it is broken.", n=read.broken)
            elif read.story is not None and view is not None and view.moment.obs == "fault":
                fault = read.story.describe(view.moment).seen
            else:
                fault = ""
            return LiveGame(view, screen, fault, quiet_s, read.broken)

    def _shown(self, name: str, game: _Game, read: _Read) -> tuple[TableView | None, BigScreen | None]:
        """The game up to its newest line, or to the first that is broken: what a table sends stops no page but its own
        row."""
        try:
            if not read.broken:
                read.story = read.story or Story(game.lines[0])
                read.story.extend(game.lines[1 + len(read.story) :])
        except Exception as err:
            read.broken = 1 if read.story is None else 2 + len(read.story)
            if not isinstance(err, BadLog):
                _log.exception("the game of %s, line %d", name, read.broken)
        try:
            if read.story is not None:
                return (view := TableView(read.story)), BigScreen(read.story, view)
        except Exception:
            _log.exception("the game of %s", name)
            read.broken, read.story = 1 + len(read.story or ()), None
        return None, None


def _begins_a_game(text: str) -> bool:
    if '"log"' not in text:
        return False
    try:
        return "log" in json_object(text)
    except BadLog:
        return False
