"""Composed kitchen: hands of seven as people lay them before a camera, with the things that lie on a kitchen table.

Each scene is one layout or one disturbance (`SCENES`), on wood, a dark table or a checked cloth. The cards are drawn,
or cropped from photographs; tables and things are drawn. The random numbers are seeded by the names of scene and
source, under a series of their own: nothing is fitted to these pictures.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

import cv2
import numpy as np

from croupier_rules.cards import CARD_MM, DECKS
from croupier_sim.drawing import card_mask, draw_back, draw_face
from training.backgrounds import background, clutter, hand
from training.cards import style
from training.layouts import outline_mm
from training.measure.judging import Card, Scene
from training.measure.rectified import RECTIFIED_W, RectifiedCard, Table, rectified_cards
from training.photometry import Array, Random, smooth_noise
from training.photos import DRAWN_ON, LICENSED, Photo
from training.scenes import Texture, texture

SIZE: Final = (1280, 960)
"""Width and height (px) of a picture: a phone's, made smaller as the page does."""
CARDS: Final = 7
GROUNDS: Final = ("wood", "dark", "checked")
PICTURES: Final = 9
"""Pictures of each scene and each kind of card, at a share of 1."""
WARM: Final = (0.42, 0.72, 1.0)
"""Blue, green and red light of a warm lamp (linear) that the camera has half corrected."""
CUT: Final = (0.2, 0.85)
"""Fraction that the picture's edge leaves of the card through which it goes."""

Pose = tuple[float, float, float]


@dataclass(frozen=True)
class Pool:
    """Cards of one source, to lay hands from. ``cards``: None for drawn ones, in another print for each picture."""

    source: str
    design: str
    kind: str
    cards: Sequence[RectifiedCard] | None = None


DRAWN: Final = Pool("drawn", "drawn", "drawn")


class Look(NamedTuple):
    """Definition of a scene. ``lay``: the poses (mm) of the hand, the lowest card first. ``things``: draws what
    lies beside the hand, in the area (mm) that it leaves free. ``bgr``: light of the lamp (linear)."""

    lay: Callable[[Random], list[Pose]]
    things: Callable[[View, Random, Pool], None] | None = None
    bgr: tuple[float, float, float] = (1.0, 1.0, 1.0)


class View:
    """A camera above the table, and the picture that it takes. Places are in mm from the middle of the picture."""

    def __init__(self, ground: Array, rng: Random, span: float, tilt: float) -> None:
        self.table = Table(ground, rng)
        self.span = span
        turn = rng.uniform(0, 2 * np.pi)
        lean = tilt / (2.2 * span) * np.array([np.cos(turn), np.sin(turn)])
        scale = SIZE[0] / span
        screen = np.array([[scale, 0, SIZE[0] / 2], [0, scale, SIZE[1] / 2], [0, 0, 1]])
        self._matrix = screen @ np.array([[1, 0, 0], [0, 1, 0], [*lean, 1]])

    @property
    def image(self) -> Array:
        """The picture so far, float32 BGR 0…1."""
        return self.table.image

    def px(self, points: Array | Sequence[Sequence[float]]) -> Array:
        """Project points (mm) into the picture."""
        flat = np.asarray(points, np.float32).reshape(-1, 1, 2)
        return np.asarray(cv2.perspectiveTransform(flat, self._matrix)[:, 0], np.float32)

    def lay(self, card: RectifiedCard, pose: Pose) -> None:
        """Lay a card on top of all others."""
        self.table.lay(card, self.px(outline_mm(*pose)))

    def put(self, print_: Array, at: tuple[float, float], size: tuple[float, float], turn: float) -> None:
        """Put a flat thing down: ``print_`` is its picture (uint8 BGR), ``size`` its width and height (mm)."""
        half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array(size) / 2
        c, s = np.cos(turn), np.sin(turn)
        quad = self.px(half @ np.array([[c, s], [-s, c]]) + at)
        height, width = print_.shape[:2]
        corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
        matrix = cv2.getPerspectiveTransform(corners, quad)
        shadow = np.zeros(self.image.shape[:2], np.float32)
        cv2.fillConvexPoly(shadow, np.rint(quad + 4).astype(np.int32), 0.4)
        self.image[:] *= (1 - cv2.GaussianBlur(shadow, (0, 0), 5))[..., None]
        alpha = cv2.warpPerspective(np.ones((height, width), np.float32), matrix, SIZE)[..., None]
        drawn = cv2.warpPerspective(print_, matrix, SIZE, borderMode=cv2.BORDER_REPLICATE).astype(np.float32) / 255
        self.image[:] += alpha * (drawn - self.image)


