"""The model card: what the model was made of, by which recipe, and how it reads sources that it has not learned from.

`make train` writes the record (`RECORD`) into the model's folder and makes the card from it. `python -m training.card`
measures the shipped model on the photographs again and makes its card again.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from cardsight import model
from cardsight import novelty as novelties
from cardsight.reader import Reader
from training.measure import models, tables
from training.measure.sets import photographs
from training.photos import DRAWN_ON, PHOTOS, Photo, load

Row = dict[str, Any]
"""Figures of one source: ``source``, and the numbers of ``cards``, ``read``, ``unsure`` and ``wrong``."""

RECORD = "record.json"
CARD = "card.md"
FILES = (*(f"{network}.onnx.gz" for network in model.NETWORKS), novelties.FILE, model.FIGURES)
"""The files of a model."""
WEIGHTS = ("What lowers the log odds of a free card",)
"""Titles of `model.WEIGHTS`."""
GOALS = {
    "F1 of pictures of tables": 0.999,
    "single cards read, mean of the sources": 0.995,
    "single cards read, worst source": 0.98,
}


@dataclass(frozen=True)
class Record:
    """What is known of a model.

    ``recipe`` and ``photographs``: hashes (`training.recipe`). ``learned``: sources of the photographs that it has
    learned from. ``files``: the hash of each. ``rows``: figures of the other sources. ``spread``: by seed, the figures
    of the models that this recipe makes from it.
    """

    recipe: str
    commit: str
    photographs: str
    seed: int
    steps: Mapping[str, int]
    learned: Sequence[str]
    files: Mapping[str, str] = field(default_factory=dict)
    rows: Sequence[Row] = ()
    spread: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    remarks: Sequence[str] = ()

    def write(self, folder: Path) -> None:
        """Write the record alone."""
        (folder / RECORD).write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")

    def save(self, folder: Path) -> None:
        """Write the record and the card into the folder of a model."""
        self.write(folder)
        (folder / CARD).write_text(text(folder), encoding="utf-8")


def record(folder: Path = model.FOLDER) -> Record:
    """Return the record of the model in a folder. Raises `FileNotFoundError` if there is none."""
    return Record(**json.loads((folder / RECORD).read_text(encoding="utf-8")))


def learned() -> Sequence[str]:
    """Return the sources that the shipped model has learned from."""
    return record().learned


def hashes(folder: Path, files: Sequence[str] = FILES) -> dict[str, str]:
    """Return the hash of each file of a model."""
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest()[:16] for name in files}


def measured(folder: Path, learned: Sequence[str], photos: Sequence[Photo]) -> list[Row]:
    """Return the figures of each source of ``photos`` that the model in a folder has not learned from."""
    sources = [source for source in models.unseen(learned) if source not in DRAWN_ON]
    results = models.read(Reader(model.load(folder)).read, photographs([p for p in photos if p.source in sources]))
    rows = [tables.summary(*one) for one in tables.by(results, lambda r: r.scene.source).items()]
    return [{name: row[name] for name in ("source", "cards", "read", "unsure", "wrong")} for row in rows]


def totals(rows: Sequence[Row]) -> dict[str, float]:
    """Return the figures that `GOALS` asks for."""
    on_tables = [row for row in rows if row["source"] in tables.TABLES]
    singles = [row["read"] / row["cards"] for row in rows if row["source"] not in (*tables.TABLES, *tables.CLOSE)]
    cards, found, wrong = (sum(row[name] for row in on_tables) for name in ("cards", "read", "wrong"))
    f1 = 2 * found / max(1, cards + found + wrong)
    return dict(zip(GOALS, (f1, sum(singles) / max(1, len(singles)), min(singles, default=0.0)), strict=True))


def text(folder: Path = model.FOLDER) -> str:
    """Return the card of the model in a folder, as Markdown."""
    known = record(folder)
    figures = json.loads((folder / model.FIGURES).read_text(encoding="utf-8"))
    seen = f"photographs of {', '.join(known.learned)}" if known.learned else "no photographs"
    remarks = "".join(f"\n{remark}\n" for remark in known.remarks)
    steps = "".join(f"| {name} | {number} |\n" for name, number in known.steps.items())
    files = "".join(f"| {name} | {value} |\n" for name, value in known.files.items())
    lines = "".join(
        f"| {name} | {figures[name]['slope']} | {figures[name]['offset']} |\n" for name in model.CALIBRATIONS
    )
    weights = "".join(
        f"{title}: {', '.join(f'{feature} {value:g}' for feature, value in figures[name].items())}.\n\n"
        for name, title in zip(model.WEIGHTS, WEIGHTS, strict=True)
    )
    rows = "".join("| {source} | {cards} | {read} | {unsure} | {wrong} |\n".format(**row) for row in known.rows)
    seeds = sorted(known.spread)
    wanted = "".join(
        f"| {what} | {' | '.join(f'{known.spread[seed][what]:.2%}' for seed in seeds)} | {goal:.2%} |\n"
        for what, goal in GOALS.items()
    )
    return f"""# The model of the card reader

Made by `make train` from drawn cards and {seen}. No photograph is part of the repository.
{remarks}
| made by | |
|---|---|
| recipe (`training/recipe.py`) | {known.recipe} |
| commit | {known.commit} |
| photographs it has learned from | {known.photographs} |
| seed | {known.seed} |

| file | SHA-256 begins with |
|---|---|
{files}
Four small networks (`training/nets.py`) in ONNX: **finder** (detector), which has seen no photograph; **reader**
(classifier), which learns from drawn cards first; **mark**, the marks for the color-blind; **corner**, the symbols in
the printed corners. When they are done, `training/beliefs.py` fits the rest to what they say of cards that they have
not learned.

| | steps or examples |
|---|--:|
{steps}
## Calibration

Calibrated log odds of a face are slope · log odds + offset.

| cards | slope | offset |
|---|--:|--:|
{lines}
{weights}## How it reads what it has not seen

| source | cards | read | `?` | wrong |
|---|--:|--:|--:|--:|
{rows}
Of the models that this recipe makes from different seeds, the first one ships.

| | {" | ".join(f"seed {seed}" for seed in seeds)} | wanted |
|---|{"--:|" * (len(seeds) + 1)}
{wanted}"""


def main() -> int:
    """Measure the shipped model, and write its record and card."""
    if not PHOTOS.exists():
        print(f"card: no photographs in {PHOTOS}; name their folder in CROUPIER_PHOTOS", file=sys.stderr)
        return 2
    known = record()
    rows = measured(model.FOLDER, known.learned, load())
    replace(known, rows=rows, spread={**known.spread, str(known.seed): totals(rows)}).save(model.FOLDER)
    print(text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
