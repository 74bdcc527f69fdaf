"""Training of the evidence network (`cardsight.evidence`), on drawn scenes of cards under others.

As the detector, it sees no photograph: what is fitted to its answers (`training.train_layout`) is fitted to cards that
it has not learned. It starts from the weights of the detector, whose layers it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import IterableDataset

from cardsight.corners import CORNER_MIDDLE
from cardsight.evidence import OUTPUTS, STRIDE, UNIT_PX
from croupier_rules.cards import CARD_MM
from training import cards, things
from training.backgrounds import background, clutter, hand, part_of
from training.layouts import (
    WHOLE,
    Layout,
    covered,
    fan,
    heaps,
    outline_mm,
    part_seen,
    rows,
    scattered,
    seen_through,
    single,
    spread,
)
from training.loop import fit
from training.nets import Conv, export, stage
from training.photometry import Array, Random, glare, lit, shot
from training.scenes import Texture, drop, paste, texture

STEPS = 10_000
SIZES = ((320, 256), (256, 320), (288, 288))
"""Steps of the training, and widths and heights (px) of its pictures."""
LONG_PX = (50.0, 120.0)
"""Length of a card in a training picture: 64 to 96 px in use, and what cards of other distances have then."""
BATCH = 6
GROUNDS, GROUND_PX = 32, 384
"""Number of backgrounds in use, and their sides; each picture shows a part of one."""
STRANGERS = 0.5
"""Fraction of the scenes with cards of another game or other things that look like cards."""
WARM = 0.2
"""Fraction of the scenes in the light of a warm lamp."""
HIDDEN = 0.5
"""Visible fraction of an index up to which it counts as hidden; between it and `layouts.WHOLE` both answers count as
right."""
MOST_WEIGHT = 2.5
"""Maximum weight of the pose of a card that is mostly covered."""
INDEX: Array = np.array([[4.0, 5.0], [15.5, 5.0], [15.5, 19.5], [4.0, 19.5]], np.float32) / CARD_MM
"""Area of the index in most prints, as fractions of the card's sides."""


class Evidence(nn.Module):
    """Evidence network: picture (N, 3, H, W), H and W multiples of 32, values 0…1 → (N, 15, H/4, W/4), see
    `cardsight.evidence`. It has the layers of the detector (`training.nets.Finder`), and some of twice the
    resolution."""

    def __init__(self) -> None:
        super().__init__()
        self.s4 = nn.Sequential(Conv(3, 24, 4, 4, padding=0), Conv(24, 24))
        self.s8, self.s16, self.s32 = stage(24, 40, 2), stage(40, 64, 2), stage(64, 96, 3)
        self.l32, self.l16, self.l8 = Conv(96, 64, 1), Conv(64, 64, 1), Conv(40, 40, 1)
        self.m16, self.head = Conv(64, 40), Conv(40, 40)
        self.up, self.l4 = Conv(40, 32, 1), Conv(24, 32, 1)
        self.last = nn.Sequential(Conv(32, 32), Conv(32, 32))
        self.answer = nn.Conv2d(32, OUTPUTS, 1)
        nn.init.zeros_(self.answer.bias)
        with torch.no_grad():
            self.answer.bias[8] = self.answer.bias[11] = -4.0  # an index is rare, and so is a seam

    def forward(self, x: Tensor) -> Tensor:
        s4 = self.s4(x)
        s8 = self.s8(s4)
        s16 = self.s16(s8)
        up = functional.interpolate(self.l32(self.s32(s16)), scale_factor=2.0, mode="nearest")
        up = functional.interpolate(self.m16(self.l16(s16) + up), scale_factor=2.0, mode="nearest")
        up = functional.interpolate(self.up(self.head(self.l8(s8) + up)), scale_factor=2.0, mode="nearest")
        return self.answer(self.last(self.l4(s4) + up))


def together(rng: Random) -> Layout:
    """Cards laid in one go: two to four, each nearly on top of the one before, 2 to 25 mm aside, along,
    across or fanned."""
    span = spread(rng, 150, 700)
    poses = []
    for _ in range(int(rng.integers(1, 5))):
        x, y, angle = *rng.uniform(-0.4, 0.4, 2) * (span, span * 0.7), rng.uniform(0, 2 * np.pi)
        way = angle + rng.choice([0.0, np.pi / 2, np.pi, -np.pi / 2, rng.uniform(0, 2 * np.pi)])
        far, step = spread(rng, 2, 25), float(rng.choice([0.0, rng.normal(0, 0.03), rng.normal(0, 0.12)]))
        for place in range(int(rng.integers(2, 5))):
            at = place * far
            poses.append((x + at * np.cos(way), y + at * np.sin(way), angle + place * step))
    return Layout(poses, span)


