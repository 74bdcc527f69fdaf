"""The elements of a wiring: devices with terminals, and wires between them.

A terminal has the voltage that it drives and the greatest voltage that it tolerates, so that a test can follow every
voltage through the wires. Two-legged parts (resistor, lamp, motor winding, switch) conduct both ways, a diode only
forwards.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Terminal:
    """A terminal. ``gives``: the voltage that it drives; None: none. ``bears``: the greatest voltage that it
    tolerates."""

    bears: float = 60.0
    gives: float | None = None
    is_ground: bool = False


@dataclass(frozen=True, slots=True)
class Device:
    """A device. ``part``: its line in the bill of materials. ``through``: pairs of terminals that conduct from the
    first to the second; both orders are listed for parts that conduct both ways."""

    name: str
    part: str
    terminals: dict[str, Terminal]
    through: tuple[tuple[str, str], ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Wire:
    """A wire between two terminals, each as ``device.terminal``. ``color``: in a word."""

    a: str
    b: str
    color: str


@dataclass(frozen=True, slots=True)
class Harness:
    """One drawing: the wires that are installed together."""

    name: str
    title: str
    wires: tuple[Wire, ...]


def split(place: str) -> tuple[str, str]:
    """Split ``device.terminal``."""
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
        """Return the terminal at ``device.terminal``. Raises KeyError if there is none."""
        device, name = split(place)
        return self.devices[device].terminals[name]


def nets(wires: tuple[Wire, ...]) -> list[set[str]]:
    """Return the sets of terminals that wires connect."""
    joined: dict[str, set[str]] = {}
    for wire in wires:
        net = joined.get(wire.a, {wire.a}) | joined.get(wire.b, {wire.b})
        for place in net:
            joined[place] = net
    return list({id(net): net for net in joined.values()}.values())


def voltages(plan: Plan) -> dict[str, set[float]]:
    """Return every voltage that each terminal may get: from its source along wires and through devices.

    A net with ground stays at 0 V and passes nothing on.
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
