"""Decision: from the evidence on a card to its face, or to ``?`` with candidates.

The deck in play is prior knowledge. A card of another deck may lie on the table, so a face outside the deck is
unlikely, not impossible. If such a face is the most likely one all the same, the card is reported as ``?``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

import numpy as np

from cardsight.classify import BACK, FACES, SIGNS, Mark, Probabilities, sign_of
from cardsight.corners import corner_sign
from cardsight.fusion import fuse, lowered
from cardsight.geometry import corners_of
from cardsight.nms import Card
from cardsight.occlusion import UNDER, Trust
from cardsight.sighting import Reading, Sighting
from croupier_rules.cards import BACK as FACE_DOWN
from croupier_rules.cards import DECKS, UNREAD, is_face

STRANGE: Final = 0.02
"""Prior probability of a card that is not of the deck in play: an estimate, on the high side."""

ICON_CERTAIN: Final = 0.35
ICON_POSSIBLE: Final = 0.07
"""Limits for a deck that holds a face both with and without the icon: from the upper one on the icon is reported, below
the lower one it is not, and between them the card is ``?``. Drawn cards without the icon stay below the upper limit; so
do many cards with a very small one."""
ICON_IN_ANY_DECK: Final = (0.9, 0.6)
"""The same for an unknown deck. Few decks have the icon: without it one card of a hundred is ``?``, with it one of
eight."""


class Deck:
    """The deck in play. ``faces``: the faces it holds, ``None`` for all faces. They may have names that the networks
    have not learned.

    Raises `ValueError` if it holds no face.
    """

    def __init__(self, faces: Collection[str] | None = None) -> None:
        self._faces = None if faces is None else frozenset(faces)
        self._plain = frozenset(face.removesuffix("*") for face in self._faces or ())
        if faces is not None and not self._plain:
            raise ValueError("a deck without a face; expected faces such as red-7, or None for all")
        self._signs = {sign_of(face) for face in self._faces or ()}

    @property
    def is_known(self) -> bool:
        """True if the faces of the deck are known."""
        return self._faces is not None

    @property
    def unlearned(self) -> float:
        """Prior probability (0…1) of a card whose face the networks have not learned."""
        return UNLEARNED_IN_ANY_DECK if self._faces is None else len(self._plain - set(FACES)) / len(self._plain)

    @property
    def unexpected(self) -> float:
        """The same, of the deck or of another one: a card of another deck may lie on the table."""
        return max(self.unlearned, STRANGE)

    def holds(self, face: str) -> bool:
        """True if a card of the deck can show ``face``. A face without the icon counts even if the deck has it only
        with the icon."""
        return self._faces is None or face in self._faces or face in self._plain

    def name_of(self, face: str) -> str:
        """Return the face with the icon if the deck holds it only so."""
        return face if self._faces is None or face in self._faces or face not in self._plain else f"{face}*"

    def with_icon(self, face: str, icon: float) -> tuple[str, ...]:
        """Return the possible names of a card read as ``face``, by the probability ``icon`` (0…1) of the Add-a-Rule
        icon. Two names, the more likely first, if it cannot be decided."""
        starred = f"{face}*"
        if not is_face(starred) or not self.holds(starred):
            return (face,)
        certain, possible = ICON_IN_ANY_DECK if self._faces is None else (ICON_CERTAIN, ICON_POSSIBLE)
        if icon >= certain or self.name_of(face) == starred:
            return (starred,)
        return (starred, face) if icon >= possible else (face,)

    def faces(self, chances: Probabilities) -> Probabilities:
        """Weight probabilities of `FACES` by the deck."""
        return self._expected(chances, FACES, self._plain)

    def signs(self, chances: Probabilities) -> Probabilities:
        """Weight probabilities of `SIGNS` by the deck."""
        return self._expected(chances, SIGNS, self._signs)

    def _expected(self, chances: Probabilities, names: Sequence[str], held: Collection[str]) -> Probabilities:
        if self._faces is None:
            return chances
        known = chances * np.array([1.0 if name in held else STRANGE for name in names])
        return np.asarray(known / known.sum(), chances.dtype)


SURE: Final = 0.8
"""Confidence from which a face is reported; below it the card is ``?``. A wrong face costs more than a question."""
CANDIDATES: Final = 4
UNLEARNED_IN_ANY_DECK: Final = 0.06
"""Prior probability of an unlearned face in an unknown deck: of five decks one has some, a third of its cards."""
UNLEARNED: Final = 0.5
"""Factor of all probabilities if a card seems to be of a face that was never learned."""


@dataclass(slots=True)
class Evidence:
    """A card and the evidence on it.

    ``faces``: probabilities of `FACES`, from the whole print and the deck. ``mark`` and ``corners``: ``None`` if not
    examined. ``trust``: the calibration for this card. ``is_unlearned``: True if the `novelty` of the card is that of a
    face that was never learned.
    """

    card: Card
    trust: Trust
    faces: Probabilities
    mark: Mark | None = None
    corners: Probabilities | None = None
    is_unlearned: bool = False


def gather_evidence(card: Card, trust: Trust, mark: Mark | None, deck: Deck) -> Evidence:
    """Collect the evidence on a card, without its corners."""
    return Evidence(card, trust, trust.calibration.apply(deck.faces(card.classification.faces)), mark)


def believed(seen: Evidence, deck: Deck) -> Probabilities:
    """Return the probability of each of `FACES` by all evidence on a card face up."""
    classification = seen.card.classification
    signs = deck.signs(classification.signs)
    return fuse(seen.faces, signs, classification.colorful, seen.mark, seen.corners)


def decide(seen: Evidence, deck: Deck) -> Sighting:
    """Return the sighting: the face if it is likely enough, else ``?``."""
    classification, mark, outline = seen.card.classification, seen.mark, corners_of(seen.card.quad)
    if seen.card.is_back:
        return Sighting(FACE_DOWN, float(classification.kinds[BACK]), outline)
    faces = believed(seen, deck) * float(1 - classification.kinds[BACK]) * (UNLEARNED if seen.is_unlearned else 1.0)
    best = int(faces.argmax())
    if seen.trust.most < SURE:  # what it shows is hardly the face that it resembles
        faces = faces * min(1.0, seen.trust.most / float(faces[best]))
    face, confidence = FACES[best], min(float(faces[best]), seen.trust.most)
    symbol = mark.shape if mark and not face.startswith("wild") else None
    order = np.argsort(-faces, kind="stable").tolist()
    likely = list(islice((n for n in order if deck.holds(FACES[n])), CANDIDATES))
    if confidence < SURE or not deck.holds(face):
        candidates = tuple((deck.name_of(FACES[n]), round(float(faces[n]), 4)) for n in likely)
        return Sighting(UNREAD, float(faces[likely[0]]) if likely else 0.0, outline, symbol, candidates)
    icon = lowered(classification.icon, seen.trust.icon_doubt)
    may_be = deck.with_icon(face, icon)
    if len(may_be) > 1:
        sure = min(confidence, SURE)
        return Sighting(UNREAD, sure, outline, symbol, tuple((one, round(sure / 2, 4)) for one in may_be))
    runners_up = tuple(deck.name_of(FACES[n]) for n in likely if n != best)
    if not deck.is_known and may_be[0] != face:
        confidence = min(confidence, icon)
    return Sighting(may_be[0], confidence, outline, symbol, runners_up=runners_up)


def decide_hidden(seen: Evidence, others: Sequence[tuple[Card, Sighting]], deck: Deck) -> Sighting:
    """Decide on an outline that shows too little of a card.

    The result is ``?`` unless a printed corner confirms the face. A face of one of the ``others`` that overlap the
    outline does not count: the corner may be theirs.
    """
    guess = decide(seen, deck)
    crossed = {other.face for card, other in others if seen.card.overlap(card) > UNDER}
    if seen.corners is not None and corner_sign(seen.corners) == sign_of(guess.face) and guess.face not in crossed:
        return guess
    sure = min(guess.confidence, SURE)
    candidates = guess.candidates if guess.face == UNREAD else ((guess.face, sure),)
    return replace(guess, face=UNREAD, confidence=sure, candidates=candidates)


def limited(readings: Sequence[Reading], held: Mapping[str, int] | None = None, below: float = 1.1) -> list[Reading]:
    """Limit the cards of several pictures to one deck: where a face was read more often than the deck holds it, the
    least sure of these cards become ``?``. Exact are the probabilities of their candidates: of n cards of which the
    deck holds k, n - k were misread, the least sure ones most likely.

    ``held``: number of cards of each face that the deck has, 0 where all of them were seen before; a face with the
    Add-a-Rule icon counts as that without. A card whose face is not in it becomes ``?`` with the doubt ``not-in-deck``.
    ``None``: the most that any deck has of it, of the decks that hold all faces that were read. ``below``: confidence
    from which a card stays as it is, since an added card is likelier than a misread one.
    """
    found = defaultdict[str, list[tuple[int, int]]](list)
    for picture, reading in enumerate(readings):
        for place, card in enumerate(reading.cards):
            if card.face != UNREAD:
                found[card.face.removesuffix("*")].append((picture, place))
    decks = [held] if held is not None else [deck for deck in DECKS.values() if found.keys() <= deck.keys()]
    cards = [list(reading.cards) for reading in readings]
    for face, places in found.items() if decks else ():
        if not any(face in deck for deck in decks):
            for picture, place in places:
                card = cards[picture][place]
                if card.confidence < below:
                    cards[picture][place] = _of_no_deck(card, held or {})
            continue
        extra = len(places) - max(deck.get(face, 0) for deck in decks)
        if extra <= 0:
            continue
        wrong = {at: max(1 / max(cards[at[0]][at[1]].confidence, 0.01) - 1, 1e-6) for at in places}
        for at in sorted(places, key=lambda at: (wrong[at], at), reverse=True)[:extra]:
            card = cards[at[0]][at[1]]
            if card.confidence < below:
                right = max(0.0, 1 - extra * wrong[at] / sum(wrong.values()))
                cards[at[0]][at[1]] = _one_of_too_many(card, right)
    return [replace(reading, cards=tuple(some)) for reading, some in zip(readings, cards, strict=True)]


def _of_no_deck(card: Sighting, held: Mapping[str, int]) -> Sighting:
    """A card whose face the deck does not have, as ``?`` with the other faces that it may be."""
    others = [face for face in card.runners_up if face.removesuffix("*") in held]
    share = round((1 - min(card.confidence, SURE)) / max(len(others), 1), 4)
    # A card that is named by its corner alone counts as covered; where none lies on it, its face is all that is odd.
    kept = tuple(doubt for doubt in card.doubts if doubt != "covered" or card.under is not None)
    return replace(
        card, face=UNREAD, confidence=share if others else 0.0, candidates=tuple((face, share) for face in others),
        doubts=(*kept, "not-in-deck"), runners_up=(),
    )  # fmt: skip


def _one_of_too_many(card: Sighting, right: float) -> Sighting:
    others = [face for face in card.runners_up if face != card.face]
    candidates = [(card.face, round(right, 4)), *((face, round((1 - right) / len(others), 4)) for face in others)]
    candidates.sort(key=lambda one: -one[1])
    return replace(
        card, face=UNREAD, confidence=min(candidates[0][1], SURE), candidates=tuple(candidates),
        doubts=(*card.doubts, "deck"), runners_up=(),
    )  # fmt: skip
