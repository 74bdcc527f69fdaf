"""Rims: whether a card shows beside the one that was laid on it, when two cards are laid as one.

The rim of a card is its printed border against what lies around it. All four rims of the card that was laid show. Of a
card that came with it, only the rims beside that card do: where they are, the picture looks like the border of this
deck inside and unlike it outside, and did not before. A card that lay there before has the same rims in both pictures,
and one that was pushed has lost its old ones. Every place of a second card is a hypothesis; how likely it is that one
lies there is a logistic regression of `FEATURES`, fitted to drawn piles (``python -m training.train_rims``).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.sighting import Corners
from cardsight.track.blocks import Part, Small
from croupier_rules.cards import CARD_MM

WEIGHTS: Final = Path(__file__).with_name("rims.json")

FEATURES: Final = (
    "visible", "rim", "changed", "fresh", "none", "unchanged", "before",
    "top", "worst of top", "shifted", "as read", "gone", "stands", "near", "near and gone", "alike", "bias",
)  # fmt: skip
"""Of a second card: the number of samples of its rim that show, and their sums of: likeness of a rim; change; fresh
rim, where the picture has changed and had none; no rim; no change; rim before. The mean likeness of the rims of the
card laid, and of its worst one; how far (mm) it lies from the outline that was read, and how near the second card does.
Of the card that was on top before: samples of its rim beside both that are gone, and that stand; how near the second
card is to it; this times the samples gone; and this times how much what shows of the second card looks like it,
-0.5…0.5."""
CHOICE: Final = {"fresh": 1.0, "none": -0.35, "unchanged": -0.2}
"""Weights of the sums by which one hypothesis is chosen; `FEATURES` then tell how likely it is."""

SAMPLE_MM: Final = 5.0
"""Distance of samples along a rim."""
INNER_MM: Final = (0.9, 2.3)
OUTER_MM: Final = 1.5
"""Distance from an outline at which its border is looked at, and what lies around it: the narrowest border is 3 mm
wide."""
CHANGED_MM: Final = 1.6
BESIDE_MM: Final = (2.5, 3.5)
"""Distance of a rim from the card on it from which it does not count and does in full: a reader's outline is off by
1 to 2 mm."""
PULL: Final = 0.03
"""Likeness of rims that is worth 1 mm from the outline that was read."""
SHADOW: Final = (0.55, 1.15)
"""Gain of a pixel by a shadow or its end, which is no change."""
CONTRAST: Final = 60.0
"""Difference of colors (gray levels) from which they are as different as can be."""
FARTHEST_MM: Final = 22.0
FARTHEST_RAD: Final = math.radians(12.0)
"""Greatest distance and angle between two cards laid as one; farther ones are read."""
NEAR_MM: Final = 15.0
AS_READ_MM: Final = 3.0
"""Distance at which a second card is hardly near the former top card any more, and the outline that was read."""
MOST: Final = 6
"""Number of places of a second card that are compared closely."""
CORNER_MM: Final = 5.0
"""Length of a rim at its ends that is left out: corners are round."""

Pose = NDArray[np.float64]
"""Places of cards relative to another one, (…, 4): to the right and down (mm), angle (rad, clockwise), and scale."""
Points = NDArray[np.float64]
Plane = NDArray[np.float32]
Border = tuple[Plane, Plane]
"""How unlike the border of the deck each pixel is (0…1): for the inside of a rim, and for the outside."""


@dataclass(frozen=True, slots=True)
class HiddenCard:
    """A card that may lie under the one that was laid: its outline (px of the frame) and the log odds."""

    outline: Corners
    odds: float


@cache
def load(path: Path = WEIGHTS) -> Mapping[str, float]:
    """Load the weight of each of the `FEATURES`. Raises `FileNotFoundError`."""
    return dict(json.loads(path.read_text(encoding="utf-8")))


def save(weights: Mapping[str, float], path: Path = WEIGHTS) -> None:
    """Write the weights."""
    rounded = {name: round(value, 4) for name, value in weights.items()}
    path.write_text(json.dumps(rounded, indent=1) + "\n", encoding="utf-8")


def hidden_card(
    part: Part, now: Small, before: Small, laid: Corners, top: Corners | None,
    weights: Mapping[str, float] | None = None,
) -> HiddenCard:  # fmt: skip
    """Return the likeliest second card under the one ``laid`` since ``before``. ``top``: of the pile before."""
    view = View(part, now, before, laid)
    weights = load() if weights is None else weights
    w = np.array([weights[name] for name in FEATURES])
    pose = view.likeliest()
    return HiddenCard(view.outline(pose), float(view.features(pose, top) @ w))


class View:
    """Two pictures of a pile around the card that was laid, in mm of this card.

    ``border``, ``was_border``: as `Border`, now and before. ``change``: how unlike before each pixel is (0…1). ``fit``:
    mean likeness of the rims of the card.
    """

    def __init__(self, part: Part, now: Small, before: Small, laid: Corners) -> None:
        self._part, self._mm = part, part.card_px / part.px / CARD_MM[1]
        quad = self._shrunk(laid)
        down, right = quad[2] + quad[3] - quad[0] - quad[1], quad[1] + quad[2] - quad[0] - quad[3]
        self._axes = np.stack([right / np.hypot(*right), down / np.hypot(*down)]) * self._mm
        self._middle = quad.mean(0)
        gain = np.median((now.pixels + 1) / (before.pixels + 1), axis=(0, 1))
        seen, was = now.pixels, before.pixels * gain
        self._read = laid
        self._seen, self._was = ([np.ascontiguousarray(one[..., c]) for c in range(3)] for one in (seen, was))
        self._look(seen, was, _scale_of(quad, self._mm))

    def _look(self, seen: Plane, was: Plane, scale: float) -> None:
        """Find the color of the border and the exact place of the card laid."""
        points, normals = _rims(np.array([[0, 0, 0, scale]]))
        inner = self._colors(self._seen, points - 1.8 * normals)[0]
        tries = []
        for sides in ((0, 1, 2, 3), (0, 2), (1, 3)):  # outlines are often right in one direction only
            color = np.median(inner[np.isin(_SIDES, sides)], axis=0)
            self.border = _border(seen, color)
            tries.append((*self._fitted(), color))
        self.fit, pose, color = max(tries, key=lambda one: one[0])
        self.border, self.was_border = _border(seen, color), _border(was, color)
        gain = (seen * was).sum(-1) / np.maximum((was * was).sum(-1), 1.0)
        self.change = _unlike(seen, was * np.clip(gain, *SHADOW)[..., None])
        self._middle = self._middle + pose[:2] @ self._axes
        self._axes = pose[3] * _rotation(float(pose[2])) @ self._axes
        (likeness,) = self._likeness(self.border, *_rims(_LAID[None]))
        worst = min(float(likeness[np.isin(_SIDES, side)].mean()) for side in range(4))
        self._fit = self.fit, worst, float(np.hypot(*pose[:2]))

    def _fitted(self) -> tuple[float, Pose]:
        """Return the mean likeness of the rims of the card laid, and its place relative to the outline that was
        read."""
        pose, most, border = _LAID, 0.0, _loose(self.border)
        for around in _steps():
            poses = pose + around
            found = self._likeness(border, *_rims(poses)).mean(1) - PULL * np.hypot(poses[:, 0], poses[:, 1])
            pose, most, border = poses[found.argmax()], float(found.max()), self.border
        return most, pose

    def likeliest(self) -> Pose:
        """Return the place where a second card is likeliest."""
        poses, samples = _hypotheses()
        odds = self._sums(poses, *samples, is_loose=True) @ _CHOICE
        some: list[Pose] = []
        while len(some) < MOST:
            some.append(poses[odds.argmax()])
            odds[np.abs(poses - some[-1]) @ _UNITS < 1] = -np.inf
        for step, turn in ((1.0, 2.0), (0.5, 1.0)):
            shifts, turns = np.array([-step, 0, step]), np.radians([-turn, 0, turn])
            near = np.stack(some)[:, None] + _grid(shifts, shifts, turns, np.zeros(1))
            flat = near.reshape(-1, 4)
            odds = (self._sums(flat, *_visible(flat)) @ _CHOICE).reshape(len(some), -1)
            some = list(near[np.arange(len(some)), odds.argmax(1)])
        return np.asarray(some[int(odds.max(1).argmax())], np.float64)

    def features(self, pose: Pose, top: Corners | None) -> NDArray[np.float64]:
        """Return the `FEATURES` of a second card at ``pose``."""
        (sums,) = self._sums(pose[None], *_visible(pose[None]))
        as_read = math.exp(-((_distance_mm(pose, self.pose_of(self._read)) / AS_READ_MM) ** 2))
        return np.array([*sums, *self._fit, as_read, *self._of_former(pose, top), 1.0])

    def outline(self, pose: Pose) -> Corners:
        """Return the outline of a card (px of the frame)."""
        width, height = CARD_MM
        corners = np.array([(-width, -height), (width, -height), (width, height), (-width, height)]) / 2 * pose[3]
        places = self._middle + (corners @ _rotation(float(pose[2])) + pose[:2]) @ self._axes
        a, b, c, d = ((float(x), float(y)) for x, y in (places + 0.5) * self._part.px + self._part.box[:2])
        return a, b, c, d

    def pose_of(self, outline: Corners) -> Pose:
        """Return the place of a card with this outline, as tall as the card laid."""
        quad = (self._shrunk(outline) - self._middle) @ np.linalg.inv(self._axes)
        x, y = quad[2] + quad[3] - quad[0] - quad[1]
        angle = (math.atan2(-x, y) + math.pi / 2) % math.pi - math.pi / 2
        x, y = quad.mean(0).tolist()
        return np.array([x, y, angle, 1.0])

    def _shrunk(self, outline: Corners) -> Points:
        return np.asarray((np.array(outline) - self._part.box[:2]) / self._part.px - 0.5, np.float64)

    def _of_former(self, pose: Pose, top: Corners | None) -> tuple[float, ...]:
        """Return the features of the card that was on top before."""
        if top is None:
            return (0.0,) * 5
        former = self.pose_of(top)[None]
        points, normals = _rims(former)
        beside = np.minimum(_beyond(points, _LAID), _beyond(points, pose))
        shows = np.clip((beside - BESIDE_MM[0]) / (BESIDE_MM[1] - BESIDE_MM[0]), 0, 1)
        was = shows * np.clip(2 * self._likeness(self.was_border, points, normals), 0, 1)
        change = np.clip(2 * self._at(self.change, points - CHANGED_MM * normals), 0, 1)
        is_none = np.clip(1 - 2 * self._likeness(self.border, points, normals), 0, 1)
        gone = float((was * change * is_none).sum())
        near = math.exp(-((_distance_mm(pose, former[0]) / NEAR_MM) ** 2))
        alike = 0.5 - self._difference(_same_end(pose, former[0]), former[0])
        return gone, float((was * (1 - change)).sum()), near, near * min(gone, 6.0), near * alike

    def _difference(self, pose: Pose, former: Pose) -> float:
        """Return how unlike (0…1) what shows of a card and the same part of the former top card looked."""
        here, there = (_INNER @ _rotation(float(one[2])) + one[:2] for one in (pose, former))
        shows = _beyond(here, _LAID) > BESIDE_MM[0]
        if not shows.any():
            return 0.5
        return float(_unlike(self._colors(self._seen, here[shows]), self._colors(self._was, there[shows])).mean())

    def _sums(
        self, poses: Pose, points: Points, normals: Points, weight: NDArray[np.float64], whose: NDArray[np.intp], *,
        is_loose: bool = False,
    ) -> NDArray[np.float64]:  # fmt: skip
        """Return the features that are sums over the visible samples of each pose. ``is_loose``: the rims may lie a
        little beside the samples."""
        border, was_border = ((_loose(one) if is_loose else one) for one in (self.border, self.was_border))
        rim = self._likeness(border, points, normals)
        was = np.clip(self._likeness(was_border, points, normals), 0, 1)
        change = self._at(self.change, points - CHANGED_MM * normals)
        is_rim = np.clip(rim, 0, 1)
        each = (
            np.ones_like(rim), rim, change, is_rim * np.clip(1.5 * change, 0, 1) * (1 - was), rim < 0.1, change < 0.15,
            was,
        )  # fmt: skip
        return np.stack([np.bincount(whose, weight * one, len(poses)) for one in each], -1)

    def _likeness(self, border: Border, points: Points, normals: Points) -> NDArray[np.float64]:
        """Return how much each sample looks like a rim: -1…1."""
        inside, outside = border
        unlike = np.maximum(*(self._at(inside, points - far * normals) for far in INNER_MM))
        return np.asarray(self._at(outside, points + OUTER_MM * normals) - unlike, np.float64)

    def _colors(self, planes: Sequence[Plane], points: Points) -> Plane:
        """Return the colors (…, 3) at these points."""
        return np.stack([self._at(one, points) for one in planes], -1).astype(np.float32)

    def _at(self, plane: Plane, points: Points) -> NDArray[np.float64]:
        """Return the values at these points (mm of the card laid)."""
        places = (points.reshape(-1, 2) @ self._axes + self._middle).astype(np.float32)
        n = max(1, -(-len(places) // _ROW))
        places = np.concatenate([places, np.zeros((n * _ROW - len(places), 2), np.float32)]).reshape(n, _ROW, 2)
        columns, rows = places[..., 0], places[..., 1]
        seen = cv2.remap(plane, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(seen.reshape(-1)[: points.size // 2].reshape(points.shape[:-1]), np.float64)


_AROUND: Final = np.ones((3, 3), np.uint8)
_ROW: Final = 4096
_UNITS: Final = np.array([1 / 5, 1 / 5, 1 / math.radians(6), 0])
"""Two places of a second card differ if they are apart by 5 mm or 6 degrees."""
_LAID: Final[Pose] = np.array([0.0, 0.0, 0.0, 1.0])
_SUMS: Final = FEATURES[:7]
_CHOICE: Final = np.array([CHOICE.get(name, 0.0) for name in _SUMS])


def _samples() -> tuple[Points, Points, NDArray[np.intp]]:
    """Return the samples of a card's rims (mm from its middle), their normals outwards, and the number of the side."""
    width, height = CARD_MM
    points, normals, sides = [], [], []
    for side, (x, y) in enumerate(((0, -1), (1, 0), (0, 1), (-1, 0))):
        long = (width if y else height) - 2 * CORNER_MM
        n = round(long / SAMPLE_MM)
        for way in (np.arange(n) + 0.5) / n * long - long / 2:
            points.append((x * width / 2 + abs(y) * way, y * height / 2 + abs(x) * way))
            normals.append((x, y))
            sides.append(side)
    return np.array(points), np.array(normals, np.float64), np.array(sides)


