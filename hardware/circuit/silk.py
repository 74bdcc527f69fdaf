"""Letters of the silk screen as strokes, so that KiCad's file and the Gerber files show the same."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from hardware.circuit.copper import Point

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
