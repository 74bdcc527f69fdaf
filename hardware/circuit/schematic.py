"""Writes the schematic of the board as KiCad's file: each part once, each terminal with the name of its net."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hardware.circuit.copper import Point
from hardware.circuit.design import Design
from hardware.wiring.model import Device

_GRID: Final = 2.54
_FONT: Final = "(effects (font (size 1.27 1.27)))"


def _sides(design: Design, part: str) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """Return the pins at the left and the right of a symbol, from above."""
    pins = list(enumerate(design.pins[part], start=1))
    if len(pins) == 40:
        return pins[:20], pins[:19:-1]
    middle = (len(pins) + 1) // 2
    return (pins, []) if design.prefix[part] == "J" else (pins[:middle], pins[: middle - 1 : -1])


def size(design: Design, part: str) -> tuple[float, float]:
    """Return half the width and half the height of a symbol."""
    left, right = _sides(design, part)
    rows = max(len(left), len(right))
    return (12.7 if part == "pico" else 6 * _GRID / 2), (rows + 1) * _GRID / 2


def _ends(design: Design, part: str) -> Iterator[tuple[int, str, float, float, int]]:
    """Yield number, name and end of each pin (y up), and its direction."""
    half, high = size(design, part)
    top = high - _GRID
    for sign, pins, degrees in ((-1, _sides(design, part)[0], 0), (1, _sides(design, part)[1], 180)):
        for row, (number, name) in enumerate(pins):
            yield number, name, sign * (half + _GRID), top - row * _GRID, degrees


def _symbol(design: Design, part: str) -> Iterator[str]:
    half, high = size(design, part)
    yield f'    (symbol "croupier:{part}" (in_bom yes) (on_board yes)'
    for n, (key, value, y) in enumerate((("Reference", design.prefix[part], high + 1.27), ("Value", part, -high - 1.27),
                                         ("Footprint", "", 0.0), ("Datasheet", "", 0.0))):  # fmt: skip
        hide = " hide" if n > 1 else ""
        yield (f'      (property "{key}" "{value}" (id {n}) (at 0 {y:g} 0) '
               f"(effects (font (size 1.27 1.27)){hide}))")  # fmt: skip
    yield f'      (symbol "{part}_0_1" (rectangle (start {-half:g} {high:g}) (end {half:g} {-high:g})'
    yield "        (stroke (width 0.254) (type default) (color 0 0 0 0)) (fill (type background))))"
    yield f'      (symbol "{part}_1_1"'
    for number, name, x, y, degrees in _ends(design, part):
        yield (f'        (pin passive line (at {x:g} {y:g} {degrees}) (length {_GRID}) '
               f'(name "{name}" {_FONT}) (number "{number}" {_FONT}))')  # fmt: skip
    yield "      )"
    yield "    )"


def _placed(design: Design, device: Device, at: Point, net_of: dict[str, str]) -> Iterator[str]:
    kind, identity = design.kind(device.name), design.identity
    ref, (x, y), high = design.references[device.name], at, size(design, kind)[1]
    yield f'  (symbol (lib_id "croupier:{kind}") (at {x:g} {y:g} 0) (unit 1) (in_bom yes) (on_board yes)'
    yield f"    (uuid {identity('symbol', ref)})"
    values = (("Reference", ref, y - high - 1.27), ("Value", device.note or device.part, y + high + 1.27),
              ("Footprint", "", y), ("Datasheet", "", y))  # fmt: skip
    for n, (key, value, row) in enumerate(values):
        hide = " hide" if n > 1 else ""
        yield f'    (property "{key}" "{value}" (id {n}) (at {x:g} {row:g} 0) (effects (font (size 1.27 1.27)){hide}))'
    for number, *_ in _ends(design, kind):
        yield f'    (pin "{number}" (uuid {identity(ref, "pin", number)}))'
    yield "  )"
    for number, name, dx, dy, degrees in _ends(design, kind):
        end = f"{x + dx:g} {y - dy:g}"
        net = net_of.get(f"{device.name}.{name}")
        if net is None:
            yield f"  (no_connect (at {end}) (uuid {identity(ref, 'free', number)}))"
        else:
            turn, justify = (180, "right") if degrees == 0 else (0, "left")
            yield (f'  (global_label "{net}" (shape passive) (at {end} {turn}) '
                   f"(effects (font (size 1.27 1.27)) (justify {justify})) "
                   f"(uuid {identity(ref, 'label', number)}))")  # fmt: skip


def text(design: Design) -> str:
    """Return the file of the schematic."""
    net_of, references, identity = design.net_of, design.references, design.identity
    devices = [design.plan.devices[name] for name in design.symbols]
    lines = [
        "(kicad_sch (version 20211123) (generator croupier)",
        f"  (uuid {identity('schematic')})",
        f'  (paper "{design.sheet}")',
        f'  (title_block (title "{design.name}") (comment 1 "written by python -m {design.module}"))',
        "  (lib_symbols",
        *(line for part in sorted({design.kind(device.name) for device in devices}) for line in _symbol(design, part)),
        "  )",
        *(line for device in devices for line in _placed(design, device, design.symbols[device.name], net_of)),
        '  (sheet_instances (path "/" (page "1")))',
        "  (symbol_instances",
        *(f'    (path "/{identity("symbol", references[one.name])}" (reference "{references[one.name]}") (unit 1) '
          f'(value "{one.note or one.part}") (footprint ""))' for one in devices),
        "  )",
        ")",
    ]  # fmt: skip
    return "\n".join([*lines, ""])
