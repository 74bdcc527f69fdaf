"""Accuracy of the evidence network, on pictures composed by other scripts than those it learns from:
``python -m training.measure.evidence [FILE…]`` compares networks.

The cards are drawn, or those of the licensed photographs, of which the network has seen none; the report's sources stay
out, since networks are chosen by these figures.
"""

from __future__ import annotations

import argparse
import gzip
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Final

import cv2
import numpy as np

from cardsight.corners import CORNER_MIDDLE
from cardsight.evidence import Evidence, gather
from cardsight.geometry import length, pyramid
from cardsight.layout import FOLDER, NETWORK
from cardsight.networks import Network
from croupier_rules.cards import CARD_MM
from training.layouts import PRINTED_CORNER, WHOLE, part_seen
from training.measure import kitchen, sets
from training.measure.judging import Card, Scene
from training.measure.rectified import HEIGHT, WIDTH, Table, outline
from training.photometry import Array, lit, shot
from training.photos import LICENSED, load

LAID: Final[Mapping[str, int]] = {"hand": 12, "close fan": 10, "pile": 10, "covered": 6}
TOGETHER: Final = 24
BESIDE: Final = ("phone", "glass", "poster", "other games", "box", "overlap .55", "fan 6°")
NUMBERS: Final = range(3000, 3004)
"""Scenes of each kind, for each material: hands and heaps; two or three cards laid in one go; tables with other things.
"""
SHARES: Final = (0.0, 0.3, 0.9, 1.01)
"""Visible fractions of a card, which divide the votes."""
SURE: Final = 0.5
"""Probability from which an answer counts."""
NEAR_MM: Final = 7.0
"""Distance up to which an index is where it is."""
HELD: Final = 0.06
"""Difference of the visible fractions, with and without what covers a card beside other cards, from which its cells do
not count."""


@dataclass(frozen=True)
class Truth:
    """Truth of a picture. ``cover``: the number of the card (from 1 on) at each pixel. ``is_known`` (pixels): it can
    be judged there."""

    quads: list[Array]
    shares: list[float]
    cover: Array
    is_known: Array


def main() -> int:
    """Print the figures of networks side by side."""
    parser = argparse.ArgumentParser(prog="python -m training.measure.evidence", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, default=[FOLDER / NETWORK], help="networks (.onnx.gz)")
    parser.add_argument("--share", type=float, default=1.0, help="fraction of the scenes")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    networks = [Network(gzip.decompress(path.read_bytes())) for path in args.files]
    by_source: dict[str, list[Figures]] = {}
    for source, scene in scenes(args.share):
        picture, truth = scene.picture(), known(scene)
        long = median(length(quad) for quad in truth.quads)
        for network, figures in zip(networks, by_source.setdefault(source, [Figures() for _ in networks]), strict=True):
            figures.add(gather(network, pyramid(picture), long), truth)
    for source, columns in by_source.items():
        print(f"\n{source:62}", *(f"{path.name.removesuffix('.onnx.gz'):>16}" for path in args.files))
        for name in dict.fromkeys(name for figures in columns for name in figures.rows()):
            print(f"  {name:60}", *(f"{figures.rows().get(name, ''):>16}" for figures in columns))
    return 0


def scenes(share: float = 1.0) -> Iterator[tuple[str, Scene]]:
    """Yield the scenes with the names of their sources."""
    photos = load()
    materials = [sets.drawn("evidence")]
    for source in LICENSED:
        own = [photo for photo in photos if photo.source == source]
        if own and (material := sets.photographed(own, own, "evidence")):
            materials.append(material)
    pools = {pool.source: pool for pool in kitchen.pools([photo for photo in photos if photo.source in LICENSED])}
    for material in materials:
        few = {kind: max(1, round(share * count)) for kind, count in LAID.items()}
        for scene in sets.laid(material, few, "evidence"):
            yield material.source, scene
        for number in range(max(1, round(share * TOGETHER))):
            yield f"{material.source}, laid together", together(material, number)
        for name in BESIDE if material.source in pools else ():
            for number in list(NUMBERS)[: max(1, round(share * len(NUMBERS)))]:
                yield f"{material.source}, kitchen", kitchen.scene(pools[material.source], name, number)


