"""The model card: what the model that ships has learned from, and how well it reads what it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from training import folds
from training.measure import models, tables
from training.measure.judging import Scene
from training.photos import FOLDS

Row = dict[str, Any]

GOALS = {
    "F1 of pictures of tables": 0.999,
    "single cards read, mean of the sources": 0.995,
    "single cards read, worst source": 0.98,
}


def read(judged: models.Judged, scenes: Sequence[Scene]) -> tuple[models.Line, list[Row]]:
    """Read photographs by models that do not know their source, calibrated on other folds' readings.

    Returns the line that calibrates a model on all of them, and the figures of each source.
    """
    readers, _, line = models.calibrated(judged, scenes)
    results = models.read(readers, scenes)
    return line, [tables.summary(source, some) for source, some in tables.by(results, lambda r: r.scene.source).items()]


def totals(rows: Sequence[Row]) -> dict[str, float]:
    """The figures that `GOALS` asks for."""
    on_tables = [row for row in rows if row["source"] in tables.TABLES]
    singles = [row["recall"] for row in rows if row["source"] not in (*tables.TABLES, *tables.CLOSE)]
    cards, found, wrong = (sum(row[name] for row in on_tables) for name in ("cards", "read", "wrong"))
    f1 = 2 * found / max(1, cards + found + wrong)
    return dict(zip(GOALS, (f1, sum(singles) / max(1, len(singles)), min(singles, default=0.0)), strict=True))


def reaches_goals(rows: Sequence[Row]) -> bool:
    """Whether the figures are as good as they were to be."""
    return all(totals(rows)[what] >= goal for what, goal in GOALS.items())


def text(course: folds.Course, by_all: Sequence[Row], by_free: Sequence[Row], *, ships_free: bool) -> str:
    """The card, as Markdown. ``by_free`` are the figures of the model trained on freely licensed pictures only."""
    free = " and ".join(folds.LICENSED)
    seen = f"the photographs of {free} (MIT)" if ships_free else "all photographs"
    left_out = "; ".join(", ".join(sources) for sources in FOLDS)
    others = {row["source"]: row for row in by_free}
    found, found_free = totals(by_all), totals(by_free)
    return f"""# The model of the card reader

Made by `make train`, which writes this page too. Four small networks (`training/nets.py`), in ONNX:

- **finder**: {course.finder_steps} steps on drawn scenes; it has seen no photograph
- **reader**: {course.base_steps} steps on drawn cards, then {course.reader_steps} on photographed ones too
- **mark**: the marks for the color-blind, on drawn and photographed cards
- **corner**: the symbols in the printed corners, on drawn and photographed cards

What ships has learned from drawn cards and {seen}. The photographs are not part of the repository; most carry no
license.

## How it reads what it has not seen

*All*: five models, each trained without the sources that it is measured on ({left_out}).
*Free*: one model, trained on drawn cards and on {free} only.

| source | cards | all: read | `?` | wrong | free: read | `?` | wrong |
|---|--:|--:|--:|--:|--:|--:|--:|
{chr(10).join(_line(row, others.get(row["source"])) for row in by_all)}

| | all | free | wanted |
|---|--:|--:|--:|
{chr(10).join(f"| {what} | {found[what]:.2%} | {found_free[what]:.2%} | {goal:.2%} |" for what, goal in GOALS.items())}
"""


def _line(row: Row, other: Row | None) -> str:
    figures = (str(r[name]) if r else "" for r in (row, other) for name in ("read", "unsure", "wrong"))
    return f"| {row['source']} | {row['cards']} | {' | '.join(figures)} |"
