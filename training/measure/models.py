"""The model that reads each source: one that has not been trained on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time

from cardsight import Reading
from cardsight import model as models
from cardsight.reader import Reader
from training.measure.calibration import fit
from training.measure.judging import Result, Scene, judge
from training.photometry import Array
from training.photos import DRAWN_ON, FOLDS, ROOT

WORK = ROOT / "out" / "training"
"""Where training leaves its models, and weights on the way: deleted without harm, made anew in an hour or two."""


@dataclass(frozen=True)
class Judged:
    """A model to be measured: its name, and for each source the folder of the one that has not been trained on it."""

    name: str
    folder_of: Mapping[str, Path]


Line = tuple[float, float]
"""Slope and offset of the confidence."""


def fold(number: int, work: Path = WORK) -> Path:
    """The folder of the model that has seen no photograph of fold ``number``."""
    return work / f"fold-{number}"


def folds(work: Path = WORK) -> Judged:
    """The models of the five folds in the folder ``work``."""
    return Judged("folds", {source: fold(number, work) for number, sources in enumerate(FOLDS) for source in sources})


def is_there(folder: Path) -> bool:
    """Whether the networks of a model are in the folder."""
    return all((folder / f"{name}.onnx.xz").exists() for name in models.NETWORKS)


def one(spec: str) -> Judged:
    """``FOLDER[:source,source…]``: one model for all sources but those that it was trained on."""
    folder, _, seen = spec.partition(":")
    known = [source for sources in FOLDS for source in sources]
    wrong = sorted(set(filter(None, seen.split(","))) - set(known))
    if wrong:
        raise ValueError(f"{spec}: no such source {', '.join(wrong)}; there are {', '.join(known)}")
    return Judged(Path(folder).name, {s: Path(folder) for s in known if s not in seen.split(",")})


def readers(judged: Judged, line_of: Mapping[str, Line] | None = None, *, alone: bool = False) -> dict[str, Reader]:
    """A reader for each source, its confidence by a line for each source, or as the network says it; ``alone``: by the
    reader network alone, without a look at the corners."""
    loaded: dict[tuple[Path, Line], Reader] = {}
    by_source = {}
    for source, folder in judged.folder_of.items():
        line = (line_of or {}).get(source, (1.0, 0.0))
        if (folder, line) not in loaded:
            model = _loaded(folder, line)
            loaded[folder, line] = Reader(replace(model, corner=None) if alone else model)
        by_source[source] = loaded[folder, line]
    return by_source


def calibrated(judged: Judged, photographs: Sequence[Scene]) -> tuple[dict[str, Reader], dict[str, Line], Line]:
    """Readers whose confidence for the sources of a fold is fitted to the readings of all other folds' photographs; the
    line of each source; and the line fitted to all, which is that of a model that ships.
    """
    plain = read(readers(judged, alone=True), [scene for scene in photographs if scene.source not in DRAWN_ON])
    line_of = {}
    for sources in FOLDS:
        line = fit(result for result in plain if result.scene.source not in sources)
        line_of |= {source: line for source in sources if source in judged.folder_of}
    return readers(judged, line_of), line_of, fit(plain)


def _loaded(folder: Path, line: Line) -> models.Model:
    if not (folder / "figures.json").exists():  # its own confidence is fitted last of all
        (folder / "figures.json").write_text('{"slope": 1.0, "offset": 0.0}\n', encoding="utf-8")
    return replace(models.load(folder), slope=line[0], offset=line[1])


def read(by_source: Mapping[str, Reader], scenes: Iterable[Scene]) -> list[Result]:
    """What the readers tell of the scenes; those of sources that no reader is for are left out."""
    return [timed(by_source[scene.source].read, scene) for scene in scenes if scene.source in by_source]


def timed(way: Callable[[Array], Reading], scene: Scene) -> Result:
    """What one way of reading tells of a scene, and the CPU time it takes."""
    image = scene.picture()
    began = process_time()
    reading = way(image)
    spent = (process_time() - began) * 1000
    result = judge(scene, reading)
    result.ms = spent
    return result
