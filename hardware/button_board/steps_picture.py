"""Draws each step of building the kit: the board with the parts that come on in orange, and where a meter goes."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from math import cos, pi, sin
from pathlib import Path
from typing import Final

from hardware.button_board import layout
from hardware.button_board.steps import GROUND, STEPS, Measure, Step
from hardware.circuit.copper import Part, Point
from hardware.circuit.design import Design
from hardware.circuit.silk import strokes

NEW: Final = "#f08c1e"
OLD: Final = "#8b989f"
COPPER: Final = "#e2c06a"
_RED: Final = "#c62828"
_BLACK: Final = "#111111"
_LEGEND: Final = 64.0
"""Left edge of the words beside the board (mm)."""
_WIDTH: Final = 116.0
_BUTTON: Final = (15.0, 58.0)
_RING: Final = (48.0, 59.0)
_LAMPS: Final = 24
_RADIUS: Final = 9.0
_APART: Final = 7.0
"""Of the ring's solder points in the picture, which are nearer to one another (mm)."""


_TABLE: Final = (66.0, 28.0)
_FOUR: Final = (
    ((49.0, 44.0), "55 47", "58 48", (66.0, 49.0)), ((40.0, 37.0), "40 32", "38 28", (30.0, 28.0)),
    ((44.0, 37.0), "44 20", "50 8", (66.0, 7.0)), ((49.0, 42.0), "75 46", "92 42", (102.0, 28.0)),
)  # fmt: skip
"""The cable of each seat from the board to its button."""


def names() -> dict[str, str]:
    """Return the picture of each step by the name of its file."""
    made = layout.design()
    found = {f"{step.name}.svg": svg(made, step) for step in STEPS}
    return found | {"step-6-table.svg": table()}


def write(folder: Path) -> None:
    """Write all pictures."""
    for name, text in names().items():
        (folder / name).write_text(text, encoding="utf-8")


def _text(at: Point, words: str, size: float, *, color: str = _BLACK, more: str = "") -> str:
    return f'<text x="{at[0]:.2f}" y="{at[1]:.2f}" font-size="{size:g}" fill="{color}"{more}>{escape(words)}</text>'


def _line(a: Point, b: Point, color: str, width: float) -> str:
    return (f'<path d="M{a[0]:.2f} {a[1]:.2f}L{b[0]:.2f} {b[1]:.2f}" stroke="{color}" stroke-width="{width:g}" '
            'stroke-linecap="round"/>')  # fmt: skip


def _box(left: float, top: float, right: float, bottom: float, color: str, more: str = "") -> str:
    return (f'<rect x="{left:.2f}" y="{top:.2f}" width="{right - left:.2f}" height="{bottom - top:.2f}" rx="0.2" '
            f'fill="{color}"{more}/>')  # fmt: skip


