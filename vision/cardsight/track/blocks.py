"""Block-wise comparison of two pictures of a part of the table, invariant to the light.

The part is shrunk by a whole number until a card is about `CARD_PX` long, which removes most of the sensor's noise, and
divided into blocks of `BLOCK` x `BLOCK` px. A shadow or a flickering lamp scales all pixels and channels of a block
alike; a moved edge or another color does not. Two blocks are therefore the same if the residual after the best gain is
within the noise. Where much differs, the color of the lamp may have changed: the pictures are compared again with each
channel scaled.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from cardsight.geometry import Image
from cardsight.sighting import Corners

Box = tuple[int, int, int, int]
"""Left, top, right, bottom in px of the frame."""
Mask = npt.NDArray[np.bool_]
"""One value per block: rows x columns."""
Light = npt.NDArray[np.float32]
"""Gain of each block: its brightness relative to the earlier picture."""

CARD_PX: Final = 66
BLOCK: Final = 4
"""A pixel is then about 1.3 mm of the table; a block is about 5 mm, as wide as the border of a card."""

_NOISE: Final = 5.0
_NOISE_SHARE: Final = 0.03
"""Residual noise of the sensor (gray levels), and its additional fraction of the brightness."""
CLEARLY: Final = 1.7
"""Multiple of the measured noise from which a block differs."""
_LEAST_NOISE: Final = 1.5
"""Lower limit of the measured noise (gray levels): a video codec repeats what hardly changes, so its noise is too
low."""
_DARKER: Final = 0.5
_LIGHTER: Final = 1.5
"""Range of a block's gain by shadow or light, relative to the whole picture's; ink changes it by more."""
_DARKEST: Final = 0.12
"""Fraction of the earlier brightness below which blocks cannot be compared."""
_SOME: Final = 0.02
"""Fraction of differing blocks from which the color of the light is estimated."""
_OTHER_TINT: Final = 0.03
"""Change of a channel, as a fraction, from which the color of the light has changed."""
_AT_ONCE: Final = 0.7
"""Limit of the gain by a coming or going shadow from one frame to the next."""
_DEEP: Final = 2.7
"""Limit of the gain by a shadow in all. A larger change is an arm."""
_DARK: Final = 90.0
"""Gray level of the brightest block below which a hand may differ by less than the noise of the worst camera."""
_SMOOTH_PX: Final = 1.0
_AROUND: Final = np.ones((3, 3), np.uint8)
_TEXTURE: Final = 9.0
"""Standard deviation (gray levels) within a block from which it shows an edge."""
_STANDS_OUT: Final = 4.0
"""The same in multiples of a measured noise."""


@dataclass(frozen=True, eq=False)
class Small:
    """A shrunk picture in float32. ``means``: of each channel per block; ``power``: mean of all squares per block.

    ``play``: squared error that a trembling camera leaves in a block, as a fraction of its squared gradient.
    ``grain``: squared error that the noise of this camera leaves in a block, if it is more than that of most cameras.
    """

    pixels: npt.NDArray[np.float32]
    means: npt.NDArray[np.float32]
    power: npt.NDArray[np.float32]
    play: float = 0.0
    grain: float = 0.0

    @classmethod
    def of(cls, pixels: npt.NDArray[np.uint8] | npt.NDArray[np.float32]) -> Small:
        """Compute the blocks of a picture whose sides are multiples of `BLOCK`."""
        values = pixels.astype(np.float32)
        return cls(values, block_means(values), _mean_channel(block_means(values * values)))

    def cropped(self, rows: slice, columns: slice) -> Small:
        """Return the blocks in these rows and columns."""
        fine = (slice(rows.start * BLOCK, rows.stop * BLOCK), slice(columns.start * BLOCK, columns.stop * BLOCK))
        return Small(self.pixels[fine], self.means[rows, columns], self.power[rows, columns], self.play, self.grain)

    def with_noise(self, play: float, grain: float) -> Small:
        """Return this picture with the `play` of a trembling camera and the `grain` of a noisy one."""
        return replace(self, play=play, grain=grain) if play or grain else self

    def tinted(self, tint: npt.NDArray[np.float32]) -> Small:
        """Return this picture with each channel scaled."""
        return self if (tint == 1).all() else Small.of(self.pixels * tint).with_noise(self.play, self.grain)

    def with_blocks_of(self, other: Small, where: Mask) -> Small:
        """Return this picture with the blocks ``where`` of another."""
        fine = np.kron(where, np.ones((BLOCK, BLOCK), np.bool_))
        return Small(
            np.where(fine[..., None], other.pixels, self.pixels),
            np.where(where[..., None], other.means, self.means),
            np.where(where, other.power, self.power),
            max(self.play, other.play),
            max(self.grain, other.grain),
        )

    def textured(self, noise: float | None = None) -> Mask:
        """Return the blocks with an edge that exceeds this noise (gray levels)."""
        return np.asarray(self.power - self.evenly > (_TEXTURE if noise is None else _STANDS_OUT * noise) ** 2)

    @property
    def is_dark(self) -> bool:
        """True if the light is so weak that the white of a card is gray."""
        return float(_mean_channel(self.means).max()) < _DARK

    @property
    def evenly(self) -> npt.NDArray[np.float32]:
        """Power of each block if it had no edges."""
        return _mean_channel(self.means * self.means)

    @cached_property
    def gray(self) -> npt.NDArray[np.float32]:
        """Mean of the channels, smoothed."""
        return np.asarray(cv2.GaussianBlur(_mean_channel(self.pixels), (0, 0), _SMOOTH_PX), np.float32)

    @cached_property
    def detail(self) -> npt.NDArray[np.float32]:
        """High-pass of `gray`."""
        return np.asarray(self.gray - cv2.blur(self.gray, (9, 9)), np.float32)

    @cached_property
    def gradient(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Gradient of `gray` per px, to the right and down."""
        x, y = (cv2.Sobel(self.gray, cv2.CV_32F, *way, ksize=1, scale=0.5) for way in ((1, 0), (0, 1)))
        return np.asarray(x, np.float32), np.asarray(y, np.float32)

    @cached_property
    def tensor(self) -> tuple[npt.NDArray[np.float32], ...]:
        """Structure tensor per block: means of xx, xy, yy."""
        x, y = self.gradient
        return tuple(block_means(product) for product in (x * x, x * y, y * y))

    @cached_property
    def edges(self) -> npt.NDArray[np.float32]:
        """Largest mean squared gradient over all channels, in each block and its neighbors."""
        x, y = (cv2.Sobel(self.pixels, cv2.CV_32F, *way, ksize=1, scale=0.5) for way in ((1, 0), (0, 1)))
        squares = np.asarray(x * x + y * y, np.float32)
        return np.asarray(cv2.dilate(_mean_channel(block_means(squares)), _AROUND), np.float32)


