"""What is told of a card that was looked at: its face, or ``?`` with candidates where the witnesses leave it open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

import numpy as np

from cardsight.classify import BACK, FACES, sign_of
from cardsight.corners import Chances, named
from cardsight.deck import Deck
from cardsight.fusion import calibrated, lowered, weighed
from cardsight.marks import Mark
from cardsight.nms import Card
from cardsight.occlusion import UNDER, Belief
from cardsight.rectify import corners_of
from cardsight.sighting import Sighting
from croupier.cards import BACK as FACE_DOWN
from croupier.cards import UNREAD

SURE: Final = 0.8
"""Confidence from which a face is told; below it is ``?`` with candidates. A wrong face is worse than a question."""
CANDIDATES: Final = 4


@dataclass(slots=True)
class Seen:
    """A card and what the witnesses say of it: ``faces``, the probabilities of `FACES` by its print as a whole and by
    the deck in play; its ``mark`` and its ``corners``, ``None`` where nobody looked. ``belief``: how far its print and
    an icon on it are believed."""

    card: Card
    belief: Belief
    faces: Chances
    mark: Mark | None = None
    corners: Chances | None = None


def looked_at(card: Card, belief: Belief, mark: Mark | None, deck: Deck) -> Seen:
    """The card, before anybody looks at its corners."""
    return Seen(card, belief, calibrated(deck.faces(card.verdict.faces), belief.slope, belief.offset), mark)


def told(seen: Seen, deck: Deck) -> Sighting:
    """The face that is likely enough, or ``?``."""
    verdict, mark, outline = seen.card.verdict, seen.mark, corners_of(seen.card.quad)
    if seen.card.is_back:
        return Sighting(FACE_DOWN, float(verdict.kinds[BACK]), outline)
    faces = weighed(seen.faces, deck.signs(verdict.signs), verdict.colorful, mark, seen.corners)
    faces = faces * float(1 - verdict.kinds[BACK])
    best = int(faces.argmax())
    face, confidence = FACES[best], float(faces[best])
    symbol = mark.told if mark and not face.startswith("wild") else None
    if confidence < SURE or not deck.holds(face):
        order = np.argsort(-faces, kind="stable").tolist()
        likely = list(islice((n for n in order if deck.holds(FACES[n])), CANDIDATES))
        candidates = tuple((deck.named(FACES[n]), round(float(faces[n]), 4)) for n in likely)
        return Sighting(UNREAD, float(faces[likely[0]]), outline, symbol, candidates)
    may_be = deck.with_icon(face, lowered(verdict.icon, seen.belief.doubt))
    if len(may_be) > 1:
        sure = min(confidence, SURE)
        return Sighting(UNREAD, sure, outline, symbol, tuple((one, round(sure / 2, 4)) for one in may_be))
    return Sighting(may_be[0], confidence, outline, symbol)


def guessed(seen: Seen, others: Sequence[tuple[Card, Sighting]], deck: Deck) -> Sighting:
    """The same of an outline that is likely a card, but of which too little shows to read it: ``?``, unless a corner
    names it, and not as one of the ``others`` that it crosses: that could be this one's corner."""
    guess = told(seen, deck)
    crossed = {other.face for card, other in others if seen.card.overlap(card) > UNDER}
    if seen.corners is not None and named(seen.corners) == sign_of(guess.face) and guess.face not in crossed:
        return guess
    sure = min(guess.confidence, SURE)
    return replace(guess, face=UNREAD, confidence=sure, candidates=guess.candidates or ((guess.face, sure),))
