"""Glare lays light over a place, softly, and leaves the edges there where they are, as far as anything is seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from cardsight.track.blocks import Fit, Mask, Small, noise_between

_BLIND: Final = 240.0
"""So light in all channels, a block shows nothing of what lies there."""
_FEW_EDGES: Final = 8
_MOVED: Final = 0.5
"""So many of the edges of a place lie elsewhere when another card is seen there."""


def glare_aside(changed: Mask, now: Small, before: Small) -> Mask:
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