_POINTS, _NORMALS, _SIDES = _samples()
_INNER: Final[Points] = np.stack(
    np.meshgrid(*(np.arange(-side / 2 + 2, side / 2 - 1, 3.0) for side in CARD_MM), indexing="ij"), -1
).reshape(-1, 2)
"""Points all over a card (mm from its middle)."""


def _border(picture: Plane, color: NDArray[np.floating]) -> Border:
    """Return how unlike a border of this color each pixel is."""
    plane = _unlike(picture, color)
    return plane, plane


def _loose(border: Border) -> Border:
    """Return the `Border` for rims that may lie up to a pixel beside their samples."""
    inside, outside = border
    return np.asarray(cv2.erode(inside, _AROUND), np.float32), np.asarray(cv2.dilate(outside, _AROUND), np.float32)


def _rotation(angle: float) -> NDArray[np.float64]:
    """Return the matrix that turns row vectors clockwise."""
    cos, sin = math.cos(angle), math.sin(angle)
    return np.array([(cos, sin), (-sin, cos)])


def _rims(poses: Pose) -> tuple[Points, Points]:
    """Return the samples of cards at ``poses`` (n, 4) and their normals, (n, samples, 2)."""
    cos, sin = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    turn = np.stack([np.stack([cos, sin], -1), np.stack([-sin, cos], -1)], -2)
    return _POINTS * poses[:, 3, None, None] @ turn + poses[:, None, :2], _NORMALS @ turn


