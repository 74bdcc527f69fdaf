"""Routes the board: the shortest way for each net over a grid of both sides, in a fixed order, the same at every run.

A net that finds no way goes to the front of the order, and all begin anew. The step of the grid divides the pitch of
the pins, so that a track fits in the middle between two of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from math import hypot
from typing import Any, Final

import numpy as np

from hardware.circuit.copper import SIDES, Board, Pad, Point, Track, Via
from hardware.circuit.design import Design

CLEAR: Final = 0.25
"""Distance between the copper of two nets that is aimed at (mm); `check.CLEARANCE` is the limit."""
EDGE: Final = 0.6
"""Distance of copper from the edge and from the holes of the screws, whose heads are wider (mm)."""
HEAD: Final = 1.5
SIGNAL: Final = 0.3
VIA_COST: Final = 12.0
TURN_COST: Final = 0.3

Cell = tuple[int, int, int]
"""Side, row, column."""
Bool = np.ndarray[Any, np.dtype[np.bool_]]
_WAYS: Final = tuple((dr, dc, hypot(dr, dc)) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if dr or dc)


class NoWayError(Exception):
    """A net that finds no way. ``args``: its name."""


@dataclass(slots=True)
class _Grid:
    design: Design
    tracks: list[Track] = field(default_factory=list)
    vias: list[Via] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.board, self.step = self.design.bare, self.design.step
        self.x0, self.y0 = (at % self.step for at in self.design.origin)
        self.columns = int((self.board.size[0] - self.x0) / self.step) + 1
        self.rows = int((self.board.size[1] - self.y0) / self.step) + 1
        xs, ys = self.x0 + self.step * np.arange(self.columns), self.y0 + self.step * np.arange(self.rows)
        self.x, self.y = np.meshgrid(xs, ys)

    board: Board = field(init=False)
    step: float = 0.0
    x0: float = 0.0
    y0: float = 0.0
    columns: int = 0
    rows: int = 0
    x: Any = None
    y: Any = None

    def at(self, cell: Cell) -> Point:
        return round(self.x0 + self.step * cell[2], 4), round(self.y0 + self.step * cell[1], 4)

    def near(self, at: Point) -> tuple[int, int]:
        return round((at[1] - self.y0) / self.step), round((at[0] - self.x0) / self.step)

    def blocked(self, net: str, half: float) -> Bool:
        """Return the cells of both sides where the middle of copper of half this width may not lie."""
        found = np.zeros((2, self.rows, self.columns), bool)
        w, h = self.board.size
        rim = EDGE + half
        found |= (self.x < rim) | (self.x > w - rim) | (self.y < rim) | (self.y > h - rim)
        for at, size in self.board.holes:
            self._mark(found, range(2), at, at, size / 2 + HEAD + half)
        room = half + CLEAR - 1e-6
        for pad in self.board.pads:
            if pad.net != net or not net:
                self._mark_pad(found, range(len(pad.sides)), pad, room)
        for track in self.tracks:
            if track.net != net:
                self._mark(found, (SIDES.index(track.side),), track.a, track.b, room + track.width / 2)
        for via in self.vias:
            if via.net != net:
                self._mark(found, range(2), via.at, via.at, room + via.size / 2)
        return found

    def _window(self, a: Point, b: Point, room: float) -> tuple[slice, slice]:
        """Return the rows and columns around a line where anything within ``room`` may lie."""
        (low_x, high_x), (low_y, high_y) = sorted((a[0], b[0])), sorted((a[1], b[1]))
        return (
            slice(
                max(int((low_y - room - self.y0) / self.step), 0),
                max(int((high_y + room - self.y0) / self.step) + 2, 0),
            ),
            slice(
                max(int((low_x - room - self.x0) / self.step), 0),
                max(int((high_x + room - self.x0) / self.step) + 2, 0),
            ),
        )

    def _mark(self, found: Bool, sides: Iterable[int], a: Point, b: Point, room: float) -> None:
        """Mark the cells nearer than ``room`` to a line."""
        at = self._window(a, b, room)
        x, y, dx, dy = self.x[at], self.y[at], b[0] - a[0], b[1] - a[1]
        t = np.clip(((x - a[0]) * dx + (y - a[1]) * dy) / max(dx * dx + dy * dy, 1e-9), 0, 1)
        near = np.hypot(x - a[0] - t * dx, y - a[1] - t * dy) < room
        for side in sides:
            found[(side, *at)] |= near

    def _mark_pad(self, found: Bool, sides: Iterable[int], pad: Pad, room: float) -> None:
        if pad.shape == "circle":
            self._mark(found, sides, pad.at, pad.at, room + pad.size[0] / 2)
            return
        at = self._window(pad.at, pad.at, room + max(pad.size) / 2)
        dx, dy = np.abs(self.x[at] - pad.at[0]), np.abs(self.y[at] - pad.at[1])
        near = np.hypot(np.maximum(dx - pad.size[0] / 2, 0), np.maximum(dy - pad.size[1] / 2, 0)) < room
        for side in sides:
            found[(side, *at)] |= near

    def drills(self) -> Bool:
        """Return the cells where a via's hole would be too near to another hole, or in a pad that is soldered."""
        found = np.zeros((1, self.rows, self.columns), bool)
        holes = [(pad.at, pad.drill) for pad in self.board.pads if pad.drill]
        for at, drill in (*holes, *((via.at, via.drill) for via in self.vias)):
            self._mark(found, (0,), at, at, drill / 2 + 0.15 + 0.35)
        for pad in self.board.pads:
            if not pad.drill:
                self._mark_pad(found, (0,), pad, 0.3 + 0.1)
        flat: Bool = found[0]
        return flat

    def pad(self, place: str) -> Pad:
        """Return the pad of a terminal."""
        return next(pad for part in self.board.parts for pad in part.pads
                    if self.design.terminal(part.name, pad.number) == place)  # fmt: skip

    def cells(self, pad: Pad) -> Iterable[Cell]:
        """Return the cell of a pad's middle on its sides."""
        row, column = self.near(pad.at)
        return ((side, row, column) for side in range(len(pad.sides)))


