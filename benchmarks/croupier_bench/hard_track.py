"""Hard clips for the pile tracker, by kind: a camera that sways or jitters, a cheap webcam, a glass on the edge of the
pile, cards laid in quick succession, at the rim, short of the pile or face down, two cards laid as one.

Each clip is drawn from a seed and has a few plays, whose truth is known. `croupier bench track --hard` counts the plays
by outcome.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import repeat
from math import cos, degrees, inf, pi, radians, sin
from typing import Any, Final

import cv2
import numpy as np

from cardsight.card_reader import CardReader
from cardsight.geometry import Image
from cardsight.reader import Reader
from cardsight.sources import Frame
from cardsight.track.events import CameraFailed, Event, Touched
from cardsight.track.tracker import PileTracker
from croupier_bench.score import Score
from croupier_bench.workers import workers
from croupier_rules.cards import BACK, CARD_MM, DECKS
from croupier_sim.camera import SimCamera
from croupier_sim.drawing import GROUNDS, STYLES, random_lamp
from croupier_sim.table import PILE_MM, PILE_ZONE_MM, VIEW_MM, Pose, SimTable, edge_mm
from croupier_sim.video import FPS, Touch, Video

SEEDS: Final = range(30)
SIZE_PX: Final = (960, 540)
SEATS: Final = 4

_SWAY_HZ: Final = 10.0
_JITTER_PX: Final = 0.5
_QUALITY: Final = (18, 36)
_NOISE: Final = 3.0
WEBCAM_NOISE: Final = 7.0
"""Gray levels."""
_SHAKE_PX: Final = 10.0
_SHAKE_S: Final = 4.0
_BUMP_PX: Final = (15.0, 45.0)
_MOVED_S: Final = 5.0
"""Time (s) from a bump to the next card: it is told, and somebody presses go `_GO_S` later."""
_GO_S: Final = 1.5
_SHORT_MM: Final = (85.0, 130.0)
"""Distances from the pile of cards that are laid short: within the zone, and outside of it."""
PLAIN: Final = "paper"
"""A ground without a pattern."""
_GLASS_MM: Final = 33.0
_GLASS_AT_MM: Final = (62.0, 78.0)
"""Radius of the glass, and least and greatest distance of its middle from that of the pile."""

_OFF_S: Final = 0.5
"""Error of a contact time, beside its uncertainty, from which the report is one of another play."""
_TAIL_S: Final = 7.5
"""Longest extension of a clip (s) while the tracker is not settled."""

Offset = tuple[float, float]
"""To the right and down (mm)."""
Distort = Callable[[Image, float], Image]
"""Changes an image at time t (s)."""


class HardCamera(SimCamera):
    """A `SimCamera` whose scenes and pictures are distorted."""

    on_table: Distort = staticmethod(lambda scene, t: scene)
    """Under the hands."""
    in_scene: Distort = staticmethod(lambda scene, t: scene)
    """Before the lens."""
    in_picture: Distort = staticmethod(lambda picture, t: picture)
    """After the sensor."""
    sleeve: tuple[int, int, int] | None = None
    """Color of all sleeves (BGR), if they have one."""

    def sleeve_of(self, seat: int) -> tuple[int, int, int]:
        """Return the color of the sleeves."""
        return super().sleeve_of(seat) if self.sleeve is None else self.sleeve

    @property
    def table_color(self) -> tuple[int, int, int]:
        """Mean color of the table in full light (BGR)."""
        lit = self._empty.reshape(-1, 3).mean(0) * 255 / max(1.0, float(self._light.mean()))
        blue, green, red = (int(value) for value in lit.clip(0, 255))
        return blue, green, red

    def with_things(self, scene: Image) -> Image:
        """Draw what stands on the table."""
        return self.on_table(scene, self._table.now)

    def developed(self, scene: Image) -> Image:
        """Develop the distorted scene."""
        t = self._table.now
        return self.in_picture(super().developed(self.in_scene(scene, t)), t)


@dataclass
class Clip:
    """The script of one clip: ``touches`` in order, and its ``end`` (s)."""

    table: SimTable
    camera: HardCamera
    rng: np.random.Generator
    touches: list[Touch] = field(default_factory=list)
    end: float = 0.0
    fault: str = ""
    """The fault to be reported; "" for a clip without a fault."""

    def lay(self, t: float, seat: int | None = None, *, beside: Offset = (0.0, 0.0), hovers: float = 0.0) -> None:
        """Lay a card from the hand of ``seat``, or of any, at ``t``. ``beside`` and ``hovers``: as in `SimTable.lay`. A
        card whose middle lies outside of the zone is no play."""
        whose = int(self.rng.integers(SEATS)) if seat is None else seat
        face = str(self.rng.choice(list(DECKS["g7942"])))
        stay = float(self.rng.uniform(0.12, 0.35))
        self.table.hands[whose].append(face)

        def lay() -> None:
            touch = self.table.lay(whose, face, stay=stay, hovers=hovers, beside=beside)
            pose = self.table.reaches[-1].at
            if _in_zone(pose):
                self.touches.append(Touch(touch, whose, face))

        self.table.at(t, lay)
        self.end = max(self.end, t + 2.0 + hovers)

    def lay_together(self, t: float, offset: Pose) -> None:
        """Lay two cards at once at ``t``, ``offset`` from each other as in `SimTable.lay_two`."""
        seat = int(self.rng.integers(SEATS))
        faces = tuple(self.rng.choice(list(DECKS["g7942"]), 2, replace=False).tolist())
        stay = float(self.rng.uniform(0.12, 0.35))
        self.table.hands[seat] += faces

        def lay() -> None:
            touch = self.table.lay_two(seat, faces, stay=stay, offset=offset)
            self.touches += [Touch(touch, seat, face) for face in faces]

        self.table.at(t, lay)
        self.end = max(self.end, t + 2.0)

    def lay_some(self, plays: int, begin: float = 1.0) -> None:
        """Lay ``plays`` cards one after the other."""
        for _ in range(plays):
            self.lay(begin)
            begin += float(self.rng.uniform(1.5, 2.3))


def _in_zone(at: Offset) -> bool:
    left, top, right, bottom = PILE_ZONE_MM
    return left <= at[0] <= right and top <= at[1] <= bottom


def _steady(clip: Clip) -> None:
    clip.lay_some(3)


def sway(camera: HardCamera, rng: np.random.Generator, amplitude_px: float) -> None:
    """Let the camera sway."""
    turn, phase = rng.uniform(0, 2 * pi, 2)
    way = amplitude_px * np.array([np.cos(turn), np.sin(turn)])
    camera.in_scene = lambda scene, t: shifted(scene, *(way * sin(2 * pi * _SWAY_HZ * t + phase)))


def jitter(camera: HardCamera, rng: np.random.Generator) -> None:
    """Let the camera jitter."""
    camera.in_scene = lambda scene, t: shifted(scene, *rng.normal(0, _JITTER_PX, 2))


def compress(camera: HardCamera, rng: np.random.Generator) -> None:
    """Let the camera send strongly compressed JPEG pictures."""
    quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(*_QUALITY))]
    camera.in_picture = lambda picture, t: np.asarray(
        cv2.imdecode(cv2.imencode(".jpg", picture, quality)[1], cv2.IMREAD_COLOR), np.uint8
    )


def _sway(amplitude_px: float) -> Callable[[Clip], None]:
    def arrange(clip: Clip) -> None:
        sway(clip.camera, clip.rng, amplitude_px)
        clip.lay_some(3)

    return arrange


def _jitter(clip: Clip) -> None:
    jitter(clip.camera, clip.rng)
    clip.lay_some(3)


def _webcam(clip: Clip) -> None:
    compress(clip.camera, clip.rng)
    _jitter(clip)


def _quick(gap_s: float) -> Callable[[Clip], None]:
    def arrange(clip: Clip) -> None:
        clip.lay(1.0)
        clip.lay(3.0)
        clip.lay(3.0 + gap_s)

    return arrange


def offset_of(way: str, far_mm: float) -> Pose:
    """Return how two cards lie of which one is displaced by ``far_mm``, ``along`` its long side or ``across`` it, or by
    as much at one end, ``fanned``."""
    turn = far_mm / CARD_MM[1]
    half = CARD_MM[1] / 2
    return {
        "along": Pose(0.0, far_mm, 0.0), "across": Pose(far_mm, 0.0, 0.0),
        "fanned": Pose(half * sin(turn), half * (1 - cos(turn)), degrees(turn)),
    }[way]  # fmt: skip


def _together(way: str, far_mm: float) -> Callable[[Clip], None]:
    """Lay two cards as one on a pile, between single cards."""

    def arrange(clip: Clip) -> None:
        clip.lay(1.0)
        sign = float(clip.rng.choice([-1.0, 1.0]))
        clip.lay_together(2.9, offset_of(way, sign * far_mm))
        clip.lay(5.0)

    return arrange


def _glass(clip: Clip) -> None:
    clip.lay(1.0)
    angle, away = clip.rng.uniform(0, 2 * pi), clip.rng.uniform(*_GLASS_AT_MM)
    at = PILE_MM[0] + float(away * np.cos(angle)), PILE_MM[1] + float(away * np.sin(angle))
    stands_from: list[float] = []
    clip.table.at(2.8, lambda: stands_from.append(clip.table.wave(int(clip.rng.integers(SEATS)), at)))
    clip.camera.on_table = lambda scene, t: (
        with_glass(scene, clip.camera, at) if stands_from and t >= stands_from[0] else scene
    )
    clip.lay_some(3, 4.0)


def _shake(clip: Clip) -> None:
    """Knock against the stand: the picture shakes for some seconds, and a card is laid meanwhile."""
    clip.lay(1.0)
    begin, way = 3.0, clip.rng.uniform(0.6, 1.0, 2) * _SHAKE_PX

    def shaken(scene: Image, t: float) -> Image:
        if not begin <= t < begin + _SHAKE_S:
            return scene
        return shifted(scene, way[0] * sin(2 * pi * 3.1 * t), way[1] * sin(2 * pi * 4.3 * t + 1))

    clip.camera.in_scene = shaken
    clip.fault = "unsteady"
    clip.lay(begin + 2.2)
    clip.lay(begin + _SHAKE_S + 2.0)


def _bump(clip: Clip) -> None:
    """Bump against the stand while a card is laid: the camera looks elsewhere from then on."""
    clip.lay_some(2)
    laid_at = clip.end + 0.5
    far, way, turn = clip.rng.uniform(*_BUMP_PX), clip.rng.uniform(0, 2 * pi), clip.rng.uniform(-2.5, 2.5)
    width, height = SIZE_PX
    view = cv2.getRotationMatrix2D((width / 2, height / 2), turn, 1.0)
    view[:, 2] += np.array([far * cos(way), far * sin(way)])

    def seen(scene: Image, t: float) -> Image:
        if len(clip.touches) < 3 or t < clip.touches[2].t + bumps_after:
            return scene
        return np.asarray(cv2.warpAffine(scene, view, SIZE_PX, borderMode=cv2.BORDER_REPLICATE), np.uint8)

    bumps_after = float(clip.rng.uniform(-0.15, 0.15))
    clip.camera.in_scene = seen
    clip.fault = "moved"
    clip.lay(laid_at)
    clip.lay(laid_at + _MOVED_S)
    clip.end += 1.0


def _at_rim(clip: Clip) -> None:
    """Lay a card that touches the rim of the zone, though its middle lies within."""
    clip.lay(1.0)
    clip.lay(3.0, beside=(float(clip.rng.choice([-1, 1]) * clip.rng.uniform(60, 80)), 0.0))
    clip.lay(5.0)


def _short(clip: Clip) -> None:
    """Lay a card short of the pile, but within the zone, and one so short that it is no play."""
    clip.lay(1.0)
    for t, far in zip((3.0, 5.0), _SHORT_MM, strict=True):
        seat = int(clip.rng.integers(SEATS))
        way = radians(clip.table.direction_deg(seat))
        clip.lay(t, seat, beside=(far * cos(way), far * sin(way)))
    clip.lay(7.0)


def _held(clip: Clip) -> None:
    """Hold a card still over its place before it is laid."""
    clip.lay(1.0)
    clip.lay(3.0, hovers=1.0)
    clip.lay(6.0)


def _plain_sleeve(clip: Clip) -> None:
    """Lay cards in sleeves of the color of the table."""
    clip.camera.sleeve = clip.camera.table_color
    clip.lay_some(3)


def _face_down(clip: Clip) -> None:
    """Lay a card face down on the pile, and take it away after a while."""
    clip.lay_some(2)
    seat, down = int(clip.rng.integers(SEATS)), clip.end
    clip.table.hands[seat].append(BACK)
    clip.table.at(down, lambda: clip.table.lay(seat, BACK))
    clip.table.at(down + 4.0, lambda: clip.table.take_back(seat))
    clip.lay(down + 6.0)


KINDS: Final[dict[str, Callable[[Clip], None]]] = {
    "steady": _steady,
    "sway of 1 px": _sway(1.0),
    "sway of 2 px": _sway(2.0),
    "jitter of 0.5 px": _jitter,
    "webcam": _webcam,
    "glass": _glass,
    "two in 0.75 s": _quick(0.75),
    "two in 0.5 s": _quick(0.5),
    "shaken": _shake,
    "bumped": _bump,
    "bumped, plain ground": _bump,
    "at the rim": _at_rim,
    "laid short": _short,
    "held before": _held,
    "sleeve like the table": _plain_sleeve,
    "face down": _face_down,
}
"""The script of each kind of clip."""
TOGETHER: Final[dict[str, Callable[[Clip], None]]] = {
    f"two together, {far_mm:.0f} mm {way}": _together(way, far_mm)
    for way in ("along", "across", "fanned")
    for far_mm in (3.0, 6.0, 10.0, 15.0)
}
"""The same of the clips in which two cards are laid as one."""


def shifted(scene: Image, dx: float, dy: float) -> Image:
    """Move a scene by a fraction of a px."""
    way = np.array([[1, 0, dx], [0, 1, dy]], np.float64)
    size = scene.shape[1::-1]
    return np.asarray(
        cv2.warpAffine(scene, way, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8
    )


def with_glass(scene: Image, camera: SimCamera, at_mm: tuple[float, float]) -> Image:
    """Draw a drinking glass into a scene: a rim, light that it gathers, and its shadow."""
    px = camera.size[0] / VIEW_MM[0]
    radius = round(_GLASS_MM * px)
    x, y = (int(v) for v in camera.to_px([at_mm])[0])
    reach = round(1.6 * radius)
    left, top = max(0, x - reach), max(0, y - reach)
    place = np.s_[top : y + reach, left : x + reach]
    drawn = scene.copy()
    image, x, y = drawn[place], x - left, y - top
    shade = np.zeros(image.shape[:2], np.uint8)
    cv2.circle(shade, (x + radius // 5, y + radius // 4), radius, 90, -1, cv2.LINE_AA)
    dark = cv2.GaussianBlur(shade, (0, 0), 3 * px).astype(np.float32)[..., None] / 255
    image = np.asarray(image * (1 - dark), np.uint8)
    bright = image.copy()
    cv2.circle(bright, (x, y), radius, (205, 200, 190), -1, cv2.LINE_AA)
    cv2.circle(bright, (x - radius // 4, y - radius // 4), radius // 3, (250, 250, 250), -1, cv2.LINE_AA)
    image = np.asarray(cv2.addWeighted(bright, 0.45, image, 0.55, 0), np.uint8)
    cv2.circle(image, (x, y), radius, (225, 225, 220), max(2, round(1.5 * px)), cv2.LINE_AA)
    cv2.circle(image, (x, y), round(0.8 * radius), (120, 115, 110), max(1, round(px)), cv2.LINE_AA)
    drawn[place] = image
    return drawn


@dataclass
class Filmed:
    """A clip that is being drawn and tracked."""

    clip: Clip
    camera: HardCamera
    tracker: PileTracker

    @classmethod
    def of(cls, kind: str, seed: int, reader: CardReader) -> Filmed:
        """Script a clip."""
        rng = np.random.default_rng((sum(kind.encode()), seed))
        table = SimTable(SEATS, rng, tuple(DECKS["g7942"]))
        style, ground = str(rng.choice(list(STYLES))), GROUNDS[int(rng.integers(len(GROUNDS)))]
        camera = HardCamera(
            table, style=STYLES[style], ground=PLAIN if kind.endswith("plain ground") else ground,
            lamp=random_lamp(rng), rng=rng, size=SIZE_PX, noise=WEBCAM_NOISE if kind == "webcam" else _NOISE,
        )  # fmt: skip
        clip = Clip(table, camera, np.random.default_rng(rng.integers(2**32)))
        (KINDS | TOGETHER)[kind](clip)
        seats = [camera.to_px([edge_mm(table.direction_deg(seat))])[0] for seat in range(SEATS)]
        tracker = PileTracker(
            camera.zone_px(PILE_ZONE_MM), camera.card_px(PILE_ZONE_MM), reader,
            seats_px=[(float(x), float(y)) for x, y in seats], faces=set(table.deck),
        )  # fmt: skip
        return cls(clip, camera, tracker)

    def frames(self, fps: float = FPS) -> Iterator[tuple[Frame, tuple[Event, ...]]]:
        """Draw and track the clip to its end; yield each frame with the events in it."""
        table, tracker, goes_on = self.clip.table, self.tracker, inf
        video = Video(table, self.camera, fps=fps)
        while table.now < self.clip.end or (
            tracker.unsettled_since is not None and table.now < self.clip.end + _TAIL_S
        ):
            frame = video.frame()
            if frame.t >= goes_on:
                tracker.accept_view()
                goes_on = inf
            events = tracker.push(frame.t, frame.image, frame.u)
            for event in events:
                if isinstance(event, CameraFailed):
                    goes_on = frame.t + _GO_S if event.kind == "moved" else inf
            yield frame, events


def watch_clip(kind: str, seed: int, reader: CardReader | None = None) -> Score:
    """Draw one clip, track it, and compare the events with what happened."""
    filmed = Filmed.of(kind, seed, reader or Reader())
    seen = [event for _, events in filmed.frames() for event in events]
    touched = [event for event in seen if isinstance(event, Touched)]
    failed = [event for event in seen if isinstance(event, CameraFailed)]
    return _scored(filmed.clip, touched, failed, f"{kind}, seed {seed}")


def _scored(clip: Clip, touched: Iterable[Touched], failed: Iterable[CameraFailed], where: str) -> Score:
    waiting = list(clip.touches)
    score = Score(videos=1, plays=len(waiting), faults=int(bool(clip.fault)))
    for event in touched:
        score.add_play(event, waiting, 1 / FPS, event.u + _OFF_S, event.u + _OFF_S)
    score.add_lost(waiting)
    for fault in failed:
        if fault.kind == clip.fault:
            score.faults_found = 1
        else:
            score.false_faults += 1
            score.remarks.append(f"false fault {fault.kind} at {fault.t:.2f}")
    score.remarks = [f"{where}: {remark}" for remark in score.remarks]
    return score


def watch_clips(kind: str, seeds: Collection[int] = SEEDS) -> Score:
    """Track the clips of one kind, on all cores."""
    total = Score()
    with workers() as pool:
        for score in pool.map(watch_clip, repeat(kind), seeds):
            total.add(score)
    return total


def measure(kinds: Iterable[str] = (*KINDS, *TOGETHER), seeds: Collection[int] = SEEDS) -> Iterator[dict[str, Any]]:
    """Yield a line for each kind, as `croupier bench --json` prints it; ``ours``: percent of plays reported right."""
    for kind in kinds:
        total = watch_clips(kind, seeds)
        yield {
            "bench": "track", "what": f"hard clips, {kind}: plays reported right", "unit": "%",
            "ours": round(100 * total.right / max(total.plays, 1), 1), "counts": total.counts, "remarks": total.remarks,
        }  # fmt: skip