# ------------------------------------------------------------------------------------------------ hands


def _messy(rng: Random, poses: list[Pose]) -> list[Pose]:
    """Lay the cards as exactly as people do."""
    return [(x + rng.normal(0, 1.2), y + rng.normal(0, 1.2), a + rng.normal(0, 0.02)) for x, y, a in poses]


def _turned(rng: Random, poses: list[Pose], most: float) -> list[Pose]:
    """Turn the whole hand by up to ``most`` (rad) either way, seen from any side of the table."""
    turn = rng.uniform(-most, most)
    c, s = np.cos(turn), np.sin(turn)
    return [(x * c - y * s, x * s + y * c, a + turn) for x, y, a in poses]


def _row(rng: Random, count: int = CARDS, overlap: float = 0.0) -> list[Pose]:
    """One row. ``overlap``: fraction of each card under the next one; without, there are gaps between them."""
    step = CARD_MM[0] * (1 - overlap) if overlap else rng.uniform(59, 66)
    places = [(n - (count - 1) / 2) * step for n in range(count)]
    if overlap and rng.random() < 0.5:  # stacked the other way
        places.reverse()
    return _turned(rng, _messy(rng, [(x, 0.0, 0.0) for x in places]), 0.15)


def _two_rows(rng: Random) -> list[Pose]:
    first, apart = (CARDS + 1) // 2, rng.uniform(92, 100)
    upper, lower = _row(rng, first), _row(rng, CARDS - first)
    return [(x, y - apart / 2, a) for x, y, a in upper] + [(x, y + apart / 2, a) for x, y, a in lower]


def _fan(rng: Random, step_deg: float) -> list[Pose]:
    """A hand put down as it was held, its indices showing."""
    reach = rng.uniform(115, 165)
    angles = [np.radians((n - (CARDS - 1) / 2) * step_deg) for n in range(CARDS)]
    poses = [(reach * np.sin(a), reach * (1 - np.cos(a)), float(a)) for a in angles]
    middle = np.mean([pose[1] for pose in poses])
    messy = [(x + rng.normal(0, 0.8), y - middle + rng.normal(0, 1.0), a + rng.normal(0, 0.012)) for x, y, a in poses]
    return _turned(rng, messy, 0.4)


def _single(rng: Random) -> list[Pose]:
    return [(float(rng.normal(0, 15)), float(rng.normal(0, 12)), float(rng.uniform(0, 2 * np.pi)))]


def _held(rng: Random) -> list[Pose]:
    return [(float(rng.normal(0, 8)), float(rng.normal(0, 6)), float(rng.normal(0, 0.25)))]


# ------------------------------------------------------------------------------------------------ what lies beside


def _beside(view: View, rng: Random, size: tuple[float, float]) -> tuple[float, float]:
    """Return a place above or below the hand where a thing of this size lies clear of it."""
    height = view.span * SIZE[1] / SIZE[0]
    occupied = np.concatenate([quad for _, quad in view.table.laid]) if view.table.laid else np.zeros((1, 2))
    scale = SIZE[0] / view.span
    top, bottom = occupied[:, 1].min() / scale - height / 2, occupied[:, 1].max() / scale - height / 2
    side = rng.choice([-1.0, 1.0])
    y = (bottom if side > 0 else top) + side * (size[1] / 2 + rng.uniform(6, 18))
    return float(rng.uniform(-0.3, 0.3) * view.span), float(y)


