"""What everybody may ask of a hub: strangers who ask for too much keep neither tables nor readers out."""

from __future__ import annotations

import socket
from collections import deque
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from croupier.journal import Journal
from croupier_hub import budget
from croupier_hub.budget import MOST, WINDOW_S, Budget
from croupier_hub.client import HubClient
from croupier_hub.errors import HubUnavailable
from croupier_hub.messages import Body
from croupier_hub.passes import NONCE_S, Passes, Writer, sign_pass
from croupier_hub.signed_log import Sent, name_of, sign
from croupier_hub.store import LogStore
from croupier_hub.table_observer import TournamentTable
from tests.hub.running import JOURNAL, OUTBOX, key_of_the_table, serving
from tests.patience import PATIENCE_S

DIRECTOR, ONE, STRANGER, OTHER = (Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32) for n in range(1, 5))
LINES = [f'{{"obs": "tick", "t": {n}.0}}' for n in range(30)]


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


@dataclass
class Hub:
    """A hub with a small budget, which forgets nothing."""

    url: str
    store: LogStore
    directed: list[str]

    def ask(self, address: str, method: str, path: str, body: str = "") -> str:
        """The status of the answer to somebody at this address."""
        where = urlsplit(self.url)
        with closing(socket.create_connection((where.hostname, where.port), source_address=(address, 0))) as line:
            head = f"{method} {path} HTTP/1.1\r\nHost: hub\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
            line.sendall((head + body).encode())
            return line.makefile("rb").readline().split()[1].decode()

    def put(self, address: str, sent: Sent) -> str:
        """The same for lines."""
        return self.ask(address, "PUT", f"/logs/{sent.log}/{sent.start}", Body.of(sent).model_dump_json())

    def use_up(self, *addresses: str) -> None:
        """Strangers at these addresses send what is refused, until nothing of theirs is heard any more."""
        said = list[set[str]]()
        while {"503"} not in said:
            said.append({self.put(address, sign(STRANGER, LINES)) for address in addresses})
        assert said[0] == {"403"}


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.setattr(budget, "MOST", 20.0)
    monkeypatch.setattr(budget, "WINDOW_S", 1e9)  # however long the test takes
    store = LogStore(f"sqlite:///{tmp_path / 'hub.db'}", name_of(DIRECTOR))
    directed = [enroll(name_of(key), n) for n, key in enumerate((ONE, OTHER), start=1)]
    store.put(sign(DIRECTOR, directed))
    with serving(store) as url:
        yield Hub(url, store, directed)


def enroll(key: str, table: int) -> str:
    """The director's line."""
    return f'{{"enroll": "{key}", "table": {table}, "from_round": 1}}'


def writer(key: Ed25519PrivateKey) -> Writer:
    return SimpleNamespace(log=name_of(key), sign=key.sign)


def send(hub: Hub, key: Ed25519PrivateKey, *, shows_who: bool) -> str:
    """What became of all lines, sent one by one from 127.0.0.1."""
    with closing(HubClient(hub.url)) as client:
        if shows_who:
            client.sign_in(writer(key))
        try:
            for n in range(len(LINES)):
                answer = client.put(sign(key, LINES[: n + 1], n))
            client.director(0)
        except HubUnavailable as err:
            return str(err)
    return f"{answer.verdict} {answer.accepted_to}"


def test_strangers_who_send_what_is_refused_wait_and_a_table_and_a_reader_do_not(hub: Hub) -> None:
    hub.use_up("127.0.0.2", "127.0.0.3")
    assert hub.put("127.0.0.3", Sent(name_of(ONE), 0, tuple(LINES), b"", b"")) == "503"
    assert [hub.put("127.0.0.9", sign(ONE, LINES[: n + 1], n)) for n in range(30)] == ["200"] * 30
    assert hub.ask("127.0.0.8", "GET", "/standings") == "200"
    assert hub.ask("127.0.0.2", "GET", "/standings") == "503"


