"""Glare lays light over a place, softly, and leaves the edges there where they are, as far as anything is seen.

How the part looked when all that had happened was told, and the light that has fallen on it since.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from cardsight.track.blocks import Compared, Fit, Light, Mask, Small, differs, grown, noise_between

_BLIND: Final = 240.0
"""So light in all channels, a block shows nothing of what lies there."""
_FEW_EDGES: Final = 8
_MOVED: Final = 0.5
"""So many of the edges of a place lie elsewhere when another card is seen there."""


def ignore_glare(changed: Mask, now: Small, before: Small) -> Mask:
    """What has ``changed``, less the blocks that have their edges where they were. Those that have none, or that are
    blind with light, go with what they hang together with."""
    fit = Fit.of(now, before, is_offset_free=True)
    if fit is None:
        return changed
    is_same = fit.is_same(now)
    is_blind = np.maximum(now.means, before.means).min(axis=2) >= _BLIND
    is_plain = ~(now.textured() | before.textured())
    has_changed = changed & ~is_same & ~is_blind
    may_have = changed & (is_blind | (is_same & is_plain))
    _, labels = cv2.connectedComponents((has_changed | may_have).astype(np.uint8))
    return np.asarray((has_changed | may_have) & np.isin(labels, np.unique(labels[has_changed])))


def edges_differ(now: Small, before: Small, noise: float) -> Mask:
    """The blocks in which edges, if there are any, lie elsewhere. ``noise``: gray levels."""
    fit = Fit.of(now, before, is_offset_free=True)
    return np.ones(now.power.shape, np.bool_) if fit is None else fit.differs(noise)


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """The blocks that have an edge in one of two pictures (``some``), and those of them in which it lies elsewhere in
    the other (``moved``)."""

    some: Mask
    moved: Mask

    @classmethod
    def of(cls, now: Small, before: Small) -> Edges:
        """Those of two pictures of the same part."""
        noise = noise_between(now, before)
        some = now.textured(noise) | before.textured(noise)
        return cls(some, some & edges_differ(now, before, noise))

    def have_moved(self, where: Mask) -> bool:
        """Whether something else is seen there. Where there are too few, nobody can tell."""
        some = self.some & where
        return some.sum() < _FEW_EDGES or bool(self.moved[some].mean() >= _MOVED)


QUIET: Final = 0.004
"""Share of the part that may differ while it still counts as unchanged: less than a digit of a card."""
_SLOWLY: Final = 0.8
"""A change of the light that is less than this part within a second is slow."""
_RIM_BLOCKS: Final = 3
"""So wide is the soft rim of a shadow, or of glare."""
_NEAR_BLOCKS: Final = 7
"""Under a hand the light is taken for what it is so near by."""


class BackgroundModel:
    """The settled picture. What differs from it is what happened, whatever the light does meanwhile: a deep shadow is
    followed as it comes, block by block, and glare is none of it."""

    def __init__(self, small: Small, light: Light | None = None) -> None:
        self.small = small
        self._light = np.ones(small.power.shape, np.float32) if light is None else light
        self._tint = np.ones(3, np.float32)
        self._glare: Mask = np.zeros(small.power.shape, np.bool_)

    def differs(self, now: Small) -> Mask:
        """The blocks of the next frame that do not show the same."""
        found = Compared.of(now, self.small, light=self._light)
        self._light, self._tint = _spread(found.light, ~found.changed, self._light), found.tint
        changed = self.without_glare(found.changed, now) if found.changed.mean() > QUIET else found.changed
        self._glare = found.changed & ~changed
        return changed

    def differs_faintly(self, now: Small) -> Mask:
        """The blocks in which more than the noise of this camera is another."""
        return differs(now, self.small.tinted(self._tint), noise_between(now, self.small))

    def without_glare(self, changed: Mask, now: Small) -> Mask:
        """These blocks, less those on which only glare lies."""
        return ignore_glare(changed, now, self.small.tinted(self._tint))

    def renewed(self, now: Small, where: Mask) -> BackgroundModel:
        """With these blocks as they are ``now``, and all others in the color of its light."""
        light = np.where(where, np.float32(1), self._light)
        return BackgroundModel(self.small.tinted(self._tint).with_blocks_of(now, where), light)

    def adapted(self, now: Small) -> BackgroundModel:
        """In the light of ``now``, which shows the same, but for places that a shadow, a lamp or glare crosses. What
        was seen in a better light stays; where all is lighter, nothing crosses it."""
        light = self._light / max(1.0, float(np.median(self._light)))
        crossed = self._glare | (light < _SLOWLY) | (light > 1 / _SLOWLY)
        return self.renewed(now, ~grown(crossed, _RIM_BLOCKS))


def _spread(light: Light, known: Mask, usual: Light) -> Light:
    """The light where it is ``known``, and elsewhere that of what is near; ``usual`` where nothing is."""
    if known.all():
        return light
    weight = cv2.blur(known.astype(np.float32), (_NEAR_BLOCKS, _NEAR_BLOCKS))
    near = cv2.blur(np.where(known, light, np.float32(0)), (_NEAR_BLOCKS, _NEAR_BLOCKS))
    return np.where(known, light, np.where(weight > 0, near / np.maximum(weight, 1e-6), usual))