def _phone(view: View, rng: Random, _pool: Pool) -> None:
    print_ = np.full((600, 288, 3), 18, np.uint8)
    if rng.random() < 0.7:  # its screen is on
        print_[14:-14, 12:-12] = rng.integers(20, 120, 3)
        for row in range(6):
            for column in range(4):
                x, y = 24 + column * 64, 60 + row * 82
                paint = rng.integers(30, 255, 3).tolist()
                cv2.rectangle(print_, (x, y), (x + 46, y + 46), paint, -1, cv2.LINE_AA)
    size = (72.0, 150.0)
    turn = float(rng.choice([0.0, np.pi / 2]) + rng.normal(0, 0.15))
    across = (size[1], size[0]) if abs(np.sin(turn)) > 0.7 else size
    view.put(print_, _beside(view, rng, across), size, turn)


def _glass(view: View, rng: Random, _pool: Pool) -> None:
    radius = rng.uniform(30, 38)
    x, y = view.px([_beside(view, rng, (2 * radius, 2 * radius))])[0]
    r = radius * SIZE[0] / view.span
    image, middle = view.image, (int(x), int(y))
    shadow = np.zeros(image.shape[:2], np.float32)
    cv2.ellipse(shadow, (int(x + 0.5 * r), int(y + 0.35 * r)), (int(1.3 * r), int(r)), 25, 0, 360, 0.35, -1)
    image *= (1 - cv2.GaussianBlur(shadow, (0, 0), r / 6))[..., None]
    drink = np.zeros(image.shape[:2], np.float32)
    cv2.circle(drink, middle, int(0.86 * r), float(rng.uniform(0.2, 0.7)), -1, cv2.LINE_AA)
    tint = np.float32([(0.1, 0.35, 0.75), (0.85, 0.88, 0.9), (0.1, 0.1, 0.5), (0.15, 0.5, 0.6)][int(rng.integers(4))])
    image += drink[..., None] * (tint - image)
    for ring, paint in ((1.0, 0.85), (0.93, 0.55), (0.7, 0.75)):
        light = np.zeros(image.shape[:2], np.float32)
        cv2.circle(light, middle, int(ring * r), paint, max(2, int(r / 18)), cv2.LINE_AA)
        image += (cv2.GaussianBlur(light, (0, 0), 1.2) * 0.6)[..., None] * (1 - image)
    cv2.ellipse(image, (int(x - 0.4 * r), int(y - 0.4 * r)), (int(r / 5), int(r / 9)), 45, 0, 360, (1, 1, 1), -1)


def _poster(view: View, rng: Random, _pool: Pool) -> None:
    print_ = np.full((800, 600, 3), 240, np.uint8)
    print_[:] = rng.integers(150, 256, 3)
    for _ in range(9):
        at, paint = rng.integers(40, 560, 2).tolist(), rng.integers(0, 256, 3).tolist()
        if rng.random() < 0.5:
            cv2.rectangle(
                print_, at, (at[0] + int(rng.integers(60, 260)), at[1] + int(rng.integers(60, 260))), paint, -1
            )
        else:
            cv2.ellipse(print_, at, rng.integers(25, 130, 2).tolist(), float(rng.uniform(0, 180)), 0, 360, paint, -1)
    for line in range(5):
        word = "".join(rng.choice(list("ABCDEFGHIKLMNOPRSTUVW 0123456789"), int(rng.integers(4, 13))))
        paint, place = rng.integers(0, 120, 3).tolist(), (40, 110 + line * 150)
        cv2.putText(print_, word, place, 1, float(rng.uniform(2, 5)), paint, 5, cv2.LINE_AA)
    size = (210.0, 280.0)
    x, y = _beside(view, rng, size)
    view.put(print_, (x, y), size, float(rng.normal(0, 0.15)))


