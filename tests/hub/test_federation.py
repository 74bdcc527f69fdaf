"""Many hubs and crashes at once: nothing is lost, nothing counts twice, and whatever was tampered with shows."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import partial
from itertools import chain, count
from pathlib import Path
from random import Random
from threading import Event
from time import monotonic
from typing import Any, Final

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import StaticPool, create_engine, text

from croupier_hub.client import HubClient
from croupier_hub.errors import HubUnavailable
from croupier_hub.fold import standings
from croupier_hub.group_commit import GroupCommit
from croupier_hub.messages import Answer, Body, Verdict
from croupier_hub.service import create_hub
from croupier_hub.signed_log import Head, Sent, name_of, sign, sign_head
from croupier_hub.standings import Log
from croupier_hub.store import LogStore, migrate_database
from croupier_hub.tables import BRANCHES, LINES, LOGS
from tests.hub.postgresql import Cluster, as_owner
from tests.hub.running import HubProcess, WarmHub
from tests.hub.test_logs import BOSS, DIRECTED, DIRECTOR, EVERYTHING, EXPECTED, ONE, STRANGER, TABLE_1, TABLE_2, TWO, A
from tests.longer import many, run_number
from tests.patience import PATIENCE_S

SEATS: Final = ["Ann", "Ben"]
_PAUSE_S: Final = 0.05
"""Between two results of a table."""


def of_season(key: Ed25519PrivateKey, enrolled: Sequence[str]) -> Sent:
    return sign(key, [json.dumps({"enroll": one, "table": n, "from_round": 1}) for n, one in enumerate(enrolled)])


def test_seasons_in_one_database_know_nothing_of_each_other_and_an_old_one_is_put_away(database: str) -> None:
    migrate_database(as_owner(database), name_of(STRANGER))
    with closing(LogStore(database, BOSS)) as now, closing(LogStore(database, name_of(STRANGER))) as before:
        for key, lines in EVERYTHING:
            now.put(sign(key, lines))
        before.put(of_season(STRANGER, [A]))
        assert before.put(sign(ONE, ["another season"])).verdict is Verdict.ACCEPTED
        assert (set(before.logs()), before.logs()[A].lines) == ({name_of(STRANGER), A}, ("another season",))
        assert standings(BOSS, now.logs()) == EXPECTED
        if database.startswith("postgresql"):
            engine = create_engine(as_owner(database))
            with engine.begin() as connection:
                name = f"line_{name_of(STRANGER)[:32]}"
                connection.execute(text(f"ALTER TABLE line DETACH PARTITION {name}"))
                rows = connection.execute(
                    text(f"SELECT text FROM {name} JOIN log ON id = log WHERE log.name = decode('{A}', 'hex')")
                )
                assert rows.scalars().all() == ["another season"]
            engine.dispose()
            assert standings(BOSS, now.logs()) == EXPECTED
            assert now.put(sign(ONE, [*TABLE_1, "more"], len(TABLE_1))).verdict is Verdict.ACCEPTED


class Table:
    """A table that writes one result after the other, and sends each until some hub has it."""

    def __init__(self, number: int) -> None:
        self.number, self.key, self.lines = number, Ed25519PrivateKey.generate(), list[str]()

    def play(self, clients: Sequence[HubClient], is_over: Event, chance: Random) -> int:
        """Correct the result over and over, at a hub by chance. Returns how often no hub answered."""
        failures, corrects, head = 0, None, Head()
        told: dict[str, Any] = {"round": 1, "table": self.number, "plan": 1, "seats": SEATS}
        for points in count(1):
            line: dict[str, Any] = {"result": told | {"points": [points, 0]}}
            self.lines.append(json.dumps(line if corrects is None else line | {"corrects": corrects}))
            corrects = len(self.lines) - 1
            head = head.after(self.lines[-1:])
            sent = sign_head(self.key, head, self.lines[-1:])
            while True:
                try:
                    assert chance.choice(clients).put(sent).verdict is Verdict.ACCEPTED
                    break
                except HubUnavailable:
                    failures += 1
                    assert failures < 5000, "no hub comes back"
                    is_over.wait(_PAUSE_S)
            if is_over.wait(_PAUSE_S):
                return failures
        raise AssertionError


def played(urls: Sequence[str], while_they_play: Callable[[], None]) -> int:
    """Let six tables send to these hubs while something is done. Returns how often nobody answered them."""
    tables = [Table(n) for n in range(1, 7)]
    is_over = Event()
    with ExitStack() as stack:
        clients = [stack.enter_context(HubClient(url)) for url in urls]
        directed = [
            *(json.dumps({"enroll": name_of(one.key), "table": one.number, "from_round": 1}) for one in tables),
            json.dumps({"plan": 1, "round": 1, "tables": {str(one.number): SEATS for one in tables}}),
        ]
        assert clients[0].put(sign(DIRECTOR, directed)).verdict is Verdict.ACCEPTED
        pool = stack.enter_context(ThreadPoolExecutor(len(tables)))
        stack.callback(is_over.set)
        playing = [pool.submit(one.play, clients, is_over, Random(one.number)) for one in tables]
        while_they_play()
        is_over.set()
        failures = sum(one.result() for one in playing)
        expected = standings(BOSS, {
            BOSS: Log(tuple(directed)), **{name_of(one.key): Log(tuple(one.lines)) for one in tables}
        })  # fmt: skip
        assert {client.get("/standings") for client in clients} == {expected}
    return failures


@pytest.fixture
def two_hubs(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[WarmHub]]:
    """Two hubs on one new PostgreSQL."""
    monkeypatch.chdir(tmp_path)
    options = ("--database", cluster.new_database(), "--director", BOSS)
    with ThreadPoolExecutor() as pool:  # both make the tables, at once
        hubs = [one.result() for one in [pool.submit(WarmHub, *options) for _ in range(2)]]
    yield hubs
    for hub in hubs:
        hub.close()


@pytest.mark.long
def test_two_hubs_on_one_database_say_the_same_while_both_and_the_database_crash(
    cluster: Cluster, two_hubs: list[WarmHub]
) -> None:
    urls = [hub.url for hub in two_hubs]

    def crash() -> None:
        for n in range(max(2, many(4))):
            with HubClient(urls[n % 2]) as client:
                cluster.kill()
                if n % 2:
                    two_hubs[n % 2].kill()
                cluster.start()
                if n % 2:
                    two_hubs[n % 2].start()
                goes_on(client)

    assert played(urls, crash) > 0


@pytest.mark.long
def test_a_standby_takes_over_and_nothing_is_lost_or_counts_twice(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with ExitStack() as stack:
        first = stack.enter_context(closing(Cluster(cluster.programs, place=1)))
        standby = stack.enter_context(closing(Cluster(cluster.programs, place=2, of=first)))
        first.wait_for_standby()
        hub = WarmHub("--director", BOSS, "--database", first.new_database(standby))
        stack.callback(hub.close)

        def fail() -> None:
            with HubClient(hub.url) as client:
                goes_on(client)
                first.kill()
                standby.promote()
                goes_on(client)

        played([hub.url], fail)
        first.start()  # for its end


@pytest.fixture
def two_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubProcess]:
    """A hub of two processes on SQLite; two hubs on PostgreSQL are `two_hubs`."""
    monkeypatch.chdir(tmp_path)
    hub = HubProcess("--director", BOSS, "--processes", "2")
    yield hub
    hub.kill()


@pytest.mark.long
def test_two_processes_behind_one_address_say_the_same_while_one_after_the_other_is_killed(
    two_processes: HubProcess,
) -> None:
    def crash() -> None:
        for n in range(many(1)):
            with HubClient(two_processes.url) as client:
                workers = two_processes.workers()
                assert len(workers) == 2
                os.kill(workers[n % 2], signal.SIGKILL)
                until(partial(is_replaced, workers[n % 2]))
                goes_on(client)

    def is_replaced(killed: int) -> bool:
        now = two_processes.workers()
        return len(now) == 2 and killed not in now

    played([two_processes.url] * 6, crash)


@pytest.mark.long
def test_a_club_and_its_federation_that_crash_have_the_same_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    federation = WarmHub("--director", BOSS, "--database", "sqlite:///federation.db")
    club = WarmHub("--director", BOSS, "--database", "sqlite:///club.db", "--forward", federation.url)
    try:
        with HubClient(federation.url) as client:

            def crash() -> None:
                for n in range(max(2, many(4))):
                    goes_on(client)
                    hub = (club, federation)[n % 2]
                    hub.kill()
                    hub.start()
                goes_on(client)

            played([club.url], crash)
            with HubClient(club.url) as here:
                until(lambda: client.get("/standings") == here.get("/standings"))
    finally:
        for hub in (club, federation):
            hub.close()


def until(is_it: Callable[[], bool]) -> None:
    """Wait for what has to come."""
    last = monotonic() + PATIENCE_S
    while not is_it():
        assert monotonic() < last


def goes_on(client: HubClient) -> None:
    """Wait until this hub shows more points than now."""
    before = max(_points(client), 0)
    until(lambda: _points(client) > before)


def _points(client: HubClient) -> int:
    try:
        return sum(one["points"] for one in json.loads(client.get("/standings"))["standings"])
    except HubUnavailable:
        return -1


def test_what_is_new_does_not_wait_for_what_has_waited() -> None:
    groups, goes_on_ = list[list[int]](), Event()

    def write(_connection: Any, group: Sequence[Sent]) -> list[Answer]:
        groups.append([len(one.lines) for one in group])
        assert goes_on_.wait(PATIENCE_S)
        return [Answer(Verdict.ACCEPTED)] * len(group)

    commits = GroupCommit(create_engine("sqlite://", poolclass=StaticPool), write)
    first, *others = [
        commits.submit(Sent(A, 0, ("line",) * lines, b"", b"")) for lines in (1, 900, 900, 900, 900, 2, 3)
    ]
    goes_on_.set()
    assert {one.result(PATIENCE_S).verdict for one in (first, *others)} == {Verdict.ACCEPTED}
    commits.close()
    assert [*chain(*groups)] in ([1, 2, 3, 900, 900, 900, 900], [1, 900, 900, 900, 2, 3, 900])
    assert max(map(sum, groups)) < 3000


@pytest.mark.long
def test_a_long_piece_whose_sender_has_gone_is_not_committed(tmp_path: Path) -> None:
    with closing(LogStore(f"sqlite:///{tmp_path / 'hub.db'}", BOSS)) as store:
        store.put(of_season(DIRECTOR, [A]))
        piece = sign(ONE, [f"line {n}" for n in range(200)])
        content = Body.of(piece).model_dump_json().encode()
        messages = iter([{"type": "http.request", "body": content}, {"type": "http.request"},
                         {"type": "http.disconnect"}])  # fmt: skip
        path = f"/logs/{A}/0"
        scope = {"type": "http", "method": "PUT", "path": path, "raw_path": path.encode(), "headers": [],
                 "query_string": b"", "root_path": "", "scheme": "http", "server": ("hub", 80)}  # fmt: skip

        async def receive() -> Any:
            return next(messages)

        async def send(_message: Any) -> None:
            pass

        hub = create_hub(store)
        with store.engine.begin():  # another transaction, for which what is committed waits
            before = store.submit(sign(STRANGER, ["before"]))
            until(before.running)
            asyncio.run(hub(scope, receive, send))
        assert before.result(PATIENCE_S).verdict is Verdict.UNKNOWN
        assert store.put(sign(ONE, ["other"])).verdict is Verdict.ACCEPTED


KEYS: Final = (DIRECTOR, ONE, TWO)
HONEST: Final = {name_of(key): lines for key, lines in EVERYTHING[:3]}


def _cut(chance: Random, lines: list[str]) -> list[str]:
    del lines[chance.randrange(len(lines)) :]
    return lines


def _dropped(chance: Random, lines: list[str]) -> list[str]:
    del lines[chance.randrange(len(lines))]
    return lines


def _reordered(chance: Random, lines: list[str]) -> list[str]:
    chance.shuffle(lines)
    return lines


def _doubled(chance: Random, lines: list[str]) -> list[str]:
    at = chance.randrange(len(lines))
    return [*lines[: at + 1], *lines[at:]]


def _damaged(chance: Random, lines: list[str]) -> list[str]:
    at = chance.randrange(len(lines))
    place = chance.randrange(len(lines[at]) + 1)
    lines[at] = lines[at][:place] + chr(chance.randrange(32, 0x250)) + lines[at][place + 1 :]
    return lines


def _other_plan(chance: Random, lines: list[str]) -> list[str]:
    return [line.replace('"plan": 1', f'"plan": {chance.randrange(9)}') for line in lines]


def _other_place(chance: Random, lines: list[str]) -> list[str]:
    what, number = chance.choice(["table", "round", "end", "corrects", "from_round"]), chance.randrange(1, 9)
    return [re.sub(f'"{what}": [0-9]+', f'"{what}": {number}', line) for line in lines]


def _longer(chance: Random, lines: list[str]) -> list[str]:
    return [*lines, chance.choice([*TABLE_1, *TABLE_2, *DIRECTED, "", "no JSON", "[" * 5000])]


def _whole(chance: Random, lines: list[str]) -> list[str]:
    return lines


MUTATIONS: Final = (
    _whole, _cut, _dropped, _reordered, _doubled, _damaged, _other_plan, _other_place, _longer,
)  # fmt: skip


def mutated(chance: Random) -> Sent:
    """A request that no honest writer sends, or one that was sent before."""
    key = chance.choice(KEYS)
    lines = chance.choice(MUTATIONS)(chance, list(HONEST[name_of(key)]))
    if lines:
        lines = chance.choice(MUTATIONS)(chance, lines)
    start = chance.randrange(len(lines) + 1)
    signer = chance.choice([*[key] * 4, *KEYS, STRANGER])
    sent = sign(signer, lines, start)
    match chance.randrange(12):
        case 0:
            return Sent(name_of(key), sent.start, sent.lines, sent.head, sent.signature)
        case 1:
            return Sent(sent.log, chance.randrange(9), sent.lines, sent.head, sent.signature)
        case 2:
            return Sent(sent.log, sent.start, sent.lines[1:], sent.head, sent.signature)
        case 3:
            return Sent(sent.log, sent.start, sent.lines, chance.randbytes(32), sent.signature)
        case 4:
            at, by = chance.randrange(64), chance.randrange(1, 256)
            signature = bytes(byte ^ by if n == at else byte for n, byte in enumerate(sent.signature))
            return Sent(sent.log, sent.start, sent.lines, sent.head, signature)
    return sent


def after(known: dict[str, Log], sent: Sent) -> dict[str, Log]:
    """The logs that a hub has to have after a request, reckoned with the whole lines."""
    log = known.get(sent.log)
    if log is None or not sent.is_signed or sent.start > len(log.lines):
        return known
    whole = (*log.lines[: sent.start], *sent.lines)
    if Head().after(whole).root != sent.head:
        return known
    other = next((n for n, (old, new) in enumerate(zip(log.lines, whole, strict=False)) if old != new), None)
    if other is not None:
        return known | {sent.log: Log(log.lines, other if log.fork is None else min(log.fork, other))}
    return known | {sent.log: Log(max(log.lines, whole, key=len), log.fork)}


def tampered_with(database: str, seed: str, number: int) -> Counter[Verdict]:
    """Send so many mutated requests to hubs that have the honest lines; what they answered."""
    seen = Counter[Verdict]()
    for batch in range(number // 50):
        chance = Random(f"{seed} {batch}")
        with closing(LogStore(database, BOSS)) as store:
            for table in (LOGS, LINES, BRANCHES):
                with store.engine.begin() as connection:
                    connection.execute(table.delete())
        with closing(LogStore(database, BOSS)) as store:
            for key in KEYS:
                store.put(sign(key, HONEST[name_of(key)]))
            known = {name: Log(tuple(lines)) for name, lines in HONEST.items()}
            for n in range(50):
                sent = mutated(chance)
                answer = store.put(sent)
                known = after(known, sent)
                if sent.log == BOSS and answer.verdict is Verdict.ACCEPTED:
                    known = {name: Log() for name in store.heads()} | known  # it may have enrolled somebody
                assert (answer.verdict is Verdict.FORK) <= (known.get(sent.log, Log()).fork is not None)
                if n % 10 == 9:
                    assert store.logs() == known, f"seed {seed}, batch {batch}, up to request {n}"
                seen[answer.verdict] += 1
            for name, lines in HONEST.items():
                assert known[name].lines[: len(lines)] == tuple(lines)
                assert bool(store.branches(name)) == (known[name].fork is not None)
            assert json.loads(standings(BOSS, store.logs()))["forks"] == {
                name: log.fork for name, log in known.items() if log.fork is not None
            }
    assert set(seen) == set(Verdict)
    return seen


def test_whatever_was_tampered_with_is_refused_shows_or_changes_nothing(database: str) -> None:
    tampered_with(database, "short", 100)


@pytest.mark.long
def test_ten_thousand_mutations_are_each_caught_or_harmless(database: str) -> None:
    assert tampered_with(database, f"{run_number()}", many(5000)).total() == many(5000) // 50 * 50
