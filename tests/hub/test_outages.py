"""A club whose hub, broker and database are killed at random moments, and whose tables are cut off for minutes to two
days: in the end all is as after an evening on which nothing happened.

Hub, broker and database are real processes, killed while they are written to. The tables are real but for the people:
referee, journal, and what tells the hub and the broker. Their time is virtual, so that days pass in seconds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from itertools import count
from math import inf
from pathlib import Path
from random import Random
from threading import Timer
from time import monotonic
from typing import Any, Final

import pytest

from croupier.journal import Archive, Journal
from croupier_extras.home_automation import Mqtt
from croupier_extras.home_automation.home_assistant import RoundCounter, TableState
from croupier_extras.home_automation.mqtt import Publisher
from croupier_hub import DIRECTOR_FILE, table_observer
from croupier_hub.client import HubClient
from croupier_hub.director import enroll, publish, write
from croupier_hub.plan import Plan, PlannedRound
from croupier_hub.signed_log import OF_NO_GAME
from croupier_hub.store import LogStore
from croupier_hub.table_log import TableLog
from croupier_hub.table_observer import TournamentTable
from croupier_rules.referee import Explainer, Referee, parse_header, parse_observation
from tests.extras.broker import Broker, kept
from tests.hub.postgresql import Cluster
from tests.hub.running import WarmHub, director
from tests.hub.virtual_time import VirtualTime
from tests.hub.wires import Wire, wires
from tests.journal.games import game_lines
from tests.longer import many, run_number
from tests.patience import PATIENCE_S

TABLES: Final = 3
BEAT_S: Final = 5.0
"""Between two lines of a table while it is played."""
LINES: Final = 24
"""Of each table from one mishap to the next, at least."""
SHORTEST_S: Final = 120.0
LONGEST_S: Final = 48 * 3600.0
"""How long a table is cut off."""


@dataclass
class Table:
    """A table of four players, who play one hand after the other, each a game of its own; ``said``: what it says of the
    hub; ``hands``: how many are over; ``state``: as the home sees it."""

    number: int
    hub: Wire
    broker: Wire
    said: list[str] = field(default_factory=list)
    hands: int = 0

    def __post_init__(self) -> None:
        folder = Path(f"{self.number}")
        folder.mkdir()
        self.file, self.journal = folder / "table.outbox", folder / "croupier.journal"
        self.seats = [f"{self.number}-{seat}" for seat in range(4)]
        self._journal = Journal(self.journal)
        self._observer = TournamentTable(f"http://127.0.0.1:{self.hub.port}", self.file, self.journal, self.said.append)
        self.key = self._observer.key
        config = Mqtt(host="127.0.0.1", port=self.broker.port, id=f"table-{self.number}")
        self._home = Publisher(config, f"Table {self.number}", lambda _line: None)
        self._lines = self._play()

    def play(self) -> None:
        """Let somebody act."""
        next(self._lines)

    def _play(self) -> Iterator[None]:
        for hand in count(1):
            first, *lines = game_lines(1000 * self.number + hand)
            first = json.dumps(json.loads(first) | {"seats": self.seats})
            header = parse_header(first)
            game, referee = self._journal.add([first], began=0.0), Referee(header)
            self.state = TableState(header, referee.state(), RoundCounter())
            self._home.begin(header, self.state, Explainer(header))
            self._observer.begin()
            for n, text in enumerate(lines, start=1):
                observation = parse_observation(text, len(self.seats))
                rulings = referee.observe(observation)
                self._journal.append(game, json.loads(text))
                self._home(observation, rulings, referee.state())
                self._observer(observation, rulings, referee.state())
                self.hands += n == len(lines)
                yield

    def cut(self) -> None:
        """Pull the plug of its network."""
        self.hub.cut()
        self.broker.cut()

    def mend(self) -> None:
        """Put it back."""
        self.hub.mend()
        self.broker.mend()

    def close(self) -> None:
        self._observer.close()
        self._home.close()
        self._journal.close()


class Club:
    """Hub, broker and tables in a new folder."""

    def __init__(self, database: str, rounds: int, time: VirtualTime, stack: ExitStack) -> None:
        self._time, self._database, self._director = time, database, director()
        # The tables ask as often in a second as in hours, since their time is virtual.
        self.hub, self.broker = WarmHub("--database", database, most=inf), Broker(Path())
        stack.callback(self.hub.close)
        self.broker.start()
        stack.callback(self.broker.stop)
        loop, port = stack.enter_context(wires()), int(self.hub.url.rpartition(":")[2])
        numbers = range(1, TABLES + 1)
        self.tables = [
            stack.enter_context(closing(Table(n, Wire(loop, port), Wire(loop, self.broker.port)))) for n in numbers
        ]
        seats = tuple(tuple(range(4 * n - 4, 4 * n)) for n in numbers)
        names = tuple(name for one in self.tables for name in one.seats)
        plan = Plan("single", len(names), (PlannedRound(seats),) * rounds, names)
        with HubClient(self.hub.url) as client:
            for one in self.tables:
                write(client, DIRECTOR_FILE, lambda known, one=one: enroll(known, one.key, one.number, 1))  # type: ignore[misc]
            write(client, DIRECTOR_FILE, lambda known: publish(known, plan))

    def play(self, seconds: float, lines: int = LINES) -> None:
        """Let so many lines fall at each table in so many seconds."""
        for _ in range(lines):
            for table in self.tables:
                table.play()
            self._time.go_on(seconds / lines)

    def play_hands(self, hands: Sequence[int]) -> None:
        """Let each table play until so many hands are over."""
        while behind := [one for one, wanted in zip(self.tables, hands, strict=True) if one.hands < wanted]:
            for table in behind:
                table.play()
            self._time.go_on(BEAT_S)

    def crash(self, kill: Callable[[], None], start: Callable[[], None], chance: Random) -> None:
        """Kill something while it is used; it is away for up to a quarter of an hour."""
        killing = Timer(chance.uniform(0.0, 0.3), kill)
        killing.start()
        self.play(LINES * BEAT_S)
        killing.join()
        self.play(chance.uniform(0.0, 900.0), 4)
        start()
        self.play(120.0, 4)

    def cut_off(self, table: Table, seconds: float) -> None:
        """Cut a table off for so long. It says so once, and once that all is there."""
        before = len(table.said)
        table.cut()
        self.play(seconds)
        table.mend()
        self.play(120.0, 4)
        first, second = table.said[before:]
        assert "the table goes on, and its results wait here." in first
        assert second == "Tournament: the hub has what has waited."

    def end(self) -> tuple[bytes, bytes, dict[str, Any]]:
        """What everybody sees in the end: standings, the tables on the screen, and what the house knows of them. The
        hub has each line of each journal and outbox, and each once."""
        self._time.go_on(600.0)
        with closing(LogStore(self._database, self._director)) as store:
            logs = store.logs()
        for table in self.tables:
            with TableLog(table.file, table.journal) as log, Archive(table.journal) as journal:
                log.copy(journal)
                assert (logs[table.key].lines, logs[table.key].fork) == (tuple(log.lines()), None)
                played = [line for game in journal.began() for line in journal.lines(game)]
            assert [line for line in logs[table.key].lines if not line.startswith(OF_NO_GAME)] == played
        shown = dict[str, str]()
        for one in self.tables:
            topic = f"croupier/table-{one.number}"
            shown |= {f"{topic}/availability": "online", f"{topic}/state": json.dumps(one.state.now)}
        last = monotonic() + PATIENCE_S
        while not shown.items() <= (found := kept(self.broker)).items():
            assert monotonic() < last, (shown, found)
        with HubClient(self.hub.url) as client:
            return client.get("/standings"), client.get("/screen/slide?show=tables"), shown


@pytest.mark.long
def test_kills_and_cuts_leave_nothing_behind(
    database: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance, mishaps = Random(run_number()), max(3, many(6))
    monkeypatch.setattr(table_observer, "_ASK_S", 600.0)
    monkeypatch.setattr(table_observer, "_HEADS_S", 3600.0)
    ends, hands = [], list[int]()
    for is_quiet in (False, True):
        folder = tmp_path / f"{is_quiet}"
        folder.mkdir()
        monkeypatch.chdir(folder)
        time = VirtualTime(monkeypatch, TABLES)
        with ExitStack() as stack:
            if is_quiet:
                database = "sqlite:///hub.db"
            club = Club(database, mishaps + 2, time, stack)
            kinds = [(club.hub.kill, club.hub.start), (club.broker.stop, club.broker.start)]
            if database.startswith("postgresql"):
                cluster: Cluster = request.getfixturevalue("cluster")
                kinds.append((cluster.kill, cluster.start))
            for n in range(0 if is_quiet else mishaps):
                club.crash(*kinds[n % len(kinds)], chance)
                if n % 3 == 0:
                    longest = LONGEST_S if n == 0 else SHORTEST_S * (LONGEST_S / SHORTEST_S) ** chance.random()
                    club.cut_off(chance.choice(club.tables), longest)
            hands = hands or [one.hands + 1 for one in club.tables]
            club.play_hands(hands)
            ends.append(club.end())
    assert ends[0] == ends[1]
