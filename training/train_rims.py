"""Training of the weights of `cardsight.track.rims`: ``python -m training.train_rims``.

Samples are drawn piles before and after one card or two cards were laid as one, or one that pushed the card below; the
reader finds the upper one, as at a table. A sample is the likeliest second card there. The tables of one number share a
camera; odd ones are judged by the weights of even ones and the other way round.
"""

from __future__ import annotations

import argparse
import pickle
import sys
from collections.abc import Iterator, Sequence
from itertools import repeat
from math import cos, radians, sin
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.reader import Reader
from cardsight.sighting import Corners
from cardsight.track import rims
from cardsight.track.blocks import Part, Small
from cardsight.track.cards import CardReader, mean_distance, read_part
from croupier_bench.hard_track import offset_of, shifted
from croupier_bench.workers import workers
from croupier_rules.cards import DECKS
from croupier_sim.camera import SimCamera
from croupier_sim.drawing import GROUNDS, STYLES, random_lamp
from croupier_sim.table import PILE_MM, PILE_ZONE_MM, Lying, Pose, SimTable
from training.measure.calibration import regression
from training.photometry import Array
from training.photos import WORK

TABLES = 40
PILES = 16
"""Number of piles on a table."""
SIZES = ((960, 540), (960, 540), (1280, 720))
WAYS = ("along", "across", "fanned")
SHOWS_MM = 5.0
"""Least distance of two cards from which they are a sample: what hardly shows is neither."""
RARE = 3.0
"""Weight of a pile without a second card: most plays are such, and a `?` for nothing asks people."""
NEAR = 0.15
"""Distance (card lengths) of the card that was read from the one that was laid."""


class Pile(NamedTuple):
    """A pile before and after cards were laid.

    ``way``: how two cards lie, or ``single`` or ``pushed``. ``offset_mm``: 0 for a single card. ``laid``: the upper
    card as it was read, ``None`` if it was not. ``top``: the outline of the card on top before.
    """

    table: int
    way: str
    offset_mm: float
    part: Part
    before: Small
    now: Small
    laid: Corners | None
    top: Corners | None


def main() -> int:
    """Draw the piles, fit the weights, print how they judge, and install them."""
    parser = argparse.ArgumentParser(prog="python -m training.train_rims", description=__doc__)
    parser.add_argument("--tables", type=int, default=TABLES, help="number of tables")
    parser.add_argument("--work", type=Path, default=WORK, metavar="FOLDER", help="where drawn tables are kept")
    args = parser.parse_args()
    with workers() as pool:
        found = list(pool.map(samples, range(args.tables), repeat(args.work / "rims")))
    rims.save(fitted([(number, *sample) for number, some in enumerate(found) for sample in some]))
    return 0


def samples(table: int, folder: Path) -> list[tuple[str, float, Array | None]]:
    """Return the samples of a table: way, distance (mm), and features of the likeliest second card, ``None`` if the
    first was not read. They are kept in ``folder``."""
    file = folder / f"{table}.pickle"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        file.write_bytes(pickle.dumps([(one.way, one.offset_mm, _features(one)) for one in piles(table, Reader())]))
    return list(pickle.loads(file.read_bytes()))


def fitted(found: Sequence[tuple[int, str, float, Array | None]]) -> dict[str, float]:
    """Return the weights that fit `samples`, each after the number of its table."""
    read = [one for one in found if one[3] is not None]
    x, far = np.array([one[3] for one in read]), np.abs([one[2] for one in read])
    half, is_sample = np.array([one[0] for one in read]) % 2, (far == 0) | (far >= SHOWS_MM)
    odds = np.zeros(len(read))
    for other in (0, 1):
        chosen = is_sample & (half != other)
        odds[half == other] = x[half == other] @ _fit(x[chosen], far[chosen] > 0)
    ways = np.array([one[1] for one in read])
    for way in ("single", "pushed"):
        print(f"{way}: {int((odds[ways == way] > 0).sum())} of {int((ways == way).sum())} taken for two", flush=True)
    for way in WAYS:
        for low, high in ((3, 5.5), (5.5, 8), (8, 12), (12, 21)):
            some = (ways == way) & (far >= low) & (far < high)
            print(f"{way}, {low} to {high} mm: {int((odds[some] > 0).sum())} of {int(some.sum())} found", flush=True)
    weights = _fit(x[is_sample], far[is_sample] > 0)
    return dict(zip(rims.FEATURES, weights.tolist(), strict=True))


def _fit(x: Array, is_second: NDArray[np.bool_]) -> Array:
    return regression(x, is_second.astype(float), np.where(is_second, 1.0, RARE))


