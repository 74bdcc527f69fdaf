"""Registration: frames of a swaying camera are aligned with the settled picture before blocks are compared.

The translation is estimated to a fraction of a pixel, first by phase correlation, then by a few gradient steps (Lucas
and Kanade 1981, Baker and Matthews 2004). Blocks that no translation explains, such as a hand or a new card, lose their
weight.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from cardsight.geometry import Image
from cardsight.track.background_model import QUIET
from cardsight.track.blocks import BLOCK, Compared, Fit, Mask, Part, Small, block_means, differs, grown

Offset = tuple[float, float]
"""A translation to the right and down, in px of the shrunk picture unless stated otherwise."""

_STEPS: Final = 3
_FARTHEST_PX: Final = 3.5
"""Search range of the translation (px of the shrunk picture)."""
_SAFE_PX: Final = 2.5
"""Translation (px) up to which the camera is expected to stay in range."""
_BEYOND_PX: Final = 0.8
"""Translation (px of the shrunk picture) by which a frame may go beyond those of the settled frames: a card laid a
little beside its twin looks like a camera that moved."""
_SETTLED_FRAMES: Final = 90
_OUTLIER: Final = 20.0
"""Residual (gray levels) from which a block counts little."""

_STIFFNESS: Final = 300.0
"""Regularization: sum over the blocks of the mean squared gradient of noise. A direction without a larger gradient
gives no translation."""
_CLEARLY: Final = 0.9
"""Factor by which the residual of another start must be smaller than that of the last offset."""

_FRAMES: Final = 12
_MOST_OF_THEM: Final = 8
"""The camera trembles if at least this many of the latest `_FRAMES` frames show it."""
_LEAST_MOVING: Final = 0.002
"""Minimum fraction of blocks that differ from the last frame in a trembling one."""
_PLAIN: Final = 0.02
"""Maximum fraction of blocks that move without edges near them in one of the two frames."""
_LAGS: Final = (3, 6, 11)
_AS_NEAR: Final = 1.3
"""Maximum ratio of the difference from one of the frames `_LAGS` ago to that from the last frame."""
_RETURNED: Final = 0.3
"""The same ratio if more blocks without edges move."""
_FRAMES_OF_FAULT: Final = 60
_STANDING: Final = 0.3
"""Minimum fraction of the latest frames that are still after alignment; a hand moves in the others."""
_CALM_S: Final = 3.0
"""Time (s) without trembling after which frames are compared without alignment."""
_BY_EDGES: Final = 8.0
"""Error of a block with edges that is still noise, in multiples of the median of all blocks with edges."""
_CLEAR_EDGE: Final = 100.0
"""Mean squared gradient from which a block counts as one with edges."""
_LARGEST_PLAY: Final = 0.5
"""Upper limit of `Small.play`: the error of an offset of 0.7 px."""

_GRAINY: Final = 0.98
"""Fraction of the blocks without edges in which the noise of two successive frames is at most the grain."""
_GRAIN_SHARE: Final = 1.7
"""Multiple of this noise that a block may differ by."""
_USUAL_GRAIN: Final = 25.0
_LARGEST_GRAIN: Final = 144.0
"""Least and greatest squared error that counts as the grain of a camera."""
_GRAIN_EVERY: Final = 15
"""Number of frames between two measurements of the grain, after the first ones."""
_GRAIN_LOOKS: Final = (5, 40)
"""Least and greatest number of measurements, of which the lowest quarter shows no hand."""
_PLAIN_BLOCKS: Final = 60


class Grain:
    """Noise of a camera, measured in blocks without edges. Strong compression changes the color of whole blocks."""

    def __init__(self) -> None:
        self._looks: deque[float] = deque(maxlen=_GRAIN_LOOKS[1])
        self._frames = 0
        self.level = 0.0
        """Squared error of a block by noise (gray levels); 0 for cameras with usual noise."""

    def learn(self, error: npt.NDArray[np.float32], now: Small) -> None:
        """Learn from the ``error`` between a frame and the one before."""
        self._frames += 1
        if self._frames % _GRAIN_EVERY and len(self._looks) >= _GRAIN_LOOKS[0]:
            return
        plain = error[~grown(now.textured())]
        if plain.size < _PLAIN_BLOCKS:
            return
        most = int(_GRAINY * plain.size)
        self._looks.append(float(np.partition(plain, most)[most]))
        if len(self._looks) >= _GRAIN_LOOKS[0]:
            level = _GRAIN_SHARE * sorted(self._looks)[len(self._looks) // 4]
            self.level = min(level, _LARGEST_GRAIN) if level > _USUAL_GRAIN else 0.0


class Stabilizer:
    """Shrinks the ``part`` of each frame, and aligns it with the settled picture while the camera trembles."""

    def __init__(self, part: Part) -> None:
        self._part = part
        self._window = cv2.createHanningWindow(part.shape_px[::-1], cv2.CV_32F)
        self.moving: Mask = np.zeros(part.shape, np.bool_)
        """The blocks that differ between the last two frames, without alignment."""
        self._latest: deque[Small] = deque(maxlen=_FRAMES)
        self._grain = Grain()
        self._signs: deque[bool] = deque(maxlen=_FRAMES)
        self._trembles_until: float | None = None
        self._aligned: Small | None = None
        self._plays: deque[float] = deque(maxlen=_FRAMES)
        self._play = 0.0
        self._offsets: deque[Offset] = deque(maxlen=_FRAMES_OF_FAULT)
        self._stands: deque[bool] = deque(maxlen=_FRAMES_OF_FAULT)
        self._settled: deque[Offset] = deque(maxlen=_SETTLED_FRAMES)
        """The translations of the frames that showed the settled picture."""
        self.offset_px = (0.0, 0.0)
        """Translation of the last frame to the right and down (px of the frame)."""

    @property
    def is_active(self) -> bool:
        """True while the camera trembles, or did so a moment ago."""
        return self._trembles_until is not None

    @property
    def compensates(self) -> bool:
        """True while the camera trembles and alignment keeps enough of its frames still."""
        if not self.is_active:
            return False
        farthest = max((max(map(abs, offset)) for offset in self._offsets), default=0.0)
        return farthest <= _SAFE_PX and sum(self._stands) >= _STANDING * len(self._stands)

    def shrunk(self, t: float, image: Image, settled: Small | None) -> Small:
        """Shrink the part of this frame, and align it with the ``settled`` picture if the camera trembles."""
        small = self._part.shrunk(image).with_noise(0.0, self._grain.level)
        last = self._latest[-1] if self._latest else None
        self._latest.append(small)
        if last is None or settled is None:
            return small
        self._watch(t)
        if not self.is_active:
            self.offset_px = (0.0, 0.0)
            return small
        px = self._part.px
        was = self.offset_px[0] / px, self.offset_px[1] / px
        offset = self._offset(small, last, settled, was)
        self._offsets.append(offset)
        self.offset_px = float(offset[0]) * px, float(offset[1]) * px
        aligned = self._part.shrunk(image, self.offset_px)
        before = self._aligned
        self._learn(aligned)
        aligned = aligned.with_noise(self._play, self._grain.level)
        self._stands.append(before is not None and bool(differs(aligned, before).mean() <= QUIET))
        return aligned

    def again(self, image: Image) -> Small:
        """Shrink the last frame once more."""
        return self._part.shrunk(image, self.offset_px).with_noise(self._play, self._grain.level)

    def confirm(self) -> None:
        """Record that the last frame shows the settled picture, so that its translation is that of the camera."""
        if self.is_active:
            self._settled.append(self._offsets[-1])

    def _watch(self, t: float) -> None:
        """Record whether this frame shows a trembling camera."""
        compared = Compared.of(self._latest[-1], self._latest[-2])
        self.moving = compared.changed
        if not self.is_active:
            self._grain.learn(compared.error, self._latest[-1])
        self._signs.append(_trembles(self._latest, self.moving))
        if sum(self._signs) >= _MOST_OF_THEM:
            self._trembles_until = t + _CALM_S
        elif self._trembles_until is not None and t > self._trembles_until:
            self._trembles_until, self._play, self._aligned = None, 0.0, None
            self._plays.clear()
            self._stands.clear()
            self._offsets.clear()
            self._settled.clear()

    def _learn(self, aligned: Small) -> None:
        """Learn from two successive frames how much error alignment leaves at edges."""
        before, self._aligned = self._aligned, aligned
        fit = None if before is None else Fit.of(aligned, before)
        if fit is None or before is None:
            return
        self._grain.learn(fit.error, aligned)
        edges = np.minimum(aligned.edges, before.edges)
        clear = edges >= _CLEAR_EDGE
        if clear.any():
            self._plays.append(float(np.median(fit.error[clear] / edges[clear])))
            self._play = min(_LARGEST_PLAY, _BY_EDGES * float(np.median(self._plays)))

    def _offset(self, now: Small, last: Small, settled: Small, was: Offset) -> Offset:
        """Return the most likely translation of ``now`` against the ``settled`` picture. ``was``: that of the last
        frame."""
        (step_x, step_y), by_settled = self._correlate(now, last), self._correlate(now, settled)
        within = self._range()
        starts = {_clipped(start, within) for start in ((0.0, 0.0), (was[0] + step_x, was[1] + step_y), by_settled)}
        was = _clipped(was, within)
        pairs = [(now.gray / _gain(now, small), small) for small in (self._aligned, settled) if small is not None]
        costs = {start: sum(_cost(gray, small, start) for gray, small in pairs) for start in {was, *starts}}
        costs[was] *= _CLEARLY
        return _clipped(_refined(pairs, min(costs, key=costs.__getitem__)), within)

    def _range(self) -> tuple[Offset, Offset]:
        """Return the least and the greatest translation to expect: little more than in the settled frames, if there are
        enough of them."""
        if len(self._settled) < _FRAMES:
            return (-_FARTHEST_PX, -_FARTHEST_PX), (_FARTHEST_PX, _FARTHEST_PX)
        xs, ys = zip(*self._settled, strict=True)
        return (min(xs) - _BEYOND_PX, min(ys) - _BEYOND_PX), (max(xs) + _BEYOND_PX, max(ys) + _BEYOND_PX)

    def _correlate(self, now: Small, before: Small) -> Offset:
        (x, y), _ = cv2.phaseCorrelate(before.detail, now.detail, self._window)
        return x, y


def displaced(before: Small, now: Small, where: Mask, likely: Offset) -> Iterator[Small]:
    """Yield the picture ``before`` as a camera that was bumped shows it: moved and rotated so that it fits ``now`` best
    in the blocks ``where`` (Evangelidis and Psarakis 2008), from a ``likely`` translation and from that by phase
    correlation. Nothing is yielded if nothing fits."""
    size, flags = now.gray.shape[::-1], cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    counts = np.kron(where, np.ones((BLOCK, BLOCK), np.uint8)).astype(np.uint8)
    most, _ = cv2.phaseCorrelate(before.detail, now.detail * counts, cv2.createHanningWindow(size, cv2.CV_32F))
    steps = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 30, 1e-3)
    for x, y in (likely, most):
        start = np.array([[1, 0, -x], [0, 1, -y]], np.float32)
        with suppress(cv2.error):
            _, way = cv2.findTransformECC(now.gray, before.gray, start, cv2.MOTION_EUCLIDEAN, steps, counts, 5)
            pixels = cv2.warpAffine(before.pixels, way, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
            yield Small.of(np.asarray(pixels, np.float32)).with_noise(_LARGEST_PLAY, before.grain)


def _trembles(frames: Sequence[Small], moving: Mask) -> bool:
    """True if the blocks ``moving`` between the last two frames are those of a trembling camera.

    Then an earlier frame shows nearly the same as the last, or only blocks with edges move and an earlier frame is
    about as similar as the previous one. A hand moves on, and hides blocks without edges.
    """
    now, last = frames[-1], frames[-2]
    size = float(moving.mean())
    if size < _LEAST_MOVING:
        return False
    nearest = min(
        (float(differs(now, frames[-1 - lag]).mean()) for lag in _LAGS if lag < len(frames)), default=float("inf")
    )
    is_plain = bool((moving & ~(grown(last.textured()) & grown(now.textured()))).mean() > _PLAIN)
    return nearest <= (_RETURNED if is_plain else _AS_NEAR) * size


def _clipped(offset: Offset, within: tuple[Offset, Offset]) -> Offset:
    """Return the nearest translation between the least and the greatest one."""
    (x0, y0), (x1, y1) = within
    return min(max(offset[0], x0), x1), min(max(offset[1], y0), y1)


def _gain(now: Small, before: Small) -> float:
    return float(np.median(now.means / np.maximum(before.means, 1.0))) or 1.0


def moved_back(pixels: npt.NDArray[np.float32], offset: Offset) -> npt.NDArray[np.float32]:
    """Move a picture back by an offset (px)."""
    way = np.array([[1, 0, -offset[0]], [0, 1, -offset[1]]], np.float64)
    size = pixels.shape[1::-1]
    return np.asarray(
        cv2.warpAffine(pixels, way, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32
    )


def _cost(gray: npt.NDArray[np.float32], before: Small, offset: Offset) -> float:
    """Return the truncated squared residual of an offset."""
    off = moved_back(gray, offset) - before.gray
    return float(np.minimum(block_means(off * off), _OUTLIER**2).sum())


def _refined(pairs: Sequence[tuple[npt.NDArray[np.float32], Small]], start: Offset) -> Offset:
    """Refine ``start`` to the translation that explains most blocks with edges. ``pairs``: the picture, scaled to the
    brightness of a reference, and the reference."""
    dx, dy = start
    for step in range(_STEPS):
        sums = np.zeros(5)
        for gray, small in pairs:
            off = moved_back(gray, (dx, dy)) - small.gray
            xo, yo, oo = (block_means(product) for product in (*(slope * off for slope in small.gradient), off * off))
            weight = 1 / (1 + oo / (_OUTLIER / (1 + step)) ** 2) ** 2
            sums += [float((weight * values).sum()) for values in (*small.tensor, xo, yo)]
        xx, xy, yy, xo_, yo_ = sums
        xx, yy = xx + _STIFFNESS, yy + _STIFFNESS
        det = xx * yy - xy * xy
        dx, dy = dx - (yy * xo_ - xy * yo_) / det, dy - (xx * yo_ - xy * xo_) / det
    return dx, dy
