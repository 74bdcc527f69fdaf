"""Health of the camera: frozen, dark, blurred, covered, torn, swaying or missing, or a camera that was moved. A fault
is reported within two seconds, and so is its end.

A small copy of the picture is examined a few times a second. Blur is measured at the edges themselves: the
fraction of the strongest steps that happens within one pixel. That needs no reference picture and is the same on
every table.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.ma  # NumPy loads it at the first percentile, which would hold up the first frame
import numpy.typing as npt

from cardsight.camera_check import is_torn
from cardsight.geometry import Image
from cardsight.track.blocks import BLOCK, Mask, Small, differs, grown
from cardsight.track.events import CameraFailed, CameraWell, Trouble

Levels = npt.NDArray[np.float32]
"""Gray levels, and fractions of them: in a dim light the steps have only a few."""

_LOOK_S: Final = 0.15
_SURE_S: Final = {
    "no-picture": 1.5,
    "frozen": 1.2,
    "dark": 0.6,
    "blurred": 0.8,
    "covered": 0.8,
    "moved": 1.0,
    "unsteady": 0.0,
    "torn": 1.0,
}
"""Duration of a fault before it is reported (s): longer than a hand passes the lens, shorter than two seconds."""
_WELL_S: Final = 0.4

_WIDTH_PX: Final = 480
_COARSE_WIDTH_PX: Final = 160
_GRAIN_FRAMES: Final = 90
"""After so many frames in a row that all differ, the camera is known to have noise; two identical frames are then
one picture."""
_NEVER_CHANGED_S: Final = 2.5
"""Time (s) after which a camera that has shown nothing but its first picture is frozen, if that picture has grain: a
sensor's noise is another one in each frame. Cameras that start may repeat a picture for a second or two."""
_FLAT_PX: Final = 8
_FLAT_PART: Final = 0.25
_GRAIN: Final = 0.35
"""Side (px) of the blocks in which grain is searched, the fraction of them that are flattest, and the standard
deviation (gray levels) in these from which they have grain. Drawn test pictures have none."""
_CLIPPED: Final = 16
"""Distance (gray levels) from black and white within which a sensor's noise is clipped."""
_DARK_MEAN: Final = 10.0
_DARK_BRIGHTEST: Final = 24.0
"""Brightest gray level of a dark picture, unless a dark cloth is all there is."""
_LIGHT_LEFT: Final = 0.25
"""Fraction of the table's former brightness above which a dark picture is a dark cloth."""
_BLACK_MEAN: Final = 3.0
"""Mean gray level below which a picture is dark in any case."""
_TABLE: Final = 20.0
"""Percentile of the picture's gray levels that stands for the table; cards and things on it hardly move it."""
_WIDE_PX: Final = 6
_STRONGEST: Final = 0.01
_SHARP: Final = 0.28
"""Fraction of a step over `_WIDE_PX` pixels that a sharp picture shows within one pixel. A sharp picture has a
third, a blurred one a fifth."""
_SHAPED: Final = 0.08
"""A picture whose strongest steps are below this fraction of the brightness has no shape."""
_LOST: Final = 0.4
"""A picture has lost its shape if its strongest steps are below this fraction of their former strength."""
_SAME_SCENE: Final = 0.4
"""Fraction of the usual picture, both without detail, that is still seen of the same table."""
_OTHER_COLOR: Final = 0.15
"""Change of the commonest color from which something lies over the lens."""
_OTHER_GRAIN: Final = 0.6
"""Fraction of the table's own shades that must be missing if something lies over the lens."""
_STANDS_OUT: Final = 2.0
"""A shade counts if it is this many times the difference of two pictures of the same scene."""
_MOVED: Final = 0.8
"""Fraction of every thing that lay still that has changed when the camera moved."""
_THINGS: Final = 2
_THING_BLOCKS: Final = 5
"""Smallest size of a thing (blocks). A single thing may have been pushed: then the ground must tell."""
_STILL_THERE: Final = 0.5
"""Fraction of everything with a shape that must still be seen; otherwise the things were taken away. Of two things
one may have been laid over the other, so both must be found elsewhere."""
_LIES_STILL: Final = 0.9
"""Correlation, at most a pixel away, from which a thing lies where it lay: edges that sway differ all the same."""
_SAME_GROUND: Final = 0.5
"""Correlation of the bare table's grain from which the table lies where it lay. It is 0.75 on paper with a camera's
noise and more elsewhere, and 0.2 at most after the camera moved."""
_OTHER_GROUND: Final = 0.75
"""Correlation of the bare table's grain with that of the usual view, relative to the correlation of two looks in a row,
below which the table lies elsewhere. It is 0.97 and more while the camera hangs still, and about 0.5 after a bump on
paper (`croupier bench track --hard`, bumped, plain ground)."""
_PEAK: Final = 3.0
"""Multiple of the grain's median at which it is cut."""
_BESIDE_BLOCKS: Final = 2
_BARE_BLOCKS: Final = 60
"""Width of the rim around each thing that is not bare table, and the least size of that (blocks)."""
_TURNS: Final = (0, -10, 10, -20, 20, -30, 30)
"""Rotations of the picture that are tried (degrees)."""
_FOUND: Final = 0.5
"""Correlation from which a thing counts as found elsewhere."""
_ASTRAY_PX: Final = 7
"""Largest deviation from the common movement (px of the coarse picture)."""
_BEYOND: Final = 8
"""Divisor of the picture's width: this part may be missing at the side."""
_CALM: Final = 0.2
"""Fraction of the picture that changes from one look to the next while people move and the camera hangs still, at
most."""
_UNSTEADY: Final = 0.5
"""Fraction of the usual picture's blocks with edges that differ between two looks if the camera moves. An arm covers
fewer."""
_SWINGS_PX: Final = 0.8
"""Translation between two looks, in px of the coarse picture, from which the camera moves."""
_UNSTEADY_S: Final = 2.0
"""Time (s) after which a camera that moves at most looks is unsteady."""
_LEAST_EDGES: Final = 12
"""Number of blocks with edges that are needed to detect movement."""
_SETTLES_S: Final = 0.6
"""Time (s) since the last movement after which the camera hangs still."""
_STILL: Final = 0.02
_LEARN_S: Final = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """A picture of the table: small, and the strength of its edges as a fraction of its brightness."""

    small: Small
    shape: float