def _same_end(pose: Pose, other: Pose) -> Pose:
    """Return the pose with that end of the card first which is first in the ``other`` one."""
    ends = [pose + [0, 0, turn, 0] for turn in (0.0, math.pi)]
    return min(ends, key=lambda one: float(np.hypot(*(_rims(one[None])[0] - _rims(other[None])[0])[0].T).mean()))


def _distance_mm(pose: Pose, other: Pose) -> float:
    """Return the mean distance (mm) of the rims of two cards."""
    same = _same_end(pose, other)
    return float(np.hypot(*(_rims(same[None])[0] - _rims(other[None])[0])[0].T).mean())


def _beyond(points: Points, pose: Pose) -> NDArray[np.float64]:
    """Return how far (mm) points lie outside of a card; negative inside."""
    own = (points - pose[:2]) @ _rotation(-float(pose[2]))
    return np.asarray((np.abs(own) - np.array(CARD_MM) / 2 * pose[3]).max(-1), np.float64)


def _visible(poses: Pose) -> tuple[Points, Points, NDArray[np.float64], NDArray[np.intp]]:
    """Return the samples of cards at ``poses`` beside the card laid: place, normal, weight 0…1, number of the pose."""
    points, normals = _rims(poses)
    weight = np.clip((_beyond(points, _LAID) - BESIDE_MM[0]) / (BESIDE_MM[1] - BESIDE_MM[0]), 0, 1)
    whose, which = np.nonzero(weight)
    return points[whose, which], normals[whose, which], weight[whose, which], whose


