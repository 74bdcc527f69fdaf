"""A table whose reader learns the cards of the pile that people correct."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardsight.track.clip import ClipBuffer
from cardsight.track.events import Touched
from croupier.config import read
from croupier.errors import BadConfig
from croupier.pictures.corrections import LearningReader
from tests.vision.edition import picture
from tests.vision.laid import Lying

LAID = Lying("yellow-draw2", 320, 240, 12)


def test_a_corrected_card_is_read_from_then_on_and_after_a_restart(tmp_path: Path) -> None:
    a, b, c, d = ((float(x), float(y)) for x, y in LAID.quad())
    buffer = ClipBuffer((100, 60, 540, 420), LAID.width * 88 / 56)
    touched = Touched(t=1.0, u=0.05, face="?", corners_px=(a, b, c, d))
    buffer.push(1.2, picture([LAID], size=(640, 480)), [touched], is_settled=True)
    kept = buffer.reported_picture(1.0)
    assert kept is not None
    later = picture([Lying("yellow-draw2", 300, 250, 160)], size=(640, 480), seed=1)

    path = tmp_path / "ours.deck"
    reader = LearningReader(path)
    assert [card.face for card in reader.read(later).cards] != [LAID.face]
    reader.learn(*kept, LAID.face)
    assert [card.face for card in reader.read(later).cards] == [LAID.face]
    assert path.stat().st_mode & 0o077 == 0, "nobody else may read the pictures"
    assert [card.face for card in LearningReader(path).read(later).cards] == [LAID.face]

    before = path.read_bytes()
    reader.learn(*kept, "red-3")
    assert path.read_bytes() == before, "another name for the same card is not learned"


def test_a_table_that_learns_needs_a_file_for_it() -> None:
    with pytest.raises(BadConfig, match=r"\[deck\] profile: is missing"):
        read("[deck]\nlearn = true\n")
