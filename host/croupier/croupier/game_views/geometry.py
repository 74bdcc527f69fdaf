"""Geometry of what the page draws: the table as an oval seen from above, and the chart of the scores.

Seat 0 is at the bottom, the others follow clockwise. Lengths are units of the picture, `WIDTH` by `HEIGHT`, x right and
y down; angles are in degrees, clockwise from the right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import atan2, cos, degrees, hypot, radians, sin
from typing import Final

from croupier.game_views.signs import NOBODY, Mark, Sign, account_signs
from croupier.game_views.story import Moment, Story

WIDTH: Final = 1360
HEIGHT: Final = 900
MIDDLE: Final = (WIDTH / 2, HEIGHT / 2)

PLATES: Final = (550.0, 378.0)
"""Half axes of the oval on which the name plates of the seats stand; then those of the cards, lights, arrows."""
FANS: Final = (306.0, 208.0)
LIGHTS: Final = (404.0, 286.0)
ARROWS: Final = (246.0, 148.0)
ARROW_ENDS: Final = ((205.0, 250.0), (290.0, 335.0), (25.0, 70.0), (110.0, 155.0))
"""The angles from which and to which the arrows of a game to the left point."""

LAMPS: Final = 48
_MAX_FAN: Final = 14
"""Cards of a hand that are drawn; the plate shows their number."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place, and the rotation of what lies there (degrees)."""

    x: float
    y: float
    turn: float = 0.0


def seat_angle(seat: int, seats: int) -> float:
    """The angle of a seat; the next seat sits to its left."""
    return (90.0 + 360.0 * seat / seats) % 360.0


def on_oval(axes: tuple[float, float], angle: float) -> Spot:
    """The place at an angle on the oval with these half axes, facing the middle."""
    x, y = axes[0] * cos(radians(angle)), axes[1] * sin(radians(angle))
    return Spot(round(MIDDLE[0] + x, 1), round(MIDDLE[1] + y, 1), round(degrees(atan2(y, x)) - 90.0, 1))


def fan(seat: int, seats: int, cards: int) -> tuple[Spot, ...]:
    """The backs of a hand, side by side before the seat, the outer ones turned outward."""
    shown = min(cards, _MAX_FAN)
    middle = on_oval(FANS, seat_angle(seat, seats))
    step = min(19.0, min(118.0, 1000.0 / seats) / max(1, shown - 1))
    spots = []
    for i in range(shown):
        aside = (i - (shown - 1) / 2) * step
        droop = abs(aside) ** 2 / 520.0
        along, back = radians(middle.turn), radians(middle.turn + 90.0)
        spots.append(
            Spot(
                round(middle.x + aside * cos(along) + droop * cos(back), 1),
                round(middle.y + aside * sin(along) + droop * sin(back), 1),
                round(middle.turn + aside / 4.5, 1),
            )
        )
    return tuple(spots)


def _lamp_spots() -> tuple[Spot, ...]:
    # Evenly by arc length; even angles would crowd the lamps at the narrow ends.
    fine = [on_oval(LIGHTS, 360.0 * i / 1440) for i in range(1441)]
    way = [0.0]
    for a, b in pairwise(fine):
        way.append(way[-1] + hypot(b.x - a.x, b.y - a.y))
    spots, i = [], 0
    for lamp in range(LAMPS):
        while way[i] < way[-1] * lamp / LAMPS:
            i += 1
        spots.append(fine[i])
    return tuple(spots)


def lit_lamps(seat: int, seats: int) -> frozenset[int]:
    """The indices of the lamps before a seat."""
    place = on_oval(LIGHTS, seat_angle(seat, seats))
    near = sorted(range(LAMPS), key=lambda i: hypot(LAMP_SPOTS[i].x - place.x, LAMP_SPOTS[i].y - place.y))
    return frozenset(near[: max(3, LAMPS // (seats * 2))])


def arrow(start: float, end: float) -> str:
    """The SVG path of an arrow round the middle, from the angle ``start`` to ``end``."""
    a, b = on_oval(ARROWS, start), on_oval(ARROWS, end)
    return f"M{a.x} {a.y}A{ARROWS[0]} {ARROWS[1]} 0 0 {int(end > start)} {b.x} {b.y}"


LAMP_SPOTS: Final = _lamp_spots()
"""The lamps of the ring, evenly round the table."""


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """The totals of one account from left to right; ``end``: the place of the label; ``signs``: of its players.

    ``dash``: lengths of strokes and gaps as in SVG; empty: a solid line.
    """

    name: str
    points: tuple[tuple[float, float], ...]
    end: Spot
    total: int
    dash: str
    signs: tuple[Sign, ...]

    @property
    def path(self) -> str:
        """The points as an SVG path."""
        return "M" + "L".join(f"{x} {y}" for x, y in self.points)


@dataclass(frozen=True, slots=True)
class ScoreChart:
    """The totals after each round; ``grid``: points and their y, ``rounds``: round numbers and their x."""

    width: int
    height: int
    lines: tuple[ScoreLine, ...]
    grid: tuple[tuple[int, float], ...]
    rounds: tuple[tuple[int, float], ...]


_CHART: Final = (460, 300)  # as wide as a phone's page, so that its letters are not drawn smaller
_MARGIN: Final = (44.0, 150.0, 18.0, 34.0)  # left, right, top, bottom
_DASHES: Final = ("", "9 5", "2 4", "12 4 2 4", "5 3", "1 5", "14 6", "7 2 2 2", "3 3", "10 2")
"""Color is never the only sign."""

_MAX_NUMBERS: Final = 16


def score_chart(story: Story, moment: Moment, known: Mapping[str, Mark] = NOBODY) -> ScoreChart | None:
    """The chart of the rounds counted by then; ``None`` before the first. ``known``: the marks of people."""
    rounds = story.scores_at(moment)
    if not rounds:
        return None
    left, right, top, bottom = _MARGIN
    width, height = _CHART
    totals = [(0,) * len(story.accounts), *(score.totals for score in rounds)]
    most = max(max(row) for row in totals) or 1
    step = next(step for step in (10, 20, 50, 100, 200, 500, 1000, 5000) if most / step <= 5 or step == 5000)

    def x(i: int) -> float:
        return round(left + (width - left - right) * i / (len(totals) - 1), 1)

    def y(points: float) -> float:
        return round(height - bottom - (height - top - bottom) * points / max(most, step), 1)

    signs = account_signs(story.header.seats, story.header.teams, known)
    ends = _spread([y(total) for total in totals[-1]])
    lines = tuple(
        ScoreLine(
            name,
            tuple((x(i), y(row[account])) for i, row in enumerate(totals)),
            Spot(x(len(totals) - 1) + 10, ends[account]),
            totals[-1][account],
            _DASHES[account % len(_DASHES)],
            signs[account],
        )
        for account, name in enumerate(story.accounts)
    )
    grid = tuple((points, y(points)) for points in range(0, max(most, step) + 1, step))
    numbered = range(0, len(totals), -(-len(totals) // _MAX_NUMBERS))
    return ScoreChart(width, height, lines, grid, tuple((i, x(i)) for i in numbered))


def _spread(places: Sequence[float], least: float = 22.0) -> list[float]:
    """The places of labels, moved apart where labels would overlap."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    moved = list(places)
    for above, below in pairwise(order):
        moved[below] = max(moved[below], moved[above] + least)
    lowest = _CHART[1] - 8.0
    for i in reversed(order):
        moved[i] = min(moved[i], lowest)
        lowest = moved[i] - least
    return [round(place, 1) for place in moved]
