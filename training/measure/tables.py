"""Tables of the report as plain rows: results by source, by synthetic set, by card."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from cardsight import Sighting
from cardsight.classify import MARKS
from croupier_rules.cards import COLORS
from training.measure.calibration import HIGH, sure_but_wrong
from training.measure.judging import Card, Result
from training.photos import CLOSE, DRAWN_ON, TABLES

Row = dict[str, Any]

COUNTED: dict[str, Callable[[Card], bool]] = {
    "covered": lambda card: 0.6 <= card.seen < 0.97,
    "fan": lambda card: card.corner,
    "pile": lambda card: card.corner,
    "held": lambda card: card.seen >= 0.6,
}
"""Cards of a synthetic set that are scored, by kind of set."""


def is_scored(result: Result) -> bool:
    """True if any card of the scene is to be read. A gray picture is scored by its marks only."""
    counts = COUNTED.get(result.scene.kind, lambda card: True)
    return result.scene.kind != "gray" and any(counts(card) for card in result.scene.cards)


def by(results: Iterable[Result], key: Callable[[Result], str]) -> dict[str, list[Result]]:
    """Group the results by key, sorted by name."""
    groups: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        groups[key(result)].append(result)
    return dict(sorted(groups.items()))


def summary(name: str, results: Sequence[Result]) -> Row:
    """Return the row of a source in the table of photographs."""
    cards = sum(len(r.states) for r in results)
    read, wrong = sum(r.read for r in results), sum(len(r.wrong) for r in results)
    recall, precision = read / max(1, cards), read / max(1, read + wrong)
    return {
        "source": name,
        "photos": len(results),
        "cards": cards,
        "read": read,
        "unsure": sum(sum(s.face == "?" for s in r.reading.cards) for r in results),
        "wrong": wrong,
        "recall": round(recall, 4),
        "precision": round(precision, 4),
        "f1": round(2 * recall * precision / max(1e-9, recall + precision), 4),
        "exact": sum(r.exact for r in results),
        "ms": round(float(np.median([r.ms for r in results])), 1),
    }


def totals(results: Sequence[Result]) -> Row:
    """Return the figures of the goals: all tables, and single cards on a table by source."""
    scored = [r for r in results if r.scene.source not in DRAWN_ON]
    tables = [r for r in scored if r.scene.source in TABLES]
    singles = {
        source: summary(source, some)["recall"]
        for source, some in by(scored, lambda r: r.scene.source).items()
        if source not in (*TABLES, *CLOSE)
    }
    worst = min(singles, key=lambda source: float(singles[source])) if singles else ""
    return {
        "tables": summary("tables", tables) if tables else None,
        "singles on a table, mean of sources": round(float(np.mean(list(singles.values()))), 4) if singles else None,
        "singles on a table, worst source": [worst, singles.get(worst)],
    }


def synthetic_row(kind: str, source: str, results: Sequence[Result]) -> Row:
    """Return the row of a synthetic set: its scored cards, and all wrong faces in its pictures."""
    counts = COUNTED.get(kind, lambda card: True)
    states = [s for r in results for card, s in zip(r.scene.cards, r.states, strict=True) if counts(card)]
    tally = Counter(states)
    count = max(1, len(states))
    return {
        "set": kind,
        "source": source,
        "pictures": len(results),
        "cards": len(states),
        "read": tally["read"],
        "unsure": tally["?"],
        "missed": tally["missed"],
        "wrong": sum(len(r.wrong) for r in results),
        "wrong above 0.9": sum(s.confidence > HIGH for r in results for s in r.wrong),
        "right": round(tally["read"] / count, 4),
        "read or ?": round((tally["read"] + tally["?"]) / count, 4),
        "symbol right": round(sum(r.ranked for r in results) / max(1, sum(len(r.states) for r in results)), 4),
    }


def covered_by_tenth(results: Sequence[Result]) -> list[Row]:
    """Return, for ranges of the visible fraction, how many covered cards are read."""
    rows = []
    for low in (0.6, 0.7, 0.8, 0.9):
        states = [
            s
            for r in results
            for card, s in zip(r.scene.cards, r.states, strict=True)
            if low <= card.seen < min(low + 0.1, 0.97)
        ]
        if states:
            rows.append(
                {
                    "seen": f"{low:.1f}-{low + 0.1:.1f}",
                    "cards": len(states),
                    "right": round(states.count("read") / len(states), 4),
                }
            )
    return rows


def confusion(results: Iterable[Result]) -> list[Row]:
    """Return confused faces, most frequent first: reported faces, and best candidates of ``?``."""
    pairs = Counter(pair for r in results for pair in r.confused)
    return [{"face": a, "read as": b, "times": n} for (a, b), n in sorted(pairs.items(), key=lambda i: (-i[1], i))]


def marks(results: Iterable[Result]) -> list[Row]:
    """Return, by print, how many marks were read on colored cards, and how many of them match the reported color."""
    rows = []
    for design, some in by(results, lambda r: r.scene.design).items():
        colored = [s for r in some for s in r.reading.cards if not guess(s).startswith("wild")]
        reported = [s for s in colored if s.symbol is not None]
        agree = sum(COLORS[MARKS.index(str(s.symbol))] == guess(s).split("-")[0] for s in reported)
        rows.append(
            {"print": design, "colored cards": len(colored), "marks read": len(reported), "matching the color": agree}
        )
    return rows


def guess(sighting: Sighting) -> str:
    """Return the reported face, or the best candidate of ``?``."""
    return sighting.candidates[0][0] if sighting.face == "?" else sighting.face


def stages(results: Sequence[Result]) -> Row:
    """Return the median CPU milliseconds of each stage."""
    return {
        name: round(float(np.median([r.reading.stages_ms[name] / r.reading.ms * r.ms for r in results])), 2)
        for name in (results[0].reading.stages_ms if results else ())
    }


def goals(results: Sequence[Result], synthetic: Sequence[Result]) -> list[Row]:
    """Return the goals of the reader, and the measured figures."""
    rows: list[Row] = []

    def goal(what: str, wanted: float, reached: float, *, least: bool = True) -> None:
        met = reached >= wanted if least else reached < wanted
        rows.append({"goal": what, "wanted": wanted, "reached": round(reached, 4), "met": "yes" if met else "no"})

    scored = [r for r in results if r.scene.source not in DRAWN_ON]
    if scored:
        sums = totals(scored)
        if sums["tables"]:
            goal("F1 of the tables", 0.999, sums["tables"]["f1"])
            goal("exact pictures of the tables", 1.0, sums["tables"]["exact"] / sums["tables"]["photos"])
        if sums["singles on a table, mean of sources"] is not None:
            goal("single cards on a table read, mean of sources", 0.995, sums["singles on a table, mean of sources"])
            goal("single cards on a table read, worst source", 0.98, sums["singles on a table, worst source"][1])
    kinds = {kind: synthetic_row(kind, "all", some) for kind, some in by(synthetic, lambda r: r.scene.kind).items()}
    for kind, column, wanted in (("covered", "right", 0.98), ("held", "right", 0.97)):
        if kind in kinds:
            goal(f"{kind} cards read (synthetic set)", wanted, kinds[kind][column])
    for kind in ("fan", "pile"):
        if kind in kinds:
            goal(f"cards of a {kind} with a visible corner, read or ? (synthetic set)", 1.0, kinds[kind]["read or ?"])
    reported = [(s.confidence, right) for r in (*scored, *synthetic) for s, right in r.reported]
    if reported:
        goal("wrong in a thousand above 0.9", 1.0, sure_but_wrong(reported)["per thousand"], least=False)
    return rows


def misreads(results: Iterable[Result]) -> list[Row]:
    """Return every scene with a missing or wrong card."""
    rows = []
    for result in results:
        if not result.exact:
            missing = [f"{c.face} {s}" for c, s in zip(result.scene.cards, result.states, strict=True) if s != "read"]
            wrong = [f"{s.face} {s.confidence:.3f}" for s in result.wrong]
            likeliest = [f"{guess(s)} {s.confidence:.2f}" for s in result.reading.cards if s.face == "?"]
            rows.append({"image": result.scene.name, "missing": missing, "wrong": wrong, "likeliest": likeliest})
    return rows
