"""A tournament as its pages show it: the round that is played, who sits where, the standings, the time that is left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from threading import Lock
from typing import Any, Final

from croupier.clocks import elapsed
from croupier_hub.pages.live import LiveGame, LiveTables
from croupier_hub.service import Newest
from croupier_hub.standings import Directed
from croupier_hub.store import LogStore

KEPT_S: Final = 1.0
"""However many look, the store is read at most so often."""

SLIDE_S: Final = 12
"""Time for which a public screen shows the same."""

_ROOM: Final = {"pairings": 8, "tables": 6, "standings": 16}
"""Rows on a slide, by what it shows: so few that who stands across the hall reads them."""

_ACROSS: Final = {
    "pairings": (1, 1, 1, 2), "tables": (1, 2, 3, 2, 3), "standings": (1, 1, 1, 1, 1, 1, 1, 1, 2)
}  # fmt: skip
"""Columns, by the number of rows that a slide shows; the last of them for any number beyond."""

SCENES: Final = tuple(_ROOM)


@dataclass(frozen=True, slots=True)
class Tournament:
    """``results``: in the form of `croupier_hub.results.Results`; ``directed``: what the director has written;
    ``calls``: for the director, as log, line and player; ``pages``: of the tables, by log."""

    results: dict[str, Any]
    directed: Directed
    calls: Sequence[tuple[str, int, str]] = ()
    pages: Mapping[str, str] = field(default_factory=dict)

    @property
    def round(self) -> dict[str, Any] | None:
        """The round that is played: the first that has not ended, else the last."""
        rounds: list[dict[str, Any]] = self.results["rounds"]
        return next((one for one in rounds if not one["ended"]), rounds[-1] if rounds else None)

    @property
    def byes(self) -> list[str]:
        """Players without a table in the round that is played, who sit in another round and have not withdrawn."""
        seated = set(self._seated)
        return [one for one in self.players if one not in seated and self.directed.state(one) != "withdrawn"]

    @property
    def missing(self) -> list[str]:
        """Who has a seat in the round that is played and is not here yet, where players are checked in at all."""
        seated = self._seated
        is_checked = any(self.directed.state(name) == "here" for name in seated)
        return [name for name in seated if is_checked and self.directed.state(name) == "expected"]

    @property
    def _seated(self) -> list[str]:
        """Who has a seat in the round that is played, table by table."""
        return [name for table in (self.round or {"tables": []})["tables"] for name in table["seats"]]

    @property
    def players(self) -> list[str]:
        """All names of the plan, by alphabet."""
        rounds = self.results["rounds"]
        return sorted({name for one in rounds for table in one["tables"] for name in table["seats"]}, key=str.casefold)

    @property
    def ties(self) -> set[int]:
        """The places that several players share."""
        places = Counter(one["place"] for one in self.results["standings"])
        return {place for place, players in places.items() if players > 1}

    def open_calls(self) -> Iterator[dict[str, Any]]:
        """The calls for the director: log, line, the tables for which the log speaks, who calls, whether somebody
        comes."""
        number = 0 if self.round is None else self.round["round"]
        for log, line, player in self.calls:
            yield {
                "log": log, "line": line, "tables": self.directed.tables(log, number), "player": player,
                "is_answered": (log, line) in self.directed.answers,
            }  # fmt: skip

    def left_s(self, now: float) -> int | None:
        """The seconds that are left of the round that is played, 0 when its time is up; None without a timer."""
        one = self.round
        timer = None if one is None or one["ended"] else self.directed.timers.get(one["round"])
        return None if timer is None else max(0, round(timer.ends - now))

    def key(self, table: int) -> str | None:
        """The key that speaks for a table in the round that is played."""
        return None if self.round is None else self.directed.key(table, self.round["round"])


@dataclass(frozen=True, slots=True)
class Slide:
    """A picture of the public screen: ``scene`` of `SCENES`, with these rows; ``n`` of ``all`` of its scene."""

    scene: str
    rows: Sequence[dict[str, Any]]
    n: int = 1
    all: int = 1

    @property
    def across(self) -> int:
        """Columns in which the rows fill the screen; the last slide of several keeps those of the others."""
        columns = _ACROSS[self.scene]
        return columns[min(self._places, len(columns)) - 1]

    @property
    def down(self) -> int:
        """Rows in each of these columns."""
        return -(-self._places // self.across)

    @property
    def _places(self) -> int:
        return _ROOM[self.scene] if self.all > 1 else max(1, len(self.rows))


class Watch:
    """The tournament of a store and its running games, as they are now. ``clock``: seconds since 1970; ``elapsed``:
    seconds of a clock that nobody sets. Thread-safe."""

    def __init__(self, store: LogStore, clock: Callable[[], float], elapsed: Callable[[], float] = elapsed) -> None:
        self.clock, self.elapsed = clock, elapsed
        self._live = LiveTables(elapsed)
        self.newest = Newest(store, self._live.add)
        self._kept: tuple[float, Tournament] | None = None
        self._lock = Lock()

    def now(self) -> Tournament:
        """The tournament, at most `KEPT_S` old."""
        with self._lock:
            if self._kept is None or not 0 <= self.clock() - self._kept[0] < KEPT_S:
                with self.newest() as fold:
                    found = Tournament(fold.results(), fold.directed, fold.calls(), fold.pages())
                self._kept = self.clock(), found
            return self._kept[1]

    def forget(self) -> None:
        """Something was written here: the next reader sees it."""
        with self._lock:
            self._kept = None

    def game(self, tournament: Tournament, table: int) -> LiveGame | None:
        """The game at a table, if one has begun."""
        key = tournament.key(table)
        return None if key is None else self._live.game(key)


def slides(tournament: Tournament, scenes: Sequence[str]) -> list[Slide]:
    """All slides, in the order in which the screen shows them; at least one."""
    tables = [] if tournament.round is None else tournament.round["tables"]
    every = {"pairings": tables, "tables": tables, "standings": tournament.results["standings"]}
    found = []
    for scene in scenes:
        rows, room = iter(every[scene]), _ROOM[scene]
        count = -(-len(every[scene]) // room)
        found += [Slide(scene, list(islice(rows, room)), n, count) for n in range(1, count + 1)]
    return found or [Slide(scenes[0], [])]


def slide_at(tournament: Tournament, scenes: Sequence[str], now: float) -> Slide:
    """The slide that every screen shows at this time."""
    found = slides(tournament, scenes)
    return found[int(now // SLIDE_S) % len(found)]
