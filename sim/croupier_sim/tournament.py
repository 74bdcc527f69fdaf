"""`croupier tournament demo`: a hub and its tables in one program.

At each table people play any card that fits; a referee rules, a journal keeps the game, and the table's own observer
sends it to the hub over HTTP, as from `croupier run`. Only what is before the journal is left out: cards, camera, shoe.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from itertools import count, islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from threading import Event
from time import sleep, time
from typing import Any, Final

from croupier.console import Printer
from croupier.ctrl_c import StopFlag, until_ctrl_c
from croupier.i18n import _
from croupier.journal import Journal
from croupier_extras.home_automation import Mqtt
from croupier_extras.home_automation.home_assistant import RoundCounter, TableState
from croupier_extras.home_automation.mqtt import Publisher
from croupier_hub import DIRECTOR_FILE, SINGLE
from croupier_hub.client import HubClient
from croupier_hub.director import end, publish, write
from croupier_hub.mosquitto import HOUSE, account_of, write_broker
from croupier_hub.outbox import Outbox
from croupier_hub.pages.site import create_site
from croupier_hub.plan import USUAL_SEATS
from croupier_hub.planner import make
from croupier_hub.presence import Presence, mqtt_account
from croupier_hub.results import print_standings
from croupier_hub.serving import serving
from croupier_hub.standings import Directed, Enroll, directed
from croupier_hub.store import LogStore
from croupier_hub.table_observer import TournamentTable
from croupier_hub.tickets import HELPER_S, Ticket
from croupier_rules.referee import Explainer, Header, Observation, Options, Referee, Rulings
from croupier_rules.referee.observations import to_json
from croupier_rules.rules import load
from croupier_sim.demo import LABEL, NAMES
from croupier_sim.random_play import RandomTable

_RULESET: Final = "g7942-en"
_HERE: Final = "127.0.0.1"
_LOOK_S: Final = 0.2
"""Time between two looks at the results."""
_START_S: Final = 0.02
"""Time between two looks whether the broker answers."""


class _Stopped(Exception):
    """The demo ends while a hand is played."""


class SimulatedTable:
    """Table ``number`` in a folder of its own. ``speed``: as in `play`; ``is_over``: ends a hand at once; ``home``:
    tells the broker."""

    home: Publisher | None = None

    def __init__(self, number: int, folder: Path, url: str, speed: float, is_over: Event) -> None:
        folder.mkdir()
        self.number, self._journal, self._speed, self._is_over = number, folder / "croupier.journal", speed, is_over
        self._observer = TournamentTable(url, folder / "table.outbox", self._journal, self.report)
        self.key = self._observer.key

    def play_hand(self, seats: Sequence[str], chance: Random) -> None:
        """Play one hand as a game of its own. The score of the game is the table's result."""
        rules, is_over, pause_s = load(_RULESET), self._is_over, 1 / self._speed
        header = Header(
            ruleset=rules, seats=tuple(seats), dealer=len(seats) - 1,
            options=Options(target=rules.number("score.target")),
        )  # fmt: skip
        with Journal(self._journal) as journal:
            game = journal.begin(header.to_json(), began=time())
            self._observer.begin()
            observer, home = self._observer, self.home
            if home is not None:
                home.begin(header, TableState(header, Referee(header).state(), RoundCounter()), Explainer(header))

            class Writing(Referee):
                def observe(self, observation: Observation) -> Rulings:
                    rulings = super().observe(observation)
                    journal.append(game, to_json(observation))
                    observer.begin()
                    if home is not None:
                        home(observation, rulings, self.state())
                    if is_over.wait(pause_s):
                        raise _Stopped
                    return rulings

            RandomTable(header, chance.getrandbits(32), Writing).play_round()

    def close(self) -> None:
        """End the observer."""
        self._observer.close()

    def report(self, line: str) -> None:
        """Print a line about the table."""
        print(_("Table {n}", n=self.number) + f": {line}", file=sys.stderr)