def together(material: sets.Material, number: int) -> Scene:
    """Compose piles of two or three cards laid in one go: 3 to 20 mm aside, along, across or fanned."""
    rng = np.random.default_rng([4417, number])
    table = Table(material.tables[number % len(material.tables)], rng)
    for place in range(3):
        width = rng.uniform(85, 125)
        x, y, turn = WIDTH * (place + 0.5) / 3, HEIGHT * rng.uniform(0.4, 0.6), rng.uniform(0, 2 * np.pi)
        way = turn + [0.0, np.pi / 2, np.pi, -np.pi / 2, rng.uniform(0, 2 * np.pi)][int(rng.integers(5))]
        far, step = rng.uniform(3, 20) * width / CARD_MM[0], [0.0, rng.normal(0, 0.1)][int(rng.integers(2))]
        for n in range(int(rng.integers(2, 4))):
            card = material.cards[int(rng.integers(len(material.cards)))]
            at = (x + n * far * np.cos(way), y + n * far * np.sin(way))
            table.lay(card, outline(*at, width, turn + n * step))
    cards = tuple(Card(card.face, table.seen(n), table.corner(n), quad) for n, (card, quad) in enumerate(table.laid))
    picture = shot(rng, lit(rng, np.clip(table.image, 0, 1))) if material.is_drawn else table.picture()
    return Scene(f"together {number}", material.source, material.design, "together", cards, lambda: picture)


def known(scene: Scene) -> Truth:
    """Return what a composed scene shows: its cards lie on each other in their order."""
    height, width = scene.picture().shape[:2]
    cover = np.zeros((height, width), np.int32)
    quads = [np.asarray(card.quad, np.float32) for card in scene.cards]
    for number, quad in enumerate(quads, 1):
        cv2.fillConvexPoly(cover, np.rint(quad).astype(np.int32), number)
    counts = np.bincount(cover.ravel(), minlength=len(quads) + 1)[1:]
    shares = [float(count) / max(1.0, abs(cv2.contourArea(quad))) for count, quad in zip(counts, quads, strict=True)]
    is_hidden = [card.seen < share - HELD for card, share in zip(scene.cards, shares, strict=True)]
    return Truth(quads, shares, cover, ~np.isin(cover, [n for n, hidden in enumerate(is_hidden, 1) if hidden]))


