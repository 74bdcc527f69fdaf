"""Measurement sets: photographs, and synthetic sets composed of their cards and tables.

The sets are reproducible: random numbers are seeded by the names of set and source.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import cv2
import numpy as np

from training.backgrounds import clutter, hand
from training.measure.judging import Card, Scene
from training.measure.rectified import HEIGHT, WIDTH, RectifiedCard, Table, emptied_tables, outline, rectified_cards
from training.photometry import Array, Random
from training.photos import DRAWN_ON, FOLDS, Photo

LIGHTS: Mapping[str, tuple[float, float, float]] = {
    "bulb, 2700 K": (0.26, 0.62, 1.0),
    "candle, 1900 K": (0.08, 0.45, 1.0),
    "sky, 12000 K": (1.0, 0.78, 0.62),
    "greenish tube": (0.62, 1.0, 0.72),
    "violet LED": (1.0, 0.5, 0.8),
}
"""Blue, green and red light of a lamp relative to daylight (linear)."""
TILTS_DEG = (30, 45, 55)
"""Tilt of the camera from the vertical."""
CLOSE_SEEN = (0.15, 0.3)
"""Visible fraction of the lower cards of a close fan."""
SEEN = (0.6, 0.7, 0.8, 0.9)
"""Visible fractions of the cards in the set of covered cards, each up to the next tenth."""


def photographs(photos: Sequence[Photo]) -> list[Scene]:
    """Return the photographs as scenes."""
    return [_photo(photo) for photo in photos]


def synthetic(photos: Sequence[Photo], beside: Sequence[Photo], share: float = 1.0) -> Iterator[Scene]:
    """Yield all synthetic sets of one source: cards of its ``photos`` on tables of ``beside``. ``share``: fraction
    (0…1) of each set."""
    if photos[0].source in DRAWN_ON:
        return
    yield from _relit(photos, share)
    yield from _laid(photos, beside, tuple(_LAID), share)


def _laid(
    photos: Sequence[Photo], beside: Sequence[Photo], kinds: Sequence[str], share: float, *series: str
) -> Iterator[Scene]:
    """Yield scenes of each of the ``kinds``: cards of one source on tables of ``beside``. ``series`` changes the
    seed."""
    source, design = photos[0].source, photos[0].design
    rng = _rng("cut-outs", source, *series)
    pool = rectified_cards([photos[int(i)] for i in rng.permutation(len(photos))[:60]])
    tables = emptied_tables(beside, rng, 6)
    if len({card.face for card in pool}) < 5 or not tables:
        return
    for kind in kinds:
        count, lay = _LAID[kind]
        for number in range(max(1, round(count * share))):
            scene_rng = _rng(kind, source, number, *series)
            table = Table(tables[int(scene_rng.integers(len(tables)))], scene_rng)
            lay(table, scene_rng, pool, number)
            cards = tuple(
                Card(card.face, table.seen(i), table.corner(i), quad) for i, (card, quad) in enumerate(table.laid)
            )
            scene = Scene(f"{kind} {source} {number}", source, design, kind, cards, _compressed(table.picture()))
            yield _leaned(scene, TILTS_DEG[number % len(TILTS_DEG)], scene_rng) if kind == "oblique" else scene


def laid(photos: Sequence[Photo], beside: Sequence[Photo], counts: Mapping[str, int], series: str) -> Iterator[Scene]:
    """Yield ``counts`` scenes of each kind: cards of one source on tables of ``beside``; others for each ``series``."""
    for kind, count in counts.items():
        yield from _laid(photos, beside, (kind,), count / _LAID[kind][0], series)


def heaps(photos: Sequence[Photo]) -> Iterator[Scene]:
    """Yield fans and piles of each source for the calibration of occluded cards; those of `synthetic` are others."""
    for source in sorted({photo.source for photo in photos} - {*DRAWN_ON}):
        own = [photo for photo in photos if photo.source == source]
        fold = next(sources for sources in FOLDS if source in sources)
        beside = [photo for photo in photos if photo.source in fold]
        yield from _laid(own, beside, ("fan", "pile"), 1.0, "calibration")


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


def _relit(photos: Sequence[Photo], share: float) -> Iterator[Scene]:
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


def under_lamp(photo: Photo, bgr: tuple[float, float, float]) -> Array:
    """Return the photograph under a lamp, exposed for the same brightness of white."""
    linear = (photo.picture().astype(np.float32) / 255) ** 2.2 * np.float32(bgr)
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


_LAID: Mapping[str, tuple[int, Callable[[Table, Random, Sequence[RectifiedCard], int], None]]] = {
    "covered": (6, _covered),
    "fan": (4, _fan),
    "pile": (4, _pile),
    "close fan": (6, _close),
    "oblique": (6, _scattered),
    "held": (12, _held),
}
"""Number of pictures per source and layout function of each kind."""


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