class Health:
    """The health of the camera. Push frames, and get the changes. The usual view of the table is learned on the way.

    ``may_freeze``: False for the frames of a file, which may show the same picture for as long as it likes.
    """

    def __init__(self, *, may_freeze: bool = True) -> None:
        self._may_freeze = may_freeze
        self.trouble: Trouble | None = None
        """The fault that is reported now."""
        self._seen_t: float | None = None
        self._since: dict[Trouble, float] = {}
        self._well_since: float | None = None
        self._looked_t = -1.0
        self._learned_t = -1.0
        self._dots: Image | None = None
        self._alike_since: float | None = None
        self._unlike = 0
        self._has_changed = False
        """True if two frames in a row have differed."""
        self._is_grainy = False
        """True if the first picture, the only one until now, shows the noise of a sensor."""
        self._usual: _View | None = None
        self._lit_table: float | None = None
        self._still: Small | None = None
        """The picture before the usual one."""
        self._edges: Mask | None = None
        """The blocks with edges that both of them show, or those of the first picture: what lies on the table."""
        self._last: Small | None = None
        self._is_compensated = False
        self._swung: deque[tuple[float, bool]] = deque()
        """The looks of the last `_UNSTEADY_S`: time, and True if most edges had moved since the look before."""

    @property
    def is_in_doubt(self) -> bool:
        """True if a fault seems to exist, but not long enough to be reported."""
        return bool(self._since) or self._is_repeating

    @property
    def _is_repeating(self) -> bool:
        """True if the same picture comes again from a camera with noise: the camera is frozen, or shut."""
        return self._alike_since is not None and self._unlike >= _GRAIN_FRAMES

    def push(self, t: float, image: Image, *, is_compensated: bool = False) -> CameraFailed | CameraWell | None:
        """Process a frame; return the change. ``is_compensated``: the tracker aligns the frames of a swaying camera."""
        self._is_compensated = is_compensated
        self._seen_t = t
        self._since.pop("no-picture", None)
        if self._may_freeze:
            self._watch_grain(t, image)
        if t - self._looked_t < _LOOK_S:
            return None
        return self._report(t, self._found(t, image))

    def is_well(self, t: float, image: Image) -> bool:
        """True if no fault is seen in this frame, which must have been pushed. Does not wait for the next look."""
        if not self.is_in_doubt and t > self._looked_t:
            self._found(t, image)
        return not self.is_in_doubt

    def missing(self, now: float) -> CameraFailed | None:
        """Process a missing frame at ``now``."""
        if self._seen_t is None:
            self._seen_t = now
        if self.trouble is None and now - self._seen_t >= _SURE_S["no-picture"]:
            self.trouble = "no-picture"
            return CameraFailed(now, "no-picture")
        return None

    def forget(self) -> None:
        """Take the camera's present place as the right one: the usual view is learned again."""
        self._usual = self._lit_table = self._still = self._edges = None

    def _found(self, t: float, image: Image) -> Trouble | None:
        self._looked_t = t
        found = self._look(t, image)
        self._since = {} if found is None else {found: self._since.get(found, t)}
        return found

    def _report(self, t: float, found: Trouble | None) -> CameraFailed | CameraWell | None:
        if found is not None:
            self._well_since = None
            began = self._since[found]
            if found == "moved" and self._swings(t):
                return None
            # One fault may end in another: a camera that was silent or covered comes back, and was moved meanwhile.
            if self.trouble != found and (found == "frozen" or t - began >= _SURE_S[found]):
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
        self._swung.clear()
        return CameraWell(t)

    def _watch_grain(self, t: float, image: Image) -> None:
        """Learn whether the camera has noise: a sensor never delivers exactly the same picture twice."""
        dots = image[::16, ::16].copy()
        if self._dots is not None and np.array_equal(dots, self._dots):
            if self._alike_since is None:
                self._alike_since = t
                self._is_grainy = not self._has_changed and _has_grain(image)
                if self._unlike < _GRAIN_FRAMES:
                    self._unlike = 0
        else:
            self._has_changed |= self._dots is not None
            self._unlike += 1
            self._alike_since = None
        self._dots = dots

    def _is_stuck(self, t: float) -> bool:
        """True if the camera has shown nothing but its first picture."""
        is_first = self._alike_since is not None and not self._has_changed and self._is_grainy
        return is_first and t - (self._alike_since or t) >= _NEVER_CHANGED_S

    def _look(self, t: float, image: Image) -> Trouble | None:
        if self._is_stuck(t):
            return "frozen"
        if self._alike_since is not None and self._is_repeating:
            # No other fault is reported until it is certain that the camera is frozen.
            return "frozen" if t - self._alike_since >= _SURE_S["frozen"] else None
        if is_torn(image):
            return "torn"
        step = max(1, image.shape[1] // _WIDTH_PX)
        size = (image.shape[1] // step, image.shape[0] // step)
        fine = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_NEAREST), np.uint8)
        gray = np.asarray(cv2.cvtColor(fine, cv2.COLOR_BGR2GRAY), np.uint8)
        brightest = _reached(np.ascontiguousarray(gray[::4, ::4]), 0.01)
        if self._is_dark(gray, brightest):
            return "dark"
        soft = np.asarray(cv2.GaussianBlur(gray.astype(np.float32), (3, 3), 0.8)[::2], np.float32)
        wide = np.asarray(cv2.absdiff(soft[:, _WIDE_PX:], soft[:, :-_WIDE_PX]), np.float32)
        strong = max(_reached(wide.astype(np.uint8), _STRONGEST), 1.0)
        now = _View(_coarse(fine), strong / brightest)
        last, self._last = self._last, now.small
        usual = self._usual or now
        changed = None if last is None else differs(now.small, last)
        if (unsteady := self._watch_edges(t, now.small, last, changed)) is not None:
            return "unsteady" if unsteady else None
        is_shaped = now.shape >= _SHAPED
        if is_shaped and _sharpness(soft, wide, strong) < _SHARP:
            return "blurred"
        if not is_shaped and now.shape < _LOST * usual.shape:
            return _lost_shape(now.small, usual.small, last or now.small)
        moving = 1.0 if changed is None else float(changed.mean())
        is_suspected = self.trouble == "moved" or "moved" in self._since
        looks = now.small, last or now.small
        if (is_suspected or moving < _CALM) and _is_moved(looks, usual.small, self._edges, is_suspected=is_suspected):
            return "moved"
        if moving < _STILL and self.trouble is None and t - self._learned_t >= _LEARN_S:
            self._learn(t, now)
        return None

    def _learn(self, t: float, now: _View) -> None:
        """Learn the usual view. An arm that rests, or a frame that came in parts, looks otherwise a while later."""
        before, self._still, self._learned_t = self._still, now.small, t
        if before is not None:
            self._usual, self._edges = now, now.small.textured() & ~differs(now.small, before)

    def _watch_edges(self, t: float, now: Small, last: Small | None, changed: Mask | None) -> bool | None:
        """True if the camera is unsteady, None if it hangs still, False while it may be unsteady: then no other fault
        is searched. ``changed``: the blocks that differ from the last look."""
        if self._edges is None:
            self._edges = now.textured()
        edges = self._edges
        has_swung = bool(
            last is not None
            and changed is not None
            and edges.sum() >= _LEAST_EDGES
            and changed[edges].mean() >= _UNSTEADY
            and max(map(abs, cv2.phaseCorrelate(last.detail, now.detail)[0])) >= _SWINGS_PX
        )
        self._swung.append((t, has_swung))
        while self._swung[0][0] < t - _UNSTEADY_S:
            self._swung.popleft()
        swung = sum(swung for _, swung in self._swung)
        if self.trouble == "unsteady":
            return True if self._swings(t) and not self._is_compensated else None
        if 2 * swung < len(self._swung) or swung < 2:
            return None
        return not self._is_compensated and t - self._swung[0][0] >= _UNSTEADY_S - 2 * _LOOK_S

    def _swings(self, t: float) -> bool:
        """True if the camera moved a moment ago."""
        return any(swung for then, swung in self._swung if then >= t - _SETTLES_S)

    def _is_dark(self, gray: Image, brightest: float) -> bool:
        mean, table = float(gray.mean()), float(np.percentile(gray[::4, ::4], _TABLE))
        if mean >= _DARK_MEAN or brightest >= _DARK_BRIGHTEST:
            self._lit_table = table
            return False
        return mean < _BLACK_MEAN or table < _LIGHT_LEFT * (self._lit_table or 0.0)


