"""Draws the board as it will look: both sides of copper under the mask, pads, holes and the silk screen."""

from __future__ import annotations

from typing import Final

from hardware.circuit.copper import Board
from hardware.circuit.design import Design
from hardware.circuit.silk import PARTS_LINE, ink

_TRACK: Final = "#2f7d4f"
_GAP: Final = 6.0
_FONT: Final = 'font-family="sans-serif"'


def svg(design: Design, board: Board) -> str:
    """Return the drawing: the front at the left, the back at the right, turned over."""
    w, h = board.size
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-2 -5 {2 * w + _GAP + 4:g} {h + 7:g}" {_FONT}>',
        f"<title>{design.title}, from {design.module.replace('.', '/')}</title>",
        f'<rect x="-2" y="-5" width="{2 * w + _GAP + 4:g}" height="{h + 7:g}" fill="#ffffff"/>',
        '<text x="0" y="-1.5" font-size="2.4">Front: parts</text>',
        f'<text x="{w + _GAP:g}" y="-1.5" font-size="2.4">Back, turned over</text>',
        *_side(board, "F.Cu", ""),
        *_side(board, "B.Cu", f'transform="translate({2 * w + _GAP:g} 0) scale(-1 1)"'),
        "</svg>",
    ]
    return "\n".join([*lines, ""])


def _side(board: Board, side: str, where: str) -> list[str]:
    w, h = board.size
    lines = [f"<g {where}>", f'<rect width="{w:g}" height="{h:g}" rx="0.5" fill="#123a26"/>']
    for ring in board.pours.get(side, ()):
        points = "M" + "L".join(f"{x:.2f} {y:.2f}" for x, y in ring) + "Z"
        lines.append(f'<path d="{points}" fill="#1d5233"/>')
    for one in board.tracks:
        if one.side == side:
            (ax, ay), (bx, by) = one.a, one.b
            way = f"M{ax:.2f} {ay:.2f}L{bx:.2f} {by:.2f}"
            lines.append(f'<path d="{way}" stroke="{_TRACK}" stroke-width="{one.width:g}" stroke-linecap="round">'
                         f"<title>{one.net}</title></path>")  # fmt: skip
    for part in board.parts:
        for pad in part.pads:
            if side in pad.sides:
                (x, y), (pw, ph) = pad.at, pad.size
                title = f"<title>{part.name}: {pad.net or 'free'}</title>"
                round_by = pw / 2 if pad.shape == "circle" else 0.1
                lines.append(f'<rect x="{x - pw / 2:.2f}" y="{y - ph / 2:.2f}" width="{pw:g}" height="{ph:g}" '
                             f'rx="{round_by:g}" fill="#e2c06a">{title}</rect>')  # fmt: skip
    lines += [_dot(one.at, one.size, "#3d8a5c") + _dot(one.at, one.drill, "#0b2015") for one in board.vias]
    lines += [_dot(pad.at, pad.drill, "#ffffff") for pad in board.pads if pad.drill]
    lines += [_dot(at, size, "#ffffff") for at, size in board.holes]
    back = [(a, b, PARTS_LINE) for part in board.parts if part.is_back for a, b in part.lines]
    drawn = ink(board) if side == "F.Cu" else back
    lines += [f'<path d="M{a[0]:.2f} {a[1]:.2f}L{b[0]:.2f} {b[1]:.2f}" stroke="#ffffff" stroke-width="{width}" '
              'stroke-linecap="round"/>' for a, b, width in drawn]  # fmt: skip
    return [*lines, "</g>"]


def _dot(at: tuple[float, float], size: float, color: str) -> str:
    return f'<circle cx="{at[0]:.2f}" cy="{at[1]:.2f}" r="{size / 2:g}" fill="{color}"/>'