def _features(pile: Pile) -> Array | None:
    """Return the features of the likeliest second card; ``None`` if the first was not read."""
    if pile.laid is None:
        return None
    view = rims.View(pile.part, pile.now, pile.before, pile.laid)
    return view.features(view.likeliest(), pile.top)


def piles(table: int, reader: CardReader) -> Iterator[Pile]:
    """Yield the piles of one table."""
    rng = np.random.default_rng(table)
    sim = SimTable(4, rng, tuple(DECKS["g7942"]))
    size = SIZES[int(rng.integers(len(SIZES)))]
    camera = SimCamera(
        sim, style=STYLES[str(rng.choice(list(STYLES)))], ground=GROUNDS[int(rng.integers(len(GROUNDS)))],
        lamp=random_lamp(rng), rng=rng, size=size, noise=float(rng.uniform(2, 7)), blur_px=float(rng.uniform(0.5, 1.1)),
    )  # fmt: skip
    faces = [str(face) for face in rng.choice(list(DECKS["g7942"]), 10, replace=False)]
    for _ in range(PILES):
        yield _pile(table, sim, camera, rng, faces, reader)


def _pile(
    table: int, sim: SimTable, camera: SimCamera, rng: np.random.Generator, faces: Sequence[str], reader: CardReader
) -> Pile:
    part = Part(camera.zone_px(PILE_ZONE_MM), camera.card_px(PILE_ZONE_MM))
    quality = int(rng.integers(18, 60)) if rng.random() < 0.3 else None
    gain = float(rng.uniform(0.85, 1.15)) if rng.random() < 0.4 else 1.0
    jitter = float(rng.choice([0, 0, 0.3, 0.5]))

    def seen(light: float = 1.0) -> NDArray[np.uint8]:
        sim.version += 1
        scene = camera.scene()
        scene = shifted(scene, *rng.normal(0, jitter, 2)) if jitter else scene
        image = camera.developed(np.asarray(cv2.convertScaleAbs(scene, alpha=light), np.uint8))
        if quality is None:
            return image
        sent = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
        return np.asarray(cv2.imdecode(sent, cv2.IMREAD_COLOR), np.uint8)

    sim.discard = [Lying(str(rng.choice(faces)), _pose(rng)) for _ in range(int(rng.integers(0, 6)))]
    known, before = list(sim.discard), seen()
    ways = ["single", "single", "single", *WAYS, *(["pushed"] if known else [])]
    way, upper, far = str(rng.choice(ways)), Lying(str(rng.choice(faces)), _pose(rng)), 0.0
    if way == "pushed":
        sim.discard[-1] = Lying(known[-1].face, _moved(known[-1].pose, Pose(*rng.normal(0, (6, 6, 4)).tolist())))
    elif way != "single":
        far = float(rng.uniform(3, 20) * rng.choice([-1, 1]))
        placed = offset_of(way, far)
        inexact = rng.normal(0, (0.7, 0.7, 0.8)).tolist()
        placed = Pose(*(a + b for a, b in zip((placed.x, placed.y, placed.turn), inexact, strict=True)))
        under = Lying(str(rng.choice([face for face in faces if face != upper.face])), upper.pose)
        sim.discard.append(under)
        upper = Lying(upper.face, _moved(under.pose, placed))
    sim.discard.append(upper)
    now = seen(gain)
    reading = read_part(reader, part, part.card_px, now, set(DECKS["g7942"]), top_only=True)
    quad = _corners(camera, upper.pose)
    found = next((one for one in reading.cards if mean_distance(one.corners_px, quad) < NEAR), None)
    return Pile(
        table, way, far, part, part.shrunk(before), part.shrunk(now), found.corners_px if found else None,
        _corners(camera, known[-1].pose) if known else None,
    )  # fmt: skip


def _pose(rng: np.random.Generator) -> Pose:
    """Return a place on a pile, as people lay cards."""
    x, y = rng.normal(0, 7, 2).clip(-14, 14)
    turn = float(rng.uniform(0, 360)) if rng.random() < 0.3 else 90.0 * int(rng.integers(4)) + float(rng.normal(0, 14))
    return Pose(PILE_MM[0] + float(x), PILE_MM[1] + float(y), turn)


def _moved(pose: Pose, by: Pose) -> Pose:
    """Move a card, in its own directions."""
    turn = radians(pose.turn)
    x, y = by.x * cos(turn) - by.y * sin(turn), by.x * sin(turn) + by.y * cos(turn)
    return Pose(pose.x + x, pose.y + y, pose.turn + by.turn)


def _corners(camera: SimCamera, pose: Pose) -> Corners:
    a, b, c, d = ((float(x), float(y)) for x, y in camera.corners_px(pose))
    return a, b, c, d


if __name__ == "__main__":
    sys.exit(main())