def _has_grain(image: Image) -> bool:
    """True if the flattest parts of a picture vary from pixel to pixel, along rows and along columns. A slope varies
    along one of them only."""
    gray = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.float32)
    height, width = ((side - 1) // _FLAT_PX * _FLAT_PX for side in gray.shape)
    level = gray[:height:_FLAT_PX, :width:_FLAT_PX]
    is_clipped = (level <= _CLIPPED) | (level >= 255 - _CLIPPED)
    if is_clipped.all():
        return False
    spreads = []
    for steps in (gray[:, 1:] - gray[:, :-1], gray[1:] - gray[:-1]):
        blocks = steps[:height, :width].reshape(height // _FLAT_PX, _FLAT_PX, width // _FLAT_PX, _FLAT_PX)
        spreads.append(blocks.std(axis=(1, 3)))
    return bool(np.quantile(np.minimum(*spreads)[~is_clipped], _FLAT_PART) >= _GRAIN)


def _lost_shape(now: Small, usual: Small, last: Small) -> Trouble | None:
    """Return the fault of a picture without shape: ``blurred``, or ``covered`` if something lies over the lens. None if
    the cards may only have been taken away."""
    scenes = [cv2.GaussianBlur(one.pixels.mean(axis=2), (0, 0), BLOCK).ravel() for one in (now, usual)]
    (_, both), (_, alone) = np.cov(*(scene / max(float(scene.mean()), 1.0) for scene in scenes))
    if both > _SAME_SCENE * alone:
        return "blurred"
    colors, before = (np.median(one.pixels, axis=(0, 1)) for one in (now, usual))
    is_other_color = bool(np.abs(colors / np.maximum(before, 1.0) - 1).max() > _OTHER_COLOR)
    return "covered" if is_other_color or _hides_grain(now, usual, last) else None


def _hides_grain(now: Small, usual: Small, last: Small) -> bool:
    """True if the table's own shades are hidden: its grain, and the distribution of light on it.

    Of an emptied table at least half was seen before and looks as it did, lighter or darker as a whole; a hand
    on the lens shows its color only.
    """
    shades, before, lately = (np.log(np.maximum(one.means.mean(axis=2), 1.0)).ravel() for one in (now, usual, last))
    alike = _most_alike(shades - before)
    noise = shades - lately
    other = (shades - before)[alike].std()
    return bool(other > _OTHER_GRAIN * before[alike].std() and other > _STANDS_OUT * noise[_most_alike(noise)].std())


def _most_alike(levels: npt.NDArray[np.floating]) -> npt.NDArray[np.intp]:
    """Return the densest half of the gray levels."""
    order, half = np.argsort(levels), levels.size // 2
    first = int(np.argmin(levels[order[half:]] - levels[order[: levels.size - half]]))
    return order[first : first + half]


def _is_moved(looks: tuple[Small, Small], usual: Small, shaped: Mask | None, *, is_suspected: bool) -> bool:
    """True if everything with a shape lies elsewhere and was not taken away. The grain of the ground decides where it
    can be seen; else several things must lie elsewhere.

    ``looks``: the last picture and the one before. ``shaped``: the blocks in which it lay. ``is_suspected``: it went
    one way before; a card that is laid meanwhile may cover one of only two things.
    """
    now = looks[0]
    if shaped is None or now.textured().sum() < _STILL_THERE * shaped.sum():
        return False
    changed = differs(now, usual)
    n, labels = cv2.connectedComponents(shaped.astype(np.uint8))
    things = [labels == label for label in range(1, n)]
    things = [thing for thing in things if thing.sum() >= _THING_BLOCKS]
    if not things or any(changed[thing].mean() <= _MOVED or _lies_still(now, usual, thing) for thing in things):
        return False
    if (is_ground_same := _shows_same_ground(looks, usual)) is not None:
        return not is_ground_same
    if len(things) < _THINGS:
        return False
    return len(things) > _THINGS or is_suspected or _went_one_way(now, usual, things)


def _shows_same_ground(looks: tuple[Small, Small], usual: Small) -> bool | None:
    """True if both looks show the grain of the bare table where it was: what lay on it was taken away, or was an arm.
    False if both show the grain of another part of a table; None if they do not tell. Noise is no grain, even if it
    comes again once."""
    bare = ~grown(usual.textured() | looks[0].textured() | looks[1].textured(), _BESIDE_BLOCKS)
    if bare.sum() < _BARE_BLOCKS:
        return None
    fine = np.kron(bare, np.ones((BLOCK, BLOCK), np.bool_))
    before, now, last = (_without_peaks(small.detail[fine]) for small in (usual, *looks))
    same, again = sorted((_correlation(before, now), _correlation(before, last))), _correlation(now, last)
    if same[0] > _SAME_GROUND:
        return True
    return False if again > _SAME_GROUND and same[1] < _OTHER_GROUND * again else None


def _correlation(one: Levels, other: Levels) -> float:
    return float(one @ other) / max(float(np.linalg.norm(one) * np.linalg.norm(other)), 1e-9)


def _without_peaks(grain: Levels) -> Levels:
    """Return the grain of a table without the soft edges of shadows."""
    most = _PEAK * float(np.median(np.abs(grain)))
    return np.clip(grain, -most, most)


def _box(thing: Mask) -> tuple[int, int, int, int]:
    """Return top, bottom, left and right (px) of a thing."""
    top, bottom, left, right = (BLOCK * int(end) for at in np.nonzero(thing) for end in (at.min(), at.max() + 1))
    return top, bottom, left, right


def _lies_still(now: Small, usual: Small, thing: Mask) -> bool:
    """True if the thing is seen where it lay."""
    top, bottom, left, right = _box(thing)
    around = now.pixels[max(0, top - 1) : bottom + 1, max(0, left - 1) : right + 1]
    alike = cv2.matchTemplate(around, usual.pixels[top:bottom, left:right], cv2.TM_CCOEFF_NORMED)
    return bool(alike.max() >= _LIES_STILL)


def _went_one_way(now: Small, usual: Small, things: list[Mask]) -> bool:
    """True if all things are found elsewhere, moved in the same direction by the same distance, or turned together."""
    height, width = now.pixels.shape[:2]
    beyond = width // _BEYOND
    size = (width + 2 * beyond, height + 2 * beyond)
    for angle in _TURNS:
        turn = cv2.getRotationMatrix2D((width / 2, height / 2), angle, 1.0)
        turn[:, 2] += beyond
        seen = cv2.warpAffine(now.pixels, turn, size, borderMode=cv2.BORDER_REPLICATE)
        likeness = np.ones((2 * size[1], 2 * size[0]), np.float32)
        for thing in things:
            top, bottom, left, right = _box(thing)
            alike = cv2.matchTemplate(seen, usual.pixels[top:bottom, left:right], cv2.TM_CCOEFF_NORMED)
            by_way = np.zeros_like(likeness)
            by_way[height - top :, width - left :][: alike.shape[0], : alike.shape[1]] = alike
            likeness = np.minimum(likeness, cv2.dilate(by_way, np.ones((_ASTRAY_PX, _ASTRAY_PX), np.uint8)))
        if likeness.max() >= _FOUND:
            return True
    return False


def _reached(levels: Image, part: float) -> float:
    """Return the level that this fraction of all levels reaches."""
    counts = cv2.calcHist([levels], [0], None, [256], [0, 256]).ravel()
    return float(255 - np.searchsorted(np.cumsum(counts[::-1]), part * levels.size))


def _sharpness(soft: Levels, wide: Levels, strong: float) -> float:
    """Return the median fraction of the strongest steps that happens within one pixel."""
    rows, columns = np.nonzero(wide >= strong)
    steps = cv2.absdiff(soft[:, 1:], soft[:, :-1])
    within = np.stack([steps[rows, columns + k] for k in range(_WIDE_PX)]).max(axis=0)
    return float(np.median(within / np.maximum(wide[rows, columns], 1)))


def _coarse(fine: Image) -> Small:
    height, width = fine.shape[:2]
    rows = max(1, round(_COARSE_WIDTH_PX * height / width / BLOCK)) * BLOCK
    return Small.of(np.asarray(cv2.resize(fine, (_COARSE_WIDTH_PX, rows), interpolation=cv2.INTER_AREA), np.uint8))
