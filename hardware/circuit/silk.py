"""The ink on the front of a board, so that KiCad's file, the Gerber files and the picture show the same."""

from __future__ import annotations

from itertools import pairwise
from math import ceil, dist
from typing import Final

from hardware.circuit.copper import Board, Line, Pad, Point

WORDS_LINE: Final = 0.15
PARTS_LINE: Final = 0.12
_OPENING: Final = 0.06
"""By how much the opening of the mask is larger all round than its pad (mm): no maker prints into it."""
_STEP: Final = 0.05
_SHORTEST: Final = 0.2
"""A shorter piece of a line is not printed (mm)."""

_GLYPHS: Final = {
    "0": "00 40 46 06 00", "1": "15 26 20", "2": "05 16 36 45 44 00 40", "3": "06 46 23 42 41 30 10 01",
    "4": "30 36 02 42", "5": "46 06 04 34 43 41 30 00", "6": "36 16 04 01 10 30 41 42 33 03", "7": "06 46 10",
    "8": "13 04 05 16 36 45 44 33 13 02 01 10 30 41 42 33", "9": "10 30 45 46 06 03 43",
    "A": "00 04 26 44 40 42 02", "B": "00 06 36 45 44 33 03 33 42 41 30 00", "C": "45 36 16 05 01 10 30 41",
    "D": "00 06 26 44 42 20 00", "E": "46 06 00 40 00 03 33", "F": "46 06 00 03 33",
    "G": "45 36 16 05 01 10 30 41 43 23", "H": "00 06 03 43 46 40", "I": "20 26", "J": "01 10 30 41 46",
    "K": "06 00 02 46 13 40", "L": "06 00 40",
    "M": "00 06 23 46 40", "N": "00 06 40 46", "O": "10 01 05 16 36 45 41 30 10", "P": "00 06 36 45 44 33 03",
    "Q": "30 10 01 05 16 36 45 41 30 22 40", "R": "00 06 36 45 44 33 03 23 40",
    "S": "45 36 16 05 04 13 33 42 41 30 10 01",
    "T": "06 46 26 20", "U": "06 01 10 30 41 46", "V": "06 20 46", "W": "06 10 23 30 46", "X": "06 40 23 46 00",
    "Y": "06 23 46 23 20", "Z": "06 46 00 40", "+": "03 43 23 25 21", "-": "03 43", " ": "",
}  # fmt: skip
"""Corners of each letter's line on a grid of 4 x 6, column and row from below."""


def strokes(words: str, middle: Point, height: float) -> list[tuple[Point, Point]]:
    """Return the lines of a text (y down). Raises KeyError for a letter that has no drawing yet."""
    unit = height / 6
    left = middle[0] - (6 * len(words) - 2) * unit / 2
    found = []
    for n, letter in enumerate(words):
        corners = [(int(one[0]), int(one[1])) for one in _GLYPHS[letter].split()]
        at = [(round(left + (6 * n + x) * unit, 3), round(middle[1] + (3 - y) * unit, 3)) for x, y in corners]
        found += list(pairwise(at))
    return found


def ink(board: Board) -> list[tuple[Point, Point, float]]:
    """Return the lines on the front, with their widths: the parts and the words, with gaps where a pad is soldered."""
    lines = dict.fromkeys((min(line), max(line)) for part in board.parts if not part.is_back for line in part.lines)
    wide = [(line, PARTS_LINE) for line in lines]
    wide += [(line, WORDS_LINE) for words, at, height in board.words for line in strokes(words, at, height)]
    pads = [pad for pad in board.pads if "F.Cu" in pad.sides]
    return [(a, b, width) for line, width in wide for a, b in _beside(line, pads, _OPENING + width / 2)]


def _beside(line: Line, pads: list[Pad], away: float) -> list[Line]:
    """Return the pieces of a line that are so far away from all pads."""
    (ax, ay), (bx, by) = line
    n = max(1, ceil(dist(*line) / _STEP))
    points = [(round(ax + (bx - ax) * i / n, 3), round(ay + (by - ay) * i / n, 3)) for i in range(n + 1)]
    found: list[Line] = []
    begin = None
    for at, following in zip(points, [*points[1:], None], strict=True):
        is_free = all(pad.away(*at) >= away for pad in pads)
        if is_free and begin is None:
            begin = last = at
        elif is_free:
            last = at
        if begin is not None and (not is_free or following is None):
            if dist(begin, last) >= _SHORTEST:
                found.append((begin, last))
            begin = None
    return found
