"""A table whose reader learns the cards of the pile that people correct."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardsight.reader import Reader
from cardsight.sighting import Corners
from cardsight.track.clip import ClipBuffer
from cardsight.track.events import Touched
from croupier.errors import BadProfile
from croupier.pictures.corrections import LearningReader
from tests.vision import laid
from tests.vision.edition import picture
from tests.vision.laid import Image, Lying

SIZE = (640, 480)


def corners(card: Lying) -> Corners:
    a, b, c, d = ((float(x), float(y)) for x, y in card.quad())
    return a, b, c, d


def read(reader: LearningReader, image: Image) -> list[str]:
    return [card.face for card in reader.read(image).cards]


def shown(face: str, seed: int = 1) -> Image:
    return picture([Lying(face, 300, 250, 160)], size=SIZE, seed=seed)


def test_corrected_cards_teach_their_symbols_and_colors_to_this_table_and_to_others(tmp_path: Path) -> None:
    path, reader = tmp_path / "corrected.deck", Reader()
    table = LearningReader(reader, path)
    assert read(table, shown("green-skip")) == ["?"]
    for face in ("yellow-skip", "green-5"):
        card = Lying(face, 320, 240, 12)
        buffer = ClipBuffer((100, 60, 540, 420), card.width * 88 / 56)
        touched = Touched(t=1.0, u=0.05, face="?", corners_px=corners(card))
        buffer.push(1.2, picture([card], size=SIZE), [touched], is_settled=True)
        assert buffer.reported_picture(1.0, "red-2") is None, "another card of the record"
        kept = buffer.reported_picture(1.0, "?")
        assert kept is not None
        table.learn(*kept, face)
    assert path.stat().st_mode & 0o077 == 0, "nobody else may read the pictures"
    for face in ("green-skip", "yellow-5"):  # nobody corrected these
        assert read(LearningReader(reader, path), shown(face)) == [face]
    assert read(table, shown("red-9")) == ["?"]


def test_the_usual_prints_stay_as_they_are_read_at_a_table_that_learned_another(tmp_path: Path) -> None:
    table = LearningReader(Reader(), tmp_path / "corrected.deck")
    for face in ("red-8", "blue-3"):
        table.learn(shown(face), corners(Lying(face, 300, 250, 160)), face)
    usual = [Lying("red-0", 150, 240, 12), Lying("blue-8", 330, 240, -20), Lying("red-3", 510, 240, 80)]
    assert sorted(read(table, laid.picture(usual, size=SIZE))) == sorted(card.face for card in usual)


def test_of_two_words_that_contradict_each_other_neither_is_believed(tmp_path: Path) -> None:
    table = LearningReader(Reader(), tmp_path / "corrected.deck")
    wrong, right = shown("red-5"), shown("red-5", seed=2)
    place = corners(Lying("red-5", 300, 250, 160))
    table.learn(wrong, place, "red-3")
    assert read(table, right) == ["red-3"]
    table.learn(right, place, "red-5")
    assert read(table, right) == ["?"]
    table.learn(right, place, "red-5")
    assert read(table, wrong) == ["red-5"]


def test_a_card_that_another_one_covered_when_it_was_reported_teaches_nothing() -> None:
    card = Lying("red-9", 320, 240, 12)
    buffer = ClipBuffer((100, 60, 540, 420), card.width * 88 / 56)
    touched = Touched(t=1.0, u=0.05, face="?", corners_px=corners(card), is_covered=True)
    buffer.push(1.2, shown("red-9"), [touched], is_settled=True)
    assert buffer.reported_picture(1.0, "?") is None


def test_a_file_that_holds_no_cards_is_named(tmp_path: Path) -> None:
    path = tmp_path / "corrected.deck"
    path.write_bytes(b"PK no cards")
    with pytest.raises(BadProfile, match=r"corrected\.deck: this is no deck profile"):
        LearningReader(Reader(), path)