def pile(rng: Random) -> Layout:
    """A discard pile: cards at about one place, as neat as people are, some askew; perhaps a stock beside it."""
    span = spread(rng, 150, 600)
    poses = []
    for _ in range(int(rng.integers(1, 4))):
        x, y, turn = *rng.uniform(-0.4, 0.4, 2) * (span, span * 0.7), rng.uniform(0, 2 * np.pi)
        mess, skew = spread(rng, 1.5, 15), spread(rng, 0.02, 0.6)
        for _ in range(int(rng.integers(2, 10))):
            dx, dy = rng.normal(0, mess, 2)
            poses.append((x + dx, y + dy, turn + rng.normal(0, skew) + np.pi * rng.integers(0, 2)))
    return Layout(poses, span)


LAYOUTS = (
    (0.06, single), (0.08, scattered), (0.12, rows), (0.14, covered), (0.11, heaps), (0.21, fan), (0.16, together),
    (0.12, pile),
)  # fmt: skip
"""Layouts with their probabilities: those in which cards lie under others are the most frequent."""


class Stock(NamedTuple):
    """Material of scenes: cards face up and face down, things with their sizes (mm), and boxes."""

    faces: list[Texture]
    backs: list[Texture]
    things: list[tuple[Texture, tuple[float, float]]]
    boxes: list[Texture]

    @classmethod
    def made(cls, rng: Random) -> Stock:
        """Draw a stock."""
        alpha = cards.mask()
        faces = [texture(cards.drawn(rng, face), alpha, back=False) for _ in range(4) for face in cards.FACES]
        backs = [texture(cards.drawn(rng, "back"), alpha, back=True) for _ in range(40)]
        boxes = [things.rounded(things.box(rng, faces), 4) for _ in range(10)]
        return cls(faces, backs, [things.drawn(rng) for _ in range(60)], boxes)

    def renew(self, rng: Random) -> None:
        """Draw a part of it again."""
        alpha = cards.mask()
        for _ in range(2):
            face = cards.FACES[int(rng.integers(len(cards.FACES)))]
            self.faces[int(rng.integers(len(self.faces)))] = texture(cards.drawn(rng, face), alpha, back=False)
        self.backs[int(rng.integers(len(self.backs)))] = texture(cards.drawn(rng, "back"), alpha, back=True)
        self.things[int(rng.integers(len(self.things)))] = things.drawn(rng)
        if rng.random() < 0.2:
            self.boxes[int(rng.integers(len(self.boxes)))] = things.rounded(things.box(rng, self.faces), 4)


