"""The game that each table plays now, from the lines of its log."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from croupier.errors import BadLog
from croupier.game_views.big_screen import BigScreen
from croupier.game_views.story import Story
from croupier.game_views.view import TableView
from croupier_hub.standings import Log

_STORIES: Final = 200
"""Games that are refereed at a time: more than a page shows."""


@dataclass(slots=True)
class _Game:
    """The lines of the running game; ``n``: of the log; ``changed``: when the last of them was seen."""

    lines: list[str] = field(default_factory=list)
    n: int = 0
    changed: float = 0.0


@dataclass(frozen=True, slots=True)
class LiveGame:
    """The game of a table as everybody may see it; ``fault``: what stops it, in words, or ""; ``quiet_s``: the time
    without anything new."""

    view: TableView
    screen: BigScreen
    fault: str
    quiet_s: float

    @property
    def is_stopped(self) -> bool:
        """True while play is paused, by a fault or by people, and somebody has to go there."""
        return bool(self.view.moment.position["phase"] == "paused")


class LiveTables:
    """The running games by log. ``clock``: in seconds. Thread-safe."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self._lock = clock, Lock()
        self._games: dict[str, _Game] = {}
        self._stories: OrderedDict[str, Story] = OrderedDict()

    def add(self, name: str, log: Log) -> None:
        """Add what is new of a log; nothing counts from its fork on."""
        with self._lock:
            game = self._games.setdefault(name, _Game())
            room = len(log.lines) if log.fork is None else max(0, log.fork - game.n)
            for text in log.lines[:room]:
                if _begins_a_game(text):
                    game.lines.clear()
                    self._stories.pop(name, None)
                if '"obs"' in text or _begins_a_game(text):
                    game.lines.append(text)
                    game.changed = self._clock()
            game.n += len(log.lines)

    def game(self, name: str) -> LiveGame | None:
        """The game of a log, with the names of hidden cards left out; None before its first."""
        with self._lock:
            game = self._games.get(name)
            if game is None or not game.lines:
                return None
            try:
                if (story := self._stories.pop(name, None)) is None:
                    story = Story(game.lines[0])
                story.extend(game.lines[1 + len(story) :])
            except BadLog:
                return None
            self._stories[name] = story
            while len(self._stories) > _STORIES:
                self._stories.popitem(last=False)
            view = TableView(story)
            fault = story.describe(view.moment).seen if view.moment.obs == "fault" else ""
            return LiveGame(view, BigScreen(story, view), fault, self._clock() - game.changed)


def _begins_a_game(text: str) -> bool:
    if '"log"' not in text:
        return False
    try:
        return "log" in json.loads(text)
    except (ValueError, RecursionError, TypeError):
        return False
