"""Finds the missing outlines of photographed cards, by networks trained on drawn cards only.

Writes ``training/outlines.csv``. A card is accepted if its face is among the labels of the photograph; in a photograph
of one card the largest outline is accepted, whatever its reading. Check the outlines (``--sheet``) before training.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import Counter, defaultdict
from pathlib import Path

import cv2
import numpy as np

from cardsight import Sighting
from cardsight import model as models
from cardsight.reader import Reader as CardReader
from training.course import Course
from training.measure.models import uncalibrated
from training.photometry import Array
from training.photos import CLOSE, OUTLINES, WORK, Photo, load, short_first

Row = tuple[Photo, str, Array]
"""A card whose outline was found: its photograph, its face, the outline."""


def drawn_only() -> models.Model:
    """Return a model of networks trained without photographs."""
    course = Course(work=WORK / "drawn")
    return uncalibrated(course.model())


def likeliest_face(card: Sighting) -> str:
    """Return the most likely face of a sighting, reported or not."""
    return card.candidates[0][0] if card.face == "?" else card.face


def accepted_outlines(photo: Photo, cards: tuple[Sighting, ...]) -> list[tuple[str, Array]]:
    """Return the accepted outlines of a photograph, by face."""
    if len(photo.faces) == 1:
        quads = [np.array(card.corners_px, np.float32) for card in cards]
        return [(photo.faces[0], max(quads, key=cv2.contourArea))] if quads else []
    left, taken = Counter(photo.faces), []
    for card in cards:
        if left[likeliest_face(card)] > 0:
            left[likeliest_face(card)] -= 1
            taken.append((likeliest_face(card), np.array(card.corners_px, np.float32)))
    return taken


def too_small(rows: list[Row]) -> set[str]:
    """Return photographs of one card whose outline is far smaller than usual in their source: only a part was found."""
    sizes: dict[str, dict[str, float]] = defaultdict(dict)
    for photo, _, quad in rows:
        if len(photo.faces) == 1:
            sizes[photo.source][photo.name] = float(cv2.contourArea(quad))
    return {
        name
        for by_name in sizes.values()
        for name, size in by_name.items()
        if size < 0.45 * np.median(list(by_name.values()))
    }


def sheet(rows: list[Row], to: Path, columns: int = 24) -> None:
    """Write a picture of all cards, cropped along their outlines, for inspection."""
    width, height, edge = 66, 102, 4
    place = np.array(
        [[edge, edge], [width - edge, edge], [width - edge, height - edge], [edge, height - edge]], np.float32
    )
    tiles = []
    for photo, face, quad in rows:
        image = photo.picture()
        shrink = float(np.linalg.norm(quad[1] - quad[2]) / height)
        image = cv2.GaussianBlur(image, (0, 0), 0.4 * shrink) if shrink > 1 else image
        tile = cv2.warpPerspective(image, cv2.getPerspectiveTransform(quad, place), (width, height))
        tile = cv2.copyMakeBorder(tile, 0, 12, 0, 0, cv2.BORDER_CONSTANT)
        cv2.putText(tile, face.replace("-", "")[:9], (0, height + 9), 0, 0.3, (0, 255, 255), 1)
        tiles.append(tile)
    tiles += [np.zeros_like(tiles[0])] * (-len(tiles) % columns)
    cv2.imwrite(str(to), np.vstack([np.hstack(tiles[i : i + columns]) for i in range(0, len(tiles), columns)]))


def main() -> None:
    """Find and write the outlines of every photograph without any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sheet", type=Path, help="also draw all cards found, for looking at")
    args = parser.parse_args()
    OUTLINES.unlink(missing_ok=True)
    reader = CardReader(drawn_only())
    rows, missing = [], []
    for photo in load():
        if photo.outlines:
            continue
        image = photo.picture()
        found = accepted_outlines(photo, reader.read(image).cards)
        if photo.source in CLOSE:  # the card fills the picture
            height, width = image.shape[:2]
            if not found or cv2.contourArea(found[0][1]) < 0.6 * height * width:
                found = [(photo.faces[0], np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32))]
        rows += [(photo, face, short_first(quad)) for face, quad in found]
        missing += [photo.name] * (len(photo.faces) - len(found))
    dropped = too_small(rows)
    rows = [row for row in rows if row[0].name not in dropped]
    with OUTLINES.open("w", newline="") as out:
        table = csv.writer(out, lineterminator="\n")
        table.writerow(["image", "card", *(f"{axis}{i}" for i in range(1, 5) for axis in "xy")])
        table.writerows([photo.name, face, *(f"{v:.1f}" for v in quad.ravel())] for photo, face, quad in rows)
    print(json.dumps({"outlines": len(rows), "dropped": sorted(dropped), "not found": Counter(missing)}, indent=1))
    if args.sheet:
        sheet(rows, args.sheet)


if __name__ == "__main__":
    main()
