"""One seed, one run: a tournament with its hub, tables, director, federation, liars and strangers, and what goes wrong.

For a while the seed lets go wrong what can: hubs and tables are killed at any time and in the midst of a transaction,
disks fill, tear and refuse, the network cuts, delays, doubles and loses, somebody answers in place of a hub, strangers
ask and send whatever they like, a table of the tournament lies. Then nothing goes wrong any more, and soon all must be
there: what hubs have acknowledged, once and in order, and the standings that follow from it.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, Final
from unittest.mock import patch

import httpx
from alembic import command
from anyio import to_thread
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from croupier import supervisor
from croupier_hub import (
    background_tasks,
    budget,
    forwarding,
    group_commit,
    outbox,
    schema,
    service,
    store,
    table_observer,
)
from croupier_hub import client as hub_client
from croupier_hub.checkpoints import Checkpoint
from croupier_hub.fold import standings
from croupier_hub.messages import Body
from croupier_hub.outbox import Outbox
from croupier_hub.plan import Plan, PlannedRound
from croupier_hub.signed_log import Head
from croupier_hub.standings import Log
from croupier_hub.tables import WITNESSED
from tests.simulation.disk import Image, image_of
from tests.simulation.run import Failure, Outcome, outcome_of
from tests.simulation.tournament.hub import Hub, Liar, Writer
from tests.simulation.tournament.network import Exchange, Network, Reply
from tests.simulation.tournament.strangers import Strangers
from tests.simulation.tournament.tables import Director, LyingTable, Table
from tests.simulation.tournament.threads import Threads
from tests.simulation.world import World

CLUB: Final = "10.0.0.1"
FEDERATION: Final = "10.0.0.2"
_BUDGET: Final = 20.0
"""The budget of a hub here, in place of `budget.MOST`, so that few strangers use it up."""
_HEADS_S: Final = 60.0
"""The time between two questions of a table, or of a club, for what it has sent, within which the hub has it again."""
_LOOK_S: Final = 4.0
"""Time between two looks of a club for what is new; a seed takes twice as long with the usual second."""
_RESTORED_S: Final = 30.0
"""So long after the last of what goes wrong, perhaps, somebody restores a backup."""
_UPGRADE: Final = command.upgrade
_END_S: Final = 240.0
"""So long after the last thing went wrong all is there."""


class Run:
    """The run of one ``seed`` with all files in ``folder``. ``started``: its virtual programs are in place."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.world = world = World(seed)
        self.threads = threads = Threads(world)
        self.network = Network(world, threads)
        self._folder, self._starting, self.tables = folder, list[Hub](), list[Table]()
        self.chance = chance = world.chance("tournament")
        self._keys = world.chance("keys")
        self.hands = chance.choice((1, 1, 2))
        self.has_liar = chance.random() < 0.6
        self.has_federation = chance.random() < 0.6
        self.restored = self.misled = False
        """A backup of a hub was restored; somebody has answered in place of a hub."""
        self.promised: dict[tuple[str, str], dict[int, bytes]] = {}
        """By hub and log: the lines that were accepted, and the root that they have."""
        self.forked: dict[tuple[str, str], int] = {}
        """By hub and log: the lines up to which a fork was told of."""
        self.errors: list[str] = []

    @contextmanager
    def virtual(self) -> Iterator[None]:
        """Context in which time, threads, network, chance and disks of the programs are those of this world."""
        threads, network, world = self.threads, self.network, self.world
        keys = SimpleNamespace(
            generate=lambda: Ed25519PrivateKey.from_private_bytes(self._keys.randbytes(32)),
            from_private_bytes=Ed25519PrivateKey.from_private_bytes,
        )  # fmt: skip
        clock = SimpleNamespace(time=lambda: world.now, monotonic=lambda: world.now)
        transaction = Outbox.transaction

        def written(box: Outbox) -> Any:
            table = next((one for one in self.tables if one.file == box.file and one.is_running), None)
            return transaction(box) if table is None else table.writing(transaction(box))

        class Errors(logging.Handler):
            def emit(handler, record: logging.LogRecord) -> None:  # noqa: N805
                self.errors.append(f"{record.getMessage()} {record.exc_info and record.exc_info[1]!r}")

        with ExitStack() as stack:
            for module, names in (
                (supervisor, {"Event": threads.Event, "Thread": threads.Thread}),
                (table_observer, {"Event": threads.Event, "Thread": threads.Thread, "monotonic": clock.monotonic}),
                (table_observer, {"_HEADS_S": _HEADS_S}),
                (forwarding, {"ThreadPoolExecutor": threads.Pool, "_LOOK_S": _LOOK_S}),
                (background_tasks, {"Event": threads.Event, "AGAIN_S": _HEADS_S}),
                (group_commit, {"Future": threads.Future, "ThreadPoolExecutor": self._writer}),
                (hub_client, {"monotonic": clock.monotonic, "ssl": SimpleNamespace(create_default_context=bool)}),
                (httpx, {"Client": network.client}),
                (outbox, {"Ed25519PrivateKey": keys}),
                (schema, {"Ed25519PrivateKey": keys}),
                (store, {"create_engine": self._engine}),
                (command, {"upgrade": _upgrade}),
                (service, {"time": clock, "run_in_threadpool": _at_once}),
                (to_thread, {"run_sync": _at_once}),
                (budget, {"MOST": _BUDGET}),
                (Outbox, {"transaction": written}),
            ):
                stack.enter_context(patch.multiple(module, **names))
            handler = Errors(logging.ERROR)
            logging.getLogger().addHandler(handler)
            stack.callback(logging.getLogger().removeHandler, handler)
            yield

    def _writer(self, *_: object, **__: object) -> Writer:
        return self._starting[-1].writer()

    def _engine(self, url: str, **options: Any) -> Any:
        hub = next(one for one in self.hubs if str(one.path) in url)
        self._starting.append(hub)
        return hub.engine(url, **options)

    def play(self) -> None:
        """Run to the end. Raises Failure, or whatever a program raised."""
        world = self.world
        with self.virtual():
            club = f"http://{CLUB}"
            number = self.chance.choice((2, 2, 3))
            self.director = Director(world, self.threads, self._folder / "director", club)
            self.tables = [
                Table(world, self.threads, self._folder / f"{n}", n, club, self.hands) for n in range(1, number + 1)
            ]
            self.liar = LyingTable(world, self.network, number + 1, CLUB) if self.has_liar else None
            boss = self.director.key
            self.federation = (
                Hub(world, self.threads, self.network, FEDERATION, self._folder / "federation.db", boss)
                if self.has_federation else None
            )  # fmt: skip
            upstream = self.federation.url if self.federation else ""
            self.club = Hub(world, self.threads, self.network, CLUB, self._folder / "club.db", boss, upstream)
            self.hubs = [self.club, *([self.federation] if self.federation else [])]
            for hub in self.hubs:
                hub.on_answer = lambda exchange, reply, hub=hub: self._heard(hub, exchange, reply)  # type: ignore[misc]
                hub.on_start = lambda hub=hub: self.check_promises(hub)  # type: ignore[misc]
                hub.start()
            self._seat()
            logs = [boss, *(table.key for table in self.tables), "0" * 64]
            self.strangers = Strangers(world, self.network, CLUB, logs)
            self.director.start()
            for table in self.tables:
                table.start()
            self.chaos = Chaos(self)
            while not self._is_done():
                world.run_to(world.now + 5.0)
                if self.errors:
                    raise Failure(f"in a log: {self.errors}")
                if world.now > self.chaos.ends + _END_S:
                    raise Failure(f"not all is there {_END_S:.0f} s after the last fault: {self._state()}")
            self._check_end()
            for hub in self.hubs:
                hub.stop()
            for table in self.tables:
                table.kill()

    def _seat(self) -> None:
        keys = [table.key for table in self.tables]
        seats = [table.seats for table in self.tables]
        if self.liar:
            keys.append(self.liar.key)
            seats.append(self.liar.seats)
        names = tuple(name for one in seats for name in one)
        places = tuple(tuple(range(4 * n, 4 * n + 4)) for n in range(len(seats)))
        self.names = list(names)
        self.director.seat(keys, Plan("single", len(names), (PlannedRound(places),) * self.hands, names))

    def _is_done(self) -> bool:
        """True if all is calm, and every hub has all that honest people have written."""
        if not (self.chaos.is_over and self.director.is_done and all(table.is_done for table in self.tables)):
            return False
        if not all(hub.is_running for hub in self.hubs):
            return False
        directed = self.director.lines()
        written = {self.director.key: len(directed)}
        for table in self.tables:
            if not table.has_sent(directed):
                return False
            written[table.key] = table.lines
        counts = [{log: lines for log, (lines, _) in hub.store.heads().items()} for hub in self.hubs]
        return all(count.get(log) == lines for count in counts for log, lines in written.items())

    def _state(self) -> str:
        there = {
            hub.address: {log[:4]: n for log, n in hub.store.heads().items()} for hub in self.hubs if hub.is_running
        }
        said = {table.number: table.said[-1:] for table in self.tables}
        written = {table.key[:4]: table.lines for table in self.tables}
        return f"hubs have {there}, tables {written}, which say {said}; director {self.director.failure}"

    # -- what must hold ------------------------------------------------------------------------------------------------

    def _heard(self, hub: Hub, exchange: Exchange, reply: Reply) -> None:
        """A hub answers."""
        request = exchange.request
        if reply.status == 500:
            raise Failure(f"{request.method} {request.path[:80]}: {reply.status} {reply.body!r}")
        if (request.path, reply.status) == ("/standings", 200):
            if reply.body == standings(self.director.key, hub.store.logs()):
                return
            raise Failure(f"{hub.address} says other standings than its logs give")
        if request.method != "PUT" or reply.kind != "application/json" or reply.status not in (200, 409):
            return
        told, log = json.loads(reply.body), request.path.split("/")[2]
        lines = self.promised.setdefault((hub.address, log), {})
        root = bytes.fromhex(told["head"])
        if told["verdict"] != "gap" and lines.setdefault(told["accepted_to"], root) != root:
            raise Failure(f"{hub.address}: two roots of the first {told['accepted_to']} lines of {log}")
        if told["verdict"] == "fork":
            body = Body.model_validate_json(request.body)
            self.forked.setdefault((hub.address, log), int(request.path.split("/")[3]) + len(body.lines))
        self.world.note(hub.address, told["verdict"], log[:4], told["accepted_to"])

    def check_promises(self, hub: Hub) -> None:
        """What the hub has acknowledged is there, in its order."""
        logs = hub.store.logs()
        for (address, name), accepted in self.promised.items():
            if address != hub.address or not accepted:
                continue
            log = logs.get(name, Log())
            if len(log.lines) < max(accepted):
                raise Failure(
                    f"{address}: {max(accepted)} lines of {name} were acknowledged, {len(log.lines)} are there"
                )
            head = Head()
            for n, lines in enumerate((*log.lines, ""), start=0):
                if accepted.get(n, head.root) != head.root:
                    raise Failure(f"{address}: others than the {n} lines of {name} that were acknowledged")
                head = head.after([lines])
            end = self.forked.get((address, name))
            if end is not None and (log.fork is None or log.fork >= end or not hub.store.branches(name)):
                raise Failure(f"{address}: the fork of {name} before line {end} is forgotten: {log.fork}")

    def restore(self, hub: Hub, backup: Image, promised: dict[Any, Any], forked: dict[Any, Any]) -> None:
        """Somebody restores a backup: of what came later, the hub knows nothing."""
        self.restored = True
        for kept, then in ((self.promised, promised), (self.forked, forked)):
            for key in [key for key in kept if key[0] == hub.address]:
                del kept[key]
            kept.update({key: value for key, value in then.items() if key[0] == hub.address})
        hub.kill(backup)
        self.world.after(2.0, hub.start)

    def _check_end(self) -> None:
        lines = {table.key: table.own_lines() for table in self.tables}
        lines[self.director.key] = self.director.lines()
        said = set[bytes]()
        for hub in self.hubs:
            self.check_promises(hub)
            logs = hub.store.logs()
            for key, texts in lines.items():
                if logs[key] != Log(texts):
                    raise Failure(f"{hub.address}: {key} has {len(texts)} lines, the hub others: {logs[key]}"[:300])
            with service.Newest(hub.store)() as now:
                said.add(body := now.standings())
                results = now.results()
            found = {one["player"]: one["points"] for one in json.loads(body)["standings"]}
            if found != (expected := reckoned(self.director.key, logs)):
                raise Failure(f"{hub.address}: the standings are {found}, the lines give {expected}")
            self._check_points(results)
            self._check_witness(hub, logs)
        if len(said) > 1 and not self.liar:
            raise Failure("club and federation say different standings")
        said_by = [*(table.said for table in self.tables), *(hub.said for hub in self.hubs)]
        alarms = [text for told in said_by for text in told if "ALARM" in text]
        if alarms and not (self.restored or self.misled or self.liar):
            raise Failure(f"a false alarm: {alarms}")

    def _check_points(self, results: dict[str, Any]) -> None:
        """The points of each hand are those that were played."""
        for one in results["rounds"]:
            for at in one["tables"]:
                table = next((table for table in self.tables if table.number == at["table"]), None)
                # A hand whose round has ended without it is that of the next round.
                if table is not None and one["round"] < min(self.director.early, default=self.hands + 1):
                    points = list(table.points[one["round"] - 1])
                    if at["points"] != points and any(points):
                        raise Failure(f"round {one['round']}, table {table.number}: {at['points']}, played {points}")

    def _check_witness(self, hub: Hub, logs: dict[str, Log]) -> None:
        """The heads that a hub has signed as a witness are those of logs that it knows, and which go on after them."""
        with hub.store.engine.connect() as connection:
            rows = connection.execute(select(WITNESSED)).all()
        for row in rows:
            if row.log not in logs:
                raise Failure(f"{hub.address} has cosigned the log {row.log}, which nobody knows")
            if not self.restored and row.log not in (self.liar and self.liar.key, None):
                head = Head().after(logs[row.log].lines[: row.size])
                if row.size and (head.lines, head.root) != (row.size, row.root):
                    raise Failure(f"{hub.address} has cosigned {row.size} lines of {row.log}, which are others")
        for log in logs:
            note = hub.store.checkpoint(log)
            if note is not None and not Checkpoint.parse(note).is_signed:
                raise Failure(f"{hub.address}: the head of {log} is not as it was signed")

    def outcome(self) -> Outcome:
        """What is to be told."""
        lines = sum(max(one, default=0) for one in self.promised.values())
        return Outcome(
            self.world.seed, f"{len(self.tables)} tables", "", list(self.world.trace), self.world.now,
            sum(hub.kills for hub in self.hubs), sum(hub.writes for hub in self.hubs), self.network.requests,
            self.hands, lines, "tournament",
        )  # fmt: skip


