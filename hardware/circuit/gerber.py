"""Writes what a maker of boards takes: Gerber (RS-274X), Excellon drill files, and the list of places for assembly."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from hardware.circuit.copper import Board, Pad, Point
from hardware.circuit.design import Design
from hardware.circuit.kicad import EDGE_LINE, edges
from hardware.circuit.silk import ink

MASK: Final = 0.05
"""The opening of the solder mask around a pad (mm)."""


class _Layer:
    """One Gerber file: apertures in the order of their use, then what they draw."""

    def __init__(self, board: Board, function: str) -> None:
        self._height = board.size[1]
        self._head = ["%FSLAX46Y46*%", "%MOMM*%", f"%TF.FileFunction,{function}*%", "%TF.Part,Single*%", "%LPD*%"]
        self._apertures: dict[str, int] = {}
        self._lines: list[str] = []

    def _xy(self, at: Point) -> str:
        return f"X{round(at[0] * 1e6)}Y{round((self._height - at[1]) * 1e6)}"

    def _take(self, aperture: str) -> None:
        self._lines.append(f"D{self._apertures.setdefault(aperture, len(self._apertures) + 10)}*")

    def pad(self, pad: Pad, more: float = 0.0) -> None:
        w, h = pad.size[0] + 2 * more, pad.size[1] + 2 * more
        self._take(f"C,{w:.4f}" if pad.shape == "circle" else f"R,{w:.4f}X{h:.4f}")
        self._lines.append(f"{self._xy(pad.at)}D03*")

    def dot(self, at: Point, size: float) -> None:
        self._take(f"C,{size:.4f}")
        self._lines.append(f"{self._xy(at)}D03*")

    def line(self, a: Point, b: Point, width: float) -> None:
        self._take(f"C,{width:.4f}")
        self._lines += [f"{self._xy(a)}D02*", f"{self._xy(b)}D01*"]

    def area(self, ring: tuple[Point, ...]) -> None:
        self._lines += ["G36*", f"{self._xy(ring[0])}D02*", "G01*"]
        self._lines += [f"{self._xy(at)}D01*" for at in (*ring[1:], ring[0])]
        self._lines.append("G37*")

    def text(self) -> str:
        used = [f"%ADD{number}{aperture}*%" for aperture, number in self._apertures.items()]
        return "\n".join([*self._head, *used, "G01*", *self._lines, "M02*", ""])


def files(design: Design, board: Board) -> dict[str, str]:
    """Return all files for the maker, by name."""
    made: dict[str, Callable[[], str]] = {
        "F_Cu.gtl": lambda: _copper(board, "F.Cu", "Copper,L1,Top"),
        "B_Cu.gbl": lambda: _copper(board, "B.Cu", "Copper,L2,Bot"),
        "F_Mask.gts": lambda: _pads(board, "Soldermask,Top", board.pads, MASK),
        "B_Mask.gbs": lambda: _pads(board, "Soldermask,Bot", [pad for pad in board.pads if pad.drill], MASK),
        "F_Paste.gtp": lambda: _pads(board, "Paste,Top", [pad for pad in board.pads if not pad.drill], 0.0),
        "F_Silkscreen.gto": lambda: _silk(board),
        "Edge_Cuts.gm1": lambda: _edge(board),
        "PTH.drl": lambda: _drill(board, is_plated=True),
        "NPTH.drl": lambda: _drill(board, is_plated=False),
        "places.csv": lambda: _places(design, board),
    }
    return {f"{design.name}-{name}": make() for name, make in made.items()}


def _copper(board: Board, side: str, function: str) -> str:
    layer = _Layer(board, function)
    for ring in board.pours.get(side, ()):
        layer.area(ring)
    for track in board.tracks:
        if track.side == side:
            layer.line(track.a, track.b, track.width)
    for via in board.vias:
        layer.dot(via.at, via.size)
    for pad in board.pads:
        if side in pad.sides:
            layer.pad(pad)
    return layer.text()


def _pads(board: Board, function: str, pads: Iterable[Pad], more: float) -> str:
    layer = _Layer(board, function)
    for pad in pads:
        layer.pad(pad, more)
    if more:
        for at, size in board.holes:
            layer.dot(at, size + 2 * more)
    return layer.text()


def _silk(board: Board) -> str:
    layer = _Layer(board, "Legend,Top")
    for a, b, width in ink(board):
        layer.line(a, b, width)
    return layer.text()


def _edge(board: Board) -> str:
    layer = _Layer(board, "Profile,NP")
    for a, b in edges(board):
        layer.line(a, b, EDGE_LINE)
    return layer.text()


def _drill(board: Board, *, is_plated: bool) -> str:
    holes = list(board.holes)
    if is_plated:
        holes = [(pad.at, pad.drill) for pad in board.pads if pad.drill] + [(one.at, one.drill) for one in board.vias]
    sizes = sorted({size for _, size in holes})
    kind = "Plated,1,2,PTH" if is_plated else "NonPlated,1,2,NPTH"
    lines = ["M48", f"; #@! TF.FileFunction,{kind}", "FMAT,2", "METRIC"]
    lines += [f"T{n}C{size:.3f}" for n, size in enumerate(sizes, start=1)]
    lines += ["%", "G90", "G05"]
    for n, size in enumerate(sizes, start=1):
        lines.append(f"T{n}")
        lines += [f"X{x:.4f}Y{board.size[1] - y:.4f}" for (x, y), one in holes if one == size]
    return "\n".join([*lines, "M30", ""])


def _places(design: Design, board: Board) -> str:
    rows = ["Designator,Val,Package,Mid X,Mid Y,Rotation,Layer"]
    for part in sorted(board.parts, key=lambda one: design.references[one.name]):
        if not any(pad.drill for pad in part.pads):
            x, y = part.at[0], board.size[1] - part.at[1]
            rows.append(
                f'{design.references[part.name]},"{part.value}",{part.footprint},{x:.3f},{y:.3f},{part.degrees},top'
            )
    return "\n".join([*rows, ""])
