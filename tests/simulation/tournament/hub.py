"""The real hub in the simulation: its store on SQLite with a disk that fails, its application without a socket.

The hub is killed at any time, or at a transaction: what is left on the disk is what was there before it, some of the
blocks that it writes, or all of them. Whatever the hub has answered by then is a promise.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

import httpx
from sqlalchemy import Engine, create_engine, event

from croupier_hub.cosigning import cosigned_by
from croupier_hub.errors import BadHub
from croupier_hub.forwarding import forwarding
from croupier_hub.service import create_hub
from croupier_hub.store import LogStore
from tests.simulation.disk import Image, image_of, put_image, torn
from tests.simulation.tournament.network import Exchange, Network, Reply
from tests.simulation.tournament.threads import Program, Threads
from tests.simulation.world import World

WALL: Final = 1.7e9
"""The time of the computers at the begin, in seconds since 1970."""

_WRITE_S: Final = (0.001, 0.012)
_SLOW_S: Final = (0.3, 2.5)
_CHANGES: Final = ("INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "ALTER")
_CHECKPOINTS: Final = (1000, 1000, 20, 3)
"""Pages of the log after which SQLite carries it over into the file."""


class Writer:
    """In place of the one thread that writes for the hub `starting`: each transaction takes its time."""

    def __init__(self, hub: Hub) -> None:
        self._hub, self._is_dead, self._free_at = hub, False, 0.0
        self._waiting: list[Callable[[], object]] = []

    def submit(self, act: Callable[[], object]) -> None:
        """As `concurrent.futures.Executor`."""
        self._waiting.append(act)
        world = self._hub.world
        self._free_at = max(world.now, self._free_at) + self._hub.write_s()
        world.at(self._free_at, self._write)

    def shutdown(self) -> None:
        """As `concurrent.futures.Executor`: what waits is done."""
        while self._waiting and not self._is_dead:
            self._write()

    def die(self) -> None:
        """Nothing more is written."""
        self._is_dead = True

    def _write(self) -> None:
        if self._waiting and not self._is_dead:
            self._waiting.pop(0)()
            self._hub.pump()


class Hub:
    """A hub at ``address``, whose database is ``path``, of the tournament of ``director``; ``upstream``: the hub to
    which it forwards its logs, and which cosigns them.

    ``is_full``, ``is_read_only``, ``is_slow``: so is its disk; ``fails``: its next transactions are written, but the
    disk says otherwise. ``on_answer``: hears each answer as it leaves. ``on_start``: hears that it runs again."""

    def __init__(
        self, world: World, threads: Threads, network: Network, address: str, path: Path, director: str,
        upstream: str = "",
    ) -> None:  # fmt: skip
        self.world, self._threads, self._network = world, threads, network
        self.address, self.path, self._director, self._upstream = address, path, director, upstream
        self.is_running = self.is_full = self.is_read_only = self.is_slow = False
        self.fails = 0
        self.on_answer: Callable[[Exchange, Reply], None] = lambda _exchange, _reply: None
        self.on_start: Callable[[], None] = lambda: None
        self.said: list[str] = []
        self.kills = self.writes = 0
        self.chance = world.chance(f"hub {address}")
        self._kill_at: tuple[str, bool] | None = None
        self._torn: Image | None = None
        self._pages = self.chance.choice(_CHECKPOINTS)
        self._open: dict[Exchange, asyncio.Event] = {}
        network.hosts[address] = self

    @property
    def url(self) -> str:
        """Its address for clients."""
        return f"http://{self.address}"

    def start(self) -> None:
        """Start it; if it cannot, it is tried again later. Called by the world."""
        if self.is_running:
            return
        has_fault = self.is_full or self.is_read_only or self.fails
        try:
            self.store = LogStore(f"sqlite:///{self.path}", self._director)
        except BadHub as err:
            self.world.note(self.address, "cannot start:", str(err).replace(str(self.path.parent), ""))
            if not (self._torn is not None or has_fault):
                raise
            self._kill_at = None
            if self._torn is not None:
                put_image(self.path, self._torn)
            self._torn = None
            self.world.after(self.chance.uniform(1.0, 4.0), self.start)
            return
        self._app = create_hub(self.store, clock=lambda: WALL + self.world.now)
        self._loop = asyncio.SelectorEventLoop()
        self.is_running = True
        self.world.note(self.address, "starts")
        self.on_start()
        self._program = Program(self.address, self.address)
        if self._upstream:
            for act in (forwarding, cosigned_by):
                self._threads.start(self._program, lambda act=act: self._run(act))  # type: ignore[misc]

    def stop(self) -> None:
        """End it as the service does: what waits is still written."""
        if self.is_running:
            self.world.note(self.address, "stops")
            self._leave()
            self._writer.shutdown()
            self._close()

    def kill(self, left: Image | None = None) -> None:
        """Kill it now; ``left``: the files that are left, those of now by default."""
        if self.is_running:
            self.world.note(self.address, "KILLED")
            self.kills += 1
            left = image_of(self.path) if left is None else left
            self._leave()
            self._writer.die()
            self.world.at(self.world.now, self._bury, left)

    def kill_at_write(self, when: str, *, is_power_cut: bool) -> None:
        """Kill it ``before``, ``during`` or ``after`` its next transaction."""
        self._kill_at = when, is_power_cut

    def calm(self) -> None:
        """Nothing goes wrong any more."""
        self.is_full = self.is_read_only = self.is_slow = False
        self.fails, self._kill_at = 0, None

    def write_s(self) -> float:
        """The time that the next transaction takes."""
        return self.chance.uniform(*(_SLOW_S if self.is_slow else _WRITE_S))

    def receive(self, exchange: Exchange) -> None:
        """A request arrives."""
        request = exchange.request
        path, _, query = request.path.partition("?")
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": request.method,
            "path": unquote(path), "raw_path": path.encode(), "query_string": query.encode(), "root_path": "",
            "scheme": "http", "headers": [(b"host", self.address.encode()), *request.headers],
            "client": (request.source, 1),
            "server": (self.address, 80),
        }  # fmt: skip
        left = self._open[exchange] = asyncio.Event()
        exchange.on_leave = lambda: self._disconnect(left)
        self._loop.create_task(self._answer(exchange, scope, left))
        self.pump()

    def pump(self) -> None:
        """Let the server do all that it can do now."""
        while self.is_running:
            self._loop.call_soon(self._loop.stop)
            self._loop.run_forever()
            if not self._loop._ready:  # type: ignore[attr-defined]
                return

    def _disconnect(self, left: asyncio.Event) -> None:
        left.set()
        self.pump()

    async def _answer(self, exchange: Exchange, scope: dict[str, Any], left: asyncio.Event) -> None:
        status, headers, body, has_body = 0, dict[bytes, bytes](), b"", False

        async def receive() -> dict[str, Any]:
            nonlocal has_body
            if has_body:
                await left.wait()
                return {"type": "http.disconnect"}
            has_body = True
            return {"type": "http.request", "body": exchange.request.body}

        async def send(message: Any) -> None:
            nonlocal status, headers, body
            if message["type"] == "http.response.start":
                status, headers = message["status"], dict(message["headers"])
            else:
                body += message.get("body", b"")

        await self._app(scope, receive, send)
        if self._open.pop(exchange, None) is not None:
            kind, challenge = (headers.get(name, b"").decode() for name in (b"content-type", b"www-authenticate"))
            reply = Reply(status, kind, body, challenge)
            self.on_answer(exchange, reply)
            self._network.answer(self.address, exchange, reply)

    def _leave(self) -> None:
        """Whoever waits for an answer hears that there is nobody any more."""
        self.is_running = False
        for exchange in self._open:
            self._network.answer(self.address, exchange, httpx.ReadError("Connection reset by peer"))
        self._open.clear()

    def _bury(self, left: Image) -> None:
        self._close()
        put_image(self.path, left)

    def _close(self) -> None:
        self._threads.kill(self._program)
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.call_soon(self._loop.stop)
        self._loop.run_forever()
        self._loop.close()
        self.store.close()

    def _run(self, act: Callable[..., Any]) -> None:
        with act(self.store, self._upstream, self.said.append):
            self._threads.Event().wait()

    # -- the disk ------------------------------------------------------------------------------------------------------

    def writer(self) -> Writer:
        """Its thread that writes."""
        self._writer = Writer(self)
        return self._writer

    def engine(self, url: str, **options: Any) -> Engine:
        """Its connection with its database: in place of `sqlalchemy.create_engine`."""
        engine = create_engine(url, **options)
        dialect: Any = engine.dialect
        execute, commit = dialect.do_execute, dialect.do_commit

        def checked(cursor: Any, statement: str, *arguments: Any) -> None:
            if self.is_read_only and statement.startswith(("BEGIN IMMEDIATE", *_CHANGES)):
                raise sqlite3.OperationalError("attempt to write a readonly database")
            if self.is_full and statement.startswith(_CHANGES):
                raise sqlite3.OperationalError("database or disk is full")
            execute(cursor, statement, *arguments)

        dialect.do_execute = checked
        dialect.do_commit = lambda connection: self._commit(commit, connection)
        pages = f"PRAGMA wal_autocheckpoint = {self._pages}"
        event.listen(engine, "connect", lambda connection, _: connection.execute(pages))
        return engine

    def _commit(self, commit: Callable[[Any], None], connection: Any) -> None:
        (when, is_power_cut), self._kill_at = self._kill_at or ("", False), None
        before = image_of(self.path) if when else {}
        commit(connection)
        self.writes += 1
        if when:
            after = image_of(self.path)
            self.world.note(self.address, when, "a transaction")
            left = {"before": before, "after": after}.get(when)
            left = torn(before, after, self.chance, is_power_cut=is_power_cut) if left is None else left
            if not self.is_running:  # it was about to start
                self._torn = left
                raise sqlite3.OperationalError("killed")
            self.kill(left)
        if self.fails:
            self.fails -= 1
            raise sqlite3.OperationalError("disk I/O error")


class Liar:
    """Answers in place of a hub, as it likes; ``knows``: the key of the director, whose tournament it says it has."""

    is_running = True

    def __init__(self, world: World, network: Network, address: str, director: str) -> None:
        self._network, self._address, self._director = network, address, director
        self._chance = world.chance(f"liar {address}")

    def receive(self, exchange: Exchange) -> None:
        """A request arrives."""
        chance, request = self._chance, exchange.request
        if chance.random() < 0.1:
            return
        number = chance.choice((-5, 0, 1, 2, 7, 40, 1 << 30, 1 << 40, chance.randrange(60)))
        texts = [
            b"", b"[" * 3000, b'{"verdict":', b"9" * 5000 + b"\n", f"{number}\n".encode(), chance.randbytes(40),
            json.dumps({"error": "no " * 500}).encode(),
        ]  # fmt: skip
        if chance.random() < 0.7:
            with suppress(ValueError, RecursionError):
                texts = [self._likely(request.method, json.loads(request.body or b"{}"), number)]
        status = chance.choice((200, 200, 200, 200, 403, 404, 409, 422, 500, 503))
        self._network.answer(self._address, exchange, Reply(status, "application/json", chance.choice(texts)))

    def _likely(self, method: str, asked: Any, number: int) -> bytes:
        """What a hub could say."""
        if method == "GET":
            lines = ['{"end": 1, "lines": {}}'] * self._chance.randrange(3)
            told: dict[str, Any] = {"log": self._director, "lines": lines, "head": "", "signature": ""}
            return json.dumps(told).encode()
        lines = asked.get("lines", []) if isinstance(asked, dict) else []
        verdict = self._chance.choice(("accepted", "accepted", "gap", "fork", "chain", "signature", "unknown"))
        to = self._chance.choice((number, len(lines)))
        return json.dumps({"verdict": verdict, "accepted_to": to, "head": ""}).encode()
