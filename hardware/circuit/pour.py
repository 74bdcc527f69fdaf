"""The ground on both sides: the pours around tracks and pads, with thermal spokes at the pads that are soldered."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

from shapely import affinity
from shapely.geometry import LineString, MultiPoint, Point, Polygon, box
from shapely.ops import unary_union

from hardware.circuit.copper import SIDES, Board, Pad, Ring, Track, Via

CLEAR: Final = 0.25
"""Distance of a pour from other nets (mm)."""
SPOKE: Final = 0.5
GAP: Final = 0.3
EDGE: Final = 0.5
THINNEST: Final = 0.25
"""No neck of a pour is narrower (mm)."""


def shape(item: Pad | Track | Via) -> Any:
    """Return the copper of a pad, track or via."""
    if isinstance(item, Track):
        return LineString((item.a, item.b)).buffer(item.width / 2, quad_segs=8)
    if isinstance(item, Via):
        return Point(item.at).buffer(item.size / 2, quad_segs=8)
    if item.shape == "circle":
        return Point(item.at).buffer(item.size[0] / 2, quad_segs=8)
    (x, y), (w, h) = item.at, item.size
    return box(x - w / 2, y - h / 2, x + w / 2, y + h / 2)


def poured(board: Board) -> Board:
    """Return the board with its pours. A piece that no ground reaches is left out."""
    return replace(board, pours={side: _side(board, side) for side in SIDES})


def _side(board: Board, side: str) -> tuple[Ring, ...]:
    w, h = board.size
    pads = [pad for pad in board.pads if side in pad.sides]
    tracks = [track for track in board.tracks if track.side == side]
    every: list[Pad | Track | Via] = [*pads, *tracks, *board.vias]
    others = [shape(one) for one in every if one.net != "GND"]
    area = box(EDGE, EDGE, w - EDGE, h - EDGE).difference(unary_union([one.buffer(CLEAR + 0.01) for one in others]))
    area = area.difference(unary_union([Point(at).buffer(size / 2 + 0.5) for at, size in board.holes]))
    ground = [pad for pad in pads if pad.net == "GND"]
    area = area.difference(unary_union([_thermal(pad) for pad in ground if not pad.is_solid]))
    half = THINNEST / 2
    area = area.buffer(-half, quad_segs=4).buffer(half - 0.001, quad_segs=4)
    feet = unary_union([shape(one) for one in every if one.net == "GND"])
    pieces = [piece for piece in getattr(area, "geoms", [area]) if piece.intersects(feet) and piece.area > 1]
    return tuple(_fractured(piece.simplify(0.002)) for piece in sorted(pieces, key=lambda one: one.bounds))


def _thermal(pad: Pad) -> Any:
    """Return the gap around a pad, without its four spokes."""
    x, y = pad.at
    reach = max(pad.size)
    spokes = box(x - reach, y - SPOKE / 2, x + reach, y + SPOKE / 2)
    crossed = unary_union([spokes, affinity.rotate(spokes, 90, origin=(x, y))])
    return shape(pad).buffer(GAP, join_style="mitre" if pad.shape == "rect" else "round").difference(crossed)


def _fractured(piece: Polygon) -> Ring:
    """Return a piece with holes as one ring: a cut without width leads from each hole to what is left of it.

    KiCad and Gerber know an area by one outline alone.
    """
    outer = [(round(x, 4), round(y, 4)) for x, y in piece.exterior.coords[:-1]]
    holes = [[(round(x, 4), round(y, 4)) for x, y in hole.coords[:-1]] for hole in piece.interiors]
    for number, hole in enumerate(sorted(holes, key=min), start=1):
        start, x, y = _beside_leftmost(hole, 0.0011 * (number % 9 + 1))
        best: tuple[float, int, float] | None = None
        for n, ((ax, ay), (bx, by)) in enumerate(pairwise([*outer, outer[0]])):
            if min(ay, by) <= y <= max(ay, by) and ay != by:
                cross = ax + (y - ay) * (bx - ax) / (by - ay)
                if cross < x and (best is None or cross > best[0]):
                    best = cross, n, y
        assert best is not None, "a hole lies within its outline"
        foot = (round(best[0], 4), y)
        ring = [(x, y), *hole[start:], *hole[:start], (x, y)]
        outer[best[1] + 1 : best[1] + 1] = [foot, *ring, foot]
    return tuple(outer)


def _beside_leftmost(hole: list[tuple[float, float]], away: float) -> tuple[int, float, float]:
    """Return a point of a hole ``away`` mm below or above its leftmost one, and the number of the corner after it.

    Corners of tracks lie on lines of the grid: a cut through one would meet others.
    """
    at = hole.index(min(hole))
    x, y = hole[at]
    (ax, ay), (bx, by) = hole[at - 1], hole[(at + 1) % len(hole)]
    to_x, to_y, start = (bx, by, (at + 1) % len(hole)) if abs(by - y) > abs(ay - y) else (ax, ay, at)
    share = min(away / abs(to_y - y), 0.5)
    return start, round(x + share * (to_x - x), 4), round(y + share * (to_y - y), 4)


def stitched(board: Board) -> Board:
    """Return the board with vias that tie the grounds of both sides together wherever both are poured."""
    areas = [unary_union([Polygon(ring).buffer(0) for ring in board.pours[side]]) for side in SIDES]
    both = areas[0].intersection(areas[1]).buffer(-0.35)
    holes = [(pad.at, pad.drill) for pad in board.pads if pad.drill] + [(via.at, via.drill) for via in board.vias]
    away = both.difference(unary_union([Point(at).buffer(drill / 2 + 0.5) for at, drill in holes]))
    away = away.difference(unary_union([shape(pad).buffer(0.5) for pad in board.pads if not pad.drill]))
    w, h = board.size
    spots = MultiPoint([(x / 2, y / 2) for x in range(4, int(2 * w) - 3, 9) for y in range(4, int(2 * h) - 3, 9)])
    found = [Via("GND", (round(one.x, 4), round(one.y, 4))) for one in getattr(spots.intersection(away), "geoms", ())]
    return replace(board, vias=(*board.vias, *found))
