"""Writers of the tournament: honest tables and a director, which are the real programs, and a table that lies."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from croupier.errors import CroupierError
from croupier.journal import Archive, Journal
from croupier.log_replay import LogReader
from croupier_hub.client import HubClient
from croupier_hub.director import Make, answer, attend, end, enroll, penalize, publish, write
from croupier_hub.errors import BadPlan, HubUnavailable
from croupier_hub.messages import Body
from croupier_hub.outbox import Outbox
from croupier_hub.plan import Plan
from croupier_hub.signed_log import OF_NO_GAME, Sent, name_of, sign
from croupier_hub.standings import Directed
from croupier_hub.table_log import TableLog
from croupier_hub.table_observer import TournamentTable
from croupier_rules.referee import parse_header
from tests.journal.games import game_lines
from tests.simulation.disk import Image, image_of, put_image, torn
from tests.simulation.tournament.hub import WALL
from tests.simulation.tournament.network import Network, Request
from tests.simulation.tournament.threads import Gone, Program, Threads
from tests.simulation.world import World

_GAMES: Final = (3, 9, 10, 13, 15, 18, 24)
"""Seeds of short games: half a hundred lines each."""


@cache
def _game(number: int) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The lines of a game, and the points of its seats in the end."""
    lines = game_lines(_GAMES[number])
    reader = LogReader(parse_header(lines[0]))
    for line in lines[1:]:
        reader.read(json.loads(line))
    return lines, tuple(reader.position["scores"])


class Table:
    """Table ``number``, in ``folder``, which sends to the hub ``url``; it plays ``hands`` games of these ``seats``.

    ``key``: its key; ``points``: of each hand that is over, by seat; ``said``: what it says of the hub."""

    def __init__(
        self, world: World, threads: Threads, folder: Path, number: int, url: str, hands: int
    ) -> None:  # fmt: skip
        self.world, self._threads, self.number, self._url, self._hands = world, threads, number, url, hands
        folder.mkdir()
        self.file, self.journal = folder / "table.outbox", folder / "croupier.journal"
        self.seats = [f"{number}-{seat}" for seat in range(4)]
        self.said: list[str] = []
        self.points: list[tuple[int, ...]] = []
        self.kills = 0
        self._chance = world.chance(f"table {number}")
        self._games = [self._chance.randrange(len(_GAMES)) for _ in range(hands)]
        self._kill_at: tuple[str, bool] | None = None
        self._beat_s = self._chance.choice((1.0, 3.0, 6.0))
        self.address = f"10.0.1.{number}"
        self._program = Program(f"table {number}", self.address)
        self._program.is_dead = True
        self.is_running = False
        self._observer: TournamentTable | None = None
        with TableLog(self.file, self.journal) as log:
            self.key = log.log

    @property
    def is_done(self) -> bool:
        """True once all its hands are over."""
        return len(self.points) == self._hands

    def start(self) -> None:
        """Start its program."""
        if not self.is_running:
            self.is_running = True
            self._program = Program(f"table {self.number}", self.address)
            self._threads.start(self._program, self._live)

    def kill(self, left: tuple[Image, Image] | None = None) -> None:
        """Kill its program; ``left``: the files of the outbox and of the journal. Called by the world."""
        if self.is_running:
            self.world.note("table", self.number, "KILLED")
            self.kills += 1
            self.is_running = False
            left = left or (image_of(self.file), image_of(self.journal))
            self._threads.kill(self._program)
            put_image(self.file, left[0])
            put_image(self.journal, left[1])

    def kill_at_write(self, when: str, *, is_power_cut: bool) -> None:
        """Kill it ``before``, ``during`` or ``after`` its outbox's next transaction."""
        self._kill_at = when, is_power_cut

    def calm(self) -> None:
        """Nothing goes wrong any more; the rest is played at once."""
        self._kill_at, self._beat_s = None, 0.2

    def call(self) -> None:
        """Somebody calls for the director."""
        if (observer := self._observer) is not None and self.is_running:
            self._threads.start(self._program, lambda: observer.call("Ann"))

    @property
    def knows_director(self) -> bool:
        """True if it runs, and has heard from a hub whose tournament this is."""
        return self.is_running and self._observer is not None and bool(self._observer.director)

    @property
    def lines(self) -> int:
        """The number of its lines."""
        return len(self._observer._log) if self.is_running and self._observer is not None else 0

    def has_sent(self, directed: tuple[str, ...]) -> bool:
        """True if it has taken in what the director has written, and a hub has all its lines."""
        observer = self._observer if self.is_running else None
        if observer is None or observer._failure or tuple(observer._directors.lines) != directed:
            return False
        log = observer._log
        is_settled = log._settled is not None and log._settled[1] is observer._known
        played = sum(len(_game(number)[0]) for number in self._games)
        return is_settled and observer._accepted == len(log) and self._games_of(log.lines()) == played

    @staticmethod
    def _games_of(lines: list[str]) -> int:
        return sum(not line.startswith(OF_NO_GAME) for line in lines)

    def own_lines(self) -> tuple[str, ...]:
        """All lines that it has written: those of its journal, each once and in order, and its own between them."""
        with TableLog(self.file, self.journal) as log, Archive(self.journal) as journal:
            log.copy(journal)
            lines = tuple(log.lines())
            played = [line for game in journal.began() for line in journal.lines(game)]
        assert [line for line in lines if not line.startswith(OF_NO_GAME)] == played
        return lines

    @contextmanager
    def writing(self, transaction: Any) -> Iterator[Any]:
        """A transaction of its outbox, in the midst of which it may be killed."""
        (when, is_power_cut), self._kill_at = self._kill_at or ("", False), None
        if not when:
            with transaction as connection:
                yield connection
            return
        before = image_of(self.file)
        with transaction as connection:
            yield connection
        after, journal = image_of(self.file), image_of(self.journal)
        left = {"before": before, "after": after}.get(when)
        left = torn(before, after, self._chance, is_power_cut=is_power_cut) if left is None else left
        self.world.note("table", self.number, when, "a transaction")
        self._program.is_dead = True
        self.world.at(self.world.now, self.kill, (left, journal))
        raise Gone

    def _live(self) -> None:
        """One life of the program."""
        self._observer = None
        with Journal(self.journal) as journal:
            page = f"http://{self.address}:8000"
            self._observer = observer = TournamentTable(self._url, self.file, self.journal, self._say, page)
            observer.begin()
            try:
                while not self.is_done:
                    self._play(journal, observer)
                    self._threads.sleep(self._beat_s)
                self._threads.Event().wait()
            finally:
                self._observer = None
                observer._client.close()
                observer._log.close()

    def _play(self, journal: Journal, observer: TournamentTable) -> None:
        """Some lines of a hand."""
        lines, points = _game(self._games[len(self.points)])
        games = list(journal.began())
        if len(games) == len(self.points):
            first = json.dumps(json.loads(lines[0]) | {"seats": self.seats}, separators=(",", ":"))
            journal.add([first], began=WALL + self.world.now)
        else:
            written = len(journal.lines(games[-1]))
            some = lines[written : written + self._chance.randrange(1, 12)]
            journal.append(games[-1], *map(json.loads, some))
            if written + len(some) == len(lines):
                self.points.append(points)
                self.world.note("table", self.number, "hand", len(self.points), points)
        observer.begin()

    def _say(self, text: str) -> None:
        self.world.note("table", self.number, "says:", text)
        self.said.append(text)


