"""The model that ships on real photographs. It was trained on them, so this measures nothing (`make vision-report`
does): it notices when model and code no longer fit together."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from cardsight.reader import Reader
from cardsight.sources import load_picture

PHOTOS = Path(__file__).parents[3] / "shared" / "photos"

pytestmark = pytest.mark.skipif(not PHOTOS.exists(), reason="the photographs are not part of the repository")


def labeled(source: str) -> list[tuple[Path, list[str]]]:
    with (PHOTOS / "labels.csv").open() as lines:
        return [(PHOTOS / r["image"], r["cards"].split(";")) for r in csv.DictReader(lines) if r["source"] == source]


def test_scattered_cards_on_a_wooden_table() -> None:
    reader = Reader()
    exact, wrong = 0, Counter[str]()
    for path, faces in labeled("table-a"):
        seen = Counter(card.face for card in reader.read(load_picture(path)).cards)
        exact += seen == Counter(faces)
        wrong += seen - Counter(faces) - Counter({"?": 99})
    assert not wrong
    assert exact >= 9


@pytest.mark.parametrize("source", ["set-d", "set-j", "set-k", "set-l"])
def test_single_cards_of_several_prints(source: str) -> None:
    reader = Reader()
    photos = labeled(source)[::4]
    read = [([card.face for card in reader.read(load_picture(path)).cards], faces) for path, faces in photos]
    assert sum(seen == faces for seen, faces in read) >= 0.97 * len(photos), [
        pair for pair in read if pair[0] != pair[1]
    ]