class Figures:
    """Figures of one network on one source."""

    def __init__(self) -> None:
        self._votes = defaultdict[int, list[Array]](list)
        self._counts = defaultdict[str, list[float]](lambda: [0.0, 0.0])

    def rows(self) -> dict[str, str]:
        """Return the figures by name. Of votes: half and nine tenths are at most so far off (card lengths)."""
        rows = {}
        for n, (low, high) in enumerate(pairwise(SHARES)):
            if self._votes[n]:
                error, told = np.concatenate(self._votes[n], axis=1)
                half, most = np.quantile(error, [0.5, 0.9])
                name = f"votes, cards {low:.1f} to {min(high, 1):.1f} visible"
                rows[f"{name}: off"] = f"{half:.3f} / {most:.3f}"
                rows[f"{name}: off by no more than twice what is told"] = f"{(error <= 2 * told).mean():.3f}"
        for name, (part, of) in self._counts.items():
            rows[name] = f"{part / max(1.0, of):.3f} of {of:.0f}"
        return rows

    def add(self, found: Evidence, truth: Truth) -> None:
        """Judge what the network says of a picture."""
        at = np.rint(found.places).astype(int)
        height, width = truth.cover.shape
        rows, cols = at[..., 1].clip(0, height - 1), at[..., 0].clip(0, width - 1)
        number, is_known = truth.cover[rows, cols], truth.is_known[rows, cols]
        inside = _inner(truth.cover, found.cell)[rows, cols] & is_known
        self._add_votes(found, truth, number, inside)
        is_card = found.none < SURE
        outside = cv2.dilate((truth.cover > 0).astype(np.uint8), np.ones((9, 9), np.uint8))[rows, cols] == 0
        self._count("cells of cards that are seen as such", is_card[inside & (number > 0)])
        area = median(abs(cv2.contourArea(quad)) for quad in truth.quads) / found.cell**2
        false = self._counts["cards seen where none is (area of cards; of pictures)"]
        false[0], false[1] = false[0] + float((is_card & outside).sum()) / area, false[1] + 1
        seam, edge = borders(truth, found)
        near_seam, near_edge = (cv2.dilate(one.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0 for one in (seam, edge))
        among = (number > 0) & is_known
        for name, plane, near in (("edges", found.edges, near_edge), ("seams", found.seams, near_seam)):
            said = plane > SURE
            self._count(
                f"{name}: cells where a card ends upon another, found",
                (cv2.dilate(said.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0)[seam & is_known],
            )
            self._count(f"{name}: right of those told on cards", near[said & among])
        self._add_indices(found, truth)

    def _add_votes(self, found: Evidence, truth: Truth, number: Array, inside: Array) -> None:
        for n, (quad, share) in enumerate(zip(truth.quads, truth.shares, strict=True), 1):
            cells = inside & (number == n) & (found.none < SURE)
            unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
            center = cv2.perspectiveTransform(np.float32([[[0.5, 0.5]]]), cv2.getPerspectiveTransform(unit, quad))[0, 0]
            long = length(quad)
            error = np.hypot(*(found.centers[cells] - center).T) / long
            which = sum(share >= limit for limit in SHARES[1:-1])
            self._votes[which].append(np.stack([error, found.errors[cells] / long]))

    def _add_indices(self, found: Evidence, truth: Truth) -> None:
        peaks = [peak for peak in found.indices() if peak.odds > 0]
        corners = list[Array]()
        for n, quad in enumerate(truth.quads, 1):
            unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
            matrix = cv2.getPerspectiveTransform(unit, quad)
            for corner, at in ((PRINTED_CORNER, CORNER_MIDDLE), (1 - PRINTED_CORNER, 1 - CORNER_MIDDLE)):
                area = cv2.perspectiveTransform(corner[None].astype(np.float32), matrix)[0]
                place = cv2.perspectiveTransform(np.float32([[at]]), matrix)[0, 0]
                seen = part_seen((truth.cover == n) & truth.is_known, area)
                near = NEAR_MM * length(quad) / CARD_MM[1]
                if seen > WHOLE:
                    self._count("indices found", np.array([any(np.hypot(*(p.place - place)) < near for p in peaks)]))
                corners.append(np.r_[place, near])
        for peak in peaks:
            self._count("right indices", np.array([any(np.hypot(*(peak.place - x[:2])) < x[2] for x in corners)]))

    def _count(self, name: str, right: Array) -> None:
        self._counts[name][0] += float(right.sum())
        self._counts[name][1] += right.size


def _inner(cover: Array, cell: float) -> Array:
    """Return the pixels that lie half a cell or more inside what they show."""
    size = max(3, round(cell)) | 1
    high = cover.astype(np.float32)
    return np.asarray(cv2.dilate(high, np.ones((size, size))) == cv2.erode(high, np.ones((size, size))))


def borders(truth: Truth, found: Evidence) -> tuple[Array, Array]:
    """Return the cells in which a card ends upon another card, and those in which any ends."""
    cover = truth.cover
    seam, edge = np.zeros((2, *cover.shape), bool)
    for a, b in ((np.s_[:, 1:], np.s_[:, :-1]), (np.s_[1:], np.s_[:-1])):
        differ, lower = cover[a] != cover[b], np.minimum(cover[a], cover[b])
        edge[a] |= differ
        seam[a] |= differ & (lower > 0)
    size = max(3, round(found.cell)) | 1
    at = np.rint(found.places).astype(int)
    rows, cols = at[..., 1].clip(0, cover.shape[0] - 1), at[..., 0].clip(0, cover.shape[1] - 1)
    thick = (cv2.dilate(one.astype(np.uint8), np.ones((size, size), np.uint8)) > 0 for one in (seam, edge))
    seams, edges = (one[rows, cols] for one in thick)
    return seams, edges


if __name__ == "__main__":
    sys.exit(main())