def compose(rng: Random, stock: Stock, image: Array) -> tuple[Array, ...]:
    """Compose a scene on a background: return the uint8 BGR picture and the `targets`."""
    height, width = image.shape[:2]
    if rng.random() < 0.6:
        clutter(rng, image)
    cover = np.zeros((height, width), np.int32)
    quads, is_back = list[Array](), list[bool]()
    shares, ways = zip(*LAYOUTS, strict=True)
    made: Layout = ways[int(rng.choice(len(ways), p=shares))](rng) if rng.random() < 0.93 else Layout([], 300.0)
    long = spread(rng, *LONG_PX)
    homography = seen_through(rng, width * CARD_MM[1] / long, width, height)
    if rng.random() < 0.5:  # not around the middle of the picture only
        homography = np.array([[1, 0, rng.normal(0, 0.15) * width], [0, 1, rng.normal(0, 0.15) * height], [0, 0, 1]]) @ homography  # fmt: skip  # noqa: E501
    shadow = rng.uniform(0, 0.5) if rng.random() < 0.75 else 0.0
    share_back = rng.choice([0.0, 0.1, 0.4, 0.9], p=[0.4, 0.3, 0.18, 0.12])

    def through(points: Array) -> Array | None:
        flat = np.c_[points, np.ones(len(points))] @ homography.T
        quad = flat[:, :2] / flat[:, 2:]
        return quad if flat[:, 2].min() > 0.2 and np.isfinite(quad).all() else None

    def strange(at: Sequence[float], number: int) -> None:
        """Put a thing down around a point (mm)."""
        if rng.random() < 0.2:
            thing, size = stock.boxes[int(rng.integers(len(stock.boxes)))], (95.0, 133.0)
        else:
            thing, size = stock.things[int(rng.integers(len(stock.things)))]
        half = np.array([[-size[0], -size[1]], [size[0], -size[1]], size, [-size[0], size[1]]]) / 2
        a = rng.uniform(0, 2 * np.pi)
        quad = through(half @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) * spread(rng, 0.85, 1.2) + at)
        if quad is None or (quad.max(0) < 0).any() or (quad.min(0) > (width, height)).any():
            return
        if rng.random() < 0.1:
            things.glass(rng, image, cover, quad)
            return
        drop(rng, image, quad, shadow)
        paste(image, cover, number, thing, quad, 1.0)

    span = width * CARD_MM[1] / long
    has_strangers = rng.random() < STRANGERS
    for _ in range(int(rng.integers(1, 6)) if has_strangers else 0):
        strange(rng.uniform(-0.55, 0.55, 2) * span, 0)
    rim = rng.uniform(0, 0.4) if rng.random() < 0.4 else 0.0
    cover[:] = np.maximum(cover, 0)
    for x, y, angle in made.poses:
        quad = through(outline_mm(x, y, angle))
        if quad is None or (quad.max(0) < -20).any() or (quad.min(0) > (width + 20, height + 20)).any():
            continue
        back = rng.random() < share_back
        pool = stock.backs if back else stock.faces
        if shadow:
            drop(rng, image, quad, shadow)
        quads.append(quad)
        is_back.append(back)
        paste(image, cover, len(quads), pool[int(rng.integers(len(pool)))], quad, float(rng.uniform(0.93, 1.04)))
        if rim:  # the side of the cardboard
            darken(image, np.roll(quad, int(rng.integers(4)), 0)[:3], rim)
    for _ in range(int(rng.integers(1, 3)) if has_strangers and rng.random() < 0.25 else 0):
        strange(rng.uniform(-0.5, 0.5, 2) * span, -1)
    for _ in range(int(rng.choice([0, 1, 2], p=[0.6, 0.3, 0.1]))):
        target = quads[int(rng.integers(len(quads)))] if quads else rng.uniform(0, 1, (4, 2)) * (width, height)
        scale = float(np.linalg.norm(target[1] - target[2])) if quads else long
        hand(rng, image, cover, target.mean(0) + rng.normal(0, 0.6, 2) * scale, scale * rng.uniform(0.6, 1.2))
    if rng.random() < WARM:
        image = image * np.float32([rng.uniform(0.35, 0.75), rng.uniform(0.65, 0.92), 1.0])
    image = lit(rng, image)
    if rng.random() < 0.15:
        image = glare(rng, image)
    return shot(rng, image).transpose(2, 0, 1).copy(), *targets(cover, quads, is_back)


def darken(image: Array, points: Array, by: float) -> None:
    """Draw a thin dark line along some points."""
    x0, y0 = np.maximum(points.min(0).astype(int) - 2, 0)
    x1, y1 = np.minimum(points.max(0).astype(int) + 3, image.shape[1::-1])
    if x1 > x0 and y1 > y0:
        line = np.zeros((y1 - y0, x1 - x0), np.float32)
        cv2.polylines(line, [np.rint((points - (x0, y0)) * 16).astype(np.int32)], False, by, 1, cv2.LINE_AA, 4)
        image[y0:y1, x0:x1] *= (1 - line)[..., None]


