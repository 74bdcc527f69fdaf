"""Checks of the shapes without a printer: closed solids, size, walls, overhangs, collisions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import Any, Final

import cadquery as cq
import numpy as np
import trimesh

from hardware import parameters as p
from hardware.cad.assembly import Item
from hardware.cad.solids import bounds

CONTACT_MM3: Final = 0.5
"""Volume that two touching bodies may share, from rounding."""

FINE: Final = 0.01
"""Largest deviation of the triangles from a curve, as a fraction of its size."""

GRID: Final = 0.5
"""Raster of the layers, and their thickness (mm). With both equal, a neighboring point is within 45°."""

CANTILEVER: Final = 2
"""Raster points that may overhang without support: 1 mm."""


def collisions(items: Sequence[Item]) -> Iterator[tuple[str, str, float]]:
    """Yield each pair of bodies that overlap, and the shared volume (mm³)."""
    rooms = {item.key: bounds(item.shape) for item in items}
    for a, b in combinations(items, 2):
        if not _overlap(rooms[a.key], rooms[b.key]):
            continue
        shared = shared_mm3(a.shape, b.shape)
        if shared > CONTACT_MM3:
            yield a.key, b.key, shared


def shared_mm3(a: cq.Workplane, b: cq.Workplane) -> float:
    """Return the volume that two bodies share."""
    return float(a.val().intersect(b.val()).Volume())


def _overlap(a: Any, b: Any) -> bool:
    return all(
        getattr(a, f"{axis}min") < getattr(b, f"{axis}max") - 1e-6
        and getattr(b, f"{axis}min") < getattr(a, f"{axis}max") - 1e-6
        for axis in "xyz"
    )


def mesh(shape: cq.Workplane) -> trimesh.Trimesh:
    """Return the surface as triangles, as the slicer gets it."""
    points, triangles = shape.val().tessellate(FINE, 0.2)
    return trimesh.Trimesh([point.toTuple() for point in points], triangles)


def thinnest(surface: trimesh.Trimesh, samples: int = 400, seed: int = 1) -> np.ndarray[Any, Any]:
    """Return the thickness of the body below random points of its surface, measured along the normal (mm)."""
    points, faces = trimesh.sample.sample_surface(surface, samples, seed=seed)
    ways = -surface.face_normals[faces]
    corners = surface.triangles
    edges_a, edges_b = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    found = np.empty(len(points))
    for n, (point, way) in enumerate(zip(points + ways * 1e-3, ways, strict=True)):
        h = np.cross(way, edges_b)
        det = np.einsum("ij,ij->i", edges_a, h)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            s = point - corners[:, 0]
            u = np.einsum("ij,ij->i", s, h) / det
            q = np.cross(s, edges_a)
            v = q @ way / det
            far = np.einsum("ij,ij->i", edges_b, q) / det
            hit = (np.abs(det) > 1e-12) & (u >= 0) & (v >= 0) & (u + v <= 1) & (far > 0)
        found[n] = far[hit].min() if hit.any() else np.inf
    return found


def layers(surface: trimesh.Trimesh) -> np.ndarray[Any, Any]:
    """Return the body as a raster: layer, row, column. Each column is filled between its even and odd crossings."""
    low, high = surface.bounds
    size = np.ceil((high - low) / GRID).astype(int) + 1
    entries: list[list[list[float]]] = [[[] for _ in range(size[0])] for _ in range(size[1])]
    shift = low + GRID * np.array((0.4137, 0.3719, 0))  # off the edges
    for a, b, c in surface.triangles:
        (x0, y0), (x1, y1) = (np.array((a, b, c))[:, :2].min(0), np.array((a, b, c))[:, :2].max(0))
        area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
        if abs(area) < 1e-12:
            continue
        columns = np.arange(np.ceil((x0 - shift[0]) / GRID), np.floor((x1 - shift[0]) / GRID) + 1).astype(int)
        rows = np.arange(np.ceil((y0 - shift[1]) / GRID), np.floor((y1 - shift[1]) / GRID) + 1).astype(int)
        if not len(columns) or not len(rows):
            continue
        x, y = np.meshgrid(shift[0] + GRID * columns, shift[1] + GRID * rows)
        u = ((x - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (y - a[1])) / area
        v = ((b[0] - a[0]) * (y - a[1]) - (x - a[0]) * (b[1] - a[1])) / area
        inside = (u >= 0) & (v >= 0) & (u + v <= 1)
        z = a[2] + u * (b[2] - a[2]) + v * (c[2] - a[2])
        for row, column in zip(*np.nonzero(inside), strict=True):
            entries[rows[row]][columns[column]].append(z[row, column] - low[2])
    body = np.zeros((size[2], size[1], size[0]), bool)
    for row, cells in enumerate(entries):
        for column, crossings in enumerate(cells):
            crossings.sort()
            for start, end in zip(crossings[::2], crossings[1::2], strict=False):
                body[round(start / GRID) : round(end / GRID), row, column] = True
    return body


def hanging_mm2(body: np.ndarray[Any, Any]) -> float:
    """Return the unsupported area of all layers (mm²): no material below within 45°, and no bridge to both sides."""
    total = 0
    for below, layer in pairwise(body):
        free = layer & ~_grown(below)
        if not free.any():
            continue
        near = below
        for _ in range(CANTILEVER):
            near = _grown(near)
        free &= ~near
        if free.any():
            total += int((free & ~_bridged(below, layer)).sum())
    return total * GRID**2


def _grown(mask: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    wide = np.pad(mask, 1)
    grown = np.zeros_like(mask)
    rows, columns = mask.shape
    for dy in range(3):
        for dx in range(3):
            grown |= wide[dy : dy + rows, dx : dx + columns]
    return grown


def _bridged(below: np.ndarray[Any, Any], layer: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the points of the layer that have material below on two opposite sides, close enough for a bridge."""
    most = int(p.BRIDGE / GRID)
    bridged = np.zeros_like(layer)
    for dy, dx in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = most if 0 in (dy, dx) else int(most / 1.414)
        there, back = (_distance(below, layer, sign * dy, sign * dx, length) for sign in (1, -1))
        bridged |= there + back <= length
    return bridged


def _distance(
    below: np.ndarray[Any, Any], layer: np.ndarray[Any, Any], dy: int, dx: int, most: int
) -> np.ndarray[Any, Any]:
    """Return the steps to the nearest point with material below, through the layer only."""
    far = np.full(layer.shape, 10_000)
    far[below & layer] = 0
    for _ in range(most):
        moved = np.full(layer.shape, 10_000)
        ys, yd = (slice(1, None), slice(None, -1)) if dy > 0 else (slice(None, -1), slice(1, None))
        xs, xd = (slice(1, None), slice(None, -1)) if dx > 0 else (slice(None, -1), slice(1, None))
        moved[yd if dy else slice(None), xd if dx else slice(None)] = (
            far[ys if dy else slice(None), xs if dx else slice(None)] + 1
        )
        nearer = np.where(layer, np.minimum(far, moved), far)
        if (nearer == far).all():
            break
        far = nearer
    return far
