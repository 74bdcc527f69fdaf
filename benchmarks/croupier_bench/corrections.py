"""The effect of corrections: errors on strange decks and on usual prints, before and after some corrections.

A strange deck is drawn from a seed, in colors and shapes that no print on sale has. Its cards are shown one by one.
Each that is seen and not read right is corrected, until there were enough corrections. Other pictures of all its faces,
before another camera, under another lamp, count the errors: a reported face that is another (wrong), and ``?`` or no
card (unread). The usual prints are read with the same corrections, which must make none of them worse.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import cv2
import numpy as np

from cardsight import model as models
from cardsight.card_reader import CardReader
from cardsight.enroll.corrected_reader import CorrectedReader
from cardsight.geometry import Image
from cardsight.reader import Reader
from croupier_rules.cards import LEARNED, UNREAD
from croupier_sim.camera import SimCamera
from croupier_sim.drawing import GROUNDS, STYLES, Bgr, Style, random_lamp
from croupier_sim.shapes import FAMILIES
from croupier_sim.table import PILE_MM, PILE_ZONE_MM, Pose, SimTable

SEEDS: Final = range(9100, 9108)
"""Of the decks that are reported; others serve development."""
STEPS: Final = (0, 5, 10, 20)
"""Numbers of corrections after which errors are counted."""
FACES: Final = tuple(sorted(LEARNED))
_MOST_SHOWN: Final = 400
"""Cards that are shown in the search for errors."""
_SIZE_PX: Final = (960, 540)


@dataclass
class Studio:
    """Takes pictures of single cards of one print, each in another place."""

    camera: SimCamera
    rng: np.random.Generator

    @classmethod
    def of(cls, style: Style, seed: int) -> Studio:
        """Set up a table, a lamp and a camera."""
        rng = np.random.default_rng(seed)
        camera = SimCamera(
            SimTable(2, rng, FACES), style=style, ground=GROUNDS[int(rng.integers(len(GROUNDS)))],
            lamp=random_lamp(rng), rng=rng, size=_SIZE_PX,
        )  # fmt: skip
        return cls(camera, rng)

    def picture(self, face: str) -> Image:
        """Return a picture of a card somewhere on the pile's place."""
        x, y = self.rng.uniform(-25, 25, 2)
        return self.camera.photograph(face, Pose(PILE_MM[0] + x, PILE_MM[1] + y, float(self.rng.uniform(0, 360))))


def strange_style(seed: int) -> Style:
    """Draw the print of a strange deck."""
    rng = np.random.default_rng(seed)
    turn = float(rng.uniform(4, 9) * rng.choice([-1, 1]))
    return replace(
        STYLES[str(rng.choice(list(STYLES)))],
        red=_ink(turn, rng), yellow=_ink(27 + turn, rng), green=_ink(62 + turn, rng), blue=_ink(107 + turn, rng),
        family=str(rng.choice(list(FAMILIES))),
        weight=float(rng.choice([0.1, 0.32])), stretch=float(rng.choice([0.8, 1.45])),
        slant=float(rng.uniform(-20, -10)), emblem="line", oval_tilt=float(rng.uniform(-60, -20)),
        corner_height=float(rng.choice([6.0, 14.0])), middle_height=float(rng.uniform(17, 21)),
        shadow=(float(rng.uniform(1, 3)), 2.0), arrow_turn=float(rng.uniform(-30, -10)), panel_radius=7.0,
    )  # fmt: skip


def _ink(hue: float, rng: np.random.Generator) -> Bgr:
    pixel = np.array([[[hue % 180, rng.integers(120, 230), rng.integers(130, 230)]]], np.uint8)
    blue, green, red = cv2.cvtColor(pixel, cv2.COLOR_HSV2BGR)[0, 0].tolist()
    return blue, green, red


def read_one(reader: CardReader, picture: Image, card_px: float) -> str:
    """Return the face of the only card in a picture; ``?`` if it is not one certain card."""
    cards = reader.read(picture, FACES, long_px=card_px).cards
    return cards[0].face if len(cards) == 1 else UNREAD


def errors(reader: CardReader, pictures: list[tuple[str, Image]], card_px: float) -> dict[str, Any]:
    """Count the errors in pictures of single cards."""
    read = [(face, read_one(reader, picture, card_px)) for face, picture in pictures]
    wrong = [f"{face} read as {other}" for face, other in read if other not in (face, UNREAD)]
    unread = sum(other == UNREAD for _, other in read)
    return {"cards": len(read), "wrong": len(wrong), "unread": unread, "misreads": wrong}


def taught(seed: int, reader: CardReader) -> Iterator[tuple[int, dict[str, Any], CorrectedReader]]:
    """Yield for each of `STEPS` the number of corrections made, the errors on other pictures, and the reader."""
    style, own = strange_style(seed), CorrectedReader(reader)
    shown, held_out = Studio.of(style, seed), Studio.of(style, seed + 100_000)
    card_px = held_out.camera.card_px(PILE_ZONE_MM)
    pictures = [(face, held_out.picture(face)) for face in FACES]
    made = seen = 0
    for step in STEPS:
        while made < step and seen < _MOST_SHOWN:
            face = str(shown.rng.choice(FACES))
            picture = shown.picture(face)
            seen += 1
            cards = own.read(picture, FACES, long_px=card_px).cards
            if len(cards) == 1 and cards[0].face != face:
                own.learn(picture, cards[0].corners_px, face)
                made += 1
        yield made, errors(own, pictures, card_px), own


def measure(seeds: range = SEEDS) -> Iterator[dict[str, Any]]:
    """Yield a line for each number of corrections, and two for each usual print, as `croupier bench --json` prints it.

    ``ours``: percent of errors.
    """
    reader = Reader(models.load())
    runs = [[*taught(seed, reader)] for seed in seeds]
    for place, step in enumerate(STEPS):
        counted = [run[place] for run in runs]
        made = [made for made, _, _ in counted]
        yield _line(f"strange decks after {step} corrections", [one for _, one, _ in counted]) | {"made": made}
    for name, style in STYLES.items():
        before: list[dict[str, Any]] = []
        after: list[dict[str, Any]] = []
        for seed, run in zip(seeds, runs, strict=True):
            studio = Studio.of(style, seed + 200_000)
            card_px = studio.camera.card_px(PILE_ZONE_MM)
            pictures = [(face, studio.picture(face)) for face in FACES]
            before.append(errors(reader, pictures, card_px))
            after.append(errors(run[-1][2], pictures, card_px))
        yield _line(f"{name}, before", before)
        yield _line(f"{name}, with the corrections of a strange deck", after)


def _line(what: str, counted: list[dict[str, Any]]) -> dict[str, Any]:
    counts = {name: sum(one[name] for one in counted) for name in ("cards", "wrong", "unread")}
    share = 100 * (counts["wrong"] + counts["unread"]) / counts["cards"]
    return {
        "bench": "corrections", "what": f"errors: {what}", "unit": "%", "ours": round(share, 1), "counts": counts,
        "remarks": [remark for one in counted for remark in one["misreads"]],
    }  # fmt: skip