class Director:
    """The director, with the outbox ``file``, who writes to the hub ``url``."""

    address = "10.0.2.1"

    def __init__(self, world: World, threads: Threads, file: Path, url: str) -> None:
        self._world, self._threads, self._file, self._url = world, threads, file, url
        self._chance = world.chance("director")
        self._program = Program("director", self.address)
        self._todo: list[Callable[[HubClient], Make]] = []
        self.early: set[int] = set()
        """Rounds that ended though results were awaited."""
        self.failure = ""
        with Outbox(file) as outbox:
            self.key = outbox.log

    @property
    def is_done(self) -> bool:
        """True if all is written that was to be written."""
        return not self._todo

    def start(self) -> None:
        """Begin to work."""
        self._threads.start(self._program, self._work)

    def lines(self) -> tuple[str, ...]:
        """All lines of the director."""
        with Outbox(self._file) as outbox:
            return tuple(outbox.lines())

    def seat(self, keys: list[str], plan: Plan) -> None:
        """Enroll the tables, and publish the plan."""
        for number, key in enumerate(keys, start=1):
            self._todo.append(lambda _, key=key, number=number: lambda known: enroll(known, key, number, 1))  # type: ignore[misc]
        self._todo.append(lambda _: lambda known: publish(known, plan))

    def act(self, names: list[str], rounds: int) -> None:
        """Do something."""
        chance = self._chance
        name, number, points = chance.choice(names), chance.randint(1, rounds), chance.choice((0, 5, 20))
        state: Any = chance.choice(("here", "withdrawn", "expected"))
        acts: list[Callable[[HubClient], Make]] = [
            lambda _: lambda known: penalize(known, name, number, points, "late"),
            lambda _: lambda known: penalize(known, name, number, points + 1, "slow"),
            lambda _: lambda known: attend(known, [name], state),
            lambda client: self._end(client, number, anyway=False),
            lambda client: self._answer(client),
        ]
        self._todo.append(chance.choice(acts))

    def end(self, number: int) -> None:
        """End a round, whatever is awaited."""
        self._todo.append(lambda client: self._end(client, number, anyway=True))

    def send(self) -> None:
        """Send what a hub may lack."""
        self._todo.append(lambda _: lambda known: ())

    def _end(self, client: HubClient, number: int, *, anyway: bool) -> Make:
        results = json.loads(client.get("/results"))

        def make(known: Directed) -> Any:
            if anyway and number in known.plans and number not in known.ends:
                self.early.add(number)
            return end(known, number, results, anyway=anyway)

        return make

    def _answer(self, client: HubClient) -> Make:
        logs = [one["log"] for one in json.loads(client.get("/results"))["rounds"][0]["tables"] if one["log"]]
        log, line, settled = self._chance.choice(logs or ["0" * 64]), self._chance.randrange(90), True
        return lambda known: answer(known, log, line, settled=settled)

    def _work(self) -> None:
        while True:
            while self._todo:
                try:
                    with HubClient(self._url) as client:
                        make = self._todo[0](client)
                        write(client, self._file, make)
                    self._world.note("director has written")
                    self._todo.pop(0)
                except HubUnavailable as err:
                    self._world.note("director waits:", err)
                    self._threads.sleep(3.0)
                except (BadPlan, LookupError):
                    self._todo.pop(0)
                except CroupierError as err:  # it has other lines, as a hub may say that lies
                    self._world.note("director is refused:", err)
                    self.failure = str(err)
                    self._threads.sleep(3.0)
                except (TypeError, ValueError, RecursionError):  # the results of a false hub
                    self._todo.pop(0)
            self._threads.sleep(1.0)


