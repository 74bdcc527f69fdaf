"""Writes the schematic of the board as KiCad's file: each part once, each terminal with the name of its net."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hardware.button_board import wiring
from hardware.button_board.kicad import NAME, identity, reference
from hardware.button_board.layout import PINS
from hardware.wiring.model import Device, Plan
from tablewire.pins import SEATS

_GRID: Final = 2.54
_FONT: Final = "(effects (font (size 1.27 1.27)))"
_PAGE: Final = identity("schematic")
PREFIX: Final = {"pico": "U", "one-buffer": "U", "jst-2": "J", "jst-3": "J", "smd-suppressor": "D",
                 "service-button": "SW", "smd-1k": "R", "smd-330": "R", "ptc-fuse": "F", "smd-10n": "C",
                 "smd-100n": "C", "smd-10u": "C"}  # fmt: skip


def _sides(part: str) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """Return the pins at the left and the right of a symbol, from above."""
    pins = list(enumerate(PINS[part], start=1))
    if len(pins) == 40:
        return pins[:20], pins[:19:-1]
    middle = (len(pins) + 1) // 2
    return (pins, []) if part.startswith("jst") else (pins[:middle], pins[: middle - 1 : -1])


def _size(part: str) -> tuple[float, float]:
    """Return half the width and half the height of a symbol."""
    left, right = _sides(part)
    rows = max(len(left), len(right))
    return (12.7 if part == "pico" else 6 * _GRID / 2), (rows + 1) * _GRID / 2


def _ends(part: str) -> Iterator[tuple[int, str, float, float, int]]:
    """Yield number, name and end of each pin (y up), and its direction."""
    half, high = _size(part)
    top = high - _GRID
    for sign, pins, degrees in ((-1, _sides(part)[0], 0), (1, _sides(part)[1], 180)):
        for row, (number, name) in enumerate(pins):
            yield number, name, sign * (half + _GRID), top - row * _GRID, degrees


def _symbol(part: str) -> Iterator[str]:
    half, high = _size(part)
    yield f'    (symbol "croupier:{part}" (in_bom yes) (on_board yes)'
    for n, (key, value, y) in enumerate((("Reference", PREFIX[part], high + 1.27), ("Value", part, -high - 1.27),
                                         ("Footprint", "", 0.0), ("Datasheet", "", 0.0))):  # fmt: skip
        hide = " hide" if n > 1 else ""
        yield (f'      (property "{key}" "{value}" (id {n}) (at 0 {y:g} 0) '
               f"(effects (font (size 1.27 1.27)){hide}))")  # fmt: skip
    yield f'      (symbol "{part}_0_1" (rectangle (start {-half:g} {high:g}) (end {half:g} {-high:g})'
    yield "        (stroke (width 0.254) (type default) (color 0 0 0 0)) (fill (type background))))"
    yield f'      (symbol "{part}_1_1"'
    for number, name, x, y, degrees in _ends(part):
        yield (f'        (pin passive line (at {x:g} {y:g} {degrees}) (length {_GRID}) '
               f'(name "{name}" {_FONT}) (number "{number}" {_FONT}))')  # fmt: skip
    yield "      )"
    yield "    )"


def _places() -> dict[str, tuple[float, float]]:
    """Return the middle of each symbol: the Pico at the left, a row for each seat at the right."""
    found = {"Pico": (60.96, 99.06), "fuse": (50.8, 182.88), "C 5V": (50.8, 198.12), "shifter": (101.6, 182.88),
             "C shifter": (101.6, 198.12), "R ring": (152.4, 182.88), "socket ring": (203.2, 182.88),
             "service": (152.4, 198.12)}  # fmt: skip
    for seat in range(SEATS):
        y = 25.4 + 15.24 * seat
        for n, kind in enumerate(("C seat", "R seat", "TVS", "socket")):
            found[f"{kind} {seat}"] = (127.0 + 45.72 * n, y)
    return found


def _placed(device: Device, at: tuple[float, float], net_of: dict[str, str]) -> Iterator[str]:
    ref, (x, y), high = reference(device.name), at, _size(device.part)[1]
    yield f'  (symbol (lib_id "croupier:{device.part}") (at {x:g} {y:g} 0) (unit 1) (in_bom yes) (on_board yes)'
    yield f"    (uuid {identity('symbol', ref)})"
    values = (("Reference", ref, y - high - 1.27), ("Value", device.note or device.part, y + high + 1.27),
              ("Footprint", "", y), ("Datasheet", "", y))  # fmt: skip
    for n, (key, value, row) in enumerate(values):
        hide = " hide" if n > 1 else ""
        yield f'    (property "{key}" "{value}" (id {n}) (at {x:g} {row:g} 0) (effects (font (size 1.27 1.27)){hide}))'
    for number, *_ in _ends(device.part):
        yield f'    (pin "{number}" (uuid {identity(ref, "pin", number)}))'
    yield "  )"
    for number, name, dx, dy, degrees in _ends(device.part):
        end = f"{x + dx:g} {y - dy:g}"
        net = net_of.get(f"{device.name}.{name}")
        if net is None:
            yield f"  (no_connect (at {end}) (uuid {identity(ref, 'free', number)}))"
        else:
            turn, justify = (180, "right") if degrees == 0 else (0, "left")
            yield (f'  (global_label "{net}" (shape passive) (at {end} {turn}) '
                   f"(effects (font (size 1.27 1.27)) (justify {justify})) "
                   f"(uuid {identity(ref, 'label', number)}))")  # fmt: skip


def text(plan: Plan) -> str:
    """Return the file of the schematic."""
    net_of = {place: name for name, places in wiring.board_nets(plan).items() for place in places}
    places = _places()
    devices = [plan.devices[name] for name in places]
    lines = [
        "(kicad_sch (version 20211123) (generator croupier)",
        f"  (uuid {_PAGE})",
        '  (paper "A4")',
        f'  (title_block (title "{NAME}") (comment 1 "written by python -m hardware.button_board"))',
        "  (lib_symbols",
        *(line for part in sorted({device.part for device in devices}) for line in _symbol(part)),
        "  )",
        *(line for device in devices for line in _placed(device, places[device.name], net_of)),
        '  (sheet_instances (path "/" (page "1")))',
        "  (symbol_instances",
        *(f'    (path "/{identity("symbol", reference(one.name))}" (reference "{reference(one.name)}") (unit 1) '
          f'(value "{one.note or one.part}") (footprint ""))' for one in devices),
        "  )",
        ")",
    ]  # fmt: skip
    return "\n".join([*lines, ""])