async def _at_once(act: Callable[..., Any], *arguments: Any, **_options: Any) -> Any:
    """In place of a thread."""
    return act(*arguments)


def _upgrade(config: Any, to: str) -> None:
    """In place of alembic, where there is nothing to do: to see that takes as long as all the rest of a start."""
    connection = config.attributes["connection"]
    try:
        is_new = not connection.exec_driver_sql("SELECT 1 FROM alembic_version").fetchone()
    except OperationalError:
        is_new = True
    if is_new:
        _UPGRADE(config, to)


def reckoned(director: str, logs: dict[str, Log]) -> dict[str, int]:
    """The points of each player by the rules of `croupier_hub.standings`, reckoned once more, slowly and plainly."""
    keys, plans, ends, penalties = dict[int, str](), dict[int, Any](), dict[int, Any](), dict[Any, int]()
    for one in map(_object, logs[director].lines):
        if "enroll" in one:
            keys[one["table"]] = one["enroll"]
        elif "plan" in one and (one["round"] not in plans or plans[one["round"]]["plan"] < one["plan"]):
            plans[one["round"]] = one
        elif "end" in one:
            ends.setdefault(one["end"], one["lines"])
        elif "penalty" in one:
            penalties[one["round"], one["player"]] = one["penalty"]
    totals = Counter[str]()
    for name, log in logs.items():
        stand = dict[tuple[int, int], tuple[int, Any]]()
        for n, one in enumerate(map(_object, log.lines[: log.fork])):
            told, corrects = one.get("result"), one.get("corrects")
            if not isinstance(told, dict) or not _is_result(told, corrects):
                continue
            at, plan = (told["round"], told["table"]), plans.get(told["round"])
            if plan is None or keys.get(at[1]) != name or told["plan"] != plan["plan"]:
                continue
            if told["seats"] != plan["tables"].get(str(at[1])) or len(told["points"]) != len(told["seats"]):
                continue
            if at[0] in ends and n >= ends[at[0]].get(name, 0):
                continue
            if corrects == (stand[at][0] if at in stand else None):
                stand[at] = n, told
        for _, told in stand.values():
            for player, points in zip(told["seats"], told["points"], strict=True):
                totals[player] += points
    for (_, player), points in penalties.items():
        if points:
            totals[player] -= points
    return dict(totals)


