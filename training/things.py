"""Drawn things that are no cards of the game, as they lie among its cards: cards of other games, a box with cards
printed on it, a telephone, a glass, a poster.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from croupier_rules.cards import CARD_MM
from training.backgrounds import background, color
from training.photometry import Array, Random
from training.scenes import Texture, drop, paste, texture

PX = 3.0
"""Resolution (px/mm) of the drawings."""


def _sheet(rng: Random, width: float, height: float, low: float = 190.0) -> Array:
    """Return a pale sheet of a size (mm)."""
    image = np.full((round(height * PX), round(width * PX), 3), rng.uniform(low, 255), np.float32)
    return np.clip(image + rng.uniform(-20, 5, 3), 0, 255).astype(np.uint8)


def _ink(rng: Random) -> tuple[int, int, int]:
    return (25, 20, 190) if rng.random() < 0.5 else (30, 25, 25)


def _paint(rng: Random) -> list[float]:
    return (color(rng) * 255).tolist()


def _pip(image: Array, at: tuple[float, float], size: float, suit: int, ink: Sequence[int]) -> None:
    """Draw a sign of a suit: heart, diamond, spade, club."""
    x, y = at
    if suit == 1:
        points = np.array([[0, -1.2], [0.8, 0], [0, 1.2], [-0.8, 0]])
        cv2.fillPoly(image, [np.rint(points * size + (x, y)).astype(np.int32)], ink, cv2.LINE_AA)
        return
    up = -1 if suit == 0 else 1
    lobes = [(-0.5, -0.3), (0.5, -0.3), (0.0, -0.75)][: 2 if suit != 3 else 3]
    for dx, dy in lobes:
        cv2.circle(image, (round(x + dx * size), round(y - up * dy * size)), max(1, round(0.55 * size)), ink, -1, 16)
    tip = np.array([[-0.95, -0.1], [0.95, -0.1], [0, 1.2]]) * (1, -up)
    if suit != 3:
        cv2.fillPoly(image, [np.rint(tip * size + (x, y)).astype(np.int32)], ink, cv2.LINE_AA)
    if suit != 0:
        foot = np.array([[0, 0], [0.4, 1.2], [-0.4, 1.2]])
        cv2.fillPoly(image, [np.rint(foot * size + (x, y)).astype(np.int32)], ink, cv2.LINE_AA)


def playing_card(rng: Random) -> Array:
    """Draw a card of a French deck, face up or face down."""
    wide = float(rng.choice([57.0, 59.0, 63.0]))
    image = _sheet(rng, wide, 88.0)
    height, width = image.shape[:2]
    if rng.random() < 0.25:  # its back: a lattice with a margin
        edge, period = int(rng.uniform(3, 14)), rng.uniform(5, 16)
        yy, xx = np.mgrid[0:height, 0:width]
        lines = (np.sin((xx + yy) * np.pi / period) * np.sin((xx - yy) * np.pi / period))[..., None]
        inner = np.float32(_paint(rng)) * (1 + 0.5 * lines)
        image[edge:-edge, edge:-edge] = np.clip(inner, 0, 255).astype(np.uint8)[edge:-edge, edge:-edge]
        return image
    ink, suit = _ink(rng), int(rng.integers(4))
    rank = str(rng.choice(["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]))
    font, size = int(rng.choice([0, 2, 3, 4])), float(rng.uniform(0.7, 1.3))
    for _ in range(2):
        cv2.putText(image, rank, (7, 34), font, size * (0.7 if rank == "10" else 1), ink, int(rng.integers(2, 5)), 16)
        _pip(image, (18, 52), rng.uniform(6, 9), suit, ink)
        image = np.ascontiguousarray(image[::-1, ::-1])
    if rank in "JQK":
        image[40:-40, 36:-36] = (background(rng, height - 80, width - 72) * 255).astype(np.uint8)
        for _ in range(8):
            at = (int(rng.uniform(40, width - 40)), int(rng.uniform(50, height - 50)))
            cv2.ellipse(image, at, rng.integers(5, 22, 2).tolist(), rng.uniform(0, 180), 0, 360, _paint(rng), -1, 16)
        return image
    count = 1 if rank == "A" else int(rank)
    for n in range(count):
        x = width / 2 if count < 4 else width * (0.34 + 0.32 * (n % 2))
        rows = (count + 1) // 2 if count >= 4 else count
        y = height * (0.5 if rows == 1 else 0.2 + 0.6 * (n // 2 if count >= 4 else n) / (rows - 1))
        _pip(image, (x, y), 24 if count == 1 else 12, suit, ink)
    return image


def picture_card(rng: Random) -> Array:
    """Draw a card of a children's game: a frame, a picture, lines of writing."""
    image = _sheet(rng, float(rng.uniform(55, 66)), float(rng.uniform(85, 105)))
    height, width = image.shape[:2]
    edge = int(rng.uniform(2, 16))
    image[edge:-edge, edge:-edge] = _paint(rng)
    top, low = int(height * rng.uniform(0.08, 0.25)), int(height * rng.uniform(0.5, 0.9))
    image[top:low, 2 * edge : width - 2 * edge] = (background(rng, low - top, width - 4 * edge) * 255).astype(np.uint8)
    for _ in range(int(rng.integers(1, 9))):
        at = (int(rng.uniform(0.2, 0.8) * width), int(rng.uniform(top, low)))
        cv2.ellipse(image, at, rng.integers(5, 40, 2).tolist(), rng.uniform(0, 180), 0, 360, _paint(rng), -1, 16)
    cv2.putText(image, str(rng.integers(1, 40)) + str(rng.choice(list("ABCD "))), (edge + 8, edge + 30), 1, 2.0,
                _paint(rng), 3, 16)  # fmt: skip
    for line in range(int(rng.integers(0, 6))):
        y = low + 12 + 14 * line
        cv2.line(image, (3 * edge, y), (int(rng.uniform(0.4, 0.8) * width), y), _paint(rng), 3, 16)
    return image


