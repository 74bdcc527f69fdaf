"""Training of `cardsight.track.rims`: ``python -m training.train_rims``.

Samples are drawn piles before and after one card or two cards were laid as one, or one that pushed the card below; the
reader finds the upper one, as at a table. A glass may stand beside, and an arm be there. Each table has its own camera,
light and cards. The first tables are not learned: they are judged. No table is one of the bench's.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import repeat
from math import cos, radians, sin
from pathlib import Path
from typing import Final, NamedTuple

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from cardsight.card_reader import CardReader
from cardsight.reader import Reader
from cardsight.sighting import Corners
from cardsight.track import rims
from cardsight.track.blocks import Part
from cardsight.track.cards import mean_distance, read_part
from croupier_bench.hard_track import HardCamera, offset_of, shifted, with_glass
from croupier_bench.workers import workers
from croupier_rules.cards import CARD_MM, DECKS
from croupier_sim.drawing import GROUNDS, STYLES, random_lamp
from croupier_sim.table import PILE_MM, PILE_ZONE_MM, Lying, Pose, Reach, SimTable
from training.loop import fit_small
from training.nets import export
from training.photos import WORK

TABLES: Final = 225
JUDGED: Final = 40
"""Number of tables that are learned, and of those before them that are judged."""
PLAYS: Final = 36
"""Number of plays on a table."""
MOST_CARDS: Final = 9
SIZES: Final = ((960, 540), (960, 540), (1280, 720))
WAYS: Final = ("along", "across", "fanned")
SHOWS_MM: Final = 4.0
FARTHEST_MM: Final = 24.0
"""Least and greatest distance of two cards laid as one: what hardly shows is neither one nor two, and farther ones are
read."""
WEIGHTS: Final = {"single": 2.0, "pushed": 6.0}
"""Weights of piles without a second card: most plays are such, and a `?` for nothing asks people."""
READINGS: Final = 3
READER_OFF: Final = (0.8, 0.8, 0.012)
NOISE: Final = 4.0
"""Number of readings of a sample, and what is added: error of an outline (mm, mm, rad), and noise (gray levels)."""
STEPS: Final = 1600
BATCH: Final = 128
RATE: Final = 3e-3
"""Settings of `fit_small`."""
NEAR: Final = 0.15
"""Distance (card lengths) of the card that was read from the one that was laid."""
NEAT: Final = 0.4
ARM: Final = 0.2
GLASS: Final = 0.15
"""Fractions of the single cards that are laid along the former top one, of the plays with an arm beside, and of the
tables with a glass."""
ARM_FAR = (70.0, 110.0)
"""Distance (mm) of a hand from the pile that touches none of it."""


class Sample(NamedTuple):
    """A play.

    ``way``: how two cards lie, or ``single`` or ``pushed``. ``far_mm``: 0 for a single card. ``seen``: as
    `rims.View.seen`, 8 bits. ``under``: as `rims.View.place_of` the lower card, 0 without one. ``misfit_mm``: as of
    `rims.View`.
    """

    way: str
    far_mm: float
    seen: NDArray[np.uint8]
    under: tuple[float, float, float]
    misfit_mm: float


class Played(NamedTuple):
    """A play as pictures. ``laid``: the outline of the upper card as it was read, ``None`` if it was not. ``under``:
    that of the lower one, if there is one."""

    way: str
    far_mm: float
    part: Part
    before: NDArray[np.uint8]
    now: NDArray[np.uint8]
    laid: Corners | None
    under: Corners | None


class Film:
    """The camera and the pile of one table."""

    def __init__(self, table: int) -> None:
        self.rng = rng = np.random.default_rng((77, table))
        self.sim = sim = SimTable(4, rng, tuple(DECKS["g7942"]))
        self.camera = HardCamera(
            sim, style=STYLES[str(rng.choice(list(STYLES)))], ground=GROUNDS[int(rng.integers(len(GROUNDS)))],
            lamp=random_lamp(rng), rng=rng, size=SIZES[int(rng.integers(len(SIZES)))],
            noise=float(rng.uniform(2, 7)), blur_px=float(rng.uniform(0.5, 1.1)),
        )  # fmt: skip
        self.part = Part(self.camera.zone_px(PILE_ZONE_MM), self.camera.card_px(PILE_ZONE_MM))
        self._quality = int(rng.integers(18, 60)) if rng.random() < 0.3 else None
        self._jitter = float(rng.choice([0, 0, 0.3, 0.5]))
        if rng.random() < GLASS:
            angle, far = rng.uniform(0, 2 * np.pi), rng.uniform(62, 90)
            at = PILE_MM[0] + float(far * np.cos(angle)), PILE_MM[1] + float(far * np.sin(angle))
            self.camera.on_table = lambda scene, t: with_glass(scene, self.camera, at)
        self.faces = [str(face) for face in rng.choice(list(DECKS["g7942"]), 12, replace=False)]

    def seen(self, light: float = 1.0, *, arm: bool = False) -> NDArray[np.uint8]:
        """Return a picture of the table."""
        rng, sim = self.rng, self.sim
        sim.version += 1
        sim.reaches.clear()
        if arm:
            seat = int(rng.integers(4))
            angle = radians(sim.direction_deg(seat)) + float(rng.normal(0, 0.6))
            far = float(rng.uniform(*ARM_FAR))
            at = PILE_MM[0] + far * cos(angle), PILE_MM[1] + far * sin(angle)
            sim.reaches.append(Reach(seat, at, -1.0, 0.0, 1.0, 2.0))
        scene = self.camera.scene()
        sim.reaches.clear()
        scene = shifted(scene, *rng.normal(0, self._jitter, 2)) if self._jitter else scene
        image = self.camera.developed(np.asarray(cv2.convertScaleAbs(scene, alpha=light), np.uint8))
        if self._quality is None:
            return image
        sent = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, self._quality])[1]
        return np.asarray(cv2.imdecode(sent, cv2.IMREAD_COLOR), np.uint8)

    def corners(self, pose: Pose) -> Corners:
        """Return the outline (px) of a card."""
        a, b, c, d = ((float(x), float(y)) for x, y in self.camera.corners_px(pose))
        return a, b, c, d


def plays(table: int, reader: CardReader, number: int = PLAYS) -> Iterator[Played]:
    """Yield the plays of one table."""
    film = Film(table)
    rng, sim = film.rng, film.sim
    for _ in range(number):
        if len(sim.discard) >= rng.integers(1, MOST_CARDS):
            sim.discard = sim.discard[: int(rng.integers(0, 2))]
        known, before = list(sim.discard), film.seen()
        ways = [*["single"] * 5, *WAYS, "aside", *(["pushed"] * 2 if known else [])]
        way, far, under = str(rng.choice(ways)), 0.0, None
        upper = Lying(str(rng.choice(film.faces)), _pose(rng))
        if way == "pushed":
            size = float(rng.choice([0.4, 1.0]))
            by = Pose(*(size * rng.normal(0, (6, 6, 4))).tolist())
            sim.discard = [*known[:-1], Lying(known[-1].face, _moved(known[-1].pose, by))]
        if known and way in ("single", "pushed") and rng.random() < NEAT:
            by = Pose(*rng.normal(0, (5, 5, 3)).tolist())
            turned = Pose(0, 0, 180.0 * int(rng.integers(2)))
            upper = Lying(upper.face, _moved(_moved(known[-1].pose, by), turned))
        if way not in ("single", "pushed"):
            far = float(rng.uniform(2.5, 22) * rng.choice([-1, 1]))
            lower = Lying(str(rng.choice([face for face in film.faces if face != upper.face])), upper.pose)
            sim.discard = [*sim.discard, lower]
            upper, under = Lying(upper.face, _moved(lower.pose, _offset(rng, way, far))), film.corners(lower.pose)
        sim.discard = [*sim.discard, upper]
        gain = float(rng.uniform(0.85, 1.15)) if rng.random() < 0.4 else 1.0
        now = film.seen(gain, arm=rng.random() < ARM)
        reading = read_part(reader, film.part, film.part.card_px, now, set(DECKS["g7942"]), top_only=True)
        true = film.corners(upper.pose)
        found = next((one for one in reading.cards if mean_distance(one.corners_px, true) < NEAR), None)
        yield Played(way, far, film.part, before, now, found.corners_px if found else None, under)


def samples(table: int, folder: Path) -> list[Sample]:
    """Return the samples of a table. They are kept in ``folder``."""
    file = folder / f"{table}.npz"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        found = [_sample(one) for one in plays(table, Reader()) if one.laid is not None]
        ways, far, seen, under, misfit = (np.array([one[n] for one in found]) for n in range(5))
        np.savez(file, ways=ways, far=far, seen=seen, under=under, misfit=misfit)
    kept = np.load(file)
    rows = zip(kept["ways"], kept["far"], kept["seen"], kept["under"], kept["misfit"], strict=True)
    return [Sample(str(way), float(far), seen, tuple(under), float(misfit)) for way, far, seen, under, misfit in rows]


def _sample(one: Played) -> Sample:
    assert one.laid is not None
    view = rims.View(one.part, one.laid)
    seen = view.seen(one.part.shrunk(one.now), one.part.shrunk(one.before))
    under = (0.0, 0.0, 0.0) if one.under is None else view.place_of(one.under)
    return Sample(one.way, one.far_mm, np.rint(seen).clip(0, 255).astype(np.uint8), under, view.misfit_mm)


def _offset(rng: np.random.Generator, way: str, far: float) -> Pose:
    """Return how the upper one of two cards lies on the lower one."""
    inexact = rng.normal(0, (0.7, 0.7, 0.8)).tolist()
    if way == "aside":
        angle = float(rng.uniform(0, 2 * np.pi))
        placed = Pose(abs(far) * cos(angle), abs(far) * sin(angle), float(rng.normal(0, 4)))
    else:
        placed = offset_of(way, far)
    return Pose(*(a + b for a, b in zip((placed.x, placed.y, placed.turn), inexact, strict=True)))


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


class Rims(nn.Module):
    """Network of `cardsight.track.rims`: `rims.network_input` → log odds of a second card, and its place (N, 4)."""

    def __init__(self) -> None:
        super().__init__()
        across, along = rims.STRIPS.shape[:2]
        self.body = nn.Sequential(_conv(6 * across, 64, 1), _conv(64, 64, 5), _conv(64, 64, 5))
        self.head = nn.Sequential(
            nn.Flatten(), nn.Dropout(0.3), nn.Linear(64 * -(-along // 4), 64), nn.ReLU(inplace=True), nn.Linear(64, 4)
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x))


def _conv(cin: int, cout: int, size: int) -> nn.Sequential:
    """Return a convolution along the strips; one wider than a sample halves their length."""
    stride = 1 if size == 1 else 2
    conv = nn.Conv2d(cin, cout, (1, size), (1, stride), (0, size // 2), bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(cout), nn.ReLU(inplace=True))


class Labels(NamedTuple):
    """True if there is a second card, how much this counts, and its place over `rims.UNITS`."""

    is_two: Tensor
    weight: Tensor
    place: Tensor


class Seen(NamedTuple):
    """Strips (N, 6, across, along) of all samples, each as it was read and a few times with another error of the
    reader, their labels, and noise of the same shape."""

    strips: NDArray[np.uint8]
    labels: Labels
    noise: NDArray[np.float32]

    @classmethod
    def of(cls, some: Sequence[Sample], rng: np.random.Generator) -> Seen:
        """Cut the strips of all samples."""
        found, places = [], []
        for one in some:
            for number in range(READINGS):
                off = rng.normal(0, READER_OFF) if number else np.zeros(3)
                found.append(np.rint(rims.strips(one.seen.astype(np.float32), *off)).astype(np.uint8))
                x, y = turned_back(one.under[:2] - off[:2], off[2]) if one.far_mm else (0.0, 0.0)
                places.append((x, y, one.under[2] - off[2] if one.far_mm else 0.0))
        far = np.repeat([abs(one.far_mm) for one in some], READINGS)
        weight = np.repeat([WEIGHTS.get(one.way, 1.0) for one in some], READINGS) * ((far == 0) | (far >= SHOWS_MM))
        labels = (far > 0, weight, np.array(places) / rims.UNITS)
        tensors = (torch.from_numpy(np.asarray(one, np.float32)) for one in labels)
        noise = NOISE * rng.standard_normal((4 * BATCH, *found[0].shape), np.float32)
        return cls(np.stack(found), Labels(*tensors), noise.astype(np.float32))

    def batch(self, rng: np.random.Generator) -> tuple[Tensor, Labels]:
        """Return some samples: rotated by 180 degrees or mirrored, with other colors, light and noise."""
        some = rng.integers(len(self.strips), size=BATCH)
        x, (is_two, weight, place) = self.strips[some].astype(np.float32), (one[some].clone() for one in self.labels)
        half, short = x.shape[-1] // 2, round((CARD_MM[0] + 2 * rims.BEYOND_MM) / rims.STEP_MM[1])
        turned, mirrored = rng.random(BATCH) < 0.5, rng.random(BATCH) < 0.5
        x[turned] = np.roll(x[turned], half, -1)
        place[torch.from_numpy(turned), :2] *= -1
        x[mirrored] = np.roll(x[mirrored][..., ::-1], short, -1)
        place[torch.from_numpy(mirrored)] *= torch.tensor([-1.0, 1.0, -1.0])
        order = rng.permutation(3)
        x = x[:, [*order, *(order + 3)]] * rng.uniform(0.8, 1.2, (BATCH, 1, 1, 1)).astype(np.float32)
        x *= rng.uniform(0.95, 1.05, (BATCH, 6, 1, 1)).astype(np.float32)
        x += self.noise[int(rng.integers(len(self.noise) - BATCH)) :][:BATCH]
        return torch.from_numpy(rims.network_input(x.clip(0, 255))), Labels(is_two, weight, place)


def turned_back(point: Sequence[float] | NDArray[np.float64], angle: float) -> tuple[float, float]:
    """Return a point (mm) as a card sees it that is turned clockwise by an angle (rad)."""
    x, y = point
    return x * cos(angle) + y * sin(angle), y * cos(angle) - x * sin(angle)


def loss_of(answer: Tensor, truth: Labels) -> Tensor:
    """Return the loss of a batch."""
    two = functional.binary_cross_entropy_with_logits(answer[:, 0], truth.is_two, reduction="none")
    off = functional.smooth_l1_loss(answer[:, 1:], truth.place, reduction="none").mean(1) * truth.is_two
    return (truth.weight * (two + 2 * off)).mean()


def trained(some: Sequence[Sample], seed: int = 1) -> Rims:
    """Return the network, trained on samples."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    seen, net = Seen.of(some, rng), Rims()
    print(f"last loss {fit_small(net, lambda: seen.batch(rng), loss_of, steps=STEPS, rate=RATE):.3f}", flush=True)
    return net.eval()


