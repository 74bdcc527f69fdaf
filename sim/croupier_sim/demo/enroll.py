"""The deck at the simulated table, enrolled as `croupier enroll` does it: a picture of each face before the game."""

from __future__ import annotations

from collections import Counter
from typing import Final

from cardsight import model as models
from cardsight.card_reader import CardReader
from cardsight.enroll import DeckProfile, DeckReader
from cardsight.reader import Reader
from croupier.pictures.readings import Seen
from croupier_rules.cards import LEARNED, STARRED
from croupier_rules.deck_list import DeckList
from croupier_sim.camera import SimCamera
from croupier_sim.table import SHOW_ZONE_MM, Pose, SimTable
from croupier_tally.enroll import Enrollment, Names

_PLACE: Final = Pose((SHOW_ZONE_MM[0] + SHOW_ZONE_MM[2]) / 2, 0.0, 12.0)


def unlearned_faces(table: SimTable) -> tuple[str, ...]:
    """Return the faces of the deck that the card reader does not know as it is shipped."""
    return tuple(sorted({*table.deck}.difference(LEARNED, STARRED)))


def enrolled_reader(table: SimTable, camera: SimCamera) -> CardReader:
    """Return the card reader that ships; if it does not know some faces of the deck, with a picture of each face
    enrolled."""
    model = models.load()
    reader = Reader(model)
    if not unlearned_faces(table):
        return reader
    deck = DeckList("", (Counter(table.deck),), {})
    profile, card_px = DeckProfile(model.reader), camera.card_px(SHOW_ZONE_MM)
    for face in dict.fromkeys(table.deck):
        picture = camera.photograph(face, _PLACE)
        enrollment = Enrollment(profile, Names(deck, {face: (face,)}))
        taken = enrollment.take(Seen(face, picture, reader.read(picture, long_px=card_px)))
        if not enrollment.learned:
            raise RuntimeError(f"{face} was not enrolled: {[card.why_not for card in taken]}")
    return DeckReader(reader, profile)