def note(rng: Random) -> Array:
    """Draw a slip of paper with writing, or a photograph with a margin."""
    image = _sheet(rng, float(rng.uniform(45, 110)), float(rng.uniform(45, 150)), 170.0)
    height, width = image.shape[:2]
    if rng.random() < 0.4:
        edge = int(rng.uniform(0, 14))
        image[edge : height - edge, edge : width - edge] = background(rng, height - 2 * edge, width - 2 * edge) * 255
        return image
    for line in range(int(rng.integers(1, 12))):
        word = "".join(rng.choice(list("abcdefghiklmnoprstuvwz   "), 18))
        cv2.putText(image, word, (10, 26 + 26 * line), 0, 0.6, _paint(rng), 2, cv2.LINE_AA)
    return image


def telephone(rng: Random) -> Array:
    """Draw a telephone, its screen on or off."""
    image = np.full((round(150 * PX), round(73 * PX), 3), rng.uniform(5, 60), np.uint8)
    height, width = image.shape[:2]
    if rng.random() < 0.7:
        edge = int(rng.uniform(3, 14))
        image[edge:-edge, edge:-edge] = (background(rng, height - 2 * edge, width - 2 * edge) * 255).astype(np.uint8)
        step = float(rng.uniform(40, 60))
        for y in np.arange(40, height - 60, step * 1.3):
            for x in np.arange(18, width - 40, step):
                corner = (int(x + 0.7 * step), int(y + 0.7 * step))
                cv2.rectangle(image, (int(x), int(y)), corner, _paint(rng), -1, 16)
    return image


def poster(rng: Random) -> Array:
    """Draw a large print: areas of color, large letters and digits."""
    image = (background(rng, 420, 300) * 255).astype(np.uint8)
    for _ in range(int(rng.integers(2, 12))):
        at, size = rng.uniform(0, 1, 2) * (300, 420), rng.uniform(10, 110, 2)
        if rng.random() < 0.5:
            box = cv2.boxPoints((at.tolist(), size.tolist(), float(rng.choice([0, 0, rng.uniform(0, 90)]))))
            cv2.fillConvexPoly(image, box.astype(np.int32), _paint(rng), 16)
        else:
            cv2.ellipse(image, at.astype(int).tolist(), (size / 2).astype(int).tolist(), rng.uniform(0, 180), 0, 360,
                        _paint(rng), -1, 16)  # fmt: skip
    for _ in range(int(rng.integers(1, 6))):
        word = "".join(rng.choice(list("ABCDEFGHKLMNOPRSTUVXYZ0123456789 +"), int(rng.integers(1, 9))))
        at = (int(rng.uniform(0, 180)), int(rng.uniform(30, 400)))
        cv2.putText(image, word, at, int(rng.integers(0, 5)), rng.uniform(0.6, 4), _paint(rng), int(rng.integers(2, 9)),
                    16)  # fmt: skip
    return image


