"""Check of the shipped model on photographs: `python -m training.shipped`, the first step of `make vision-report`.

The model was trained on these photographs, so this measures no accuracy. It detects a mismatch of model and code: the
exit status is 1 below the limits.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from pathlib import Path
from typing import Final

from cardsight.reader import Reader
from cardsight.sources import load_picture
from training.photos import PHOTOS

TABLES_EXACT: Final = 9
"""Minimum number of pictures of a wooden table in which every card is read."""
SINGLE_SHARE: Final = 0.97
"""Minimum fraction of pictures of single cards that are read, for each source."""
SINGLE_SOURCES: Final = ("set-d", "set-j", "set-k", "set-l")


def labeled(source: str) -> list[tuple[Path, list[str]]]:
    """Return the pictures of a source, and the faces in each."""
    with (PHOTOS / "labels.csv").open() as lines:
        return [(PHOTOS / r["image"], r["cards"].split(";")) for r in csv.DictReader(lines) if r["source"] == source]


def faults_on_tables(reader: Reader) -> list[str]:
    """Return the faults in the readings of scattered cards on a wooden table."""
    exact, wrong = 0, Counter[str]()
    for path, faces in labeled("table-a"):
        seen = Counter(card.face for card in reader.read(load_picture(path)).cards)
        exact += seen == Counter(faces)
        wrong += seen - Counter(faces) - Counter({"?": 99})
    faults = [f"table-a: read wrong: {', '.join(sorted(wrong.elements()))}"] if wrong else []
    return faults + ([f"table-a: {exact} pictures exact, not {TABLES_EXACT}"] if exact < TABLES_EXACT else [])


def faults_of_single_cards(reader: Reader, source: str) -> list[str]:
    """Return the faults in the readings of single cards of one print."""
    photos = labeled(source)[::4]
    read = [([card.face for card in reader.read(load_picture(path)).cards], faces) for path, faces in photos]
    if sum(seen == faces for seen, faces in read) >= SINGLE_SHARE * len(photos):
        return []
    return [f"{source}: {faces} read as {seen}" for seen, faces in read if seen != faces]


def main() -> int:
    """Read the photographs and print what is below the limits."""
    if not PHOTOS.exists():
        print(f"vision-report: no photographs in {PHOTOS}; name their folder in CROUPIER_PHOTOS", file=sys.stderr)
        return 2
    reader = Reader()
    faults = faults_on_tables(reader)
    for source in SINGLE_SOURCES:
        faults += faults_of_single_cards(reader, source)
    print(*faults or ["The model that ships reads the photographs as it should."], sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
