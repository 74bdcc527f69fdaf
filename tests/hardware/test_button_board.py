"""The kit of buttons and ring: its wiring, its bill, and the files of its board against them."""

from __future__ import annotations

import re
from math import dist
from pathlib import Path

import pytest

from hardware.board import layout as full_board
from hardware.button_board import bill, layout, wiring
from hardware.circuit import kicad, schematic
from hardware.circuit.silk import ink
from hardware.wiring.model import voltages
from hardware.wiring.pico import plan as full_table
from tablewire.pins import SEATS, pin

PLAN = wiring.plan()
DESIGN = layout.design()
FOLDER = Path(layout.__file__).parent
WRITTEN = kicad.read((FOLDER / f"{DESIGN.name}.kicad_pcb").read_text(encoding="utf-8"))


def test_no_terminal_gets_more_than_it_bears() -> None:
    for place, volts in voltages(PLAN).items():
        assert max(volts, default=0.0) <= PLAN.terminal(place).bears, place


@pytest.mark.parametrize("seat", range(SEATS))
def test_each_button_comes_to_its_pin_through_what_the_full_table_has(seat: int) -> None:
    nets = DESIGN.nets
    at_pin = next(net for net in nets.values() if f"Pico.GP{pin(f'button_{seat}').gpio}" in net)
    assert at_pin - {f"Pico.GP{pin(f'button_{seat}').gpio}"} == {f"R seat {seat}.a", f"C seat {seat}.+"}
    assert nets[f"SEAT_{seat}"] == {f"R seat {seat}.b", f"TVS {seat}.cathode", f"socket {seat}.1"}
    for kind in ("R seat", "C seat"):
        name = f"{kind} {seat}"
        assert PLAN.devices[name].note == full_table().devices[name].note


def test_the_ring_gets_its_five_volts_through_the_fuse_alone() -> None:
    nets = DESIGN.nets
    assert nets["VBUS"] == {"Pico.VBUS", "fuse.a"}
    assert {"fuse.b", "socket ring.1", "shifter.VCC"} < nets["RING_5V"]


def test_the_pico_has_the_pins_of_the_full_tables_board() -> None:
    assert tuple(layout.PICO_PINS) == (*full_board._LEFT, *reversed(full_board._RIGHT))


def test_people_read_the_number_of_their_seat_beside_its_socket_counted_from_one() -> None:
    places = {words: at for words, at, _ in layout.bare().words}
    for part in layout.bare().parts:
        kind, _, seat = part.name.rpartition(" ")
        if kind == "socket" and seat.isdigit():
            x, y = places[str(int(seat) + 1)]
            assert part.body[0] - 1.7 < x < part.body[0], part.name
            assert part.body[1] < y < part.body[3], part.name
    assert "0" not in places


def test_no_ink_lies_on_a_pad() -> None:
    board = layout.bare()
    printed = ink(board)
    assert sum(dist(a, b) for a, b, _ in printed) > 500, "boxes of parts and words"
    for a, b, width in printed:
        for pad in board.pads:
            for at in (a, b, ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)):
                assert pad.away(*at) >= 0.05 + width / 2, (at, pad)


def test_a_line_marks_the_cathode_of_each_suppressor() -> None:
    for part in layout.bare().parts:
        if part.footprint == "SOD-123FL":
            cathode, anode = (next(pad.at for pad in part.pads if pad.number == n) for n in ("1", "2"))
            beside = [a for a, b in part.lines if a[0] == b[0] and abs(a[0] - cathode[0]) < 1 < abs(a[0] - anode[0])]
            assert any((a[0] < cathode[0]) == (cathode[0] < anode[0]) for a in beside), part.name


def test_the_files_hold_the_parts_and_nets_of_the_wiring() -> None:
    """The copper itself is checked in hardware/tests; this finds a table that was changed and a board that was not."""
    wanted = layout.bare()
    assert {pad.net for pad in WRITTEN.pads} == {pad.net for pad in wanted.pads}
    here = {part.name: part for part in WRITTEN.parts}
    for part in wanted.parts:
        assert here[DESIGN.references[part.name]].pads == part.pads, part.name
    assert WRITTEN.size == (60.0, 40.0)
    assert (FOLDER / f"{DESIGN.name}.kicad_sch").read_text(encoding="utf-8") == schematic.text(DESIGN)
    assert (FOLDER / f"{DESIGN.name}.kicad_pro").read_text(encoding="utf-8") == kicad.project_text(DESIGN)


def test_the_schematic_names_each_net_of_the_wiring_at_each_of_its_terminals() -> None:
    text = schematic.text(DESIGN)
    assert kicad.parsed(text)[0] == "kicad_sch"
    for net, places in DESIGN.nets.items():
        pads = [place for place in places if place != "GND.GND"]
        labels = len(re.findall(rf'global_label "{net}" ', text))
        assert labels == len(pads) + (7 if net == "GND" else 0), net  # the Pico has eight pins of ground


def test_every_part_of_the_kit_is_in_its_bill_for_any_number_of_seats() -> None:
    known = {line.part: line for line in bill.lines()}
    counts: dict[str, int] = {}
    for name, device in PLAN.devices.items():
        if name != "GND":
            counts[device.part] = counts.get(device.part, 0) + 1
    for part, n in counts.items():
        assert known[part].pieces(SEATS) >= n, part
        assert known[part].eur > 0 or known[part].supplier == "at home"


def test_the_bill_counts_the_shops_and_their_shipping() -> None:
    assert set(bill.shops(4)) == set(bill.SHIPPING)
    assert bill.total(4) == pytest.approx(sum(bill.shops(4).values()) + sum(bill.SHIPPING.values()))
    assert bill.table(4)[-1].startswith(f"4 seats: {bill.total(4):.2f} EUR from 3 shops")
    assert 60 <= bill.total(4) <= 83