def route(design: Design) -> Board:
    """Return the board with its tracks and vias. Raises NoWayError if some net has no way in any order tried."""
    board, widths = design.bare, design.widths
    nets = sorted({pad.net for pad in board.pads if pad.net} - {"GND"}, key=lambda net: (-widths.get(net, 0.0), net))
    order = [*nets, "GND"]
    tried = 0
    while True:
        grid = _Grid(design)
        try:
            for path in design.paths:
                if path.net == "GND":  # what carries much is no matter of the pours alone
                    first, *others = (grid.pad(place) for place in path.places)
                    _join(grid, "GND", path.width, set(grid.cells(first)), others, has_vias=False)
            for net in order:
                _connect(grid, net)
            return replace(board, tracks=tuple(grid.tracks), vias=tuple(grid.vias))
        except NoWayError as err:
            failed, tried = str(err), tried + 1
            if tried > 40:
                raise
            order.remove(failed)
            order.insert(0, failed)


def _connect(grid: _Grid, net: str) -> None:
    pads = [pad for pad in grid.board.pads if pad.net == net]
    thin = {pad.at for part in grid.board.parts for pad in part.pads
            if grid.design.terminal(part.name, pad.number) in grid.design.thin}  # fmt: skip
    wide = [pad for pad in pads if pad.at not in thin]
    reached: set[Cell] = set(grid.cells(wide[0]))
    is_heavy = net in grid.design.heavy
    _join(grid, net, grid.design.widths.get(net, SIGNAL), reached, wide[1:], has_vias=not is_heavy)
    _join(grid, net, SIGNAL, reached, [pad for pad in pads if pad.at in thin])


def _join(grid: _Grid, net: str, width: float, reached: set[Cell], pads: list[Pad], *, has_vias: bool = True) -> None:
    blocked = grid.blocked(net, width / 2)
    no_via = grid.blocked(net, 0.3).any(axis=0) | grid.drills()
    open_via: Bool = ~(no_via | blocked.any(axis=0)) & has_vias
    wanted = {cell: n for n, pad in enumerate(pads) for cell in grid.cells(pad)}
    for cell in (*reached, *wanted):  # a pad may stand nearer to its neighbor than a track may pass
        blocked[cell] = False
    while wanted:
        path = _search(reached, set(wanted), blocked, open_via)
        if path is None and net != "GND":
            raise NoWayError(net)
        if path is None:  # the pours reach what no track does
            return
        _lay(grid, net, width, path)
        reached.update(path)
        number = wanted[path[-1]]
        reached.update(cell for cell, n in wanted.items() if n == number)
        wanted = {cell: n for cell, n in wanted.items() if n != number}


