"""Nobody takes the page from the others: limits of connections, requests, long work and login attempts."""

from __future__ import annotations

import asyncio
import gc
import logging
import socket
import ssl
import struct
from asyncio.sslproto import SSLProtocol
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from threading import enumerate as enumerate_threads
from time import monotonic
from typing import Any

import httpx
import pytest
from fastapi import HTTPException, WebSocket
from fastapi.responses import PlainTextResponse
from websockets.sync.client import connect

from croupier import http_server
from croupier.game_views.story import Story
from croupier.http_server import LimitedServer, RareWarnings, network_of
from croupier.web import event_stream
from croupier.web.accounts import Accounts, Person
from croupier.web.limits import BoundedExecutor, LoginThrottle
from croupier_extras.certificate import own_certificate
from tests.journal.games import game_lines
from tests.longer import some
from tests.patience import PATIENCE_S
from tests.web.events import events
from tests.web.tables import Page, page

LINES = game_lines(1, rounds=2)
HALF = b"GET /games/1 HTTP/1.1\r\nHost: localhost\r\n"


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Page]:
    with page(tmp_path, LINES[:61], LINES, LINES, live=1) as made:
        yield made


class Crowd:
    """Raw connections from chosen loopback addresses (Linux)."""

    def __init__(self, up: Page) -> None:
        url = httpx.URL(up.server.url)
        self.address = url.host, url.port
        self.open = ExitStack()

    def connect(self, source: str = "127.0.0.1", text: bytes = b"") -> socket.socket:
        connection = socket.create_connection(self.address, PATIENCE_S, (source, 0))
        self.open.callback(connection.close)
        if text:
            connection.sendall(text)
        return connection

    def send_on(self, connection: socket.socket, text: bytes) -> None:
        """Send again and again until the connection is closed."""
        while True:
            connection.sendall(text)

    def follow(self, source: str, path: str = "/games/1/events") -> socket.socket:
        """Open an event stream; returns when its first bytes are there."""
        request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        connection = self.connect(source, request)
        connection.recv(1)
        return connection


@pytest.fixture
def crowd(up: Page) -> Iterator[Crowd]:
    made = Crowd(up)
    with made.open:
        yield made


