from __future__ import annotations

import re

import pytest

from hardware import bom, drive
from hardware.button_board import bill
from hardware.wiring import exit_camera, pi, pico
from hardware.wiring.model import Plan

PARTS = bom.parts()


@pytest.mark.parametrize(
    "plan", [pico.plan(), pi.plan(), exit_camera.plan()], ids=["full table", "panel", "exit camera"]
)
def test_every_device_of_the_wiring_is_in_the_bill(plan: Plan) -> None:
    for device in plan.devices.values():
        assert device.part in PARTS, device.name


def test_the_full_kit_has_as_many_of_each_as_its_wiring() -> None:
    wired: dict[str, int] = {}
    for device in pico.plan().devices.values():
        wired[device.part] = wired.get(device.part, 0) + 1
    for name, n in wired.items():
        if name not in ("resistors", "full-board", "wire"):  # a set, and the rails of one board
            assert PARTS[name].needed["full"] >= n, name


def test_the_referee_kit_has_the_keys_buttons_and_ring_of_the_panel_but_no_shoe() -> None:
    harnesses = [one for one in pi.plan().harnesses if one.name != "pi-small-shoe"]
    wired = {place.partition(".")[0] for one in harnesses for wire in one.wires for place in (wire.a, wire.b)}
    for name in wired:
        assert PARTS[pi.plan().devices[name].part].needed["referee"], name
    assert not PARTS["feed-motor"].needed["referee"]


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_every_line_says_what_to_order_where_and_for_how_much(part: bom.Part) -> None:
    assert all((part.what, part.maker, part.number, part.supplier))
    assert part.eur > 0 or part.supplier == "at home"
    assert any(part.needed.values())
    assert any(one.isdigit() for one in part.checked), "which figure of the data sheet?"


def test_every_line_says_by_which_document_it_was_checked_and_few_that_nobody_looked_there() -> None:
    """A figure alone cannot be looked up: a maker, a standard or a number of a document stands before it."""
    for part in PARTS.values():
        assert re.match(r"(3M|onsemi|[A-Z])[\w ]+", part.checked), part.name
    assert sum(part.checked.endswith(bom.FROM_MEMORY) for part in PARTS.values()) <= len(PARTS) / 6


def test_every_line_of_both_bills_is_printed_with_what_it_was_checked_against_or_from_memory(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    printed = [line for line in bill.table(4) if " x " in line]
    assert len(printed) == len(bill.lines())
    for kit in bom.KITS:
        monkeypatch.setattr("sys.argv", ["bom", "--kit", kit])
        bom.main()
        of_kit = [
            line for line in capsys.readouterr().out.splitlines() if line[:5].strip(" x").isdigit() and "x" in line[:5]
        ]
        assert len(of_kit) == sum(bool(part.needed[kit]) for part in PARTS.values())
        printed += of_kit
    for line in printed:
        _, _, origin = line.partition(" [")
        assert re.match(
            r"checked against (?!.*to be checked).+\]$|from memory, to be checked on the part: .+\]$", origin
        ), line


def test_a_figure_that_nobody_looked_up_is_not_called_checked() -> None:
    assert bom.origin("JST XH: 3 A; to be checked on the part") == "from memory, to be checked on the part: JST XH: 3 A"
    assert bom.origin("IEC 60097: grid 2.54 mm") == "checked against IEC 60097: grid 2.54 mm"


def test_the_coupling_forgives_what_a_print_may_be_off() -> None:
    assert drive.coupling_use() <= 1


def test_each_kit_has_what_the_smaller_one_has() -> None:
    for part in PARTS.values():
        assert part.needed["full"] >= part.needed["referee"], part.name


def test_the_command_prints_the_totals_of_all_kits(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["bom", "--kit", "full"])
    bom.main()
    out = capsys.readouterr().out
    assert f"{bom.cost('full'):.2f} EUR" in out
    assert "TMC2209" in out
    assert bom.cost("tally") < bom.cost("referee") < bom.cost("full")