def targets(cover: Array, quads: Sequence[Array], is_back: Sequence[bool]) -> tuple[Array, ...]:
    """Return what the network is to say of each cell of `STRIDE` px.

    The kind (h, w): 0 no card, 1 face up, 2 face down, -100 between two. The pose (4, h, w): to the center of the card
    (in `UNIT_PX`), cosine and sine of twice the angle of its long side, with its weight (h, w), greater for a card of
    which less is visible. The edges (h, w): where a card ends. The heat of the indices (h, w) with its weight (h, w),
    and their directions (2, h, w; cosine, sine) with the weight of these. The seams (h, w): where a card ends upon
    another card. From an edge into the card whose edge it is (2, h, w; cosine, sine), with its weight (h, w).
    ``cover``: for each pixel the number of the card, from 1 on, that it shows; 0 below all cards, -1 above some.
    """
    height, width = cover.shape
    h, w = height // STRIDE, width // STRIDE
    cells = np.maximum(cover, 0).reshape(h, STRIDE, w, STRIDE).transpose(0, 2, 1, 3).reshape(h, w, -1)
    number = np.partition(cells, STRIDE**2 // 2, axis=2)[..., STRIDE**2 // 2].astype(np.int64)
    is_whole = (cells == number[..., None]).mean(2) > 0.6
    kinds = np.array([0, *(2 if back else 1 for back in is_back)], np.int64)
    kind = np.where(is_whole, kinds[number], -100)
    xs, ys = np.meshgrid((np.arange(w) + 0.5) * STRIDE - 0.5, (np.arange(h) + 0.5) * STRIDE - 0.5)
    poses = np.zeros((len(quads) + 1, 4), np.float32)
    for n, quad in enumerate(quads, 1):
        axis = quad[2] + quad[3] - quad[0] - quad[1]
        angle = 2 * np.arctan2(axis[1], axis[0])
        poses[n] = *_middle(quad), np.cos(angle), np.sin(angle)
    pose = poses[number].transpose(2, 0, 1)
    pose[0], pose[1] = (pose[0] - xs) / UNIT_PX, (pose[1] - ys) / UNIT_PX
    shown = np.bincount(np.maximum(cover, 0).ravel(), minlength=len(quads) + 1)[1:]
    area = np.array([abs(cv2.contourArea(quad.astype(np.float32))) for quad in quads])
    share = np.concatenate([[1.0], np.clip(shown / np.maximum(area, 1), 0.05, 1)]) if quads else np.ones(1)
    pose_weight = ((number > 0) * share[number] ** -0.5).clip(0, MOST_WEIGHT).astype(np.float32)
    edge, seam, *into = np.zeros((4, height, width), np.float32)
    for axis, (a, b) in enumerate(((np.s_[:, 1:], np.s_[:, :-1]), (np.s_[1:], np.s_[:-1]))):
        differ, upper, lower = cover[a] != cover[b], np.maximum(cover[a], cover[b]), np.minimum(cover[a], cover[b])
        edge[a] += differ & (upper > 0)
        seam[a] += differ & (lower > 0)
        into[axis][a] = np.where(differ & (lower >= 0), np.where(cover[a] > cover[b], 1.0, -1.0), 0.0)
    edge, seam, *into = (cv2.resize(one, (w, h), interpolation=cv2.INTER_AREA) for one in (edge, seam, *into))
    edges, seams, above = np.float32(edge > 0), np.float32(seam > 0), np.stack(into) * STRIDE**2
    far = np.hypot(*above)
    above /= np.maximum(far, 1e-6)
    above_weight = (far >= STRIDE / 2) * (0.4 + 0.6 * seams)
    heat, weight = np.zeros((h, w), np.float32), np.ones((h, w), np.float32)
    ways, ways_weight = np.zeros((2, h, w), np.float32), np.zeros((h, w), np.float32)
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    for n, quad in enumerate(quads, 1):
        if is_back[n - 1]:
            continue
        matrix = cv2.getPerspectiveTransform(unit, quad.astype(np.float32))
        own = cover == n
        for end in range(2):
            area, at = (INDEX, CORNER_MIDDLE) if end == 0 else (1 - INDEX, 1 - CORNER_MIDDLE)
            around = cv2.perspectiveTransform(area[None].astype(np.float32), matrix)[0]
            points = np.array([at, at + np.array([0.1, 0]) * (1 - 2 * end)], np.float32)
            (x, y), beside = cv2.perspectiveTransform(points[None], matrix)[0]
            shown = part_seen(own, around)
            if shown <= HIDDEN:
                continue
            size = float(np.linalg.norm(around[0] - around[2])) / STRIDE
            blob = np.exp(-((xs - x) ** 2 + (ys - y) ** 2) / (2 * (STRIDE * max(0.7, 0.22 * size)) ** 2))
            if shown < WHOLE:
                weight[blob > 0.1] = 0.0
                continue
            near = blob > 0.3
            blob[blob == blob.max()] = 1.0
            heat = np.maximum(heat, blob * (blob > 0.01))
            weight[blob == 1] = 1.0
            turn = np.arctan2(beside[1] - y, beside[0] - x)
            ways[0][near], ways[1][near], ways_weight[near] = np.cos(turn), np.sin(turn), blob[near]
    return (
        kind, pose.astype(np.float32), pose_weight, edges, heat.astype(np.float32), weight, ways, ways_weight, seams,
        above, above_weight.astype(np.float32),
    )  # fmt: skip


def _middle(quad: Array) -> Array:
    """Return where the diagonals of a card cross."""
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    half = np.array([[[0.5, 0.5]]], np.float32)
    return cv2.perspectiveTransform(half, cv2.getPerspectiveTransform(unit, quad.astype(np.float32)))[0, 0]


class Scenes(IterableDataset):  # type: ignore[type-arg]
    """Batches of scenes without end, each of one size; different for each stretch."""

    def __init__(self, seed: int, stretch: int) -> None:
        self.seed = (seed, 3, stretch)

    def __iter__(self) -> Iterator[tuple[Tensor, ...]]:
        rng = np.random.default_rng(self.seed)
        stock = Stock.made(rng)
        grounds = [background(rng, GROUND_PX, GROUND_PX) for _ in range(GROUNDS)]
        while True:
            grounds[int(rng.integers(GROUNDS))] = background(rng, GROUND_PX, GROUND_PX)
            stock.renew(rng)
            size = SIZES[int(rng.integers(len(SIZES)))]
            batch = [compose(rng, stock, part_of(rng, grounds, *size)) for _ in range(BATCH)]
            yield tuple(torch.from_numpy(np.stack(part)) for part in zip(*batch, strict=True))


def losses(out: Tensor, truth: list[Tensor]) -> dict[str, Tensor]:
    """Cross entropy of kind, edges and seams, focal loss of the indices (CornerNet, 2018), smooth L1 of poses and
    directions; the network's estimate of the error of its centers does not change the centers."""
    kind, pose, pose_weight, edges, heat, weight, ways, ways_weight, seams, above, above_weight = truth
    apart = functional.smooth_l1_loss(out[:, 3:7], pose, reduction="none", beta=0.03)  # 2 px
    apart = (apart * torch.tensor([1.0, 1.0, 0.5, 0.5])[:, None, None]).sum(1)
    off = (out[:, 3:5] - pose[:, :2]).detach().square().sum(1).sqrt()
    doubt = off * torch.exp(-out[:, 14]) + out[:, 14]  # negative log likelihood of a Laplace distribution
    off_weight = (pose_weight > 0).float()
    over = functional.smooth_l1_loss(out[:, 12:14], above, reduction="none", beta=0.1).sum(1)
    logits = out[:, 8]
    p = torch.sigmoid(logits)
    hit = heat.eq(1).float()
    gain = hit * (1 - p) ** 2 * functional.logsigmoid(logits)
    miss = (1 - hit) * (1 - heat) ** 4 * p**2 * functional.logsigmoid(-logits)
    turned = functional.smooth_l1_loss(out[:, 9:11], ways, reduction="none", beta=0.1).sum(1)
    return {
        "kind": functional.cross_entropy(out[:, :3], kind, ignore_index=-100),
        "pose": (apart * pose_weight).sum() / pose_weight.sum().clamp(min=1),
        "edges": functional.binary_cross_entropy_with_logits(out[:, 7], edges, pos_weight=torch.tensor(2.0)),
        "index": -0.3 * ((gain + miss) * weight).sum() / hit.sum().clamp(min=1),
        "way": 0.5 * (turned * ways_weight).sum() / ways_weight.sum().clamp(min=1),
        "seam": functional.binary_cross_entropy_with_logits(out[:, 11], seams, pos_weight=torch.tensor(4.0)),
        "above": 0.5 * (over * above_weight).sum() / above_weight.sum().clamp(min=1),
        "doubt": 0.1 * (doubt * off_weight).sum() / off_weight.sum().clamp(min=1),
    }


def train(to: Path, steps: int, *, start: Path | None = None, seed: int = 1) -> None:
    """Train the evidence network, from the weights ``start`` of the detector; write its weights to ``to``."""
    torch.manual_seed(seed)
    net = Evidence()
    if start is not None:
        net.load_state_dict(torch.load(start), strict=False)
    fit(net, partial(Scenes, seed), losses, steps=steps, rate=2e-3, to=to)


def write(weights: Path, to: Path) -> None:
    """Write the network with these weights as `cardsight.layout` loads it."""
    net = Evidence()
    net.load_state_dict(torch.load(weights))
    export(net, (1, 3, 256, 256), to, ["seen"])