class Part:
    """A part of the frame in which a card is ``card_px`` long, and its blocks."""

    def __init__(self, box: Box, card_px: float) -> None:
        self.box, self.card_px = box, card_px
        left, top, right, bottom = box
        self.px = max(1, round(card_px / CARD_PX))
        """Px of the frame per px of the shrunk picture."""
        self.shape = tuple(max(1, side // (self.px * BLOCK)) for side in (bottom - top, right - left))
        self._size = (self.shape[1] * BLOCK, self.shape[0] * BLOCK)
        self.card_blocks = 0.64 * (card_px / (self.px * BLOCK)) ** 2
        """Number of blocks that a card covers; its width is 0.64 of its length."""

    def crop(self, image: Image) -> Image:
        """Crop this part from a frame."""
        left, top, right, bottom = self.box
        return image[top:bottom, left:right]

    @property
    def shape_px(self) -> tuple[int, int]:
        """Rows and columns of the shrunk picture."""
        return self._size[::-1]

    def shrunk(self, image: Image, offset_px: tuple[float, float] = (0.0, 0.0)) -> Small:
        """Shrink this part of a frame. ``offset_px``: translation of the frame to the right and down."""
        width, height = self._size[0] * self.px, self._size[1] * self.px
        if offset_px == (0.0, 0.0):
            whole = self.crop(image)[:height, :width]
        else:
            left, top = self.box[:2]
            middle = left + (width - 1) / 2 + offset_px[0], top + (height - 1) / 2 + offset_px[1]
            whole = np.asarray(cv2.getRectSubPix(image, (width, height), middle), np.uint8)
        return Small.of(np.asarray(cv2.resize(whole, self._size, interpolation=cv2.INTER_AREA), np.uint8))

    def inside(self, outline: Corners, margin_px: float = 0.0) -> Mask:
        """Return the blocks of which at least half lies inside an outline (px of the frame) widened by a margin."""
        fine = self._filled(widened(outline, margin_px))
        return np.asarray(cv2.resize(fine, self.shape[::-1], interpolation=cv2.INTER_AREA) >= 128)

    def uncovered(self, under: Corners, over: Iterable[Corners]) -> Mask:
        """Return the pixels (of the shrunk picture) inside the outline ``under`` that the outlines ``over`` it leave
        free, without those at the edges of the outlines, which are not exact."""
        free = self._filled(widened(under, -self.px)) == 255
        for one in over:
            free &= self._filled(widened(one, 2 * self.px)) == 0
        return np.asarray(free)

    def _filled(self, corners: npt.NDArray[np.floating]) -> npt.NDArray[np.uint8]:
        """Fill an outline (px of the frame) with 255 in the shrunk picture."""
        points = (corners - self.box[:2]) / self.px - 0.5
        fine = np.zeros((self._size[1], self._size[0]), np.uint8)
        cv2.fillConvexPoly(fine, np.round(points * 16).astype(np.int32), 255, shift=4)
        return fine

    def reaches_beyond(self, outline: Corners, px: float) -> bool:
        """True if an outline extends beyond this part by more than ``px``."""
        left, top, right, bottom = self.box
        return any(max(left - x, top - y, x - right, y - bottom) > px for x, y in outline)

    def card_of(self, small: Small, outline: Corners) -> npt.NDArray[np.float32]:
        """Warp a card of a shrunk picture to the common size of all cards."""
        width, height = round(0.64 * CARD_PX), CARD_PX
        corners = ((np.array(outline) - self.box[:2]) / self.px - 0.5).astype(np.float32)
        straight = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32) - np.float32(0.5)
        matrix = cv2.getPerspectiveTransform(corners, straight)
        return np.asarray(cv2.warpPerspective(small.pixels, matrix, (width, height)), np.float32)

    def height_along(self, outline: Corners, values: npt.NDArray[np.float32], where: Mask) -> float:
        """Return the level of ``values`` (px of the shrunk picture) that two thirds of an outline reach within the
        blocks ``where``. Infinite if the outline does not cross these blocks."""
        corners = (np.array(outline) - self.box[:2]) / self.px - 0.5
        edges = np.roll(corners, -1, axis=0) - corners
        points = (corners[:, None] + edges[:, None] * np.linspace(0, 1, CARD_PX)[None, :, None]).reshape(-1, 2)
        columns, rows = np.clip(points.round().astype(int), 0, (self._size[0] - 2, self._size[1] - 2)).T
        on = where[rows // BLOCK, columns // BLOCK]
        if not on.any():
            return float("inf")
        highest = cv2.dilate(values, np.ones((3, 3), np.uint8))
        return float(np.percentile(highest[rows[on], columns[on]], 33))

    def to_frame(self, rows: npt.NDArray[np.intp], columns: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
        """Return the centers (n, 2) of blocks in px of the frame."""
        return np.asarray(np.stack([columns + 0.5, rows + 0.5], axis=1) * self.px * BLOCK + self.box[:2], np.float64)


def differs(now: Small, before: Small, noise: float | None = None) -> Mask:
    """Return the blocks whose content differs; a change of light alone does not count. ``noise``: measured noise in
    gray levels; by default that of the worst camera."""
    return Compared.of(now, before, noise).changed


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """Result of a comparison: the ``changed`` blocks, the gain of the others (``light``), the mean squared ``error`` of
    each block, and the relative gain of each channel (``tint``, mean 1)."""

    changed: Mask
    light: Light
    error: npt.NDArray[np.float32]
    tint: npt.NDArray[np.float32]

    @classmethod
    def of(cls, now: Small, before: Small, noise: float | None = None, light: Light | None = None) -> Compared:
        """Compare two pictures, as `differs`. ``light``: the latest gain relative to ``before``; a deep shadow may have
        built it up little by little."""
        plain = cls(*_compared(now, before, noise, light), np.ones(3, np.float32))
        if plain.changed.mean() <= _SOME:
            return plain
        tint = np.median(now.means / np.maximum(before.means, 1), axis=(0, 1)).astype(np.float32)
        tint /= max(float(tint.mean()), 1e-3)
        if np.abs(tint - 1).max() <= _OTHER_TINT:
            return plain
        tinted = cls(*_compared(now, before.tinted(tint), noise, light), tint)
        return tinted if tinted.changed.mean() < plain.changed.mean() else plain


def noise_between(now: Small, before: Small) -> float:
    """Return the median difference (gray levels) of two pictures of the same scene."""
    fit = Fit.of(now, before)
    return _LEAST_NOISE if fit is None else max(_LEAST_NOISE, float(np.sqrt(np.median(fit.error).clip(0))))


def _compared(
    now: Small, before: Small, noise: float | None, light: Light | None
) -> tuple[Mask, Light, npt.NDArray[np.float32]]:
    fit = Fit.of(now, before, light=light)
    if fit is None:
        shape = now.power.shape
        ones = np.ones(shape, np.float32)
        return np.ones(shape, np.bool_), ones if light is None else light, ones * np.float32(np.inf)
    changed = ~fit.is_same(now) if noise is None else ~fit.is_same(now) | fit.differs(noise)
    return changed, fit.gain, fit.error


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Explanation of each block by light alone: the best ``gain``, and the mean squared ``error`` that remains."""

    gain: npt.NDArray[np.float32]
    error: npt.NDArray[np.float32]
    grain: float = 0.0

    @classmethod
    def of(
        cls, now: Small, before: Small, *, is_offset_free: bool = False, light: Light | None = None
    ) -> Fit | None:  # fmt: skip
        """Fit the gain; ``None`` if it is too dark. ``is_offset_free``: also fit an additive offset, as of glare.
        ``light``: as in `Compared.of`."""
        both = _mean_channel(block_means(now.pixels * before.pixels))
        power, power_before = now.power, before.power
        overall = _middle(both / np.maximum(power_before, 1.0))
        if not _DARKEST < overall < 1 / _DARKEST:
            return None
        if is_offset_free:
            both = both - _mean_channel(now.means * before.means)
            power, power_before = power - now.evenly, power_before - before.evenly
        least, most = _DARKER * overall, _LIGHTER * overall
        if light is not None:
            least = np.minimum(least, np.maximum(_AT_ONCE * light, overall / _DEEP))
            most = np.maximum(most, np.minimum(light / _AT_ONCE, overall * _DEEP))
        gain = np.clip(both / np.maximum(power_before, 1.0), least, most)
        error = power - 2 * gain * both + gain * gain * power_before
        if play := max(now.play, before.play):
            error = error - play * np.minimum(now.edges, gain * gain * before.edges)
        return cls(np.asarray(gain, np.float32), np.asarray(error, np.float32), max(now.grain, before.grain))

    def is_same(self, now: Small) -> Mask:
        """Return the blocks whose error is within the noise of most cameras, or the grain of this one."""
        noise = _NOISE**2 * self._noise_gain + _NOISE_SHARE**2 * now.power
        return np.asarray(self.error <= (np.maximum(noise, self.grain * self._noise_gain) if self.grain else noise))

    def differs(self, noise: float) -> Mask:
        """Return the blocks whose error clearly exceeds this noise (gray levels)."""
        return np.asarray(self.error > max((CLEARLY * noise) ** 2, self.grain) * self._noise_gain)

    @property
    def _noise_gain(self) -> npt.NDArray[np.float32]:
        """Gain of the noise power: a dark picture compared in a better light has more noise."""
        return np.maximum(self.gain, 1.0) ** 2


def block_means(pixels: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the mean of each channel per block."""
    size = (pixels.shape[1] // BLOCK, pixels.shape[0] // BLOCK)
    return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.float32)


def _mean_channel(values: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    return np.asarray(cv2.transform(values, np.full((1, 3), 1 / 3, np.float32)), np.float32)


def _middle(values: npt.NDArray[np.floating]) -> float:
    """Return the upper median; faster than `numpy.median` for small arrays."""
    flat = values.ravel()
    return float(np.partition(flat, flat.size // 2)[flat.size // 2])


def widened(outline: Corners, margin_px: float) -> npt.NDArray[np.float64]:
    """Move all edges of an outline outwards."""
    a, b, c, d = corners = np.array(outline, np.float64)
    along, across = (b + c - a - d) / 2, (c + d - a - b) / 2
    along, across = (side / max(float(np.hypot(*side)), 1e-6) * margin_px for side in (along, across))
    return np.asarray(corners + [-along - across, along - across, along + across, across - along])


def grown(mask: Mask, blocks: int = 1) -> Mask:
    """Dilate a mask by a number of blocks."""
    side = 2 * blocks + 1
    return np.asarray(cv2.dilate(mask.astype(np.uint8), np.ones((side, side), np.uint8)) > 0)


def without_specks(mask: Mask) -> Mask:
    """Return the mask without single blocks and small groups (median of 3 x 3), as the noise of a camera leaves them.
    A finger is three blocks wide."""
    return np.asarray(cv2.medianBlur(mask.astype(np.uint8), 3) > 0)


def connected(mask: Mask) -> npt.NDArray[np.int32]:
    """Return the number, from 1 on, of the part of the mask to which each block belongs; 0 where there is none.

    A part is connected over gaps of up to two blocks, and the blocks next to it belong to it.
    """
    return np.asarray(cv2.connectedComponents(grown(mask).astype(np.uint8))[1], np.int32)


def joined_to_rim(mask: Mask) -> Mask:
    """Return the parts of the mask that are connected with the rim, over gaps of up to two blocks."""
    labels = connected(mask)
    rim = np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]])
    return np.asarray(mask & np.isin(labels, rim[rim > 0]))
