"""Checks the board as it is written: its copper, from KiCad's file, against the wiring and against what makers make.

It knows nothing of layout and router. Each fault is a sentence that says where.
"""

from __future__ import annotations

from itertools import combinations
from math import hypot
from typing import Any, Final

from shapely.geometry import Point, Polygon, box
from shapely.ops import unary_union
from shapely.strtree import STRtree

from hardware.circuit.copper import SIDES, Board
from hardware.circuit.design import RULES, Design
from hardware.circuit.kicad import has_room
from hardware.circuit.pour import shape

CLEARANCE: Final = RULES["min_clearance"]
RING: Final = RULES["min_via_annular_width"]
PAD_RING: Final = 0.3
"""Copper around the hole of a pad that is soldered by hand (mm)."""
ROUNDING: Final = 1e-3

Item = tuple[str, str, Any, str]
"""Side, net, copper, and what it is."""


def faults(design: Design, board: Board) -> list[str]:
    """Return all that is wrong, a sentence each."""
    items = copper(board)
    return [*_clearances(items), *_nets(design, items), *_sizes(design, board), *_holes(board),
            *_edges(board, items), *_necks(design, board, items)]  # fmt: skip


def copper(board: Board) -> list[Item]:
    """Return every piece of copper."""
    found = [(side, pad.net or f"nothing at {part.name}.{pad.number}", shape(pad), f"pad {part.name}.{pad.number}")
             for part in board.parts for pad in part.pads for side in pad.sides]  # fmt: skip
    found += [(one.side, one.net, shape(one), f"track at {_spot(one.a)}") for one in board.tracks]
    found += [(side, one.net, shape(one), f"via at {_spot(one.at)}") for one in board.vias for side in SIDES]
    return found + [(side, "GND", Polygon(ring).buffer(0), "pour") for side, rings in board.pours.items()
                    for ring in rings]  # fmt: skip


def _spot(at: tuple[float, float]) -> str:
    return f"{at[0]:.2f}, {at[1]:.2f}"


def _clearances(items: list[Item]) -> list[str]:
    found = []
    for side in SIDES:
        here = [one for one in items if one[0] == side]
        tree = STRtree([one[2] for one in here])
        for n, (_, net, body, what) in enumerate(here):
            for other in tree.query(body, predicate="dwithin", distance=CLEARANCE - ROUNDING):
                _, its_net, its_body, its_what = here[other]
                if other > n and its_net != net:
                    gap = body.distance(its_body)
                    found.append(f"{side}: {what} ({net}) is {gap:.2f} mm from {its_what} ({its_net})")
    return found


def _nets(design: Design, items: list[Item]) -> list[str]:
    """Return what the copper connects otherwise than the wiring."""
    root = list(range(len(items)))

    def top(n: int) -> int:
        while root[n] != n:
            n = root[n]
        return n

    for side in SIDES:
        here = [n for n, one in enumerate(items) if one[0] == side]
        tree = STRtree([items[n][2] for n in here])
        for n in here:
            for other in tree.query(items[n][2], predicate="intersects"):
                root[top(here[other])] = top(n)
    first: dict[str, int] = {}
    for n, (_, _, _, what) in enumerate(items):
        if what != "pour" and not what.startswith("track"):  # plated: one on both sides
            key = what if what.startswith("via") else f"{what} {items[n][2].centroid.wkt}"
            root[top(n)] = top(first.setdefault(key, n))
    pads: dict[str, set[int]] = {}
    for n, (_, _, _, what) in enumerate(items):
        if what.startswith("pad "):
            ref, _, number = what.removeprefix("pad ").partition(".")
            pads.setdefault(design.terminal(design.device(ref), number), set()).add(top(n))
    found = []
    owner: dict[int, str] = {}
    shorts: dict[str, None] = {}
    for net, places in sorted(design.nets.items()):
        groups: dict[int, str] = {}
        found += [f"{place} is not on the board" for place in sorted(places - pads.keys() - {"GND.GND"})]
        for place in sorted(places & pads.keys()):
            for group in sorted(pads[place]):
                groups.setdefault(group, place)
                if owner.setdefault(group, net) != net:
                    shorts[f"short: {place} is connected with {owner[group]}"] = None
        one, *others = groups.values()
        found += [f"open: {one} is not connected with {other} ({net})" for other in others]
    return [*found, *shorts]


