"""Labeled photographs: faces and outlines. They serve training and measurement, and are not part of the repository."""

from __future__ import annotations

import csv
import os
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from training.photometry import Array

ROOT = Path(__file__).resolve().parent.parent
PHOTOS = Path(os.environ.get("CROUPIER_PHOTOS", ROOT.parent / "shared" / "photos"))
WORK = ROOT / "out" / "training"
"""Folder in which networks are trained. It can be deleted; what is in it is not trained again."""
OUTLINES = Path(__file__).parent / "outlines.csv"
"""Outlines of cards that came without: the same columns as the photographs' own ``quads.csv``."""

LOOSE = ("table-a",)
"""Sources whose outlines are a few px too wide: exact enough for crops, not for learning corners."""

LICENSED = ("set-f", "set-l")
"""Sources that the model learns from: those under a free license (MIT). ``set-n`` is another, but its pictures have
drawings on them. The others measure it."""
GROUPS: tuple[tuple[str, ...], ...] = (
    ("table-a", "table-b", "set-e"),
    ("set-a", "set-j", "set-m"),
    ("set-b", "set-g", "set-l"),
    ("set-c", "set-k", "set-n"),
    ("set-d", "set-f", "set-h", "set-i"),
)
"""Sources whose cards are laid on each other's tables in synthetic scenes. Every group has another ground than black.
"""

TABLES = ("table-a", "table-b", "set-e")
CLOSE = ("set-f", "set-i")
"""Sources of pictures that show a card and no table: they test classification, not detection."""
DRAWN_ON = ("set-n",)
"""Sources of pictures with drawings on them: excluded from the scores."""


@dataclass
class Photo:
    """A photograph: its source, its faces, and the known outlines by face."""

    path: Path
    name: str
    source: str
    design: str
    faces: list[str]
    outlines: list[tuple[str, Array]] = field(default_factory=list)

    def picture(self) -> Array:
        image = cv2.imread(str(self.path))
        assert image is not None, self.path
        return image


def short_first(quad: Array) -> Array:
    """Return the outline clockwise as seen, its first edge a short one."""
    if cv2.contourArea(quad.astype(np.float32), True) < 0:
        quad = quad[::-1]
    sides = np.linalg.norm(quad - np.roll(quad, -1, 0), axis=1)
    return np.roll(quad, -1, 0) if sides[0] + sides[2] > sides[1] + sides[3] else quad


def load() -> list[Photo]:
    """Load all photographs in the order of the labels; empty if the folder does not exist."""
    if not PHOTOS.exists():
        return []
    outlines: dict[str, list[tuple[str, Array]]] = defaultdict(list)
    for path in (PHOTOS / "quads.csv", OUTLINES):
        if path.exists():
            with path.open() as lines:
                for row in csv.DictReader(lines):
                    quad = np.array([[float(row[f"x{i}"]), float(row[f"y{i}"])] for i in range(1, 5)], np.float32)
                    outlines[row["image"]].append((row["card"], short_first(quad)))
    with (PHOTOS / "labels.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    return [
        Photo(PHOTOS / r["image"], r["image"], r["source"], r["design"], r["cards"].split(";"), outlines[r["image"]])
        for r in rows
    ]
