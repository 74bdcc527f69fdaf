"""Child processes: real ones, at the other end of a socket."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest

from croupier.child_process import ChildProcess, Outbox
from tests.patience import PATIENCE_S

START = Callable[..., ChildProcess]


@pytest.fixture
def start() -> Iterator[START]:
    """Starts a child whose main function has this body."""
    children: list[ChildProcess] = []

    def started(body: str, *startup: object, **options: Any) -> ChildProcess:
        lines = "\n".join(f"    {line}" for line in body.splitlines())
        code = f"import os, sys\nfrom croupier.child_process import run\ndef main(channel, *given):\n{lines}\nrun(main)"
        children.append(ChildProcess.start((sys.executable, "-P", "-c", code), *startup, **options))
        return children[-1]

    yield started
    for child in children:
        child.close()


ECHO = "while True:\n    channel.send_bytes(repr((given, channel.receive())).encode())"


def test_objects_go_to_the_child_in_their_order_and_bytes_come_back(start: START) -> None:
    child = start(ECHO, 7, "red-7", outbox=Outbox(10))
    for n in range(3):
        child.post(n)
    assert [child.receive() for _ in range(3)] == [f"((7, 'red-7'), {n})".encode() for n in range(3)]


def test_a_socket_that_the_child_is_given_is_the_parent_s(start: START) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        child = start("channel.send_bytes(str(given[0].getsockname()[1]).encode())", sockets=[listener])
        assert child.receive() == str(port).encode()


@pytest.mark.parametrize(
    ("body", "how"),
    [
        pytest.param("pass", "exit status 0", id="done"),
        pytest.param("sys.exit(3)", "exit status 3", id="status"),
        pytest.param("raise ValueError('no such card')", "exit status 1: ValueError: no such card", id="exception"),
        pytest.param("os.kill(os.getpid(), 9)", "signal 9", id="signal"),
    ],
)
def test_the_end_of_a_child_is_noticed_with_its_reason(
    body: str, how: str, start: START, capfd: pytest.CaptureFixture[str]
) -> None:
    child = start(body)
    with pytest.raises((EOFError, OSError)):
        child.receive()
    assert child.end() == how
    assert not child.is_running
    child.send("too late")  # is dropped
    assert ("no such card" in capfd.readouterr().err) == ("no such card" in how), "it is shown, too"


def test_a_child_ends_with_its_parent(start: START) -> None:
    child = start(ECHO)
    child.channel.hang_up()
    process = child._process
    assert process is not None
    assert process.wait(PATIENCE_S) == 0


def test_a_child_that_serves_ends_with_its_parent(start: START) -> None:
    body = "import threading\nchannel.on_end(lambda: os._exit(5))\nchannel.send_bytes(b'up')\nthreading.Event().wait()"
    child = start(body)
    assert child.receive() == b"up"
    child.channel.finish()
    with pytest.raises((EOFError, OSError)):
        child.receive()
    assert child.end() == "exit status 5"


def test_a_child_that_answers_nothing_is_killed(start: START) -> None:
    child = start("channel.send_bytes(b'up')\nimport time\ntime.sleep(1000)", hangs_s=0.2)
    with pytest.raises(EOFError):  # noqa: PT012  it may hang before or after its first message
        child.receive()
        child.post("are you there?")
        child.receive()
    assert child.end() == "signal 9"


def test_a_message_that_is_too_long_is_an_end(start: START) -> None:
    child = start("channel.send_bytes(b'x' * 1000)\nchannel.receive()")
    with pytest.raises(OSError, match=r".*"):
        child.receive(999)


def test_the_oldest_messages_are_dropped_and_those_that_wait_outlive_a_child(start: START) -> None:
    outbox = Outbox(2)
    for n in range(5):
        outbox.put(n)
    child = start(ECHO, outbox=outbox)
    assert [child.receive(), child.receive()] == [b"((), 3)", b"((), 4)"]
    child.close()
    outbox.put(5)
    assert start(ECHO, outbox=outbox).receive() == b"((), 5)"


def test_what_waits_is_handled_before_the_end_if_there_is_time(start: START) -> None:
    child = start(ECHO, outbox=Outbox(100))
    for n in range(100):
        child.post(n)
    with closing(child):
        assert child.end(PATIENCE_S) == "exit status 0"


NATIVE = """import threading, cv2, numpy
picture, is_inside = numpy.zeros((2000, 2000, 3), numpy.uint8), threading.Event()
def work():
    while True:
        is_inside.set()
        cv2.GaussianBlur(picture, (31, 31), 5)
threading.Thread(target=work, daemon=True).start()
is_inside.wait()
"""
"""A thread that is inside OpenCV nearly always."""


@pytest.mark.parametrize(
    ("end", "how"),
    [
        pytest.param("", "exit status 0", id="done"),
        pytest.param("raise ValueError('no such card')", "exit status 1: ValueError: no such card", id="exception"),
    ],
)
def test_a_child_ends_in_order_while_a_thread_is_inside_native_code(end: str, how: str, start: START) -> None:
    child = start(NATIVE + end)
    with pytest.raises((EOFError, OSError)):
        child.receive()
    assert child.end() == how


def test_the_program_ends_in_order_while_a_thread_is_inside_native_code() -> None:
    code = f"{NATIVE}from croupier.cli import main\nmain.run = lambda arguments: print('done') or 1\nmain.main()"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE_S)
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "done\n", "")