def test_a_table_and_a_director_behind_the_router_of_strangers_are_heard(hub: Hub) -> None:
    hub.use_up("127.0.0.1")
    assert "503" in send(hub, ONE, shows_who=False)
    assert send(hub, ONE, shows_who=True) == f"accepted {len(LINES)}"
    with closing(HubClient(hub.url)) as client:
        client.sign_in(writer(DIRECTOR))
        assert client.director(0).log == name_of(DIRECTOR)
    assert hub.ask("127.0.0.1", "GET", "/standings") == "503"


def test_the_program_of_a_table_shows_who_it_is(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(budget, "MOST", 200.0)  # it also asks for the heads of other logs
    hub.store.put(sign(DIRECTOR, [*hub.directed, enroll(key_of_the_table(), 3)], len(hub.directed)))
    hub.use_up("127.0.0.1")
    Journal(JOURNAL).close()
    said, has_changed = list[str](), Event()
    table = TournamentTable(hub.url, OUTBOX, JOURNAL, said.append, on_change=has_changed.set)
    table.begin()
    try:
        table.call("Ann")
        while table.call_state != "heard":
            assert has_changed.wait(PATIENCE_S), said
            has_changed.clear()
    finally:
        table.close()
    assert said == []


def test_a_key_that_nobody_enrolled_opens_nothing(hub: Hub) -> None:
    hub.use_up("127.0.0.1")
    assert "503" in send(hub, STRANGER, shows_who=True)


def test_a_table_that_asks_for_too_much_waits_and_keeps_no_other_table_out(hub: Hub) -> None:
    hub.use_up("127.0.0.1")
    with closing(HubClient(hub.url)) as client:
        client.sign_in(writer(ONE))
        assert client.growth(name_of(DIRECTOR), 0)
        with pytest.raises(HubUnavailable, match="503"):
            deque((client.growth(name_of(DIRECTOR), 0) for _ in range(30)), maxlen=0)
    assert send(hub, OTHER, shows_who=True) == f"accepted {len(LINES)}"


@pytest.mark.parametrize(
    ("text", "at", "now", "key"),
    [
        pytest.param("{}", "home", 0.0, name_of(ONE), id="right"),
        pytest.param("{}", "home", NONCE_S, name_of(ONE), id="a-little-later"),
        pytest.param("{}", "home", 2 * NONCE_S, None, id="too-late"),
        pytest.param("{}", "home", -NONCE_S, None, id="the-clock-went-back"),
        pytest.param("{}", "elsewhere", 0.0, None, id="of-another-network"),
        pytest.param("{}x", "home", 0.0, None, id="longer"),
        pytest.param("", "home", 0.0, None, id="none"),
        pytest.param("Basic YTpi", "home", 0.0, None, id="of-another-scheme"),
    ],
)
def test_a_pass_is_good_at_its_network_and_for_a_while(text: str, at: str, now: float, key: str | None) -> None:
    clock = Clock()
    passes = Passes(b"secret", clock, lambda _key: True)
    signed = sign_pass(passes.challenge("home"), writer(ONE))
    clock.now = now
    assert passes.key(at, text.format(signed)) == key
    others = Passes(b"another secret", clock, lambda _key: True)
    assert others.key(at, text.format(signed)) is None


def test_a_pass_of_somebody_else_is_refused() -> None:
    passes = Passes(b"secret", Clock(), lambda _key: True)
    forged = sign_pass(passes.challenge("home"), SimpleNamespace(log=name_of(ONE), sign=STRANGER.sign))
    assert passes.key("home", forged) is None


@pytest.mark.parametrize("challenge", ["", "Basic", 'Croupier nonce="croupier/00"', f'Croupier nonce="{"0" * 33}"'])
def test_a_writer_signs_nothing_but_a_nonce(challenge: str) -> None:
    assert sign_pass(challenge, writer(ONE)) == ""
