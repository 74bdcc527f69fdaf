"""Reads pictures as `Reader` does, and looks at each card once more with what was learned of the user's own deck."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import replace
from time import perf_counter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cardsight.classify import FACES
from cardsight.decision import CANDIDATES, SURE, Deck
from cardsight.enroll.outlines import outlines
from cardsight.enroll.profile import DeckProfile, Look, Vector, look
from cardsight.geometry import Image, Quad, corners_of, overlap, pyramid, quad_of, warp_crop
from cardsight.reader import Reader
from cardsight.sighting import Reading, Sighting
from croupier.cards import BACK, UNREAD

SAME_PRINT: Final = 0.7
"""Likeness by print from which a crop is that card of that deck, and well placed, whatever the network says of it.
Measured on photographs: another print of the same face reaches it in fewer than one of a hundred, wilds aside."""
STRANGER: Final = 0.6
"""Likeness by print to any learned card, below which a card is not of that deck, or mostly covered: it is left as the
reader for any deck read it, since what one edition calls green may be another's blue."""
MOST_SURE: Final = 0.999
"""No face is surer than this by its look: a pair that was never measured together may be alike."""
COVERS: Final = 0.5
"""What shares this part of itself with a card that was found by its print is part of that card."""


class DeckReader:
    """Reads the cards of the deck that ``profile`` was learned from, and others as well as before.

    ``reader`` is the card reader for any deck. Not to be shared between threads.
    """

    def __init__(self, reader: Reader, profile: DeckProfile) -> None:
        self._reader, self._profile = reader, profile

    def read(
        self, image: Image, /, faces: Collection[str] | None = None, *, top_only: bool = False,
        long_px: float | None = None,
    ) -> Reading:  # fmt: skip
        """Every card that is seen in the picture, as `Reader.read`."""
        began = perf_counter()
        reading = self._reader.read(image, faces, top_only=top_only, long_px=long_px)
        if not self._profile.cards:
            return reading
        levels, deck = pyramid(image), Deck(faces)
        seen = [self._again(levels, card, deck) for card in (*reading.cards, *reading.backs)]
        if self._profile.is_strange:
            seen = self._with_strange(levels, seen, deck)
        own = (perf_counter() - began) * 1000 - reading.ms
        return replace(
            reading,
            cards=tuple(card for card in seen if card.face != BACK),
            backs=tuple(card for card in seen if card.face == BACK),
            ms=reading.ms + own,
            stages_ms=reading.stages_ms | {"own deck": own},
        )

    def _again(self, levels: list[Image], card: Sighting, deck: Deck) -> Sighting:
        """The card as the deck has it."""
        seen = look(self._profile.net, warp_crop(levels, quad_of(card.corners_px)))
        back, face = self._profile.by_print(seen)
        if max(back, face) < STRANGER:
            return card
        if card.face == BACK:
            return card if back >= face or face < SAME_PRINT else self._named(card, seen.said, seen, deck)
        if back >= SAME_PRINT and back > face:
            return Sighting(BACK, back, card.corners_px)
        return self._named(card, _told(card, seen.said), seen, deck)

    def _named(self, card: Sighting, chances: NDArray[np.float64] | Vector, seen: Look, deck: Deck) -> Sighting:
        faces: dict[str, float] = defaultdict(float)
        for face, chance in self._profile.weighed(np.asarray(chances, np.float64), seen).items():
            faces[deck.named(face)] += chance
        order = sorted(faces, key=lambda face: -faces[face])
        likely = [face for face in order if deck.holds(face)][:CANDIDATES]
        best = order[0]
        confidence = min(faces[best], MOST_SURE)
        if confidence < SURE or best not in likely:
            candidates = tuple((face, round(faces[face], 4)) for face in likely)
            return Sighting(UNREAD, min(faces[likely[0]], MOST_SURE), card.corners_px, card.symbol, candidates)
        starred = f"{best}*"
        if starred not in self._profile.faces:  # by its look alone no learned card says whether it bears the icon
            if card.face == UNREAD and {starred, best} <= {face for face, _ in card.candidates}:
                return card
            best = starred if card.face == starred else best
        return Sighting(best, confidence, card.corners_px, card.symbol)

    def _with_strange(self, levels: list[Image], seen: list[Sighting], deck: Deck) -> list[Sighting]:
        """The cards found, and those that only their outline and print tell; what is part of such a one is dropped."""
        found: list[tuple[Quad, Sighting]] = []
        for quad in outlines(levels[0]):
            card = look(self._profile.net, warp_crop(levels, quad))
            back, face = self._profile.by_print(card)
            if max(back, face) < SAME_PRINT or any(overlap(quad, other) > COVERS for other, _ in found):
                continue
            plain = Sighting(BACK, back, corners_of(quad))
            found.append((quad, plain if back > face else self._of_learned(self._named(plain, card.said, card, deck))))
        rest = [card for card in seen if all(overlap(quad_of(card.corners_px), quad) <= COVERS for quad, _ in found)]
        return [*rest, *(card for _, card in found)]

    def _of_learned(self, card: Sighting) -> Sighting:
        """A card that was found by the print of a learned one: with the name of another face, it is a question."""
        if card.face == UNREAD or card.face.rstrip("*") in self._profile.faces:
            return card
        sure = min(card.confidence, SURE)
        return replace(card, face=UNREAD, confidence=sure, candidates=((card.face, sure),))


def _told(card: Sighting, said: Vector) -> NDArray[np.float64]:
    """The probabilities of `FACES` that a sighting tells; what it leaves open is shared as the network would. The
    Add-a-Rule icon is no part of a face here."""
    told = dict.fromkeys(FACES, 0.0)
    for face, chance in card.candidates or ((card.face, card.confidence),):
        if (plain := face.rstrip("*")) in told:
            told[plain] += chance
    chances = np.array([told[face] for face in FACES])
    open_ = np.where(chances > 0, 0.0, said.astype(np.float64) + 1e-6)
    return np.asarray(chances + open_ * max(0.0, 1 - float(chances.sum())) / float(open_.sum()), np.float64)
