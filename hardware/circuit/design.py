"""What a printed circuit is made of: its wiring and the tables that router, writers and checks take from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final
from uuid import NAMESPACE_URL, uuid5

from hardware.circuit.copper import Board, Drawn, Line, Point
from hardware.wiring.model import Plan, nets

RULES: Final = {"min_clearance": 0.2, "min_track_width": 0.25, "min_via_diameter": 0.6, "min_via_annular_width": 0.15,
                "min_through_hole_diameter": 0.3, "min_hole_clearance": 0.25, "min_hole_to_hole": 0.25,
                "min_copper_edge_clearance": 0.3}  # fmt: skip
"""What KiCad checks, and `check` too: two layers as the cheap makers make them."""


@dataclass(frozen=True, slots=True)
class Path:
    """A way of a great current: copper of ``net`` between these terminals, nowhere narrower than ``width`` (mm)."""

    net: str
    places: tuple[str, ...]
    width: float


@dataclass(frozen=True, slots=True)
class Design:
    """A printed circuit. ``name``: of its files; ``module``: the program that writes it.

    ``bare``: the board with its parts, without tracks. ``nets``: terminals of the wiring by the name of their net;
    ``references``: of each device; ``pins``: terminals by number of their pad, by kind; ``prefix``: of the references,
    by kind. ``kinds``: of devices that are no kind with others of their part in the bill. ``footprints`` and ``marks``:
    pads, boxes and lines of the silk screen by name of the footprint. ``sheet`` and ``symbols``: paper of the
    schematic, and the middle of each device on it.

    ``widths``: of tracks by net; others have `router.SIGNAL`. ``heavy``: nets that no via may carry, and that ``paths``
    check; only their tracks to the terminals ``thin`` are those of signals. ``paths``: of great currents. ``origin``
    and ``step``: a crossing of the router's grid and its pitch (mm).
    """

    name: str
    title: str
    module: str
    plan: Plan
    bare: Board
    nets: dict[str, set[str]]
    references: dict[str, str]
    pins: dict[str, tuple[str, ...]]
    prefix: dict[str, str]
    footprints: dict[str, Drawn]
    sheet: str
    symbols: dict[str, Point]
    origin: Point
    step: float
    kinds: dict[str, str] = field(default_factory=dict)
    marks: dict[str, tuple[Line, ...]] = field(default_factory=dict)
    widths: dict[str, float] = field(default_factory=dict)
    heavy: frozenset[str] = frozenset()
    thin: frozenset[str] = frozenset()
    paths: tuple[Path, ...] = ()

    @property
    def net_of(self) -> dict[str, str]:
        """The name of the net of each terminal."""
        return {place: name for name, places in self.nets.items() for place in places}

    def kind(self, device: str) -> str:
        """Return the kind of a device: key of `pins` and `prefix`."""
        return self.kinds.get(device, self.plan.devices[device].part)

    def terminal(self, device: str, pad: str) -> str:
        """Return the terminal of the wiring at a pad."""
        return f"{device}.{self.pins[self.kind(device)][int(pad) - 1]}"

    def device(self, reference: str) -> str:
        """Return the device with this reference. Raises KeyError."""
        return {ref: name for name, ref in self.references.items()}[reference]

    def identity(self, *words: object) -> str:
        """Return an id that is the same at each run."""
        return str(uuid5(NAMESPACE_URL, f"croupier/{self.name}/" + "/".join(map(str, words))))


def board_nets(plan: Plan, off_board: Iterable[str], names: dict[str, str]) -> dict[str, set[str]]:
    """Return the terminals on a board that belong together, by the name of their net. ``off_board``: devices and
    terminals that are not on it; ``names``: of the nets with these terminals, others are named after the Pico's pin or
    after a terminal of theirs."""
    away = set(off_board)
    found = {}
    for net in nets(plan.wires):
        here = {place for place in net if place not in away and place.partition(".")[0] not in away}
        if here:
            found[_name(net, here, names)] = here
    return found


def _name(net: set[str], here: set[str], names: dict[str, str]) -> str:
    for place, name in names.items():
        if place in net:
            return name
    for place in sorted(here):
        device, _, terminal = place.partition(".")
        if device == "Pico":
            return terminal
    return min(here).replace(" ", "_").replace(".", "_").upper()
