"""How well the card reader reads photographs of sources it has not been trained on: `make vision-report`.

Every photograph is read by the model of the fold that leaves its source out. A card counts as read when its face is
told and lies in the picture; ``?`` counts as not read; a face that does not lie there counts as wrong. Cards that the
frame cuts off are not labeled in the photographs, so what is told of them neither helps nor harms.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field

import cv2
import numpy as np

from cardsight import Reading, Sighting
from cardsight.reader import SURE, Reader
from training import folds
from training.photos import CLOSE, DRAWN_ON, FOLDS, TABLES, Photo, load


@dataclass
class Result:
    """What was read in one photograph, against what lies there."""

    photo: Photo
    reading: Reading
    missed: list[str] = field(default_factory=list)
    wrong: list[Sighting] = field(default_factory=list)
    unsure: list[Sighting] = field(default_factory=list)
    found: int = 0

    @property
    def exact(self) -> bool:
        return not self.missed and not self.wrong


def cut_off(sighting: Sighting, width: int, height: int) -> bool:
    """Whether more than a tenth of the card's length lies outside the frame."""
    x, y = np.array(sighting.corners_px).T
    out = max(-x.min(), -y.min(), x.max() - width, y.max() - height)
    return bool(out > 0.1 * np.hypot(x[1] - x[2], y[1] - y[2]))


def judge(photo: Photo, reading: Reading) -> Result:
    """Compare the faces told with the faces that lie there."""
    result, left = Result(photo, reading), Counter(photo.faces)
    for card in reading.cards:
        if card.face == "?":
            result.unsure.append(card)
        elif left[card.face] > 0:
            left[card.face] -= 1
            result.found += 1
        elif not cut_off(card, *reading.size):
            result.wrong.append(card)
    result.missed = list(left.elements())
    return result


def best_odds(card: Sighting, slope: float, offset: float) -> float:
    """The network's own log odds behind a confidence."""
    p = min(max(card.confidence, 1e-9), 1 - 1e-9)
    return (math.log(p / (1 - p)) - offset) / slope


def read_all(photos: list[Photo]) -> list[Result]:
    """Read every photograph with the model that does not know its source, calibrated on the other folds' readings."""
    plain: dict[int, list[tuple[Photo, Reading]]] = {}
    for number, sources in enumerate(FOLDS):
        reader = Reader(folds.with_figures(folds.fold(number, photos), 1.0, 0.0))
        plain[number] = [(p, reader.read(p.picture())) for p in photos if p.source in sources]
    results = []
    for number, sources in enumerate(FOLDS):
        others = [pair for n, pairs in plain.items() if n != number for pair in pairs]
        figures = calibration(others)
        reader = Reader(folds.with_figures(folds.WORK / f"fold-{number}", *figures))
        results += [judge(p, reader.read(p.picture())) for p in photos if p.source in sources]
    return results


def calibration(pairs: list[tuple[Photo, Reading]]) -> tuple[float, float]:
    """Slope and offset from readings made with slope 1 and offset 0."""
    odds, right = [], []
    for photo, reading in pairs:
        if photo.source in DRAWN_ON:
            continue
        left = Counter(photo.faces)
        for card in reading.cards:
            face = card.candidates[0][0] if card.face == "?" else card.face
            if cut_off(card, *reading.size):
                continue
            odds.append(best_odds(card, 1.0, 0.0))
            right.append(left[face] > 0)
            left[face] -= left[face] > 0
    return folds.calibrated(np.array(odds), np.array(right, np.float64))


def summary(source: str, results: list[Result]) -> dict[str, object]:
    """One row of the report."""
    cards = sum(len(r.photo.faces) for r in results)
    found, wrong = sum(r.found for r in results), sum(len(r.wrong) for r in results)
    recall, precision = found / cards, found / max(1, found + wrong)
    return {
        "source": source,
        "photos": len(results),
        "cards": cards,
        "read": found,
        "unsure": sum(len(r.unsure) for r in results),
        "wrong": wrong,
        "recall": round(recall, 4),
        "precision": round(precision, 4),
        "f1": round(2 * recall * precision / max(1e-9, recall + precision), 4),
        "exact": sum(r.exact for r in results),
        "ms": round(float(np.median([r.reading.ms for r in results])), 1),
    }


