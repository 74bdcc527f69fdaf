"""Writes the board as a KiCad project (format of KiCad 6, which newer ones read), and reads its board again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from hardware.circuit.copper import SIDES, Board, Pad, Part, Track, Via, turned
from hardware.circuit.design import RULES, Design
from hardware.circuit.silk import ink

EDGE_LINE: Final = 0.1


def _n(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".") if round(value, 4) else "0"


def _xy(at: tuple[float, float]) -> str:
    return f"{_n(at[0])} {_n(at[1])}"


def board_text(design: Design, board: Board) -> str:
    """Return the file of the board."""
    identity = design.identity
    nets = ["", *sorted({pad.net for pad in board.pads if pad.net})]
    number = {net: n for n, net in enumerate(nets)}
    lines = [
        "(kicad_pcb (version 20211014) (generator croupier)",
        "  (general (thickness 1.6))",
        '  (paper "A4")',
        "  (layers",
        *(f"    ({n} {words})" for n, words in (
            (0, '"F.Cu" signal'), (31, '"B.Cu" signal'), (34, '"B.Paste" user'), (35, '"F.Paste" user'),
            (36, '"B.SilkS" user "B.Silkscreen"'), (37, '"F.SilkS" user "F.Silkscreen"'), (38, '"B.Mask" user'),
            (39, '"F.Mask" user'), (44, '"Edge.Cuts" user'), (46, '"B.CrtYd" user "B.Courtyard"'),
            (47, '"F.CrtYd" user "F.Courtyard"'), (48, '"B.Fab" user'), (49, '"F.Fab" user'))),
        "  )",
        "  (setup (pad_to_mask_clearance 0.05))",
        *(f'  (net {n} "{net}")' for n, net in enumerate(nets)),
        *(line for part in board.parts for line in _footprint(design, part, number)),
        *(line for n, hole in enumerate(board.holes) for line in _hole(design, n, *hole)),
        *(f'  (gr_line (start {_xy(a)}) (end {_xy(b)}) (layer "Edge.Cuts") (width {EDGE_LINE}) '
          f"(tstamp {identity('edge', a, b)}))" for a, b in edges(board)),
        *(f'  (gr_line (start {_xy(a)}) (end {_xy(b)}) (layer "F.SilkS") (width {width}) '
          f"(tstamp {identity('silk', n)}))" for n, (a, b, width) in enumerate(ink(board))),
        *(f'  (segment (start {_xy(one.a)}) (end {_xy(one.b)}) (width {_n(one.width)}) (layer "{one.side}") '
          f"(net {number[one.net]}) (tstamp {identity('track', n)}))" for n, one in enumerate(board.tracks)),
        *(f'  (via (at {_xy(one.at)}) (size {_n(one.size)}) (drill {_n(one.drill)}) (layers "F.Cu" "B.Cu") '
          f"(net {number[one.net]}) (tstamp {identity('via', n)}))" for n, one in enumerate(board.vias)),
        *(line for side in SIDES for line in _zone(design, board, side, number["GND"])),
        ")",
    ]  # fmt: skip
    return "\n".join([*lines, ""])


def has_room(part: Part) -> bool:
    """Return whether a part stands on the board; others are the ends of wires."""
    return part.body[0] < part.body[2]


def edges(board: Board) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Return the lines of the outline."""
    w, h = board.size
    corners = [(0.0, 0.0), (w, 0.0), (w, h), (0.0, h)]
    return list(zip(corners, [*corners[1:], corners[0]], strict=True))


