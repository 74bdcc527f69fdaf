"""Training of the weights of `cardsight.layout`: part of `make train`, and, after it, alone:
``python -m training.train_layout``.

Samples are the hypotheses in pictures whose cards are known: hands, heaps and fans composed of cards that the networks
have not learned, and tables on which other things lie beside the cards.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from cardsight import model as models
from cardsight.classify import FACES
from cardsight.geometry import Outline, Quad, pyramid, quad_of
from cardsight.indices import FEATURES as INDEX_FEATURES
from cardsight.indices import Unread, own_corners
from cardsight.layout import FEATURES, FOLDER, Hypothesis, Picture, angle_between, load_evidence, save_weights
from cardsight.networks import Network
from cardsight.occlusion import uncovered
from cardsight.reader import Reader
from cardsight.sighting import Reading
from croupier_rules.cards import CARD_MM
from training import beliefs
from training.card import hashes, record
from training.course import Course
from training.measure import kitchen, sets
from training.measure.calibration import regression
from training.measure.judging import Card, Scene
from training.measure.models import Known
from training.parallel import on_one_core
from training.photos import LICENSED, WORK, load

LAID: Mapping[str, int] = {"hand": 40, "close fan": 24, "pile": 32, "covered": 8, "held": 16, "oblique": 8}
"""Number of scenes of each kind, for each material."""
HEAPS = ("fan 6°", "fan 9°", "overlap .35", "overlap .55", "box")
KITCHEN: Mapping[str, int] = (
    dict.fromkeys(kitchen.SCENES, 4) | {"row": 3, "two rows": 3, "cropped": 20} | dict.fromkeys(HEAPS, 8)
)
FIRST = 1000
"""Number of tables of each composed kitchen scene, and the number of the first: the bench has others."""
VISIBLE = 0.04
"""Visible fraction from which a card can be seen at all."""
SAME_PLACE, SAME_ANGLE = 0.18, 0.16
"""Distance between centers (card lengths) and angle (rad) up to which an outline that was read is that of a card."""
MOSTLY, PARTLY = 0.5, 0.2
"""Fraction of the uncovered part of an outline that shows a card, from which it is right, and up to which it is
wrong. Its place need not be exact."""
INDEX_MM, INDEX_RAD = 6.0, 0.5
"""Distance and angle from the true index of a card up to which an index is this card's."""


class Sample(NamedTuple):
    """A hypothesis, whether a card lies there that was not read (``None``: in part), and whether its index names it
    rightly."""

    kind: str
    hypothesis: Hypothesis
    is_card: bool | None
    is_named: bool


