"""The simulated camera: pictures of the cards that really lie on the simulated table.

Cards at rest are drawn once and reused. Each frame adds what moves, then the blur of the lens and the noise of the
sensor. The same seed gives the same frames.
"""

from __future__ import annotations

from functools import lru_cache
from math import atan2, degrees, hypot
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from cardsight.geometry import Image
from cardsight.sources import Frame
from croupier_rules.cards import BACK, CARD_MM
from croupier_sim.drawing import (
    Ground,
    Lamp,
    Style,
    card_mask,
    draw_back,
    draw_ground,
    draw_hand,
    lay_over,
    part_of,
    shifted,
    softened,
    three,
    times,
)
from croupier_sim.playing_cards import draw_face
from croupier_sim.table import HOPPER_MM, VIEW_MM, Lying, Pose, Reach, SimTable, edge_mm

_SIZE_PX: Final = (1280, 720)
_FACE_PX: Final = 224  # twice the card's width in the picture, so that a rotation does not blur it
_FINER: Final = 2  # cards are turned at twice the resolution and shrunk, which smooths their edges
_TILT_PX: Final = 22.0  # a camera on an arm never looks straight down
_SHADOW: Final = 0.35
_SHADOW_OFF: Final = 0.15  # mm of offset for each mm of a card's height
_NOISE_MARGIN: Final = 64
_ABOVE_MM: Final = 700.0  # height of the camera

_SKINS: Final = ((125, 165, 215), (85, 125, 180), (55, 80, 120), (150, 190, 235))
_SLEEVES: Final = ((60, 55, 50), (120, 80, 50), (70, 70, 140), (190, 190, 185))


