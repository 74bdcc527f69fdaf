"""The hub's store: logs that come in pieces, twice, forked, cut, and to several hubs."""

from __future__ import annotations

import asyncio
import gc
import json
import signal
import socket
import subprocess
import sys
from base64 import b64decode
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack, closing
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Any
from unittest.mock import AsyncMock
from urllib.parse import urlsplit

import httpx
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import create_engine, event
from sqlalchemy.exc import SQLAlchemyError

from croupier import http_server
from croupier.http_server import listening_socket
from croupier_hub.checkpoints import Growth
from croupier_hub.fold import standings
from croupier_hub.group_commit import GroupCommit
from croupier_hub.merkle import is_consistent, is_included
from croupier_hub.messages import Answer, Body, Verdict
from croupier_hub.schema import migrate, partition_of
from croupier_hub.service import MOST_BYTES, create_hub
from croupier_hub.signed_log import Head, Sent, name_of, sign
from croupier_hub.standings import Log
from croupier_hub.store import LogStore
from croupier_hub.tables import SCHEMA
from tests.hub.postgresql import as_owner
from tests.hub.running import serving
from tests.patience import PATIENCE_S

DIRECTOR, ONE, TWO, STRANGER = (Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32) for n in range(1, 5))
BOSS, A, B = name_of(DIRECTOR), name_of(ONE), name_of(TWO)


def text(**fields: Any) -> str:
    return json.dumps(fields)


def result(round_: int, table: int, points: list[int], *, plan: int = 1, **more: Any) -> str:
    seats = [["Ann", "Ben"], ["Cat", "Dan"]][table - 1]
    return text(result={"round": round_, "table": table, "plan": plan, "seats": seats, "points": points}, **more)


def plan(round_: int, version: int = 1) -> str:
    return text(plan=version, round=round_, tables={"1": ["Ann", "Ben"], "2": ["Cat", "Dan"]})


DIRECTED = [
    text(enroll=A, table=1, from_round=1),
    text(enroll=B, table=2, from_round=1),
    plan(1),
    plan(2),
    text(end=1, lines={A: 3, B: 1}),
]
TABLE_1 = [text(obs="tick", t=1.0), result(1, 1, [30, 0]), result(1, 1, [20, 0], corrects=1), result(2, 1, [0, 7])]
TABLE_2 = [result(1, 2, [0, 20]), result(2, 2, [5, 0]), text(obs="tick", t=2.0)]
FORKED = [*TABLE_2[:2], text(obs="tick", t=9.0)]
"""Table 2 after its backup was restored."""

EVERYTHING = [(DIRECTOR, DIRECTED), (ONE, TABLE_1), (TWO, TABLE_2), (TWO, FORKED)]


def url(folder: Path) -> str:
    return f"sqlite:///{folder / 'hub.db'}"


@pytest.fixture
def store(database: str) -> LogStore:
    store = LogStore(database, BOSS)
    for key, lines in EVERYTHING[:2]:
        assert store.put(sign(key, lines)).verdict == Verdict.ACCEPTED
    return store


def table(data: bytes) -> list[tuple[int, str, int]]:
    return [(one["place"], one["player"], one["points"]) for one in json.loads(data)["standings"]]


EXPECTED = standings(BOSS, {BOSS: Log(tuple(DIRECTED)), A: Log(tuple(TABLE_1)), B: Log(tuple(TABLE_2), fork=2)})


PIECES = [
    sign(key, lines[:end], start)
    for key, lines in EVERYTHING
    for end in range(1, len(lines) + 1)
    for start in range(end)
]


@pytest.mark.long
@settings(max_examples=20, deadline=None)
@given(st.lists(st.sampled_from([*PIECES, None]), max_size=40))
def test_every_hub_has_the_same_bytes_whatever_came_first_twice_or_before_a_restart(sent: list[Sent | None]) -> None:
    with TemporaryDirectory() as folder:
        store = LogStore(url(Path(folder)), BOSS)
        for one in [*sent, *(sign(key, lines) for key, lines in EVERYTHING)]:
            if one is None:
                store.close()
                store = LogStore(url(Path(folder)), BOSS)
            else:
                store.put(one)
        assert standings(BOSS, store.logs()) == EXPECTED
        assert store.branches(B)
        store.close()