def _footprint(design: Design, part: Part, number: dict[str, int]) -> Iterator[str]:
    ref, (pads, body, drawn, _) = design.references[part.name], design.footprints[part.footprint]
    identity, marks = design.identity, design.marks.get(part.footprint, ())
    is_smd = not any(pad.drill for pad in pads)
    turn = f" {part.degrees}" if part.degrees else ""
    font = "(effects (font (size 0.8 0.8) (thickness 0.12)))"
    yield f'  (footprint "croupier:{part.footprint}" (layer "F.Cu") (tstamp {identity(ref)})'
    yield f"    (at {_xy(part.at)}{turn})"
    yield f'    (path "/{identity("symbol", ref)}")'
    yield f"    (attr {'smd' if is_smd else 'through_hole'})"
    yield f'    (fp_text reference "{ref}" (at 0 0{turn}) (layer "F.Fab") {font} (tstamp {identity(ref, "ref")}))'
    yield f'    (fp_text value "{part.value}" (at 0 1{turn}) (layer "F.Fab") hide {font} (tstamp {identity(ref, "v")}))'
    # The boxes of neighbors may touch: KiCad takes courtyards that share an edge for an overlap.
    court = (body[0] + 0.01, body[1] + 0.01, body[2] - 0.01, body[3] - 0.01)
    front = "B" if part.is_back else "F"
    layers = [(f"{front}.Fab", drawn, 0.1)] if has_room(part) else []
    if layers and not part.raised:  # others lie below what stands in sockets
        layers.append((f"{front}.CrtYd", court, 0.05))
    for layer, (ax, ay, bx, by), width in layers:
        corners = ((ax, ay), (bx, ay), (bx, by), (ax, by))
        for n, (a, b) in enumerate(zip(corners, (*corners[1:], corners[0]), strict=True)):
            yield (f'    (fp_line (start {_xy(a)}) (end {_xy(b)}) (layer "{layer}") (width {width}) '
                   f"(tstamp {identity(ref, layer, n)}))")  # fmt: skip
    for n, (a, b) in enumerate(marks):
        yield (f'    (fp_line (start {_xy(a)}) (end {_xy(b)}) (layer "F.Fab") (width 0.1) '
               f"(tstamp {identity(ref, 'F.Fab', 'mark', n)}))")  # fmt: skip
    for n, (pad, placed) in enumerate(zip(pads, part.pads, strict=True)):
        kind = f"thru_hole {pad.shape}" if pad.drill else f"smd {pad.shape}"
        drill = f" (drill {_n(pad.drill)})" if pad.drill else ""
        layer_names = '"*.Cu" "*.Mask"' if pad.drill else '"F.Cu" "F.Paste" "F.Mask"'
        net = f' (net {number[placed.net]} "{placed.net}")' if placed.net else ""
        solid = " (zone_connect 2)" if placed.is_solid else ""
        yield (f'    (pad "{pad.number}" {kind} (at {_xy(pad.at)}{turn}) (size {_xy(pad.size)}){drill} '
               f"(layers {layer_names}){net}{solid} (tstamp {identity(ref, 'pad', n)}))")  # fmt: skip
    yield "  )"


def _hole(design: Design, n: int, at: tuple[float, float], size: float) -> Iterator[str]:
    yield f'  (footprint "croupier:hole" (layer "F.Cu") (tstamp {design.identity("hole", n)})'
    yield f"    (at {_xy(at)})"
    yield "    (attr exclude_from_pos_files exclude_from_bom)"
    yield (f'    (fp_text reference "H{n + 1}" (at 0 0) (layer "F.Fab") '
           "(effects (font (size 0.8 0.8) (thickness 0.12))))")  # fmt: skip
    yield (f'    (pad "" np_thru_hole circle (at 0 0) (size {_n(size)} {_n(size)}) (drill {_n(size)}) '
           '(layers "*.Cu" "*.Mask"))')  # fmt: skip
    yield "  )"


def _points(ring: tuple[tuple[float, float], ...]) -> str:
    return " ".join(f"(xy {_xy(at)})" for at in ring)


def _zone(design: Design, board: Board, side: str, net: int) -> Iterator[str]:
    w, h = board.size
    outline = ((0.5, 0.5), (w - 0.5, 0.5), (w - 0.5, h - 0.5), (0.5, h - 0.5))
    identity = design.identity("zone", side)
    yield f'  (zone (net {net}) (net_name "GND") (layer "{side}") (tstamp {identity}) (hatch edge 0.508)'
    yield "    (connect_pads (clearance 0.25)) (min_thickness 0.25)"
    yield "    (fill yes (thermal_gap 0.3) (thermal_bridge_width 0.5) (island_removal_mode 1) (island_area_min 1))"
    yield f"    (polygon (pts {_points(outline)}))"
    for ring in board.pours.get(side, ()):
        yield f'    (filled_polygon (layer "{side}") (pts {_points(ring)}))'
    yield "  )"


