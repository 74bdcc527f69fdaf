"""Card reader with a deck profile: it compares each card that `Reader` finds with the learned cards."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import replace
from time import perf_counter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cardsight.card_reader import levels_of
from cardsight.classify import FACES
from cardsight.decision import CANDIDATES, STRANGE, SURE, Deck
from cardsight.enroll.outlines import outlines
from cardsight.enroll.profile import CardFeatures, DeckProfile, Vector, extract_features
from cardsight.geometry import Image, Quad, corners_of, moved, overlap, quad_of, warp_crop
from cardsight.reader import Reader
from cardsight.sighting import Reading, Sighting
from croupier_rules.cards import BACK, COLORS, UNREAD, symbol_of

SAME_PRINT: Final = 0.7
"""Print similarity from which a crop is that card of that deck; the answer of the network is then ignored. Another
print of the same face reaches it in fewer than 1 % of the photographs, wilds excepted."""
OTHER_DECK: Final = 0.6
"""Print similarity to all learned cards below which a card is not of the deck, or mostly covered. Its reading is kept:
what one edition calls green may be another's blue."""
MOST_SURE: Final = 0.999
"""Upper limit of the confidence by similarity: two faces that were never compared may look alike."""
COVERS: Final = 0.5
"""Overlap with a card found by its print from which another sighting is a part of that card."""


class DeckReader:
    """Reads the cards of the deck of ``profile``, and all others as ``reader`` does. Do not share it between
    threads."""

    def __init__(self, reader: Reader, profile: DeckProfile) -> None:
        self._reader, self._profile = reader, profile

    def read(
        self, image: Image | list[Image], /, faces: Collection[str] | None = None, *, top_only: bool = False,
        long_px: float | None = None,
    ) -> Reading:  # fmt: skip
        """Read all cards in the picture. Arguments: as `Reader.read`."""
        began = perf_counter()
        levels, deck = levels_of(image), Deck(faces)
        reading = self._reader.read(levels, faces, top_only=top_only, long_px=long_px)
        if not self._profile.cards:
            return reading
        seen = [self._reread(levels, card, deck) for card in (*reading.cards, *reading.backs)]
        if self._profile.has_unusual_print:
            seen = self._with_unusual_prints(levels, seen, deck)
        own = (perf_counter() - began) * 1000 - reading.ms
        return replace(
            reading,
            cards=tuple(card for card in seen if card.face != BACK),
            backs=tuple(card for card in seen if card.face == BACK),
            ms=reading.ms + own,
            stages_ms=reading.stages_ms | {"own deck": own},
        )

    def _reread(self, levels: list[Image], card: Sighting, deck: Deck) -> Sighting:
        """Return the sighting, corrected by the profile."""
        seen = extract_features(self._profile.net, warp_crop(levels, quad := quad_of(card.corners_px)))
        if card.face == UNREAD:  # an unlearned print misleads the reader about the outline, too
            seen = extract_features(self._profile.net, warp_crop(levels, moved(quad, seen.corners)))
        back, face = self._profile.by_print(seen)
        if max(back, face) < OTHER_DECK:
            return card
        if card.face == BACK:
            return card if back >= face or face < SAME_PRINT else self._named(card, seen.faces, seen, deck)
        if back >= SAME_PRINT and back > face:
            return Sighting(BACK, back, card.corners_px)
        return self._named(card, _by_sighting(card, seen.faces), seen, deck)

    def _named(self, card: Sighting, chances: NDArray[np.float64] | Vector, seen: CardFeatures, deck: Deck) -> Sighting:
        faces: dict[str, float] = defaultdict(float)
        weighted = self._profile.weighted(np.asarray(chances, np.float64), seen)
        # What was read for certain is rarely a sign that the reader has not learned: its novelty would have shown.
        rare = {face for face in weighted if not deck.holds(face) or (card.face != UNREAD and _has_own_sign(face))}
        expected = {face: chance * (STRANGE if face in rare else 1.0) for face, chance in weighted.items()}
        total = sum(expected.values())
        for face, chance in expected.items():
            faces[deck.name_of(face)] += chance / total
        order = sorted(faces, key=lambda face: -faces[face])
        likely = [face for face in order if deck.holds(face)][:CANDIDATES]
        best = order[0]
        confidence = min(faces[best], MOST_SURE)
        if confidence < SURE or best not in likely or self._profile.has_other_hue(best, seen):
            candidates = tuple((face, round(faces[face], 4)) for face in likely)
            sure = min(faces[likely[0]], SURE) if likely else 0.0
            return Sighting(UNREAD, sure, card.corners_px, card.symbol, candidates, card.doubts)
        runners_up = tuple(face for face in likely if face != best)
        starred = f"{best}*"
        if starred not in self._profile.faces:  # a profile without this icon cannot decide about it
            if card.face == UNREAD and {starred, best} <= {face for face, _ in card.candidates}:
                return card
            best = starred if card.face == starred else best
        return Sighting(best, confidence, card.corners_px, card.symbol, runners_up=runners_up)

    def _with_unusual_prints(self, levels: list[Image], seen: list[Sighting], deck: Deck) -> list[Sighting]:
        """Return the sightings, and cards that are found by outline and print only. Sightings of parts of such cards
        are removed."""
        found: list[tuple[Quad, Sighting]] = []
        for quad in outlines(levels[0]):
            card = extract_features(self._profile.net, warp_crop(levels, quad))
            back, face = self._profile.by_print(card)
            if max(back, face) < SAME_PRINT or any(overlap(quad, other) > COVERS for other, _ in found):
                continue
            plain = Sighting(BACK, back, corners_of(quad))
            found.append((quad, plain if back > face else self._of_learned(self._named(plain, card.faces, card, deck))))
        rest = [card for card in seen if all(overlap(quad_of(card.corners_px), quad) <= COVERS for quad, _ in found)]
        return [*rest, *(card for _, card in found)]

    def _of_learned(self, card: Sighting) -> Sighting:
        """Return ``?`` for a card found by the print of a learned one if it is named as a face that was not learned."""
        if card.face == UNREAD or card.face.rstrip("*") in self._profile.faces:
            return card
        sure = min(card.confidence, SURE)
        return replace(card, face=UNREAD, confidence=sure, candidates=((card.face, sure),))


def _has_own_sign(face: str) -> bool:
    """True if no face that the reader has learned has the sign of this one in another color."""
    return face not in FACES and f"{COLORS[0]}-{symbol_of(face)}" not in FACES


def _by_sighting(card: Sighting, by_network: Vector) -> NDArray[np.float64]:
    """Return the probabilities of `FACES` in a sighting, without the icon. The rest is shared in proportion to those of
    the network."""
    chance_of = dict.fromkeys(FACES, 0.0)
    for face, chance in card.candidates or ((card.face, card.confidence),):
        if (plain := face.rstrip("*")) in chance_of:
            chance_of[plain] += chance
    chances = np.array([chance_of[face] for face in FACES])
    open_ = np.where(chances > 0, 0.0, by_network.astype(np.float64) + 1e-6)
    return np.asarray(chances + open_ * max(0.0, 1 - float(chances.sum())) / float(open_.sum()), np.float64)
