"""Draws both sides of the strip board as SVG, to be built from."""

from __future__ import annotations

from typing import Final
from xml.sax.saxutils import escape

from hardware.board import check
from hardware.board.model import HOLES, STRIPS, Board, Hole, is_on_board

STEP: Final = 16
_LEFT: Final = 60
_TOP: Final = 70
_BETWEEN: Final = 90
_WIDTH: Final = 2 * (STRIPS * STEP + _LEFT) + _BETWEEN
_HEIGHT: Final = HOLES * STEP + _TOP + 40
_COLORS: Final = ("#c02020", "#1d6fb8", "#1c8a3c", "#b35c00", "#7a3fa0", "#00868a", "#8a6d00", "#555555")


def _at(hole: tuple[float, float], *, is_copper: bool) -> tuple[float, float]:
    """Return the place of a hole on the page; the copper side is turned over, left to right."""
    strip = STRIPS - 1 - hole[0] if is_copper else hole[0]
    left = _LEFT + (STRIPS * STEP + _BETWEEN if is_copper else 0)
    return left + (strip + 0.5) * STEP, _TOP + (HOLES - 1 - hole[1] + 0.5) * STEP


def _text(x: float, y: float, words: str, *, size: float = 8, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" {more}>{escape(words)}</text>'


def _line(a: Hole, b: Hole, color: str, width: float, *, is_copper: bool = False) -> str:
    (xa, ya), (xb, yb) = (_at(hole, is_copper=is_copper) for hole in (a, b))
    return (f'<line x1="{xa:g}" y1="{ya:g}" x2="{xb:g}" y2="{yb:g}" stroke="{color}" stroke-width="{width:g}" '
            'stroke-linecap="round"/>')  # fmt: skip


def _bow(a: Hole, b: Hole, aside: float, pen: str) -> str:
    """Return a link, bent a little so that links in one row can be told apart."""
    (xa, ya), (xb, yb) = (_at(hole, is_copper=False) for hole in (a, b))
    x, y = (xa + xb) / 2, (ya + yb) / 2
    x, y = (x + 2 * aside, y) if abs(yb - ya) > abs(xb - xa) else (x, y + 2 * aside)
    return f'<path d="M{xa:g} {ya:g}Q{x:g} {y:g} {xb:g} {yb:g}" fill="none" {pen}/>'


def _rulers(*, is_copper: bool) -> list[str]:
    found = []
    for strip in range(STRIPS):
        x, y = _at((strip, HOLES - 1), is_copper=is_copper)
        found.append(_text(x, y - STEP, str(strip + 1), more='text-anchor="middle"'))
    for n in range(HOLES):
        x, y = _at((STRIPS - 1 if is_copper else 0, n), is_copper=is_copper)
        found.append(_text(x - STEP, y + 3, str(n + 1), more='text-anchor="end"'))
    return found


def _holes(*, is_copper: bool) -> list[str]:
    places = [_at((s, n), is_copper=is_copper) for s in range(STRIPS) for n in range(HOLES) if is_on_board((s, n))]
    dots = "".join(f"M{x:g} {y:g}h0" for x, y in places)
    pen = 'fill="none" stroke-linecap="round"'
    return [f'<path d="{dots}" {pen} stroke="{color}" stroke-width="{width}"/>' for color, width in
            (("#999999", "4.6"), ("#ffffff", "3"))]  # fmt: skip


def _parts(board: Board, *, is_copper: bool) -> list[str]:
    found = []
    for part in board.parts:
        if part.body is not None and part.on_copper == is_copper:
            corners = [_at((part.body.strips[n], part.body.holes[n]), is_copper=is_copper) for n in (0, 1)]
            (x0, x1), (y0, y1) = (sorted(axis) for axis in zip(*corners, strict=True))
            found.append(
                f'<rect x="{x0:.1f}" y="{y0:.1f}" width="{x1 - x0:.1f}" height="{y1 - y0:.1f}" rx="2" '
                'fill="#dfe8f3" fill-opacity="0.75" stroke="#334455"/>'
            )
            x, y = (x0 + x1) / 2, (y0 + y1) / 2
            turn = f'transform="rotate(-90 {x:.1f} {y:.1f})"' if y1 - y0 > x1 - x0 else ""
            size = 10 if x1 - x0 > 60 and y1 - y0 > 30 else 6
            found.append(_text(x, y + size / 3, part.name, size=size, more=f'text-anchor="middle" {turn}'))
    for part in board.parts if not is_copper else ():
        for hole, terminal in part.legs:
            x, y = _at(hole, is_copper=False)
            is_wire = part.body is None or part.name == "feed driver"
            color = "#d26b00" if is_wire else "#111111"
            found.append(f'<circle cx="{x:g}" cy="{y:g}" r="3" fill="{color}"><title>'
                         f"{escape(part.name)}: {escape(terminal)}, {check.name(hole)}</title></circle>")  # fmt: skip
            if len(part.legs) > 2 or is_wire:
                words = f"{part.name} {terminal}" if is_wire else terminal
                turn = f'transform="rotate(-40 {x:g} {y:g})"'
                found.append(_text(x + 4, y, words, size=4.6, more=f'fill="{color}" {turn}'))
    return found


def _components(board: Board) -> list[str]:
    currents = check.link_currents(board)
    links = []
    for number, (a, b) in enumerate(board.links, start=1):
        is_thick = currents[a, b] > check.THIN_A
        color = _COLORS[number % len(_COLORS)]
        links.append(_bow(a, b, 5 * (number % 5 - 2), f'stroke="{color}" stroke-width="{4 if is_thick else 1.6}"'))
        for hole in (a, b):
            x, y = _at(hole, is_copper=False)
            links.append(_text(x + 3, y + 7, str(number), size=6, more=f'fill="{color}" font-weight="bold"'))
    return [*_holes(is_copper=False), *_parts(board, is_copper=False), *links, *_rulers(is_copper=False)]


def _copper(board: Board) -> list[str]:
    found = [_line((strip, 0), (strip, HOLES - 1), "#e3b98a", 11, is_copper=True) for strip in range(STRIPS)]
    found += [_line(a, b, "#9a9a9a", 5, is_copper=True) for a, b in sorted(board.wired)]
    found += _holes(is_copper=True)
    soldered = {hole for hole, _ in board.places} | {hole for link in board.links for hole in link}
    for hole in sorted(soldered):
        x, y = _at(hole, is_copper=True)
        found.append(f'<path d="M{x - 2:g} {y - 2:g}h4v4h-4z" fill="#666666"/>')
    for hole in sorted(board.cuts):
        x, y = _at(hole, is_copper=True)
        found.append(f'<path d="M{x - 6:g} {y - 6:g}l12 12m0 -12l-12 12" stroke="#c00000" stroke-width="3">'
                     f"<title>cut: {check.name(hole)}</title></path>")  # fmt: skip
    return [*found, *_parts(board, is_copper=True), *_rulers(is_copper=True)]


def svg(board: Board) -> str:
    """Return the drawing of both sides."""
    heads = (
        (_LEFT, "Components: black legs, orange ends of wires to the sockets, numbered links (thick: 0.75 mm²)"),
        (_LEFT + STRIPS * STEP + _BETWEEN, "Copper, turned over: red cuts, gray bar 0.75 mm² along the strip"),
    )
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif">',
        "<title>The strip board, from hardware/board</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
        *(_text(x, 24, words, size=11) for x, words in heads),
        *_components(board),
        *_copper(board),
        "</svg>",
    ]
    return "\n".join([*lines, ""])
