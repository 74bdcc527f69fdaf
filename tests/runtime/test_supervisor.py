"""The supervisor of parts, and the registry of alarms."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from queue import SimpleQueue
from threading import Event, Thread

import pytest

from croupier import supervisor as subject
from croupier.alarms import Alarm, AlarmRegistry
from croupier.errors import CannotServe
from croupier.retry import RetryPolicy
from croupier.supervisor import Supervisor


class Door:
    """A part that is open until ``fell_shut``."""

    def __init__(self) -> None:
        self.fell_shut = Event()

    def close(self) -> None: ...


def test_a_part_that_fails_is_opened_again_with_growing_pauses() -> None:
    pauses: list[float] = []
    opened: list[Door] = []
    used: SimpleQueue[Door | None] = SimpleQueue()
    tries: Iterator[Door | OSError] = iter(
        [CannotServe("taken"), OSError("busy"), Door(), CannotServe("taken"), Door()]
    )

    def open_part() -> Door:
        one = next(tries)
        if isinstance(one, OSError):
            raise one
        opened.append(one)
        return one

    def stay(door: Door, is_closing: Event) -> str:
        while not (door.fell_shut.is_set() or is_closing.is_set()):
            door.fell_shut.wait(0.01)
        return "fell shut"

    told: list[str] = []
    supervisor = Supervisor(
        "page", open_part, told.append, use=used.put, stay=stay, wait=lambda _closing, seconds: pauses.append(seconds)
    )
    supervisor.start()
    first = used.get(timeout=5)
    assert first is opened[0]
    opened[0].fell_shut.set()
    assert used.get(timeout=5) is None
    assert used.get(timeout=5) is opened[1]
    supervisor.close()
    assert [pause for pause in pauses if pause >= 1] == [1.0, 2.0, 1.0, 2.0]
    assert told == ["taken", "busy", "fell shut", "taken"]


class Odd(Exception):
    """An error that nobody expects."""


@pytest.mark.parametrize("fails_in", ["open", "use", "stay", "close", "report"])
def test_a_part_is_opened_again_whatever_exception_comes(
    fails_in: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(subject, "RETRY", RetryPolicy(0.0, 0.0))
    pending, reports, used = [fails_in], list[str](), SimpleQueue[Door | None]()

    def fail(at: str) -> None:
        if at in pending:
            pending.remove(at)
            raise Odd("a name of 94 bytes")

    class Fragile(Door):
        def close(self) -> None:
            fail("close")

    def open_part() -> Door:
        fail("open")
        return Fragile()

    def use(door: Door | None) -> None:
        fail("use")
        used.put(door)

    def stay(door: Door, is_closing: Event) -> str:
        fail("stay")
        if fails_in in ("close", "report") and not reports:
            return "fell shut"
        is_closing.wait(5)
        return ""

    def report(reason: str) -> None:
        reports.append(reason)
        fail("report")

    with caplog.at_level(logging.ERROR):
        supervisor = Supervisor("page", open_part, report, use=use, stay=stay)
        supervisor.start()
        while not reports or used.get(timeout=5) is None:
            pass
        supervisor.close()
    assert reports == ["fell shut" if fails_in == "report" else "Odd: a name of 94 bytes"]
    assert "Odd: a name of 94 bytes" in caplog.text, "it is logged with its traceback"


def test_alarms_are_reported_in_the_order_in_which_they_happened() -> None:
    reported: list[Alarm] = []
    is_reporting, may_report = Event(), Event()

    def report(alarm: Alarm) -> None:
        if alarm.kind:
            is_reporting.set()
            may_report.wait(5)
        reported.append(alarm)

    registry = AlarmRegistry(report)
    first = Thread(target=registry.set, args=("camera", "missing", "unplugged"))
    first.start()
    is_reporting.wait(5)
    second = Thread(target=registry.set, args=("camera", ""))
    second.start()
    second.join(5)
    assert not second.is_alive(), "a listener that blocks holds up nobody else"
    assert registry.active() == ()
    may_report.set()
    first.join(5)
    assert reported == [Alarm("camera", "missing", "unplugged"), Alarm("camera", "")]


def test_what_was_seen_is_reported_when_it_changes() -> None:
    reported: list[Alarm] = []
    registry = AlarmRegistry(reported.append)
    for detail in ("", "", "a GPS receiver", "a GPS receiver", "a modem", ""):
        registry.set("pico", "gone", detail)
    assert [alarm.detail for alarm in reported] == ["", "a GPS receiver", "a modem"]
    assert {(alarm.device, alarm.kind) for alarm in reported} == {("pico", "gone")}
    assert registry.seen() == ("a modem",)


def test_alarms_are_reported_after_a_listener_failed(caplog: pytest.LogCaptureFixture) -> None:
    reported: list[str] = []

    def report(alarm: Alarm) -> None:
        reported.append(alarm.kind)
        if alarm.kind == "dark":
            raise Odd("no terminal")

    registry = AlarmRegistry(report)
    for kind in ("dark", "dark", "frozen", ""):
        registry.set("camera", kind)
    assert reported == ["dark", "frozen", ""]
    assert "no terminal" in caplog.text
