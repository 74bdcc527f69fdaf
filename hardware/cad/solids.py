"""The few basic solids of all parts, placed by their edges in the frame of their group (mm)."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, radians, sin
from typing import Final

import cadquery as cq
from OCP.Bnd import Bnd_Box
from OCP.BRepBndLib import BRepBndLib

from hardware import parameters as p

TINY: Final = 0.05
"""How far a cut goes beyond the surface that it opens."""


def box(x: tuple[float, float], y: tuple[float, float], z: tuple[float, float]) -> cq.Workplane:
    """Return a box: from and to, along each axis."""
    size = [end - start for start, end in (x, y, z)]
    return cq.Workplane().box(*size, centered=False).translate((x[0], y[0], z[0]))


def rod(axis: str, at: tuple[float, float], diameter: float, ends: tuple[float, float]) -> cq.Workplane:
    """Return a cylinder along ``axis``. ``at``: the other two coordinates, in the order x, y, z."""
    length = ends[1] - ends[0]
    base = cq.Workplane().circle(diameter / 2).extrude(length)
    if axis == "z":
        return base.translate((*at, ends[0]))
    if axis == "x":
        return base.rotate((0, 0, 0), (0, 1, 0), 90).translate((ends[0], *at))
    return base.rotate((0, 0, 0), (1, 0, 0), -90).translate((at[0], ends[0], at[1]))


def tube(at: tuple[float, float], outside: float, inside: float, ends: tuple[float, float]) -> cq.Workplane:
    """Return an upright tube."""
    return rod("z", at, outside, ends).cut(rod("z", at, inside, (ends[0] - TINY, ends[1] + TINY)))


def prism(points: Sequence[tuple[float, float]], y: tuple[float, float]) -> cq.Workplane:
    """Return an outline in x and z, extruded along y."""
    face = cq.Workplane("XZ").polyline(list(points)).close().extrude(-(y[1] - y[0]))
    return face.translate((0, y[0], 0))


def slot(axis: str, at: tuple[float, float], width: float, length: float, ends: tuple[float, float]) -> cq.Workplane:
    """Return a slot: two rods and the space between, ``length`` along the second coordinate of ``at``."""
    half = (length - width) / 2
    first, second = (at[0], at[1] - half), (at[0], at[1] + half)
    ways = {"x": ("y", "z"), "y": ("x", "z"), "z": ("x", "y")}[axis]
    spans = {axis: ends, ways[0]: (at[0] - width / 2, at[0] + width / 2), ways[1]: (first[1], second[1])}
    middle = box(spans["x"], spans["y"], spans["z"])
    return rod(axis, first, width, ends).union(middle).union(rod(axis, second, width, ends))


def around(n: int, radius: float, first: float = 0.0) -> list[tuple[float, float]]:
    """``n`` places on a circle about the axis, the first at so many degrees."""
    return [
        (radius * cos(radians(first + 360 / n * at)), radius * sin(radians(first + 360 / n * at))) for at in range(n)
    ]


def bounds(shape: cq.Workplane) -> cq.BoundBox:
    """Its outermost places, from the shape itself and not from the triangles that were once made of it."""
    room = Bnd_Box()
    BRepBndLib.AddOptimal_s(shape.val().wrapped, room, False, False)
    return cq.BoundBox(room)


def cut(body: cq.Workplane, *tools: cq.Workplane) -> cq.Workplane:
    """The body without all of these."""
    return cq.Workplane(body.val().cut(*(tool.val() for tool in tools)))


def join(body: cq.Workplane, *others: cq.Workplane) -> cq.Workplane:
    """All of them as one."""
    if not others:
        return body
    return cq.Workplane(body.val().fuse(*(other.val() for other in others)).clean())


def pulley(teeth: float, width: float) -> cq.Workplane:
    """The toothed part of a GT2 pulley, standing on the origin."""
    outside = p.pulley_outside(teeth)
    body = cq.Workplane().circle(outside / 2).extrude(width)
    grooves = cq.Workplane().polarArray(outside / 2 - 0.2, 0, 360, int(teeth)).circle(0.58).extrude(width)
    return body.cut(grooves)