class _Broker:
    """mosquitto with its files in ``folder``, if it is installed: with accounts for the house and each table."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._program = shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin")  # where Debian puts it
        with socket.socket() as free:
            free.bind((_HERE, 0))
            self._port = free.getsockname()[1]

    def __bool__(self) -> bool:
        return self._program is not None

    def prepare(self, sign: Callable[[bytes], bytes], known: Directed) -> None:
        """Write its files."""
        write_broker(known, sign, _HERE, self._folder, self._port)

    def account(self, name: str) -> Mqtt:
        """The account of the house or a table."""
        return mqtt_account(self._folder / f"{name}.toml")

    @contextmanager
    def running(self) -> Iterator[str]:
        """Run it; the address at which the house reads all."""
        assert self._program is not None
        process = subprocess.Popen([self._program, "-c", self._folder / "mosquitto.conf"], stderr=subprocess.DEVNULL)
        try:
            while process.poll() is None:
                with suppress(OSError), socket.create_connection((_HERE, self._port)):
                    break
                sleep(_START_S)
            yield f"mqtt://{HOUSE}:{self.account(HOUSE).password}@{_HERE}:{self._port}"
        finally:
            process.terminate()
            process.wait()


def play(tables: int, rounds: int, seed: int, speed: float, database: str | None, *, as_json: bool) -> None:
    """Play a tournament of ``rounds`` hands a player, and print results and standings as the hub gets them.

    ``speed``: simulated seconds in a second; somebody acts each second. ``database``: of the hub; None for one in a
    file that is removed. Where mosquitto is installed, the tables report to it who is there and what is played.
    """
    plan = make(SINGLE, USUAL_SEATS * tables, rounds=rounds, tables=tables, seed=seed,
                names=[*islice(_names(), USUAL_SEATS * tables)])  # fmt: skip
    printer, is_over = Printer(), Event()
    with ExitStack() as stack:
        stop = stack.enter_context(until_ctrl_c())
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="croupier-")))
        file = folder / DIRECTOR_FILE
        broker, presence = _Broker(folder / "broker"), None
        with Outbox(file) as outbox:
            store = stack.enter_context(closing(LogStore(database or f"sqlite:///{folder}/hub.db", outbox.log)))
            ticket = Ticket("director", until=round(time()) + HELPER_S).signed(outbox.sign)
            if broker:
                broker.prepare(outbox.sign, Directed())
                presence = stack.enter_context(closing(Presence(broker.account(HOUSE))))
        url = stack.enter_context(serving(create_site(store, director_file=file, presence=presence)))
        client = stack.enter_context(HubClient(url))
        numbers = range(1, tables + 1)
        playing = [
            stack.enter_context(closing(SimulatedTable(n, folder / str(n), url, speed, is_over))) for n in numbers
        ]
        enrolled = [Enroll(enroll=one.key, table=n, from_round=1) for n, one in zip(numbers, playing, strict=True)]
        write(client, file, lambda known: enrolled)
        write(client, file, lambda known: publish(known, plan))
        if broker:
            with Outbox(file) as outbox:
                broker.prepare(outbox.sign, directed(outbox.lines()))
            address = stack.enter_context(broker.running())
        for one in playing if broker else ():
            home = Publisher(broker.account(account_of(one.number)), _("Table {n}", n=one.number), one.report)
            one.home = stack.enter_context(closing(home))
        threads = stack.enter_context(ThreadPoolExecutor(tables))
        stack.callback(is_over.set)
        if not as_json:
            printer.print(f"{LABEL}: " + _("the hub is at {address}; press Ctrl-C to stop", address=url))
            printer.print(f"{_('Director')}: {url}/enter/{ticket}")
            if broker:
                printer.print(f"mosquitto: {address}")
        for number, planned in enumerate(plan.rounds, start=1):
            if not as_json:
                printer.print(_("Round {n}", n=number), style="bold")
            hands = [
                threads.submit(table.play_hand, [plan.name(player) for player in seats], Random(f"{seed} {number} {n}"))
                for n, (table, seats) in enumerate(zip(playing, planned.tables, strict=True))
            ]
            results = _follow(client, number, hands, stop, None if as_json else printer)
            write(client, file, lambda known, at=number, now=results: end(known, at, now, anyway=False))  # type: ignore[misc]
        content = client.get("/results").decode()
        print(content) if as_json else print_standings(json.loads(content))


def _follow(
    client: HubClient, number: int, hands: list[Future[None]], stop: StopFlag, printer: Printer | None
) -> dict[str, Any]:
    """Print each result of a round when the hub has it; returns all results when it has those of the whole round."""
    printed = set[int]()
    while True:
        if stop.is_set:
            raise KeyboardInterrupt
        results: dict[str, Any] = json.loads(client.get("/results"))
        tables = results["rounds"][number - 1]["tables"]
        for one in tables:
            if one["points"] is not None and one["table"] not in printed:
                printed.add(one["table"])
                points = zip(one["seats"], one["points"], strict=True)
                if printer is not None:
                    text = ", ".join(f"{player}: {gained}" for player, gained in points)
                    printer.print(_("Table {n}", n=one["table"]) + f" – {text}")
        for hand in hands:
            if hand.done():
                hand.result()  # raises what has ended it
        if len(printed) == len(tables):
            return results
        sleep(_LOOK_S)


def _names() -> Iterator[str]:
    """Names without end: Ann, …, Jan, Ann 2, …"""
    for n in count(1):
        yield from (name if n == 1 else f"{name} {n}" for name in NAMES)