def test_lines_count_once_if_the_hub_is_killed_between_commit_and_answer(store: LogStore, database: str) -> None:
    sent = sign(TWO, TABLE_2)
    code = (
        "import os, signal, sys\nfrom croupier_hub.signed_log import Sent\nfrom croupier_hub.store import LogStore\n"
        f"LogStore({database!r}, {BOSS!r}).put({sent!r})\nos.kill(os.getpid(), signal.SIGKILL)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -signal.SIGKILL
    before = standings(BOSS, store.logs())
    answer = store.put(sent)
    assert (answer.verdict, answer.accepted_to, answer.head) == (Verdict.ACCEPTED, 3, sent.head)
    assert standings(BOSS, store.logs()) == before
    assert table(before)[1] == (1, "Dan", 20)


def changed(sent: Sent, **fields: Any) -> Sent:
    return Sent(**{name: getattr(sent, name) for name in Sent.__slots__} | fields)


WHOLE = sign(TWO, TABLE_2)


@pytest.mark.parametrize(
    ("sent", "verdict"),
    [
        pytest.param(sign(TWO, TABLE_2, 1), Verdict.GAP, id="a line before is missing"),
        pytest.param(changed(WHOLE, lines=(*TABLE_2[:2], "{}")), Verdict.CHAIN, id="a line was changed on its way"),
        pytest.param(changed(WHOLE, lines=(TABLE_2[1], TABLE_2[0], TABLE_2[2])), Verdict.CHAIN, id="lines in disorder"),
        pytest.param(changed(WHOLE, lines=tuple(TABLE_2[:2])), Verdict.SIGNATURE, id="cut"),
        pytest.param(changed(WHOLE, head=sign(TWO, FORKED).head), Verdict.SIGNATURE, id="another head"),
        pytest.param(changed(WHOLE, log=A), Verdict.SIGNATURE, id="in the name of another table"),
        pytest.param(changed(WHOLE, log="f" * 64), Verdict.SIGNATURE, id="no key at all"),
        pytest.param(sign(STRANGER, TABLE_2), Verdict.UNKNOWN, id="a key that is not enrolled"),
    ],
)
def test_what_is_wrong_changes_nothing(store: LogStore, sent: Sent, verdict: Verdict) -> None:
    before = store.logs()
    assert store.put(sent).verdict == verdict
    assert store.logs() == before
    assert not any(map(store.branches, before))


@pytest.mark.parametrize("is_of_another_hub", [False, True])
def test_whoever_has_somebody_elses_signed_head_does_not_let_the_log_be_read_again_and_again(
    is_of_another_hub: bool, store: LogStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [*TABLE_2, *(text(obs="tick", t=float(t)) for t in range(3, 3000))]
    assert store.put(sign(TWO, lines)).verdict == Verdict.ACCEPTED
    read = [0]
    texts = LogStore._texts

    def counted(*arguments: Any) -> dict[int, str]:
        found = texts(*arguments)
        read[0] += len(found)
        return found

    monkeypatch.setattr(LogStore, "_texts", counted)
    before = store.logs()
    known = sign(TWO, lines[:2600] if is_of_another_hub else lines)
    others = [Sent(B, known.end - 1, (text(obs="tick", t=float(n)),), known.head, known.signature) for n in range(100)]
    assert {store.put(one).verdict for one in others} == {Verdict.CHAIN}
    # One line for each; where no piece of this hub ends at the head, the log once, and then those after a kept head.
    assert read[0] < 100 + (3000 + 100 * 1024 if is_of_another_hub else 1)
    assert store.logs() == before
    assert store.put(sign(TWO, lines[:2600], 2599)).verdict == Verdict.ACCEPTED
    assert store.put(sign(TWO, [*lines, "{}"], 2500)).verdict == Verdict.ACCEPTED
    forked = [*lines[:2700], '{"obs": "other"}']
    assert store.put(sign(TWO, forked, 2700)).verdict == Verdict.FORK
    assert store.branches(B) == [sign(TWO, forked, 2700)]


def test_a_restored_backup_shows_as_a_fork_and_both_stay(store: LogStore) -> None:
    assert store.put(WHOLE).verdict == Verdict.ACCEPTED
    assert [store.put(sign(TWO, FORKED)).verdict for _ in range(2)] == [Verdict.FORK] * 2
    assert store.logs()[B] == Log(tuple(TABLE_2), fork=2)
    assert store.branches(B) == [sign(TWO, FORKED, 2)]


def test_over_http_a_table_learns_what_is_accepted(store: LogStore) -> None:
    def put(at: str, body: Any) -> tuple[int, Any]:
        answer = client.put(at, content=body if isinstance(body, str) else body.model_dump_json())
        return answer.status_code, answer.json()

    with serving(store) as url, httpx.Client(base_url=url, trust_env=False, timeout=PATIENCE_S) as client:
        assert put(f"/logs/{B}/1", Body.of(sign(TWO, TABLE_2, 1)))[0] == 409
        told = {"verdict": "accepted", "accepted_to": 3, "head": WHOLE.head.hex()}
        assert put(f"/logs/{B}/0", Body.of(WHOLE)) == (200, told)
        status, told = put(f"/logs/{B}/0", Body.of(sign(TWO, FORKED)))
        assert (status, told["verdict"], told["accepted_to"]) == (409, "fork", 3)
        assert put(f"/logs/{B}/0", Body.of(changed(WHOLE, signature=bytes(64))))[0] == 403
        status, told = put(f"/logs/{B}/0", '{"lines": ["a\\nb"], "head": "", "signature": ""}')
        assert status == 422
        assert told["error"].startswith("lines.0: ")
        assert put(f"/logs/{B}/0", " " * (MOST_BYTES + 1))[0] == 413
        assert client.put(f"/logs/{B[:9]}/0", content="{}").status_code == 422
        assert {client.put(f"/logs/{B}/{n}", content="{}").status_code for n in (-1, "x", 1 << 31, "9" * 4500)} == {422}
        assert client.get("/standings").content == EXPECTED


def test_the_head_of_a_log_is_given_to_everybody_as_a_signed_note_that_a_changed_or_cut_log_does_not_fit(
    store: LogStore,
) -> None:
    with serving(store) as url, httpx.Client(base_url=url, trust_env=False, timeout=PATIENCE_S) as client:
        assert client.get(f"/checkpoints/{B}").status_code == 404
        store.put(sign(TWO, TABLE_2[:2]))
        store.put(WHOLE)
        note = client.get(f"/checkpoints/{B}").text
    # Taken apart by the words of c2sp.org/signed-note and c2sp.org/tlog-checkpoint.
    said, _, signed = note.rpartition("\n\n")
    origin, size, root = said.split("\n")
    dash, name, signature = signed.split()
    assert (dash, name, int(size)) == ("\N{EM DASH}", origin, len(TABLE_2))
    key = bytes.fromhex(origin.removeprefix("croupier/"))
    data = b64decode(signature)
    assert data[:4] == sha256(name.encode() + b"\n\x01" + key).digest()[:4]
    TWO.public_key().verify(data[4:], f"{said}\n".encode())
    assert key == TWO.public_key().public_bytes_raw()
    assert b64decode(root) == Head().after(TABLE_2).root
    assert b64decode(root) not in (Head().after(FORKED).root, Head().after(TABLE_2[:-1]).root)


def test_the_migrations_make_the_tables_that_the_store_uses(database: str) -> None:
    engine = create_engine(as_owner(database))
    migrate(engine, BOSS)
    migrate(engine, BOSS)
    others = {"alembic_version", "line_others", partition_of(BOSS)}
    with engine.connect() as connection:
        is_ours: Callable[..., bool] = lambda o, name, kind, r, c: name not in others  # noqa: E731
        context = MigrationContext.configure(connection, opts={"include_object": is_ours})
        assert compare_metadata(context, SCHEMA) == []
    engine.dispose()


def test_the_stored_roots_prove_what_goes_on_and_what_is_there(store: LogStore) -> None:
    lines = [text(obs="tick", t=float(n)) for n in range(130)]
    heads = [Head().after(lines[:n]) for n in range(131)]
    for start, end in ((0, 1), (1, 64), (64, 65), (65, 130), (60, 70)):
        assert store.put(sign(TWO, lines[:end], start)).verdict is Verdict.ACCEPTED
    leaves = heads[0].extend(lines)[0]
    for n in (0, 1, 63, 64, 129):
        growth = Growth.parse(store.growth(B, n)[1] or "")
        assert is_consistent(n, heads[n].root, 130, heads[130].root, growth.proof)
        assert store.growth(B, n)[0] == growth.checkpoint.size == 130
        proof = store.proof(B, n)
        assert is_included(n, leaves[n], 130, heads[130].root, [b64decode(one) for one in proof["proof"]])
        assert proof["text"] == lines[n]


def test_a_line_arrived_when_the_piece_came_that_had_it_first(database: str) -> None:
    now = [1_790_000_000.9]
    with closing(LogStore(database, BOSS, lambda: now[0])) as store:
        store.put(sign(DIRECTOR, DIRECTED))
        for end, start in ((2, 0), (4, 1), (4, 0)):  # the second piece has a line again, the third has nothing new
            assert store.put(sign(ONE, TABLE_1[:end], start)).accepted_to == end
            now[0] += 60
        assert [store.proof(A, n)["arrived"] - 1_790_000_000 for n in range(4)] == [0, 0, 60, 60]


def test_a_proof_costs_as_much_in_a_long_log_as_in_a_short_one(tmp_path: Path) -> None:
    store, steps, costs = LogStore(url(tmp_path), BOSS), [0], list[int]()

    def counted() -> None:
        steps[0] += 1

    event.listen(store.engine, "checkout", lambda connection, *_: connection.set_progress_handler(counted, 1))
    store.put(sign(DIRECTOR, DIRECTED[:4]))
    lines = [text(obs="tick", t=float(n)) for n in range(6000)]
    for size in (60, 6000):
        for start in range(store.heads()[A][0], size, 2000):
            store.put(sign(ONE, lines[: min(size, start + 2000)], start))
        steps[0] = 0
        store.growth(A, 59)
        store.proof(A, 58)
        costs.append(steps[0])
    assert costs[1] < 5 * costs[0], "instructions of the database, for a hundred times the lines"


def test_no_answer_waits_until_its_head_is_acknowledged() -> None:
    with (
        listening_socket("127.0.0.1", 0) as listener,
        socket.create_connection(listener.getsockname()),
        listener.accept()[0] as connection,
    ):
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_whoever_does_not_end_a_request_does_not_keep_others_out(
    store: LogStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "MAX_CONNECTIONS", 4)
    with serving(store) as url, ExitStack() as stack:
        address = urlsplit(url)
        for _ in range(8):
            silent = stack.enter_context(socket.create_connection((address.hostname, address.port)))
            silent.sendall(b"PUT /logs/")
        with httpx.Client(base_url=url, trust_env=False, timeout=PATIENCE_S) as client:
            assert client.get("/standings").content == standings(BOSS, store.logs())


@pytest.mark.parametrize("one_fails", [False, True])
def test_tables_that_wait_for_the_disk_share_a_commit_unless_one_of_them_fails(
    database: str, one_fails: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = [Ed25519PrivateKey.generate() for _ in range(20)]
    store = LogStore(database, BOSS)
    store.put(sign(DIRECTOR, [text(enroll=name_of(key), table=n, from_round=1) for n, key in enumerate(keys)]))
    began, may_end, commits = Event(), Event(), []
    add = store._add

    def commit(_connection: Any) -> None:
        commits.append(1)
        began.set()
        may_end.wait(PATIENCE_S)

    def fail(connection: Any, sent: Sent) -> Answer:
        if sent.log == B:
            raise SQLAlchemyError("the disk")
        return add(connection, sent)

    monkeypatch.setattr(store, "_add", fail)
    event.listen(store.engine, "commit", commit)
    first = store.submit(sign(STRANGER, TABLE_1))
    assert began.wait(PATIENCE_S)
    answers = [store.submit(sign(key, TABLE_1)) for key in keys]
    failing = [store.submit(sign(TWO, TABLE_1)) for _ in range(one_fails)]
    assert store.submit(sign(ONE, TABLE_1)).cancel()  # as for a request whose client has gone
    may_end.set()
    assert first.result().verdict is Verdict.UNKNOWN
    assert {one.result().verdict for one in answers} == {Verdict.ACCEPTED}
    for one in failing:
        with pytest.raises(SQLAlchemyError, match="the disk"):
            one.result()
    assert len(commits) == 1 + (len(keys) if one_fails else 1)
    assert all(store.logs()[name_of(key)].lines == tuple(TABLE_1) for key in keys)
    store.close()


@pytest.mark.parametrize("lines", [pytest.param(1, id="short"), pytest.param(200, id="long")])
def test_a_failure_that_comes_after_the_end_of_the_request_is_not_logged_as_never_read(
    tmp_path: Path, lines: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = LogStore(f"sqlite:///{tmp_path / 'hub.db'}", BOSS)
    answer, logged = Future[Answer](), list[Any]()
    answer.set_running_or_notify_cancel()  # it is being committed, and cannot be withdrawn
    monkeypatch.setattr(store, "submit", lambda _sent: answer)
    body = Body.of(sign(ONE, ["x"] * lines)).model_dump_json().encode()
    scope = {"type": "http", "method": "PUT", "path": f"/logs/{A}/0", "headers": [], "query_string": b""}

    async def stop_while_it_waits() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: logged.append(context))
        messages = [{"type": "http.request", "body": body}]

        async def receive() -> dict[str, Any]:
            if not messages:
                await asyncio.Event().wait()
            return messages.pop()

        request = asyncio.ensure_future(create_hub(store)(scope, receive, AsyncMock()))
        while messages or request.done():
            await asyncio.sleep(0)
        for _ in range(10):
            await asyncio.sleep(0)
        request.cancel()
        await asyncio.wait({request})
        answer.set_exception(SQLAlchemyError("disk I/O error"))
        del request
        for _ in range(10):
            await asyncio.sleep(0)
        gc.collect()

    with closing(store):
        asyncio.run(stop_while_it_waits())
    assert logged == []


def test_whoever_waits_for_a_commit_hears_of_a_fault_of_the_hub_itself(tmp_path: Path) -> None:
    commits = GroupCommit(create_engine(f"sqlite:///{tmp_path / 'hub.db'}"), lambda _connection, _group: [])
    with closing(commits), pytest.raises(ValueError, match="shorter"):
        commits.submit(sign(ONE, ["x"])).result(PATIENCE_S)


def test_pieces_of_one_log_and_of_what_it_enrolls_count_in_the_order_in_which_they_wait(database: str) -> None:
    store = LogStore(database, BOSS)
    lines = [text(enroll=A, table=1, from_round=1), plan(1), text(enroll=B, table=2, from_round=1)]
    sent = [sign(DIRECTOR, lines[: n + 1], n) for n in range(3)]
    sent += [sign(ONE, TABLE_1[: n + 1], n) for n in range(4)] + [sign(ONE, TABLE_1[:2], 1), sign(TWO, TABLE_2, 1)]
    sent += [sign(TWO, TABLE_2), sign(TWO, FORKED), sign(ONE, TABLE_1)]
    with store.engine.begin() as connection:
        answers = store._add_all(connection, sent)
    assert [one.verdict for one in answers] == [Verdict.ACCEPTED] * 8 + [
        Verdict.GAP, Verdict.ACCEPTED, Verdict.FORK, Verdict.ACCEPTED
    ]  # fmt: skip
    assert store.logs() == {BOSS: Log(tuple(lines)), A: Log(tuple(TABLE_1)), B: Log(tuple(TABLE_2), fork=2)}
    store.close()