_PIPS: Final[Mapping[str, tuple[tuple[int, int, int], Sequence[tuple[float, float]]]]] = {
    "diamond": ((40, 30, 200), ((0, -1), (0.7, 0), (0, 1), (-0.7, 0))),
    "heart": ((40, 30, 200), ((0, 1), (-0.9, -0.1), (-0.8, -0.8), (-0.35, -0.9), (0, -0.5), (0.35, -0.9), (0.8, -0.8),
                              (0.9, -0.1))),
    "spade": ((30, 30, 30), ((0, -1), (0.9, 0.2), (0.5, 0.7), (0.12, 0.4), (0.3, 1), (-0.3, 1), (-0.12, 0.4),
                             (-0.5, 0.7), (-0.9, 0.2))),
}  # fmt: skip


def _playing_card(rng: Random) -> Array:
    """Draw a card of a French deck."""
    print_ = np.full((352, 252, 3), 248, np.uint8)
    paint, shape = _PIPS[str(rng.choice(list(_PIPS)))]
    rank = str(rng.choice(["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]))

    def pip(x: float, y: float, size: float) -> None:
        cv2.fillPoly(print_, [np.rint(np.array(shape) * size + (x, y)).astype(np.int32)], paint, cv2.LINE_AA)

    for _end in range(2):
        cv2.putText(print_, rank, (12, 46), 1, 2.6 if len(rank) < 2 else 1.9, paint, 4, cv2.LINE_AA)
        pip(28, 74, 15)
        print_[:] = print_[::-1, ::-1]
    if rank in "JQK":
        cv2.rectangle(print_, (56, 50), (196, 302), rng.integers(60, 220, 3).tolist(), -1)
        for _ in range(14):
            at = (int(rng.integers(70, 182)), int(rng.integers(64, 288)))
            cv2.ellipse(print_, at, rng.integers(6, 30, 2).tolist(), 0, 0, 360, rng.integers(0, 256, 3).tolist(), -1)
    else:
        count = 1 if rank == "A" else int(rank)
        for number in range(count):
            pip(78 + 96 * (number % 2) if count > 1 else 126, 176 + (number // 2 - (count - 1) // 4) * 52.0, 24)
    return print_


def _quartet_card(rng: Random) -> Array:
    """Draw a card of a children's game: a colored frame, a picture, a title, and a figure in one corner."""
    print_ = np.full((352, 252, 3), 250, np.uint8)
    paint = rng.integers(30, 230, 3).tolist()
    cv2.rectangle(print_, (12, 12), (240, 340), paint, -1)
    cv2.rectangle(print_, (28, 60), (224, 220), rng.integers(120, 256, 3).tolist(), -1)
    for _ in range(6):
        at = (int(rng.integers(50, 200)), int(rng.integers(80, 200)))
        cv2.ellipse(print_, at, rng.integers(8, 40, 2).tolist(), float(rng.uniform(0, 180)), 0, 360,
                    rng.integers(0, 256, 3).tolist(), -1, cv2.LINE_AA)  # fmt: skip
    cv2.putText(print_, str(rng.integers(1, 9)) + str(rng.choice(list("ABCD"))), (26, 52), 1, 2.2, (255,) * 3, 4)
    for line in range(4):
        cv2.line(print_, (30, 245 + 22 * line), (int(rng.integers(120, 220)), 245 + 22 * line), (255,) * 3, 5)
    return print_


def _other_games(view: View, rng: Random, _pool: Pool) -> None:
    x, y = _beside(view, rng, (230, 100))
    draw = _playing_card if rng.random() < 0.6 else _quartet_card
    for number in range(3):
        at = (x + (number - 1) * rng.uniform(66, 76), y + rng.normal(0, 3))
        view.put(draw(rng), at, (63.0, 88.0), float(rng.normal(0, 0.2)))


def _back(rng: Random) -> Texture:
    return texture(draw_back(style(rng), width_px=RECTIFIED_W), card_mask(RECTIFIED_W), back=True)


def _four_backs(view: View, rng: Random, _pool: Pool) -> None:
    x, y = _beside(view, rng, (250, 100))
    back = _back(rng)
    hand_ = view.table.laid[:]
    for number in range(4):
        turn = float(rng.normal(0, 0.1) + np.pi * rng.integers(0, 2))
        view.lay(RectifiedCard("back", back), (x + (number - 1.5) * rng.uniform(58, 64), y + rng.normal(0, 3), turn))
    view.table.laid[:] = hand_  # the scene has no other cards face up


def _box(view: View, rng: Random, pool: Pool) -> None:
    """A box of the game, with cards printed on it, smaller than real ones."""
    print_ = np.zeros((560, 400, 3), np.uint8)
    print_[:] = [(40, 40, 200), (150, 60, 30), (30, 30, 30), (40, 180, 220)][int(rng.integers(4))]
    cv2.ellipse(print_, (200, 130), (150, 70), -15, 0, 360, (245, 245, 245), -1, cv2.LINE_AA)
    cv2.putText(print_, str(rng.choice(["CARDS", "PARTY", "FAMILY"])), (85, 145), 1, 3.6, (40, 40, 200), 9, cv2.LINE_AA)
    for number, card in enumerate(_chosen(rng, pool, 3)):
        face, alpha = card.texture.levels[0]
        height, width = face.shape[:2]
        a, k = np.radians((number - 1) * 18), 0.5
        matrix = np.array([[k * np.cos(a), -k * np.sin(a), 0], [k * np.sin(a), k * np.cos(a), 0]])
        matrix[:, 2] = np.array([200 + (number - 1) * 80, 390]) - matrix[:, :2] @ (width / 2, height / 2)
        over = cv2.warpAffine(alpha, matrix, (400, 560))[..., None]
        part = cv2.warpAffine(face, matrix, (400, 560), borderMode=cv2.BORDER_REPLICATE) * 255
        print_ = (print_ + over * (part - print_)).astype(np.uint8)
    size = (95.0, 133.0)
    turn = float(np.pi / 2 + rng.normal(0, 0.15))
    view.put(print_, _beside(view, rng, (size[1], size[0])), size, turn)


def _fingers(view: View, rng: Random, _pool: Pool) -> None:
    """Hold the card between thumb and fingers."""
    quad = view.table.laid[0][1]
    width = float(np.linalg.norm(quad[1] - quad[0]))
    foot = (quad[2] + quad[3]) / 2
    hand(rng, view.image, view.table.cover, foot + rng.normal(0, 0.1 * width, 2), width * rng.uniform(0.8, 1.0))


SCENES: Final[Mapping[str, Look]] = {
    "row": Look(_row),
    "two rows": Look(_two_rows),
    "fan 6°": Look(partial(_fan, step_deg=6)),
    "fan 9°": Look(partial(_fan, step_deg=9)),
    "overlap .35": Look(partial(_row, overlap=0.35)),
    "overlap .55": Look(partial(_row, overlap=0.55)),
    "warm lamp": Look(_row, bgr=WARM),
    "phone": Look(_row, _phone),
    "glass": Look(_row, _glass),
    "poster": Look(_row, _poster),
    "other games": Look(_row, _other_games),
    "four backs": Look(_row, _four_backs),
    "box": Look(_row, _box),
    "cropped": Look(_two_rows),
    "single on table": Look(_single),
    "single in hand": Look(_held, _fingers),
}
"""Scenes, by name. ``cropped``: the picture's edge goes through a card."""


# ------------------------------------------------------------------------------------------------ tables


def _ground(rng: Random, kind: str, span: float) -> Array:
    """Draw a table top. ``span``: width of the view (mm)."""
    width, height = SIZE
    mm = width / span
    if kind == "wood":
        base = np.float32([(0.30, 0.45, 0.62), (0.20, 0.32, 0.46), (0.42, 0.58, 0.72)][int(rng.integers(3))])
        lines = _stretched(rng, 2.0 * mm, 120 * mm) * 0.06 + _stretched(rng, 7 * mm, 260 * mm) * 0.07
        image = base * (1 + lines + 0.05 * smooth_noise(rng, height, width, 4))[..., None]
        for _ in range(int(rng.integers(0, 4))):  # knots
            at = (int(rng.uniform(0, width)), int(rng.uniform(0, height)))
            for ring in range(4, 0, -1):
                axes = (int(ring * 4.5 * mm), int(ring * 1.8 * mm))
                cv2.ellipse(image, at, axes, 0, 0, 360, (base * (0.55 + 0.1 * ring)).tolist(), max(1, int(0.5 * mm)))
        plank = float(rng.uniform(90, 160)) * mm
        for y in np.arange(rng.uniform(0, plank), height, plank):
            cv2.line(image, (0, int(y)), (width, int(y)), (base * 0.45).tolist(), max(1, int(0.8 * mm)), cv2.LINE_AA)
    elif kind == "dark":
        image = np.float32(rng.uniform(0.05, 0.12, 3)) * (1 + 0.15 * smooth_noise(rng, height, width, 40))[..., None]
    else:
        light = np.float32(rng.uniform(0.82, 0.93)) * np.float32([0.97, 0.99, 1.0])
        dyed = np.float32([(0.15, 0.15, 0.70), (0.60, 0.35, 0.20), (0.25, 0.50, 0.25)][int(rng.integers(3))])
        period, angle = float(rng.uniform(18, 45)) * mm, rng.uniform(-0.3, 0.3)
        y, x = np.mgrid[0:height, 0:width].astype(np.float32)
        u, v = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
        share = ((u // period) % 2 + (v // period) % 2)[..., None] / 2
        weave = 1 + 0.03 * np.sin(u * np.pi / mm)[..., None] * np.sin(v * np.pi / mm)[..., None]
        image = (light + share * (dyed - light)) * weave
    return np.clip(image, 0, 1).astype(np.float32)


def _stretched(rng: Random, across: float, along: float) -> Array:
    """Return noise (-1…1) in lines as of wood's grain; ``across`` and ``along``: size of its spots (px)."""
    rows, columns = int(SIZE[1] / across) + 2, int(SIZE[0] / along) + 3
    return cv2.resize(rng.uniform(-1, 1, (rows, columns)).astype(np.float32), SIZE, interpolation=cv2.INTER_CUBIC)


def _room(rng: Random) -> Array:
    """Draw what is behind a card in the hand, out of focus."""
    width, height = SIZE
    small = background(rng, height // 4, width // 4)
    clutter(rng, small)
    return cv2.resize(cv2.GaussianBlur(small, (0, 0), 5), SIZE, interpolation=cv2.INTER_CUBIC)


# ------------------------------------------------------------------------------------------------ pictures


def pools(photos: Sequence[Photo]) -> Iterator[Pool]:
    """Yield the drawn cards, then those of each source of the ``photos`` that are enough for a hand. ``kind``: drawn,
    tuning (licensed sources, which the model has learned from) or report (all others)."""
    yield DRAWN
    by_source: dict[str, list[Photo]] = {}
    for photo in photos:
        if photo.source not in DRAWN_ON and photo.outlines:
            by_source.setdefault(photo.source, []).append(photo)
    for source, own in sorted(by_source.items()):
        cards = rectified_cards([own[int(i)] for i in _rng("crops", source).permutation(len(own))[:40]])
        if len(cards) > CARDS:
            yield Pool(source, own[0].design, "tuning" if source in LICENSED else "report", cards)


def scenes(pools: Sequence[Pool], names: Sequence[str] = tuple(SCENES), share: float = 1.0) -> Iterator[Scene]:
    """Yield the pictures of the named scenes, for each kind of pool; its sources take turns."""
    count = max(1, round(PICTURES * share))
    for kind in dict.fromkeys(pool.kind for pool in pools):
        sources = [pool for pool in pools if pool.kind == kind]
        for place, name in enumerate(names):
            for number in range(count):
                yield scene(sources[(place * count + number) % len(sources)], name, number)


def scene(pool: Pool, name: str, number: int) -> Scene:
    """Compose one picture. Its ground is the ``number``-th of `GROUNDS`."""
    rng = _rng(name, pool.source, number)
    look, ground = SCENES[name], GROUNDS[number % len(GROUNDS)]
    poses = look.lay(rng)
    reach = max(max(abs(x), abs(y) * SIZE[0] / SIZE[1]) for x, y, _ in poses)
    span = max((2 * reach + 1.3 * CARD_MM[1]) * rng.uniform(1.02, 1.2), 1.0)
    if len(poses) == 1:
        span = float(rng.uniform(190, 380))
    elif look.things is not None:
        span = max(span, float(rng.uniform(560, 640)))
    is_held = name == "single in hand"
    view = View(_room(rng) if is_held else _ground(rng, ground, span), rng, span, rng.uniform(0, 0.35))
    for card, pose in zip(_chosen(rng, pool, len(poses)), poses, strict=True):
        view.lay(card, pose)
    if look.things is not None:
        look.things(view, rng, pool)
    picture = _taken(rng, view.image, look.bgr)
    cards = [
        Card(card.face, view.table.seen(i), view.table.corner(i), quad)
        for i, (card, quad) in enumerate(view.table.laid)
    ]
    if name == "cropped":
        picture, cards = _cropped(rng, picture, cards)
    coded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 90])[1]
    return Scene(
        f"{name}, {pool.source} {number}", pool.source, pool.design, name, tuple(cards),
        partial(cv2.imdecode, coded, cv2.IMREAD_COLOR), note="" if is_held else ground,
    )  # fmt: skip


def _chosen(rng: Random, pool: Pool, count: int) -> list[RectifiedCard]:
    """Draw cards from a pool: drawn ones from a deck, in one print."""
    if pool.cards is not None:
        return [pool.cards[int(i)] for i in rng.permutation(len(pool.cards))[:count]]
    deck, print_ = DECKS["g7942"], style(rng)
    faces = [face for face, copies in deck.items() for _ in range(copies)]
    return [
        RectifiedCard(
            faces[int(i)],
            texture(draw_face(faces[int(i)], print_, width_px=RECTIFIED_W), card_mask(RECTIFIED_W), back=False),
        )
        for i in rng.permutation(len(faces))[:count]
    ]


def _taken(rng: Random, image: Array, bgr: tuple[float, float, float]) -> Array:
    """Return the picture that a camera takes under a lamp beside the table: uint8 BGR."""
    height, width = image.shape[:2]
    fall = 1 - rng.uniform(0.1, 0.35) * (0.5 + 0.5 * smooth_noise(rng, height, width, 2))
    lamp = (np.array(bgr) * rng.uniform(0.75, 1.1)) ** (1 / 2.2)
    seen = np.clip(image, 0, 1) * (fall[..., None] ** (1 / 2.2) * lamp).astype(np.float32)
    seen = cv2.GaussianBlur(seen, (0, 0), float(rng.uniform(0.4, 0.9)))
    seen += rng.standard_normal((height, width, 1), np.float32) * np.float32(rng.uniform(0.004, 0.016))
    return np.asarray(cv2.convertScaleAbs(np.clip(seen, 0, 1), alpha=255), np.uint8)


def _cropped(rng: Random, picture: Array, cards: list[Card]) -> tuple[Array, list[Card]]:
    """Cut the picture through the last card of a row, and count what that leaves of it."""
    quads = [np.asarray(card.quad) for card in cards]
    last = max(range(len(quads)), key=lambda i: float(quads[i][:, 0].max()))
    left, right = float(quads[last][:, 0].min()), float(quads[last][:, 0].max())
    share = rng.uniform(*CUT)
    edge = int(left + share * (right - left))
    inside = [(card, quad) for card, quad in zip(cards, quads, strict=True) if quad[:, 0].min() < edge]
    return picture[:, :edge], [
        Card(card.face, card.seen * _left_of(quad, edge), card.corner and quad[:, 0].max() < edge, quad)
        for card, quad in inside
    ]


def _left_of(quad: Array, edge: int) -> float:
    """Return the fraction (0…1) of an outline that lies left of a column of the picture."""
    frame = np.array([[0, 0], [edge, 0], [edge, SIZE[1]], [0, SIZE[1]]], np.float32)
    return float(cv2.intersectConvexConvex(quad.astype(np.float32), frame)[0] / max(1.0, cv2.contourArea(quad)))


def _rng(*names: object) -> Random:
    return np.random.default_rng(zlib.crc32(" ".join(map(str, ("kitchen", *names))).encode()))
