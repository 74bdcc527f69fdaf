"""What is known of the deck in play, beside what is seen: which faces it has.

A card with another face may lie on the table all the same, from another deck. So such a face is unlikely, not
impossible; where it is the likeliest even so, the card is a question.

What is told of a card that was looked at: its face, or ``?`` with candidates where the witnesses leave it open.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

import numpy as np

from cardsight.classify import BACK, FACES, SIGNS, Mark, Probabilities, named, sign_of
from cardsight.fusion import fuse, lowered
from cardsight.geometry import corners_of
from cardsight.nms import Card
from cardsight.occlusion import UNDER, Trust
from cardsight.sighting import Sighting
from croupier.cards import BACK as FACE_DOWN
from croupier.cards import UNREAD, is_face

STRANGE: Final = 0.02
"""How often a card lies on the table that is not of the deck in play: a guess, on the high side."""

HAS_ICON: Final = 0.6
"""Probability from which the Add-a-Rule icon is told where nobody knows the deck: few decks have it. No photographed
card without it reaches half of that, most drawn cards with it show more."""
TOLD_ICON: Final = 0.35
DOUBTED_ICON: Final = 0.07
"""Where the deck has a card with and one without it, the icon is told from the first on; below the second there is
none; between them is no telling. Drawn cards without it do not reach the first; where it is printed very
small, many of those with it do not either."""


class Deck:
    """The ``faces`` that the cards on the table can have; ``None``: all there are.

    Raises `ValueError` where no card can have any of them.
    """

    def __init__(self, faces: Collection[str] | None = None) -> None:
        self._faces = None if faces is None else frozenset(faces)
        self._plain = frozenset(face.removesuffix("*") for face in self._faces or ())
        if faces is not None and self._plain.isdisjoint(FACES):
            raise ValueError(f"no card has one of the faces {sorted(faces)}; expected such as red-7, or None for all")
        self._signs = {sign_of(face) for face in self._faces or ()}

    def holds(self, face: str) -> bool:
        """Whether a card of the deck can show ``face``, be it only with the icon."""
        return self._faces is None or face in self._faces or face in self._plain

    def named(self, face: str) -> str:
        """The face with the icon, where the deck has it only so."""
        return face if self._faces is None or face in self._faces or face not in self._plain else f"{face}*"

    def with_icon(self, face: str, icon: float) -> tuple[str, ...]:
        """What a card that is read as ``face`` may be if it bears the icon with the probability ``icon``: two faces,
        the likelier first, where there is no telling."""
        starred = f"{face}*"
        if not is_face(starred) or not self.holds(starred):
            return (face,)
        told, doubted = (HAS_ICON, HAS_ICON) if self._faces is None else (TOLD_ICON, DOUBTED_ICON)
        if icon >= told or self.named(face) == starred:
            return (starred,)
        return (starred, face) if icon >= doubted else (face,)

    def faces(self, chances: Probabilities) -> Probabilities:
        """The probabilities of `FACES`, by what was seen and by what the deck has."""
        return self._expected(chances, FACES, self._plain)

    def signs(self, chances: Probabilities) -> Probabilities:
        """The same for `SIGNS`, whatever the color."""
        return self._expected(chances, SIGNS, self._signs)

    def _expected(self, chances: Probabilities, names: Sequence[str], held: Collection[str]) -> Probabilities:
        if self._faces is None:
            return chances
        known = chances * np.array([1.0 if name in held else STRANGE for name in names])
        return np.asarray(known / known.sum(), chances.dtype)


SURE: Final = 0.8
"""Confidence from which a face is told; below it is ``?`` with candidates. A wrong face is worse than a question."""
CANDIDATES: Final = 4


@dataclass(slots=True)
class Evidence:
    """A card and what the witnesses say of it: ``faces``, the probabilities of `FACES` by its print as a whole and by
    the deck in play; its ``mark`` and its ``corners``, ``None`` where nobody looked. ``trust``: how far its print and
    an icon on it are believed."""

    card: Card
    trust: Trust
    faces: Probabilities
    mark: Mark | None = None
    corners: Probabilities | None = None


def gather_evidence(card: Card, trust: Trust, mark: Mark | None, deck: Deck) -> Evidence:
    """The card, before anybody looks at its corners."""
    return Evidence(card, trust, trust.calibration.apply(deck.faces(card.classification.faces)), mark)


def decide(seen: Evidence, deck: Deck) -> Sighting:
    """The face that is likely enough, or ``?``."""
    classification, mark, outline = seen.card.classification, seen.mark, corners_of(seen.card.quad)
    if seen.card.is_back:
        return Sighting(FACE_DOWN, float(classification.kinds[BACK]), outline)
    faces = fuse(seen.faces, deck.signs(classification.signs), classification.colorful, mark, seen.corners)
    faces = faces * float(1 - classification.kinds[BACK])
    best = int(faces.argmax())
    face, confidence = FACES[best], float(faces[best])
    symbol = mark.shape if mark and not face.startswith("wild") else None
    if confidence < SURE or not deck.holds(face):
        order = np.argsort(-faces, kind="stable").tolist()
        likely = list(islice((n for n in order if deck.holds(FACES[n])), CANDIDATES))
        candidates = tuple((deck.named(FACES[n]), round(float(faces[n]), 4)) for n in likely)
        return Sighting(UNREAD, float(faces[likely[0]]), outline, symbol, candidates)
    may_be = deck.with_icon(face, lowered(classification.icon, seen.trust.icon_doubt))
    if len(may_be) > 1:
        sure = min(confidence, SURE)
        return Sighting(UNREAD, sure, outline, symbol, tuple((one, round(sure / 2, 4)) for one in may_be))
    return Sighting(may_be[0], confidence, outline, symbol)


def decide_hidden(seen: Evidence, others: Sequence[tuple[Card, Sighting]], deck: Deck) -> Sighting:
    """The same of an outline that is likely a card, but of which too little shows to read it: ``?``, unless a corner
    names it, and not as one of the ``others`` that it crosses: that could be this one's corner."""
    guess = decide(seen, deck)
    crossed = {other.face for card, other in others if seen.card.overlap(card) > UNDER}
    if seen.corners is not None and named(seen.corners) == sign_of(guess.face) and guess.face not in crossed:
        return guess
    sure = min(guess.confidence, SURE)
    return replace(guess, face=UNREAD, confidence=sure, candidates=guess.candidates or ((guess.face, sure),))