def _sheet(title: str, height: float, lines: list[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-4 -6 {_WIDTH + 4:g} {height:g}" font-family="sans-serif">'
    )
    ground = f'<rect x="-4" y="-6" width="{_WIDTH + 4:g}" height="{height:g}" fill="#ffffff"/>'
    return "\n".join([head, f"<title>{escape(title)}</title>", ground, *lines, "</svg>", ""])


def svg(design: Design, step: Step) -> str:
    """Return the picture of a step: the board from the front, at the right what is measured."""
    now = STEPS.index(step)
    w, h = design.bare.size
    lines = [_text((0, -2), step.title, 3, more=' font-weight="bold"')]
    lines.append(f'<rect width="{w:g}" height="{h:g}" rx="0.5" fill="#123a26"/>')
    lines += [f'<circle cx="{x:g}" cy="{y:g}" r="{size / 2:g}" fill="#ffffff"/>' for (x, y), size in design.bare.holes]
    for words, at, height in design.bare.words:
        lines += [_line(a, b, "#ffffff", 0.15) for a, b in strokes(words, at, height)]
    parts = sorted(design.bare.parts, key=lambda part: (part.raised, part.name))
    for part in parts:
        came = next((n for n, one in enumerate(STEPS) if design.kind(part.name) in one.kinds), len(STEPS))
        lines += _part(design, part, came, now)
    if step.cables:
        lines += _cables(design)
    lines += _points(design, step)
    lines += _words(step)
    return _sheet(f"{step.title}, from hardware/button_board", 78 if step.cables else 54, lines)


def _part(design: Design, part: Part, came: int, now: int) -> Iterator[str]:
    is_pico = design.kind(part.name) == "pico"
    for pad in part.pads:
        (x, y), (pw, ph) = pad.at, pad.size
        round_by = pw / 2 if pad.shape == "circle" else 0.1
        yield (f'<rect x="{x - pw / 2:.2f}" y="{y - ph / 2:.2f}" width="{pw:g}" height="{ph:g}" rx="{round_by:g}" '
               f'fill="{COPPER}"/>')  # fmt: skip
        if pad.drill:
            yield f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{pad.drill / 2:g}" fill="#0b2015"/>'
    color = NEW if came == now else OLD
    if is_pico:
        yield from _pico(part, came, now)
    elif came <= now:
        left, top, right, bottom = _drawn(part)
        yield _box(left, top, right, bottom, color, ' stroke="#20262a" stroke-width="0.12"')
        yield from _band(part, (left, top, right, bottom))
        yield _label(part, design.references[part.name], (left, top, right, bottom))


def _label(part: Part, reference: str, box: tuple[float, float, float, float]) -> str:
    """Return the reference on the part, clear of where a socket's legs are measured; above the small buffer."""
    left, top, right, bottom = box
    x, y = (left + right) / 2, (top + bottom) / 2
    is_flat = not part.pads[0].drill
    if part.footprint == "SOT-23-5":
        return _text((x, top - 0.4), reference, 1.2, color="#ffffff", more=' text-anchor="middle"')
    if part.footprint.startswith("JST"):
        n = len(part.pads)
        x += 3.2 * (x - sum(pad.at[0] for pad in part.pads) / n)
        y += 3.2 * (y - sum(pad.at[1] for pad in part.pads) / n)
    turn = f' transform="rotate(-90 {x:.2f} {y:.2f})"' if bottom - top > right - left else ""
    size = 0.95 if is_flat else 1.5
    return _text((x, y + size * 0.36), reference, size, more=f' text-anchor="middle"{turn}')


def _drawn(part: Part) -> tuple[float, float, float, float]:
    """Return the box of a part's body: between the middles of its two flat pads, else as the silk screen has it."""
    if len(part.pads) == 2 and not part.pads[0].drill:
        (ax, ay), (bx, by) = sorted(pad.at for pad in part.pads)
        half = min(part.pads[0].size) / 2
        return (ax, ay - half, bx, by + half) if ay == by else (ax - half, min(ay, by), bx + half, max(ay, by))
    points = [at for line in part.lines[:4] for at in line]
    return (min(x for x, _ in points), min(y for _, y in points), max(x for x, _ in points),
            max(y for _, y in points))  # fmt: skip


def _band(part: Part, box: tuple[float, float, float, float]) -> Iterator[str]:
    """Yield the band of a suppressor at its cathode."""
    left, top, right, bottom = box
    if part.footprint == "SOD-123FL":
        x = left if abs(part.pads[0].at[0] - left) < abs(part.pads[0].at[0] - right) else right - 0.5
        yield _box(x, top, x + 0.5, bottom, "#ffffff")


def _pico(part: Part, came: int, now: int) -> Iterator[str]:
    """Its two strips of sockets come with the other sockets, it is plugged in for the first power."""
    left, top, right, bottom = _drawn(part)
    color = NEW if came == now else OLD
    if now == came - 1:
        yield from (_box(left, y - 1.25, right, y + 1.25, NEW, ' fill-opacity="0.8"') for y in _rows(part))
        yield _text((left + 10, _rows(part)[0] + 6), "the Pico's two strips of sockets", 1.5, color="#ffffff")
    elif now >= came:
        yield _box(left, top, right, bottom, color, ' stroke="#20262a" stroke-width="0.15"')
        middle = (top + bottom) / 2
        yield _box(left - 1.3, middle - 4, left + 4.5, middle + 4, "#cfd4d8", ' stroke="#20262a" stroke-width="0.15"')
        yield _line((left - 1.3, middle), (-4, middle), _BLACK, 2.2)
        yield _text(((left + right) / 2, middle + 1), "Raspberry Pi Pico", 3, more=' text-anchor="middle"')
        yield _text((left + 1, bottom - 3), "pin 1", 1.3)
        yield _text((left + 1, top + 4), "pin 40", 1.3)
        for pad in part.pads:
            yield f'<circle cx="{pad.at[0]:.2f}" cy="{pad.at[1]:.2f}" r="0.7" fill="{COPPER}"/>'


def _rows(part: Part) -> tuple[float, float]:
    return min(pad.at[1] for pad in part.pads), max(pad.at[1] for pad in part.pads)


def _at(design: Design, place: str) -> Point:
    """Return where a terminal is: on the board, or at the ring."""
    device, _, terminal = place.partition(".")
    if device == "ring":
        return _RING[0] + _APART * (("5V", "DIN", "GND").index(terminal) - 1), _RING[1] - _RADIUS - 2.0
    part = next(part for part in design.bare.parts if part.name == device)
    return next(pad.at for pad in part.pads if design.terminal(device, pad.number) == place)


def _cables(design: Design) -> Iterator[str]:
    """Yield the cables of one seat and of the ring in their colors, a button and the ring."""
    x, y = _BUTTON
    yield _box(x - 7, y - 7, x + 7, y + 7, "#dfe4e7", ' stroke="#20262a" stroke-width="0.2"')
    yield f'<circle cx="{x:g}" cy="{y:g}" r="4.6" fill="{NEW}" stroke="#20262a" stroke-width="0.2"/>'
    yield _text((x, y + 0.7), "UNO", 2, more=' text-anchor="middle"')
    yield _text((x, y + 10), "button of seat 1", 2, more=' text-anchor="middle"')
    yield from _ring_of_lamps(_RING)
    for wire in design.plan.wires:
        (a, _, b), far = wire.a.partition("."), wire.b
        if b and a in ("socket 0", "socket ring") and far.startswith(("seat 0.", "ring.")):
            start = _at(design, wire.a)
            if far.startswith("ring."):
                end = _at(design, far)
                bend = f"{start[0] + 8 + 1.2 * (end[0] - _RING[0]) / _APART:.2f} {start[1]:.2f}"
                yield _curve(start, bend, f"{end[0]:.2f} 44", end, wire.color)
                yield _text((end[0] - 1.6, end[1] + 0.6), far.partition(".")[2], 1.6, more=' text-anchor="end"')
            else:
                end = _BUTTON[0] + (-2 if far.endswith("1") else 2), _BUTTON[1] - 7.0
                yield _curve(start, f"{start[0]:.2f} 46", f"{end[0]:.2f} 46", end, wire.color)


def _curve(a: Point, b: str, c: str, d: Point, color: str) -> str:
    way = f"M{a[0]:.2f} {a[1]:.2f}C{b} {c} {d[0]:.2f} {d[1]:.2f}"
    return (f'<path d="{way}" fill="none" stroke="#ffffff" stroke-width="1.1"/>'
            f'<path d="{way}" fill="none" stroke="{color}" stroke-width="0.7"/>')  # fmt: skip


def _points(design: Design, step: Step) -> Iterator[str]:
    """Yield a red point with its letter where the red tip of the meter goes, a black one at ground."""
    letters = step.letters()
    for place in dict.fromkeys((*letters, *(one.black for one in step.measures if one.black in GROUND))):
        x, y = _at(design, place)
        color = _RED if place in letters else _BLACK
        yield f'<circle cx="{x:.2f}" cy="{y:.2f}" r="1.2" fill="{color}" stroke="#ffffff" stroke-width="0.25"/>'
        yield _text((x, y + 0.62), letters.get(place, "-"), 1.7, color="#ffffff", more=' text-anchor="middle"')


def _words(step: Step) -> Iterator[str]:
    yield _text((_LEGEND, 2), "USB is plugged in" if step.is_powered else "no supply", 2, more=' font-style="italic"')
    yield _text((_LEGEND, 5), "The black tip goes to the black point, unless two are named.", 1.5)
    letters = step.letters()
    for n, one in enumerate(step.measures):
        yield from _row(one, letters, 10.5 + 7.2 * n)


def _row(one: Measure, letters: dict[str, str], y: float) -> Iterator[str]:
    points = letters[one.red] + (f" {letters[one.black]}" if one.black in letters else "")
    yield f'<circle cx="{_LEGEND + 1.3:g}" cy="{y:g}" r="1.6" fill="{_RED}"/>'
    yield _text((_LEGEND + 1.3, y + 0.75), points[0], 2.1, color="#ffffff", more=' text-anchor="middle"')
    where = f"to {points[-1]}: " if len(points) > 1 else ""
    yield _text((_LEGEND + 4, y - 0.4), where + one.what.replace("`", ""), 1.65)
    yield _text((_LEGEND + 4, y + 2.4), one.expected, 2.4, more=' font-weight="bold"')


def table() -> str:
    """Return the picture of the kit at a table: seats are counted as the hands of a clock go, from the ring's notch."""
    x, y = _TABLE
    lines = [_text((0, -2), "6. The table, here for four", 3, more=' font-weight="bold"')]
    lines.append(f'<ellipse cx="{x:g}" cy="{y:g}" rx="42" ry="27" fill="#eef1f3" stroke="{OLD}" stroke-width="0.3"/>')
    lines += [_box(0, 32, 14, 42, "#5c6b7a"), _box(-2, 42, 16, 45, "#39434d"), _text((3, 49), "laptop", 2.2)]
    lines += [_line((15, 43.5), (38, 41), _BLACK, 0.8), _text((17, 41.5), "USB", 1.8)]
    lines.append(_curve((49, 37), "52 33", "52 30", (x - _RADIUS, y), OLD))
    for seat, (start, first, second, at) in enumerate(_FOUR):
        lines += [_curve(start, first, second, at, OLD), *_seat(at, seat)]
    lines += [_box(38, 36, 50, 46, NEW), _text((44, 41.8), "board", 2.2, more=' text-anchor="middle"')]
    lines += _ring_of_lamps(_TABLE)
    lines.append(f'<path d="M{x:g} {y + _RADIUS:g}l-1.2 2.4h2.4z" fill="{_BLACK}"/>')
    lines.append(_text((x + 2, y + _RADIUS + 2.4), "notch", 1.8))
    return _sheet("The kit at a table, from hardware/button_board", 64, lines)


def _seat(at: Point, seat: int) -> Iterator[str]:
    x, y = at
    yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{NEW}" stroke="#20262a" stroke-width="0.2"/>'
    yield _text((x, y + 0.95), str(seat + 1), 2.6, more=' text-anchor="middle"')


def _ring_of_lamps(at: Point) -> Iterator[str]:
    x, y = at
    away = _RADIUS - 1.2
    yield f'<circle cx="{x:g}" cy="{y:g}" r="{away:g}" fill="none" stroke="{NEW}" stroke-width="2.4"/>'
    for n in range(_LAMPS):
        turn = 2 * pi * n / _LAMPS
        left, top = x + away * sin(turn) - 0.5, y - away * cos(turn) - 0.5
        yield _box(left, top, left + 1, top + 1, "#ffffff")
    yield _text((x, y + 0.7), "ring", 2, more=' text-anchor="middle"')
