"""The totals after each round as a chart, for the page and for paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from croupier.web.geometry import Spot
from croupier.web.story import Moment, Story


@dataclass(frozen=True, slots=True)
class Line:
    """One account in the chart of the scores: its points from left to right, and where its end is labeled.

    ``dash``: lengths of strokes and gaps, as SVG has them; empty: a whole line.
    """

    name: str
    points: tuple[tuple[float, float], ...]
    end: Spot
    total: int
    dash: str

    @property
    def path(self) -> str:
        """The points as a path of SVG."""
        return "M" + "L".join(f"{x} {y}" for x, y in self.points)


@dataclass(frozen=True, slots=True)
class Chart:
    """The scores over the rounds; ``grid``: points and their height, ``rounds``: numbers and their place."""

    width: int
    height: int
    lines: tuple[Line, ...]
    grid: tuple[tuple[int, float], ...]
    rounds: tuple[tuple[int, float], ...]


_CHART: Final = (640, 300)
_MARGIN: Final = (44.0, 150.0, 18.0, 34.0)  # left, right, top, bottom
_DASHES: Final = ("", "9 5", "2 4", "12 4 2 4", "5 3", "1 5", "14 6", "7 2 2 2", "3 3", "10 2")
"""No line is known by its color alone."""

_MOST_NUMBERS: Final = 16


def chart(story: Story, moment: Moment) -> Chart | None:
    """The chart of the rounds counted by then; ``None`` while there is none."""
    rounds = story.scores_at(moment)
    if not rounds:
        return None
    left, right, top, bottom = _MARGIN
    width, height = _CHART
    totals = [(0,) * len(story.accounts), *(scored.totals for scored in rounds)]
    most = max(max(row) for row in totals) or 1
    step = next(step for step in (10, 20, 50, 100, 200, 500, 1000, 5000) if most / step <= 5 or step == 5000)

    def x(i: int) -> float:
        return round(left + (width - left - right) * i / (len(totals) - 1), 1)

    def y(points: float) -> float:
        return round(height - bottom - (height - top - bottom) * points / max(most, step), 1)

    ends = _apart([y(total) for total in totals[-1]])
    lines = tuple(
        Line(
            name,
            tuple((x(i), y(row[account])) for i, row in enumerate(totals)),
            Spot(x(len(totals) - 1) + 10, ends[account]),
            totals[-1][account],
            _DASHES[account % len(_DASHES)],
        )
        for account, name in enumerate(story.accounts)
    )
    grid = tuple((points, y(points)) for points in range(0, max(most, step) + 1, step))
    numbered = range(0, len(totals), -(-len(totals) // _MOST_NUMBERS))
    return Chart(width, height, lines, grid, tuple((i, x(i)) for i in numbered))


def _apart(places: Sequence[float], least: float = 17.0) -> list[float]:
    """The places of labels, pushed apart where they would lie on each other."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    moved = list(places)
    for above, below in pairwise(order):
        moved[below] = max(moved[below], moved[above] + least)
    overhang = max(0.0, moved[order[-1]] - (_CHART[1] - 8)) if order else 0.0
    return [round(place - overhang, 1) for place in moved]
