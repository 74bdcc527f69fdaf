"""The board of the full table: its nets and parts are those of the wiring, its tracks bear their currents."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hardware.board import circuit, layout
from hardware.circuit import kicad, schematic

DESIGN = circuit.design()
FOLDER = Path(layout.__file__).parent
WRITTEN = kicad.read((FOLDER / f"{DESIGN.name}.kicad_pcb").read_text(encoding="utf-8"))


def test_every_device_of_the_wiring_is_on_the_board_or_at_the_end_of_a_cable() -> None:
    placed = {one.name for one in layout.placed()}
    assert set(DESIGN.plan.devices) - placed == {*circuit.RAILS, *circuit.PLUGGED, "Pi", "feed motor"}


def test_every_terminal_of_a_net_has_a_pad_of_that_net() -> None:
    pads = {DESIGN.terminal(part.name, pad.number): pad.net for part in DESIGN.bare.parts for pad in part.pads}
    assert {place: pads.get(place) for place in DESIGN.net_of} == DESIGN.net_of


def test_a_device_has_a_reference_of_its_own_that_of_a_seat_its_number_counted_from_one() -> None:
    assert len(set(DESIGN.references.values())) == len(DESIGN.references) == len(layout.placed())
    assert [DESIGN.references[f"{kind} 4"] for kind in ("R seat", "C seat", "TVS", "socket")] == [
        "R5",
        "C5",
        "D5",
        "J5",
    ]


@pytest.mark.parametrize("net", sorted(circuit.currents()))
def test_a_wide_net_bears_its_worst_current(net: str) -> None:
    widths = [path.width for path in circuit.design().paths if path.net == net]
    assert circuit.currents()[net] <= circuit.bears_a(max(widths))


def test_ipc_2221_gives_what_its_chart_shows_for_a_millimeter() -> None:
    assert circuit.bears_a(1.0) == pytest.approx(2.4, abs=0.1)


def test_the_files_hold_the_parts_and_nets_of_the_wiring() -> None:
    """The copper itself is checked in hardware/tests; this finds a table that was changed and a board that was not."""
    here = {part.name: part for part in WRITTEN.parts}
    for part in DESIGN.bare.parts:
        assert here[DESIGN.references[part.name]].pads == part.pads, part.name
    assert WRITTEN.size == circuit.SIZE
    assert (FOLDER / f"{DESIGN.name}.kicad_sch").read_text(encoding="utf-8") == schematic.text(DESIGN)
    assert (FOLDER / f"{DESIGN.name}.kicad_pro").read_text(encoding="utf-8") == kicad.project_text(DESIGN)


def test_the_schematic_names_each_net_at_each_of_its_pads() -> None:
    text = schematic.text(DESIGN)
    assert kicad.parsed(text)[0] == "kicad_sch"
    numbers = {(part.name, pad.number): pad.net for part in DESIGN.bare.parts for pad in part.pads}
    for net in DESIGN.nets:
        labels = len(re.findall(rf'global_label "{re.escape(net)}" ', text))
        assert labels == sum(one == net for one in numbers.values()), net


def test_each_wire_has_a_label_on_the_board_and_in_the_list() -> None:
    words = [word for word, _, _ in DESIGN.bare.words]
    listed = {line.partition(" ")[0]: line.partition(" ")[2] for line in circuit.parts_list()}
    for part in layout.placed():
        for number, (_, terminal) in enumerate(part.legs, start=1):
            if circuit.are_wires(part):
                label = circuit.wire_label(DESIGN.references[part.name], str(number))
                assert words.count(label) == 1
                assert listed[label] == f"{part.name}: {terminal}"
