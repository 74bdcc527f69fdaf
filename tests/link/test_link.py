"""The link over a real pseudo-terminal, with MicroPython's real VM at the other end."""

from __future__ import annotations

import itertools
import os
import pty
import termios
import threading
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import pytest

from croupier.errors import PortNotFound
from croupier.link import commands, reports
from croupier.link import link as link_module
from croupier.link.commands import Go, Lamps, Stop
from croupier.link.conversation import Event, Greeted, Silent
from croupier.link.link import Link, PortFinder
from croupier.link.reports import Press, State
from croupier_bench.link import Vm
from croupier_sim.board.pico import interpreter
from tablewire.messages import TICKS
from tests.link.load import cpu_load

pytestmark = pytest.mark.skipif(interpreter() is None, reason="MicroPython's VM is for Linux on x86-64")

E = TypeVar("E")
LONGEST_S = 30.0
"""So long a busy machine may take for what takes it milliseconds otherwise."""


@pytest.fixture
def vm() -> Iterator[Vm]:
    with Vm() as vm:
        yield vm


came: WeakKeyDictionary[Link, list[Event]] = WeakKeyDictionary()
"""What came together with the last event that was waited for."""


def until(link: Link, kind: type[E], holds: Callable[[E], bool] = lambda one: True) -> E:
    """The next event of that kind; what comes before it is passed over."""
    end = time.monotonic() + LONGEST_S
    waiting = came.pop(link, [])
    while time.monotonic() < end:
        for n, event in enumerate(waiting, start=1):
            if isinstance(event, kind) and holds(event):
                came[link] = waiting[n:]
                return event
        waiting = link.wait(1)
    raise AssertionError(f"no {kind.__name__}: {link.status()}")


def collected(link: Link, kind: type[E], n: int) -> list[E]:
    events: list[Event] = []
    end = time.monotonic() + LONGEST_S
    while time.monotonic() < end and sum(isinstance(one, kind) for one in events) < n:
        events += link.wait(1)
    return [one for one in events if isinstance(one, kind)]


def test_commands_go_out_and_reports_come_in(vm: Vm) -> None:
    with Link(vm.path) as link:
        greeted = until(link, Greeted)
        assert (greeted.board, greeted.world) == ("micropython-unix", "SIMULATION")
        until(link, State)
        assert link.send(Stop())
        assert until(link, State).step == "idle"
        assert "not acknowledged" in link.status()


def test_the_port_is_let_go_and_can_be_opened_again(vm: Vm) -> None:
    for _ in range(2):
        with Link(vm.path) as link:
            assert until(link, Greeted).is_new


def test_a_port_that_another_program_uses_is_reported_in_one_line(vm: Vm) -> None:
    with Link(vm.path) as link:
        until(link, Greeted)
        with pytest.raises(PortNotFound, match="another program uses this port"):
            Link(vm.path).__enter__()


def test_what_is_no_serial_port_is_reported_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("nothing")
    with pytest.raises(PortNotFound, match=r"file: cannot be opened as a serial port: .*") as told:
        Link(str(file)).__enter__()
    assert "\n" not in str(told.value)
    with pytest.raises(PortNotFound, match="this is a folder: name the Pico's port"):
        Link(str(tmp_path)).__enter__()


def test_a_port_that_is_not_there_yet_is_waited_for(tmp_path: Path, vm: Vm) -> None:
    port = tmp_path / "ttyACM0"
    with Link(str(port)) as link:
        assert link.wait(0.05) == []
        assert "plug the Pico in" in link.trouble
        port.symlink_to(vm.path)
        until(link, Greeted)
        assert link.trouble == ""


def test_a_device_that_vanishes_while_the_ports_are_listed_does_not_end_the_search(vm: Vm) -> None:
    pico = SimpleNamespace(device=vm.path, serial_number="E6", vid=0x2E8A, pid=0x0005)
    looks = itertools.count()
    is_looked_for_again, is_there = threading.Event(), threading.Event()

    def usb() -> list[SimpleNamespace]:
        if next(looks) == 2:
            is_looked_for_again.set()
        if not is_there.is_set():
            int(None, 16)  # type: ignore[call-overload]  # pyserial, of an idVendor that is gone when it is read
        return [pico]

    with Link(PortFinder("auto", usb)) as link:
        assert is_looked_for_again.wait(LONGEST_S), "its thread has ended"
        assert link.trouble.startswith("auto: the ports cannot be listed: int() can't convert")
        is_there.set()
        until(link, Greeted)
        assert link.trouble == ""