@cache
def _hypotheses() -> tuple[Pose, tuple[Points, Points, NDArray[np.float64], NDArray[np.intp]]]:
    """Return the places at which a second card is looked for, and their visible samples."""
    shifts = np.arange(-FARTHEST_MM, FARTHEST_MM + 1, 2.0)
    poses = _LAID + _grid(shifts, shifts, np.linspace(-FARTHEST_RAD, FARTHEST_RAD, 7), np.zeros(1))
    return poses, _visible(poses)


@cache
def _steps() -> tuple[Pose, ...]:
    """Return the places around an outline at which the card laid is looked for, coarse to fine: an outline that takes
    in a card below is off in one direction."""
    far, near = np.arange(-10.0, 10.5, 2.0), np.array([-2.0, 0.0, 2.0])
    turns, still = np.radians([-2.0, 0.0, 2.0]), np.zeros(1)
    coarse = np.concatenate([_grid(far, near, turns, still), _grid(near, far, turns, still)])
    middle, fine = np.arange(-2.0, 2.5), np.array([-0.5, 0.0, 0.5])
    sizes = np.array([-0.02, 0.0, 0.02])
    return coarse, _grid(middle, middle, turns / 2, sizes), _grid(fine, fine, turns / 4, sizes / 2)


def _grid(*values: NDArray[np.float64]) -> Pose:
    return np.stack([one.ravel() for one in np.meshgrid(*values, indexing="ij")], -1)


def _scale_of(quad: Points, mm: float) -> float:
    """Return the size of an outline (px of the shrunk picture) relative to a card's."""
    long = np.hypot(*(quad[3] - quad[0])) + np.hypot(*(quad[2] - quad[1]))
    return float(long / 2 / mm / CARD_MM[1])


def _unlike(picture: Plane, other: Plane | NDArray[np.floating]) -> Plane:
    """Return how unlike the colors of two pictures, or of a picture and one color, are: 0…1."""
    return np.asarray(np.minimum(np.linalg.norm(picture - other, axis=-1) / CONTRAST, 1), np.float32)
