"""Strangers, who know what is public, and send a hub whatever they like."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from croupier_hub.checkpoints import Checkpoint, Growth
from croupier_hub.errors import BadCheckpoint
from croupier_hub.messages import Body
from croupier_hub.signed_log import Sent, name_of, sign
from tests.simulation.tournament.network import Network, Reply, Request
from tests.simulation.world import World

_PATHS: Final = (
    "/standings", "/results", "/director/0", "/director/-1", "/director/99999999999", "/receipts/7KQ2-M4XD-9TRA.json",
    "/receipts/%00.json", "/checkpoints/x", f"/checkpoints/{'9' * 64}?old=3", "/logs", "/%2e%2e/etc/passwd", "/?x=[[",
)  # fmt: skip


class Strangers:
    """Strangers at some addresses, who know the names of ``logs``."""

    def __init__(self, world: World, network: Network, host: str, logs: list[str]) -> None:
        self._network, self._host, self._logs = network, host, logs
        self._chance = world.chance("strangers")
        self._note: Checkpoint | None = None
        self._key = Ed25519PrivateKey.from_private_bytes(self._chance.randbytes(32))

    def act(self) -> None:
        """One of them sends something."""
        chance = self._chance
        log = chance.choice(self._logs)
        match chance.randrange(7):
            case 0:
                self._send("GET", f"/checkpoints/{log}{chance.choice(('', '?old=0', '?old=1'))}")
            case 1:
                self._other_lines()
            case 2:
                self._invented_witness(log)
            case 3:
                lines = ["x"] * chance.choice((0, 1, 3, 200))
                sent = sign(self._key, lines)
                self._put(chance.choice((log, sent.log)), 0, sent)
            case 4:
                zero = json.dumps({"lines": ["\x00"], "head": "", "signature": ""}).encode()
                texts = (b"[" * 5000, b'{"lines":' * 900, b'{"lines": ["x"], "head": 9' + b"9" * 4500, b"\xff", b"null",
                         b"x" * 1_000_001, b"", zero)  # fmt: skip
                self._send("PUT", f"/logs/{log}/{chance.choice((0, 7, -1, '9' * 4500))}", chance.choice(texts))
            case _:
                self._send(chance.choice(("GET", "GET", "POST", "DELETE")), chance.choice(_PATHS))

    def flood(self) -> None:
        """One of them sends the same very often, perhaps behind the router of a table."""
        log = self._chance.choice(self._logs)
        source = self._chance.choice(("10.9.0.0", "10.9.0.1", "10.9.0.2", "10.0.1.1", "10.0.1.2", "10.0.2.1"))
        for _ in range(self._chance.choice((5, 15, 40))):
            self._network.send(self._host, Request(source, "GET", f"/checkpoints/{log}?old=1"))

    def _other_lines(self) -> None:
        """Other lines in place of those that somebody has signed."""
        if (note := self._note) is None:
            return
        chance = self._chance
        start = chance.choice((0, note.size - 1, note.size))
        lines = ("other",) * (note.size - start) if chance.random() < 0.7 else ("other",)
        signature = next((data[4:] for _, data in note.signatures), b"")
        self._put(note.log, start, Sent(note.log, start, lines, note.root, signature))

    def _invented_witness(self, log: str) -> None:
        """A head of a log that nobody knows, or one that goes back."""
        key = Ed25519PrivateKey.from_private_bytes(self._chance.randbytes(32))
        sent = sign(key, ["x"])
        note = sent.note.replace(name_of(key), log) if self._chance.random() < 0.5 else sent.note
        proof = [self._chance.randbytes(32)] * self._chance.choice((0, 1, 70))
        self._send("POST", "/add-checkpoint", Growth.text(self._chance.choice((0, 1, 5)), proof, note).encode())

    def _put(self, log: str, start: int, sent: Sent) -> None:
        self._send("PUT", f"/logs/{log}/{start}", Body.of(sent).model_dump_json().encode())

    def _send(self, method: str, path: str, body: bytes = b"") -> None:
        source = f"10.9.{self._chance.randrange(2)}.{self._chance.randrange(9)}"
        self._network.send(self._host, Request(source, method, path, body), self._read)

    def _read(self, how: Reply | Exception) -> None:
        """Keep a head that somebody has signed."""
        if isinstance(how, Reply) and how.status == 200 and how.body.startswith((b"croupier/", b"old ")):
            text = how.body.decode()
            with suppress(BadCheckpoint):
                self._note = Checkpoint.parse(text.partition("\n\n")[2] if text.startswith("old ") else text)
