"""Drawn faces that no reader has learned: random signs for fitting, and an invented deck for measuring only.

Both are drawn in random prints. No sign of one is a sign of the other.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from croupier_rules.cards import COLORS
from croupier_sim.drawing import Part, Style, draw_sign
from croupier_sim.shapes import Shape, box, glyph, oval, star, stroke, turned
from training.cards import style
from training.photometry import Array, Random

_KNOWN: Final = ("card", "skip", "reverse", "wheel", "+1", "+2", "+3", "+5", "+8")
"""Shapes of real cards, in arrangements that no deck has."""


def drawn(rng: Random, width_px: int = 240) -> Array:
    """Draw a card with a random sign."""
    print_, color = style(rng), str(rng.choice([*COLORS, "wild"], p=[0.18] * 4 + [0.28]))
    parts = _random_parts(rng, print_)
    corner = parts[0][0] if rng.random() < 0.85 else _scribble(rng)
    return draw_sign(
        color, parts, corner, print_, wild_emblem=str(rng.choice(["oval", "wheel", "none"])), width_px=width_px
    )


def invented(rng: Random, name: str, color: str, width_px: int = 240) -> Array:
    """Draw a face of the invented deck: one of `INVENTED`, ``color`` one of `COLORS` or ``wild``."""
    sign = INVENTED[name]
    emblem = str(rng.choice(["oval", "wheel", "none"]))
    return draw_sign(color, [(sign, 0.95, 0.6, 0.0)], sign, style(rng), wild_emblem=emblem, width_px=width_px)


def _random_parts(rng: Random, print_: Style) -> list[Part]:
    dice = rng.random()
    if dice < 0.3:
        return [(_scribble(rng), 1.0, 0.6, 0.0)]
    if dice < 0.55:
        return [(_figure(rng), 1.0, 0.6, 0.0)]
    if dice < 0.67:
        return [(_number(rng, print_), 0.75, 0.0, 0.0)]
    if dice < 0.75:
        return [(f"+{rng.choice([1, 3, 5, 6, 7, 8, 9])}", 0.7, 0.0, 0.0)]
    names = [str(name) for name in rng.choice(_KNOWN, int(rng.integers(1, 4)))]
    if len(names) == 1:
        names *= int(rng.integers(2, 4))
    return [
        (name, float(rng.uniform(0.4, 0.65)), float(rng.uniform(-8, 8)), float(y))
        for name, y in zip(names, np.linspace(-13, 13, len(names)), strict=True)
    ]


def _scribble(rng: Random) -> Shape:
    """Return two or three lines with corners: a letter of no alphabet."""
    lines = [rng.uniform(-0.45, 0.45, (int(rng.integers(2, 5)), 2)) for _ in range(int(rng.integers(2, 4)))]
    return tuple(stroke(line, np.ones(2) * rng.uniform(0.12, 0.22)) for line in lines)


def _figure(rng: Random) -> Shape:
    """Return a star, a polygon, a ring with a dot, or dots."""
    match int(rng.integers(4)):
        case 0:
            return (
                turned(star(int(rng.integers(3, 9)), 0.5, float(rng.uniform(0.15, 0.4))), float(rng.uniform(0, 360))),
            )
        case 1:
            angles = np.sort(rng.uniform(0, 2 * np.pi, int(rng.integers(3, 8))))
            return (np.stack([np.cos(angles), np.sin(angles)], 1) * rng.uniform(0.25, 0.5, (len(angles), 1)),)
        case 2:
            pen = float(rng.uniform(0.1, 0.25))
            round_ = oval(0.5 - pen / 2, 0.5 - pen / 2)
            dot = oval(float(rng.uniform(0.05, 0.18)), float(rng.uniform(0.05, 0.18)))
            return stroke(np.vstack([round_, round_[:1]]), np.ones(2) * pen), dot
        case _:
            radii = rng.uniform(0.08, 0.2, (int(rng.integers(2, 6)), 2))
            return tuple(oval(float(x), float(y)) + rng.uniform(-0.4, 0.4, 2) for x, y in radii)


def _number(rng: Random, print_: Style) -> Shape:
    """Return a number of two digits."""
    digits = enumerate(str(rng.integers(10, 100)))
    family, weight = print_.family, print_.weight * 0.85
    return tuple(
        part + (0.76 * (n - 0.5), 0.0) for n, char in digits for part in glyph(char, family, weight, print_.slant)
    )


def _lines(pen: float, *lines: tuple[tuple[float, float], ...]) -> Shape:
    return tuple(stroke(np.array(line), np.ones(2) * pen) for line in lines)


def _polygon(*points: tuple[float, float]) -> Shape:
    return (np.array(points),)


def _heart() -> Shape:
    t = np.linspace(0, 2 * np.pi, 60)[:-1]
    y = (13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t)) / 32
    return (np.stack([0.5 * np.sin(t) ** 3, -y], 1),)


_ROUND: Final = oval(0.22, 0.22)
INVENTED: Final[dict[str, Shape]] = {
    "heart": _heart(),
    "bolt": _polygon((0.1, -0.5), (-0.3, 0.1), (-0.03, 0.1), (-0.12, 0.5), (0.3, -0.12), (0.03, -0.12)),
    "hourglass": _polygon((-0.35, -0.5), (0.35, -0.5), (0.05, 0), (0.35, 0.5), (-0.35, 0.5), (-0.05, 0)),
    "crown": _polygon((-0.5, 0.4), (-0.5, -0.3), (-0.25, 0), (0, -0.45), (0.25, 0), (0.5, -0.3), (0.5, 0.4)),
    "up": _polygon((0, -0.5), (0.4, 0), (0.15, 0), (0.15, 0.5), (-0.15, 0.5), (-0.15, 0), (-0.4, 0)),
    "cross": _lines(0.2, ((-0.42, -0.42), (0.42, 0.42)), ((-0.42, 0.42), (0.42, -0.42))),
    "moon": (np.vstack([oval(0.5, 0.5)[30:91], (oval(0.38, 0.48) + (-0.02, 0))[30:91][::-1]]),),
    "drop": (np.vstack([[(0, -0.5)], oval(0.33, 0.33)[0:61] + (0, 0.15)]),),
    "exclamation": (box(0.2, 0.6) + (0, -0.18), oval(0.12, 0.12) + (0, 0.38)),
    "question": (
        stroke(np.vstack([_ROUND[60:120] + (0, -0.25), _ROUND[0:30] + (0, -0.25), [(0, 0.18)]]), np.ones(2) * 0.14),
        oval(0.09, 0.09) + (0, 0.4),
    ),
    "eye": (oval(0.5, 0.28),),
    "dice": tuple(oval(0.1, 0.1) + at for at in ((-0.32, -0.32), (0.32, -0.32), (0, 0), (-0.32, 0.32), (0.32, 0.32))),
    "M": _lines(0.17, ((-0.4, 0.5), (-0.4, -0.5), (0, 0.2), (0.4, -0.5), (0.4, 0.5))),
    "K": _lines(0.17, ((-0.3, -0.5), (-0.3, 0.5)), ((0.35, -0.5), (-0.25, 0.02), (0.35, 0.5))),
    "exchange": (
        *_lines(0.14, ((-0.4, -0.2), (0.3, -0.2)), ((0.4, 0.25), (-0.3, 0.25))),
        *_polygon((0.25, -0.4), (0.5, -0.2), (0.25, 0)),
        *_polygon((-0.25, 0.05), (-0.5, 0.25), (-0.25, 0.45)),
    ),
    "x2": (
        *_lines(0.15, ((-0.6, -0.3), (-0.15, 0.3)), ((-0.6, 0.3), (-0.15, -0.3))),
        *(part * 0.9 + (0.4, 0) for part in glyph("2", "grotesk", 0.2)),
    ),
}
"""The signs of the invented deck."""