def test_a_device_that_vanishes_while_it_is_opened_does_not_end_the_search(
    tmp_path: Path, vm: Vm, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled, vanishing = termios.tcsetattr, [0, 0]

    def tcsetattr(*said: Any) -> None:
        if vanishing:
            vanishing.pop()
            raise termios.error(5, "Input/output error")
        settled(*said)

    monkeypatch.setattr(termios, "tcsetattr", tcsetattr)
    port = tmp_path / "ttyACM0"
    port.symlink_to(vm.path)
    with pytest.raises(PortNotFound, match=r"cannot be opened as a serial port: .*Input/output error"):
        Link(str(port)).__enter__()
    port.unlink()
    with Link(str(port)) as link:
        port.symlink_to(vm.path)
        until(link, Greeted)
    assert not vanishing


def test_a_port_that_goes_away_and_comes_back_under_another_name_is_found(tmp_path: Path) -> None:
    """Not the VM here: what hangs at the other end must be taken away and given another name."""
    with Link(str(tmp_path / "tty*")) as link:
        with Vm() as vm:
            (tmp_path / "ttyACM0").symlink_to(vm.path)
            until(link, Greeted)
            (tmp_path / "ttyACM0").unlink()
        until(link, Silent)
        assert not link.send(Go()) or not link.is_open
        with Vm() as vm:
            (tmp_path / "ttyACM1").symlink_to(vm.path)
            assert until(link, Greeted).is_reset
            link.send(Stop())
            until(link, State)


def test_a_port_on_which_nobody_answers_is_left_and_tried_again() -> None:
    master, slave = pty.openpty()
    tty.setraw(slave)
    try:
        with Link(os.ttyname(slave)) as link:
            assert os.read(master, 1) == b"\n"
            assert b"hello" in os.read(master, 200)
            assert not link.is_open
            assert not link.send(Go())
            assert link.status().endswith("nobody answers")
    finally:
        os.close(master)
        os.close(slave)


def test_of_two_picos_of_which_one_is_deaf_the_other_is_found(vm: Vm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_module, "UNANSWERED_S", 0.2)
    master, slave = pty.openpty()
    tty.setraw(slave)
    ports = [
        SimpleNamespace(device=device, serial_number=serial, vid=0x2E8A, pid=0x0005)
        for device, serial in ((os.ttyname(slave), "E1"), (vm.path, "E2"))
    ]
    try:
        with Link(PortFinder("auto", lambda: ports)) as link:
            until(link, Greeted)
            assert vm.path in link.status()
    finally:
        os.close(master)
        os.close(slave)


def presses_keep_their_order(vm: Vm, pairs: int) -> None:
    """So many pairs of presses a millisecond apart, in either order, while the processor is busy with other things."""
    with cpu_load(), Link(vm.path) as link:
        until(link, State)
        asked = 0
        seen: list[Press] = []
        while len(seen) < 2 * pairs:
            while asked < pairs and 2 * asked - len(seen) < 16:
                first, second = (1, 2) if asked % 3 else (2, 1)
                if not link.send(Lamps(mask=first | second << 5)):
                    break
                asked += 1
            seen += [one for one in link.wait(5) if isinstance(one, Press)]
    wrong = 0
    for n in range(pairs):
        earlier, later = sorted(seen[2 * n : 2 * n + 2], key=lambda press: press.t)
        wrong += (earlier.mask, later.mask) != ((1, 2 << 5) if n % 3 else (2, 1 << 5))
        assert abs(later.t - earlier.t - 1e-3) <= earlier.u + later.u
    assert wrong == 0


def test_two_presses_a_millisecond_apart_keep_their_order_under_load(vm: Vm) -> None:
    presses_keep_their_order(vm, 500)


@pytest.mark.nightly  # the same as before, longer, beside a load that slows down all others
def test_two_presses_a_millisecond_apart_keep_their_order_10_000_times(vm: Vm) -> None:
    presses_keep_their_order(vm, 10_000)


def uncertainty_holds(vm: Vm, n: int) -> None:
    """The VM's ticks count this machine's clock, so the truth about each moment is known."""
    within = 0
    with cpu_load(), Link(vm.path) as link:
        until(link, State)
        for _ in range(n):
            link.send(commands.Test(part="buttons"))
            (tested,) = collected(link, reports.Tested, 1)
            now = time.monotonic()
            truth = now - (round(now * 1e6) - tested.detail) % TICKS / 1e6
            within += abs(tested.t - truth) <= tested.u
    assert within >= 0.999 * n


def test_the_stated_uncertainty_holds_under_load(vm: Vm) -> None:
    uncertainty_holds(vm, 200)


@pytest.mark.nightly  # the same as before, longer, beside a load that slows down all others
def test_the_stated_uncertainty_holds_10_000_times(vm: Vm) -> None:
    uncertainty_holds(vm, 10_000)
