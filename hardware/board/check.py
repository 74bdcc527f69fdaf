"""The check of the strip board: derives its nets from holes, strips, cuts and links and compares them with the wiring.

It knows nothing of how the layout was made. Each fault is a sentence that names the parts and the holes.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Final

from hardware import power, wall
from hardware.board.model import HOLES, STRIPS, Board, Hole, is_on_board
from hardware.quantity import Quantity
from hardware.wiring.model import Plan, nets

STRIP_A: Final = Quantity(2.0, "A", "IPC-2221, 35 µm: 1 mm of copper beside a hole gets 10 °C warmer at 2.4 A")
WIRED_A: Final = Quantity(6.0, "A", "IEC 60335-1, 25.8: 0.75 mm², soldered along a strip; links of it too")
THIN_A: Final = Quantity(1.0, "A", "chosen: links of 0.14 mm²")
OFF_BOARD: Final = {"Pi.USB", "Pico.USB", "stop.b", "motor switch.a", "feed driver.MOTOR 1", "feed driver.MOTOR 2",
                    "feed motor.red", "feed motor.black"}  # fmt: skip
"""Terminals whose wires do not touch the board: a USB cable, the wire from the emergency stop to the motor switch, and
screw terminals of the driver itself."""
PLUGGED: Final = {hole.plugged for hole in wall.HOLES if hole.plugged}
"""Devices behind a socket in the wall."""
RAILS: Final = ("GND", "3V3", "5V", "12V", "motors")
"""Devices of the wiring that are strips on the board."""


def name(hole: Hole) -> str:
    """Return a hole as the drawing counts it, from 1."""
    return f"strip {hole[0] + 1} hole {hole[1] + 1}"


def pieces(cuts: frozenset[Hole]) -> dict[Hole, int]:
    """Return the piece of strip that each hole lies on. A hole with a cut lies on none."""
    found: dict[Hole, int] = {}
    number = 0
    for strip in range(STRIPS):
        number += 1
        for n in range(HOLES):
            if (strip, n) in cuts:
                number += 1
            else:
                found[strip, n] = number
    return found


def derived(board: Board) -> dict[int, set[str]]:
    """Return the terminals that pieces of strip and links connect."""
    piece_of = pieces(board.cuts)
    root = {piece: piece for piece in piece_of.values()}

    def top(piece: int) -> int:
        while root[piece] != piece:
            piece = root[piece]
        return piece

    for a, b in board.links:
        if a in piece_of and b in piece_of:
            root[top(piece_of[b])] = top(piece_of[a])
    found: dict[int, set[str]] = {}
    for hole, place in board.places:
        if hole in piece_of:
            found.setdefault(top(piece_of[hole]), set()).add(place)
    return found


def faults(board: Board, plan: Plan) -> list[str]:
    """Return all that is wrong with the board, a sentence each."""
    return [*net_faults(board, plan), *_hole_faults(board), *_body_faults(board), *_current_faults(board)]


def net_faults(board: Board, plan: Plan) -> list[str]:
    """Return what the board connects otherwise than the wiring: shorts, open nets, missing parts."""
    found = []
    wanted = {}
    for number, net in enumerate(nets(plan.wires)):
        on_board = {place for place in net - OFF_BOARD if place.partition(".")[0] not in {*RAILS, *PLUGGED}}
        wanted.update(dict.fromkeys(on_board, number))
    present = {place for _, place in board.places}
    found += [f"{place} is not on the board" for place in sorted(wanted.keys() - present)]
    groups: dict[int, list[set[str]]] = {}
    for net in derived(board).values():
        by_number: dict[int | str, set[str]] = {}
        for place in net:
            by_number.setdefault(wanted.get(place, place), set()).add(place)
        for one, other in combinations(sorted(by_number.values(), key=min), 2):
            found.append(f"short: {min(one)} is connected with {min(other)}")
        for key, places in by_number.items():
            if isinstance(key, int):
                groups.setdefault(key, []).append(places)
    for parts in groups.values():
        first, *others = sorted(parts, key=min)
        found += [f"open: {min(first)} is not connected with {min(other)}" for other in others]
    return found


def _hole_faults(board: Board) -> list[str]:
    uses: dict[Hole, list[str]] = {}
    for hole, place in board.places:
        uses.setdefault(hole, []).append(place)
    for a, b in board.links:
        uses.setdefault(a, []).append(f"link to {name(b)}")
        uses.setdefault(b, []).append(f"link to {name(a)}")
    found = [f"{name(hole)} is not on the board: {' and '.join(who)}" for hole, who in uses.items()
             if not is_on_board(hole)]  # fmt: skip
    found += [f"{name(hole)} is taken twice: {' and '.join(who)}" for hole, who in uses.items() if len(who) > 1]
    return found + [f"{name(cut)} is cut and taken: {uses[cut][0]}" for cut in sorted(board.cuts) if cut in uses]


def _body_faults(board: Board) -> list[str]:
    found = []
    bodies = [(part, part.body) for part in board.parts if part.body is not None]
    for (a, mine), (b, theirs) in combinations(bodies, 2):
        if a.on_copper == b.on_copper and mine.overlaps(theirs):
            found.append(f"{a.name} and {b.name} overlap")
    for part, body in bodies:
        if body.strips[0] < -0.95 or body.strips[1] > STRIPS - 0.05 or body.holes[0] < -1 or body.holes[1] > HOLES:
            found.append(f"{part.name} stands over the edge")
        others = {hole: p.name for p in board.parts if p is not part for hole, _ in p.legs}
        others |= {end: f"link {name(a)} - {name(b)}" for a, b in board.links for end in (a, b)}
        if not part.on_copper:
            found += [f"{who} lies under {part.name}" for hole, who in others.items()
                      if body.covers(hole) and who not in ("service", "run")]  # fmt: skip
    return found


def _draws() -> dict[str, tuple[str, dict[str, float]]]:
    """Return the place that feeds each heavy net, with what each of its other places draws at worst (A)."""
    stepper, feed, five = (load.worst for load in power.twelve_volts().loads)
    ring, lamps, *_ = (load.worst for load in power.five_volts().loads)
    back = {"turn driver.GND": stepper, "feed driver.POWER -": feed, "regulator.GND": five, "ring.GND": ring}
    back["regulator.GND"] -= ring
    return {
        "fuse.a": ("supply socket.+", {"fuse.a": stepper + feed + five}),
        "fuse.b": ("fuse.b", {"stop.a": stepper + feed, "regulator.IN": five}),
        "motor switch.b": ("motor switch.b", {"diode.anode": stepper + feed}),
        "diode.cathode": ("diode.cathode", {"turn driver.VM": stepper, "feed driver.POWER +": feed}),
        "supply socket.-": ("supply socket.-", back),
        "regulator.OUT": ("regulator.OUT", {"ring.5V": ring, "lamps 1.VCC": 0.8 * lamps, "lamps 2.VCC": 0.2 * lamps}),
    }


def _flows(board: Board) -> dict[tuple[Hole, Hole], float]:
    """Return the current between neighboring holes and along links: each draw goes the shortest way to its source."""
    piece_of = pieces(board.cuts)
    next_to: dict[Hole, list[Hole]] = {hole: [] for hole in piece_of}
    steps = [((s, n), (s, n + 1)) for s in range(STRIPS) for n in range(HOLES - 1)]
    for a, b in (*(pair for pair in steps if pair[0] in piece_of and pair[1] in piece_of), *board.links):
        if a in next_to and b in next_to:
            next_to[a].append(b)
            next_to[b].append(a)
    at: dict[str, Hole] = {}
    for hole, place in board.places:
        at.setdefault(place, hole)
    flow: dict[tuple[Hole, Hole], float] = {}
    for source, draws in _draws().values():
        came = {at[source]: at[source]} if at.get(source) in next_to else {}
        queue = list(came)
        for hole in queue:
            for other in next_to[hole]:
                if other not in came:
                    came[other] = hole
                    queue.append(other)
        for place, amps in draws.items():
            hole = at.get(place, (-1, -1))
            while came.get(hole, hole) != hole:
                pair = min(hole, came[hole]), max(hole, came[hole])
                flow[pair] = flow.get(pair, 0.0) + amps
                hole = came[hole]
    return flow


def strip_currents(board: Board) -> dict[tuple[Hole, Hole], float]:
    """Return the current between neighboring holes of a strip (A)."""
    return {pair: amps for pair, amps in _flows(board).items() if pair[0][0] == pair[1][0]
            and pair[1][1] - pair[0][1] == 1}  # fmt: skip


def link_currents(board: Board) -> dict[tuple[Hole, Hole], float]:
    """Return the current of each link (A)."""
    flows = _flows(board)
    return {(a, b): flows.get((min(a, b), max(a, b)), 0.0) for a, b in board.links}


def _current_faults(board: Board) -> list[str]:
    found = []
    for (a, b), amps in strip_currents(board).items():
        limit = WIRED_A if (a, b) in board.wired else STRIP_A
        if amps > limit:
            found.append(f"{name(a)} to {name(b)} carries {amps:.1f} A, bears {limit:g} A: solder a wire along it")
    for (a, b), amps in link_currents(board).items():
        if amps > WIRED_A:
            found.append(f"the link {name(a)} to {name(b)} carries {amps:.1f} A, bears {WIRED_A:g} A")
    return found


def neighbors(holes: list[int]) -> list[tuple[int, int]]:
    """Return the first and the last of each run of successive numbers."""
    runs: list[tuple[int, int]] = []
    start = holes[0]
    for a, b in pairwise([*holes, holes[-1] + 2]):
        if b != a + 1:
            runs.append((start, a))
            start = b
    return runs
