"""Video of the simulated table: motion blur, a rolling shutter, bad light, camera faults.

`Video` runs at the rate of a real camera. Each frame of a moving table combines scenes at several moments of its
exposure, band by band, as a rolling shutter reads the sensor. Effects of light and of objects before the lens act on
the scene, before the sensor adds its noise. A list of spells says which effect acts when. `TrackingScenario` is the
scenario of the tracker's benchmark; `TroubledCamera` is the camera of the demo.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import cv2
import numpy as np
import numpy.typing as npt

from cardsight.geometry import Image
from cardsight.sources import Frame
from croupier_rules.cards import DECKS
from croupier_sim.camera import SimCamera
from croupier_sim.table import SimTable

FPS: Final = 30.0
READOUT_S: Final = 0.016
"""Delay of the exposure of the lowest row behind the uppermost (s)."""

_MOMENTS: Final = (-0.012, -0.006, 0.0, 0.006, 0.012)
_BANDS: Final = ((0, 1, 2), (1, 2), (2, 3), (2, 3, 4))
"""Moments within the exposure of each quarter of the picture, from the top."""

_MAINS_HZ: Final = 100.0

Light = Literal["dim", "flicker", "lamp", "shadow", "glare"]
Fault = Literal["frozen", "dark", "blurred", "covered", "moved", "unplugged"]


@dataclass(frozen=True, slots=True)
class Spell:
    """An effect of light or camera from ``begin`` to ``end`` (s)."""

    kind: Light | Fault
    begin: float
    end: float

    def part(self, t: float) -> float | None:
        """Return the fraction of its time that is over, 0…1; None before and after."""
        return (t - self.begin) / (self.end - self.begin) if self.begin <= t < self.end else None


class Video:
    """Takes ``fps`` frames a second of the table that ``camera`` looks at.

        video = Video(table, camera, spells=(Spell("flicker", 3.0, 8.0),))
        frame = video.frame()       # 1/30 s of simulated time later

    The ``t`` of a frame is the middle of the exposure of its middle row, ``u`` the largest deviation of the other rows.
    """

    def __init__(self, table: SimTable, camera: SimCamera, *, fps: float = FPS, spells: tuple[Spell, ...] = ()) -> None:
        self._table, self._camera, self._frame_s = table, camera, 1 / fps
        self._spells = spells
        self._count = int(table.now * fps) + 1
        self._last: Image | None = None
        self._is_closed = False

    def frame(self) -> Frame:
        """Advance time by one frame and return it. Raises OSError if the camera is unplugged or closed."""
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
        return Frame(t, picture, READOUT_S / 2)

    def now(self) -> float:
        """Return the simulated time (s)."""
        return self._table.now

    def close(self) -> None:
        """Take no more frames."""
        self._is_closed = True

    def _exposed(self, t: float) -> Image:
        self._table.run_to(t + _MOMENTS[0])
        first = self._camera.scene()
        if not self._table.is_moving:
            # a motion that begins within this exposure is still short
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
    """Dim the light to a quarter, and brighten it again."""
    return _scaled(scene, 1 - 0.75 * min(1.0, 8 * min(part, 1 - part)))


def _flicker(scene: Image, part: float, t: float) -> Image:
    """Flicker at twice the mains frequency; the rolling shutter catches each row at another moment."""
    rows = t + READOUT_S * (np.arange(len(scene)) / len(scene) - 0.5)
    gain = 1 - 0.15 * (0.5 + 0.5 * np.sin(2 * np.pi * _MAINS_HZ * 1.03 * rows))
    return _times(scene, np.broadcast_to(gain[:, None], scene.shape[:2]))


def _lamp(scene: Image, part: float, t: float) -> Image:
    """Switch a warm lamp off; colder and weaker light remains."""
    return _times(scene, np.array([0.72, 0.6, 0.5]))


def _shadow(scene: Image, part: float, t: float) -> Image:
    """Move the soft shadow of a person across the table."""
    height, width = scene.shape[:2]
    small = np.zeros((height // 16, width // 16), np.float32)
    at = (int((1.6 * part - 0.3) * width / 16), int(height / 32))
    cv2.circle(small, at, width // 80, 1.0, -1)
    soft = cv2.resize(cv2.GaussianBlur(small, (0, 0), 3.0), (width, height), interpolation=cv2.INTER_LINEAR)
    return _times(scene, 1 - 0.55 * soft)


def _glare(scene: Image, part: float, t: float) -> Image:
    """Move the reflection of a lamp in varnish, as if a person carried the lamp."""
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
    """Cover the lens with a hand: color remains, shapes do not."""
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
    """Multiply by ``gain``: of each pixel, or of blue, green and red."""
    gains = np.empty(image.shape, np.float32)
    gains[:] = gain if gain.ndim == 1 else gain[..., None]
    return np.asarray(cv2.multiply(image, gains, dtype=cv2.CV_8U), np.uint8)


EFFECTS: Final[Mapping[str, Callable[[Image, float, float], Image]]] = {
    "dim": _dim, "flicker": _flicker, "lamp": _lamp, "shadow": _shadow, "glare": _glare,
    "dark": _dark, "blurred": _blurred, "covered": _covered, "moved": _moved,
}  # fmt: skip
"""Each effect on a scene, given the fraction of its time that is over (0…1) and the time (s)."""


LIGHTS: Final[tuple[Light, ...]] = ("dim", "flicker", "lamp", "shadow", "glare")
FAULTS: Final[tuple[Fault, ...]] = ("frozen", "dark", "blurred", "covered", "moved", "unplugged")

ACTS: Final = {
    "lay": 0.52, "hesitate": 0.14, "two": 0.06, "show": 0.08, "wave": 0.07, "take back": 0.05, "push": 0.05,
    "astray": 0.03,
}  # fmt: skip
"""Acts of people and their frequencies."""
_LASTS_S: Final = {"hesitate": 1.0, "show": 1.9, "push": 1.2, "take back": 2.0, "wave": 1.0, "astray": 7.4}
"""Duration of an act (s), in addition to the usual pause. A stray card is removed within it."""

_ASKEW: Final = 0.4
"""Fraction of the cards that are thrown down at any angle."""

_FAULT_EVERY: Final = 11
_LIGHT_EVERY: Final = 5
_RECYCLE_EVERY: Final = 24
"""Number of acts between two of them. No two have a common divisor, so that every light meets every act."""

_ASTRAY_S: Final = 6.2
"""Time that a stray card lies (s): longer than two looks of the detector of stray cards."""
ASTRAY_MM: Final = (160.0, 0.0)
"""Offset of a stray card from the pile (mm)."""


@dataclass(frozen=True, slots=True)
class Touch:
    """A card ``face`` that ``seat`` laid at ``t``; ``is_astray``: beside the pile."""

    t: float
    seat: int
    face: str
    is_astray: bool = False


class TrackingScenario:
    """All acts until ``plays`` cards lie on the pile; advance the table's time to ``end`` to run them.

    ``troubles``: with bad light, and with each of the camera ``faults``. ``pause_s``: shortest and longest pause.
    """

    def __init__(
        self, table: SimTable, rng: np.random.Generator, plays: int, *, troubles: bool = True,
        faults: Sequence[Fault] = FAULTS, pause_s: tuple[float, float] = (1.1, 2.2),
    ) -> None:  # fmt: skip
        self.touches: list[Touch] = []
        """Every touch of a card, in order."""
        self.lifts: list[tuple[float, str]] = []
        """When the top card was taken back, and its face."""
        self.recycled: list[float] = []
        """When the pile, less its top card, was taken away."""
        self.acts: list[str] = []
        """The acts of people, in order."""
        self.table, self._rng = table, rng
        self._faces = tuple(DECKS["g7942"])
        spells: list[Spell] = []
        t, done, number = table.now + 1.0, 0, 0
        first_fault = int(rng.integers(len(faults))) if faults else 0
        while done < plays:
            number += 1
            if troubles and faults and number % _FAULT_EVERY == 0:
                kind = faults[(first_fault + number // _FAULT_EVERY) % len(faults)]
                spells.append(Spell(kind, t + 1.0, t + 4.0))
                t += 5.5
            if troubles and number % _LIGHT_EVERY == 0:
                spells.append(Spell(LIGHTS[number // _LIGHT_EVERY % len(LIGHTS)], t, t + float(rng.uniform(3, 7))))
            act = str(rng.choice(list(ACTS), p=list(ACTS.values()))) if done else "lay"
            lasts = _LASTS_S.get(act, 0.0)
            table.at(t, lambda act=act: self._act(act))  # type: ignore[misc]
            if act == "take back":
                table.at(t + 2.0, lambda: self._act("lay"))
            done += {"lay": 1, "hesitate": 1, "two": 2, "take back": 1}.get(act, 0)
            if number % _RECYCLE_EVERY == 0:
                t += 3.0
                table.at(t, lambda: self.recycled.append(table.recycle(0)))
                lasts = 3.5
            t += lasts + float(rng.uniform(*pause_s))
        self.spells = tuple(spells)
        self.end = t + 2.5

    def _act(self, act: str) -> None:
        table, rng = self.table, self._rng
        self.acts.append(act)
        seat = int(rng.integers(table.seats))
        face = self._drawn(seat)
        stay = float(rng.uniform(0.12, 0.4))
        match act:
            case "lay":
                turn = float(rng.uniform(0, 360)) if rng.random() < _ASKEW else 0.0
                self.touches.append(Touch(table.lay(seat, face, stay=stay, turn=turn), seat, face))
            case "hesitate":
                hovers = float(rng.uniform(0.2, 0.8))
                self.touches.append(Touch(table.lay(seat, face, stay=stay, hovers=hovers), seat, face))
            case "two":
                other = self._drawn(seat)
                touch = table.lay_two(seat, (face, other), stay=stay)
                self.touches += [Touch(touch, seat, face), Touch(touch, seat, other)]
            case "show":
                table.show(seat, face, stay=float(rng.uniform(0.3, 0.9)))
            case "wave":
                table.wave(seat)
            case "take back":
                self.lifts.append((table.take_back(seat), table.discard[-1].face))
            case "push":
                table.straighten(seat)
            case "astray":
                touch = table.lay(seat, face, stay=stay, beside=ASTRAY_MM)
                self.touches.append(Touch(touch, seat, face, is_astray=True))
                table.at(touch + _ASTRAY_S, lambda: table.take_back(seat))

    def _drawn(self, seat: int) -> str:
        face = str(self._rng.choice(self._faces))
        self.table.hands[seat].append(face)
        return face


LASTS_S: Final = 4.0
"""Longer than the detection of any camera fault takes (`cardsight.track.health`)."""


class TroubledCamera:
    """Takes frames like ``camera``, with faults on request. Implements `TableCamera`."""

    faults = tuple(f"camera-{kind}" for kind in FAULTS)
    """Faults that can be provoked."""

    def __init__(self, camera: SimCamera) -> None:
        self._camera = camera
        self._kind, self._until = "", 0.0
        self._last: Image | None = None

    trouble = ""
    """Always "": the source does not fail; only its pictures may be faulty."""
    invitation, is_wanted = None, True

    def start(self) -> None:
        """Do nothing; the camera runs already."""

    def close(self) -> None:
        """Do nothing."""

    def provoke(self, fault: str) -> None:
        """Begin one of ``faults``."""
        self._kind, self._until = fault.removeprefix("camera-"), self._camera.now() + LASTS_S

    @property
    def is_troubled(self) -> bool:
        """True while a fault lasts."""
        return self._camera.now() < self._until

    def frame(self) -> Frame:
        """Return the picture of the table now. Raises OSError while the camera is unplugged."""
        kind = self._kind if self.is_troubled else ""
        if kind == "unplugged":
            raise OSError("the simulated camera is unplugged")
        t, scene = self._camera.now(), self._camera.scene()
        picture = self._camera.developed(EFFECTS[kind](scene, 0.5, t) if kind in EFFECTS else scene)
        if kind == "frozen" and self._last is not None:
            picture = self._last
        self._last = picture
        return Frame(t, picture)

    def now(self) -> float:
        """Return the simulated time (s)."""
        return self._camera.now()
