"""A hundred strangers, each of whom does the worst that is known, and honest users beside them: real sockets, in a
process of their own (`strangers`)::

    python -m croupier_bench.stranger_visitors ROLE PLACES SECONDS STRANGERS

``ROLE``: `honest` or `strangers`; ``PLACES``: see `Places`, as JSON. Each stranger has an address of the loopback
network (Linux). In the end one line of JSON tells how it went.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import ssl
import sys
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from time import monotonic
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from croupier_bench.hub import Table
from croupier_bench.intake import request
from croupier_hub.checkpoints import Checkpoint, Growth
from croupier_hub.messages import Body
from croupier_hub.signed_log import Head, Sent, chain_line, name_of, sign, sign_head

_PAUSE_S: Final = 0.2
"""Between two acts of a stranger, and of an honest user."""
_READERS: Final = 10
_RELOAD_S: Final = 2.0
"""Readers of the standings, and the time between two looks of each: a hub has a budget for each network."""
_PATIENCE_S: Final = 30.0
_SILENT: Final = 12
"""Connections that one stranger opens and says nothing on."""
_DIGITS: Final = "9" * 4500
_DEEP: Final = '{"lines":' + "[" * 400_000
_BIG: Final = "x" * 900_000


@dataclass(frozen=True, slots=True)
class Places:
    """Where the servers are, host and port; names and private keys of the tables' logs, in hex."""

    hub: tuple[str, int]
    page: tuple[str, int]
    phone: tuple[str, int]
    logs: tuple[str, ...]
    keys: tuple[str, ...]


async def _for_a_while(visitors: Sequence[Coroutine[Any, Any, None]], seconds: float) -> None:
    """Let people come for so long. One whose patience ends in the same moment takes that for its cancellation (Python
    3.11), so each is told until it has gone."""
    _gone, here = await asyncio.wait([asyncio.create_task(visitor) for visitor in visitors], timeout=seconds)
    while here:
        for task in here:
            task.cancel()
        _gone, here = await asyncio.wait(here, timeout=1.0)


async def _ask(
    place: Sequence[Any], address: str, method: str, path: str, body: str = "", *, secure: bool = False
) -> bytes:  # fmt: skip
    """The answer to one request; nothing where the connection breaks off."""
    length = len(body.encode())
    head = f"{method} {path} HTTP/1.1\r\nHost: {place[0]}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
    return await _exchange(place, address, (head + body).encode(), secure=secure)


async def _exchange(place: Sequence[Any], address: str, content: bytes, *, secure: bool = False) -> bytes:
    answer = b""
    with suppress(OSError, TimeoutError, ssl.SSLError):
        async with asyncio.timeout(_PATIENCE_S):
            reader, writer = await asyncio.open_connection(
                *place, local_addr=(address, 0), ssl=_UNCHECKED if secure else None
            )
            try:
                writer.write(content)
                while part := await reader.read(1 << 16):
                    answer += part
                    if b"Content-Length" not in answer and _is_whole(answer):
                        break
            finally:
                writer.close()
    return answer


def _is_whole(answer: bytes) -> bool:
    """True once an answer has come whole, of a server that leaves its connection open."""
    head, blank, body = answer.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: *(\d+)", head)
    return bool(blank) and length is not None and len(body) >= int(length[1])


_UNCHECKED: Final = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
_UNCHECKED.check_hostname, _UNCHECKED.verify_mode = False, ssl.CERT_NONE


def _status(answer: bytes) -> str:
    return answer[9:12].decode(errors="replace") or "closed"