def main() -> int:
    """Fit the weights to what the networks of an earlier `make train` read, and install them."""
    parser = argparse.ArgumentParser(prog="python -m training.train_layout", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of all random numbers")
    parser.add_argument("--work", type=Path, default=WORK, metavar="FOLDER", help="where `make train` has trained")
    args = parser.parse_args()
    licensed = [photo for photo in load() if photo.source in LICENSED]
    course = Course(licensed, args.seed, args.work / f"seed-{args.seed}")
    without = {source: course.without(source) for source in course.sources}
    on_one_core()
    save_weights(FOLDER, *fit(beliefs.known(course.model(), without, licensed), load_evidence()))
    known = record(FOLDER)
    replace(known, files=hashes(FOLDER, list(known.files))).write(FOLDER)
    return 0


def fit(shown: Sequence[Known], evidence: Network) -> tuple[dict[str, float], dict[str, float]]:
    """Return the weights of an index (`indices.FEATURES`) and of a hypothesis (`layout.FEATURES`)."""
    found = [
        sample
        for one in shown
        for scene, reading, model in read(one)
        for sample in samples(scene, reading, model, evidence)
    ]
    return fitted(found)


def fitted(found: Sequence[Sample]) -> tuple[dict[str, float], dict[str, float]]:
    """Return the weights that fit these samples."""
    sure = [one for one in found if one.is_card is not None]
    named = [one for one in found if one.hypothesis.unread is not None and one.is_card]
    print(f"layout: {len(sure)} hypotheses, {sum(bool(one.is_card) for one in sure)} of them cards", flush=True)
    index = regression(
        np.reshape([one.hypothesis.unread.features for one in named], (-1, len(INDEX_FEATURES))),
        np.array([one.is_named for one in named], float), np.ones(len(named)),
    )  # fmt: skip
    layout = regression(
        np.reshape([one.hypothesis.features for one in sure], (-1, len(FEATURES))),
        np.array([one.is_card for one in sure], float), np.ones(len(sure)),
    )  # fmt: skip
    return (
        dict(zip(INDEX_FEATURES, index.tolist(), strict=True)), dict(zip(FEATURES, layout.tolist(), strict=True)),
    )  # fmt: skip


def read(one: Known) -> Iterator[tuple[Scene, Reading, models.Model]]:
    """Yield the scenes that show what the networks know, and what they read."""
    model = one.model()
    reader = Reader(model)
    pools = [pool for pool in kitchen.pools(one.photos) if (pool.kind == "drawn") == (not one.photos)]
    tables = (
        kitchen.scene(pool, name, FIRST + number)
        for pool in pools
        for name, count in KITCHEN.items()
        for number in range(count)
    )
    for scene in (*sets.photographs(one.photos[::4]), *sets.laid(one.material, LAID, "layout"), *tables):
        yield scene, reader.read(scene.picture()), model


def samples(scene: Scene, reading: Reading, model: models.Model, evidence: Network) -> Iterator[Sample]:
    """Yield the hypotheses in a scene: those at first, then those beside each card that is there and is added."""
    if not (reading.cards or reading.backs):
        return
    picture = Picture(pyramid(scene.picture()), reading, model, evidence)
    layout = picture.layout()
    known = [Outline(quad_of(card.corners_px)) for card in (*reading.cards, *reading.backs) if card.face != "?"]
    for propose in (picture.by_index, picture.by_cells):
        is_first = True
        while found := propose(layout):
            judged = [(one, _is_card(one, scene.cards, known, reading.size)) for one in found]
            if is_first or propose == picture.by_cells:  # the features of an index stay the same
                yield from (Sample(scene.kind, one, is_card, _is_named(one, scene.cards)) for one, is_card in judged)
            new = [one for one, is_card in judged if is_card and not any(_is_same(one, other) for other in known)]
            is_first = False
            if not new:
                break
            layout.guess(new[0])
            known.append(new[0])


def _is_card(one: Outline, cards: Sequence[Card], known: Sequence[Outline], size: tuple[int, int]) -> bool | None:
    """True if the uncovered part of an outline shows a card that is not among the ``known``; ``None`` if in part."""
    if any(card.quad is None for card in cards):  # a photograph in which all cards lie free
        others = [*known, *(Outline(np.asarray(card.quad, np.float32)) for card in cards if card.quad is not None)]
        return None if len(known) < len(cards) or any(one.overlap(other) > PARTLY for other in others) else False
    free, most = free_px(one.quad, known, size), 0.0
    for card in cards:
        if card.seen >= VISIBLE:
            outline = Outline(np.asarray(card.quad, np.float32))
            if not any(_is_same(outline, other) for other in known):
                others_free = free_px(one.quad, [outline, *known], size)
                most = max(most, 1 - others_free / max(1, free), float(_is_same(one, outline)))
    return True if most > MOSTLY else None if most > PARTLY else False


def _is_same(one: Outline, other: Outline) -> bool:
    near = one.distance_to(other) < SAME_PLACE * other.long
    return near and angle_between(one.quad, other.quad) < SAME_ANGLE


def _is_named(hypothesis: Hypothesis, cards: Sequence[Card]) -> bool:
    """True if its index is one of a card with the face that it names."""
    if (one := hypothesis.unread) is None:
        return False
    face = FACES[int(one.faces.argmax())]
    return any(
        card.face.removesuffix("*") == face and card.quad is not None and _is_at(one, np.asarray(card.quad, np.float32))
        for card in cards
    )


def _is_at(one: Unread, quad: Quad) -> bool:
    card = Outline(quad)
    return any(np.hypot(*(one.corner.place - at)) < INDEX_MM * card.long / CARD_MM[1] for at in own_corners(card))


def free_px(quad: Quad, known: Iterable[Outline], size: tuple[int, int]) -> int:
    """Return how many px of a card's crop lie in the picture, of this width and height (px), and in no other card."""
    picture = np.array([[0, 0], [size[0], 0], size, [0, size[1]]], np.float32)
    beyond = uncovered(quad, [picture])
    return int(((beyond == 0) & (uncovered(quad, [other.quad for other in known]) > 0)).sum())


if __name__ == "__main__":
    sys.exit(main())
