"""The ways out of the base: what sits in its wall, its opening for cables that stay, its axis up to the shoe.

The base is built with these holes, and the wiring is compared with them: whatever is not at the other end of one of
these ways is in the base.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Final

from hardware import parameters as p
from hardware.wiring.model import Plan, split

SIZES: Final = {
    "seat-socket": (p.SEAT_SOCKET, p.SEAT_SOCKET_NUT),
    "supply-socket": (p.SUPPLY_SOCKET, p.SEAT_SOCKET_NUT),
    "motor-switch": (p.MOTOR_SWITCH, p.MOTOR_SWITCH_NUT),
}
"""The parts that sit in the wall: diameter of the hole, and of the nut or flange on it."""


@dataclass(frozen=True, slots=True)
class Hole:
    """A hole in the wall. ``device``: what sits in it, in the wiring; ``part``: what it is made for, in the bill;
    ``at``: position (degrees) and height; ``plugged``: the device whose cable is plugged in, or ""."""

    device: str
    part: str
    at: tuple[float, float]
    plugged: str = ""


HOLES: Final = (
    *(
        Hole(f"socket {seat}", "seat-socket", place[::-1], f"seat {seat}")
        for seat, place in enumerate(product((36.0, 19.0), (156.0, 168.0, 180.0, 192.0, 204.0)))
    ),
    Hole("supply socket", "supply-socket", (122.0, 19.0), "supply"),
    Hole("motor switch", "motor-switch", (238.0, 19.0)),
)
OPENING: Final = ("ring", "Pi", "stop", "exit camera")
"""Devices whose cables stay, one each, and leave through the opening below."""
AXIS: Final = ("feed motor", "exit barrier", "hopper sensor", "flash", "exit camera")
"""Devices in the shoe, whose wires go up through the axis."""


def faults(plan: Plan, holes: tuple[Hole, ...] = HOLES) -> list[str]:
    """Return all in which the wiring and the ways out of the base differ, a sentence each."""
    sockets = {hole.plugged: hole.device for hole in holes if hole.plugged}
    return [*_hole_faults(plan, holes), *_cable_faults(plan, sockets), *_contact_faults(plan, sockets)]


def _hole_faults(plan: Plan, holes: tuple[Hole, ...]) -> Iterator[str]:
    """Each hole has the part that it is made for, and each such part its hole."""
    made_for = {hole.device: hole.part for hole in holes}
    for name, part in made_for.items():
        if name not in plan.devices:
            yield f"the hole for {name} stays empty"
        elif plan.devices[name].part != part:
            yield f"{name} is a {plan.devices[name].part}, its hole is for a {part}"
    for device in plan.devices.values():
        if device.part in SIZES and device.name not in made_for:
            yield f"{device.name} has no hole in the wall"


def _cable_faults(plan: Plan, sockets: dict[str, str]) -> Iterator[str]:
    """Each cable that is plugged in ends at its own socket, and each that stays at something."""
    meets: dict[str, set[str]] = {}
    for wire in plan.wires:
        a, b = split(wire.a)[0], split(wire.b)[0]
        meets.setdefault(a, set()).add(b)
        meets.setdefault(b, set()).add(a)
    for name, socket in sockets.items():
        for other in sorted(meets.get(name, {"nothing"}) - {socket}):
            yield f"{name} is wired to {other}, not to {socket} alone"
    for name in {*OPENING, *AXIS} - meets.keys():
        yield f"{name} has a way out of the base, and no wire"


def _contact_faults(plan: Plan, sockets: dict[str, str]) -> Iterator[str]:
    """Each contact of a socket has one wire outside and at least one inside."""
    for name, socket in sockets.items():
        for contact in plan.devices[socket].terminals if socket in plan.devices else ():
            place = f"{socket}.{contact}"
            others = [split(wire.b if wire.a == place else wire.a)[0] for wire in plan.wires
                      if place in (wire.a, wire.b)]  # fmt: skip
            if others.count(name) != 1 or len(others) < 2:
                yield f"{place} has {others.count(name)} wires outside and {len(others) - others.count(name)} inside"