class Honest:
    """Those whose times count."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self.ms: dict[str, list[float]] = defaultdict(list)
        self.refused: Counter[str] = Counter()
        self.acknowledged: dict[int, int] = {}

    async def run(self, seconds: float) -> None:
        """Come for so long."""
        places = self._places
        visitors = [self._send(number) for number in range(1, len(places.keys) + 1)]
        visitors += [
            self._repeat("a reader loads the page", places.page, "127.0.1.1", "/games/1"),
            self._repeat("a phone loads the page of the camera", places.phone, "127.0.1.3", "/", secure=True),
        ]
        visitors += [
            self._repeat("a reader loads the standings", places.hub, f"127.0.3.{n}", "/standings", pause_s=_RELOAD_S)
            for n in range(1, _READERS + 1)
        ]
        await _for_a_while(visitors, seconds)

    async def _timed(self, what: str, answer: Awaitable[bytes]) -> bool:
        began = monotonic()
        status = _status(await answer)
        if status == "200":
            self.ms[what].append((monotonic() - began) * 1000)
        else:
            self.refused[f"{what}: {status}"] += 1
        await asyncio.sleep(_PAUSE_S)
        return status == "200"

    async def _repeat(
        self, what: str, place: Sequence[Any], address: str, path: str, *, secure: bool = False, pause_s: float = 0.0
    ) -> None:  # fmt: skip
        while True:
            await self._timed(what, _ask(place, address, "GET", path, secure=secure))
            await asyncio.sleep(pause_s)

    async def _send(self, number: int) -> None:
        """A table sends one result after the other, each until it is acknowledged."""
        table = Table(number)
        table.key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(self._places.keys[number - 1]))
        url = "http://{}:{}".format(*self._places.hub)
        lines = [chain_line(sha256(name_of(table.key).encode()).digest())]
        start = json.loads((await _ask(self._places.hub, "127.0.1.9", "GET", "/results")).partition(b"\r\n\r\n")[2])
        told = start["rounds"][0]["tables"][number - 1]
        corrects = told["line"]
        if corrects is not None:  # of the time before
            lines += [table.result(n, n - 1 if n > 1 else None) for n in range(1, corrects + 1)]
        head = Head().after(lines)
        while True:
            n = head.lines
            text = table.result(n, n - 1 if n > 1 else None)
            head = head.after([text])
            content = request(url, sign_head(table.key, head, [text])).replace(
                b"\r\n", b"\r\nConnection: close\r\n", 1
            )  # fmt: skip
            address = f"127.0.2.{number}"
            while not await self._timed("a table sends a result", _exchange(self._places.hub, address, content)):
                pass
            self.acknowledged[number] = n + 1


class Strangers:
    """Those who do the worst that is known."""

    def __init__(self, places: Places) -> None:
        self._places, self.acts, self._chance = places, Counter[str](), random.Random(1)
        self._notes: dict[str, Checkpoint] = {}
        self._kinds: Sequence[Callable[[str], Awaitable[None]]] = (
            self._silent_connections, self._before_tls, self._other_lines, self._invented_keys, self._deep_json,
            self._long_numbers, self._names, self._used_codes, self._big_bodies, self._costly_reads,
        )  # fmt: skip

    async def run(self, seconds: float, number: int) -> None:
        """Come for so long."""
        await _for_a_while([self._be(n) for n in range(number)], seconds)

    async def _be(self, n: int) -> None:
        act, address = self._kinds[n % len(self._kinds)], f"127.7.{n // 200}.{n % 200 + 1}"
        while True:
            await act(address)
            self.acts[act.__name__.strip("_").replace("_", " ")] += 1
            await asyncio.sleep(_PAUSE_S)

    async def _hold(self, place: Sequence[Any], address: str, said: bytes) -> None:
        """Connections on which nothing more is said, until the server ends them."""
        lines = list[tuple[asyncio.StreamReader, asyncio.StreamWriter]]()
        try:
            for _ in range(_SILENT):
                with suppress(OSError):
                    lines.append(await asyncio.open_connection(*place, local_addr=(address, 0)))
                    lines[-1][1].write(said)
            for reader, _writer in lines:
                with suppress(OSError, TimeoutError):
                    await asyncio.wait_for(reader.read(), 12.0)
        finally:
            for _reader, writer in lines:
                writer.close()

    async def _silent_connections(self, address: str) -> None:
        await self._hold(self._chance.choice((self._places.hub, self._places.page)), address, b"")

    async def _before_tls(self, address: str) -> None:
        await self._hold(
            self._places.phone, address, self._chance.choice((b"", b"GET / HTTP/1.1\r\n", b"\x16\x03\x01"))
        )

    async def _other_lines(self, address: str) -> None:
        """One other line under the head that the writer of a log has signed."""
        log = self._chance.choice(self._places.logs)
        if log not in self._notes or self._chance.random() < 0.1:
            answer = await _ask(self._places.hub, address, "GET", f"/checkpoints/{log}")
            if _status(answer) == "200":
                self._notes[log] = Checkpoint.parse(answer.partition(b"\r\n\r\n")[2].decode())
        if (note := self._notes.get(log)) is not None:
            start = note.size - 1
            sent = Sent(log, start, ("other",), note.root, note.signatures[0][1][4:])
            await self._put(address, sent)

    async def _invented_keys(self, address: str) -> None:
        sent = sign(Ed25519PrivateKey.generate(), ["x"])
        await _ask(self._places.hub, address, "POST", "/add-checkpoint", Growth.text(0, (), sent.note))
        await self._put(address, sent)

    async def _deep_json(self, address: str) -> None:
        await _ask(self._places.hub, address, "PUT", f"/logs/{self._places.logs[0]}/0", _DEEP)

    async def _long_numbers(self, address: str) -> None:
        log = self._places.logs[0]
        await _ask(self._places.hub, address, "PUT", f"/logs/{log}/{_DIGITS}", "{}")
        await _ask(self._places.hub, address, "GET", f"/director/{_DIGITS}")
        await _ask(self._places.page, address, "GET", f"/games/{_DIGITS}")
        await _ask(self._places.hub, address, "PUT", f"/logs/{log}/0", f'{{"lines": {_DIGITS}}}')

    async def _names(self, address: str) -> None:
        """A name for the waiting list, with a code that anybody can see, if there is one."""
        board = (await _ask(self._places.page, address, "GET", "/games/1/board")).decode(errors="replace")
        code = found[1] if (found := re.search(r"/join/([\w-]+)", board)) else "abcdefghjk"
        name = f"name={self._chance.randrange(10**9)}"
        await _ask(self._places.page, address, "POST", f"/join/{code}", name)

    async def _used_codes(self, address: str) -> None:
        await _ask(self._places.page, address, "POST", "/login", "code=abcdefghjk")
        await _ask(self._places.page, address, "GET", "/join/abcdefghjk")
        await _ask(self._places.phone, address, "POST", "/join", "abcdefghjk", secure=True)

    async def _big_bodies(self, address: str) -> None:
        places = self._places
        await _ask(places.hub, address, "PUT", f"/logs/{places.logs[0]}/0", _BIG)
        await _ask(places.page, address, "POST", "/login", f"code={_BIG}")
        await _ask(places.phone, address, "POST", "/pictures", _BIG, secure=True)

    async def _costly_reads(self, address: str) -> None:
        log = self._chance.choice(self._places.logs)
        await _ask(self._places.hub, address, "GET", f"/checkpoints/{log}?old=1")
        await _ask(self._places.hub, address, "GET", "/receipts/7KQ2-M4XD-9TRA.json")
        await _ask(self._places.page, address, "GET", "/games/1/log.jsonl")

    async def _put(self, address: str, sent: Sent) -> None:
        body = Body.of(sent).model_dump_json()
        await _ask(self._places.hub, address, "PUT", f"/logs/{sent.log}/{sent.start}", body)


def main(role: str, places: str, seconds: float, number: int) -> None:
    """Come and tell."""
    where = Places(**json.loads(places))
    if role == "honest":
        honest = Honest(where)
        asyncio.run(honest.run(seconds))
        told: dict[str, Any] = {"ms": honest.ms, "refused": honest.refused, "acknowledged": honest.acknowledged}
    else:
        strangers = Strangers(where)
        asyncio.run(strangers.run(seconds, number))
        told = strangers.acts
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4]))
