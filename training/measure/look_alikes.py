"""Which pairs of learned faces `croupier enroll` tells as look-alikes, and which ones are mixed up when they are read:
``python -m training.measure.look_alikes``.

A profile learns one card of each face of a source, and a few faces a second time under another name, as a deck may
print two of its cards alike. Other cards of the source are then read with it. A pair is mixed up if a card of one of
them is not read for certain, and the other one is the likeliest face but it.

`cardsight.enroll.profile.ALIKE` is chosen on the licensed sources and on drawn editions. The other sources, and other
editions, measure it.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import cv2
import numpy as np

from cardsight.decision import SURE
from cardsight.enroll import DeckProfile
from cardsight.enroll.profile import ALIKE, extract_features
from cardsight.geometry import Image, pyramid, warp_crop
from cardsight.model import load
from croupier_rules.deck_list import DeckList
from training.measure import own_deck
from training.photometry import Random
from training.photos import DRAWN_ON, LICENSED
from training.photos import load as photographs

LIMITS: Final = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
"""Log odds between two faces that are compared as limits."""
AT_ONCE: Final = 4
"""Faces that are learned under a second name in one profile: of most faces nothing is to be like them."""
SECOND: Final = "-again"
"""End of a second name."""
LEAST: Final = 20
"""Faces of a source from which it is a deck."""
PASSES: Final = 4
"""Pictures of each face of a drawn edition: one is learned, and one under the second name."""

Crops = Mapping[str, Sequence[Image]]


class Pair(NamedTuple):
    """Two names of a profile: the log odds between them, whether both name one face, whether cards of them were read,
    and whether these were mixed up."""

    faces: tuple[str, str]
    odds: float
    is_one: bool
    was_read: bool
    is_mixed: bool


def decks(editions: int) -> Iterator[tuple[str, bool, Crops]]:
    """Yield the name of each deck, whether limits are chosen on it, and the crops of its faces."""
    found = defaultdict[str, dict[str, list[Image]]](dict)
    for photo in photographs():
        if photo.outlines and photo.source not in DRAWN_ON:
            levels = pyramid(photo.picture())
            for face, quad in photo.outlines:
                found[photo.source].setdefault(face, []).append(warp_crop(levels, quad))
    for source, crops in sorted(found.items()):
        if len(crops) >= LEAST:
            yield source, source in LICENSED, crops
    for number in range(2 * editions):
        yield f"drawn {number}", number < editions, drawn(np.random.default_rng((46, number)))


def drawn(rng: Random) -> Crops:
    """Return crops of all faces of a drawn edition with two sides, each pass under another lamp."""
    sides, crops = own_deck.edition(rng), dict[str, list[Image]]()
    faces = list(DeckList.parse(own_deck.FILE, "own.toml").cards)
    for _pass in range(PASSES):
        for table in own_deck.laid(faces, sides, rng):
            levels = pyramid(table.picture)
            for face, quad in table.cards:
                crops.setdefault(face, []).append(warp_crop(levels, quad))
    return crops


def judged(crops: Crops) -> Iterator[Pair]:
    """Yield the pairs of a deck: of different ones once, and each face that it has two crops of with itself."""
    net = load().reader
    again = [face for face, some in crops.items() if len(some) > 1]
    for begin in range(0, max(1, len(again)), AT_ONCE):
        twice = again[begin : begin + AT_ONCE]
        profile = DeckProfile(net)
        for face, some in crops.items():
            profile.learn(face, some[0])
        for face in twice:
            profile.learn(face + SECOND, crops[face][1])
        mixed, read = set[tuple[str, str]](), set[str]()
        for face, some in crops.items():
            shown = some[2:] if face in twice else some[1:] if not begin else ()
            for crop in shown:
                seen = extract_features(net, crop)
                chances = profile.weighted(seen.faces.astype(np.float64), seen)
                first, second = sorted(chances, key=lambda one: -chances[one])[:2]
                read.add(face)
                if first != face or chances[first] < SURE:
                    other = second if first == face else first
                    mixed.add((min(face, other), max(face, other)))
        for pair, odds in profile.odds_between().items():
            is_one = pair[0] + SECOND == pair[1]
            if is_one or (not begin and not any(face.endswith(SECOND) for face in pair)):
                yield Pair(pair, odds, is_one, not read.isdisjoint(pair), pair in mixed)


def main() -> int:
    """Print the pairs told and mixed up by deck, and in all for each limit."""
    parser = argparse.ArgumentParser(prog="python -m training.measure.look_alikes", description=__doc__)
    parser.add_argument("--editions", type=int, default=1, help="drawn editions to choose on, and as many to measure")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    found = defaultdict[bool, list[Pair]](list)
    for name, is_chosen_on, crops in decks(args.editions):
        pairs = list(judged(crops))
        found[is_chosen_on] += pairs
        print(f"{name:9s} {'chosen on' if is_chosen_on else '':9s} {_row(pairs, ALIKE)}", flush=True)
        for pair in pairs:
            if not pair.is_one and (pair.odds < ALIKE or pair.is_mixed):
                state = "mixed up" if pair.is_mixed else "read rightly" if pair.was_read else "no other card to read"
                print(f"  {' and '.join(pair.faces)}: {pair.odds:.1f}, {state}")
    for is_chosen_on, pairs in sorted(found.items(), reverse=True):
        print("chosen on" if is_chosen_on else "measured")
        for limit in sorted({*LIMITS, ALIKE}):
            print(f"  below {limit:4.1f}: {_row(pairs, limit)}")
    return 0


def _row(pairs: Sequence[Pair], limit: float) -> str:
    """Return how many pairs are told below a limit: of those that are one face, of those that were mixed up, and of the
    others."""
    kinds = {
        "one face": [pair for pair in pairs if pair.is_one],
        "mixed up": [pair for pair in pairs if not pair.is_one and pair.is_mixed],
        "others": [pair for pair in pairs if not pair.is_one and not pair.is_mixed],
    }
    return ", ".join(f"{name} {sum(one.odds < limit for one in some)} of {len(some)}" for name, some in kinds.items())


if __name__ == "__main__":
    sys.exit(main())
