"""Every cable that leaves the base has its way in the wall, and every hole its cable."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from math import hypot, radians

import pytest

from hardware import bom, wall
from hardware import parameters as p
from hardware.board import circuit, layout
from hardware.wiring import exit_camera, pico
from hardware.wiring.model import Plan, Wire, split

BARE, CAMERA = pico.plan(), exit_camera.plan()
PLAN = Plan(CAMERA.devices | BARE.devices, (*BARE.harnesses, *CAMERA.harnesses))
"""The full table with a camera at the card exit."""


def rewired(old: str, *new: Wire) -> Plan:
    """Without the wires to this terminal, and with these."""
    kept = tuple(
        replace(one, wires=tuple(wire for wire in one.wires if old not in (wire.a, wire.b))) for one in PLAN.harnesses
    )
    return replace(PLAN, harnesses=(*kept, replace(kept[0], wires=new)))


def made_of(name: str, part: str) -> Plan:
    return replace(PLAN, devices=PLAN.devices | {name: replace(PLAN.devices[name], name=name, part=part)})


def without_hole(name: str) -> tuple[wall.Hole, ...]:
    return tuple(hole for hole in wall.HOLES if hole.device != name)


def test_every_cable_has_its_way_out_and_every_hole_its_cable() -> None:
    assert wall.faults(PLAN) == []


@pytest.mark.parametrize(
    ("plan", "holes", "fault"),
    [
        pytest.param(PLAN, without_hole("socket 7"), "socket 7 has no hole in the wall", id="no hole"),
        pytest.param(
            PLAN, (*wall.HOLES, wall.Hole("socket 10", "seat-socket", (216, 36), "seat 10")),
            "the hole for socket 10 stays empty", id="a hole too many",
        ),
        pytest.param(
            made_of("supply socket", "seat-socket"), wall.HOLES,
            "supply socket is a seat-socket, its hole is for a supply-socket", id="another kind",
        ),
        pytest.param(
            rewired("seat 3.lamp +", Wire("socket 4.pin 3", "seat 3.lamp +", "white")), wall.HOLES,
            "seat 3 is wired to socket 4, not to socket 3 alone", id="the neighbor's socket",
        ),
        pytest.param(
            rewired("seat 3.lamp +", Wire("lamps 1.QD", "seat 3.lamp +", "white")), wall.HOLES,
            "seat 3 is wired to lamps 1, not to socket 3 alone", id="past the socket",
        ),
        pytest.param(
            rewired("socket 5.pin 4", Wire("socket 5.pin 4", "seat 5.lamp -", "black")), wall.HOLES,
            "socket 5.pin 4 has 1 wires outside and 0 inside", id="a contact that nothing feeds",
        ),
        pytest.param(
            rewired("seat 5.lamp -"), wall.HOLES, "socket 5.pin 4 has 0 wires outside and 1 inside", id="a wire too few"
        ),
        pytest.param(BARE, wall.HOLES, "flash has a way out of the base, and no wire", id="a way for nothing"),
    ],
)  # fmt: skip
def test_a_difference_of_wall_and_wiring_is_told(plan: Plan, holes: tuple[wall.Hole, ...], fault: str) -> None:
    assert fault in wall.faults(plan, holes)


def test_what_is_not_at_the_other_end_of_a_way_is_in_the_base() -> None:
    on_board = {part.name for part in layout.placed() if part.body is not None}
    outside = {hole.plugged for hole in wall.HOLES} | {*wall.OPENING, *wall.AXIS}
    in_wall = {hole.device for hole in wall.HOLES}
    assert BARE.devices.keys() - outside - in_wall == on_board | {
        *circuit.RAILS,
        "turn motor",
        "home sensor",
        "marks sensor",
    }


def test_ten_wires_go_up_to_the_shoe_and_two_more_to_the_flash() -> None:
    """As many as the assembly says; the cable of the camera goes beside them."""
    ends = {place for wire in PLAN.wires for place in (wire.a, wire.b)}
    wires = {name: sum(split(place)[0] == name for place in ends) for name in wall.AXIS}
    assert wires == {"feed motor": 2, "exit barrier": 4, "hopper sensor": 4, "flash": 2, "exit camera": 1}


def test_a_cable_has_a_wire_for_each_contact_of_its_socket() -> None:
    assert len(PLAN.devices["socket 0"].terminals) == int(bom.parts()["seat-socket"].number.rpartition("-")[2])
    assert len(PLAN.devices["socket 0"].terminals) == len(PLAN.devices["seat 0"].terminals)


def test_nuts_and_plugs_have_room_beside_each_other() -> None:
    for one, other in combinations(wall.HOLES, 2):
        around = radians(one.at[0] - other.at[0]) * (p.BASE_RADIUS - p.BASE_WALL)
        nuts = (wall.SIZES[one.part][1] + wall.SIZES[other.part][1]) / 2
        assert hypot(around, one.at[1] - other.at[1]) > nuts, f"{one.device}, {other.device}"


def test_the_opening_takes_each_cable_that_stays() -> None:
    assert len(wall.OPENING) * (p.CABLE + 1) <= p.CABLE_WAY_WIDTH