class SimCamera:
    """A camera above ``table``. Wiring: none.

        camera = SimCamera(table, style=STYLES["modern"], ground="wood", lamp=Lamp(), rng=rng)
        frame = camera.frame()

    ``noise``: spread of the sensor noise in gray levels; ``blur_px``: spread of the lens' blur.
    """

    def __init__(
        self, table: SimTable, *, style: Style, ground: Ground, lamp: Lamp, rng: np.random.Generator,
        size: tuple[int, int] = _SIZE_PX, noise: float = 3.0, blur_px: float = 0.7,
    ) -> None:  # fmt: skip
        self.size = size
        self._table, self._style, self._rng, self._blur_px = table, style, rng, blur_px
        self._to_px = _homography(size, rng)
        light = lamp.map(size)
        self._light = np.asarray(np.round(255 * light), np.uint8)
        self._empty: Image = _lit(draw_ground(ground, size, rng), light)
        grain = rng.normal(0, noise, (size[1] + _NOISE_MARGIN, size[0] + _NOISE_MARGIN, 3)).astype(np.int16)
        self._lighter = np.asarray(grain.clip(0, 255), np.uint8)
        self._darker = np.asarray((-grain).clip(0, 255), np.uint8)
        self._faces: dict[str, Image] = {}
        self._still = self._empty
        self._drawn: list[Lying] = []
        self._version = -1
        self.glare: tuple[float, float] | None = None
        """Reflection of a lamp on the table (mm); None without one."""

    def frame(self) -> Frame:
        """Return a picture of the table now."""
        return Frame(self._table.now, self.developed(self.scene()))

    def now(self) -> float:
        """Return the simulated time (s)."""
        return self._table.now

    def scene(self) -> Image:
        """Draw the table now, before lens and sensor."""
        if self._version != self._table.version:
            self._draw_still()
        image = self._still.copy()
        now = self._table.now
        for slide in self._table.slides:
            way = (now - slide.begin) / (slide.end - slide.begin)
            goal = edge_mm(self._table.direction_deg(slide.seat))
            for step, weight in ((-0.08, 0.35), (0.0, 0.55), (0.08, 0.35)):
                x, y = (a + (b - a) * (way + step) for a, b in zip(HOPPER_MM, goal, strict=True))
                turn = degrees(atan2(goal[1] - HOPPER_MM[1], goal[0] - HOPPER_MM[0])) + 90
                self._draw_card(image, BACK, Pose(x, y, turn), weight)
        image = self.with_things(image)
        for reach in self._table.reaches:
            self._draw_reach(image, reach, now)
        if self.glare is not None:
            self._draw_glare(image, self.glare)
        return image

    def with_things(self, scene: Image) -> Image:
        """Draw the things that stand on the table below the hands. This class draws none."""
        return scene

    def developed(self, scene: Image) -> Image:
        """Return a scene after the blur of the lens and the noise of the sensor."""
        image = np.asarray(cv2.GaussianBlur(scene, (3, 3), self._blur_px), np.uint8)
        x, y = (int(v) for v in self._rng.integers(0, _NOISE_MARGIN, 2))
        place = np.s_[y : y + self.size[1], x : x + self.size[0]]
        return np.asarray(cv2.subtract(cv2.add(image, self._lighter[place]), self._darker[place]), np.uint8)

    def photograph(self, face: str, pose: Pose) -> Image:
        """Return a picture of one card on the empty table."""
        scene = self._empty.copy()
        self._draw_card(scene, face, pose)
        return self.developed(scene)

    def to_px(self, points_mm: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Convert points of the table (n x 2, mm) to pixels."""
        points = np.asarray(points_mm, np.float64).reshape(-1, 1, 2)
        return np.asarray(cv2.perspectiveTransform(points, self._to_px), np.float64).reshape(-1, 2)

    def corners_px(self, pose: Pose) -> npt.NDArray[np.float64]:
        """Return the outline of a card in the picture: 4 x 2, clockwise from its top left corner."""
        return self.to_px(_corners_mm(pose))

    def zone_px(self, zone_mm: tuple[float, float, float, float]) -> tuple[int, int, int, int]:
        """Return the pixels of a part of the table: left, top, right, bottom."""
        left, top, right, bottom = zone_mm
        seen = self.to_px([(left, top), (right, top), (right, bottom), (left, bottom)])
        (x0, y0), (x1, y1) = seen.min(axis=0), seen.max(axis=0)
        return max(0, round(x0)), max(0, round(y0)), min(self.size[0], round(x1)), min(self.size[1], round(y1))

    def card_px(self, zone_mm: tuple[float, float, float, float]) -> float:
        """Return the length of a card in the middle of a part of the table (px)."""
        left, top, right, bottom = zone_mm
        a, _, _, d = self.corners_px(Pose((left + right) / 2, (top + bottom) / 2, 0.0))
        return float(np.hypot(*(d - a)))

    def _draw_still(self) -> None:
        """Draw everything at rest; where cards were only added on top, draw just those."""
        table = self._table
        lying = [*([Lying(BACK, Pose(*HOPPER_MM, 0.0))] if table.hopper else []), *table.discard, *table.spread]
        known = len(self._drawn)
        if known == 0 or lying[:known] != self._drawn:
            self._still, known = self._empty.copy(), 0
        else:
            self._still = self._still.copy()
        for card in lying[known:]:
            self._draw_card(self._still, card.face, card.pose)
        self._drawn, self._version = lying, table.version

    def _draw_card(self, image: Image, face: str, pose: Pose, weight: float = 1.0, height_mm: float = 0.0) -> None:
        """Draw a card. ``height_mm``: above the table; a higher card looks larger and further out, with a further
        shadow."""
        nearer = _ABOVE_MM / (_ABOVE_MM - height_mm)
        corners = self.to_px(_corners_mm(pose) * nearer)
        left, top = np.floor(corners.min(axis=0)).astype(int) - 8
        right, bottom = np.ceil(corners.max(axis=0)).astype(int) + 8
        left, top, right, bottom = max(left, 0), max(top, 0), min(right, self.size[0]), min(bottom, self.size[1])
        if right - left < 2 or bottom - top < 2:
            return
        texture = self._texture(face)
        height, width = texture.shape[:2]
        source = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
        goal = ((corners - (left, top)) * _FINER).astype(np.float32)
        warp = cv2.getPerspectiveTransform(source, goal)
        fine = ((right - left) * _FINER, (bottom - top) * _FINER)
        small = (right - left, bottom - top)
        drawn = cv2.warpPerspective(texture, warp, fine, flags=cv2.INTER_LINEAR)
        card = np.asarray(cv2.resize(drawn, small, interpolation=cv2.INTER_AREA), np.uint8)
        colors, cover = np.asarray(cv2.cvtColor(card, cv2.COLOR_BGRA2BGR), np.uint8), card[..., 3]
        off = round(height_mm * _SHADOW_OFF * self.size[0] / VIEW_MM[0])
        shadow = shifted(softened(cover, 7), 2 + off, 3 + off)
        place = np.s_[top:bottom, left:right]
        lit = times(colors, self._light[place], weight)
        image[place] = lay_over(image[place], lit, part_of(cover, weight), part_of(shadow, _SHADOW * weight))

    def _texture(self, face: str) -> Image:
        """Return a face as BGRA; the fourth channel is its outline."""
        if face not in self._faces:
            self._faces[face] = _cut_out(face, self._style)
        return self._faces[face]

    def _draw_reach(self, image: Image, reach: Reach, now: float) -> None:
        depth = reach.depth(now)
        edge = edge_mm(self._table.direction_deg(reach.seat))
        x, y = (a + (b - a) * depth for a, b in zip(edge, reach.at, strict=True))
        held = reach.held(now)
        for card in held:
            to_top = card.pose.x - held[-1].pose.x, card.pose.y - held[-1].pose.y
            place = Pose(x + to_top[0], y + to_top[1], card.pose.turn)
            self._draw_card(image, card.face, place, height_mm=reach.height_mm(now))
        way = hypot(edge[0] - x, edge[1] - y) or 1.0
        wrist = (x + (edge[0] - x) / way * 75, y + (edge[1] - y) / way * 75)
        skin, px = _SKINS[reach.seat % len(_SKINS)], self.size[0] / VIEW_MM[0]
        draw_hand(image, self._light, self.to_px([(x, y), wrist, edge]), px, skin, self.sleeve_of(reach.seat))

    def sleeve_of(self, seat: int) -> tuple[int, int, int]:
        """Return the color of the sleeves of a seat (BGR)."""
        return _SLEEVES[seat % len(_SLEEVES)]

    def _draw_glare(self, image: Image, at_mm: tuple[float, float]) -> None:
        """Draw the reflection of a lamp on varnish: a soft bright spot."""
        x, y = self.to_px([at_mm])[0]
        radius = 34.0 * self.size[0] / VIEW_MM[0]
        left, top = max(0, int(x - 2 * radius)), max(0, int(y - 2 * radius))
        right, bottom = min(self.size[0], int(x + 2 * radius)), min(self.size[1], int(y + 2 * radius))
        rows, columns = np.mgrid[top:bottom, left:right]
        strength = np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / radius**2)[..., None].clip(0, 1) * 1.3
        spot = image[top:bottom, left:right]
        image[top:bottom, left:right] = np.clip(spot + (255.0 - spot) * strength.clip(0, 1), 0, 255).astype(np.uint8)


@lru_cache(maxsize=64)
def _cut_out(face: str, style: Style) -> Image:
    drawn = draw_back(style, width_px=_FACE_PX) if face == BACK else draw_face(face, style, width_px=_FACE_PX)
    mask = card_mask(_FACE_PX)
    return np.dstack([times(drawn, three(mask)), mask])


def _homography(size: tuple[int, int], rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Return the homography from mm on the table to pixels, for a camera that is slightly tilted."""
    (width, height), (wide, high) = size, VIEW_MM
    table = np.array([(-wide, -high), (wide, -high), (wide, high), (-wide, high)], np.float32) / 2
    seen = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    askew = rng.uniform(-_TILT_PX, _TILT_PX, (4, 2)).astype(np.float32) * (size[0] / _SIZE_PX[0])
    return np.asarray(cv2.getPerspectiveTransform(table, seen + askew), np.float64)


def _corners_mm(pose: Pose) -> npt.NDArray[np.float64]:
    x, y = CARD_MM[0] / 2, CARD_MM[1] / 2
    angle = np.deg2rad(pose.turn)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return np.asarray(np.array([(-x, -y), (x, -y), (x, y), (-x, y)]) @ turn + (pose.x, pose.y))


def _lit(image: Image, light: npt.NDArray[np.float32]) -> Image:
    return np.asarray(np.clip(image * light, 0, 255), np.uint8)
