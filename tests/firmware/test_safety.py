"""The Pico by itself: off without a host, off when it hangs, and a way back to MicroPython's prompt."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from croupier.devices.pico.firmware_files import firmware_folder
from croupier.link.commands import Deal, Leave
from croupier_sim.board import Settings, SimPico
from tests.firmware.in_vm import in_vm
from tests.firmware.rig import Rig


@pytest.fixture
def table() -> Iterator[Rig]:
    with Rig() as rig:
        yield rig.ready()


def kinds(rig: Rig) -> list[str]:
    return [event.kind for event in rig.events]


def off_within(rig: Rig, seconds: float) -> bool:
    began = rig.now
    assert rig.pico.is_driven
    rig.run(2, lambda: not rig.pico.is_driven)
    return rig.now - began <= seconds


@pytest.mark.parametrize("after", [0.05, 0.386, 0.392, 0.396, 0.7, 0.9])
def test_motors_are_off_half_a_second_after_the_last_word_of_the_host(table: Rig, after: float) -> None:
    table.send(Deal(job=1, seat=3, n=9))
    table.run(after)
    table.faults.is_silent = True
    assert off_within(table, 0.5)
    table.run(0.5)
    table.faults.is_silent = False
    table.run(1)
    (done,) = table.of_kind("done")
    assert done.fed == len(table.cards)
    assert done.why in ("silence", "in-doubt")  # a card that leaves the roller while it brakes may look like two


def test_a_card_that_sticks_stops_the_motor_while_the_host_does_not_read(table: Rig) -> None:
    """The main loop waits then, for half a second, to write to a buffer that is full."""
    table.send(Deal(job=1, seat=1, n=9))
    table.run(1, lambda: len(table.cards) == 1)
    table.pico.do("feeding", "stick", 30.0, True)
    table.pico.do("usb", "close")
    began = table.now
    assert table.run(2, lambda: not table.pico.is_driven)
    stopped = table.now - began
    table.run(1)
    assert not table.pico.is_driven
    table.pico.do("usb", "open")
    table.run(1)
    assert [done.fed for done in table.of_kind("done")] == [len(table.cards)]
    assert stopped < 0.4


def test_a_host_that_does_not_read_blocks_the_main_loop_for_half_a_second_once(table: Rig) -> None:
    table.pico.do("usb", "close")
    for n in range(30):
        table.pico.press(1 << n % 4, up_after_us=40_000)
        table.run(0.1)
    table.pico.do("usb", "open")
    table.run(1)
    assert kinds(table) == ["boot"]
    presses = [press.mask for press in table.of_kind("press")]
    lost = sum(fault.detail for fault in table.of_kind("fault")) or table.of_kind("state")[-1].lost
    assert len(presses) + lost == 30


def test_a_host_that_comes_back_just_after_the_cut_hears_of_it(table: Rig) -> None:
    for quiet in (0.42, 0.45, 0.48, 0.52):
        table.told.clear()
        table.send(Deal(job=round(quiet * 100), seat=0 if quiet in (0.42, 0.48) else 3, n=1))
        table.run(0.1)
        table.faults.is_silent = True
        table.run(quiet)
        table.faults.is_silent = False
        table.run(3)
        (done,) = table.of_kind("done")
        if done.why == "complete":
            assert round(table.cards[-1][1]) in (-90, 180)
        else:
            assert (done.why, done.fed) == ("silence", 0)
            assert table.of_kind("state")[-1].armed == 0
            table.clear()
            table.set_up()


def test_a_firmware_that_hangs_is_off_at_once_and_starts_anew(table: Rig) -> None:
    table.send(Deal(job=1, seat=3, n=9))
    table.run(0.2)
    table.pico.do("board", "hang")
    assert off_within(table, 0.5)
    table.run(4)
    assert kinds(table) == ["boot", "reset", "boot"]


def test_the_service_button_keeps_the_firmware_from_starting() -> None:
    with Rig() as rig:
        rig.pico.do("board", "service", True)
        rig.run(2.5)
        assert kinds(rig) == ["boot", "left"]
        assert not rig.told


@pytest.mark.parametrize(("to", "then"), [("reset", ["reset", "boot"]), ("repl", ["reset", "boot", "left"])])
def test_the_host_may_have_the_firmware_leave(table: Rig, to: str, then: list[str]) -> None:
    table.send(Leave(to=to))  # type: ignore[arg-type]
    table.run(3)
    assert kinds(table) == ["boot", *then]


def test_what_is_put_into_the_exit_is_reported(table: Rig) -> None:
    table.pico.do("feeding", "cover", 3_000)
    table.run(2)
    assert [fault.kind for fault in table.of_kind("fault")] == ["exit-blocked"]
    table.run(2)
    table.clear()
    table.deal(1, 1, 1)
    assert table.of_kind("done")[-1].why == "complete"


def test_an_interrupt_handler_that_allocates_fails_here_as_on_the_board(tmp_path: Path) -> None:
    folder = tmp_path / "firmware"
    shutil.copytree(firmware_folder(), folder)
    file = folder / "pico/buttons.py"
    text = file.read_text(encoding="utf-8")
    first = "        ticks = clock.ticks_us()\n"
    assert first in text
    file.write_text(text.replace(first, first + "        self.seen = [ticks, ticks]\n", 1), encoding="utf-8")
    with SimPico(Settings(), firmware=folder) as pico:
        pico.run_to(2_000_000)
        pico.press(1)
        with pytest.raises(RuntimeError, match="heap is locked"):
            pico.run_to(3_000_000)


def test_reports_that_find_no_room_are_counted_and_the_host_hears_when_there_is_room(table: Rig) -> None:
    table.faults.is_silent = True
    for n in range(40):
        table.pico.press(1 << n % 4, up_after_us=40_000)
        table.run(0.1)
    table.faults.is_silent = False
    assert table.run(3, lambda: table.of_kind("fault"))
    table.run(0.5)
    (fault,) = table.of_kind("fault")
    assert fault.kind == "overflow"
    assert len(table.of_kind("press")) + fault.detail == 40


def test_a_pico_that_no_host_enumerates_starts_anew_after_a_minute() -> None:
    with Rig() as rig:
        rig.pico.do("board", "enumerate", False)
        rig.run(58)
        assert kinds(rig) == ["boot"]
        rig.pico.do("board", "enumerate", True)
        rig.run(10)
        assert kinds(rig) == ["boot"]
    with Rig(slice_us=100_000) as rig:
        rig.pico.do("board", "enumerate", False)
        rig.run(66)
        assert kinds(rig) == ["boot", "reset", "boot"]


def test_a_card_that_passes_while_a_record_is_written_tears_no_record(tmp_path: Path) -> None:
    script = """
import json
from pico.memory import Memory

class Registers:
    def __init__(self):
        self.words, self.held, self.due, self.card = [0, 0, 0], False, False, None
    def hold(self):
        self.held = True
    def release(self, _):
        self.held = False
        if self.due:
            self.interrupt()
    def interrupt(self):
        self.due, card, self.card = False, self.card, None
        if card:
            card()
    def __getitem__(self, n):
        return self.words[n]
    def __setitem__(self, n, word):
        if n == self.at and self.card:
            self.due = True
            if not self.held:
                self.interrupt()
        self.words[n] = word

found = []
for at in range(3):
    registers = Registers()
    registers.at = at
    memory = Memory(registers, registers.hold, registers.release)
    memory.begin(7, 3)
    memory.feeds()
    registers.card = lambda: memory.count(1)
    memory.end("complete")
    again = Memory(registers)
    found.append([again.job, again.fed, again.why])
print(json.dumps(found))
"""
    assert in_vm(script, tmp_path) == [[7, 1, "complete"]] * 3
