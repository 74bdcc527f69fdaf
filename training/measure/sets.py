"""Measurement sets: photographs, and synthetic sets composed of their cards and tables.

The sets are reproducible: random numbers are seeded by the names of set and source.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import cv2
import numpy as np

from cardsight import geometry
from training import cards
from training.backgrounds import background, clutter, hand
from training.measure.judging import Card, Scene
from training.measure.rectified import (
    HEIGHT,
    RECTIFIED_W,
    WIDTH,
    RectifiedCard,
    Table,
    emptied_tables,
    outline,
    rectified_cards,
)
from training.photometry import Array, Random, lit, shot
from training.photos import DRAWN_ON, GROUPS, Photo
from training.scenes import texture

LIGHTS: Mapping[str, tuple[float, float, float]] = {
    "bulb, 2700 K": (0.26, 0.62, 1.0),
    "candle, 1900 K": (0.08, 0.45, 1.0),
    "sky, 12000 K": (1.0, 0.78, 0.62),
    "greenish tube": (0.62, 1.0, 0.72),
    "violet LED": (1.0, 0.5, 0.8),
}
"""Blue, green and red light of a lamp relative to daylight (linear)."""
ONE_COLOR: Mapping[str, tuple[float, float, float]] = {
    "red lamp": (0.02, 0.08, 1.0),
    "green lamp": (0.06, 1.0, 0.05),
    "blue lamp": (1.0, 0.1, 0.02),
}
"""The same of lamps of one color, as color-changing bulbs give it."""
BLURS_PX = (25, 45)
JPEGS = (18, 35)
"""Length of a motion blur on a card of `CARD_PX` in width, and JPEG quality of a webcam."""
CARD_PX = 200.0
WEBCAM_CARD_PX = 90.0
WEBCAM_NOISE = 9.0
"""Width of a card before a webcam, and standard deviation of its noise (gray levels)."""
TILTS_DEG = (30, 45, 55)
"""Tilt of the camera from the vertical."""
CLOSE_SEEN = (0.15, 0.3)
"""Visible fraction of the lower cards of a close fan."""
SEEN = (0.6, 0.7, 0.8, 0.9)
"""Visible fractions of the cards in the set of covered cards, each up to the next tenth."""


TABLES = 6
LEAST_FACES = 5
"""Number of empty tables of a material, and minimum number of its faces."""


def photographs(photos: Sequence[Photo]) -> list[Scene]:
    """Return the photographs as scenes."""
    return [_photo(photo) for photo in photos]


@dataclass(frozen=True)
class Material:
    """Material of scenes: cut-out cards of one source, and empty tables. ``is_drawn``: both are drawn, and the
    scenes are lit and taken by a drawn camera."""

    source: str
    design: str
    cards: Sequence[RectifiedCard]
    tables: Sequence[Array]
    is_drawn: bool = False


def photographed(photos: Sequence[Photo], beside: Sequence[Photo], *series: str) -> Material | None:
    """Return cards of one source on tables of ``beside``; ``None`` if there are too few. ``series`` changes the
    seed."""
    source, design = photos[0].source, photos[0].design
    rng = _rng("cut-outs", source, *series)
    pool = rectified_cards([photos[int(i)] for i in rng.permutation(len(photos))[:60]])
    tables = emptied_tables(beside, rng, TABLES)
    enough = len({card.face for card in pool}) >= LEAST_FACES and tables
    return Material(source, design, pool, tables) if enough else None


def drawn(*series: str) -> Material:
    """Return drawn cards on drawn tables; others for each ``series``."""
    rng = _rng("drawn", *series)
    pool = [
        RectifiedCard(face, texture(cards.drawn(rng, face, RECTIFIED_W), cards.mask(RECTIFIED_W), back=False))
        for face in cards.FACES
    ]
    return Material("drawn", "drawn", pool, [background(rng, HEIGHT, WIDTH) for _ in range(TABLES)], is_drawn=True)


def synthetic(photos: Sequence[Photo], beside: Sequence[Photo], share: float = 1.0) -> Iterator[Scene]:
    """Yield all synthetic sets of one source: cards of its ``photos`` on tables of ``beside``. ``share``: fraction
    (0…1) of each set."""
    if photos[0].source in DRAWN_ON:
        return
    yield from relit(photos, share)
    yield from disturbed(photos, share)
    if material := photographed(photos, beside):
        yield from laid(material, {kind: max(1, round(count * share)) for kind, count in COUNTS.items()})


def laid(material: Material, counts: Mapping[str, int], *series: str) -> Iterator[Scene]:
    """Yield ``counts`` scenes of each kind; others for each ``series``."""
    for kind, count in counts.items():
        for number in range(count):
            rng = _rng(kind, material.source, number, *series)
            table = Table(material.tables[int(rng.integers(len(material.tables)))], rng)
            _LAID[kind](table, rng, material.cards, number)
            known = tuple(
                Card(card.face, table.seen(i), table.corner(i), quad) for i, (card, quad) in enumerate(table.laid)
            )
            picture = shot(rng, lit(rng, np.clip(table.image, 0, 1))) if material.is_drawn else table.picture()
            name = f"{kind} {material.source} {number}"
            scene = Scene(name, material.source, material.design, kind, known, _compressed(picture))
            yield _leaned(scene, TILTS_DEG[number % len(TILTS_DEG)], rng) if kind == "oblique" else scene


def of_group(source: str, photos: Sequence[Photo]) -> list[Photo]:
    """Return the photographs on whose tables cards of a source are laid: those of its group."""
    group = next(sources for sources in GROUPS if source in sources)
    return [photo for photo in photos if photo.source in group]


def _photo(photo: Photo) -> Scene:
    return Scene(
        photo.name, photo.source, photo.design, "photographs", tuple(Card(face) for face in photo.faces), photo.picture
    )


def _compressed(picture: Array) -> Callable[[], Array]:
    """Compress the picture as a camera does, which also saves memory."""
    _, jpeg = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 92])
    return partial(cv2.imdecode, jpeg, cv2.IMREAD_COLOR)


def _rng(*names: object) -> Random:
    return np.random.default_rng(zlib.crc32(" ".join(map(str, names)).encode()))


def relit(photos: Sequence[Photo], share: float = 1.0) -> Iterator[Scene]:
    """Yield photographs under other lamps, and as a gray camera takes them."""
    chosen = [photos[int(i)] for i in _rng("light", photos[0].source).permutation(len(photos))]
    some = max(1, round(20 * share))
    for number, photo in enumerate(chosen):
        name, bgr = list(LIGHTS.items())[number % len(LIGHTS)]
        plain = _photo(photo)
        if number < some:
            picture = partial(under_lamp, photo, bgr)
            yield replace(plain, kind="light", note=name, name=f"{name}: {photo.name}", picture=picture)
        if number < some or photo.design == "modern-symbols":  # all photographs of the only print with marks
            yield replace(plain, kind="gray", name=f"gray: {photo.name}", picture=partial(gray, photo))


def disturbed(photos: Sequence[Photo], share: float = 1.0) -> Iterator[Scene]:
    """Yield photographs with motion blur, under lamps of one color, and as a cheap webcam takes them."""
    for note, way in DISTURBED.items():
        chosen = _rng(note, photos[0].source).permutation(len(photos))[: max(1, round(10 * share))]
        for photo in (photos[int(i)] for i in chosen):
            plain = replace(_photo(photo), note=note, name=f"{note}: {photo.name}")
            yield way(plain, _median_width([quad for _, quad in photo.outlines]))


def laid_poorly(material: Material, counts: Mapping[str, int], *series: str) -> Iterator[Scene]:
    """Yield the scenes of `laid`, each disturbed in one of these ways."""
    ways = list(DISTURBED.items())
    for number, scene in enumerate(laid(material, counts, *series)):
        note, way = ways[number % len(ways)]
        quads = [card.quad for card in scene.cards if card.quad is not None]
        yield way(replace(scene, note=note), _median_width(quads))


def _blurred(scene: Scene, card_px: float, *, px: int) -> Scene:
    """Return a scene with its cards at most `CARD_PX` wide, blurred by a motion of ``px`` px."""

    def picture() -> Array:
        way = _rng("blur", scene.name, px).uniform(0, np.pi)
        kernel = np.zeros((2 * px + 1,) * 2, np.uint8)
        end = px / 2 * np.array([np.cos(way), np.sin(way)])
        first, last = (np.rint(px + side * end).astype(int).tolist() for side in (-1, 1))
        cv2.line(kernel, first, last, 255, 1, cv2.LINE_AA)
        return np.asarray(cv2.filter2D(smaller.picture(), -1, kernel / np.float32(kernel.sum())), np.uint8)

    smaller = _smaller(scene, min(1.0, CARD_PX / card_px))
    return replace(smaller, kind="blur", picture=picture)


def _by_webcam(scene: Scene, card_px: float, *, quality: int) -> Scene:
    """Return a scene with its cards at most `WEBCAM_CARD_PX` wide, noisy, as a JPEG of this quality."""

    def picture() -> Array:
        rng, seen = _rng("webcam", scene.name, quality), smaller.picture().astype(np.float32)
        noisy = np.clip(seen + rng.normal(0, WEBCAM_NOISE, seen.shape), 0, 255).astype(np.uint8)
        coded = cv2.imencode(".jpg", noisy, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
        return np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)

    smaller = _smaller(scene, min(1.0, WEBCAM_CARD_PX / card_px))
    return replace(smaller, kind="webcam", picture=picture)


def _one_colored(scene: Scene, _card_px: float, *, bgr: tuple[float, float, float]) -> Scene:
    return replace(scene, kind="one color", picture=lambda: _lit_by(scene.picture(), bgr))


DISTURBED: Mapping[str, Callable[[Scene, float], Scene]] = {
    **{f"{px} px": partial(_blurred, px=px) for px in BLURS_PX},
    **{name: partial(_one_colored, bgr=bgr) for name, bgr in ONE_COLOR.items()},
    **{f"JPEG {quality}": partial(_by_webcam, quality=quality) for quality in JPEGS},
}
"""Return disturbances for a scene with cards of a certain width (px)."""


def _smaller(scene: Scene, scale: float) -> Scene:
    """Return a scene in a smaller picture."""

    def picture() -> Array:
        seen = scene.picture()
        return np.asarray(cv2.resize(seen, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)

    cards = tuple(replace(card, quad=None if card.quad is None else card.quad * scale) for card in scene.cards)
    return replace(scene, cards=cards, picture=picture)


def _median_width(quads: Sequence[Array]) -> float:
    """Return the median width (px) of cards; of none, that of a card that is not made smaller."""
    return float(np.median([geometry.width(quad) for quad in quads])) if quads else 1.0


def under_lamp(photo: Photo, bgr: tuple[float, float, float]) -> Array:
    """Return the photograph under a lamp, exposed for the same brightness of white."""
    return _lit_by(photo.picture(), bgr)


def _lit_by(picture: Array, bgr: tuple[float, float, float]) -> Array:
    linear = (picture.astype(np.float32) / 255) ** 2.2 * np.float32(bgr)
    return (np.clip(linear, 0, 1) ** (1 / 2.2) * 255).astype(np.uint8)


def gray(photo: Photo) -> Array:
    """Return the photograph of a camera without color."""
    return cv2.merge([cv2.cvtColor(photo.picture(), cv2.COLOR_BGR2GRAY)] * 3)


def _different(rng: Random, pool: Sequence[RectifiedCard], count: int) -> list[RectifiedCard]:
    """Return cards of different faces, so that the face identifies the card."""
    chosen: dict[str, RectifiedCard] = {}
    for i in rng.permutation(len(pool)):
        chosen.setdefault(pool[int(i)].face, pool[int(i)])
        if len(chosen) == count:
            break
    return list(chosen.values())


def _covered(table: Table, rng: Random, pool: Sequence[RectifiedCard], number: int) -> None:
    """Lay three cards, each partly under another one."""
    chosen = _different(rng, pool, 6)
    for place in range(len(chosen) // 2):
        width = rng.uniform(95, 130)
        x, y = WIDTH * (place + 0.5) / 3 + rng.uniform(-30, 30), HEIGHT / 2 + rng.uniform(-60, 60)
        below = outline(x, y, width, rng.uniform(0, 2 * np.pi))
        least = SEEN[(number + place) % len(SEEN)]
        for _ in range(60):
            angle, far = rng.uniform(0, 2 * np.pi), rng.uniform(0.4, 1.5) * width
            above = outline(x + far * np.cos(angle), y + far * np.sin(angle), width, rng.uniform(0, 2 * np.pi))
            shared = cv2.intersectConvexConvex(below, above)[0] / cv2.contourArea(below)
            if least <= 1 - shared < least + 0.1:
                table.lay(chosen[2 * place], below)
                table.lay(chosen[2 * place + 1], above)
                break


def _fan(table: Table, rng: Random, pool: Sequence[RectifiedCard], _: int) -> None:
    """Lay a fan: each card but the last shows a strip with its corner."""
    chosen, width = _different(rng, pool, int(rng.integers(4, 8))), rng.uniform(110, 140)
    step, turn = rng.uniform(0.2, 0.34), rng.uniform(0, 2 * np.pi)
    reach, x, y = width * rng.uniform(1.5, 2.0), WIDTH / 2, HEIGHT / 2
    middle = np.array([x, y]) - reach * np.array([np.sin(turn), -np.cos(turn)])
    for place, card in enumerate(chosen):
        a = turn + (place - (len(chosen) - 1) / 2) * step
        table.lay(card, outline(middle[0] + reach * np.sin(a), middle[1] - reach * np.cos(a), width, a))


def _close(table: Table, rng: Random, pool: Sequence[RectifiedCard], _: int) -> None:
    """Lay a close fan of three, stacked by either hand: the lower two show a strip of 15 to 30 %."""
    chosen, side = _different(rng, pool, 3), rng.choice([-1, 1])
    for _attempt in range(200):
        width, turn = rng.uniform(95, 150), rng.uniform(0, 2 * np.pi)
        step, reach = side * rng.uniform(0.06, 0.3), width * rng.uniform(1.0, 2.6)
        x, y = WIDTH * rng.uniform(0.35, 0.65), HEIGHT * rng.uniform(0.42, 0.58)
        middle = np.array([x, y]) - reach * np.array([np.sin(turn), -np.cos(turn)])
        turns = [turn + place * step + rng.normal(0, 0.02) for place in (-1, 0, 1)]
        quads = [outline(middle[0] + reach * np.sin(a), middle[1] - reach * np.cos(a), width, a) for a in turns]
        if all(CLOSE_SEEN[0] <= seen < CLOSE_SEEN[1] for seen in _seen(quads)[:-1]):
            for card, quad in zip(chosen, quads, strict=True):
                table.lay(card, quad)
            return


def _hand_of_cards(table: Table, rng: Random, pool: Sequence[RectifiedCard], _: int) -> None:
    """Lay a hand as people fan it, close or wide, three times in four so that the indices show; a drawn hand may hold
    it."""
    for _attempt in range(200):
        width, turn, count = rng.uniform(80, 130), rng.uniform(0, 2 * np.pi), int(rng.integers(3, 9))
        step, reach = rng.choice([-1, 1], p=[0.25, 0.75]) * rng.uniform(0.06, 0.3), width * rng.uniform(0.8, 2.2)
        foot = np.array([WIDTH, HEIGHT]) / 2 - 0.8 * reach * np.array([np.sin(turn), -np.cos(turn)])
        turns = [turn + (place - (count - 1) / 2) * step + rng.normal(0, 0.02) for place in range(count)]
        far = [reach + rng.normal(0, 0.02) * width for _ in turns]
        quads = [
            outline(foot[0] + r * np.sin(a), foot[1] - r * np.cos(a), width, a) for a, r in zip(turns, far, strict=True)
        ]
        points = np.concatenate(quads)
        if (points > 5).all() and (points < (WIDTH - 5, HEIGHT - 5)).all():
            for card, quad in zip(_different(rng, pool, count), quads, strict=False):
                table.lay(card, quad)
            if rng.random() < 0.5:
                away = (foot - points.mean(0)) / np.linalg.norm(foot - points.mean(0))
                at = points.mean(0) + away * width * rng.uniform(0.7, 1.0)
                hand(rng, table.image, table.cover, at, width * rng.uniform(0.5, 0.9))
            return


def _seen(quads: Sequence[Array]) -> list[float]:
    """Return the visible fraction of each outline, the last of which lies on top."""
    cover = np.zeros((HEIGHT, WIDTH), np.uint8)
    for number, quad in enumerate(quads, 1):
        cv2.fillConvexPoly(cover, np.rint(quad).astype(np.int32), number)
    counts = np.bincount(cover.ravel(), minlength=len(quads) + 1)[1:]
    return [float(count) / cv2.contourArea(quad) for count, quad in zip(counts, quads, strict=True)]


def _pile(table: Table, rng: Random, pool: Sequence[RectifiedCard], _: int) -> None:
    """Lay a heap of cards, spread by hand."""
    width, reach = rng.uniform(95, 125), rng.uniform(0.7, 1.2)
    for card in _different(rng, pool, int(rng.integers(6, 10))):
        at = rng.normal(0, reach * width, 2) * (1.3, 0.8)
        x, y = np.clip(at + (WIDTH / 2, HEIGHT / 2), width, (WIDTH - width, HEIGHT - width))
        table.lay(card, outline(x, y, width, rng.uniform(0, 2 * np.pi)))


def _scattered(table: Table, rng: Random, pool: Sequence[RectifiedCard], _: int) -> None:
    """Lay eight cards that do not touch."""
    width = rng.uniform(100, 120)
    for place, card in enumerate(_different(rng, pool, 8)):
        x, y = WIDTH * (place % 4 + 0.5) / 4, HEIGHT * (place // 4 + 0.5) / 2
        at = rng.uniform(-0.25, 0.25, 2) * width
        table.lay(card, outline(x + at[0], y + at[1], width, rng.uniform(0, 2 * np.pi)))


def _held(table: Table, rng: Random, pool: Sequence[RectifiedCard], _: int) -> None:
    """Lay one card between the fingers of a drawn hand, on a table with drawn objects."""
    clutter(rng, table.image)
    width = rng.uniform(110, 260)
    x, y = WIDTH * rng.uniform(0.35, 0.65), HEIGHT * rng.uniform(0.4, 0.6)
    quad = outline(x, y, width, rng.normal(0, 0.5))
    table.lay(_different(rng, pool, 1)[0], quad)
    foot = (quad[2] + quad[3]) / 2
    hand(rng, table.image, table.cover, foot + rng.normal(0, 0.12 * width, 2), width * rng.uniform(0.8, 1.1))


_LAID: Mapping[str, Callable[[Table, Random, Sequence[RectifiedCard], int], None]] = {
    "covered": _covered,
    "fan": _fan,
    "pile": _pile,
    "close fan": _close,
    "oblique": _scattered,
    "held": _held,
    "hand": _hand_of_cards,
}
"""Function that lays the cards of each kind of scene."""
COUNTS: Mapping[str, int] = {"covered": 6, "fan": 4, "pile": 4, "close fan": 6, "oblique": 6, "held": 12}
"""Number of scenes of each kind in the synthetic sets of a source."""


def _leaned(scene: Scene, tilt_deg: float, rng: Random) -> Scene:
    """Return the same table seen by a tilted camera."""
    tilt, turn = np.deg2rad(tilt_deg), rng.uniform(0, 2 * np.pi)
    middle, far = np.array([[1, 0, -WIDTH / 2], [0, 1, -HEIGHT / 2], [0, 0, 1.0]]), 2.2 * WIDTH
    c, s = np.cos(turn), np.sin(turn)
    spin = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    lean = np.array([[1, 0, 0], [0, np.cos(tilt), 0], [0, np.sin(tilt) / far, 1.0]])
    matrix = np.linalg.inv(middle) @ spin.T @ lean @ spin @ middle
    matrix = _framed(np.concatenate([_through(matrix, card) for card in scene.cards])) @ matrix
    picture = cv2.warpPerspective(scene.picture(), matrix, (WIDTH, HEIGHT), borderMode=cv2.BORDER_REPLICATE)
    cards = tuple(replace(card, quad=_through(matrix, card)) for card in scene.cards)
    return replace(scene, cards=cards, note=f"{tilt_deg} degrees", picture=_compressed(picture))


def _through(matrix: Array, card: Card) -> Array:
    return cv2.perspectiveTransform(np.asarray(card.quad, np.float32)[None], matrix)[0]


def _framed(points: Array) -> Array:
    """Return the matrix that moves and scales all points into the picture."""
    low, high = points.min(0) - 15, points.max(0) + 15
    scale = min(1.0, float(((WIDTH, HEIGHT) / (high - low)).min()))
    shift = (np.array([WIDTH, HEIGHT]) - scale * (low + high)) / 2
    return np.array([[scale, 0, shift[0]], [0, scale, shift[1]], [0, 0, 1.0]])