def reliability(results: list[Result]) -> list[dict[str, float]]:
    """Of the faces told at about one confidence: how many are right."""
    bins: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    for result in results:
        for card in result.reading.cards:
            if card.face != "?" and not cut_off(card, *result.reading.size):
                name = next(
                    n for n, top in (("0.80-0.95", 0.95), ("0.95-0.99", 0.99), ("0.99-1", 1.1)) if card.confidence < top
                )
                bins[name].append((card.confidence, card not in result.wrong))
    return [
        {
            "told": name,
            "cards": len(v),
            "said": round(float(np.mean([c for c, _ in v])), 4),
            "right": round(float(np.mean([r for _, r in v])), 4),
        }
        for name, v in sorted(bins.items())
    ]  # type: ignore[dict-item]


def main() -> None:
    """Train what is missing, read, and print the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    results = read_all(load())
    by_source: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        by_source[result.photo.source].append(result)
    rows = [summary(source, by_source[source]) for source in sorted(by_source)]
    singles = [r for r in rows if r["source"] not in (*TABLES, *CLOSE, *DRAWN_ON)]
    scored = [r for r in results if r.photo.source not in DRAWN_ON]
    totals = {
        "tables": summary("tables", [r for s in TABLES for r in by_source[s]]),
        "singles on a table, mean of sources": round(float(np.mean([r["recall"] for r in singles])), 4),  # type: ignore[arg-type]
        "singles on a table, worst source": min((r["recall"], r["source"]) for r in singles),  # type: ignore[type-var]
    }
    stages = {
        s: round(float(np.median([r.reading.stages_ms[s] for r in by_source["table-a"]])), 1)
        for s in by_source["table-a"][0].reading.stages_ms
    }
    marks = Counter(
        (r.photo.design == "modern-symbols", c.symbol)
        for r in scored
        for c in r.reading.cards
        if c.face != "?" and not c.face.startswith("wild")
    )
    if args.json:
        for row in rows:
            print(json.dumps(row))
        print(json.dumps({"totals": totals, "stages_ms, table-a": stages, "confidence": reliability(scored)}))
    else:
        print(
            f"{'source':9}{'photos':>7}{'cards':>6}{'read':>6}{'?':>4}{'wrong':>6}{'recall':>8}{'precis.':>8}{'F1':>7}{'exact':>6}{'ms':>7}"
        )
        for row in rows:
            note = " drawn on, not scored" if row["source"] in DRAWN_ON else ""
            print(
                "{source:9}{photos:7}{cards:6}{read:6}{unsure:4}{wrong:6}{recall:8.1%}{precision:8.1%}{f1:7.1%}{exact:6}{ms:7.1f}".format(
                    **row
                )
                + note
            )
        for name, value in totals.items():
            print(f"{name}: {value}")
        print(f"milliseconds by stage, median of table-a: {stages}")
        print(f"confidence ({SURE} and more is told): {reliability(scored)}")
        print(f"marks read (on a print with marks?, mark): { {str(k): v for k, v in sorted(marks.items(), key=str)} }")
    for result in results:
        if not result.exact and result.photo.source not in DRAWN_ON:
            wrong = [f"{c.face} {c.confidence:.2f}" for c in result.wrong]
            unsure = [c.candidates[0] for c in result.unsure]
            line = {"image": result.photo.name, "missed": result.missed, "wrong": wrong, "unsure": unsure}
            print(
                json.dumps(line)
                if args.json
                else f"{result.photo.name}: missed {result.missed} wrong {wrong} unsure {unsure}"
            )


if __name__ == "__main__":
    main()
