"""Writes each harness in the language of WireViz, which draws it."""

from __future__ import annotations

from typing import Final

from hardware.wiring.model import Harness, Plan, split

CODES: Final = {
    "black": "BK", "brown": "BN", "red": "RD", "orange": "OG", "yellow": "YE", "green": "GN", "blue": "BU",
    "violet": "VT", "gray": "GY", "white": "WH",
}  # fmt: skip
"""Color codes of wires in WireViz (IEC 60757)."""


def _ends(plan: Plan, harness: Harness) -> dict[str, list[str]]:
    """Return each device with its terminals that this harness connects."""
    wired = {place: None for wire in harness.wires for place in (wire.a, wire.b)}
    devices = dict.fromkeys(split(place)[0] for place in wired)
    return {name: [one for one in plan.devices[name].terminals if f"{name}.{one}" in wired] for name in devices}


def yaml(plan: Plan, harness: Harness) -> str:
    """Return the harness in the language of WireViz. Every wire is a cable of its own, so that its ends are visible."""
    lines = [f"# {harness.title}. Written by `make docs` from hardware/wiring; do not edit.", "metadata:"]
    lines += [f'  title: "{harness.title}"', "options:", "  bgcolor: WH", "connectors:"]
    for device, terminals in _ends(plan, harness).items():
        one = plan.devices[device]
        lines += [f'  "{device}":', f'    type: "{one.part}"', f"    pins: {_list(terminals)}"]
        lines.append("    show_pincount: false")
        if one.note:
            lines.append(f'    notes: "{one.note}"')
    lines.append("cables:")
    groups: dict[tuple[str, str], list[int]] = {}
    for number, wire in enumerate(harness.wires):
        groups.setdefault((split(wire.a)[0], split(wire.b)[0]), []).append(number)
    names = {pair: f"W{n}" for n, pair in enumerate(groups, 1)}
    for pair, numbers in groups.items():
        colors = ", ".join(CODES[harness.wires[number].color] for number in numbers)
        lines += [
            f"  {names[pair]}:",
            f"    wirecount: {len(numbers)}",
            f"    colors: [{colors}]",
            "    category: bundle",
        ]
    lines.append("connections:")
    for (a, b), numbers in groups.items():
        starts = [split(harness.wires[number].a)[1] for number in numbers]
        finishes = [split(harness.wires[number].b)[1] for number in numbers]
        lines += [
            "  -",
            f'    - "{a}": {_list(starts)}',
            f"    - {names[a, b]}: [{', '.join(str(n) for n in range(1, len(numbers) + 1))}]",
            f'    - "{b}": {_list(finishes)}',
        ]
    return "\n".join([*lines, ""])


def _list(names: list[str]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"
