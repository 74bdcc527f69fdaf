"""How well a deck with names of its own is read, enrolled from one pass over it, and what the reader makes of it
otherwise: ``python -m training.measure.own_deck``.

The deck is a drawn edition with two sides. The light one has the four colors and actions of its own; the dark one has
orange, pink, purple and teal. Its prints and signs are in no training set. Each pass and each reading has another lamp,
camera, table and place of the cards.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import cv2
import numpy as np

from cardsight.enroll import DeckProfile
from cardsight.geometry import Image, Quad, overlap, rectangle
from cardsight.light import chroma, degrees_between
from cardsight.model import fingerprint
from cardsight.reader import Reader
from croupier.pictures.readings import Seen
from croupier.pictures.table_reader import hand_readers, shipped_model
from croupier_rules.cards import COLORS, DECKS, UNREAD, color_of, is_wild
from croupier_rules.deck_list import DeckList
from croupier_sim.drawing import Bgr, Part, Style, draw_face, draw_sign, random_lamp
from croupier_tally.enroll import Enrollment, Names
from training import cards, strange
from training.backgrounds import background
from training.photometry import Array, Random, shot
from training.scenes import drop, paste, texture

WIDTH, HEIGHT = 1280, 720
EACH: Final = 8
"""Cards of a picture."""
FILE: Final = {
    "colored": {"1-9": 2, "draw1": 2, "reverse": 2, "skip": 2, "flip": 2},
    "wilds": {"wild": 4, "wild-draw2": 4},
    "side": {
        "dark": {
            "colors": ["orange", "pink", "purple", "teal"],
            "colored": {"1-9": 2, "draw5": 2, "reverse": 2, "skip-all": 2, "flip": 2},
            "wilds": {"wild-dark": 4, "wild-draw-color": 4},
        }
    },
    "card": {
        **{name: {"points": 20} for name in ("draw1", "draw5", "flip", "skip-all")},
        **{name: {"points": 50} for name in ("wild-draw2", "wild-dark", "wild-draw-color")},
    },
}
"""The deck file of the edition, parsed."""
DARK: Final = {
    "orange": ("yellow", (25, 125, 245)),
    "pink": ("red", (165, 85, 230)),
    "purple": ("blue", (150, 45, 105)),
    "teal": ("green", (160, 155, 20)),
}
"""By color of the dark side: the color in whose place it is drawn, and its BGR."""
_SIGNS: Final[dict[str, list[Part]]] = {
    "draw1": [("+1", 0.75, 0.6, 0)],
    "draw5": [("+5", 0.75, 0.6, 0)],
    "flip": [(strange.INVENTED["exchange"], 0.9, 0.6, 0)],
    "skip-all": [("skip", 0.55, 5, -8), ("skip", 0.55, -5, 8)],
    "wild-draw2": [("+2", 0.7, 0, 0)],
    "wild-draw-color": [("+1", 0.5, -3, 7), ("wheel", 0.6, 4, -8)],
}


APART_DEG: Final = 18.0
"""Least difference of two hues of an edition: nobody prints two colors that people would mix up."""


def edition(rng: Random) -> tuple[Style, Style]:
    """Return the print of the light side and that of the dark one, whose eight colors are apart."""
    while True:
        light = cards.style(rng)
        dark = {place: _mixed(rng, bgr) for place, bgr in DARK.values()}
        inks = np.float32([*(light.color(color) for color in COLORS), *dark.values()])
        hues = chroma(inks[None] / 255)[0]
        if all(degrees_between(*two) >= APART_DEG for two in combinations(hues.tolist(), 2)):
            return light, replace(light, **dark)


def _mixed(rng: Random, bgr: Bgr) -> Bgr:
    b, g, r = (round(float(np.clip(channel * rng.normal(1, 0.06), 0, 255))) for channel in bgr)
    return b, g, r


def drawn(face: str, sides: tuple[Style, Style]) -> Image:
    """Draw a face of the edition."""
    light, dark = sides
    color, _, symbol = (color_of(face) or "wild", "", face) if is_wild(face) else face.partition("-")
    style = dark if color in DARK or face in ("wild-dark", "wild-draw-color") else light
    place = DARK[color][0] if color in DARK else color
    if symbol in _SIGNS:
        return draw_sign(place, _SIGNS[symbol], _SIGNS[symbol][0][0], style)
    return draw_face("wild" if face == "wild-dark" else face if is_wild(face) else f"{place}-{symbol}", style)


@dataclass(frozen=True)
class Table:
    """A picture of cards at known places, row by row."""

    picture: Image
    cards: tuple[tuple[str, Quad], ...]


def laid(faces: Sequence[str], sides: tuple[Style, Style], rng: Random) -> Iterator[Table]:
    """Yield pictures of these cards, eight in each, under one lamp."""
    lamp, ground = random_lamp(rng), background(rng, HEIGHT, WIDTH)
    alpha, width = cards.mask(240), float(rng.uniform(90, 140))
    for begin in range(0, len(faces), EACH):
        image, shown = ground.copy(), []
        cover = np.zeros((HEIGHT, WIDTH), np.int16)
        for place, face in enumerate(faces[begin : begin + EACH]):
            x, y = 160 + 320 * (place % 4), 185 + 350 * (place // 4)
            quad = rectangle(*rng.normal((x, y), 5), width * 88 / 56, width, float(rng.normal(0, 0.15)))
            quad = quad if rng.random() < 0.5 else quad[[2, 3, 0, 1]]
            drop(rng, image, quad, 0.4)
            paste(image, cover, place + 1, texture(drawn(face, sides), alpha, False), quad, 1.0)
            shown.append((face, quad))
        yield Table(shot(rng, np.float32(image * lamp.map((WIDTH, HEIGHT))).clip(0, 1)), tuple(shown))


def enrolled(deck: DeckList, sides: tuple[Style, Style], rng: Random) -> DeckProfile:
    """Learn the deck from one pass, as `croupier enroll --names` does. A picture is taken again if the command says
    so, that is if it does not see as many cards as were named."""
    model = shipped_model()
    reader, profile = Reader(model), DeckProfile(model.reader)
    for begin in range(0, len(deck.cards), EACH):
        faces = tuple(deck.cards)[begin : begin + EACH]
        for _try in range(3):
            (table,) = laid(faces, sides, rng)
            seen = Seen("pass.jpg", table.picture, reader.read(table.picture))
            taken = Enrollment(profile, Names(deck, {seen.image: faces})).take(seen)
            for card in taken:
                if card.why_not:
                    print(f"  {faces[0]}…: {card.sighting.face} not learned: {card.why_not}", file=sys.stderr)
            if taken[0].face != UNREAD:
                break
    return profile


def judged(path: Path | None, deck: DeckList | None, tables: Sequence[Table]) -> Counter[tuple[str, str]]:
    """Count what was read of the cards: ``right``, ``wrong``, ``?`` or ``missed``, by the kind of their color."""
    still = hand_readers(path, None if deck is None else deck.shown)[1]
    found = Counter[tuple[str, str]]()
    for table in tables:
        reading = still(table.picture)
        seen = [(card.face, np.array(card.corners_px, np.float32)) for card in (*reading.cards, *reading.backs)]
        for face, quad in table.cards:
            read = next((name for name, at in seen if overlap(np.float32(quad), at) > 0.5), "")
            state = "right" if read == face else "missed" if not read else "?" if read == UNREAD else "wrong"
            found[_kind(face), state] += 1
            if state == "wrong" and path is not None:
                print(f"  wrong: {face} read as {read}", file=sys.stderr)
    return found


def _kind(face: str) -> str:
    known = set(DECKS["g7942"])
    color = (color_of(face) or "wild") if face not in known else "common"
    return color if color in DARK or color == "common" else "own sign"


def main() -> int:
    """Print a row for each way of reading: how many cards of each kind are right, wrong, ``?`` and missed."""
    parser = argparse.ArgumentParser(prog="python -m training.measure.own_deck", description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3], help="editions to draw")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    deck = DeckList.parse(FILE, "own.toml")
    ways: dict[str, Counter[tuple[str, str]]] = {}
    for seed in args.seeds:
        rng: Array | Random = np.random.default_rng((44, seed))
        sides = edition(rng)
        with TemporaryDirectory() as folder:
            path = Path(folder) / "own.deck"
            path.write_bytes(enrolled(deck, sides, rng).to_bytes(fingerprint()))
            tables = list(laid([str(face) for face in rng.permutation(list(deck.cards))], sides, rng))
            for way, profile, held in (
                ("enrolled, its deck file", path, deck),
                ("enrolled", path, None),
                ("not enrolled", None, None),
                ("not enrolled, its deck file", None, deck),
            ):
                ways[way] = ways.get(way, Counter()) + judged(profile, held, tables)
    for way, counts in ways.items():
        for kind in sorted({kind for kind, _ in counts}):
            row = ", ".join(f"{state} {counts[kind, state]}" for state in ("right", "wrong", "?", "missed"))
            print(f"{way:28s} {kind:9s} {row}")
        print(f"{way:28s} {'all':9s} " + ", ".join(
            f"{state} {sum(n for (_, one), n in counts.items() if one == state)}"
            for state in ("right", "wrong", "?", "missed")
        ))  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
