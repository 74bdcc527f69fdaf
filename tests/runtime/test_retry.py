"""How often what fails is attempted, in virtual time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Event
from typing import Any

import pytest

from cardsight.errors import NoCamera, NoFrame
from croupier.errors import CannotServe
from croupier.link.link import Link, PortFinder
from croupier.pictures import live_camera
from croupier.pictures.live_camera import LiveCamera
from croupier.retry import CAMERA, PORT, RETRY, RING, Backoff, RetryPolicy
from croupier.supervisor import Supervisor
from croupier_extras.gpio.machine import PinsLine

MINUTES_S = 300.0


class Closing(Event):
    """An event on which waiting takes no time."""

    def __init__(self, time: VirtualTime) -> None:
        super().__init__()
        self._time = time

    def wait(self, timeout: float | None = None) -> bool:
        return self._time.wait(self, timeout or 0.0)


class VirtualTime:
    """A clock that only waiting moves; after `MINUTES_S` it sets the event for which is waited."""

    def __init__(self) -> None:
        self.now, self.attempts, self.is_over = 0.0, list[float](), Event()
        self.closing = Closing(self)

    def wait(self, closing: Event, seconds: float) -> bool:
        self.now += seconds
        if self.now > MINUTES_S:
            closing.set()
            self.is_over.set()
        return closing.is_set()

    def fail(self, *_: object) -> Any:
        self.attempts.append(self.now)
        raise NoCamera("unplugged")


class FailsAtOnce:
    """A camera that can be opened and gives no picture."""

    def frame(self) -> Any:
        raise NoCamera("no picture")

    def now(self) -> float:
        return 0.0

    def close(self) -> None: ...


def no_camera(time: VirtualTime) -> None:
    LiveCamera(time.fail, lambda: time.now).start()


def camera_that_fails_at_once(time: VirtualTime) -> None:
    def opened() -> FailsAtOnce:
        time.attempts.append(time.now)
        return FailsAtOnce()

    LiveCamera(opened, lambda: time.now).start()


def part(time: VirtualTime) -> None:
    Supervisor("page", time.fail, lambda why: None, wait=time.wait).start()


def pins(time: VirtualTime) -> None:
    PinsLine(time.fail, lambda: time.now).start()


def port(time: VirtualTime) -> None:
    class NoPort(PortFinder):
        def find(self) -> str | None:
            time.attempts.append(time.now)
            return None

    link = Link(NoPort("/dev/none"))
    link._is_closing = time.closing
    link.start()


@pytest.mark.parametrize(
    ("fails", "in_ten_s", "in_all"),
    [
        pytest.param(no_camera, 4, 77, id="camera"),
        pytest.param(camera_that_fails_at_once, 9, 251, id="camera-that-fails-at-once"),
        pytest.param(part, 4, 14, id="page-voice-connections"),
        pytest.param(pins, 4, 14, id="pins"),
        pytest.param(port, 41, 1201, id="serial-port"),
    ],
)
def test_attempts_are_spaced(
    fails: Callable[[VirtualTime], None], in_ten_s: int, in_all: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    time = VirtualTime()
    supervisor = partial(Supervisor, wait=time.wait)
    monkeypatch.setattr(live_camera, "Supervisor", supervisor)
    monkeypatch.setattr("croupier_extras.gpio.machine.Supervisor", supervisor)
    fails(time)
    assert time.is_over.wait(60)
    assert (sum(t <= 10 for t in time.attempts), len(time.attempts)) == (in_ten_s, in_all)


@pytest.mark.parametrize("policy", [RETRY, CAMERA, PORT, RING, RetryPolicy(1, 3)])
def test_an_attempt_is_due_after_the_pause_and_a_success_begins_anew(policy: RetryPolicy) -> None:
    now = [7.0]
    backoff = Backoff(policy, lambda: now[0])
    assert backoff.is_due
    pauses = list[float]()
    for _ in range(8):
        pauses.append(backoff.fail())
        now[0] += pauses[-1] - 0.01
        assert not backoff.is_due
        now[0] += 0.02
        assert backoff.is_due
    assert pauses[0] == policy.first_s
    assert pauses == sorted(pauses)
    assert pauses[-1] == policy.longest_s
    backoff.reset()
    assert backoff.fail() == policy.first_s


def test_a_camera_that_hangs_is_silent_and_waited_for_by_nobody() -> None:
    now, hangs = [0.0], Event()

    class Hangs(FailsAtOnce):
        def frame(self) -> Any:
            hangs.wait()
            raise NoFrame("woke up")

    camera = LiveCamera(Hangs, lambda: now[0], patience_s=0.5).opened()
    with pytest.raises(NoFrame):
        camera.frame()
    assert camera.trouble == ""
    now[0] = 3.0
    silent = "camera: is silent; check its cable or its network (no picture for 3.0 s)"
    assert camera.trouble == silent
    with pytest.raises(NoFrame) as told:
        camera.frame()
    assert str(told.value) == silent
    hangs.set()
    camera.close()


def test_what_cannot_be_opened_for_a_command_is_raised_as_it_is() -> None:
    def taken() -> FailsAtOnce:
        raise CannotServe("the port is taken")

    with pytest.raises(CannotServe, match="the port is taken"):
        LiveCamera(taken).opened()