def box(rng: Random, faces: Sequence[Texture]) -> Array:
    """Draw the lid of a game's box: a title, and small pictures of cards."""
    image = np.zeros((420, 300, 3), np.uint8)
    image[:] = _paint(rng)
    if rng.random() < 0.7:
        axes = rng.uniform(40, 140, 2).astype(int).tolist()
        cv2.ellipse(image, (150, int(rng.uniform(60, 200))), axes, rng.uniform(-30, 30), 0, 360, _paint(rng), -1, 16)
    word = "".join(rng.choice(list("ABCDEFGHIKLMNOPRSTUVYZ"), int(rng.integers(3, 7))))
    cv2.putText(image, word, (30, int(rng.uniform(60, 160))), int(rng.choice([0, 1, 3, 4])), rng.uniform(1.2, 3),
                _paint(rng), int(rng.integers(3, 9)), 16)  # fmt: skip
    cover, shown = np.zeros(image.shape[:2], np.int32), image.astype(np.float32) / 255
    count, long = int(rng.integers(1, 6)), rng.uniform(90, 190)
    half = np.array([[-CARD_MM[0], -CARD_MM[1]], [CARD_MM[0], -CARD_MM[1]], CARD_MM, [-CARD_MM[0], CARD_MM[1]]]) / 2
    step, at = rng.uniform(0.1, 0.5), np.array([rng.uniform(100, 200), rng.uniform(180, 340)])
    for n in range(count):
        a = (n - (count - 1) / 2) * step + rng.normal(0, 0.05)
        c, s = np.cos(a), np.sin(a)
        place = at + ((n - (count - 1) / 2) * rng.uniform(20, 80), rng.normal(0, 8))
        quad = half * long / CARD_MM[1] @ np.array([[c, s], [-s, c]]) + place
        paste(shown, cover, 1, faces[int(rng.integers(len(faces)))], quad.astype(np.float32), 1.0)
    return (np.clip(shown, 0, 1) * 255).astype(np.uint8)


def glass(rng: Random, image: Array, cover: Array, quad: Array) -> None:
    """Draw a glass, seen from above, into an area; it covers what lies under it."""
    middle, radius = quad.mean(0), float(np.linalg.norm(quad[0] - quad[2])) / 2.9
    if not 3 < radius < max(cover.shape):
        return
    r = max(2, round(radius))
    x0, y0 = np.maximum(np.rint(middle).astype(int) - r - 2, 0)
    x1, y1 = np.minimum(np.rint(middle).astype(int) + r + 3, cover.shape[::-1])
    if x1 <= x0 or y1 <= y0:
        return
    at = tuple((np.rint(middle).astype(int) - (x0, y0)).tolist())
    part, size = image[y0:y1, x0:x1], (y1 - y0, x1 - x0)
    shade, disk = np.zeros(size, np.float32), np.zeros(size, np.uint8)
    cv2.circle(shade, at, r, float(rng.uniform(0.3, 0.9)), -1, 16)
    part += shade[..., None] * (color(rng) - part)
    for ring in rng.uniform(0.5, 1.0, int(rng.integers(1, 4))):
        line = np.zeros(size, np.float32)
        cv2.circle(line, at, max(1, int(ring * r)), float(rng.uniform(0.2, 0.9)), int(rng.integers(1, 3)), 16)
        part += line[..., None] * (1 - part)
    cv2.circle(disk, at, r, 1, -1)
    cover[y0:y1, x0:x1][disk > 0] = -1


def rounded(image: Array, radius_px: float) -> Texture:
    """Return a drawing as a texture with rounded corners."""
    height, width = image.shape[:2]
    mask = np.zeros((height, width), np.uint8)
    r = max(0, min(int(radius_px), width // 2 - 1))
    cv2.rectangle(mask, (r, 0), (width - 1 - r, height - 1), 255, -1)
    cv2.rectangle(mask, (0, r), (width - 1, height - 1 - r), 255, -1)
    for x in (r, width - 1 - r):
        for y in (r, height - 1 - r):
            cv2.circle(mask, (x, y), r, 255, -1, 16)
    return texture(image, mask, back=False)


def drawn(rng: Random) -> tuple[Texture, tuple[float, float]]:
    """Draw a flat thing (all but the box): its texture, and its width and height (mm)."""
    dice = rng.random()
    make = (
        playing_card if dice < 0.45 else picture_card if dice < 0.65 else note if dice < 0.8
        else telephone if dice < 0.92 else poster
    )  # fmt: skip
    image = make(rng)
    size = image.shape[1] / PX, image.shape[0] / PX
    if make is poster:
        size = (float(rng.uniform(150, 260)), float(rng.uniform(200, 350)))
    return rounded(image, rng.uniform(6, 14) if make in (playing_card, picture_card) else rng.uniform(0, 20)), size


def put(
    rng: Random, image: Array, cover: Array, thing: Texture, quad: Array, shadow: float, number: int = 0
) -> None:  # fmt: skip
    """Put a thing down along ``quad``; its pixels get ``number`` in ``cover``: 0 below all cards, -1 above some."""
    drop(rng, image, quad, shadow)
    paste(image, cover, number, thing, quad, 1.0)