def is_closed(connection: socket.socket) -> bool:
    """Wait for the end of a connection from which nothing else comes."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


# -- connections -----------------------------------------------------------------------------------------------------


def test_half_open_requests_leave_the_page_to_the_others(
    up: Page, crowd: Crowd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "MAX_CONNECTIONS", 12)
    monkeypatch.setattr(http_server, "MAX_CONNECTIONS_PER_ADDRESS", 8)
    half = [crowd.connect(f"127.0.0.{2 + i % 10}", HALF) for i in range(60)]
    assert up.client().get("games/1").status_code == 200
    assert all(map(is_closed, half[:40])), "the oldest gave way"


def test_who_fills_the_own_share_leaves_the_page_to_other_addresses(
    up: Page, crowd: Crowd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "MAX_CONNECTIONS_PER_ADDRESS", 3)
    for _ in range(3):
        crowd.follow("127.0.0.2")
    answer = crowd.connect("127.0.0.2").recv(1000)
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert b"\r\nRetry-After: 5\r\n" in answer
    assert crowd.follow("127.0.0.3")


def test_streams_of_one_address_give_way_to_those_of_another(
    up: Page, crowd: Crowd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "MAX_CONNECTIONS", 4)
    for _ in range(4):
        crowd.follow("127.0.0.2")
    others = [crowd.follow(f"127.0.0.{i}") for i in (3, 4, 5)]
    assert len(others) == 3
    answer = crowd.connect("127.0.0.6").recv(1000)
    assert answer.startswith(b"HTTP/1.1 503 "), "each has one"


@pytest.mark.long
def test_streams_are_limited_and_each_address_has_its_share(
    up: Page, crowd: Crowd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "MAX_STREAMS", 3)
    first, *others = [crowd.follow("127.0.0.2") for _ in range(3)]
    crowd.follow("127.0.0.3")
    while first.recv(1 << 16):
        pass
    answer = crowd.follow("127.0.0.3").recv(1000)
    assert answer.startswith(b"TTP/1.1 503 "), "it would have as many as the other"
    assert up.server.followers == 3
    up.write(LINES[61])
    for other in others:
        while b"id: 61" not in other.recv(1 << 16):
            pass
    assert up.client().get("games/1").status_code == 200


@pytest.mark.parametrize(
    "start",
    some([
        pytest.param(
            b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            b"Content-Length: 20\r\n\r\ncode=", id="half a body",
        ),
        pytest.param(HALF, id="half a header"),
        pytest.param(b"", id="nothing"),
    ], 3),
)  # fmt: skip
def test_a_request_has_to_be_complete_in_time(
    up: Page, crowd: Crowd, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, start: bytes
) -> None:
    assert http_server.REQUEST_S == 10.0
    monkeypatch.setattr(http_server, "REQUEST_S", 0.2)
    connection = crowd.connect(text=start)
    assert is_closed(connection)
    kept = crowd.connect(text=HALF + b"\r\n")
    while b"</html>" not in kept.recv(1 << 16):
        pass
    kept.sendall(start)
    assert is_closed(kept), "the second request of a connection, too"
    assert not caplog.records


def test_a_stream_outlasts_the_time_of_a_request(up: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "REQUEST_S", 0.2)
    with up.client().stream("GET", "games/1/events") as answer:
        stream = events(answer)
        next(stream)
        late = Crowd(up).connect()
        assert is_closed(late), "so long the stream is open by now"
        up.write(LINES[61])
        assert next(stream)[0] == 61


def test_who_reads_nothing_of_an_answer_is_cut_off(up: Page, crowd: Crowd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "READ_S", 0.2)
    connection = socket.socket()
    crowd.open.callback(connection.close)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(crowd.address)
    connection.settimeout(PATIENCE_S)
    # Answers to pipelined requests, more than the buffers of both sides hold.
    request = b"GET /static/htmx.min.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with pytest.raises(ConnectionError):
        crowd.send_on(connection, request * 100)


def test_who_leaves_in_the_middle_of_a_form_is_not_logged(
    up: Page, crowd: Crowd, caplog: pytest.LogCaptureFixture
) -> None:
    body = b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20\r\n\r\ncode="
    for _ in range(5):
        gone = crowd.connect(text=body)
        gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        gone.close()
    assert up.client().get("login").status_code == 200
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


# -- old games -------------------------------------------------------------------------------------------------------


def test_only_the_live_game_is_streamed(up: Page) -> None:
    client = up.client()
    assert client.get("games/2/events").text == "event: over\ndata: /games/1\n\n"
    assert "hx-sse:connect" not in client.get("games/2").text
    assert "hx-sse:connect" in client.get("games/1").text


def test_a_stream_ends_with_its_game(up: Page) -> None:
    with up.client().stream("GET", "games/1/events") as answer:
        stream = events(answer)
        next(stream)
        up.table.game = 2
        up.server.ring()
        assert len(list(stream)) <= 1, "a page that is drawn at this very moment is the last"


@pytest.mark.long
def test_without_a_live_table_the_newest_game_is_followed(tmp_path: Path) -> None:
    from croupier.web.serving import serve_in_thread

    with page(tmp_path, LINES, LINES[:31]) as made, serve_in_thread(made.journal.path, Accounts(), port=0) as site:
        with httpx.stream("GET", f"{site.url}games/2/events", timeout=PATIENCE_S) as answer:
            stream = events(answer)
            assert next(stream)[0] == 30
            made.table.game = 2
            made.write(LINES[31])
            assert next(stream)[0] == 31
        assert httpx.get(f"{site.url}games/1/events", timeout=PATIENCE_S).text == "event: over\ndata: /games/2\n\n"


class Gate:
    """Holds every story that is extended in another thread than the page's own until it is opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.is_held, self.is_open = Event(), Event()
        extend = Story.extend

        def held(story: Story, lines: list[str]) -> None:
            self.is_held.set()
            assert self.is_open.wait(PATIENCE_S)
            extend(story, lines)

        monkeypatch.setattr(Story, "extend", held)