def project_text(design: Design) -> str:
    """Return the file of the project: the rules that KiCad checks by."""
    rules = {**RULES, "allow_blind_buried_vias": False, "allow_microvias": False}
    netclass = {"name": "Default", "clearance": 0.2, "track_width": 0.3, "via_diameter": 0.6, "via_drill": 0.3}
    project = {
        "board": {"design_settings": {"rules": rules, "meta": {"version": 2}}},
        "meta": {"filename": f"{design.name}.kicad_pro", "version": 1},
        "net_settings": {"classes": [netclass], "meta": {"version": 2}},
    }
    return json.dumps(project, indent=2) + "\n"


def parsed(text: str) -> list[Any]:
    """Return an S-expression as nested lists of words."""
    stack: list[list[Any]] = [[]]
    for quoted, mark, word in re.findall(r'"([^"]*)"|([()])|([^\s()"]+)', text):
        if mark == "(":
            stack.append([])
        elif mark == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(word or quoted)
    (found,) = stack[0]
    return list(found)


def _all(node: list[Any], name: str) -> list[list[Any]]:
    return [one for one in node if isinstance(one, list) and one and one[0] == name]


def _get(node: list[Any], name: str) -> list[Any]:
    (found,) = _all(node, name)
    return found[1:]


def _at(node: list[Any], name: str) -> tuple[float, float]:
    x, y = _get(node, name)[:2]
    return float(x), float(y)


def read(text: str) -> Board:
    """Return the copper, holes and outline of a board file, whoever wrote it. Silk screen and bodies are left out."""
    root = parsed(text)
    nets = {one[1]: one[2] for one in _all(root, "net")}
    parts, holes = [], []
    for footprint in _all(root, "footprint"):
        x, y, *angle = (float(one) for one in _get(footprint, "at"))
        degrees = round(angle[0]) if angle else 0
        pads = []
        for pad in _all(footprint, "pad"):
            dx, dy = turned(_at(pad, "at"), degrees)
            w, h = _at(pad, "size")
            at = round(x + dx, 4), round(y + dy, 4)
            if pad[2] == "np_thru_hole":
                holes.append((at, w))
                continue
            drill = float(_get(pad, "drill")[0]) if pad[2] == "thru_hole" else 0.0
            size = (w, h) if degrees % 180 == 0 else (h, w)
            net = _get(pad, "net")[1] if _all(pad, "net") else ""
            pads.append(Pad(pad[1], at, size, pad[3], drill, net, bool(_all(pad, "zone_connect"))))
        ref = next(one[2] for one in _all(footprint, "fp_text") if one[1] == "reference")
        if pads:
            parts.append(Part(ref, footprint[1].rpartition(":")[2], "", (x, y), degrees, tuple(pads), (), (0, 0, 0, 0)))
    tracks = tuple(
        Track(nets[_get(one, "net")[0]], _get(one, "layer")[0], _at(one, "start"), _at(one, "end"),
              float(_get(one, "width")[0])) for one in _all(root, "segment")
    )  # fmt: skip
    vias = tuple(
        Via(nets[_get(one, "net")[0]], _at(one, "at"), float(_get(one, "size")[0]), float(_get(one, "drill")[0]))
        for one in _all(root, "via")
    )
    pours = {
        _get(zone, "layer")[0]: tuple(
            tuple((float(x), float(y)) for _, x, y in _get(one, "pts")) for one in _all(zone, "filled_polygon")
        ) for zone in _all(root, "zone")
    }  # fmt: skip
    outline = [_at(one, end) for one in _all(root, "gr_line") if _get(one, "layer")[0] == "Edge.Cuts"
               for end in ("start", "end")]  # fmt: skip
    size = max(x for x, _ in outline), max(y for _, y in outline)
    return Board(size, tuple(parts), tuple(holes), tracks, vias, pours)
