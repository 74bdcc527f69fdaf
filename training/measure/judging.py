"""Comparison of a reading with the known cards of a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from cardsight import Reading, Sighting
from cardsight.geometry import overlap
from training.photometry import Array

State = Literal["read", "?", "missed"]


@dataclass(frozen=True)
class Card:
    """A card that lies face up in a picture.

    ``seen``: uncovered fraction (0…1). ``corner``: a printed corner is uncovered. ``quad``: outline in px, ``None`` if
    unknown.
    """

    face: str
    seen: float = 1.0
    corner: bool = True
    quad: Array | None = None


@dataclass(frozen=True)
class Scene:
    """A picture with known cards. ``source``: of the photograph; ``design``: print of the cards; ``kind``: the set it
    belongs to."""

    name: str
    source: str
    design: str
    kind: str
    cards: tuple[Card, ...]
    picture: Callable[[], Array]
    note: str = ""


@dataclass
class Result:
    """Result of reading a scene: the state of each card, and ``wrong`` sightings."""

    scene: Scene
    reading: Reading
    states: list[State]
    wrong: list[Sighting] = field(default_factory=list)
    reported: list[tuple[Sighting, bool]] = field(default_factory=list)
    """Every reported face, and whether it is right."""
    ranked: int = 0
    """Number of cards whose symbol is right, in the reported face or in the best candidate of ``?``: a gray picture
    shows no more."""
    ms: float = 0.0
    """CPU time of the reading."""
    counted: Reading | None = None
    """The reading with the number of cards; ``None`` if it was not measured."""
    confused: list[tuple[str, str]] = field(default_factory=list)
    """Pairs of the true face and the reported or most likely one."""

    @property
    def read(self) -> int:
        """Number of cards that were read."""
        return self.states.count("read")

    @property
    def exact(self) -> bool:
        """True if everything reported is right, and nothing is missing."""
        return not self.wrong and self.states.count("read") == len(self.states)


def cut_off(sighting: Sighting, width: int, height: int) -> bool:
    """True if more than a tenth of the card's length is outside the frame: such cards have no labels."""
    x, y = np.array(sighting.corners_px).T
    out = max(-x.min(), -y.min(), x.max() - width, y.max() - height)
    return bool(out > 0.1 * np.hypot(x[1] - x[2], y[1] - y[2]))


def judge(scene: Scene, reading: Reading) -> Result:
    """Match each reported face with a card of that face, and each ``?`` with the card at its place."""
    result = Result(scene, reading, ["missed"] * len(scene.cards))
    for sighting in (s for s in reading.cards if s.face != "?"):
        match = next((i for i, c in enumerate(scene.cards) if c.face == sighting.face and _free(result, i)), None)
        if match is not None:
            result.states[match] = "read"
            result.ranked += 1
            result.reported.append((sighting, True))
        elif not cut_off(sighting, *reading.size):
            result.wrong.append(sighting)
            result.reported.append((sighting, False))
            result.confused += [(scene.cards[i].face, sighting.face) for i in _there(result, sighting)[:1]]
    for sighting in (s for s in reading.cards if s.face == "?"):
        for i in _there(result, sighting)[:1]:
            result.states[i] = "?"
            for likeliest, _ in sighting.candidates[:1]:
                result.ranked += _symbol(likeliest) == _symbol(scene.cards[i].face)
                if likeliest != scene.cards[i].face:
                    result.confused.append((scene.cards[i].face, likeliest))
    return result


def _symbol(face: str) -> str:
    return face if face.startswith("wild") else face.split("-")[1]


def _free(result: Result, number: int) -> bool:
    return result.states[number] == "missed"


def _there(result: Result, sighting: Sighting) -> Sequence[int]:
    """Return the unmatched cards that a sighting may show: those at its place, or, without outlines, those of its
    candidates."""
    cards = result.scene.cards
    free = [i for i in range(len(cards)) if _free(result, i)]
    if len(cards) == 1:
        return free
    if all(cards[i].quad is not None for i in free):
        at = np.array(sighting.corners_px, np.float32)
        shared = {i: overlap(np.asarray(cards[i].quad, np.float32), at) for i in free}
        return sorted((i for i in free if shared[i] > 0.5), key=lambda i: -shared[i])
    likely = [face for face, _ in sighting.candidates]
    return sorted((i for i in free if cards[i].face in likely), key=lambda i: likely.index(cards[i].face))
