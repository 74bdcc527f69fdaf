"""Is the camera well? Frozen, dark, blurred, covered, moved or gone is told within two seconds, and when it is over.

Looked at is a small copy of the picture, a few times a second. Blur is told from the edges themselves: how much of
the strongest steps happens within one pixel; that needs no picture to compare with and is the same on every table.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from cardsight.rectify import Image
from cardsight.track.blocks import BLOCK, Small, differs
from cardsight.track.events import CameraFailed, CameraWell, Trouble

_Levels = npt.NDArray[np.int16]

_LOOK_S: Final = 0.15
_SURE_S: Final = {"no-picture": 1.5, "frozen": 1.2, "dark": 0.6, "blurred": 0.8, "covered": 0.8, "moved": 1.0}
"""So long a trouble lasts before it is told: longer than a hand passes the lens, shorter than two seconds."""
_WELL_S: Final = 0.4

_WIDTH_PX: Final = 480
_COARSE_WIDTH_PX: Final = 160
_GRAIN_FRAMES: Final = 90
"""So many frames in a row that all differ: this camera has noise, so two alike are not two pictures."""
_DARK_MEAN: Final = 10.0
_DARK_BRIGHTEST: Final = 24.0
_WIDE_PX: Final = 6
_SHARP: Final = 0.35
"""Of a step over `_WIDE_PX` pixels a sharp picture shows nearly all within one, one out of focus a sixth."""
_STRONGEST: Final = 0.01
_PLAIN: Final = 0.12
"""Where even the strongest steps are less than this part of the brightness, the picture has no shape."""
_ALL: Final = 0.7
_MOST: Final = 0.4
"""Share of the picture that looks different when the lens is covered, and when the camera has been moved."""
_LEARN_S: Final = 1.0


class Health:
    """Push frames, get told what is wrong. The table as it looks when all is well is learned on the way."""

    def __init__(self) -> None:
        self.trouble: Trouble | None = None
        """What is told to be wrong now."""
        self._seen_t: float | None = None
        self._since: dict[Trouble, float] = {}
        self._well_since: float | None = None
        self._looked_t = -1.0
        self._learned_t = -1.0
        self._dots: Image | None = None
        self._alike_since: float | None = None
        self._unlike = 0
        self._usual: Small | None = None
        self._last: Small | None = None

    def push(self, t: float, image: Image) -> CameraFailed | CameraWell | None:
        """What this frame changes."""
        self._seen_t = t
        self._since.pop("no-picture", None)
        self._watch_grain(t, image)
        if t - self._looked_t < _LOOK_S:
            return None
        self._looked_t = t
        found = self._look(t, image)
        for trouble in tuple(self._since):
            if trouble != found:
                del self._since[trouble]
        return self._tell(t, found)

    def missing(self, now: float) -> CameraFailed | None:
        """There is no frame at ``now``."""
        if self._seen_t is None:
            self._seen_t = now
        if self.trouble is None and now - self._seen_t >= _SURE_S["no-picture"]:
            self.trouble = "no-picture"
            return CameraFailed(now, "no-picture")
        return None

    def forget(self) -> None:
        """The camera was put up anew on purpose: how the table looks is learned once more."""
        self._usual = None

    def _tell(self, t: float, found: Trouble | None) -> CameraFailed | CameraWell | None:
        if found is not None:
            self._well_since = None
            began = self._since.setdefault(found, t)
            if self.trouble is None and (found == "frozen" or t - began >= _SURE_S[found]):
                self.trouble = found
                return CameraFailed(t, found)
            return None
        if self.trouble is None:
            return None
        if self._well_since is None:
            self._well_since = t
        if t - self._well_since < _WELL_S:
            return None
        self.trouble = self._well_since = None
        return CameraWell(t)

    def _watch_grain(self, t: float, image: Image) -> None:
        """A picture of a sensor is never the same twice, down to the last digit."""
        dots = image[::16, ::16].copy()
        if self._dots is not None and np.array_equal(dots, self._dots):
            if self._alike_since is None:
                self._alike_since = t
                if self._unlike < _GRAIN_FRAMES:
                    self._unlike = 0
        else:
            self._unlike += 1
            self._alike_since = None
        self._dots = dots

    def _look(self, t: float, image: Image) -> Trouble | None:
        if self._alike_since is not None and self._unlike >= _GRAIN_FRAMES:
            # Until it is sure that it is frozen nothing is told of what else may be wrong.
            return "frozen" if t - self._alike_since >= _SURE_S["frozen"] else None
        step = max(1, image.shape[1] // _WIDTH_PX)
        size = (image.shape[1] // step, image.shape[0] // step)
        fine = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_NEAREST), np.uint8)
        gray = cv2.cvtColor(fine, cv2.COLOR_BGR2GRAY)
        brightest = float(np.percentile(gray[::4, ::4], 99))
        if gray.mean() < _DARK_MEAN and brightest < _DARK_BRIGHTEST:
            return "dark"
        soft = cv2.GaussianBlur(gray, (3, 3), 0.8).astype(np.int16)
        wide = np.abs(soft[::2, _WIDE_PX:] - soft[::2, :-_WIDE_PX])
        strong = max(float(np.quantile(wide, 1 - _STRONGEST)), 1.0)
        plain = strong < _PLAIN * brightest
        if not plain and _sharpness(soft[::2], wide, strong) < _SHARP:
            return "blurred"
        small = _coarse(fine)
        last, self._last = self._last, small
        if self._usual is None:
            self._usual = small
            return None
        share = float(differs(small, self._usual).mean())
        if plain and share > _ALL:
            return "covered"
        is_still = last is not None and float(differs(small, last).mean()) < 0.02
        if share > _MOST:
            return "moved" if is_still or "moved" in self._since or self.trouble == "moved" else None
        if is_still and t - self._learned_t >= _LEARN_S and self.trouble is None:
            self._usual, self._learned_t = small, t
        return None


def _sharpness(soft: _Levels, wide: _Levels, strong: float) -> float:
    """Of the strongest steps, which part happens within one pixel (the middle of all)."""
    rows, columns = np.nonzero(wide >= strong)
    steps = np.abs(np.diff(soft, axis=1))
    within = np.stack([steps[rows, columns + k] for k in range(_WIDE_PX)]).max(axis=0)
    return float(np.median(within / np.maximum(wide[rows, columns], 1)))


def _coarse(fine: Image) -> Small:
    height, width = fine.shape[:2]
    rows = max(1, round(_COARSE_WIDTH_PX * height / width / BLOCK)) * BLOCK
    return Small.of(np.asarray(cv2.resize(fine, (_COARSE_WIDTH_PX, rows), interpolation=cv2.INTER_AREA), np.uint8))