@pytest.mark.long
def test_an_old_game_is_computed_while_the_live_game_is_shown(up: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    live, answers = up.client(), list[int]()
    assert live.get("games/1").status_code == 200
    gate = Gate(monkeypatch)
    old = [
        Thread(target=lambda url=up.server.url + path: answers.append(httpx.get(url, timeout=PATIENCE_S).status_code))
        for path in ("games/2", "games", "games/2/log.jsonl", "games/2/score.pdf")
    ]
    for thread in old:
        thread.start()
    assert gate.is_held.wait(PATIENCE_S)
    monkeypatch.undo()
    assert live.get("games/1/changes").status_code == 200, "although four answers wait for the archive"
    gate.is_open.set()
    for thread in old:
        thread.join()
    assert answers == [200] * 4


def test_too_many_questions_about_old_games_are_refused(up: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    assert up.client().get("games/1").status_code == 200
    gate, answers = Gate(monkeypatch), list[httpx.Response]()
    threads = [
        Thread(target=lambda: answers.append(httpx.get(f"{up.server.url}games/2", timeout=PATIENCE_S)))
        for _ in range(10)
    ]
    for thread in threads:
        thread.start()
    while len(answers) < 6:
        gate.is_held.wait(0.01)
    gate.is_open.set()
    for thread in threads:
        thread.join()
    refused = [answer for answer in answers if answer.status_code == 503]
    assert len(refused) == 6
    assert {answer.headers["retry-after"] for answer in refused} == {"5"}
    assert "The page is busy. Try again in 5 seconds." in refused[0].text
    assert [answer.status_code for answer in answers].count(200) == 4


# -- codes -----------------------------------------------------------------------------------------------------------


def test_codes_are_verified_one_at_a_time_and_the_rest_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_held, is_open, running, most = Event(), Event(), list[int](), list[int]()
    log_in = Accounts.log_in

    def held(accounts: Accounts, code: str) -> str | None:
        running.append(1)
        most.append(len(running))
        is_held.set()
        assert is_open.wait(PATIENCE_S)
        running.pop()
        return log_in(accounts, code)

    monkeypatch.setattr(Accounts, "log_in", held)
    answers = list[int]()
    with page(tmp_path, LINES) as up:
        crowd = Crowd(up)
        form = b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6\r\nConnection: close\r\n\r\ncode=x"
        with crowd.open:
            before = set(enumerate_threads())
            connections = [crowd.connect(f"127.0.1.{i}", form) for i in range(1, 30)]
            assert is_held.wait(PATIENCE_S)
            assert up.client().get("games/1").status_code == 200
            assert [one.name for one in set(enumerate_threads()) - before] == ["login_0"], "one thread for all codes"
            is_open.set()
            for connection in connections:
                head = b""
                while part := connection.recv(1 << 16):
                    head += part
                answers.append(int(head[9:12]))
                assert head.startswith(b"HTTP/1.1 403") or b"\r\nretry-after: 5\r\n" in head
    assert set(most) == {1}
    assert answers.count(503) >= 25
    assert set(answers) == {403, 503}


@pytest.mark.parametrize("own", [Person("player", 0), Person("admin")], ids=str)
def test_a_right_code_of_ones_own_does_not_reset_the_count_of_wrong_ones(tmp_path: Path, own: Person) -> None:
    with page(tmp_path, LINES) as up:
        code, client = up.accounts.new_code(own), up.client()
        answers = []
        for _ in range(3):
            answers += [client.post("login", data={"code": sent}).status_code for sent in (code, "wrong", "wrong")]
        assert answers == [303, 403, 403, 303, 403, 403, 303, 403, 429]


def test_wrong_codes_of_all_addresses_together_are_limited(tmp_path: Path) -> None:
    with page(tmp_path, LINES) as up:
        crowd, answers = Crowd(up), list[bytes]()
        form = b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6\r\nConnection: close\r\n\r\ncode=x"
        with crowd.open:
            for i in range(1, 40):
                connection, answer = crowd.connect(f"127.0.2.{i}", form), b""
                while part := connection.recv(1 << 16):
                    answer += part
                answers.append(answer)
        statuses = [int(answer[9:12]) for answer in answers]
        assert statuses[:30] == [403] * 30
        assert 429 in statuses[30:32], "one every two seconds is let through"
        refused = [answer for answer in answers if answer[9:12] == b"429"]
        assert all(b"\r\nretry-after: " in answer for answer in refused)
        assert b"<html" in refused[0], "somebody may read it"
        assert any(answer.endswith(b" seconds.") for answer in refused), "but no page is drawn for each of so many"


def test_after_some_wrong_codes_one_waits_longer_each_time() -> None:
    now, waits = [100.0], []
    throttle = LoginThrottle(lambda: now[0])
    for _ in range(8):
        throttle.begin_attempt("here")
        waits.append(throttle.wait_s("here"))
        now[0] += waits[-1]
    assert waits == [0, 0, 0, 0, 30, 60, 120, 240]
    assert throttle.wait_s("elsewhere") == 0


def test_a_right_code_takes_back_its_own_attempt_alone() -> None:
    throttle = LoginThrottle(lambda: 100.0)
    for _ in range(4):
        throttle.begin_attempt("here")
    for _ in range(20):
        throttle.begin_attempt("here")
        throttle.take_back("here")
        assert throttle.wait_s("here") == 0
    throttle.begin_attempt("here")
    assert throttle.wait_s("here") == 30


@pytest.mark.long
def test_wrong_codes_are_forgotten_after_an_hour_and_take_no_memory() -> None:
    now = [0.0]
    throttle = LoginThrottle(lambda: now[0])
    for i in range(5000):
        now[0] = 2.0 * i
        assert throttle.wait_s(f"host {i}") == 0
        throttle.begin_attempt(f"host {i}")
    assert len(throttle._wrong) <= 1801
    now[0] = 20_000.0
    for _ in range(4):
        throttle.begin_attempt("here")
    now[0] = 24_000.0
    throttle.begin_attempt("here")
    assert throttle.wait_s("here") == 0


@pytest.mark.parametrize(
    ("one", "other", "are_same"),
    [
        ("192.168.1.5", "192.168.1.5", True),
        ("192.168.1.5", "192.168.1.6", False),
        ("::ffff:192.168.1.5", "192.168.1.5", True),
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("fe80::1%eth0", "fe80::2%eth0", True),
        ("testclient", "testclient", True),
    ],
)
def test_a_client_is_an_address_or_the_network_in_which_it_chooses_one(one: str, other: str, are_same: bool) -> None:
    assert (network_of(one) == network_of(other)) is are_same


# -- long work -------------------------------------------------------------------------------------------------------


def test_work_of_one_network_is_limited_and_a_failed_call_makes_room() -> None:
    executor, is_open = BoundedExecutor("test", 4, 2), Event()

    async def tried(network: str, call: Callable[[], object]) -> object:
        try:
            return await executor.run(network, call)
        except (HTTPException, ZeroDivisionError) as err:
            return type(err)

    async def all_at_once() -> list[object]:
        calls = [asyncio.create_task(tried(network, is_open.wait)) for network in "aaabbbc"]
        await asyncio.sleep(0)
        is_open.set()
        return list(await asyncio.gather(*calls))

    assert asyncio.run(all_at_once()) == [True, True, HTTPException, True, True, HTTPException, HTTPException]
    for _ in range(5):
        assert asyncio.run(tried("a", lambda: 1 / 0)) is ZeroDivisionError
    assert asyncio.run(tried("a", lambda: "done")) == "done"


def test_a_websocket_may_stay_longer_than_a_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "REQUEST_S", 0.2)

    async def echo(scope: Any, receive: Any, send: Any) -> None:
        line = WebSocket(scope, receive, send)
        await line.accept()
        async for text in line.iter_text():
            await line.send_text(text)

    with (
        served(LimitedServer(echo, 1, ws="websockets-sansio")) as address,
        connect("ws://{}:{}/".format(*address), open_timeout=PATIENCE_S) as line,
    ):
        with socket.create_connection(address, PATIENCE_S) as half, suppress(ConnectionResetError):
            half.sendall(HALF)
            assert half.recv(1) == b"", "a request that does not end is cut off, and it began later"
        line.send("still there")
        assert line.recv(timeout=PATIENCE_S) == "still there"


@contextmanager
def served(server: LimitedServer) -> Iterator[tuple[str, int]]:
    """Context in which a thread serves; the address."""
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener:
        thread = Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield listener.getsockname()
        finally:
            server.should_exit = True
            thread.join()


# -- before TLS ------------------------------------------------------------------------------------------------------


async def _hello(scope: Any, receive: Any, send: Any) -> None:
    await PlainTextResponse("hello")(scope, receive, send)


@pytest.fixture
def secure(tmp_path: Path) -> Iterator[tuple[str, int]]:
    """A server by HTTPS, and its certificate in ``own.pem``."""
    own_certificate(file := tmp_path / "own.pem", ["127.0.0.1"])
    with served(LimitedServer(_hello, 1, certificate=file)) as address:
        yield address


def hello(address: tuple[str, int], folder: Path) -> str:
    """What somebody gets who trusts the certificate."""
    context = ssl.create_default_context(cafile=folder / "own.pem")
    with httpx.Client(verify=context, trust_env=False, timeout=PATIENCE_S) as client:
        return client.get("https://{}:{}/".format(*address)).text


@pytest.fixture
def both(tmp_path: Path) -> Iterator[tuple[str, int]]:
    """A server by HTTP and HTTPS at one port, and its certificate in ``own.pem``."""
    own_certificate(file := tmp_path / "own.pem", ["127.0.0.1"])
    with served(LimitedServer(_scheme, 1, certificate=file, and_http=True)) as address:
        yield address


async def _scheme(scope: Any, receive: Any, send: Any) -> None:
    await PlainTextResponse(scope["scheme"])(scope, receive, send)


def test_one_port_speaks_http_and_https(both: tuple[str, int], tmp_path: Path) -> None:
    for _n in range(5):
        assert hello(both, tmp_path) == "https"
        assert httpx.get("http://{}:{}/".format(*both), trust_env=False, timeout=PATIENCE_S).text == "http"


def test_each_byte_of_a_handshake_may_come_alone(both: tuple[str, int], tmp_path: Path) -> None:
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = ssl.create_default_context(cafile=tmp_path / "own.pem").wrap_bio(
        incoming, outgoing, server_hostname="127.0.0.1"
    )
    with socket.create_connection(both, PATIENCE_S) as slow:
        slow.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

        def until(step: Callable[[], object]) -> object:
            while True:
                try:
                    return step()
                except ssl.SSLWantReadError:
                    for byte in outgoing.read():
                        slow.sendall(bytes([byte]))
                    incoming.write(slow.recv(100_000))

        until(client.do_handshake)
        client.write(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        assert until(lambda: client.read(100_000)).startswith(b"HTTP/1.1 200 OK")  # type: ignore[attr-defined]


def test_who_says_nothing_gives_way_to_who_speaks_http_or_https(
    both: tuple[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "MAX_CONNECTIONS", 12)
    monkeypatch.setattr(http_server, "MAX_TLS_CONNECTIONS", 12)
    with ExitStack() as stack:
        silent = [
            stack.enter_context(socket.create_connection(both, PATIENCE_S, (f"127.0.0.{2 + i % 10}", 0)))
            for i in range(40)
        ]
        for i, one in enumerate(silent[28:]):
            if i % 2:
                one.sendall(b"\x16")  # begins a handshake, and does not go on
        assert hello(both, tmp_path) == "https"
        assert httpx.get("http://{}:{}/".format(*both), trust_env=False, timeout=PATIENCE_S).text == "http"
        assert all(map(is_closed, silent[:20])), "the oldest gave way"
    monkeypatch.undo()
    monkeypatch.setattr(http_server, "REQUEST_S", 0.2)
    with socket.create_connection(both, PATIENCE_S) as one:
        assert is_closed(one), "who says nothing has no connection for long"


def test_another_certificate_is_for_the_connections_that_come_later(tmp_path: Path) -> None:
    own_certificate(file := tmp_path / "own.pem", ["127.0.0.1"])
    server, old = LimitedServer(_hello, 1, certificate=file), ssl.create_default_context(cafile=file)
    with served(server) as address, httpx.Client(verify=old, trust_env=False, timeout=PATIENCE_S) as before:
        url = "https://{}:{}/".format(*address)
        assert before.get(url).text == "hello"
        own_certificate(file, ["127.0.0.1", "192.168.7.5"])
        server.use_certificate(file)
        assert hello(address, tmp_path) == "hello"
        assert before.get(url).text == "hello"  # by the connection that it has: it does not trust the other one
        with pytest.raises(httpx.ConnectError, match="certificate"):
            httpx.get(url, verify=old, trust_env=False, timeout=PATIENCE_S)


def test_something_is_done_every_so_often_while_a_server_runs() -> None:
    is_done = [Event(), Event()]

    def do() -> None:
        next(one for one in is_done if not one.is_set() or one is is_done[-1]).set()

    with served(LimitedServer(_hello, 1, every=(0.1, do))):
        assert all(one.wait(PATIENCE_S) for one in is_done)


def test_connections_that_never_begin_tls_give_way_to_others(
    secure: tuple[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(http_server, "MAX_TLS_CONNECTIONS", 12)
    monkeypatch.setattr(http_server, "MAX_CONNECTIONS_PER_ADDRESS", 8)
    with ExitStack() as stack:
        silent = [
            stack.enter_context(socket.create_connection(secure, PATIENCE_S, (f"127.0.0.{2 + i % 10}", 0)))
            for i in range(60)
        ]
        assert hello(secure, tmp_path) == "hello"
        assert all(map(is_closed, silent[:40])), "the oldest gave way"
    assert len(caplog.records) == 1


def test_a_handshake_has_to_end_in_time_and_what_is_none_is_not_told(
    secure: tuple[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.create_connection(secure, PATIENCE_S) as plain:
        plain.sendall(HALF)
        while plain.recv(1000):  # the alert of TLS
            pass
    monkeypatch.setattr(http_server, "HANDSHAKE_S", 0.2)
    with socket.create_connection(secure, PATIENCE_S) as silent:
        assert is_closed(silent)
    monkeypatch.undo()
    with socket.create_connection(secure, PATIENCE_S):  # one that leaves before
        pass
    assert hello(secure, tmp_path) == "hello"
    assert not caplog.records


def test_what_strangers_cause_is_one_line_a_minute_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    now = 0.0
    rare = RareWarnings(lambda: now)
    for _ in range(1000):
        rare.warn("too many")
    now = 60.0
    rare.warn("too many")
    assert [one.getMessage() for one in caplog.records] == ["too many", "too many (999 more since the last warning)"]
    caplog.clear()
    server, loop = LimitedServer(_hello, 1), asyncio.new_event_loop()
    for _ in range(100):
        server._handle(loop, {"message": "no descriptor", "exception": OSError(24, "Too many open files")})
    assert [one.getMessage() for one in caplog.records] == ["no descriptor: Too many open files"]
    server._handle(loop, {"message": "ours", "exception": ValueError()})
    assert caplog.records[-1].levelname == "ERROR"
    loop.close()


def test_a_handshake_that_fails_leaves_no_memory_behind(both: tuple[str, int]) -> None:
    """Each holds asyncio's buffer of 256 KB, and the collector of cycles may come late."""
    gc.collect()
    gc.disable()
    try:
        for begun in (b"\x16", b"\x16GET / HTTP/1.1\r\n"):
            for _n in range(10):
                with socket.create_connection(both, PATIENCE_S) as stranger:
                    stranger.sendall(begun)
                    if len(begun) > 1:
                        assert is_closed(stranger)
        deadline = monotonic() + PATIENCE_S
        while len(left := [one for one in gc.get_objects() if isinstance(one, SSLProtocol)]) > 1:  # the loop has one
            assert monotonic() < deadline, len(left)
            Event().wait(0.05)
    finally:
        gc.enable()
