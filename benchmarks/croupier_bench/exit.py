"""The camera at the card exit: which faces it reads, by condition, on prints and flashes that nothing was set by.

Every face of the deck passes in two prints: front and tail, each with its own flash. A wrong face is counted by name; a
card that is not sure is ``?``. The thresholds of `cardsight.exit_corner` were chosen on other seeds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

import cv2
import numpy as np

from cardsight.exit_corner import ExitReader
from croupier.pictures.table_reader import corner_network
from croupier_extras.sealed.exit_camera import Flashes
from croupier_rules.cards import DECKS, UNREAD
from croupier_sim.drawing import STYLES
from croupier_sim.exit_camera import Flash, draw_flash, random_flash

SEED: Final = 2_700_000
"""Seeds below are for tests and for choosing thresholds."""
FACES: Final = tuple(DECKS["g7942"])
LEAST_READ: Final = 0.99
"""Limit of the share of cards that are read in a machine that was set up."""

Condition = Callable[[Flash], Flash]

CONDITIONS: Final[dict[str, tuple[float, Condition]]] = {
    "set up: 1.2 m/s, 50 µs": (1.0, lambda flash: flash),
    "all twice as bad": (2.0, lambda flash: flash),
    "flash of 200 µs (0.24 mm of blur)": (1.0, lambda flash: replace(flash, flash_s=200e-6)),
    "flash of 1 ms (1.2 mm of blur)": (1.0, lambda flash: replace(flash, flash_s=1e-3)),
    "lens 0.3 mm out of focus": (1.0, lambda flash: replace(flash, defocus_mm=0.3)),
    "cards 5° askew": (1.0, lambda flash: replace(flash, turn=5.0 if flash.turn > 0 else -5.0)),
    "flash at a fifth": (1.0, lambda flash: replace(flash, level=flash.level / 5)),
    "warm flash": (1.0, lambda flash: replace(flash, tint=(0.65, 0.9, 1.0))),
}


def measure() -> Iterator[dict[str, Any]]:
    """Yield a line for each condition, as `croupier bench --json` prints it; ``ours``: part of the cards read right."""
    cv2.setNumThreads(1)
    reader = ExitReader(corner_network(), FACES)
    for number, (what, (worse, changed)) in enumerate(CONDITIONS.items()):
        rng = np.random.default_rng((SEED, number))
        read: Counter[tuple[str, tuple[str, ...]]] = Counter()
        for n, style in enumerate(STYLES.values()):
            for face in FACES[n % 2 :: 2]:
                flashes = Flashes(reader)
                for t, part in enumerate(("front", "tail")):
                    flashes.see(t, draw_flash(face, style, changed(random_flash(rng, worse)), rng, part=part))
                read.update((face, faces) for faces in flashes.take(1.0) or ((UNREAD,),))
        yield _row(what, read)
    yield _doubles(reader)


def _row(what: str, read: Counter[tuple[str, tuple[str, ...]]]) -> dict[str, Any]:
    right = sum(n for (face, got), n in read.items() if got == (face,))
    wrong = {f"{face} as {' + '.join(got)}": n for (face, got), n in read.items() if got not in ((face,), (UNREAD,))}
    unread = Counter[str]()
    for (face, got), n in read.items():
        if got == (UNREAD,):
            unread[face] += n
    share = right / read.total()
    line: dict[str, Any] = {"bench": "exit", "what": what, "unit": "of the cards read", "ours": round(share, 4)}
    if what == next(iter(CONDITIONS)):
        line |= {"limit": LEAST_READ, "ratio": round(share / LEAST_READ, 3)}
    often = ", ".join(f"{face} {n}" for face, n in unread.most_common(8))
    counts = {"cards": read.total(), "wrong": sum(wrong.values()), **wrong, "?": unread.total()}
    return {**line, "counts": counts | ({"? most often": often} if often else {})}


def _doubles(reader: ExitReader) -> dict[str, Any]:
    """Two cards that pass as one, the lower 24 to 50 mm ahead."""
    rng = np.random.default_rng((SEED, 100))
    seen = Counter[str]()
    for _ in range(200):
        one, other = (str(face) for face in rng.choice(FACES, 2, replace=False))
        style, flashes = STYLES[str(rng.choice(list(STYLES)))], Flashes(reader)
        flashes.see(0.0, draw_flash(one, style, random_flash(rng), rng))
        over = one, float(rng.uniform(24, 50))
        flashes.see(1.0, draw_flash(other, style, random_flash(rng), rng, part="tail", over=over))
        (faces,) = flashes.take(1.0)
        kind = "both named" if faces == (one, other) else "one card, or ?" if len(faces) == 1 else "wrong"
        seen[kind] += 1
    share = seen["both named"] / seen.total()
    return {"bench": "exit", "what": "double feeds", "unit": "of the pairs named", "ours": share, "counts": dict(seen)}
