"""Rulings told to other programs: to a real server on this machine that fails, is slow, ends and comes back."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any, Final
from urllib.parse import quote

import pytest

import croupier_extras.webhooks.sending as subject
from croupier import supervisor
from croupier.retry import RetryPolicy
from croupier_extras.webhooks import Webhook
from croupier_extras.webhooks.sending import Webhooks, WebhookSender
from croupier_rules.cards import FACES
from croupier_rules.referee.observations import Tick
from croupier_rules.referee.position import Position
from croupier_rules.referee.rulings import Ruling, Skip, Turn, UnoStands
from croupier_rules.rules import UNWRITTEN
from tests.journal.games import game_lines
from tests.longer import seeds
from tests.observers.replayed import laid_open, replayed
from tests.patience import PATIENCE_S
from tools.lock import ROOT

AT: Final = Position(phase="turn", owed={})


class Server:
    """Somebody who is told; answers with the next of ``answers``, then with 204."""

    def __init__(self, *answers: int, port: int = 0) -> None:
        self.heard: SimpleQueue[tuple[str, Any, bytes]] = SimpleQueue()
        self.came: SimpleQueue[str] = SimpleQueue()
        self.goes_on = Event()
        self.goes_on.set()
        left = iter(answers)
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                server.came.put(self.path)
                server.goes_on.wait(PATIENCE_S)
                # Before the answer, which lets the next one come.
                server.heard.put((self.path, self.headers, body))
                self.send_response(next(left, 204))
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}/hook?key=secret"
        Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def next(self) -> dict[str, Any]:
        """What it is told next."""
        said: dict[str, Any] = json.loads(self.heard.get(timeout=PATIENCE_S)[2])
        return said

    def stop(self) -> None:
        """Nobody is at home any more."""
        self.goes_on.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.stop()


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "RETRY", RetryPolicy(0.01, 0.01))


@contextmanager
def webhooks(*addresses: Webhook, lines: SimpleQueue[str] | None = None, ruled: int = 0) -> Iterator[Webhooks]:
    made = Webhooks(addresses, "Our table", (lines or SimpleQueue()).put)
    made.begin(7, ruled)
    try:
        yield made
    finally:
        made.close(0.0)


def rule(told: Webhooks, *rulings: Ruling, t: float = 1.5) -> None:
    told(Tick(t), rulings, AT)


def test_a_ruling_arrives_as_in_the_table_log_with_game_and_number(server: Server) -> None:
    with webhooks(Webhook(url=server.url), ruled=41) as told:
        rule(told, UnoStands(UNWRITTEN, 1))
        path, headers, body = server.heard.get(timeout=PATIENCE_S)
    assert path == "/hook?key=secret"
    assert headers["Content-Type"] == "application/json"
    assert headers[subject.SIGNATURE] is None
    assert json.loads(body) == {
        "table": "Our table", "game": 7, "seq": 42, "t": 1.5, "ruling": {"ruling": "uno", "rule": None, "seat": 1},
    }  # fmt: skip


def test_an_address_may_have_letters_of_any_alphabet(server: Server) -> None:
    with webhooks(Webhook(url=f"http://127.0.0.1:{server.port}/τραπέζι?key=a%20b")) as told:
        rule(told, UnoStands(UNWRITTEN, 1))
        path, _, _ = server.heard.get(timeout=PATIENCE_S)
    assert path == f"/{quote('τραπέζι')}?key=a%20b"


def verifying_example() -> Callable[[str, Mapping[str, str], bytes], bool]:
    """`is_genuine` of the documentation."""
    text = (ROOT / "docs/home-automation.md").read_text(encoding="utf-8").partition("## Webhooks")[2]
    code = re.search("```python\n(.*?)```", text, re.DOTALL)
    assert code is not None
    names: dict[str, Any] = {}
    exec(code[1], names)
    is_genuine: Callable[[str, Mapping[str, str], bytes], bool] = names["is_genuine"]
    return is_genuine


def test_who_knows_the_secret_can_tell_that_it_is_from_this_table(server: Server) -> None:
    with webhooks(Webhook(url=server.url, secret="Ελένη")) as told:
        rule(told, UnoStands(UNWRITTEN, 1))
        _, headers, body = server.heard.get(timeout=PATIENCE_S)
    is_genuine = verifying_example()
    assert is_genuine("Ελένη", headers, body)
    assert not is_genuine("Eleni", headers, body)
    assert not is_genuine("Ελένη", headers, body.replace(b"1.5", b"2.5"))


def test_a_captured_delivery_cannot_be_sent_again_later(server: Server) -> None:
    hour_ago = time.time() - 3600
    sender = WebhookSender(server.url, "Ελένη", print, now=lambda: hour_ago)
    sender.put({"seq": 1})
    _, headers, body = server.heard.get(timeout=PATIENCE_S)
    sender.end()
    is_genuine = verifying_example()
    assert headers[subject.TIMESTAMP] == str(int(hour_ago))
    assert not is_genuine("Ελένη", headers, body), "an old delivery"
    renewed = {subject.TIMESTAMP: str(int(time.time())), subject.SIGNATURE: headers[subject.SIGNATURE]}
    assert not is_genuine("Ελένη", renewed, body), "an old delivery with a new timestamp"


@contextmanager
def dripping(head: bytes) -> Iterator[tuple[str, SimpleQueue[bytes]]]:
    """A server that answers with ``head`` at once, then with a byte at a time, without end."""
    requests: SimpleQueue[bytes] = SimpleQueue()
    is_over = Event()

    def drip(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            request = b""
            while b"\r\n\r\n" not in request or not request.endswith(b"}"):
                request += connection.recv(4096)
            requests.put(request)
            connection.sendall(head)
            while not is_over.wait(0.01):
                connection.sendall(b"x")

    def serve() -> None:
        with suppress(OSError):
            while True:
                Thread(target=drip, args=(listener.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", requests
        is_over.set()
        listener.shutdown(socket.SHUT_RDWR)


def test_a_receiver_that_answers_a_byte_at_a_time_does_not_hold_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "DELIVERY_S", 0.3)
    lines: SimpleQueue[str] = SimpleQueue()
    with dripping(b"HTTP/1.1 200 OK\r\nServer: ") as (url, requests), webhooks(Webhook(url=url), lines=lines) as told:
        rule(told, UnoStands(UNWRITTEN, 1))
        first, second = (requests.get(timeout=PATIENCE_S).rpartition(b"\r\n")[2] for _ in range(2))
        assert first == second, "the ruling is sent again"
        assert "does not accept rulings (no answer within" in lines.get(timeout=PATIENCE_S)


def test_an_answer_without_end_is_not_read() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n"
    with dripping(head) as (url, requests), webhooks(Webhook(url=url)) as told:
        rule(told, UnoStands(UNWRITTEN, 1), UnoStands(UNWRITTEN, 2))
        assert [json.loads(requests.get(timeout=PATIENCE_S).rpartition(b"\r\n")[2])["seq"] for _ in range(2)] == [1, 2]


@pytest.mark.parametrize(
    ("url", "secret", "is_warned"),
    [
        pytest.param("http://192.0.2.1/hook", "secret", True, id="plain"),
        pytest.param("https://192.0.2.1/hook", "secret", False, id="encrypted"),
        pytest.param("http://192.0.2.1/hook", "", False, id="nothing-signed"),
        pytest.param("http://127.0.0.1:9/hook", "secret", False, id="this-machine"),
        pytest.param("http://[::1]:9/hook", "secret", False, id="this-machine-ipv6"),
        pytest.param("http://localhost:9/hook", "secret", False, id="this-machine-by-name"),
    ],
)
def test_a_secret_without_encryption_is_warned_of(url: str, secret: str, is_warned: bool) -> None:
    lines: SimpleQueue[str] = SimpleQueue()
    with webhooks(Webhook(url=url, secret=secret), lines=lines):
        assert lines.empty() != is_warned
    if is_warned:
        assert "http://192.0.2.1 is not encrypted" in lines.get()


def test_only_the_rulings_that_are_wanted_are_sent(server: Server) -> None:
    with webhooks(Webhook(url=server.url, rulings=("skip", "uno"))) as told:
        rule(told, Turn(UNWRITTEN, 0, "left"), UnoStands(UNWRITTEN, 1), Turn(UNWRITTEN, 1, "left"), Skip(UNWRITTEN, 2))
        assert [(said["seq"], said["ruling"]["ruling"]) for said in (server.next(), server.next())] == [
            (2, "uno"), (4, "skip"),
        ]  # fmt: skip


def test_what_failed_is_sent_again_and_nothing_overtakes_it() -> None:
    server = Server(500, 503, 429, 302)
    lines: SimpleQueue[str] = SimpleQueue()
    with webhooks(Webhook(url=server.url), lines=lines) as told:
        for seat in range(3):
            rule(told, UnoStands(UNWRITTEN, seat))
        assert [server.next()["seq"] for _ in range(7)] == [1, 1, 1, 1, 1, 2, 3]
        address = f"http://127.0.0.1:{server.port}"
        assert (
            lines.get(timeout=PATIENCE_S)
            == f"Webhook: {address} does not accept rulings (HTTP 500); the table goes on."
        )
        assert lines.get(timeout=PATIENCE_S) == f"Webhook: {address} accepts rulings again."
        assert lines.empty()
    server.stop()


def test_what_is_refused_for_good_is_not_sent_again() -> None:
    server = Server(400, 410)
    with webhooks(Webhook(url=server.url)) as told:
        for seat in range(3):
            rule(told, UnoStands(UNWRITTEN, seat))
        assert [server.next()["seq"] for _ in range(3)] == [1, 2, 3]
    server.stop()


def test_a_receiver_that_was_away_gets_all_when_it_is_back(server: Server) -> None:
    port = server.port
    server.stop()
    lines: SimpleQueue[str] = SimpleQueue()
    with webhooks(Webhook(url=server.url), lines=lines) as told:
        for seat in range(5):
            rule(told, UnoStands(UNWRITTEN, seat))
        assert "does not accept rulings (Connection refused)" in lines.get(timeout=PATIENCE_S)
        back = Server(port=port)
        assert [back.next()["seq"] for _ in range(5)] == [1, 2, 3, 4, 5]
        assert "accepts rulings again" in lines.get(timeout=PATIENCE_S)
        back.stop()


@pytest.mark.long
def test_a_slow_receiver_delays_neither_the_table_nor_others(server: Server) -> None:
    slow = Server()
    slow.goes_on.clear()
    with webhooks(Webhook(url=slow.url), Webhook(url=server.url)) as told:
        for n in range(200):  # the slow one answers none of them before the end: a call that waited would not return
            rule(told, UnoStands(UNWRITTEN, n % 4))
        assert [server.next()["seq"] for _ in range(200)] == list(range(1, 201))
        assert slow.heard.empty()
    slow.stop()


def test_for_one_that_is_away_too_long_the_oldest_are_dropped_and_that_is_said(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subject, "MOST_WAITING", 3)
    server.goes_on.clear()
    with webhooks(Webhook(url=server.url)) as told:
        rule(told, UnoStands(UNWRITTEN, 0))
        assert server.came.get(timeout=PATIENCE_S)
        rule(told, *(UnoStands(UNWRITTEN, seat) for seat in range(8)))
        server.goes_on.set()
        said = [server.next() for _ in range(4)]
    assert [(one["seq"], one.get("missed")) for one in said] == [(1, None), (7, 5), (8, None), (9, None)]


def test_at_the_end_of_a_game_the_last_rulings_still_arrive(server: Server) -> None:
    told = Webhooks([Webhook(url=server.url)], "Our table", lambda line: None)
    rule(told, *(UnoStands(UNWRITTEN, seat) for seat in range(5)))
    told.close(PATIENCE_S)
    assert [server.next()["seq"] for _ in range(5)] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("seed", seeds(1, 103, short=3, long=10))
def test_no_hidden_card_is_ever_sent(seed: int) -> None:
    said: list[str] = []
    told = Webhooks([], "Our table", lambda line: None)
    told._senders.append((frozenset(), Keeper(said)))  # type: ignore[arg-type]
    opened: set[str] = set()
    count = 0
    for observation in replayed(game_lines(seed, rounds=2, open_hands=True), told):
        opened |= laid_open(observation)
        shown = {face for face in FACES if f'"{face}"' in " ".join(said)}
        assert shown - {"wild-draw4", "draw2"} <= opened
        count += len(said)
        said.clear()
    assert count > 50


class Keeper:
    """In place of an address: keeps what it would be sent."""

    def __init__(self, said: list[str]) -> None:
        self._said = said

    def put(self, body: dict[str, Any]) -> None:
        self._said.append(json.dumps(body))

    def end(self) -> None:
        pass


def test_an_address_shows_neither_its_path_nor_a_password_in_it() -> None:
    lines: SimpleQueue[str] = SimpleQueue()
    with webhooks(Webhook(url="http://me:pass@127.0.0.1:9/token"), lines=lines) as told:
        rule(told, UnoStands(UNWRITTEN, 0))
        assert re.match(r"Webhook: http://127\.0\.0\.1:9 does not", lines.get(timeout=PATIENCE_S))