def _sizes(design: Design, board: Board) -> list[str]:
    widths = {net: width for net, width in design.widths.items() if net not in design.heavy}
    found = [
        f"track at {_spot(one.a)} ({one.net}) is {one.width} mm wide"
        for one in board.tracks
        if one.width < widths.get(one.net, RULES["min_track_width"])
    ]
    found += [
        f"via at {_spot(via.at)}: hole {via.drill} in copper of {via.size}"
        for via in board.vias
        if via.drill < RULES["min_through_hole_diameter"] or (via.size - via.drill) / 2 < RING - ROUNDING
    ]
    found += [
        f"pad {part.name}.{pad.number}: hole {pad.drill} in copper of {min(pad.size)}"
        for part in board.parts
        for pad in part.pads
        if pad.drill and (min(pad.size) - pad.drill) / 2 < PAD_RING - ROUNDING
    ]
    return found


def _holes(board: Board) -> list[str]:
    holes = [(pad.at, pad.drill) for pad in board.pads if pad.drill] + [(one.at, one.drill) for one in board.vias]
    holes += list(board.holes)
    found = []
    for (a, da), (b, db) in combinations(holes, 2):
        gap = hypot(a[0] - b[0], a[1] - b[1]) - (da + db) / 2
        if gap < RULES["min_hole_to_hole"] - ROUNDING:
            found.append(f"holes at {_spot(a)} and {_spot(b)} are {gap:.2f} mm apart")
    return found


def _edges(board: Board, items: list[Item]) -> list[str]:
    (w, h), least = board.size, RULES["min_copper_edge_clearance"]
    inside = box(0, 0, w, h).buffer(-least + ROUNDING)
    drilled = unary_union([Point(at).buffer(size / 2 + RULES["min_hole_clearance"] - ROUNDING)
                           for at, size in board.holes])  # fmt: skip
    found = [f"{what} ({net}) is nearer to the edge than {least} mm" for _, net, body, what in items
             if not inside.contains(body)]  # fmt: skip
    return found + [f"{what} ({net}) lies at the hole of a screw" for _, net, body, what in items
                    if body.intersects(drilled)]  # fmt: skip


def _necks(design: Design, board: Board, items: list[Item]) -> list[str]:
    """Return the ways of great currents that are somewhere narrower than they must be."""
    pads = {design.terminal(design.device(part.name), pad.number): pad for part in board.parts for pad in part.pads}
    found = []
    for path in design.paths:
        joined = [{place} for place in path.places]
        for side in SIDES:
            whole = unary_union([body for at, net, body, _ in items if at == side and net == path.net])
            wide = whole.buffer(ROUNDING - path.width / 2)
            for piece in getattr(wide, "geoms", [wide]):
                reached = {place for place in path.places
                           if piece.distance(shape(pads[place])) < path.width / 2}  # fmt: skip
                both = [one for one in joined if one & reached]
                joined = [one for one in joined if not one & reached]
                joined += [set().union(*both)] if both else []
        if len(joined) > 1:
            first, other, *_ = (min(one) for one in joined)
            found.append(f"the copper of {path.net} between {first} and {other} is narrower than {path.width} mm")
    return found


def body_faults(board: Board) -> list[str]:
    """Return which parts need the same room, by the layout; under the Pico there is room for what is low."""
    found = []
    w, h = board.size
    parts = [part for part in board.parts if has_room(part)]
    for a, b in combinations(parts, 2):
        is_over = a.is_back != b.is_back or a.raised > b.height or b.raised > a.height
        if _overlap(a.body, b.body) and not is_over:
            found.append(f"{a.name} and {b.name} overlap")
    for part in parts:
        if part.body[0] < 0 or part.body[1] < 0 or part.body[2] > w or part.body[3] > h:
            found.append(f"{part.name} stands over the edge")
        for at, size in board.holes:
            reach = size / 2 + 1.4  # the head of an M3 screw
            if _overlap(part.body, (at[0] - reach, at[1] - reach, at[0] + reach, at[1] + reach)):
                found.append(f"{part.name} stands on the screw at {_spot(at)}")
    return found


def _overlap(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
