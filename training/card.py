"""The model card: training data of the shipped model, and its accuracy on unseen sources.

`make train` measures, writes the figures (`MEASURED`) into the model's folder and makes the card from them. `python -m
training.card` makes the card anew.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cardsight import model
from training.measure import models, tables
from training.measure.judging import Scene
from training.photos import FOLDS, LICENSED

Row = dict[str, Any]
"""Figures of one source: ``source``, and the numbers of ``cards``, ``read``, ``unsure`` and ``wrong``."""

MEASURED = "measured.json"
GOALS = {
    "F1 of pictures of tables": 0.999,
    "single cards read, mean of the sources": 0.995,
    "single cards read, worst source": 0.98,
}


@dataclass(frozen=True)
class Record:
    """Content of the card. ``by_free``: figures of a model trained on freely licensed pictures only."""

    finder_steps: int
    base_steps: int
    reader_steps: int
    ships_free: bool
    by_all: list[Row]
    by_free: list[Row]
    remarks: Sequence[str] = ()

    def save(self, folder: Path) -> None:
        """Write the figures and the card into the folder of a model."""
        (folder / MEASURED).write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")
        write(folder)


def write(folder: Path = model.FOLDER) -> None:
    """Write the card of the model in a folder from its figures."""
    (folder / "card.md").write_text(text(folder), encoding="utf-8")


def read(
    judged: models.Judged, scenes: Sequence[Scene], heaps: Sequence[Scene]
) -> tuple[models.Calibrations, list[Row]]:
    """Read photographs by models that do not know their source, calibrated on other folds' readings.

    Returns the calibrations of a model, fitted to all of them, and the figures of each source.
    """
    readers, _, fitted = models.calibrated(judged, scenes, heaps)
    rows = [tables.summary(*one) for one in tables.by(models.read(readers, scenes), lambda r: r.scene.source).items()]
    return fitted, [{name: row[name] for name in ("source", "cards", "read", "unsure", "wrong")} for row in rows]


def totals(rows: Sequence[Row]) -> dict[str, float]:
    """Return the figures that `GOALS` asks for."""
    on_tables = [row for row in rows if row["source"] in tables.TABLES]
    singles = [row["read"] / row["cards"] for row in rows if row["source"] not in (*tables.TABLES, *tables.CLOSE)]
    cards, found, wrong = (sum(row[name] for row in on_tables) for name in ("cards", "read", "wrong"))
    f1 = 2 * found / max(1, cards + found + wrong)
    return dict(zip(GOALS, (f1, sum(singles) / max(1, len(singles)), min(singles, default=0.0)), strict=True))


def reaches_goals(rows: Sequence[Row]) -> bool:
    """True if the figures reach `GOALS`."""
    return all(totals(rows)[what] >= goal for what, goal in GOALS.items())


def text(folder: Path = model.FOLDER) -> str:
    """Return the card of the model in a folder, as Markdown."""
    record = Record(**json.loads((folder / MEASURED).read_text(encoding="utf-8")))
    figures = json.loads((folder / model.FIGURES).read_text(encoding="utf-8"))
    free = " and ".join(LICENSED)
    seen = f"the photographs of {free} (MIT)" if record.ships_free else "all photographs"
    left_out = "; ".join(", ".join(sources) for sources in FOLDS)
    others = {row["source"]: row for row in record.by_free}
    found, found_free = totals(record.by_all), totals(record.by_free)
    remarks = "".join(f"\n{remark}\n" for remark in record.remarks)
    lines = "".join(f"| {name} | {one['slope']} | {one['offset']} |\n" for name, one in figures.items())
    rows = "".join(_line(row, others.get(row["source"])) for row in record.by_all)
    wanted = "".join(f"| {what} | {found[what]:.2%} | {found_free[what]:.2%} | {GOALS[what]:.2%} |\n" for what in GOALS)
    return f"""# The model of the card reader

Made by `make train`. Four small networks (`training/nets.py`), in ONNX:

- **finder** (detector): {record.finder_steps} steps on drawn scenes; it has seen no photograph
- **reader** (classifier): {record.base_steps} steps on drawn cards, then {record.reader_steps} on photographed ones too
- **mark**: the marks for the color-blind, on drawn and photographed cards
- **corner**: the symbols in the printed corners, on drawn and photographed cards

The shipped model has learned from drawn cards and {seen}. The photographs are not part of the repository; most carry no
license.
{remarks}
## Calibration

Calibrated log odds of a face are slope · log odds + offset.

| cards | slope | offset |
|---|--:|--:|
{lines}
## How it reads what it has not seen

*All*: five models, each trained without the sources that it is measured on ({left_out}).
*Free*: one model, trained on drawn cards and on {free} only.

| source | cards | all: read | `?` | wrong | free: read | `?` | wrong |
|---|--:|--:|--:|--:|--:|--:|--:|
{rows}
| | all | free | wanted |
|---|--:|--:|--:|
{wanted}"""


def _line(row: Row, other: Row | None) -> str:
    figures = (str(r[name]) if r else "" for r in (row, other) for name in ("read", "unsure", "wrong"))
    return f"| {row['source']} | {row['cards']} | {' | '.join(figures)} |\n"


if __name__ == "__main__":
    write()
