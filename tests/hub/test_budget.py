"""What everybody may ask of a hub: strangers who ask for too much keep neither tables nor readers out."""

from __future__ import annotations

import socket
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from croupier_hub import budget
from croupier_hub.budget import MOST, WINDOW_S, Budget
from croupier_hub.messages import Body
from croupier_hub.signed_log import Sent, name_of, sign
from croupier_hub.store import LogStore
from tests.hub.running import serving

DIRECTOR, ONE, STRANGER = (Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32) for n in range(1, 4))


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_while_there_is_room_nobody_is_limited_and_then_those_who_ask_most() -> None:
    clock = Clock()
    kept = Budget(clock)
    kept.spend("reader", 5)
    kept.spend("router", MOST - 6)
    assert kept.may_ask("router")
    kept.spend("stranger", MOST)
    assert [kept.may_ask(one) for one in ("reader", "somebody new", "router", "stranger")] == [True, True, False, False]
    clock.now = WINDOW_S
    assert all(kept.may_ask(one) for one in ("reader", "router", "stranger"))


def test_networks_are_forgotten() -> None:
    clock = Clock()
    kept = Budget(clock)
    for n in range(1000):
        kept.spend(str(n), 2.0)
    clock.now = 10 * WINDOW_S
    assert kept.may_ask("0")
    assert not kept._costs


def test_strangers_who_send_what_is_refused_wait_and_a_table_and_a_reader_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "MOST", 20.0)
    monkeypatch.setattr(budget, "WINDOW_S", 1e9)  # nothing is forgotten, however long the test takes
    store = LogStore(f"sqlite:///{tmp_path / 'hub.db'}", name_of(DIRECTOR))
    store.put(sign(DIRECTOR, [f'{{"enroll": "{name_of(ONE)}", "table": 1, "from_round": 1}}']))

    def ask(address: str, method: str, path: str, body: str = "") -> str:
        where = urlsplit(url)
        with closing(socket.create_connection((where.hostname, where.port), source_address=(address, 0))) as line:
            head = f"{method} {path} HTTP/1.1\r\nHost: hub\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
            line.sendall((head + body).encode())
            return line.makefile("rb").readline().split()[1].decode()

    def put(address: str, sent: Sent) -> str:
        return ask(address, "PUT", f"/logs/{sent.log}/{sent.start}", Body.of(sent).model_dump_json())

    lines = [f'{{"obs": "tick", "t": {n}.0}}' for n in range(30)]
    with serving(store) as url:
        refused = [put(f"127.0.0.{2 + n % 2}", sign(STRANGER, lines)) for n in range(30)]
        assert refused[0] == "403"
        assert refused[-1] == "503"
        assert put("127.0.0.3", Sent(name_of(ONE), 0, tuple(lines), b"", b"")) == "503"
        assert [put("127.0.0.9", sign(ONE, lines[: n + 1], n)) for n in range(30)] == ["200"] * 30
        assert ask("127.0.0.8", "GET", "/standings") == "200"
        assert ask("127.0.0.2", "GET", "/standings") == "503"