def _search(start: set[Cell], goal: set[Cell], blocked: Bool, open_via: Bool) -> list[Cell] | None:
    """Return the cheapest way from the cells reached to one of the goals (A*). Cells are counted through here: a
    closed rim around each side makes every step an addition."""
    rows, columns = blocked.shape[1] + 2, blocked.shape[2] + 2
    closed = bytearray(np.pad(blocked, ((0, 0), (1, 1), (1, 1)), constant_values=True).tobytes())
    vias = bytearray(np.pad(open_via, 1).tobytes())
    one = rows * columns
    steps = [(dr * columns + dc, length) for dr, dc, length in _WAYS]
    row, column = np.mgrid[-1 : rows - 1, -1 : columns - 1]
    left = np.full((rows, columns), np.inf)
    for _, r, c in goal:
        dr, dc = np.abs(row - r), np.abs(column - c)
        left = np.minimum(left, np.maximum(dr, dc) + 0.4142 * np.minimum(dr, dc))
    ahead = left.ravel().tolist()
    goals = {_number(cell, columns, one) for cell in goal}
    costs = dict.fromkeys(sorted(_number(cell, columns, one) for cell in start), 0.0)
    queue = [(ahead[cell % one], 0.0, cell, -1) for cell in costs]
    queue.sort()
    came: dict[int, int] = {}
    while queue:
        _, cost, cell, way = heappop(queue)
        if closed[cell] > 1:
            continue
        closed[cell] = 2
        if cell in goals:
            path = [cell]
            while cell in came:
                cell = came[cell]
                path.append(cell)
            return [(n // one, n % one // columns - 1, n % columns - 1) for n in reversed(path)]
        for number, (step, length) in enumerate(steps):
            new = cell + step
            if not closed[new]:
                total = cost + length + (TURN_COST if way not in (-1, number) else 0.0)
                if total < costs.get(new, 1e9) - 1e-9:
                    costs[new], came[new] = total, cell
                    heappush(queue, (total + ahead[new % one], total, new, number))
        new = (cell + one) % (2 * one)
        if vias[cell % one] and closed[new] < 1 and cost + VIA_COST < costs.get(new, 1e9):
            costs[new], came[new] = cost + VIA_COST, cell
            heappush(queue, (cost + VIA_COST + ahead[new % one], cost + VIA_COST, new, -1))
    return None


def _number(cell: Cell, columns: int, one: int) -> int:
    return cell[0] * one + (cell[1] + 1) * columns + cell[2] + 1


def _lay(grid: _Grid, net: str, width: float, path: list[Cell]) -> None:
    """Lay tracks and vias along a way; its ends go to the middle of the pads."""
    middles = {cell: pad.at for pad in grid.board.pads if pad.net == net for cell in grid.cells(pad)}
    first = 0
    for n in range(1, len(path)):
        if path[n][0] != path[n - 1][0]:
            _straight(grid, net, width, path[first:n])
            first = n
            if not _is_plated(grid, net, path[n]):
                grid.vias.append(Via(net, grid.at(path[n])))
    _straight(grid, net, width, path[first:])
    for end in (path[0], path[-1]):
        if end in middles and hypot(*(a - b for a, b in zip(middles[end], grid.at(end), strict=True))) > 1e-3:
            grid.tracks.append(Track(net, SIDES[end[0]], middles[end], grid.at(end), width))


def _is_plated(grid: _Grid, net: str, cell: Cell) -> bool:
    x, y = grid.at(cell)
    has_via = any(via.net == net and hypot(via.at[0] - x, via.at[1] - y) < 1e-3 for via in grid.vias)
    return has_via or any(pad.drill and pad.net == net and pad.away(x, y) == 0 for pad in grid.board.pads)


def _straight(grid: _Grid, net: str, width: float, cells: list[Cell]) -> None:
    side, at = SIDES[cells[0][0]], 0
    for n in range(1, len(cells)):
        is_last = n == len(cells) - 1
        turns = not is_last and _way(cells[n - 1], cells[n]) != _way(cells[n], cells[n + 1])
        if is_last or turns:
            grid.tracks.append(Track(net, side, grid.at(cells[at]), grid.at(cells[n]), width))
            at = n


def _way(a: Cell, b: Cell) -> tuple[int, int]:
    return b[1] - a[1], b[2] - a[2]
