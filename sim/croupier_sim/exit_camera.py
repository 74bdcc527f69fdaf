"""The simulated camera at the card exit: the picture of the passing cards at each flash of the barrier.

Coordinates are those of the picture (`cardsight.exit_corner`): the camera looks up, cards move upwards, and the barrier
lies on the middle row.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import cv2
import numpy as np

from cardsight.exit_corner import VIEW_MM
from cardsight.geometry import Image
from croupier.devices.protocols import DeviceEvent
from croupier_extras.sealed.exit_camera import CornerReader, Flashes, turned
from croupier_rules.cards import CARD_MM
from croupier_sim.drawing import Style, card_mask
from croupier_sim.playing_cards import draw_face
from croupier_sim.table import SimTable

PX_PER_MM: Final = 640 / VIEW_MM[0]
SIZE: Final = (640, 400)
_CARD_PX: Final = 320
_HOOD: Final = 9.0
"""Sensor range that the black hood and leaked light leave, 0…255."""


_TOGETHER_S: Final = 0.03
"""Two cards that leave the shoe within this time are a double feed."""
_AHEAD_MM: Final = (24.0, 50.0)
"""How far the lower card of a double feed is ahead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flash:
    """The conditions of a flash.

    ``speed`` of the card (mm/s) and ``flash_s`` give the blur of motion; ``defocus_mm`` that of the lens. ``turn``:
    yaw of the card (degrees); ``aside``: its play (mm); ``lean``: how much larger one side appears, since the card is
    not level. ``level``: strength of the flash (1: white is 230); ``tint``: gain of blue, green, red; ``fall``: loss
    towards the corners of the picture. ``noise``: of the sensor, standard deviation.
    """

    speed: float = 1200.0
    flash_s: float = 50e-6
    defocus_mm: float = 0.05
    turn: float = 0.0
    aside: float = 0.0
    lean: float = 0.0
    level: float = 0.9
    tint: tuple[float, float, float] = (1.0, 1.0, 1.0)
    fall: float = 0.2
    noise: float = 3.0


def random_flash(rng: np.random.Generator, worse: float = 1.0) -> Flash:
    """Return a flash as it may be in a machine that was set up; ``worse``: factor of all that is wrong with it."""
    warmth = float(rng.uniform(-0.15, 0.15)) * worse
    return Flash(
        defocus_mm=float(rng.uniform(0.03, 0.15)) * worse,
        turn=float(rng.normal(0, 0.8)) * worse,
        aside=float(np.clip(rng.normal(0, 0.5), -1, 1)) * worse,
        lean=float(rng.normal(0, 0.01)) * worse,
        level=float(np.clip(rng.uniform(0.55, 1.1) / worse, 0.15, 1.1)),
        tint=(1.0 - max(warmth, 0), 1.0, 1.0 + min(warmth, 0)),
        fall=float(rng.uniform(0.1, 0.4)) * worse,
        noise=float(rng.uniform(2, 6)) * worse,
    )


def draw_flash(face: str, style: Style, flash: Flash, rng: np.random.Generator, *, part: str = "front",
               over: tuple[str, float] | None = None) -> Image:  # fmt: skip
    """Draw the picture of the front or the ``tail`` of a card at the barrier.

    ``over``: another card nearer to the camera, and how many mm it is ahead (a double feed, at its tail).
    """
    image = np.full((SIZE[1], SIZE[0], 3), _HOOD, np.float32)
    _lay(image, face, style, flash, 0.0)
    if over is not None:
        _lay(image, over[0], style, flash, over[1])
    y, x = np.mgrid[-1 : 1 : SIZE[1] * 1j, -1 : 1 : SIZE[0] * 1j].astype(np.float32)
    light = (1 - flash.fall * (x * x + y * y) / 2)[..., None] * np.array(flash.tint, np.float32)
    image *= light * (flash.level * 230 / 248)
    blur_px = max(1, round(flash.speed * flash.flash_s * PX_PER_MM))
    blurred = cv2.GaussianBlur(cv2.blur(image, (1, blur_px)), (0, 0), max(0.3, flash.defocus_mm * PX_PER_MM))
    seen = np.asarray(np.clip(blurred + flash.noise * rng.standard_normal(image.shape, np.float32), 0, 255), np.uint8)
    return seen if part == "front" else turned(seen)


def _lay(image: np.ndarray, face: str, style: Style, flash: Flash, behind_mm: float) -> None:
    """Draw a card whose front edge lies ``behind_mm`` below the middle row (a tail is drawn turned by 180°)."""
    texture, mask = _texture(face, style)
    half = CARD_MM[0] / 2
    corners = np.array([(-half, 0), (half, 0), (half, CARD_MM[1]), (-half, CARD_MM[1])])
    c, s = np.cos(np.radians(flash.turn)), np.sin(np.radians(flash.turn))
    corners = corners @ np.array([[c, s], [-s, c]])
    corners = corners * (1 + flash.lean * np.sign(corners[:, :1])) + (flash.aside, behind_mm)
    goal = (corners * PX_PER_MM + np.array(SIZE) / 2).astype(np.float32)
    h, w = texture.shape[:2]
    matrix = cv2.getPerspectiveTransform(np.array([(0, 0), (w, 0), (w, h), (0, h)], np.float32), goal)
    seen = cv2.warpPerspective(texture, matrix, SIZE, flags=cv2.INTER_AREA).astype(np.float32)
    cover = cv2.warpPerspective(mask, matrix, SIZE, flags=cv2.INTER_LINEAR).astype(np.float32)[..., None] / 255
    image *= 1 - cover
    image += seen * cover


@lru_cache(maxsize=128)
def _texture(face: str, style: Style) -> tuple[Image, Image]:
    return draw_face(face, style, width_px=_CARD_PX), card_mask(_CARD_PX)


class SimExitCamera:
    """An `ExitCamera` that sees what `SimTable` feeds, in a print of this ``style``, each flash another one.

    ``new_reader``: makes the reader of the pictures for the faces of a deck.
    """

    trouble = ""

    def __init__(
        self,
        table: SimTable,
        style: Style,
        rng: np.random.Generator,
        new_reader: Callable[[Collection[str]], CornerReader],
    ) -> None:
        self._table, self._style, self._rng, self._new_reader = table, style, rng, new_reader
        self._passed: list[tuple[float, str]] = []
        self._flashes: Flashes | None = None
        table.on_feed = lambda face: self._passed.append((table.now, face))

    def start(self) -> None:
        """Do nothing; the camera is open."""

    close = start

    def expect(self, faces: Collection[str]) -> None:
        """As `ExitCamera.expect`."""
        self._flashes = Flashes(self._new_reader(faces))

    def watermark(self) -> float:
        """Return the present time: cards are read when they are asked for."""
        return self._table.now

    def poll(self) -> tuple[DeviceEvent, ...]:
        """Return nothing: cards are no events."""
        return ()

    def take(self, until: float) -> tuple[tuple[str, ...], ...]:
        """As `ExitCamera.take`."""
        assert self._flashes is not None, "expect first"
        due = [one for one in self._passed if one[0] <= until]
        self._passed = self._passed[len(due) :]
        while due:
            (t, face), *due = due
            over = None
            if due and due[0][0] - t < _TOGETHER_S:
                over, ((_, tail), *due) = (face, float(self._rng.uniform(*_AHEAD_MM))), due
            else:
                tail = face
            flash = random_flash(self._rng)
            self._flashes.see(t, draw_flash(face, self._style, flash, self._rng))
            self._flashes.see(t, draw_flash(tail, self._style, flash, self._rng, part="tail", over=over))
        return self._flashes.take(until)
