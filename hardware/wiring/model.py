"""What a wiring is made of: devices with terminals, and wires between them.

A terminal tells what it gives and what it bears, so that a test can follow every voltage through the wires to whatever
it reaches. Two-legged parts (resistor, lamp, motor winding, switch) let a voltage through; a diode only forwards.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Terminal:
    """``gives``: the voltage that it drives (None: it drives nothing). ``bears``: the most that it may see."""

    bears: float = 60.0
    gives: float | None = None
    is_ground: bool = False


@dataclass(frozen=True, slots=True)
class Device:
    """``part``: its line in the bill of materials. ``through``: pairs of terminals that let a voltage through, from
    the first to the second (list both ways where it works both ways)."""

    name: str
    part: str
    terminals: dict[str, Terminal]
    through: tuple[tuple[str, str], ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Wire:
    """From one terminal to another, each as ``device.terminal``. ``color`` in a word."""

    a: str
    b: str
    color: str


@dataclass(frozen=True, slots=True)
class Harness:
    """One drawing: what hangs together and is wired in one go."""

    name: str
    title: str
    wires: tuple[Wire, ...]


def split(place: str) -> tuple[str, str]:
    """Device and terminal of ``device.terminal``."""
    device, _, terminal = place.partition(".")
    return device, terminal


@dataclass(frozen=True, slots=True)
class Plan:
    """All devices of a table and all its harnesses."""

    devices: dict[str, Device]
    harnesses: tuple[Harness, ...]

    @property
    def wires(self) -> tuple[Wire, ...]:
        """The wires of all drawings."""
        return tuple(wire for harness in self.harnesses for wire in harness.wires)

    def terminal(self, place: str) -> Terminal:
        """The terminal at ``device.terminal``; KeyError where there is none."""
        device, name = split(place)
        return self.devices[device].terminals[name]


def nets(wires: tuple[Wire, ...]) -> list[set[str]]:
    """The terminals that wires make one."""
    joined: dict[str, set[str]] = {}
    for wire in wires:
        net = joined.get(wire.a, {wire.a}) | joined.get(wire.b, {wire.b})
        for place in net:
            joined[place] = net
    return list({id(net): net for net in joined.values()}.values())


def voltages(plan: Plan) -> dict[str, set[float]]:
    """Every voltage that each terminal may see: from what gives one, along wires and through what lets it through.

    Ground holds what reaches it at nothing, and passes nothing on.
    """
    all_nets = nets(plan.wires)
    net_of = {place: number for number, net in enumerate(all_nets) for place in net}
    grounded = {number for number, net in enumerate(all_nets) if any(plan.terminal(p).is_ground for p in net)}
    seen: list[set[float]] = [
        {given for place in net if (given := plan.terminal(place).gives) is not None} for net in all_nets
    ]
    ways = [
        (net_of[f"{device.name}.{a}"], net_of[f"{device.name}.{b}"])
        for device in plan.devices.values()
        for a, b in device.through
        if f"{device.name}.{a}" in net_of and f"{device.name}.{b}" in net_of
    ]
    changes = True
    while changes:
        changes = False
        for a, b in ways:
            if a not in grounded and b not in grounded and not seen[a] <= seen[b]:
                seen[b] |= seen[a]
                changes = True
    return {place: seen[number] for place, number in net_of.items()}