class LyingTable:
    """A table that the director has enrolled, and that sends whatever it likes to the hub at ``host``."""

    def __init__(self, world: World, network: Network, number: int, host: str) -> None:
        self._network, self._host, self._number, self.address = network, host, number, f"10.0.1.{number}"
        self._chance = chance = world.chance(f"liar {number}")
        self._key = Ed25519PrivateKey.from_private_bytes(chance.randbytes(32))
        self.key = name_of(self._key)
        self.seats = [f"{number}-{seat}" for seat in range(4)]
        self._lines: list[str] = []
        self._others: list[str] = []

    def act(self) -> None:
        """Send something."""
        chance = self._chance
        if chance.random() < 0.4:
            self._lines += [self._line() for _ in range(chance.randrange(1, 4))]
            sent = sign(self._key, self._lines, chance.randrange(len(self._lines)))
        else:
            lines = list(self._lines)
            match chance.randrange(4):
                case 0:
                    lines = lines[: chance.randrange(len(lines) + 1)] + [self._line()]
                case 1:
                    chance.shuffle(lines)
                case 2:
                    lines += [self._line()] * chance.randrange(1, 5)
                case _:
                    self._lines = lines = lines[: chance.randrange(len(lines) + 1)]
            sent = sign(self._key, lines, chance.randrange(len(lines) + 1))
        start: int | str = sent.start
        match chance.randrange(12):
            case 0:
                start = chance.choice((-1, 10**6, 1 << 30, 1 << 31, "9" * 4500, "1.5", "", "x"))
            case 1:
                sent = Sent(sent.log, sent.start, sent.lines[1:], sent.head, sent.signature)
            case 2:
                sent = Sent(sent.log, sent.start, sent.lines, chance.randbytes(32), sent.signature)
            case 3:
                sent = Sent(sent.log, sent.start, sent.lines, sent.head, chance.randbytes(64))
            case 4:
                sent = sign(self._key, lines := [self._line(), *self._lines], len(lines))
            case _:
                pass
        body = Body.of(sent).model_dump_json().encode()
        self._network.send(self._host, Request(self.address, "PUT", f"/logs/{self.key}/{start}", body))

    def _line(self) -> str:
        """A line with whatever somebody may write there."""
        chance = self._chance
        numbers = (1, 1, 2, self._number, self._number, 0, -1, 10**9)
        table, number, plan = (chance.choice(numbers) for _ in range(3))
        points = [chance.choice((0, 30, -5, 10**7)) for _ in range(chance.choice((4, 4, 4, 3, 0)))]
        result = {"round": number, "table": table, "plan": plan, "seats": self.seats, "points": points}
        texts = [
            json.dumps({"result": result}), json.dumps({"result": result}),
            json.dumps({"result": result, "corrects": chance.choice((0, 1, 2, 5, -1, 10**9))}),
            json.dumps({"call": "director", "player": "\u202e" * chance.choice((1, 300))}),
            json.dumps({"chain": "journal", "game": chance.choice(("", "00" * 32, "x", 7)), "lost": 3}),
            json.dumps({"enroll": self.key, "table": 1, "from_round": 1}),
            json.dumps({"end": 1, "lines": {}}),
            '{"log":"croupier/1"', '{"obs":"dealt","n":' + "9" * 4500, '{"obs":[[[', "[" * 3000, "", "\u2028", "null",
            '{"result":' * 200,
        ]  # fmt: skip
        return chance.choice(texts)
