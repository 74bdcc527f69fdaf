"""The time of a table from an observation to the ruling in its journal, while hub or broker are away.

One table plays after the other, with what a real one has but for people and cards: referee, journal, and the observers
that tell the hub and the broker, which are real. One of the two is dead, as after a kill, or hangs: it takes a
connection and never says a word. The tables take turns hand by hand, so that all meet the same machine and disk.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter, sleep
from typing import Any, Final

from croupier.errors import CannotSimulate
from croupier.journal import Journal
from croupier.runtime.session import begin
from croupier_bench.hub import disk_folder, percentiles, running_hub
from croupier_extras.home_automation import Mqtt
from croupier_extras.home_automation.home_assistant import RoundCounter, TableState
from croupier_extras.home_automation.mqtt import Publisher
from croupier_hub import DIRECTOR_FILE
from croupier_hub.client import HubClient
from croupier_hub.director import enroll, write
from croupier_hub.table_observer import TournamentTable
from croupier_rules.referee import Explainer, Header, Observation, Referee, Rulings
from croupier_rules.rules import load
from croupier_sim.random_play import RandomTable

HANDS: Final = 12
"""Of each table."""
LINES: Final = 80
"""Of a hand, at most."""
BEAT_S: Final = 0.02
"""Between two lines: in it the observers do what they have to do in the three seconds of a real table."""
MOST: Final = 1.10
"""Times what a table takes whose hub and broker are there."""
_SEED: Final = 5


@dataclass
class _Table:
    """A table in a folder of its own, which plays hand after hand; ``ms``: what each line took."""

    what: str
    hub: str
    broker: int
    folder: Path
    ms: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.folder.mkdir()
        with closing(self._observer()) as observer:
            self.key = observer.key

    def _observer(self) -> TournamentTable:
        return TournamentTable(self.hub, self.folder / "table.outbox", self.folder / "journal", lambda _line: None)

    def play(self, header: Header, hand: list[Observation]) -> None:
        """Play a hand; the observers begin with it and end after it."""
        config = Mqtt(host="127.0.0.1", port=self.broker, id=self.folder.name)
        with (
            Journal(self.folder / "journal") as journal,
            closing(self._observer()) as observer,
            closing(Publisher(config, self.what, lambda _line: None)) as home,
        ):
            session = begin(journal, header, now=0.0)
            home.begin(header, TableState(header, session.position, RoundCounter()), Explainer(header))
            observer.begin()
            for observation in hand:
                sleep(BEAT_S)
                began = perf_counter()
                steps = session.judge([observation])
                session.write(steps)
                for step in steps:
                    home(step.observation, step.rulings, step.position)
                    observer(step.observation, step.rulings, step.position)
                self.ms.append((perf_counter() - began) * 1000)


def measure() -> Iterator[dict[str, Any]]:
    """Each table beside the one whose hub and broker are there."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(disk_folder()))
        hub, _ = stack.enter_context(running_hub([], folder))
        broker = stack.enter_context(_broker(folder))
        dead, hangs = stack.enter_context(_port(None)), stack.enter_context(_port(100))
        tables = [
            _Table(what, url, port, folder / f"table-{n}")
            for n, (what, url, port) in enumerate((
                ("hub and broker are there", hub, broker), ("hub dead", f"http://127.0.0.1:{dead}", broker),
                ("hub hangs", f"http://127.0.0.1:{hangs}", broker), ("broker dead", hub, dead),
                ("broker hangs", hub, hangs),
            ))
        ]  # fmt: skip
        with HubClient(hub) as client:
            for n, one in enumerate(tables, start=1):
                write(client, folder / DIRECTOR_FILE, lambda known, one=one, n=n: enroll(known, one.key, n, 1))  # type: ignore[misc]
        for n in range(HANDS):
            header, hand = _hand(_SEED + n)
            for place in range(len(tables)):
                tables[(place + n) % len(tables)].play(header, hand)
        assert json.loads(HubClient(hub).get("/standings"))["forks"] == {}
    first = median(tables[0].ms)
    for one in tables[1:]:
        ratio = median(one.ms) / first
        yield {
            "bench": "away", "what": f"{one.what}, observation to ruling written, half of {len(one.ms)}", "unit": "ms",
            "ours": round(median(one.ms), 3), "peers": {tables[0].what: round(first, 3)},
            "ratio": {tables[0].what: round(ratio, 3)}, "limit_ratio": MOST, "load": os.getloadavg()[0],
            "counts": percentiles("line", one.ms),
        }  # fmt: skip


def _hand(seed: int) -> tuple[Header, list[Observation]]:
    observed = list[Observation]()

    class Watched(Referee):
        def observe(self, observation: Observation) -> Rulings:
            observed.append(observation)
            return super().observe(observation)

    header = Header(ruleset=load("g7942-en"), seats=("Ann", "Ben", "Cat", "Dan"), dealer=3)
    RandomTable(header, seed, Watched).play_round()
    return header, observed[:LINES]


@contextmanager
def _port(backlog: int | None) -> Iterator[int]:
    """A port where nobody listens, or where connections are taken and nothing is said."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        if backlog is not None:
            listener.listen(backlog)
        yield listener.getsockname()[1]


@contextmanager
def _broker(folder: Path) -> Iterator[int]:
    try:
        sys.path.append(os.getcwd())
        from tests.extras.broker import MOSQUITTO, Broker
    except ModuleNotFoundError as err:
        raise CannotSimulate("mosquitto is started by the tests: expected the folder of the repository") from err
    if MOSQUITTO is None:
        raise CannotSimulate("there is no mosquitto: apt install mosquitto")
    broker = Broker(folder)
    broker.start()
    try:
        yield broker.port
    finally:
        broker.stop()