def _is_result(told: dict[str, Any], corrects: Any) -> bool:
    numbers = (told.get("round"), told.get("table"), told.get("plan"), *([] if corrects is None else [corrects]))
    points = told.get("points")
    return (
        all(type(one) is int and 0 <= one <= 1_000_000 for one in numbers)
        and isinstance(points, list)
        and all(type(one) is int and abs(one) <= 1_000_000 for one in points)
    )


def _object(line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


class Chaos:
    """What goes wrong until `ends` (s)."""

    def __init__(self, run: Run) -> None:
        self.run, world = run, run.world
        self.chance: Random = world.chance("chaos")
        chance = self.chance
        self.is_over = False
        self.ends = chance.choice((15.0, 30.0, 60.0)) * chance.uniform(0.5, 1.2)
        self._every_s = chance.choice((0.5, 1.0, 3.0))
        kinds: list[Callable[[], None]] = [
            self._kill_hub, self._kill_hub_at_write, self._kill_hub_at_write, self._stop_hub, self._kill_table,
            self._kill_table_at_write, self._full, self._read_only, self._fails, self._slow, self._cut, self._silent,
            self._lag, self._double, self._lose, self._pose, self._back_up, self._direct, self._direct, self._call,
            self._strangers, self._strangers, self._flood, self._lie, self._lie,
        ]  # fmt: skip
        self._kinds = [chance.choice(kinds) for _ in range(chance.choice((2, 4, 8, 12)))]
        self._backup: tuple[Hub, Image, dict[Any, Any], dict[Any, Any]] | None = None
        self._restores_late = chance.random() < 0.5
        if self._restores_late:
            world.at(chance.uniform(0.0, self.ends), self._make_backup)
        world.after(chance.uniform(0.0, 3.0), self._next)
        world.at(self.ends, self._calm)

    def _next(self) -> None:
        if self.run.world.now < self.ends:
            kind = self.chance.choice(self._kinds)
            self.run.world.note("chaos", kind.__name__.lstrip("_"))
            kind()
            self._later(self.chance.expovariate(1 / self._every_s), self._next)

    def _later(self, seconds: float, act: Callable[..., Any], *arguments: Any) -> None:
        self.run.world.after(seconds, act, *arguments)

    def _calm(self) -> None:
        run = self.run
        run.world.note("calm")
        if self._restores_late and self._backup is not None:
            self._later(_RESTORED_S, self._restore_late)
        else:
            self.is_over = True
        network = run.network
        network.cut.clear()
        network.posing.clear()
        network.lag_s = network.doubles = network.losses = 0.0
        for table in run.tables:
            table.calm()
            table.start()
        for hub in run.hubs:
            hub.calm()
            if hub.is_running and self.chance.random() < 0.5:
                continue
            hub.stop()  # it restarts from its disk
            self._later(1.0 + 4.0 * (hub is run.federation), hub.start)
        run.director.send()

    @property
    def _hub(self) -> Hub:
        return self.chance.choice(self.run.hubs)

    @property
    def _table(self) -> Table:
        return self.chance.choice(self.run.tables)

    def _kill_hub(self) -> None:
        hub = self._hub
        hub.kill()
        self._later(self.chance.uniform(0.5, 6.0), hub.start)

    def _kill_hub_at_write(self) -> None:
        hub = self._hub
        hub.kill_at_write(self.chance.choice(("before", "during", "during", "after")),
                          is_power_cut=self.chance.random() < 0.4)  # fmt: skip
        self._later(self.chance.uniform(4.0, 8.0), hub.start)

    def _stop_hub(self) -> None:
        hub = self._hub
        hub.stop()
        self._later(self.chance.uniform(0.5, 3.0), hub.start)

    def _kill_table(self) -> None:
        table = self._table
        table.kill()
        self._later(self.chance.uniform(0.5, 4.0), table.start)

    def _kill_table_at_write(self) -> None:
        table = self._table
        table.kill_at_write(self.chance.choice(("before", "during", "after")), is_power_cut=self.chance.random() < 0.5)
        self._later(self.chance.uniform(3.0, 8.0), table.start)

    def _for_a_while(self, hub: Hub, name: str) -> None:
        setattr(hub, name, True)
        self._later(self.chance.uniform(0.5, 12.0), setattr, hub, name, False)

    def _full(self) -> None:
        self._for_a_while(self._hub, "is_full")

    def _read_only(self) -> None:
        self._for_a_while(self._hub, "is_read_only")

    def _slow(self) -> None:
        self._for_a_while(self._hub, "is_slow")

    def _fails(self) -> None:
        self._hub.fails = self.chance.randint(1, 3)

    def _cut_off(self, *, is_silent: bool) -> None:
        run = self.run
        where = self.chance.choice(
            [*(table.address for table in run.tables), *(hub.address for hub in run.hubs), run.director.address]
        )
        run.network.cut[where] = is_silent
        self._later(self.chance.choice((0.5, 5.0, 40.0)), run.network.cut.pop, where, None)

    def _cut(self) -> None:
        self._cut_off(is_silent=False)

    def _silent(self) -> None:
        self._cut_off(is_silent=True)

    def _lag(self) -> None:
        self._set("lag_s", self.chance.choice((0.3, 3.0, 30.0)))

    def _double(self) -> None:
        self._set("doubles", self.chance.choice((0.1, 0.5)))

    def _lose(self) -> None:
        self._set("losses", self.chance.choice((0.05, 0.3)))

    def _set(self, name: str, value: float) -> None:
        setattr(self.run.network, name, value)
        self._later(self.chance.uniform(1.0, 20.0), setattr, self.run.network, name, 0.0)

    def _pose(self) -> None:
        """Somebody answers in place of a hub, once all have heard who the director is."""
        run = self.run
        if all(table.knows_director for table in run.tables):
            run.misled = True
            where = self._hub.address
            run.network.posing[where] = Liar(run.world, run.network, where, run.director.key)
            self._later(self.chance.uniform(0.5, 15.0), run.network.posing.pop, where, None)

    def _back_up(self) -> None:
        """Make a backup, or restore it."""
        if self._backup is None or self.chance.random() < 0.3:
            self._make_backup()
        else:
            self._restore(*self._backup)

    def _make_backup(self) -> None:
        run, hub = self.run, self._hub
        if hub.is_running:
            promised = {key: dict(lines) for key, lines in run.promised.items()}
            self._backup = hub, image_of(hub.path), promised, dict(run.forked)

    def _restore(self, hub: Hub, image: Image, promised: dict[Any, Any], forked: dict[Any, Any]) -> None:
        if hub.is_running:
            self.run.restore(hub, image, {key: dict(lines) for key, lines in promised.items()}, dict(forked))

    def _restore_late(self) -> None:
        """Restore the backup when all has been played, and no table writes anything new; the director's next command
        sends what the hub lacks of the director's log."""
        assert self._backup is not None
        self._restore(*self._backup)
        self.run.director.send()
        self.is_over = True

    def _direct(self) -> None:
        if self.chance.random() < 0.1:
            self.run.director.end(self.chance.randint(1, self.run.hands))
        else:
            self.run.director.act(self.run.names, self.run.hands)

    def _call(self) -> None:
        self._table.call()

    def _strangers(self) -> None:
        for _ in range(self.chance.randrange(1, 6)):
            self.run.strangers.act()

    def _flood(self) -> None:
        self.run.strangers.flood()

    def _lie(self) -> None:
        if self.run.liar:
            for _ in range(self.chance.randrange(1, 6)):
                self.run.liar.act()


def run_seed(seed: int, rules: str = "") -> Outcome:
    """Run one seed; ``rules``: none, as tables have them."""
    assert not rules
    return outcome_of(lambda folder: Run(seed, folder))
