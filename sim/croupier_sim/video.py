"""Video of the simulated table at the rate of a real camera: blur of what moves, a rolling shutter, bad light, faults.

Each frame of a moving table is put together from scenes at several moments of its exposure, band by band as a rolling
shutter reads the sensor. Light and what covers the lens act on the scene, before the sensor adds its noise. What
misbehaves when is data: a list of spells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

import cv2
import numpy as np
import numpy.typing as npt

from croupier.devices.protocols import Image
from croupier_sim.camera import Drawn, SimCamera
from croupier_sim.table import SimTable

FPS: Final = 30.0
READOUT_S: Final = 0.016
"""So much later the lowest row is exposed than the uppermost."""

_MOMENTS: Final = (-0.012, -0.006, 0.0, 0.006, 0.012)
_BANDS: Final = ((0, 1, 2), (1, 2), (2, 3), (2, 3, 4))
"""Which of these moments fall into the exposure of each quarter of the picture, from the top."""

_MAINS_HZ: Final = 100.0

Light = Literal["dim", "flicker", "lamp", "shadow", "glare"]
Fault = Literal["frozen", "dark", "blurred", "covered", "moved", "unplugged"]


@dataclass(frozen=True, slots=True)
class Spell:
    """From ``begin`` to ``end`` (seconds) the light or the camera misbehaves."""

    kind: Light | Fault
    begin: float
    end: float

    def part(self, t: float) -> float | None:
        """How much of it is over, 0…1; ``None`` before and after."""
        return (t - self.begin) / (self.end - self.begin) if self.begin <= t < self.end else None


class Video:
    """Takes ``fps`` frames a second of the table that ``camera`` looks at.

    video = Video(table, camera, spells=(Spell("flicker", 3.0, 8.0),))
    frame = video.frame()       # 1/30 s of simulated time later

    The ``t`` of a frame is the middle of the exposure of its middle row, ``u`` what the other rows are off by.
    """

    def __init__(self, table: SimTable, camera: SimCamera, *, fps: float = FPS, spells: tuple[Spell, ...] = ()) -> None:
        self._table, self._camera, self._frame_s = table, camera, 1 / fps
        self._spells = spells
        self._count = int(table.now * fps) + 1
        self._last: Image | None = None
        self._is_closed = False

    def frame(self) -> Drawn:
        """The next frame; time goes on to its end. Raises OSError where the camera is unplugged or was closed."""
        if self._is_closed:
            raise OSError("the simulated camera is closed")
        self._count += 1
        t = self._count * self._frame_s
        scene = self._exposed(t)
        for kind, effect in EFFECTS.items():
            if (part := self._part(kind, t)) is not None:
                scene = effect(scene, part, t)
        picture = self._camera.developed(scene)
        if self._part("unplugged", t) is not None:
            raise OSError("the simulated camera is unplugged")
        if self._part("frozen", t) is not None and self._last is not None:
            picture = self._last
        self._last = picture
        return Drawn(t, picture, READOUT_S / 2)

    def now(self) -> float:
        """The simulated time."""
        return self._table.now

    def close(self) -> None:
        """Take no more frames."""
        self._is_closed = True

    def _exposed(self, t: float) -> Image:
        self._table.run_to(t + _MOMENTS[0])
        first = self._camera.scene()
        if not self._table.is_moving:
            # What begins to move within this exposure has not come far.
            self._table.run_to(t + _MOMENTS[-1])
            return first
        scenes = [first]
        for moment in _MOMENTS[1:]:
            self._table.run_to(t + moment)
            scenes.append(self._camera.scene())
        height = len(first) // len(_BANDS)
        mixed = np.empty_like(first)
        for band, seen in enumerate(_BANDS):
            rows = slice(band * height, (band + 1) * height if band + 1 < len(_BANDS) else None)
            sum_ = np.zeros(first[rows].shape, np.float32)
            for moment_number in seen:
                cv2.accumulate(scenes[moment_number][rows], sum_)
            mixed[rows] = cv2.convertScaleAbs(sum_, alpha=1 / len(seen))
        return mixed

    def _part(self, kind: str, t: float) -> float | None:
        return next((p for spell in self._spells if spell.kind == kind and (p := spell.part(t)) is not None), None)


def _dim(scene: Image, part: float, t: float) -> Image:
    """Down to a quarter, and up again."""
    return _scaled(scene, 1 - 0.75 * min(1.0, 8 * min(part, 1 - part)))


def _flicker(scene: Image, part: float, t: float) -> Image:
    """Lamps flicker at twice the frequency of the mains; row by row the shutter catches another moment of it."""
    rows = t + READOUT_S * (np.arange(len(scene)) / len(scene) - 0.5)
    gain = 1 - 0.15 * (0.5 + 0.5 * np.sin(2 * np.pi * _MAINS_HZ * 1.03 * rows))
    return _times(scene, np.broadcast_to(gain[:, None], scene.shape[:2]))


def _lamp(scene: Image, part: float, t: float) -> Image:
    """A warm lamp is switched off; colder and weaker light remains."""
    return _times(scene, np.array([0.72, 0.6, 0.5]))


def _shadow(scene: Image, part: float, t: float) -> Image:
    """Somebody leans over the table: a soft dark spot crosses it."""
    height, width = scene.shape[:2]
    small = np.zeros((height // 16, width // 16), np.float32)
    at = (int((1.6 * part - 0.3) * width / 16), int(height / 32))
    cv2.circle(small, at, width // 80, 1.0, -1)
    soft = cv2.resize(cv2.GaussianBlur(small, (0, 0), 3.0), (width, height), interpolation=cv2.INTER_LINEAR)
    return _times(scene, 1 - 0.55 * soft)


def _glare(scene: Image, part: float, t: float) -> Image:
    """A lamp mirrored in varnish, which wanders with whoever carries it."""
    height, width = scene.shape[:2]
    spot = np.zeros((height // 8, width // 8), np.float32)
    at = (int(width / 8 * (0.1 + 0.25 * part)), int(height / 8 * 0.55))
    cv2.circle(spot, at, width // 160, 1.0, -1)
    soft = cv2.resize(cv2.GaussianBlur(spot, (0, 0), 3.0), (width, height), interpolation=cv2.INTER_LINEAR)
    return np.asarray(cv2.add(scene, cv2.merge([soft * 150] * 3), dtype=cv2.CV_8U), np.uint8)


def _dark(scene: Image, part: float, t: float) -> Image:
    return _scaled(scene, 0.02)


def _blurred(scene: Image, part: float, t: float) -> Image:
    side = scene.shape[1] // 60 * 2 + 1
    return np.asarray(cv2.blur(cv2.blur(scene, (side, side)), (side, side)), np.uint8)


def _covered(scene: Image, part: float, t: float) -> Image:
    """A hand on the lens: what comes through has a color and no shape."""
    through = np.full_like(scene, (38, 46, 80))
    return np.asarray(cv2.addWeighted(through, 1.0, _blurred(_blurred(scene, part, t), part, t), 0.05, 0), np.uint8)


def _moved(scene: Image, part: float, t: float) -> Image:
    height, width = scene.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), 2.5, 1.0)
    turn[:, 2] += (width / 25, -height / 20)
    return np.asarray(cv2.warpAffine(scene, turn, (width, height), borderMode=cv2.BORDER_REPLICATE), np.uint8)


def _scaled(image: Image, gain: float) -> Image:
    return np.asarray(cv2.convertScaleAbs(image, alpha=gain), np.uint8)


def _times(image: Image, gain: npt.NDArray[np.floating]) -> Image:
    """``gain``: of each pixel, or of blue, green and red."""
    gains = np.empty(image.shape, np.float32)
    gains[:] = gain if gain.ndim == 1 else gain[..., None]
    return np.asarray(cv2.multiply(image, gains, dtype=cv2.CV_8U), np.uint8)


EFFECTS: Final[Mapping[str, Callable[[Image, float, float], Image]]] = {
    "dim": _dim, "flicker": _flicker, "lamp": _lamp, "shadow": _shadow, "glare": _glare,
    "dark": _dark, "blurred": _blurred, "covered": _covered, "moved": _moved,
}  # fmt: skip
"""What each of them does to a scene, given how much of its time is over (0…1), and the time."""