def judge(samples: Sequence[Sample], odds: NDArray[np.float64]) -> None:
    """Print how samples are judged: by the log odds of a second card."""
    ways, far = np.array([one.way for one in samples]), np.abs([one.far_mm for one in samples])
    misfits = np.array([one.misfit_mm for one in samples])
    worst = ", ".join(f"{share} of 100 up to {np.percentile(misfits, share):.1f} mm" for share in (50, 95, 99))
    print(f"outlines that were read: {worst}, {(misfits > rims.MISFIT_MM).sum()} not judged at a table", flush=True)
    for way in ("single", "pushed"):
        taken = int((odds[ways == way] > 0).sum())
        print(f"{way}: {taken} of {int((ways == way).sum())} taken for two", flush=True)
    for way in (*WAYS, "aside"):
        for low, high in ((SHOWS_MM, 5.5), (5.5, 8), (8, 12), (12, FARTHEST_MM)):
            some = (ways == way) & (far >= low) & (far < high)
            found = int((odds[some] > 0).sum())
            print(f"{way}, {low:g} to {high:g} mm: {found} of {int(some.sum())} found", flush=True)


def main() -> int:
    """Draw the piles, train the network, install it, and print how it judges tables that it has not seen."""
    parser = argparse.ArgumentParser(prog="python -m training.train_rims", description=__doc__)
    parser.add_argument("--tables", type=int, default=TABLES, help="number of tables to learn from")
    parser.add_argument("--judge", action="store_true", help="only judge the network that ships")
    parser.add_argument("--work", type=Path, default=WORK, metavar="FOLDER", help="where drawn tables are kept")
    args = parser.parse_args()
    judged, learned = (range(first, first + number) for first, number in ((0, JUDGED), (JUDGED, args.tables)))
    with workers() as pool:
        drawn = [
            [one for some in pool.map(samples, tables, repeat(args.work / "rims with misfit")) for one in some]
            for tables in (judged, () if args.judge else learned)
        ]
    if not args.judge:
        net = trained(drawn[1])
        export(net, (1, 6 * rims.STRIPS.shape[0], 1, rims.STRIPS.shape[1]), rims.NETWORK, ["seen"])
    shown = np.stack([rims.strips(one.seen.astype(np.float32)) for one in drawn[0]])
    (answers,) = rims.load().run_each(rims.network_input(shown))
    judge(drawn[0], answers[:, 0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
